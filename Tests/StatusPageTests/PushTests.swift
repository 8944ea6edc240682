import AlertModel
import Testing

@testable import StatusPage

/// Takes what has the token `t`, and answers by what the body begins with.
private actor FakeIntake: BotIntake {
    private(set) var taken: [String] = []

    nonisolated func bodyBytesMax(_ push: PushedRequest) -> Int { isKnown(push) ? 500_000 : 1000 }

    nonisolated func refusal(_ push: PushedRequest) -> PushAnswer? {
        let names = push.headers.map(\.name)
        if names.contains("x-nobody") { return .refused(.nobody, "Nobody.") }
        return names.contains("authorization") && !isKnown(push) ? .refused(.unauthorized, "Who is this?") : nil
    }

    private nonisolated func isKnown(_ push: PushedRequest) -> Bool {
        push.headers.contains { $0.name == "authorization" && $0.value == "Bearer t" }
    }

    func take(_ push: PushedRequest, _ body: [UInt8]) -> PushAnswer {
        guard isKnown(push) else { return .refused(.unauthorized, "Who is this?") }
        let text = String(decoding: body, as: UTF8.self)
        switch text.prefix(4) {
        case "bad ": return .refused(.mistaken, "line 1: bad")
        case "many": return .tooMany(wait: .milliseconds(2500), "Too many.")
        case "full": return .refused(.notNow, "The disk is full.")
        case "gone": return .refused(.nobody, "Nobody.")
        default:
            taken.append("\(push.source ?? "-") \(body.count)")
            return .taken("1 observation taken in", ["observations": 1])
        }
    }
}

@Suite(.timeLimit(.minutes(5))) struct `Pushing` {
    private func post(
        _ port: UInt16, _ body: String, _ path: String = "/api/v1/observations",
        _ headers: [String] = ["Authorization: Bearer t"]
    ) async throws -> Reply {
        try await ask(
            port, path, method: "POST",
            headers: ["Host: localhost", "Content-Length: \(body.utf8.count)"] + headers, body: body)
    }

    @Test func `what is safe is answered 200`() async throws {
        let intake = FakeIntake()
        try await serving(intake: intake) { port in
            let reply = try await post(port, "{}", "/api/v1/observations?source=job")
            #expect(reply.status == 200)
            #expect(try JSON(parsing: reply.body)["sentence"] == "1 observation taken in")
            #expect(try await post(port, "{}").status == 200)
        }
        let taken = await intake.taken
        #expect(taken == ["job 2", "- 2"])
    }

    @Test func `a slip in the name of the parameter is refused, and what a service adds to its address is not`()
        async throws
    {
        try await serving(intake: FakeIntake()) { port in
            let reply = try await post(port, "{}", "/api/v1/observations?sorce=job")
            #expect(reply.status == 400)
            #expect(
                try JSON(parsing: reply.body)["sentence"] == "'sorce' is not known; known: source; did you mean source?"
            )
            #expect(try await post(port, "{}", "/api/v1/observations?source=job&attempt=1").status == 200)
            #expect(try await post(port, "{}", "/api/v1/observations?resource=1&source=job").status == 200)
        }
    }

    @Test(arguments: [("bad", 400), ("many", 429), ("full", 503), ("gone", 404)])
    func `what is not has a status and a sentence`(_ body: String, _ status: Int) async throws {
        try await serving(intake: FakeIntake()) { port in
            let reply = try await post(port, body + " ")
            #expect(reply.status == status)
            let answer = try JSON(parsing: reply.body)
            #expect(answer["done"] == false)
            #expect(answer["sentence"]?.string?.isEmpty == false)
            #expect(reply.headers["retry-after"] == (status == 429 ? "3" : nil))
        }
    }

    @Test func `strangers are told how to be known`() async throws {
        try await serving(intake: FakeIntake()) { port in
            let reply = try await post(port, "{}", "/api/v1/observations", [])
            #expect(reply.status == 401)
            #expect(reply.headers["www-authenticate"] == "Bearer")
            let read = try await ask(port, "/api/v1/observations")
            #expect(read.status == 405)
            #expect(read.headers["allow"] == "POST")
        }
    }

    @Test func `only who is known may send much`() async throws {
        let intake = FakeIntake()
        try await serving(intake: intake) { port in
            let long = String(repeating: "x", count: 400_000)
            #expect(try await post(port, long).status == 200)
            #expect(try await post(port, String(repeating: "x", count: 500_001)).status == 413)
            #expect(try await post(port, String(repeating: "x", count: 1001), "/api/v1/observations", []).status == 413)
            #expect(
                try await post(
                    port, "x", "/api/v1/observations", ["Authorization: Bearer t", "Content-Encoding: gzip"]
                ).status == 400)
            // Whoever is not known hears that first, however much it sends: to send less would not help.
            for (count, header, status) in [
                (300_000, "Authorization: Bearer guess", 401), (2000, "Authorization: Bearer guess", 401),
                (300_000, "X-Nobody: 1", 404), (300_000, "X-Signature: 1", 413),
            ] {
                let reply = try await post(
                    port, String(repeating: "x", count: count), "/api/v1/observations", [header])
                #expect(reply.status == status, "\(header)")
                #expect(try JSON(parsing: reply.body)["done"] == false)
            }
            // What is said to be endless is read to the bound and no further.
            var client = try Client(port: port)
            defer { client.connection.close() }
            try await client.send(
                "POST /api/v1/observations HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n")
            try await client.send("7D0\r\n" + String(repeating: "x", count: 2000) + "\r\n0\r\n\r\n")
            let answer = try Reply(await client.read())
            #expect(answer.status == 413)
        }
        let taken = await intake.taken
        #expect(taken == ["- 400000"])
    }

    @Test func `nobody listens where nothing is pushed`() async throws {
        try await serving { port in
            let reply = try await post(port, "{}")
            #expect(reply.status == 404)
        }
    }
}
