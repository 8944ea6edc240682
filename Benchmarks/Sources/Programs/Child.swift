// Programs that are measured from outside, as people run them.

public import Foundation

/// A program under measurement, or one that the measurement needs.
public final class Child {
    private let process = Process()
    private let log: String

    /// Starts a program; what it says goes to a file, because a pipe that nobody reads would hold it up.
    ///
    /// - Parameter input: what it reads from; nil for the same as this program.
    public init(_ program: String, _ arguments: [String], in folder: String, input: Pipe? = nil) throws {
        log = folder + "/" + URL(fileURLWithPath: program).lastPathComponent + ".log"
        try Data().write(to: URL(fileURLWithPath: log))
        guard let output = FileHandle(forWritingAtPath: log) else { throw Trouble("\(log) cannot be written") }
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.currentDirectoryURL = URL(fileURLWithPath: folder)
        process.standardOutput = output
        process.standardError = output
        if let input { process.standardInput = input }
        try process.run()
    }

    public var isRunning: Bool { process.isRunning }

    /// The last lines that it said.
    public var lastWords: String {
        let text = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").suffix(5).joined(separator: "\n")
    }

    /// The most memory that it ever held, in bytes, as the kernel counts it (`VmHWM`).
    public var peakBytes: Int {
        let status = (try? String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return (line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0) << 10
    }

    /// What it has taken of the machine so far.
    public struct Cost {
        public var cpuSeconds = 0.0
        public var residentBytes = 0
        /// What of that is its own. The rest are pages of files, the program's code above all, which the system takes and
        /// brings back as it sees fit.
        public var ownBytes = 0
        /// What it has handed to the system for files and sockets.
        public var writtenBytes = 0
        public var threads = 0
        public var descriptors = 0
    }

    public var cost: Cost {
        func numbers(_ file: String, after mark: String) -> [Int] {
            let text =
                (try? String(contentsOfFile: "/proc/\(process.processIdentifier)/" + file, encoding: .utf8)) ?? ""
            guard let place = text.range(of: mark, options: .backwards) else { return [] }
            return text[place.upperBound...].split(whereSeparator: \.isWhitespace).map { Int($0) ?? 0 }
        }
        // Fields 14 and 15 of proc(5)'s stat, counted behind the name in parentheses, in ticks of the clock.
        let stat = numbers("stat", after: ")")
        var cost = Cost()
        if stat.count > 12 { cost.cpuSeconds = Double(stat[11] + stat[12]) / Double(sysconf(Int32(_SC_CLK_TCK))) }
        cost.residentBytes = (numbers("status", after: "VmRSS:").first ?? 0) << 10
        cost.ownBytes = (numbers("status", after: "RssAnon:").first ?? 0) << 10
        cost.threads = numbers("status", after: "\nThreads:").first ?? 0
        let open = try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process.processIdentifier)/fd")
        cost.descriptors = open?.count ?? 0
        cost.writtenBytes = numbers("io", after: "\nwchar:").first ?? 0
        return cost
    }

    /// When it said a line that contains the words, by the time stamp in front of that line; nil while it has not.
    public func said(_ words: String) -> Date? {
        let text = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.contains(words) }
        let form = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        return line?.split(separator: " ").first.flatMap { try? form.parse(String($0)) }
    }

    public func stop() {
        if process.isRunning { process.terminate() }
        process.waitUntilExit()
    }
}

/// Why nothing could be measured.
public struct Trouble: Error, CustomStringConvertible {
    public let description: String
    public init(_ description: String) { self.description = description }
}

/// Prints a line at once: who waits for an hour wants to see how it goes.
public func say(_ line: String) {
    print(line)
    fflush(nil)
}

/// Runs a program to its end.
public func run(_ program: String, _ arguments: [String], in folder: String) throws {
    let child = try Child(program, arguments, in: folder)
    while child.isRunning { usleep(1000) }
    child.stop()
}

/// A port of the loopback that nobody listens on.
public func freePort() throws -> UInt16 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let code = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
            bind(descriptor, address, length) == 0 ? getsockname(descriptor, address, &length) : -1
        }
    }
    guard code == 0 else { throw Trouble("there is no free port on the loopback") }
    return UInt16(bigEndian: address.sin_port)
}

/// Waits until something is so, and says what was awaited where it takes too long.
public func wait(_ what: String, seconds: Double = 60, _ isSo: () throws -> Bool) throws {
    let clock = ContinuousClock()
    let deadline = clock.now + .seconds(seconds)
    while try !isSo() {
        guard clock.now < deadline else { throw Trouble("it took longer than \(seconds) s until \(what)") }
        usleep(5000)
    }
}

extension [Double] {
    /// The middle one.
    public var median: Double { isEmpty ? 0 : sorted()[count / 2] }
}

/// A folder for the time of a measurement.
public func withScratch<Result>(_ body: (String) throws -> Result) throws -> Result {
    let folder = NSTemporaryDirectory() + "alertbot-bench-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    return try body(folder)
}
