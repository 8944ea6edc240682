import BugsnagSource
import PluginKit
import PluginTesting
import Testing

@Suite struct `The past of Bugsnag` {
    /// Noon of a day of which nobody knows the end.
    private let noon = Moment(rfc3339: "2026-11-21T12:00:00Z") ?? .earliest

    private func day(_ date: String) -> Moment { Moment(rfc3339: "\(date)T00:00:00Z") ?? .earliest }

    private func recall(
        from: String = "2026-11-17", to: Moment? = nil, at moment: Moment? = nil, every: Duration = .minutes(5),
        cursor: JSON? = nil
    ) -> Recall {
        Recall(
            source: "mobile", now: moment ?? noon, from: day(from), to: to ?? noon, every: every,
            spans: [.days(1)], cursor: cursor)
    }

    private func observations(_ played: PlayedRecall) -> [Observation] {
        played.lines.compactMap { if case .observed(let observation) = $0 { observation } else { nil } }
    }

    private let two = answer(#"[{"id": "1", "slug": "a"}, {"id": "2", "slug": "b"}]"#)

    @Test func `it conforms to what every such source must do`() throws {
        let conformance = RecallConformance(
            try source(), recall(), secrets: [token], answer: Bugsnag().respond)
        #expect(conformance.violations() == [])
    }

    @Test func `a day is what a poll after its end would have brought`() throws {
        let source = try source()
        let recalled = observations(PlayedRecall(source, recall(), answer: Bugsnag().respond))
        let polled = Bugsnag().play(source, poll(at: noon)).observations.filter { $0.metrics[.users] != nil }
        #expect(polled.count == 3)
        #expect(
            recalled
                == polled.map { day in
                    var day = day
                    (day.seen, day.issues) = (day.span.to + .minutes(5), [])
                    return day
                })
    }

    @Test func `a day that makes no sense is named and left out`() throws {
        let odd = String(decoding: fixture("stability_trend.json"), as: UTF8.self).replacing("412,", with: "412000,")
        let played = PlayedRecall(try source(), recall(), answer: Bugsnag(trend: answer(odd)).respond)
        #expect(observations(played).map(\.span.to) == [day("2026-11-19"), day("2026-11-21")])
        let warning = played.report?.warnings.first
        #expect(warning?.hasPrefix("stability of wallet-android: a day is left out: $.timeline_points[1].") == true)
    }

    @Test func `of an app that nobody uses any more it is the past all the same`() throws {
        let old = PlayedRecall(try source(), recall(at: noon + .days(20)), answer: Bugsnag().respond)
        #expect(observations(old).map(\.span.to) == [day("2026-11-19"), day("2026-11-20"), day("2026-11-21")])
    }

    @Test(arguments: [
        (Duration.minutes(1), Duration.minutes(5)), (.minutes(15), .minutes(15)), (.hours(6), .hours(6)),
        (.minutes(3), .minutes(6)),
    ]) func `it is the first poll that can know of it`(_ every: Duration, _ delay: Duration) throws {
        let recalled = observations(PlayedRecall(try source(), recall(every: every), answer: Bugsnag().respond))
        #expect(recalled.map { $0.seen - $0.span.to } == [delay, delay, delay])
    }

    @Test func `the day that is still filling is not known`() throws {
        let played = PlayedRecall(
            try source(), recall(to: now, at: now), answer: Bugsnag().respond)
        #expect(observations(played).map(\.span.to) == [day("2026-11-19"), day("2026-11-20")])
    }

    @Test func `releases and errors are not asked for, and the days once`() throws {
        let source = try source()
        let first = PlayedRecall(
            source, recall(from: "2026-11-18", to: day("2026-11-19")), answer: Bugsnag().respond)
        #expect(
            first.requests.map { $0.url.description.split(separator: "/").last ?? "" } == [
                "organizations?per_page=30", "projects?per_page=30", "stability_trend",
            ])
        let next = recall(from: "2026-11-19", at: noon + .minutes(1), cursor: first.report?.cursor)
        let second = PlayedRecall(source, next, answer: Bugsnag().respond)
        #expect(second.requests.isEmpty)
        #expect(observations(first).map(\.span.to) == [])
        // The day that ended as the stretch began is seen in it.
        #expect(
            observations(second).map(\.span.to) == [day("2026-11-19"), day("2026-11-20"), day("2026-11-21")])
        // What was told before a stretch has ended does not tell of its end.
        let early = PlayedRecall(source, recall(to: now, at: now), answer: Bugsnag().respond)
        let late = PlayedRecall(
            source, recall(from: "2026-11-20", cursor: early.report?.cursor), answer: Bugsnag().respond)
        #expect(late.requests.map(\.url.description).map { $0.hasSuffix("/stability_trend") } == [true])
        #expect(observations(late).map(\.span.to) == [day("2026-11-20"), day("2026-11-21")])
    }

    @Test func `neighbouring stretches share nothing and leave nothing out`() throws {
        let source = try source()
        let whole = PlayedRecall(source, recall(), answer: Bugsnag().respond).lines
        var (parts, cursor) = ([ObservationLine](), JSON?.none)
        for hour in stride(from: Int64(0), to: 108, by: 7) {
            let from = day("2026-11-17") + .hours(hour)
            let part = Recall(
                source: "mobile", now: noon, from: from, to: min(from + .hours(7), noon),
                every: .minutes(5), spans: [.days(1)], cursor: cursor)
            let played = PlayedRecall(source, part, answer: Bugsnag().respond)
            cursor = played.report?.cursor
            parts += played.lines
        }
        #expect(parts == whole)
        #expect(whole.count == 3)
    }

    @Test func `a day belongs to the stretch in which it is seen`() throws {
        let end = day("2026-11-20")
        func count(from: Moment, to: Moment) throws -> Int {
            let stretch = Recall(
                source: "mobile", now: noon, from: from, to: to, every: .minutes(5), spans: [.days(1)])
            return PlayedRecall(try source(), stretch, answer: Bugsnag().respond).lines.count
        }
        #expect(try count(from: end, to: end + .minutes(5)) == 1)
        #expect(try count(from: end - .hours(1), to: end + .minutes(4)) == 0)
        #expect(try count(from: end + .minutes(5), to: end + .hours(1)) == 0)
    }

    @Test func `nothing is asked of what Bugsnag has forgotten`() throws {
        let old = recall(from: "2026-10-20", to: day("2026-10-22"))
        let played = PlayedRecall(try source(), old, answer: Bugsnag().respond)
        #expect(played.requests.isEmpty)
        #expect(played.report?.outcome == .lines([]))
    }

    @Test func `half of the projects are no past`() throws {
        let hidden = PlayedRecall(try source(), recall()) { request in
            request.url.description.contains("/projects/2/")
                ? answer(fixture: "error_404.json", status: 404) : Bugsnag(projects: two).respond(to: request)
        }
        #expect(hidden.failure?.reason == .notFound)
        #expect(hidden.failure?.description.hasPrefix("stability of b: ") == true)
    }

    @Test func `a minute's budget that ends is waited for, and what was told is not asked for again`() throws {
        let source = try source()
        let spent = PlayedRecall(source, recall()) { request in
            request.url.description.contains("/projects/1/")
                ? answer(fixture: "stability_trend.json", headers: [("X-RateLimit-Remaining", "0")])
                : Bugsnag(projects: two).respond(to: request)
        }
        #expect(spent.failure?.reason == .rateLimited)
        #expect(spent.failure?.retryAt == noon + .minutes(1))
        let again = PlayedRecall(
            source, recall(at: noon + .minutes(1), cursor: spent.report?.cursor), answer: Bugsnag().respond)
        #expect(again.requests.map { $0.url.description.contains("/projects/2/stability_trend") } == [true])
        #expect(observations(again).map(\.subject.app) == ["a", "b", "a", "b", "a", "b"])
    }

    @Test func `more projects than are watched are named`() throws {
        let many = (1...9).map { #"{"id": "\#($0)", "slug": "p\#($0)"}"# }.joined(separator: ",")
        let played = PlayedRecall(try source(), recall(), answer: Bugsnag(projects: answer("[\(many)]")).respond)
        #expect(played.requests.count == 2 + 8)
        #expect(played.report?.warnings.first?.hasPrefix("the token can see 9 projects; only the first 8") == true)
    }

    @Test func `whatever decides what is recalled is in the key, and no secret`() throws {
        let keys = try [
            source(), source(["projects": list("wallet")]), source(["organization": option(.text("acme"))]),
            source(["url": option(.text("https://api.bugsnag.smartbear.com"))]),
        ].map(\.recallKey)
        #expect(Set(keys).count == keys.count)
        // Whose projects are meant is decided by the token, unless the config names the organization.
        let other = ["token": option(.text(GuardedText(Secret("another"))))]
        #expect(try source(other).recallKey != keys[0])
        #expect(try source().recallKey == keys[0])
        #expect(try source(other.merging(["organization": option(.text("acme"))]) { $1 }).recallKey == keys[2])
        #expect(!keys[0].contains(token))
    }
}
