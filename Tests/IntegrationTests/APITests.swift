import BotHarness
import Foundation
import Glibc
import Testing

extension FrontSuite {
    /// The interface for programs, held to its own document.
    @Suite(.serialized, .timeLimit(.minutes(5))) struct APITests {
        @Test func `what the document promises holds for whatever is sent`() async throws {
            let port = try Loopback.freePort()
            let receiver = try LoopbackServer { _ in .answer(200) }
            defer { receiver.stop() }
            let scratch = try Scratch()
            try scratch.write(
                "config.yaml",
                """
                version: 1
                bot: {name: shop-alerts, listen: "127.0.0.1:\(port)"}
                sources:
                  shops: {plugin: file, path: ./figures.jsonl, every: 1s, throttle: 1s}
                rules:
                  floor: {plugin: threshold, metric: crash_free_users, critical: "< 99%", window: 1m}
                channels:
                  hook: {plugin: webhook, url: "\(receiver.url)"}

                """)
            try scratch.write("figures.jsonl", Figures().line("shop", crashed: 500, of: 10_000) + "\n")
            let bot = try await scratch.startBot()
            defer { bot.send(SIGKILL) }
            _ = try await receiver.request("the alarm; the bot said \(bot.standardError)") { $0.text.contains("shop") }

            let base = "http://127.0.0.1:\(port)/api/v1"
            // Pushes need a source that takes them and its token; they have tests of their own.
            let held = try await run(
                Tools.python,
                [
                    "-m", "schemathesis.cli", "run", "\(base)/openapi.json", "--url", base, "--checks", "all",
                    "--max-examples", "50", "--seed", "1", "--exclude-path", "/observations", "--no-color",
                ], folder: scratch.folder, within: .seconds(240))
            #expect(held.status == 0, "\(held.all.suffix(4000))")
            #expect(held.output.contains("Tested: 10"), "\(held.output.suffix(800))")
            #expect(Loopback.ask(port, "GET", "/healthz")?.status == 200, "and the bot goes on")
        }
    }
}
