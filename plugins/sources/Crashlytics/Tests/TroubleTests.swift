import CrashlyticsSource
import PluginKit
import PluginTesting
import Testing

@Suite struct `Trouble with Crashlytics` {
    @Test func `the source conforms`() throws {
        for source in [
            try source(), try exported(), try exported(["apps": map(["wallet": wallet, "shop": wallet])]),
        ] {
            let conformance = SourceConformance(
                source, poll: poll(.hours(1), .hours(24)), secrets: SourceConformance.secrets, methods: [.post],
                answer: Firebase().respond)
            #expect(conformance.violations() == [])
        }
    }

    @Test(arguments: [
        (
            400, "error_400_interval.json", PollFailure.Reason.refused,
            "Interval start time must be within the last 90 days"
        ),
        (403, "error_403.json", .forbidden, "the role Firebase Crashlytics Viewer in the project"),
    ]) func `errors keep the service's words, and what to do stands behind`(
        _ status: Int, _ name: String, _ reason: PollFailure.Reason, _ words: String
    ) throws {
        let refused = Firebase(versions: answer(fixture: name, status: status)).play(try source(), poll(.days(1)))
        let failure = try #require(refused.failure)
        #expect(failure.reason == reason)
        #expect(failure.description.contains(words), "\(failure)")
    }

    @Test func `what one app is refused for leaves the others alone`() throws {
        let two = try source(["apps": map(["hidden": "1:99:ios:abc", "wallet": wallet])])
        let played = PlayedPoll(two, poll(.hours(1))) { request in
            request.url.description.contains("projects/99/")
                ? answer(fixture: "error_403.json", status: 403) : Firebase().respond(to: request)
        }
        #expect(Set(played.observations.map(\.subject.app)) == ["wallet"])
        #expect(played.report?.warnings.count == 1)
        #expect(played.report?.unread == .apps(["hidden"]))
        let busy = PlayedPoll(two, poll(.hours(1))) { request in
            request.url.description.hasSuffix("/token") ? Firebase().token : answer("", status: 503)
        }
        #expect(busy.asked.count == 1)
        #expect(busy.failure?.reason == .unavailable)
    }

    @Test func `a poll that has no time for all apps tells what it has, and the next goes on behind it`() throws {
        let three = try source(["apps": map(["a": "1:1:ios:a", "b": "1:2:ios:b", "c": "1:3:ios:c"])])
        func play(without project: Int, _ cursor: JSON? = nil) -> PlayedPoll {
            PlayedPoll(three, poll(.hours(1), cursor: cursor)) { request in
                request.url.description.contains("/projects/\(project)/")
                    ? .failed(TransportError(.timeout, mayHaveArrived: true, "no answer within 20 s"))
                    : Firebase().respond(to: request)
            }
        }
        let first = play(without: 2)
        #expect(Set(first.observations.map(\.subject.app)) == ["a"])
        #expect(first.report?.unread == .apps(["b", "c"]))
        let second = play(without: 2, first.report?.cursor)
        #expect(Set(second.observations.map(\.subject.app)) == ["a", "c"])
        #expect(second.asked.first?.url.description.contains("/projects/3/") == true)
        #expect(play(without: 0).report?.cursor == nil, "nothing is to be remembered")
        // One that fails before anything is known does not fail each poll.
        let failed = play(without: 1)
        #expect(failed.failure?.reason == .timeout)
        #expect(Set(play(without: 1, failed.report?.cursor).observations.map(\.subject.app)) == ["b", "c"])
    }

    /// A rule on a week must not silence the one on an hour.
    @Test(arguments: [
        (answer(fixture: "error_400_interval.json", status: 400), PollFailure.Reason.refused, ["a", "b"]),
        (answer("", status: 503), .unavailable, ["a"]),
    ])
    func `a longer span that fails costs the shorter ones nothing, and is named`(
        _ trouble: FetchResult, _ reason: PollFailure.Reason, _ heard: [String]
    ) throws {
        let tables: KeyValuePairs = ["a": "com_acme_a_ANDROID_REALTIME", "b": "com_acme_b_ANDROID_REALTIME"]
        let sources = [
            try source(["apps": map(["a": wallet, "b": wallet])]), try exported(["tables": map(tables)]),
        ]
        for source in sources {
            let played = PlayedPoll(source, poll(.hours(1), .days(7))) { request in
                let isLong = "\(request.url) \(body(request).text)".contains("2026-11-14")
                return isLong ? trouble : Firebase().respond(to: request)
            }
            let report = try #require(played.report)
            #expect(Set(played.observations.map(\.subject.app)) == Set(heard))
            #expect(played.observations.allSatisfy { $0.span.length <= .days(1) })
            #expect(report.missing?.reason == reason)
            #expect(report.missing?.description.hasPrefix("longer spans are not measured this time: ") == true)
            #expect(report.warnings.count { $0.contains("the span of 7d: ") } == heard.count, "\(report.warnings)")
            #expect(report.unread == .apps(["a", "b"]))
        }
    }

    @Test(arguments: [true, false])
    func `a limit of BigQuery is that of the account where all figures come from there`(isMixed: Bool) throws {
        let source = try exported(isMixed ? ["apps": map(["api": wallet])] : [:])
        var firebase = Firebase()
        firebase.query = answer(
            #"{"error": {"code": 403, "message": "Exceeded rate limits", "errors": [{"reason": "rateLimitExceeded"}]}}"#,
            status: 403)
        let report = try #require(firebase.play(source, poll(.hours(1))).report)
        #expect(report.notBefore == now + .minutes(1))
        #expect(report.limit == (isMixed ? nil : now + .minutes(1)))
        let isRefused = if case .failed(let failure) = report.outcome { failure.limit == report.limit } else { isMixed }
        #expect(isRefused)
    }

    @Test func `both services have tokens of their own`() throws {
        let both = try exported(["apps": map(["wallet": wallet])])
        let played = Firebase().play(both, poll(.hours(1)))
        #expect(played.tokenRequests == 2)
    }
}

@Suite struct `Options of a crashlytics source` {
    @Test func `a key and an app are enough`() throws {
        let source = try source()
        #expect(source.host == "firebasecrashlytics.googleapis.com")
        #expect(source.configured("app") == ["wallet"])
        #expect(source.configured("environment") == [""])
        #expect(source.configured("release") == nil)
        #expect(source.metrics?.count == 7)
        #expect(source.givesIssues == true)
    }

    @Test(arguments: [
        "com.acme.wallet", "1:123:android", "1:abc:android:ff", "2:1:tv:ff", "1:123:android:xyz/../..", "", "1:1:ios:",
    ]) func `an id that is none is a problem at its place`(_ id: String) {
        do {
            _ = try source(["apps": map(["wallet": id])])
            Testing.Issue.record("the options were taken")
        } catch {
            #expect(error.problems.first?.message.hasSuffix("is not a Firebase app id") == true)
            #expect(error.problems.allSatisfy { $0.position == place })
        }
    }

    @Test func `names go into the query, so they can be nothing else`() throws {
        for table in ["a`; DROP TABLE x", "a b", "", "a.b", "täble"] {
            #expect(throws: ProblemList.self) { try exported(["tables": map(["wallet": table])]) }
        }
        for (name, value) in [
            ("project", "a`b"), ("location", "EU; x"), ("sessions_dataset", "a-b"), ("crashes_dataset", "a.b"),
        ] {
            #expect(throws: ProblemList.self) { try exported([name: option(.text(GuardedText(value)))]) }
        }
        #expect(throws: Never.self) { try exported(["project": option(.text("acme.com:shop"))]) }
    }

    @Test func `every mistake is reported at once`() {
        do {
            _ = try source([
                "key": option(.text("{}")), "apps": map(["wallet": "x"]), "url": option(.text("https://x.example?y=1")),
            ])
            Testing.Issue.record("the options were taken")
        } catch {
            #expect(
                error.problems.map(\.message) == [
                    "'key' is not a service account's key file: $.type: expected a value, found no such member",
                    "'x' is not a Firebase app id",
                ])
        }
        #expect(throws: ProblemList.self) { try source(["apps": nil]) }
        #expect(throws: ProblemList.self) { try source(["url": option(.text("https://x.example?y=1"))]) }
        let many = option(.map((1...16).map { ("app\($0)", option(.text(GuardedText(wallet)))) }))
        #expect(throws: ProblemList.self) { try source(["apps": many]) }
    }
}

@Suite struct `Where people look at Crashlytics' figures` {
    @Test func `Crashlytics in the console, but not of a server that is not Google's`() throws {
        let console = "https://console.firebase.google.com/project/_/crashlytics"
        #expect(try source().dashboard == console)
        #expect(try exported().dashboard == console)
        #expect(try source(["url": option(.text("https://firebase.acme.example"))]).dashboard == nil)
        #expect(try exported(["bigquery_url": option(.text("https://bq.acme.example"))]).dashboard == nil)
    }
}
