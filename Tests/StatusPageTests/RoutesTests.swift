import AlertModel
import Testing

@testable import StatusPage

@Suite(.timeLimit(.minutes(5))) struct RoutesTests {
    @Test(arguments: [
        ("/", "text/html; charset=utf-8", "<h2>Wrong now</h2>"),
        ("/?apps=shop", "text/html; charset=utf-8", #"value="shop""#),
        ("/inbox", "text/html; charset=utf-8", "No messages yet"),
        ("/history", "text/html; charset=utf-8", "410 Gone"),
        ("/history?q=98.3+%25", "text/html; charset=utf-8", #"value="98.3 %""#),
        ("/incidents", "text/html; charset=utf-8", "<h1>Open incidents</h1>"),
        ("/incidents/3f9a", "text/html; charset=utf-8", "beyond its limit"),
        ("/apps/shop%2Fios", "text/html; charset=utf-8", "How each rule judges it"),
        ("/style.css", "text/css; charset=utf-8", "prefers-color-scheme"),
        ("/app.js", "text/javascript; charset=utf-8", "EventSource"),
        ("/icon.svg", "image/svg+xml", "<svg"),
        ("/api/status", "application/json", #""name": "shop-alerts""#),
        ("/api/incidents", "application/json", #""id": "3f9a""#),
        ("/api/history", "application/json", #""limit": 100"#),
        ("/api/history?limit=1000", "application/json", #""limit": 1000"#),
        ("/metrics", "text/plain; version=0.0.4; charset=utf-8", "alertbot_up 1\n"),
        ("/healthz", "text/plain; charset=utf-8", "Watching 3 sources.\n"),
        ("/readyz", "text/plain; charset=utf-8", "Watching 3 sources.\n"),
    ])
    func `every route answers`(path: String, contentType: String, content: String) async throws {
        try await serving { port in
            let reply = try await ask(port, path)
            #expect(reply.status == 200)
            #expect(reply.headers["content-type"] == contentType)
            #expect(reply.headers["content-length"] == String(reply.body.utf8.count))
            #expect(reply.body.contains(content))
            expectSafe(reply)

            let head = try await ask(port, path, method: "HEAD")
            #expect(head.status == 200)
            // A second may have begun between the two.
            #expect(head.headers.filter { $0.key != "date" } == reply.headers.filter { $0.key != "date" })
            #expect(head.body.isEmpty)
        }
    }

    @Test(arguments: [("/healthz", 0), ("/metrics", 0), ("/style.css", 0), ("/api/v1/reload", 0), ("/inbox", 1)])
    func `only who is shown a page waits for the bot's clock`(path: String, times: Int) async throws {
        let bot = FakeBot()
        let routes = Routes(
            view: bot, pages: Page.Maker(botName: "shop-alerts", isInteractive: false), hosts: .any, limits: Limits())
        _ = await routes.answer(try #require(Request(method: "GET", target: path, fields: [])))
        #expect(await bot.timed == times)
    }

    func expectSafe(_ reply: Reply) {
        let policy = reply.headers["content-security-policy"] ?? ""
        #expect(policy.hasPrefix("default-src 'none'; script-src 'self'; style-src 'self'"))
        #expect(!policy.contains("unsafe"))
        #expect(reply.headers["x-content-type-options"] == "nosniff")
        #expect(reply.headers["referrer-policy"] == "no-referrer")
        #expect(reply.headers["cache-control"] == "no-store")
        #expect(reply.headers["connection"] == "close")
    }

    @Test(arguments: [
        "/incidents/0000", "/incidents/", "/incidents/3f9a/", "/incidents/%2e%2e", "/incidents/3F9A", "/apps/",
        "/apps/other", "/apps/shop/ios",
    ])
    func `what nothing is known of is not there`(path: String) async throws {
        try await serving { port in
            let reply = try await ask(port, path)
            #expect(reply.status == 404)
            #expect(reply.headers["content-type"] == "text/plain; charset=utf-8")
        }
    }

    @Test(arguments: ["/nothing", "/api", "/api/status/", "//", "/../etc/passwd", "/%2e%2e/", "/STYLE.CSS", "*"])
    func `there is nothing else`(path: String) async throws {
        try await serving { port in
            let reply = try await ask(port, path)
            #expect(reply.status == (path == "*" ? 400 : 404))
            expectSafe(reply)
        }
    }

    @Test(arguments: [
        ("/nothing", 404, "./"), ("/incidents/0000", 404, ".././"), ("/a/b/c", 404, "../.././"),
    ])
    func `a browser gets a refusal as a page, with a way home`(path: String, status: Int, home: String) async throws {
        try await serving { port in
            let reply = try await ask(port, path, headers: ["Host: localhost", "Accept: text/html,*/*"])
            #expect(reply.status == status)
            #expect(reply.headers["content-type"] == "text/html; charset=utf-8")
            #expect(reply.body.contains("<h1>Not found</h1>"))
            #expect(reply.body.contains("<a href=\"\(home)\">Overview</a>"))
            expectSafe(reply)
        }
    }

    @Test func `probes and programs get sentences, whatever they accept`() async throws {
        let bot = FakeBot()
        await bot.become(BotHealth(isAlive: false, isReady: false, sentence: "No."))
        try await serving(bot) { port in
            for path in ["/readyz", "/healthz", "/api/nothing"] {
                let reply = try await ask(port, path, headers: ["Host: localhost", "Accept: text/html"])
                #expect(reply.headers["content-type"] == "text/plain; charset=utf-8", "\(path)")
            }
        }
    }

    @Test(arguments: ["POST", "PUT", "DELETE", "OPTIONS", "PATCH", "get"])
    func `nothing can be changed`(method: String) async throws {
        try await serving { port in
            let body = String(repeating: "x", count: 20_000)
            let headers = ["Host: localhost", "Content-Length: \(body.count)"]
            let reply = try await ask(port, "/api/status", method: method, headers: headers, body: body)
            #expect(reply.status == 405)
            #expect(reply.headers["allow"] == "GET, HEAD")
            #expect(try await ask(port, "/nothing", method: method).status == 404)
        }
    }

    @Test(arguments: ["0", "-1", "1001", "x", "", "1e3", "99999999999999999999"])
    func `a limit that is none is refused with a sentence`(limit: String) async throws {
        try await serving { port in
            let reply = try await ask(port, "/api/history?limit=\(limit)")
            #expect(reply.status == 400)
            #expect(reply.body == "limit: found '\(limit)', expected a whole number from 1 to 1000.\n")
        }
    }

    @Test(arguments: [(true, true, 200, 200), (true, false, 200, 503), (false, false, 503, 503)])
    func `probes hear how the bot is`(isAlive: Bool, isReady: Bool, healthz: Int, readyz: Int) async throws {
        let bot = FakeBot()
        await bot.become(BotHealth(isAlive: isAlive, isReady: isReady, sentence: "Reading the journal."))
        try await serving(bot) { port async throws in
            #expect(try await ask(port, "/healthz").status == healthz)
            #expect(try await ask(port, "/readyz").status == readyz)
            #expect(try await ask(port, "/readyz").body == "Reading the journal.\n")
        }
    }

    @Test func `the page is complete without a script and hostile words are harmless in it`() async throws {
        try await serving(FakeBot([.sample("d-1", headline: "<script>alert(1)</script>")])) { port in
            let reply = try await ask(port, "/inbox")
            #expect(reply.body.contains(#">&lt;script&gt;alert(1)&lt;/script&gt;</h2>"#))
            #expect(!reply.body.contains("<script>alert"))
        }
    }

    // MARK: Whom it answers

    @Test(arguments: [
        ("localhost", 200), ("localhost:8480", 200), ("LocalHost", 200), ("127.0.0.1:1", 200), ("[::1]", 200),
        ("[::1]:8480", 200), ("alerts.example.com", 200), ("alerts.example.com:443", 200), ("evil.example", 421),
        ("evil.example:8480", 421), ("127.0.0.1.evil.example", 421), ("localhost.evil.example", 421), ("::1", 421),
        ("", 421), ("evil.example:localhost", 421), ("127.0.0.2", 421),
    ])
    func `a loopback address answers only to its names`(host: String, status: Int) async throws {
        try await serving(publicHost: "alerts.example.com") { port in
            let reply = try await ask(port, "/api/status", headers: ["Host: \(host)"])
            #expect(reply.status == status)
            #expect(reply.body.contains("shop-alerts") == (status == 200))
        }
    }

    @Test func `another public URL is a name of the bot at once, and the one before is none any more`() throws {
        let ring = KeyRing(.init(publicHost: "alerts.example.com"))
        let rule = HostRule.loopback(listenHost: "127.0.0.1", ring)
        func answers(_ host: String) throws -> Bool {
            let request = try #require(
                Request(method: "GET", target: "/", fields: [Request.Field(name: "host", value: host)]))
            return rule.refusal(of: request) == nil
        }
        func takesForms(from origin: String) throws -> Bool {
            let request = try #require(
                Request(method: "POST", target: "/ack", fields: [Request.Field(name: "origin", value: origin)]))
            return Gatekeeper(ring).isOurs(request)
        }
        let old = "alerts.example.com", new = "new.example.com"
        #expect(try answers(old) && !answers(new) && takesForms(from: "https://\(old)"))
        ring.replace(with: .init(publicHost: "New.example.com"))
        #expect(try answers(new) && !answers(old) && answers("localhost"))
        #expect(try takesForms(from: "https://\(new)") && !takesForms(from: "https://\(old)"))
    }

    @Test func `a request must name one host`() async throws {
        try await serving { port async throws in
            #expect(try await ask(port, "/", headers: []).status == 400)
            #expect(try await ask(port, "/", headers: ["Host: localhost", "Host: localhost"]).status == 400)
        }
    }

    @Test func `an address for the whole network answers to any name`() async throws {
        try await serving(at: .tcp(host: "0.0.0.0", port: 0)) { port async throws in
            #expect(try await ask(port, "/", headers: ["Host: alerts.example.com"]).status == 200)
        }
    }
}
