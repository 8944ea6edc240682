import BotHarness
import Foundation
import Testing

extension IntegrationSuite {
    /// A receiver that stands for Slack; what it got is judged by Slack's own library.
    @Suite(.serialized, .timeLimit(.minutes(5))) struct SlackTests {
        private func scratch(_ slack: LoopbackServer, figures: String, rules: String = "") throws -> Scratch {
            let scratch = try Scratch()
            try scratch.write("figures.jsonl", figures)
            try scratch.write(
                "config.yaml",
                """
                version: 1
                bot: {name: shop-alerts, listen: off, public_url: "https://alerts.example.com"}
                polling: {every: 1s, throttle: 1s, slowest: 1s}
                sources:
                  figures: {plugin: file, path: ./figures.jsonl}
                rules:
                  floor: {plugin: threshold, metric: crash_free_users, warning: "< 99.5%", critical: "< 97%", window: 1m}
                \(rules)
                channels:
                  team: {plugin: slack, webhook: "\(slack.url)/services/${env:HOOK}"}

                """)
            return scratch
        }

        private let environment = ["HOOK": "T0/B0/s3cret"]

        /// Titles that mean something to Slack, and one of the length that crash reporters cut at.
        private let hostile: String = {
            let titles = [
                "<!channel> <!here> <@U123> <https://evil.example|click>",
                "*bold* _it_ ~no~ `code` ```block``` > quote",
                "&amp; &lt; < > &", String(repeating: "NullPointerException 🧨 ", count: 120), "\\u202Egnp.exe\\u0000",
            ]
            let issues = titles.enumerated().map { index, title in
                #"{"id":"S-\#(index)","title":"\#(title)","events":1000000,"users":99999,"#
                    + #""url":"https://sentry.io/issues/\#(index)/?a=1&b=2|3>"}"#
            }
            return #","release":"com.shop.ios@5.2.0+5201 <!everyone>","issues":[\#(issues.joined(separator: ","))]"#
        }()

        private var checker: String {
            Tools.package.appendingPathComponent("plugins/channels/Slack/TestData/slack_blocks_check.py").path
        }

        @Test func `a story of every kind of message is what Slack's library takes, within its limits`() async throws {
            let slack = try LoopbackServer { _ in .answer(200, ["Content-Type": "text/html"], "ok") }
            defer { slack.stop() }
            let scratch = try scratch(slack, figures: Figures().line("shop", crashed: 100, of: 10_000, more: hostile))
            let bot = try await scratch.startBot(environment: environment)
            defer { bot.send(9) }
            let steps = [("🟠", nil), ("🔴", 900), ("✅", 0)]
            for (mark, crashed) in steps {
                if let crashed {
                    try scratch.write(
                        "figures.jsonl", Figures().line("shop", crashed: crashed, of: 10_000, more: hostile))
                }
                _ = try await slack.request("a message with \(mark)") {
                    $0.json["text"].string?.hasPrefix(mark) == true
                }
            }
            bot.send(15)
            #expect(try await bot.ending() == .exited(0))
            #expect(slack.requests.count == 3)
            for request in slack.requests {
                #expect(request.method == "POST")
                #expect(request.target == "/services/T0/B0/s3cret")
                #expect(request.header("content-type")?.hasPrefix("application/json") == true)
                #expect(!request.text.contains("<!channel>") && !request.text.contains("<!everyone>"))
                #expect(!request.text.contains("<@U123>") && !request.text.contains("<https://evil"))
            }
            let payloads = slack.requests.map { $0.text + "\n" }.joined()
            let check = try await run(Tools.python, [checker], input: .text(payloads))
            #expect(check.status == 0, "\(check.all)")
            #expect(check.output.hasSuffix("3 of 3 payloads are fine\n"))
        }

        @Test func `what a preview shows is what is sent, and the preview sends nothing`() async throws {
            let slack = try LoopbackServer { _ in .answer(200, [:], "ok") }
            defer { slack.stop() }
            let scratch = try scratch(slack, figures: Figures().line("shop", crashed: 900, of: 10_000, more: hostile))
            let preview = try await scratch.alertbot("dry-run", "--format", "json", environment: environment)
            #expect(slack.requests.isEmpty)
            let bot = try await scratch.startBot(environment: environment)
            defer { bot.send(9) }
            let request = try await slack.request("the message") { _ in true }
            let planned = try preview.json["notifications"][0]["request"]
            let (sent, shown) = (request.json, planned["body"])
            #expect(sent.names == shown.names)
            for name in ["text", "blocks", "unfurl_links", "unfurl_media"] { #expect(sent[name] == shown[name]) }
            #expect(planned["url"].string == "\(slack.url)/***")
        }

        @Test func `blocks that Slack refuses are sent again as plain text`() async throws {
            let slack = try LoopbackServer { request in
                request.json["blocks"] == .null ? .answer(200, [:], "ok") : .answer(400, [:], "invalid_blocks")
            }
            defer { slack.stop() }
            let scratch = try scratch(slack, figures: Figures().line("shop", crashed: 900, of: 10_000, more: hostile))
            let bot = try await scratch.startBot(environment: environment)
            defer { bot.send(9) }
            let plain = try await slack.request("the plain form") { $0.number == 1 }
            #expect(plain.json["text"].string?.hasPrefix("🔴 shop") == true)
            #expect(plain.json["attachments"] == .null)
            bot.send(15)
            #expect(try await bot.ending() == .exited(0))
            let history = try await scratch.alertbot("history", "--format", "json", environment: environment)
            #expect(try history.json["history"][0]["outcome"].string == "delivered")
            let check = try await run(Tools.python, [checker], input: .text(plain.text))
            #expect(check.status == 0, "\(check.all)")
        }

        @Test func `a message that may have arrived is sent once more and says so`() async throws {
            let slack = try LoopbackServer { $0.number == 0 ? .hangUp : .answer(200, [:], "ok") }
            defer { slack.stop() }
            let scratch = try scratch(slack, figures: Figures().line("shop", crashed: 900, of: 10_000))
            let bot = try await scratch.startBot(environment: environment)
            defer { bot.send(9) }
            let again = try await slack.request("a second try", within: .seconds(90)) { $0.number == 1 }
            #expect(slack.requests.first?.text.contains("possibly repeated") == false)
            #expect(again.text.contains("possibly repeated"), "\(again.text)")
            bot.send(15)
            #expect(try await bot.ending() == .exited(0))
            #expect(slack.requests.count == 2)
        }

        @Test func `Retry-After is kept to, and no request leaves before`() async throws {
            let slack = try LoopbackServer {
                $0.number == 0 ? .answer(429, ["Retry-After": "3"], "rate_limited") : .answer(200, [:], "ok")
            }
            defer { slack.stop() }
            let two =
                Figures().line("shop-a", crashed: 900, of: 10_000) + Figures().line("shop-b", crashed: 900, of: 10_000)
            let scratch = try scratch(slack, figures: two)
            let bot = try await scratch.startBot(environment: environment)
            defer { bot.send(9) }
            _ = try await slack.request("both messages") { $0.number == 2 }
            let refused = try #require(slack.answers.first)
            #expect(slack.requests[1].at - refused.at >= .seconds(3))
            let told = Set(
                slack.requests.dropFirst().compactMap { $0.json["text"].string?.split(separator: ":").first })
            #expect(told == ["🔴 shop-a", "🔴 shop-b"])
        }

        @Test(arguments: [(404, "no_service"), (403, "action_prohibited"), (410, "channel_is_archived")])
        func `a webhook that is gone is a failed delivery at once`(status: Int, word: String) async throws {
            let slack = try LoopbackServer { _ in .answer(status, [:], word) }
            defer { slack.stop() }
            let scratch = try scratch(slack, figures: Figures().line("shop", crashed: 900, of: 10_000))
            let bot = try await scratch.startBot(environment: environment)
            defer { bot.send(9) }
            try await bot.says("failed for good")
            bot.send(15)
            #expect(try await bot.ending() == .exited(0))
            #expect(slack.requests.count == 1)
            let dead = try await scratch.alertbot("history", "--dead", environment: environment)
            #expect(dead.output.contains(word), "\(dead.output)")
            #expect(!(dead.all + bot.standardError).contains("s3cret"))
        }
    }
}
