internal import Foundation
internal import Programs
internal import Synchronization

/// Sources that name a new app with every answer, and webhooks that note when they hear of it. A thread a connection,
/// so that nothing waits for anything else here.
final class World: Sendable {
    let port: UInt16
    private let stormApps: Int
    private let memory = Mutex(Memory())

    private struct Memory {
        /// Polls of each path.
        var polls: [String: Int] = [:]
        /// When an app's source answered.
        var answered: [String: Double] = [:]
        var delays: [Double] = []
    }

    init(stormApps: Int) throws {
        self.stormApps = stormApps
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
    static func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// Forgets what was measured so far.
    func begin() { memory.withLock { $0.delays = [] } }

    /// Seconds from each source's answer to the arrival of its message.
    var delays: [Double] { memory.withLock(\.delays) }

    private func serve(_ connection: Int32) {
        defer { close(connection) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            while let request = Request(taking: &bytes) {
                let arrived = World.now()
                guard answer(request, arrived, connection) else { return }
            }
            let count = read(connection, &buffer, buffer.count)
            guard count > 0 else { return }
            bytes += buffer[..<count]
        }
    }

    private func answer(_ request: Request, _ arrived: Double, _ connection: Int32) -> Bool {
        guard request.isPost else {
            let (body, app) = body(of: request.path)
            return send(body, on: connection) {
                if let app { self.memory.withLock { $0.answered[app] = World.now() } }
            }
        }
        if let app = request.app {
            memory.withLock { memory in
                guard let begun = memory.answered.removeValue(forKey: app) else { return }
                memory.delays.append(arrived - begun)
            }
        }
        return send("", on: connection) {}
    }

    private func body(of path: String) -> (text: String, app: String?) {
        let number = memory.withLock { memory in
            memory.polls[path, default: 0] += 1
            return memory.polls[path, default: 0]
        }
        func row(_ app: String) -> String { #"{"app":"\#(app)","users":9000,"crashed":500}"# }
        guard path != "/storm" else {
            let rows = (0..<stormApps).map { row("storm-\(number)-\($0)") }
            return (#"{"rows":[\#(rows.joined(separator: ","))]}"#, nil)
        }
        let app = "probe-\(path.dropFirst())-\(number)"
        return (#"{"rows":[\#(row(app))]}"#, app)
    }

    /// Sends an answer; `before` is what is done when all of it is ready to leave.
    private func send(_ body: String, on connection: Int32, before: () -> Void) -> Bool {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
        let bytes = Array((head + body).utf8)
        before()
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes { write(connection, $0.baseAddress, $0.count) }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }
}

/// One request, as much of it as is needed here.
private struct Request {
    let isPost: Bool
    let path: String
    /// The app that a message is about.
    let app: String?

    /// Takes the first whole request off the bytes that have come; nil while there is none.
    init?(taking bytes: inout [UInt8]) {
        guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
        let head = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
        let lines = head.split(separator: "\r\n")
        let words = lines.first?.split(separator: " ") ?? []
        let length =
            lines.first { $0.lowercased().hasPrefix("content-length:") }
            .flatMap { Int($0.split(separator: ":")[1].trimmingCharacters(in: .whitespaces)) } ?? 0
        guard words.count > 1, bytes.count >= end.upperBound + length else { return nil }
        isPost = words[0] == "POST"
        path = String(words[1])
        let body = String(decoding: bytes[end.upperBound..<end.upperBound + length], as: UTF8.self)
        app = body.firstMatch(of: /probe-s\d+-\d+/).map { String($0.0) }
        bytes.removeSubrange(..<(end.upperBound + length))
    }
}
