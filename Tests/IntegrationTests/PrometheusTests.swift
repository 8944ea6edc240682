import BotHarness
import Foundation
import Synchronization
import Testing

extension IntegrationSuite {
    /// A real Prometheus scrapes counters that the test moves; the bot reads it and tells a receiver of the test.
    @Suite(.serialized, .timeLimit(.minutes(5))) struct PrometheusTests {
        /// The counters of an app that gets a thousand sessions with every scrape.
        private final class Counters: Sendable {
            private let counts = Mutex((sessions: 0, crashed: 0, crashing: 0))

            /// From now on so many of a thousand sessions crash.
            func crash(_ share: Int) { counts.withLock { $0.crashing = share } }

            func scrape() -> String {
                counts.withLock { counts in
                    counts.sessions += 1000
                    counts.crashed += counts.crashing
                    return """
                        # TYPE sessions_total counter
                        sessions_total{app="shop",version="5.2.0"} \(counts.sessions)
                        # TYPE crashed_sessions_total counter
                        crashed_sessions_total{app="shop",version="5.2.0"} \(counts.crashed)

                        """
                }
            }
        }

        private func config(_ prometheus: UInt16, _ receiver: String, queries: String) -> String {
            """
            version: 1
            bot: {name: shop-alerts, listen: off}
            polling: {every: 1s, throttle: 1s, slowest: 2s, timeout: 5s}
            sources:
              checkout:
                plugin: prometheus
                url: http://127.0.0.1:\(prometheus)
                metrics:
            \(queries)
            rules:
              floor: {plugin: threshold, metric: crash_free_sessions, critical: "< 95%", window: 1m, for: 2s}
            channels:
              hook: {plugin: webhook, url: \(receiver)/alerts, secret: "${env:HOOK_SECRET}"}

            """
        }

        private let increases = """
                  sessions: sum by (app) (increase(sessions_total[15s]))
                  crashed_sessions: sum by (app) (increase(crashed_sessions_total[15s]))
            """

        @Test func `figures go bad and recover, and a signed webhook tells both`() async throws {
            let scratch = try Scratch()
            let counters = Counters()
            let app = try LoopbackServer { _ in .answer(200, ["Content-Type": "text/plain"], counters.scrape()) }
            defer { app.stop() }
            let receiver = try LoopbackServer { _ in .answer(204) }
            defer { receiver.stop() }
            let prometheus = try await ServerProcess.prometheus(scratch, scraping: app.port)
            defer { prometheus.child.closeInput() }
            try scratch.write("config.yaml", config(prometheus.port, receiver.url, queries: increases))
            let bot = try await scratch.startBot(environment: ["HOOK_SECRET": StandardWebhook.test.secret])
            defer { bot.send(9) }

            // Good figures first: nothing may be said of them.
            _ = try await eventually("the bot saw figures", within: .seconds(60)) {
                try await scratch.alertbot(
                    "status", "--format", "json", environment: ["HOOK_SECRET": StandardWebhook.test.secret]
                ).json["subjects"].number == 1 ? true : nil
            }
            #expect(receiver.requests.isEmpty)
            counters.crash(200)
            let opened = try await receiver.request("an opening", within: .seconds(90)) { _ in true }
            counters.crash(0)
            let resolved = try await receiver.request("a resolution", within: .seconds(120)) {
                $0.json["type"].string == "incident.resolved"
            }
            #expect(receiver.requests.map { $0.json["type"].string } == ["incident.opened", "incident.resolved"])
            try checkOpened(opened)
            #expect(resolved.json["data"]["incidents"][0]["id"] == opened.json["data"]["incidents"][0]["id"])
            #expect(resolved.json["data"]["incidents"][0]["state"].string == "resolved")
            #expect(resolved.json["data"]["incidents"][0]["until"].string != nil)
            #expect(resolved.header("webhook-id") != opened.header("webhook-id"))
            for request in [opened, resolved] {
                #expect(StandardWebhook.test.isSigned(request))
                try await checkWithLibrary(request)
            }
            bot.send(15)
            #expect(try await bot.ending() == .exited(0))
            try await prometheus.stop()
        }

        private func checkOpened(_ request: LoopbackServer.Request) throws {
            #expect(request.method == "POST")
            #expect(request.target == "/alerts")
            #expect(request.header("content-type")?.hasPrefix("application/json") == true)
            #expect(request.header("user-agent")?.hasPrefix("alertbot/") == true)
            let json = request.json
            #expect(json.names == ["data", "timestamp", "type"])
            #expect(json["type"].string == "incident.opened")
            #expect(json["data"].names == ["bot", "incidents", "kind", "possibly_repeated", "text"])
            #expect(json["data"]["bot"].string == "shop-alerts")
            #expect(json["data"]["kind"].string == "opened")
            #expect(json["data"]["possibly_repeated"].bool == false)
            #expect(json["data"]["text"].string?.hasPrefix("🔴 shop: crash-free sessions ") == true)
            let incident = json["data"]["incidents"][0]
            #expect(
                incident.names == [
                    "app", "environment", "evidence", "id", "release", "rule", "severity", "since", "source", "state",
                    "until",
                ])
            #expect(incident["rule"].string == "floor")
            #expect(incident["source"].string == "checkout")
            #expect(incident["app"].string == "shop")
            #expect(incident["state"].string == "firing")
            #expect(incident["severity"].string == "critical")
            #expect(incident["until"] == .null)
            let value = try #require(incident["evidence"]["value"].number)
            #expect((0.5..<0.95).contains(value))
            // `timestamp` says when it happened, and the header when it was sent.
            let sent = try #require(request.header("webhook-timestamp").flatMap { Double($0) })
            #expect(abs(sent - Date().timeIntervalSince1970) < 300)
        }

        /// The published library of Standard Webhooks accepts it too, and refuses another body.
        private func checkWithLibrary(_ request: LoopbackServer.Request) async throws {
            let script = """
                import json, sys
                from standardwebhooks.webhooks import Webhook
                headers = json.loads(sys.argv[2])
                Webhook(sys.argv[1]).verify(sys.stdin.buffer.read(), headers)
                try:
                    Webhook(sys.argv[1]).verify(b'{}', headers)
                except Exception:
                    print("verified")
                """
            let names = ["webhook-id", "webhook-timestamp", "webhook-signature"]
            let headers = names.map { "\"\($0)\":\"\(request.header($0) ?? "")\"" }.joined(separator: ",")
            let verified = try await run(
                Tools.python, ["-c", script, StandardWebhook.test.secret, "{\(headers)}"], input: .text(request.text))
            #expect(verified.output == "verified\n", "\(verified.errors)")
        }

        @Test func `queries that Prometheus refuses are reported with the metric's name and its own words`()
            async throws
        {
            let scratch = try Scratch()
            let app = try LoopbackServer { _ in .answer(200, [:], Counters().scrape()) }
            defer { app.stop() }
            let prometheus = try await ServerProcess.prometheus(scratch, scraping: app.port)
            defer { prometheus.child.closeInput() }
            let cases = [
                ("sessions: sum by (app) (increase(sessions_total[15s])", ["'sessions'", "unclosed left parenthesis"]),
                ("sessions: sessions_total + on (nothing) group_left () sessions_total[1m]", ["'sessions'"]),
                ("sessions: \"'text'\"", ["'sessions'"]),
            ]
            for (query, words) in cases {
                try scratch.write(
                    "config.yaml",
                    config(
                        prometheus.port, "http://127.0.0.1:1",
                        queries: "      \(query)\n      crashed_sessions: vector(0)"))
                let preview = try await scratch.alertbot(
                    "dry-run", environment: ["HOOK_SECRET": StandardWebhook.test.secret])
                #expect(preview.status == 3, "\(preview.all)")
                for word in words { #expect(preview.errors.contains(word), "\(preview.errors)") }
            }
            // Nothing scraped under that name is no data, which is an answer.
            try scratch.write(
                "config.yaml",
                config(
                    prometheus.port, "http://127.0.0.1:1",
                    queries: "      sessions: none_such\n      crashed_sessions: none_such"))
            let empty = try await scratch.alertbot("dry-run", environment: ["HOOK_SECRET": StandardWebhook.test.secret])
            #expect(empty.status == 0)
            #expect(empty.output.hasPrefix("Nothing would be sent."))
            try await prometheus.stop()
        }
    }
}
