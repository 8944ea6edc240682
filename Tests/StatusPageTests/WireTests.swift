import AlertModel
import Testing

@testable import StatusPage

/// What clients may do to a connection, and what becomes of it.
@Suite(.timeLimit(.minutes(5))) struct WireTests {
    static let get = "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"

    /// What comes back for the bytes, up to the end of the connection.
    func told(_ port: UInt16, _ text: String) async throws -> String {
        var client = try Client(port: port)
        defer { client.connection.close() }
        try await client.send(text)
        return try await client.read()
    }

    // MARK: Heads

    @Test(arguments: [
        "hello world\r\n\r\n", "GET /\r\n\r\n", "GET / HTTP/x\r\n\r\n", "GET / HTTP/1.1\r\nno colon\r\n\r\n",
        "GET * HTTP/1.1\r\nHost: localhost\r\n\r\n", "GET http://localhost/ HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "GET / HTTP/1.1\r\nHost : localhost\r\n\r\n", "GET / HTTP/1.1\r\n Host: localhost\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1x\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n12",
        "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nfifty\r\n",
    ])
    func `what is no HTTP is called so`(text: String) async throws {
        try await serving { port async throws in #expect(try Reply(await told(port, text)).status == 400) }
    }

    @Test(arguments: ["hello\r\n\r\n", "\u{16}\u{3}\u{1}\u{0}\r\n\r\n"])
    func `what has not even the shape of a request is cut`(text: String) async throws {
        try await serving { port async throws in #expect(try await told(port, text) == "") }
    }

    @Test func `other versions are refused, the old one is taken`() async throws {
        try await serving { port async throws in
            #expect(try Reply(await told(port, "GET / HTTP/2.0\r\nHost: localhost\r\n\r\n")).status == 505)
            let old = try Reply(await told(port, "GET /metrics HTTP/1.0\nHost: localhost\n\n"))
            #expect(old.status == 200)
            #expect(old.body == "alertbot_up 1\n")
        }
    }

    @Test func `a head may come in pieces`() async throws {
        try await serving { port async throws in
            var client = try Client(port: port)
            defer { client.connection.close() }
            for piece in ["GET /metr", "ics HTTP/1.1\r\nHost: localhost\r", "\n\r", "\n"] {
                try await client.send(piece)
            }
            #expect(try Reply(await client.read()).body == "alertbot_up 1\n")
        }
    }

    @Test func `a head has a longest length`() async throws {
        try await serving { port async throws in
            let fits = "X: " + String(repeating: "a", count: 16_000)
            #expect(try await ask(port, "/metrics", headers: ["Host: localhost", fits]).status == 200)
            let reply = try await ask(port, "/metrics", headers: ["Host: localhost", fits, "Y: " + fits.prefix(500)])
            #expect(reply.status == 431)
            #expect(reply.body == "The request's head has more than 16384 bytes.\n")
        }
    }

    @Test(arguments: [
        ("GET / HTTP/1.1\r\nHost: localhost\r\nX: ", 431), ("GET /", 414),
    ])
    func `a head that never ends is refused when it has been too long for long`(start: String, status: Int) async throws
    {
        try await serving { port async throws in
            var client = try Client(port: port)
            defer { client.connection.close() }
            try await client.send(start)
            for _ in 0..<40 { try? await client.send(String(repeating: "a", count: 1000)) }
            #expect(try Reply(await client.readAll()).status == status)
        }
    }

    @Test func `no bytes can hurt it`() async throws {
        let seed = UInt64(20_261_120)
        var state = seed
        let marks = Array("GET / HTTP/1.1\r\n\r\n:?&= \t\0%0x".utf8) + [0xFF]
        try await serving(control: Deaf()) { port in
            for round in 0..<500 {
                let bytes = (0..<60).map { _ in
                    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                    return marks[Int(state >> 33) % marks.count]
                }
                var client = try Client(port: port)
                defer { client.connection.close() }
                let start = ["", "GET / HTTP/1.1\r\n", "POST /api/command HTTP/1.1\r\nHost: localhost\r\n"][round % 3]
                try? await client.connection.write(Array(start.utf8) + bytes)
                client.connection.finishWriting()
                _ = await client.readAll()
            }
            #expect(try await ask(port, "/metrics").status == 200, "seed \(seed)")
        }
    }

    // MARK: More than one request, or less

    @Test func `of requests in one go the first is answered, and no more`() async throws {
        try await serving { port async throws in
            let text = try await told(port, Self.get + Self.get + "GET /api/status HTTP/1.1\r\nHost: localhost\r\n\r\n")
            #expect(try Reply(text).body == "alertbot_up 1\n")
            #expect(text.split(separator: "HTTP/1.1 ").count == 1)
        }
    }

    @Test(arguments: ["", "GET /", "GET /metrics HTTP/1.1\r\nHost: localhost\r\n"])
    func `a client that leaves before its request is whole does no harm`(text: String) async throws {
        try await serving { port async throws in
            let client = try Client(port: port)
            try await client.send(text)
            client.connection.close()
            var other = try Client(port: port)
            defer { other.connection.close() }
            try await other.send(text)
            other.connection.finishWriting()
            #expect(try await other.read() == "")
            #expect(try await ask(port, "/metrics").status == 200)
        }
    }

    @Test func `a client that leaves amid a long body holds up nobody`() async throws {
        var limits = Limits()
        limits.connectionsMax = 2
        limits.patience = .seconds(20)
        try await serving(limits: limits) { port async throws in
            for _ in 0..<20 {
                let client = try Client(port: port)
                try await client.send("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 250000\r\n\r\n")
                // Not all is read when its end is here already.
                try await client.send(String(repeating: "x", count: 200_000))
                client.connection.close()
                // Of two places one is taken by whoever is not told to have gone.
                await untilAnswered(port, "/metrics")
            }
        }
    }

    @Test func `a client that has no more to say is answered all the same`() async throws {
        try await serving { port async throws in
            var client = try Client(port: port)
            defer { client.connection.close() }
            try await client.send(Self.get)
            client.connection.finishWriting()
            #expect(try Reply(await client.read()).body == "alertbot_up 1\n")
        }
    }

    @Test func `whoever sends what nobody wants hears the answer after it`() async throws {
        try await serving { port async throws in
            var client = try Client(port: port)
            defer { client.connection.close() }
            try await client.send("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 200000\r\n\r\n")
            for _ in 0..<200 { try await client.send(String(repeating: "x", count: 1000)) }
            #expect(try Reply(await client.read()).status == 405)
        }
    }

    @Test func `whoever asks before sending is told to go on`() async throws {
        try await serving { port async throws in
            var client = try Client(port: port)
            defer { client.connection.close() }
            let head = "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n"
            try await client.send(head)
            try await client.read(until: "HTTP/1.1 100 Continue\r\n\r\n")
            try await client.send("abc")
            #expect(try await client.read().contains("HTTP/1.1 405 "))
        }
    }

    // MARK: Slow clients

    @Test func `a client that never ends its head is shut out`() async throws {
        var limits = Limits()
        limits.exchangeTimeMax = .milliseconds(20)
        try await serving(limits: limits) { port async throws in
            #expect(try await told(port, "GET / HTTP/1.1\r\nHost: localhost\r\n") == "")
            #expect(try await told(port, "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nx") == "")
        }
    }

    @Test func `a client that sends a little now and then has no more time than others`() async throws {
        var limits = Limits()
        limits.exchangeTimeMax = .milliseconds(50)
        try await serving(limits: limits) { port async throws in
            let client = try Client(port: port)
            defer { client.connection.close() }
            try await client.send("GET / HTTP/1.1\r\n")
            // Ends only because the server does not wait for the last byte, but counts from the first.
            while (try? await client.send("X: y\r\n")) != nil { try await Task.sleep(for: .milliseconds(1)) }
        }
    }

    @Test func `a client that does not read its answer is shut out`() async throws {
        var limits = Limits()
        limits.exchangeTimeMax = .milliseconds(20)
        limits.connectionsMax = 1
        let bot = FakeBot()
        // More than the buffers of both ends hold.
        let figures = String(repeating: "x", count: 16 << 20)
        await bot.count(figures)
        try await serving(bot, limits: limits) { port in
            var client = try Client(port: port)
            defer { client.connection.close() }
            try await client.send(Self.get)
            // Its place is free again once the server has given it up.
            await untilAnswered(port, "/healthz")
            #expect(await client.readAll().utf8.count < figures.utf8.count)
        }
    }

    @Test func `connections beyond the limit are told so, and fit again once others have gone`() async throws {
        var limits = Limits()
        limits.connectionsMax = 1
        limits.heartbeat = .seconds(3600)
        limits.patience = .zero
        try await serving(limits: limits) { port async throws in
            var first = try Client(port: port)
            try await first.send("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
            try await first.read(until: "retry")

            var second = try Client(port: port)
            #expect(try Reply(await second.read()).status == 503)
            second.connection.close()

            first.connection.close()
            // The server learns by itself that the first has gone; until then it refuses, perhaps with a reset.
            await untilAnswered(port, "/metrics")
        }
    }

    @Test func `five hundred slow clients keep nobody out for long`() async throws {
        var limits = Limits()
        limits.patience = .zero
        try await serving(limits: limits) { port async throws in
            var slow: [Client] = []
            defer { for client in slow { client.connection.close() } }
            for number in 0..<500 {
                let client = try Client(port: port)
                slow.append(client)
                // Many do not even begin.
                if number.isMultiple(of: 2) { try? await client.send("GET / HTTP/1.1\r\n") }
            }
            for _ in 0..<20 { #expect(try await ask(port, "/metrics").status == 200) }
        }
    }

    @Test func `slow clients have a while before they make room`() async throws {
        var limits = Limits()
        limits.connectionsMax = 1
        limits.patience = .seconds(20)
        try await serving(limits: limits) { port async throws in
            var slow = try Client(port: port)
            defer { slow.connection.close() }
            try await slow.send("GET /metrics HTTP/1.1\r\n")
            var second = try Client(port: port)
            defer { second.connection.close() }
            #expect(try Reply(await second.read()).status == 503)
            try await slow.send("Host: localhost\r\n\r\n")
            #expect(try Reply(await slow.read()).status == 200)
        }
    }

    func untilAnswered(_ port: UInt16, _ path: String) async {
        while (try? await ask(port, path).status) != 200 {}
    }
}

/// Takes no command.
private struct Deaf: BotControl {
    func obey(_ command: JSON) throws -> JSON { throw JSONMismatch(path: "$", expected: "nothing", found: "a command") }
}
