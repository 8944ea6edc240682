internal import AlertModel
internal import Dispatch
internal import Glibc
internal import PluginKit
internal import StatusPage
internal import Synchronization

extension FuzzTarget {
    /// What arrives at the page and the control socket: each client is answered once or not at all, and is let go.
    static let http = FuzzTarget(
        "http",
        seeds: [
            "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
            "GET /api/history?limit=20&failed=1 HTTP/1.1\r\nHost: [::1]:8480\r\nAccept: */*\r\n\r\n",
            "GET /why?app=shop%2Fios&rule=a+b HTTP/1.0\r\n\r\n",
            "POST /api/command HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 15\r\n\r\n"
                + #"{"command":"x"}"#,
            "POST /api/v1/mutes HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost\r\nContent-Type: application/json\r\n"
                + "Transfer-Encoding: chunked\r\n\r\n5\r\n{\"for\r\n7\r\n\":\"1h\"}\r\n0\r\n\r\n",
            "POST /incidents/3f9a/mute HTTP/1.1\r\nHost: localhost\r\nSec-Fetch-Site: cross-site\r\n"
                + "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 9\r\n\r\nfor=1h&a=",
            "POST /api/v1/observations HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer x\r\nExpect: 100-continue\r\n"
                + "Content-Length: 2\r\n\r\n{}",
        ],
        words: [
            "\r\n", "\r\n\r\n", "Host: localhost", "Content-Length: ", "Transfer-Encoding: chunked", "0\r\n\r\n",
            "HTTP/1.1", "/api/v1/", "/events", "/metrics", "/apps/", "/incidents/", "Origin: null", "%00", "?limit=",
            "HEAD ",
            "Connection: keep-alive", "Expect: 100-continue",
        ]
    ) { bytes in
        // Events go on until somebody has enough of them.
        guard bytes.firstRange(of: Array("/events".utf8)) == nil else { return nil }
        guard let face = Face.only else { return "the server could not be started" }
        guard let answer = face.answer(bytes) else { return "no end of the connection within \(Face.patience.short)" }
        let text = String(decoding: answer, as: UTF8.self)
        guard !text.isEmpty else { return nil }
        guard text.hasPrefix("HTTP/1.1 ") else { return "an answer that is none: \(text.prefix(80))" }
        let status = text.dropFirst("HTTP/1.1 ".count).prefix(3)
        return Int(status).map { (100..<600).contains($0) } ?? false ? nil : "the status \(status)"
    }
}

/// A server at a socket of its own, for as long as the process lives.
private struct Face: Sendable {
    static let only = Face()
    /// Longer than a busy machine takes, and shorter than the fuzzer waits.
    static let patience = Duration.seconds(20)

    private let path: String

    private init?() {
        var template = Array("/tmp/alertbot-fuzz-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { return nil }
        let folder = String(decoding: template.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        path = folder + "/s"
        let server = StatusServer(
            address: .unix(path: path), view: Blank(), control: Deaf(), api: Deaf(),
            keys: KeyRing(.init(token: Secret("t0ken"))), botName: "shop-alerts")
        let isListening = DispatchSemaphore(value: 0)
        Task.detached { try await server.run() }
        Task.detached {
            _ = try? await server.waitUntilListening()
            isListening.signal()
        }
        atexit { Face.only?.leave() }
        guard isListening.wait(timeout: .now() + .seconds(20)) == .success else { return nil }
    }

    /// Takes its socket away at the end of the process.
    private func leave() {
        unlink(path)
        rmdir(String(path.dropLast(2)))
    }

    /// What the server says to somebody who says this and no more; nil when it does not let go.
    func answer(_ bytes: [UInt8]) -> [UInt8]? {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        guard isConnected else { return nil }
        // What is sent after the server has let go is lost, as it may be.
        _ = bytes.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        shutdown(descriptor, Int32(SHUT_WR))
        var answer: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let found = poll(&ready, 1, Int32(Face.patience / .milliseconds(1)))
            // The fuzzer looks at its watch by a signal, every sixteen seconds.
            if found < 0, errno == EINTR { continue }
            guard found > 0 else { return nil }
            let got = recv(descriptor, &buffer, buffer.count, 0)
            if got < 0, errno == EINTR { continue }
            guard got > 0 else { return answer }
            answer += buffer[..<got]
        }
    }
}

/// A bot that knows nothing.
private struct Blank: BotView {
    func status() -> JSON { [:] }
    func incidents() -> JSON { [] }
    func knows(incident id: String) -> Bool { false }
    func history(limit: Int, failedOnly: Bool) -> JSON { ["limit": JSON(limit)] }
    func mutes() -> JSON { [] }
    func why(app: String?, rule: String?) -> JSON { [["app": JSON(app), "rule": JSON(rule)]] }
    func inboxMessages(limit: Int) -> [InboxMessage] { [] }
    func channels() -> [PageChannel] { [] }
    func overview(apps: String?) -> Overview { Overview() }
    func openIncidents() -> (listed: [PageIncident], count: Int) { ([], 0) }
    func incident(_ id: String) -> IncidentStory? { nil }
    func app(_ name: String) -> AppStory? { nil }
    func deliveries(matching words: String?, limit: Int) -> [PageDelivery] { [] }
    func inboxBell() -> AsyncStream<Void> { AsyncStream { $0.finish() } }
    func metrics() -> String { "alertbot_up 1\n" }
    func wall() -> WallClock { WallClock(now: Moment(milliseconds: 0), zone: .utc) }
    func health() -> BotHealth { BotHealth(isAlive: true, isReady: true, sentence: "") }
}

/// Somebody who takes every command and does nothing.
private struct Deaf: BotControl {
    func obey(_ command: JSON) async throws -> JSON { ["done": true, "sentence": "", "details": [:]] }
}
