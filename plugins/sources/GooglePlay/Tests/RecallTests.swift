import GooglePlaySource
import PluginKit
import PluginTesting
import Testing

/// A Play that has had figures at all times, and that they can be told by their begin.
private struct History: Sendable {
    var period = "HOURLY"
    /// How far it has come.
    var mark = Moment(rfc3339: "2026-11-20T21:00:00Z") ?? .earliest
    var versions = ["5401", "5300"]

    private static let losAngeles = (try? ZoneDatabase().zone("America/Los_Angeles")) ?? .utc
    private var zone: Zone { period == "HOURLY" ? .utc : Self.losAngeles }

    func time(_ moment: Moment) -> String {
        let wall = zone.civil(moment)
        let hours = period == "HOURLY" ? "\"hours\": \(wall.hour), " : ""
        let id = period == "HOURLY" ? "UTC" : "America/Los_Angeles"
        return """
            {"year": \(wall.date.year), "month": \(wall.date.month), "day": \(wall.date.day), \(hours)
             "timeZone": {"id": "\(id)"}}
            """
    }

    /// A boundary of hours or days, some of them on.
    func moved(_ moment: Moment, _ count: Int) -> Moment {
        guard period == "DAILY" else { return moment + .hours(Int64(count)) }
        return zone.moment(beginning: CivilTime(day: zone.civil(moment).day + count, secondOfDay: 0))
    }

    func moment(_ json: JSON?) -> Moment? {
        func part(_ name: String) -> Int? { json?[name]?.number.map { Int($0) } }
        guard let year = part("year"), let month = part("month"), let day = part("day") else { return nil }
        let wall = CivilTime(year: year, month: month, day: day, hour: part("hours") ?? 0)
        return wall.map(zone.moment(beginning:))
    }

    @Sendable func answer(_ request: HTTPRequest) -> FetchResult {
        let url = request.url.description
        if url.hasSuffix("/token") { return Play().token }
        if url.contains("/apps:search") {
            return PluginTesting.answer(
                #"{"apps": [{"packageName": "com.acme.wallet"}, {"packageName": "com.acme.shop"}]}"#)
        }
        if url.hasSuffix(":fetchReleaseFilterOptions") {
            return PluginTesting.answer(fixture: "release_filter_options.json")
        }
        guard url.hasSuffix(":query") else {
            return PluginTesting.answer(
                """
                {"name": "x", "freshnessInfo": {"freshnesses": [
                  {"aggregationPeriod": "\(period)", "latestEndTime": \(time(mark))}]}}
                """)
        }
        let asked = body(request)
        guard let from = moment(asked["timelineSpec"]?["startTime"]),
            let to = moment(asked["timelineSpec"]?["endTime"]), to <= mark
        else { return PluginTesting.answer(fixture: "error_400_invalid_argument.json", status: 400) }
        let codes = asked["dimensions"]?.array?.contains("versionCode") == true ? versions.map { Optional($0) } : [nil]
        let starts = sequence(first: from) { moved($0, 1) }.prefix { $0 < to }
        let all = starts.flatMap { start in codes.map { row(start, $0, asked["metrics"]?.array ?? []) } }
        // Fewer to a page than asked for, as a service may.
        let first = asked["pageToken"]?.string.flatMap { Int($0) } ?? 0
        let next = first + 100 < all.count ? ", \"nextPageToken\": \"\(first + 100)\"" : ""
        return PluginTesting.answer("{\"rows\": [\(all.dropFirst(first).prefix(100).joined(separator: ","))]\(next)}")
    }

    private func row(_ start: Moment, _ code: String?, _ metrics: [JSON]) -> String {
        let dimension = code.map { "{\"dimension\": \"versionCode\", \"int64Value\": \"\($0)\"}" } ?? ""
        let figures = metrics.compactMap(\.string).map { name in
            let figure =
                name.contains("Rate") ? "0.0\(start.unixSeconds / 3600 % 90 + 10)" : "\(start.unixSeconds / 3600)"
            return "{\"metric\": \"\(name)\", \"decimalValue\": {\"value\": \"\(figure)\"}}"
        }
        return """
            {"aggregationPeriod": "\(period)", "startTime": \(time(start)), "dimensions": [\(dimension)],
             "metrics": [\(figures.joined(separator: ","))]}
            """
    }
}

@Suite struct `The past of Google Play` {
    private static let midnight = Recall.floor(now, to: .days(1))

    private func recall(
        _ spans: Duration..., from: Moment = midnight - .days(1), to: Moment = midnight, every: Duration = .minutes(15),
        at now: Moment = now, cursor: JSON? = nil
    ) -> Recall {
        Recall(
            source: "play", now: now, from: from, to: to, every: every, spans: spans.isEmpty ? [.hours(1)] : spans,
            cursor: cursor)
    }

    private func moment(_ text: String) throws -> Moment { try #require(Moment(rfc3339: text)) }

    @Test func `is what a poll says of the same hours, four hours after they end`() throws {
        let played = PlayedRecall(try source(), recall(), answer: History().answer)
        #expect(played.report?.warnings == [])
        #expect(played.observations.allSatisfy { $0.seen == $0.span.to + .hours(4) && $0.isComplete })
        #expect(played.observations.map(\.seen).min() == Self.midnight - .hours(23))
        #expect(played.observations.map(\.seen).max() == Self.midnight)
        #expect(played.observations.count == 24 * 3)
        // A poll at the time when that was the newest hour, of a Play that had come so far.
        let polled = PlayedPoll(
            try source(["issues": option(.flag(false))]), poll(.hours(1), at: Self.midnight),
            answer: History(mark: Self.midnight - .hours(4)).answer)
        #expect(polled.observations.count == 24 * 3)
        #expect(played.observations.map(\.unseen) == polled.observations.map(\.unseen))
        #expect(Set(played.observations.map(\.subject.release)) == [nil, "5.4.0 (5401)", "5.3.0 (5300)"])
    }

    @Test func `has days of Los Angeles two days after they end, and the weeks that rules ask for`() throws {
        let mark = try moment("2026-11-19T08:00:00Z")
        let history = History(period: "DAILY", mark: mark)
        let days = recall(.days(1), .days(28), from: Self.midnight - .days(3))
        let played = PlayedRecall(try daily(), days, answer: history.answer)
        #expect(played.report?.warnings == [])
        #expect(played.observations.allSatisfy { $0.seen == $0.span.to + .days(2) })
        let polled = PlayedPoll(
            try daily(["issues": option(.flag(false))]), poll(.days(1), .days(28)),
            answer: History(period: "DAILY", mark: try moment("2026-11-17T08:00:00Z")).answer)
        let ends = Set(played.observations.map(\.span.to))
        #expect(ends == Set((15...17).compactMap { Moment(rfc3339: "2026-11-\($0)T08:00:00Z") }))
        #expect(
            played.observations.map(\.unseen) == polled.observations.filter { ends.contains($0.span.to) }.map(\.unseen))
        #expect(Set(played.observations.map { $0.span.length.wholeDays }) == [1, 7, 28])
    }

    @Test(arguments: [
        // The clocks of Los Angeles are set back on 1 November 2026, and forward on 14 March 2027.
        ("HOURLY", "2026-11-20T00:00:00Z"), ("DAILY", "2026-11-04T00:00:00Z"), ("DAILY", "2027-03-17T00:00:00Z"),
    ]) func `shares nothing between neighbouring stretches, and loses nothing`(
        _ period: String, _ middle: String
    ) throws {
        let source = period == "HOURLY" ? try source() : try daily()
        let middle = try moment(middle)
        let now = middle + .days(20)
        let history = History(
            period: period, mark: period == "HOURLY" ? middle + .days(15) : History(period: period).moved(middle, 15))
        func lines(_ from: Moment, _ to: Moment) -> [ObservationLine] {
            PlayedRecall(
                source, recall(.days(1), from: from, to: to, every: .minutes(7), at: now), answer: history.answer
            )
            .lines
        }
        let around = period == "HOURLY" ? Duration.hours(8) : .days(5)
        let (from, to) = (middle - around, middle + around)
        let whole = lines(from, to)
        #expect(whole.count >= 10 * 3, "\(whole.count)")
        for step in [Duration.days(1), .hours(1) + .minutes(3), .minutes(15)] {
            let ends = Array(sequence(first: from) { $0 + step }.prefix { $0 < to }) + [to]
            let parts = zip(ends, ends.dropFirst()).flatMap { lines($0, $1) }
            #expect(parts == whole, "\(step.grammar)")
        }
        // Each hour and each day once, without a gap.
        let spans = whole.compactMap { if case .observed(let seen) = $0 { seen } else { nil } }
            .filter { $0.subject.release == nil }.map(\.span)
        #expect(zip(spans, spans.dropFirst()).allSatisfy { $0.to == $1.from })
    }

    @Test func `is seen by a poll, and not between two`() throws {
        let played = PlayedRecall(try source(), recall(every: .minutes(7)), answer: History().answer)
        #expect(played.observations.allSatisfy { $0.seen == Recall.floor($0.seen, to: .minutes(7)) })
        #expect(
            played.observations.allSatisfy {
                ($0.span.to + .hours(4)...$0.span.to + .hours(4) + .minutes(7)).contains($0.seen)
            })
    }

    @Test func `says so where a table does not tell how far it has come`() throws {
        let played = PlayedRecall(try source(), recall()) { request in
            let url = request.url.description
            return url.contains("/anrRateMetricSet") && !url.hasSuffix(":query")
                ? PluginTesting.answer(#"{"name": "x"}"#) : History().answer(request)
        }
        #expect(!played.observations.isEmpty)
        #expect(played.report?.warnings == ["com.acme.wallet: Play does not say how far ANR rates have come"])
    }

    @Test func `ends where Play has come to`() throws {
        var history = History()
        history.mark = Self.midnight - .hours(10)
        let played = PlayedRecall(try source(), recall(), answer: history.answer)
        #expect(played.observations.map(\.span.to).max() == history.mark)
        #expect(
            played.report?.warnings
                == ["crash rates", "ANR rates", "crash reports"].map {
                    "com.acme.wallet: \($0) come no further than 2026-11-19T14:00:00Z yet"
                })
        // Of a stretch that is wholly behind it nothing is asked but the marks and names.
        let later = PlayedRecall(try source(), recall(from: Self.midnight), answer: history.answer)
        #expect(later.report?.outcome == .lines([]))
        #expect(!later.requests.contains { $0.url.description.hasSuffix(":query") })
    }

    @Test func `takes six requests a day for each app, once its marks and names are known`() throws {
        let source = try source(["apps": nil])
        let first = PlayedRecall(source, recall(), answer: History().answer)
        let (all, apps) = (first.requests.count, Set(first.observations.map(\.subject.app)).count)
        #expect(apps == 2)
        #expect(all == 2 + apps * (3 + 1 + 6))
        let next = recall(
            from: Self.midnight - .days(2), to: Self.midnight - .days(1), cursor: first.report?.cursor)
        #expect(PlayedRecall(source, next, answer: History().answer).requests.count == 1 + apps * 6)
        // Marks that are not far enough for the next stretch are asked for again.
        let on = recall(from: Self.midnight, to: now + .hours(4), at: now + .hours(4), cursor: first.report?.cursor)
        let later = PlayedRecall(
            source, on, answer: History(mark: Recall.floor(now, to: .hours(1))).answer)
        #expect(later.requests.count == 1 + apps * (3 + 6))
        #expect(first.requests.allSatisfy { !$0.url.description.contains("errorIssues") })
        // Shorter than an hour there is nothing to ask.
        let none = recall(from: Self.midnight + .minutes(1), to: Self.midnight + .minutes(59))
        #expect(PlayedRecall(source, none, answer: History().answer).requests.isEmpty)
    }

    @Test func `that has no room in the pages is asked for in shorter stretches`() throws {
        let many = History(versions: (1...30).map { "\($0)" })
        let played = PlayedRecall(try source(), recall(), answer: many.answer)
        #expect(played.failure?.reason == .tooLarge)
        #expect(played.failure?.description == "crash rates of com.acme.wallet: more rows than are read")
        let shorter = recall(from: Self.midnight - .hours(12), cursor: played.report?.cursor)
        let half = PlayedRecall(try source(), shorter, answer: many.answer)
        #expect(half.observations.count == 12 * 31)
        #expect(!half.requests.contains { $0.method == .get }, "marks and names are remembered")
        // A single hour cannot be shortened: what fits is used, and that is told.
        let huge = History(versions: (1...600).map { "\($0)" })
        let hour = PlayedRecall(try source(), recall(from: Self.midnight - .hours(1)), answer: huge.answer)
        #expect(hour.observations.count == 51)
        #expect(hour.report?.warnings.first == "crash rates of com.acme.wallet: more rows than are read")
    }

    @Test func `of so many apps that one conversation has no room is asked for in shorter stretches`() throws {
        let apps = option(.list((1...15).map { option(.text("com.acme.app\($0)")) }))
        let history = History(versions: (1...5).map { "\($0)" })
        let all = try source(["apps": apps])
        let played = PlayedRecall(all, recall(), stepsMax: 200, answer: history.answer)
        #expect(played.failure?.reason == .tooLarge)
        #expect(played.failure?.description == "figures of 15 apps take more than 180 requests")
        let shorter = recall(from: Self.midnight - .hours(12), cursor: played.report?.cursor)
        let half = PlayedRecall(all, shorter, stepsMax: 200, answer: history.answer)
        #expect(half.observations.count == 15 * 12 * 6)
    }

    @Test func `of one app that is refused leaves the others alone`() throws {
        let two = try source(["apps": list("com.acme.hidden", "com.acme.wallet")])
        let played = PlayedRecall(two, recall()) { request in
            request.url.description.contains("hidden")
                ? answer(fixture: "error_403_permission.json", status: 403) : History().answer(request)
        }
        #expect(Set(played.observations.map(\.subject.app)) == ["com.acme.wallet"])
        #expect(played.report?.warnings.count == 1)
        #expect(played.report?.warnings.first?.contains("com.acme.hidden") == true)
        // What holds for all fails all, and there is a word on what to do.
        let busy = PlayedRecall(two, recall()) { request in
            request.url.description.hasSuffix(":query")
                ? answer(fixture: "error_429.json", status: 429) : History().answer(request)
        }
        #expect(busy.failure?.reason == .rateLimited)
        let refused = PlayedRecall(two, recall()) { request in
            request.url.description.hasSuffix("/token")
                ? Play().token : answer(fixture: "error_403_permission.json", status: 403)
        }
        #expect(refused.failure?.description.contains("in the Play Console under Users and permissions") == true)
    }

    @Test func `is kept under all that decides it, and under no secret`() throws {
        let keys = [
            try source().recallKey, try daily().recallKey, try source(["apps": list("com.acme.other")]).recallKey,
            try source(["crashes": option(.text("all"))]).recallKey,
            try source(["events": option(.flag(false))]).recallKey,
            try source(["url": option(.text("https://play.acme.example"))]).recallKey,
        ]
        #expect(Set(keys).count == keys.count)
        #expect(try source(["issues": option(.flag(false))]).recallKey == keys[0])
    }

    @Test(arguments: ["HOURLY", "DAILY"]) func `conforms`(_ period: String) throws {
        let history = History(
            period: period, mark: period == "HOURLY" ? History().mark : try moment("2026-11-19T08:00:00Z"))
        let conformance = RecallConformance(
            try period == "HOURLY" ? source(["apps": nil]) : daily(), recall(.days(1), .days(7)),
            secrets: [SampleServiceAccount.keyFile, "ya29.c.EXAMPLE"]
                + SampleServiceAccount.privateKey.split(separator: "\n").dropFirst().dropLast().map(String.init),
            answer: history.answer)
        #expect(conformance.violations() == [])
    }
}

extension PlayedRecall {
    fileprivate var observations: [Observation] {
        lines.compactMap { if case .observed(let observation) = $0 { observation } else { nil } }
    }
}

extension Observation {
    /// What is the same whenever it was seen.
    fileprivate var unseen: Observation {
        var observation = self
        observation.seen = .earliest
        return observation
    }
}

extension Duration {
    fileprivate var wholeDays: Int64 { wholeMilliseconds / 86_400_000 }
}
