import BotHarness
import Foundation
import Testing

extension IntegrationSuite {
    /// A mail server of aiosmtpd; what it got is judged by Python's own parsers.
    @Suite(.serialized, .timeLimit(.minutes(5))) struct EmailTests {
        private let environment = ["MAIL_PASSWORD": "s3cret"]

        private func scratch(
            _ mode: String, to recipients: String = "oncall@example.com", ca: Bool = true, more: String = ""
        ) async throws -> (Scratch, ServerProcess) {
            let scratch = try Scratch()
            try await scratch.makeCertificates()
            let server = try await ServerProcess.python("mail.py", scratch, mode)
            let login = mode == "plain" ? "" : "username: bot, password: \"${env:MAIL_PASSWORD}\","
            try scratch.write(
                "config.yaml",
                """
                version: 1
                bot: {name: shop-alerts, listen: off, public_url: "https://alerts.example.com", report_to: ops}
                polling: {every: 1s, throttle: 1s, slowest: 1s}
                sources:
                  figures: {plugin: file, path: ./figures.jsonl}
                rules:
                  floor: {plugin: threshold, metric: crash_free_users, warning: "< 99.5%", critical: "< 97%", window: 1m}
                channels:
                  team: {plugin: email, server: "localhost:\(server.port)", security: \(mode == "plain" ? "none" : mode),
                         \(login) from: Shop alerts <alerts@example.com>, to: [\(recipients)]\(ca ? ", ca: ./ca.pem" : "")\(more)}
                  ops: {plugin: inbox}
                routes:
                  - {match: {app: alertbot}, to: [ops]}
                  - {to: [team]}

                """)
            return (scratch, server)
        }

        private let hostile: String = {
            let titles = [
                "<script>alert(1)</script> </p></td></table> https://evil.example", "a\\r\\nBcc: evil@evil.example",
                "=?utf-8?B?QmNjOiB4?= &amp; < > \\\"", String(repeating: "NullPointerException 🧨 ", count: 120),
                "\\u202Egnp.exe\\u0000",
            ]
            let issues = titles.enumerated().map { index, title in
                #"{"id":"S-\#(index)","title":"\#(title)","events":1000000,"users":99999,"#
                    + #""url":"https://sentry.io/issues/\#(index)/?a=1&b=2|3>"}"#
            }
            return #","release":"com.shop.ios@5.2.0+5201\r\nBcc: x","issues":[\#(issues.joined(separator: ","))]"#
        }()

        @Test(arguments: ["starttls", "tls"])
        func `a story is mails that Python's parsers take, and one conversation`(mode: String) async throws {
            let (scratch, server) = try await scratch(mode, to: "oncall@example.com, lead@example.com")
            try scratch.write("figures.jsonl", Figures().line("shop", crashed: 100, of: 10_000, more: hostile))
            let bot = try await scratch.startBot(environment: environment)
            defer { bot.send(9) }
            for (count, crashed) in [(1, nil), (2, 900), (3, 0)] {
                if let crashed {
                    try scratch.write(
                        "figures.jsonl", Figures().line("shop", crashed: crashed, of: 10_000, more: hostile))
                }
                _ = try await eventually("\(count) mails: \(bot.standardError)") {
                    scratch.lines("mails.jsonl").count >= count ? true : nil
                }
            }
            bot.send(15)
            #expect(try await bot.ending() == .exited(0))
            let mails = scratch.lines("mails.jsonl")
            #expect(mails.count == 3)
            for mail in mails {
                #expect(mail["from"].string == "alerts@example.com")
                #expect(mail["to"].elements.map(\.string) == ["oncall@example.com", "lead@example.com"])
                #expect(mail["user"].string == "bot")
                #expect(mail["tls"].bool == true)
                #expect(mail["message"].string?.contains("\r\nBcc:") == false)
            }
            let texts = mails.compactMap(\.["message"].string)
            let id = try #require(header("Message-ID", texts[0]))
            #expect(header("In-Reply-To", texts[0]) == nil)
            #expect(texts.dropFirst().map { header("In-Reply-To", $0) } == [id, id])
            #expect(Set(texts.map { header("Message-ID", $0) }).count == 3)
            let checker = Tools.package.appendingPathComponent("plugins/channels/Email/TestData/mail_check.py").path
            let lines = try texts.map { String(decoding: try JSONEncoder().encode($0), as: UTF8.self) + "\n" }.joined()
            let check = try await run(Tools.python, [checker], input: .text(lines))
            #expect(check.status == 0, "\(check.all)")
            #expect(check.output.hasSuffix("3 of 3 mails are fine\n"))
            try await server.stop()
        }

        @Test func `a chart is a picture inside the mail that Python's parser finds`() async throws {
            let (scratch, server) = try await scratch("starttls", more: ", chart: true")
            let sent = try await sendTest(scratch)
            #expect(sent.status == 0, "\(sent.all)")
            let text = try #require(scratch.lines("mails.jsonl").first?["message"].string)
            let check = try await run(
                Tools.python,
                [
                    "-c",
                    """
                    import email, email.policy, sys
                    mail = email.message_from_bytes(sys.stdin.buffer.read(), policy=email.policy.default)
                    text, rich = mail.iter_parts()
                    page, picture = rich.iter_parts()
                    assert not list(mail.defects) and not list(picture.defects)
                    assert text.get_content_type() == "text/plain" and rich.get_content_type() == "multipart/related"
                    place = picture["Content-ID"].strip("<>")
                    assert f'src="cid:{place}"' in page.get_content(), place
                    bytes = picture.get_content()
                    assert picture.get_content_type() == "image/png" and bytes[:4] == b"\\x89PNG"
                    print(len(bytes))
                    """,
                ], input: .text(text))
            #expect(check.status == 0, "\(check.all)")
            #expect(Int(check.output.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0 > 5_000)
            try await server.stop()
        }

        private func header(_ name: String, _ mail: String) -> String? {
            mail.components(separatedBy: "\r\n").first { $0.hasPrefix(name + ": ") }?.dropFirst(name.count + 2)
                .description
        }

        private func sendTest(_ scratch: Scratch, password: String = "s3cret") async throws -> Finished {
            try await scratch.alertbot("send-test", "team", environment: ["MAIL_PASSWORD": password])
        }

        @Test(arguments: ["starttls", "tls"])
        func `a server that nobody vouches for is told nothing`(mode: String) async throws {
            let (scratch, server) = try await scratch(mode, ca: false)
            let refused = try await sendTest(scratch)
            #expect(refused.status == 3)
            #expect(refused.errors.contains("no trusted connection to localhost:\(server.port)"), "\(refused.all)")
            #expect(scratch.lines("mails.jsonl").isEmpty)
            try await server.stop()
        }

        @Test func `a server without TLS is told nothing, unless that is wanted`() async throws {
            let (scratch, server) = try await scratch("plain")
            let open = try await sendTest(scratch)
            #expect(open.status == 0, "\(open.all)")
            let config = try String(contentsOfFile: scratch.path("config.yaml"), encoding: .utf8)
            try scratch.write(
                "config.yaml", config.replacingOccurrences(of: "security: none", with: "security: starttls"))
            let refused = try await sendTest(scratch)
            #expect(refused.status == 3)
            #expect(refused.errors.contains("offers no STARTTLS"), "\(refused.all)")
            #expect(scratch.lines("mails.jsonl").count == 1)
            try await server.stop()
        }

        @Test func `a wrong password is said, and never shown`() async throws {
            let (scratch, server) = try await scratch("starttls")
            let refused = try await sendTest(scratch, password: "wr0ng-s3cret")
            #expect(refused.status == 3)
            #expect(refused.errors.contains("answered 535"), "\(refused.all)")
            #expect(refused.errors.contains("check 'username' and 'password'"))
            #expect(!refused.all.contains("wr0ng"))
            try await server.stop()
        }

        @Test func `one refused recipient is named, and the others have the mail`() async throws {
            let (scratch, server) = try await scratch("starttls", to: "a@example.com, gone@example.com, b@example.com")
            let partly = try await sendTest(scratch)
            #expect(partly.status == 0)
            #expect(
                partly.output.contains(
                    "delivered to team, but not to everybody: 1 of 3 recipients did not get it: gone@example.com (550: "
                        + "5.1.1 no such user here)"), "\(partly.all)")
            #expect(scratch.lines("mails.jsonl").map { $0["to"].elements.count } == [2])
            try scratch.write("figures.jsonl", Figures().line("shop", crashed: 900, of: 10_000))
            let bot = try await scratch.startBot(environment: environment)
            defer { bot.send(9) }
            // The bot reports it as a trouble of its own, and sends the mail no second time.
            try await bot.says("do not reach everybody")
            bot.send(15)
            #expect(try await bot.ending() == .exited(0))
            #expect(scratch.lines("mails.jsonl").count == 2)
            try await server.stop()
        }

        @Test func `a mail for nobody fails for good`() async throws {
            let (scratch, server) = try await scratch("starttls", to: "gone@example.com")
            let refused = try await sendTest(scratch)
            #expect(refused.status == 3)
            #expect(refused.errors.contains("takes mail for none of the recipients"), "\(refused.all)")
            try await server.stop()
        }

        @Test func `what refuses HTML gets the text`() async throws {
            let (scratch, server) = try await scratch("starttls", to: "simple@example.com")
            try scratch.write("figures.jsonl", Figures().line("shop", crashed: 900, of: 10_000))
            let bot = try await scratch.startBot(environment: environment)
            defer { bot.send(9) }
            let mail = try await eventually("the plain form: \(bot.standardError)") {
                scratch.lines("mails.jsonl").first
            }
            #expect(mail["message"].string?.contains("text/html") == false)
            bot.send(15)
            #expect(try await bot.ending() == .exited(0))
            #expect(bot.standardError.contains("answered 554: 5.6.0 no HTML here; trying the plain form"))
            try await server.stop()
        }

        @Test func `a server that wants to see somebody twice is asked again in two minutes`() async throws {
            let (scratch, server) = try await scratch("starttls", to: "busy@example.com")
            try scratch.write("figures.jsonl", Figures().line("shop", crashed: 900, of: 10_000))
            let bot = try await scratch.startBot(environment: environment)
            defer { bot.send(9) }
            try await bot.says("answered 451: 4.7.1 greylisted, come again; next try in 2 min")
            bot.send(15)
            #expect(try await bot.ending() == .exited(0))
            #expect(scratch.lines("mails.jsonl").isEmpty)
            try await server.stop()
        }

        @Test func `a mail whose answer is lost is sent once more, as the same and marked`() async throws {
            let (scratch, server) = try await scratch("starttls", to: "lost@example.com")
            try scratch.write("figures.jsonl", Figures().line("shop", crashed: 900, of: 10_000))
            let bot = try await scratch.startBot(environment: environment)
            defer { bot.send(9) }
            let mails = try await eventually("two mails: \(bot.standardError)", within: .seconds(120)) {
                let mails = scratch.lines("mails.jsonl").compactMap(\.["message"].string)
                return mails.count == 2 ? mails : nil
            }
            #expect(header("Message-ID", mails[0]) == header("Message-ID", mails[1]))
            #expect(!mails[0].contains("possibly repeated"))
            #expect(mails[1].contains("possibly repeated"))
            bot.send(15)
            #expect(try await bot.ending() == .exited(0))
            try await server.stop()
        }
    }
}
