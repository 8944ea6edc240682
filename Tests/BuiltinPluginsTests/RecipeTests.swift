import AlertCore
import BotConfig
import BuiltinPlugins
import Foundation
import PluginKit
import PluginTesting
import Testing
import TimeZones

/// Another service's interface, as it stands on webhook's page.
@Suite struct `Recipes of webhook` {
    @Test func `Opsgenie is called by what begins and by nothing that is over`() throws {
        let block = try #require(
            PluginPages.text(of: "webhook").components(separatedBy: "```yaml\n").first { $0.contains("opsgenie") })
        let config =
            "version: 1\nrules: {}\nsources: {ios: {plugin: file, path: figures.jsonl}}\n"
            + block.components(separatedBy: "```")[0]
        let surroundings = ConfigSurroundings(
            variable: { "secret of \($0)" }, file: { _ throws(ConfigSurroundings.Missing) in [] },
            credentialsFolder: nil, zones: ZoneDatabase())
        let result = Config.load(Array(config.utf8), folder: "/", catalog: .builtin, surroundings: surroundings)
        #expect(result.problems.filter { $0.level == .error }.map(\.message) == [])
        let channel = try #require(result.config?.channels["pager"])
        #expect(channel.isPager)
        #expect(result.config?.plan.channels.map(\.isPager) == [true])

        let samples = MessageSamples(zone: .utc).all
        let end = try #require(samples.first { $0.message.kind == .resolved }?.message)
        let correction = Message(
            kind: .revised, severity: end.severity, at: end.at, headline: end.headline, incidents: end.incidents)
        for (name, message) in samples + [("a figure of the past is corrected", correction)] {
            let action = channel.post(Posting(id: "d", message: message, at: message.at))
            guard case .request(let request) = action else { return #expect(Bool(false), "\(name)") }
            let id = message.incidents.first?.id ?? ""
            let expected =
                message.incidents.contains { $0.until == nil } || id.isEmpty
                ? message.kind == .acknowledged ? "/\(id)/acknowledge?identifierType=alias" : ""
                : "/\(id)/close?identifierType=alias"
            #expect(request.url.reveal() == "https://api.opsgenie.com/v2/alerts" + expected, "\(name)")
        }
    }
}

/// Sources that need no plugin of their own: the recipes on http_json's page, asked as they stand there.
@Suite struct `Recipes of http_json` {
    private static let now = Moment(rfc3339: "2026-11-21T00:01:00Z") ?? .earliest

    /// What the recipe of that source asks, and what it makes of the answers.
    private func play(_ name: String, _ answers: [String], spans: [Duration] = [.days(1)]) throws -> PlayedPoll {
        let page = try PluginPages.text(of: "http_json")
        let block = try #require(
            page.components(separatedBy: "```yaml\n").dropFirst().first { $0.hasPrefix("sources:\n  \(name):") })
        let config =
            "version: 1\nrules: {}\nchannels: {team: {plugin: console}}\n" + block.components(separatedBy: "```")[0]
        let surroundings = ConfigSurroundings(
            variable: { "secret of \($0)" }, file: { _ throws(ConfigSurroundings.Missing) in [] },
            credentialsFolder: nil, zones: ZoneDatabase())
        let result = Config.load(Array(config.utf8), folder: "/", catalog: .builtin, surroundings: surroundings)
        #expect(result.problems.filter { $0.level == .error }.map(\.message) == [])
        let source = try #require(result.config?.sources[name])
        var left = answers[...]
        let poll = Poll(source: name, now: Self.now, cursor: nil, spans: spans)
        return PlayedPoll(source, poll) { _ in
            guard let answer = left.popFirst() else { return .answered(HTTPResponse(status: 500)) }
            return .answered(
                HTTPResponse(status: 200, headers: [("Content-Type", "application/json")], body: Array(answer.utf8)))
        }
    }

    private func fixture(_ name: String) throws -> String {
        try RulePage.read("plugins/sources/HTTPJSON/TestData/Fixtures/\(name).json")
    }

    private func observations(_ played: PlayedPoll) -> [Observation] {
        guard case .values(let observations)? = played.report?.outcome else { return [] }
        return observations
    }

    private func words(_ observations: [Observation]) -> [String] {
        observations.map { seen in
            "\(seen.subject.app) \(seen.subject.release ?? "-"): "
                + seen.metrics.entries.map { "\($0.name) \($0.value)" }.sorted().joined(separator: ", ")
        }
    }

    private func body(_ request: HTTPRequest?) throws -> JSON {
        try JSON(parsing: try #require(request?.wireBody()).bytes)
    }

    @Test func `PostHog answers a query with crash-free sessions`() throws {
        let played = try play("posthog", [fixture("posthog")])
        #expect(
            words(observations(played)) == [
                "wallet 5.4.0: crashed_sessions 1046.0, sessions 41875.0",
                "wallet 5.3.0: crashed_sessions 412.0, sessions 184220.0",
            ])
        let query = try body(played.requests.first)["query"]
        #expect(query?["kind"] == "HogQLQuery")
        #expect(
            query?["query"]?.string?.contains(
                "timestamp >= toDateTime(1795132860) AND timestamp < toDateTime(1795219260)") == true)
        #expect(played.requests.first?.headers.first { $0.name == "Authorization" }?.value.description == "Bearer ***")
    }

    @Test func `Datadog counts sessions with a crash`() throws {
        let played = try play(
            "datadog", [fixture("datadog_rum"), fixture("datadog_rum")], spans: [.hours(1), .days(1)])
        #expect(
            words(observations(played)) == [
                "wallet 5.4.0: crashed_sessions 1046.0", "wallet 5.3.0: crashed_sessions 412.0",
                "wallet 5.4.0: crashed_sessions 1046.0", "wallet 5.3.0: crashed_sessions 412.0",
            ])
        #expect(Set(observations(played).map(\.span.length)) == [.hours(1), .days(1)])
        #expect(try body(played.requests.first)["filter"]?["from"] == "1795215660000")
        #expect(try body(played.requests.last)["filter"]?["from"] == "1795132860000")
    }

    @Test func `Bugsink lists open issues in pages`() throws {
        let played = try play("bugsink", [fixture("bugsink"), fixture("bugsink_last")])
        #expect(
            played.requests.map { $0.url.reveal() } == [
                "https://bugsink.example.com/api/canonical/0/issues/?project=3&sort=last_seen&order=desc",
                "https://bugsink.example.com/api/canonical/0/issues/?project=3&sort=last_seen&order=desc&cursor=cD0yMDI2",
            ])
        let found = observations(played)
        #expect(found.count == 1)
        #expect(
            found.first?.issues.map { "\($0.id) \($0.title) \($0.events ?? 0)" } == [
                "WALLET-12 NullPointerException 1287.0", "WALLET-7 IllegalStateException 12.0",
            ])
        #expect(played.report?.warnings == [])
    }
}
