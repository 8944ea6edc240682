import BugsnagSource
import PluginKit
import PluginTesting
import Testing

@Suite struct `Errors from Bugsnag` {
    @Test func `hang on the project's newest figures`() throws {
        let played = Bugsnag().play(try source(), poll())
        let holders = played.observations.filter { !$0.issues.isEmpty }
        #expect(holders.map(\.subject.release) == [nil])
        let error = try #require(holders.first?.issues.first)
        #expect(error.id == "6a0000000000000000000001")
        #expect(error.title == "java.lang.NullPointerException: Attempt to read from field on a null object")
        #expect(error.events == 1287)
        #expect(error.users == 903)
        #expect(error.firstSeen == Moment(rfc3339: "2026-11-20T18:04:11Z"))
        #expect(error.status == "open")
        #expect(error.url == "https://app.bugsnag.com/acme/wallet-android/errors/6a0000000000000000000001")
        // Not the first within what was asked for.
        #expect(holders.first?.issues.last?.firstSeen == Moment(rfc3339: "2026-03-14T12:00:00Z"))
    }

    @Test func `open ones of the stage are asked for, those with the most events first`() throws {
        let played = Bugsnag().play(try source(), poll(.minutes(30)))
        let asked = try #require(played.urls.first { $0.contains("/errors") })
        #expect(asked.hasPrefix("https://api.bugsnag.com/projects/5f1b00000000000000000010/errors?filters%5B"))
        #expect(
            asked.split { "?&".contains($0) }.dropFirst() == [
                "filters%5Bevent.since%5D%5B%5D%5Btype%5D=eq",
                "filters%5Bevent.since%5D%5B%5D%5Bvalue%5D=2026-11-20T22%3A59%3A30Z",
                "filters%5Berror.status%5D%5B%5D%5Btype%5D=eq", "filters%5Berror.status%5D%5B%5D%5Bvalue%5D=open",
                "filters%5Bapp.release_stage%5D%5B%5D%5Btype%5D=eq",
                "filters%5Bapp.release_stage%5D%5B%5D%5Bvalue%5D=production", "sort=events", "direction=desc",
                "per_page=30",
            ])
    }

    @Test func `pages are followed by their whole address`() throws {
        let played = PlayedPoll(try source(), poll()) { request in
            let url = request.url.description
            guard url.contains("/errors"), !url.contains("=fixed") else { return Bugsnag().respond(to: request) }
            return url.contains("offset=2")
                ? answer(#"[{"id": "3", "error_class": "E", "status": "open"}]"#)
                : answer(fixture: "errors.json", headers: headers(fixture: "headers_errors.json"))
        }
        #expect(
            played.urls.dropLast().last == "https://api.bugsnag.com/projects/5f1b00000000000000000010/errors"
                + "?base=2026-11-21T00%3A00%3A00Z&direction=desc&offset=2&per_page=2&sort=last_seen")
        #expect(played.observations.first { !$0.issues.isEmpty }?.issues.count == 3)
        #expect(played.requests.last?.headers.first?.value.reveal() == "token \(token)")
    }

    @Test func `one that makes no sense is named and left out`() throws {
        var served = Bugsnag()
        served.errors = answer(
            #"""
            [{"id": "1", "error_class": "E", "status": "open"}, {"id": "2", "error_class": null, "status": "open"},
             {"id": "3", "error_class": "F", "status": "open"}]
            """#)
        let played = served.play(try source(), poll())
        #expect(played.observations.first { !$0.issues.isEmpty }?.issues.map(\.id) == ["1", "3"])
        #expect(played.report?.warnings.count == 1)
        #expect(
            played.report?.warnings.first?.hasPrefix(
                "errors of wallet-android: an error is left out: $[1].error_class: expected a") == true)
        // A list of nothing but such is none.
        served.errors = answer(#"[{"id": "2", "error_class": null, "status": "open"}]"#)
        let senseless = served.play(try source(), poll())
        #expect(senseless.observations.allSatisfy { $0.issues.isEmpty })
        #expect(senseless.report?.missing?.reason == .badAnswer)
    }

    @Test(arguments: [
        "https://evil.example/errors?offset=2", "https://api.bugsnag.com.evil.example/x",
        "https://api.bugsnag.com@evil.example/",
        "http://api.bugsnag.com/projects", "/projects/1/errors?offset=2", "https://api.bugsnag.com:8443/x",
        "javascript:1", "",
    ]) func `the token goes nowhere else`(_ next: String) throws {
        var served = Bugsnag()
        served.errors = answer(fixture: "errors.json", headers: [("Link", "<\(next)>; rel=\"next\"")])
        let played = served.play(try source(), poll())
        #expect(played.urls.filter { $0.contains("/errors") && !$0.contains("=fixed") }.count == 1)
        #expect(played.requests.allSatisfy { $0.url.reveal().hasPrefix("https://api.bugsnag.com/") })
        #expect(next.isEmpty || played.report?.warnings.first?.contains("on another server") == true)
        // The figures, and what was read of the errors, stand.
        #expect(played.observations.first { !$0.issues.isEmpty }?.issues.count == 2)
    }

    @Test func `a list without end is left`() throws {
        var asked = 0
        let played = PlayedPoll(try source(), poll()) { request in
            let url = request.url.description
            guard url.contains("/errors"), !url.contains("=fixed") else { return Bugsnag().respond(to: request) }
            asked += 1
            return answer(
                fixture: "errors.json",
                headers: [("link", "<https://api.bugsnag.com/projects/1/errors?offset=\(asked)>; rel=\"next\"")])
        }
        #expect(asked == 4)
        #expect(
            played.urls.filter { $0.contains("/errors") && !$0.contains("=fixed") }.last?.contains("sort=first_seen")
                == true)
        #expect(played.observations.first { !$0.issues.isEmpty }?.issues.count == 2)
    }

    @Test func `new ones are named however few events they had`() throws {
        func errors(_ ids: some Sequence<Int>, events: Int) -> String {
            let list = ids.map { #"{"id": "\#($0)", "error_class": "E", "status": "open", "events": \#(events)}"# }
            return "[\(list.joined(separator: ","))]"
        }
        var pages = 0
        let played = PlayedPoll(try source(), poll()) { request in
            let url = request.url.description
            guard url.contains("/errors") else { return Bugsnag().respond(to: request) }
            if url.contains("=fixed") {
                let fixed = errors(900..<930, events: 1).replacing("open", with: "fixed")
                return answer(fixed)
            }
            // Some of the newest are among those with the most events, too: the first, and the last of them.
            if url.contains("sort=first_seen") { return answer(errors([0, 89] + (500..<528), events: 1)) }
            pages += 1
            return answer(
                errors((pages - 1) * 30..<pages * 30, events: 1000 - pages),
                headers: [("link", "<https://api.bugsnag.com/projects/1/errors?offset=\(pages)>; rel=\"next\"")])
        }
        #expect(pages == 3)
        let issues = played.observations.first { !$0.issues.isEmpty }?.issues ?? []
        let ids = issues.map(\.id)
        #expect(ids.count <= Issue.countMax)
        #expect(Set(ids).count == ids.count)
        #expect(ids.prefix(40) == (0..<40).map(String.init)[...])
        #expect(Set((500..<528).map(String.init) + ["0", "89"]).isSubset(of: ids))
        #expect(issues.count { $0.status == "fixed" } == 30)
        #expect(
            played.report?.notes.contains(
                "wallet-android: more than 90 open errors; those with the most events and the newest are read") == true)
        #expect(played.report?.warnings == [])
    }

    @Test func `of what is too much for one answer a shorter time is asked for`() throws {
        func play(_ cursor: JSON? = nil, at moment: Moment = now, fits: String) throws -> PlayedPoll {
            PlayedPoll(try source(), poll(cursor: cursor, at: moment)) { request in
                let url = request.url.description
                guard url.contains("=fixed") else { return Bugsnag().respond(to: request) }
                guard !fits.isEmpty, url.contains(fits) else { return answer(fixture: "error_422.json", status: 422) }
                return answer(#"[{"id": "f1", "error_class": "E", "status": "fixed"}]"#)
            }
        }
        let week = try play(fits: "2026-11-13T")
        #expect(week.urls.count { $0.contains("=fixed") } == 2)
        #expect(week.observations.flatMap(\.issues).contains { $0.id == "f1" })
        #expect(week.report?.warnings == [])
        #expect(
            week.report?.notes.last
                == "fixed errors of wallet-android: too many in 30 d for one answer; those of 7 d are asked for")
        // Where not even a day fits, it is asked for again in an hour, and not at the next poll.
        let none = try play(fits: "")
        #expect(none.urls.count { $0.contains("=fixed") } == 3)
        #expect(none.report?.warnings.count == 1)
        let soon = try play(none.report?.cursor, at: now + .minutes(5), fits: "")
        #expect(!soon.urls.contains { $0.contains("=fixed") })
        #expect(try play(none.report?.cursor, at: now + .hours(1), fits: "").urls.contains { $0.contains("=fixed") })
        // So it is with open ones.
        let open = PlayedPoll(try source(), poll(.days(7))) { request in
            let url = request.url.description
            let isCrowded = url.contains("/errors") && url.contains("2026-11-13T")
            return isCrowded ? answer(fixture: "error_422.json", status: 422) : Bugsnag().respond(to: request)
        }
        #expect(open.observations.first { !$0.issues.isEmpty }?.issues.count == 2)
    }

    @Test func `fixed ones are named once an hour, so that one that comes back is known to have been fixed`() throws {
        let source = try source()
        var served = Bugsnag()
        served.fixed = answer(
            #"""
            [{"id": "f1", "error_class": "E", "status": "fixed", "events": 900, "users": 90,
              "first_seen_unfiltered": "2026-10-01T00:00:00Z", "last_seen_unfiltered": "2026-11-02T00:00:00Z"},
             {"id": "6a0000000000000000000001", "error_class": "E", "status": "fixed", "events": 1, "users": 1}]
            """#)
        let first = served.play(source, poll())
        let asked = first.urls.filter { $0.contains("=fixed") }
        #expect(asked.count == 1)
        #expect(asked.first?.contains("2026-10-21T23%3A59%3A30Z") == true, "those of thirty days")
        #expect(asked.first?.contains("&sort=last_seen&") == true)
        let issues = first.observations.first { !$0.issues.isEmpty }?.issues ?? []
        #expect(issues.map(\.status) == ["open", "open", "fixed"], "what is open in the one list is not fixed")
        // What it had in thirty days is not what it had in the last hour.
        #expect(issues.last?.events == nil)
        #expect(issues.last?.users == nil)
        let cursor = first.report?.cursor
        let soon = served.play(source, poll(cursor: cursor, at: now + .minutes(59)))
        #expect(!soon.urls.contains { $0.contains("=fixed") })
        let later = served.play(source, poll(cursor: cursor, at: now + .minutes(60)))
        #expect(later.urls.count { $0.contains("=fixed") } == 1)
        served.fixed = answer("no", status: 502)
        let failing = served.play(source, poll())
        #expect(failing.report?.warnings == ["fixed errors of wallet-android: the source answered 502: no"])
        let again = served.play(source, poll(cursor: failing.report?.cursor, at: now + .minutes(5)))
        #expect(again.urls.contains { $0.contains("=fixed") }, "what was not had is asked for again")
    }

    @Test func `can be left out, and hosts of one's own have no known dashboard`() throws {
        let spare = try source(["errors": option(.flag(false))])
        #expect(Bugsnag().play(spare, poll()).urls.allSatisfy { !$0.contains("/errors") })
        let own = try source(["url": option(.text("https://bugsnag.acme.example/api/"))])
        let played = Bugsnag().play(own, poll())
        #expect(played.urls.first == "https://bugsnag.acme.example/api/user/organizations?per_page=30")
        #expect(played.observations.first { !$0.issues.isEmpty }?.issues.first?.url == nil)
    }
}

@Suite struct `Trouble with Bugsnag` {
    @Test func `the source conforms`() throws {
        for values: [String: Option] in [[:], ["projects": list("wallet-android"), "errors": option(.flag(false))]] {
            let conformance = SourceConformance(
                try source(values), poll: poll(.hours(1), .hours(24)), secrets: [token], answer: Bugsnag().respond)
            #expect(conformance.violations() == [])
        }
    }

    @Test(arguments: [
        (401, "error_401.json", PollFailure.Reason.unauthorized, "401: Authentication required (check 'token')"),
        (
            404, "error_404.json", .notFound,
            "404: Project not found (check 'url'; organizations of app.bugsnag.smartbear"
        ),
        (422, "error_422.json", .tooLarge, "422: Unable to return complete results (there is too much of it for one"),
        (429, "error_429.json", .rateLimited, "429: Rate limit exceeded"),
    ]) func `errors keep the service's words`(
        _ status: Int, _ name: String, _ reason: PollFailure.Reason, _ words: String
    ) throws {
        let refused = answer(fixture: name, status: status)
        for served in [Bugsnag(organizations: refused), Bugsnag(projects: refused), Bugsnag(trend: refused)] {
            let played = served.play(try source(), poll())
            // Days that are refused cost only themselves.
            let failure = try #require(played.failure ?? played.report?.missing)
            #expect(failure.reason == reason)
            #expect(failure.description.contains(words), "\(failure)")
            #expect(reason != .rateLimited || failure.retryAt == now + .minutes(1))
        }
    }

    @Test func `a wait that is told is kept`() throws {
        let busy = answer(fixture: "error_429.json", status: 429, headers: headers(fixture: "headers_429.json"))
        #expect(Bugsnag(trend: busy).play(try source(), poll()).failure?.retryAt == now + .seconds(23))
        let played = Bugsnag(errors: busy).play(try source(), poll())
        #expect(!played.observations.isEmpty)
        #expect(played.report?.notBefore == now + .seconds(23))
    }

    @Test func `a budget that is used up ends the questions before the server does`() throws {
        let spent = [(name: "X-RateLimit-Remaining", value: "0")]
        var served = Bugsnag()
        served.trend = answer(fixture: "stability_trend.json", headers: spent)
        let played = served.play(try source(), poll())
        #expect(played.urls.count == 3)
        #expect(!played.observations.isEmpty)
        #expect(played.report?.notBefore == now + .minutes(1))
        // Half a list of releases would make the rest look as if nobody used them.
        served = Bugsnag()
        let next = [(name: "Link", value: "<https://api.bugsnag.com/projects/1/releases?offset=10>; rel=\"next\"")]
        served.releases = answer(fixture: "releases.json", headers: spent + next)
        let cut = served.play(try source(), poll())
        #expect(cut.step("5.4.0 (5401)") == nil)
        #expect(cut.report?.cursor?["counts"] == [:])
    }

    @Test func `a page that took the last request keeps its errors`() throws {
        let next = "<https://api.bugsnag.com/projects/1/errors?offset=30>; rel=\"next\""
        let headers = [(name: "X-RateLimit-Remaining", value: "0"), (name: "Link", value: next)]
        let open = Bugsnag(errors: answer(fixture: "errors.json", headers: headers)).play(try source(), poll())
        #expect(open.observations.first { !$0.issues.isEmpty }?.issues.count == 2)
        #expect(open.report?.notBefore == now + .minutes(1))
        #expect(
            open.report?.warnings.first
                == "errors of wallet-android: Bugsnag allows no more requests until \(now + .minutes(1))")
        // Of those that were fixed one page is all that is wanted, so nothing is missing.
        let list = #"[{"id": "f1", "error_class": "E", "status": "fixed"}]"#
        let fixed = Bugsnag(fixed: answer(list, headers: headers)).play(try source(), poll())
        #expect(fixed.observations.flatMap(\.issues).contains { $0.id == "f1" })
        #expect(fixed.report?.warnings == [])
        #expect(fixed.report?.notBefore == now + .minutes(1))
    }
}

@Suite struct `Where people look at Bugsnag` {
    @Test(arguments: [
        ("https://api.bugsnag.com", "acme", "https://app.bugsnag.com/acme/{app}"),
        ("https://api.bugsnag.smartbear.com/", "acme-1", "https://app.bugsnag.smartbear.com/acme-1/{app}"),
        // An id, a name, nothing, and a server of one's own.
        ("https://api.bugsnag.com", "515fb9337c1074f6fd000001", nil),
        ("https://api.bugsnag.com", "Acme Ltd/{app}", nil),
        ("https://api.bugsnag.com", nil, nil), ("https://bugsnag.acme.example/api", "acme", nil),
        ("https://u:p@api.bugsnag.com", "acme", "https://app.bugsnag.com/acme/{app}"),
    ]) func `the project's page`(_ url: String, _ organization: String?, _ page: String?) throws {
        var values = ["url": option(.text(GuardedText(url)))]
        values["organization"] = organization.map { option(.text(GuardedText($0))) }
        #expect(try source(values).dashboard == page)
    }
}
