import BotHarness
import Foundation
import PluginTesting
import Synchronization
import Testing

extension IntegrationSuite {
    /// Google's token server, Play and BigQuery, over HTTP: tokens that are shared, refused and run out.
    @Suite(.serialized, .timeLimit(.minutes(5))) struct GoogleTests {
        /// Tokens are called by their numbers; only the newest is taken.
        private final class Tokens: Sendable {
            private let count = Mutex(0)
            private let refusesFrom = Mutex<Int?>(nil)

            var given: Int { count.withLock(\.self) }
            func give() -> Int {
                count.withLock {
                    $0 += 1; return $0
                }
            }
            /// From now on the tokens given so far are refused.
            func revoke() { refusesFrom.withLock { $0 = given } }
            func takes(_ header: String?) -> Bool {
                guard let number = header.flatMap({ Int($0.dropFirst("Bearer t".count)) }), number <= given else {
                    return false
                }
                return number > refusesFrom.withLock { $0 ?? 0 }
            }
        }

        private static let json = ["Content-Type": "application/json"]

        private static func fixture(_ path: String) throws -> String {
            try String(contentsOf: Tools.package.appending(path: "plugins/sources/\(path)"), encoding: .utf8)
        }

        private func google(
            _ tokens: Tokens, _ api: @escaping @Sendable (LoopbackServer.Request) throws -> LoopbackServer.Reply
        ) throws -> LoopbackServer {
            try LoopbackServer { request in
                do {
                    if request.path == "/token" {
                        guard request.header("content-type") == "application/x-www-form-urlencoded",
                            request.text.hasPrefix(
                                "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=ey")
                        else { return .answer(400, Self.json, #"{"error": "invalid_request"}"#) }
                        let token =
                            #"{"access_token": "t\#(tokens.give())", "expires_in": 3599, "token_type": "Bearer"}"#
                        // Whoever asks meanwhile has to wait for it.
                        return .late(.milliseconds(300), .answer(200, Self.json, token))
                    }
                    guard tokens.takes(request.header("authorization")) else {
                        return .answer(401, Self.json, try Self.fixture("GooglePlay/TestData/Fixtures/error_401.json"))
                    }
                    return try api(request)
                } catch {
                    return .answer(500, [:], "\(error)")
                }
            }
        }

        private func scratch(_ server: LoopbackServer, _ sources: String, hook: String = "http://127.0.0.1:1") throws
            -> Scratch
        {
            let scratch = try Scratch()
            try scratch.write(
                "key.json", SampleServiceAccount.keyFile(changing: ["token_uri": "\"\(server.url)/token\""]))
            try scratch.write(
                "config.yaml",
                """
                version: 1
                bot: {name: shop-alerts, listen: off}
                polling: {every: 1s, throttle: 1s, slowest: 1s, timeout: 5s}
                sources:
                \(sources)
                rules:
                  floor: {plugin: threshold, metric: crash_free_users, critical: "< 99%", window: 1h}
                channels:
                  hook: {plugin: webhook, url: "\(hook)"}

                """)
            return scratch
        }

        /// An hour of UTC that ended three hours ago, as the API writes it; later ones by `after`.
        private static func hour(after: Int = 0) -> (json: String, start: Date) {
            var calendar = Calendar(identifier: .gregorian)
            calendar.timeZone = .gmt
            let start = Date(timeIntervalSince1970: (Date().timeIntervalSince1970 / 3600).rounded(.down) * 3600)
                .addingTimeInterval(Double(after - 4) * 3600)
            let parts = calendar.dateComponents([.year, .month, .day, .hour], from: start)
            let json = """
                {"year": \(parts.year ?? 0), "month": \(parts.month ?? 0), "day": \(parts.day ?? 0),
                 "hours": \(parts.hour ?? 0), "timeZone": {"id": "UTC"}}
                """
            return (json, start)
        }

        private static func play(_ request: LoopbackServer.Request) -> LoopbackServer.Reply {
            let (begin, end) = (hour().json, hour(after: 1).json)
            if request.path.hasSuffix("errorIssues:search") { return .answer(200, json, "{}") }
            guard request.path.hasSuffix(":query") else {
                return .answer(
                    200, json,
                    #"{"name": "x", "freshnessInfo": {"freshnesses": [{"aggregationPeriod": "HOURLY", "latestEndTime": \#(end)}]}}"#
                )
            }
            guard request.path.contains("crashRate"), !request.text.contains("versionCode") else {
                return .answer(200, json, "{}")
            }
            return .answer(
                200, json,
                """
                {"rows": [{"aggregationPeriod": "HOURLY", "startTime": \(begin), "metrics": [
                  {"metric": "userPerceivedCrashRate", "decimalValue": {"value": "0.0242"}},
                  {"metric": "distinctUsers", "decimalValue": {"value": "41000"}}]}]}
                """)
        }

        private static let sources = """
              one: {plugin: google_play, key: "${file:key.json}", apps: [com.acme.one], url: "SERVER"}
              two: {plugin: google_play, key: "${file:key.json}", apps: [com.acme.two], url: "SERVER"}
              three: {plugin: google_play, key: "${file:key.json}", apps: [com.acme.three], url: "SERVER"}
            """

        @Test func `sources of one account share one token, which is replaced once when it is refused`() async throws {
            let tokens = Tokens()
            let server = try google(tokens) { GoogleTests.play($0) }
            defer { server.stop() }
            let receiver = try LoopbackServer { _ in .answer(200) }
            defer { receiver.stop() }
            let sources = Self.sources.replacing("SERVER", with: server.url)
            let scratch = try scratch(server, sources, hook: receiver.url)
            let bot = try await scratch.startBot()
            defer { bot.send(9) }
            for app in ["one", "two", "three"] {
                let message = try await receiver.request("the alarm of \(app); the bot said \(bot.standardError)") {
                    $0.json["data"]["incidents"][0]["app"].string == "com.acme.\(app)"
                }
                #expect(message.json["data"]["incidents"][0]["evidence"]["denominator"].number == 41_000)
            }
            #expect(tokens.given == 1)
            tokens.revoke()
            let before = server.requests.count
            _ = try await server.request("a request with the second token") {
                $0.number >= before && $0.header("authorization") == "Bearer t2"
            }
            // Polls of the others meet the new token, too.
            _ = try await server.request("polls go on") { $0.number >= before + 30 }
            #expect(tokens.given == 2)
            let status = try await scratch.alertbot("status", "--format", "json").json
            let states = status["sources"].elements.map { $0["state"].string ?? "" }
            #expect(states.count == 3 && states.allSatisfy { ["ok", "unchanged"].contains($0) }, "\(states)")
            bot.send(15)
            #expect(try await bot.ending() == .exited(0))
            // Journal, recording and whatever else there is, but for the key itself.
            let written = scratch.names.filter { $0 != "key.json" }.compactMap {
                try? String(contentsOfFile: scratch.path($0), encoding: .utf8)
            }.joined()
            #expect(written.contains("com.acme.one"))
            for secret in ["Bearer t", "PRIVATE KEY", "eyJ0eXAi"] { #expect(!written.contains(secret)) }
        }

        @Test func `a probe shows what Play said, without the token`() async throws {
            let tokens = Tokens()
            let server = try google(tokens) { GoogleTests.play($0) }
            defer { server.stop() }
            let sources = Self.sources.replacing("SERVER", with: server.url)
            let probe = try await scratch(server, sources).alertbot("sources", "probe", "one", "--raw")
            #expect(probe.status == 0, "\(probe.errors)")
            #expect(probe.output.contains("41,000 users, crash-free users 97.58%"), "\(probe.output)")
            #expect(probe.output.contains(#""access_token": "***""#))
            #expect(!probe.all.contains("\"t1\""))
        }

        @Test func `a key file that is none is an error at check, and one that all may read a warning`() async throws {
            let server = try google(Tokens()) { _ in .answer(404) }
            defer { server.stop() }
            let scratch = try scratch(server, Self.sources.replacing("SERVER", with: server.url))
            let fine = try await scratch.alertbot("check")
            #expect(fine.status == 0)
            #expect(fine.all.contains("key.json is open to others than the bot; run chmod 600 on it"), "\(fine.all)")
            try scratch.write("key.json", SampleServiceAccount.keyFile(changing: ["private_key": "\"PLACEHOLDER\""]))
            let broken = try await scratch.alertbot("check")
            #expect(broken.status == 1)
            #expect(
                broken.all.contains("config.yaml:5:35: error: 'key' is not a service account's key file"),
                "\(broken.all)")
            #expect(broken.all.contains("the private key is not in PEM"))
            #expect(server.requests.isEmpty)
        }

        @Test func `a query that takes its time is waited for, and its cost is told`() async throws {
            let tokens = Tokens()
            let folder = "Crashlytics/TestData/Fixtures/bigquery_"
            let server = try google(tokens) { request in
                if request.method == "POST" {
                    #expect(request.json["maximumBytesBilled"].string == "20000000")
                    return .answer(200, Self.json, try Self.fixture(folder + "query_response_incomplete.json"))
                }
                guard request.number > 3 else {
                    return .answer(200, Self.json, try Self.fixture(folder + "query_response_incomplete.json"))
                }
                let done = try Self.fixture(folder + "query_response_complete.json")
                let newest = Int(Date().timeIntervalSince1970) - 60
                return .answer(
                    200, Self.json,
                    done.replacing("1795215600000000", with: "\(newest)000000").replacing("\"5.4.0\"", with: "null")
                        .replacing("\"5401\"", with: "null"))
            }
            defer { server.stop() }
            let source = """
                  mobile: {plugin: crashlytics, key: "${file:key.json}", tables: {wallet: com_acme_wallet_ANDROID}, location: EU,
                           megabytes_max: 20, bigquery_url: "\(server.url)"}
                """
            let preview = try await scratch(server, source).alertbot("dry-run", "--format", "json")
            #expect(preview.status == 0, "\(preview.errors)")
            #expect(try preview.json["incidents"].elements.map { $0["app"].string } == ["wallet"])
            #expect(
                preview.errors.contains("BigQuery read 18.4 MB in 1 query and bills 21 MB; every 1 s that is"),
                "\(preview.errors)")
            #expect(server.requests.map(\.path).dropFirst(2).allSatisfy { $0.hasSuffix("/queries/job_Ab13") })
        }
    }
}
