import AlertModel
import Testing

@testable import StatusPage

/// Takes down what it is told.
private actor Scribe: BotControl {
    private(set) var told: [JSON] = []

    func obey(_ command: JSON) throws -> JSON {
        if command["command"] == "explode" {
            throw JSONMismatch(path: "$.command", expected: "something else", found: "explode")
        }
        told.append(command)
        return ["done": true]
    }
}

@Suite(.timeLimit(.minutes(5))) struct CommandTests {
    private func post(_ port: UInt16, _ body: String, length: String? = nil) async throws -> Reply {
        try await ask(
            port, "/api/command", method: "POST",
            headers: ["Host: localhost"] + ["Content-Length: \(length ?? String(body.utf8.count))"], body: body)
    }

    @Test func `a command is obeyed and answered`() async throws {
        let scribe = Scribe()
        try await serving(control: scribe) { port in
            let reply = try await post(port, #"{"command":"mute"}"#)
            #expect(reply.status == 200)
            let answer = try JSON(parsing: Array(reply.body.utf8))
            #expect(answer == ["done": true])
        }
        #expect(await scribe.told == [["command": "mute"]])
    }

    @Test func `what makes no sense changes nothing and is answered with why`() async throws {
        let scribe = Scribe()
        try await serving(control: scribe) { port in
            #expect(try await post(port, #"{"command":"explode"}"#).status == 400)
            #expect(try await post(port, "{").status == 400)
            #expect(try await post(port, "", length: "many").status == 400)
            #expect(try await post(port, "", length: "-1").status == 400)
            #expect(try await post(port, String(repeating: "x", count: 65_537)).status == 413)
            // Nobody waits for so much.
            #expect(try await post(port, "", length: "262145").status == 413)
            #expect(try await post(port, "", length: "99999999999999999999").status == 413)
            let read = try await ask(port, "/api/command")
            #expect(read.status == 405)
            #expect(read.headers["allow"] == "POST")
        }
        #expect(await scribe.told == [])
    }

    @Test func `the longest command fits`() async throws {
        let scribe = Scribe()
        try await serving(control: scribe) { port in
            let text = #"{"command":"mute"}"#
            let reply = try await post(port, text + String(repeating: " ", count: 65_536 - text.utf8.count))
            #expect(reply.status == 200)
        }
        #expect(await scribe.told.count == 1)
    }

    @Test func `a command may come in chunks`() async throws {
        let scribe = Scribe()
        try await serving(control: scribe) { port in
            var client = try Client(port: port)
            defer { client.connection.close() }
            let head = "POST /api/command HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
            for piece in [head, "5\r\n{\"com\r\n", "10;x=y\r\nmand\":\"mute\"}   \r\n", "0\r\n", "Trailer: x\r\n\r\n"] {
                try await client.send(piece)
            }
            #expect(try Reply(await client.read()).status == 200)
        }
        #expect(await scribe.told == [["command": "mute"]])
    }

    @Test(arguments: [(70_000, 413), (300_000, nil)])
    func `chunks without end are not kept`(count: Int, status: Int?) async throws {
        let scribe = Scribe()
        try await serving(control: scribe) { port in
            var client = try Client(port: port)
            defer { client.connection.close() }
            try await client.send(
                "POST /api/command HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n")
            let chunk = "3e8\r\n" + String(repeating: " ", count: 1000) + "\r\n"
            // Beyond what is read and forgotten the connection is cut, so sending may fail.
            for _ in 0..<(count / 1000) { try? await client.send(chunk) }
            try? await client.send("0\r\n\r\n")
            let text = (try? await client.read()) ?? ""
            #expect((try? Reply(text))?.status == status)
        }
        #expect(await scribe.told == [])
    }

    @Test func `the page takes no commands`() async throws {
        try await serving { port in
            let told = try await post(port, #"{"command":"mute"}"#)
            #expect(told.status == 405)
            let asked = try await ask(port, "/api/command")
            #expect(asked.status == 404)
        }
    }
}
