internal import Dispatch
internal import Glibc
internal import Synchronization

/// Where the handler of signals writes to. A handler may run in any thread at any moment and can be given nothing, so
/// this one thing must be within its reach; atomic, and set before the first handler is.
private let signalPipe = Atomic<Int32>(-1)

/// Signals as a stream.
///
/// A handler writes each signal into a pipe. Dispatch has sources for signals, but the main thread of an asynchronous
/// program sits in `sigsuspend` with every signal open, and what arrives there early was seen to be lost.
public final class Signals: Sendable {
    public let stream: AsyncStream<Int32>
    private let reader: Reader

    /// A source of Dispatch may be used from any thread; this one is made here and cancelled at the end.
    private struct Reader: @unchecked Sendable {
        let source: any DispatchSourceRead
    }

    /// Catches the signals from now on; nil when the system has no pipe to give.
    public init?(_ numbers: [Int32]) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            // A handler must never wait for a reader.
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        let (out, into) = (ends[0], ends[1])
        let (stream, continuation) = AsyncStream.makeStream(of: Int32.self)
        self.stream = stream
        let source = DispatchSource.makeReadSource(fileDescriptor: out, queue: .global())
        source.setEventHandler {
            var bytes = [UInt8](repeating: 0, count: 64)
            let count = read(out, &bytes, bytes.count)
            for byte in bytes.prefix(max(0, count)) { continuation.yield(Int32(byte)) }
        }
        source.setCancelHandler {
            // Somebody else may be listening by now.
            _ = signalPipe.compareExchange(expected: into, desired: -1, ordering: .sequentiallyConsistent)
            close(out)
            close(into)
        }
        source.activate()
        reader = Reader(source: source)
        signalPipe.store(into, ordering: .sequentiallyConsistent)
        for number in numbers {
            _ = signal(number) { number in
                // Only what is safe in a handler: an atomic load and a write, and errno left as it was.
                let kept = errno
                var byte = UInt8(truncatingIfNeeded: number)
                _ = write(signalPipe.load(ordering: .sequentiallyConsistent), &byte, 1)
                errno = kept
            }
        }
    }

    deinit { reader.source.cancel() }

    /// Whether the program was started so that this signal does nothing, as `nohup` and shells do for what runs in the background.
    static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        guard sigaction(number, nil, &action) == 0 else { return false }
        // A handler, or one of two numbers in its place: only as a number can it be compared.
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
            == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}

/// What people do to end a program: Ctrl-C, `kill`, or closing its terminal.
public struct Interruption: Sendable {
    private let numbers: [Int32]

    public static let byUser = Interruption([SIGINT, SIGTERM, SIGHUP, SIGQUIT])
    /// None, for work that nothing interrupts.
    public static let none = Interruption([])

    init(_ numbers: [Int32]) { self.numbers = numbers }

    /// Does the work, which such a signal cancels instead of ending the program.
    public func cancelling<Result: Sendable>(
        _ work: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        let numbers = numbers.filter { !Signals.isIgnored($0) }
        guard !numbers.isEmpty else { return try await work() }
        // Caught before the work begins, or what comes early would end the program after all.
        let signals = Signals(numbers)
        let task = Task { try await work() }
        let watch = Task { if let signals { for await _ in signals.stream { task.cancel() } } }
        defer {
            watch.cancel()
            for number in numbers { _ = signal(number, SIG_DFL) }
        }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }
}
