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
        /// How many users the bad cases are of at most, where that is known: one whose app crashes at every start is one.
        var crashers: Double?

        var rate: Double { bad / total }
        /// Whether more than one is hit.
        var hitsSeveral: Bool { min(bad, crashers ?? bad).rounded() >= 2 }
        var tally: Tally { Tally(bad: bad, of: total) }
    }

    /// The newest release and the one before it.
    struct Pair {
        let new: Candidate
        let old: Candidate
        /// How many checks share the chance of a false alarm: those of a day, or the stages of the release so far.
        let checks: Double
        let basis: Ground

        var difference: Double { new.rate - old.rate }
    }

    /// What two releases have in common that are compared.
    enum Ground: Hashable {
        case sameHours(Duration)
        case sameAdoption
        /// Nothing: the older one is seen as it was for so long.
        case lately(Duration)
    }

    /// Two releases, or what there is none for or is waited for.
    enum Choice {
        case pair(Pair)
        case none(String)

        var pair: Pair? { if case .pair(let pair) = self { pair } else { nil } }
    }

    /// Releases in sight, the newest last: by their versions, or where some have none by when they were first seen.
    ///
    /// - Parameter withGone: whether those that nobody uses any more are among them; they are no measure of today.
    func inOrder(_ parts: [Sight.Entry], withGone: Bool = false) -> [Sight.Entry] {
        let named = parts.filter { !($0.subject.release ?? "").isEmpty && !$0.series.samples.isEmpty }
        guard let newest = named.compactMap(\.series.samples.last?.span.to).max() else { return [] }
        let present = named.filter {
            withGone || basis == .sameAdoption
                || ($0.series.samples.last?.span.to ?? .earliest) > newest - window
        }
        let versions = present.compactMap { part in Version(part.subject.release ?? "").map { (part, $0) } }
        guard versions.count < present.count else { return Version.inOrder(versions) }
        return present.sorted { left, right in
            let (a, b) = (left.series.firstSeen, right.series.firstSeen)
            return (a ?? .earliest, left.subject) < (b ?? .earliest, right.subject)
        }
    }

    /// A release with its figure.
    ///
    /// - Parameter hours: the hours of another release that it is compared with; nil for the window.
    func current(_ part: Sight.Entry, over hours: TimeSpan? = nil) -> Candidate? {
        guard let measured = measured(part.series, over: hours), let tally = metric.tally(of: measured.figure),
            tally.total > 0
        else { return nil }
        return Candidate(
            subject: part.subject, name: name(part), figure: measured.figure, span: measured.span,
            isComplete: measured.isComplete, bad: tally.bad, total: tally.total,
            crashers: crashers(of: tally.bad, in: part.series, over: measured.span))
    }

    /// The crashed users of all spans within another: the same one may be among those of several. Nil where they are not
    /// known, or cannot be those of all sessions, as where only who logs in is known as a user.
    private func crashers(of sessions: Double, in series: Series, over span: TimeSpan) -> Double? {
        guard metric == .crashFreeSessions else { return nil }
        let within = series.samples.filter { $0.span.from >= span.from && $0.span.to <= span.to }
        let counts = within.compactMap { $0.metrics[.crashedUsers] }
        let areFew = within.contains { sample in
            guard let users = sample.metrics[.users], let all = sample.metrics[.sessions] else { return false }
            return users * Self.sessionsOfAUserMax < all
        }
        let crashers = counts.reduce(0, +)
        let most = CrashLoop.sessionsPerMinute * span.length.inSeconds / 60
        guard !areFew, counts.count == within.count, crashers > 0, sessions / crashers <= most else { return nil }
        return crashers
    }

    /// Nobody starts an app more often in a window, on average.
    private static let sessionsOfAUserMax = 10.0

    /// Users of some hours do not add up, so theirs are those that the source counted, whatever hours they are of.
    func measured(_ series: Series, over hours: TimeSpan?) -> Series.Measured? {
        guard let hours, metric.adds else { return series.measured(metric, over: window) }
        return series.measured(metric, within: hours)
    }

    func name(_ part: Sight.Entry) -> String { (part.subject.release ?? "").tamed.clipped(to: 80) }

    func overSameHours(
        _ new: Candidate, _ newest: Series, _ before: some Sequence<Sight.Entry>, _ sight: Sight
    ) -> Choice {
        let checks = checks(of: newest)
        var wait: String?
        for part in before {
            guard let old = current(part, over: new.span), old.total >= volumeMin else { continue }
            guard isOfSameHours(old, new), youth(part.series, in: old.span, besides: newest, sight) == nil else {
                wait =
                    wait ?? "waiting for figures of the same hours: it has \(new.span.length.short), "
                    + "\(old.name) has \(old.span.length.short)"
                continue
            }
            if let out = youth(newest, in: new.span, besides: part.series, sight) {
                return .none(
                    "waiting until it has been out for half of the \(new.span.length.short) that are compared: "
                        + "\(out.short) so far")
            }
            return .pair(Pair(new: new, old: old, checks: checks, basis: .sameHours(new.span.length)))
        }
        return .none(wait ?? "no earlier release has figures for the same hours")
    }

    /// Each check spends the part of the day that has passed since the one before.
    func checks(of series: Series) -> Double {
        series.sampleSpacing.map { Duration.days(1).inSeconds / max($0.inSeconds, 1) } ?? checksPerDay
    }

    /// Whether both were measured over about the same hours: they differ by a poll or so.
    func isOfSameHours(_ one: Candidate, _ other: Candidate) -> Bool {
        let common = min(one.span.to, other.span.to) - max(one.span.from, other.span.from)
        return common >= max(one.span.length, other.span.length).scaled(by: Self.commonMin)
    }

    private static let commonMin = 0.75

    /// How long a release can have been out by the end of a span, where that is less than half of it: what the source
    /// measured in one piece is then of other hours than it says. Nil where the release was there before the bot.
    private func youth(_ series: Series, in span: TimeSpan, besides other: Series, _ sight: Sight) -> Duration? {
        guard let first = series.firstSeen, let watch = watch(sight), first > watch, let newest = series.samples.last,
            let oldest = series.samples.first
        else { return nil }
        // What is told late was there as much earlier, and it may have come right after the look before.
        let seen = min(first - (newest.seen - newest.span.to), oldest.span.to)
        let out = span.to - (seen - (other.sampleSpacing ?? .zero))
        return out < span.length.scaled(by: Self.partMin) ? out : nil
    }

    private static let partMin = 0.5

    /// When the bot first saw anything of the app.
    private func watch(_ sight: Sight) -> Moment? {
        (sight.parts.map(\.series) + [sight.series]).compactMap(\.firstSeen).min()
    }

    /// The last stage that both have reached; only of releases that the bot has seen come out.
    func atSameAdoption(
        _ new: Candidate, _ newest: Series, _ before: some Sequence<Sight.Entry>, _ sight: Sight
    ) -> Choice {
        let lack = Choice.none("it and an earlier release have reached no stage in common since they came out")
        guard let watch = watch(sight), newest.firstSeen ?? watch > watch else { return lack }
        let stages = newest.memory(Launch.self).stages
        for part in before where part.series.firstSeen ?? watch > watch {
            let others = part.series.memory(Launch.self).stages
            for stage in stages.reversed() {
                guard let other = others.first(where: { $0.level == stage.level }),
                    let young = candidate(stage, new.subject, new.name, new.span),
                    let old = candidate(other, part.subject, name(part), new.span)
                else { continue }
                return .pair(
                    Pair(new: young, old: old, checks: Double(stage.level + 1), basis: .sameAdoption))
            }
        }
        return lack
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
