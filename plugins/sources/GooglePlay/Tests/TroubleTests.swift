import GooglePlaySource
import PluginKit
import PluginTesting
import Testing

@Suite struct `Trouble with Google Play` {
    private static let secrets =
        [SampleServiceAccount.keyFile, "ya29.c.EXAMPLE"]
        + SampleServiceAccount.privateKey.split(separator: "\n").dropFirst().dropLast().map(String.init)

    @Test func `the source conforms`() throws {
        let hourly = SourceConformance(
            try source(), poll: poll(.hours(1), .hours(24)), secrets: Self.secrets, methods: [.post],
            answer: Play().respond)
        #expect(hourly.violations() == [])
        let daily = SourceConformance(
            try daily(["apps": nil]), poll: poll(.days(1), .days(28)), secrets: Self.secrets, methods: [.post],
            answer: Play.byDay.respond)
        #expect(daily.violations() == [])
    }

    @Test(arguments: [
        (400, "error_400_invalid_argument.json", PollFailure.Reason.refused, "the end time is later than the latest"),
        (401, "error_401.json", .unauthorized, "was refused twice; check 'key'"),
        (403, "error_403_service_disabled.json", .forbidden, "enable the API: https://console.cloud.google.com/apis/"),
        (403, "error_403_permission.json", .forbidden, "in the Play Console under Users and permissions"),
        (429, "error_429.json", .rateLimited, "Quota exceeded for quota metric 'Queries'"),
    ]) func `errors keep the service's words, and what to do stands behind`(
        _ status: Int, _ name: String, _ reason: PollFailure.Reason, _ words: String
    ) throws {
        var play = Play()
        play.freshness = answer(fixture: name, status: status)
        let failure = try #require(play.play(try source(), poll(.hours(1))).failure)
        #expect(failure.reason == reason)
        #expect(failure.description.contains(words), "\(failure)")
        play = Play(crashes: answer(fixture: name, status: status))
        #expect(play.play(try source(), poll(.hours(1))).failure?.reason == reason)
    }

    private static func refusing(_ status: Int, _ part: WritableKeyPath<Play, FetchResult>) -> Play {
        var play = Play()
        play[keyPath: part] = answer(fixture: "error_400_invalid_argument.json", status: status)
        return play
    }

    /// Crash rates decide about most alarms: whatever else is missing, they are judged.
    @Test(arguments: [
        (refusing(400, \.crashVersions), "crash rates of com.acme.wallet: "),
        (refusing(400, \.hangs), "ANR rates of com.acme.wallet: "),
        (refusing(500, \.events), "crash reports of com.acme.wallet: "),
    ])
    func `a table that is refused costs crash rates nothing, is named and asked for again`(
        _ trouble: Play, _ words: String
    ) throws {
        let play = try source()
        let first = trouble.play(play, poll(.hours(1)))
        let report = try #require(first.report)
        #expect(first.observations.contains { $0.subject.release == nil && $0.metrics[.crashFreeUsers] != nil })
        #expect(
            report.warnings.count == 1 && report.missing?.description.hasPrefix(words) == true, "\(report.warnings)")
        #expect(report.unread == .apps(["com.acme.wallet"]))
        #expect(first.paths.contains { $0.contains("errorIssues:search") }, "the rest is asked for")
        let next = Play().play(play, poll(.hours(1), cursor: report.cursor, at: now + .minutes(15)))
        #expect(!next.observations.isEmpty && next.report?.unread == .nothing)
        let last = Play().play(play, poll(.hours(1), cursor: next.report?.cursor, at: now + .minutes(30)))
        #expect(last.report?.outcome == .unchanged)
    }

    @Test func `a table that does not say how far it has come is named, also where nothing else is new`() throws {
        let play = try source()
        let deaf = { @Sendable (request: HTTPRequest) in
            request.url.description.hasSuffix("/anrRateMetricSet")
                ? answer(#"{"name": "x", "freshnessInfo": {"freshnesses": []}}"#) : Play().respond(to: request)
        }
        let first = PlayedPoll(play, poll(.hours(1)), answer: deaf)
        let words = "freshness of ANR rates of com.acme.wallet: "
        #expect(first.observations.contains { $0.metrics[.crashFreeUsers] != nil })
        #expect(first.report?.missing?.description.hasPrefix(words) == true)
        let next = PlayedPoll(play, poll(.hours(1), cursor: first.report?.cursor, at: now + .minutes(15)), answer: deaf)
        #expect(next.report?.outcome == .unchanged)
        #expect(next.report?.missing?.description.hasPrefix(words) == true)
        #expect(next.report?.unread == .apps(["com.acme.wallet"]))
    }

    @Test func `what all share ends a poll that has crash rates, and keeps them`() throws {
        let two = try source(["apps": list("com.acme.wallet", "com.acme.other")])
        let busy = { @Sendable (request: HTTPRequest) in
            request.url.description.hasSuffix("/anrRateMetricSet:query")
                ? answer(fixture: "error_429.json", status: 429) : Play().respond(to: request)
        }
        let played = PlayedPoll(two, poll(.hours(1)), answer: busy)
        #expect(Set(played.observations.map(\.subject)) == [Subject(source: "play", app: "com.acme.wallet")])
        #expect(played.paths.last?.hasSuffix("/anrRateMetricSet:query") == true)
        let report = try #require(played.report)
        #expect(report.warnings.count == 1 && report.isPartWaiting)
        #expect(report.unread == .apps(["com.acme.wallet", "com.acme.other"]))
        let next = PlayedPoll(two, poll(.hours(1), cursor: report.cursor, at: now + .minutes(15))) {
            Play().respond(to: $0)
        }
        #expect(Set(next.observations.map(\.subject.app)) == ["com.acme.wallet", "com.acme.other"])
    }

    @Test func `a row that makes no sense is named and left out`() throws {
        let rows = String(decoding: fixture("crashrate_query_response_hourly.json"), as: UTF8.self)
        let good = Play().play(try source(), poll(.hours(1)))
        let play = Play(crashes: answer(rows.replacing("\"0.0021\"", with: "\"x\"")))
        let played = play.play(try source(), poll(.hours(1)))
        #expect(!played.observations.isEmpty && played.observations.count == good.observations.count - 1)
        let words = "crash rates of com.acme.wallet: a row is left out: "
        #expect(played.report?.missing?.description.hasPrefix(words) == true, "\(played.report?.warnings ?? [])")
        #expect(played.report?.unread == .apps(["com.acme.wallet"]))
    }

    @Test func `what one app is refused for leaves the others alone`() throws {
        let two = try source(["apps": list("com.acme.hidden", "com.acme.wallet")])
        let played = PlayedPoll(two, poll(.hours(1))) { request in
            request.url.description.contains("hidden")
                ? answer(fixture: "error_403_permission.json", status: 403) : Play().respond(to: request)
        }
        #expect(Set(played.observations.map(\.subject.app)) == ["com.acme.wallet"])
        #expect(played.report?.warnings.count == 1)
        #expect(played.report?.warnings.first?.contains("com.acme.hidden") == true)
        // What all share is not asked again and again.
        let busy = PlayedPoll(two, poll(.hours(1))) { request in
            request.url.description.hasSuffix("/token")
                ? Play().token : answer(fixture: "error_429.json", status: 429)
        }
        #expect(busy.paths.count == 1)
        #expect(busy.failure?.reason == .rateLimited)
    }

    /// Plays a poll of three apps in which one of them gets no answers in time.
    private func played(without app: String, _ cursor: JSON? = nil) throws -> PlayedPoll {
        let three = try source(["apps": list("com.acme.a", "com.acme.b", "com.acme.c")])
        return PlayedPoll(three, poll(.hours(1), cursor: cursor)) { request in
            request.url.description.contains("/com.acme.\(app)/")
                ? .failed(TransportError(.timeout, mayHaveArrived: true, "no answer within 20 s"))
                : Play().respond(to: request)
        }
    }

    @Test func `a poll that has no time for all apps tells what it has, and the next goes on behind it`() throws {
        let first = try played(without: "b")
        #expect(Set(first.observations.map(\.subject.app)) == ["com.acme.a"])
        #expect(first.report?.unread == .apps(["com.acme.b", "com.acme.c"]))
        #expect(
            first.report?.warnings == ["freshness of crash rates of com.acme.b: no answer within 20 s"])
        let second = try played(without: "b", first.report?.cursor)
        #expect(second.paths.first?.hasPrefix("apps/com.acme.c/") == true)
        #expect(Set(second.observations.map(\.subject.app)) == ["com.acme.c"], "nothing is new of the first")
        let third = try played(without: "", second.report?.cursor)
        #expect(third.paths.first?.hasPrefix("apps/com.acme.c/") == true)
        #expect(Set(third.observations.map(\.subject.app)) == ["com.acme.b"])
        #expect(third.report?.unread == .nothing)
        // One that fails before anything is known does not fail each poll.
        let failed = try played(without: "a")
        #expect(failed.failure?.reason == .timeout)
        #expect(try played(without: "a", failed.report?.cursor).paths.first?.hasPrefix("apps/com.acme.b/") == true)
    }

    @Test(arguments: [
        (#"{"rows": {}}"#, "$.rows: expected an array, found an object"),
        (row(#"{"metric": "userPerceivedCrashRate", "decimalValue": {"value": "1.09"}}"#), "a fraction from 0 to 1"),
        (row(#"{"metric": "userPerceivedCrashRate", "decimalValue": {"value": "-0.1"}}"#), "a fraction from 0 to 1"),
        (row(#"{"metric": "distinctUsers", "decimalValue": {"value": "many"}}"#), "expected a decimal number"),
        (row(#"{"decimalValue": {"value": "1"}}"#), "$.rows[0].metrics[0].metric: expected a value"),
        (row("", period: "DAILY"), "$.rows[0].aggregationPeriod: expected \"HOURLY\", found the string \"DAILY\""),
        ("[]", "$: expected an object, found an array"),
    ]) func `an answer of another shape is a failure with its place`(_ body: String, _ words: String) throws {
        let failure = try #require(Play(crashes: answer(body)).play(try source(), poll(.hours(1))).failure)
        #expect(failure.reason == .badAnswer)
        #expect(failure.description.hasPrefix("crash rates of com.acme.wallet: the answer is not what was expected: "))
        #expect(failure.description.contains(words), "\(failure)")
    }

    private static func row(_ metric: String, period: String = "HOURLY") -> String {
        """
        {"rows": [{"aggregationPeriod": "\(period)", "startTime": {"year": 2026, "month": 11, "day": 20, "hours": 20,
          "timeZone": {"id": "UTC"}}, "metrics": [\(metric)]}]}
        """
    }

    @Test func `an account that may see no app is told whom to ask`() throws {
        let failure = try #require(Play(apps: answer("{}")).play(try source(["apps": nil]), poll(.hours(1))).failure)
        #expect(failure.reason == .forbidden)
        #expect(failure.description.contains("invite it in the Play Console"))
    }

    @Test func `an app whose name is none is refused and quoted in part`() throws {
        let name = String(repeating: "com.acme.walleté", count: 40)
        let apps = answer(#"{"apps": [{"packageName": "\#(name)"}]}"#)
        let failure = try #require(Play(apps: apps).play(try source(["apps": nil]), poll(.hours(1))).failure)
        #expect(failure.reason == .badAnswer)
        #expect(
            failure.description.contains("$.apps[0].packageName: expected the name of a package, found "),
            "\(failure.description)")
        #expect(failure.description.count < 300)
    }

    @Test func `the apps are asked for once a day`() throws {
        let all = try source(["apps": nil])
        let first = Play().play(all, poll(.hours(1)))
        #expect(first.paths.first == "apps:search?pageSize=1000")
        let cursor = first.report?.cursor
        #expect(Play().play(all, poll(.hours(1), cursor: cursor, at: now + .hours(9))).paths.count == 3)
        let next = Play().play(all, poll(.hours(1), cursor: cursor, at: now + .hours(25)))
        #expect(next.paths.first == "apps:search?pageSize=1000")
        #expect(first.report?.cursor?.text.contains("ya29") == false)
    }
}

@Suite struct `Options of a google_play source` {
    @Test func `a key is enough`() throws {
        let source = try source(["apps": nil])
        #expect(source.host == "playdeveloperreporting.googleapis.com")
        #expect(source.metrics == [.users, .crashFreeUsers, .anrRate, .crashEvents])
        #expect(source.configured("environment") == [""])
        #expect(source.configured("app") == nil)
        #expect(try GooglePlaySourceTests.source([:]).configured("app") == ["com.acme.wallet"])
    }

    @Test func `every mistake is reported at once`() {
        do {
            _ = try source([
                "key": option(.text("play.json")), "url": option(.text("https://x.example?y=1")),
                "apps": list("com.acme.wallet", "wallet", "com.1acme"),
            ])
            Testing.Issue.record("the options were taken")
        } catch {
            #expect(
                error.problems.map(\.message) == [
                    "'wallet' is not a package name such as com.shop.android",
                    "'com.1acme' is not a package name such as com.shop.android",
                    "'key' is not a service account's key file: this is the file's name, not what is in it",
                ])
        }
        #expect(throws: ProblemList.self) { try source(["url": option(.text("https://x.example?y=1"))]) }
        let many = option(.list((1...16).map { option(.text("com.acme.app\($0)")) }))
        #expect(throws: ProblemList.self) { try source(["apps": many]) }
    }

    @Test func `days need the zone in which Play counts them`() {
        do {
            _ = try GooglePlaySource(
                options: Options(
                    name: "play", position: place,
                    values: [
                        "key": option(.text(GuardedText(Secret(SampleServiceAccount.keyFile)))),
                        "period": option(.text("daily")),
                    ]),
                context: SourceContext(
                    name: "play", folder: "/", every: .minutes(15), zones: ZoneDatabase(folder: "/nowhere")))
            Testing.Issue.record("the options were taken")
        } catch {
            #expect(error.problems.first?.message.hasPrefix("Play counts days in Los Angeles: ") == true)
        }
    }

    @Test func `a rule that asks for more than an hour is told where to find it`() throws {
        let played = Play().play(try source(), poll(.hours(1), .days(28)))
        #expect(played.report?.notes.first?.contains("a second source with period: daily") == true)
    }
}

@Suite struct `Where people look at Google Play's figures` {
    @Test func `Android vitals, but not of a server that is not Google's`() throws {
        #expect(try source().dashboard == "https://play.google.com/console/developers/app/vitals/metrics/overview")
        #expect(try source(["url": option(.text("https://play.acme.example"))]).dashboard == nil)
    }
}
