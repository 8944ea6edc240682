import BotHarness
import Foundation
import Testing

extension IntegrationSuite {
    /// Answers as Bugsnag gives them, with counters that only rise.
    @Suite(.serialized, .timeLimit(.minutes(5))) struct BugsnagTests {
        private static let json = ["Content-Type": "application/json", "X-RateLimit-Remaining": "57"]

        private static func fixture(_ name: String) throws -> String {
            try String(
                contentsOf: Tools.package.appending(path: "plugins/sources/Bugsnag/TestData/Fixtures/\(name)"),
                encoding: .utf8)
        }

        /// - Parameter crashed: how many more sessions crash from one poll to the next, of a thousand.
        private func bugsnag(crashed: Int) throws -> LoopbackServer {
            try LoopbackServer { request in
                do {
                    guard request.header("authorization") == "token b-s3cret", request.header("x-version") == "2" else {
                        return .answer(401, Self.json, try Self.fixture("error_401.json"))
                    }
                    if request.path == "/user/organizations" {
                        return .answer(200, Self.json, try Self.fixture("organizations.json"))
                    }
                    if request.path.hasSuffix("/projects") {
                        return .answer(200, Self.json, try Self.fixture("projects.json"))
                    }
                    if request.path.hasSuffix("/stability_trend") {
                        return .answer(200, Self.json, #"{"release_stage_name": "production", "timeline_points": []}"#)
                    }
                    if request.path.hasSuffix("/errors") { return .answer(200, Self.json, "[]") }
                    return .answer(
                        200, Self.json,
                        """
                        [{"id": "1", "app_version": "5.4.0", "app_version_code": "5401", "release_time": "2026-01-01T00:00:00Z",
                          "release_stage": {"name": "production"}, "total_sessions_count": \(100_000 + request.number * 1000),
                          "unhandled_sessions_count": \(50 + request.number * crashed)}]
                        """)
                } catch {
                    return .answer(500, [:], "\(error)")
                }
            }
        }

        private func scratch(_ server: LoopbackServer, hook: String) throws -> Scratch {
            let scratch = try Scratch()
            try write(scratch, every: "1s", server, hook: hook)
            return scratch
        }

        private func write(_ scratch: Scratch, every: String, _ server: LoopbackServer, hook: String) throws {
            try scratch.write(
                "config.yaml",
                """
                version: 1
                bot: {name: shop-alerts, listen: off}
                polling: {every: \(every), throttle: 1s, slowest: \(every), timeout: 5s}
                sources:
                  wallet: {plugin: bugsnag, url: "\(server.url)", token: "${env:TOKEN}"}
                rules:
                  floor: {plugin: threshold, metric: crash_free_sessions, critical: "< 97%", window: 1m}
                channels:
                  hook: {plugin: webhook, url: "\(hook)"}

                """)
        }

        @Test func `what came since the last poll is judged, also across a restart`() async throws {
            let server = try bugsnag(crashed: 90)
            defer { server.stop() }
            let receiver = try LoopbackServer { _ in .answer(200) }
            defer { receiver.stop() }
            let scratch = try Scratch()
            // One poll and no more.
            try write(scratch, every: "1h", server, hook: receiver.url)
            let first = try await scratch.startBot(environment: ["TOKEN": "b-s3cret"])
            defer { first.send(9) }
            _ = try await eventually("the first poll has brought something") {
                let status = try await scratch.alertbot("status", "--format", "json")
                return try status.status == 0 ? status.json["sources"][0]["last_good"].string : nil
            }
            first.send(15)
            #expect(try await first.ending() == .exited(0))
            // Counts since the year began had 99.95 % without a crash, and nothing is known yet of what came since.
            #expect(receiver.requests.isEmpty)
            try write(scratch, every: "1s", server, hook: receiver.url)
            let bot = try await scratch.startBot(environment: ["TOKEN": "b-s3cret"])
            defer { bot.send(9) }
            let message = try await receiver.request("the alarm; the bot said \(bot.standardError)") { _ in true }
            let incident = message.json["data"]["incidents"][0]
            #expect(incident["app"].string == "wallet-android")
            #expect(incident["environment"].string == "production")
            let evidence = incident["evidence"]
            #expect(evidence["denominator"].number.map { $0.truncatingRemainder(dividingBy: 1000) } == 0)
            let share = (evidence["numerator"].number ?? 0) / (evidence["denominator"].number ?? 1)
            #expect(share == 0.91)
            #expect(
                server.requests.filter { $0.path == "/user/organizations" }.count == 1, "the projects are remembered")
        }

        @Test func `a refused token is said with what to do`() async throws {
            let server = try bugsnag(crashed: 0)
            defer { server.stop() }
            let probe = try await scratch(server, hook: "http://127.0.0.1:1")
                .alertbot("sources", "probe", "wallet", environment: ["TOKEN": "b-old"])
            #expect(probe.status == 3)
            #expect(
                probe.errors.contains("organizations: the source answered 401: Authentication required (check 'token')")
            )
        }
    }
}
