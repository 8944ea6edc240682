internal import Foundation

/// A server on the loopback with a thread for each connection, so that nothing waits for anything else here.
public final class LoopbackServer: Sendable {
    public let port: UInt16
    private let reply: @Sendable (Request) -> Reply

    /// One request, as much of it as is needed here.
    public struct Request: Sendable {
        public let isPost: Bool
        public let path: String
        public let body: String
        /// When all of it had come, in seconds of `now`.
        public let arrived: Double
    }

    public struct Reply: Sendable {
        let body: String
        let whenReady: @Sendable () -> Void

        /// - Parameter whenReady: what is done when all of it is about to leave.
        public init(_ body: String = "", whenReady: @escaping @Sendable () -> Void = {}) {
            self.body = body
            self.whenReady = whenReady
        }
    }

    public init(_ reply: @escaping @Sendable (Request) -> Reply) throws {
        self.reply = reply
        port = try freePort()
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard code == 0, listen(listener, 512) == 0 else { throw Trouble("port \(port) cannot be listened on") }
        Thread.detachNewThread { [weak self] in
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { return }
                var isOn: Int32 = 1
                setsockopt(connection, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, socklen_t(MemoryLayout<Int32>.size))
                Thread.detachNewThread { [weak self] in self?.serve(connection) }
            }
        }
    }

    /// Seconds of a clock that nobody sets.
    public static func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    private func serve(_ connection: Int32) {
        defer { close(connection) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            while let request = Request(taking: &bytes) {
                guard send(reply(request), on: connection) else { return }
            }
            let count = read(connection, &buffer, buffer.count)
            guard count > 0 else { return }
            bytes += buffer[..<count]
        }
    }

    private func send(_ reply: Reply, on connection: Int32) -> Bool {
        let length = reply.body.utf8.count
        let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: \(length)\r\n\r\n"
        let bytes = Array((head + reply.body).utf8)
        reply.whenReady()
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes { write(connection, $0.baseAddress, $0.count) }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }
}

extension LoopbackServer.Request {
    /// Takes the first whole request off the bytes that have come; nil while there is none.
    fileprivate init?(taking bytes: inout [UInt8]) {
        guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
        let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n")
        let words = lines.first?.split(separator: " ") ?? []
        let length =
            lines.first { $0.lowercased().hasPrefix("content-length:") }
            .flatMap { Int($0.split(separator: ":")[1].trimmingCharacters(in: .whitespaces)) } ?? 0
        guard words.count > 1, bytes.count >= end.upperBound + length else { return nil }
        isPost = words[0] == "POST"
        path = String(words[1])
        body = String(decoding: bytes[end.upperBound..<end.upperBound + length], as: UTF8.self)
        arrived = LoopbackServer.now()
        bytes.removeSubrange(..<(end.upperBound + length))
    }
}
