internal import AlertCore
internal import AlertTesting
internal import PluginKit
internal import Runtime
internal import Synchronization
internal import Testing

/// A clock on which every wait is over at once, and which remembers them.
private final class SkippingClock: Clock {
    private let passed = Mutex((time: Duration.zero, waits: [Duration]()))
    private let start = Moment.rehearsalStart

    func now() -> Moment { start + uptime() }
    func uptime() -> Duration { passed.withLock { $0.time } }
    func advance(by duration: Duration) { passed.withLock { $0.time += duration } }
    var waits: [Duration] { passed.withLock { $0.waits.filter { $0 > .zero } } }

    func sleep(until uptime: Duration) async throws {
        try Task.checkCancellation()
        passed.withLock { passed in
            passed.waits.append(uptime - passed.time)
            passed.time = max(passed.time, uptime)
        }
    }
}

/// A source that recalls as the test says.
private struct RecallingSource: HistoricalSource {
    static let manifest = PluginManifest(name: "recalling", summary: "Recalls.", options: [])

    let talk: @Sendable (Recall) -> RecallStep

    init(_ talk: @escaping @Sendable (Recall) -> RecallStep) { self.talk = talk }
    init(options: Options, context: SourceContext) throws(ProblemList) {
        self.init { _ in .finish(RecallReport(.lines([]))) }
    }

    var host: String? { nil }
    var metrics: Set<Metric>? { nil }
    var recallKey: String { "" }
    func poll(_ poll: Poll) -> PollStep { .finish(PollReport(.noData)) }
    func recall(_ recall: Recall) -> RecallStep { talk(recall) }
}

@Suite(.timeLimit(.minutes(5))) struct RecallerTests {
    private let clock = SkippingClock()
    private let stage = Stage()
    private let to = Moment.rehearsalStart - .days(2)
    private var from: Moment { to - .days(1) }

    private func recaller(
        _ source: RecallingSource, secrets: [Secret] = [], every: Duration = .minutes(5),
        _ answer: @escaping ScriptedWeb.Answer = { _, _ throws(TransportError) in .says("") }
    ) -> Recaller {
        let web = ScriptedWeb(stage: stage, answer: answer)
        let past = PastSource(name: "ios", source: source, every: every, spans: [.hours(1)], timeout: .seconds(20))
        return Recaller(
            past, ports: Ports(clock: clock, web: web, files: NoFiles(), host: FakeHost(stage: stage)),
            redactor: Redactor(secrets), tokens: TokenVault())
    }

    private static func line(_ recall: Recall) -> ObservationLine {
        .observed(
            Observation(
                subject: Subject(source: recall.source, app: "shop"),
                span: TimeSpan(lasting: .hours(1), until: recall.to),
                seen: recall.to, metrics: ["users": 1]))
    }

    private static func failing(_ failure: PollFailure, times: Int, _ tries: borrowing Mutex<Int>) -> RecallStep? {
        tries.withLock { tries in
            tries += 1
            return tries <= times ? .fail(failure) : nil
        }
    }

    @Test func `after every answer it rests as long as the answer took, and ten seconds at most`() async throws {
        let source = RecallingSource { recall in
            .fetch(HTTPRequest(.get, "https://ios.example/1")) { _ in
                .fetch(HTTPRequest(.get, "https://ios.example/2")) { _ in
                    .finish(RecallReport(.lines([RecallerTests.line(recall)])))
                }
            }
        }
        let timeouts = Mutex<[Duration]>([])
        var recaller = recaller(source) { [clock] request, timeout throws(TransportError) in
            timeouts.withLock { $0.append(timeout) }
            clock.advance(by: request.url.reveal().hasSuffix("1") ? .seconds(3) : .seconds(19))
            return .says("")
        }
        let recalled = try await recaller.recall(from: from, to: to)
        #expect(recalled.lines.count == 1)
        #expect(clock.waits == [.seconds(3), .seconds(10)])
        #expect(timeouts.withLock { $0 } == [.seconds(20), .seconds(20)])
    }

    @Test func `a stretch that is too long is halved until it fits, and stays so`() async throws {
        let asked = Mutex<[Duration]>([])
        let source = RecallingSource { recall in
            asked.withLock { $0.append(recall.to - recall.from) }
            guard recall.to - recall.from <= .hours(7) else { return .fail(PollFailure(.tooLarge, "too much")) }
            return .finish(RecallReport(.lines([RecallerTests.line(recall)])))
        }
        var recaller = recaller(source)
        let first = try await recaller.recall(from: from, to: to)
        #expect(asked.withLock { $0 } == [.hours(24), .hours(12)] + Array(repeating: .hours(6), count: 4))
        #expect(first.lines.map(\.seen) == [18, 12, 6, 0].map { to - .hours($0) })
        _ = try await recaller.recall(from: to, to: to + .hours(5))
        #expect(asked.withLock { $0.suffix(1) } == [.hours(5)])
        #expect(clock.waits == [])
    }

    @Test(arguments: [PollFailure.Reason.tooLarge, .timeout])
    func `a quarter of an hour is the shortest stretch`(_ reason: PollFailure.Reason) async throws {
        let asked = Mutex<[Duration]>([])
        let source = RecallingSource { recall in
            asked.withLock { $0.append(recall.to - recall.from) }
            return .fail(PollFailure(reason, "too much"))
        }
        var recaller = recaller(source)
        await #expect(throws: PollFailure(reason, "too much")) { try await recaller.recall(from: from, to: to) }
        #expect(asked.withLock { $0.min() } == .hours(24) / 64)
    }

    @Test func `a failure that may pass is tried again, later each time`() async throws {
        let tries = Mutex(0)
        let source = RecallingSource { recall in
            RecallerTests.failing(PollFailure(.unavailable, "503"), times: 3, tries)
                ?? .finish(RecallReport(.lines([RecallerTests.line(recall)])))
        }
        var recaller = recaller(source)
        #expect(try await recaller.recall(from: from, to: to).lines.count == 1)
        #expect(clock.waits == [.seconds(2), .seconds(4), .seconds(8)])
    }

    @Test func `the fourth failure in a row is the last`() async throws {
        let tries = Mutex(0)
        let source = RecallingSource { _ in
            RecallerTests.failing(PollFailure(.unreachable, "refused"), times: 9, tries)
                ?? .finish(RecallReport(.lines([])))
        }
        var recaller = recaller(source)
        await #expect(throws: PollFailure(.unreachable, "refused")) { try await recaller.recall(from: from, to: to) }
        #expect(tries.withLock { $0 } == 4)
    }

    @Test(arguments: [PollFailure.Reason.unauthorized, .forbidden, .notFound, .badAnswer, .refused])
    func `a failure that will not pass is reported at once`(_ reason: PollFailure.Reason) async throws {
        let tries = Mutex(0)
        let source = RecallingSource { _ in
            RecallerTests.failing(PollFailure(reason, "no"), times: 9, tries) ?? .finish(RecallReport(.lines([])))
        }
        var recaller = recaller(source)
        await #expect(throws: PollFailure(reason, "no")) { try await recaller.recall(from: from, to: to) }
        #expect(tries.withLock { $0 } == 1)
        #expect(clock.waits == [])
    }

    @Test func `a wait that was told is kept to, counted from the answer`() async throws {
        let tries = Mutex(0)
        let source = RecallingSource { recall in
            .fetch(HTTPRequest(.get, "https://ios.example/")) { _ in
                let failure = PollFailure(.rateLimited, "429", retryAt: recall.now + .seconds(120))
                return RecallerTests.failing(failure, times: 1, tries)
                    ?? .finish(RecallReport(.lines([]), limit: recall.now + .seconds(60)))
            }
        }
        var recaller = recaller(source) { [clock] _, _ throws(TransportError) in
            clock.advance(by: .seconds(5))
            return .says("")
        }
        _ = try await recaller.recall(from: from, to: to)
        let waited = clock.waits
        // The rest, the wait, the rest of the second try.
        #expect(waited.count == 3)
        #expect(waited[1] >= .seconds(120) && waited[1] < .seconds(121))
        // What the first stretch was told holds for the next one.
        _ = try await recaller.recall(from: to, to: to + .hours(1))
        #expect(clock.waits[3] >= .seconds(50))
    }

    @Test func `nobody waits for a service that wants an hour`() async throws {
        let source = RecallingSource { recall in
            .fail(PollFailure(.rateLimited, "429", retryAt: recall.now + .hours(1)))
        }
        var recaller = recaller(source)
        let failure = await #expect(throws: PollFailure.self) { try await recaller.recall(from: from, to: to) }
        #expect(failure?.reason == .rateLimited)
        #expect(clock.waits == [])
    }

    @Test func `what is to be remembered is given to the next stretch`() async throws {
        let cursors = Mutex<[JSON?]>([])
        let source = RecallingSource { recall in
            cursors.withLock { $0.append(recall.cursor) }
            return .finish(RecallReport(.lines([]), cursor: recall.cursor == nil ? ["page": 7] : nil))
        }
        var recaller = recaller(source)
        for _ in 0..<3 { _ = try await recaller.recall(from: from, to: to) }
        #expect(cursors.withLock { $0 } == [nil, ["page": 7], ["page": 7]])
    }

    @Test func `a conversation that never ends is ended`() async throws {
        var recaller = recaller(RecallingSource { _ in RecallerTests.again() })
        let failure = await #expect(throws: PollFailure.self) { try await recaller.recall(from: from, to: to) }
        #expect(failure?.description == "recalling did not end after 200 requests")
        #expect(stage.asked.count == 200)
    }

    private static func again() -> RecallStep { .fetch(HTTPRequest(.get, "https://ios.example/")) { _ in again() } }

    @Test func `secrets that a service sends back are masked`() async throws {
        let secret = Secret("pa55w0rd-of-mine")
        let source = RecallingSource { recall in
            .finish(
                RecallReport(
                    .lines([.failed(source: "ios", reason: "no \(secret.reveal())", seen: recall.to)]),
                    warnings: ["what is \(secret.reveal())?"]))
        }
        var recaller = recaller(source, secrets: [secret])
        let recalled = try await recaller.recall(from: from, to: to)
        #expect(recalled.lines == [.failed(source: "ios", reason: "no ***", seen: to)])
        #expect(recalled.warnings == ["what is ***?"])
        var failing = self.recaller(
            RecallingSource { _ in .fail(PollFailure(.refused, "no \(secret.reveal())")) }, secrets: [secret])
        await #expect(throws: PollFailure(.refused, "no ***")) { try await failing.recall(from: from, to: to) }
    }

    @Test func `a login that comes back in base64, and a secret in a title, are masked in the past, too`() async throws
    {
        let secret = Secret("a-token-of-24-characters")
        let source = RecallingSource { recall in
            .fetch(HTTPRequest(.get, "https://us:SEKRITpw5@ios.example")) { result in
                guard case .answered(let answer) = result, case .observed(var seen) = Self.line(recall) else {
                    return .finish(RecallReport(.lines([])))
                }
                seen.issues = [Issue(id: "1", title: "no \(secret.reveal())")]
                return .finish(RecallReport(.lines([.observed(seen)]), warnings: [answer.excerpt()]))
            }
        }
        var recaller = recaller(source, secrets: [secret]) { _, _ throws(TransportError) in
            .says("Authorization: Basic dXM6U0VLUklUcHc1")
        }
        let recalled = try await recaller.recall(from: from, to: to)
        #expect(recalled.warnings == ["Authorization: Basic ***"])
        guard case .observed(let seen)? = recalled.lines.first else {
            Issue.record("nothing was recalled")
            return
        }
        #expect(seen.issues.map(\.title) == ["no ***"])
    }

    @Test func `a credential that comes back as a name is masked in the past, too`() async throws {
        let token = Secret("a-token-of-24-characters")
        let request = HTTPRequest(
            .get, "https://ios.example", headers: [.init("Authorization", "Bearer \(token)")])
        let source = RecallingSource { recall in
            .fetch(request) { _ in
                guard case .observed(var seen) = Self.line(recall) else { return .finish(RecallReport(.lines([]))) }
                seen.subject = Subject(source: "ios", app: "Bearer \(token.reveal())")
                return .finish(RecallReport(.lines([.observed(seen)])))
            }
        }
        var recaller = recaller(source)
        guard case .observed(let seen)? = try await recaller.recall(from: from, to: to).lines.first else {
            Issue.record("nothing was recalled")
            return
        }
        #expect(seen.subject.app == "Bearer ***")
    }

    @Test func `when it is cancelled it stops between two requests`() async throws {
        let door = Door()
        let recaller = recaller(RecallingSource { _ in RecallerTests.again() }) { _, _ throws(TransportError) in
            await door.pass()
            return .says("")
        }
        let task = Task { [from, to] in
            var recaller = recaller
            _ = try await recaller.recall(from: from, to: to)
        }
        await stage.waitForRequest("https://ios.example/")
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(stage.asked.count == 1)
    }
}
