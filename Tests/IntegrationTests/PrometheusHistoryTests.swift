import BotHarness
import Foundation
import Testing

extension IntegrationSuite {
    /// A backtest over thirty days that a real Prometheus has in store.
    @Suite(.serialized, .timeLimit(.minutes(3))) struct PrometheusHistoryTests {
        /// Counters of two apps, a sample every two minutes, in which one session of a thousand crashes, and in these
        /// stretches one of ten.
        private struct Story {
            struct Incident {
                let app: String
                let from: Date
                let to: Date
                var line: String {
                    #"{"app":"\#(app)","from":"\#(from.formatted(.iso8601))","to":"\#(to.formatted(.iso8601))"}"# + "\n"
                }
            }

            let now: Date
            let incidents: [Incident]

            private static let step = 120
            private static let sessionsPerStep = 1000

            /// - Parameter now: a moment in whole steps.
            init(now: Date) {
                self.now = now
                func incident(_ app: String, _ ago: (from: Double, to: Double)) -> Incident {
                    Incident(app: app, from: now - ago.from * 3600, to: now - ago.to * 3600)
                }
                incidents = [
                    incident("shop", (29 * 24, 29 * 24 - 3)), incident("bank", (20 * 24 + 1, 20 * 24 - 1)),
                    incident("shop", (9 * 24, 9 * 24 - 5)), incident("bank", (4, 2)),
                ]
            }

            var openMetrics: String {
                var lines: [String: [String]] = [:]
                let end = Int(now.timeIntervalSince1970)
                for app in ["shop", "bank"] {
                    let bad = incidents.filter { $0.app == app }
                        .map { Int($0.from.timeIntervalSince1970)..<Int($0.to.timeIntervalSince1970) }
                    var (sessions, crashed) = (0, 0)
                    for at in stride(from: end - 31 * 86_400, through: end, by: Story.step) {
                        sessions += Story.sessionsPerStep
                        crashed += bad.contains { $0.contains(at) } ? 100 : 1
                        lines["sessions", default: []].append("sessions_total{app=\"\(app)\"} \(sessions) \(at)")
                        lines["crashed", default: []].append("crashed_total{app=\"\(app)\"} \(crashed) \(at)")
                    }
                }
                return lines.map { "# TYPE \($0.key) counter\n" + $0.value.joined(separator: "\n") + "\n" }.joined()
                    + "# EOF\n"
            }
        }

        private func config(_ prometheus: UInt16, _ receiver: String) -> String {
            """
            version: 1
            bot: {name: shop-alerts, listen: off, state: ./state}
            sources:
              checkout:
                plugin: prometheus
                url: http://127.0.0.1:\(prometheus)
                token: "${env:PROMETHEUS_TOKEN}"
                metrics:
                  sessions: sum by (app) (increase(sessions_total[30m]))
                  crashed_sessions: sum by (app) (increase(crashed_total[30m]))
              own: {plugin: file, path: ./figures.jsonl}
            rules:
              floor: {plugin: threshold, metric: crash_free_sessions, critical: "< 99%", window: 30m, match: {source: checkout}}
            channels:
              hook: {plugin: webhook, url: "\(receiver)/alerts"}

            """
        }

        private let environment = ["PROMETHEUS_TOKEN": "pr0m-s3cret"]

        @Test func `thirty days of a real Prometheus show what was planted, and nothing else`() async throws {
            let began = ContinuousClock.now
            let scratch = try Scratch()
            let story = Story(
                now: Date(timeIntervalSince1970: (Date().timeIntervalSince1970 / 120).rounded(.down) * 120))
            try scratch.write("history.om", story.openMetrics)
            try scratch.write("true.jsonl", story.incidents.map(\.line).joined())
            let filled = try await run(
                Tools.promtool,
                [
                    "tsdb", "create-blocks-from", "--max-block-duration=768h", "openmetrics", "history.om",
                    "prometheus-data",
                ], folder: scratch.folder)
            #expect(filled.status == 0, "\(filled.all)")
            let prometheus = try await ServerProcess.prometheus(scratch, scraping: 9, retention: "90d")
            defer { prometheus.child.closeInput() }
            let receiver = try LoopbackServer { _ in .answer(204) }
            defer { receiver.stop() }
            try scratch.write("config.yaml", config(prometheus.port, receiver.url))

            let arguments = [
                "backtest", "--since", "30d", "--incidents", "true.jsonl", "--format", "json", "--cache", "kept",
            ]
            let backtest = try await run(BotBinary.path, arguments, environment: environment, folder: scratch.folder)
            #expect(backtest.status == 0, "\(backtest.errors)")
            #expect(
                backtest.errors == "alertbot: warning: source own keeps no history and is left out\n",
                "nobody watches, so there is no progress bar")
            let opened = try backtest.json["notifications"].elements.filter { $0["kind"].string == "opened" }
            #expect(opened.count == story.incidents.count)
            for (notification, incident) in zip(opened, story.incidents) {
                #expect(notification["text"].string?.contains(incident.app) == true)
                let at = try #require(notification["at"].string.flatMap { try? Date($0, strategy: .iso8601) })
                #expect((incident.from...incident.from + 15 * 60).contains(at), "\(incident) was told at \(at)")
            }
            let floor = try backtest.json["figures"]["rules"][0]["detection"]
            #expect(floor["found"].number == 4, "\(floor)")
            #expect(receiver.requests.isEmpty, "a backtest sends nothing")
            #expect(!scratch.names.contains { $0.hasPrefix("state") }, "and writes nothing where the bot does")

            // What was fetched is kept, days that have settled for good, and no secret with it.
            let kept = scratch.contents.filter { $0.key.hasPrefix("kept/") && $0.key.hasSuffix(".jsonl") }
            #expect(kept.count == 31)
            #expect(kept.keys.count { $0.hasSuffix(".part.jsonl") } <= 2)
            #expect(
                !scratch.contents.filter { $0.key.hasPrefix("kept") }.values.contains {
                    String(decoding: $0, as: UTF8.self).contains("s3cret")
                })
            try await prometheus.stop()
            let past = ["--now", (story.now - 3 * 86_400).formatted(.iso8601)]
            let again = ["backtest", "--since", "25d", "--format", "json", "--cache", "kept"] + past
            let offline = try await run(BotBinary.path, again, environment: environment, folder: scratch.folder)
            #expect(offline.status == 0, "\(offline.errors)")
            #expect(try offline.json["notifications"].elements.count { $0["kind"].string == "opened" } == 2)
            // Without what is kept there is nothing to play.
            let lost = try await run(
                BotBinary.path, again.map { $0 == "kept" ? "elsewhere" : $0 }, environment: environment,
                folder: scratch.folder, within: .seconds(60))
            #expect(lost.status == 3)
            #expect(lost.errors.contains("alertbot: no source returned its history"), "\(lost.errors)")
            #expect(ContinuousClock.now - began < .seconds(60))
        }
    }
}
