import BotHarness
import Foundation
import Testing

extension IntegrationSuite {
    /// One incident from its beginning to its end, in services that keep it together: a thread, answers, an alert.
    @Suite(.serialized, .timeLimit(.minutes(5))) struct ThreadTests {
        private static let key = "0123456789abcdef0123456789abcdef"

        private func serve() throws -> LoopbackServer {
            try LoopbackServer { request in
                switch request.target {
                case let target where target.hasPrefix("/slack/"):
                    .answer(200, [:], #"{"ok":true,"channel":"C0123456789","ts":"1795219200.000100"}"#)
                case let target where target.hasPrefix("/telegram/"):
                    .answer(200, [:], #"{"ok":true,"result":{"message_id":4242}}"#)
                default: .answer(202, [:], #"{"status":"success","message":"Event processed"}"#)
                }
            }
        }

        private func config(_ server: LoopbackServer) -> String {
            """
            version: 1
            bot: {name: shop-alerts, listen: off}
            polling: {every: 1s, throttle: 1s, slowest: 1s}
            sources:
              figures: {plugin: file, path: ./figures.jsonl}
            rules:
              floor: {plugin: threshold, metric: crash_free_users, warning: "< 99.5%", critical: "< 97%", window: 1m}
            channels:
              team: {plugin: slack, url: "\(server.url)/slack", token: "${env:TOKEN}", channel: "#crashes",
                     mention: {critical: ["<!subteam^S0123>"]}}
              group: {plugin: telegram, url: "\(server.url)/telegram", token: "${env:BOT}", chat: "-1001"}
              pager: {plugin: pagerduty, url: "\(server.url)/pagerduty", routing_key: "${env:KEY}"}

            """
        }

        @Test func `an incident stays together, from its beginning to its end`() async throws {
            let server = try serve()
            defer { server.stop() }
            let scratch = try Scratch()
            try scratch.write("config.yaml", config(server))
            try scratch.write("figures.jsonl", Figures().line("shop", crashed: 100, of: 10_000))
            let environment = ["TOKEN": "xoxb-s3cret", "BOT": "123:s3cret", "KEY": Self.key]
            let bot = try await scratch.startBot(environment: environment)
            defer { bot.send(9) }

            func sent(_ path: String) -> [LoopbackServer.Request] {
                server.requests.filter { $0.target.hasPrefix(path) }
            }
            func waitFor(_ slack: Int, _ telegram: Int, _ pager: Int) async throws {
                _ = try await eventually("all were told") {
                    let counts = [sent("/slack").count, sent("/telegram").count, sent("/pagerduty").count]
                    return counts == [slack, telegram, pager] ? true : nil
                }
            }
            try await waitFor(1, 1, 1)
            try scratch.write("figures.jsonl", Figures().line("shop", crashed: 900, of: 10_000))
            try await waitFor(3, 3, 2)
            let open = try await scratch.alertbot("incidents", "--format", "json", environment: environment)
            let id = try #require(try open.json["incidents"][0]["id"].string ?? open.json[0]["id"].string)
            let acknowledged = try await scratch.alertbot("ack", id, "--by", "ana", environment: environment)
            #expect(acknowledged.status == 0, "\(acknowledged.all)")
            try await waitFor(4, 4, 3)
            try scratch.write("figures.jsonl", Figures().line("shop", crashed: 0, of: 10_000))
            try await waitFor(6, 6, 4)
            bot.send(15)
            #expect(try await bot.ending() == .exited(0))

            let slack = try sent("/slack").map { ($0.target, try JSONTree(parsing: $0.text)) }
            let post = "/slack/chat.postMessage"
            #expect(slack.map(\.0) == [post, post, "/slack/chat.update", post, post, "/slack/chat.update"])
            #expect(slack[0].1["channel"].string == "#crashes")
            #expect(slack[0].1["thread_ts"] == .null)
            for (target, body) in slack.dropFirst() {
                #expect(body["channel"].string == "C0123456789")
                #expect(body[target == post ? "thread_ts" : "ts"].string == "1795219200.000100")
            }
            #expect(
                slack.map { $0.1["text"].string?.hasPrefix("<!subteam^S0123> 🔴") ?? false }.filter { $0 }.count == 1)
            #expect(slack[3].1["text"].string?.contains("ana is on it") == true)

            let telegram = try sent("/telegram").map { ($0.target, try JSONTree(parsing: $0.text)) }
            let methods = telegram.map { $0.0.split(separator: "/").last.map(String.init) ?? "" }
            #expect(
                methods == [
                    "sendMessage", "sendMessage", "editMessageText", "sendMessage", "sendMessage", "editMessageText",
                ])
            #expect(telegram[4].1["reply_parameters"]["message_id"].number == 4242)
            #expect(telegram[5].1["message_id"].number == 4242)

            let pager = try sent("/pagerduty").map { try JSONTree(parsing: $0.text) }
            #expect(pager.map { $0["event_action"].string } == ["trigger", "trigger", "acknowledge", "resolve"])
            #expect(pager.map { $0["payload"]["severity"].string } == ["warning", "critical", nil, nil])
            #expect(pager.allSatisfy { $0["dedup_key"].string == id && $0["routing_key"].string == Self.key })
        }
    }
}
