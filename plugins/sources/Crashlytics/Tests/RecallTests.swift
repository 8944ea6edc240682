import CrashlyticsSource
import PluginKit
import PluginTesting
import Testing

@Suite struct `The past of Crashlytics` {
    private let midnight = Recall.floor(now, to: .days(1))

    private func recall(
        _ spans: Duration..., from: Moment? = nil, to: Moment? = nil, every: Duration = .minutes(5)
    ) -> Recall {
        Recall(
            source: "mobile", now: now + .hours(6), from: from ?? midnight - .days(1), to: to ?? midnight, every: every,
            spans: spans.isEmpty ? [.hours(1)] : spans)
    }

    private func observations(_ played: PlayedRecall) -> [Observation] {
        played.lines.compactMap { if case .observed(let observation) = $0 { observation } else { nil } }
    }

    /// The span that a request asks about.
    private static func span(_ request: HTTPRequest) -> TimeSpan? {
        let times = request.url.description.split { "?&".contains($0) }.filter { $0.contains("Time=") }.compactMap {
            Moment(rfc3339: String($0.split(separator: "=").last ?? "").replacing("%3A", with: ":"))
        }
        return times.count == 2 ? TimeSpan(from: times[0], to: times[1]) : nil
    }

    /// Sessions that depend on the span alone.
    private static func respond(to request: HTTPRequest) -> FetchResult {
        guard request.url.description.contains("/topVersions"), let span = span(request) else {
            return Firebase().respond(to: request)
        }
        let sessions = span.length.wholeMilliseconds / 36_000 + span.from.unixSeconds / 3600 % 24
        return answer(
            """
            {"name": "topVersions", "groups": [{"version": {"displayName": "5.4.0 (5401)"}, "metrics": [
              {"totalSessionsCount": "\(sessions)", "impactedSessionsCount": "3", "totalUsersCount": "\(sessions / 2)",
               "impactedUsersCount": "2", "eventsCount": "4"}]}]}
            """)
    }

    @Test func `it conforms to what every such source must do`() throws {
        let conformance = RecallConformance(
            try source(), recall(.hours(1), .days(1)), secrets: SourceConformance.secrets, answer: Self.respond)
        #expect(conformance.violations() == [])
    }

    @Test func `what is recalled is what polls at the end of each span would have seen`() throws {
        let source = try source(["issues": option(.flag(false))])
        let recall = recall(.hours(1), .hours(6), .days(1), .days(7))
        let recalled = observations(PlayedRecall(source, recall, answer: Self.respond))
        var expected: [Observation] = []
        // The first is seen five minutes after the stretch begins, and the one that ends with it after its end.
        for at in (0..<24).map({ recall.from + .hours($0) }) {
            let hour = at.unixSeconds / 3600 % 24
            let spans: [Duration] =
                [.hours(1)] + (hour % 6 == 0 ? [.hours(6)] : []) + (hour == 0 ? [.days(1), .days(7)] : [])
            let polled = PlayedPoll(
                source, Poll(source: "mobile", now: at, cursor: nil, spans: spans), answer: Self.respond)
            // The poll five minutes later: until then crashes are still reported.
            expected += polled.observations.map { observation in
                var observation = observation
                observation.seen = at + .minutes(5)
                return observation
            }
        }
        #expect(recalled == expected)
        #expect(recalled.count == (24 + 4 + 1 + 1) * 2)
    }

    @Test func `a day is a request for each hour and each longer span, and none for issues`() throws {
        let played = PlayedRecall(try source(), recall(.hours(1), .days(1)), answer: Self.respond)
        let asked = played.requests.filter { !$0.url.description.hasSuffix("/token") }
        #expect(asked.count == 25)
        #expect(asked.allSatisfy { $0.url.description.contains("/topVersions") })
    }

    @Test func `neighbouring stretches share nothing and leave nothing out`() throws {
        let source = try source()
        for every in [Duration.minutes(5), .minutes(7), .hours(2)] {
            let whole = PlayedRecall(source, recall(.hours(1), .days(1), every: every), answer: Self.respond).lines
            #expect(whole.count >= 12 * 2)
            for after in [Duration.zero, .seconds(90), .minutes(5), .minutes(6), .minutes(60)] {
                let middle = midnight - .hours(7) + after
                let parts = [
                    recall(.hours(1), .days(1), to: middle, every: every),
                    recall(.hours(1), .days(1), from: middle, every: every),
                ]
                #expect(parts.flatMap { PlayedRecall(source, $0, answer: Self.respond).lines } == whole)
            }
        }
    }

    @Test func `a stretch has what is seen in it, and asks for nothing else`() throws {
        func play(_ from: Moment, _ to: Moment, every: Duration = .minutes(5)) throws -> PlayedRecall {
            PlayedRecall(
                try source(), recall(.hours(1), .days(1), from: from, to: to, every: every), answer: Self.respond)
        }
        let first = try play(midnight - .days(1), midnight - .days(1) + .minutes(30))
        #expect(observations(first).map(\.span.length) == [.days(1), .days(1), .hours(1), .hours(1)])
        #expect(observations(first).allSatisfy { $0.span.to == midnight - .days(1) })
        #expect(observations(first).allSatisfy { $0.seen == $0.span.to + .minutes(5) })
        let last = try play(midnight - .minutes(30), midnight + .minutes(4))
        #expect(last.requests.isEmpty)
        #expect(try play(midnight - .minutes(30), midnight + .minutes(5)).lines.count == 4)
        // Seen by no poll before ten past.
        #expect(try play(midnight, midnight + .minutes(9), every: .minutes(10)).requests.isEmpty)
        #expect(try play(midnight + .minutes(9), midnight + .minutes(10), every: .minutes(10)).lines.count == 4)
    }

    @Test func `what has not ended is not known`() throws {
        let played = PlayedRecall(
            try source(), recall(from: midnight, to: now + .minutes(90)), answer: Self.respond)
        #expect(observations(played).map(\.span.to).max() == midnight + .hours(1))
        // A report that covers more than it was asked for knows what nobody knew then.
        let wide = PlayedRecall(
            try source(), recall(.hours(1), .days(1), to: midnight + .minutes(5)), answer: Firebase().respond)
        #expect(Set(observations(wide).map(\.span.to)) == [midnight])
        #expect(
            wide.report?.warnings.first
                == "wallet: figures until 2026-11-21T00:00:00Z, where those until 2026-11-20T00:00:00Z were asked for, "
                + "are left out")
    }

    @Test func `nothing is asked of what Crashlytics has forgotten`() throws {
        let old = recall(.hours(1), .days(7), from: midnight - .days(91), to: midnight - .days(90))
        let played = PlayedRecall(try source(), old, answer: Self.respond)
        #expect(played.requests.isEmpty)
        #expect(played.report?.outcome == .lines([]))
        let edge = recall(.hours(1), .days(7), from: midnight - .days(86), to: midnight - .days(85))
        let spans = Set(observations(PlayedRecall(try source(), edge, answer: Self.respond)).map(\.span.length))
        #expect(spans == [.hours(1)])
    }

    @Test func `too much is asked for in pieces, down to what one moment needs`() throws {
        let apps = (0..<15).map { ("app-\($0)", option(.text(GuardedText(wallet)))) }
        let source = try source(["apps": option(.map(apps))])
        let whole = PlayedRecall(source, recall(), answer: Self.respond)
        #expect(whole.failure?.reason == .tooLarge)
        #expect(whole.requests.isEmpty)
        #expect(
            PlayedRecall(source, recall(from: midnight - .hours(3)), answer: Self.respond).lines.count == 3 * 15 * 2)
        let moment = Recall(
            source: "mobile", now: now + .hours(6), from: midnight, to: midnight + .minutes(15), every: .minutes(5),
            spans: Self.six)
        #expect(PlayedRecall(source, moment, answer: Self.respond).lines.count == 6 * 15 * 2)
        // The shortest stretch that is asked for: half of it would be less than a quarter of an hour.
        let shortest = recall(
            .minutes(5), .minutes(10), .minutes(15), from: midnight, to: midnight + .minutes(22) + .seconds(30))
        #expect(PlayedRecall(source, shortest, stepsMax: 200, answer: Self.respond).lines.count == (4 + 2 + 2) * 15 * 2)
    }

    private static let six: [Duration] = [.hours(1), .hours(2), .hours(3), .hours(6), .hours(12), .days(1)]

    /// A version to a page, and always one page more.
    private static func endless(_ request: HTTPRequest) -> FetchResult {
        guard request.url.description.contains("/topVersions") else { return respond(to: request) }
        let number = (request.url.description.split(separator: "=").last.flatMap { Int($0) } ?? 0) % 100 + 1
        return answer(
            """
            {"name": "x", "nextPageToken": "\(number)", "groups": [{"version": {"displayName": "\(number)"},
             "metrics": [{"totalSessionsCount": "5", "impactedSessionsCount": "1"}]}]}
            """)
    }

    @Test func `pages that are read are counted, and those of one moment have to do`() throws {
        let apps = (0..<15).map { ("app-\($0)", option(.text(GuardedText(wallet)))) }
        let source = try source(["apps": option(.map(apps))])
        // 75 reports of three pages.
        let five = recall(from: midnight - .hours(5))
        #expect(PlayedRecall(source, five, stepsMax: 200, answer: Self.respond).lines.count == 5 * 15 * 2)
        let cut = PlayedRecall(source, five, stepsMax: 200, answer: Self.endless)
        #expect(cut.failure?.reason == .tooLarge)
        #expect(cut.failure?.description == "75 reports take more than 180 requests")
        // 90 of them, which no shorter stretch makes less.
        let most = PlayedRecall(
            source,
            Recall(
                source: "mobile", now: now + .hours(6), from: midnight, to: midnight + .hours(1), every: .minutes(5),
                spans: Self.six), stepsMax: 200, answer: Self.endless)
        #expect(most.lines.count == 6 * 15 * 2)
        #expect(
            most.report?.warnings.first == "app-0: more than 2 versions; those with the fewest crashes are left out")
    }

    @Test(arguments: [403, 404, 400]) func `an app that is refused is left out, and the others go on`(
        _ status: Int
    ) throws {
        let other = "1:123456789012:ios:0123"
        let source = try source(["apps": map(["other": other, "wallet": wallet])])
        let played = PlayedRecall(source, recall()) { request in
            request.url.description.contains("ios") ? answer("{}", status: status) : Self.respond(to: request)
        }
        #expect(observations(played).count == 24 * 2)
        #expect(observations(played).allSatisfy { $0.subject.app == "wallet" })
        #expect(played.report?.warnings.count == 1)
        #expect(played.report?.warnings.first?.hasPrefix("other is left out: versions of other: ") == true)
        #expect(played.requests.count { $0.url.description.contains("ios") } == 1)
        let none = PlayedRecall(source, recall()) { request in
            request.url.description.contains("/topVersions")
                ? answer("{}", status: status) : Self.respond(to: request)
        }
        #expect(none.failure?.description.hasPrefix("versions of other: ") == true)
    }

    @Test(arguments: [401, 429, 500, 503]) func `what passes, or holds for every app, fails the stretch`(
        _ status: Int
    ) throws {
        let other = "1:123456789012:ios:0123"
        let source = try source(["apps": map(["wallet": wallet, "other": other])])
        let busy = PlayedRecall(source, recall()) { request in
            request.url.description.contains("ios")
                ? answer("{}", status: status, headers: [("Retry-After", "60")]) : Self.respond(to: request)
        }
        #expect(busy.failure?.description.contains("versions of other") == true)
        if status == 429 { #expect(busy.failure?.retryAt == now + .hours(6) + .minutes(1)) }
    }

    @Test func `a report that cannot be used fails its span alone`() throws {
        func play(_ recall: Recall, _ broken: String) throws -> PlayedRecall {
            PlayedRecall(try source(), recall) { request in
                request.url.description.contains(broken)
                    ? answer(#"{"name": "x", "groups": 3}"#) : Self.respond(to: request)
            }
        }
        let one = try play(recall(), "endTime=2026-11-20T02")
        #expect(Set(observations(one).map(\.span.to)).count == 23)
        #expect(one.report?.warnings.count == 1)
        #expect(
            one.report?.warnings.first?.hasPrefix(
                "wallet: figures from 2026-11-20T01:00:00Z to 2026-11-20T02:00:00Z are left out: versions of wallet: ")
                == true)
        // Where none can be used, the service has changed; but a single one is none too many where others could be.
        #expect(try play(recall(), "topVersions").failure?.reason == .badAnswer)
        let hour = recall(from: midnight, to: midnight + .hours(1))
        #expect(try play(hour, "topVersions").failure?.reason == .badAnswer)
        let later = Recall(
            source: "mobile", now: hour.now, from: hour.from, to: hour.to, every: hour.every, spans: hour.spans,
            cursor: one.report?.cursor)
        #expect(try play(later, "topVersions").report?.outcome == .lines([]))
        #expect(try play(later, "topVersions").report?.warnings.count == 1)
    }

    @Test func `pages are followed`() throws {
        let played = PlayedRecall(try source(), recall(from: midnight - .hours(1))) { request in
            let url = request.url.description
            guard url.contains("/topVersions") else { return Self.respond(to: request) }
            let (name, next) =
                url.contains("pageToken=b") ? ("2", "") : ("1", #", "nextPageToken": "b""#)
            return answer(
                #"{"name": "x", "groups": [{"version": {"displayName": "\#(name)"}, "metrics": [{"totalSessionsCount": "#
                    + #""5", "impactedSessionsCount": "1"}]}]\#(next)}"#)
        }
        #expect(observations(played).map(\.subject.release) == ["1", "2", nil])
        #expect(observations(played).last?.metrics == ["sessions": 10, "crashed_sessions": 2])
    }

    @Test func `tables in BigQuery are not read for it`() throws {
        #expect(try source().keepsHistory)
        let tables = try exported()
        #expect(!tables.keepsHistory)
        let played = PlayedRecall(tables, recall(), answer: Self.respond)
        #expect(played.failure?.reason == .refused)
        #expect(played.requests.isEmpty)
    }

    @Test func `whatever decides what is recalled is in the key, and no secret`() throws {
        let keys = try [
            source(), source(["apps": map(["other": wallet])]),
            source(["apps": map(["wallet": "1:123456789012:ios:0123"])]),
            source(["url": option(.text("https://firebase.example.com"))]),
        ].map(\.recallKey)
        #expect(Set(keys).count == keys.count)
        #expect(try source(["issues": option(.flag(false))]).recallKey == keys[0])
    }
}
