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
        do {
            return try reading(of: answer, for: poll)
        } catch {
            throw PollFailure(error)
        }
    }

    private func reading(of answer: JSONReader, for poll: Poll) throws(JSONMismatch) -> Reading {
        var budget = SelectionBudget()
        var measuredAt: Moment?
        if let measured {
            measuredAt = try measured.moment(of: answer, within: &budget)
            // Mapped, but not told: nothing was measured yet.
            if measuredAt == nil { return .nothing }
        }
        var observations: [Observation] = []
        var places: [Place: String] = [:]
        for row in try each.rows(of: answer, within: &budget) {
            guard let observation = try observation(row, measuredAt, poll, within: &budget) else { continue }
            let place = Place(subject: observation.subject, span: observation.span)
            if let other = places.updateValue(row.path, forKey: place) {
                throw JSONMismatch(
                    path: row.path, expected: "one row for each app, release, environment and span",
                    found: "the same as in \(other); map what distinguishes them")
            }
            observations.append(observation)
        }
        func age(_ observation: Observation) -> Moment { min(measuredAt ?? observation.span.to, observation.span.to) }
        guard let newest = observations.map(age).max() else { return .nothing }
        guard let maxAge else { return .observed(observations, measured: newest, warnings: []) }
        let fresh = observations.filter { age($0) >= poll.now - maxAge }
        if fresh.isEmpty { return .stale(measured: newest) }
        let lost = Set(observations.map(\.subject)).subtracting(fresh.map(\.subject)).sorted()
        return .observed(
            fresh, measured: newest,
            warnings: lost.prefix(AnswerLayout.warningsMax).map {
                "the figures of \($0.app)\($0.release.map { " " + $0 } ?? "") are older than \(maxAge.grammar)"
            })
    }

    /// Warnings are for people.
    private static let warningsMax = 5

    private struct Place: Hashable {
        let subject: Subject
        let span: TimeSpan
    }

    /// The observation that a row holds; nil when it has no data.
    private func observation(
        _ row: JSONReader, _ measured: Moment?, _ poll: Poll, within budget: inout SelectionBudget
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
        return Observation(
            subject: subject, span: span, seen: poll.now, isComplete: span.to <= poll.now, metrics: metrics,
            issues: try issues?.issues(of: row, within: &budget) ?? [])
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
    /// The issues of a row, at most as many as are kept.
    fileprivate func issues(of row: JSONReader, within budget: inout SelectionBudget) throws(JSONMismatch) -> [Issue] {
        var issues: [Issue] = []
        for reader in try each.rows(of: row, within: &budget).prefix(Issue.countMax) {
            guard let id = try id.text(of: reader, within: &budget)?.unlessEmpty else { continue }
            let events = try self["events"]?.number(of: reader, within: &budget)
            let users = try self["users"]?.number(of: reader, within: &budget)
            for (name, count) in [("events", events), ("users", users)] {
                guard let count, !(count >= 0 && count.isFinite) else { continue }
                throw JSONMismatch(path: reader.path, expected: "a count of \(name), 0 or more", found: "\(count)")
            }
            // Titles come from crashing programs and may be whole stack traces: cut, not refused.
            let title = try self["title"]?.text(of: reader, bytesMax: .max, within: &budget) ?? ""
            issues.append(
                Issue(
                    id: id, title: title.clipped(to: Issue.titleCharactersMax),
                    events: events, users: users,
                    firstSeen: try self["first_seen"]?.moment(of: reader, within: &budget),
                    lastSeen: try self["last_seen"]?.moment(of: reader, within: &budget),
                    release: try self["release"]?.text(of: reader, within: &budget)?.unlessEmpty,
                    status: try self["status"]?.text(of: reader, within: &budget)?.unlessEmpty,
                    url: try self["url"]?.text(of: reader, within: &budget)?.unlessEmpty))
        }
        return issues
    }
}

extension String {
    fileprivate var unlessEmpty: String? { isEmpty ? nil : self }
}
