public import PluginKit

/// What a rule thinks of one subject.
public struct Judged: Sendable {
    /// What concerns people more comes first.
    public enum Rank: Int, Sendable, CaseIterable {
        case firing, unknown
        /// Fine by the last figures, which are too old to be believed.
        case silent
        case fine
    }

    public let rule: String
    public let subject: Subject
    public let key: String?
    public let judgement: Judgement
    /// When the figures behind the judgement were last known to hold, where that is too long ago to be believed.
    public let noNewsSince: Moment?

    var identity: IncidentKey { IncidentKey(rule: rule, subject: subject, key: key) }

    public var rank: Rank {
        switch judgement.verdict {
        case .firing: .firing
        case .unknown: .unknown
        case .ok: noNewsSince == nil ? .fine : .silent
        }
    }
}

/// What the rules think of any number of things, of which so many are kept: of a list that is cut, what is fine is
/// missing first, and nothing without being counted.
public struct Judgements: Sendable {
    private let most: Int
    private var ranked: [[(place: Int, judged: Judged)]] = Judged.Rank.allCases.map { _ in [] }
    private var counts = Judged.Rank.allCases.map { _ in 0 }

    public init(most: Int) { self.most = most }

    public mutating func add(_ judged: Judged) {
        let rank = judged.rank.rawValue
        if ranked[rank].count < most { ranked[rank].append((counts.reduce(0, +), judged)) }
        counts[rank] += 1
    }

    /// In the order in which they were given.
    public var kept: [Judged] {
        ranked.joined().prefix(most).sorted { $0.place < $1.place }.map(\.judged)
    }

    /// How many are not among those.
    public var leftOut: Int { counts.reduce(0, +) - min(counts.reduce(0, +), most) }

    /// How many of a rank are not among those.
    public func leftOut(_ rank: Judged.Rank) -> Int {
        let before = counts.prefix(rank.rawValue).reduce(0, +)
        return counts[rank.rawValue] - min(counts[rank.rawValue], max(0, most - before))
    }
}

extension Core {
    /// What the rules think of what the bot has seen, without what would come of it: one after the other, so that whoever
    /// keeps some of it need not have room for all.
    ///
    /// - Parameter isAsked: whether somebody wants to know of this app of a source, or of its parts.
    public func judge(
        _ state: State, at now: Moment, where isAsked: (Subject) -> Bool = { _ in true }, _ take: (Judged) -> Void
    ) {
        let open = state.openIncidentsByRule
        for rule in plan.detectors { judge(state, rule, open[rule.name] ?? [], at: now, where: isAsked, take) }
    }

    /// The same, of which so many are kept.
    public func judged(
        _ state: State, at now: Moment, most: Int, where isAsked: (Subject) -> Bool = { _ in true }
    ) -> Judgements {
        var all = Judgements(most: most)
        judge(state, at: now, where: isAsked) { all.add($0) }
        return all
    }

    /// What one rule thinks of that: of what it has said already, too, where it has nothing new to say of it, as of an issue
    /// that the newest answer does not name.
    ///
    /// - Parameter open: its open incidents.
    func judge(
        _ state: State, _ rule: DetectorPlan, _ open: [Incident], at now: Moment, where isAsked: (Subject) -> Bool,
        _ take: (Judged) -> Void
    ) {
        var unmet = Dictionary(open.map { ($0.identity, $0) }) { first, _ in first }
        // Of a source that the config does not have nothing more comes, and what is kept of it is no news.
        for sight in state.sights(of: rule, plan, where: { plan.source($0.source) != nil && isAsked($0) }) {
            for finding in rule.findings(in: sight, at: now) {
                let subject = finding.subject ?? sight.subject
                guard isAsked(subject) else { continue }
                let identity = IncidentKey(rule: rule.name, subject: subject, key: finding.key)
                let silentSince = state.noNewsSince(subject, for: rule, plan, at: now)
                if let incident = unmet.removeValue(forKey: identity), silentSince != nil,
                    incident.rests(onNewerThan: finding.judgement)
                {
                    take(Judged(incident, noNewsSince: nil))
                    continue
                }
                let releases = rule.scope == .subject ? state.figures.series[subject]?.releasesSummed : nil
                take(
                    Judged(
                        rule: rule.name, subject: subject, key: finding.key,
                        judgement: releases.map(finding.judgement.summed) ?? finding.judgement,
                        noNewsSince: silentSince))
            }
        }
        // What the config has no place for has ended with it; of a source that is gone nothing is judged.
        for incident in unmet.values.map(\.self).inOrder where isAsked(incident.subject) {
            guard plan.source(incident.subject.source) != nil else { continue }
            take(Judged(incident, noNewsSince: state.noNewsSince(incident.subject, for: rule, plan, at: now)))
        }
    }
}

extension Judged {
    /// What a rule has said of something, as it stands.
    fileprivate init(_ incident: Incident, noNewsSince: Moment?) {
        let verdict: Judgement.Verdict =
            incident.state == .recovering ? .ok(recovered: false) : .firing(incident.severity)
        self.init(
            rule: incident.rule, subject: incident.subject, key: incident.key,
            judgement: Judgement(verdict, .between, incident.evidence), noNewsSince: noNewsSince)
    }
}

extension State {
    /// What is open, by the rule that has said it.
    var openIncidentsByRule: [String: [Incident]] {
        Dictionary(grouping: incidents.all.filter(\.isOpen), by: \.rule)
    }
}

extension Incident {
    /// Whether a judgement that finds all well is of an earlier time than what the incident rests on: the last row of an app
    /// that has vanished says nothing against that it has.
    func rests(onNewerThan judgement: Judgement) -> Bool {
        guard case .ok = judgement.verdict, let span = judgement.evidence.span, let own = evidence.span else {
            return false
        }
        return isOpen && span.to < own.to
    }
}
