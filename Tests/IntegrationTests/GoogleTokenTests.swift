import BotHarness
import Foundation
import PluginTesting
import Testing

extension IntegrationSuite {
    /// How the bot gets its tokens, beside Google's own library with the same key file at the same server.
    @Suite(.serialized, .timeLimit(.minutes(2))) struct GoogleTokenTests {
        private func scratch(_ google: GoogleCloud, _ source: String, keyFile: String) throws -> Scratch {
            let scratch = try Scratch()
            try scratch.write("key.json", keyFile)
            try scratch.write(
                "config.yaml",
                """
                version: 1
                bot: {name: shop-alerts, listen: off}
                sources:
                  mobile: {key: "${file:key.json}", \(source.replacing("SERVER", with: google.url))}
                rules:
                  floor: {plugin: threshold, metric: crash_free_users, critical: "< 99%", window: 1h}
                channels:
                  hook: {plugin: webhook, url: "http://127.0.0.1:1"}

                """)
            return scratch
        }

        /// What google-auth says: the token, or why there is none.
        private func askWithLibrary(_ scratch: Scratch, scope: String) async throws -> Finished {
            let script = """
                import sys
                from google.auth.exceptions import RefreshError
                from google.auth.transport.requests import Request
                from google.oauth2.service_account import Credentials
                credentials = Credentials.from_service_account_file(sys.argv[1], scopes=[sys.argv[2]])
                try:
                    credentials.refresh(Request())
                except RefreshError as error:
                    sys.exit(f"refused: {error}")
                print(credentials.token)
                """
            return try await run(
                Tools.python, ["-c", script, scratch.path("key.json"), "https://www.googleapis.com/auth/\(scope)"])
        }

        private static let play = #"plugin: google_play, apps: [com.acme.one], url: "SERVER""#

        @Test(arguments: [
            (play, "playdeveloperreporting"),
            (
                #"plugin: crashlytics, tables: {wallet: com_acme_wallet_ANDROID}, location: EU, bigquery_url: "SERVER""#,
                "bigquery"
            ),
        ])
        func `the bot asks for a token just as Google's library does`(_ source: String, _ scope: String) async throws {
            let answer = try GoogleCloud.fixture("Crashlytics/TestData/Fixtures/bigquery_query_response_complete.json")
            let google = try await GoogleCloud { request in
                request.path.hasSuffix("/queries") ? .answer(200, GoogleCloud.json, answer) : GoogleCloud.play(request)
            }
            defer { google.stop() }
            let scratch = try scratch(google, source, keyFile: google.keyFile())
            let probe = try await scratch.alertbot("sources", "probe", "mobile")
            #expect(probe.status == 0, "\(probe.all)")
            let library = try await askWithLibrary(scratch, scope: scope)
            #expect(library.output == "t2\n", "\(library.errors)")

            let (asked, named) = (google.tokenRequests.first ?? .null, google.tokenRequests.last ?? .null)
            #expect(google.tokenRequests.count == 2)
            for request in [asked, named] {
                #expect(request["status"].number == 200 && request["is_signed"].bool == true, "\(request)")
                let (issued, expires) = (request["claims"]["iat"].number ?? 0, request["claims"]["exp"].number ?? 0)
                #expect(expires - issued == 3600)
                #expect(abs(issued - Date().timeIntervalSince1970) < 600)
            }
            #expect(asked.names == named.names)
            for name in asked.names where name != "claims" { #expect(asked[name] == named[name], "\(name)") }
            #expect(asked["claims"].names == named["claims"].names)
            for name in ["iss", "scope", "aud"] {
                #expect(
                    asked["claims"][name].string != nil && asked["claims"][name] == named["claims"][name], "\(name)")
            }
        }

        @Test func `a key that Google does not take is refused, and the bot says why and what to do`() async throws {
            let google = try await GoogleCloud { GoogleCloud.play($0) }
            defer { google.stop() }
            let made = try await run("openssl", ["genpkey", "-quiet", "-algorithm", "RSA"])
            #expect(made.status == 0, "\(made.errors)")
            let otherKey = "\"\(made.output.replacing("\n", with: "\\n"))\""
            let otherAudience = #""https://oauth2.example.com/token""#
            let deleted =
                "(the key \(SampleServiceAccount.keyID) of \(SampleServiceAccount.email) may have been deleted"
            // What is in the file, what Google has instead, what it says, and what the bot adds.
            let cases: [([String: String], [String: String], String, String)] = [
                (["private_key": otherKey], [:], "Invalid JWT Signature.", deleted),
                ([:], ["private_key_id": #""89ab""#], "Invalid JWT Signature.", deleted),
                ([:], ["client_email": #""other@acme.iam.gserviceaccount.com""#], "account not found", deleted),
                (
                    [:], ["token_uri": otherAudience], "Failed audience check. The right audience is https://oauth2.ex",
                    "(token_uri in the key file leads elsewhere than to Google; copy the key file again)"
                ),
            ]
            for (own, known, words, hint) in cases {
                try google.knowAccount(by: SampleServiceAccount.keyFile(changing: known.mapValues { $0 }))
                let scratch = try scratch(google, Self.play, keyFile: google.keyFile(changing: own.mapValues { $0 }))
                let probe = try await scratch.alertbot("sources", "probe", "mobile")
                #expect(probe.status == 3, "\(probe.all)")
                #expect(probe.all.contains("token: the source answered 400: invalid_grant: Invalid"), "\(probe.all)")
                for word in [words, hint] { #expect(probe.all.contains(word), "\(probe.all)") }
                let library = try await askWithLibrary(scratch, scope: "playdeveloperreporting")
                #expect(library.errors.contains("refused: ('invalid_grant: "), "\(library.all)")
                #expect(library.errors.contains(words), "\(library.errors)")
            }
            #expect(google.tokensGiven == 0)
            #expect(google.requests.isEmpty, "nothing is asked without a token")
        }
    }
}
