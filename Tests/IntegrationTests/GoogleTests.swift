import BotHarness
import Foundation
import PluginTesting
import Testing

extension IntegrationSuite {
    /// Google's token server, Play and BigQuery, over HTTP: tokens that are shared, refused and run out.
    @Suite(.serialized, .timeLimit(.minutes(5))) struct GoogleTests {
        private func scratch(_ google: GoogleCloud, _ sources: String, hook: String = "http://127.0.0.1:1") throws
            -> Scratch
        {
            let scratch = try Scratch()
            try scratch.write("key.json", google.keyFile())
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

        private static let sources = """
              one: {plugin: google_play, key: "${file:key.json}", apps: [com.acme.one], url: "SERVER"}
              two: {plugin: google_play, key: "${file:key.json}", apps: [com.acme.two], url: "SERVER"}
              three: {plugin: google_play, key: "${file:key.json}", apps: [com.acme.three], url: "SERVER"}
            """

        @Test func `sources of one account share one token, which is replaced once when it is refused`() async throws {
            let google = try await GoogleCloud { GoogleCloud.play($0) }
            defer { google.stop() }
            let receiver = try LoopbackServer { _ in .answer(200) }
            defer { receiver.stop() }
            let sources = Self.sources.replacing("SERVER", with: google.url)
            let scratch = try scratch(google, sources, hook: receiver.url)
            let bot = try await scratch.startBot()
            defer { bot.send(9) }
            for app in ["one", "two", "three"] {
                let message = try await receiver.request("the alarm of \(app); the bot said \(bot.standardError)") {
                    $0.json["data"]["incidents"][0]["app"].string == "com.acme.\(app)"
                }
                #expect(message.json["data"]["incidents"][0]["evidence"]["denominator"].number == 41_000)
            }
            #expect(google.tokensGiven == 1)
            google.revokeTokens()
            let before = google.requests.count
            _ = try await google.request("a request with the second token") {
                $0.number >= before && $0.header("authorization") == "Bearer t2"
            }
            // Polls of the others meet the new token, too.
            _ = try await google.request("polls go on") { $0.number >= before + 30 }
            #expect(google.tokensGiven == 2)
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
            let google = try await GoogleCloud { GoogleCloud.play($0) }
            defer { google.stop() }
            let sources = Self.sources.replacing("SERVER", with: google.url)
            let probe = try await scratch(google, sources).alertbot("sources", "probe", "one", "--raw")
            #expect(probe.status == 0, "\(probe.errors)")
            #expect(probe.output.contains("41,000 users, crash-free users 97.58%"), "\(probe.output)")
            #expect(probe.output.contains(#""access_token": "***""#))
            #expect(!probe.all.contains("\"t1\""))
        }

        @Test func `a key file that is none is an error at check, and one that all may read a warning`() async throws {
            let google = try await GoogleCloud { _ in .answer(404) }
            defer { google.stop() }
            let scratch = try scratch(google, Self.sources.replacing("SERVER", with: google.url))
            let fine = try await scratch.alertbot("check")
            #expect(fine.status == 0)
            #expect(fine.all.contains("key.json can be read by other users; run chmod 600 on it"), "\(fine.all)")
            try scratch.write("key.json", SampleServiceAccount.keyFile(changing: ["private_key": "\"PLACEHOLDER\""]))
            let broken = try await scratch.alertbot("check")
            #expect(broken.status == 1)
            #expect(
                broken.all.contains("config.yaml:5:35: error: 'key' is not a service account's key file"),
                "\(broken.all)")
            #expect(broken.all.contains("the private key is not in PEM"))
            #expect(google.requests.isEmpty && google.tokenRequests.isEmpty)
        }

        @Test func `a query that takes its time is waited for, and its cost is told`() async throws {
            let folder = "Crashlytics/TestData/Fixtures/bigquery_"
            let google = try await GoogleCloud { request in
                if request.method == "POST" {
                    #expect(request.json["maximumBytesBilled"].string == "20000000")
                    return .answer(
                        200, GoogleCloud.json, try GoogleCloud.fixture(folder + "query_response_incomplete.json"))
                }
                guard request.number > 2 else {
                    return .answer(
                        200, GoogleCloud.json, try GoogleCloud.fixture(folder + "query_response_incomplete.json"))
                }
                let done = try GoogleCloud.fixture(folder + "query_response_complete.json")
                let newest = Int(Date().timeIntervalSince1970) - 60
                return .answer(
                    200, GoogleCloud.json,
                    done.replacing("1795215600000000", with: "\(newest)000000").replacing("\"5.4.0\"", with: "null")
                        .replacing("\"5401\"", with: "null"))
            }
            defer { google.stop() }
            let source = """
                  mobile: {plugin: crashlytics, key: "${file:key.json}", tables: {wallet: com_acme_wallet_ANDROID}, location: EU,
                           megabytes_max: 20, bigquery_url: "\(google.url)"}
                """
            let preview = try await scratch(google, source).alertbot("dry-run", "--format", "json")
            #expect(preview.status == 0, "\(preview.errors)")
            #expect(try preview.json["incidents"].elements.map { $0["app"].string } == ["wallet"])
            #expect(
                preview.errors.contains("BigQuery read 18.4 MB in 1 query and bills 21 MB; every 1 s that is"),
                "\(preview.errors)")
            #expect(google.requests.map(\.path).dropFirst(1).allSatisfy { $0.hasSuffix("/queries/job_Ab13") })
        }
    }
}
