import BotHarness
import Foundation
import Glibc
import Testing

extension IntegrationSuite {
    /// A service that hands out what is new, page by page, to whoever says how far he has come.
    @Suite(.serialized, .timeLimit(.minutes(5))) struct FeedTests {
        private static let json = ["Content-Type": "application/json"]

        /// Two rows a page, five pages; then nothing new.
        private func feed() throws -> LoopbackServer {
            try LoopbackServer { request in
                let after = request.parameter("after").flatMap { Int($0) } ?? 0
                guard after < 5 else { return .answer(200, Self.json, #"{"rows": [], "next": \#(after)}"#) }
                let end = Date()
                let rows = ["shop", "wallet"].map { app in
                    #"{"app": "\#(app)-\#(after)", "users": 1000, "crashed": 1, "from": "\#((end - 60).instant)", "to": "\#(end.instant)"}"#
                }
                return .answer(200, Self.json, #"{"rows": [\#(rows.joined(separator: ","))], "next": \#(after + 1)}"#)
            }
        }

        @Test func `is read on across a kill, and no page twice`() async throws {
            let server = try feed()
            defer { server.stop() }
            let scratch = try Scratch()
            try scratch.write(
                "config.yaml",
                """
                version: 1
                bot: {name: shop-alerts, listen: off}
                polling: {every: 1s, throttle: 1s, slowest: 1s, timeout: 5s}
                sources:
                  feed:
                    plugin: http_json
                    url: "\(server.url)/feed"
                    paging: {by: cursor, path: $.next, parameter: after, pages: 2, keep: true}
                    each: $.rows[?@.users > 0]
                    map: {app: $.app, users: $.users, crashed_users: $.crashed, from: $.from, to: $.to}
                rules:
                  floor: {plugin: threshold, metric: crash_free_users, critical: "< 99%", window: 1m}
                channels:
                  team: {plugin: console}

                """)
            let first = try await scratch.startBot()
            _ = try await server.request("the second poll") { $0.parameter("after") == "3" }
            first.send(SIGTERM)
            #expect(try await first.ending() == .exited(0))
            let bot = try await scratch.startBot()
            defer { bot.send(SIGKILL) }
            _ = try await server.request("the end; the bot said \(bot.standardError)") { $0.parameter("after") == "5" }
            // What a stop cuts short is asked for again; nothing is left out, and the beginning is not asked for twice.
            let asked = server.requests.map { $0.parameter("after").flatMap { Int($0) } ?? 0 }
            #expect(Set(asked).isSuperset(of: 0...5))
            #expect(asked.count { $0 == 0 } == 1)
            #expect(zip(asked, asked.dropFirst()).allSatisfy { $1 >= $0 - 2 })
            let status = try await scratch.alertbot("why", "--app", "wallet-4")
            #expect(status.output.contains("wallet-4"), "\(status.output)")
        }
    }
}
