internal import PluginKit

// Good news is weighed like bad news: that a release is no longer worse, and that it looks fine.

extension ReleaseDetector {
    // MARK: - Whether it is over

    /// Whether so few have the older release any more that what is seen of it in the same hours is mostly luck: of the
    /// doubt about the difference, nine tenths and more are about the older one.
    func isWorn(_ pair: Pair) -> Bool {
        basis == .sameHours && pair.old.total < pair.new.total * Self.wornShare
            && !(pair.difference >= worseBy && isCarried(pair))
    }

    private static let wornShare = 0.1

    /// The release with the one before it as that was while people used it. Nil where too little is known of it.
    func lately(_ new: Candidate, _ sight: Sight) -> Pair? {
        guard basis == .sameHours else { return nil }
        let releases = inOrder(sight.parts, withGone: true)
        guard let place = releases.lastIndex(where: { $0.subject == new.subject }) else { return nil }
        for part in releases[..<place].reversed() {
            guard let whole = course(part.series)?.whole, whole.tally.total >= volumeMin else { continue }
            let old = candidate(part.subject, name(part), whole.tally.rate, of: whole.tally.total, whole.span)
            return Pair(
                new: new, old: old, checks: checks(of: releases[place].series), basis: .lately(whole.span.length))
        }
        return nil
    }

    /// What has become of an incident when the older release is no measure of today any more. It opens nothing and makes
    /// nothing critical: the hours are not the same, and an outage would look like the release's own trouble.
    func goOn(_ open: Sight.Tracked, _ pair: Pair, _ sight: Sight) -> Finding {
        guard pair.new.isComplete else { return unknown(of: pair.new.subject, Self.incomplete) }
        guard pair.difference >= worseBy, pair.difference > 0 else {
            return isOver(open, pair, sight) ? finding(.ok(recovered: true), .far, pair) : notClear(pair)
        }
        return isCarried(pair) ? worse(open.severity, pair, sight) : tooFew(pair)
    }

    /// Whether the release would hardly look so good if it were still as much worse as it was.
    ///
    /// One look at few sessions of a release that is fading away, or at a quiet night, is no end: the older release is
    /// seen as it was over the last days, the newer one over all of the time since it became better, and what it was
    /// like before is what it was like since the incident began. As for an alarm, all checks of a day share the chance
    /// of a false end.
    func isOver(_ open: Sight.Tracked, _ pair: Pair, _ sight: Sight) -> Bool {
        let (new, old) = (course(pair.new.subject, sight), course(pair.old.subject, sight)?.whole)
        let span = pair.new.span
        var (now, was, usual) = (pair.new.tally, Tally(), pair.old.tally)
        if basis == .sameHours {
            let better = min(open.betterSince ?? span.to, span.to) - window
            now += new?.tally(from: better, to: span.from) ?? Tally()
            was = new?.tally(from: open.since - window, to: better) ?? Tally()
            if let old = old?.tally, old.total > usual.total { usual = old }
        }
        guard now.rate - usual.rate <= worseBy / 2, pair.new.rate - usual.rate <= worseBy / 2 else { return false }
        let worst = open.worst.flatMap { $0.metric == metric ? metric.bad(at: $0.value) : nil }
        let rate = was.total >= volumeMin ? was.rate : worst ?? 0
        let chance = Doubt(new: now, old: usual).chance(worseBy: max(worseBy, rate - usual.rate))
        return max(1, pair.checks) * chance <= 1 - confidence
    }

    // MARK: - Whether it looks fine

    /// Says that the release looks fine, where one that is worse by `worse_by` would hardly look as good as this one.
    ///
    /// A window seldom has enough of both for that, and with every new look there is another chance to be lucky. So both
    /// are compared over all the hours that they share, up to a week, and the looks at what grows so are counted.
    func fine(_ pair: Pair, _ sight: Sight) -> Finding? {
        guard reportsFine else { return nil }
        guard basis == .sameHours else {
            return isFine(pair.new.tally, pair.old.tally, looks: pair.checks) ? saysFine(pair) : nil
        }
        guard let new = course(pair.new.subject, sight), let old = course(pair.old.subject, sight),
            let same = SameSlots(new, old), isFine(same.new, same.old, looks: Self.looks),
            let span = TimeSpan(from: same.from, to: pair.new.span.to), !isWorse(pair.new, new, sight)
        else { return nil }
        return saysFine(
            Pair(
                new: candidate(pair.new.subject, pair.new.name, same.new.rate, of: same.newTotal, span),
                old: candidate(pair.old.subject, pair.old.name, same.old.rate, of: same.oldTotal, span),
                checks: pair.checks, basis: .sameHours(span.length)))
    }

    /// Whether it is certainly worse than one of the releases before it in the hours that both share: that it is better than a
    /// bad one makes it no good one.
    private func isWorse(_ new: Candidate, _ known: Course, _ sight: Sight) -> Bool {
        inOrder(sight.parts).prefix { $0.subject != new.subject }.contains { part in
            guard let course = course(part.series), let same = SameSlots(known, course), same.oldTotal >= volumeMin,
                let span = TimeSpan(from: same.from, to: new.span.to)
            else { return false }
            let pair = Pair(
                new: candidate(new.subject, new.name, same.new.rate, of: same.new.total, span),
                old: candidate(part.subject, name(part), same.old.rate, of: same.old.total, span), checks: 1,
                basis: .sameHours(span.length))
            return pair.difference >= worseBy && isCarried(pair)
        }
    }

    /// Sums that are looked at again and again while they grow from a few hours' to a week's are like each other: all
    /// looks are worth some twenty that have nothing to do with each other (Siegmund, Sequential Analysis, 1985, 4.3).
    private static let looks = 20.0

    private func isFine(_ new: Tally, _ old: Tally, looks: Double) -> Bool {
        max(1, looks) * Doubt(new: new, old: old).chance(worseBy: worseBy) <= 1 - confidence
    }

    // MARK: - What is known of a release

    private func course(_ series: Series) -> Course? { series.memory(Course.self, Course.Need(metric)) }

    private func course(_ release: Subject, _ sight: Sight) -> Course? {
        sight.parts.first { $0.subject == release }.flatMap { course($0.series) }
    }

    private func candidate(
        _ subject: Subject, _ name: String, _ rate: Double, of total: Double, _ span: TimeSpan
    ) -> Candidate {
        let value = metric.figure(atBad: rate)
        let hits = metric.failures == nil ? rate * total : total - rate * total
        return Candidate(
            subject: subject, name: name, figure: Figure(value: value, share: Share(hits: hits, of: total)), span: span,
            isComplete: true, bad: rate * total, total: total)
    }
}
