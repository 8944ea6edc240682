import BotHarness
import Foundation
import Testing

extension IntegrationSuite {
    /// What the webhook sends as CloudEvents is read by the library of the CloudEvents project itself.
    @Suite(.serialized, .timeLimit(.minutes(5))) struct CloudEventTests {
        private static let reader = """
            import json, sys
            from cloudevents.http import from_http
            for line in sys.stdin:
                request = json.loads(line)
                event = from_http(request["headers"], request["body"].encode())
                print(event["specversion"], event["type"], event["source"], event["id"], event.data["kind"])
            """

        @Test func `an incident from its beginning to its end is events that the library reads`() async throws {
            let server = try LoopbackServer { _ in .answer(204) }
            defer { server.stop() }
            let scratch = try Scratch()
            try scratch.write("figures.jsonl", Figures().line("shop", crashed: 900, of: 10_000))
            try scratch.write(
                "config.yaml",
                """
                version: 1
                bot: {name: shop alerts, listen: off}
                polling: {every: 1s, throttle: 1s, slowest: 1s}
                sources:
                  figures: {plugin: file, path: ./figures.jsonl}
                rules:
                  floor: {plugin: threshold, metric: crash_free_users, critical: "< 97%", window: 1m}
                channels:
                  events: {plugin: webhook, url: "\(server.url)", format: cloudevents}

                """)
            let bot = try await scratch.startBot()
            defer { bot.send(9) }
            _ = try await server.request("the beginning") { $0.text.contains("incident.opened") }
            try scratch.write("figures.jsonl", Figures().line("shop", crashed: 0, of: 10_000))
            _ = try await server.request("the end") { $0.text.contains("incident.resolved") }
            bot.send(15)
            #expect(try await bot.ending() == .exited(0))

            let requests = try server.requests.map { request in
                let headers = Dictionary(request.headers.map { ($0.name, $0.value) }) { $1 }
                let line: [String: Any] = ["headers": headers, "body": request.text]
                return String(decoding: try JSONSerialization.data(withJSONObject: line), as: UTF8.self) + "\n"
            }
            let read = try await run(Tools.python, ["-c", Self.reader], input: .text(requests.joined()))
            #expect(read.status == 0, "\(read.all)")
            let ids = server.requests.map { $0.json["id"].string ?? "?" }
            #expect(Set(ids).count == 2)
            #expect(
                read.output == """
                    1.0 alertbot.incident.opened /alertbot/shop%20alerts \(ids[0]) opened
                    1.0 alertbot.incident.resolved /alertbot/shop%20alerts \(ids[1]) resolved

                    """)
        }
    }
}
