import PluginKit
import PluginTesting
import SentrySource
import Testing

@Suite struct `Sessions from Sentry` {
    @Test func `an app has observations as a whole and per release`() throws {
        let played = Server().play(try source(), poll(.hours(1)))
        let app = try #require(played.observation("wallet-android"))
        #expect(
            app.metrics == [
                "sessions": 1000, "crashed_sessions": 10, "crash_free_sessions": 0.99, "users": 400,
                "crashed_users": 12, "crash_free_users": 0.97,
            ])
        #expect(app.subject.source == "mobile")
        #expect(app.isComplete)
        let release = try #require(played.observation("wallet-android", "com.acme.wallet@5.4.0+5401"))
        #expect(release.metrics["crashed_sessions"] == 1046)
        #expect(release.metrics["crashed_users"] == 803)
        #expect(played.observation("wallet-ios", "com.acme.wallet.ios@5.4.0+880") != nil)
        #expect(played.report?.warnings == [])
        #expect(played.report?.unread == .nothing)
    }

    @Test func `a span ends now although the hour is still filling`() throws {
        let played = Server().play(try source(), poll(.hours(1)))
        let app = try #require(played.observation("wallet-android"))
        #expect(app.span.from.description == "2026-11-20T22:00:00Z")
        #expect(app.span.to == now)
    }

    @Test func `a window that has ended keeps its end`() throws {
        let later = now + .days(1)
        let played = Server().play(try source(), poll(.hours(1), at: later))
        #expect(played.observation("wallet-android")?.span.to.description == "2026-11-21T00:00:00Z")
    }

    @Test(arguments: [
        (Duration.minutes(15), "2026-11-20T23:00:00Z", "1h"), (.hours(1), "2026-11-20T22:00:00Z", "1h"),
        (.hours(24), "2026-11-19T23:00:00Z", "1h"), (.days(7), "2026-11-13T20:00:00Z", "4h"),
        (.days(30), "2026-10-21T00:00:00Z", "24h"), (.days(400), "2026-08-22T00:00:00Z", "24h"),
    ]) func `windows begin with an interval and cover the span`(_ span: Duration, _ start: String, _ interval: String)
        throws
    {
        let played = Server().play(try source(["issues": option(.flag(false))]), poll(span))
        let urls = played.urls("sessions")
        #expect(urls.count == 2)
        for url in urls {
            #expect(url.contains("&start=\(start.percentEncoded)&end=2026-11-20T23%3A59%3A30Z&interval=\(interval)&"))
            #expect(url.contains("field=sum%28session%29&field=count_unique%28user%29&"))
            #expect(url.contains("&includeSeries=0"))
        }
        #expect((played.report?.warnings.count ?? 0) == (span > .days(90) ? 1 : 0))
    }

    @Test func `spans that come to the same window are asked for once, the shortest first`() throws {
        let spans = poll(.minutes(61), .minutes(70), .hours(24))
        let played = Server().play(try source(["issues": option(.flag(false))]), spans)
        let starts = played.urls("sessions").map { $0.split(separator: "&").first { $0.hasPrefix("start=") } }
        #expect(
            starts == [
                "start=2026-11-20T22%3A00%3A00Z", "start=2026-11-20T22%3A00%3A00Z", "start=2026-11-19T23%3A00%3A00Z",
                "start=2026-11-19T23%3A00%3A00Z",
            ])
    }

    @Test func `the longest window comes first, so that the shortest counts as the newest`() throws {
        let played = PlayedPoll(try source(["issues": option(.flag(false))]), poll(.hours(1), .hours(24))) { request in
            let isLong = request.url.description.contains("start=2026-11-19")
            return request.url.description.contains("/projects/")
                ? answer(fixture: "projects.json")
                : answer(sessions([100, 50, 1, 1], from: isLong ? "2026-11-19T23:00:00Z" : "2026-11-20T22:00:00Z"))
        }
        #expect(played.observations.map(\.span.from.description) == ["2026-11-19T23:00:00Z", "2026-11-20T22:00:00Z"])
    }

    @Test func `environments are asked for and told apart`() throws {
        var server = Server()
        server.apps = answer(sessions([10, 5, 1, 1], by: #"{"project": 4507001, "environment": "beta"}"#))
        let played = server.play(
            try source(["environments": list("production", "beta"), "issues": option(.flag(false))]), poll(.hours(1)))
        #expect(played.urls("sessions").allSatisfy { $0.contains("groupBy=environment") })
        #expect(played.urls("sessions").allSatisfy { $0.contains("&environment=production&environment=beta&") })
        #expect(played.observation("wallet-android")?.subject.environment == "beta")
    }

    @Test func `where environments are told apart, nothing is about all of them together`() throws {
        for values: [String: Option] in [["group_by": list(["environment"])], ["environments": list("beta")]] {
            var server = Server()
            server.apps = answer(sessions([10, 5, 1, 1], by: #"{"project": 4507001, "environment": "beta"}"#))
            server.releases = answer(fixture: "sessions_empty_groups.json")
            let source = try source(values.merging(["issues": option(.flag(false))]) { $1 })
            let played = server.play(source, poll(.hours(1)))
            #expect(played.observations.map(\.subject.environment) == ["beta"])
        }
    }

    @Test func `a release has its share of the app's sessions, so that one few have can be told from one all have`()
        throws
    {
        func release(_ name: String, _ count: Int) -> String {
            #"{"by": {"project": 4507001, "release": "\#(name)"}, "totals": {"sum(session)": \#(count)}}"#
        }
        var server = Server()
        let groups = [release("5.4", 25), release("5.3", 975), release("5.5", 1001)].joined(separator: ", ")
        server.releases = answer(
            #"{"start": "2026-11-20T22:00:00Z", "end": "2026-11-21T00:00:00Z", "groups": [\#(groups)]}"#)
        let played = server.play(try source(), poll(.hours(1)))
        #expect(played.observation("wallet-android", "5.4")?.metrics == ["sessions": 25, "adoption": 0.025])
        #expect(played.observation("wallet-android", "5.3")?.metrics["adoption"] == 0.975)
        #expect(played.observation("wallet-android")?.metrics["adoption"] == nil)
        // Asked for a moment later than the whole, it may have more than that had.
        #expect(played.observation("wallet-android", "5.5")?.metrics == ["sessions": 1001])
        server.apps = answer(fixture: "sessions_empty_groups.json")
        #expect(
            server.play(try source(), poll(.hours(1))).observation("wallet-android", "5.4")?.metrics["adoption"] == nil)
    }

    @Test func `sessions are told apart by what 'group_by' says`() throws {
        func groups(_ names: String...) throws -> [[String]] {
            var server = Server()
            server.apps = answer(sessions([10, 5, 1, 1], by: #"{"project": 4507001, "environment": "beta"}"#))
            let source = try source(["group_by": list(names), "issues": option(.flag(false))])
            let played = server.play(source, poll(.hours(1)))
            #expect(played.observations.last?.subject.app == "wallet-android")
            return played.urls("sessions").map { url in
                url.split(separator: "&").filter { $0.hasPrefix("groupBy=") }.map { String($0.dropFirst(8)) }
            }
        }
        #expect(try groups() == [["project"]])
        #expect(try groups("release") == [["project"], ["project", "release"]])
        #expect(try groups("environment") == [["project", "environment"]])
        #expect(
            try groups("release", "environment") == [
                ["project", "environment"], ["project", "release", "environment"],
            ])
        let whole = try source(["group_by": list([])])
        #expect(whole.metrics?.contains(.adoption) == false)
        #expect(whole.configured("release") == [""])
        #expect(whole.configured("environment") == [""])
        #expect(try source().configured("release") == nil)
        #expect(try source(["group_by": list(["environment"])]).configured("environment") == nil)
    }

    @Test(arguments: [
        "sessions_empty_groups.json", "sessions_zero_traffic.json", "sessions_zero_traffic_rate_one.json",
    ]) func `no sessions are no data, whatever the rate says`(_ name: String) throws {
        var server = Server()
        server.apps = answer(fixture: name)
        server.releases = answer(fixture: name)
        server.issues = answer("[]")
        #expect(server.play(try source(), poll(.hours(1))).report?.outcome == .noData)
    }

    @Test func `figures that are missing are left out, never zero`() throws {
        var server = Server()
        server.apps = answer(sessions([1000, nil, 0.99, 1]))
        #expect(
            server.play(try source(), poll(.hours(1))).observation("wallet-android")?.metrics == [
                "sessions": 1000, "crashed_sessions": 10, "crash_free_sessions": 0.99,
            ])
        server.apps = answer(sessions([1000, 0, nil, 1]))
        #expect(server.play(try source(), poll(.hours(1))).observation("wallet-android")?.metrics == ["sessions": 1000])
    }

    @Test(arguments: [
        (sessions([-5, 1, 1, 1]), "$.groups[0].totals['sum(session)']: expected a count, 0 or more, found -5"),
        (#"{"start": "2026-11-20T22:00:00Z", "groups": []}"#, "$.end: expected a value, found no such member"),
        (
            sessions([5], from: "2027-01-01T00:00:00Z", to: "2027-01-02T00:00:00Z"),
            "$.start: expected an instant before"
        ), (sessions([5], by: "{}"), "$.groups[0].by.project: expected a value"),
        (sessions([5], by: #"{"project": [1]}"#), "$.groups[0].by.project: expected a project's id, found an array"),
        (#"{"start": "2026-11-20T22:00:00Z", "end": "2026-11-21T00:00:00Z", "groups": {"0": 1}}"#, "expected an array"),
        ("[]", "$: expected an object, found an array"),
        (sessions([5]).replacing("5.0", with: "\"5\""), "expected a number, found the string \"5\""),
    ]) func `an answer of another shape is a failure with its place`(_ body: String, _ words: String) throws {
        var server = Server()
        server.apps = answer(body)
        let failure = try #require(server.play(try source(), poll(.hours(1))).failure)
        #expect(failure.reason == .badAnswer)
        #expect(failure.description.hasPrefix("sessions: the answer is not what was expected: "))
        #expect(failure.description.contains(words), "\(failure)")
    }

    @Test func `a rate below 0, which older servers give where more crashed than there is, means all of it`() throws {
        var server = Server()
        server.apps = answer(sessions([1000, 400, -0.02, -1.5]))
        let played = server.play(try source(), poll(.hours(1)))
        #expect(
            played.observation("wallet-android")?.metrics == [
                "sessions": 1000, "crashed_sessions": 1000, "crash_free_sessions": 0, "users": 400,
                "crashed_users": 400, "crash_free_users": 0,
            ])
        #expect(played.report?.warnings == [])
    }

    @Test func `a rate above 1 by what computing adds is 1`() throws {
        var server = Server()
        server.apps = answer(sessions([1000, nil, 1]).replacing("1.0}", with: "1.0000000000000002}"))
        let played = server.play(try source(), poll(.hours(1)))
        #expect(
            played.observation("wallet-android")?.metrics == [
                "sessions": 1000, "crashed_sessions": 0, "crash_free_sessions": 1,
            ])
        #expect(played.report?.warnings == [])
    }

    @Test func `where no rate makes sense the counts go on, and that is said`() throws {
        var server = Server()
        server.apps = answer(sessions([1000, 400, 99.7, 98.5]))
        let played = server.play(try source(), poll(.hours(1)))
        #expect(played.observation("wallet-android")?.metrics == ["sessions": 1000, "users": 400])
        let warning = try #require(played.report?.warnings.first)
        #expect(warning.hasPrefix("2 crash-free rates are left out, the first: $.groups[0].totals["), "\(warning)")
        #expect(played.report?.missing?.description == warning)
    }

    @Test(arguments: ["1.01", "99.7", "\"none\""])
    func `a rate that makes no sense is named and left out, and what stands beside it counts`(_ rate: String) throws {
        var server = Server()
        server.apps = answer(sessions([1000, 400, 0.5, 0.97]).replacing("0.5", with: rate))
        let played = server.play(try source(), poll(.hours(1)))
        #expect(
            played.observation("wallet-android")?.metrics == [
                "sessions": 1000, "users": 400, "crashed_users": 12, "crash_free_users": 0.97,
            ])
        let warning = try #require(played.report?.warnings.first)
        let place = "a crash-free rate is left out: $.groups[0].totals['crash_free_rate(session)']: expected a "
        #expect(warning.hasPrefix(place), "\(warning)")
        #expect(played.report?.unread == .apps(["wallet-android"]))
        #expect(played.report?.missing?.description == warning)
    }

    /// Groups of sessions of which the second makes no sense.
    private func groups(_ projects: [Int64], broken by: String) -> FetchResult {
        let groups = projects.map {
            #"{"by": {"project": \#($0), "release": "1"}, "totals": {"sum(session)": 5}}"#
        }
        let broken = #"{"by": \#(by), "totals": {"sum(session)": "many"}}"#
        return answer(
            #"""
            {"start": "2026-11-20T22:00:00Z", "end": "2026-11-21T00:00:00Z",
             "groups": [\#(groups[0]), \#(broken), \#(groups[1])]}
            """#)
    }

    @Test(
        arguments: [
            (#"{"project": 4507002}"#, .apps(["wallet-ios"])), (#"{"project": 4507999}"#, .anything),
            (#"{"project": []}"#, .anything), ("7", .anything),
        ] as [(String, Unread)])
    func `one group that makes no sense is named and left out, and nobody says that its app is gone`(
        _ by: String, _ unread: Unread
    ) throws {
        var server = Server()
        server.issues = answer("[]")
        server.releases = answer(fixture: "sessions_empty_groups.json")
        server.apps = groups([4_507_001, 4_507_003], broken: by)
        let report = try #require(server.play(try source(), poll(.hours(1))).report)
        #expect(report.warnings.first?.hasPrefix("a group of sessions is left out: $.groups[1].") == true)
        #expect(report.unread == unread)
        #expect(report.missing?.description == report.warnings.first, "where it lasts people are to know")
    }

    @Test func `a group of a release that makes no sense is missing, and its app is there`() throws {
        var server = Server()
        server.issues = answer("[]")
        server.releases = groups([4_507_001, 4_507_002], broken: #"{"project": 4507001, "release": "2"}"#)
        let played = server.play(try source(), poll(.hours(1)))
        #expect(played.observation("wallet-android", "1")?.metrics["sessions"] == 5)
        #expect(played.report?.unread == .nothing)
        #expect(played.report?.missing?.reason == .badAnswer)
    }

    @Test func `sessions that were there and cannot be had any more are missed, unlike such as never were`() throws {
        var server = Server()
        let source = try source()
        let cursor = try #require(server.play(source, poll(.hours(1))).report?.cursor)
        server.apps = answer(fixture: "error_404.json", status: 404)
        #expect(server.play(source, poll(.hours(1))).report?.missing == nil)
        let played = server.play(source, poll(.hours(1), cursor: cursor))
        #expect(played.report?.missing?.reason == .notFound)
        #expect(played.report?.warnings.contains { $0.contains("no release health") } == false)
        #expect(played.observation("wallet-android")?.issues.isEmpty == false)
        // Nor is it forgotten.
        let next = server.play(source, poll(.hours(1), cursor: try #require(played.report?.cursor)))
        #expect(next.report?.missing?.reason == .notFound)
    }

    @Test func `a group that comes twice counts once`() throws {
        var server = Server()
        server.issues = answer("[]")
        server.releases = answer(fixture: "sessions_empty_groups.json")
        server.apps = answer(sessions([7, 5, 1, 1]), headers: [("Link", link("0:1:0"))])
        let played = server.play(try source(), poll(.hours(1)))
        #expect(played.observations.count == 1)
        #expect(played.urls("sessions").first { $0.contains("cursor") }?.contains("&cursor=0%3A1%3A0") ?? false)
    }

    @Test func `a server without release health still gives issues`() throws {
        var server = Server()
        server.apps = answer(fixture: "error_404.json", status: 404)
        let played = server.play(try source(), poll(.hours(1)))
        #expect(played.urls("sessions").count == 1)
        let app = try #require(played.observation("wallet-android"))
        #expect(app.metrics.isEmpty)
        #expect(!app.issues.isEmpty)
        #expect(played.report?.warnings.first?.hasPrefix("this server has no release health, only issues") ?? false)
        #expect(played.report?.unread == .anything)

        server.issues = answer(fixture: "error_403.json", status: 403)
        #expect(server.play(try source(), poll(.hours(1))).failure?.reason == .forbidden)
        let withoutIssues = try source(["issues": option(.flag(false))])
        #expect(server.play(withoutIssues, poll(.hours(1))).failure?.reason == .notFound)
    }
}

/// A `Link` header whose next page has that cursor.
func link(_ cursor: String, results: Bool = true) -> String {
    "<https://evil.example/?cursor=x,y>; rel=\"previous\"; results=\"true\"; cursor=\"0:0:1\", "
        + "<https://evil.example/?a=1>; rel=\"next\"; results=\"\(results)\"; cursor=\"\(cursor)\""
}

extension String {
    func replacing(_ old: String, with new: String) -> String {
        var result = ""
        var rest = self[...]
        while !rest.isEmpty {
            if rest.hasPrefix(old) {
                result += new
                rest = rest.dropFirst(old.count)
            } else {
                result.append(rest.removeFirst())
            }
        }
        return result
    }
}
