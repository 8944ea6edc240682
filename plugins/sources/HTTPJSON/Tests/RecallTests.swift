import PluginKit
import PluginTesting
import Testing

@testable import HTTPJSONSource

@Suite struct `The past of an address that is told the time` {
    private static let midnight = Moment(rfc3339: "2026-11-20T00:00:00Z") ?? .earliest

    private func recall(_ hours: Int64 = 6, spans: [Duration] = [.hours(1)], every: Duration = .minutes(5)) -> Recall {
        Recall(
            source: "own-dashboard", now: now + .days(9), from: Self.midnight, to: Self.midnight + .hours(hours),
            every: every,
            spans: spans)
    }

    private func asking(_ texts: [String: String] = [:], map: KeyValuePairs<String, String> = ["users": "$.n"]) throws
        -> HTTPJSONSource
    {
        var all = ["url": "https://stats.example.com/q?from={from:seconds}&to={to:seconds}", "app": "a"]
        all.merge(texts) { $1 }
        return try source(all, map: map)
    }

    @Test func `it conforms to what every such source must do`() throws {
        let conformance = RecallConformance(try asking(), recall()) { _ in json(#"{"n":5}"#) }
        #expect(conformance.violations() == [])
    }

    @Test func `each span is asked for once`() throws {
        let played = PlayedRecall(try asking(), recall(3, spans: [.minutes(30), .hours(1)])) { request in
            json(#"{"n":\#(request.url.reveal().suffix(6))}"#)
        }
        let words = played.lines.compactMap { line -> String? in
            guard case .observed(let seen) = line, seen.seen == seen.span.to else { return nil }
            return "\(seen.span.length.grammar) \(seen.span.to.description.dropFirst(11).prefix(5))"
        }
        #expect(
            words == [
                "30m 00:30", "30m 01:00", "1h 01:00", "30m 01:30", "30m 02:00", "1h 02:00", "30m 02:30", "30m 03:00",
                "1h 03:00",
            ])
        #expect(played.requests.count == 9)
    }

    @Test func `long spans are asked for each day`() throws {
        let played = PlayedRecall(try asking(), recall(72, spans: [.days(7)])) { _ in json(#"{"n":5}"#) }
        #expect(played.requests.count == 3)
        #expect(played.lines.map(\.seen) == (1...3).map { Self.midnight + .days($0) })
    }

    @Test func `rows that say what they cover are asked for at once`() throws {
        let source = try asking(["each": "$[*]", "span": "1h"], map: ["users": "$.n", "from": "$.t"])
        let played = PlayedRecall(source, recall(6)) { request in
            json(
                #"""
                [{"n":2,"t":"2026-11-20T02:00:00Z"},{"n":1,"t":"2026-11-20T00:00:00Z"},{"n":9,"t":"2026-11-19T23:00:00Z"},
                 {"n":3,"t":"2026-11-20T05:30:00Z"}]
                """#)
        }
        let asked = played.requests.map { $0.url.reveal().drop { $0 != "?" } }
        #expect(asked == ["?from=1795132800&to=1795154400"])
        #expect(played.lines.map(\.seen.description) == ["2026-11-20T01:00:00Z", "2026-11-20T03:00:00Z"])
    }

    @Test func `too much is asked for in pieces`() throws {
        let played = PlayedRecall(try asking(), recall(24, spans: [.minutes(5)])) { _ in json(#"{"n":5}"#) }
        #expect(played.failure?.reason == .tooLarge)
        #expect(played.requests.isEmpty)
    }

    @Test func `what is not told the time has none`() throws {
        #expect(try asking().keepsHistory)
        #expect(!(try source(["app": "a"], map: ["users": "$.n"]).keepsHistory))
        let half = try asking(["url": "https://stats.example.com/q?from={from}"])
        #expect(!half.keepsHistory)
        #expect(PlayedRecall(half, recall()) { _ in json("{}") }.failure?.reason == .refused)
    }
}
