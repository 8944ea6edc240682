import AlertCore
import PluginKit
import Preview
import Runtime
import Synchronization
import Testing

/// A source that recalls a line for each hour, seen some minutes after its end, and answers no request.
private struct Hourly: HistoricalSource {
    static let manifest = PluginManifest(name: "hourly", summary: "Recalls hours.", options: [])

    let name: String
    var host: String? = nil
    var recallKey = "key"
    var delay = Duration.minutes(5)
    var users: Double = 1
    var warnings: @Sendable (Recall) -> [String] = { _ in [] }
    var failure: @Sendable (Recall) -> PollFailure? = { _ in nil }
    let asked = Asked()

    final class Asked: Sendable {
        let stretches = Mutex<[TimeSpan]>([])
        /// Stretches asked for since the last time.
        func taken() -> [TimeSpan] {
            stretches.withLock { stretches in
                defer { stretches = [] }
                return stretches
            }
        }
    }

    init(_ name: String) { self.name = name }
    init(options: Options, context: SourceContext) throws(ProblemList) { self.init(context.name) }

    var metrics: Set<Metric>? { nil }
    func poll(_ poll: Poll) -> PollStep { .finish(PollReport(.noData)) }

    func recall(_ recall: Recall) -> RecallStep {
        if let span = TimeSpan(from: recall.from, to: recall.to) { asked.stretches.withLock { $0.append(span) } }
        if let failure = failure(recall) { return .fail(failure) }
        let lines = recall.multiples(of: .hours(1)).map { end in
            ObservationLine.observed(
                Observation(
                    subject: Subject(source: name, app: "shop"), span: TimeSpan(lasting: .hours(1), until: end),
                    seen: end + delay, metrics: ["users": users]))
        }
        return .finish(RecallReport(.lines(Array(lines)), warnings: warnings(recall)))
    }
}

/// A shelf in memory.
private final class MemoryShelf: PastShelf {
    private let files = Mutex<[String: [UInt8]]>([:])

    var names: [String] { files.withLock { $0.keys.sorted() } }
    func has(_ name: String) -> Bool { files.withLock { $0[name] != nil } }
    func keep(_ bytes: [UInt8], as name: String) throws { files.withLock { $0[name] = bytes } }
    func remove(_ name: String) { files.withLock { $0[name] = nil } }
    func contents(of name: String) throws -> [UInt8] {
        guard let bytes = files.withLock({ $0[name] }) else { throw Gone(name: name) }
        return bytes
    }
    struct Gone: Error { let name: String }
}

private struct Stopped: Clock {
    let moment: Moment
    func now() -> Moment { moment }
    func uptime() -> Duration { .zero }
    func sleep(until uptime: Duration) async throws { try Task.checkCancellation() }
}

private struct Nothing: Web, Files, Host {
    func perform(_ request: HTTPRequest, timeout: Duration) async throws(TransportError) -> HTTPResponse {
        throw TransportError(.other, mayHaveArrived: false, "there is no network here")
    }
    func send(_ mail: Mail, timeout: Duration) async throws(TransportError) -> MailAnswer {
        throw TransportError(.other, mayHaveArrived: false, "there is no mail here")
    }
    func read(_ request: FileRequest) async -> FileResult { .failed("there are no files here") }
    func isLowOnPower() -> Bool { false }
    func print(_ text: String, within limit: Duration) -> Printing { .done }
    func log(_ notes: [Note]) {}
    var logsDetails: Bool { false }
}

@Suite struct PastTests {
    private let shelf = MemoryShelf()
    private let now = Moment(rfc3339: "2026-11-21T12:30:00Z") ?? .earliest

    private func past(_ length: Duration = .days(4), until to: Moment? = nil, at now: Moment? = nil) -> Past {
        let now = now ?? self.now
        return Past(from: (to ?? now) - length, to: to ?? now, now: now)
    }

    private func source(_ source: Hourly, spans: [Duration] = [.hours(1)], every: Duration = .minutes(5)) -> PastSource
    {
        PastSource(name: source.name, source: source, every: every, spans: spans, timeout: .seconds(20))
    }

    private func fetch(_ past: Past, _ sources: [PastSource], at now: Moment? = nil) async throws -> Past.Fetched {
        let nothing = Nothing()
        let ports = Ports(clock: Stopped(moment: now ?? self.now), web: nothing, files: nothing, host: nothing)
        return try await past.fetch(sources, onto: shelf, ports: ports, redactor: Redactor([])) {}
    }

    private func played(_ past: Past, _ fetched: Past.Fetched) throws -> (
        lines: [ObservationLine], cautions: [Past.Caution]
    ) {
        var lines: [ObservationLine] = []
        let cautions = try past.play(fetched, from: shelf) { lines += $0.lines }
        return (lines, cautions)
    }

    @Test func `the lines seen in the span come in their order, no earlier ones and no later ones`() async throws {
        let sources = [Hourly("ios"), Hourly("web")]
        let past = past(until: now - .hours(8))
        let fetched = try await fetch(past, sources.map { source($0) })
        let lines = try played(past, fetched).lines
        #expect(lines.count == 2 * 96)
        #expect(lines.map(\.seen) == lines.map(\.seen).sorted())
        // 04:30 four days before, and 04:30.
        #expect(lines.first?.seen.description == "2026-11-17T05:05:00Z")
        #expect(lines.last?.seen.description == "2026-11-21T04:05:00Z")
        #expect(lines.prefix(2).map(\.source) == ["ios", "web"])
    }

    @Test func `what is seen long after it happened comes when it was seen`() async throws {
        var late = Hourly("late")
        late.delay = .hours(30)
        let past = past()
        let lines = try played(past, try await fetch(past, [source(late), source(Hourly("ios"))])).lines
        #expect(lines.map(\.seen) == lines.map(\.seen).sorted())
        #expect(lines.count { $0.source == "late" } < 96)
        #expect(lines.allSatisfy { $0.seen <= now })
    }

    @Test func `a day that ended a day ago is asked for once, and a younger one each time`() async throws {
        let hourly = Hourly("ios")
        let first = try await fetch(past(), [source(hourly)])
        #expect(hourly.asked.taken().map(\.from.description) == (17...21).map { "2026-11-\($0)T00:00:00Z" })
        let lines = try played(past(), first).lines
        let second = try await fetch(past(), [source(hourly)])
        let again = hourly.asked.taken()
        #expect(again.map(\.from.description) == ["2026-11-20T00:00:00Z", "2026-11-21T00:00:00Z"])
        #expect(again.last?.to == now, "nothing is asked of the future")
        #expect(try played(past(), second).lines == lines)
        #expect(shelf.names.filter { $0.hasSuffix(".part.jsonl") }.count == 2)
        // A day later one more has settled, and what was kept of it before is gone.
        let later = now + .days(1)
        _ = try await fetch(past(.days(5), at: later), [source(hourly)], at: later)
        #expect(hourly.asked.taken().map(\.from.description) == (20...22).map { "2026-11-\($0)T00:00:00Z" })
        #expect(shelf.names.filter { $0.hasSuffix(".part.jsonl") }.count == 2)
    }

    @Test func `an empty day is kept too`() async throws {
        var hourly = Hourly("ios")
        hourly.delay = .days(400)
        let past = past(until: now - .days(2))
        #expect(try played(past, try await fetch(past, [source(hourly)])).lines.isEmpty)
        _ = hourly.asked.taken()
        _ = try await fetch(past, [source(hourly)])
        #expect(hourly.asked.taken().isEmpty)
    }

    @Test func `a day of which the answers were not whole is asked for anew`() async throws {
        var hourly = Hourly("ios")
        hourly.warnings = { $0.from.description.hasPrefix("2026-11-18") ? ["a store is away"] : [] }
        let past = past(until: now - .days(2))
        let fetched = try await fetch(past, [source(hourly)])
        #expect(fetched.warnings.map(\.text) == ["ios: a store is away"])
        #expect(try played(past, fetched).lines.count == 96)
        _ = hourly.asked.taken()
        let again = try await fetch(past, [source(hourly)])
        #expect(hourly.asked.taken().map(\.from.description) == ["2026-11-18T00:00:00Z"])
        #expect(try played(past, again).lines.count == 96)
    }

    @Test func `another query, span, pace or source has days of its own`() async throws {
        let past = past(.days(1), until: now - .days(3))
        var other = Hourly("ios")
        other.recallKey = "another"
        let ways = [
            source(Hourly("ios")), source(other), source(Hourly("ios"), spans: [.hours(1), .hours(2)]),
            source(Hourly("ios"), every: .minutes(1)), source(Hourly("ios/../web")),
        ]
        for way in ways { _ = try await fetch(past, [way]) }
        #expect(shelf.names.count == 2 * ways.count)
        let plain = Set("abcdefghijklmnopqrstuvwxyz0123456789-_./")
        #expect(shelf.names.allSatisfy { $0.allSatisfy(plain.contains) && !$0.contains("..") })
        _ = try await fetch(past, [source(Hourly("ios"), spans: [.hours(2), .hours(1), .hours(1)])])
        #expect(shelf.names.count == 2 * ways.count, "the order of spans says nothing")
    }

    @Test func `a source that fails is left out whole, and the others are played`() async throws {
        var broken = Hourly("broken")
        broken.failure = { $0.from.description.hasPrefix("2026-11-19") ? PollFailure(.forbidden, "not for you") : nil }
        let past = past()
        let fetched = try await fetch(past, [source(broken), source(Hourly("ios"))])
        #expect(fetched.failures.map(\.text) == ["broken: 2026-11-19: not for you"])
        #expect(fetched.sources.map(\.name) == ["ios"])
        #expect(Set(try played(past, fetched).lines.map(\.source)) == ["ios"])
        // What it told before is not asked for again.
        _ = broken.asked.taken()
        _ = try await fetch(past, [source(broken)])
        #expect(broken.asked.taken().map(\.from.description) == ["2026-11-19T00:00:00Z"])
    }

    @Test func `a damaged day is named with its line`() async throws {
        let past = past(.days(1), until: now - .days(3))
        let fetched = try await fetch(past, [source(Hourly("ios"))])
        let name = try #require(shelf.names.first)
        try shelf.keep(try shelf.contents(of: name).dropLast(40) + [10], as: name)
        let damage = #expect(throws: Past.Damage.self) { try played(past, fetched) }
        #expect(damage?.name == name)
        #expect(damage?.line == 24)
    }

    @Test func `polls that would have failed are reported with the first of them`() async throws {
        struct Failing: HistoricalSource {
            static let manifest = Hourly.manifest
            init() {}
            init(options: Options, context: SourceContext) throws(ProblemList) {}
            var host: String? { nil }
            var metrics: Set<Metric>? { nil }
            var recallKey: String { "" }
            func poll(_ poll: Poll) -> PollStep { .finish(PollReport(.noData)) }
            func recall(_ recall: Recall) -> RecallStep {
                let lines = recall.multiples(of: .hours(6)).map {
                    ObservationLine.failed(source: "ios", reason: "divided by zero", seen: $0)
                }
                return .finish(RecallReport(.lines(Array(lines))))
            }
        }
        let past = past(.days(1))
        let source = PastSource(name: "ios", source: Failing(), every: .minutes(5), spans: [], timeout: .seconds(1))
        let (lines, cautions) = try played(past, try await fetch(past, [source]))
        #expect(lines.count == 4)
        #expect(
            cautions.map(\.sentence)
                == ["4 of its polls would have failed, the first at 2026-11-20T18:00:00Z: divided by zero"])
    }
}

extension Past.Caution {
    fileprivate var text: String { "\(source): \(sentence)" }
}
