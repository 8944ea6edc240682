internal import Foundation
public import Glibc
internal import Synchronization

/// A child process, with everything it prints.
///
/// It is killed when nobody holds it any more, so that no failure of a test leaves one behind.
public final class Child: Sendable {
    public enum Ending: Hashable, Sendable {
        case exited(Int32)
        case killed(signal: Int32)
    }

    public enum Input: Sendable {
        case none
        case text(String)
        /// Stays open until the child is let go of or `closeInput` is called.
        case open
    }

    public let pid: pid_t
    private let output = Stream()
    private let errors = Stream()
    private let end = End()
    private let inputDescriptor: Mutex<Int32?>
    private let keeping: Scratch?

    private final class Stream: Sendable {
        let bytes = Mutex<[UInt8]>([])
        let isDone = Mutex(false)
        var text: String { String(decoding: bytes.withLock(\.self), as: UTF8.self) }
    }

    private final class End: Sendable {
        let ending = Mutex<Ending?>(nil)
    }

    /// - Parameters:
    ///   - environment: in addition to the bare minimum.
    ///   - keeping: a folder that stays as long as the child.
    public init(
        _ program: String, _ arguments: [String], environment: [String: String] = [:], folder: String? = nil,
        input: Input = .none, keeping: Scratch? = nil
    ) throws {
        // `env` changes the folder and then becomes the program.
        let command = (folder.map { ["env", "-C", $0] } ?? []) + [program] + arguments
        let start = try Child.oneAtATime.withLock { _ in try Child.start(command, environment) }
        pid = start.pid
        self.keeping = keeping
        inputDescriptor = Mutex(start.input)
        Child.collect(start.output, into: output)
        Child.collect(start.errors, into: errors)
        Child.watch(start.pid, end)
        switch input {
        case .none: closeInput()
        case .text(let text):
            Child.feed(text, to: start.input)
            inputDescriptor.withLock { $0 = nil }
        case .open: break
        }
    }

    /// Between the making of a pipe and its mark "not for others" no other child may start, or it would hold it open.
    private static let oneAtATime = Mutex(())

    private static func start(
        _ command: [String], _ environment: [String: String]
    ) throws -> (pid: pid_t, input: Int32, output: Int32, errors: Int32) {
        let (inputEnd, inputWriter) = try pipe()
        let (outputReader, outputEnd) = try pipe()
        let (errorReader, errorEnd) = try pipe()
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (from, to) in [(inputEnd, STDIN_FILENO), (outputEnd, STDOUT_FILENO), (errorEnd, STDERR_FILENO)] {
            posix_spawn_file_actions_adddup2(&actions, from, to)
        }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // The tests ignore broken pipes, and nohup or a script in the background had them ignore more; the child shall start as a
        // shell would start it for somebody who is there.
        var defaults = sigset_t()
        sigemptyset(&defaults)
        for number in [SIGPIPE, SIGINT, SIGTERM, SIGHUP, SIGQUIT] { sigaddset(&defaults, number) }
        posix_spawnattr_setsigdefault(&attributes, &defaults)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
        signal(SIGPIPE, SIG_IGN)

        let variables = BotBinary.environment.merging(environment) { $1 }.map { "\($0.key)=\($0.value)" }
        var child = pid_t()
        let code = withCStrings(command) { arguments in
            withCStrings(variables) { posix_spawnp(&child, command[0], &actions, &attributes, arguments, $0) }
        }
        for descriptor in [inputEnd, outputEnd, errorEnd] { close(descriptor) }
        guard code == 0 else {
            for descriptor in [inputWriter, outputReader, errorReader] { close(descriptor) }
            throw TooLate("\(command[0]) could be started: \(String(cString: strerror(code)))")
        }
        return (child, inputWriter, outputReader, errorReader)
    }

    deinit {
        send(SIGKILL)
        closeInput()
    }

    /// Sends a signal unless the child has ended.
    public func send(_ signal: Int32) {
        end.ending.withLock { if $0 == nil { kill(pid, signal) } }
    }

    /// Writes to its standard input, which stays open; no more than a pipe holds.
    public func type(_ text: String) {
        let bytes = Array(text.utf8)
        inputDescriptor.withLock { descriptor in
            if let descriptor { _ = write(descriptor, bytes, bytes.count) }
        }
    }

    public func closeInput() {
        inputDescriptor.withLock { descriptor in
            if let open = descriptor { close(open) }
            descriptor = nil
        }
    }

    public var isRunning: Bool { end.ending.withLock { $0 == nil } }
    /// What it has written to standard output so far.
    public var standardOutput: String { output.text }
    /// What it has written to standard error so far.
    public var standardError: String { errors.text }

    /// Waits until the child has ended and everything it wrote is here.
    @discardableResult
    public func ending(within patience: Duration = .seconds(60)) async throws -> Ending {
        try await eventually("\(pid) ended; it said: \(standardError)", within: patience) {
            guard output.isDone.withLock(\.self), errors.isDone.withLock(\.self) else { return nil }
            return end.ending.withLock(\.self)
        }
    }

    /// Waits for a line of standard error that contains the words.
    @discardableResult
    public func says(_ words: String, within patience: Duration = .seconds(20)) async throws -> String {
        try await eventually("\"\(words)\" was said; instead: \(standardError)", within: patience) {
            let lines = standardError.split(separator: "\n").map(String.init)
            if let line = lines.first(where: { $0.contains(words) }) { return line }
            guard isRunning else { throw TooLate("\"\(words)\" was said before the end: \(standardError)") }
            return nil
        }
    }

    // MARK: the system

    /// Neither end is handed on to other children.
    private static func pipe() throws -> (reader: Int32, writer: Int32) {
        var ends: [Int32] = [0, 0]
        guard Glibc.pipe(&ends) == 0 else { throw TooLate("a pipe could be made") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    private static func collect(_ descriptor: Int32, into stream: Stream) {
        Thread.detachNewThread {
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            while true {
                let got = read(descriptor, &buffer, buffer.count)
                if got < 0, errno == EINTR { continue }
                guard got > 0 else { break }
                stream.bytes.withLock { $0 += buffer[..<got] }
            }
            close(descriptor)
            stream.isDone.withLock { $0 = true }
        }
    }

    private static func feed(_ text: String, to descriptor: Int32) {
        Thread.detachNewThread {
            var bytes = Array(text.utf8)[...]
            while !bytes.isEmpty {
                let written = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
                if written < 0, errno == EINTR { continue }
                guard written > 0 else { break }
                bytes = bytes.dropFirst(written)
            }
            close(descriptor)
        }
    }

    private static func watch(_ pid: pid_t, _ end: End) {
        Thread.detachNewThread {
            var information = siginfo_t()
            // Without reaping it, so that no signal can reach a stranger that got its number.
            while waitid(P_PID, id_t(pid), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
            end.ending.withLock { ending in
                var status: Int32 = 0
                waitpid(pid, &status, 0)
                ending = status & 0x7F == 0 ? .exited(status >> 8 & 0xFF) : .killed(signal: status & 0x7F)
            }
        }
    }

    private static func withCStrings<Result>(
        _ texts: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
    ) -> Result {
        let copies = texts.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        return body(copies + [nil])
    }
}
