internal import PluginKit

// Which two releases are compared, and what of them.

extension ReleaseDetector {
    /// A release with its figure.
    struct Candidate {
        let subject: Subject
        let name: String
        let figure: Figure
        let span: TimeSpan
        let isComplete: Bool
        let bad: Double
        let total: Double

        var rate: Double { bad / total }
    }

    /// The newest release and the one before it.
    struct Pair {
        let new: Candidate
        let old: Candidate
        /// How many checks share the chance of a false alarm: those of a day, or the stages of the release so far.
        let checks: Double
    }

    /// Releases in sight, the newest last: by their versions, or where some have none by when they were first seen.
    func inOrder(_ parts: [Sight.Entry]) -> [Sight.Entry] {
        let named = parts.filter { !($0.subject.release ?? "").isEmpty && !$0.series.samples.isEmpty }
        guard let newest = named.compactMap(\.series.samples.last?.span.to).max() else { return [] }
        // One that nobody uses any more is no measure of today.
        let present = named.filter {
            basis == .sameAdoption || ($0.series.samples.last?.span.to ?? .earliest) > newest - window
        }
        let versions = present.compactMap { part in Version(part.subject.release ?? "").map { (part, $0) } }
        guard versions.count < present.count else { return versions.sorted { $0.1 < $1.1 }.map(\.0) }
        return present.sorted { left, right in
            let (a, b) = (left.series.firstSeen, right.series.firstSeen)
            return (a ?? .earliest, left.subject) < (b ?? .earliest, right.subject)
        }
    }

    /// A release with its figure over the window.
    func current(_ part: Sight.Entry) -> Candidate? {
        guard let measured = part.series.measured(metric, over: window), let share = measured.figure.share,
            share.total > 0
        else { return nil }
        let bad = metric.failures == nil ? share.hits : share.total - share.hits
        return Candidate(
            subject: part.subject, name: name(part), figure: measured.figure, span: measured.span,
            isComplete: measured.isComplete, bad: bad, total: share.total)
    }

    private func name(_ part: Sight.Entry) -> String { (part.subject.release ?? "").tamed.clipped(to: 80) }

    func overSameHours(_ new: Candidate, _ series: Series, _ before: some Sequence<Sight.Entry>) -> Pair? {
        // Each check spends the part of the day that has passed since the one before.
        let checks = series.sampleSpacing.map { Duration.days(1).inSeconds / max($0.inSeconds, 1) } ?? checksPerDay
        return before.lazy.compactMap { current($0) }.first { $0.total >= volumeMin && overlaps($0, new) }
            .map { Pair(new: new, old: $0, checks: checks) }
    }

    /// Whether both were measured over hours that are mostly the same.
    func overlaps(_ one: Candidate, _ other: Candidate) -> Bool {
        let common = min(one.span.to, other.span.to) - max(one.span.from, other.span.from)
        return common.inSeconds >= min(one.span.length, other.span.length).inSeconds / 2
    }

    /// The last stage that both have reached; only of releases that the bot has seen come out.
    func atSameAdoption(
        _ new: Candidate, _ newest: Series, _ before: some Sequence<Sight.Entry>, _ sight: Sight
    ) -> Pair? {
        let watch = (sight.parts.map(\.series) + [sight.series]).compactMap(\.firstSeen).min()
        guard let watch, newest.firstSeen ?? watch > watch else { return nil }
        let stages = newest.memory(Launch.self).stages
        for part in before where part.series.firstSeen ?? watch > watch {
            let others = part.series.memory(Launch.self).stages
            for stage in stages.reversed() {
                guard let other = others.first(where: { $0.level == stage.level }),
                    let young = candidate(stage, new.subject, new.name, new.span),
                    let old = candidate(other, part.subject, name(part), new.span)
                else { continue }
                return Pair(new: young, old: old, checks: Double(stage.level + 1))
            }
        }
        return nil
    }

    private func candidate(_ stage: Launch.Stage, _ subject: Subject, _ name: String, _ span: TimeSpan) -> Candidate? {
        guard stage.sessions > 0 else { return nil }
        let good = stage.sessions - stage.crashed
        let figure = Figure(value: good / stage.sessions, share: Share(hits: good, of: stage.sessions))
        return Candidate(
            subject: subject, name: name, figure: figure, span: span, isComplete: true, bad: stage.crashed,
            total: stage.sessions)
    }

    func why(isUnjudged part: Sight.Entry) -> String {
        guard let measured = part.series.measured(metric, over: window) else {
            return "there is no figure for \(metric.title)"
        }
        guard let share = measured.figure.share else {
            return "the source gives \(metric.title) without the number of \(noun)"
        }
        return "not enough \(noun) yet: \(share.total.plain) in \(measured.span.length.short), "
            + "min_volume is \(volumeMin.plain)"
    }
}
