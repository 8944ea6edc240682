public import PluginKit

/// A detector that compares the newest release of an app with the one before it, over the same hours.
///
/// It fires when the newer one is worse by more than luck can explain, counting every look of a day, and says what that
/// costs the whole app.
public struct ReleaseRule: Detector {
    public static let manifest = PluginManifest(
        name: "release", summary: "Fires when the newest release is worse than the one before it.",
        options: [
            OptionSpec(
                "metric",
                .choice([MetricName.crashFreeUsers, MetricName.crashFreeSessions, MetricName.anrRate]),
                default: MetricName.crashFreeUsers, "The metric to compare; its counts must be known."),
            OptionSpec("worse_by", .points, default: "0.1pp", "A release that is worse by less is not told."),
            OptionSpec("critical", .points, "A release that is worse by this much is critical."),
            OptionSpec(
                "window", .duration(.minutes(30) ... .days(30)), default: "6h", "The hours over which both are judged."),
            OptionSpec("for", .duration(.zero ... .days(7)), default: "0s", "How long it must hold before it counts."),
            OptionSpec(
                "confidence", .percentage, default: "95%",
                "Of days on which both releases are alike, the share without an alarm."),
            OptionSpec(
                "min_volume", .integer(1...1_000_000_000), default: "50",
                "A release with fewer users (or sessions) is not compared."),
            OptionSpec(
                "report_fine", .flag, default: "false",
                "Whether to say once, as info, that a new release looks fine so far."),
            OptionSpec(
                "severity", .choice(Severity.allCases.map(\.rawValue)), default: "warning",
                "How bad it is below 'critical'."),
        ])
    /// A release that is out stays out: it is told once, and `repeat` asks for reminders.
    public static let isWorthReminding = false

    private let metric: String
    private let nature: MetricNature
    private let worseBy: Double
    private let critical: Double?
    private let window: Duration
    private let confidence: Double
    private let volumeMin: Double
    private let reportsFine: Bool
    private let severity: Severity
    private let looksPerDay: Double

    public let holdTime: Duration

    public init(options: Options, context: RuleContext) throws(ProblemList) {
        metric = options.plain("metric") ?? MetricName.crashFreeUsers
        nature = MetricNature(of: metric)
        worseBy = options.fraction("worse_by") ?? 0.001
        critical = options.fraction("critical")
        window = options.duration("window") ?? .hours(6)
        holdTime = options.duration("for") ?? .zero
        confidence = options.fraction("confidence") ?? 0.95
        volumeMin = Double(options.integer("min_volume") ?? 50)
        reportsFine = options.flag("report_fine") ?? false
        severity = options.severity("severity") ?? .warning
        looksPerDay = context.looksPerDay
        var problems: [Problem] = []
        if !(0.5..<1).contains(confidence) {
            problems.append(
                Problem(
                    options.position(of: "confidence"), "the confidence must be at least 50% and below 100%",
                    suggestion: "95%"))
        }
        if let critical, critical <= worseBy {
            problems.append(
                Problem(
                    options.position(of: "critical"),
                    "'critical' (\(critical.points)) must be more than 'worse_by' (\(worseBy.points))"))
        }
        if worseBy == 0, reportsFine {
            problems.append(
                Problem(
                    options.position(of: "report_fine"), "no figures can show that a release is not worse at all",
                    advice: "write a 'worse_by' such as 0.1pp"))
        }
        guard problems.isEmpty else { throw ProblemList(problems) }
    }

    public var metrics: [String] { [metric] }
    public var lookback: Duration { window }
    public var spans: [Duration] { [window] }
    public var scope: DetectorScope { .app }

    /// The key of the incident that says "looks fine so far".
    static let fineKey = "fine"

    /// A release with its figure over the window.
    private struct Candidate {
        let subject: Subject
        let name: String
        let series: Series
        let measured: Series.Measured
        let bad: Double
        let total: Double

        var rate: Double { bad / total }
    }

    public func findings(in sight: Sight, at now: Moment) -> [Finding] {
        let releases = inOrder(sight.parts)
        guard let newest = releases.last else { return [] }
        guard let new = candidate(newest), new.total >= volumeMin else {
            // Until it has users, whatever is told of the one before stands.
            return [unknown(of: newest.subject, why(isUnjudged: newest))]
        }
        var findings = replaced(sight, by: new)
        guard
            let old = releases.dropLast().reversed().lazy.compactMap({ candidate($0) }).first(where: {
                $0.total >= volumeMin && overlaps($0, new)
            })
        else {
            findings.append(
                unknown(of: new.subject, "no release before it has figures of the same hours to compare with"))
            return findings
        }
        guard new.measured.isComplete, old.measured.isComplete else {
            findings.append(unknown(of: new.subject, "the span is not complete yet"))
            return findings
        }
        return findings + compare(new, with: old, sight)
    }

    private func compare(_ new: Candidate, with old: Candidate, _ sight: Sight) -> [Finding] {
        let difference = new.rate - old.rate
        var evidence = Evidence(
            metric: metric, figure: new.measured.figure, limit: limit(old), span: new.measured.span,
            sentence: words(new, old))
        func finding(_ verdict: Judgement.Verdict, _ closeness: Judgement.Closeness) -> Finding {
            Finding(Judgement(verdict, closeness, evidence), about: new.subject)
        }
        let isTracked = sight.tracked.contains { $0.subject == new.subject && $0.key == nil }
        let saidFine = sight.tracked.contains { $0.subject == new.subject && $0.key == ReleaseRule.fineKey }
        guard difference >= worseBy, difference > 0 else {
            let closeness: Judgement.Closeness = difference > worseBy / 2 ? .between : .far
            let verdict = finding(.ok(recovered: !isTracked || difference <= worseBy / 2), closeness)
            return [verdict] + (saidFine || !isFine(new, old) ? [] : [fine(new, old)])
        }
        guard isCarried(new, old) else {
            evidence.sentence += ", but the figures can not carry an alarm yet"
            return [
                Finding(
                    Judgement(.unknown(evidence.sentence), .near, evidence), about: new.subject)
            ]
        }
        evidence.confidence = confidence
        evidence.sentence +=
            ", with \(confidence.percentTrimmed) confidence over all looks of a day" + cost(new, difference, sight)
        let isCritical = critical.map { difference >= $0 } ?? false
        let worse = finding(.firing(isCritical ? .critical : severity), .between)
        return [worse] + (saidFine ? [fineIsOver(new.subject, "It does not look fine any more.")] : [])
    }

    // MARK: - Which releases

    /// Releases in sight, the newest last: by their versions, or where some have none by when they were first seen.
    private func inOrder(_ parts: [Sight.Part]) -> [Sight.Part] {
        let named = parts.filter { !($0.subject.release ?? "").isEmpty && !$0.series.samples.isEmpty }
        guard let newest = named.compactMap(\.series.samples.last?.span.to).max() else { return [] }
        // One that nobody uses any more is no measure of today.
        let present = named.filter { ($0.series.samples.last?.span.to ?? .earliest) > newest - window }
        let versions = present.compactMap { part in Version(part.subject.release ?? "").map { (part, $0) } }
        guard versions.count < present.count else { return versions.sorted { $0.1 < $1.1 }.map(\.0) }
        return present.sorted { left, right in
            let (a, b) = (left.series.issueMemory.began, right.series.issueMemory.began)
            return (a ?? .earliest, left.subject) < (b ?? .earliest, right.subject)
        }
    }

    private func candidate(_ part: Sight.Part) -> Candidate? {
        guard let measured = part.series.measured(metric, over: window), let share = measured.figure.share,
            share.total > 0
        else { return nil }
        let bad = nature.failures == nil ? share.hits : share.total - share.hits
        return Candidate(
            subject: part.subject, name: (part.subject.release ?? "").tamed.clipped(to: 80), series: part.series,
            measured: measured, bad: bad, total: share.total)
    }

    /// Whether both were measured over hours that are mostly the same.
    private func overlaps(_ one: Candidate, _ other: Candidate) -> Bool {
        let common =
            min(one.measured.span.to, other.measured.span.to) - max(one.measured.span.from, other.measured.span.from)
        return common.inSeconds >= min(one.measured.span.length, other.measured.span.length).inSeconds / 2
    }

    private func why(isUnjudged part: Sight.Part) -> String {
        guard let measured = part.series.measured(metric, over: window) else {
            return "there is no figure for \(nature.title)"
        }
        let noun = nature.denominator ?? "cases"
        guard let share = measured.figure.share else {
            return "the source gives \(nature.title) without saying of how many \(noun)"
        }
        return
            "not enough \(noun) yet: \(share.total.plain) in \(measured.span.length.short), min_volume is \(volumeMin.plain)"
    }

    /// Ends what is told of releases that a newer one has replaced.
    private func replaced(_ sight: Sight, by new: Candidate) -> [Finding] {
        sight.tracked.filter { $0.subject != new.subject }.map { tracked in
            let evidence = Evidence(sentence: "\(new.name) is the newest release now.")
            return Finding(
                Judgement(.ok(recovered: true), .far, evidence), key: tracked.key, about: tracked.subject)
        }
    }

    // MARK: - Whether it is worse

    /// Whether so many of the bad cases would hardly be the new release's if both were alike.
    ///
    /// Given how many bad cases there are, the new release's share of them is that of its users: an exact test without
    /// a guess at the common rate (Przyborowski and Wilenski, 1940). The looks of a day are summed up, so that the chance
    /// of any false alarm in a day is bounded however often the bot looks.
    private func isCarried(_ new: Candidate, _ old: Candidate) -> Bool {
        let bad = (new.bad + old.bad).rounded()
        let tail = Binomial.chance(
            ofAtLeast: min(new.bad.rounded(), bad), of: bad, rate: new.total / (new.total + old.total))
        let looks = new.series.lookSpacing.map { Duration.days(1).inSeconds / max($0.inSeconds, 1) } ?? looksPerDay
        return max(1, looks) * tail <= 1 - confidence
    }

    /// Whether a release that is worse by `worse_by` would hardly look as good as this one.
    private func isFine(_ new: Candidate, _ old: Candidate) -> Bool {
        guard reportsFine, old.rate + worseBy < 1 else { return false }
        let good = (new.total - new.bad).rounded()
        return Binomial.chance(ofAtLeast: good, of: new.total.rounded(), rate: 1 - old.rate - worseBy)
            <= 1 - confidence
    }

    // MARK: - Words

    private func words(_ new: Candidate, _ old: Candidate) -> String {
        let noun = nature.denominator ?? "cases"
        let side = new.rate == old.rate ? "the same as" : new.rate > old.rate ? "worse than" : "better than"
        let amount = new.rate == old.rate ? "" : "\(abs(new.rate - old.rate).points) "
        return
            "\(nature.title) \(new.measured.figure.value.percent) of \(new.total.counted(noun)), \(amount)\(side) "
            + "\(old.name) (\(old.measured.figure.value.percent) of \(old.total.counted(noun))) in the same "
            + new.measured.span.length.short
    }

    /// What the release costs the app as a whole.
    private func cost(_ new: Candidate, _ difference: Double, _ sight: Sight) -> String {
        let parts = sight.parts.compactMap { candidate($0) }.filter { overlaps($0, new) }.map(\.total).reduce(0, +)
        let whole = sight.series.measured(metric, over: window).flatMap { $0.figure.share }
        let total = max(whole?.total ?? parts, new.total)
        let share = new.total / total
        var sentence = "; \(share.percent) of \(nature.denominator ?? "cases") have it, which costs the app "
        sentence += (share * difference).points
        if let whole, whole.total > 0 {
            let bad = (nature.failures == nil ? whole.hits : whole.total - whole.hits) / whole.total
            sentence += " of the \(bad.percent) it loses"
        }
        return sentence
    }

    private func fine(_ new: Candidate, _ old: Candidate) -> Finding {
        let evidence = Evidence(
            span: new.measured.span, sentence: "\(new.name) looks fine so far: \(words(new, old))")
        return Finding(Judgement(.firing(.info), .far, evidence), key: ReleaseRule.fineKey, about: new.subject)
    }

    private func fineIsOver(_ subject: Subject, _ sentence: String) -> Finding {
        Finding(
            Judgement(.ok(recovered: true), .far, Evidence(sentence: sentence)), key: ReleaseRule.fineKey,
            about: subject)
    }

    private func unknown(of subject: Subject, _ sentence: String) -> Finding {
        Finding(Judgement(.unknown(sentence), .far, Evidence(metric: metric, sentence: sentence)), about: subject)
    }

    /// The figure of the release before, as the limit that this one should keep.
    private func limit(_ old: Candidate) -> Comparison {
        let isBelow = nature.failures != nil
        let value = (old.measured.figure.value * 10_000).rounded() / 10_000
        return Comparison(isBelow ? .less : .greater, value, isPercentage: true)
    }
}

extension Double {
    /// A difference of fractions in percentage points: `0.12pp`.
    fileprivate var points: String { "\((self * 100).plain)pp" }
}
