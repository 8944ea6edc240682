import BotHarness
import Foundation
import Glibc
import Testing

extension IntegrationSuite {
    /// A real Prometheus reads what the running bot counts.
    @Suite(.serialized, .timeLimit(.minutes(3))) struct MetricsTests {
        private func scratch(_ port: UInt16, hook: String) throws -> Scratch {
            let scratch = try Scratch()
            try scratch.write(
                "config.yaml",
                """
                version: 1
                bot: {name: shop-alerts, listen: "127.0.0.1:\(port)"}
                sources:
                  shops: {plugin: file, path: ./figures.jsonl, every: 1s, throttle: 1s}
                  other: {plugin: file, path: ./none.jsonl, every: 1s, throttle: 1s}
                rules:
                  floor: {plugin: threshold, metric: crash_free_users, critical: "< 99%", window: 1m}
                channels:
                  hook: {plugin: webhook, url: "\(hook)"}

                """)
            try scratch.write("figures.jsonl", Figures().line("shop", crashed: 500, of: 10_000) + "\n")
            return scratch
        }

        @Test func `the families pass promtool, and a real Prometheus has their values`() async throws {
            let port = try Loopback.freePort()
            let receiver = try LoopbackServer { _ in .answer(200) }
            defer { receiver.stop() }
            let scratch = try scratch(port, hook: receiver.url)
            let bot = try await scratch.startBot()
            defer { bot.send(SIGKILL) }
            _ = try await receiver.request("the alarm; the bot said \(bot.standardError)") { $0.text.contains("shop") }

            let scraped = try #require(Loopback.ask(port, "GET", "/metrics"))
            #expect(scraped.status == 200)
            try scratch.write("metrics.txt", scraped.text)
            let checked = try await run(
                "/bin/sh", ["-c", "exec \(Tools.promtool) check metrics < metrics.txt"], folder: scratch.folder)
            #expect(checked.status == 0, "\(checked.all)")
            #expect(checked.all.trimmingCharacters(in: .whitespacesAndNewlines).isEmpty, "\(checked.all)")

            let prometheus = try await ServerProcess.prometheus(scratch, scraping: port)
            defer { prometheus.child.closeInput() }
            for (query, wanted) in [
                (#"sum(alertbot_incidents{state="firing",severity="critical"})"#, "1"),
                (#"sum(alertbot_delivery_attempts_total{channel="hook",outcome="delivered"})"#, "1"),
                (#"count(alertbot_polls_total{source="other"})"#, "5"),
                (#"count(process_resident_memory_bytes > 1e6)"#, "1"),
                (#"alertbot_journal_writable"#, "1"),
                (#"sum(alertbot_notifications_total{kind="opened",decision="send"})"#, "1"),
            ] {
                var last = "nothing"
                let isThere: Bool? = try? await eventually("\(query) is \(wanted)") {
                    let answer = Loopback.ask(prometheus.port, "GET", "/api/v1/query?query=\(escaped(query))")
                    let result = try answer.map { try JSONTree(parsing: $0.text)["data"]["result"] }
                    last = result?[0]["value"][1].string ?? last
                    return last == wanted ? true : nil
                }
                #expect(isThere == true, "\(query) is \(last) instead of \(wanted)")
            }
        }

        private func escaped(_ query: String) -> String {
            query.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? query
        }
    }
}
