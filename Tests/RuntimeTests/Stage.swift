internal import AlertCore
internal import AlertTesting
internal import PluginKit
internal import Runtime
internal import Synchronization

/// Whatever the bot does to the outside, in order; a test waits on it and needs no clock.
final class Stage: Sendable {
    enum Happening: Hashable, Sendable {
        case asked(String)
        case logged(Note)
        case printed(String)
        case slept(until: Duration)
    }

    private struct Log {
        var happenings: [Happening] = []
        var bells: [AsyncStream<Void>.Continuation] = []
    }

    private let log = Mutex(Log())

    var happenings: [Happening] { log.withLock { $0.happenings } }

    func tell(_ happening: Happening) {
        let bells = log.withLock { log in
            log.happenings.append(happening)
            return log.bells
        }
        for bell in bells { bell.yield() }
    }

    /// Waits until what has happened is enough.
    func wait(until isEnough: ([Happening]) -> Bool) async {
        let (stream, bell) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        log.withLock { $0.bells.append(bell) }
        if isEnough(happenings) { return }
        for await _ in stream where isEnough(happenings) { return }
    }

    func waitForRequest(_ url: String, count: Int = 1) async {
        await wait { $0.count { $0 == .asked(url) } >= count }
    }

    func waitForLog(_ text: String) async {
        await wait { happenings in
            happenings.contains { if case .logged(let note) = $0 { note.text.contains(text) } else { false } }
        }
    }

    /// The addresses asked so far.
    var asked: [String] { happenings.compactMap { if case .asked(let url) = $0 { url } else { nil } } }
    var logged: [String] { happenings.compactMap { if case .logged(let note) = $0 { note.text } else { nil } } }
}

/// A clock that moves when the test says so.
final class ManualClock: Clock {
    private struct State {
        var now: Moment
        var uptime = Duration.hours(1)
        var sleepers: [Int: (until: Duration, wake: CheckedContinuation<Void, any Error>)] = [:]
        var cancelled: Set<Int> = []
        var count = 0
    }

    private let state: Mutex<State>
    private let stage: Stage

    init(_ stage: Stage, at now: Moment = .rehearsalStart) {
        self.stage = stage
        state = Mutex(State(now: now))
    }

    func now() -> Moment { state.withLock { $0.now } }
    func uptime() -> Duration { state.withLock { $0.uptime } }

    /// How many wait for it.
    var sleepersCount: Int { state.withLock { $0.sleepers.count } }

    /// Sets the wall clock, as people do.
    func set(by difference: Duration) { state.withLock { $0.now = $0.now + difference } }

    func advance(by duration: Duration) {
        let woken = state.withLock { state in
            state.now = state.now + duration
            state.uptime += duration
            let due = state.sleepers.filter { $0.value.until <= state.uptime }
            for id in due.keys { state.sleepers[id] = nil }
            return due.values.sorted { $0.until < $1.until }
        }
        for sleeper in woken { sleeper.wake.resume() }
    }

    func sleep(until uptime: Duration) async throws {
        let id = state.withLock { state in
            state.count += 1
            return state.count
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                let result: Result<Void, any Error>? = state.withLock { state in
                    if state.cancelled.contains(id) { return .failure(CancellationError()) }
                    if uptime <= state.uptime { return .success(()) }
                    state.sleepers[id] = (uptime, continuation)
                    return nil
                }
                if let result { continuation.resume(with: result) }
                stage.tell(.slept(until: uptime))
            }
        } onCancel: {
            let sleeper = state.withLock { state in
                state.cancelled.insert(id)
                return state.sleepers.removeValue(forKey: id)
            }
            sleeper?.wake.resume(throwing: CancellationError())
        }
    }
}

/// A door that lets everybody through once it is open.
final class Door: Sendable {
    private struct State {
        var isOpen = false
        var waiting: [AsyncStream<Void>.Continuation] = []
    }

    private let state = Mutex(State())

    func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            return state.waiting
        }
        for continuation in waiting { continuation.finish() }
    }

    /// Waits until the door opens, or the task is cancelled.
    func pass() async {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        let isOpen = state.withLock { state in
            state.waiting.append(continuation)
            return state.isOpen
        }
        if isOpen { return }
        for await _ in stream {}
    }
}

/// A network that answers as the test wrote it.
struct ScriptedWeb: Web {
    typealias Answer = @Sendable (HTTPRequest, Duration) async throws(TransportError) -> HTTPResponse

    typealias MailAnswering = @Sendable (Mail, Duration) async throws(TransportError) -> MailAnswer

    let stage: Stage
    let answer: Answer
    var mail: MailAnswering = { _, _ throws(TransportError) in
        throw TransportError(.other, mayHaveArrived: false, "there is no mail here")
    }

    func send(_ mail: Mail, timeout: Duration) async throws(TransportError) -> MailAnswer {
        stage.tell(.asked(mail.server.url))
        return try await self.mail(mail, timeout)
    }

    func perform(_ request: HTTPRequest, timeout: Duration) async throws(TransportError) -> HTTPResponse {
        stage.tell(.asked(request.url.reveal()))
        return try await answer(request, timeout)
    }
}

struct FakeHost: Host {
    let stage: Stage
    var printing = Printing.done
    func isLowOnPower() -> Bool { false }
    func print(_ text: String, within limit: Duration) -> Printing {
        stage.tell(.printed(text))
        return printing
    }
    func log(_ notes: [Note]) { for note in notes { stage.tell(.logged(note)) } }
    var logsDetails: Bool { true }
}

struct NoFiles: Files {
    func read(_ request: FileRequest) async -> FileResult { .failed("there is no \(request.path)") }
}

extension Ports {
    static func staged(_ stage: Stage, _ clock: ManualClock, _ answer: @escaping ScriptedWeb.Answer) -> Ports {
        Ports(
            clock: clock, web: ScriptedWeb(stage: stage, answer: answer), files: NoFiles(), host: FakeHost(stage: stage)
        )
    }
}

extension Bot {
    /// Runs while a test plays; the test ends by stopping it.
    func run(_ play: () async throws -> Void) async throws {
        let running = Task { await run(grace: .seconds(20)) }
        try await play()
        stop()
        await running.value
    }
}

extension Delivery.Phase {
    var isWaiting: Bool { if case .waiting = self { true } else { false } }
}
