internal import AlertCore
internal import AlertTesting
internal import BotConfig
internal import BuiltinPlugins
internal import Chance
internal import JournalTesting
internal import PluginKit
internal import PluginTesting
internal import Runtime
internal import SourceFakes
internal import Testing

@testable internal import Journal
@testable internal import SimulatedWorld

/// One bot with every source plugin at once, each against its vendor, over an evening of virtual time in which the vendors
/// fail for two hours.
@Suite struct `An evening with every source` {
    @Test(arguments: Mishap.allCases)
    func `tells each source's failure once, loses nothing and repeats nothing`(_ mishap: Mishap) throws {
        let evening = try Evening { _, _ in mishap }
        try evening.play()
        try evening.check("\(mishap)")
    }

    /// So nothing of the apps is known before, and all of it meets a chat that fails.
    @Test(arguments: [Mishap.broken, .slow, .unauthorized, .truncated, .busySeconds])
    func `tells of the apps once their vendors are back, where all are in trouble from the beginning`(_ mishap: Mishap)
        throws
    {
        let evening = try Evening(isEarly: true) { _, _ in mishap }
        try evening.play()
        try evening.check("\(mishap) from the beginning")
    }

    @Test(arguments: [Mishap.broken, .unauthorized, .truncated])
    func `does the same where nobody gives tokens either`(_ mishap: Mishap) throws {
        let evening = try Evening(tokensFail: true) { _, _ in mishap }
        try evening.play()
        try evening.check("\(mishap) of tokens, too")
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `does the same where each source fails in ways of its own`(_ seed: UInt64) throws {
        let evening = try Evening { source, slot in
            var random = SeededRandom(
                seed: seed &* 7919 &+ UInt64(slot) &* 104_729 &+ source.utf8.reduce(0) { $0 &* 31 &+ UInt64($1) })
            return random.pick(Mishap.allCases) ?? .refused
        }
        try evening.play()
        try evening.check("seed \(seed)")
    }
}

/// What a request meets while a vendor is in trouble.
enum Mishap: String, CaseIterable, Sendable, CustomStringConvertible {
    case refused = "connection refused"
    case slow = "no answer in time"
    case truncated = "half an answer"
    case packed = "gzip that nobody asked for"
    case page = "a login page"
    case empty = "nothing"
    case unauthorized = "401"
    case forbidden = "403"
    case busy = "429 without a wait"
    case busySeconds = "429 with seconds"
    case busyDate = "429 with a date"
    case busyText = "429 with a text and a reset"
    case broken = "500"
    case gateway = "502 with a page"
    case away = "503 with a wait"

    var description: String { rawValue }

    /// - Parameter right: what would be answered in good health.
    func answer(_ right: HTTPResponse, at now: Moment) throws(TransportError) -> HTTPResponse {
        let page = Array("<html><title>Please log in</title></html>".utf8)
        func busy(_ headers: [(name: String, value: String)], _ body: String = "{}") -> HTTPResponse {
            HTTPResponse(status: 429, headers: headers, body: Array(body.utf8))
        }
        switch self {
        case .refused: throw TransportError(.connect, mayHaveArrived: false, "connection refused")
        case .slow: throw TransportError(.timeout, mayHaveArrived: true, "no answer in time")
        case .truncated: return HTTPResponse(status: 200, body: Array(right.body.prefix(max(1, right.body.count / 2))))
        case .packed:
            return HTTPResponse(
                status: 200, headers: [("Content-Encoding", "gzip")], body: [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 0xAB])
        case .page: return HTTPResponse(status: 200, headers: [("Content-Type", "text/html")], body: page)
        case .empty: return HTTPResponse(status: 200)
        case .unauthorized: return HTTPResponse(status: 401, body: Array(#"{"detail": "Invalid token"}"#.utf8))
        case .forbidden: return HTTPResponse(status: 403, body: Array(#"{"errors": ["Forbidden"]}"#.utf8))
        case .busy: return busy([])
        case .busySeconds: return busy([("Retry-After", "90")])
        case .busyDate: return busy([("Retry-After", (now + .seconds(90)).httpDate)])
        case .busyText:
            return busy(
                [
                    ("X-Sentry-Rate-Limit-Reset", "\(now.unixSeconds + 90)"), ("X-RateLimit-Reset", "90"),
                    ("X-Rate-Limit-Remaining-Seconds", "90"),
                ], #""slow down""#)
        case .broken: return HTTPResponse(status: 500, body: Array("oops".utf8))
        case .gateway: return HTTPResponse(status: 502, headers: [("Content-Type", "text/html")], body: page)
        case .away: return HTTPResponse(status: 503, headers: [("Retry-After", "60")])
        }
    }
}

/// The evening: the bot, the vendors, and somebody who pushes. All of it runs on one thread, job by job.
private final class Evening: @unchecked Sendable {
    /// After the last of the fakes' own moments, and soon enough for their figures to be fresh all the time.
    private static let begin = Moment(rfc3339: "2026-11-21T00:35:00Z") ?? .earliest
    private static let minute: Int64 = 60_000
    /// Two hours, from the beginning or in the middle.
    private let trouble: Range<Int64>
    /// The chat is in trouble for a while longer, when what the vendors have to tell is told.
    private static let aftermath: Int64 = 20 * minute
    /// The credentials that were refused are put right some time after the vendors are well.
    private static let repair: Int64 = 200 * minute
    private static let end: Int64 = 300 * minute
    /// A source meets another mishap after so long.
    private static let slot: Int64 = 20 * minute
    private static let pushing: Int64 = 5 * minute
    private static let stepsMax = 5_000_000

    /// One fake for each plugin, by the source's name.
    private let fakes: [String: SourceFake]
    private let responders: [String: @Sendable (HTTPRequest) -> HTTPResponse]
    private let hosts: [String: String]
    private let config: Config
    /// What meets a source in a slot of the trouble; nil in an evening in which nothing happens.
    private let mishap: (String, Int) -> Mishap?
    private let tokensFail: Bool
    private let pushed: [UInt8]
    private let figures: [UInt8]

    private var time = Timeline(wall: Evening.begin)
    private let executor = StepExecutor()
    private var random = SeededRandom(seed: 1)
    /// What arrived at the chat: the deliveries' ids, and their bodies.
    private var arrived: [(id: String, body: JSON)] = []
    private var polls: [String: Int] = [:]
    private var failures: [String: Int] = [:]
    private var chatFailures = 0
    private var accepted: Set<String> = []
    private var left = -1
    private var dead = -1
    private let disk = MemoryDisk()

    init(
        tokensFail: Bool = false, isEarly: Bool = false, _ mishap: @escaping (String, Int) -> Mishap?
    ) throws {
        self.mishap = mishap
        trouble = isEarly ? 0..<(120 * Evening.minute) : (60 * Evening.minute)..<(180 * Evening.minute)
        self.tokensFail = tokensFail
        var fakes: [String: SourceFake] = [:]
        for fake in SourceFake.polled where fakes[fake.plugin] == nil { fakes[fake.plugin] = fake }
        self.fakes = fakes
        responders = try fakes.mapValues { try $0.responder() }
        pushed = try fakes["push"].flatMap { try $0.bodies.first.map($0.bytes) } ?? []
        figures = try fakes["file"].flatMap { try $0.bodies.first.map($0.bytes) } ?? []
        let entries = fakes.sorted { $0.key < $1.key }.map { name, fake in fake.entry(name) }.joined(separator: "\n")
        let text = """
            version: 1
            bot: {report_to: hook}
            polling: {every: 5m, throttle: 1m, slowest: 15m}
            sources:
            \(entries)
            rules:
              floor: {plugin: threshold, metric: crash_free_sessions, critical: "< 99.9%", window: 1h}
              people: {plugin: threshold, metric: crash_free_users, critical: "< 99.9%", window: 1h}
              crashes: {plugin: threshold, metric: crash_events, critical: "> 0", window: 1h}
            channels:
              hook: {plugin: webhook, url: "https://hooks.example.com/x"}
            """
        let surroundings = ConfigSurroundings(
            variable: { _ in SourceFake.secret },
            file: { _ throws(ConfigSurroundings.Missing) in Array(SampleServiceAccount.keyFile.utf8) },
            credentialsFolder: nil, zones: ZoneDatabase())
        let result = Config.load(Array(text.utf8), folder: "/", catalog: .builtin, surroundings: surroundings)
        config = try #require(result.config, "\(result.problems.map(\.message))")
        var hosts: [String: String] = [:]
        for (name, source) in config.sources { if let host = source.host { hosts[host] = name } }
        self.hosts = hosts
    }

    private var setup: Bot.Setup {
        Bot.Setup(
            plan: config.plan, sources: config.sources, renewals: config.renewals, channels: config.channels,
            heartbeat: nil, secrets: config.secrets)
    }

    private var isTroubled: Bool { trouble.contains(time.uptime) }
    private var isChatTroubled: Bool {
        (trouble.lowerBound..<(trouble.upperBound + Evening.aftermath)).contains(time.uptime)
    }

    private func mishapNow(of source: String) -> Mishap? {
        isTroubled ? mishap(source, Int(time.uptime / Evening.slot)) : nil
    }

    // MARK: The run

    func play() throws {
        var state = State(historyMax: 1000, memories: PluginCatalog.builtin.memories)
        let ledger = try Ledger(opening: disk, limits: JournalLimits(), rebuilding: &state)
        let bot = Bot(
            setup,
            ports: Ports(
                clock: EveningClock(evening: self), web: EveningWeb(evening: self), files: EveningFiles(evening: self),
                host: EveningHost()), ledger: ledger, state: state)
        let task = Task(executorPreference: executor) { await bot.run(grace: .seconds(10)) }
        var nextPush = Evening.minute
        var isRepaired = false
        var steps = 0
        while time.uptime < Evening.end, steps < Evening.stepsMax {
            while executor.step(&random) { steps += 1 }
            var next = min(nextPush, Evening.end)
            if let sleeper = time.next { next = min(next, sleeper) }
            if !isRepaired { next = min(next, Evening.repair) }
            for sleeper in time.pass(to: next) { sleeper.resume() }
            if time.uptime >= nextPush {
                nextPush += Evening.pushing
                if !isTroubled { push(to: bot) }
            }
            if time.uptime >= Evening.repair, !isRepaired {
                isRepaired = true
                bot.reload(setup)
            }
        }
        bot.stop()
        for _ in 0..<1000 {
            while executor.step(&random) {}
            guard let sleeper = time.next else { break }
            for waiting in time.pass(to: sleeper) { waiting.resume() }
        }
        task.cancel()
        while executor.step(&random) {}
        var found = State(historyMax: 1000, memories: PluginCatalog.builtin.memories)
        _ = try Ledger(opening: disk.copied(), limits: JournalLimits(), rebuilding: &found)
        left = found.outbox.deliveries.count
        dead = found.outbox.history.count { if case .dead = $0.end { true } else { false } }
    }

    private func push(to bot: Bot) {
        let headers = PushHeaders([("Authorization", "Bearer \(SourceFake.secret)")])
        Task(executorPreference: executor) { [self] in
            polls["push", default: 0] += 1
            do { _ = try await bot.push(for: "push", headers, pushed) } catch { failures["push", default: 0] += 1 }
        }
    }

    func sleep(until due: Int64) async throws {
        guard due > time.uptime else { return }
        let id = time.newSleeper()
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { time.sleep(id, until: due, $0) }
        } onCancel: {
            time.cancel(id)?.resume(throwing: CancellationError())
        }
    }

    var now: Moment { time.wall }
    var uptime: Int64 { time.uptime }

    // MARK: The world

    func answer(_ request: HTTPRequest) throws(TransportError) -> HTTPResponse {
        let address = request.url.reveal()
        let host = WebAddress(address)?.host ?? ""
        if host == "hooks.example.com" { return chat(request) }
        // Both of Google's sources get their tokens from one place.
        guard let source = hosts[host] else {
            let right = responders["google_play"]?(request) ?? HTTPResponse(status: 404)
            guard tokensFail, let mishap = mishapNow(of: "google_play") else { return right }
            for source in ["google_play", "crashlytics"] { failures[source, default: 0] += 1 }
            return try mishap.answer(right, at: now)
        }
        polls[source, default: 0] += 1
        let right = responders[source]?(request) ?? HTTPResponse(status: 404)
        guard let mishap = mishapNow(of: source) else { return right }
        failures[source, default: 0] += 1
        return try mishap.answer(right, at: now)
    }

    /// The chat fails, too, for a while: every third request.
    private func chat(_ request: HTTPRequest) -> HTTPResponse {
        let id = request.headers.first { $0.name == "webhook-id" }?.value.reveal() ?? ""
        accepted.insert(id)
        if isChatTroubled, (arrived.count + chatFailures) % 3 == 0 {
            chatFailures += 1
            return HTTPResponse(status: 503, headers: [("Retry-After", "30")])
        }
        if let body = request.body?.shown { arrived.append((id, body)) }
        return HTTPResponse(status: 200)
    }

    func read(_ request: FileRequest) -> FileResult {
        polls["file", default: 0] += 1
        guard mishapNow(of: "file") == nil else {
            failures["file", default: 0] += 1
            return .failed("Permission denied")
        }
        let rest = figures.dropFirst(Int(min(max(request.offset, 0), Int64(figures.count))))
        return .contents(bytes: Array(rest.prefix(request.bytesMax)), size: Int64(figures.count), identity: "1")
    }

    // MARK: What came of it

    /// The bot's own incidents about a source that were told: of which rule, and how often each was said to open and to be
    /// over.
    private func told(of source: String) -> [(rule: String, opened: Int, resolved: Int)] {
        var incidents: [String: (rule: String, opened: Int, resolved: Int)] = [:]
        for (_, body) in arrived {
            for incident in body["data"]?["incidents"]?.array ?? []
            where incident["source"]?.string == source && incident["app"]?.string == Subject.botApp {
                let (id, rule) = (incident["id"]?.string ?? "", incident["rule"]?.string ?? "")
                switch body["type"]?.string {
                case "incident.opened": incidents[id, default: (rule, 0, 0)].opened += 1
                case "incident.resolved": incidents[id, default: (rule, 0, 0)].resolved += 1
                default: break
                }
            }
        }
        return incidents.values.sorted { $0.rule < $1.rule }
    }

    /// Incidents of apps: how often each was said to open, by rule and what it is about.
    private var opened: [String: Int] {
        var opened: [String: Int] = [:]
        for (_, body) in arrived where body["type"]?.string == "incident.opened" {
            for incident in body["data"]?["incidents"]?.array ?? []
            where incident["app"]?.string != Subject.botApp {
                let words = ["rule", "source", "app", "release", "environment"].map { incident[$0]?.string ?? "-" }
                opened[words.joined(separator: " "), default: 0] += 1
            }
        }
        return opened
    }

    /// Those of an evening in which nothing fails.
    private static let quiet = Result {
        let evening = try Evening { _, _ in nil }
        try evening.play()
        return evening.opened
    }

    func check(_ name: String) throws {
        let quiet = try Evening.quiet.get()
        #expect(quiet.count > 3, "\(name): there is hardly anything to lose: \(quiet)")
        #expect(opened == quiet, "\(name): incidents of apps, and those of an evening without trouble")
        for source in fakes.keys.sorted() where source != "simulator" {
            #expect(polls[source, default: 0] > 0, "\(name): \(source) was never asked")
            if source != "push" { #expect(failures[source, default: 0] > 0, "\(name): \(source) has never failed") }
            // The answers of that vendor are those of a Thanos that has lost a store, all evening.
            let isPartial = source == "prometheus"
            let incidents = told(of: source).filter { !isPartial || $0.rule != Trouble.partialAnswers.rawValue }
            #expect(incidents.count == 1, "\(name): \(source) has \(incidents)")
            #expect(
                incidents.allSatisfy { $0.opened == 1 && $0.resolved == 1 }, "\(name): \(source) has \(incidents)")
        }
        #expect(Set(arrived.map(\.id)).count == arrived.count, "\(name): something arrived twice")
        #expect(Set(arrived.map(\.id)) == accepted, "\(name): something that left has never arrived")
        #expect(left == 0, "\(name): \(left) deliveries are left")
        #expect(dead == 0, "\(name): \(dead) deliveries were given up")
        let asked = polls.values.reduce(0, +)
        let failed = failures.values.reduce(0, +)
        print(
            "\(name): \(fakes.count) sources, \(asked) requests, \(failed) failed; \(arrived.count) messages, "
                + "\(chatFailures) tries in vain, \(left) left")
    }
}

private struct EveningClock: Clock {
    let evening: Evening

    func now() -> Moment { evening.now }
    func uptime() -> Duration { .milliseconds(evening.uptime) }
    func sleep(until uptime: Duration) async throws {
        try await evening.sleep(until: (uptime + .microseconds(999)).wholeMilliseconds)
    }
}

private struct EveningWeb: Web {
    let evening: Evening

    func perform(_ request: HTTPRequest, timeout: Duration) async throws(TransportError) -> HTTPResponse {
        try evening.answer(request)
    }

    func send(_ mail: Mail, timeout: Duration) async throws(TransportError) -> MailAnswer {
        throw TransportError(.other, mayHaveArrived: false, "nobody takes mail")
    }
}

private struct EveningFiles: Files {
    let evening: Evening

    func read(_ request: FileRequest) async -> FileResult { evening.read(request) }
}

private struct EveningHost: Host {
    func isLowOnPower() -> Bool { false }
    func print(_ text: String, within limit: Duration) -> Printing { .done }
    func log(_ notes: [Note]) {}
    var logsDetails: Bool { false }
}
