internal import PluginKit
internal import SourceKit

/// The tables in BigQuery to which Firebase exports one app, and how they are asked.
struct ExportTables: Hashable, Sendable {
    let project: String
    let sessions: String
    let crashes: String
    let table: String
    let location: String
    let megabytesMax: Int
    /// Nil where the config does not say how old the newest session may be.
    let writtenMaxAge: Duration?

    /// Well beyond how late a table usually is: minutes where sessions are streamed to it, up to a day and some hours where it is
    /// filled by the day.
    var maxAge: Duration { writtenMaxAge ?? (isStreamed ? .hours(6) : .days(2)) }

    /// Whether sessions reach it within minutes. Firebase names these tables so; all others it fills about once a day.
    var isStreamed: Bool { ExportTables.isStreamed(table) }

    static func isStreamed(_ table: String) -> Bool { table.hasSuffix("_REALTIME") }

    var fullName: String { "\(project).\(sessions).\(table)" }

    /// The name that cannot be one in BigQuery, if there is any: names stand in the query as they are.
    var wrongName: String? {
        func isName(_ text: String, _ more: String) -> Bool {
            !text.isEmpty && text.utf8.count <= 1024
                && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || more.contains($0)) }
        }
        if !isName(project, "-.:") { return project }
        return [(sessions, "_"), (crashes, "_"), (table, "_-"), (location, "-")].first { !isName($0.0, $0.1) }?.0
    }

    /// The names of the columns that every answer has. What is asked of the table of crashes itself is missing where an
    /// earlier version of the bot has begun the query.
    static let columns = [
        "version", "build", "sessions", "crashed_sessions", "users", "crashed_users", "crash_events", "newest_event",
    ]

    /// Each side is counted by itself and joined then: joining single rows would multiply them, and the bill. `ROLLUP` gives the
    /// whole app in the same pass; of its rows those for a version with all its builds are left out. How far the tables
    /// have come is a row of its own, looked for in a longer stretch, because a table of sessions that has stalled has no
    /// other rows. Of the table of crashes each kind of error counts there, or else an app without crashes would look like
    /// a table without news.
    private var query: String {
        func counted(_ dataset: String, _ counts: String, _ columns: String, _ condition: String) -> String {
            """
            SELECT version, build, \(counts)
              FROM (SELECT IFNULL(application.display_version, '') AS version,
                           IFNULL(application.build_version, '') AS build, \(columns)
                    FROM `\(project).\(dataset).\(table)`
                    WHERE event_timestamp >= @from AND event_timestamp < @to\(condition))
              GROUP BY ROLLUP(version, build)
              HAVING (version IS NULL) = (build IS NULL)
            """
        }
        let s = counted(
            sessions,
            "COUNT(DISTINCT session_id) AS sessions, COUNT(DISTINCT instance_id) AS users",
            "session_id, instance_id", "")
        let c = counted(
            crashes,
            "COUNT(DISTINCT firebase_session_id) AS crashed_sessions, "
                + "COUNT(DISTINCT installation_uuid) AS crashed_users, COUNT(DISTINCT event_id) AS crash_events",
            "firebase_session_id, installation_uuid, event_id", " AND error_type = 'FATAL'")
        let stretch = "event_timestamp >= TIMESTAMP_SUB(@oldest, INTERVAL 1 DAY) AND event_timestamp < @until"
        return """
            WITH s AS (
              \(s)),
            c AS (
              \(c)),
            h AS (
              SELECT MAX(event_timestamp) AS newest,
                     COUNT(DISTINCT TIMESTAMP_TRUNC(event_timestamp, HOUR)) AS hours,
                     COUNT(DISTINCT TIMESTAMP_TRUNC(event_timestamp, MINUTE)) AS minutes
              FROM `\(project).\(crashes).\(table)`
              WHERE \(stretch))
            SELECT s.version, s.build, s.sessions, IFNULL(c.crashed_sessions, 0) AS crashed_sessions,
                   s.users, IFNULL(c.crashed_users, 0) AS crashed_users,
                   IFNULL(c.crash_events, 0) AS crash_events, CAST(NULL AS TIMESTAMP) AS newest_event,
                   CAST(NULL AS TIMESTAMP) AS newest_crash, NULL AS crash_hours, NULL AS crash_minutes,
                   NULL AS session_hours, NULL AS sessions_before, NULL AS sessions_since
            FROM s LEFT JOIN c ON IFNULL(s.version, '*') = IFNULL(c.version, '*')
                              AND IFNULL(s.build, '*') = IFNULL(c.build, '*')
            UNION ALL
            SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL, MAX(event_timestamp),
                   MAX(h.newest), MAX(h.hours), MAX(h.minutes),
                   COUNT(DISTINCT IF(event_timestamp <= h.newest, TIMESTAMP_TRUNC(event_timestamp, HOUR), NULL)),
                   COUNTIF(event_timestamp <= h.newest), COUNTIF(event_timestamp > h.newest)
            FROM `\(project).\(sessions).\(table)` CROSS JOIN h
            WHERE \(stretch)
            ORDER BY newest_event DESC, sessions DESC
            """
    }

    /// Releases of one answer, those with the most sessions first.
    private static let rowsMax: Int64 = 1000

    /// Until when the newest session is looked for: clocks of devices may be ahead, and sessions of the future are none.
    /// A table that changes once a day is asked the same for an hour, so that BigQuery answers from its cache.
    func lookEnd(at now: Moment) -> Moment { Recall.floor(now, to: isStreamed ? .minutes(1) : .hours(1)) }

    /// Where the spans of a poll end: for a table that is streamed to, now, and for others where they end themselves.
    ///
    /// - Parameter newest: when the newest session began; nil when nobody knows yet.
    func spansEnd(at now: Moment, newest: Moment?) -> Moment {
        let end = lookEnd(at: now)
        guard !isStreamed, let newest else { return end }
        return min(Recall.floor(newest, to: .minutes(1)) + .minutes(1), end)
    }

    /// Asks for a span, and how far the tables have come, from `maxAge` and a day before it on.
    ///
    /// The same question with the same id is not billed twice.
    ///
    /// - Parameter patience: how long BigQuery is to wait for its own answer.
    func call(
        over span: TimeSpan, of app: String, by source: String, at now: Moment, patience: Duration
    ) -> GoogleService.Call {
        let (oldest, until) = (span.from - maxAge, lookEnd(at: now))
        var hash = StableHash()
        for part in [source, app, table, "\(span.from)", "\(span.to)", "\(until)"] { hash.add(part) }
        func parameter(_ name: String, _ moment: Moment) -> JSON {
            [
                "name": .string(name), "parameterType": ["type": "TIMESTAMP"],
                "parameterValue": ["value": JSON(moment)],
            ]
        }
        return GoogleService.Call(
            "BigQuery, \(app)", post: "/bigquery/v2/projects/\(project.percentEncoded)/queries",
            [
                "query": .string(query), "useLegacySql": false, "parameterMode": "NAMED",
                "queryParameters": [
                    parameter("from", span.from), parameter("to", span.to), parameter("oldest", oldest),
                    parameter("until", until),
                ],
                "timeoutMs": .int(patience.wholeMilliseconds), "maxResults": .int(ExportTables.rowsMax),
                "maximumBytesBilled": .string("\(megabytesMax * 1_000_000)"), "useQueryCache": true,
                "location": .string(location), "requestId": .string("alertbot-\(hash.text)"),
                "formatOptions": ["useInt64Timestamp": true], "labels": ["app": "alertbot"],
            ])
    }

    /// Asks for the answer to a query that is still running.
    func call(for job: QueryJob, of app: String, patience: Duration) -> GoogleService.Call {
        var query = [("timeoutMs", "\(patience.wholeMilliseconds)"), ("maxResults", "\(ExportTables.rowsMax)")]
        query.append(("formatOptions.useInt64Timestamp", "true"))
        if let location = job.location { query.append(("location", location)) }
        return GoogleService.Call(
            "BigQuery, \(app)",
            get: "/bigquery/v2/projects/\(job.project.percentEncoded)/queries/\(job.id.percentEncoded)", query)
    }
}

/// A query that is under way, or was.
struct QueryJob: Hashable, Sendable {
    let project: String
    let id: String
    let location: String?

    init(_ reader: JSONReader) throws(JSONMismatch) {
        project = try reader.member("projectId").nonEmptyString()
        id = try reader.member("jobId").nonEmptyString()
        location = try reader.optional("location")?.nonEmptyString()
    }

    /// As BigQuery writes it.
    var json: JSON {
        var json: JSONObject = JSONObject([("projectId", .string(project)), ("jobId", .string(id))])
        if let location { json.append("location", .string(location)) }
        return .object(json)
    }
}
