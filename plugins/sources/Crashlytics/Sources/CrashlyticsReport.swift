internal import PluginKit
internal import SourceKit

/// The figures of one release, or of the app as a whole, over one span.
struct CountedRelease: Sendable {
    /// Nil for the whole.
    let release: String?
    let span: TimeSpan
    var metrics: Metrics
    var isComplete = true
    /// Whether it is known to have had no session, of which metrics say nothing.
    var hasNoSessions = false
    /// Percentages that make no sense, or are not what the counts beside them say.
    var oddPercentages = LeftOut()

    /// The same without what is counted in a table of crashes.
    var withoutCrashes: CountedRelease {
        var release = self
        for metric in [Metric.crashedSessions, .crashedUsers, .crashEvents] { release.metrics[metric] = nil }
        return release
    }

    /// Nil where nothing was counted.
    func observation(of app: String, by source: String, at seen: Moment) -> Observation? {
        guard !metrics.isEmpty else { return nil }
        return Observation(
            subject: Subject(source: source, app: app, release: release), span: span, seen: seen,
            isComplete: isComplete, metrics: metrics)
    }
}

/// What the reports of Crashlytics' API say.
///
/// Its description does not promise which report fills in the totals, so every figure may be missing; those that are there
/// must agree with each other.
enum CrashlyticsReport {
    /// A percentage has four places, and may be computed from an estimate of users.
    private static let roundingMax = 0.001

    /// Reads a page of versions.
    ///
    /// - Parameter span: what was asked for; where the report says what it covers, that counts.
    static func versions(
        in body: JSONReader, over span: TimeSpan, at now: Moment
    ) throws(JSONMismatch) -> Page<CountedRelease> {
        var left = LeftOut()
        let groups = try groups(in: body)
        let releases = try groups?.elements(leaving: &left) { group throws(JSONMismatch) -> CountedRelease? in
            let version = try group.member("version")
            let name = try version.optional("displayName")
            let release =
                if let name { try name.nonEmptyString() } else {
                    try version.member("displayVersion").nonEmptyString()
                }
            guard let entry = try entry(of: group) else { return nil }
            let from = try entry.optional("startTime")?.moment() ?? span.from
            let to = min(try entry.optional("endTime")?.moment() ?? span.to, now)
            guard let covered = TimeSpan(from: from, to: to) else {
                throw entry.mismatch(expected: "a span with a begin before its end and before \(now)")
            }
            var percentages = LeftOut()
            let metrics = try metrics(in: entry, leaving: &percentages)
            return CountedRelease(
                release: release, span: covered, metrics: metrics,
                hasNoSessions: try entry.optional("totalSessionsCount")?.writtenCount() == 0,
                oddPercentages: percentages)
        }
        return Page(releases ?? [], next: try body.optional("nextPageToken")?.string(), leaving: left)
    }

    /// Reads the first page of issues.
    static func issues(in body: JSONReader) throws(JSONMismatch) -> Page<Issue> {
        var left = LeftOut()
        var taken: Set<String> = []
        let groups = try groups(in: body)
        let issues = try groups?.elements(leaving: &left) { group throws(JSONMismatch) -> Issue? in
            let issue = try issue(group.member("issue"), entry(of: group))
            return taken.insert(issue.id).inserted ? issue : nil
        }
        return Page(
            Array((issues ?? []).prefix(Issue.countMax)), next: try body.optional("nextPageToken")?.string(),
            leaving: left)
    }

    /// An empty list is left out of the answer; an answer about something else has no name either.
    private static func groups(in body: JSONReader) throws(JSONMismatch) -> JSONReader? {
        if let groups = try body.optional("groups") { return groups }
        guard try body.optional("name") != nil else { throw body.mismatch(expected: "a report with its 'name'") }
        return nil
    }

    /// One, because no steps of time were asked for; none where nothing was counted.
    private static func entry(of group: JSONReader) throws(JSONMismatch) -> JSONReader? {
        guard let metrics = try group.optional("metrics") else { return nil }
        let entries = try metrics.elements()
        guard entries.count <= 1 else {
            throw metrics.mismatch(expected: "one entry, because no steps of time were asked for")
        }
        return entries.first
    }

    // MARK: - Figures

    private static func metrics(
        in entry: JSONReader, leaving percentages: inout LeftOut
    ) throws(JSONMismatch) -> Metrics {
        var metrics = Metrics()
        try add(.sessions, entry, &metrics, leaving: &percentages)
        try add(.users, entry, &metrics, leaving: &percentages)
        if let events = try entry.optional("eventsCount")?.writtenCount() { metrics[.crashEvents] = events }
        return metrics
    }

    /// Of sessions or of users: all, those that crashed, and the share of those that did not.
    private struct Trio {
        let all: Metric
        let crashed: Metric
        let crashFree: Metric
        // What the report calls them.
        let total: String
        let impacted: String
        let percent: String

        static let sessions = Trio(
            all: .sessions, crashed: .crashedSessions, crashFree: .crashFreeSessions, total: "totalSessionsCount",
            impacted: "impactedSessionsCount", percent: "crashFreeSessionsPercentage")
        static let users = Trio(
            all: .users, crashed: .crashedUsers, crashFree: .crashFreeUsers, total: "totalUsersCount",
            impacted: "impactedUsersCount", percent: "crashFreeUsersPercentage")
    }

    private static func add(
        _ trio: Trio, _ entry: JSONReader, _ metrics: inout Metrics, leaving percentages: inout LeftOut
    ) throws(JSONMismatch) {
        let impacted = try entry.optional(trio.impacted)
        let count = try impacted?.writtenCount()
        let percent = try entry.optional(trio.percent)
        let whole = try entry.optional(trio.total)
        guard let total = try whole?.writtenCount() else {
            // How many were hit, of nobody knows how many.
            if let count { metrics[trio.crashed] = count }
            if let percent { metrics[trio.crashFree] = try percent.percentage() }
            return
        }
        // A share of nothing says nothing, whatever it says.
        guard total > 0 else { return }
        metrics[trio.all] = total
        guard let impacted, let count else {
            // A count of 0 may be left out of the answer.
            if let percent { metrics[trio.crashed] = total.without(share: try share(percent)) }
            return
        }
        let hit = try impacted.crashed(count, of: total, trio.total)
        metrics[trio.crashed] = hit
        guard let percent else { return }
        let computed = (total - hit) / total
        // What the counts tell needs no percentage.
        _ = percentages.reading { () throws(JSONMismatch) -> Double? in
            let rate = try share(percent)
            guard abs(rate - computed) <= roundingMax else {
                throw percent.mismatch(expected: "\(computed.percent), as the counts beside it say")
            }
            return rate
        }
    }

    /// A percentage of a total as a fraction. More that is hit than there is, as at the edge of a span, makes one below 0: then
    /// it is all.
    private static func share(_ percent: JSONReader) throws(JSONMismatch) -> Double {
        try percent.number() < 0 ? 0 : percent.percentage()
    }

    // MARK: - Issues

    private static func issue(_ reader: JSONReader, _ entry: JSONReader?) throws(JSONMismatch) -> Issue {
        let title = try reader.member("title").string()
        let subtitle = try reader.optional("subtitle")?.string() ?? ""
        var signals: Set<String> = []
        for signal in try reader.optional("signals")?.elements() ?? [] {
            signals.insert(try signal.member("signal").string())
        }
        let state = try reader.optional("state")?.string()
        let status =
            signals.contains("SIGNAL_REGRESSED")
            ? "regressed" : signals.contains("SIGNAL_FRESH") ? "new" : state?.lowercased()
        return Issue(
            id: try reader.member("id").nonEmptyString(),
            title: [title, subtitle].filter { !$0.isEmpty }.joined(separator: ": ")
                .clipped(to: Issue.titleCharactersMax),
            events: try entry?.optional("eventsCount")?.writtenCount(),
            users: try entry?.optional("impactedUsersCount")?.writtenCount(),
            firstSeen: try reader.optional("firstSeenTime")?.moment(),
            lastSeen: try reader.optional("lastSeenTime")?.moment(),
            release: try reader.optional("firstSeenVersion")?.string(), status: status,
            url: try reader.optional("uri")?.webLink())
    }
}

extension [CountedRelease] {
    /// The app as a whole, as far as its releases tell: sessions and crashes add up, users do not. Nil where one of them
    /// does not say how many sessions it had, or covers another span.
    var whole: CountedRelease? {
        guard let span = first?.span, allSatisfy({ $0.span == span }) else { return nil }
        var metrics = Metrics()
        for metric in [Metric.sessions, .crashedSessions, .crashEvents] {
            let counts = compactMap { $0.metrics[metric] ?? ($0.hasNoSessions ? 0 : nil) }
            guard counts.count == count else { continue }
            metrics[metric] = counts.reduce(0, +)
        }
        guard let sessions = metrics[.sessions], sessions > 0, metrics[.crashedSessions] != nil else { return nil }
        return CountedRelease(release: nil, span: span, metrics: metrics)
    }

    /// Why some releases have sessions and the app as a whole has not, as the end of a sentence.
    var lackOfWhole: String {
        let silent = filter {
            !$0.hasNoSessions && ($0.metrics[.sessions] == nil || $0.metrics[.crashedSessions] == nil)
        }
        guard let first = silent.first?.release else { return "its versions are counted over different spans" }
        return "sessions or crashed sessions are missing for \(silent.count) of its \(count) versions, such as "
            + first.clipped(to: 60)
    }
}
