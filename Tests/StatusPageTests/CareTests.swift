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
        let muted = "It is muted until <tomorrow> by ana."
        return id == "3f9a" ? CareView(message: message, coverage: "rule floor, app <shop>", muted: muted) : nil
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

    func coverage(ofMute id: String) -> String? { id == "a1b2c3" ? "app <shop>" : nil }
    func headline(ofFailed delivery: String) -> String? { delivery == "d-2_x" ? "🔴 <shop>: 98.3%" : nil }

    nonisolated func now() -> Moment { .friday }

    func retry(_ delivery: String) -> CareAnswer {
        told.append("retry \(delivery)")
        return CareAnswer("delivery is queued again")
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

    /// What the desk answers to a request that comes from elsewhere; nothing else of it is different.
    private func fromElsewhere(
        _ method: String, _ body: String = "", headers: [String: String] = [:], token: Secret?,
        userHeader: String? = nil, seal: LinkSeal? = nil, publicHost: String? = "alerts.example.com",
        target: String = "/ack?incident=3f9a", ring: KeyRing? = nil
    ) async throws -> (status: Int, body: String, told: [String]) {
        let carer = Carer()
        let ring = ring ?? KeyRing(.init(userHeader: userHeader, token: token, seal: seal))
        let desk = CareDesk(care: carer, Gatekeeper(publicHost: publicHost, ring))
        let fields = [
            "origin": "https://alerts.example.com", "content-type": "application/x-www-form-urlencoded",
        ].merging(headers) { $1 }
        var request = try #require(
            Request(
                method: method, target: target,
                fields: fields.map { Request.Field(name: $0.key, value: $0.value) }))
        request.isLocal = false
        request.body = Array(body.replacing("TOKEN", with: desk.token).utf8)
        let errand = try #require(BotAddress.Errand(rawValue: request.path))
        let response = await desk.answer(errand, request, Page(botName: "shop-alerts"))
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
            Gatekeeper(publicHost: nil, KeyRing(.init(userHeader: "X-User", token: Secret("s3cret")))))
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

    // MARK: Sealed links

    private static let seal = LinkSeal(token: Secret("s3cret"), publicURL: "https://alerts.example.com/bot/")

    private func sealed(_ path: String, at moment: Moment = .friday) throws -> String {
        var message = Message(kind: .opened, severity: .critical, at: moment, headline: "x")
        message.links = [Message.Link("Do", "https://alerts.example.com/bot\(path)")]
        return try #require(Self.seal?.sealing(message).links.first?.url)
    }

    /// The fields that a sealed link carries.
    private func fields(_ url: String) -> String { String(url.drop { $0 != "?" }.dropFirst()) }

    @Test func `whoever was sent a link needs no token, for that one thing`() async throws {
        let url = try sealed("/ack?incident=3f9a")
        let asked = try await fromElsewhere(
            "GET", token: Secret("s3cret"), seal: Self.seal, target: "/ack?\(fields(url))")
        #expect(asked.status == 200 && !asked.body.contains(#"name="key""#))
        #expect(asked.body.contains(#"name="seal""#))
        let done = try await fromElsewhere(
            "POST", "\(fields(url))&by=ana&token=TOKEN", token: Secret("s3cret"), seal: Self.seal)
        #expect(done.status == 200, "\(done.body)")
        #expect(done.told == ["acknowledge 3f9a by ana"])
    }

    @Test func `a mute without a name is by a link in a message only where one was used`() async throws {
        let token = Secret("s3cret")
        let sealed = "\(fields(try sealed("/mute?incident=3f9a&for=2h")))&token=TOKEN"
        let told = try await fromElsewhere(
            "POST", sealed, token: token, seal: Self.seal, target: "/mute?incident=3f9a"
        ).told
        #expect(told == ["mute 3f9a for 2 h by a link in a message"])
        let keyed = try await fromElsewhere(
            "POST", "incident=3f9a&for=2h&token=TOKEN&key=s3cret", token: token, seal: Self.seal,
            target: "/mute?incident=3f9a")
        #expect(keyed.told == ["mute 3f9a for 2 h by -"])
    }

    @Test func `a seal is for one errand, one incident and seven days, and for one token`() async throws {
        let url = try sealed("/ack?incident=3f9a")
        let until = try #require(url.firstMatch(of: /until=([0-9]+)/)?.output.1).description
        #expect(Int64(until) == (Moment.friday + .hours(168)).unixSeconds)
        var wrong = [
            fields(url).replacing("3f9a", with: "0000"), fields(url).replacing(until, with: until + "0"),
            fields(url).dropLast() + "x", String(fields(url).dropLast(3)),
            fields(try sealed("/mute?incident=3f9a&for=2h")),
            fields(try sealed("/ack?incident=3f9a", at: .friday - .hours(169))),
        ].map { String($0) }
        wrong.append(fields(url).replacing(/seal=.*/, with: "seal="))
        for body in wrong {
            let refused = try await fromElsewhere(
                "POST", "\(body)&token=TOKEN", token: Secret("s3cret"), seal: Self.seal)
            #expect(refused.status == 403, "\(body)")
            #expect(refused.told == [])
        }
        let other = try #require(LinkSeal(token: Secret("other"), publicURL: "https://alerts.example.com/bot/"))
        #expect(
            try await fromElsewhere("POST", "\(fields(url))&token=TOKEN", token: Secret("other"), seal: other).told
                == [])
        // It asks for the token then, and says nothing of why: the link is as good as any other.
        let late = try await fromElsewhere(
            "GET", token: Secret("s3cret"), seal: Self.seal,
            target: "/ack?\(fields(try sealed("/ack?incident=3f9a", at: .friday - .hours(169))))")
        #expect(late.status == 200 && late.body.contains(#"name="key""#))
    }

    @Test func `what opened the page before other keys came opens nothing afterwards`() async throws {
        let ring = KeyRing(.init(userHeader: "X-User", token: Secret("s3cret"), seal: Self.seal))
        let ways: [(body: String, headers: [String: String])] = [
            ("incident=3f9a&key=s3cret", [:]), (fields(try sealed("/ack?incident=3f9a")), [:]),
            ("incident=3f9a", ["x-user": "ana"]),
        ]
        func statuses() async throws -> [Int] {
            var statuses: [Int] = []
            for way in ways {
                let body = "\(way.body)&token=TOKEN"
                statuses.append(
                    try await fromElsewhere("POST", body, headers: way.headers, token: nil, ring: ring).status)
            }
            return statuses
        }
        #expect(try await statuses() == [200, 200, 200])
        ring.replace(with: .init(userHeader: "X-Login", token: Secret("other")))
        #expect(try await statuses() == [403, 403, 403])
        let body = "incident=3f9a&key=other&token=TOKEN"
        #expect(try await fromElsewhere("POST", body, token: nil, ring: ring).status == 200)
    }

    @Test func `whoever muted by a link undoes that without a token, for an hour and that mute only`() async throws {
        let token = Secret("s3cret")
        let muted = try await fromElsewhere(
            "POST", "\(fields(try sealed("/mute?incident=3f9a&for=2h")))&token=TOKEN", token: token,
            seal: Self.seal, target: "/mute")
        #expect(muted.told == ["mute 3f9a for 2 h by a link in a message"])
        #expect(!muted.body.contains(#"name="key""#))
        let values = muted.body.matches(of: #/name="(mute|until|seal)" value="([^"]+)"/#).map {
            "\($0.output.1)=\($0.output.2)"
        }
        #expect(values.count == 3 && Int64(values[1].dropFirst(6)) == (Moment.friday + .hours(1)).unixSeconds)
        func undo(_ body: String) async throws -> [String] {
            try await fromElsewhere("POST", "\(body)&token=TOKEN", token: token, seal: Self.seal, target: "/unmute")
                .told
        }
        let fields = values.joined(separator: "&")
        #expect(try await undo(fields) == ["unmute a1b2c3"])
        #expect(try await undo(fields.replacing("mute=a1b2c3", with: "mute=ffffff")) == [])
        let past = try #require(Self.seal?.undoing("a1b2c3", at: .friday - .hours(2)))
        #expect(try await undo("mute=a1b2c3&until=\(past.until)&seal=\(past.seal)") == [])
    }

    @Test func `only links that do something are sealed, the same each time`() throws {
        var message = Message(kind: .opened, severity: .critical, at: .friday, headline: "x")
        message.links = [
            Message.Link("Incident", "https://alerts.example.com/bot/incidents/3f9a"),
            Message.Link("Mute 2 h", "https://alerts.example.com/bot/mute?incident=3f9a&for=2h", isOwn: true),
            Message.Link("Theirs", "https://evil.example/bot/ack?incident=3f9a"),
        ]
        let seal = try #require(Self.seal)
        let sealed = seal.sealing(message)
        #expect(zip(sealed.links, message.links).map { $0.url != $1.url } == [false, true, false])
        #expect(seal.sealing(message) == sealed)
        // Who measures what fits knows how long they become.
        #expect(message.links.map(\.atFullLength.url.count) == sealed.links.map(\.url.count))
        #expect(sealed.links.map(\.atFullLength) == sealed.links)
        message.links = []
        #expect(seal.sealing(message) == message)
        #expect(!String(reflecting: seal).contains("s3cret") && "\(seal)".contains(Secret.mask))
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
