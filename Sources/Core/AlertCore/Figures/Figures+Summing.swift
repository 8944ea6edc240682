internal import PluginKit

// Where a source names a release on every line and gives no app as a whole, sessions are summed up over the releases.
// Of users one may be in two releases, so they never are.

/// What one answer said of releases: the spans of each app.
struct Parts {
    /// Each with its spans, oldest first, in the order in which they were named.
    var inOrder: [(app: Subject, spans: [TimeSpan])] {
        apps.map { app in
            (app, (spans[app] ?? []).sorted { ($0.to, $0.from) < ($1.to, $1.from) })
        }
    }

    private var apps: [Subject] = []
    private var spans: [Subject: Set<TimeSpan>] = [:]

    mutating func note(_ observation: Observation) {
        guard observation.subject.release != nil, observation.metrics[.sessions] != nil else { return }
        let app = observation.subject.whole
        if spans[app]?.insert(observation.span) == nil {
            apps.append(app)
            spans[app] = [observation.span]
        }
    }
}

extension Figures {
    /// Sums up what the releases of an app had in spans of which something new was said; gives back whether there is a
    /// sum.
    ///
    /// The sum is a fact of its own, so that a replay need not know how it came about. It costs as much as the app has
    /// releases that were heard of within a week, of which there are at most a thousand.
    ///
    /// - Parameters:
    ///   - isSure: whether the answer had all that there is; else each release that is known must have been in it.
    ///   - kept: how long figures of its source are kept for rules.
    ///   - rules: those that may concern its source.
    ///   - reach: since when figures of the app are kept that are older than rules read.
    mutating func sumUp(
        _ app: Subject, over spans: [TimeSpan], _ isSure: Bool, keeping kept: Retention, _ rules: [DetectorPlan],
        reach: Moment?, at now: Moment, _ output: inout Output
    ) -> Bool {
        // Without a sum before, nobody knows which releases there are.
        guard isSure || series[app]?.releasesSummed != nil else { return false }
        // What a source says of the whole itself counts, for as long as it is kept.
        guard releaseCount(of: app) <= Figures.releasesMax,
            series[app].map({
                $0.releasesSummed != nil || !$0.hasFigures || now - $0.figuresSeen > Figures.wholeStandsFor
            }) ?? true
        else { return false }
        var retention = kept
        if let reach, mayReachBack(app) { retention.reach = reach }
        let parts = releases(of: app).compactMap { series[$0] }.filter(\.hasFigures)
        // What is older is not kept of every release, and releases that ended before are forgotten.
        guard let newest = parts.compactMap(\.samples.last?.span.to).max() else { return false }
        let lookedBack = newest - retention.lookback
        let horizon = max(
            min(lookedBack, retention.reach ?? lookedBack), now - Figures.lifetime + Observation.clockSlackMax)
        var hasSum = false
        for span in spans where span.to > horizon || span.to == newest {
            guard let (sum, count) = Figures.sum(of: parts, over: span, isSure, as: app, known: series[app])
            else { continue }
            var observation = sum
            guard let learning = prepare(&observation, isSum: true, rules, at: now, &output) else { continue }
            for fact in learning { record(fact, &output) }
            record(.summed(observation, over: count, keeping: retention), &output)
            hasSum = true
        }
        return hasSum
    }

    /// The sum over that very span, and of how many releases; nil where it would not be of them all.
    ///
    /// - Parameter known: what is known of the whole so far.
    private static func sum(
        of parts: [Series], over span: TimeSpan, _ isSure: Bool, as app: Subject, known: Series?
    ) -> (Observation, count: Int)? {
        var (sessions, crashed) = (0.0, 0.0)
        var knowsCrashes = true
        var found: [(sample: Series.Sample, series: Series)] = []
        for part in parts {
            guard let sample = part.sample(of: span) else { continue }
            guard let own = sample.metrics[.sessions] else { return nil }
            sessions += own
            if let share = sample.metrics.figure(.crashFreeSessions)?.share {
                crashed += sample.metrics[.crashedSessions] ?? share.total - share.hits
            } else if own > 0 {
                knowsCrashes = false
            }
            found.append((sample, part))
        }
        // What is known today must not be lost because one release does not tell.
        let before = known?.samples.last?.metrics
        guard let first = found.first, knowsCrashes || before?[.crashedSessions] == nil,
            !isPartOfMore(span, sessions, parts, isSure)
        else { return nil }
        var metrics: Metrics = [.sessions: sessions]
        if knowsCrashes { metrics[.crashedSessions] = crashed }
        let sum = Observation(
            subject: app, span: span, seen: found.reduce(first.sample.seen) { max($0, $1.sample.seen) },
            isComplete: found.allSatisfy(\.sample.isComplete), metrics: metrics,
            labels: found.dropFirst().reduce(first.series.labels) { common, part in
                common.filter { part.series.labels[$0.key] == $0.value }
            })
        return (sum, found.count)
    }

    /// Whether releases of which nothing is known in that span would change the sum.
    ///
    /// A line may be missing in one answer, may come a moment later, or may be of another span. A release that was
    /// there in the last look but one, or in the last, is waited for; one that was there before has gone, unless the answer
    /// does not have all that there is.
    private static func isPartOfMore(
        _ span: TimeSpan, _ sessions: Double, _ parts: [Series], _ isSure: Bool
    ) -> Bool {
        let before = parts.map { (part: $0, sample: $0.sample(before: span, knowing: .sessions)) }
        // While the source itself was away, nobody has gone.
        let lastLook = before.compactMap(\.sample?.span.to).max() ?? span.from
        let look = min(span.from, lastLook)
        var missing = 0.0
        for (part, sample) in before where part.sample(of: span) == nil {
            if let sample {
                let waitsUntil = sample.span.to + sample.span.length.scaled(by: Figures.looksWaited)
                guard waitsUntil > look || !isSure else { continue }
                let share = min(1, span.length.inSeconds / sample.span.length.inSeconds)
                missing += (sample.metrics[.sessions] ?? 0) * share
            } else if let first = part.oldestSample, first.span.to > span.to, part.firstSeen != first.seen {
                // What it had then is not kept any more.
                missing += first.metrics[.sessions] ?? 0
            }
        }
        let share = isSure ? Figures.shareMissed : Figures.shareLeftOut
        return missing >= Figures.sessionsMissedMin && missing > share * (sessions + missing)
    }

    /// An app with more releases than this within a week names something else so, and each look would cost as much.
    private static let releasesMax = 1000
    /// So many of its own spans a release is waited for that is in no answer any more.
    private static let looksWaited = 2.0
    /// With fewer sessions than this in the span before, none in the next is no wonder.
    private static let sessionsMissedMin = 10.0
    /// What makes up less than this changes a rate by less than anybody is told of.
    private static let shareMissed = 0.1
    /// Of what is left out because it makes no sense, for as long as that lasts, all may have crashed: a tenth of a point.
    private static let shareLeftOut = 0.001

    // MARK: - Who is judged

    /// Whether a rule judges others in the subject's place, for one trouble would be told many times.
    ///
    /// A rule that does not ask for releases judges an app as a whole where there is one: as its source gives it, or
    /// where the rule reads nothing but sessions, as the sum. Where that sum does not come about any more, each release
    /// is judged by itself again.
    ///
    /// - Parameter known: the subject's own series, which whoever asks has at hand.
    func isPassedOver(_ subject: Subject, _ known: Series?, by rule: DetectorPlan) -> Bool {
        guard subject.release != nil else {
            guard rule.scope == .subject, let whole = known else { return false }
            guard whole.releasesSummed != nil else { return hasReleasesJudged(of: subject, whole, by: rule) }
            // Sums have no issues: those are the source's own word of the whole.
            if rule.detector.readsIssues, !whole.issues.isEmpty { return false }
            return !rule.judgesSum(of: whole.samples.last?.metrics ?? [:])
        }
        // One that judges an app with its releases judges no other in their place.
        guard rule.scope == .subject, rule.match["release"] == nil, let whole = series[subject.whole] else {
            return false
        }
        // Issues of the whole are no figures of it, and stand for nobody's.
        guard whole.releasesSummed != nil else {
            return whole.hasFigures
                && known.map { $0.figuresSeen - whole.figuresSeen <= Figures.wholeStandsFor } ?? true
        }
        guard let sum = whole.samples.last, rule.judgesSum(of: sum.metrics) else { return false }
        guard let own = known?.samples.last?.span else { return true }
        return own.to - sum.span.to <= max(Figures.sumLagMax, own.length.scaled(by: Figures.looksWaited))
    }

    /// Whether a rule that asks for releases finds some of an app that its source gives as a whole, too.
    private func hasReleasesJudged(of app: Subject, _ whole: Series, by rule: DetectorPlan) -> Bool {
        guard rule.match["release"] != nil, !rule.detector.readsIssues || whole.issues.isEmpty else { return false }
        return unordered(releasesOf: app).contains { release in
            series[release].map { $0.hasFigures && whole.figuresSeen - $0.figuresSeen <= Figures.wholeStandsFor }
                ?? false
        }
    }

    /// How long an app as a whole, as its source gave it, stands for releases that have newer figures: some give it once a
    /// day.
    private static let wholeStandsFor = Duration.days(2)

    /// How far a sum may be behind a release before it stands for it no more.
    private static let sumLagMax = Duration.hours(2)

    /// The issues of all releases of an app, those of most users first.
    func issues(ofReleasesOf app: Subject) -> [Issue] {
        var largest: [String: Issue] = [:]
        for issue in releases(of: app).flatMap({ series[$0]?.issues ?? [] }) {
            if let known = largest[issue.id], !issue.isLarger(than: known) { continue }
            largest[issue.id] = issue
        }
        return largest.values.sorted { $0.isLarger(than: $1) }
    }
}

extension Issue {
    /// Whether it troubles more users, or as many more often.
    func isLarger(than other: Issue) -> Bool {
        (users ?? 0, events ?? 0, other.id) > (other.users ?? 0, other.events ?? 0, id)
    }
}
