internal import AlertCore
internal import CMalloc
internal import Dispatch
internal import Glibc
internal import PluginKit
internal import Runtime
internal import Synchronization
internal import Transport

// The ports as this machine has them.

struct SystemClock: Clock {
    func now() -> Moment { Moment(milliseconds: SystemClock.read(CLOCK_REALTIME) / 1_000_000) }

    func uptime() -> Duration { .nanoseconds(SystemClock.read(CLOCK_BOOTTIME)) }

    /// One of the system's clocks, in nanoseconds.
    static func read(_ clock: clockid_t) -> Int64 {
        // A `timespec` is two words. Its members have names, but the compiler sees them or not depending on which file it
        // happens to read first: the structure is declared by more than one of the system's modules.
        var time = (seconds: 0, nanoseconds: 0)
        withUnsafeMutableBytes(of: &time) { bytes in
            guard let words = bytes.baseAddress?.assumingMemoryBound(to: timespec.self) else { return }
            clock_gettime(clock, words)
        }
        return Int64(time.seconds) * 1_000_000_000 + Int64(time.nanoseconds)
    }

    func sleep(until uptime: Duration) async throws {
        // The machine may have slept through the end of a wait, so no single wait is long.
        while true {
            let left = uptime - self.uptime()
            guard left > .zero else { return }
            try await Task.sleep(for: min(left, SystemClock.sleepMax))
        }
    }

    private static let sleepMax = Duration.seconds(30)
}

struct CurlWeb: Web {
    private let transport: HTTPTransport

    init() { transport = HTTPTransport(userAgent: "alertbot/\(Version.text)") }

    func perform(_ request: HTTPRequest, timeout: Duration) async throws(TransportError) -> HTTPResponse {
        try await transport.perform(request, timeout: timeout)
    }

    func close() async { await transport.shutdown() }
}

struct SystemFiles: Files {
    func read(_ request: FileRequest) async -> FileResult {
        let descriptor = open(request.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            return .failed("\(request.path) can not be opened: \(String(cString: strerror(errno)))")
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            return .failed("\(request.path) is not a file")
        }
        switch readBytes(descriptor, from: request.offset, atMost: request.bytesMax) {
        case nil: return .failed("\(request.path) can not be read: \(String(cString: strerror(errno)))")
        case let bytes?:
            return .contents(bytes: bytes, size: Int64(status.st_size), identity: "\(status.st_dev):\(status.st_ino)")
        }
    }
}

/// Reads from an open file until the bound or the end; nil when the system refuses.
private func readBytes(_ descriptor: Int32, from offset: Int64, atMost count: Int) -> [UInt8]? {
    var result: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: min(count, 1 << 18))
    while result.count < count {
        let wanted = min(buffer.count, count - result.count)
        let got = buffer.withUnsafeMutableBytes {
            pread(descriptor, $0.baseAddress, wanted, off_t(offset) + off_t(result.count))
        }
        if got < 0, errno == EINTR { continue }
        guard got >= 0 else { return nil }
        if got == 0 { break }
        result += buffer[..<got]
    }
    return result
}

/// Reads a whole file, bounded; the error is a sentence.
func wholeFile(_ path: String, bytesMax: Int) -> Result<[UInt8], SentenceError> {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return .failure(SentenceError(String(cString: strerror(errno)))) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT != S_IFDIR else {
        return .failure(SentenceError("it is a folder"))
    }
    guard let bytes = readBytes(descriptor, from: 0, atMost: bytesMax + 1) else {
        return .failure(SentenceError(String(cString: strerror(errno))))
    }
    guard bytes.count <= bytesMax else {
        return .failure(SentenceError("it is larger than \(bytesMax >> 10) KiB"))
    }
    return .success(bytes)
}

struct SentenceError: Error {
    let sentence: String
    init(_ sentence: String) { self.sentence = sentence }
}

/// Logs to standard error, the way systemd likes it: one line each, with its level as `<N>` where the journal reads.
struct SystemHost: Host {
    let stateFolder: String
    private let output: Int32
    private let isUnderJournal = getenv("JOURNAL_STREAM") != nil

    /// - Parameter output: where channels print that write to standard output.
    init(stateFolder: String, output: Int32 = STDOUT_FILENO) {
        self.stateFolder = stateFolder
        self.output = output
    }

    func print(_ text: String) { _ = Output.write(text, to: output) }

    func log(_ note: Note) {
        guard note.level != .debug else { return }
        let text = note.text.tamed
        if isUnderJournal {
            let priority = [Note.Level.error: 3, .warning: 4, .info: 6][note.level] ?? 7
            Output.error("<\(priority)>\(text)")
        } else {
            Output.error("\(SystemClock().now()) \(note.level.rawValue): \(text)")
        }
    }

    func isLowOnPower() -> Bool {
        if access(stateFolder + "/low-power", F_OK) == 0 { return true }
        let folder = "/sys/class/power_supply"
        guard let handle = opendir(folder) else { return false }
        defer { closedir(handle) }
        while let entry = readdir(handle) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard !name.hasPrefix("."), case .success(let bytes) = wholeFile("\(folder)/\(name)/status", bytesMax: 64)
            else { continue }
            if String(decoding: bytes, as: UTF8.self).trimmed == "Discharging" { return true }
        }
        return false
    }
}

/// Who runs the command: as their shell knows them, or, where no shell has set anything, as the system does.
func whoAmI() -> String? {
    for variable in ["USER", "LOGNAME"] {
        if let name = getenv(variable), name.pointee != 0 { return String(cString: name) }
    }
    return getpwuid(geteuid()).map { String(cString: $0.pointee.pw_name) }
}

/// Has memory go back to the system once it is not needed: what a storm took stays with the bot for months otherwise.
///
/// Left to itself, glibc keeps a heap for each thread, so that what one frees is of no use to another, and takes larger and
/// larger blocks from these heaps. With one heap and blocks above 128 KiB (its own first bound) mapped one by one, a storm of
/// 10,000 incidents leaves half as much behind.
func giveMemoryBack() {
    _ = mallopt(M_ARENA_MAX, 1)
    _ = mallopt(M_MMAP_THRESHOLD, 128 << 10)
    _ = mallopt(M_TRIM_THRESHOLD, 128 << 10)
}

/// Tells systemd how the service is, where systemd started it.
func notifySystemd(_ state: String) {
    guard let variable = getenv("NOTIFY_SOCKET") else { return }
    var path = Array(String(cString: variable).utf8)
    guard path.count < 108, path.count > 1 else { return }
    // An address that begins with @ lives in the abstract namespace.
    if path[0] == UInt8(ascii: "@") { path[0] = 0 }
    let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
    let length = socklen_t(MemoryLayout<sa_family_t>.size + path.count)
    let message = Array(state.utf8)
    _ = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            sendto(descriptor, message, message.count, Int32(MSG_NOSIGNAL), $0, length)
        }
    }
}

/// Where the handler of signals writes to. A handler may run in any thread at any moment and can be given nothing, so
/// this one thing must be within its reach; atomic, and set before the first handler is.
private let signalPipe = Atomic<Int32>(-1)

/// Signals as a stream.
///
/// A handler writes each signal into a pipe. Dispatch has sources for signals, but the main thread of an asynchronous
/// program sits in `sigsuspend` with every signal open, and what arrives there early was seen to be lost.
final class Signals: Sendable {
    let stream: AsyncStream<Int32>
    private let reader: Reader

    /// A source of Dispatch may be used from any thread; this one is made here and cancelled at the end.
    private struct Reader: @unchecked Sendable {
        let source: any DispatchSourceRead
    }

    /// Catches the signals from now on; nil when the system has no pipe to give.
    init?(_ numbers: [Int32]) {
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
            signalPipe.store(-1, ordering: .sequentiallyConsistent)
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
}
