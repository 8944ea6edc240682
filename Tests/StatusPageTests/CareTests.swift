import AlertModel
import Testing

@testable import StatusPage

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
            #expect(page.contains("It is muted until &lt;tomorrow&gt; by ana."))
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
            #expect(reply.body.contains(#"action="unmute""#))
            #expect(reply.body.contains(#"name="mute" value="a1b2c3""#))
            let undo = "mute=a1b2c3&token=\(token)"
            #expect(try await post(port, undo, to: "/unmute").body.contains("the mute has ended"))
            #expect(try await post(port, "mute=a%201&token=\(token)", to: "/unmute").status == 400)
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

    /// A proxy that adds its header leaves the one that whoever asks has sent.
    @Test(arguments: [true, false], [["eve", "ana"], ["ana", ""]])
    func `a proxy's word does not count where two users are named, wherever it comes from`(
        isLocal: Bool, users: [String]
    ) async throws {
        for token in [nil, Secret("s3cret")] {
            let carer = Carer()
            let keys = KeyRing(.init(userHeader: "X-User", token: token, publicHost: "alerts.example.com"))
            let desk = CareDesk(care: carer, Gatekeeper(keys))
            let headers = [
                ("origin", "https://alerts.example.com"), ("content-type", "application/x-www-form-urlencoded"),
            ]
            var request = try #require(
                Request(
                    method: "POST", target: "/ack",
                    fields: (headers + users.map { ("X-User", $0) }).map { Request.Field(name: $0.0, value: $0.1) }))
            request.isLocal = isLocal
            request.body = Array("incident=3f9a&by=eve&token=\(desk.token)".utf8)
            let response = await desk.answer(.acknowledge, request, Page(botName: "shop-alerts"))
            #expect(response.status == .forbidden)
            #expect(await carer.told == [])
            guard token != nil else { continue }
            request.body += Array("&key=s3cret".utf8)
            _ = await desk.answer(.acknowledge, request, Page(botName: "shop-alerts"))
            #expect(await carer.told == ["acknowledge 3f9a by eve"], "whoever knows the token may")
        }
    }

    @Test(arguments: [
        ("&key=s3cret", ["origin": "http://192.0.2.7:8480"], true),
        ("&key=s3cret", ["origin": "http://192.0.2.7:8480", "sec-fetch-site": "same-origin"], true),
        ("&key=s3cret", ["origin": "http://bot.example:8480", "host": "Bot.example:8480"], true),
        ("&key=wrong", ["origin": "http://192.0.2.7:8480"], false),
        ("", ["origin": "http://192.0.2.7:8480"], false),
        ("&key=s3cret", ["origin": "http://192.0.2.7:9000"], false),
        ("&key=s3cret", ["origin": "http://192.0.2.7:8480", "sec-fetch-site": "cross-site"], false),
        ("&key=s3cret", ["origin": "https://evil.example"], false),
    ])
    func `without a public address, whoever enters the token may act at the address that they use`(
        key: String, headers: [String: String], isObeyed: Bool
    ) async throws {
        let headers = ["host": "192.0.2.7:8480"].merging(headers) { $1 }
        let reply = try await fromElsewhere(
            "POST", "incident=3f9a&token=TOKEN\(key)", headers: headers, token: Secret("s3cret"), publicHost: nil)
        #expect(reply.told == (isObeyed ? ["acknowledge 3f9a by -"] : []))
        #expect(reply.status == (isObeyed ? 200 : 403))
    }

    @Test func `a name that another site points here is no address of ours for whoever needs no token`() async throws {
        let carer = Carer()
        let desk = CareDesk(
            care: carer,
            Gatekeeper(KeyRing(.init(userHeader: "X-User", token: Secret("s3cret")))))
        for (isLocal, user) in [(true, ""), (false, "ana")] {
            let headers = [
                "host": "rebound.example:8480", "origin": "http://rebound.example:8480", "x-user": user,
                "content-type": "application/x-www-form-urlencoded",
            ]
            var request = try #require(
                Request(
                    method: "POST", target: "/ack",
                    fields: headers.map { Request.Field(name: $0.key, value: $0.value) }))
            request.isLocal = isLocal
            request.body = Array("incident=3f9a&token=\(desk.token)".utf8)
            let response = await desk.answer(.acknowledge, request, Page(botName: "shop-alerts"))
            #expect(response.status == .forbidden)
            #expect(String(decoding: response.body, as: UTF8.self).contains("'bot.public_url'"))
        }
        #expect(await carer.told == [])
    }

    @Test(arguments: [
        ("/ack?incident=3f9a", "Acknowledge: 🔴 &lt;shop&gt;: still 98.3%"),
        ("/mute?incident=3f9a", "Mute: 🔴 &lt;shop&gt;: still 98.3%"),
        ("/unmute?mute=a1b2c3", "Unmute: app &lt;shop&gt;"), ("/retry?delivery=d-2_x", "Retry: 🔴 &lt;shop&gt;: 98.3%"),
        ("/mute?incident=0000", "It is over"),
    ])
    func `a page that asks says in its title what it is about`(path: String, title: String) async throws {
        _ = try await with { port in
            let page = try await ask(port, path).body
            #expect(page.contains("<title>\(title) · shop-alerts</title>"))
        }
    }

    @Test(arguments: ["", " \n"]) func `an empty token opens nothing and seals nothing`(token: String) async throws {
        for key in ["", "&key=", "&key=+%0A"] {
            let refused = try await fromElsewhere("POST", "incident=3f9a&token=TOKEN\(key)", token: Secret(token))
            #expect(refused.status == 403)
            #expect(refused.told == [])
        }
        #expect(LinkSeal(token: Secret(token), publicURL: "https://alerts.example.com") == nil)
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

    @Test(arguments: ["/ack?incident=", "/mute?for=2h&incident="])
    func `whoever comes when it is over is led to how it ended`(link: String) async throws {
        let told = try await with { port in
            let over = try await ask(port, link + "0ver").body
            #expect(over.contains(#"<a href="incidents/0ver">See the incident</a>"#) && !over.contains("<form"))
            #expect(over.contains("This incident is no longer open.") && !over.contains("or never existed"))
            let unknown = try await ask(port, link + "0000").body
            #expect(unknown.contains("or never existed") && !unknown.contains("incidents/0000"))
        }
        #expect(told == [])
    }

    @Test func `whoever presses the button too late is led there, too`() async throws {
        _ = try await with { port in
            let reply = try await post(port, "incident=0ver&token=\(try await token(port))", to: "/ack")
            #expect(reply.body.contains(#"<a href="incidents/0ver">See the incident</a>"#))
        }
    }

    @Test(arguments: [
        ("/unmute?mute=a1b2c3", "End the mute of app &lt;shop&gt;?", "unmute", "mute=a1b2c3", "unmute a1b2c3"),
        ("/retry?delivery=d-2_x", "🔴 &lt;shop&gt;: 98.3%", "retry", "delivery=d-2_x", "retry d-2_x"),
    ])
    func `a mute is ended and a failed delivery is tried again from a page that asks`(
        link: String, question: String, action: String, fields: String, done: String
    ) async throws {
        let told = try await with { port in
            let page = try await ask(port, link).body
            #expect(page.contains(question))
            #expect(page.contains(#"<form method="post" action="\#(action)">"#))
            #expect(try await post(port, fields, to: "/\(action)").status == 403)
            #expect(try await post(port, "\(fields)&token=\(try await token(port))", to: "/\(action)").status == 200)
            let unknown = try await ask(port, link.replacing(/=.*/, with: "=other"))
            #expect(unknown.status == 200 && !unknown.body.contains("<form"))
        }
        #expect(told == [done])
    }

    @Test func `without a public address people on this machine can still act`() async throws {
        let carer = Carer()
        try await serving(care: carer) { port in
            let page = try await ask(port, Self.link)
            #expect(page.body.contains("<form"))
            let token = try await token(port)
            let body = "incident=3f9a&for=2h&token=\(token)"
            func sent(_ host: String, _ origin: String) async throws -> Int {
                try await ask(
                    port, "/mute", method: "POST",
                    headers: ["Host: \(host)", "Content-Length: \(body.utf8.count)", origin, Self.form], body: body
                ).status
            }
            #expect(try await sent("alerts.example.com", Self.home) == 421)
            #expect(try await sent("localhost", Self.home) == 403)
            #expect(try await sent("localhost", "Origin: http://localhost:8480") == 200)
        }
        #expect(await carer.told == ["mute 3f9a for 2 h by -"])
    }

    @Test func `where nobody is there to obey, nothing can be changed`() async throws {
        try await serving(publicHost: "alerts.example.com") { port in
            #expect(try await ask(port, Self.link).status == 404)
            #expect(try await ask(port, "/retry?delivery=d-1").status == 404)
            let page = try await ask(port, "/").body
            #expect(!page.contains("Acknowledge"))
        }
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
