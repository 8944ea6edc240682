import CrashlyticsSource
import PluginKit
import PluginTesting
import Testing

@Suite struct `Figures from the export in BigQuery` {
    @Test func `each row is a version`() throws {
        let played = Firebase().play(try exported(), poll(.days(1), at: Moment(rfc3339: "2026-11-21T00:00:30Z") ?? now))
        #expect(played.report?.warnings == [])
        let version = try #require(played.observation("5.4.0 (5401)"))
        #expect(
            version.metrics == [
                "sessions": 41_875, "crashed_sessions": 1046, "users": 15_120, "crashed_users": 803,
                "crash_events": 1287,
            ])
        #expect(version.span.from == Moment(rfc3339: "2026-11-20T00:00:00Z"))
        #expect(version.span.to == Moment(rfc3339: "2026-11-21T00:00:00Z"))
        #expect(played.observations.count == 2)
    }

    @Test func `a row without a version is the app, and one without crashes says nothing of them`() throws {
        let rows = [
            Self.row("null", "null", sessions: 50, crashed: "51", users: "40", newest: "\"1795219200000000\""),
            Self.row("\"5.4.0\"", "null", sessions: 50, crashed: "null", users: "0", newest: "\"1.7952192E9\""),
            Self.row("\"\"", "\"12\"", sessions: 3, crashed: "0", users: "2", newest: "null"),
            Self.row("\"9\"", "\"9\"", sessions: 0, crashed: "0", users: "0", newest: "null"),
        ]
        let played = Firebase(query: answer(Self.complete(rows))).play(try exported(), poll(.hours(1)))
        // A session that began before the span may crash within it.
        #expect(
            played.observation()?.metrics == ["sessions": 50, "crashed_sessions": 50, "users": 40, "crashed_users": 1])
        #expect(played.observation("5.4.0")?.metrics == ["sessions": 50])
        #expect(played.observation("unknown (12)")?.metrics[.users] == 2)
        #expect(played.observations.count == 3)
        #expect(played.observation("5.4.0")?.isComplete == true)
    }

    @Test func `a query that is still running is waited for`() throws {
        let running = answer(fixture: "bigquery_query_response_incomplete.json")
        let played = Firebase(query: running).play(try exported(), poll(.days(1)))
        #expect(played.observation("5.4.0")?.metrics == ["sessions": 41_875, "users": 15_120])
        #expect(
            played.asked.last?.url.description
                == "https://bigquery.googleapis.com/bigquery/v2/projects/acme-mobile/queries/job_Ab13?timeoutMs=10000"
                + "&maxResults=1000&formatOptions.useInt64Timestamp=true&location=EU")
        let endless = Firebase(query: running, results: running).play(try exported(), poll(.days(1)))
        #expect(endless.failure?.reason == .timeout)
        #expect(endless.asked.count == 8)
    }

    @Test func `a query that outlasts a poll is read by the next, and no span is paid for twice`() throws {
        let running = answer(fixture: "bigquery_query_response_incomplete.json")
        let hour = Firebase(query: answer(Self.complete([Self.row("null", "null", sessions: 9)], job: "job_hour")))
        let day = Firebase(query: running, results: running)
        let first = PlayedPoll(try exported(), poll(.hours(1), .days(1))) { request in
            let isHour = body(request).text.contains("2026-11-20T23:00:00")
            return isHour ? hour.respond(to: request) : day.respond(to: request)
        }
        #expect(
            first.failure?.description
                == "BigQuery, wallet: the query is still running; the next poll goes on with it")
        // What BigQuery gives later are the answers to the questions that were asked, of the spans that were meant.
        let done = Firebase(
            query: answer("nobody may ask", status: 500),
            results: answer(
                Self.complete([Self.newest("2026-11-20T23:59:00Z"), Self.row("null", "null", sessions: 9)])))
        let cursor = first.report?.cursor
        let second = done.play(try exported(), poll(.hours(1), .days(1), cursor: cursor, at: now + .minutes(5)))
        #expect(second.asked.map(\.method) == [.get, .get])
        #expect(second.asked.map { $0.url.description.contains("/queries/job_hour?") } == [true, false])
        #expect(second.asked.last?.url.description.contains("/queries/job_Ab13?") == true)
        let end = try #require(Moment(rfc3339: "2026-11-21T00:00:00Z"))
        #expect(
            second.observations.map(\.span) == [
                TimeSpan(lasting: .days(1), until: end), TimeSpan(lasting: .hours(1), until: end),
            ])
        // Then it is asked anew, as it is where a query has failed or its answer would be of the past.
        for (server, cursor, late) in [
            (done, second.report?.cursor, Duration.minutes(10)), (done, cursor, .hours(2)),
            (
                done,
                Firebase(results: answer(fixture: "bigquery_error_404_not_found.json", status: 404))
                    .play(try exported(), poll(.hours(1), .days(1), cursor: cursor)).report?.cursor, .minutes(10)
            ),
        ] {
            let next = server.play(try exported(), poll(.hours(1), .days(1), cursor: cursor, at: now + late))
            #expect(next.asked.first?.method == .post)
        }
        // A query that died with BigQuery's own trouble would be read for ever.
        let dead = Firebase(results: answer("", status: 503))
            .play(try exported(), poll(.hours(1), .days(1), cursor: cursor, at: now + .minutes(5)))
        #expect(done.play(try exported(), poll(.hours(1), cursor: dead.report?.cursor)).asked.first?.method == .post)
        // Trouble on the way keeps what is under way.
        let away = Firebase(results: .failed(TransportError(.connect, mayHaveArrived: false, "no connection")))
            .play(try exported(), poll(.hours(1), .days(1), cursor: cursor, at: now + .minutes(5)))
        #expect(done.play(try exported(), poll(.hours(1), cursor: away.report?.cursor)).asked.first?.method == .get)
    }

    @Test func `one slow table does not keep a poll from beginning to count the others`() throws {
        let two = try exported(["tables": map(["shop": "shop_REALTIME", "wallet": "wallet_REALTIME"])])
        let running = answer(fixture: "bigquery_query_response_incomplete.json")
        let played = Firebase(query: running, results: running).play(two, poll(.hours(1), .days(1)))
        let waits = played.asked.map { request in
            body(request)["timeoutMs"]?.text
                ?? String(request.url.description.split(separator: "timeoutMs=")[1].prefix { $0 != "&" })
        }
        // Each question waits once, and the first has what is left: 80 s of the 100 that a poll may take.
        #expect(waits == [String](repeating: "10000", count: 8))
        #expect(played.asked.count { $0.method == .post } == 4)
    }

    @Test(arguments: [1, 3, 15]) func `however many tables are slow, a poll waits for no longer than it may`(
        _ count: Int
    ) throws {
        let tables = option(.map((0..<count).map { ("app\($0)", option(.text(GuardedText("app\($0)_REALTIME")))) }))
        let running = answer(fixture: "bigquery_query_response_incomplete.json")
        let played = Firebase(query: running, results: running)
            .play(try exported(["tables": tables]), poll(.hours(1), .hours(6), .days(1), .days(7)))
        let waits = played.asked.compactMap { request in
            Int(
                body(request)["timeoutMs"]?.text
                    ?? String(request.url.description.split(separator: "timeoutMs=").last?.prefix { $0 != "&" } ?? ""))
        }
        #expect(waits.count == played.asked.count)
        // Each is rounded to whole milliseconds.
        #expect(waits.reduce(0, +) <= 80_000 + waits.count, "\(waits)")
        #expect(played.asked.count { $0.method == .post } == count * 4)
    }

    @Test(arguments: [(20, 10_000), (60, 10_000), (4, 2000), (1, 500)] as [(Int64, Int64)])
    func `BigQuery waits for less than a request may take`(_ timeout: Int64, _ milliseconds: Int64) throws {
        let played = Firebase().play(try exported(timeout: .seconds(timeout)), poll(.days(1)))
        #expect(played.asked.first.map(body)?["timeoutMs"] == .int(milliseconds))
    }

    @Test func `the question is the one of the documentation, with a limit on its cost`() throws {
        let limited = try exported(["megabytes_max": option(.integer(50))])
        let request = try #require(Firebase().play(limited, poll(.days(1))).asked.first)
        #expect(
            request.url.description == "https://bigquery.googleapis.com/bigquery/v2/projects/acme-mobile/queries")
        let written = try #require(try JSON(parsing: fixture("bigquery_query_request.json")).object)
        let sent = try #require(body(request).object)
        #expect(Set(sent.members.map(\.name)) == Set(written.members.map(\.name)))
        for name in [
            "useLegacySql", "parameterMode", "queryParameters", "useQueryCache", "location", "formatOptions", "labels",
        ] {
            #expect(sent[name] == written[name], "\(name)")
        }
        #expect(sent["maximumBytesBilled"] == "50000000")
        let id = try #require(sent["requestId"]?.string)
        #expect(id.utf8.count <= 36 && id.utf8.allSatisfy { $0 < 0x80 })
        let query = try #require(sent["query"]?.string)
        for table in ["firebase_sessions", "firebase_crashlytics"] {
            #expect(query.contains("`acme-mobile.\(table).com_acme_wallet_ANDROID_REALTIME`"))
        }
        // The same question has the same id, and another one another.
        let again = Firebase().play(limited, poll(.days(1))).asked.first.map(body)
        #expect(again?["requestId"]?.string == id)
        let other = Firebase().play(limited, poll(.hours(1))).asked.first.map(body)
        #expect(other?["requestId"]?.string != id)
    }

    @Test func `what it costs is told`() throws {
        let two = Firebase().play(try exported(), poll(.hours(1), .days(1)))
        #expect(
            two.report?.notes == [
                "BigQuery read 36.9 MB in 2 queries and bills 41.9 MB; every 5 min that is 12.1 GB a day"
            ])
        // Where the bill is not told, what was read is.
        let waited = Firebase(query: answer(fixture: "bigquery_query_response_incomplete.json"))
            .play(try exported(), poll(.hours(1)))
        #expect(waited.report?.notes.first?.contains("bills 18.4 MB") == true)
        let many = Firebase().play(try exported(), poll(.hours(1), .hours(2), .hours(3), .hours(4), .hours(5)))
        #expect(many.asked.count == 4, "each span is a bill of its own")
    }

    @Test func `tables that have stalled are stale`() throws {
        let newest = try #require(Moment(rfc3339: "2026-11-20T23:00:00Z"))
        #expect(Firebase().play(try exported(), poll(.days(1))).observation("5.4.0 (5401)")?.isComplete == false)
        let late = Firebase().play(try exported(), poll(.days(1), at: newest + .hours(6) + .minutes(1)))
        #expect(late.report?.outcome == .stale(measured: newest))
        let patient = try exported(["max_age": option(.duration(.days(2)))])
        #expect(!Firebase().play(patient, poll(.days(1), at: newest + .hours(30))).observations.isEmpty)
    }

    @Test func `a table that has stalled stays stale when its spans have no rows any more`() throws {
        let newest = try #require(Moment(rfc3339: "2026-11-20T23:00:00Z"))
        let seen = Firebase().play(try exported(), poll(.hours(1)))
        let empty = Firebase(query: answer(Self.complete([])))
        var cursor = seen.report?.cursor
        for hours in [7, 24, 200] as [Int64] {
            let later = empty.play(try exported(), poll(.hours(1), cursor: cursor, at: newest + .hours(hours)))
            #expect(later.report?.outcome == .stale(measured: newest))
            cursor = later.report?.cursor
        }
        // Within 'max_age' nobody may have used the app.
        let soon = empty.play(try exported(), poll(.hours(1), cursor: seen.report?.cursor, at: newest + .hours(5)))
        #expect(soon.report?.outcome == .noData)
        // What is remembered of one table says nothing of another.
        let other = try exported(["tables": map(["wallet": "com_acme_other_ANDROID_REALTIME"])])
        #expect(empty.play(other, poll(.hours(1), cursor: cursor)).report?.outcome == .noData)
        // Whoever begins with it then is told by the row that looks further back than the span.
        let first = Self.complete([Self.newest("2026-11-20T23:00:00Z")])
        let begun = Firebase(query: answer(first)).play(try exported(), poll(.hours(1), at: newest + .hours(7)))
        #expect(begun.report?.outcome == .stale(measured: newest))
    }

    @Test func `a release with few sessions is as complete as the table`() throws {
        let rows = [
            Self.newest("2026-11-20T23:58:00Z"), Self.row("null", "null", sessions: 900),
            Self.row("\"5.4.0\"", "\"1\"", sessions: 3, newest: "\"1795215600000000\""),
        ]
        let played = Firebase(query: answer(Self.complete(rows))).play(try exported(), poll(.hours(1)))
        #expect(played.observation("5.4.0 (1)")?.isComplete == true)
        #expect(played.observation()?.isComplete == true)
    }

    @Test func `a table that is filled by the day is judged where it ends`() throws {
        let batch = try exported(["tables": map(["wallet": "com_acme_wallet_ANDROID"])])
        let end = try #require(Moment(rfc3339: "2026-11-20T00:00:00Z"))
        let rows = [Self.newest("2026-11-19T23:59:41Z"), Self.row("\"5.4.0\"", "\"1\"", sessions: 30)]
        let server = Firebase(query: answer(Self.complete(rows)))
        // Nobody knows yet where it ends, so the first question is only good for that.
        let first = server.play(batch, poll(.hours(1), .hours(4)))
        #expect(first.asked.count == 3)
        #expect(first.observations.map(\.span.to) == [end, end])
        #expect(first.observations.allSatisfy { $0.isComplete })
        #expect(first.report?.outcome != .stale(measured: end))
        let second = server.play(batch, poll(.hours(1), .hours(4), cursor: first.report?.cursor, at: now + .hours(3)))
        #expect(second.asked.count == 2)
        #expect(second.observations.map(\.span.to) == [end, end])
        // Within the hour it is the same question, which BigQuery answers from its cache.
        let third = server.play(
            batch, poll(.hours(1), .hours(4), cursor: first.report?.cursor, at: now + .hours(3) + .minutes(40)))
        #expect(third.asked.map(body) == second.asked.map(body))
        // The next batch has come in.
        let moved = Firebase(
            query: answer(Self.complete([Self.newest("2026-11-20T23:59:59Z"), Self.row("null", "null", sessions: 9)])))
        let next = moved.play(batch, poll(.hours(1), cursor: second.report?.cursor, at: now + .hours(6)))
        #expect(next.observation()?.span.to == end + .days(1))
        let late = server.play(batch, poll(.hours(1), cursor: first.report?.cursor, at: end + .days(2) + .minutes(1)))
        #expect(late.report?.outcome == .stale(measured: end - .seconds(19)))
    }

    @Test func `one table that has stalled is told though another has not`() throws {
        let two = try exported(["tables": map(["shop": "shop_REALTIME", "wallet": "wallet_REALTIME"])])
        let played = PlayedPoll(two, poll(.hours(1))) { request in
            let isShop = body(request)["query"]?.string?.contains("shop_REALTIME") == true
            let rows = [
                Self.newest(isShop ? "2026-11-20T15:00:00Z" : "2026-11-20T23:59:00Z"),
                Self.row("null", "null", sessions: 900),
            ]
            return request.method == .post && !request.url.description.hasSuffix("/token")
                ? answer(Self.complete(rows)) : Firebase().respond(to: request)
        }
        #expect(Set(played.observations.map(\.subject.app)) == ["wallet"])
        #expect(played.report?.unread == .apps(["shop"]))
        #expect(
            played.report?.warnings == [
                "shop: the newest session in 'shop_REALTIME' is from 2026-11-20T15:00:00Z, more than 6h ago ('max_age'); "
                    + "its figures are left out"
            ])
    }

    @Test func `no sessions are no data, and warnings are passed on`() throws {
        let empty = Self.complete([]).replacing(
            #""rows": []"#, with: #""errors": [{"message": "partly"}], "pageToken": "x""#)
        let played = Firebase(query: answer(empty)).play(try exported(), poll(.hours(1)))
        #expect(played.report?.outcome == .noData)
        #expect(
            played.report?.warnings
                == [
                    "wallet: partly", "wallet: more than 0 releases; those with few sessions are left out",
                    "wallet: 'com_acme_wallet_ANDROID_REALTIME' has had no session for more than 6h; "
                        + "check whether its export runs",
                ])
    }

    @Test func `issues come from Crashlytics where the app's id is known`() throws {
        let both = try exported(["apps": map(["wallet": wallet])])
        let played = Firebase().play(both, poll(.days(1)))
        #expect(played.asked.count == 2)
        #expect(played.observations.first { !$0.issues.isEmpty }?.issues.count == 2)
        #expect(both.host == "bigquery.googleapis.com")
        #expect(try exported().givesIssues == false)
    }

    @Test(arguments: [
        (
            "bigquery_query_response_float_timestamp.json",
            "$.schema.fields: expected a column 'version', found an array"
        ),
        ("bigquery_query_request.json", "$.jobComplete: expected a value, found no such member"),
    ]) func `an answer to another question is a failure`(_ name: String, _ words: String) throws {
        let failure = try #require(Firebase(query: answer(fixture: name)).play(try exported(), poll(.days(1))).failure)
        #expect(failure.reason == .badAnswer)
        #expect(failure.description.contains(words), "\(failure)")
    }

    @Test(arguments: [
        (complete([#"{"f": [{"v": "5"}]}"#]), "$.rows[0]: expected a cell for each column"),
        (complete([row("[1]", "null", sessions: 1)]), "$.rows[0].f[0].v: expected a string, found an array"),
        (complete([row("\"5\"", "null", sessions: 1, users: "-1")]), "expected a count"),
        (
            complete([row("\"5\"", "null", sessions: 1, newest: "\"noon\"")]),
            "expected a time in microseconds since 1970"
        ),
        (#"{"jobComplete": false}"#, "$.jobReference: expected a value"),
        (#"{"jobComplete": "yes"}"#, "$.jobComplete: expected true or false"),
    ]) func `cells of another kind are a failure with their place`(_ body: String, _ words: String) throws {
        let failure = try #require(Firebase(query: answer(body)).play(try exported(), poll(.days(1))).failure)
        #expect(failure.reason == .badAnswer)
        #expect(failure.description.hasPrefix("BigQuery, wallet: "))
        #expect(failure.description.contains(words), "\(failure)")
    }

    @Test(arguments: [
        (400, "bigquery_error_400_invalid_query.json", PollFailure.Reason.refused, "Unrecognized name: sesions"),
        (
            403, "bigquery_error_403_access_denied.json", .forbidden,
            "BigQuery Job User in the project and BigQuery Data"
        ),
        (403, "bigquery_error_403_rate_limit.json", .rateLimited, "too many concurrent queries"),
        (
            404, "bigquery_error_404_not_found.json", .notFound,
            "check 'tables' and 'location'; sessions are exported only"
        ),
    ]) func `errors keep the service's words, and what to do stands behind`(
        _ status: Int, _ name: String, _ reason: PollFailure.Reason, _ words: String
    ) throws {
        let refused = Firebase(query: answer(fixture: name, status: status)).play(try exported(), poll(.days(1)))
        let failure = try #require(refused.failure)
        #expect(failure.reason == reason)
        #expect(failure.description.contains(words), "\(failure)")
        #expect(reason != .rateLimited || failure.retryAt == now + .minutes(1))
    }

    @Test func `a query that would cost too much says so`() throws {
        let refusal = answer(
            #"{"error": {"code": 400, "message": "Query exceeded limit for bytes billed: 10485760. 20971520 or higher required.","#
                + #" "errors": [{"reason": "bytesBilledLimitExceeded"}]}}"#, status: 400)
        let failure = try #require(Firebase(query: refusal).play(try exported(), poll(.days(1))).failure)
        #expect(
            failure.description.hasSuffix(
                "(nothing was billed; raise 'megabytes_max', or let rules ask for shorter spans)"))
    }

    // MARK: - Answers

    private static func row(
        _ version: String, _ build: String, sessions: Int, crashed: String = "1", users: String = "1",
        newest: String = "null"
    ) -> String {
        func cell(_ text: String) -> String { text == "null" ? text : "\"\(text)\"" }
        let cells = [
            version, build, "\"\(sessions)\"", cell(crashed), cell(users), cell(crashed == "null" ? "null" : "1"),
            "null", newest,
        ]
        return "{\"f\": [\(cells.map { "{\"v\": \($0)}" }.joined(separator: ", "))]}"
    }

    /// The row that says how far the table has come.
    private static func newest(_ text: String) -> String {
        let seconds = (Moment(rfc3339: text)?.milliseconds ?? 0) / 1000
        return row("null", "null", sessions: 0, newest: "\"\(seconds)000000\"")
    }

    private static func complete(_ rows: [String], job: String? = nil) -> String {
        let columns = [
            "version", "build", "sessions", "crashed_sessions", "users", "crashed_users", "crash_events",
            "newest_event",
        ]
        let reference = job.map { #""jobReference": {"projectId": "acme-mobile", "jobId": "\#($0)"}, "# } ?? ""
        return """
            {"jobComplete": true, \(reference)"schema": {"fields": [\(columns.map { "{\"name\": \"\($0)\"}" }.joined(separator: ", "))]},
             "rows": [\(rows.joined(separator: ", "))]}
            """
    }
}
