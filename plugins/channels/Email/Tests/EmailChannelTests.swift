import Glibc
import PluginKit
import PluginTesting
import Testing

@testable import EmailChannel

private let password = "s3cret-passw0rd"

private func channel(_ more: [String: Option.Value] = [:], to: [String] = ["oncall@example.com"]) throws -> EmailChannel
{
    let values: [String: Option.Value] = [
        "server": .text("smtp.example.com"), "username": .text("alerts"),
        "password": .text(GuardedText(Secret(password))),
        "from": .text("Shop alerts <alerts@example.com>"),
        "to": .list(to.enumerated().map { Option(.text(GuardedText($1)), at: Position(line: 9, column: 5 + $0)) }),
    ]
    return try EmailChannel(options: Options(values.merging(more) { $1 }), context: .sample)
}

@Suite struct `Sending mail` {
    @Test func `anything fits, looks the same on every attempt, and every answer has a meaning`() throws {
        let conformance = ChannelConformance(
            try channel(), audience: .people, bodyBytesMax: 1 << 20, secrets: [password], bodyFlaws: emailFlaws)
        #expect(conformance.violations() == [])
    }

    @Test func `no title of chance breaks out of its place`() throws {
        #expect(RandomMessages.flaws(of: try channel(), bodyFlaws: emailFlaws) == [])
    }

    @Test(arguments: RecordedPosting.all) func `messages look as recorded`(_ posting: RecordedPosting) throws {
        #expect(try snapshotFlaw(of: try channel(), posting: posting) == nil)
    }

    /// For checking the mails with Python's own library: see mail_check.py.
    @Test(.enabled(if: getenv("EMAIL_MAILS") != nil)) func `mails are written out`() throws {
        try writeSampleBodies(of: try channel(), toFileIn: "EMAIL_MAILS")
    }

    @Test func `what follows answers the opening`() throws {
        let channel = try channel()
        let opened = try #require(channel.mail(for: SampleMessages.opened))
        #expect(opened.thread == nil)
        #expect(opened.id == "d-1@example.com")
        let taken = MailResult.answered(MailAnswer(MailReply(.message, 250, "ok")))
        let outcome = channel.judge(taken, of: opened, at: ChannelConformance.now)
        #expect(outcome == .delivered(receipt: "d-1@example.com"))
        let resolved = try #require(channel.mail(for: SampleMessages.resolved, thread: "d-1@example.com"))
        let text = String(decoding: resolved.wireMessage(), as: UTF8.self)
        #expect(text.contains("\r\nIn-Reply-To: <d-1@example.com>\r\nReferences: <d-1@example.com>\r\n"))
    }

    @Test func `a receipt that is no Message-ID begins no header`() throws {
        for thread in ["", "a b", "x@y>\r\nBcc: <z", "ü@example.com", String(repeating: "x", count: 2000)] {
            let mail = try #require(try channel().mail(for: SampleMessages.resolved, thread: thread))
            #expect(mail.thread == nil)
        }
    }

    @Test func `only what calls for somebody is urgent`() throws {
        let urgent = SampleMessages.usual.filter { (try? channel().mail(for: $0.message)?.isUrgent) == true }
        #expect(urgent.map(\.name) == ["opened"])
    }

    @Test func `the subject is the headline as it is, behind the prefix`() throws {
        let mail = try channel(["subject_prefix": .text("[alerts]")]).mail(for: SampleMessages.opened)
        #expect(mail?.subject == "[alerts] \(SampleMessages.opened.headline)")
    }

    @Test(arguments: [
        ("smtp.example.com", nil, "smtp://smtp.example.com:587"),
        ("smtp.example.com:2525", nil, "smtp://smtp.example.com:2525"),
        ("smtp.example.com:465", nil, "smtps://smtp.example.com:465"),
        ("smtps://smtp.example.com", nil, "smtps://smtp.example.com:465"),
        ("smtp://smtp.example.com/", nil, "smtp://smtp.example.com:587"), ("127.0.0.1", "none", "smtp://127.0.0.1:25"),
        ("smtp.example.com", "tls", "smtps://smtp.example.com:465"), ("[::1]:25", "none", "smtp://[::1]:25"),
    ])
    func `the server's port and encryption follow from what is written`(
        server: String, security: String?, url: String
    ) throws {
        var more: [String: Option.Value] = ["server": .text(GuardedText(server))]
        if let security { more["security"] = .text(GuardedText(security)) }
        #expect(try channel(more).mail(for: SampleMessages.test)?.server.url == url)
    }
}

@Suite struct `Mistakes in e-mail options` {
    private func mistakes(_ more: [String: Option.Value], to: [String] = ["oncall@example.com"]) -> [String] {
        do {
            _ = try channel(more, to: to)
            return []
        } catch let list as ProblemList {
            return list.problems.map { "\($0.position.line):\($0.position.column) \($0.message)" }
        } catch {
            return ["\(error)"]
        }
    }

    @Test func `each bad address has its place`() {
        #expect(
            mistakes(
                ["from": .text("alerts")],
                to: ["a@example.com", "oncall.example.com", "a@example.com", "ö@example.com"])
                == [
                    "1:1 'alerts' in 'from' is not a mail address",
                    "9:6 'oncall.example.com' in 'to' is not a mail address",
                    "9:7 'a@example.com' is in 'to' twice; remove one",
                    "9:8 'ö@example.com' in 'to' is not a mail address that most servers take: it has letters outside ASCII",
                ])
        #expect(mistakes([:], to: ["***"]) == ["9:5 'to' cannot be a secret, because every mail shows it"])
    }

    @Test(arguments: [
        ("https://mail.example.com", "its scheme is smtp or smtps"), ("mail.example.com:0", "a port from 1 to 65535"),
        ("mail.example.com:99999", "the name of a mail server"), ("bot@mail.example.com", "the name of a mail server"),
        ("mail server", "the name of a mail server"), ("smtp://", "the name of a mail server"),
        ("mail.example.com\r\nX", "the name of a mail server"), ("mäil.example", "the name of a mail server"),
    ])
    func `a bad server is named`(server: String, words: String) {
        let found = mistakes(["server": .text(GuardedText(server))])
        #expect(found.count == 1)
        #expect(found.first?.contains(words) == true, "\(found)")
    }

    @Test func `what contradicts itself is said`() {
        #expect(
            mistakes(["server": .text("smtps://mail.example.com"), "security": .text("starttls")])
                == ["1:1 'server' says smtps, which is tls, and 'security' says starttls"])
        #expect(
            mistakes(["security": .text("none")])
                == ["1:1 the password would be sent unencrypted to a host that is not loopback"])
        #expect(mistakes(["security": .text("none"), "insecure": .flag(true)]) == [])
        #expect(mistakes(["security": .text("none"), "server": .text("127.0.0.1")]) == [])
        #expect(mistakes(["subject_prefix": .text(GuardedText(String(repeating: "x", count: 41)))]).count == 1)
    }

    @Test func `a login takes both`() {
        func mistake(_ name: String) -> [String] {
            let values: [String: Option.Value] = [
                "server": .text("smtp.example.com"), "from": .text("a@example.com"),
                "to": .list([Option(.text("a@example.com"), at: Position(line: 1, column: 1))]), name: .text("x"),
            ]
            do {
                _ = try EmailChannel(options: Options(values), context: .sample)
                return []
            } catch { return error.problems.map(\.message) }
        }
        #expect(mistake("username") == ["'username' is set and 'password' is not; a login needs both"])
        #expect(mistake("password") == ["'password' is set and 'username' is not; a login needs both"])
    }
}

@Suite struct `What mail servers answer` {
    private let two = ["a@example.com", "b@example.com"]

    private func outcome(
        _ reply: MailReply, to recipients: [String]? = nil, refused: [(String, Int)] = []
    ) throws -> DeliveryOutcome {
        let channel = try channel(to: recipients ?? two)
        let mail = try #require(channel.mail(for: SampleMessages.test))
        let refusals = refused.map { MailAnswer.Refusal($0, MailReply(.recipient, $1, "no")) }
        return channel.judge(.answered(MailAnswer(reply, refusals: refusals)), of: mail, at: ChannelConformance.now)
    }

    @Test(arguments: MailReply.Step.allCases) func `what may pass is tried again in minutes`(step: MailReply.Step)
        throws
    {
        #expect(
            try outcome(MailReply(step, 451, "4.7.1 greylisted"))
                == .retry(after: .minutes(2), "smtp.example.com answered 451: 4.7.1 greylisted"))
    }

    @Test func `what never passes says what to do`() throws {
        #expect(
            try outcome(MailReply(.login, 535, "5.7.8 wrong"))
                == .refusedChannel(
                    "smtp.example.com answered 535: 5.7.8 wrong to the login; check 'username' and 'password'"))
        #expect(
            try outcome(MailReply(.login, 0))
                == .refusedChannel(
                    "smtp.example.com offers no login with a password (only others, such as XOAUTH2); use a server or a relay "
                        + "that does"))
        #expect(
            try outcome(MailReply(.sender, 553, "not yours"))
                == .refusedChannel(
                    "smtp.example.com answered 553: not yours to the sender alerts@example.com; check 'from'"))
        #expect(
            try outcome(MailReply(.sender, 530))
                == .refusedChannel(
                    "smtp.example.com answered 530 to the sender; it wants 'username' and 'password'"))
        #expect(
            try outcome(MailReply(.greeting, 554, "go away"))
                == .refusedChannel(
                    "smtp.example.com answered 554: go away before anything was sent; check 'server'"))
        #expect(
            try outcome(MailReply(.recipient, 550, "no"), refused: [("a@example.com", 550), ("b@example.com", 550)])
                == .refusedChannel(
                    "smtp.example.com takes mail for none of the recipients: a@example.com (550: no), b@example.com "
                        + "(550: no); check 'to'"))
    }

    @Test func `a mail that is refused as such has another form`() throws {
        #expect(try outcome(MailReply(.message, 554, "spam")) == .refusedBody("smtp.example.com answered 554: spam"))
        #expect(try outcome(MailReply(.sender, 552, "large")) == .refusedBody("smtp.example.com answered 552: large"))
    }

    @Test func `who does not get a mail is named`() throws {
        #expect(
            try outcome(MailReply(.message, 250), refused: [("b@example.com", 550)])
                == .partly(
                    receipt: "d-1@example.com",
                    "1 of 2 recipients did not get it: b@example.com (550: no); check 'to'"))
    }

    @Test func `who is refused only for now beside others does not get this mail, and no address has to be checked`()
        throws
    {
        #expect(
            try outcome(MailReply(.message, 250), refused: [("b@example.com", 450)])
                == .partly(
                    receipt: "d-1@example.com",
                    "1 of 2 recipients did not get it: b@example.com (450: no); refused only for now: this mail is not "
                        + "sent to them again, the next one is"))
        #expect(
            try outcome(
                MailReply(.message, 250), to: two + ["c@example.com"],
                refused: [("a@example.com", 550), ("b@example.com", 450)])
                == .partly(
                    receipt: "d-1@example.com",
                    "2 of 3 recipients did not get it: a@example.com (550: no), b@example.com (450: no); check 'to'; some "
                        + "are refused only for now (4xx): this mail is not sent to them again, the next one is"))
    }

    @Test func `one who may be taken later keeps the mail alive`() throws {
        let refused = [("a@example.com", 450), ("b@example.com", 550)]
        let outcome = try outcome(MailReply(.recipient, 550, "no"), refused: refused)
        guard case .retry = outcome else {
            Issue.record("\(outcome)")
            return
        }
    }
}

@Suite struct `What mail programs show` {
    @Test func `details stand beside the colour of the severity`() throws {
        let posting = Posting(id: "d", message: SampleMessages.opened, at: SampleMessages.opened.at)
        let picture = try channel().picture(of: posting)
        #expect(picture.chat == .email)
        guard case .bar(let color, let details) = picture.blocks.last else {
            Issue.record("no bar: \(picture.blocks)")
            return
        }
        #expect(color.text == "#B00020")
        #expect(details.contains { if case .fields(let rows) = $0 { rows.count == 4 } else { false } })
    }
}
