import AlertModel
import Glibc
import TimeZones

@testable import StatusPage

/// A bot whose answers the test sets.
actor FakeBot: BotView {
    private var messages: [InboxMessage]
    private var state = BotHealth(isAlive: true, isReady: true, sentence: "Watching 3 sources.")
    private var figures = "alertbot_up 1\n"
    private var bells: [AsyncStream<Void>.Continuation] = []
    /// How often somebody asked for what takes long, and for the time.
    private(set) var (listed, timed) = (0, 0)

    /// What whoever asks for the figures waits for.
    private let reading: @Sendable () async -> Void
    /// What an open page waits for.
    private let listing: @Sendable () async -> Void
    /// Where those who asked for open pages wanted that done.
    private(set) var executors: [UnownedTaskExecutor?] = []

    init(
        _ messages: [InboxMessage] = [], reading: @escaping @Sendable () async -> Void = {},
        listing: @escaping @Sendable () async -> Void = {}
    ) {
        self.messages = messages
        self.reading = reading
        self.listing = listing
    }

    func status() -> JSON { ["name": "shop-alerts"] }
    func incidents() -> JSON {
        listed += 1
        return [["id": "3f9a"]]
    }
    func knows(incident id: String) -> Bool { id == "3f9a" }
    func history(limit: Int, failedOnly: Bool) -> JSON { failedOnly ? ["failed": JSON(limit)] : ["limit": JSON(limit)] }
    func mutes() -> JSON { [["id": "a1b2c3"]] }
    func why(app: String?, rule: String?) -> JSON { [["app": JSON(app), "rule": JSON(rule)]] }
    func inboxMessages(limit: Int) async -> [InboxMessage] {
        executors.append(withUnsafeCurrentTask { $0?.unownedTaskExecutor })
        await listing()
        return messages.suffix(limit)
    }
    func metrics() async -> String {
        await reading()
        return figures
    }
    func channels() -> [PageChannel] { .sample }
    func overview(apps: String?) -> Overview { .sample(apps: apps) }
    func openIncidents() -> (listed: [PageIncident], count: Int) { ([.sample()], 1) }
    func incident(_ id: String) -> IncidentStory? { id == "3f9a" ? .sample() : nil }
    func app(_ name: String) -> AppStory? { name == "shop/ios" ? .sample(name) : nil }
    func deliveries(matching words: String?, limit: Int) -> [PageDelivery] {
        let all = [PageDelivery.sample("d-2", isDead: true), .sample("d-1", isDead: false)]
        return all.filter { delivery in words.map(delivery.headline.contains) ?? true }
    }
    func health() -> BotHealth { state }
    func wall() -> WallClock {
        timed += 1
        return .friday
    }

    func inboxBell() -> AsyncStream<Void> {
        let (stream, bell) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        bells.append(bell)
        return stream
    }

    func receive(_ message: InboxMessage) {
        messages.append(message)
        ring()
    }

    func ring() {
        for bell in bells { bell.yield() }
    }

    func become(_ health: BotHealth) { state = health }

    func count(_ figures: String) { self.figures = figures }

    func stop() {
        for bell in bells { bell.finish() }
    }
}

extension WallClock {
    static let friday = WallClock(now: .friday, zone: .utc)
}

extension Page {
    init(botName: String, isInteractive: Bool = true, wall: WallClock = .friday) {
        self = Maker(botName: botName, isInteractive: isInteractive).page(wall)
    }
}

extension [PageChannel] {
    static let sample = [PageChannel(name: "oncall", isInbox: false), PageChannel(name: "page", isInbox: true)]
}

extension InboxMessage {
    static func sample(
        _ id: String, headline: String = "🔴 shop-ios: 98.3 %", lines: [String] = []
    ) -> InboxMessage {
        let at = Moment(milliseconds: 1_795_212_300_000)  // 2026-11-20T22:05:00Z, a Friday
        return InboxMessage(
            id: id,
            channel: "team",
            message: Message(kind: .opened, severity: .critical, at: at, headline: headline, lines: lines),
            at: at
        )
    }
}

extension InboxStory {
    /// The story of the last of the messages.
    static func of(_ messages: InboxMessage...) -> InboxStory { all(in: messages)[all(in: messages).count - 1] }
}

/// Serves the bot at the address while `body` runs; then stops it.
func serving<Result: Sendable>(
    _ bot: FakeBot = FakeBot(),
    control: (any BotControl)? = nil,
    care: (any BotCare)? = nil,
    intake: (any BotIntake)? = nil,
    userHeader: String? = nil,
    token: Secret? = nil,
    at address: StatusServer.Address = .tcp(host: "127.0.0.1", port: 0),
    publicHost: String? = nil,
    limits: Limits = Limits(),
    _ body: (UInt16) async throws -> Result
) async throws -> Result {
    let server = StatusServer(
        address: address,
        view: bot,
        control: control,
        care: care,
        intake: intake,
        keys: KeyRing(.init(userHeader: userHeader, token: token, publicHost: publicHost)),
        botName: "shop-alerts",
        limits: limits
    )
    return try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await server.run() }
        defer { group.cancelAll() }
        return try await body(try await server.waitUntilListening())
    }
}

/// The other end of a connection to the page.
struct Client {
    let connection: Connection
    private(set) var received = ""

    struct CannotConnect: Error { let code: Int32 }

    /// `prepared` is called between making the socket and connecting.
    init(port: UInt16, prepared: (Int32) -> Void = { _ in }) throws {
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = port.bigEndian
        name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        prepared(descriptor)
        let result = withUnsafePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        try self.init(descriptor: descriptor, isConnected: result == 0)
    }

    init(path: String) throws {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        let name = sockaddr_un(path: path)
        try self.init(descriptor: descriptor, isConnected: name?.connect(descriptor) ?? false)
    }

    private init(descriptor: Int32, isConnected: Bool) throws {
        guard isConnected else {
            let code = errno
            close(descriptor)
            throw CannotConnect(code: code)
        }
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        connection = Connection(descriptor: descriptor)
    }

    func send(_ text: String) async throws { try await connection.write(Array(text.utf8)) }

    /// Reads on until the text has come, or to the end when there is no such text; returns all that has been read.
    @discardableResult
    mutating func read(until text: String? = nil) async throws -> String {
        while text.map({ !received.contains($0) }) ?? true {
            let bytes = try await connection.read(bytesMax: 65_536)
            if bytes.isEmpty {
                if text != nil { throw Connection.Gone() }
                break
            }
            received += String(decoding: bytes, as: UTF8.self)
        }
        return received
    }
}

extension Client {
    /// All that comes up to the end of the connection, however that ends.
    mutating func readAll() async -> String {
        _ = try? await read()
        return received
    }
}

struct Reply {
    let status: Int
    let headers: [String: String]
    let body: String

    struct Unreadable: Error { let text: String }

    init(_ text: String) throws {
        let parts = text.split(separator: "\r\n\r\n", maxSplits: 1, omittingEmptySubsequences: false)
        let lines = parts[0].split(separator: "\r\n")
        let start = lines.first?.split(separator: " ") ?? []
        guard parts.count == 2, start.count >= 2, let status = Int(start[1]) else { throw Unreadable(text: text) }
        self.status = status
        body = String(parts[1])
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            let pair = line.split(separator: ":", maxSplits: 1)
            headers[pair[0].lowercased()] = String(pair[1].drop { $0 == " " })
        }
        self.headers = headers
    }
}

/// Sends a request with `Host: localhost` unless it says otherwise, and reads the whole answer.
func ask(
    _ port: UInt16,
    _ path: String,
    method: String = "GET",
    headers: [String] = ["Host: localhost"],
    body: String = ""
) async throws -> Reply {
    let head = ["\(method) \(path) HTTP/1.1"] + headers
    return try await exchange(Client(port: port), head.joined(separator: "\r\n") + "\r\n\r\n" + body)
}

func exchange(_ client: Client, _ text: String) async throws -> Reply {
    var client = client
    defer { client.connection.close() }
    try await client.send(text)
    return try Reply(await client.read())
}
