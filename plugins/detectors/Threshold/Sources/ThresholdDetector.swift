public import PluginKit

/// A detector that compares a metric with one or two limits and fires only when the figures can carry it.
///
/// One crash on a quiet night is no trouble: with `confidence`, the rule fires only when so bad a figure would be a
/// surprise at an app that sits exactly at its limit, counting every check of a day (see `DayBound`).
public struct ThresholdDetector: SubjectDetector {
    public static let manifest = PluginManifest(
        name: "threshold",
        summary: "Fires when a metric is beyond a limit and there are enough figures to be sure.",
        example: """
            metric: crash_free_users
            warning: "< 99.5%"
            critical: "< 99.0%"
            """,
        options: [metric, all, any, preset] + limitSettings + [Setting.holdTime])

    static let metric = Setting("metric", .metric, "The metric to judge, such as crash_free_users.")
    static let all = Setting(
        "all", .list(.section(conditionSettings)), default: [], "Conditions that must all be met.")
    static let any = Setting(
        "any", .list(.section(conditionSettings)), default: [], "Conditions of which one is enough.")
    static let preset = Setting(
        "preset", .choice(of: Preset.self), "Limits set by others, such as Google Play's, by name.")
    static let warning = Setting(
        "warning", .comparison, "When it fires with severity warning, such as \"< 99.5%\" or \"> 100\".")
    static let critical = Setting("critical", .comparison, "When it fires with severity critical.")
    static let window = Setting(
        "window", .duration(.minutes(1) ... .days(30)), default: .hours(1),
        "The span to judge; sessions are pooled over it, users are requested from the source.")
    static let widenTo = Setting(
        "widen_to", .duration(.minutes(1) ... .days(30)),
        "While fewer than min_volume are in the window, judge a wider one, up to this.")
    static let recover = Setting(
        "recover", .margin, default: Margin(0, isPoints: true),
        "How much better than the limit it must be to resolve; a plain number where the limit is one.")
    static let confidence = Setting(
        "confidence", .orOff(.percentage), default: 0.95,
        "At a figure exactly at its limit, the share of days without an alarm; off: the bare number.")
    static let minVolume = Setting(
        "min_volume", .integer(0...1_000_000_000), default: 50,
        "With fewer users (or sessions) than this it cannot judge.")

    /// What each condition of several may say for itself, besides its metric.
    static let limitSettings: [any SettingDeclaration] = [
        warning, critical, window, widenTo, recover, confidence, minVolume,
    ]
    private static let conditionSettings: [any SettingDeclaration] = [conditionMetric] + limitSettings
    private static let conditionMetric = RequiredSetting(metric.name, .metric, metric.spec.help)

    struct Limit: Sendable {
        let severity: Severity
        let comparison: Comparison
        let text: String
    }

    let metric: Metric
    /// The worst first.
    let limits: [Limit]
    private let window: Duration
    private let widening: Widening
    /// Set where the rule is about several metrics; then it alone judges.
    let composite: Composite?
    private let recover: Double
    let confidence: Double?
    private let volumeMin: Double
    private let checksPerDay: Double
    private let zone: Zone
    /// What every quiet check says, but for the figure.
    private let insideText: String
    private let notYetClearText: String
    /// What every alarm says, likewise.
    private let confidenceText: String

    public let cautions: [Problem]
    public let holdTime: Duration
    public var evidenceTime: Duration? { confidence == nil ? .zero : nil }

    public init(options: Options, context: RuleContext) throws(ProblemList) {
        composite = try Composite(options, context)
        metric = composite == nil ? try options[Self.conditionMetric] : ""
        window = options[Self.window]
        holdTime = options[.holdTime]
        recover = options[Self.recover].amount
        confidence = options[Self.confidence]
        volumeMin = Double(options[Self.minVolume])
        checksPerDay = context.checksPerDay
        zone = context.zone
        limits = [(Severity.critical, Self.critical), (.warning, Self.warning)].compactMap { severity, setting in
            options[setting].map { Limit(severity: severity, comparison: $0, text: $0.limitText) }
        }
        let limitText = limits.last?.comparison.words ?? "beyond its limit"
        insideText = " is not \(limitText)"
        notYetClearText = " is not \(limitText), but not yet clear of it"
        confidenceText = " with \(confidence?.percentTrimmed ?? "") confidence across all of a day's checks"
        widening = Widening(from: window, to: options[Self.widenTo])
        let problems = composite == nil ? ThresholdDetector.problems(options, metric) : []
        // Of several conditions one may well say when the others count.
        cautions = composite == nil ? ThresholdDetector.cautions(options, metric) : []
        guard problems.isEmpty else { throw ProblemList(problems) }
    }

    public var metrics: [Metric] { composite?.conditions.flatMap(\.metrics) ?? [metric] }
    public var lookback: Duration { spans.max() ?? window }
    public var spans: [Duration] { composite?.conditions.flatMap(\.spans) ?? widening.windows }

    /// Whether it has a critical limit.
    var canBeCritical: Bool { limits.first?.severity == .critical }
    public var needsCounts: Bool {
        composite?.conditions.allSatisfy(\.needsCounts) ?? (volumeMin > 0 || confidence != nil)
    }
    public var severities: Set<Severity>? {
        guard let composite else { return Set(limits.map(\.severity)) }
        return composite.conditions.contains(where: \.canBeCritical) ? nil : [.warning]
    }

    /// What the figures show, before there are words for it.
    private enum Glimpse {
        case noFigure
        /// A rate without the counts that it is a share of.
        case bare(Series.Measured)
        case tooFew(Series.Measured, Share)
        case inside(Series.Measured)
        /// A count of so little of the window that nobody knows on which side of its limit the whole is.
        case patchy(Series.Measured)
        /// Beyond one limit or more; the worst of them by its place.
        case beyond(Series.Measured, worst: Int)

        var measured: Series.Measured? {
            switch self {
            case .noFigure: nil
            case .bare(let measured), .tooFew(let measured, _), .inside(let measured), .patchy(let measured),
                .beyond(let measured, _):
                measured
            }
        }
    }

    /// What is judged, and what of the series it rests on: the newest stretch, or, while that is filling and may yet turn
    /// out otherwise, the newest that is over. Some sources never give a newest one that is.
    private func look(at series: Series) -> (glimpse: Glimpse, series: Series) {
        let newest = glimpse(of: series)
        guard let measured = newest.measured, !isSettled(measured) else { return (newest, series) }
        let over = series.complete
        let settled = glimpse(of: over)
        return settled.measured == nil ? (newest, series) : (settled, over)
    }

    /// Whether nothing that is still to come can change on which side of its limit a figure is.
    private func isSettled(_ measured: Series.Measured) -> Bool {
        measured.isComplete
            || metric.unit == .count
                && limits.contains { !$0.comparison.relation.isBelow && $0.comparison.holds(measured.figure.value) }
    }

    private func glimpse(of series: Series) -> Glimpse {
        guard let measured = widening.measured(metric, in: series, volumeMin: volumeMin) else { return .noFigure }
        // Adoption is a share of nothing that a source counts: it can only be taken at its word.
        if metric.unit == .rate, metric.denominator != nil, volumeMin > 0 || confidence != nil {
            guard let share = measured.figure.share else { return .bare(measured) }
            guard share.total >= volumeMin else { return .tooFew(measured, share) }
        }
        // What was counted is the least there was: more than a limit is more, however little of the window is known.
        let (least, most) = (measured.figure.value, atThatRate(measured))
        func isBeyond(_ limit: Limit) -> Bool {
            limit.comparison.relation.isBelow
                ? most.map(limit.comparison.holds) ?? false : limit.comparison.holds(least)
        }
        func mayBeBeyond(_ limit: Limit) -> Bool {
            limit.comparison.relation.isBelow
                ? limit.comparison.holds(least) : most.map(limit.comparison.holds) ?? true
        }
        if let worst = limits.firstIndex(where: isBeyond) { return .beyond(measured, worst: worst) }
        return limits.contains(where: mayBeBeyond) ? .patchy(measured) : .inside(measured)
    }

    private func windowPart(of measured: Series.Measured) -> WindowPart? {
        WindowPart(measured, of: metric, window: window)
    }

    /// What a figure comes to over the whole window; nil where so little of it is known that this would be a guess. All but
    /// counts of a part are what they are.
    private func atThatRate(_ measured: Series.Measured) -> Double? {
        guard let part = windowPart(of: measured) else { return measured.figure.value }
        return part.whole
    }

    /// What is judged of a figure inside its limits.
    private func inside(_ measured: Series.Measured) -> Double {
        max(measured.figure.value, atThatRate(measured) ?? measured.figure.value)
    }

    public func glance(_ series: Series, at now: Moment) -> Judgement.Closeness? {
        guard composite == nil else { return nil }
        switch look(at: series).glimpse {
        case .noFigure, .tooFew: return .far
        case .bare, .patchy: return .between
        case .inside(let measured): return measured.isComplete ? closeness(inside(measured)) : .between
        case .beyond: return nil
        }
    }

    public func isBlind(to series: Series, at now: Moment) -> Bool {
        guard composite == nil else { return false }
        return switch look(at: series).glimpse {
        case .noFigure, .tooFew, .bare, .patchy: true
        case .inside(let measured): !measured.isComplete
        case .beyond: false
        }
    }

    public func judge(_ series: Series, at now: Moment) -> Judgement {
        if let composite { return composite.judge(series, at: now) }
        let noun = metric.denominator?.name ?? "cases"
        let (glimpse, series) = look(at: series)
        switch glimpse {
        case .noFigure:
            return series.historyEnd.map { Judgement.history(until: $0, of: metric, in: zone, at: now) }
                ?? unknown("there is no figure for \(metric.title)", .far)
        case .bare(let measured):
            return unknown(
                "the source gives \(metric.title) without the number of \(noun); only 'confidence: off' with "
                    + "'min_volume: 0' accepts that", .between, evidence(measured))
        case .tooFew(let measured, let share):
            return unknown(
                "not enough \(noun) yet: \(share.total.plain) in \(measured.span.length.short), min_volume is "
                    + volumeMin.plain, .far, evidence(measured))
        case .patchy(let measured):
            return unknown(
                "\(metric.title) are known for only \(measured.covered.short) of the last \(window.short)"
                    + (series.samples.count >= Series.samplesMax
                        ? "; no more than \(Double(Series.samplesMax).plain) spans are kept: it needs longer ones, or a shorter 'window'"
                        : ""),
                .between, evidence(measured))
        case .inside(let measured):
            var evidence = evidence(measured)
            guard measured.isComplete else { return unknown("the span is not complete yet", .between, evidence) }
            let value = inside(measured)
            let isPart = windowPart(of: measured)?.complete(&evidence) ?? false
            let recovered = limits.last.map { isRecovered(value, $0.comparison) } ?? true
            evidence.sentence = text(value) + (recovered ? insideText : notYetClearText)
            // The headline says that it is back, and of which side of what.
            if !recovered {
                evidence.phrase = Phrase(.reasonNotClear)
            } else if !isPart {
                evidence.phrase = .nothing
            }
            return Judgement(.ok(recovered: recovered), closeness(value), evidence)
        case .beyond(let measured, let worst): return judge(measured, beyond: worst, series, at: now)
        }
    }

    private func evidence(_ measured: Series.Measured) -> Evidence {
        Evidence(
            metric: metric.name, figure: measured.figure, limit: limits.last?.comparison, span: measured.span,
            sentence: "")
    }

    private func judge(
        _ measured: Series.Measured, beyond worst: Int, _ series: Series, at now: Moment
    ) -> Judgement {
        let figure = measured.figure
        var evidence = evidence(measured)
        // Too few are judged by what the part makes of the whole; too many are too many whatever the rest is.
        let part = limits[worst].comparison.relation.isBelow ? windowPart(of: measured) : nil
        let holding = limits[worst...].filter { $0.comparison.holds(part?.whole ?? figure.value) }
        guard isSettled(measured) else {
            return unknown("the span is not complete yet", .between, evidence)
        }
        // Each check spends the part of the day that has passed since the one before, so checking more often buys
        // nothing.
        let checks = series.sampleSpacing.map { Duration.days(1).inSeconds / max($0.inSeconds, 1) } ?? checksPerDay
        let clump = clump(of: series, in: measured.span, holding.first?.comparison)
        for limit in holding {
            let bound = bound(figure, limit.comparison, measured.span, checks, without: clump)
            guard bound.map({ $0.isSeveral && isExceeded($0, limit.comparison) }) ?? true else { continue }
            evidence.limit = limit.comparison
            if let bound { describe(bound, limit.comparison, &evidence) }
            evidence.sentence = sentence(evidence, limit, over: part?.known.covered, at: now)
            let reason: PhraseID =
                bound == nil ? .reasonMeasured : limit.comparison.relation.isBelow ? .reasonAtMost : .reasonAtLeast
            evidence.phrase = ThresholdDetector.reason(reason, evidence, at: now)
            if let part, part.complete(&evidence), let whole = part.whole {
                evidence.sentence += ", which makes \(whole.plain) in \(window.short)"
            }
            return Judgement(.firing(limit.severity), .between, evidence)
        }
        let doubt = clump.flatMap { clump in
            let isCause = holding.contains { limit in
                bound(figure, limit.comparison, measured.span, checks).map { isExceeded($0, limit.comparison) } ?? true
            }
            return isCause ? text(clump) : nil
        }
        return unknown(
            "\(text(figure.value)) is beyond the limit, but "
                + (doubt ?? "\(volumeText(figure)) are too few to be sure"), .near, evidence)
    }

    private func unknown(
        _ sentence: String, _ closeness: Judgement.Closeness, _ evidence: Evidence? = nil
    ) -> Judgement {
        var evidence = evidence ?? Evidence(metric: metric.name, sentence: sentence)
        evidence.sentence = sentence
        return Judgement(.unknown(sentence), closeness, evidence)
    }

    /// What stands out of the span, where that may weigh less than the rest.
    private func clump(of series: Series, in span: TimeSpan, _ limit: Comparison?) -> Clump? {
        guard confidence != nil, metric.unit == .rate, let limit else { return nil }
        return Clump(of: metric, in: span, of: series) { badCases(of: $0, limit) }
    }

    /// How surprising so bad a figure is. Nil for counts, which are facts and no estimates: they always carry.
    private func bound(
        _ figure: Figure, _ limit: Comparison, _ span: TimeSpan, _ checks: Double, without clump: Clump? = nil
    ) -> DayBound? {
        guard confidence != nil, metric.unit == .rate, let share = figure.share else { return nil }
        return DayBound(
            bad: badCases(of: share, limit) - (clump?.excess ?? 0), total: share.total, span: span.length,
            checksPerDay: checks, dispersion: Binomial.usualDispersion)
    }

    private func isExceeded(_ bound: DayBound, _ limit: Comparison) -> Bool {
        confidence.map { bound.isExceeded(atRate: badRate(limit), chance: 1 - $0) } ?? true
    }

    func badCases(of share: Share, _ limit: Comparison) -> Double {
        limit.relation.isBelow ? share.total - share.hits : share.hits
    }

    private func text(_ clump: Clump) -> String {
        "\(clump.bad.plain) of the bad \(metric.denominator?.name ?? "cases") fell within \(clump.span.length.short), "
            + "as when one user's app crashes again and again"
    }

    /// The share of bad cases at the limit.
    func badRate(_ limit: Comparison) -> Double {
        limit.relation.isBelow ? 1 - limit.limit : limit.limit
    }

    private func describe(_ bound: DayBound, _ limit: Comparison, _ evidence: inout Evidence) {
        guard let confidence else { return }
        let rate = bound.leastRate(chance: 1 - confidence)
        evidence.confidence = confidence
        evidence.bound = limit.relation.isBelow ? 1 - rate : rate
    }

    private func isRecovered(_ value: Double, _ limit: Comparison) -> Bool {
        let target = ThresholdDetector.recoveryTarget(limit, recover)
        return limit.relation.isBelow ? value >= target : value <= target
    }

    /// Where an incident is over. Rounded to the grain of configs: 0.99 + 0.002 is not the number nearest to 0.992.
    static func recoveryTarget(_ limit: Comparison, _ recover: Double) -> Double {
        guard recover > 0 else { return limit.limit }
        let target = limit.relation.isBelow ? limit.limit + recover : limit.limit - recover
        guard limit.isPercentage else { return target }
        return (target * 1e12).rounded() / 1e12
    }

    /// Near: within a quarter of the way from perfect to the limit. Far: not even halfway there. Of a number that must not be
    /// small, perfect is without end: there the limit is more than three quarters of it, or less than half.
    private func closeness(_ value: Double) -> Judgement.Closeness {
        guard let limit = limits.last?.comparison else { return .between }
        let (badness, allowed): (Double, Double)
        if metric.isRate(by: limit) {
            (badness, allowed) = (limit.relation.isBelow ? 1 - value : value, badRate(limit))
        } else {
            // Below nothing, nobody knows what is far.
            guard value >= 0, limit.limit > 0 else { return .between }
            (badness, allowed) = limit.relation.isBelow ? (limit.limit, value) : (value, limit.limit)
        }
        return badness > allowed * 0.75 ? .near : badness < allowed * 0.5 ? .far : .between
    }

    /// Put together piece by piece: while an incident is open, every look at it makes one.
    ///
    /// - Parameter length: how much there are figures of; nil for the span that was judged.
    func sentence(
        _ evidence: Evidence, _ limit: Limit, over length: Duration? = nil, at now: Moment
    ) -> String {
        guard let figure = evidence.figure else { return "" }
        var sentence = metric.title
        sentence.reserveCapacity(ThresholdDetector.sentenceBytesUsual)
        sentence += " "
        sentence += text(figure.value, beside: limit.comparison)
        sentence += volumeText(figure, before: " of ")
        sentence += limit.comparison.relation.isBelow ? ", below " : ", above "
        sentence += limit.text
        let end = ThresholdDetector.tellingEnd(of: evidence.span, at: now)
        sentence += end == nil ? " over the last " : " over "
        sentence += (length ?? evidence.span?.length ?? window).short
        if let end { sentence += " until \(zone.words(end, readAt: now))" }
        if let bound = evidence.bound {
            sentence += limit.comparison.relation.isBelow ? "; at best " : "; at least "
            sentence += bound.percent(besides: limit.comparison.limit)
            sentence += confidenceText
        }
        return sentence
    }

    private static let sentenceBytesUsual = 160

    /// - Parameter limit: what it is told beside; the mildest, where none other is.
    private func text(_ value: Double, beside limit: Comparison? = nil) -> String {
        let limit = limit ?? limits.last?.comparison
        return metric.isRate(by: limit) ? value.percent(besides: limit?.limit) : value.plain(besides: limit?.limit)
    }

    private func volumeText(_ figure: Figure, before: String = "") -> String {
        guard let share = figure.share else { return "" }
        return before + share.total.rounded().plain + " " + (metric.denominator?.name ?? "cases")
    }
}
