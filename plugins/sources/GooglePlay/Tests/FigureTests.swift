import GooglePlaySource
import PluginKit
import PluginTesting
import Testing

@Suite struct `Figures from Google Play` {
    @Test func `an hour is one of UTC, and a crash rate is the share of users that crashed`() throws {
        let played = Play().play(try source(), poll(.hours(1)))
        #expect(played.report?.warnings == [])
        let hour = try #require(played.observation(from: "2026-11-20T20:00:00Z"))
        #expect(hour.subject == Subject(source: "play", app: "com.acme.wallet"))
        #expect(hour.span.to == Moment(rfc3339: "2026-11-20T21:00:00Z"))
        #expect(hour.metrics[.users] == 8100)
        #expect(hour.metrics[.crashFreeUsers] == 1 - 0.0131)
        #expect(hour.isComplete)
        #expect(hour.seen == now)
        #expect(
            played.observations.filter { $0.subject.release == nil }.map { $0.span.length } == [
                .hours(1), .hours(1), .hours(1),
            ])
    }

    @Test func `reports of crashes stand with the version's hour`() throws {
        let played = Play().play(try source(), poll(.hours(1)))
        let hour = try #require(played.observation("5401", from: "2026-11-20T20:00:00Z"))
        // Users of the count table are those that crashed, so they are not the app's users.
        #expect(hour.metrics == ["crash_events": 390])
        let order = played.observations.map(\.span.to)
        #expect(order == order.sorted())
    }

    @Test func `a day is one of Los Angeles, and weeks are what Play makes of them`() throws {
        let played = Play.byDay.play(try daily(), poll(.days(1), .days(28)))
        let day = try #require(played.observation(from: "2026-11-18T08:00:00Z"))
        #expect(day.span.to == Moment(rfc3339: "2026-11-19T08:00:00Z"))
        #expect(day.metrics == ["users": 65_000, "crash_free_users": 1 - 0.0055, "anr_rate": 0.0019])
        let week = try #require(played.observation(from: "2026-11-12T08:00:00Z"))
        #expect(week.span.to == day.span.to)
        #expect(week.metrics == ["crash_free_users": 1 - 0.0101])
        // The clocks of Los Angeles were set back on 1 November.
        let weeks = try #require(played.observation(from: "2026-10-22T07:00:00Z"))
        #expect(weeks.span.length == .days(28) + .hours(1))
        #expect(weeks.metrics == ["crash_free_users": 1 - 0.0109, "anr_rate": 0.0020])
        let version = try #require(played.observation("5401", from: "2026-11-18T08:00:00Z"))
        #expect(version.metrics == ["users": 4100, "crash_free_users": 1 - 0.0242])
        #expect(played.observations.last?.span.length == .days(1), "the day is told last, and counts as the newest")
    }

    @Test func `the columns of weeks are asked for where a rule needs them`() throws {
        let days = Play.byDay.play(try daily(), poll(.days(1)))
        #expect(days.observations.allSatisfy { $0.span.length == .days(1) })
        #expect(days.requests.allSatisfy { !body($0).text.contains("UserWeighted") })
        let weeks = Play.byDay.play(try daily(), poll(.days(1), .days(7)))
        #expect(weeks.requests.contains { body($0).text.contains("userPerceivedAnrRate7dUserWeighted") })
        #expect(weeks.requests.allSatisfy { !body($0).text.contains("28d") })
    }

    @Test func `the question is the one of the documentation`() throws {
        let played = Play.byDay.play(
            try daily(["crashes": option(.text("all"))]), poll(.days(1), .days(28)))
        let question = try #require(played.requests.first { $0.url.description.hasSuffix("crashRateMetricSet:query") })
        #expect(
            body(question) == [
                "timelineSpec": [
                    "aggregationPeriod": "DAILY",
                    "startTime": ["year": 2026, "month": 11, "day": 12, "timeZone": ["id": "America/Los_Angeles"]],
                    "endTime": ["year": 2026, "month": 11, "day": 19, "timeZone": ["id": "America/Los_Angeles"]],
                ], "dimensions": [],
                "metrics": ["crashRate", "crashRate7dUserWeighted", "crashRate28dUserWeighted", "distinctUsers"],
                "pageSize": 1000,
            ])
        let count = try #require(
            Play().play(try source(), poll(.hours(1))).requests.last { $0.url.description.contains("errorCount") })
        // The same but for the page and the time, which begins a day earlier.
        let written = try JSON(parsing: fixture("errorcount_query_request.json"))
        for member in ["dimensions", "metrics", "filter"] { #expect(body(count)[member] == written[member]) }
        #expect(body(count)["timelineSpec"]?["endTime"] == written["timelineSpec"]?["endTime"])
        #expect(body(count)["timelineSpec"]?["startTime"]?["hours"] == 21)
    }

    @Test func `pages of rows are put together`() throws {
        var play = Play.byDay
        play.crashVersions = answer(fixture: "crashrate_query_response_daily.json")
        let played = PlayedPoll(try daily(), poll(.days(1))) { request in
            guard body(request)["pageToken"] != nil else { return play.respond(to: request) }
            return answer("{}")
        }
        let tokens = played.requests.compactMap { body($0)["pageToken"]?.string }
        #expect(tokens == ["CAEQAQ"])
        #expect(Set(played.observations.compactMap(\.subject.release)) == ["5300", "5401"])
        #expect(played.report?.warnings == [])
        // A list that leads to itself for ever is left.
        let endless = play.play(try daily(), poll(.days(1)))
        #expect(endless.requests.filter { body($0)["pageToken"] != nil }.count == 1)
        #expect(endless.report?.warnings == ["crash rates of com.acme.wallet: more rows than are read"])
    }

    @Test func `an app that had no users has no figures`() throws {
        var play = Play(
            crashes: answer("{}"), eventVersions: answer("{}"), issues: answer("{}"))
        #expect(play.play(try source(), poll(.hours(1))).report?.outcome == .noData)
        // One that Play knows nothing of yet is not asked about any further.
        play.freshness = answer(#"{"name": "apps/com.acme.wallet/crashRateMetricSet"}"#)
        let played = play.play(try source(), poll(.hours(1)))
        #expect(played.report?.outcome == .noData)
        #expect(played.paths.count == 3)
    }

    @Test func `versions with few users are left out where there are too many`() throws {
        let rows = (1...60).map { code in
            """
            {"aggregationPeriod": "HOURLY", "startTime": {"year": 2026, "month": 11, "day": 20, "hours": 20,
              "timeZone": {"id": "UTC"}}, "dimensions": [{"dimension": "versionCode", "int64Value": "\(code)"}],
             "metrics": [{"metric": "distinctUsers", "decimalValue": {"value": "\(code * 10)"}}]}
            """
        }
        let play = Play(
            crashVersions: answer("{\"rows\": [\(rows.joined(separator: ","))]}"), eventVersions: answer("{}"))
        let played = play.play(try source(), poll(.hours(1)))
        let releases = Set(played.observations.compactMap(\.subject.release))
        #expect(releases.count == 50)
        #expect(releases.contains("60"))
        #expect(!releases.contains("10"))
        #expect(played.report?.warnings == ["com.acme.wallet: 10 versions with few users left out"])
    }

    @Test func `what lies behind the mark is not complete`() throws {
        var play = Play()
        let mark = String(decoding: fixture("crashrate_metric_set.json"), as: UTF8.self)
        play.freshness = answer(mark.replacing("\"hours\": 21", with: "\"hours\": 20"))
        let played = play.play(try source(), poll(.hours(1)))
        #expect(played.observation(from: "2026-11-20T19:00:00Z")?.isComplete == true)
        #expect(played.observation(from: "2026-11-20T20:00:00Z")?.isComplete == false)
    }
}

@Suite struct `Issues from Google Play` {
    @Test func `hang on the app's newest hour`() throws {
        let played = Play().play(try source(), poll(.hours(1)))
        let holders = played.observations.filter { !$0.issues.isEmpty }
        #expect(holders.map(\.span.to) == [Moment(rfc3339: "2026-11-20T21:00:00Z")])
        #expect(holders.first?.subject.release == nil)
        let issue = try #require(holders.first?.issues.first)
        #expect(issue.id == "1f00c0ffee000000000000000000aa01")
        #expect(
            issue.title == "java.lang.NullPointerException in com.acme.wallet.checkout.CheckoutViewModel.submit")
        #expect(issue.events == 442)
        #expect(issue.users == 386)
        #expect(issue.firstSeen == nil)
        #expect(issue.lastSeen == Moment(rfc3339: "2026-11-20T20:00:00Z"))
        #expect(issue.release == "5401")
        #expect(issue.url?.hasPrefix("https://play.google.com/console/") == true)
        #expect(holders.first?.issues.last?.title == "ANR: Input dispatching timed out in com.acme.wallet.MainActivity")
    }

    @Test func `of the last day up to the mark are asked for`() throws {
        let played = Play().play(try source(), poll(.hours(1)))
        let asked = played.paths.filter { $0.contains("errorIssues") }
        func path(_ most: Int, from: Int, to: Int) -> String {
            "apps/com.acme.wallet/errorIssues:search?filter=errorIssueType%20%3D%20CRASH%20OR%20errorIssueType%20"
                + "%3D%20ANR&orderBy=errorReportCount%20desc&pageSize=\(most)&interval.startTime.year=2026"
                + "&interval.startTime.month=11&interval.startTime.day=\(from)&interval.startTime.hours=21"
                + "&interval.startTime.timeZone.id=UTC&interval.endTime.year=2026&interval.endTime.month=11"
                + "&interval.endTime.day=\(to)&interval.endTime.hours=21&interval.endTime.timeZone.id=UTC"
        }
        #expect(asked == [path(100, from: 19, to: 20), path(1000, from: 11, to: 18)])
        // The search takes UTC alone, also where figures are of days of Los Angeles.
        let byDay = Play.byDay.play(try daily(), poll(.days(1))).paths.filter { $0.contains("errorIssues") }
        #expect(
            byDay.first?.contains("interval.endTime.day=19&interval.endTime.hours=8&interval.endTime.timeZone.id=UTC")
                == true)
    }

    @Test func `that had reports in the days before are no news`() throws {
        let play = Play(
            earlierIssues: answer(
                #"{"errorIssues": [{"name": "apps/a/1f00c0ffee000000000000000000aa02", "lastErrorReportTime": "2026-11-20T19:00:00Z"},"#
                    + #"{"name": "apps/a/other"}]}"#))
        let issues = play.play(try source(), poll(.hours(1))).observations.flatMap(\.issues)
        #expect(issues.map(\.firstSeen) == [nil, Moment(rfc3339: "2026-11-11T21:00:00Z")])
    }

    @Test func `of which nobody knows how old they are wait for the next figures`() throws {
        let trouble = Play(earlierIssues: answer("no", status: 500)).play(try source(), poll(.hours(1)))
        #expect(trouble.observations.flatMap(\.issues).isEmpty)
        #expect(trouble.observation(from: "2026-11-20T20:00:00Z")?.metrics[.users] == 8100)
        #expect(trouble.report?.warnings.first?.hasPrefix("earlier issues of com.acme.wallet: ") == true)
        var server = Play()
        let mark = String(decoding: fixture("crashrate_metric_set.json"), as: UTF8.self)
        server.freshness = answer(mark.replacing("\"hours\": 21", with: "\"hours\": 22"))
        let next = server.play(
            try source(), poll(.hours(1), cursor: trouble.report?.cursor, at: now + .hours(1)))
        #expect(next.observations.flatMap(\.issues).count == 2)
        // What Play itself flags is not of that list.
        server = Play(
            earlierIssues: answer("no", status: 500), anomalies: answer(fixture: "anomalies.json"))
        let flagged = server.play(try source(["anomalies": option(.flag(true))]), poll(.hours(1)))
        #expect(!flagged.observations.flatMap(\.issues).isEmpty)
        #expect(flagged.observations.flatMap(\.issues).allSatisfy { $0.id.hasPrefix("anomaly-") })
    }

    @Test(arguments: [
        answer(fixture: "error_403_permission.json", status: 403), answer("[]"), answer(#"{"errorIssues": [{}]}"#),
        answer(#"{"errorIssues": [{"name": "/"}]}"#),
    ]) func `in trouble leave the figures alone`(_ trouble: FetchResult) throws {
        let played = Play(issues: trouble).play(try source(), poll(.hours(1)))
        #expect(played.observation(from: "2026-11-20T20:00:00Z")?.metrics[.users] == 8100)
        #expect(played.report?.warnings.count == 1)
        #expect(played.report?.warnings.first?.hasPrefix("issues of com.acme.wallet: ") == true)
    }

    @Test func `can be left out, and so can the counts of reports`() throws {
        let spare = try source(["issues": option(.flag(false)), "events": option(.flag(false))])
        let played = Play().play(spare, poll(.hours(1)))
        #expect(played.paths.allSatisfy { !$0.contains("errorIssues") && !$0.contains("errorCount") })
        #expect(spare.metrics == [.users, .crashFreeUsers, .anrRate])
        #expect(spare.givesIssues == false)
    }
}
