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

@Suite struct CommandTests {
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
            #expect(try await post(port, "", length: "65537").status == 413)
            let read = try await ask(port, "/api/command")
            #expect(read.status == 405)
            #expect(read.headers["allow"] == "POST")
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
