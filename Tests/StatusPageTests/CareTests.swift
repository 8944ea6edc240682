import AlertModel
import Testing

@testable import StatusPage

/// Takes down what it is told.
private actor Carer: BotCare {
    private(set) var told: [String] = []

    func view(ofIncident id: String) -> CareView? {
        let message = Message(
            kind: .reminder, severity: .critical, at: Moment(milliseconds: 0), headline: "🔴 <shop>: still 98.3%",
            fields: [Message.Field("Since", "Fri 20 Nov 22:05 UTC")], reason: "98.3% is below 99%.")
        return id == "3f9a" ? CareView(message: message, coverage: "rule floor, app <shop>") : nil
    }

    func mute(incident id: String, for length: Duration, by name: String?) -> CareAnswer {
        told.append("mute \(id) for \(length.short) by \(name ?? "-")")
        return CareAnswer("muted app <shop> until tomorrow", mute: "a1b2c3")
    }

    func unmute(_ mute: String) -> CareAnswer {
        told.append("unmute \(mute)")
        return CareAnswer("the mute has ended")
    }

    func acknowledge(incident id: String, by name: String?) -> CareAnswer {
        told.append("acknowledge \(id) by \(name ?? "-")")
        return CareAnswer("acknowledged <shop>")
    }
}

@Suite(.timeLimit(.minutes(5))) struct `Links in messages` {
    private static let link = "/mute?incident=3f9a&for=2h"
    private static let home = "Origin: https://alerts.example.com"
    private static let form = "Content-Type: application/x-www-form-urlencoded"

    private func with(_ userHeader: String? = nil, _ body: (UInt16) async throws -> Void) async throws -> [String] {
        let carer = Carer()
        try await serving(care: carer, userHeader: userHeader, publicHost: "alerts.example.com") { port in
            try await body(port)
        }
        return await carer.told
    }

    private func token(_ port: UInt16) async throws -> String {
        let page = try await ask(port, Self.link).body
        return try #require(page.firstMatch(of: #/name="token" value="([0-9a-z]+)"/#).map { String($0.output.1) })
    }

    private func post(
        _ port: UInt16, _ body: String, _ headers: [String] = [home, form], to path: String = "/mute"
    ) async throws -> Reply {
        try await ask(
            port, path, method: "POST",
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
            #expect(page.contains("Mute rule floor, app &lt;shop&gt;?"))
            #expect(page.contains(#"<form method="post" action="mute">"#))
            let acknowledge = try await ask(port, "/ack?incident=3f9a").body
            #expect(acknowledge.contains(#"<form method="post" action="ack">"#))
        }
        #expect(muted == [])
    }

    @Test(arguments: ["/mute?incident=3f9a&for=2d", "/ack?incident=3f9a"])
    func `before anybody decides, the page shows how it is`(link: String) async throws {
        _ = try await with { port in
            let page = try await ask(port, link).body
            for part in ["🔴 &lt;shop&gt;: still 98.3%", ">critical<", "Fri 20 Nov 22:05 UTC", "href=\"./\""] {
                #expect(page.contains(part), "\(part)")
            }
        }
    }

    @Test func `the length that the link asks for comes first, and there are others`() async throws {
        _ = try await with { port in
            let page = try await ask(port, "/mute?incident=3f9a&for=2d").body
            #expect(page.matches(of: #/name="for" value="(..)"/#).map(\.output.1) == ["2d", "2h", "8h", "7d"])
        }
    }

    @Test func `a mute can be undone on the spot`() async throws {
        let told = try await with { port in
            let token = try await token(port)
            let reply = try await post(port, "incident=3f9a&for=8h&token=\(token)")
            #expect(reply.body.contains(#"name="undo" value="a1b2c3""#))
            #expect(try await post(port, "undo=a1b2c3&token=\(token)").body.contains("the mute has ended"))
            #expect(try await post(port, "undo=a%201&token=\(token)").status == 400)
        }
        #expect(told == ["mute 3f9a for 8 h by -", "unmute a1b2c3"])
    }

    @Test(arguments: [
        ("by=Ana+Mar%C3%ADa", "Ana María"), ("by=", "-"), ("", "-"), ("by=%20%0A", "-"), ("by=a%E2%80%AEb", "ab"),
        ("by=100%25", "100%"), ("by=%zz%", "%zz%"), ("by=" + String(repeating: "x", count: 500), nil),
    ])
    func `who acknowledges says a name, or none`(_ field: String, _ name: String?) async throws {
        let told = try await with { port in
            let token = try await token(port)
            let reply = try await post(port, "incident=3f9a&token=\(token)&\(field)", to: "/ack")
            #expect(reply.status == 200)
            #expect(reply.body.contains("acknowledged &lt;shop&gt;"))
        }
        #expect(told.count == 1)
        if let name { #expect(told == ["acknowledge 3f9a by \(name)"]) }
        #expect(told[0].count < 120)
    }

    @Test func `a proxy with a login knows better who it is`() async throws {
        let told = try await with("X-Forwarded-User") { port in
            let page = try await ask(port, "/ack?incident=3f9a", headers: ["Host: localhost", "X-Forwarded-User: ana"])
            #expect(page.body.contains("You are ana."))
            #expect(!page.body.contains(#"name="by""#))
            let token = try await token(port)
            _ = try await post(
                port, "incident=3f9a&by=eve&token=\(token)", [Self.home, Self.form, "X-Forwarded-User: ana"], to: "/ack"
            )
            _ = try await post(port, "incident=3f9a&for=2h&by=eve&token=\(token)")
        }
        #expect(told == ["acknowledge 3f9a by ana", "mute 3f9a for 2 h by eve"])
    }

    /// What the desk answers to a request that comes from elsewhere; nothing else of it is different.
    private func fromElsewhere(
        _ method: String, _ body: String = "", headers: [String: String] = [:], token: Secret?,
        userHeader: String? = nil
    ) async throws -> (status: Int, body: String, told: [String]) {
        let carer = Carer()
        let desk = CareDesk(care: carer, publicHost: "alerts.example.com", userHeader: userHeader, password: token)
        let fields = [
            "origin": "https://alerts.example.com", "content-type": "application/x-www-form-urlencoded",
        ].merging(headers) { $1 }
        var request = try #require(
            Request(
                method: method, target: "/ack?incident=3f9a",
                fields: fields.map { Request.Field(name: $0.key, value: $0.value) }))
        request.isLocal = false
        request.body = Array(body.replacing("TOKEN", with: desk.token).utf8)
        let response = await desk.answer(.acknowledge, request, Page(botName: "shop-alerts"))
        return (response.status.rawValue, String(decoding: response.body, as: UTF8.self), await carer.told)
    }

    @Test func `from another machine, whoever knows the bot's token may`() async throws {
        let token = Secret("s3cret+& é")
        let asked = try await fromElsewhere("GET", token: token)
        #expect(asked.body.contains(#"name="key" type="password""#))
        #expect(!asked.body.contains("s3cret"))
        let right = "incident=3f9a&by=ana&token=TOKEN&key=s3cret%2B%26+%C3%A9"
        #expect(try await fromElsewhere("POST", right, token: token).told == ["acknowledge 3f9a by ana"])
        let bearer = ["authorization": "Bearer s3cret+& é"]
        #expect(
            try await fromElsewhere("POST", "incident=3f9a&token=TOKEN", headers: bearer, token: token).told
                == ["acknowledge 3f9a by -"])
        for wrong in [
            "incident=3f9a&token=TOKEN", "incident=3f9a&token=TOKEN&key=s3cret", "incident=3f9a&token=TOKEN&key=",
        ] {
            let refused = try await fromElsewhere("POST", wrong, token: token)
            #expect(refused.status == 403)
            #expect(refused.told == [])
        }
    }

    @Test func `from another machine, without a token only a proxy's word counts`() async throws {
        let closed = try await fromElsewhere("POST", "incident=3f9a&token=TOKEN", token: nil)
        #expect(closed.status == 403)
        #expect(closed.body.contains("'bot.token'"))
        #expect(closed.told == [])
        #expect(try await fromElsewhere("GET", token: nil).status == 403)
        let vouched = try await fromElsewhere(
            "POST", "incident=3f9a&token=TOKEN", headers: ["x-user": "ana"], token: nil, userHeader: "X-User")
        #expect(vouched.told == ["acknowledge 3f9a by ana"])
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
        #expect(muted == ["mute 3f9a for 2 d by -", "mute 3f9a for 2 h by -"])
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
        let carer = Carer()
        try await serving(care: carer) { port in
            let asked = try await ask(port, Self.link)
            #expect(asked.status == 404)
            let posted = try await post(port, "incident=3f9a&for=2h&token=1")
            #expect(posted.status == 421)
        }
        #expect(await carer.told == [])
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
