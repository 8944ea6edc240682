import BotHarness
import Foundation
import Synchronization
import Testing

extension IntegrationSuite {
    /// A backtest over the ninety days that Sentry keeps.
    @Suite(.serialized, .timeLimit(.minutes(3))) struct SentryHistoryTests {
        private let now = Date()

        /// The hours in which wallet-android crashes: three, sixty days ago.
        private var bad: Range<Date> {
            let hours = (now.timeIntervalSince1970 / 3600).rounded(.down) - 60 * 24
            return Date(timeIntervalSince1970: hours * 3600)..<Date(timeIntervalSince1970: (hours + 3) * 3600)
        }

        /// Answers in Sentry's form, with a bucket for each hour of what was asked for.
        private func sessions(_ request: LoopbackServer.Request) -> LoopbackServer.Reply {
            guard let start = request.parameter("start").flatMap({ try? Date($0, strategy: .iso8601) }),
                let end = request.parameter("end").flatMap({ try? Date($0, strategy: .iso8601) }),
                request.parameter("interval") == "1h"
            else { return .answer(400, [:], #"{"detail": "the test expects hours"}"#) }
            let hours = Array(stride(from: start, to: end, by: 3600.0))
            let rates = hours.map { bad.contains($0) ? "0.9" : "0.999" }.joined(separator: ",")
            let release =
                request.target.contains("groupBy=release") ? #", "release": "com.acme.wallet@5.4.0+5401""# : ""
            func column(_ name: String, _ value: String) -> String {
                "\"\(name)\": [\(hours.map { _ in value }.joined(separator: ","))]"
            }
            return .answer(
                200, ["Content-Type": "application/json", "X-Sentry-Rate-Limit-Remaining": "39"],
                """
                {"start": "\(start.formatted(.iso8601))", "end": "\(end.formatted(.iso8601))", "query": "",
                 "intervals": [\(hours.map { "\"\($0.formatted(.iso8601))\"" }.joined(separator: ","))],
                 "groups": [{"by": {"project": 4507001\(release)}, "totals": {}, "series": {
                   \(column("sum(session)", "4000")), \(column("count_unique(user)", "1500")),
                   "crash_free_rate(session)": [\(rates)], "crash_free_rate(user)": [\(rates)]}}]}
                """)
        }

        private func sentry(
            _ disturb: @escaping @Sendable (LoopbackServer.Request) throws -> LoopbackServer.Reply? = { _ in nil }
        ) throws -> LoopbackServer {
            try LoopbackServer { request in
                do {
                    if let reply = try disturb(request) { return reply }
                    if request.path.hasSuffix("/projects/") {
                        return .answer(200, [:], try Tools.fixture("sentry/projects.json"))
                    }
                    return request.path.hasSuffix("/sessions/") ? sessions(request) : .answer(404)
                } catch {
                    return .answer(500, [:], "\(error)")
                }
            }
        }

        private func scratch(_ server: LoopbackServer) throws -> Scratch {
            let scratch = try Scratch()
            try scratch.write(
                "config.yaml",
                """
                version: 1
                bot: {name: shop-alerts, listen: off}
                sources:
                  wallet: {plugin: sentry, url: "\(server.url)", organization: acme, token: "${env:TOKEN}"}
                rules:
                  floor: {plugin: threshold, metric: crash_free_users, critical: "< 97%", window: 1h, match: {release: "*"}}
                channels:
                  hook: {plugin: webhook, url: "http://127.0.0.1:1"}

                """)
            return scratch
        }

        private let environment = ["TOKEN": "sntryi_s3cret"]

        @Test func `ninety days show what was planted, and a limit reached on the way is waited for`() async throws {
            let reset = Mutex(0)
            let server = try sentry { request in
                guard request.number == 20 else { return nil }
                let until = Int(Date().timeIntervalSince1970) + 3
                reset.withLock { $0 = until }
                return .answer(
                    429, ["X-Sentry-Rate-Limit-Reset": String(until), "X-Sentry-Rate-Limit-Remaining": "0"],
                    try Tools.fixture("sentry/error_429_string.json"))
            }
            defer { server.stop() }
            let scratch = try scratch(server)
            let backtest = try await scratch.alertbot(
                "backtest", "--since", "90d", "--format", "json", "--cache", "kept", environment: environment)
            #expect(backtest.status == 0, "\(backtest.errors)")
            let opened = try backtest.json["notifications"].elements.filter { $0["kind"].string == "opened" }
            // Its one release, and not the app as a whole besides, by the first poll after the first bad hour.
            #expect(opened.count == 1, "\(backtest.output)")
            for notification in opened {
                let at = try #require(notification["at"].string.flatMap { try? Date($0, strategy: .iso8601) })
                #expect(at > bad.lowerBound + 3600 && at <= bad.lowerBound + 3900)
            }
            let requests = server.requests
            // Two for each day, the projects, and what was asked for anew after the refusal. The last day is asked for
            // as far as its hours are whole: from midnight to one o'clock there is none, and ninety days are asked for.
            let days = Set(requests.compactMap { $0.parameter("start") }).count
            #expect((90...91).contains(days), "\(days) days")
            #expect((2 * days + 1...2 * days + 6).contains(requests.count), "\(requests.count) requests")
            #expect(requests.count { $0.path.hasSuffix("/projects/") } == 1)
            #expect(!requests.contains { $0.path.hasSuffix("/issues/") })
            // Nothing was asked before the limit's reset, and nothing before the answer before had come.
            let answers = server.answers
            #expect(answers[20].status == 429)
            #expect(requests[21].at - answers[20].at >= .seconds(2))
            for (request, answer) in zip(requests.dropFirst(), answers) { #expect(request.at >= answer.at) }
            #expect(!scratch.contents.values.contains { String(decoding: $0, as: UTF8.self).contains("s3cret") })
        }

        @Test func `Ctrl-C ends it cleanly, and the days that were fetched are not asked for again`() async throws {
            let isSilent = Mutex(true)
            let server = try sentry { request in request.number > 40 && isSilent.withLock(\.self) ? .silence : nil }
            defer { server.stop() }
            let scratch = try scratch(server)
            let arguments = ["backtest", "--since", "60d", "--cache", "kept"]
            let backtest = try Child(
                BotBinary.path, arguments, environment: environment, folder: scratch.folder, keeping: scratch)
            _ = try await server.request("a request without an answer") { $0.number == 41 }
            backtest.send(SIGINT)
            #expect(try await backtest.ending(within: .seconds(10)) == .exited(3))
            #expect(
                backtest.standardError == "alertbot: stopped; the days already fetched are kept for next time\n")
            #expect(backtest.standardOutput == "")
            // The projects, and two requests for each day.
            let kept = scratch.names.filter { $0.hasSuffix(".jsonl") && $0.hasPrefix("kept/") }
            #expect(kept.count == 20)
            #expect(!scratch.names.contains { $0.hasSuffix(".new") })

            isSilent.withLock { $0 = false }
            let before = server.requests
            let again = try await run(BotBinary.path, arguments, environment: environment, folder: scratch.folder)
            #expect(again.status == 0, "\(again.errors)")
            let after = server.requests.dropFirst(before.count)
            let fetched = Set(before.prefix(40).filter { $0.path.hasSuffix("/sessions/") }.map(\.target))
            let asked = after.filter { $0.path.hasSuffix("/sessions/") }.map(\.target)
            #expect(fetched.isDisjoint(with: asked))
            // From midnight to one o'clock the last day has no whole hour, and sixty days are asked for.
            let days = Set((before + after).compactMap { $0.parameter("start") }).count
            #expect((60...61).contains(days), "\(days) days")
            #expect(asked.count == 2 * (days - kept.count))
            #expect(after.count == asked.count + 1)
        }
    }
}
