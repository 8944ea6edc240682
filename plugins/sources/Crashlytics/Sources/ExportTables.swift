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

    /// The name that cannot be one in BigQuery, if there is any: names stand in the query as they are.
    var wrongName: String? {
        func isName(_ text: String, _ more: String) -> Bool {
            !text.isEmpty && text.utf8.count <= 1024
                && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || more.contains($0)) }
        }
        if !isName(project, "-.:") { return project }
        return [(sessions, "_"), (crashes, "_"), (table, "_-"), (location, "-")].first { !isName($0.0, $0.1) }?.0
    }

    /// The names of the columns that the query gives.
    static let columns = [
        "version", "build", "sessions", "crashed_sessions", "users", "crashed_users", "crash_events", "newest_event",
    ]

    /// Each side is counted by itself and joined then: joining single rows would multiply them, and the bill. `ROLLUP` gives the
    /// whole app in the same pass; of its rows those for a version with all its builds are left out.
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
            "COUNT(DISTINCT session_id) AS sessions, COUNT(DISTINCT instance_id) AS users, "
                + "MAX(event_timestamp) AS newest_event", "session_id, instance_id, event_timestamp", "")
        let c = counted(
            crashes,
            "COUNT(DISTINCT firebase_session_id) AS crashed_sessions, "
                + "COUNT(DISTINCT installation_uuid) AS crashed_users, COUNT(DISTINCT event_id) AS crash_events",
            "firebase_session_id, installation_uuid, event_id", " AND error_type = 'FATAL'")
        return """
            WITH s AS (
              \(s)),
            c AS (
              \(c))
            SELECT s.version, s.build, s.sessions, IFNULL(c.crashed_sessions, 0) AS crashed_sessions,
                   s.users, IFNULL(c.crashed_users, 0) AS crashed_users,
                   IFNULL(c.crash_events, 0) AS crash_events, s.newest_event
            FROM s LEFT JOIN c ON IFNULL(s.version, '*') = IFNULL(c.version, '*')
                              AND IFNULL(s.build, '*') = IFNULL(c.build, '*')
            ORDER BY s.sessions DESC
            """
    }

    /// How long BigQuery is to wait for its own answer, less than a request may take.
    private static let patience: Int64 = 10_000
    /// Releases of one answer, those with the most sessions first.
    private static let rowsMax: Int64 = 1000

    /// Asks for a span.
    ///
    /// - Parameter id: the same question with the same id is not billed twice.
    func call(over span: TimeSpan, of app: String, id: String) -> GoogleService.Call {
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
                "queryParameters": [parameter("from", span.from), parameter("to", span.to)],
                "timeoutMs": .int(ExportTables.patience), "maxResults": .int(ExportTables.rowsMax),
                "maximumBytesBilled": .string("\(megabytesMax * 1_000_000)"), "useQueryCache": true,
                "location": .string(location), "requestId": .string("alertbot-\(id)"),
                "formatOptions": ["useInt64Timestamp": true], "labels": ["app": "alertbot"],
            ])
    }

    /// Asks for the answer to a query that is still running.
    func call(for job: QueryJob, of app: String) -> GoogleService.Call {
        var query = [("timeoutMs", "\(ExportTables.patience)"), ("maxResults", "\(ExportTables.rowsMax)")]
        query.append(("formatOptions.useInt64Timestamp", "true"))
        if let location = job.location { query.append(("location", location)) }
        return GoogleService.Call(
            "BigQuery, \(app)",
            get: "/bigquery/v2/projects/\(job.project.percentEncoded)/queries/\(job.id.percentEncoded)", query)
    }
}

/// A query that is under way.
struct QueryJob: Hashable, Sendable {
    let project: String
    let id: String
    let location: String?

    init(_ reader: JSONReader) throws(JSONMismatch) {
        project = try reader.member("projectId").nonEmptyString()
        id = try reader.member("jobId").nonEmptyString()
        location = try reader.optional("location")?.nonEmptyString()
    }
}
