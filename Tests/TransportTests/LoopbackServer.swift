import CCurl
import Glibc
import Synchronization
import Testing

@testable import Transport

/// A scripted HTTP server on loopback, or on a unix socket: the script says, per connection, what to read and send.
///
/// Every connection has a thread of its own, which ends when the script returns; the script ends when its peer closes.
final class LoopbackServer: Sendable {
    let port: UInt16
    private let listener: Int32
    private let connections: Counter

    var connectionsCount: Int { connections.value }
    func url(_ path: String = "/", scheme: String = "http") -> String { "\(scheme)://127.0.0.1:\(port)\(path)" }

    init(unixSocketPath: String? = nil, _ script: @escaping @Sendable (Connection) -> Void) throws {
        let connections = Counter()
        let listener: Int32
        if let unixSocketPath {
            listener = try Socket.bound(toPath: unixSocketPath)
            port = 0
        } else {
            (listener, port) = try Socket.boundToLoopback()
        }
        try #require(listen(listener, 256) == 0)
        self.listener = listener
        self.connections = connections
        let code = startThread {
            while true {
                let socket = accept(listener, nil, nil)
                guard socket >= 0 else { break }
                let connection = Connection(socket: socket, number: connections.next())
                let code = startThread {
                    script(connection)
                    close(socket)
                }
                if code != 0 { close(socket) }
            }
            close(listener)
        }
        try #require(code == 0)
    }

    /// A server that answers every request with what `answer` makes of it, and keeps its connections.
    static func answering(_ answer: @escaping @Sendable (ReceivedRequest) -> String) throws -> LoopbackServer {
        try LoopbackServer { connection in
            while let request = connection.readRequest() {
                guard connection.send(answer(request)) else { return }
            }
        }
    }

    /// A server that answers every request with these bytes and closes.
    static func sending(_ bytes: [UInt8]) throws -> LoopbackServer {
        try LoopbackServer { connection in
            guard connection.readRequest() != nil else { return }
            _ = connection.send(bytes)
        }
    }

    // The thread that accepts owns the socket; this ends its waiting.
    deinit { shutdown(listener, Int32(SHUT_RDWR)) }
}

/// A whole answer with its length.
func answer(_ body: String = "ok", status: String = "200 OK", headers: [String] = []) -> String {
    let lines = ["HTTP/1.1 \(status)", "Content-Length: \(body.utf8.count)"] + headers
    return lines.joined(separator: "\r\n") + "\r\n\r\n" + body
}

struct ReceivedRequest: Sendable {
    let line: String
    let headers: [(name: String, value: String)]
    let body: [UInt8]

    func header(_ name: String) -> String? { headers.first { $0.name.lowercased() == name }?.value }
}

/// The server's end of a connection.
struct Connection: Sendable {
    let socket: Int32
    /// 1 for the first that was accepted.
    let number: Int

    func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    /// False when the peer is gone.
    func send(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// The next request with its whole body; nil when the peer is gone.
    func readRequest() -> ReceivedRequest? {
        var head: [UInt8] = []
        while !head.reversed().starts(with: [10, 13, 10, 13]) {
            guard let byte = read(1) else { return nil }
            head += byte
        }
        let lines = String(decoding: head, as: UTF8.self).split(separator: "\r\n").map(String.init)
        let headers = lines.dropFirst().map { line in
            let colon = line.firstIndex(of: ":") ?? line.endIndex
            return (name: String(line[..<colon]), value: String(line[colon...].dropFirst()).trimmingSpace)
        }
        let length = headers.first { $0.name.lowercased() == "content-length" }.flatMap { Int($0.value) } ?? 0
        guard let body = length == 0 ? [] : read(length) else { return nil }
        return ReceivedRequest(line: lines.first ?? "", headers: headers, body: body)
    }

    func read(_ count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let got = bytes.withUnsafeMutableBytes {
                recv(socket, $0.baseAddress?.advanced(by: filled), count - filled, 0)
            }
            guard got > 0 else { return nil }
            filled += got
        }
        return bytes
    }

    /// What comes in one piece.
    func readPiece() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 128 << 10)
        let count = bytes.withUnsafeMutableBytes { recv(socket, $0.baseAddress, $0.count, 0) }
        return Array(bytes.prefix(max(count, 0)))
    }

    /// Reads on until the peer closes.
    func waitForClose() {
        while read(1) != nil {}
    }

    /// Makes the coming close a reset instead of an orderly end.
    func willReset() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(socket, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }

    /// Sends a piece again and again, one every few milliseconds, until the peer closes.
    func drip(_ piece: String) {
        var waiting = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        while send(piece) {
            if poll(&waiting, 1, 5) > 0 { return }
        }
    }
}

enum Socket {
    static func boundToLoopback() throws -> (socket: Int32, port: UInt16) {
        let number = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        try #require(number >= 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(number, $0, size) == 0 ? getsockname(number, $0, &size) : -1
            }
        }
        try #require(code == 0)
        return (number, UInt16(bigEndian: address.sin_port))
    }

    static func bound(toPath path: String) throws -> Int32 {
        let number = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        try #require(number >= 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let code = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(number, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(code == 0)
        return number
    }
}

/// Counts, from any thread.
final class Counter: Sendable {
    private let count = Atomic(0)

    var value: Int { count.load(ordering: .sequentiallyConsistent) }
    @discardableResult func next() -> Int { count.add(1, ordering: .sequentiallyConsistent).newValue }
}

/// Lets tasks wait for something that happens on any thread, once.
final class Signal: Sendable {
    private enum State {
        case waiting([CheckedContinuation<Void, Never>])
        case given
    }

    private let state = Mutex(State.waiting([]))

    func give() {
        let waiters: [CheckedContinuation<Void, Never>] = state.withLock { state in
            guard case .waiting(let waiters) = state else { return [] }
            state = .given
            return waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    func wait() async {
        await withCheckedContinuation { continuation in
            let isGiven = state.withLock { state in
                guard case .waiting(let waiters) = state else { return true }
                state = .waiting(waiters + [continuation])
                return false
            }
            if isGiven { continuation.resume() }
        }
    }
}

extension String {
    fileprivate var trimmingSpace: String { String(drop { $0 == " " }) }
}
