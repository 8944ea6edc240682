import AlertModel
import Testing

@testable import StatusPage

@Suite(.timeLimit(.minutes(5))) struct EventStreamTests {
    func listen(_ port: UInt16, path: String = "/events", _ headers: String = "") async throws -> Client {
        let client = try Client(port: port)
        try await client.send("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\(headers)\r\n")
        return client
    }

    /// The ids of the messages in what a client has read.
    func ids(_ text: String) -> [String] {
        text.split(separator: "\n").filter { $0.hasPrefix("id: ") }.map { String($0.dropFirst(4)) }
    }

    @Test func `a stream begins with its head and the bot's state`() async throws {
        try await serving { port in
            var client = try await listen(port)
            defer { client.connection.close() }
            let reply = try Reply(await client.read(until: "</p>\n\n"))
            #expect(reply.status == 200)
            #expect(reply.headers["content-type"] == "text/event-stream")
            #expect(reply.headers["cache-control"] == "no-store")
            #expect(reply.headers["content-length"] == nil)
            #expect(reply.body.hasPrefix("retry: 3000\n\nevent: health\ndata: <p class=\"state live\">"))
        }
    }

    @Test(arguments: [
        ("/events", "Last-Event-ID: b\r\n", ["c", "d"]),
        ("/events?after=b", "", ["c", "d"]),
        ("/events?after=a", "Last-Event-ID: c\r\n", ["d"]),
        ("/events?after=c", "", ["d"]),
        ("/events", "", ["a", "b", "c", "d"]),
        ("/events?after=forgotten", "", ["a", "b", "c", "d"]),
    ])
    func `nothing is missed and nothing comes twice`(path: String, headers: String, expected: [String]) async throws {
        let bot = FakeBot([.sample("a"), .sample("b"), .sample("c")])
        try await serving(bot) { port in
            var client = try await listen(port, path: path, headers)
            defer { client.connection.close() }
            try await client.read(until: "event: health")
            await bot.receive(.sample("d"))
            let text = try await client.read(until: "id: d\nevent: message\ndata: <li class=\"message")
            #expect(ids(text) == expected)
        }
    }

    @Test func `messages come as they arrive, to everybody who listens`() async throws {
        var limits = Limits()
        limits.ringInterval = .zero
        let bot = FakeBot()
        try await serving(bot, limits: limits) { port in
            var clients = [try await listen(port), try await listen(port)]
            defer { for client in clients { client.connection.close() } }
            for index in clients.indices { try await clients[index].read(until: "event: health") }
            for id in ["a", "b", "c"] {
                await bot.receive(.sample(id, headline: "<b>two\nlines</b>"))
                for index in clients.indices { try await clients[index].read(until: "id: \(id)\n") }
            }
            for index in clients.indices {
                let text = try await clients[index].read(until: "id: c\nevent: message\ndata: <li")
                #expect(ids(text) == ["a", "b", "c"])
                #expect(text.contains("&lt;b&gt;two lines&lt;/b&gt;"))
                #expect(!text.contains("<b>two"))
            }
        }
    }

    @Test func `what the bot does within a second wakes a stream once`() async throws {
        var limits = Limits()
        limits.ringInterval = .seconds(3600)
        limits.heartbeat = .seconds(3600)
        let bot = FakeBot()
        var client = try await serving(bot, limits: limits) { port in
            var client = try await listen(port)
            try await client.read(until: "event: health")
            await bot.receive(.sample("a"))
            try await client.read(until: "id: a\n")
            await bot.receive(.sample("b"))
            // While all these are answered, a stream that wakes at once would have sent it.
            for _ in 0..<20 { #expect(try await ask(port, "/metrics").status == 200) }
            return client
        }
        defer { client.connection.close() }
        #expect(ids(await client.readAll()) == ["a"])
    }

    @Test func `a silent stream stays alive and tells when the bot's state changes`() async throws {
        var limits = Limits()
        limits.heartbeat = .milliseconds(1)
        let bot = FakeBot()
        try await serving(bot, limits: limits) { port in
            var client = try await listen(port)
            defer { client.connection.close() }
            let text = try await client.read(until: "\n\nevent: alive\ndata:\n\nevent: alive\ndata:\n\n")
            #expect(text.split(separator: "event: health").count == 2)
            await bot.become(BotHealth(isAlive: true, isReady: false, sentence: "Paused."))
            try await client.read(until: "event: health\ndata: <p class=\"state unready\">")
        }
    }

    @Test func `what the bot does wakes a stream, but sends nothing where it is no news`() async throws {
        var limits = Limits()
        limits.ringInterval = .zero
        limits.heartbeat = .seconds(3600)
        let bot = FakeBot()
        try await serving(bot, limits: limits) { port in
            var client = try await listen(port)
            defer { client.connection.close() }
            try await client.read(until: "event: health")
            for _ in 0..<5 {
                await bot.ring()
                #expect(try await ask(port, "/metrics").status == 200)
            }
            await bot.receive(.sample("a"))
            let text = try await client.read(until: "id: a\n")
            #expect(!text.contains("event: alive"))
        }
    }

    @Test func `who comes and goes has a place for as long as something is done for it`() async throws {
        var limits = Limits()
        limits.streamsMax = 1
        let (held, door) = AsyncStream.makeStream(of: Void.self)
        let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)
        let bot = FakeBot(listing: {
            arrival.yield()
            for await _ in held {}
        })
        func status(_ port: UInt16) async throws -> Int {
            var client = try await listen(port)
            defer { client.connection.close() }
            return try Reply(await client.read(until: "\n") + "\r\n\r\n").status
        }
        try await serving(bot, limits: limits) { port in
            let first = try await listen(port)
            for await _ in arrivals { break }
            first.connection.close()
            for _ in 0..<50 { #expect(try await status(port) == 503) }
            #expect(try await ask(port, "/healthz").status == 200)
            door.finish()
            while try await status(port) != 200 {}
        }
    }

    @Test func `the bot answers open pages where it works, and not on the thread that they share`() async throws {
        let bot = FakeBot([.sample("a")])
        try await serving(bot) { port in
            var client = try await listen(port)
            try await client.read(until: "id: a\n")
            client.connection.close()
        }
        let usual = globalConcurrentExecutor.asUnownedTaskExecutor()
        let executors = await bot.executors
        #expect(!executors.isEmpty && executors.allSatisfy { $0 == usual })
    }

    @Test func `open streams are bounded and leave room for other requests`() async throws {
        var limits = Limits()
        limits.streamsMax = 1
        limits.heartbeat = .seconds(3600)
        try await serving(limits: limits) { port in
            var first = try await listen(port)
            try await first.read(until: "retry")
            let refused = try await ask(port, "/events")
            #expect(refused.status == 503)
            #expect(refused.body == "Too many pages are open; close some of them.\n")
            #expect(try await ask(port, "/metrics").status == 200)
            let head = try await ask(port, "/events", method: "HEAD")
            #expect(head.status == 200 && head.headers["content-length"] == nil)

            first.connection.close()
            // The server learns by itself that the first has gone; until then it refuses.
            while true {
                var next = try await listen(port)
                defer { next.connection.close() }
                if let text = try? await next.read(until: "\n\n"), try Reply(text + "\r\n\r\n").status == 200 { break }
            }
        }
    }

    @Test func `a stream ends when the bot stops`() async throws {
        let bot = FakeBot([.sample("a")])
        try await serving(bot) { port in
            var client = try await listen(port)
            defer { client.connection.close() }
            try await client.read(until: "id: a")
            await bot.stop()
            try await client.read()
        }
    }

    @Test func `a stream ends when the server is stopped`() async throws {
        var client = try await serving { port in
            var client = try await listen(port)
            try await client.read(until: "event: health")
            return client
        }
        defer { client.connection.close() }
        try await client.read()
    }
}
