import BugsnagSource
import PluginKit
import PluginTesting
import Testing

@Suite struct `Days of Bugsnag's projects` {
    @Test func `each is a day of UTC, and the last is still filling`() throws {
        let played = Bugsnag().play(try source(), poll())
        let days = played.observations.filter { $0.metrics[.users] != nil }
        #expect(days.count == 3)
        let day = try #require(days.first)
        #expect(day.subject == Subject(source: "mobile", app: "wallet-android", environment: "production"))
        #expect(day.span.from == Moment(rfc3339: "2026-11-18T00:00:00Z"))
        #expect(
            day.metrics == ["sessions": 181_200, "crashed_sessions": 330, "users": 59_800, "crashed_users": 301])
        #expect(day.isComplete)
        let last = try #require(days.last)
        #expect(last.span.to == now)
        #expect(!last.isComplete)
        #expect(played.report?.warnings == [])
    }

    @Test func `later only those that may still change are read`() throws {
        let source = try source()
        let first = Bugsnag().play(source, poll())
        let second = Bugsnag().play(source, poll(cursor: first.report?.cursor, at: now + .days(2)))
        let later = Bugsnag().play(source, poll(cursor: second.report?.cursor, at: now + .days(2) + .minutes(5)))
        let days = later.observations.filter { $0.metrics[.users] != nil }.map(\.span.from)
        #expect(days == [Moment(rfc3339: "2026-11-19T00:00:00Z"), Moment(rfc3339: "2026-11-20T00:00:00Z")])
        #expect(later.observations.filter { $0.metrics[.users] != nil }.allSatisfy { $0.isComplete })
    }

    @Test(arguments: [2, 4, 12, -1] as [Int64])
    func `after a pause those are read that it kept from being read, and a little before`(_ pause: Int64) throws {
        let source = try source()
        let first = Bugsnag().play(source, poll())
        let then = now + .days(pause)
        let all = (18...20).compactMap { Moment(rfc3339: "2026-11-\($0)T00:00:00Z") }
        // The app goes on: there is a day that is still filling.
        let days = Set(all + [Recall.floor(then, to: .days(1))]).sorted()
        let points = days.map { Self.point(from: $0, #""total_sessions_count": 5, "unhandled_sessions_count": 0"#) }
        let later = Bugsnag(trend: answer(Self.trend(points)), releases: answer("[]"), errors: answer("[]"))
            .play(source, poll(cursor: first.report?.cursor, at: then))
        #expect(later.observations.map(\.span.from) == days.filter { $0 < then })
    }

    @Test(arguments: [(1, 3), (2, 3), (4, 0), (25, 0)] as [(Int64, Int)])
    func `those of an app that nobody has used for days say nothing of now`(_ days: Int64, _ count: Int) throws {
        let left = Bugsnag(releases: answer("[]"), errors: answer("[]"))
        let played = left.play(try source(), poll(at: now + .days(days)))
        #expect(played.observations.count == count)
        let note = "wallet-android: no sessions since 2026-11-21T00:00:00Z, so its days are left out"
        #expect(played.report?.notes.contains(note) == (count == 0))
        // A pause of the bot is no reason to take them for now.
        let first = left.play(try source(), poll())
        let later = left.play(try source(), poll(cursor: first.report?.cursor, at: now + .days(days)))
        #expect(later.observations.isEmpty == (count == 0))
    }

    @Test func `a day without sessions says nothing`() throws {
        let played = Bugsnag(
            trend: answer(fixture: "stability_trend_no_sessions.json"), releases: answer("[]"), errors: answer("[]")
        ).play(try source(), poll())
        #expect(played.report?.outcome == .noData)
    }

    @Test(arguments: [
        (
            day(#""total_sessions_count": 5, "unhandled_sessions_count": 8"#),
            "expected at most the 5 of 'total_sessions_count'"
        ),
        (day(#""total_sessions_count": 5"#), "unhandled_sessions_count: expected a value"),
        (day(#""users_seen": 1.5, "users_with_unhandled": -1"#), "users_with_unhandled: expected a count"),
        (day("", end: "2026-11-19T00:00:00Z"), "$.timeline_points[0]: expected a begin before the end"),
        (#"{"timeline_points": []}"#, "$.release_stage_name: expected a value"), ("[]", "$: expected an object"),
    ]) func `an answer of another shape is named with its place, and releases and errors are read`(
        _ written: String, _ words: String
    ) throws {
        let played = Bugsnag(trend: answer(written)).play(try source(), poll())
        #expect(played.observations.contains { $0.issues.count == 2 })
        let failure = try #require(played.report?.missing)
        #expect(failure.reason == .badAnswer)
        #expect(played.report?.warnings == [failure.description])
        #expect(failure.description.hasPrefix("stability of wallet-android: the answer is not what was expected: "))
        #expect(failure.description.contains(words), "\(failure)")
    }

    @Test func `one that makes no sense is named and left out, and the rest is read`() throws {
        let starts = (18...20).compactMap { Moment(rfc3339: "2026-11-\($0)T00:00:00Z") }
        let points = zip(starts, [0, 9, 0]).map { start, crashed in
            Self.point(from: start, #""total_sessions_count": 5, "unhandled_sessions_count": \#(crashed)"#)
        }
        let played = Bugsnag(trend: answer(Self.trend(points)), releases: answer("[]")).play(try source(), poll())
        #expect(played.observations.map(\.span.from) == [starts[0], starts[2]])
        #expect(played.observations.last?.issues.count == 2)
        let warning = try #require(played.report?.warnings.first)
        let place = "stability of wallet-android: a day is left out: $.timeline_points[1].unhandled_sessions_count: "
        #expect(warning.hasPrefix(place), "\(warning)")
        #expect(played.report?.unread == .apps(["wallet-android"]))
        #expect(played.report?.missing?.description == warning)
    }

    @Test(arguments: [(403, PollFailure.Reason.forbidden), (404, .notFound), (400, .refused), (422, .tooLarge)])
    func `that are refused leave releases and errors alone`(_ status: Int, _ reason: PollFailure.Reason) throws {
        let source = try source()
        let refused = answer(#"{"errors": ["no"], "code": 60000}"#, status: status)
        let before = Bugsnag(trend: refused, releases: releases(release("5.4.0", sessions: 1000, crashed: 10)))
        let after = Bugsnag(trend: refused, releases: releases(release("5.4.0", sessions: 1100, crashed: 13)))
        let first = before.play(source, poll())
        let played = after.play(source, poll(cursor: first.report?.cursor, at: now + .minutes(5)))
        let step = try #require(played.step())
        #expect(step.metrics == [.sessions: 100, .crashedSessions: 3])
        #expect(step.issues.count == 2)
        let report = try #require(played.report)
        let missing = try #require(report.missing)
        #expect(missing.reason == reason)
        #expect(missing.description.hasPrefix("stability of wallet-android: the source answered \(status): no"))
        #expect(report.warnings == [missing.description])
        #expect(report.unread == .apps(["wallet-android"]))
    }

    @Test func `at the edge of a small day a few more crashed than began`() throws {
        let trend = Self.day(#""users_seen": 3, "users_with_unhandled": 4"#)
        let played = Bugsnag(trend: answer(trend), releases: answer("[]"), errors: answer("[]")).play(
            try source(), poll())
        #expect(played.observations.first?.metrics == ["users": 3, "crashed_users": 3])
    }

    private static func day(_ counts: String, end: String = "2026-11-20T00:00:00Z") -> String {
        let more = counts.isEmpty ? "" : ", \(counts)"
        return trend([#"{"bucket_start": "2026-11-19T00:00:00Z", "bucket_end": "\#(end)"\#(more)}"#])
    }

    private static func point(from start: Moment, _ counts: String) -> String {
        #"{"bucket_start": "\#(start)", "bucket_end": "\#(start + .days(1))", \#(counts)}"#
    }

    private static func trend(_ points: [String]) -> String {
        #"{"release_stage_name": "production", "timeline_points": [\#(points.joined(separator: ","))]}"#
    }
}

@Suite struct `Projects of Bugsnag` {
    @Test func `are asked for once a day`() throws {
        let source = try source()
        let first = Bugsnag().play(source, poll())
        #expect(
            first.urls.prefix(2) == [
                "https://api.bugsnag.com/user/organizations?per_page=30",
                "https://api.bugsnag.com/organizations/5f1a00000000000000000001/projects?per_page=30",
            ])
        #expect(first.urls.count == 6)
        let cursor = first.report?.cursor
        #expect(Bugsnag().play(source, poll(cursor: cursor, at: now + .minutes(59))).urls.count == 3)
        // With a look at what is fixed.
        #expect(Bugsnag().play(source, poll(cursor: cursor, at: now + .hours(23))).urls.count == 4)
        #expect(Bugsnag().play(source, poll(cursor: cursor, at: now + .hours(25))).urls.count == 6)
        #expect(
            first.report?.notes == [
                "wallet-android: Bugsnag has for crash-free sessions: target 99.95%, critical 99.8%"
            ])
    }

    @Test func `a request says who asks, and which version of the API it means`() throws {
        let request = try #require(Bugsnag().play(try source(), poll()).requests.first)
        let sent = request.headers.map { "\($0.name): \($0.value.reveal())" }
        #expect(sent == ["Authorization: token \(token)", "X-Version: 2", "Accept: application/json"])
        #expect(request.headers.first?.value.description == "token ***")
    }

    @Test(arguments: ["wallet-android", "Wallet Android", "5f1b00000000000000000010"])
    func `may be written by slug, name or id`(_ name: String) throws {
        let played = Bugsnag().play(try source(["projects": list(name)]), poll())
        #expect(Set(played.observations.map(\.subject.app)) == ["wallet-android"])
    }

    @Test func `that nobody sees fail with a guess`() throws {
        let missing = try #require(Bugsnag().play(try source(["projects": list("walet-android")]), poll()).failure)
        #expect(missing.reason == .notFound)
        #expect(missing.description.hasSuffix("'walet-android'; did you mean 'wallet-android'?"))
        let elsewhere = try source(["organization": option(.text("acmee"))])
        #expect(Bugsnag().play(elsewhere, poll()).failure?.description.hasSuffix("did you mean 'acme'?") == true)
        let two = answer(#"[{"id": "1", "slug": "acme"}, {"id": "2", "slug": "beta"}]"#)
        let unsure = try #require(Bugsnag(organizations: two).play(try source(), poll()).failure)
        #expect(unsure.description == "the token sees 2 organizations (acme, beta); name one in 'organization'")
        let chosen = Bugsnag(organizations: two).play(try source(["organization": option(.text("beta"))]), poll())
        #expect(chosen.urls[1].contains("/organizations/2/projects"))
        #expect(Bugsnag(organizations: answer("[]")).play(try source(), poll()).failure?.reason == .forbidden)
        #expect(Bugsnag(projects: answer("[]")).play(try source(), poll()).failure?.reason == .forbidden)
    }

    @Test func `that were renamed leave the others alone, and are looked for every quarter of an hour`() throws {
        let source = try source(["projects": list("Wallet Android", "walet-ios")])
        let two = answer(
            #"""
            [{"id": "5f1b00000000000000000010", "slug": "wallet-android", "name": "Wallet Android"},
             {"id": "2", "slug": "wallet-ios"}]
            """#)
        let first = Bugsnag(projects: two).play(source, poll())
        let words = "the token can see no project 'walet-ios'; did you mean 'wallet-ios'?"
        #expect(Set(first.observations.map(\.subject.app)) == ["wallet-android"])
        #expect(first.report?.warnings == [words] && first.report?.missing?.description == words)
        #expect(first.report?.unread == .apps(["walet-ios"]))
        for (minutes, isAsked) in [(14, false), (15, true)] as [(Int64, Bool)] {
            let next = Bugsnag(projects: two)
                .play(source, poll(cursor: first.report?.cursor, at: now + .minutes(minutes)))
            #expect(next.urls.contains { $0.contains("/projects?") } == isAsked)
            #expect(next.report?.warnings == [words])
        }
    }

    @Test func `of another config are not read`() throws {
        let cursor = Bugsnag().play(try source(), poll()).report?.cursor
        let beta = try source(["release_stage": option(.text("beta"))])
        #expect(Bugsnag().play(beta, poll(cursor: cursor)).urls.count == 6)
    }

    @Test func `too many are cut, and said so`() throws {
        let many = (1...10).map { #"{"id": "\#($0)", "slug": "app-\#($0 + 10)"}"# }
        let served = Bugsnag(projects: answer("[\(many.joined(separator: ","))]"))
        let played = served.play(try source(), poll())
        #expect(Set(played.observations.map(\.subject.app)).count == 8)
        #expect(played.report?.warnings.first?.hasPrefix("the token can see 10 projects; only the first 8") == true)
    }

    @Test func `are visited from where the budget ended the last time`() throws {
        let three = answer(#"[{"id": "1", "slug": "a"}, {"id": "2", "slug": "b"}, {"id": "3", "slug": "c"}]"#)
        let source = try source(["errors": option(.flag(false))])
        /// Plays a poll with so many requests left; gives back the projects that it got.
        func play(_ budget: Int, _ cursor: JSON?) -> (seen: [String], cursor: JSON?, unread: Unread?) {
            var left = budget
            let played = PlayedPoll(source, poll(cursor: cursor, at: now + .minutes(5))) { request in
                let url = request.url.description
                left -= 1
                let headers = [(name: "X-RateLimit-Remaining", value: String(max(left, 0)))]
                if url.contains("/user/organizations") { return Bugsnag().organizations }
                if url.contains("/releases") { return answer(fixture: "releases.json", headers: headers) }
                if url.contains("/stability_trend") { return answer(fixture: "stability_trend.json", headers: headers) }
                return three
            }
            var seen: [String] = []
            for url in played.urls where url.contains("/stability_trend") {
                seen += ["a", "b", "c"].enumerated().filter { url.contains("/projects/\($0.offset + 1)/") }.map(
                    \.element)
            }
            return (seen, played.report?.cursor, played.report?.unread)
        }
        let first = play(2 + 3, nil)
        #expect(first.seen == ["a", "b"])
        #expect(first.unread == .apps(["b", "c"]))
        // The releases of b were not had.
        let second = play(4, first.cursor)
        #expect(second.seen == ["b", "c"])
        let third = play(100, second.cursor)
        #expect(third.seen == ["a", "b", "c"])
        #expect(third.unread == .nothing)
        #expect(play(100, third.cursor).seen == ["a", "b", "c"])
        // One that needs more than there ever is does not keep the others from their turn.
        let short = play(1, third.cursor)
        #expect(short.seen == ["a"])
        #expect(play(1, short.cursor).seen == ["b"])
        // Nor does one without any figures, of which nothing but the failure is left.
        let quiet = PlayedPoll(source, poll(cursor: third.cursor, at: now + .minutes(10))) { _ in
            answer(
                fixture: "stability_trend_no_sessions.json", headers: [(name: "X-RateLimit-Remaining", value: "0")])
        }
        #expect(quiet.failure?.reason == .rateLimited)
        #expect(play(1, quiet.report?.cursor).seen == ["b"])
    }

    @Test func `that are refused leave the others alone`() throws {
        let two = answer(#"[{"id": "1", "slug": "hidden"}, {"id": "2", "slug": "wallet"}]"#)
        let played = PlayedPoll(try source(), poll()) { request in
            request.url.description.contains("/projects/1/")
                ? answer(fixture: "error_404.json", status: 404) : Bugsnag(projects: two).respond(to: request)
        }
        #expect(Set(played.observations.map(\.subject.app)) == ["wallet"])
        #expect(played.report?.unread == .apps(["hidden"]))
        #expect(
            played.report?.warnings.first?.hasPrefix("stability of hidden: the source answered 404: Project not")
                == true)
    }
}

@Suite struct `Options of a bugsnag source` {
    @Test func `a token is enough`() throws {
        let source = try source()
        #expect(source.host == "api.bugsnag.com")
        #expect(source.metrics?.count == 6)
        #expect(source.givesIssues == true)
        #expect(source.configured("app") == nil)
    }

    @Test func `every mistake is reported at once`() {
        do {
            _ = try source([
                "url": option(.text("https://x.example?y=1")), "token": option(.text(" ")),
                "projects": list("a", "", "c", "d", "e", "f", "g", "h", "i"), "release_stage": option(.text(" ")),
            ])
            Testing.Issue.record("the options were taken")
        } catch {
            #expect(
                error.problems.map(\.message) == [
                    "'url' is not an address of a server such as https://api.bugsnag.com", "'token' is empty",
                    "'release_stage' is empty", "9 projects, but at most 8 can be asked for",
                    "an empty name in 'projects'",
                ])
            #expect(error.problems.allSatisfy { $0.position == place })
        }
    }
}

@Suite struct `What owners of Bugsnag's projects aim at` {
    private func project(_ aims: String) -> FetchResult {
        answer(#"[{"id": "5f1b00000000000000000010", "slug": "wallet-android", "name": "W"\#(aims)}]"#)
    }

    @Test(arguments: [
        (
            #", "stability_target_type": "user", "target_stability": {"value": 0.9995}, "critical_stability": {"value": 0.999}"#,
            ServiceLimit(
                app: "wallet-android", metric: .crashFreeUsers, warning: 0.9995, critical: 0.999, service: "Bugsnag")
        ),
        (
            #", "stability_target_type": "session", "critical_stability": {"value": 0.99}"#,
            ServiceLimit(
                app: "wallet-android", metric: .crashFreeSessions, warning: nil, critical: 0.99, service: "Bugsnag")
        ), ("", nil), (#", "target_stability": null, "critical_stability": {}"#, nil),
    ]) func `is remembered for whoever asks for limits`(_ aims: String, _ limit: ServiceLimit?) throws {
        let source = try source()
        let played = Bugsnag(projects: project(aims)).play(source, poll())
        let cursor = try #require(played.report?.cursor)
        #expect(source.limits(in: cursor) == [limit].compactMap(\.self))
        // The next poll does not ask for projects, and keeps it.
        let next = Bugsnag().play(source, poll(cursor: cursor, at: now + .minutes(5))).report?.cursor
        #expect(source.limits(in: next) == [limit].compactMap(\.self))
        let other = try BugsnagSourceTests.source(["release_stage": option(.text("beta"))])
        #expect(other.limits(in: cursor) == [], "another config's projects")
    }

    @Test func `is told in words that no terminal takes for commands, whatever the project is called`() throws {
        let aims = #", "stability_target_type": "user", "target_stability": {"value": 0.99}"#
        let wild = answer(#"[{"id": "1", "slug": "\u202Ea\u0007\nb"\#(aims)}]"#)
        let played = Bugsnag(projects: wild, trend: answer("{}")).play(try source(), poll())
        #expect(played.report?.notes == ["a b: Bugsnag has for crash-free users: target 99%"])
        #expect(played.report?.missing?.description.hasPrefix("stability of a b: the answer is not what") == true)
    }

    @Test func `is nothing before the first poll, or in what something else left`() throws {
        for cursor: JSON? in [nil, .null, 42, [:], ["projects": 1, "aims": []]] {
            #expect(try source().limits(in: cursor) == [])
        }
        let mistake = Bugsnag(projects: project(#", "target_stability": {"value": 99.95}"#)).play(try source(), poll())
        #expect(mistake.failure?.description.contains("target_stability.value: expected a fraction") == true)
    }
}
