import AlertModel
import Synchronization
import Testing
import Transport

/// A scripted mail server: what it answers to each command.
private struct MailServerScript: Sendable {
    /// The answer to a command, by how that begins; the first that fits.
    var answers: [(command: String, answer: String)] = []
    var greeting = "220 mail.example ESMTP"
    /// What it can do, beside speaking.
    var abilities = ["PIPELINING", "8BITMIME"]
    /// What it answers to the mail; nil to hang up without a word.
    var end: String? = "250 2.0.0 queued"
    /// The command at which it hangs up without a word.
    var leavesAt: String?
}

/// What a server of the tests' own was told, on all its connections.
private final class Heard: Sendable {
    private let lines = Mutex<[String]>([])
    private let bodies = Mutex<[String]>([])

    func take(_ line: String) { lines.withLock { $0.append(line) } }
    func takeMail(_ text: String) { bodies.withLock { $0.append(text) } }
    var commands: [String] { lines.withLock { $0 } }
    var mails: [String] { bodies.withLock { $0 } }
}

extension MailServerScript {
    fileprivate func serve(_ heard: Heard) throws -> LoopbackServer {
        try LoopbackServer { connection in
            func line() -> String? {
                var bytes: [UInt8] = []
                while let byte = connection.read(1) {
                    bytes += byte
                    if bytes.suffix(2) == [13, 10] { return String(decoding: bytes.dropLast(2), as: UTF8.self) }
                }
                return nil
            }
            guard connection.send(greeting + "\r\n") else { return }
            while let command = line() {
                heard.take(command)
                if let leavesAt, command.hasPrefix(leavesAt) { return }
                if let scripted = answers.first(where: { command.hasPrefix($0.command) }) {
                    guard connection.send(scripted.answer + "\r\n") else { return }
                    if scripted.answer.hasPrefix("421") { return }
                } else if command.hasPrefix("EHLO") {
                    let lines = ["mail.example"] + abilities
                    let said = lines.enumerated().map { "250\($0 + 1 == lines.count ? " " : "-")\($1)\r\n" }
                    guard connection.send(said.joined()) else { return }
                } else if command == "DATA" {
                    guard connection.send("354 go on\r\n") else { return }
                    var text = ""
                    while let next = line(), next != "." { text += next + "\n" }
                    heard.takeMail(text)
                    guard let end, connection.send(end + "\r\n") else { return }
                } else if command == "QUIT" {
                    _ = connection.send("221 bye\r\n")
                    return
                } else {
                    guard connection.send("250 ok\r\n") else { return }
                }
            }
        }
    }
}

private func mail(
    _ port: UInt16, to recipients: [String] = ["oncall@example.com"], security: MailServer.Security = .none,
    host: String = "127.0.0.1", login: Bool = false, text: String = "It crashes.\n.\nFrom here"
) throws -> Mail {
    let credentials = MailServer.Login(user: "bot", password: GuardedText(Secret(hidden)))
    return Mail(
        by: MailServer(host: host, port: Int(port), security: security, login: login ? credentials : nil),
        from: try #require(MailAddress("Bot <bot@example.com>")),
        to: try recipients.map { try #require(MailAddress($0)) }, subject: "🔴 shop",
        date: Moment(milliseconds: 1_795_219_200_000), id: "d-1@example.com", text: text)
}

@Suite(.timeLimit(.minutes(5))) struct `Mails` {
    private let heard = Heard()

    private func send(
        _ script: MailServerScript, to recipients: [String] = ["oncall@example.com"], login: Bool = false,
        security: MailServer.Security = .none, timeout: Duration = .seconds(3600)
    ) async throws -> MailAnswer {
        let server = try script.serve(heard)
        let mail = try mail(server.port, to: recipients, security: security, login: login)
        return try await HTTPTransport.forTests().send(mail, timeout: timeout)
    }

    private func failure(
        _ script: MailServerScript, security: MailServer.Security = .none, timeout: Duration = .seconds(3600)
    ) async throws -> TransportError {
        let error = await #expect(throws: TransportError.self) {
            try await send(script, login: true, security: security, timeout: timeout)
        }
        return try #require(error)
    }

    @Test func `a mail reaches all it is for, dots and all`() async throws {
        let answer = try await send(MailServerScript(), to: ["oncall@example.com", "lead@example.com"])
        #expect(answer == MailAnswer(MailReply(.message, 250, "2.0.0 queued")))
        #expect(heard.commands.contains { $0.hasPrefix("MAIL FROM:<bot@example.com>") })
        #expect(heard.commands.contains("RCPT TO:<oncall@example.com>"))
        #expect(heard.commands.contains("RCPT TO:<lead@example.com>"))
        let text = try #require(heard.mails.first)
        #expect(text.contains("\nSubject: =?utf-8?B?8J+UtCBzaG9w?=\n"))
        #expect(text.hasSuffix("\nIt crashes.\n=2E\n=46rom here\n"))
    }

    @Test func `one refused recipient does not cost the others their mail`() async throws {
        let script = MailServerScript(answers: [("RCPT TO:<gone@", "550-5.1.1 no such\r\n550 5.1.1 user")])
        let answer = try await send(script, to: ["a@example.com", "gone@example.com", "b@example.com"])
        #expect(answer.isTaken)
        #expect(
            answer.refusals == [
                MailAnswer.Refusal("gone@example.com", MailReply(.recipient, 550, "5.1.1 no such 5.1.1 user"))
            ])
        #expect(heard.mails.count == 1)
    }

    @Test(arguments: ["DATA", "RCPT TO:<b@"])
    func `a connection that breaks after one recipient was refused is no refusal of all`(_ command: String) async throws
    {
        var script = MailServerScript(answers: [("RCPT TO:<gone@", "550 no such user")])
        script.leavesAt = command
        let error = await #expect(throws: TransportError.self) {
            try await send(script, to: ["a@example.com", "gone@example.com", "b@example.com"])
        }
        #expect(error != nil)
        #expect(heard.mails.isEmpty)
    }

    @Test func `a mail for nobody is not sent, and each refusal is kept`() async throws {
        let script = MailServerScript(answers: [("RCPT TO:<a@", "550 no"), ("RCPT TO:<b@", "451 later")])
        let answer = try await send(script, to: ["a@example.com", "b@example.com"])
        #expect(!answer.isTaken)
        #expect(answer.refusals.map(\.reply.code) == [550, 451])
        #expect(heard.mails.isEmpty)
    }

    @Test(arguments: [
        ("MAIL FROM", "530 5.7.0 log in", MailReply.Step.sender, 530),
        ("MAIL FROM", "421 closing", .sender, 421), ("RCPT TO", "421 closing", .recipient, 421),
        ("DATA", "554 5.7.1 no", .message, 554), ("EHLO", "554 no service", .greeting, 554),
    ])
    func `a refusal says at which step it came`(
        command: String, words: String, step: MailReply.Step, code: Int
    ) async throws {
        var script = MailServerScript(answers: [(command, words)])
        if command == "EHLO" { script.answers.append(("HELO", words)) }
        let answer = try await send(script)
        #expect(!answer.isTaken)
        #expect(answer.reply.step == step)
        #expect(answer.reply.code == code)
        #expect(!answer.reply.text.isEmpty)
    }

    @Test(arguments: [("554 5.6.0 no", 554), ("451 4.7.1 later", 451)])
    func `a mail that is refused as such has its number`(words: String, code: Int) async throws {
        var script = MailServerScript()
        script.end = words
        let answer = try await send(script)
        #expect(answer.reply.step == .message)
        #expect(answer.reply.code == code)
        #expect(!answer.isTaken)
    }

    @Test func `a server that refuses to speak is heard`() async throws {
        let answer = try await send(MailServerScript(greeting: "554 not for you"))
        #expect(answer.reply == MailReply(.greeting, 554, "not for you"))
    }

    @Test func `a refused login is no lost connection`() async throws {
        let script = MailServerScript(answers: [("AUTH PLAIN", "535 5.7.8 wrong")], abilities: ["AUTH PLAIN"])
        let answer = try await send(script, login: true)
        #expect(answer.reply == MailReply(.login, 535, "5.7.8 wrong"))
        #expect(heard.mails.isEmpty)
    }

    @Test func `a server whose logins take no password has given no number`() async throws {
        let answer = try await send(MailServerScript(abilities: ["AUTH GSSAPI"]), login: true)
        #expect(answer.reply == MailReply(.login, 0))
        #expect(!heard.commands.contains { $0.hasPrefix("AUTH") })
        #expect(heard.mails.isEmpty)
    }

    @Test func `a mail whose answer is lost may have arrived`() async throws {
        var script = MailServerScript()
        script.end = nil
        let error = try await failure(script)
        #expect(error.mayHaveArrived)
        #expect(!error.description.contains(hidden))
    }

    @Test func `a connection that breaks before the mail cannot have brought it`() async throws {
        let server = try LoopbackServer { connection in
            _ = connection.send("220 mail.example\r\n")
            _ = connection.readPiece()
        }
        let error = await #expect(throws: TransportError.self) {
            try await HTTPTransport.forTests().send(try mail(server.port), timeout: .seconds(3600))
        }
        #expect(error?.mayHaveArrived == false)
    }

    @Test func `a server without TLS is told nothing where TLS is a must`() async throws {
        let error = try await failure(MailServerScript(abilities: ["AUTH PLAIN"]), security: .starttls)
        error.expect(.tls, mayHaveArrived: false, says: "offers no STARTTLS")
        #expect(heard.commands.allSatisfy { $0.hasPrefix("EHLO") || $0 == "QUIT" }, "\(heard.commands)")
    }

    @Test func `a password does not travel in the open, unless that is wanted`() async throws {
        let error = await #expect(throws: TransportError.self) {
            let mail = try mail(25, host: "mail.invalid", login: true)
            return try await HTTPTransport.forTests().send(mail, timeout: .seconds(3600))
        }
        try #require(error).expect(.refusedScheme, mayHaveArrived: false, says: "set `insecure: true`")
    }

    @Test func `a server that never answers is given up in time`() async throws {
        let signal = Signal()
        let server = try LoopbackServer { connection in
            connection.waitForClose()
            signal.give()
        }
        let error = await #expect(throws: TransportError.self) {
            try await HTTPTransport.forTests().send(try mail(server.port), timeout: .milliseconds(300))
        }
        #expect(error?.cause == .timeout)
        #expect(error?.mayHaveArrived == false)
        await signal.wait()
    }

    @Test func `what speaks another language cannot have the mail`() async throws {
        let web = try LoopbackServer { connection in
            _ = connection.send("HTTP/1.1 400 Bad Request\r\n\r\n")
        }
        let error = await #expect(throws: TransportError.self) {
            try await HTTPTransport.forTests().send(try mail(web.port), timeout: .seconds(3600))
        }
        #expect(error?.mayHaveArrived == false)
    }
}
