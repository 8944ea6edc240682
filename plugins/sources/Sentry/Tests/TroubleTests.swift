import PluginKit
import PluginTesting
import Testing

@Suite struct `Trouble with Sentry` {
    @Test func `the source conforms`() throws {
        for values: [String: Option] in [
            [:], ["projects": list("wallet-ios"), "environments": list("production", "beta")],
            ["issues": option(.flag(false))], ["group_by": list([])],
        ] {
            let conformance = SourceConformance(
                try source(values), poll: poll(.hours(1), .hours(24)), secrets: [token], answer: Server().respond)
            #expect(conformance.violations() == [])
        }
    }

    @Test(arguments: [
        (400, "error_400.json", PollFailure.Reason.refused, "projects: the source answered 400: Your interval and"),
        (401, "error_401.json", .unauthorized, "projects: the source answered 401: Invalid token (check 'token')"),
        (429, "error_429_string.json", .rateLimited, "You are attempting to use this endpoint too frequently"),
        (429, "error_429_object.json", .rateLimited, "You are attempting to use this endpoint too frequently"),
    ]) func `errors keep the service's words`(
        _ status: Int,
        _ name: String,
        _ reason: PollFailure.Reason,
        _ words: String
    ) throws {
        var server = Server()
        server.projects = answer(fixture: name, status: status)
        let failure = try #require(server.play(try source(), poll(.hours(1))).failure)
        #expect(failure.reason == reason)
        #expect(failure.description.contains(words), "\(failure)")
    }

    @Test(arguments: [
        (#"{"detail": {"code": "sso-required", "message": "Sign in", "extra": {}}}"#, "401: Sign in"),
        (#"{"detail": {"code": "sso-required"}}"#, "401: sso-required"),
        (#"{"project": ["Unknown project"]}"#, "401: project: Unknown project"),
        ("<html>no</html>", "401: <html>no</html>"),
        ("", "the source answered 401 ("),
    ]) func `the words may stand in several places`(_ body: String, _ words: String) throws {
        var server = Server()
        server.projects = answer(body, status: 401)
        let failure = try #require(server.play(try source(), poll(.hours(1))).failure)
        #expect(failure.description.contains(words), "\(failure)")
    }

    @Test func `whoever asks Sentry's common host is told of the regions`() throws {
        let moved = TransportError(.redirect, mayHaveArrived: false, "the answer leads to another host")
        for (address, isTold) in [("https://sentry.io", true), ("https://de.sentry.io", false), ("https://x.y", false)]
        {
            let source = try source(["url": option(.text(GuardedText(address)))])
            for result in [answer(fixture: "error_404.json", status: 404), .failed(moved)] {
                let played = PlayedPoll(source, poll(.hours(1))) { _ in result }
                #expect(played.failure?.description.contains("https://de.sentry.io") == isTold, "\(address)")
            }
        }
    }

    @Test func `an organization that nobody finds is said so once, and not that it has no release health`() throws {
        let lost = answer(fixture: "error_404.json", status: 404)
        let words = "neither sessions nor issues of the organization 'acme' are found; issues: the source answered 404"
        for projects in [lost, Server().projects] {
            let played = Server(projects: projects, apps: lost, issues: lost).play(try source(), poll(.hours(1)))
            let failure = try #require(played.failure)
            #expect(failure.reason == .notFound)
            #expect(failure.description.hasPrefix(words), "\(failure)")
            #expect(played.report?.warnings == [])
        }
        let withoutIssues = try source(["issues": option(.flag(false))])
        let played = Server(projects: lost, apps: lost).play(withoutIssues, poll(.hours(1)))
        #expect(played.failure?.description.hasPrefix("sessions: the source answered 404") == true)
        #expect(played.report?.warnings == [])
        // Issues that are only in trouble say nothing of it.
        let busy = Server(apps: lost, issues: answer("{}", status: 503)).play(try source(), poll(.hours(1)))
        #expect(busy.failure?.reason == .unavailable)
        #expect(busy.report?.warnings.map { $0.hasPrefix("sessions: the source answered 404") } == [true])
    }

    @Test func `a refused scope is named`() throws {
        var server = Server()
        server.apps = answer(fixture: "error_403.json", status: 403)
        let failure = try #require(server.play(try source(), poll(.hours(1))).failure)
        #expect(failure.reason == .forbidden)
        #expect(failure.description.contains("org:read"))
        let organizations = try source(["token": option(.text(GuardedText(Secret("sntrys_eyJpYXQiOjE3"))))])
        let wrongKind = try #require(server.play(organizations, poll(.hours(1))).failure)
        #expect(
            wrongKind.description.hasSuffix(
                " (this is an organization token, which is only for CI; create an internal integration with the scope org:read "
                    + "and use its token)"), "\(wrongKind.description)")
        #expect(!wrongKind.description.contains("sntrys_"))
    }

    @Test(arguments: [
        (["X-Sentry-Rate-Limit-Reset": "1795219205"], "2026-11-21T00:00:05Z"),
        ([:], "2026-11-20T23:59:31Z"),
        (["X-Sentry-Rate-Limit-Reset": "17"], "2026-11-20T23:59:31Z"),
        (["X-Sentry-Rate-Limit-Reset": "soon"], "2026-11-20T23:59:31Z"),
        (["X-Sentry-Rate-Limit-Reset": "1e300"], "2026-11-20T23:59:31Z"),
        (["X-Sentry-Rate-Limit-Reset": "99999999999"], "2026-11-21T00:59:30Z"),
        (["X-Sentry-Rate-Limit-Reset": "1795219171", "Retry-After": "60"], "2026-11-21T00:00:30Z"),
    ]) func `429 waits until the reset, a second at the least`(_ headers: [String: String], _ until: String) throws {
        var server = Server()
        server.apps = answer(
            fixture: "error_429_string.json", status: 429, headers: headers.map { (name: $0.key, value: $0.value) })
        let failure = try #require(server.play(try source(), poll(.hours(1))).failure)
        #expect(failure.reason == .rateLimited)
        #expect(failure.retryAt?.description == until)
    }

    @Test func `a budget that is used up ends the questions before the server does`() throws {
        var server = Server()
        let spent = [
            (name: "x-sentry-rate-limit-remaining", value: "0"),
            (name: "x-sentry-rate-limit-reset", value: "1795219205"),
        ]
        server.releases = answer(fixture: "sessions_by_release.json", headers: spent)
        let played = server.play(try source(), poll(.hours(1), .hours(24)))
        #expect(played.urls("sessions").count == 2)
        #expect(played.urls("issues").count == 1, "issues have a budget of their own")
        #expect(!played.observations.isEmpty)
        #expect(played.report?.notBefore?.description == "2026-11-21T00:00:05Z")
        #expect(played.report?.warnings.first?.hasPrefix("longer spans are not measured this time") ?? false)
        #expect(played.report?.unread == .anything)

        server.apps = answer(sessions([10, 5, 1, 1]), headers: spent)
        let cut = server.play(try source(), poll(.hours(1)))
        #expect(cut.urls("sessions").count == 1)
        #expect(cut.observation("wallet-android")?.metrics["sessions"] == 10)
        #expect(cut.report?.notBefore?.description == "2026-11-21T00:00:05Z")
        #expect(cut.report?.isPartWaiting == true && cut.report?.unread == .anything)
    }

    /// The question by release is the heavy one, and is the first to take too long.
    @Test func `releases that fail cost the apps nothing, are named and not asked for again`() throws {
        var server = Server()
        server.releases = answer("", status: 504)
        let played = server.play(try source(), poll(.hours(1), .days(30)))
        #expect(played.observation("wallet-android")?.metrics["sessions"] == 1000)
        #expect(played.urls("sessions").map { $0.contains("groupBy=release") } == [false, true, false])
        let report = try #require(played.report)
        #expect(report.missing?.reason == .unavailable)
        let words = "releases are not measured this time: the span of 1h: sessions: the source answered 504"
        #expect(report.warnings.count == 1 && report.warnings[0].hasPrefix(words), "\(report.warnings)")
        #expect(report.unread == .anything)
        server.releases = answer(fixture: "error_401.json", status: 401)
        #expect(server.play(try source(), poll(.hours(1))).failure?.reason == .unauthorized)
    }

    private static let long = poll(.hours(1), .days(30), .days(90))

    /// What a longer window of a server that is well otherwise is answered with.
    private func play(_ trouble: FetchResult) throws -> PlayedPoll {
        PlayedPoll(try source(), Self.long) { request in
            let url = request.url.description
            let isLonger = url.contains("/sessions/") && !url.contains("start=2026-11-20")
            return isLonger ? trouble : Server().respond(to: request)
        }
    }

    @Test(
        arguments: [
            (answer("", status: 504), .unavailable), (answer(fixture: "error_400.json", status: 400), .refused),
            (.failed(TransportError(.timeout, mayHaveArrived: true, "it took too long")), .timeout),
            (answer("{}"), .badAnswer),
        ] as [(FetchResult, PollFailure.Reason)])
    func `a longer window that fails costs neither the shortest nor the issues, and is named`(
        _ trouble: FetchResult, _ reason: PollFailure.Reason
    ) throws {
        let played = try play(trouble)
        let app = try #require(played.observation("wallet-android"))
        #expect(app.metrics["sessions"] == 1000)
        #expect(!app.issues.isEmpty)
        #expect(played.urls("sessions").count == 3, "what is longer yet is not asked for")
        let report = try #require(played.report)
        let missing = try #require(report.missing)
        #expect(missing.reason == reason)
        #expect(missing.description.hasPrefix("the span of 30d: sessions: "), "\(missing)")
        #expect(report.warnings == ["longer spans are not measured this time: \(missing)"])
        #expect(report.unread == .anything)
    }

    @Test func `a credential that is refused is so for all windows, and without the shortest nothing is read`() throws {
        #expect(try play(answer(fixture: "error_401.json", status: 401)).failure?.reason == .unauthorized)
        var server = Server()
        server.apps = answer("", status: 504)
        let failure = try #require(server.play(try source(), Self.long).failure)
        #expect(failure.description.hasPrefix("sessions: the source answered 504"), "\(failure)")
    }

    @Test(arguments: [(503, false), (429, true)])
    func `issues that are to wait hold the others of the account up only where it is a limit`(
        _ status: Int, _ isLimit: Bool
    ) throws {
        var server = Server()
        server.issues = answer("{}", status: status, headers: [(name: "Retry-After", value: "3600")])
        let report = try #require(server.play(try source(), poll(.hours(1))).report)
        #expect((report.notBefore ?? .earliest) >= now + .minutes(59))
        #expect((report.limit != nil) == isLimit)
    }

    @Test func `figures without the issues that could not be read say so`() throws {
        var server = Server()
        server.issues = answer("{}", status: 503)
        let played = server.play(try source(), poll(.hours(1)))
        #expect(!played.observations.isEmpty && played.observations.allSatisfy(\.issuesUnread))
        #expect(!Server().play(try source(), poll(.hours(1))).observations.contains(where: \.issuesUnread))
    }

    @Test func `servers without a limiter send no such headers`() throws {
        #expect(Server().play(try source(), poll(.hours(1))).report?.notBefore == nil)
    }
}
