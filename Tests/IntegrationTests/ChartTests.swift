import BotHarness
import Foundation
import Synchronization
import Testing

extension IntegrationSuite {
    /// Messages with pictures, in services of the tests' own: what carries its picture, and what is followed by it.
    @Suite(.serialized, .timeLimit(.minutes(5))) struct ChartTests {
        private static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

        /// - Parameter refuses: the last piece of the paths that take nothing, and with which status.
        private func serve(refusing refuses: [String: Int] = [:]) throws -> LoopbackServer {
            let own = Mutex("")
            let server = try LoopbackServer { request in
                let name = request.path.split(separator: "/").last.map(String.init) ?? ""
                if let status = refuses[name],
                    name != "webhook" || request.header("content-type")?.hasPrefix("multipart") == true
                {
                    return .answer(status, [:], "{}")
                }
                switch name {
                case "chat.postMessage": return .answer(200, [:], #"{"ok":true,"channel":"C0123456789","ts":"17.1"}"#)
                case "files.getUploadURLExternal":
                    let place = own.withLock(\.self) + "/place"
                    return .answer(200, [:], #"{"ok":true,"upload_url":"\#(place)","file_id":"F1"}"#)
                case "place": return .answer(200, [:], "OK")
                case "files.completeUploadExternal": return .answer(200, [:], #"{"ok":true}"#)
                case "sendMessage", "sendPhoto":
                    return .answer(200, [:], #"{"ok":true,"result":{"message_id":4242}}"#)
                case "webhook": return .answer(200, [:], #"{"id":"1200"}"#)
                default: return .answer(404)
                }
            }
            own.withLock { $0 = server.url }
            return server
        }

        private func bot(_ server: LoopbackServer, _ scratch: Scratch) async throws -> Child {
            try scratch.write(
                "config.yaml",
                """
                version: 1
                bot: {name: shop-alerts, listen: off}
                polling: {every: 1s, throttle: 1s, slowest: 1s}
                sources:
                  figures: {plugin: file, path: ./figures.jsonl}
                rules:
                  floor: {plugin: threshold, metric: crash_free_users, warning: "< 99.5%", critical: "< 97%", window: 1m}
                channels:
                  team: {plugin: slack, url: "\(server.url)/slack", token: xoxb-1, channel: "#crashes", chart: true}
                  group: {plugin: telegram, url: "\(server.url)/telegram", token: "123:x", chat: "-1001", chart: true}
                  server: {plugin: discord, webhook: "\(server.url)/webhook", chart: true}

                """)
            try scratch.write("figures.jsonl", Figures.day("shop", crashed: 500))
            return try await scratch.startBot()
        }

        private func sent(_ server: LoopbackServer, _ name: String) -> [LoopbackServer.Request] {
            server.requests.filter { $0.path.hasSuffix("/\(name)") }
        }

        private func holdsPicture(_ request: LoopbackServer.Request?) -> Bool {
            guard let body = request?.body else { return false }
            return Data(body).range(of: Data(ChartTests.png)) != nil && body.count > 5_000
        }

        @Test func `pictures come with their messages, or follow them`() async throws {
            let server = try serve()
            defer { server.stop() }
            let scratch = try Scratch()
            let bot = try await bot(server, scratch)
            defer { bot.send(9) }
            _ = try await eventually("all had come: \(bot.standardError)") {
                let names = ["files.completeUploadExternal", "sendPhoto", "webhook"]
                return names.allSatisfy { !sent(server, $0).isEmpty } ? true : nil
            }
            #expect(holdsPicture(sent(server, "webhook").first))
            #expect(holdsPicture(sent(server, "sendPhoto").first))
            #expect(holdsPicture(sent(server, "place").first))
            let slack = server.requests.filter { !$0.path.contains("telegram") && !$0.path.contains("webhook") }
            #expect(
                slack.compactMap { $0.path.split(separator: "/").last.map(String.init) } == [
                    "chat.postMessage", "files.getUploadURLExternal", "place", "files.completeUploadExternal",
                ])
            #expect(slack.last?.json["channel_id"].string == "C0123456789")
            #expect(slack.last?.json["thread_ts"].string == "17.1")
            bot.send(15)
            #expect(try await bot.ending() == .exited(0))
            #expect(!bot.standardError.contains("chart"), "\(bot.standardError)")
        }

        @Test(arguments: [500, 429, 413, 403]) func `services that take no pictures still get every message, once`(
            status: Int
        ) async throws {
            // Discord is told no by what it refuses; what may pass is tried again, picture and all.
            var refused = ["files.getUploadURLExternal": status, "sendPhoto": status]
            if status == 413 { refused["webhook"] = status }
            let server = try serve(refusing: refused)
            defer { server.stop() }
            let scratch = try Scratch()
            let bot = try await bot(server, scratch)
            defer { bot.send(9) }
            _ = try await eventually("the log said so: \(bot.standardError)", within: .seconds(60)) {
                ["team", "group"].allSatisfy {
                    bot.standardError.contains(
                        "channel \($0): the chart of a message did not arrive: answered \(status)")
                } ? true : nil
            }
            let history = try await eventually("all three had arrived") {
                let history = try await scratch.alertbot("history", "--format", "json").json["history"].elements
                return history.count >= 3 ? history : nil
            }
            bot.send(15)
            #expect(try await bot.ending() == .exited(0))
            #expect(sent(server, "chat.postMessage").count == 1)
            #expect(sent(server, "sendMessage").count == 1)
            // Who asks to come back is asked again some times, and the rest is known for good.
            #expect(sent(server, "sendPhoto").count == (status == 429 ? 4 : 1))
            #expect(sent(server, "webhook").count == (status == 413 ? 2 : 1))
            #expect(history.count == 3)
        }
    }
}
