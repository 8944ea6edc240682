internal import PluginKit
internal import SentryKit
internal import SourceKit

/// The sessions of one project, and of one release and environment where they were asked for, over one window.
struct SessionGroup: Hashable, Sendable {
    let projectID: String
    let release: String?
    let environment: String?
    let span: TimeSpan
    let metrics: Metrics

    /// What may occur once in an answer.
    struct Place: Hashable, Sendable {
        let projectID: String
        let release: String?
        let environment: String?
        let span: TimeSpan
    }

    var place: Place { Place(projectID: projectID, release: release, environment: environment, span: span) }

    /// The same of the app with all its releases.
    var wholePlace: Place { Place(projectID: projectID, release: nil, environment: environment, span: span) }

    /// The figures; of a release with its share of the app's sessions where both are known, so that one that few have can
    /// be told from one that all have.
    func metrics(of wholeSessions: Double?) -> Metrics {
        guard release != nil, let all = wholeSessions, let own = metrics[.sessions], own <= all else { return metrics }
        var metrics = metrics
        metrics[.adoption] = own / all
        return metrics
    }

    private static let sessions = "sum(session)"
    private static let users = "count_unique(user)"
    private static let crashFreeSessions = "crash_free_rate(session)"
    private static let crashFreeUsers = "crash_free_rate(user)"
    static let fields = [sessions, users, crashFreeSessions, crashFreeUsers]

    /// An answer holds at most 10,000 points, so it cannot have more groups.
    private static let groupsMax = 10_000

    /// Reads the groups that had any traffic.
    ///
    /// - Parameters:
    ///   - hasReleases: whether releases were asked for; then a group without one is passed over.
    ///   - left: takes in those that make no sense.
    ///   - rates: takes in rates that make no sense; the counts beside them stand.
    ///   - projects: takes in the ids of whose they are; nil where one does not say it.
    static func groups(
        in body: JSONReader, hasReleases: Bool, now: Moment, leaving left: inout LeftOut,
        rates: inout LeftOut, of projects: inout Set<String?>
    ) throws(JSONMismatch) -> [SessionGroup] {
        let start = try body.member("start")
        let end = try body.member("end")
        // The service names the end of the interval that is still filling; nothing is known of what has not happened.
        guard let span = TimeSpan(from: try start.moment(), to: min(try end.moment(), now)) else {
            throw start.mismatch(expected: "an instant before 'end' and before \(now)")
        }
        return try list(of: body).elements(leaving: &left) { element throws(JSONMismatch) -> SessionGroup? in
            do throws(JSONMismatch) {
                let totals = try element.member("totals")
                let before = rates.count
                let metrics = try metrics(leaving: &rates) { figure throws(JSONMismatch) in
                    try totals.optional(figure)
                }
                guard let metrics else { return nil }
                let group = try SessionGroup(element, span, metrics, hasReleases: hasReleases)
                if rates.count > before, let group { projects.insert(group.projectID) }
                return group
            } catch {
                projects.insert(try? element.member("by").member("project").projectID())
                throw error
            }
        }
    }

    /// Reads the buckets that had any traffic.
    ///
    /// - Parameter length: how long a bucket is.
    static func buckets(
        in body: JSONReader,
        of length: Duration,
        hasReleases: Bool,
        leaving left: inout LeftOut,
        rates: inout LeftOut
    ) throws(JSONMismatch) -> [SessionGroup] {
        var starts: [Moment] = []
        for interval in try body.member("intervals").elements() { starts.append(try interval.moment()) }
        let groups = try list(of: body).elements(leaving: &left) { element throws(JSONMismatch) -> [SessionGroup] in
            var buckets: [SessionGroup] = []
            let series = try element.member("series")
            var columns: [String: [JSONReader]] = [:]
            for field in fields {
                guard let column = try series.optional(field) else { continue }
                columns[field] = try column.elements()
                guard columns[field]?.count == starts.count else {
                    throw column.mismatch(expected: "\(starts.count) figures, one for each interval")
                }
            }
            for (index, start) in starts.enumerated() {
                let metrics = try metrics(leaving: &rates) { figure in
                    columns[figure].flatMap { $0[index].value == .null ? nil : $0[index] }
                }
                let span = TimeSpan(lasting: length, until: start + length)
                guard let metrics, let bucket = try SessionGroup(element, span, metrics, hasReleases: hasReleases)
                else { continue }
                buckets.append(bucket)
            }
            return buckets
        }
        return groups.flatMap(\.self)
    }

    private static func list(of body: JSONReader) throws(JSONMismatch) -> JSONReader {
        let groups = try body.member("groups")
        let count = try groups.elements().count
        guard count <= groupsMax else {
            throw JSONMismatch(
                path: "$.groups",
                expected: "at most \(groupsMax) groups",
                found: "\(count) of them"
            )
        }
        return groups
    }

    /// Nil where a release was asked for and there is none.
    private init?(
        _ element: JSONReader,
        _ span: TimeSpan,
        _ metrics: Metrics,
        hasReleases: Bool
    ) throws(JSONMismatch) {
        let by = try element.member("by")
        let release = try by.optional("release")?.string()
        if hasReleases, release?.isEmpty ?? true { return nil }
        let environment = try by.optional("environment")?.string()
        projectID = try by.member("project").projectID()
        self.release = hasReleases ? release : nil
        self.environment = environment.flatMap { $0.isEmpty ? nil : $0 }
        self.span = span
        self.metrics = metrics
    }

    /// The figures, or nil when there were no sessions: then a rate is null on some servers and 1 on others, and
    /// neither says anything.
    private static func metrics(
        leaving rates: inout LeftOut, _ figure: (String) throws(JSONMismatch) -> JSONReader?
    ) throws(JSONMismatch) -> Metrics? {
        guard let all = try figure(sessions)?.count(), all > 0 else { return nil }
        var metrics: Metrics = [.sessions: all]
        if let rate = rate(try figure(crashFreeSessions), leaving: &rates) {
            metrics[.crashedSessions] = all.without(share: rate)
            metrics[.crashFreeSessions] = rate
        }
        // Apps that do not tell their users apart have sessions without users.
        if let users = try figure(users)?.count(), users > 0 {
            metrics[.users] = users
            if let rate = rate(try figure(crashFreeUsers), leaving: &rates) {
                metrics[.crashedUsers] = users.without(share: rate)
                metrics[.crashFreeUsers] = rate
            }
        }
        return metrics
    }

    private static let roundingMax = 1e-9

    /// Nil for a rate that is missing or makes no sense. Servers from before June 2024 give one below 0 where more crashed than
    /// there were sessions (getsentry/sentry#73172): then all of it did. What computing adds above 1 is none of them.
    private static func rate(_ figure: JSONReader?, leaving rates: inout LeftOut) -> Double? {
        rates.reading { () throws(JSONMismatch) -> Double? in
            guard let figure else { return nil }
            let rate = try figure.number()
            if rate < 0 { return 0 }
            return try rate > 1 && rate <= 1 + roundingMax ? 1 : figure.fraction()
        }
    }
}
