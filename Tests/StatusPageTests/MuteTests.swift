import AlertModel
import Testing

@testable import StatusPage

/// Takes down what it is told to mute.
private actor Muter: BotMuting {
    private(set) var muted: [String] = []

    func coverage(ofIncident id: String) -> String? { id == "3f9a" ? "rule floor, app <shop>" : nil }

    func mute(incident id: String, for length: Duration) -> String {
        muted.append("\(id) for \(length.short)")
        return "muted app <shop> until tomorrow"
    }
}

@Suite(.timeLimit(.minutes(5))) struct MuteTests {
    private static let link = "/mute?incident=3f9a&for=2h"
    private static let home = "Origin: https://alerts.example.com"
    private static let form = "Content-Type: application/x-www-form-urlencoded"

    private func with(_ body: (UInt16) async throws -> Void) async throws -> [String] {
        let muter = Muter()
        try await serving(muting: muter, publicHost: "alerts.example.com") { port in try await body(port) }
        return await muter.muted
    }

    private func token(_ port: UInt16) async throws -> String {
        let page = try await ask(port, Self.link).body
        return try #require(page.firstMatch(of: #/name="token" value="([0-9a-z]+)"/#).map { String($0.output.1) })
    }

    private func post(
        _ port: UInt16, _ body: String, _ headers: [String] = [MuteTests.home, MuteTests.form]
    ) async throws -> Reply {
        try await ask(
            port, "/mute", method: "POST",
            headers: ["Host: alerts.example.com", "Content-Length: \(body.utf8.count)"] + headers, body: body)
    }

    @Test func `the link asks, and changes nothing however often it is fetched`() async throws {
        let muted = try await with { port in
            for method in ["GET", "HEAD", "GET"] {
                let reply = try await ask(port, Self.link, method: method)
                #expect(reply.status == 200)
                #expect(reply.headers["referrer-policy"] == "same-origin")
                #expect(
                    reply.headers["content-security-policy"]?.contains("form-action 'self'; frame-ancestors 'none'")
                        == true)
            }
            let page = try await ask(port, Self.link).body
            #expect(page.contains("Mute rule floor, app &lt;shop&gt; for 2 h?"))
            #expect(page.contains(#"<form method="post" action="mute">"#))
        }
        #expect(muted == [])
    }

    @Test func `its own form is obeyed`() async throws {
        let muted = try await with { port in
            let token = try await token(port)
            let reply = try await post(port, "incident=3f9a&for=2d&token=\(token)")
            #expect(reply.status == 200)
            #expect(reply.body.contains("muted app &lt;shop&gt; until tomorrow"))
            let local = try await post(
                port, "incident=3f9a&for=2h&token=\(token)",
                ["Origin: http://127.0.0.1:8480", Self.form, "Sec-Fetch-Site: same-origin"])
            #expect(local.status == 200)
        }
        #expect(muted == ["3f9a for 2 d", "3f9a for 2 h"])
    }

    @Test(arguments: [
        [], [form], [home], ["Origin: null", form], ["Origin: https://evil.example", form],
        ["Origin: https://alerts.example.com.evil.example", form], ["Origin: evil.example/alerts.example.com", form],
        [home, "Origin: https://evil.example", form], [home, "Content-Type: text/plain"],
        [home, form, "Sec-Fetch-Site: cross-site"], [home, form, "Sec-Fetch-Site: same-site"],
    ])
    func `what another site sends is refused`(headers: [String]) async throws {
        let muted = try await with { port in
            let reply = try await post(port, "incident=3f9a&for=2h&token=\(try await token(port))", headers)
            #expect(reply.status == 403)
        }
        #expect(muted == [])
    }

    @Test(arguments: [
        ("incident=3f9a&for=2h", 403), ("incident=3f9a&for=2h&token=", 403), ("incident=3f9a&for=2h&token=1", 403),
        ("incident=3f9a&for=3h&token=TOKEN", 400), ("incident=3F%20&for=2h&token=TOKEN", 400),
        ("incident=&for=2h&token=TOKEN", 400), ("token=TOKEN", 400), ("", 403),
    ])
    func `a form without its token, or without sense, mutes nothing`(body: String, status: Int) async throws {
        let muted = try await with { port in
            let reply = try await post(port, body.replacing("TOKEN", with: try await token(port)))
            #expect(reply.status == status)
        }
        #expect(muted == [])
    }

    @Test func `an incident that is over has nothing to mute`() async throws {
        let muted = try await with { port in
            let reply = try await ask(port, "/mute?incident=0000&for=2h")
            #expect(reply.status == 200)
            #expect(!reply.body.contains("<form"))
            #expect(try await ask(port, "/mute").status == 400)
            #expect(try await ask(port, "/mute?incident=3f9a&for=9d").status == 400)
            #expect(try await ask(port, "/mute", method: "PUT").headers["allow"] == "GET, HEAD, POST")
        }
        #expect(muted == [])
    }

    @Test func `without a public address there is nothing to mute by`() async throws {
        let muter = Muter()
        try await serving(muting: muter) { port in
            let asked = try await ask(port, Self.link)
            #expect(asked.status == 404)
            let posted = try await post(port, "incident=3f9a&for=2h&token=1")
            #expect(posted.status == 421)
        }
        #expect(await muter.muted == [])
    }

    @Test func `a body that is too long is not read`() async throws {
        _ = try await with { port in
            let reply = try await post(port, String(repeating: "x", count: 70_000))
            #expect(reply.status == 413)
            // Of everything else that is posted, no body is read at all.
            let other = try await ask(
                port, "/api/status", method: "POST", headers: ["Host: localhost", "Content-Length: 99999999"])
            #expect(other.status == 405)
        }
    }
}
