import PluginKit
import PluginTesting
import RollbarSource
import SourceKit
import Testing

@Suite struct `Items from Rollbar` {
    private func items(_ count: Int, of total: Int?, from first: Int = 1) -> FetchResult {
        let items = (first..<(first + count)).map { #"{"counter": \#($0), "title": "T", "environment": "production"}"# }
        let told = total.map { #", "total_count": \#($0)"# } ?? ""
        return answer(#"{"err": 0, "result": {"items": [\#(items.joined(separator: ", "))]\#(told)}}"#)
    }

    @Test func `the source conforms`() throws {
        for values: [String: Option] in [[:], ["environments": list("production", "beta")]] {
            let conformance = SourceConformance(try source(values), poll: poll(), secrets: [token]) { _ in
                answer(fixture: "items.json")
            }
            #expect(conformance.violations() == [])
        }
    }

    @Test func `items hang on the environment that they name, with how they stand`() throws {
        let played = PlayedPoll(try source(), poll(.hours(1), .days(7))) { _ in answer(fixture: "items.json") }
        #expect(played.urls == ["https://api.rollbar.com/api/1/items/?status=active&page=1"])
        #expect(played.requests.first?.headers.first?.value.reveal() == token)
        let production = try #require(played.observation("production"))
        #expect(production.subject == Subject(source: "mobile", app: "wallet", environment: "production"))
        #expect(production.metrics.isEmpty)
        #expect(production.span == TimeSpan(lasting: .hours(1), until: now))
        #expect(production.issues.map(\.id) == ["#4411", "#4398"])
        // It was resolved, and has been active since.
        #expect(production.issues.map(\.status) == ["active", "reopened"])
        #expect(production.issues.map(\.returned) == [nil, Moment(unixSeconds: 1_795_197_600)])
        let first = try #require(production.issues.first)
        #expect(first.title == "NullPointerException: Attempt to read from field on a null object")
        #expect(first.firstSeen == Moment(unixSeconds: 1_795_197_851))
        #expect(first.lastSeen == Moment(unixSeconds: 1_795_219_120))
        // 1,287 occurrences are those of its whole life.
        #expect(first.events == nil)
        #expect(first.users == nil)
        #expect(played.observation("beta")?.issues.map(\.id) == ["#4301"])
    }

    @Test func `one item that makes no sense is named and left out`() throws {
        let good = #"{"counter": 1, "title": "T", "environment": "production"}"#
        let played = PlayedPoll(try source(), poll()) { _ in
            answer(
                #"{"err": 0, "result": {"items": [\#(good), {"counter": "x", "title": "T"}], "total_count": 2}}"#)
        }
        #expect(played.urls.count == 1, "it counts as read")
        #expect(played.observation("production")?.issues.map(\.id) == ["#1"])
        #expect(played.report?.warnings.first?.hasPrefix("an item is left out: $.result.items[1].counter") == true)
        #expect(played.report?.missing?.description == played.report?.warnings.first)
    }

    @Test func `each environment is asked for by itself, page by page while there is more`() throws {
        let source = try source(["environments": list("production", "beta")])
        let played = PlayedPoll(source, poll()) { request in
            let url = request.url.description
            if url.contains("beta") { return items(0, of: 0) }
            return url.hasSuffix("page=1") ? items(100, of: 130) : items(30, of: 130, from: 101)
        }
        #expect(
            played.urls.map { $0.split(separator: "&").dropFirst().joined(separator: "&") } == [
                "environment=production&page=1", "environment=production&page=2", "environment=beta&page=1",
            ])
        #expect(played.observation("production")?.issues.count == Issue.countMax)
        let many = PlayedPoll(try RollbarSourceTests.source(), poll()) { _ in items(100, of: 1000) }
        #expect(many.urls.count == 3)
        #expect(many.report?.warnings == ["1,000 items are active; 300 are read"])
        #expect(PlayedPoll(source, poll()) { _ in items(0, of: 0) }.report?.outcome == .noData)
    }

    @Test func `a full page without a count of all is not taken for everything`() throws {
        let source = try source()
        let two = PlayedPoll(source, poll()) { request in
            request.url.description.hasSuffix("page=1") ? items(100, of: nil) : items(30, of: nil, from: 101)
        }
        #expect(two.urls.count == 2)
        #expect(two.report?.warnings == [])
        let many = PlayedPoll(source, poll()) { _ in items(100, of: nil) }
        #expect(many.urls.count == 3)
        #expect(many.report?.warnings == ["more than 300 items may be active; 300 are read"])
        #expect(PlayedPoll(source, poll()) { _ in items(99, of: nil) }.urls.count == 1)
    }

    @Test(
        arguments: [
            (["X-Rate-Limit-Remaining-Seconds": "40"], 40), ([:], 60), (["X-Rate-Limit-Remaining-Seconds": "soon"], 60),
            (["X-Rate-Limit-Remaining-Seconds": "1e300"], 3600),
            (["X-Rate-Limit-Remaining-Seconds": "40", "Retry-After": "90"], 90),
            (["X-Rate-Limit-Remaining-Seconds": "999999"], 3600),
        ] as [([String: String], Int64)]) func `a limit is kept until it is over`(
            _ headers: [String: String], _ seconds: Int64
        ) throws
    {
        let headers = headers.map { (name: $0.key, value: $0.value) }
        let refused = PlayedPoll(try source(), poll()) { _ in
            answer(#"{"err": 1, "message": "over limit"}"#, status: 429, headers: headers)
        }
        #expect(refused.failure?.reason == .rateLimited)
        #expect(refused.failure?.description == "items: the source answered 429: over limit")
        #expect(refused.failure?.retryAt == now + .seconds(seconds))
        // Used up by a good answer, it ends the questions before the server does.
        let spent = PlayedPoll(try RollbarSourceTests.source(["environments": list("production", "beta")]), poll()) {
            _ in
            answer(fixture: "items.json", headers: headers + [("X-Rate-Limit-Remaining", "0")])
        }
        #expect(spent.urls.count == 1)
        #expect(!spent.observations.isEmpty)
        #expect((spent.report?.notBefore ?? .earliest) > now)
    }

    @Test(arguments: [
        (
            answer(fixture: "error.json", status: 401),
            "items: the source answered 401: invalid access token (check 'token')"
        ),
        (
            answer(fixture: "error.json"),
            "$.err: expected 0, for an answer without an error (invalid access token), found 1"
        ),
        (answer("{}"), "$.err: expected a value"),
        (answer(#"{"err": 0, "result": []}"#), "$.result: expected an object"),
        (answer(#"{"err": 0, "result": {"items": [{"counter": -1}]}}"#), "items[0].counter: expected a count"),
        (
            answer(
                #"{"err": 0, "result": {"items": [{"counter": 1, "title": "x", "last_occurrence_timestamp": "x"}]}}"#),
            "last_occurrence_timestamp: expected a number"
        ),
        (
            answer(
                #"{"err": 0, "result": {"items": [{"counter": 1, "title": "x", "last_occurrence_timestamp": 1e300}]}}"#),
            "expected seconds since 1970"
        ),
    ]) func `what is not as it should be is a failure with its place`(_ result: FetchResult, _ words: String) throws {
        let failure = try #require(PlayedPoll(try source(), poll()) { _ in result }.failure)
        #expect(failure.description.contains(words), "\(failure)")
    }

    @Test func `what it cannot give is declared, and every mistake is reported at once`() throws {
        let source = try source()
        #expect(source.metrics == [])
        #expect(source.givesIssues == true)
        #expect(source.configured("app") == ["wallet"])
        #expect(source.configured("release") == [""])
        #expect(source.configured("environment") == nil)
        #expect(source.account != nil)
        do {
            _ = try RollbarSourceTests.source([
                "url": option(.text("nowhere")), "app": option(.text(" ")), "token": option(.text("")),
                "environments": list("a", ""),
            ])
            Testing.Issue.record("the options were taken")
        } catch {
            #expect(
                error.problems.map(\.message) == [
                    "'url' is not an address of a server such as https://api.rollbar.com", "'token' is empty",
                    "'app' is empty", "an empty name in 'environments'",
                ])
        }
    }
}

@Suite struct `Where people look at Rollbar` {
    @Test func `is not known: addresses hold the account's name, which a project's token does not tell`() throws {
        #expect(try source().dashboard == nil)
    }
}
