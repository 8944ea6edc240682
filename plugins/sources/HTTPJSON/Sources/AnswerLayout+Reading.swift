internal import JSONPath
internal import PluginKit

extension AnswerLayout {
    /// What an answer says, or how long ago it said its last.
    enum Reading {
        /// - Parameters:
        ///   - broken: why something of it could not be read, where an app may be missing for that.
        ///   - changesByItself: whether the same answer says more later, because a row is not over yet.
        case observed(
            [Observation], measured: Moment, warnings: [String], unread: Unread, broken: PollFailure?,
            changesByItself: Bool)
        /// - Parameter unfinished: what is said of rows that were there and whose spans are not over.
        case nothing(unfinished: String?)
        case stale(measured: Moment)
    }

    /// A clock may be ahead of ours by this much: more than drift, less than a wrong unit or zone.
    private static let clockSkewMax = Duration.minutes(5)

    func read(_ pages: [AnswerPage], for poll: Poll) throws(PollFailure) -> Reading {
        var bad = BadRows()
        var good: [Row] = []
        for page in pages {
            do throws(JSONMismatch) {
                good += try rows(of: page, for: poll, &bad)
            } catch {
                throw PollFailure(AnswerLayout.named(error, page))
            }
        }
        let rows = AnswerLayout.distinct(AnswerLayout.joined(good), &bad)
        if let failure = bad.failure(beside: rows.count + bad.unfinishedCount, isStrict: isStrict) { throw failure }
        return reading(rows, bad, for: poll)
    }

    /// How many items a page has, whatever of them passes a filter; none where that cannot be told.
    func itemCount(of page: JSONReader) -> Int {
        var budget = SelectionBudget()
        guard let issues, isOneRow else { return each.itemCount(of: page, within: &budget) }
        let row = (try? each.rows(of: page, within: &budget))?.first
        return row.map { issues.each.itemCount(of: $0, within: &budget) } ?? 0
    }

    /// Where a filter stands that picks among the items of a page; nil without one.
    var itemFilter: (setting: any SettingDeclaration, name: String)? {
        if each.path.hasFilter { return (HTTPJSONSource.each, "each") }
        guard let issues, isOneRow, issues.each.path.hasFilter else { return nil }
        return (HTTPJSONSource.issues, "issues.each")
    }

    /// Whether a page is one row whatever it holds, so that its issues are what it lists.
    private var isOneRow: Bool { each.path.isSingular }

    /// A row that makes sense.
    private struct Row {
        var path: String
        var observation: Observation
        /// When the answer was measured that it stands in, if it says so.
        let measured: Moment?
    }

    /// The page's rows; none where it says itself that nothing was measured yet.
    private func rows(
        of page: AnswerPage, for poll: Poll, _ bad: inout BadRows
    ) throws(JSONMismatch) -> [Row] {
        var budget = SelectionBudget()
        var measuredAt: Moment?
        if let measured {
            measuredAt = try measured.moment(of: page.root, within: &budget)
            // Mapped, but not told: nothing was measured yet.
            guard let told = measuredAt else { return [] }
            // All figures would be of what has not been yet, and such are never kept.
            if isMeasuredSpan(page), told > poll.now + Observation.clockSlackMax {
                throw JSONMismatch(
                    path: measured.path.text, expected: "a moment for 'measured' that is not after now (\(poll.now))",
                    found: "\(told); a clock or a time zone may be wrong")
            }
        }
        var good: [Row] = []
        for row in try each.rows(of: page.root, within: &budget) {
            do throws(JSONMismatch) {
                guard let seen = try observation(row, measuredAt, page, poll, &bad, within: &budget) else { continue }
                good.append(Row(path: AnswerLayout.path(row.path, page), observation: seen, measured: measuredAt))
            } catch {
                // Then nothing of the answer can be read any more, whatever its rows are like.
                if budget.isSpent { throw error }
                let name = (try? app?.text(of: row, within: &budget)) ?? fixedApp
                bad.add(AnswerLayout.named(error, page), of: name)
            }
        }
        return good
    }

    /// Whether rows cover what ends with the moment at which they were measured.
    private func isMeasuredSpan(_ page: AnswerPage) -> Bool { page.asked == nil && from == nil && to == nil }

    /// With the page's number in front, but for the first.
    private static func path(_ path: String, _ page: AnswerPage) -> String {
        page.number == 1 ? path : "page \(page.number), \(path)"
    }

    private static func named(_ mismatch: JSONMismatch, _ page: AnswerPage) -> JSONMismatch {
        JSONMismatch(path: path(mismatch.path, page), expected: mismatch.expected, found: mismatch.found)
    }

    /// Rows that bring issues alone belong to what else is told of the same: a list of issues comes in pages.
    private static func joined(_ rows: [Row]) -> [Row] {
        var joined: [Row] = []
        var first: [Place: Int] = [:]
        for row in rows {
            guard let index = first[row.observation.place],
                row.observation.metrics.isEmpty || joined[index].observation.metrics.isEmpty
            else {
                first[row.observation.place] = first[row.observation.place] ?? joined.count
                joined.append(row)
                continue
            }
            let known = joined[index].observation
            let metrics = known.metrics.isEmpty ? row.observation.metrics : known.metrics
            joined[index].observation = Observation(
                subject: known.subject, span: known.span, seen: known.seen, isComplete: known.isComplete,
                metrics: metrics, issues: AnswerLayout.joined(known.issues, row.observation.issues))
        }
        return joined
    }

    /// Each issue once: pages that overlap name some again.
    private static func joined(_ issues: [Issue], _ more: [Issue]) -> [Issue] {
        let known = Set(issues.map(\.id))
        return Array((issues + more.filter { !known.contains($0.id) }).prefix(Issue.countMax))
    }

    /// Those that are the only ones of their place, or say the same as the first, as pages do that overlap. Of two that say
    /// different things of the same, nobody knows which is right.
    private static func distinct(_ rows: [Row], _ bad: inout BadRows) -> [Row] {
        var first: [Place: Int] = [:]
        var isShared = Array(repeating: false, count: rows.count)
        for (index, row) in rows.enumerated() {
            guard let other = first[row.observation.place] else {
                first[row.observation.place] = index
                continue
            }
            if !isShared[other], rows[other].observation == row.observation {
                isShared[index] = true
                continue
            }
            let mismatch = JSONMismatch(
                path: row.path, expected: "one row for each app, release, environment and span",
                found: "the same as in \(rows[other].path); map what distinguishes them")
            bad.add(mismatch, of: row.observation.subject.app, rows: isShared[other] ? 1 : 2)
            isShared[other] = true
            isShared[index] = true
        }
        return zip(rows, isShared).compactMap { $1 ? nil : $0 }
    }

    /// What rows say that make sense.
    private func reading(_ rows: [Row], _ bad: BadRows, for poll: Poll) -> Reading {
        func age(_ row: Row) -> Moment { min(row.measured ?? row.observation.span.to, row.observation.span.to) }
        guard let newest = rows.map(age).max() else { return .nothing(unfinished: bad.unfinished) }
        let changesByItself = bad.unfinishedCount > 0 || rows.contains { !$0.observation.isComplete }
        guard let maxAge else {
            return .observed(
                rows.map(\.observation), measured: newest, warnings: bad.warnings, unread: bad.unread,
                broken: bad.broken, changesByItself: changesByItself)
        }
        let fresh = rows.filter { age($0) >= poll.now - maxAge }.map(\.observation)
        if fresh.isEmpty {
            // With a day that is filling the source is not behind, though the day before is long over.
            return bad.unfinishedCount > 0 ? .nothing(unfinished: bad.unfinished) : .stale(measured: newest)
        }
        let lost = Set(rows.map(\.observation.subject)).subtracting(fresh.map(\.subject)).sorted()
        var unread = bad.unread
        for subject in lost { unread.add(subject.app) }
        return .observed(
            fresh, measured: newest,
            warnings: bad.warnings
                + lost.prefix(AnswerLayout.warningsMax).map {
                    "the figures of \($0.app)\($0.release.map { " " + $0 } ?? "") are older than \(maxAge.grammar)"
                }, unread: unread, broken: bad.broken, changesByItself: changesByItself)
    }

    /// Warnings are for people.
    private static let warningsMax = 5

    fileprivate struct Place: Hashable {
        let subject: Subject
        let span: TimeSpan
    }

    /// The observation that a row holds; nil when it has no data.
    private func observation(
        _ row: JSONReader, _ measured: Moment?, _ page: AnswerPage, _ poll: Poll, _ bad: inout BadRows,
        within budget: inout SelectionBudget
    ) throws(JSONMismatch) -> Observation? {
        var metrics = Metrics()
        for mapping in self.metrics { metrics[mapping.name] = try mapping.number(of: row, within: &budget) }
        let found = try issues?.issues(of: row, isStrict: isStrict, within: &budget)
        // A row may be a page of issues alone, or of an app that has no figures just now.
        let hasIssues = found.map { !$0.issues.isEmpty || !$0.flaws.isEmpty } ?? false
        guard !metrics.isEmpty || self.metrics.isEmpty || hasIssues else { return nil }
        metrics.settle()
        if let flaw = metrics.flaw {
            throw JSONMismatch(path: row.path, expected: "plausible figures", found: flaw)
        }
        guard let span = try span(of: row, page.asked, measured ?? poll.now, poll.now, within: &budget) else {
            return nil
        }
        // No such span is kept, and half a day says nothing of a day.
        if span.to > poll.now + Observation.clockSlackMax {
            bad.addUnfinished(until: span.to)
            return nil
        }
        let named = try app?.text(of: row, within: &budget).flatMap { $0.isEmpty ? nil : $0 }
        guard let name = named ?? fixedApp else {
            throw JSONMismatch(
                path: row.path, expected: "the name of an app", found: "none, and no 'app' in the config")
        }
        let subject = Subject(
            source: poll.source, app: name, release: try release?.text(of: row, within: &budget)?.unlessEmpty,
            environment: try environment?.text(of: row, within: &budget)?.unlessEmpty)
        for flaw in found?.flaws ?? [] { bad.addIssue(AnswerLayout.named(flaw, page), of: name) }
        // An answer without issues is one that was read, and says so.
        return Observation(
            subject: subject, span: span, seen: poll.now, isComplete: span.to <= poll.now, metrics: metrics,
            issues: found?.issues ?? [])
    }

    /// What a row covers; nil when it is mapped and not told.
    private func span(
        of row: JSONReader, _ asked: TimeSpan?, _ end: Moment, _ now: Moment, within budget: inout SelectionBudget
    ) throws(JSONMismatch) -> TimeSpan? {
        // What was asked for is what is told, unless it says otherwise.
        if let asked, from == nil, to == nil { return asked }
        let begins = try from?.moment(of: row, within: &budget)
        let ends = try to?.moment(of: row, within: &budget)
        if from != nil && begins == nil || to != nil && ends == nil { return nil }
        var until = ends ?? begins.map { $0 + span } ?? end
        // "Now" is later where the server says it than where it was asked, and its clock need not agree with ours: what
        // it tells of is over. A row that says where it begins tells of a bucket, which may not be.
        if begins == nil, until > now, until <= now + AnswerLayout.clockSkewMax { until = now }
        guard let result = TimeSpan(from: begins ?? until - max(span, .milliseconds(1)), to: until) else {
            throw JSONMismatch(
                path: row.path, expected: "an end after the beginning",
                found: "\(begins.map(\.description) ?? "none") to \(until)")
        }
        guard result.from <= now + AnswerLayout.clockSkewMax else {
            throw JSONMismatch(
                path: row.path, expected: "a span that has begun", found: "one that begins at \(result.from)")
        }
        return result
    }
}

extension IssueLayout {
    /// The issues of a row, at most as many as are kept, and what is wrong with others. Where most are wrong, so is the
    /// row.
    fileprivate func issues(
        of row: JSONReader, isStrict: Bool, within budget: inout SelectionBudget
    ) throws(JSONMismatch) -> (issues: [Issue], flaws: [JSONMismatch]) {
        var issues: [Issue] = []
        var flaws: [JSONMismatch] = []
        for reader in try each.rows(of: row, within: &budget).prefix(Issue.countMax) {
            do throws(JSONMismatch) {
                if let issue = try issue(reader, within: &budget) { issues.append(issue) }
            } catch {
                if isStrict || budget.isSpent { throw error }
                flaws.append(error)
            }
        }
        if let first = flaws.first, BadRows.areTooMany(flaws.count, beside: issues.count) { throw first }
        return (issues, flaws)
    }

    /// Nil for one without an id.
    private func issue(_ reader: JSONReader, within budget: inout SelectionBudget) throws(JSONMismatch) -> Issue? {
        guard let id = try id.text(of: reader, within: &budget)?.unlessEmpty else { return nil }
        let events = try self["events"]?.number(of: reader, within: &budget)
        let users = try self["users"]?.number(of: reader, within: &budget)
        for (name, count) in [("events", events), ("users", users)] {
            guard let count, !(count >= 0 && count.isFinite) else { continue }
            throw JSONMismatch(path: reader.path, expected: "a count of \(name), 0 or more", found: "\(count)")
        }
        // Titles come from crashing programs and may be whole stack traces: cut, not refused.
        let title = try self["title"]?.text(of: reader, bytesMax: .max, within: &budget) ?? ""
        return Issue(
            id: id, title: title.clipped(to: Issue.titleCharactersMax),
            events: events, users: users,
            firstSeen: try self["first_seen"]?.moment(of: reader, within: &budget),
            lastSeen: try self["last_seen"]?.moment(of: reader, within: &budget),
            release: try self["release"]?.text(of: reader, within: &budget)?.unlessEmpty,
            status: try self["status"]?.text(of: reader, within: &budget)?.unlessEmpty,
            url: try self["url"]?.text(of: reader, within: &budget)?.unlessEmpty)
    }
}

extension Observation {
    fileprivate var place: AnswerLayout.Place { AnswerLayout.Place(subject: subject, span: span) }
}

extension String {
    fileprivate var unlessEmpty: String? { isEmpty ? nil : self }
}
