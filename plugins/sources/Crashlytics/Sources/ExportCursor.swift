internal import PluginKit

/// What a poll leaves to remember: with which app the next begins, and of the tables in BigQuery when the newest session
/// of each began, where crashes have fallen behind, and the queries that were still running.
///
/// A table that has stalled has no rows in a span that ends now, and from then on only the memory tells it from an app
/// that nobody uses. And a query that takes longer than a poll is paid for whether somebody reads its answer or not.
struct ExportCursor: Hashable, Sendable {
    /// By the table's full name, as all others here.
    private var newest: [String: Moment] = [:]
    /// Where the crashes of a table end that have fallen behind its sessions.
    private var behind: [String: Moment] = [:]
    private var inquiries: [String: Inquiry] = [:]
    /// The app with which the next poll begins; nil for the first.
    var next: String?

    /// Questions about one table whose answers belong together: their spans end at one moment.
    private struct Inquiry: Hashable, Sendable {
        let end: Moment
        let begun: Moment
        /// By the length of their spans in milliseconds; also those that are done, so that nobody pays for them twice.
        var jobs: [String: QueryJob] = [:]
    }

    /// How long after it was asked an answer is still one about now.
    private static let jobsLast = Duration.hours(1)

    /// Reads what `json` wrote of these tables; anything else is as good as nothing.
    init(_ json: JSON?, of tables: [ExportTables], at now: Moment) {
        next = json?["next"]?.string
        for table in tables {
            let name = table.fullName
            newest[name] = json?["newest"]?[name]?.string.flatMap { Moment(rfc3339: $0) }
            behind[name] = json?["behind"]?[name]?.string.flatMap { Moment(rfc3339: $0) }
            guard let written = json?["running"]?[name],
                let end = written["end"]?.string.flatMap({ Moment(rfc3339: $0) }),
                let begun = written["begun"]?.string.flatMap({ Moment(rfc3339: $0) }),
                begun <= now, end <= now, now - begun < ExportCursor.jobsLast
            else { continue }
            var inquiry = Inquiry(end: end, begun: begun)
            for job in written["jobs"]?.object?.members ?? [] {
                inquiry.jobs[job.name] = try? QueryJob(JSONReader(job.value))
            }
            inquiries[name] = inquiry
        }
    }

    var json: JSON {
        let running = inquiries.sorted { $0.key < $1.key }.map { name, inquiry in
            let jobs = inquiry.jobs.sorted { $0.key < $1.key }.map { ($0.key, $0.value.json) }
            let written: JSON = [
                "end": JSON(inquiry.end), "begun": JSON(inquiry.begun), "jobs": .object(JSONObject(jobs)),
            ]
            return (name, written)
        }
        func ends(_ moments: [String: Moment]) -> JSON {
            .object(JSONObject(moments.sorted { $0.key < $1.key }.map { ($0.key, JSON($0.value)) }))
        }
        return [
            "newest": ends(newest), "behind": ends(behind), "running": .object(JSONObject(running)), "next": JSON(next),
        ]
    }

    /// When the newest session of a table began, as far as any poll could tell.
    subscript(_ table: ExportTables) -> Moment? {
        get { newest[table.fullName] }
        set { newest[table.fullName] = [newest[table.fullName], newValue].compactMap(\.self).max() }
    }

    /// Takes in how far crashes have come, and gives back where they end if they have fallen behind.
    ///
    /// That holds until there are newer ones: what was there before is soon too long ago to be looked at, and from then on
    /// only the memory tells a table that has stopped from an app that does not crash.
    mutating func note(_ crashes: CrashTable?, of table: ExportTables) -> Moment? {
        let name = table.fullName
        if let crashes {
            if let end = behind[name], end < crashes.newest { behind[name] = nil }
            if behind[name] == nil, crashes.isBehind { behind[name] = crashes.newest }
        }
        return behind[name]
    }

    // MARK: - Queries under way

    /// Where the spans end of which some are still being counted; nil where no query is under way.
    func runningEnd(of table: ExportTables) -> Moment? { inquiries[table.fullName]?.end }

    /// The query that counts that span.
    func job(_ table: ExportTables, over span: TimeSpan) -> QueryJob? {
        guard let inquiry = inquiries[table.fullName], inquiry.end == span.to else { return nil }
        return inquiry.jobs[ExportCursor.key(span)]
    }

    mutating func keep(_ job: QueryJob, _ table: ExportTables, over span: TimeSpan, at now: Moment) {
        if runningEnd(of: table) != span.to { inquiries[table.fullName] = Inquiry(end: span.to, begun: now) }
        inquiries[table.fullName]?.jobs[ExportCursor.key(span)] = job
    }

    /// Forgets the queries of a table: their answers were read, or there will be none.
    mutating func forgetJobs(of table: ExportTables) { inquiries[table.fullName] = nil }

    private static func key(_ span: TimeSpan) -> String { "\(span.length.wholeMilliseconds)" }
}
