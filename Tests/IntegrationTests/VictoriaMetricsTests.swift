import BotHarness
import Foundation
import Testing

extension IntegrationSuite {
    /// The most common relative of Prometheus, which computes PromQL in its own way and here wants a password.
    @Suite(.serialized, .timeLimit(.minutes(2))) struct VictoriaMetricsTests {
        private static let (username, password) = ("alertbot", "vm-s3cret")

        /// When the newest sample was taken, in whole seconds.
        private let now = Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded(.down))

        /// When of a thousand sessions a hundred crash instead of one: one app's two hours of yesterday, the other's last.
        private var bad: [String: Range<Date>] {
            ["bank": now - 30 * 3600..<now - 28 * 3600, "shop": now - 3600..<now + 1]
        }

        /// Counters of three days, a sample every two minutes, with times in milliseconds.
        private var samples: String {
            var lines: [String] = []
            for (app, bad) in bad {
                var (sessions, crashed) = (0, 0)
                for at in stride(from: now - 3 * 86_400, through: now, by: 120) {
                    sessions += 1000
                    crashed += bad.contains(at) ? 100 : 1
                    let time = "\(Int(at.timeIntervalSince1970))000"
                    lines.append("sessions_total{app=\"\(app)\"} \(sessions) \(time)")
                    lines.append("crashed_total{app=\"\(app)\"} \(crashed) \(time)")
                }
            }
            return lines.joined(separator: "\n") + "\n"
        }

        private func started(in scratch: Scratch) async throws -> ServerProcess {
            let server = try await ServerProcess.victoriaMetrics(
                scratch, username: Self.username, password: Self.password)
            let pair = Data("\(Self.username):\(Self.password)".utf8).base64EncodedString()
            let headers = ["Authorization": "Basic \(pair)"]
            let taken = Loopback.ask(server.port, "POST", "/api/v1/import/prometheus", headers: headers, body: samples)
            #expect(taken?.status == 204, "\(taken?.text ?? "")")
            // What was taken is found at once.
            #expect(Loopback.ask(server.port, "POST", "/internal/force_flush", headers: headers)?.status == 200)
            try scratch.write(
                "config.yaml",
                """
                version: 1
                bot: {name: shop-alerts, listen: off, state: ./state}
                sources:
                  checkout:
                    plugin: prometheus
                    url: http://127.0.0.1:\(server.port)
                    username: \(Self.username)
                    password: "${env:VM_PASSWORD}"
                    metrics:
                      sessions: sum by (app) (increase(sessions_total[30m]))
                      crashed_sessions: sum by (app) (increase(crashed_total[30m]))
                rules:
                  floor: {plugin: threshold, metric: crash_free_sessions, critical: "< 99%", window: 30m}
                channels:
                  hook: {plugin: webhook, url: "http://127.0.0.1:1"}

                """)
            return server
        }

        @Test func `its figures are judged, and its past is played again`() async throws {
            let scratch = try Scratch()
            let server = try await started(in: scratch)
            defer { server.child.closeInput() }
            let environment = ["VM_PASSWORD": Self.password]

            let probe = try await scratch.alertbot("sources", "probe", "checkout", environment: environment)
            #expect(probe.status == 0, "\(probe.all)")
            // Not extrapolated as by Prometheus: fifteen samples of a thousand sessions.
            #expect(probe.output.contains("15,000 sessions, 15 crashed sessions, crash-free sessions 99.90%"))
            #expect(probe.output.contains("15,000 sessions, 1,500 crashed sessions, crash-free sessions 90.00%"))
            let preview = try await scratch.alertbot("dry-run", "--format", "json", environment: environment)
            #expect(preview.status == 0, "\(preview.all)")
            #expect(try preview.json["incidents"].elements.map { $0["app"].string } == ["shop"])

            let backtest = try await scratch.alertbot(
                "backtest", "--since", "2d", "--format", "json", "--cache", "kept", environment: environment)
            #expect(backtest.status == 0, "\(backtest.all)")
            #expect(backtest.errors.isEmpty, "\(backtest.errors)")
            let opened = try backtest.json["notifications"].elements.filter { $0["kind"].string == "opened" }
            #expect(opened.count == 2)
            for (notification, app) in zip(opened, ["bank", "shop"]) {
                #expect(notification["text"].string?.contains(app) == true)
                let at = try #require(notification["at"].string.flatMap { try? Date($0, strategy: .iso8601) })
                let began = try #require(bad[app]?.lowerBound)
                #expect((began...began + 15 * 60).contains(at), "\(app) was told at \(at)")
            }
            try await server.stop()
        }

        @Test func `a wrong password is refused, and the bot says where to look`() async throws {
            let scratch = try Scratch()
            let server = try await started(in: scratch)
            defer { server.child.closeInput() }
            for command in [
                ["sources", "probe", "checkout"], ["dry-run"], ["backtest", "--since", "2d", "--cache", "kept"],
            ] {
                let refused = try await run(
                    BotBinary.path, command, environment: ["VM_PASSWORD": "other-s3cret"], folder: scratch.folder)
                #expect(refused.status == 3, "\(refused.all)")
                #expect(
                    refused.errors.contains(
                        "metric 'sessions': the source answered 401 (check 'username' and 'password')"),
                    "\(refused.errors)")
                #expect(!refused.all.contains("s3cret"))
            }
            try await server.stop()
        }
    }
}
