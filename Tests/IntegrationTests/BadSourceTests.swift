import BotHarness
import Foundation
import Glibc
import Testing

extension IntegrationSuite {
    /// Sources that answer with whatever the world has in store.
    @Suite(.serialized, .timeLimit(.minutes(5))) struct BadSourceTests {
        private func config(_ url: String, hook: String = "http://127.0.0.1:1", more: String = "") -> String {
            """
            version: 1
            bot: {name: shop-alerts, listen: off}
            polling: {every: 1s, throttle: 1s, slowest: 1s, timeout: 1s}
            sources:
              bad: {plugin: http_json, url: "\(url)", app: far, map: {users: $.users, crashed_users: $.crashed}}
            \(more)
            rules:
              floor: {plugin: threshold, metric: crash_free_users, critical: "< 99%", window: 1m}
            channels:
              hook: {plugin: webhook, url: "\(hook)"}

            """
        }

        private static let good = #"{"users": 10000, "crashed": 500}"#
        private static let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"

        struct Manner: Sendable, CustomTestStringConvertible {
            let name: String
            let reply: LoopbackServer.Reply
            /// What the failure says, at least.
            let word: String
            var testDescription: String { name }

            init(_ name: String, _ reply: LoopbackServer.Reply, _ word: String) {
                self.name = name
                self.reply = reply
                self.word = word
            }
        }

        private static func bytes(_ text: String) -> LoopbackServer.Reply { .raw(Array(text.utf8)) }

        static let manners: [Manner] = [
            Manner("silence", .silence, "timeout"),
            Manner("too slow", .late(.seconds(3), .answer(200, [:], good)), "timeout"),
            Manner("hangs up", .hangUp, "bad"),
            Manner("hangs up in the middle", bytes(head + "Content-Length: 500\r\n\r\n{"), "bad"),
            Manner("an endless body", .endless([UInt8](repeating: UInt8(ascii: " "), count: 1 << 16)), "bad"),
            Manner(
                "endless headers", .raw(Array((head + String(repeating: "X-A: b\r\n", count: 400_000)).utf8)), "bad"),
            Manner("not HTTP", bytes("220 smtp.example.com ESMTP\r\n"), "bad"),
            Manner("a web page", .answer(200, ["Content-Type": "text/html"], "<html>Please log in</html>"), "JSON"),
            Manner("nothing", .answer(200), "bad"), Manner("a number", .answer(200, [:], "7"), "$"),
            Manner(
                "not UTF-8", .raw(Array((head + "Content-Length: 4\r\n\r\n").utf8) + [0x22, 0xFF, 0xFE, 0x22]), "bad"),
            Manner("deep", .answer(200, [:], String(repeating: "[", count: 100_000)), "bad"),
            Manner("other members", .answer(200, [:], #"{"people": 5}"#), "$.users"),
            Manner("text for a count", .answer(200, [:], #"{"users": "many", "crashed": 1}"#), "$.users"),
            Manner("more crashed than there are", .answer(200, [:], #"{"users": 1, "crashed": 20}"#), "crashed"),
            Manner("a negative count", .answer(200, [:], #"{"users": -1, "crashed": 0}"#), "users"),
            Manner("500", .answer(500, [:], "oops"), "500"), Manner("404", .answer(404, [:], "gone fishing"), "404"),
            Manner("401", .answer(401), "401"), Manner("304 to a first question", .answer(304), "304"),
            Manner("a redirect to a file", .answer(302, ["Location": "file:///etc/passwd"]), "redirects to"),
            Manner("a redirect elsewhere", .answer(302, ["Location": "http://127.0.0.1:1/x"]), "redirects to"),
            Manner("control characters", .answer(500, [:], "\u{1B}[31mred\u{7}\u{202E}"), "500"),
        ]

        @Test(arguments: manners)
        func `a preview of it ends soon, with a sentence`(manner: Manner) async throws {
            let server = try LoopbackServer { _ in manner.reply }
            defer { server.stop() }
            let scratch = try Scratch()
            try scratch.write("config.yaml", config(server.url))
            let preview = try await scratch.alertbot("dry-run", "--format", "json", within: .seconds(30))
            #expect(preview.status == 3, "\(preview.all)")
            #expect(preview.output == "")
            let line = try #require(preview.errors.split(separator: "\n").first)
            #expect(line.hasPrefix("alertbot: source bad: "), "\(line)")
            if !["bad", "timeout"].contains(manner.word) { #expect(line.contains(manner.word), "\(line)") }
            #expect(line.count < 600)
            #expect(!preview.errors.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" || $0.value == 0x202E })
        }

        @Test func `while one source misbehaves in every way, another is reported of, and the bot lives`() async throws
        {
            let server = try LoopbackServer { BadSourceTests.manners[$0.number % BadSourceTests.manners.count].reply }
            defer { server.stop() }
            let receiver = try LoopbackServer { _ in .answer(200) }
            defer { receiver.stop() }
            let scratch = try Scratch()
            try scratch.write("figures.jsonl", Figures(source: "good").line("shop", crashed: 0, of: 10_000))
            try scratch.write(
                "config.yaml",
                config(server.url, hook: receiver.url, more: "  good: {plugin: file, path: ./figures.jsonl}"))
            let bot = try await scratch.startBot()
            defer { bot.send(SIGKILL) }
            _ = try await server.request("the fifth poll", within: .seconds(60)) { $0.number == 5 }
            try scratch.write("figures.jsonl", Figures(source: "good").line("shop", crashed: 500, of: 10_000))
            _ = try await receiver.request("the alarm") { $0.json["data"]["incidents"][0]["app"].string == "shop" }
            #expect(bot.isRunning)
            // The bot's own trouble is one incident, not one for each rule or poll.
            let trouble = try await receiver.request("the bot's trouble", within: .seconds(60)) {
                $0.json["data"]["incidents"][0]["app"].string == "alertbot"
            }
            #expect(trouble.json["data"]["incidents"][0]["rule"].string == "source-failing")
            server.change { _ in .answer(200, [:], BadSourceTests.good.replacing("500", with: "0")) }
            _ = try await receiver.request("its end", within: .seconds(90)) {
                $0.json["type"].string == "incident.resolved"
                    && $0.json["data"]["incidents"][0]["rule"].string == "source-failing"
            }
            #expect(receiver.requests.count { $0.json["data"]["incidents"][0]["app"].string == "alertbot" } == 2)
        }

        @Test func `a poll that a kill cut off is made again by the next bot, and not much later`() async throws {
            let server = try LoopbackServer { $0.number == 0 ? .silence : .answer(200, [:], BadSourceTests.good) }
            defer { server.stop() }
            let scratch = try Scratch()
            let patient = config(server.url).replacing("slowest: 1s, timeout: 1s", with: "slowest: 10m, timeout: 20s")
            try scratch.write("config.yaml", patient)
            let first = try await scratch.startBot()
            defer { first.send(SIGKILL) }
            _ = try await server.request("the first poll") { _ in true }
            first.send(SIGKILL)
            try await first.ending()
            let second = try await scratch.startBot()
            defer { second.send(SIGKILL) }
            _ = try await server.request("the same poll again", within: .seconds(15)) { $0.number == 1 }
        }

        @Test func `Retry-After of a source is kept to`() async throws {
            let server = try LoopbackServer {
                $0.number == 0 ? .answer(503, ["Retry-After": "4"]) : .answer(200, [:], BadSourceTests.good)
            }
            defer { server.stop() }
            let receiver = try LoopbackServer { _ in .answer(200) }
            defer { receiver.stop() }
            let scratch = try Scratch()
            try scratch.write("config.yaml", config(server.url, hook: receiver.url))
            let bot = try await scratch.startBot()
            defer { bot.send(SIGKILL) }
            let second = try await server.request("a second poll") { $0.number == 1 }
            let refused = try #require(server.answers.first)
            #expect(second.at - refused.at >= .seconds(4))
            _ = try await receiver.request("the alarm") { $0.json["data"]["incidents"][0]["app"].string == "far" }
        }

        @Test func `an answer that has not changed is asked for with its tag`() async throws {
            let server = try LoopbackServer {
                $0.header("if-none-match") == "\"v1\""
                    ? .answer(304, ["ETag": "\"v1\""]) : .answer(200, ["ETag": "\"v1\""], BadSourceTests.good)
            }
            defer { server.stop() }
            let scratch = try Scratch()
            try scratch.write("config.yaml", config(server.url))
            let bot = try await scratch.startBot()
            defer { bot.send(SIGKILL) }
            _ = try await server.request("a question with the tag") { $0.header("if-none-match") == "\"v1\"" }
            #expect(server.requests.first?.header("if-none-match") == nil)
            _ = try await eventually("it counts as unchanged") {
                let status = try await scratch.alertbot("status", "--format", "json").json
                return status["sources"][0]["state"].string == "unchanged" ? true : nil
            }
        }
    }
}
