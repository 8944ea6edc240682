import AlertModel
import Testing

@testable import StatusPage

/// Links that stand for the token: each for one thing, and for a while.
@Suite(.timeLimit(.minutes(5))) struct `Sealed links` {
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
        let host = "alerts.example.com"
        let ring = KeyRing(
            .init(userHeader: "X-User", token: Secret("s3cret"), seal: Self.seal, publicHost: host))
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
        ring.replace(with: .init(userHeader: "X-Login", token: Secret("other"), publicHost: host))
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
}
