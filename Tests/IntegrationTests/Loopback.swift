import BotHarness
import Foundation
import Glibc

/// Sockets on 127.0.0.1, and as much HTTP as tests need.
enum Loopback {
    static func listen(on port: UInt16) throws -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        let bound = withAddress(port) { bind(descriptor, $0, $1) }
        guard descriptor >= 0, bound == 0, Glibc.listen(descriptor, 64) == 0 else {
            close(descriptor)
            throw TooLate("127.0.0.1:\(port) could be listened on: \(String(cString: strerror(errno)))")
        }
        return descriptor
    }

    static func port(of descriptor: Int32) -> UInt16 {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        return UInt16(bigEndian: address.sin_port)
    }

    /// A port that was free a moment ago, for servers that are told theirs.
    static func freePort() throws -> UInt16 {
        let descriptor = try listen(on: 0)
        defer { close(descriptor) }
        return port(of: descriptor)
    }

    /// A connection to a server, for whoever says in his own way what he wants.
    static func open(_ port: UInt16) throws -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0, withAddress(port, { connect(descriptor, $0, $1) }) == 0 else {
            close(descriptor)
            throw TooLate("127.0.0.1:\(port) could be connected to: \(String(cString: strerror(errno)))")
        }
        return descriptor
    }

    /// The same to a socket that is a file; nil where nobody takes it at once.
    static func open(path: String) -> Int32? {
        let type = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
        let descriptor = socket(AF_UNIX, Int32(type), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        if !isConnected { close(descriptor) }
        return isConnected ? descriptor : nil
    }

    fileprivate static func withAddress<Result>(
        _ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    // MARK: bytes

    /// Whether there is something to read before the other one has; without end.
    static func isReadable(_ descriptor: Int32, unless stop: Int32) -> Bool {
        var wanted = [
            pollfd(fd: stop, events: Int16(POLLIN), revents: 0),
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
        ]
        while poll(&wanted, nfds_t(wanted.count), -1) < 0, errno == EINTR {}
        return wanted[0].revents == 0
    }

    static func isReadable(_ descriptor: Int32, within wait: Duration) -> Bool {
        var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&wanted, 1, Int32(wait / .milliseconds(1))) > 0
    }

    /// The next bytes; nil at the end or when the other one is readable.
    static func receive(_ descriptor: Int32, unless stop: Int32) -> [UInt8]? {
        guard isReadable(descriptor, unless: stop) else { return nil }
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        let got = recv(descriptor, &buffer, buffer.count, 0)
        return got > 0 ? Array(buffer[..<got]) : nil
    }

    static func send(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let sent = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard sent > 0 else { return false }
            rest = rest.dropFirst(sent)
        }
        return true
    }

    // MARK: requests

    private static func headEnd(_ bytes: [UInt8]) -> Int? {
        Data(bytes).range(of: Data("\r\n\r\n".utf8))?.upperBound
    }

    private static func headers(_ head: some Collection<UInt8>) -> (first: String, [(name: String, value: String)]) {
        let lines = String(decoding: head, as: UTF8.self).split(separator: "\r\n")
        let headers = lines.dropFirst().map { line -> (name: String, value: String) in
            let parts = line.split(separator: ":", maxSplits: 1)
            return (String(parts[0]), parts.count > 1 ? parts[1].trimmingCharacters(in: .whitespaces) : "")
        }
        return (lines.first.map(String.init) ?? "", headers)
    }

    /// How many bytes the first request has; nil until its head is complete.
    static func requestLength(_ bytes: [UInt8]) -> Int? {
        guard let end = headEnd(bytes) else { return nil }
        let length = headers(bytes[..<end]).1.first { $0.name.lowercased() == "content-length" }
        return end + (length.flatMap { Int($0.value) } ?? 0)
    }

    static func request(_ bytes: [UInt8]) -> LoopbackServer.Request? {
        guard let end = headEnd(bytes) else { return nil }
        let (first, headers) = headers(bytes[..<end])
        let words = first.split(separator: " ").map(String.init)
        guard words.count == 3 else { return nil }
        return LoopbackServer.Request(
            method: words[0], target: words[1], headers: headers, body: Array(bytes[end...]), number: 0, at: .now)
    }

    // MARK: asking

    struct Answer: Sendable {
        let status: Int
        let headers: [(name: String, value: String)]
        let text: String
        var json: JSONTree { (try? JSONTree(parsing: text)) ?? .null }
        func header(_ name: String) -> String? { headers.first { $0.name.lowercased() == name.lowercased() }?.value }
    }

    /// Asks a server on loopback; blocks, so only for threads that may. Nil when there is no usable answer.
    static func ask(
        _ port: UInt16, _ method: String, _ target: String, headers: [String: String] = [:], body: String = "",
        within wait: Duration = .seconds(20)
    ) -> Answer? {
        guard let descriptor = try? open(port) else { return nil }
        defer { close(descriptor) }
        // Of version 1.0, so that the end of the answer is the end of the connection.
        var head = "\(method) \(target) HTTP/1.0\r\nHost: 127.0.0.1:\(port)\r\nContent-Length: \(body.utf8.count)\r\n"
        for (name, value) in headers { head += "\(name): \(value)\r\n" }
        guard send(Array((head + "\r\n" + body).utf8), to: descriptor) else { return nil }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while isReadable(descriptor, within: wait) {
            let got = recv(descriptor, &buffer, buffer.count, 0)
            guard got > 0 else { break }
            bytes += buffer[..<got]
        }
        guard let end = headEnd(bytes) else { return nil }
        let (first, answered) = self.headers(bytes[..<end])
        guard let status = first.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else { return nil }
        return Answer(status: status, headers: answered, text: String(decoding: bytes[end...], as: UTF8.self))
    }
}

/// A port of 127.0.0.1 that is taken, and where nobody listens: whoever connects is refused for as long as it lives.
final class DeafPort: Sendable {
    let number: UInt16
    private let descriptor: Int32

    init() throws {
        // Without SO_REUSEADDR, so that nobody else is given it.
        let taken = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard taken >= 0, Loopback.withAddress(0, { bind(taken, $0, $1) }) == 0 else {
            close(taken)
            throw TooLate("a port of 127.0.0.1 could be taken: \(String(cString: strerror(errno)))")
        }
        descriptor = taken
        number = Loopback.port(of: descriptor)
    }

    deinit { close(descriptor) }
}
