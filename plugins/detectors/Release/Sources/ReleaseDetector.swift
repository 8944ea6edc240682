public import PluginKit

/// A detector that compares the newest release of an app with the one before it, over the same hours.
///
/// It fires when the newer one is worse by more than luck can explain, counting every check of a day, and says what
/// that costs the whole app.
public struct ReleaseDetector: Detector {
    public static let manifest = PluginManifest(
        name: "release", summary: "Fires when the newest release is worse than the one before it.",
        example: """
            metric: crash_free_users
            worse_by: 0.2pp
            """,
        options: [
            metric, compare, worseBy, critical, window, Setting.holdTime, confidence, minVolume, reportFine, severity,
        ])

    static let metric = Setting(
        "metric", .metric([.crashFreeUsers, .crashFreeSessions, .anrRate]), default: .crashFreeUsers,
        "The metric to compare; its counts must be known.")
    static let compare = Setting(
        "compare", .choice(of: Basis.self), default: .sameHours,
        "Over the same hours, or after the same number of sessions since each came out.")
    static let worseBy = Setting("worse_by", .points, default: 0.001, "A smaller difference is not reported.")
    static let critical = Setting("critical", .points, "A release that is worse by this much is critical.")
    static let window = Setting(
        "window", .duration(.minutes(30) ... .days(30)), default: .hours(6), "The hours over which both are judged.")
    static let confidence = Setting(
        "confidence", .percentage, default: 0.95,
        "The share of days without an alarm while both releases are alike.")
    static let minVolume = Setting(
        "min_volume", .integer(1...1_000_000_000), default: 50,
        "A release with fewer users (or sessions) is not compared.")
    static let reportFine = Setting(
        "report_fine", .flag, default: false, "Whether to send one info message when a new release looks fine so far.")
    static let severity = Setting("severity", .severity, default: .warning, "The severity below 'critical'.")

    /// A release that is out stays out: it is told once, and `repeat` asks for reminders.
    public static let isWorthReminding = false

    /// What two releases are compared over.
    enum Basis: String, CaseIterable {
        case sameHours = "same_hours"
        case sameAdoption = "same_adoption"
    }

    let metric: Metric
    let basis: Basis
    let worseBy: Double
    private let critical: Double?
    let window: Duration
    let confidence: Double
    let volumeMin: Double
    let reportsFine: Bool
    private let severity: Severity
    let checksPerDay: Double
    private let zone: Zone

    public let holdTime: Duration
    public var evidenceTime: Duration? { nil }
    public var needsCounts: Bool { true }
    public var severities: Set<Severity>? {
        Set([severity] + (critical == nil ? [] : [.critical]) + (reportsFine ? [.info] : []))
    }

    public init(options: Options, context: RuleContext) throws(ProblemList) {
        metric = options[Self.metric]
        basis = options[Self.compare]
        worseBy = options[Self.worseBy]
        critical = options[Self.critical]
        window = options[Self.window]
        holdTime = options[.holdTime]
        confidence = options[Self.confidence]
        volumeMin = Double(options[Self.minVolume])
        reportsFine = options[Self.reportFine]
        severity = options[Self.severity]
        checksPerDay = context.checksPerDay
        zone = context.zone
        var problems: [Problem] = []
        if !(0.5..<1).contains(confidence) {
            problems.append(
                Problem(
                    options.position(of: Self.confidence), "the confidence must be at least 50% and below 100%",
                    advice: "the default is \(Self.confidence.default.percentTrimmed)"))
        }
        if let critical, critical <= worseBy {
            problems.append(
                Problem(
                    options.position(of: Self.critical),
                    "'critical' (\(critical.points)) must be more than 'worse_by' (\(worseBy.points))"))
        }
        if critical != nil, severity == .critical {
            problems.append(
                Problem(
                    options.position(of: Self.severity),
                    "with 'severity: critical' every release that is worse is critical",
                    advice: "leave 'critical' or 'severity' out"))
        }
        if worseBy == 0, reportsFine {
            problems.append(
                Problem(
                    options.position(of: Self.reportFine), "no figures can show that a release is not worse at all",
                    advice: "write a 'worse_by' such as \(Self.worseBy.default.pointsTrimmed)"))
        }
        if basis == .sameAdoption, metric != .crashFreeSessions {
            problems.append(
                Problem(
                    options.position(of: Self.compare), "users of different days do not add up, sessions do",
                    advice: "write metric: crash_free_sessions"))
        }
        guard problems.isEmpty else { throw ProblemList(problems) }
    }

    var noun: String { metric.denominator?.name ?? "cases" }

    public static var memories: [MemoryKind] { [MemoryKind(Launch.self), MemoryKind(Course.self)] }
    public var needs: MemoryNeeds { [MemoryNeed(Course.self, Course.Need(metric))] }
    public var metrics: [Metric] { [metric] }
    public var lookback: Duration { window }
    public var spans: [Duration] { [window] }
    public var scope: DetectorScope { .app }

    static let incomplete = "the span is not complete yet"

    /// The key of the incident that says "looks fine so far".
    static let fineKey = "fine"

    public func findings(in sight: Sight, at now: Moment) -> [Finding] {
        let releases = inOrder(sight.parts)
        guard let newest = releases.last else { return [] }
        let judged = releases.lastIndex { current($0).map { $0.total >= volumeMin } ?? false }
        guard let judged, let new = current(releases[judged]) else {
            return [unjudged(newest, at: now)]
        }
        // A tester's build or the first users of the next: until it has more, the one before it is what people have.
        let newer = releases[(judged + 1)...]
        let waiting = newer.map { unjudged($0, at: now) }
        let before = releases[..<judged].reversed()
        let choice =
            basis == .sameHours
            ? overSameHours(new, releases[judged].series, before, sight)
            : atSameAdoption(new, releases[judged].series, before, sight)
        let findings = replaced(sight, by: new, butFor: Set(newer.map(\.subject)))
        let open = sight.tracked.first { $0.subject == new.subject && $0.key == nil }
        // Of an incident it is asked how it goes on, also when there is no measure of today any more.
        if let open, choice.pair.map(isWorn) ?? true, let pair = lately(new, sight) {
            return findings + [goOn(open, pair, sight)] + waiting
        }
        guard case .pair(let pair) = choice else {
            // That the oldest of all has none before it is no news while a newer one waits.
            guard case .none(let lack) = choice, newer.isEmpty || !before.isEmpty else { return findings + waiting }
            return findings + [unknown(of: new.subject, lack)] + waiting
        }
        guard pair.new.isComplete, pair.old.isComplete else {
            return findings + [unknown(of: new.subject, Self.incomplete)] + waiting
        }
        return findings + compare(pair, open, sight) + waiting
    }

    /// A release with too little to judge by, and why that is.
    private func unjudged(_ part: Sight.Entry, at now: Moment) -> Finding {
        guard let end = part.series.historyEnd else { return unknown(of: part.subject, why(isUnjudged: part)) }
        return Finding(.history(until: end, of: metric, in: zone, at: now), about: part.subject)
    }

    private func compare(_ pair: Pair, _ open: Sight.Tracked?, _ sight: Sight) -> [Finding] {
        let (new, difference) = (pair.new, pair.difference)
        let saidFine = sight.tracked.contains { $0.subject == new.subject && $0.key == ReleaseDetector.fineKey }
        guard difference >= worseBy, difference > 0 else {
            let closeness: Judgement.Closeness = difference > worseBy / 2 ? .between : .far
            let recovered = open.map { difference <= worseBy / 2 && isOver($0, pair, sight) } ?? true
            let verdict =
                recovered || closeness == .between
                ? finding(.ok(recovered: recovered), closeness, pair) : notClear(pair)
            let isNews = open == nil && !saidFine && closeness == .far
            return [verdict] + (isNews ? fine(pair, sight).map { [$0] } ?? [] : [])
        }
        guard isCarried(pair) else { return [tooFew(pair)] }
        let isCritical = critical.map { difference >= $0 } ?? false
        return [worse(isCritical ? .critical : severity, pair, sight)] + (saidFine ? [fineIsOver(new.subject)] : [])
    }

    func finding(_ verdict: Judgement.Verdict, _ closeness: Judgement.Closeness, _ pair: Pair) -> Finding {
        Finding(Judgement(verdict, closeness, evidence(of: pair)), about: pair.new.subject)
    }

    private func evidence(of pair: Pair) -> Evidence {
        Evidence(
            metric: metric.name, figure: pair.new.figure, limit: limit(pair.old), span: pair.new.span,
            reference: .olderRelease(pair.old.figure.value), sentence: words(pair),
            phrase: Phrase(.reasonRelease, [.comparison: side(pair), .basis: basis(pair)]))
    }

    func worse(_ severity: Severity, _ pair: Pair, _ sight: Sight) -> Finding {
        var evidence = evidence(of: pair)
        evidence.confidence = confidence
        evidence.phrase = Phrase(.reasonReleaseWorse, [.comparison: side(pair), .basis: basis(pair)])
        evidence.sentence +=
            ", with \(confidence.percentTrimmed) confidence across all "
            + (basis == .sameHours ? "of a day's checks" : "checks")
            + cost(pair.new, pair.difference, sight)
        return Finding(Judgement(.firing(severity), .between, evidence), about: pair.new.subject)
    }

    func tooFew(_ pair: Pair) -> Finding {
        var evidence = evidence(of: pair)
        evidence.sentence += ", but these are too few to be sure yet"
        return Finding(Judgement(.unknown(evidence.sentence), .near, evidence), about: pair.new.subject)
    }

    /// What goes on though the difference is small.
    func notClear(_ pair: Pair) -> Finding {
        var evidence = evidence(of: pair)
        evidence.sentence += ", but these are too few to be sure that it is over"
        return Finding(Judgement(.ok(recovered: false), .between, evidence), about: pair.new.subject)
    }

    /// Ends what is told of releases that a newer one has replaced.
    ///
    /// - Parameter newer: those that are newer still; one that was taken back and has hardly any users left is none
    ///   that the one before it has replaced.
    private func replaced(_ sight: Sight, by new: Candidate, butFor newer: Set<Subject>) -> [Finding] {
        sight.tracked.filter { $0.subject != new.subject && !newer.contains($0.subject) }.map { tracked in
            let evidence = Evidence(saying: Phrase(.releaseReplaced, [.release: .text(new.name)]))
            return Finding(
                Judgement(.ok(recovered: true), .far, evidence), key: tracked.key, about: tracked.subject)
        }
    }

    // MARK: - Whether it is worse

    /// Whether so many of the bad cases would hardly be the new release's if both were alike.
    ///
    /// Given how many bad cases there are, the new release's share of them is that of its users: an exact test without
    /// a guess at the common rate (Przyborowski and Wilenski, 1940). The checks are summed up, of a day or of all
    /// stages of a release, so that the chance of any false alarm is bounded however often the bot checks. One who is hit
    /// alone carries nothing, however good the older release is: it may be the device.
    func isCarried(_ pair: Pair) -> Bool {
        let (new, old) = (pair.new, pair.old)
        guard new.hitsSeveral else { return false }
        let bad = (new.bad + old.bad).rounded()
        let tail = chance(
            ofAtLeast: min(new.bad.rounded(), bad), of: bad, rate: new.total / (new.total + old.total))
        return max(1, pair.checks) * tail <= 1 - confidence
    }

    /// Crashes come in clumps: both counts say as much as fewer cases that are bad each for itself.
    private func chance(ofAtLeast hits: Double, of trials: Double, rate: Double) -> Double {
        Binomial.chance(
            ofAtLeast: hits / Binomial.usualDispersion, of: trials / Binomial.usualDispersion, rate: rate)
    }

    // MARK: - Words

    private func words(_ pair: Pair) -> String {
        let (new, old) = (pair.new, pair.old)
        let side = new.rate == old.rate ? "the same as" : new.rate > old.rate ? "worse than" : "better than"
        let amount = new.rate == old.rate ? "" : "\(abs(new.rate - old.rate).points) "
        let basis =
            switch pair.basis {
            case .sameHours(let span): "in the same \(span.short)"
            case .sameAdoption: "at the same adoption"
            case .lately(let span): "over its last \(span.short)"
            }
        return
            "\(metric.title) \(new.figure.value.percent) of \(new.total.counted(noun)), \(amount)\(side) "
            + "\(old.name) (\(old.figure.value.percent) of \(old.total.counted(noun))) \(basis)"
    }

    /// The same for messages, part by part.
    private func side(_ pair: Pair) -> Phrase.Value {
        let difference = pair.difference
        let id: PhraseID = difference == 0 ? .releaseSame : difference > 0 ? .releaseWorse : .releaseBetter
        return .phrase(Phrase(id, [.difference: .points(abs(difference)), .release: .text(pair.old.name)]))
    }

    private func basis(_ pair: Pair) -> Phrase.Value {
        switch pair.basis {
        case .sameHours(let span): .phrase(Phrase(.releaseSameHours, [.span: .period(span)]))
        case .sameAdoption: .phrase(Phrase(.releaseSameAdoption))
        case .lately(let span): .phrase(Phrase(.releaseLately, [.span: .period(span)]))
        }
    }

    private func counted(_ total: Double) -> Phrase.Value {
        .phrase(
            metric.denominator == .sessions
                ? Phrase(.countSessions, [.count: .count(total)]) : Phrase(.countUsers, [.count: .count(total)]))
    }

    /// What the release costs the app as a whole.
    private func cost(_ new: Candidate, _ difference: Double, _ sight: Sight) -> String {
        guard let now = sight.parts.first(where: { $0.subject == new.subject }).flatMap({ current($0) })
        else { return "" }
        let whole = measured(sight.series, over: now.span).flatMap { $0.figure.share }
        let parts = sight.parts.compactMap { current($0, over: now.span) }
        let sum = parts.filter { metric.adds || isOfSameHours($0, now) }.map(\.total).reduce(0, +)
        let total = max(whole?.total ?? sum, now.total)
        let share = now.total / total
        var sentence = "; \(share.percent) of \(noun) have it, which costs the app "
        sentence += (share * difference).points
        if let whole, whole.total > 0 {
            let bad = (metric.failures == nil ? whole.hits : whole.total - whole.hits) / whole.total
            sentence += " of the \(bad.percent) it loses"
        }
        return sentence
    }

    func saysFine(_ pair: Pair) -> Finding {
        let evidence = Evidence(
            span: pair.new.span,
            saying: Phrase(
                .releaseFine,
                [
                    .release: .text(pair.new.name), .metric: .metric(metric.name),
                    .figure: .figure(pair.new.figure.value, of: metric.name), .total: counted(pair.new.total),
                    .comparison: side(pair), .usual: .figure(pair.old.figure.value, of: metric.name),
                    .all: counted(pair.old.total), .basis: basis(pair),
                ]))
        return Finding(Judgement(.firing(.info), .far, evidence), key: ReleaseDetector.fineKey, about: pair.new.subject)
    }

    private func fineIsOver(_ subject: Subject) -> Finding {
        Finding(
            Judgement(.ok(recovered: true), .far, Evidence(saying: Phrase(.releaseFineOver))),
            key: ReleaseDetector.fineKey,
            about: subject)
    }

    func unknown(of subject: Subject, _ sentence: String) -> Finding {
        Finding(Judgement(.unknown(sentence), .far, Evidence(metric: metric.name, sentence: sentence)), about: subject)
    }

    /// The figure of the release before, as the limit that this one should keep.
    private func limit(_ old: Candidate) -> Comparison {
        let isBelow = metric.failures != nil
        let value = (old.figure.value * 10_000).rounded() / 10_000
        return Comparison(isBelow ? .less : .greater, value, isPercentage: true)
    }
}

extension Double {
    /// A difference of fractions in percentage points: `0.12pp`.
    fileprivate var points: String { "\((self * 100).plain)pp" }
}
