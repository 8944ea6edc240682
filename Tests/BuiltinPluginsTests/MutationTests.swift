import BotConfig
import BuiltinPlugins
import Foundation
import PluginKit
import PluginTesting
import SourceFakes
import Testing

/// Every source against answers with something wrong in them: it never traps, and what comes of it is a failure with a
/// sentence, or figures that may be.
///
///     SOURCE_MUTATIONS=100000 swift test --filter 'however wrong'
///
/// `SOURCE_ONLY=google_play,push` plays only these. `SOURCE_SEED` begins elsewhere: each answer has a seed of its own, and the one that a failure names with
/// `SOURCE_MUTATIONS=1` plays that answer again. Where a run dies, the last line that it printed says from which on.
@Suite struct `Answers with something wrong in them` {
    private static let count = number("SOURCE_MUTATIONS") ?? 120
    private static let seed = UInt64(number("SOURCE_SEED") ?? 1)
    /// Those to be played: all, unless some are named.
    private static let fakes = SourceFake.all.filter { fake in
        ProcessInfo.processInfo.environment["SOURCE_ONLY"]?.split(separator: ",").contains { $0 == fake.name } ?? true
    }
    /// Long runs say how far they are.
    private static let chunk = 5_000

    private static func number(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
    }

    @Test func `are there for every source that reads what others write`() {
        let faked = Set(SourceFake.all.map(\.plugin))
        let names = PluginCatalog.builtin.sources.map { source in source.manifest.name }
        #expect(faked.union(["simulator"]) == Set(names))
    }

    @Test(arguments: SourceFake.all) func `are right as they are`(_ fake: SourceFake) throws {
        let source = try fake.source()
        let trial = try Trial(fake, source)
        #expect(trial.rightOutcome != nil, "\(fake.name): the fake gives the source nothing to read")
    }

    @Test(arguments: fakes)
    func `however wrong, trap no source and make no nonsense`(_ fake: SourceFake) throws {
        let source = try fake.source()
        let trial = try Trial(fake, source)
        var (figures, failures, found) = (0, 0, [String]())
        for number in 0..<Self.count {
            let seed = Self.seed &+ UInt64(number)
            if Self.count > Self.chunk, number % Self.chunk == 0 {
                print("\(fake.name): \(number) of \(Self.count), from seed \(seed)")
            }
            let (isFailure, flaws) = trial.play(seed)
            if isFailure { failures += 1 } else { figures += 1 }
            found += flaws.map { "seed \(seed): \($0)" }
            if found.count > 20 { break }
        }
        #expect(found == [], "\(fake.name)")
        if Self.count > Self.chunk {
            print("\(fake.name): \(Self.count) answers, \(figures) usable, \(failures) refused")
        }
        // A mutator that breaks everything, or nothing, tries nothing.
        if Self.count >= 100 { #expect(figures > 0 && failures > 0, "\(figures) usable, \(failures) refused") }
    }
}

/// One source with what it is told in good health.
private struct Trial: Sendable {
    let fake: SourceFake
    let source: any Source
    let poll: Poll
    let conformance: SourceConformance
    let respond: @Sendable (HTTPRequest) -> HTTPResponse
    let bodies: [[UInt8]]
    /// What it says when something is wrong, or not ready.
    let others: [HTTPResponse]
    /// How many answers a conversation in good health takes, those with tokens left out.
    private(set) var answerCount = 0
    private(set) var rightCursor: JSON?
    /// Nil when what is right is refused.
    private(set) var rightOutcome: PollOutcome?

    init(_ fake: SourceFake, _ source: any Source) throws {
        self.fake = fake
        self.source = source
        poll = try fake.poll()
        respond = try fake.responder()
        bodies = try fake.bodies.map(fake.bytes)
        others = try fake.otherResponses()
        let respond = respond
        conformance = SourceConformance(
            source, poll: poll,
            secrets: [SourceFake.secret, "ya29.c.EXAMPLE"]
                + SampleServiceAccount.privateKey.split(separator: "\n").dropFirst().dropLast().map(String.init),
            methods: [.post]
        ) { .answered(respond($0)) }
        switch fake.plugin {
        case "push":
            rightOutcome = try? (source as? any PushedSource)?.read(push(bodies[0], of: 0)).outcome
        case "file":
            if case .values(let seen)? = playFile(bodies[0]).report?.outcome { rightOutcome = .values(seen) }
        default:
            let played = PlayedPoll(source, poll) { .answered(respond($0)) }
            answerCount = played.requests.count - played.tokenRequests
            rightCursor = played.report?.cursor
            if case .values(let seen)? = played.report?.outcome { rightOutcome = .values(seen) }
        }
        if fake.isPast {
            let played = recalled { .answered(respond($0)) }
            answerCount = played?.requests.count ?? 0
            rightOutcome = played?.lines.isEmpty ?? true ? nil : .noData
        }
    }

    /// Plays the answer of that seed: whether it was refused, and what is wrong with that.
    func play(_ seed: UInt64) -> (isFailure: Bool, flaws: [String]) {
        var mutator = AnswerMutator(seed: seed)
        switch fake.plugin {
        case "push": return playPush(&mutator)
        case "file":
            let played = playFile(mutator.mutated(lines: bodies[mutator.below(bodies.count)]))
            return (isFailure(played), conformance.flaws(of: played, "the file"))
        default: return playConversation(&mutator)
        }
    }

    private func playConversation(_ mutator: inout AnswerMutator) -> (isFailure: Bool, flaws: [String]) {
        // One wrong answer at a time reaches further into the conversation than many at once.
        let wrong = mutator.below(10) == 0 ? nil : mutator.below(max(answerCount, 1))
        let cursor = mutator.below(3) == 0 ? rightCursor : nil
        var (number, mutation) = (0, mutator)
        func answer(_ request: HTTPRequest) -> FetchResult {
            defer { number += 1 }
            guard wrong == nil || wrong == number else { return .answered(respond(request)) }
            let isOther = !others.isEmpty && mutation.below(6) == 0
            return .answered(mutation.mutated(isOther ? others[mutation.below(others.count)] : respond(request)))
        }
        if fake.isPast { return recall(answer) }
        let asked = Poll(source: poll.source, now: poll.now, cursor: cursor, spans: poll.spans)
        let isTokenWrong = mutator.below(20) == 0
        let played = PlayedPoll(
            source, asked, token: { .answered(isTokenWrong ? mutation.mutated(respond($0)) : respond($0)) },
            answer: answer)
        var flaws = conformance.flaws(of: played, "answer \(wrong.map { "\($0 + 1)" } ?? "each")")
        // Whatever it left to remember, the next poll gets on with it.
        if let left = played.report?.cursor, mutator.below(4) == 0 {
            let next = Poll(source: poll.source, now: poll.now + .minutes(5), cursor: left, spans: poll.spans)
            flaws += conformance.flaws(
                of: PlayedPoll(source, next) { .answered(respond($0)) }, "the poll after it")
        }
        return (isFailure(played), flaws)
    }

    private func isFailure(_ played: PlayedPoll) -> Bool {
        if case .failed? = played.report?.outcome { true } else { false }
    }

    private func playFile(_ bytes: [UInt8]) -> PlayedPoll {
        PlayedPoll(
            source, poll,
            file: { request in
                let rest = bytes.dropFirst(Int(min(max(request.offset, 0), Int64(bytes.count))))
                return .contents(
                    bytes: Array(rest.prefix(request.bytesMax)), size: Int64(bytes.count), identity: "1")
            }, answer: { _ in .failed(TransportError(.other, mayHaveArrived: false, "nobody is asked")) })
    }

    // MARK: - Pushes

    /// - Parameter number: of which body it is.
    private func push(_ body: [UInt8], of number: Int) -> Push {
        let hook = ["event_alert", "issue", "metric_alert"][number % 3]
        return Push(
            source: poll.source, headers: PushHeaders([("Sentry-Hook-Resource", hook)]), body: body, now: poll.now)
    }

    private func playPush(_ mutator: inout AnswerMutator) -> (isFailure: Bool, flaws: [String]) {
        guard let source = source as? any PushedSource else { return (true, ["it takes no pushes"]) }
        let number = mutator.below(bodies.count)
        let right = bodies[number]
        let body = fake.name == "push" ? mutator.mutated(lines: right) : mutator.mutated(right)
        let push = push(body, of: mutator.below(8) == 0 ? number + 1 : number)
        _ = source.isAuthentic(push)
        do {
            let report = try source.read(push)
            return (false, flaws(of: report))
        } catch {
            let isFit = !error.description.isEmpty && error.description == error.description.tamed
            return (true, isFit ? [] : ["a mistake that is not fit for people: \(error.description.tamed)"])
        }
    }

    private func flaws(of report: PollReport) -> [String] {
        guard case .values(let seen) = report.outcome else { return [] }
        return seen.compactMap(\.flaw)
    }

    // MARK: - The past

    private func recalled(_ answer: (HTTPRequest) -> FetchResult) -> PlayedRecall? {
        guard let source = source as? any HistoricalSource else { return nil }
        let end = Recall.floor(poll.now, to: .days(1))
        let recall = Recall(
            source: poll.source, now: poll.now, from: end - .days(1), to: end, every: .minutes(5), spans: poll.spans)
        return PlayedRecall(source, recall, answer: answer)
    }

    private func recall(_ answer: (HTTPRequest) -> FetchResult) -> (isFailure: Bool, flaws: [String]) {
        guard let played = recalled(answer) else { return (true, ["it recalls nothing"]) }
        guard played.report != nil else { return (true, ["it does not end"]) }
        if let failure = played.failure {
            let isFit = !failure.description.isEmpty && failure.description == failure.description.tamed
            return (true, isFit ? [] : ["a failure that is not fit for people: \(failure.description.tamed)"])
        }
        let flaws = played.lines.compactMap { line in
            if case .observed(let observation) = line { observation.flaw } else { nil }
        }
        return (false, flaws)
    }
}
