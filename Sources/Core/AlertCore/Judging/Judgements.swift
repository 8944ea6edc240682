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
        for rule in plan.detectors { judge(state, rule, at: now, where: isAsked, take) }
    }

    /// The same, of which so many are kept.
    public func judged(
        _ state: State, at now: Moment, most: Int, where isAsked: (Subject) -> Bool = { _ in true }
    ) -> Judgements {
        var all = Judgements(most: most)
        judge(state, at: now, where: isAsked) { all.add($0) }
        return all
    }

    /// What one rule thinks of that.
    func judge(
        _ state: State, _ rule: DetectorPlan, at now: Moment, where isAsked: (Subject) -> Bool, _ take: (Judged) -> Void
    ) {
        for sight in state.sights(of: rule, plan, where: isAsked) {
            for finding in rule.findings(in: sight, at: now) {
                let subject = finding.subject ?? sight.subject
                guard isAsked(subject) else { continue }
                let releases = rule.scope == .subject ? state.figures.series[subject]?.releasesSummed : nil
                take(
                    Judged(
                        rule: rule.name, subject: subject, key: finding.key,
                        judgement: releases.map(finding.judgement.summed) ?? finding.judgement,
                        noNewsSince: state.noNewsSince(subject, for: rule, plan, at: now)))
            }
        }
    }
}
