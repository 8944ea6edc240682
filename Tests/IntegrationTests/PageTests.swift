import BotHarness
import Foundation
import Glibc
import Testing

extension FrontSuite {
    /// The page of a running bot in a real browser.
    @Suite(.serialized, .timeLimit(.minutes(5))) struct PageTests {
        private func scratch(_ port: UInt16, hook: String) throws -> Scratch {
            let scratch = try Scratch()
            try scratch.write(
                "config.yaml",
                """
                version: 1
                bot: {name: shop-alerts, listen: "127.0.0.1:\(port)", public_url: "http://127.0.0.1:\(port)", timezone: Europe/Madrid}
                sources:
                  shops: {plugin: file, path: ./figures.jsonl, every: 1s, throttle: 1s}
                  broken: {plugin: prometheus, url: "http://127.0.0.1:1", metrics: {users: up}, every: 1s, throttle: 1s}
                rules:
                  floor: {plugin: threshold, metric: crash_free_users, warning: "< 99.9%", critical: "< 99%", window: 10m}
                  nights: {plugin: quiet_hours, between: "22:00-07:00", match: {app: sleepy}}
                channels:
                  here: {plugin: inbox}
                  hook: {plugin: webhook, url: "\(hook)"}

                """)
            return scratch
        }

        /// A day of figures of apps with hostile and long names; two fall in the end, and one has a new release.
        private func day(until now: Date) -> String {
            let apps = ["shop", "<b>bold</b> & \"co\"", String(repeating: "very-long-", count: 12), "calm"]
            var lines: [String] = []
            for step in stride(from: 144, through: 0, by: -1) {
                let end = now - Double(step) * 600
                for (index, app) in apps.enumerated() {
                    let crashed = step < 4 && index < 3 ? 150 * (index + 1) : 2 + step % 3
                    lines.append(line(app, nil, until: end, crashed: crashed))
                }
                if step < 60 { lines.append(line("shop", "5.2.0", until: end, crashed: 3)) }
            }
            return lines.joined(separator: "\n") + "\n"
        }

        private func line(_ app: String, _ release: String?, until end: Date, crashed: Int) -> String {
            let issue: [String: Any] = [
                "id": "X-1",
                "title": "NPE in <script>alert(1)</script> " + String(repeating: "a.very.long.name.", count: 9),
                "events": 40, "users": crashed,
            ]
            var observation: [String: Any] = [
                "source": "shops", "app": app, "from": (end - 600).formatted(.iso8601), "to": end.formatted(.iso8601),
                "seen": end.formatted(.iso8601), "metrics": ["users": 10_000, "crashed_users": crashed],
                "issues": [issue],
            ]
            if let release { observation["release"] = release }
            let data = (try? JSONSerialization.data(withJSONObject: observation)) ?? Data()
            return String(decoding: data, as: UTF8.self)
        }

        @Test func `every page passes axe-core in both themes, wide and on a telephone, with and without scripts`()
            async throws
        {
            let port = try Loopback.freePort()
            let receiver = try LoopbackServer { _ in .answer(400) }
            defer { receiver.stop() }
            let scratch = try scratch(port, hook: receiver.url)
            try scratch.write("figures.jsonl", day(until: Date()))
            let bot = try await scratch.startBot()
            defer { bot.send(SIGKILL) }
            _ = try await receiver.request("an alarm; the bot said \(bot.standardError)") { $0.text.contains("shop") }
            let id = try await eventually("an incident is open") {
                try Loopback.ask(port, "GET", "/api/incidents").flatMap {
                    try JSONTree(parsing: $0.text).elements.first { $0["app"].string == "shop" }?["id"].string
                }
            }
            let looked = try await run(
                Tools.python,
                [
                    Tools.server("pages.py"), "http://127.0.0.1:\(port)", "/", "/?apps=shop", "/inbox", "/history",
                    "/history?q=%3Cb%3E", "/incidents/\(id)", "/apps/shop",
                    "/apps/%3Cb%3Ebold%3C%2Fb%3E%20%26%20%22co%22",
                    "/ack?incident=\(id)", "/mute?incident=\(id)&for=2h",
                ], folder: scratch.folder, within: .seconds(240))
            #expect(looked.status == 0, "\(looked.all.suffix(2000))")
            #expect(looked.output == "looked at 80\n", "\(looked.output.prefix(4000))")
        }
    }
}
