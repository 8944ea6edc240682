// MachineTesting is a machine for tests of what needs one: a clock that stands still, a network that answers as the
// test says, and a terminal whose words can be read afterwards.

internal import Glibc
public import PluginKit
public import Runtime
internal import Synchronization
public import SystemPorts

/// A machine of which a test sees and decides everything but the files.
///
/// Keep it for as long as anything may speak: its terminal ends with it.
public final class StagedMachine: Sendable {
    public let clock: StagedClock
    public let web: StagedWeb
    public let machine: Machine
    private let output: Int32
    private let errors: Int32

    /// - Parameters:
    ///   - now: the wall clock's time, in RFC 3339.
    ///   - variables: those of the environment.
    ///   - answer: what the network answers; an error for everything unless told otherwise.
    public init(
        at now: String = "2026-11-20T12:00:00Z", variables: [String: String] = [:],
        painter: any Painter = SystemPainter(),
        answer: @escaping StagedWeb.Answer = StagedWeb.nobody
    ) {
        clock = StagedClock(at: Moment(rfc3339: now) ?? .earliest)
        web = StagedWeb(answer)
        output = StagedMachine.namelessFile()
        errors = StagedMachine.namelessFile()
        let variables = Variables(variables)
        machine = Machine(
            terminal: Terminal(output: output, errors: errors, variables: variables, clock: clock), clock: clock,
            web: web, files: SystemFiles(), variables: variables, painter: painter, interruption: .none)
    }

    deinit {
        close(output)
        close(errors)
    }

    public var terminal: Terminal { machine.terminal }

    /// What was asked for.
    public var said: String { StagedMachine.text(output) }
    /// Everything else.
    public var complained: String { StagedMachine.text(errors) }

    /// A file that is gone with its descriptor.
    private static func namelessFile() -> Int32 {
        var template = Array("/tmp/alertbot-terminal-XXXXXX".utf8CString)
        let descriptor = mkstemp(&template)
        unlink(template)
        return descriptor
    }

    private static func text(_ descriptor: Int32) -> String {
        var bytes = [UInt8](repeating: 0, count: Int(lseek(descriptor, 0, SEEK_END)))
        let count = pread(descriptor, &bytes, bytes.count, 0)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }
}

/// A clock that moves when a test says so, and wakes those who wait for it.
public final class StagedClock: Clock {
    private struct State {
        var now: Moment
        var uptime = Duration.hours(1)
        var sleepers: [Int: (until: Duration, wake: AsyncStream<Void>.Continuation)] = [:]
        var sleeperCount = 0
    }

    private let state: Mutex<State>

    public init(at now: Moment) { state = Mutex(State(now: now)) }

    public func now() -> Moment { state.withLock { $0.now } }
    public func uptime() -> Duration { state.withLock { $0.uptime } }

    public func sleep(until uptime: Duration) async throws {
        let (stream, wake) = AsyncStream.makeStream(of: Void.self)
        let id = state.withLock { state in
            state.sleeperCount += 1
            if state.uptime < uptime { state.sleepers[state.sleeperCount] = (uptime, wake) } else { wake.finish() }
            return state.sleeperCount
        }
        // Ends when the clock has come so far, or the task is cancelled.
        for await _ in stream {}
        state.withLock { state in _ = state.sleepers.removeValue(forKey: id) }
        try Task.checkCancellation()
    }

    public func advance(by length: Duration) {
        let woken = state.withLock { state in
            state.now = state.now + length
            state.uptime += length
            return state.sleepers.values.filter { $0.until <= state.uptime }
        }
        for sleeper in woken { sleeper.wake.finish() }
    }
}

/// A network that answers as a test says, and remembers what it was asked.
public final class StagedWeb: Web {
    public typealias Answer = @Sendable (HTTPRequest) async throws(TransportError) -> HTTPResponse
    public typealias MailAnswering = @Sendable (Mail) async throws(TransportError) -> MailAnswer

    private let answer: Answer
    private let mailAnswer: MailAnswering
    private let requests = Mutex<[HTTPRequest]>([])

    public init(_ answer: @escaping Answer, mail: @escaping MailAnswering = StagedWeb.noMail) {
        self.answer = answer
        mailAnswer = mail
    }

    /// No mail server answers.
    public static let noMail: MailAnswering = { _ throws(TransportError) in
        throw TransportError(.connect, mayHaveArrived: false, "nobody answers")
    }

    /// Nobody answers.
    public static let nobody: Answer = { _ throws(TransportError) in
        throw TransportError(.connect, mayHaveArrived: false, "nobody answers")
    }

    /// The addresses that were asked, in order.
    public var asked: [String] { requests.withLock { $0.map { $0.url.reveal() } } }

    public func perform(_ request: HTTPRequest, timeout: Duration) async throws(TransportError) -> HTTPResponse {
        requests.withLock { $0.append(request) }
        return try await answer(request)
    }

    public func send(_ mail: Mail, timeout: Duration) async throws(TransportError) -> MailAnswer {
        try await mailAnswer(mail)
    }
}
