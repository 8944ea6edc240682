import AlertModel
import Testing

@testable import StatusPage

/// Whoever reads all that the bot knows waits for the one before, and nobody else does.
@Suite(.timeLimit(.minutes(5))) struct ReaderTests {
    private let turnstile = Turnstile()

    private func bot() -> FakeBot { FakeBot(reading: { [turnstile] in await turnstile.pass() }) }

    /// A reader whose request has been read when this returns.
    private func reader(_ port: UInt16) async throws -> Client {
        let client = try Client(port: port)
        try await client.send("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n")
        try await untilAnswered { try await ask(port, "/healthz").status == 200 }
        return client
    }

    /// Asks again where a machine with much else to do cuts what it was too slow for. Returns how often was asked.
    @discardableResult
    private func untilAnswered(_ isAnswered: () async throws -> Bool) async throws -> Int {
        var count = 1
        while true {
            do {
                #expect(try await isAnswered())
                return count
            } catch is Reply.Unreadable {
                count += 1
            } catch is Connection.Gone {
                count += 1
            }
        }
    }

    @Test func `readers are answered one at a time, a few wait, and probes and commands pass them`() async throws {
        var limits = Limits()
        limits.readersMax = 3
        // However slowly a busy machine asks for all of this, nobody has waited too long.
        limits.readerWaitMax = .minutes(4)
        limits.exchangeTimeMax = .minutes(4)
        try await serving(bot(), control: Obedient(), limits: limits) { port in
            var readers = [try await reader(port)]
            await turnstile.waitForFirst()
            for _ in 0..<3 { readers.append(try await reader(port)) }
            for path in ["/metrics", "/", "/api/status", "/incidents/3f9a", "/apps/shop%2Fios"] {
                let refused = try await ask(port, path)
                #expect(refused.status == 503 && refused.headers["retry-after"] == "5", "\(path)")
                #expect(refused.body == "Too many are reading at once; try again in a few seconds.\n")
            }
            for path in ["/healthz", "/readyz", "/style.css"] { #expect(try await ask(port, path).status == 200) }
            let done = try await ask(
                port, "/api/command", method: "POST", headers: ["Host: localhost", "Content-Length: 2"], body: "{}")
            #expect(done.status == 200)
            await turnstile.open()
            for var reader in readers { #expect(try Reply(await reader.read()).status == 200) }
            #expect(await turnstile.passed == 4)
            #expect(await turnstile.atOnce == 1)
            #expect(try await ask(port, "/metrics").status == 200)
        }
    }

    @Test func `for who waited too long to hear an answer none is made`() async throws {
        var limits = Limits()
        limits.exchangeTimeMax = .seconds(3)
        try await serving(bot(), limits: limits) { port in
            var readers = [try await reader(port)]
            await turnstile.waitForFirst()
            for _ in 0..<3 { readers.append(try await reader(port)) }
            for var reader in readers { #expect(await reader.readAll().isEmpty) }
            await turnstile.open()
            let asked = try await untilAnswered { try await ask(port, "/metrics").status == 200 }
            #expect(await turnstile.passed <= 1 + asked)
        }
    }

    @Test func `who has waited too long hears so while there is time to hear it`() async throws {
        var limits = Limits()
        limits.readerWaitMax = .zero
        try await serving(bot(), limits: limits) { port in
            let refused = try await ask(port, "/metrics")
            #expect(refused.status == 503 && refused.headers["retry-after"] == "5")
            #expect(await turnstile.passed == 0)
        }
    }

    @Test func `open pages are served beside the bot, and probes by it`() throws {
        let routes = Routes(
            view: FakeBot(), pages: Page.Maker(botName: "shop-alerts", isInteractive: false), hosts: .any,
            limits: Limits())
        func lane(_ method: String, _ target: String) throws -> Routes.Lane {
            routes.lane(of: try #require(Request(method: method, target: target, fields: [])))
        }
        #expect(try lane("GET", "/events?after=1") == .streams)
        for path in ["/healthz", "/readyz", "/style.css"] { #expect(try lane("GET", path) == .bot) }
        #expect(try lane("GET", "/apps/shop") == .readers)
        #expect(try lane("POST", "/metrics") == .bot)
    }

    @Test func `what programs ask for is refused in their words`() throws {
        let routes = Routes(
            view: FakeBot(),
            api: APIDesk(
                view: FakeBot(), control: Obedient(), gatekeeper: Gatekeeper(KeyRing()),
                limits: Limits()),
            pages: Page.Maker(botName: "shop-alerts", isInteractive: false), hosts: .any, limits: Limits())
        func request(_ method: String, _ target: String) throws -> Request {
            try #require(Request(method: method, target: target, fields: []))
        }
        for name in ["status", "incidents", "history?limit=1", "mutes", "why?app=x"] {
            #expect(routes.lane(of: try request("GET", "/api/v1/\(name)")) == .readers, "\(name)")
        }
        #expect(routes.lane(of: try request("GET", "/api/v1/openapi.json")) == .bot)
        #expect(routes.lane(of: try request("POST", "/api/v1/mutes")) == .bot)
        let refused = routes.crowded(try request("GET", "/api/v1/why"))
        #expect(refused.contentType == "application/json" && refused.status == .serviceUnavailable)
    }
}

/// Lets nobody through until it is opened.
private actor Turnstile {
    private(set) var passed = 0
    private(set) var atOnce = 0
    private var inside = 0
    private var isOpen = false
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private let arrivals = AsyncStream.makeStream(of: Void.self)

    func pass() async {
        passed += 1
        inside += 1
        atOnce = max(atOnce, inside)
        arrivals.continuation.yield()
        // A test that fails before it opens is over all the same.
        await withTaskCancellationHandler {
            if !isOpen { await withCheckedContinuation { waiting.append($0) } }
        } onCancel: {
            Task { await open() }
        }
        inside -= 1
    }

    func waitForFirst() async { for await _ in arrivals.stream { break } }

    func open() {
        isOpen = true
        for continuation in waiting { continuation.resume() }
        waiting = []
    }
}

private struct Obedient: BotControl {
    func obey(_ command: JSON) -> JSON { ["done": true] }
}
