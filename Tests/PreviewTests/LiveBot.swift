internal import AlertCore
internal import AlertTesting
internal import Chance
internal import Journal
internal import JournalTesting
internal import PluginKit
internal import Runtime
internal import Synchronization

@testable internal import SimulatedWorld

/// The running bot itself, in a world of chance: its actor, journal, recorder, polls and attempts, on one thread and in
/// virtual time.
struct LiveBot {
    let journal = MemoryDisk()
    let recording = MemoryDisk()
    private let world: World
    private let stage = LiveStage(wall: .rehearsalStart)
    private let executor = StepExecutor()
    /// Which of the waiting jobs runs next.
    private var picks: SeededRandom
    private var life: Task<Void, Never>?

    init(_ world: World) {
        self.world = world
        picks = SeededRandom(seed: ~world.seed)
    }

    /// What it decided, as its log has it, with the time in front.
    var decided: [String] {
        let marks = world.plan.channels.map { "\($0.name): " }
        return stage.logged.filter { line in marks.contains { line.text.hasPrefix($0) } }.map { "\($0.at) \($0.text)" }
    }

    /// What its channels got.
    var posted: [String] { stage.posted }

    /// Opens the journal and begins to run.
    mutating func start() throws {
        var state = State(memories: world.plan.memories)
        let ledger = try Ledger(opening: journal, rebuilding: &state)
        let setup = Bot.Setup(
            plan: world.plan,
            sources: Dictionary(
                uniqueKeysWithValues: world.plan.sources.map { ($0.name, ChanceSource($0.name, world)) }),
            channels: Dictionary(
                uniqueKeysWithValues: world.plan.channels.map { ($0.name, KeepingChannel($0.name, stage)) }),
            heartbeat: nil, secrets: [])
        let ports = Ports(
            clock: stage, web: SlowWeb(stage: stage, world: world), files: NoFiles(), host: stage, recording: recording)
        let bot = Bot(setup, ports: ports, ledger: ledger, state: state)
        life = Task(executorPreference: executor) { await bot.run(grace: .zero) }
        settle()
    }

    mutating func advance(to end: Moment) {
        while let next = stage.nextWaking, next <= end {
            stage.pass(to: next)
            settle()
        }
        stage.pass(to: end)
    }

    /// Ends it without a word and lets it run out.
    mutating func kill() {
        life?.cancel()
        life = nil
        settle()
    }

    private mutating func settle() { while executor.step(&picks) {} }
}

/// Virtual time, and what the bot says.
private final class LiveStage: Clock, Host {
    private struct Past {
        var time: Timeline
        var logged: [(at: Moment, text: String)] = []
        var posted: [String] = []
    }

    private let past: Mutex<Past>

    init(wall: Moment) { past = Mutex(Past(time: Timeline(wall: wall))) }

    var logged: [(at: Moment, text: String)] { past.withLock { $0.logged } }
    var posted: [String] { past.withLock { $0.posted } }

    func now() -> Moment { past.withLock { $0.time.wall } }
    func uptime() -> Duration { .milliseconds(past.withLock { $0.time.uptime }) }

    /// When somebody next wants to be woken.
    var nextWaking: Moment? {
        past.withLock { past in past.time.next.map { past.time.wall + .milliseconds($0 - past.time.uptime) } }
    }

    func pass(to moment: Moment) {
        let woken = past.withLock { past in
            past.time.pass(to: past.time.uptime + (moment - past.time.wall).wholeMilliseconds)
        }
        for sleeper in woken { sleeper.resume() }
    }

    func sleep(until uptime: Duration) async throws {
        try Task.checkCancellation()
        let due = (uptime + .microseconds(999)).wholeMilliseconds
        let id = past.withLock { past in due > past.time.uptime ? past.time.newSleeper() : nil }
        guard let id else { return }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                past.withLock { $0.time.sleep(id, until: due, continuation) }
            }
        } onCancel: {
            past.withLock { $0.time.cancel(id) }?.resume(throwing: CancellationError())
        }
    }

    func isLowOnPower() -> Bool { false }
    func print(_ text: String, within limit: Duration) -> Printing { .done }
    func log(_ notes: [Note]) { past.withLock { past in past.logged += notes.map { (past.time.wall, $0.text) } } }
    var logsDetails: Bool { false }
    func post(_ line: String) { past.withLock { $0.posted.append("\($0.time.wall) \(line)") } }
}

/// A source that answers what the world says, after as long as the world takes.
private struct ChanceSource: Source {
    static let manifest = PluginManifest(name: "chance", summary: "Tells what the world is like.", options: [])

    let name: String
    let world: World?

    init(_ name: String, _ world: World) { (self.name, self.world) = (name, world) }
    init(options: Options, context: SourceContext) throws(ProblemList) { (name, world) = (context.name, nil) }

    var host: String? { nil }
    var metrics: Set<Metric>? { [Cue.metric] }

    func poll(_ poll: Poll) -> PollStep {
        .fetch(HTTPRequest(.get, "https://example.org/\(name)")) { [name, world] _ in
            .finish(world?.report(of: name, at: poll.now) ?? PollReport(.noData))
        }
    }
}

private struct SlowWeb: Web {
    let stage: LiveStage
    let world: World

    func perform(_ request: HTTPRequest, timeout: Duration) async throws(TransportError) -> HTTPResponse {
        let name = request.url.reveal().split(separator: "/").last.map(String.init) ?? ""
        let end = stage.uptime() + world.latency(of: name, at: stage.now())
        do { try await stage.sleep(until: end) } catch {
            throw TransportError(.cancelled, mayHaveArrived: false, "the bot has ended")
        }
        return HTTPResponse(status: 200, headers: [], body: [])
    }

    func send(_ mail: Mail, timeout: Duration) async throws(TransportError) -> MailAnswer {
        throw TransportError(.other, mayHaveArrived: false, "there is no mail here")
    }
}

/// A channel that keeps what it is told.
private struct KeepingChannel: Channel {
    static let manifest = PluginManifest(name: "keeping", summary: "Keeps what it is told.", options: [])

    let name: String
    let stage: LiveStage?

    init(_ name: String, _ stage: LiveStage) { (self.name, self.stage) = (name, stage) }
    init(options: Options, context: ChannelContext) throws(ProblemList) { (name, stage) = (context.name, nil) }

    var pace: Pace { .unlimited }
    var isIdempotent: Bool { true }

    func post(_ posting: Posting) -> ChannelAction {
        stage?.post("\(name) \(posting.id) \(posting.message.json.text)")
        return .keep
    }

    func judge(_ result: FetchResult, at now: Moment) -> DeliveryOutcome { .delivered(receipt: nil) }
}

private struct NoFiles: Files {
    func read(_ request: FileRequest) async -> FileResult { .failed("there are no files in this world") }
}
