internal import PluginKit
internal import SourceKit

/// What BigQuery says of a query.
enum QueryAnswer: Sendable {
    /// It is still running.
    case running(QueryJob)
    case done(QueryRows)

    init(_ body: JSONReader, over span: TimeSpan) throws(JSONMismatch) {
        guard try body.member("jobComplete").bool() else {
            self = .running(try QueryJob(body.member("jobReference")))
            return
        }
        self = .done(try QueryRows(body, over: span))
    }
}

/// The rows of an answer, and what they cost.
struct QueryRows: Sendable {
    private(set) var releases: [CountedRelease] = []
    /// Which query it was, where the answer tells.
    let job: QueryJob?
    /// When the newest session of the table began, where the answer tells.
    private(set) var newest: Moment?
    /// Nil where there is nothing in the table of crashes, or the answer does not tell.
    private(set) var crashes: CrashTable?
    /// Whether there are more rows than were asked for.
    let isCut: Bool
    let bytesRead: Double
    /// Nil where the answer does not say what was paid.
    let bytesBilled: Double?
    /// What went wrong on the way to an answer all the same.
    private(set) var warnings: [String] = []

    /// Sessions that are under way reach the tables in minutes.
    static let delayMax = Duration.minutes(15)

    init(_ body: JSONReader, over span: TimeSpan) throws(JSONMismatch) {
        job = if let job = try body.optional("jobReference") { try QueryJob(job) } else { nil }
        isCut = try body.optional("pageToken") != nil
        bytesRead = try body.optional("totalBytesProcessed")?.writtenCount() ?? 0
        bytesBilled = try body.optional("totalBytesBilled")?.writtenCount()
        for error in try body.optional("errors")?.elements() ?? [] where warnings.count < 3 {
            warnings.append(try error.member("message").string().tamed.clipped(to: 200))
        }
        let places = try QueryRows.places(body.member("schema").member("fields"))
        for row in try body.optional("rows")?.elements() ?? [] {
            let cells = try Cells(row, places)
            if let newest = try cells.moment("newest_event") { self.newest = max(self.newest ?? newest, newest) }
            if let crashes = try cells.crashTable() { self.crashes = crashes }
            if let counted = try cells.release(over: span) { releases.append(counted) }
        }
        // By the whole table: a release that hardly anybody uses may well have had no session for an hour.
        guard let newest, newest < span.to - QueryRows.delayMax else { return }
        for index in releases.indices { releases[index].isComplete = false }
    }

    /// Where each column stands.
    private static func places(_ fields: JSONReader) throws(JSONMismatch) -> [String: Int] {
        var places: [String: Int] = [:]
        for (index, field) in try fields.elements().enumerated() {
            places[try field.member("name").string()] = index
        }
        for column in ExportTables.columns where places[column] == nil {
            throw fields.mismatch(expected: "a column '\(column)'")
        }
        return places
    }
}

/// One row: `{"f": [{"v": …}, …]}`.
private struct Cells {
    private let cells: [JSONReader]
    private let places: [String: Int]
    private let row: JSONReader

    init(_ row: JSONReader, _ places: [String: Int]) throws(JSONMismatch) {
        self.row = row
        self.places = places
        cells = try row.member("f").elements()
    }

    /// Nil for null. All that is asked for are single values, which come as strings.
    private func cell(_ column: String) throws(JSONMismatch) -> JSONReader? {
        guard let place = places[column], cells.indices.contains(place) else {
            throw row.mismatch(expected: "a cell for each column, also for '\(column)'")
        }
        return try cells[place].optional("v")
    }

    func count(_ column: String) throws(JSONMismatch) -> Double? { try cell(column)?.writtenCount() }

    /// Whole microseconds, as was asked for, or else seconds with an exponent.
    func moment(_ column: String) throws(JSONMismatch) -> Moment? {
        guard let cell = try cell(column) else { return nil }
        let text = try cell.string()
        let isWhole = text.isDigits
        guard let number = Double(text), let moment = Moment(unixSeconds: isWhole ? number / 1_000_000 : number) else {
            throw cell.mismatch(expected: "a time in microseconds since 1970")
        }
        return moment
    }

    /// What the row says of the table of crashes; nil where it says nothing of it, or there is nothing in it.
    func crashTable() throws(JSONMismatch) -> CrashTable? {
        guard places["newest_crash"] != nil, let newest = try moment("newest_crash") else { return nil }
        return CrashTable(
            newest: newest, hours: try count("crash_hours") ?? 0, minutes: try count("crash_minutes") ?? 0,
            sessionHours: try count("session_hours") ?? 0, before: try count("sessions_before") ?? 0,
            since: try count("sessions_since") ?? 0)
    }

    /// Nil for one without sessions.
    func release(over span: TimeSpan) throws(JSONMismatch) -> CountedRelease? {
        guard let sessions = try count("sessions"), sessions > 0 else { return nil }
        var metrics: Metrics = [.sessions: sessions]
        // A session that began before the span may crash within it.
        if let crashed = try count("crashed_sessions") { metrics[.crashedSessions] = min(crashed, sessions) }
        if let users = try count("users"), users > 0 {
            metrics[.users] = users
            if let crashed = try count("crashed_users") { metrics[.crashedUsers] = min(crashed, users) }
        }
        if let events = try count("crash_events") { metrics[.crashEvents] = events }
        return CountedRelease(release: try release(), span: span, metrics: metrics)
    }

    /// As Crashlytics itself writes it; nil for the whole app.
    private func release() throws(JSONMismatch) -> String? {
        let version = try cell("version")?.string()
        let build = try cell("build")?.string()
        guard let version else { return nil }
        guard let build, !build.isEmpty else { return version.isEmpty ? "unknown" : version }
        return "\(version.isEmpty ? "unknown" : version) (\(build))"
    }
}
