import BotHarness
import Foundation
import Synchronization
import Testing

extension IntegrationSuite {
    /// GlitchTip and Bugsink, as their source code answers: issues in pages, refusals, and no sessions at all.
    @Suite(.serialized, .timeLimit(.minutes(5))) struct SentryRelativeTests {
        /// One issue, at first resolved and then back.
        private final class Tracker: Sendable {
            let isBack = Mutex(false)

            var status: String { isBack.withLock { $0 ? "unresolved" : "resolved" } }

            func glitchTip(_ request: LoopbackServer.Request) -> LoopbackServer.Reply {
                guard request.header("authorization") == "Bearer s3cret-token" else {
                    return .answer(401, Tracker.json, #"{"detail": "Unauthorized"}"#)
                }
                switch request.path {
                case "/api/0/organizations/acme/projects/":
                    return .answer(200, Tracker.json, #"[{"id": "71", "slug": "wallet", "name": "wallet"}]"#)
                case "/api/0/organizations/acme/issues/" where request.parameter("project") == "71":
                    guard request.parameter("cursor") != nil else {
                        let link =
                            "<http://inner/?x>; rel=\"previous\"; results=\"false\", "
                            + "<http://inner/?cursor=cD0x>; rel=\"next\"; results=\"true\"; cursor=\"cD0x\""
                        return .answer(200, Tracker.json.merging(["Link": link, "X-Hits": "1"]) { $1 }, "[]")
                    }
                    let link = "<http://inner/?x>; rel=\"next\"; results=\"false\""
                    return .answer(
                        200, Tracker.json.merging(["Link": link]) { $1 },
                        """
                        [{"id": "9", "shortId": "WALLET-9", "title": "Boom", "level": "fatal", "status": "\(status)",
                          "count": "12", "userCount": 0, "permalink": "Not implemented", "type": "error",
                          "firstSeen": "2026-01-01T00:00:00Z", "lastSeen": "2026-11-20T00:00:00Z",
                          "project": {"id": "71", "slug": "wallet", "name": "wallet"}}]
                        """)
                default: return .answer(404, Tracker.json, #"{"detail": "Not Found"}"#)
                }
            }

            func bugsink(_ request: LoopbackServer.Request) -> LoopbackServer.Reply {
                guard request.header("authorization") == "Bearer s3cret-token" else {
                    return .answer(401, Tracker.json, #"{"detail": "Invalid Bearer token."}"#)
                }
                let isBack = isBack.withLock(\.self)
                switch request.path {
                case "/api/canonical/0/projects/":
                    let next = request.parameter("cursor") == nil ? #""http://inner/?cursor=cD0x""# : "null"
                    let found = next == "null" ? #"{"id": 3, "slug": "wallet", "name": "Wallet"}"# : ""
                    return .answer(200, Tracker.json, #"{"next": \#(next), "previous": null, "results": [\#(found)]}"#)
                case "/api/canonical/0/issues/" where request.parameter("project") == "3":
                    return .answer(
                        200, Tracker.json,
                        """
                        {"next": null, "previous": null, "results": [{"id": "0b9c2d1e-0000-4000-8000-000000000001",
                          "friendly_id": "WALLET-9", "project": 3, "calculated_type": "Boom", "calculated_value": "",
                          "first_seen": "2026-01-01T00:00:00Z", "last_seen": "2026-11-20T00:00:00Z",
                          "digested_event_count": 12, "is_resolved": \(!isBack), "is_muted": false}]}
                        """)
                default: return .answer(400, Tracker.json, #"{"project": ["This field is required."]}"#)
                }
            }

            private static let json = ["Content-Type": "application/json"]
        }

        private func scratch(_ source: String, hook: String = "http://127.0.0.1:1") throws -> Scratch {
            let scratch = try Scratch()
            try scratch.write(
                "config.yaml",
                """
                version: 1
                bot: {name: shop-alerts, listen: off}
                polling: {every: 1s, throttle: 1s, slowest: 1s, timeout: 5s}
                sources:
                  tracker: {\(source), projects: [wallet], token: "${env:TOKEN}"}
                rules:
                  back: {plugin: regression, min_users: 0}
                channels:
                  hook: {plugin: webhook, url: "\(hook)"}

                """)
            return scratch
        }

        private let environment = ["TOKEN": "s3cret-token"]

        private func options(_ plugin: String, _ server: LoopbackServer) -> String {
            "plugin: \(plugin), url: \"\(server.url)\"" + (plugin == "glitchtip" ? ", organization: acme" : "")
        }

        private func server(_ plugin: String, _ tracker: Tracker) throws -> LoopbackServer {
            try LoopbackServer { plugin == "glitchtip" ? tracker.glitchTip($0) : tracker.bugsink($0) }
        }

        @Test(arguments: ["glitchtip", "bugsink"])
        func `an issue that was resolved and is back is reported`(plugin: String) async throws {
            let tracker = Tracker()
            let server = try server(plugin, tracker)
            defer { server.stop() }
            let receiver = try LoopbackServer { _ in .answer(200) }
            defer { receiver.stop() }
            let bot = try await scratch(options(plugin, server), hook: receiver.url).startBot(environment: environment)
            defer { bot.send(9) }
            _ = try await server.request("two polls") { $0.number >= 4 }
            tracker.isBack.withLock { $0 = true }
            let message = try await receiver.request("the news; the bot said \(bot.standardError)") { _ in true }
            #expect(message.json["data"]["incidents"][0]["rule"].string == "back")
            #expect(message.json["data"]["incidents"][0]["app"].string == "wallet")
            #expect(message.json["data"]["text"].string?.contains("Boom (WALLET-9)") == true)
            #expect(!bot.standardError.contains("s3cret"))
        }

        @Test(arguments: [("glitchtip", "Unauthorized"), ("bugsink", "Invalid Bearer token.")])
        func `a refused token is reported in the server's words`(plugin: String, words: String) async throws {
            let server = try server(plugin, Tracker())
            defer { server.stop() }
            let preview = try await scratch(options(plugin, server))
                .alertbot("dry-run", environment: ["TOKEN": "wrong-token"])
            #expect(preview.status == 3, "\(preview.all)")
            #expect(preview.errors.contains(words), "\(preview.errors)")
            #expect(preview.errors.contains("check 'token'"))
            #expect(!preview.all.contains("wrong-token"))
        }

        @Test(arguments: ["glitchtip", "bugsink"])
        func `a rule about what it cannot give is warned of`(plugin: String) async throws {
            let server = try server(plugin, Tracker())
            defer { server.stop() }
            let scratch = try scratch(options(plugin, server))
            let fine = try await scratch.alertbot("check", environment: environment)
            #expect(fine.status == 0, "\(fine.all)")
            let config = try String(contentsOfFile: scratch.path("config.yaml"), encoding: .utf8)
            try scratch.write(
                "config.yaml",
                config.replacingOccurrences(
                    of: "rules:\n",
                    with: "rules:\n  floor: {plugin: threshold, metric: crash_free_users, critical: \"< 99%\"}\n"))
            let check = try await scratch.alertbot("check", environment: environment)
            #expect(check.all.contains("crash_free_users"), "\(check.all)")
            #expect(check.all.contains("floor"), "\(check.all)")
        }

        @Test(arguments: ["glitchtip", "bugsink"])
        func `a probe says what there is and what is not`(plugin: String) async throws {
            let server = try server(plugin, Tracker())
            defer { server.stop() }
            let probe = try await scratch(options(plugin, server))
                .alertbot("sources", "probe", "tracker", environment: environment)
            #expect(probe.status == 0, "\(probe.all)")
            #expect(probe.output.contains("wallet"), "\(probe.all)")
            #expect(!probe.all.contains("s3cret"))
        }
    }
}
