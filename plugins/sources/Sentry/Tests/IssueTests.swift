import PluginKit
import PluginTesting
import Testing

@Suite struct `Issues from Sentry` {
    private static let cut =
        "more than 300 unresolved issues since 2026-11-20T22:00:00Z: those with the most events, the newest and what is "
        + "back are read"

    @Test func `issues hang on their app, crashes first`() throws {
        let played = Server().play(try source(), poll(.hours(1)))
        let app = try #require(played.observation("wallet-android"))
        let first = try #require(app.issues.first { $0.id == "WALLET-ANDROID-4F2" })
        #expect(first.title == "NullPointerException: Attempt to read from field on a null object")
        #expect(first.events == 1287)
        #expect(first.users == 903)
        #expect(first.firstSeen == Moment(rfc3339: "2026-11-20T18:04:11.203Z"))
        #expect(first.lastSeen == Moment(rfc3339: "2026-11-20T23:58:40Z"))
        #expect(first.status == "new")
        #expect(first.url == "https://acme.sentry.io/issues/6100000101/")
        #expect(app.issues.map(\.id) == ["WALLET-ANDROID-1C", "WALLET-ANDROID-4F2", "WALLET-ANDROID-3AA"])
        #expect(played.observations.filter { $0.subject.release != nil }.allSatisfy { $0.issues.isEmpty })
        #expect(app.issues.allSatisfy { $0.id.hasPrefix("WALLET-ANDROID") })
    }

    @Test func `unresolved ones of the shortest window are asked for, by the number of events`() throws {
        let played = Server().play(try source(), poll(.hours(1), .days(7)))
        #expect(
            played.urls("issues") == [
                "https://sentry.io/api/0/organizations/acme/issues/?project=-1"
                    + "&start=2026-11-20T22%3A00%3A00Z&end=2026-11-20T23%3A59%3A30Z"
                    + "&query=is%3Aunresolved&sort=freq&limit=100&groupStatsPeriod=&expand=inbox"
            ])
    }

    @Test(
        arguments: [
            (#"{"reason": 2, "reason_details": null, "date_added": "2026-11-20T21:04:11.203Z"}"#, true),
            (#"{"reason": 0, "reason_details": null, "date_added": "2026-11-20T21:04:11.203Z"}"#, false),
            (#"{"reason": 2, "date_added": "soon"}"#, false), (#"{"reason": []}"#, false), ("null", false),
            ("true", false),
        ])
    func `an issue that is before people for review as a regression came back when it was put there`(
        _ inbox: String, _ isKnown: Bool
    ) throws {
        var server = Server()
        server.issues = answer(
            #"""
            [{"id": "1", "shortId": "A-1", "title": "T", "substatus": "regressed", "inbox": \#(inbox),
              "project": {"slug": "wallet-ios"}}]
            """#)
        let played = server.play(try source(), poll(.hours(1)))
        let issue = try #require(played.observation("wallet-ios")?.issues.first)
        #expect(issue.returned == (isKnown ? Moment(rfc3339: "2026-11-20T21:04:11.203Z") : nil))
        #expect(played.report?.warnings == [])
    }

    @Test func `pages are followed while there are results, by the cursor alone`() throws {
        let played = PlayedPoll(try source(), poll(.hours(1))) { request in
            let url = request.url.description
            guard url.contains("/issues/") else { return Server().respond(to: request) }
            return url.contains("cursor=")
                ? answer(fixture: "issues_page2.json", headers: headers(fixture: "headers_issues_last_page.json"))
                : answer(fixture: "issues_page1.json", headers: headers(fixture: "headers_issues_page1.json"))
        }
        let urls = played.urls("issues")
        #expect(urls.count == 2)
        #expect(urls.last == (urls.first ?? "") + "&cursor=0%3A3%3A0")
        #expect(played.observation("wallet-ios")?.issues.map(\.id) == ["WALLET-IOS-77"])
        // The last answer said that the budget is used up until 2026-11-21T00:00:05Z.
        #expect(played.report?.notBefore == Moment(rfc3339: "2026-11-21T00:00:05Z"))
    }

    /// At the top Sentry says when it was first seen within the window.
    @Test func `an old issue that is seen again is as old as it is`() throws {
        let played = PlayedPoll(try source(), poll(.hours(1))) { Server().respond(to: $0) }
        let issues = played.observation("wallet-android")?.issues ?? []
        let seen = issues.first { $0.id == "WALLET-ANDROID-3AA" }?.firstSeen
        #expect(seen == Moment(rfc3339: "2026-07-02T09:11:00Z"))
    }

    @Test func `a next page without results is not asked for`() throws {
        var server = Server()
        server.issues = answer(fixture: "issues_page1.json", headers: [("Link", link("0:3:0", results: false))])
        #expect(server.play(try source(), poll(.hours(1))).urls("issues").count == 1)
    }

    @Test func `a list without end is left after three pages, a look for what is back and one for what is new`() throws
    {
        var asked = 0
        let played = PlayedPoll(try source(), poll(.hours(1))) { request in
            guard request.url.description.contains("/issues/") else { return Server().respond(to: request) }
            asked += 1
            return answer(fixture: "issues_page1.json", headers: [("link", link("0:\(asked):0"))])
        }
        #expect(asked == 5)
        let more = played.urls("issues").suffix(2)
        #expect(more.first?.contains("query=is%3Aregressed&sort=freq&limit=100&") == true)
        #expect(more.last?.contains("query=is%3Aunresolved&sort=new&limit=100&") == true)
        #expect(!more.contains { $0.contains("cursor=") })
        #expect(played.report?.warnings == [Self.cut])
        #expect(played.requests.allSatisfy { !$0.url.description.contains("evil.example") })
        let ids = played.observation("wallet-android")?.issues.map(\.id) ?? []
        #expect(Set(ids).count == ids.count, "the same issue on three pages counts once")
    }

    @Test(arguments: [
        answer(fixture: "error_403.json", status: 403), answer("<html>"), answer(#"[{"id": 1}]"#), answer("{}"),
        .failed(TransportError(.timeout, mayHaveArrived: true, "it took too long")),
    ]) func `trouble with issues leaves the figures alone`(_ trouble: FetchResult) throws {
        var server = Server()
        server.issues = trouble
        let played = server.play(try source(), poll(.hours(1)))
        #expect(played.observation("wallet-android")?.metrics["sessions"] == 1000)
        #expect(played.report?.warnings.count == 1)
        #expect(played.report?.warnings.first?.hasPrefix("issues: ") ?? false)
        #expect(played.report?.missing?.description.hasPrefix("issues: ") == true)
    }

    @Test func `one issue that makes no sense is named and left out`() throws {
        var server = Server()
        server.issues = answer(
            #"""
            [{"id": "1", "shortId": "A-1", "title": "T", "project": {"slug": "wallet-ios"}},
             {"id": "2", "shortId": "A-2", "title": "T", "count": "many", "project": {"slug": "wallet-ios"}},
             {"id": "3", "shortId": "A-3", "title": "T", "project": {"slug": "wallet-ios"}}]
            """#)
        let played = server.play(try source(), poll(.hours(1)))
        #expect(played.observation("wallet-ios")?.issues.map(\.id) == ["A-1", "A-3"])
        #expect(
            played.report?.warnings == [
                "an issue is left out: $[1].count: expected a count in digits, found the string \"many\""
            ])
        #expect(played.report?.missing == nil)
    }

    @Test func `what is not an error is passed over, and hostile words stay words`() throws {
        var server = Server()
        server.issues = answer(
            #"""
            [{"id": "1", "shortId": "A-1", "title": "", "issueCategory": "db_query", "project": {"slug": "wallet-ios"}},
             {"id": "2", "shortId": "A-2", "title": "T\u202E", "count": 7, "permalink": "javascript:alert(1)",
              "level": "fatal", "substatus": null, "status": "unresolved", "project": {"slug": "wallet-ios"}}]
            """#)
        let issues = server.play(try source(), poll(.hours(1))).observation("wallet-ios")?.issues ?? []
        #expect(issues.map(\.id) == ["A-2"])
        #expect(issues.first?.url == nil)
        #expect(issues.first?.events == 7)
        #expect(issues.first?.status == "unresolved")
    }

    @Test func `a crash comes before an error that was only reported, however many of those there are`() throws {
        var server = Server()
        server.issues = answer(
            #"""
            [{"id": "1", "shortId": "A-1", "title": "", "count": "90", "isUnhandled": false, "project": {"slug": "a"}},
             {"id": "2", "shortId": "A-2", "title": "y", "count": "3", "isUnhandled": true, "project": {"slug": "a"}}]
            """#)
        #expect(server.play(try source(), poll(.hours(1))).observation("a")?.issues.map(\.id) == ["A-2", "A-1"])
    }

    @Test func `each environment has its own issues`() throws {
        let played = PlayedPoll(try source(["environments": list("beta", "production")]), poll(.hours(1))) { request in
            let url = request.url.description
            guard url.contains("/issues/") else { return Server().respond(to: request) }
            return answer(fixture: url.contains("environment=beta") ? "issues_page2.json" : "issues_empty.json")
        }
        #expect(played.urls("issues").count == 2)
        let withIssues = played.observations.filter { !$0.issues.isEmpty }
        #expect(withIssues.map(\.subject.environment) == ["beta"])
    }

    @Test(arguments: [
        (answer(fixture: "issues_page2.json"), [String]()),
        (answer(fixture: "error_400.json", status: 400), []),
        (answer("<html>", status: 502), ["issues: the source answered 502: <html>"]),
    ]) func `what is back is looked for behind the last page that is read`(_ back: FetchResult, _ warnings: [String])
        throws
    {
        var asked = 0
        let played = PlayedPoll(try source(), poll(.hours(1))) { request in
            let url = request.url.description
            guard url.contains("/issues/") else { return Server().respond(to: request) }
            if url.contains("is%3Aregressed") { return back }
            if url.contains("sort=new") { return answer(fixture: "issues_empty.json") }
            asked += 1
            return answer(fixture: "issues_page1.json", headers: [("link", link("0:\(asked):0"))])
        }
        #expect(played.observation("wallet-android")?.issues.isEmpty == false)
        #expect(played.report?.warnings == [Self.cut] + warnings, "a server from before regressions refuses to say")
        let isThere = played.observation("wallet-ios")?.issues.map(\.id) == ["WALLET-IOS-77"]
        #expect(isThere == back.isGood)
    }

    @Test func `what is new is looked for behind the last page that is read`() throws {
        var asked = 0
        let played = PlayedPoll(try source(["environments": list("beta")]), poll(.hours(1))) { request in
            let url = request.url.description
            guard url.contains("/issues/") else { return Server().respond(to: request) }
            if url.contains("is%3Aregressed") { return answer(fixture: "issues_empty.json") }
            if url.contains("sort=new") { return answer(fixture: "issues_page2.json") }
            asked += 1
            return answer(fixture: "issues_page1.json", headers: [("link", link("0:\(asked):0"))])
        }
        #expect(played.urls("issues").allSatisfy { $0.contains("environment=beta") })
        #expect(played.observations.flatMap(\.issues).map(\.id).contains("WALLET-IOS-77"))
        #expect(played.report?.warnings.first?.hasPrefix("more than 300 unresolved issues of beta since ") == true)
    }

    @Test func `where there are too many of an app, those of which there is news stay`() throws {
        let many = (1...150).map { number in
            let status = number == 150 ? "regressed" : "ongoing"
            return """
                {"id": "\(number)", "shortId": "A-\(number)", "title": "", "count": "\(1000 - number)",
                 "substatus": "\(status)", "project": {"slug": "a"}}
                """
        }
        var server = Server()
        server.issues = answer("[\(many.joined(separator: ", "))]")
        let issues = server.play(try source(), poll(.hours(1))).observation("a")?.issues ?? []
        #expect(issues.count == Issue.countMax)
        #expect(issues.last?.id == "A-150")
        #expect(issues.first?.id == "A-1")
    }

    @Test func `where there are too many of an app, the newest stay however rare they are`() throws {
        // All of them are news for a week, and those of today have had few events yet.
        let many = (1...150).map { number in
            """
            {"id": "\(number)", "shortId": "A-\(number)", "title": "", "count": "\(1000 - number)", "substatus": "new",
             "firstSeen": "2026-11-\(number > 145 ? "20" : "15")T12:00:00Z", "project": {"slug": "a"}}
            """
        }
        var server = Server()
        server.issues = answer("[\(many.joined(separator: ", "))]")
        let ids = server.play(try source(), poll(.hours(1))).observation("a")?.issues.map(\.id) ?? []
        #expect(ids.count == Issue.countMax)
        #expect(ids.first == "A-1", "the worst come first all the same")
        #expect(ids.suffix(5) == ["A-146", "A-147", "A-148", "A-149", "A-150"])
    }

    @Test func `issues can be left out`() throws {
        let played = Server().play(try source(["issues": option(.flag(false))]), poll(.hours(1)))
        #expect(played.urls("issues").isEmpty)
        #expect(!played.observations.isEmpty)
    }
}

extension FetchResult {
    var isGood: Bool { if case .answered(let response) = self { response.isSuccess } else { false } }
}
