import BugsinkSource
import PluginKit
import PluginTesting
import SourceKit
import Testing

@Suite struct `Issues from Bugsink` {
    @Test func `the source conforms`() throws {
        for values: [String: Option] in [[:], ["projects": list("wallet")], ["projects": list("3", "shop")]] {
            let conformance = SourceConformance(
                try source(values), poll: poll(), secrets: [token], answer: Server().respond)
            #expect(conformance.violations() == [])
        }
    }

    @Test func `issues hang on their project, with how they stand and no count that says nothing of now`() throws {
        let played = Server().play(try source(), poll(.hours(1), .days(7)))
        #expect(played.observations.map(\.subject) == [Subject(source: "mobile", app: "wallet")])
        let app = try #require(played.observation("wallet"))
        #expect(app.metrics.isEmpty)
        #expect(app.span == TimeSpan(lasting: .hours(1), until: now))
        #expect(app.issues.map(\.id) == ["WALLET-12", "WALLET-4", "WALLET-1"])
        #expect(app.issues.map(\.status) == ["unresolved", "resolved", "muted"])
        let first = try #require(app.issues.first)
        #expect(first.title == "NullPointerException: Attempt to read from field on a null object")
        #expect(first.firstSeen == Moment(rfc3339: "2026-11-20T18:04:11Z"))
        #expect(first.lastSeen == Moment(rfc3339: "2026-11-20T23:58:40Z"))
        #expect(first.events == nil)
        #expect(
            first.url
                == "https://bugsink.example.com/issues/issue/0b9c2d1e-0000-4000-8000-000000000001/event/last/")
        #expect(app.issues.last?.title == "TimeoutException")
    }

    @Test(arguments: ["https://u:p@x.example", "http://[::1]:8000"])
    func `links lead to a server that others can reach, and in front of which nobody put a password`(
        _ address: String
    ) throws {
        let played = Server().play(try source(["url": option(.text(GuardedText(address)))]), poll())
        let issues = try #require(played.observation("wallet")?.issues)
        #expect(!issues.isEmpty && issues.allSatisfy { $0.url == nil })
    }

    @Test func `each project is asked for those that happened last`() throws {
        let first = Server().play(try source(), poll())
        #expect(
            first.requests.map(\.url.description) == [
                "https://bugsink.example.com/api/canonical/0/projects/",
                "https://bugsink.example.com/api/canonical/0/issues/?project=4&sort=last_seen&order=desc",
                "https://bugsink.example.com/api/canonical/0/issues/?project=3&sort=last_seen&order=desc",
            ])
        #expect(first.requests.allSatisfy { $0.headers.contains { $0.value.reveal() == "Bearer \(token)" } })
        let next = Server().play(try source(), poll(cursor: first.report?.cursor, at: now + .hours(23)))
        #expect(next.urls("projects").isEmpty, "projects are made rarely")
        #expect(next.urls("issues").count == 2)
        let one = Server().play(try source(["projects": list("wallet", "3")]), poll())
        #expect(one.urls("issues").count == 1, "a project that is named twice is asked for once")
    }

    @Test(arguments: [
        ("http://inner:8000/api/canonical/0/projects/?cursor=cD1TaG9w%3D", "cursor=cD1TaG9w%3D"),
        ("https://evil.example/?x=1&cursor=abc#cursor=no", "cursor=abc"),
    ]) func `the next page is asked of the same server, wherever its address leads`(_ next: String, _ cursor: String)
        throws
    {
        let played = PlayedPoll(try source(), poll()) { request in
            let url = request.url.description
            guard url.contains("/projects/"), !url.contains("cursor") else { return Server().respond(to: request) }
            return answer(#"{"next": "\#(next)", "previous": null, "results": [{"id": 9, "slug": "a"}]}"#)
        }
        #expect(
            played.urls("projects").last == "https://bugsink.example.com/api/canonical/0/projects/?\(cursor)")
        #expect(played.urls("issues").count == 3)
    }

    @Test(arguments: ["https://x.example/", "?cursor=", "?cursor=a b", "?cursor=\\u0000", "?cursor=é"])
    func `an address without a cursor is a failure with its place`(_ next: String) throws {
        let server = Server(projects: answer(#"{"next": "\#(next)", "results": []}"#))
        let failure = try #require(server.play(try source(), poll()).failure)
        #expect(failure.reason == .badAnswer)
        #expect(failure.description.contains("$.next: expected an address with a cursor"), "\(failure)")
    }

    @Test func `refusals keep the service's words and say what to do`() throws {
        let refused = Server(projects: answer(fixture: "error_401.json", status: 401)).play(try source(), poll())
        #expect(refused.failure?.reason == .unauthorized)
        #expect(
            refused.failure?.description
                == "projects: the source answered 401: Invalid Bearer token. (check 'token': 40 hexadecimal digits, "
                + "from Bugsink's page of tokens)")
        let field = Server(issues: answer(#"{"project": ["This field is required."]}"#, status: 400))
        #expect(
            field.play(try source(["projects": list("3")]), poll()).failure?.description
                .contains("400: project: This field is required.") == true)
    }

    @Test func `what a token with capabilities lacks is named, and ids do without the list of projects`() throws {
        let words = "This token does not grant the required capability: projects:read."
        let hidden = Server(projects: answer(#"{"detail": "\#(words)"}"#, status: 403))
        for values: [String: Option] in [[:], ["projects": list("shop")]] {
            let failure = hidden.play(try source(values), poll()).failure
            #expect(
                failure?.description
                    == "projects: the source answered 403: \(words) (a token with capabilities needs projects:read); "
                    + "or write ids in 'projects'")
        }
        let numbered = try #require(hidden.play(try source(["projects": list("3")]), poll()).report)
        #expect(numbered.notes.first?.hasSuffix("needs projects:read)") == true, "\(numbered.notes)")
        #expect(numbered.warnings == [], "it was set up so")
        let refused = Server(issues: answer(#"{"detail": "no"}"#, status: 403))
            .play(try source(["projects": list("3")]), poll())
        #expect(
            refused.failure?.description
                == "issues of wallet: the source answered 403: no (a token with capabilities needs issues:read)")
    }

    @Test func `a project that nobody sees fails with a guess`() throws {
        for name in ["walet", "99"] {
            let failure = try #require(Server().play(try source(["projects": list(name)]), poll()).failure)
            #expect(failure.reason == .notFound)
            #expect(failure.description.contains("no project '\(name)'"))
        }
    }

    @Test(arguments: ["shop-two", "99"])
    func `a project that was renamed or deleted leaves the others alone`(_ name: String) throws {
        let played = Server().play(try source(["projects": list(name, "wallet")]), poll())
        #expect(played.observation("wallet")?.issues.isEmpty == false)
        #expect(played.urls("issues").count == 1)
        let report = try #require(played.report)
        #expect(report.warnings.count == 1 && report.warnings.first == report.missing?.description)
        #expect(report.missing?.description.hasPrefix("the token can see no project '\(name)'") == true)
    }

    @Test func `a project behind the end of a list that is cut is named, and ids are asked for all the same`() throws {
        // It leads in a circle.
        let server = Server(projects: answer(#"{"next": "/?cursor=a", "results": [{"id": 3, "slug": "wallet"}]}"#))
        let words =
            "no project 'shop' is in what is read of the projects, and there are more than are read; "
            + "or write ids in 'projects'"
        let played = server.play(try source(["projects": list("shop", "wallet")]), poll())
        #expect(played.observation("wallet")?.issues.isEmpty == false)
        #expect(played.urls("projects").count == 2 && played.urls("issues").count == 1)
        #expect(played.report?.warnings == [words] && played.report?.missing?.description == words)
        let alone = try #require(server.play(try source(["projects": list("shop")]), poll()).failure)
        #expect(alone.reason == .notFound && alone.description == words)
        let numbered = server.play(try source(["projects": list("99", "wallet")]), poll())
        #expect(numbered.urls("issues").count == 2)
        #expect(numbered.report?.warnings == [])
    }

    @Test func `ids serve where the token may not list projects, and trouble with one leaves the others`() throws {
        let hidden = Server(projects: answer(#"{"detail": "no"}"#, status: 403))
            .play(try source(["projects": list("3")]), poll())
        #expect(hidden.observation("3")?.issues.count == 3)
        #expect(hidden.report?.notes.count == 1)
        let half = PlayedPoll(try source(), poll()) { request in
            request.url.description.contains("project=4")
                ? answer(#"{"detail": "no"}"#, status: 404) : Server().respond(to: request)
        }
        #expect(half.observation("wallet") != nil)
        #expect(half.report?.warnings.first?.hasPrefix("issues of shop: the source answered 404") == true)
    }

    @Test func `one issue that makes no sense is named and left out, and most of them are a failure`() throws {
        func issue(_ number: Int, _ seen: String = "2026-11-20T18:04:11Z") -> String {
            #"""
            {"id": "\#(number)", "calculated_type": "E", "is_resolved": false, "is_muted": false,
             "first_seen": "\#(seen)", "last_seen": "2026-11-20T23:58:40Z"}
            """#
        }
        func play(_ issues: String...) throws -> PlayedPoll {
            let list = issues.joined(separator: ", ")
            return Server(issues: answer(#"{"next": null, "results": [\#(list)]}"#)).play(try source(), poll())
        }
        let played = try play(issue(1), issue(2, "once"), issue(3))
        #expect(played.observation("wallet")?.issues.map(\.id) == ["1", "3"])
        let warning = try #require(played.report?.warnings.first)
        #expect(warning.hasPrefix("an issue of wallet is left out: $.results[1].first_seen: "), "\(warning)")
        #expect(played.report?.missing?.description == warning, "where it lasts people are to know")
        let failure = try #require(play(issue(1), issue(2, "once"), issue(3, "once")).failure)
        #expect(failure.description.hasPrefix("issues of wallet: the answer is not what was expected: "))
    }

    @Test func `one project that makes no sense is named and left out`() throws {
        let projects = [#"{"id": 3, "slug": "wallet"}"#, #"{"id": 4, "slug": ""}"#].joined(separator: ", ")
        let played = Server(projects: answer(#"{"next": null, "results": [\#(projects)]}"#))
            .play(try source(), poll())
        #expect(played.observation("wallet")?.issues.count == 3)
        #expect(played.report?.warnings.first?.hasPrefix("a project is left out: $.results[1].slug") == true)
    }

    @Test func `a server without projects is a failure, and more than are watched are named`() throws {
        let none = Server(projects: answer(#"{"next": null, "results": []}"#)).play(try source(), poll())
        #expect(none.failure?.reason == .forbidden)
        let many = (1...25).map { #"{"id": \#($0), "slug": "p\#($0)"}"# }.joined(separator: ", ")
        let played = Server(projects: answer(#"{"next": null, "results": [\#(many)]}"#)).play(try source(), poll())
        #expect(played.urls("issues").count == 20)
        #expect(played.report?.warnings.first?.hasPrefix("the server has 25 projects; only 20 are watched") == true)
    }

    @Test func `what it cannot give is declared, so that 'check' knows`() throws {
        let source = try source(["projects": list("wallet")])
        #expect(source.metrics == [])
        #expect(source.givesIssues == true)
        #expect(source.configured("release") == [""])
        #expect(source.configured("app") == ["wallet"])
        #expect(source.host == "bugsink.example.com")
        #expect(throws: ProblemList.self) { try BugsinkTestsOptions.wrong() }
    }
}

private enum BugsinkTestsOptions {
    static func wrong() throws { _ = try source(["url": option(.text("nowhere")), "token": option(.text(""))]) }
}

@Suite struct `Where people look at Bugsink` {
    @Test(arguments: [
        ("https://bugsink.example.com", [], "https://bugsink.example.com/"),
        ("https://x.example/bugs/api/canonical/0/", ["shop"], "https://x.example/bugs/"),
        ("https://x.example", ["3"], "https://x.example/issues/3/"),
        ("https://x.example", ["3", "4"], "https://x.example/"),
        ("https://u:p@x.example", ["3"], nil), ("http://[::1]:8000", [], nil),
    ]) func `the project's issues, or the first page`(_ url: String, _ projects: [String], _ page: String?) throws {
        let names = option(.list(projects.map { option(.text(GuardedText($0))) }))
        #expect(try source(["url": option(.text(GuardedText(url))), "projects": names]).dashboard == page)
    }

    @Test func `secrets stay secret`() throws {
        #expect(try source(["url": option(.text("https://\(Secret("s3cret")).example"))]).dashboard == nil)
    }
}
