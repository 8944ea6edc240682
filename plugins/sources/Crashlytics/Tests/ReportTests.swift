import CrashlyticsSource
import PluginKit
import PluginTesting
import Testing

@Suite struct `Figures from Crashlytics` {
    @Test func `each version has its sessions and users, and the app the sum of the sessions`() throws {
        let played = Firebase().play(try source(), poll(.days(1)))
        #expect(played.report?.warnings == [])
        let version = try #require(played.observation("5.4.0 (5401)"))
        #expect(
            version.metrics == [
                "sessions": 41_875, "crashed_sessions": 1046, "users": 15_120, "crashed_users": 803,
                "crash_events": 1287,
            ])
        // What the report covers, and not what was asked for half a minute later.
        #expect(version.span.from == Moment(rfc3339: "2026-11-20T00:00:00Z"))
        #expect(version.span.to == Moment(rfc3339: "2026-11-21T00:00:00Z"))
        let whole = try #require(played.observation())
        #expect(whole.subject == Subject(source: "mobile", app: "wallet"))
        #expect(whole.metrics == ["sessions": 226_095, "crashed_sessions": 1458, "crash_events": 1717])
    }

    @Test func `only crashes are asked for, over each span of the rules`() throws {
        let played = Firebase().play(try source(), poll(.minutes(30), .days(1)))
        let parent =
            "https://firebasecrashlytics.googleapis.com/v1alpha/projects/123456789012/apps/"
            + "1%3A123456789012%3Aandroid%3Aabcdef0123456789/reports/"
        #expect(
            played.asked.map(\.url.description) == [
                parent + "topVersions?filter.interval.startTime=2026-11-20T23%3A30%3A30Z"
                    + "&filter.interval.endTime=2026-11-21T00%3A00%3A30Z&filter.issue.errorTypes=FATAL&pageSize=100",
                parent + "topVersions?filter.interval.startTime=2026-11-20T00%3A00%3A30Z"
                    + "&filter.interval.endTime=2026-11-21T00%3A00%3A30Z&filter.issue.errorTypes=FATAL&pageSize=100",
                parent + "topIssues?filter.interval.startTime=2026-11-20T23%3A30%3A30Z"
                    + "&filter.interval.endTime=2026-11-21T00%3A00%3A30Z&filter.issue.errorTypes=FATAL"
                    + "&filter.issue.errorTypes=ANR&filter.issue.states=OPEN&pageSize=100",
            ])
        // It keeps ninety days.
        let long = Firebase().play(try source(), poll(.days(366)))
        #expect(long.asked.first?.url.description.contains("startTime=2026-08-24") == true)
        let many = Firebase().play(
            try source(), poll(.hours(1), .hours(2), .hours(3), .hours(4), .hours(5), .hours(6), .hours(7)))
        #expect(many.asked.count == 7)
    }

    @Test func `a report without totals gives crashes, and says what is missing`() throws {
        let played = Firebase(versions: answer(fixture: "report_top_versions_without_rates.json"))
            .play(try source(), poll(.days(1)))
        #expect(played.observation("5.4.0 (5401)")?.metrics == ["crashed_users": 803, "crash_events": 1287])
        #expect(played.observation()?.metrics == nil)
        #expect(played.report?.warnings.first?.contains("there is no crash-free share; its export in BigQuery") == true)
        // The issues hang on the version then.
        #expect(played.observation("5.4.0 (5401)")?.issues.count == 2)
    }

    @Test(
        arguments: [
            (
                #""totalSessionsCount": "100", "crashFreeSessionsPercentage": 100"#,
                ["sessions": 100, "crashed_sessions": 0]
            ),
            (
                #""totalSessionsCount": "100", "crashFreeSessionsPercentage": 98.9"#,
                ["sessions": 100, "crashed_sessions": 1]
            ),
            (#""crashFreeSessionsPercentage": 98.5"#, ["crash_free_sessions": 0.985]),
            (#""totalSessionsCount": "0", "crashFreeSessionsPercentage": 100"#, [:]),
            (#""totalSessionsCount": "7""#, ["sessions": 7]),
            (#""impactedSessionsCount": "7""#, ["crashed_sessions": 7]),
            // Who crashes in a window may have begun before it.
            (#""totalSessionsCount": "2", "impactedSessionsCount": "3""#, ["sessions": 2, "crashed_sessions": 2]),
            (#""eventsCount": 3"#, ["crash_events": 3]),
        ] as [(String, Metrics)]) func `every figure may be missing`(_ entry: String, _ expected: Metrics) throws
    {
        let played = Firebase(versions: answer(Self.version(entry)), issues: answer(#"{"name": "topIssues"}"#))
            .play(try source(), poll(.days(1)))
        #expect((played.observation("5.4.0")?.metrics ?? [:]) == expected)
    }

    @Test(arguments: [
        (
            version(#""totalUsersCount": "100", "impactedUsersCount": "103""#),
            "impactedUsersCount: expected at most the 100 of 'totalUsersCount', found the string \"103\""
        ), (version(#""crashFreeUsersPercentage": 100.5"#), "expected a percentage from 0 to 100, found 100.5"),
        (version(#""crashFreeUsersPercentage": -1"#), "expected a percentage from 0 to 100, found -1"),
        (version(#""eventsCount": "-1""#), "eventsCount: expected a count in digits"),
        (version(#""startTime": "2026-12-01T00:00:00Z""#), "expected a span with a begin before its end"),
        (
            #"{"groups": [{"version": {"displayName": "5"}, "metrics": [{}, {}]}]}"#,
            "$.groups[0].metrics: expected one entry, because no steps of time were asked for"
        ), (#"{"groups": [{"issue": {}}]}"#, "$.groups[0].version: expected a value, found no such member"),
        (#"{"groups": [{"version": {}}]}"#, "version.displayVersion: expected a value"),
        ("{}", "$: expected a report with its 'name'"), ("[]", "$: expected an object, found an array"),
    ]) func `an answer of another shape is a failure with its place`(_ body: String, _ words: String) throws {
        let failure = try #require(Firebase(versions: answer(body)).play(try source(), poll(.days(1))).failure)
        #expect(failure.reason == .badAnswer)
        #expect(failure.description.hasPrefix("versions of wallet: the answer is not what was expected: "))
        #expect(failure.description.contains(words), "\(failure)")
    }

    @Test(
        arguments: [
            // Of a window's crashes one began before it.
            ("5", "-25.0", 4, nil), ("3", "25.0", 3, nil),
            ("3", "66.5", 3, "expected 25.00%, as the counts beside it say, found 66.5"),
            ("3", "100.5", 3, "expected a percentage from 0 to 100, found 100.5"),
            ("3", "\"n/a\"", 3, "expected a number, found the string \"n/a\""), (nil, "-25.0", 4, nil),
        ] as [(String?, String, Double, String?)])
    func `counts win over a percentage that says something else, and below 0 is all`(
        _ impacted: String?, _ percentage: String, _ crashed: Double, _ words: String?
    ) throws {
        let count = impacted.map { #""impactedSessionsCount": "\#($0)","# } ?? ""
        let entry = #""totalSessionsCount": "4", \#(count) "crashFreeSessionsPercentage": \#(percentage)"#
        let played = Firebase(versions: answer(Self.version(entry))).play(try source(), poll(.days(1)))
        for release in ["5.4.0", nil] {
            let metrics = played.observation(release)?.metrics
            #expect(metrics?[.sessions] == 4)
            #expect(metrics?[.crashedSessions] == crashed)
        }
        let place = "wallet: a percentage is left out: $.groups[0].metrics[0].crashFreeSessionsPercentage: "
        #expect(played.report?.warnings == (words.map { [place + $0] } ?? []))
        #expect(played.report?.missing?.description == words.map { place + $0 }, "where it lasts people are to know")
        #expect(played.report?.unread == .nothing)
    }

    @Test func `a version that makes no sense is named and left out, and the app as a whole with it`() throws {
        let groups = [("1", "5"), ("2", "many"), ("3", "7")].map { name, sessions in
            #"{"version": {"displayName": "\#(name)"}, "metrics": [{"totalSessionsCount": "\#(sessions)", "#
                + #""impactedSessionsCount": "1"}]}"#
        }
        let report = answer(#"{"groups": [\#(groups.joined(separator: ", "))]}"#)
        let played = Firebase(versions: report).play(try source(), poll(.days(1)))
        #expect(played.observation("1")?.metrics[.sessions] == 5)
        #expect(played.observation("3")?.metrics[.sessions] == 7)
        #expect(played.observation() == nil, "the sum would lack it")
        #expect(played.observations.flatMap(\.issues).count == 2)
        let warning =
            "wallet: no figures of the app as a whole, because a version is left out: "
            + "$.groups[1].metrics[0].totalSessionsCount: expected a count in digits, found the string \"many\""
        #expect(played.report?.warnings == [warning])
        #expect(played.report?.unread == .apps(["wallet"]))
        #expect(played.report?.missing?.description == warning)
    }

    private static func version(_ entry: String) -> String {
        #"{"groups": [{"version": {"displayName": "5.4.0"}, "metrics": [{\#(entry)}]}]}"#
    }

    @Test func `nobody crashed and nothing was counted`() throws {
        let empty = answer(#"{"name": "projects/1/apps/x/reports/topVersions"}"#)
        let played = Firebase(versions: empty, issues: empty).play(try source(), poll(.hours(1)))
        #expect(played.report?.outcome == .noData)
    }

    @Test func `versions of several pages are put together, and a cut list has no sum`() throws {
        let first = String(decoding: fixture("report_top_versions.json"), as: UTF8.self)
            .replacing(#""totalSize": 2"#, with: #""nextPageToken": "p2""#)
        let next = first.replacing("5.4.0 (5401)", with: "5.2.0 (5200)").replacing("5.3.0 (5300)", with: "5.1.0 (5100)")
        let played = PlayedPoll(try source(), poll(.days(1))) { request in
            let url = request.url.description
            guard url.contains("topVersions") else { return Firebase().respond(to: request) }
            return answer(url.contains("pageToken=p2") ? next.replacing("nextPageToken", with: "x") : first)
        }
        #expect(Set(played.observations.compactMap(\.subject.release)).count == 4)
        #expect(played.observation()?.metrics[.sessions] == 452_190)
        let cut = Firebase(versions: answer(first)).play(try source(), poll(.days(1)))
        #expect(cut.observation() == nil)
        #expect(cut.report?.warnings.first?.contains("those with the fewest crashes are left out") == true)
    }

    @Test func `a sum is of the same span and of every version, or there is none`() throws {
        func group(_ name: String, _ entry: String) -> String {
            #"{"version": {"displayName": "\#(name)"}, "metrics": [{\#(entry)}]}"#
        }
        let whole = #""totalSessionsCount": "5", "impactedSessionsCount": "1""#
        for other in [
            #""eventsCount": "1""#,
            whole + #", "startTime": "2026-11-20T23:00:00Z", "endTime": "2026-11-21T00:00:00Z""#,
        ] {
            let report = answer(#"{"groups": [\#(group("1", whole)), \#(group("2", other))]}"#)
            let played = Firebase(versions: report).play(try source(), poll(.days(1)))
            #expect(played.observation() == nil)
            #expect(
                played.report?.warnings == [
                    "wallet: no figures of the app as a whole, because "
                        + (other.hasPrefix(whole)
                            ? "its versions are counted over different spans"
                            : "sessions or crashed sessions are missing for 1 of its 2 versions, such as 2")
                ])
        }
        // Who had no session changes no sum.
        let none = answer(
            #"{"groups": [\#(group("1", whole)), \#(group("2", #""totalSessionsCount": "0""#))]}"#)
        let played = Firebase(versions: none).play(try source(), poll(.days(1)))
        #expect(played.observation()?.metrics == ["sessions": 5, "crashed_sessions": 1])
        #expect(played.report?.warnings == [])
        let both = answer(#"{"groups": [\#(group("1", whole)), \#(group("2", whole))]}"#)
        #expect(Firebase(versions: both).play(try source(), poll(.days(1))).observation()?.metrics[.sessions] == 10)
    }
}

@Suite struct `Issues from Crashlytics` {
    @Test func `hang on the app, with what Crashlytics says of them`() throws {
        let played = Firebase().play(try source(), poll(.days(1)))
        let issues = try #require(played.observation()).issues
        #expect(issues.map(\.status) == ["new", "regressed"])
        let issue = try #require(issues.first)
        #expect(issue.id == "aa01c0ffee0000000000000000000001")
        #expect(issue.title == "CheckoutViewModel.kt line 88: java.lang.NullPointerException")
        #expect(issue.events == 1287)
        #expect(issue.users == 903)
        #expect(issue.firstSeen == Moment(rfc3339: "2026-11-20T18:04:11Z"))
        #expect(issue.lastSeen == Moment(rfc3339: "2026-11-20T23:58:40Z"))
        #expect(issue.release == "5.4.0")
        #expect(issue.url?.hasPrefix("https://console.firebase.google.com/project/acme-mobile/crashlytics/") == true)
        #expect(played.observations.filter { !$0.issues.isEmpty }.count == 1)
    }

    @Test func `that are new or back are asked for where there are too many`() throws {
        func issue(_ number: Int, _ more: String = "") -> String {
            #"{"issue": {"id": "i\#(number)", "title": "t"\#(more)}}"#
        }
        let top = (1...100).map { issue($0) }.joined(separator: ",")
        let fresh = #", "signals": [{"signal": "SIGNAL_FRESH"}]"#
        func play(_ news: FetchResult) throws -> PlayedPoll {
            PlayedPoll(try source(), poll(.days(1))) { request in
                let url = request.url.description
                guard url.contains("topIssues") else { return Firebase().respond(to: request) }
                return url.hasSuffix("&filter.issue.signals=SIGNAL_FRESH&filter.issue.signals=SIGNAL_REGRESSED")
                    ? news : answer(#"{"groups": [\#(top)], "nextPageToken": "p2"}"#)
            }
        }
        let played = try play(answer(#"{"groups": [\#(issue(7, fresh)), \#(issue(130, fresh))]}"#))
        #expect(played.asked.count == 3)
        let issues = try #require(played.observation()).issues
        #expect(issues.map(\.id) == (1...99).map { "i\($0)" } + ["i130"])
        #expect(issues.last?.status == "new")
        #expect(played.report?.warnings == [])
        let many = try play(answer(#"{"groups": [\#(issue(130, fresh))], "nextPageToken": "p2"}"#))
        #expect(
            many.report?.warnings == ["wallet: more than 100 issues are new or back; the rest is left out"])
        // In trouble the others are still there.
        let refused = try play(answer(fixture: "error_403.json", status: 403))
        #expect(refused.observation()?.issues.count == 100)
        #expect(refused.report?.warnings.first?.hasPrefix("new issues of wallet: ") == true)
    }

    @Test func `of which one makes no sense, it is named and left out`() throws {
        let report = answer(
            #"{"groups": [{"issue": {"id": "a", "title": "A"}}, {"issue": {"id": "", "title": "B"}}]}"#)
        let played = Firebase(issues: report).play(try source(), poll(.days(1)))
        #expect(played.observation()?.issues.map(\.id) == ["a"])
        let warning = try #require(played.report?.warnings.first)
        #expect(warning.hasPrefix("issues of wallet: an issue is left out: $.groups[1].issue.id: "), "\(warning)")
    }

    @Test func `without a signal keep their state`() throws {
        let written = String(decoding: fixture("issue.json"), as: UTF8.self)
            .replacing("SIGNAL_FRESH", with: "SIGNAL_REPETITIVE")
        let report = answer(#"{"groups": [{"issue": \#(written)}, {"issue": \#(written)}]}"#)
        let issues = Firebase(issues: report).play(try source(), poll(.days(1))).observation()?.issues ?? []
        #expect(issues.map(\.status) == ["open"])
        #expect(issues.first?.events == nil)
    }

    @Test(arguments: [
        answer(fixture: "error_403.json", status: 403), answer(#"{"groups": [{}]}"#), answer("<html>"),
    ]) func `in trouble leave the figures alone`(_ trouble: FetchResult) throws {
        let played = Firebase(issues: trouble).play(try source(), poll(.days(1)))
        #expect(played.observation()?.metrics[.sessions] == 226_095)
        #expect(played.report?.warnings.count == 1)
        #expect(played.report?.warnings.first?.hasPrefix("issues of wallet: ") == true)
    }

    @Test func `can be left out`() throws {
        let spare = try source(["issues": option(.flag(false))])
        #expect(Firebase().play(spare, poll(.hours(1))).asked.count == 1)
        #expect(spare.givesIssues == false)
    }
}
