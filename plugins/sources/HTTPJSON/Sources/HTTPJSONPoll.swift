internal import JSONPath
internal import PluginKit

/// One page as it was answered.
struct AnswerPage: Sendable {
    let root: JSONReader
    /// From 1.
    let number: Int
    /// What was asked for, where the request says it.
    let asked: TimeSpan?
}

/// How a poll ended.
struct HTTPJSONEnd: Sendable {
    var report: PollReport
    /// Whether there are more pages than may be read.
    var isCut = false
    /// Whether everything that was asked for came, whatever is made of it.
    var isRead = false
}

typealias HTTPJSONStep = Conversation<HTTPJSONEnd>

/// One poll under way: the spans and pages still to ask for, one after the other, and what was answered so far.
struct HTTPJSONPoll: Sendable {
    private let source: HTTPJSONSource
    private let poll: Poll
    private let last: HTTPJSONCursor?
    /// Nil once for a source whose requests name no span.
    private let spans: [TimeSpan?]
    private var pages: [AnswerPage] = []
    /// Of everything that was answered.
    private var hash = StableHash()
    private var bytes = 0
    /// How many requests were made.
    private var requests = 0
    private var warnings: [String] = []
    /// Whether there are pages that nobody has read.
    private var isCut = false
    /// Whether they are more than may be read, and not pages that lead in a circle.
    private var hasMorePages = false
    /// Why the longer spans could not be had.
    private var longerFailure: PollFailure?
    /// Whether the service has let the cursor expire that was kept.
    private var hasLostItsPlace = false
    /// The cursor that the next poll goes on from.
    private var kept: String?

    /// Most spans asked for in one poll: each is a round of all pages.
    private static let spansMax = 6
    /// Most requests of one poll, which are pages times spans. Whoever makes them has a bound, too, beyond which all that was
    /// read would be lost.
    private static let requestsMax = 180
    /// What services answer of a cursor that they do not know any more. None says so in a way of its own.
    private static let forgottenStatuses = [400, 404, 410, 422]
    /// All pages of a poll are in memory at once.
    private static let bytesMax = 32 << 20

    /// - Parameter span: the one span to ask for; nil for those that the poll wants.
    init(of source: HTTPJSONSource, _ poll: Poll, asking span: Duration? = nil) {
        self.source = source
        self.poll = poll
        let last = HTTPJSONCursor(poll.cursor, options: source.optionsHash)
        self.last = poll.isAnew ? last?.withoutAnswer : last
        kept = last?.next
        guard source.plan.asksSpan else {
            spans = [nil]
            return
        }
        let wanted = span.map { [source.span(of: $0, upTo: poll.now)].compactMap(\.self) } ?? source.spans(poll)
        if wanted.count > HTTPJSONPoll.spansMax {
            warnings.append(
                "rules ask for \(wanted.count) different spans; only the \(HTTPJSONPoll.spansMax) shortest are measured"
            )
        }
        spans = Array(wanted.prefix(HTTPJSONPoll.spansMax))
    }

    func begin() -> HTTPJSONStep { ask(0) }

    /// Asks for all pages of a span.
    private func ask(_ index: Int) -> HTTPJSONStep {
        guard index < spans.count else { return finish(report(), isRead: true) }
        return ask(
            index,
            source.paging?.start(source.paging?.keeps == true && !hasLostItsPlace ? last?.next : nil) ?? .beginning,
            1, seen: [])
    }

    private func ask(_ index: Int, _ place: Paging.Place, _ number: Int, seen: Set<Paging.Place>) -> HTTPJSONStep {
        guard requests < HTTPJSONPoll.requestsMax else {
            let most = "more than \(HTTPJSONPoll.requestsMax) requests are too many for one poll"
            return finish(without: index, PollFailure(.tooLarge, "\(most); lower 'paging.pages'"))
        }
        let filling = Filling(span: spans[index])
        var request = source.paging?.request(source.plan, place, filling) ?? source.plan.request(filling)
        if source.isWhole {
            // After an answer that could not be used, "not modified" would be no news at all.
            request.isConditional = source.plan.isGet && last?.answer != nil
            request.keepsValidators = source.plan.isGet
        }
        let address = request.url
        return .fetch(request) { [isConditional = request.isConditional] result in
            var poll = self
            poll.requests += 1
            let response: HTTPResponse
            switch result {
            case .failed(let error): return poll.finish(without: index, poll.named(PollFailure(error), number))
            case .answered(let answer): response = answer
            }
            if let failure = PollFailure(response, detail: response.problemDetail, now: poll.poll.now) {
                if let again = poll.fromTheBeginning(index, place, number, response.status) { return again }
                let advised = failure.advised(by: HTTPJSONPoll.advice(about: failure.reason))
                return poll.finish(without: index, poll.named(advised, number))
            }
            if response.status == 304 {
                guard isConditional, let last = poll.last else {
                    let words = "the source answered 304 (not modified) to a first request"
                    return poll.finish(PollReport(.failed(PollFailure(.badAnswer, words))))
                }
                return poll.finish(poll.unchanged(last))
            }
            do throws(PollFailure) {
                let next = try poll.take(response, at: address, index, place, number)
                // A feed that has no more for now says where it is once more.
                guard let next, next != place || poll.source.paging?.keeps != true else { return poll.ask(index + 1) }
                guard let paging = poll.source.paging, number < paging.pagesMax else {
                    (poll.isCut, poll.hasMorePages) = (true, true)
                    if poll.source.paging?.keeps != true {
                        poll.warnings.append(
                            "there are more pages than the \(number) that are read ('paging.pages'); the rest is not counted"
                        )
                    }
                    return poll.ask(index + 1)
                }
                // Pages that lead back to one that was read would be read for ever.
                guard !seen.contains(next), next != place else {
                    poll.isCut = true
                    poll.warnings.append("page \(number) leads back to one before it; nothing is read beyond it")
                    return poll.ask(index + 1)
                }
                return poll.ask(index, next, number + 1, seen: seen.union([place]))
            } catch {
                return poll.finish(without: index, poll.named(error, number), cursor: poll.cursorAfterFailure)
            }
        }
    }

    /// Ends with the spans before that one: they are whole, and decide about most alarms. Where there is none it fails.
    private func finish(without index: Int, _ failure: PollFailure, cursor: JSON? = nil) -> HTTPJSONStep {
        // A credential that is refused is refused for all of it, and a feed goes on from where it was.
        guard index > 0, failure.reason != .unauthorized, source.paging?.keeps != true, let span = spans[index] else {
            return finish(PollReport(.failed(failure), cursor: cursor))
        }
        return finish(without(span, failure).report())
    }

    private func finish(_ report: PollReport, isRead: Bool = false) -> HTTPJSONStep {
        .finish(HTTPJSONEnd(report: report, isCut: hasMorePages, isRead: isRead))
    }

    /// The same without the pages of a span, which is too long for the service or makes no sense.
    private func without(_ span: TimeSpan, _ failure: PollFailure) -> HTTPJSONPoll {
        let named = failure.about(spanOf: span.length)
        var poll = self
        poll.pages.removeAll { $0.asked == span }
        poll.longerFailure = longerFailure ?? named
        poll.warnings.append("longer spans are not measured this time: \(named)")
        return poll
    }

    /// Reads a feed anew whose place the service has let expire, which else would fail for ever; nil where it went on from
    /// no place that was kept.
    private func fromTheBeginning(_ index: Int, _ place: Paging.Place, _ number: Int, _ status: Int) -> HTTPJSONStep? {
        guard let paging = source.paging, paging.keeps, number == 1, last?.next != nil, place != paging.start(nil),
            HTTPJSONPoll.forgottenStatuses.contains(status)
        else { return nil }
        var poll = self
        poll.hasLostItsPlace = true
        poll.kept = nil
        poll.warnings.append(
            "the source answered \(status) to the cursor that was kept, so the feed is read from its beginning: rows may be missing, "
                + "or be read again")
        return poll.ask(index, paging.start(nil), 1, seen: [])
    }

    /// Which page failed, where there are several.
    private func named(_ failure: PollFailure, _ number: Int) -> PollFailure {
        number == 1 ? failure : failure.about("page \(number)")
    }

    private static func advice(about reason: PollFailure.Reason) -> String? {
        switch reason {
        case .unauthorized, .forbidden: "check the credential in 'headers' or 'url'"
        case .notFound: "check 'url'"
        default: nil
        }
    }

    /// Takes a page in; gives back where the next is.
    private mutating func take(
        _ response: HTTPResponse, at address: GuardedText, _ index: Int, _ place: Paging.Place, _ number: Int
    ) throws(PollFailure) -> Paging.Place? {
        // "No Content": a page without rows, and behind it there is nothing.
        if response.status == 204 { return nil }
        bytes += response.body.count
        guard bytes <= HTTPJSONPoll.bytesMax else {
            throw PollFailure(.tooLarge, "the pages of one poll have more than \(HTTPJSONPoll.bytesMax >> 20) MiB")
        }
        let root = try response.json()
        hash.add(String(decoding: response.body, as: UTF8.self))
        pages.append(AnswerPage(root: root, number: number, asked: spans[index]))
        guard let paging = source.paging else { return nil }
        let next = try paging.next(after: place, (root, response, address), items: source.layout.itemCount(of: root))
        if paging.keeps, case .cursor(let cursor) = next { kept = cursor }
        return next
    }

    private func report() -> PollReport {
        if source.paging?.keeps != true, !source.isNewEachTime, let last, last.answer == hash.text {
            return unchanged(last)
        }
        do throws(PollFailure) {
            switch try source.layout.read(pages, for: poll) {
            case .observed(let observations, let measured, let flaws, let unread, let broken, let changesByItself):
                let isNewNext = source.isNewEachTime || changesByItself
                let cursor = HTTPJSONCursor(
                    options: source.optionsHash, answer: isNewNext ? nil : hash.text, measured: measured,
                    next: source.paging?.keeps == true ? kept : nil)
                return PollReport(
                    .values(observations), cursor: cursor.json, warnings: warnings + flaws,
                    unread: isPartial ? .anything : unread
                ).waiting(after: [longerFailure, broken].compactMap(\.self))
            case .nothing(let unfinished):
                let empty = unfinished == nil ? emptyAnswer : nil
                var report = PollReport(
                    .noData, cursor: empty.map { cursor(afterEmpty: $0) } ?? cursorWithoutFigures,
                    warnings: warnings + [unfinished].compactMap(\.self), unread: isPartial ? .anything : .nothing
                ).waiting(after: [longerFailure].compactMap(\.self))
                report.isAsBefore = empty != nil && empty == last?.empty
                return report
            case .stale(let measured):
                return PollReport(.stale(measured: measured), cursor: cursorWithoutFigures, warnings: warnings)
                    .waiting(after: [longerFailure].compactMap(\.self))
            }
        } catch {
            return withoutLongest(error)?.report() ?? PollReport(.failed(error), cursor: cursorAfterFailure)
        }
    }

    /// Whether apps may be missing, and nobody knows which.
    private var isPartial: Bool { isCut || longerFailure != nil }

    /// The same without the longest of several spans, whose answer may be what makes no sense; nil where there is but one.
    private func withoutLongest(_ failure: PollFailure) -> HTTPJSONPoll? {
        guard let longest = pages.last?.asked, pages.first?.asked != longest, source.paging?.keeps != true,
            !source.layout.isStrict
        else { return nil }
        return without(longest, failure)
    }

    /// What is remembered when the answer gave no figures: only where a feed goes on.
    private var cursorWithoutFigures: JSON {
        guard source.paging?.keeps == true, let next = kept else { return HTTPJSONCursor.none }
        return HTTPJSONCursor(options: source.optionsHash, answer: nil, measured: .earliest, next: next).json
    }

    /// What tells an answer without figures from others; nil where the same bytes would be news.
    private var emptyAnswer: String? {
        source.paging?.keeps == true || source.isNewEachTime || isPartial ? nil : hash.text
    }

    private func cursor(afterEmpty answer: String) -> JSON {
        HTTPJSONCursor(options: source.optionsHash, answer: nil, measured: .earliest, next: nil, empty: answer).json
    }

    /// A feed goes on from where it was, so that nothing of it is lost.
    private var cursorAfterFailure: JSON? { source.paging?.keeps == true ? nil : HTTPJSONCursor.none }

    /// The same answer as before is stale one day, if nobody measures any more.
    private func unchanged(_ last: HTTPJSONCursor) -> PollReport {
        if let maxAge = source.layout.maxAge, last.measured < poll.now - maxAge {
            return PollReport(.stale(measured: last.measured))
        }
        return PollReport(.unchanged)
    }
}

/// What the last answer leaves to remember.
struct HTTPJSONCursor: Sendable {
    let options: String
    /// Of its bytes; nil where the same bytes would be news.
    let answer: String?
    let measured: Moment
    /// Where a feed goes on.
    let next: String?
    /// Of the bytes of an answer that gave no figures; it is asked for whole again.
    let empty: String?

    /// Written when the last answer gave no figures.
    static let none: JSON = [:]

    init(options: String, answer: String?, measured: Moment, next: String?, empty: String? = nil) {
        self.options = options
        self.answer = answer
        self.measured = measured
        self.next = next
        self.empty = empty
    }

    /// Nil when there is none, or one of other options.
    init?(_ json: JSON?, options: String) {
        guard json?["options"]?.string == options,
            let measured = json?["measured"]?.string.flatMap({ Moment(rfc3339: $0) })
        else { return nil }
        self.init(
            options: options, answer: json?["answer"]?.string, measured: measured, next: json?["next"]?.string,
            empty: json?["empty"]?.string)
    }

    /// The same for a poll that takes in what is as before, too: a feed goes on where it was.
    var withoutAnswer: HTTPJSONCursor {
        HTTPJSONCursor(options: options, answer: nil, measured: measured, next: next)
    }

    var json: JSON {
        var object = JSONObject([("options", .string(options)), ("measured", JSON(measured))])
        if let answer { object.append("answer", .string(answer)) }
        if let next { object.append("next", .string(next)) }
        if let empty { object.append("empty", .string(empty)) }
        return .object(object)
    }
}

extension Conversation {
    /// Goes on with what the conversation ends with.
    func then<Other: Sendable>(_ next: @escaping @Sendable (Report) -> Conversation<Other>) -> Conversation<Other> {
        switch self {
        case .finish(let report): next(report)
        case .fetch(let request, let rest): .fetch(request) { rest($0).then(next) }
        case .read(let request, let rest): .read(request) { rest($0).then(next) }
        case .authorize(let order, let rest): .authorize(order) { rest($0).then(next) }
        }
    }
}

extension HTTPResponse {
    /// What a `problem+json` body (RFC 9457) says of itself.
    fileprivate var problemDetail: String? {
        guard header("Content-Type")?.lowercased().contains("problem+json") == true,
            let problem = try? JSON(parsing: body)
        else { return nil }
        let said = ["title", "detail"].compactMap { problem[$0]?.string }.filter { !$0.isEmpty }
        return said.isEmpty ? nil : said.joined(separator: ": ")
    }
}
