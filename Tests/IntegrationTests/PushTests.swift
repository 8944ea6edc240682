import BotHarness
import Foundation
import Glibc
import Testing

extension IntegrationSuite {
    /// Tools that push to the bot, which may be killed at any moment.
    @Suite(.serialized, .timeLimit(.minutes(5))) struct PushTests {
        private func scratch(_ port: UInt16, hook: String, slowest: String = "1h") throws -> Scratch {
            let scratch = try Scratch()
            try scratch.write(
                "config.yaml",
                """
                version: 1
                bot: {name: shop-alerts, listen: "127.0.0.1:\(port)"}
                sources:
                  job: {plugin: push, token: "${file:./token}", every: 1s, throttle: 1s, slowest: \(slowest)}
                  grafana: {plugin: push, format: grafana, token: "${env:GRAFANA}", app: backend}
                rules:
                  floor: {plugin: threshold, metric: crash_free_users, critical: "< 99%", window: 1m}
                  alerts: {plugin: new_issue, match: {source: grafana}, min_users: 0}
                channels:
                  hook: {plugin: webhook, url: "\(hook)"}

                """)
            try scratch.write("token", "j0b-token\n")
            return scratch
        }

        private func post(
            _ port: UInt16, _ body: String, token: String = "j0b-token", to source: String? = nil
        ) async -> Loopback.Answer? {
            await withCheckedContinuation { continuation in
                Thread.detachNewThread {
                    let target = "/api/v1/observations" + (source.map { "?source=\($0)" } ?? "")
                    continuation.resume(
                        returning: Loopback.ask(
                            port, "POST", target, headers: ["Authorization": "Bearer \(token)"], body: body))
                }
            }
        }

        @Test func `what was answered 200 is there after the bot was killed`() async throws {
            let port = try Loopback.freePort()
            let receiver = try LoopbackServer { _ in .answer(200) }
            defer { receiver.stop() }
            let scratch = try scratch(port, hook: receiver.url)
            let environment = ["GRAFANA": "gr4fana-token"]
            let first = try await scratch.startBot(environment: environment)
            for (body, status) in [
                (Figures().line("wallet", crashed: 1, of: 10_000), 200), ("{", 400), (#"{"app":"x"}"#, 400),
            ] {
                let answer = try #require(await post(port, body))
                #expect(answer.status == status, "\(answer.text)")
            }
            #expect(await post(port, "{}", token: "guess")?.status == 401)
            let told = try #require(await post(port, Figures().line("shop", crashed: 500, of: 10_000), to: "job"))
            first.send(SIGKILL)
            #expect(told.status == 200)
            #expect(told.text.contains("\"observations\": 1"), "\(told.text)")
            _ = try await first.ending()
            let bot = try await scratch.startBot(environment: environment)
            defer { bot.send(SIGKILL) }
            // The alarm leaves once at least; the kill may have come before it.
            _ = try await receiver.request("the alarm; the bot said \(bot.standardError)") { $0.text.contains("shop") }
            let status = try await scratch.alertbot("status", "--format", "json", environment: environment)
            #expect(status.status == 0)
            #expect(status.output.contains(#""job""#))
            let why = try await scratch.alertbot("why", "--app", "wallet", environment: environment)
            #expect(why.output.contains("wallet"), "\(why.output)")
        }

        @Test func `a source that nobody pushes to becomes an incident`() async throws {
            let port = try Loopback.freePort()
            let receiver = try LoopbackServer { _ in .answer(200) }
            defer { receiver.stop() }
            let scratch = try scratch(port, hook: receiver.url, slowest: "2s")
            let bot = try await scratch.startBot(environment: ["GRAFANA": "gr4fana-token"])
            defer { bot.send(SIGKILL) }
            #expect(await post(port, Figures().line("shop", crashed: 1, of: 10_000))?.status == 200)
            let trouble = try await receiver.request("a word on silence; the bot said \(bot.standardError)") { _ in true
            }
            #expect(trouble.text.contains("job"))
        }

        @Test func `an alert of Grafana opens an incident and ends it`() async throws {
            let port = try Loopback.freePort()
            let receiver = try LoopbackServer { _ in .answer(200) }
            defer { receiver.stop() }
            let scratch = try scratch(port, hook: receiver.url)
            let bot = try await scratch.startBot(environment: ["GRAFANA": "gr4fana-token"])
            defer { bot.send(SIGKILL) }
            let starts = (Date() - 5).instant
            for (status, kind) in [("firing", "incident.opened"), ("resolved", "incident.resolved")] {
                let body = """
                    {"alerts": [{"status": "\(status)", "labels": {"alertname": "Logins fail"}, "annotations": {},
                     "startsAt": "\(starts)", "endsAt": "0001-01-01T00:00:00Z", "fingerprint": "bc97ff14869b13e3"}]}
                    """
                let answer = try #require(await post(port, body, token: "gr4fana-token"))
                #expect(answer.status == 200, "\(answer.text)")
                let message = try await receiver.request("\(kind); the bot said \(bot.standardError)") {
                    $0.json["type"].string == kind
                }
                #expect(message.text.contains("backend"))
            }
        }

        @Test func `a page of the web cannot push`() async throws {
            let port = try Loopback.freePort()
            let scratch = try scratch(port, hook: "http://127.0.0.1:1")
            let bot = try await scratch.startBot(environment: ["GRAFANA": "gr4fana-token"])
            defer { bot.send(SIGKILL) }
            let answer: Loopback.Answer? = await withCheckedContinuation { continuation in
                Thread.detachNewThread {
                    continuation.resume(
                        returning: Loopback.ask(
                            port, "OPTIONS", "/api/v1/observations",
                            headers: ["Origin": "https://evil.example.com", "Access-Control-Request-Method": "POST"]))
                }
            }
            #expect(answer?.status == 405)
            #expect(answer?.header("Access-Control-Allow-Origin") == nil)
        }
    }
}
