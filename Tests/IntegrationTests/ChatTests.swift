import BotHarness
import Foundation
import Testing

/// A chat with an incoming webhook, as a receiver of the tests' own stands for it.
struct FakeChat: Sendable, CustomStringConvertible {
    let plugin: String
    /// The path of its webhooks.
    let path: String
    /// What it answers when it has taken a message.
    let taken: (status: Int, body: String)
    /// What it answers to a rich form that it cannot read.
    let refused: (status: Int, body: String)
    /// Whether a body is the rich form.
    let isRich: @Sendable (String) -> Bool
    /// Whether a name in a text calls somebody, so that none may be left whole.
    var callsByName = true
    /// What is said of a webhook that answers 404.
    var gone = "there is no webhook at this address"
    /// Where a message of its own is changed, for those that can do that.
    var edited: String?
    /// What checks its payloads with the service's own library, beside the plugin's tests; nil where there is none.
    var checker: String?

    var description: String { plugin }

    static let all: [FakeChat] = [
        FakeChat(
            plugin: "discord", path: "/api/webhooks/1/s3cret?thread_id=5", taken: (200, #"{"id": "1200"}"#),
            refused: (400, #"{"message": "Invalid Form Body", "code": 50035}"#), isRich: { $0.contains("embeds") },
            edited: "/api/webhooks/1/s3cret/messages/1200?thread_id=5&wait=true",
            checker: "plugins/channels/Discord/TestData/discord_embed_check.py"),
        FakeChat(
            plugin: "teams", path: "/workflows/7/invoke?sp=%2Ftriggers%2Fmanual%2Frun&sig=s3cret", taken: (202, ""),
            refused: (400, #"{"error": {"code": "TriggerInputSchemaMismatch"}}"#), isRich: { $0.contains("Container") },
            callsByName: false,
            gone: "the workflow is gone", checker: "plugins/channels/Teams/TestData/teams_card_check.py"),
        FakeChat(
            plugin: "mattermost", path: "/hooks/s3cret", taken: (200, "ok"),
            refused: (400, #"{"id": "web.incoming_webhook.parse.app_error", "status_code": 400}"#),
            isRich: { $0.contains("attachments") }),
        FakeChat(
            plugin: "rocketchat", path: "/hooks/5f/s3cret", taken: (200, #"{"success": true}"#),
            refused: (400, #"{"success": false, "error": "unknown-error"}"#), isRich: { $0.contains("attachments") }),
        FakeChat(
            plugin: "google_chat", path: "/v1/spaces/A/messages?key=k&token=s3cret",
            taken: (200, #"{"name": "spaces/A/messages/B.B", "thread": {"name": "spaces/A/threads/C"}}"#),
            refused: (400, #"{"error": {"code": 400, "status": "INVALID_ARGUMENT"}}"#),
            isRich: { $0.contains("cardsV2") }, callsByName: false),
    ]
}

extension IntegrationSuite {
    /// Chats with incoming webhooks: what they get is judged by their own libraries, where there are any.
    @Suite(.serialized, .timeLimit(.minutes(5))) struct ChatTests {
        private func scratch(_ chat: FakeChat, _ server: LoopbackServer, _ figures: String) throws -> Scratch {
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
                channels:
                  team: {plugin: \(chat.plugin), webhook: "${env:HOOK}"}

                """)
            return scratch
        }

        private func environment(_ chat: FakeChat, _ server: LoopbackServer) -> [String: String] {
            ["HOOK": server.url + chat.path]
        }

        /// Titles that mean something to one chat or another, and one of the length that crash reporters cut at.
        private let hostile: String = {
            let titles = [
                "@everyone @all @channel <!here> <users/all> <at>kim</at> [click](https://evil.example)",
                "# **bold** _it_ ~~no~~ `code` ```block``` ||hidden|| > quote", "&amp; &lt; < > &",
                String(repeating: "NullPointerException 🧨 ", count: 120), "\\u202Egnp.exe\\u0000",
            ]
            let issues = titles.enumerated().map { index, title in
                #"{"id":"S-\#(index)","title":"\#(title)","events":1000000,"users":99999,"#
                    + #""url":"https://sentry.io/issues/\#(index)/?a=1&b=2|3>"}"#
            }
            return #","release":"com.shop.ios@5.2.0+5201 @everyone","issues":[\#(issues.joined(separator: ","))]"#
        }()

        @Test(arguments: FakeChat.all)
        func `a story of every kind of message is what the chat takes`(chat: FakeChat) async throws {
            let server = try LoopbackServer { _ in .answer(chat.taken.status, [:], chat.taken.body) }
            defer { server.stop() }
            let scratch = try scratch(chat, server, Figures().line("shop", crashed: 100, of: 10_000, more: hostile))
            let environment = environment(chat, server)
            let bot = try await scratch.startBot(environment: environment)
            defer { bot.send(9) }
            for (mark, crashed) in [("🟠", nil), ("🔴", 900), ("✅", 0)] {
                if let crashed {
                    try scratch.write(
                        "figures.jsonl", Figures().line("shop", crashed: crashed, of: 10_000, more: hostile))
                }
                _ = try await server.request("a message with \(mark)") { $0.text.contains(mark) }
            }
            bot.send(15)
            #expect(try await bot.ending() == .exited(0))
            let edits = server.requests.filter { $0.method == "PATCH" }
            #expect(edits.map(\.target) == (chat.edited.map { [$0, $0] } ?? []), "it got worse, and it is over")
            #expect(server.requests.count == 3 + edits.count)
            for request in server.requests {
                #expect(request.method == "PATCH" || request.method == "POST" && request.target.hasPrefix(chat.path))
                #expect(request.header("content-type")?.hasPrefix("application/json") == true)
                #expect(!request.text.contains("https://evil"))
                #expect(!chat.callsByName || !request.text.contains("@everyone"))
            }
            let history = try await scratch.alertbot("history", "--format", "json", environment: environment)
            #expect(try history.json["history"][0]["outcome"].string == "delivered")
            guard let checker = chat.checker else { return }
            let payloads = server.requests.map { $0.text + "\n" }.joined()
            let check = try await run(
                Tools.python, [Tools.package.appendingPathComponent(checker).path], input: .text(payloads))
            #expect(check.status == 0, "\(check.all)")
            #expect(check.output.hasSuffix("\(3 + edits.count) of \(3 + edits.count) payloads are fine\n"))
        }

        @Test(arguments: FakeChat.all)
        func `a rich form that is refused is sent again as plain text`(chat: FakeChat) async throws {
            let server = try LoopbackServer { request in
                let answer = chat.isRich(request.text) ? chat.refused : chat.taken
                return .answer(answer.status, [:], answer.body)
            }
            defer { server.stop() }
            let scratch = try scratch(chat, server, Figures().line("shop", crashed: 900, of: 10_000, more: hostile))
            let bot = try await scratch.startBot(environment: environment(chat, server))
            defer { bot.send(9) }
            let plain = try await server.request("the plain form") { $0.number == 1 }
            #expect(plain.text.contains("🔴 shop"))
            #expect(!chat.isRich(plain.text))
            bot.send(15)
            #expect(try await bot.ending() == .exited(0))
        }

        @Test func `Discord's wait is kept to the millisecond, and no request leaves before`() async throws {
            let discord = try #require(FakeChat.all.first { $0.plugin == "discord" })
            let limited = #"{"message": "You are being rate limited.", "retry_after": 2.347, "global": false}"#
            let server = try LoopbackServer {
                $0.number == 0
                    ? .answer(429, ["Retry-After": "3"], limited) : .answer(200, [:], discord.taken.body)
            }
            defer { server.stop() }
            let scratch = try scratch(discord, server, Figures().line("shop", crashed: 900, of: 10_000))
            let bot = try await scratch.startBot(environment: environment(discord, server))
            defer { bot.send(9) }
            _ = try await server.request("the second try") { $0.number == 1 }
            let refused = try #require(server.answers.first)
            #expect(server.requests[1].at - refused.at >= .milliseconds(2347))
        }

        @Test(arguments: FakeChat.all)
        func `a webhook that is gone is a failed delivery at once, and its address stays secret`(
            chat: FakeChat
        ) async throws {
            let server = try LoopbackServer { _ in .answer(404, [:], "") }
            defer { server.stop() }
            let scratch = try scratch(chat, server, Figures().line("shop", crashed: 900, of: 10_000))
            let environment = environment(chat, server)
            let bot = try await scratch.startBot(environment: environment)
            defer { bot.send(9) }
            try await bot.says("failed for good")
            bot.send(15)
            #expect(try await bot.ending() == .exited(0))
            #expect(server.requests.count == 1)
            let dead = try await scratch.alertbot("history", "--dead", environment: environment)
            #expect(dead.output.contains(chat.gone), "\(dead.output)")
            #expect(!(dead.all + bot.standardError).contains("s3cret"))
        }
    }
}
