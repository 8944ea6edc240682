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

    /// Rows of an hour each that say when they begin, two on a page, of which two are read.
    private func paged(_ map: KeyValuePairs<String, String> = ["users": "$.n", "from": "$.t"]) throws -> HTTPJSONSource
    {
        let section: [String: Option] = [
            "by": Option(.text("page"), at: place), "parameter": Option(.text("page"), at: place),
            "path": Option(.text("$.more"), at: place), "pages": Option(.integer(2), at: place),
        ]
        return try HTTPJSONSource(
            options: options(
                [
                    "url": "https://stats.example.com/q?from={from:seconds}&to={to:seconds}", "app": "a",
                    "each": "$.rows[*]", "span": "1h",
                ], maps: ["map": map],
                adding: [
                    "paging": Option(.section(Options(name: "paging", position: place, values: section)), at: place)
                ]
            ), context: context)
    }

    /// A service with a row for each of so many minutes.
    private func hours(_ request: HTTPRequest, of minutes: Int64 = 60) -> FetchResult {
        let numbers = request.url.reveal().split(whereSeparator: { "=&".contains($0) }).compactMap { Int64($0) }
        guard numbers.count == 3 else { return json("{}", status: 400) }
        let starts = stride(from: numbers[0], to: numbers[1], by: Int(minutes * 60)).map { $0 }
        let rows = starts.dropFirst(Int(numbers[2] - 1) * 2).prefix(2).map { #"{"n":5,"t":\#($0)}"# }
        return json(#"{"rows":[\#(rows.joined(separator: ","))],"more":\#(starts.count > Int(numbers[2]) * 2)}"#)
    }

    @Test(arguments: [(24, nil), (12, nil), (8, nil), (4, 4), (3, 3)] as [(Int64, Int?)])
    func `a stretch that has more pages than are read is asked for in shorter ones`(_ length: Int64, _ lines: Int?)
        throws
    {
        let played = PlayedRecall(try paged(), recall(length)) { hours($0) }
        #expect(played.failure?.reason == (lines == nil ? .tooLarge : nil))
        #expect(played.lines.count == lines ?? 0)
        #expect(played.report?.warnings == [])
    }

    private static let cutWarning =
        "there are more pages than the 2 that are read ('paging.pages'); the rest is not counted"

    @Test(arguments: [(5, .minutes(5)), (6, .hours(4))] as [(Int64, Duration)])
    func `where halves would cut a row in two, or be shorter than the time between polls, what is missing is said`(
        _ length: Int64, _ every: Duration
    ) throws {
        let played = PlayedRecall(try paged(), recall(length, every: every)) { hours($0) }
        #expect(played.lines.count == 4)
        #expect(played.report?.warnings == [Self.cutWarning])
    }

    @Test func `a span that has more pages than are read has them however short the stretch is, and that is said`()
        throws
    {
        let source = try paged(["users": "$.n", "release": "$.t"])
        let played = PlayedRecall(source, recall(2)) { hours($0, of: 1) }
        #expect(played.failure == nil)
        #expect(played.report?.warnings == [Self.cutWarning])
        let seen = (1...2).map { Self.midnight + .hours($0) }
        #expect(played.lines.map(\.seen) == seen.flatMap { Array(repeating: $0, count: 5) })
        #expect(
            played.lines.filter { if case .partial = $0 { true } else { false } }
                == seen.map { .partial(PartialPoll(source: "own-dashboard", .anything, seen: $0)) })
    }

    /// The hour that a request asks for ends then.
    private func asks(_ request: HTTPRequest, upTo hour: Int64) -> Bool {
        request.url.reveal().hasSuffix("to=\((Self.midnight + .hours(hour)).milliseconds / 1000)")
    }

    private static func failures(_ played: PlayedRecall) -> [String] {
        played.lines.compactMap { line in line.failure.map { "\(line.seen): \($0.reason)" } }
    }

    @Test func `an hour that makes no sense is a poll that failed, and costs no other`() throws {
        let played = PlayedRecall(try asking(), recall(6)) { json(asks($0, upTo: 3) ? #"{"n":-1}"# : #"{"n":5}"#) }
        #expect(played.lines.map(\.seen) == (1...6).map { Self.midnight + .hours($0) })
        #expect(
            Self.failures(played) == [
                "2026-11-20T03:00:00Z: the answer is not what was expected: $: expected plausible figures, "
                    + "found 'users' is -1.0, but a count is never negative"
            ])
        #expect(played.report?.warnings == [])
        // Also where it is all that is asked for.
        let alone = PlayedRecall(try asking(), recall(1)) { _ in json(#"{"n":-1}"#) }
        #expect(Self.failures(alone).count == 1)
        #expect(alone.failure == nil)
    }

    @Test func `an answer that is no JSON is a poll that failed, unless there is no other`() throws {
        let played = PlayedRecall(try asking(), recall(6)) {
            json(asks($0, upTo: 3) ? "<html>" : #"{"n":5}"#)
        }
        #expect(played.lines.count == 6)
        #expect(Self.failures(played).count == 1)
        // It may have been a mishap of today, so it is not kept.
        #expect(played.report?.warnings.count == 1)
        #expect(played.report?.warnings.first?.hasPrefix("an answer is left out: ") == true)
        #expect(PlayedRecall(try asking(), recall(6)) { _ in json("<html>") }.failure?.reason == .badAnswer)
    }

    @Test func `a longer span that makes no sense costs a poll no more than that span`() throws {
        let spans: [Duration] = [.minutes(30), .hours(1)]
        for bad in [30, 60] {
            let played = PlayedRecall(try asking(), recall(1, spans: spans)) { request in
                let from = (Self.midnight + .minutes(60 - Int64(bad))).milliseconds / 1000
                return json(
                    request.url.reveal().contains("from=\(from)&") && asks(request, upTo: 1) ? "{}" : #"{"n":5}"#)
            }
            // What the poll at half past brought, and that of the full hour, whose half hour or hour was good.
            #expect(played.lines.count == 3)
            #expect(Self.failures(played).count == (bad == 30 ? 1 : 0))
            #expect(played.report?.warnings.count == (bad == 30 ? 0 : 1))
        }
        let both = PlayedRecall(try asking(), recall(1, spans: spans)) { json(asks($0, upTo: 1) ? "{}" : #"{"n":5}"#) }
        #expect(Self.failures(both).count == 1, "it is one poll")
    }

    @Test func `rows that say what they cover are left out with a bad one among them, and that is said`() throws {
        let source = try HTTPJSONSource(
            options: options(
                [
                    "url": "https://stats.example.com/q?from={from:seconds}&to={to:seconds}", "app": "a",
                    "each": "$[*]",
                ], maps: ["map": ["users": "$.n", "from": "$.t", "to": "$.u"]], strict: true), context: context)
        let bad = (Self.midnight + .hours(20)).milliseconds / 1000
        let end = Self.midnight + .days(1)
        let recall = Recall(
            source: "own-dashboard", now: now + .days(9), from: Self.midnight, to: end, every: .minutes(5),
            spans: [.hours(1)])
        let played = PlayedRecall(source, recall) { request in
            let numbers = request.url.reveal().split(whereSeparator: { "=&".contains($0) }).compactMap { Int64($0) }
            guard numbers.count == 2 else { return json("{}", status: 400) }
            let rows = stride(from: numbers[0], to: numbers[1], by: 3600).map {
                #"{"n":\#($0 == bad ? -1 : 5),"t":\#($0),"u":\#($0 + 3600)}"#
            }
            return json("[\(rows.joined(separator: ","))]")
        }
        #expect(played.lines.compactMap(\.failure).count == 1)
        #expect(played.lines.count == 1)
        let words = "an answer is left out: from \(Self.midnight) to \(end): "
        #expect(played.report?.warnings.count == 1)
        #expect(played.report?.warnings.first?.hasPrefix(words) == true, "\(played.report?.warnings ?? [])")
    }

    @Test func `the newest stretch, which ends at any moment, is asked for in whole seconds`() throws {
        let source = try asking(
            ["url": "https://stats.example.com/q?from={from}&to={to}", "each": "$[*]", "span": "1h"],
            map: ["users": "$.n", "from": "$.t"])
        let end = Self.midnight + .hours(5) + .milliseconds(958)
        let recall = Recall(
            source: "own-dashboard", now: end, from: Self.midnight, to: end, every: .minutes(5), spans: [.hours(1)])
        let asked = PlayedRecall(source, recall) { _ in json("[]") }.requests.map { $0.url.reveal() }
        #expect(
            asked == [
                "https://stats.example.com/q?from=2026-11-20T00%3A00%3A00Z&to=2026-11-20T05%3A00%3A00Z"
            ])
    }

    @Test(arguments: [(401, .unauthorized), (429, .rateLimited), (503, .unavailable)] as [(Int, PollFailure.Reason)])
    func `a service that refuses or is away is asked again, or given up`(_ status: Int, _ reason: PollFailure.Reason)
        throws
    {
        let played = PlayedRecall(try asking(), recall(6)) {
            asks($0, upTo: 3) ? json("{}", status: status) : json(#"{"n":5}"#)
        }
        #expect(played.failure?.reason == reason)
    }
}
