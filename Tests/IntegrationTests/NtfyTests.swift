import BotHarness
import Foundation
import Testing

extension IntegrationSuite {
    /// A server of ntfy's that treats requests badly: what comes of it on a telephone.
    @Suite(.serialized, .timeLimit(.minutes(5))) struct NtfyTests {
        private func answer(_ request: LoopbackServer.Request) -> LoopbackServer.Reply {
            .answer(200, [:], #"{"id":"m\#(request.number)","time":1795219200,"event":"message","topic":"t"}"#)
        }

        private func scratch(_ server: LoopbackServer) throws -> Scratch {
            let scratch = try Scratch()
            try scratch.write("figures.jsonl", Figures().line("shop", crashed: 900, of: 10_000))
            try scratch.write(
                "config.yaml",
                """
                version: 1
                bot: {name: shop-alerts, listen: off}
                polling: {every: 1s, throttle: 1s, slowest: 1s}
                sources:
                  figures: {plugin: file, path: ./figures.jsonl}
                rules:
                  floor: {plugin: threshold, metric: crash_free_users, critical: "< 97%", window: 1m}
                channels:
                  phone: {plugin: ntfy, url: "\(server.url)", topic: "${env:TOPIC}", token: "${env:TOKEN}"}

                """)
            return scratch
        }

        private let environment = ["TOPIC": "s3cret-topic", "TOKEN": "tk_s3cret"]

        @Test func `an incident rings once and ends quietly, and neither topic nor token is shown`() async throws {
            let server = try LoopbackServer { answer($0) }
            defer { server.stop() }
            let scratch = try scratch(server)
            let bot = try await scratch.startBot(environment: environment)
            defer { bot.send(9) }
            let opened = try await server.request("the beginning") { $0.number == 0 }
            try scratch.write("figures.jsonl", Figures().line("shop", crashed: 0, of: 10_000))
            let ended = try await server.request("the end") { $0.number == 1 }
            bot.send(15)
            #expect(try await bot.ending() == .exited(0))
            #expect(server.requests.count == 2)
            #expect(opened.method == "POST" && opened.target == "/")
            #expect(opened.header("authorization") == "Bearer tk_s3cret")
            #expect(opened.json["topic"].string == "s3cret-topic")
            #expect(opened.json["priority"].number == 5)
            #expect(opened.json["title"].string?.contains("shop: crash-free users 91.00%") == true)
            #expect((ended.json["priority"].number ?? 3) < 5)
            let history = try await scratch.alertbot("history", environment: environment)
            #expect(!(history.all + bot.standardError).contains("s3cret"))
        }

        @Test func `Retry-After is kept to, and an answer that is lost makes one more message, which says so`()
            async throws
        {
            let server = try LoopbackServer { request in
                switch request.number {
                case 0: .answer(429, ["Retry-After": "2"], #"{"code":42901,"http":429,"error":"limit reached"}"#)
                case 1: .hangUp
                default: answer(request)
                }
            }
            defer { server.stop() }
            let scratch = try scratch(server)
            let bot = try await scratch.startBot(environment: environment)
            defer { bot.send(9) }
            let again = try await server.request("a third try", within: .seconds(90)) { $0.number == 2 }
            #expect(server.requests[1].at - (server.answers.first?.at ?? .now) >= .seconds(2))
            #expect(!server.requests[1].text.contains("possibly repeated"))
            #expect(again.text.contains("possibly repeated"), "\(again.text)")
            // A server that knows it shows the second in the place of the first.
            #expect(again.json["sequence_id"] == server.requests[1].json["sequence_id"])
            bot.send(15)
            #expect(try await bot.ending() == .exited(0))
            #expect(server.requests.count == 3)
        }

        @Test(arguments: [(401, 40101, "check 'token'"), (403, 40301, "allow this user"), (404, 40401, "ntfy server")])
        func `what never passes is a failed delivery at once, with what to do`(
            status: Int, code: Int, advice: String
        ) async throws {
            let server = try LoopbackServer { _ in
                .answer(status, [:], #"{"code":\#(code),"http":\#(status),"error":"no"}"#)
            }
            defer { server.stop() }
            let scratch = try scratch(server)
            let bot = try await scratch.startBot(environment: environment)
            defer { bot.send(9) }
            try await bot.says("failed for good")
            bot.send(15)
            #expect(try await bot.ending() == .exited(0))
            #expect(server.requests.count == 1)
            let dead = try await scratch.alertbot("history", "--dead", environment: environment)
            #expect(dead.output.contains(advice), "\(dead.output)")
        }
    }
}
