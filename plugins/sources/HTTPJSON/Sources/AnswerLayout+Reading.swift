internal import JSONPath
internal import PluginKit

extension AnswerLayout {
    /// What an answer says, or how long ago it said its last.
    enum Reading {
        case observed([Observation], measured: Moment, warnings: [String])
        case nothing
        case stale(measured: Moment)
    }

    /// A clock may be ahead of ours by this much: more than drift, less than a wrong unit or zone.
    private static let clockSkewMax = Duration.minutes(5)

    func read(_ answer: JSONReader, for poll: Poll) throws(PollFailure) -> Reading {
        let rows: (good: [Observation], bad: BadRows, measured: Moment?)
        do {
            guard let read = try self.rows(of: answer, for: poll) else { return .nothing }
            rows = read
        } catch {
            throw PollFailure(error)
        }
        if let failure = rows.bad.failure(beside: rows.good.count, isStrict: isStrict) { throw failure }
        return reading(rows.good, measuredAt: rows.measured, rows.bad.warnings, for: poll)
    }

    /// The answer's rows; nil where it says itself that nothing was measured yet.
    private func rows(
        of answer: JSONReader, for poll: Poll
    ) throws(JSONMismatch) -> (good: [Observation], bad: BadRows, measured: Moment?)? {
        var budget = SelectionBudget()
        var measuredAt: Moment?
        if let measured {
            measuredAt = try measured.moment(of: answer, within: &budget)
            // Mapped, but not told: nothing was measured yet.
            if measuredAt == nil { return nil }
        }
        var bad = BadRows()
        var good: [(path: String, observation: Observation)] = []
        for row in try each.rows(of: answer, within: &budget) {
            do throws(JSONMismatch) {
                guard let observation = try observation(row, measuredAt, poll, &bad, within: &budget) else { continue }
                good.append((row.path, observation))
            } catch {
                // Then nothing of the answer can be read any more, whatever its rows are like.
                if budget.isSpent { throw error }
                bad.add(error, of: (try? app?.text(of: row, within: &budget)) ?? fixedApp)
            }
        }
        return (AnswerLayout.distinct(good, &bad), bad, measuredAt)
    }

    /// Those that are the only ones of their place. Of two that say different things of the same, nobody knows which is
    /// right.
    private static func distinct(_ rows: [(path: String, observation: Observation)], _ bad: inout BadRows)
        -> [Observation]
    {
        var first: [Place: Int] = [:]
        var isShared = Array(repeating: false, count: rows.count)
        for (index, row) in rows.enumerated() {
            guard let other = first[row.observation.place] else {
                first[row.observation.place] = index
                continue
            }
            let mismatch = JSONMismatch(
                path: row.path, expected: "one row for each app, release, environment and span",
                found: "the same as in \(rows[other].path); map what distinguishes them")
            bad.add(mismatch, of: row.observation.subject.app, rows: isShared[other] ? 1 : 2)
            isShared[other] = true
            isShared[index] = true
        }
        return zip(rows, isShared).compactMap { $1 ? nil : $0.observation }
    }

    /// What rows say that make sense.
    private func reading(
        _ observations: [Observation], measuredAt: Moment?, _ warnings: [String], for poll: Poll
    ) -> Reading {
        func age(_ observation: Observation) -> Moment { min(measuredAt ?? observation.span.to, observation.span.to) }
        guard let newest = observations.map(age).max() else { return .nothing }
        guard let maxAge else { return .observed(observations, measured: newest, warnings: warnings) }
        let fresh = observations.filter { age($0) >= poll.now - maxAge }
        if fresh.isEmpty { return .stale(measured: newest) }
        let lost = Set(observations.map(\.subject)).subtracting(fresh.map(\.subject)).sorted()
        return .observed(
            fresh, measured: newest,
            warnings: warnings
                + lost.prefix(AnswerLayout.warningsMax).map {
                    "the figures of \($0.app)\($0.release.map { " " + $0 } ?? "") are older than \(maxAge.grammar)"
                })
    }

    /// Warnings are for people.
    private static let warningsMax = 5

    fileprivate struct Place: Hashable {
        let subject: Subject
        let span: TimeSpan
    }

    /// The observation that a row holds; nil when it has no data.
    private func observation(
        _ row: JSONReader, _ measured: Moment?, _ poll: Poll, _ bad: inout BadRows,
        within budget: inout SelectionBudget
    ) throws(JSONMismatch) -> Observation? {
        var metrics = Metrics()
        for mapping in self.metrics { metrics[mapping.name] = try mapping.number(of: row, within: &budget) }
        guard !metrics.isEmpty else { return nil }
        if let flaw = metrics.flaw {
            throw JSONMismatch(path: row.path, expected: "plausible figures", found: flaw)
        }
        guard let span = try span(of: row, measured ?? poll.now, poll.now, within: &budget) else { return nil }
        let named = try app?.text(of: row, within: &budget).flatMap { $0.isEmpty ? nil : $0 }
        guard let name = named ?? fixedApp else {
            throw JSONMismatch(
                path: row.path, expected: "the name of an app", found: "none, and no 'app' in the config")
        }
        let subject = Subject(
            source: poll.source, app: name, release: try release?.text(of: row, within: &budget)?.unlessEmpty,
            environment: try environment?.text(of: row, within: &budget)?.unlessEmpty)
        let found = try issues?.issues(of: row, isStrict: isStrict, within: &budget)
        for flaw in found?.flaws ?? [] { bad.addIssue(flaw, of: name) }
        return Observation(
            subject: subject, span: span, seen: poll.now, isComplete: span.to <= poll.now, metrics: metrics,
            issues: found?.issues ?? [])
    }

    /// What a row covers; nil when it is mapped and not told.
    private func span(
        of row: JSONReader, _ end: Moment, _ now: Moment, within budget: inout SelectionBudget
    ) throws(JSONMismatch) -> TimeSpan? {
        let begins = try from?.moment(of: row, within: &budget)
        let ends = try to?.moment(of: row, within: &budget)
        if from != nil && begins == nil || to != nil && ends == nil { return nil }
        let until = ends ?? begins.map { $0 + span } ?? end
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
