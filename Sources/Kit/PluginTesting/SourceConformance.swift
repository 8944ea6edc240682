// PluginTesting holds what every plugin must pass, whoever wrote it: conversations played against scripted answers, and
// the list of what was wrong with them.
//
// It knows no test framework. Each check returns sentences, none when all is well, so that a test is one line:
// `#expect(SourceConformance(…).violations() == [])`, and a command can print the same sentences.

internal import Glibc
public import PluginKit

/// A source's conversation played to its end against scripted answers.
public struct PlayedConversation<Found: SourceOutcome>: Sendable {
    /// Every request, in the order they were made.
    public private(set) var requests: [HTTPRequest] = []
    /// Every file asked for, in the order they were asked for.
    public private(set) var files: [FileRequest] = []
    /// How many of the requests asked for access tokens.
    public private(set) var tokenRequests = 0
    /// What the source finished with; nil when it had not finished after the most steps allowed.
    public private(set) var report: SourceReport<Found>?

    /// The same with only the requests that came after that one; those before it have been looked at.
    fileprivate func since(_ place: Int) -> PlayedConversation {
        var rest = self
        rest.requests = Array(requests.dropFirst(place + 1))
        return rest
    }

    /// - Parameter token: answers the requests that ask for access tokens.
    init(
        _ conversation: Conversation<SourceReport<Found>>, now: Moment, stepsMax: Int,
        file: (FileRequest) -> FileResult, token: (HTTPRequest) -> FetchResult, answer: (HTTPRequest) -> FetchResult
    ) {
        var tokens = PlayedTokens(now: now)
        var step = conversation
        // Before every request may stand the question for a token.
        for _ in 0...(2 * stepsMax) where requests.count <= stepsMax {
            switch step {
            case .finish(let report):
                self.report = report
                return
            case .fetch(let request, let then):
                requests.append(request)
                step = then(answer(request))
            case .read(let request, let then):
                files.append(request)
                step = then(file(request))
            case .authorize(let order, let then):
                let played = tokens.token(for: order, token)
                if let request = played.request {
                    requests.append(request)
                    tokenRequests += 1
                }
                step = then(played.result)
            }
        }
    }
}

/// A source's poll played to its end.
public typealias PlayedPoll = PlayedConversation<PollOutcome>

extension PlayedPoll {
    /// Plays the conversation, at most `stepsMax` requests long.
    public init(
        _ source: some Source,
        _ poll: Poll,
        stepsMax: Int = SourceConformance.stepsMax,
        file: (FileRequest) -> FileResult = { _ in .failed("no such file") },
        answer: (HTTPRequest) -> FetchResult
    ) {
        self.init(source, poll, stepsMax: stepsMax, file: file, token: answer, answer: answer)
    }

    /// The same with answers of their own to the requests that ask for access tokens.
    public init(
        _ source: some Source,
        _ poll: Poll,
        stepsMax: Int = SourceConformance.stepsMax,
        file: (FileRequest) -> FileResult = { _ in .failed("no such file") },
        token: (HTTPRequest) -> FetchResult,
        answer: (HTTPRequest) -> FetchResult
    ) {
        self.init(source.poll(poll), now: poll.now, stepsMax: stepsMax, file: file, token: token, answer: answer)
    }
}

/// The access tokens of one conversation, as the bot keeps them for many.
struct PlayedTokens {
    let now: Moment
    private var kept: [String: AccessToken] = [:]

    init(now: Moment) { self.now = now }

    /// The token, and the request that it took; none where it was kept.
    mutating func token(
        for order: TokenOrder, _ answer: (HTTPRequest) -> FetchResult
    ) -> (request: HTTPRequest?, result: Result<AccessToken, PollFailure>) {
        if let token = kept[order.key], token != order.refused { return (nil, .success(token)) }
        switch order.request(now) {
        case .failure(let failure): return (nil, .failure(failure))
        case .success(let request):
            let result = order.read(answer(request), now)
            if case .success(let token) = result { kept[order.key] = token }
            return (request, result)
        }
    }
}

/// What every source must do, whatever its service.
public struct SourceConformance: Sendable {
    /// Most requests of one poll: some spans, some pages, some metrics. A conversation beyond it never ends.
    public static let stepsMax = 100

    private let source: any Source
    private let poll: Poll
    private let secrets: [String]
    private let methods: Set<HTTPRequest.Method>
    private let answer: @Sendable (HTTPRequest) -> FetchResult
    private let file: @Sendable (FileRequest) -> FileResult

    /// - Parameters:
    ///   - source: made with the name that `poll` carries.
    ///   - secrets: the values of the secrets in the source's options, which nobody may see.
    ///   - methods: what the source needs besides GET.
    ///   - answer: the answers of a service in good health.
    ///   - file: the same for files.
    public init(
        _ source: some Source,
        poll: Poll,
        secrets: [String] = [],
        methods: Set<HTTPRequest.Method> = [],
        file: @escaping @Sendable (FileRequest) -> FileResult = { _ in .failed("no such file") },
        answer: @escaping @Sendable (HTTPRequest) -> FetchResult
    ) {
        self.source = source
        self.poll = poll
        self.secrets = secrets
        self.methods = methods.union([.get])
        self.answer = answer
        self.file = file
    }

    /// Everything that is wrong; empty when the source conforms.
    public func violations() -> [String] {
        let played = play(answer: answer, file: file)
        var found = check(played, "good answers")
        found += leaks(source.account ?? "", "the name of the account")
        found += flawsOfTheDashboard()
        // What never ends with good answers says the same of all others, and takes its time to say it.
        guard played.report != nil else { return found }
        if case .failed(let failure) = played.report?.outcome { found.append("good answers: failed: \(failure)") }
        found += impurity(played)
        found += troubleWithTheCursor(played)
        if !played.requests.isEmpty {
            for mishap in Mishap.all(at: poll.now) {
                found += check(mishap, play(answer: { _ in mishap.result }, file: file))
                // A service in trouble may well give tokens: another machine makes them.
                guard played.tokenRequests > 0 else { continue }
                found += check(mishap, PlayedPoll(source, poll, file: file, token: answer) { _ in mishap.result })
            }
            found += troubleMidway(played)
        }
        if !played.files.isEmpty { found += unreadableFile() }
        return found
    }

    /// What is wrong with a conversation that a test has played, whatever answers it was given.
    ///
    /// - Parameter what: what was answered, for the sentences.
    public func flaws(of played: PlayedPoll, _ what: String) -> [String] {
        var found = check(played, what)
        guard let report = played.report else { return found }
        var sentences = report.warnings + report.notes
        if case .failed(let failure) = report.outcome { sentences.append(failure.description) }
        for sentence in sentences where sentence != sentence.tamed || sentence.utf8.count > sentenceBytesMax {
            found.append("\(what): a sentence that is not fit for people: \(sentence.tamed.clipped(to: 300))")
        }
        return found
    }

    /// A sentence of a failure says what was asked for, where, what was expected and what was found, each clipped.
    private var sentenceBytesMax: Int { 4000 }

    // MARK: - One conversation

    private func play(
        cursor: JSON? = nil,
        answer: (HTTPRequest) -> FetchResult,
        file: (FileRequest) -> FileResult
    ) -> PlayedPoll {
        let poll = Poll(
            source: poll.source, now: poll.now, cursor: cursor ?? poll.cursor, spans: poll.spans, isAnew: poll.isAnew)
        return PlayedPoll(source, poll, file: file, answer: answer)
    }

    /// What must hold of every conversation, however it went.
    private func check(_ played: PlayedPoll, _ case: String) -> [String] {
        var found: [String] = []
        var seen: Set<HTTPRequest> = []
        // The same request looks the same however often it is made.
        for request in played.requests where seen.insert(request).inserted {
            if !methods.contains(request.method) {
                found.append("a \(request.method.rawValue) to \(request.url), which was not declared")
            }
            found += leaks("\(request)", "the description of a request")
            found += leaks(String(reflecting: request), "the debug description of a request")
        }
        guard let report = played.report else {
            return ["\(`case`): not finished after \(SourceConformance.stepsMax) steps"]
        }
        found += leaks("\(report)", "the report")
        found += leaks(report.cursor?.text ?? "", "the cursor")
        if case .values(let observations) = report.outcome {
            if observations.isEmpty { found.append("no observations are 'no data', not values") }
            for observation in observations { found += flaws(of: observation) }
        }
        if case .failed(let failure) = report.outcome, failure.description.isEmpty {
            found.append("a failure (\(failure.reason.rawValue)) without a sentence")
        }
        return found.map { "\(`case`): \($0)" }
    }

    private func leaks(_ text: String, _ place: String) -> [String] {
        var text = text
        let isLeaking = text.withUTF8 { text in secrets.contains { !$0.isEmpty && $0.isPart(of: text) } }
        return isLeaking ? ["\(place) shows a secret"] : []
    }

    private func flawsOfTheDashboard() -> [String] {
        guard let dashboard = source.dashboard else { return [] }
        var found = leaks(dashboard, "the dashboard")
        for secret in secrets where secret != secret.percentEncoded {
            found += dashboard.contains(secret.percentEncoded) ? ["the dashboard shows a secret"] : []
        }
        if !SourceSettings.isDashboard(dashboard) {
            found.append(
                "the dashboard is not a web address that leaves open only \(SourceSettings.placeholders.listed)")
        }
        let authority = dashboard.split { "/?#".contains($0) }.dropFirst().first ?? ""
        if authority.contains("@") { found.append("the dashboard holds a login") }
        return found
    }

    private func flaws(of observation: Observation) -> [String] {
        let subject = observation.subject
        var found: [String] = []
        if subject.source != poll.source {
            found.append("the source is called '\(subject.source)' instead of '\(poll.source)'")
        }
        if subject.app.isEmpty { found.append("the app has no name") }
        if observation.span.from >= observation.span.to {
            found.append("the span from \(observation.span.from) to \(observation.span.to) is empty")
        }
        if let flaw = observation.metrics.flaw { found.append(flaw) }
        if let given = source.metrics {
            for entry in observation.metrics.entries where !given.contains(entry.metric) {
                found.append("the metric '\(entry.name)' is not among those declared")
            }
        }
        if !source.givesLabels, let label = observation.labels.keys.sorted().first {
            found.append("the label '\(label)' is given, although the source says that it gives none")
        }
        if observation.issues.count > Issue.countMax {
            found.append("\(observation.issues.count) issues, more than \(Issue.countMax)")
        }
        return found.map { "app '\(subject.app)': \($0)" }
    }

    // MARK: - Purity and memory

    private func impurity(_ first: PlayedPoll) -> [String] {
        let second = play(answer: answer, file: file)
        var found: [String] = []
        if first.requests != second.requests || first.files != second.files {
            found.append("the same poll with the same answers asked for other things the second time")
        }
        if first.report?.outcome != second.report?.outcome || first.report?.cursor != second.report?.cursor {
            found.append("the same poll with the same answers found other things the second time")
        }
        return found
    }

    /// The next poll must understand what this one left, and every poll must live with a cursor that is not its own.
    private func troubleWithTheCursor(_ first: PlayedPoll) -> [String] {
        var found: [String] = []
        if let cursor = first.report?.cursor {
            let next = play(cursor: cursor, answer: answer, file: file)
            found += check(next, "the poll after")
            if case .failed(let failure) = next.report?.outcome { found.append("the poll after: failed: \(failure)") }
        }
        for strange: JSON in [.null, 42, "x", [], [:], ["projects": 1, "until": "x", "offset": -1, "cursor": [:]]] {
            found += check(play(cursor: strange, answer: answer, file: file), "the cursor \(strange.text)")
        }
        return found
    }

    // MARK: - Mishaps

    private func check(_ mishap: Mishap, _ played: PlayedPoll) -> [String] {
        var found = check(played, mishap.name)
        guard let report = played.report else { return found }
        guard case .failed(let failure) = report.outcome else {
            return found + ["\(mishap.name): ended in \(report.outcome) instead of a failure"]
        }
        if !mishap.reasons.contains(failure.reason) {
            let wanted = mishap.reasons.map(\.rawValue).sorted().joined(separator: " or ")
            found.append("\(mishap.name): the reason is \(failure.reason.rawValue) instead of \(wanted)")
        }
        if let until = mishap.until, max(failure.retryAt ?? .earliest, report.notBefore ?? .earliest) < until {
            found.append("\(mishap.name): does not wait until \(until) as told")
        }
        return found
    }

    /// Trouble may begin at any request: whatever was found before it, the conversation must end without nonsense.
    private func troubleMidway(_ good: PlayedPoll) -> [String] {
        var found: [String] = []
        let odd: [JSON] = [
            .null, 42, -1, "x", [], [[]], [1], [:], ["data": [:]], ["data": .null], ["unexpected": true],
        ]
        let results =
            odd.map { FetchResult.answered(HTTPResponse(status: 200, body: $0.bytes)) }
            + Mishap.all(at: poll.now).map(\.result)
        for place in good.requests.indices {
            for result in results {
                var asked = 0
                let played = play(
                    answer: { request in
                        defer { asked += 1 }
                        return asked == place ? result : answer(request)
                    }, file: file)
                found += check(played.since(place), "request \(place + 1) answered with \(result)")
            }
        }
        return found
    }

    private func unreadableFile() -> [String] {
        let played = play(answer: answer, file: { _ in .failed("permission denied") })
        var found = check(played, "an unreadable file")
        if case .failed(let failure) = played.report?.outcome, failure.reason == .unreadable { return found }
        found.append("an unreadable file: did not fail as unreadable")
        return found
    }
}

extension String {
    /// Byte for byte: the search for characters of the standard library took two thirds of a run of mutations.
    fileprivate func isPart(of text: UnsafeBufferPointer<UInt8>) -> Bool {
        var part = self
        return part.withUTF8 { part in
            guard let wanted = part.baseAddress, let first = part.first, var start = UnsafeRawPointer(text.baseAddress)
            else { return part.isEmpty }
            let end = start + text.count
            while let found = memchr(start, Int32(first), end - start), found + part.count <= end {
                if memcmp(found, wanted, part.count) == 0 { return true }
                start = UnsafeRawPointer(found) + 1
            }
            return false
        }
    }
}
