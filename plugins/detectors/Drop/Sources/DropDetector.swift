public import PluginKit

/// A detector that compares a share of what goes well with what is usual for the app at this hour of the week, and
/// fires when so much less would hardly ever come by chance.
///
/// What is usual, and the evidence against it, is learned span by span and kept with the subject's figures
/// (`DropMemory`); the rule only reads it. So it may be asked as often as anybody likes: the evidence grows with what
/// happens, not with the looks at it.
public struct DropDetector: SubjectDetector {
    public static let manifest = PluginManifest(
        name: "drop",
        summary: "Fires when the share of users or sessions without a crash falls below what is usual for the app.",
        example: """
            by: 0.5pp
            false_alarms: 1 per 90d
            """,
        options: [metric, by, falseAlarms, critical])

    static let metric = Setting(
        "metric", .metric, default: .crashFreeUsers,
        "The share to judge: crash_free_users or crash_free_sessions.")
    // From a hundredth of a point, far below what any app's figures can show, to where half of all users are hit.
    static let by = Setting("by", .points(0.0001...0.5), default: 0.005, "The smallest drop it is built to find.")
    static let falseAlarms = Setting(
        "false_alarms", .rate, default: Rate(1, per: .days(90)),
        "How often it may fire by chance, for one app with nothing wrong.")
    static let critical = Setting(
        "critical", .points, default: 0.03, unset: "3pp, or 'by' if that is more",
        "A drop at least this deep is critical; others are warnings.")

    /// With so much learned it decides well; with less the rule is more careful and says so.
    static let wellLearned = Duration.days(21)

    let need: DropMemory.Need
    private let learned: MemoryNeed
    private let zone: Zone
    private let metric: Metric
    private let critical: Double
    /// Days between two false alarms.
    private let rarity: Double
    private let falseAlarms: Rate

    public init(options: Options, context: RuleContext) throws(ProblemList) {
        metric = options[Self.metric]
        let by = options[Self.by]
        need = DropMemory.Need(metric: metric.name, by: by, summertime: context.zone.summertime)
        learned = MemoryNeed(DropMemory.self, need)
        zone = context.zone
        critical = options.written(Self.critical) ?? max(Self.critical.default, by)
        falseAlarms = options[Self.falseAlarms]
        rarity = falseAlarms.per.inSeconds / 86_400 / Double(falseAlarms.count)
        let problems = DropDetector.problems(options, metric, by: by, critical: critical, rarity: rarity)
        guard problems.isEmpty else { throw ProblemList(problems) }
    }

    private static func problems(
        _ options: Options, _ metric: Metric, by: Double, critical: Double, rarity: Double
    ) -> [Problem] {
        var problems: [Problem] = []
        func add(_ setting: any SettingDeclaration, _ message: String, advice: String? = nil) {
            problems.append(Problem(options.position(of: setting), message, advice: advice))
        }
        if metric.failures == nil {
            add(
                Self.metric, "a drop can only be detected in a share whose counts are known, not in \(metric.title)",
                advice: "use crash_free_users or crash_free_sessions, or a threshold")
        }
        if critical < by {
            add(
                Self.critical,
                "'critical' (\(critical.pointsTrimmed)) is less than 'by' (\(by.pointsTrimmed)), the smallest drop "
                    + "it can find", advice: "write at least \(by.pointsTrimmed)")
        }
        let least = DropMemory.rarityMin.inSeconds / 86_400
        if rarity < least {
            add(
                Self.falseAlarms,
                "false alarms this frequent mean nothing; expected at most 1 per \(Int(least))d")
        } else if rarity > rarityMax {
            add(
                Self.falseAlarms, "nothing is ever that certain; expected at least 1 per \(Int(rarityMax))d")
        }
        return problems
    }

    /// Ten years, in days.
    private static let rarityMax = 3650.0

    public var metrics: [Metric] { [metric] }
    /// It learns from the counts behind the share.
    public var needsCounts: Bool { true }
    /// `by` is no floor under what it says, so anything short of `critical` is a warning.
    public var severities: Set<Severity>? { [.warning, .critical] }
    public static var memories: [MemoryKind] { [MemoryKind(DropMemory.self)] }
    public var needs: MemoryNeeds { [learned] }
    /// What it looks back on is learned, not kept as figures.
    public var lookback: Duration { .hours(1) }
    /// Short spans tell sooner; a source that can choose gives five minutes.
    public var spans: [Duration] { [.minutes(5)] }
    public var holdTime: Duration { .zero }
    public var evidenceTime: Duration? { nil }

    public func glance(_ series: Series, at now: Moment) -> Judgement.Closeness? {
        guard let memory = series.memory(DropMemory.self, need), memory.isReady, memory.rarity < rarity,
            let newest = memory.newest, whyOutdated(newest, series, now) == nil
        else { return nil }
        return closeness(memory.rarity)
    }

    public func judge(_ series: Series, at now: Moment) -> Judgement {
        // What is usual may have been learned from them.
        if let end = series.historyEnd { return .history(until: end, of: metric, in: zone, at: now) }
        guard let memory = series.memory(DropMemory.self, need) else {
            return unknown("nothing has been learned yet", .between)
        }
        return judge(memory, series, at: now)
    }

    public func judge(_ series: Series, ending incident: Sight.Tracked, at now: Moment) -> Judgement {
        let judgement = judge(series, at: now)
        if case .firing = judgement.verdict { return judgement }
        guard let memory = series.memory(DropMemory.self, need), memory.hasAccepted(fallSince: incident.since),
            let lately = memory.lately
        else { return judgement }
        // Nothing has recovered, so it is not said either; and what is unknown while the level is learned anew is no
        // silence.
        var evidence = Evidence(
            metric: need.metric, figure: Figure(value: lately.value, share: nil), span: lately.span, sentence: "")
        evidence.say(Phrase(.reasonStayed, [.period: .period(DropMemory.acceptedAfter)]))
        return Judgement(.ok(recovered: true), .between, evidence)
    }

    /// What was learned, judged; `series` tells whether it is up to date.
    func judge(_ memory: DropMemory, _ series: Series, at now: Moment) -> Judgement {
        guard let newest = memory.newest, let share = memory.newestShare, let usual = memory.usual else {
            return unknown(
                "the source has given no complete span of at most an hour with the counts behind \(metric.title)",
                .between)
        }
        if let flaw = whyOutdated(newest, series, now) { return unknown(flaw, .between) }
        guard memory.isReady else {
            // Less than a second is none to people.
            let learned =
                memory.learned < .seconds(1)
                ? "no usual hours have been learned yet (the last day does not count)"
                : "only \(memory.learned.short) of usual hours have been learned, and the last day does not count yet"
            return unknown("\(learned); it needs \(DropMemory.leastLearned.short)", .between)
        }
        if memory.rarity >= rarity {
            guard let fall = memory.fall() else { return unknown("there are no figures to judge by", .between) }
            // The evidence may be older than the figures that are kept: what these show is no fall, and no end of one either.
            if fall.depth > 0 { return firing(fall, memory, newest) }
        }
        let figure = share.total > 0 ? Figure(value: share.hits / share.total, share: share) : nil
        var evidence = Evidence(
            metric: need.metric, figure: figure, span: newest, reference: .usual(usual), sentence: "")
        let nobody = "no \(metric.denominator?.name ?? "cases") in the newest span"
        evidence.sentence = (figure?.value.percent ?? nobody) + ", usually " + usual.percent
        if memory.isSuspicious { evidence.sentence += ": not yet clear whether this is normal" }
        evidence.phrase = Phrase(memory.isSuspicious ? .reasonUnclear : .reasonUsual)
        return Judgement(.ok(recovered: !memory.isSuspicious), closeness(memory.rarity), evidence)
    }

    /// - Parameter days: how rarely chance gives as much evidence.
    private func closeness(_ days: Double) -> Judgement.Closeness {
        days > rarity * 0.1 ? .near : days > rarity * 0.02 ? .between : .far
    }

    /// How much newer other figures may be than the newest of this metric.
    private static let lagMax = Duration.hours(2)
    /// How old figures may be that are judged: Play's hourly figures come after some hours.
    private static let ageMax = Duration.hours(24)

    private func whyOutdated(_ newest: TimeSpan, _ series: Series, _ now: Moment) -> String? {
        if newest.to > now + Observation.clockSlackMax {
            return "the newest span ends at \(newest.to), which is in the future: the clock has been changed"
        }
        if let last = series.samples.last, last.span.to - newest.to > DropDetector.lagMax {
            return
                "for \((last.span.to - newest.to).short) the source has given no complete span with the counts behind "
                + metric.title
        }
        if now - newest.to > DropDetector.ageMax { return "the newest figures are \((now - newest.to).short) old" }
        return nil
    }

    private func firing(_ whole: DropMemory.Fall, _ memory: DropMemory, _ newest: TimeSpan) -> Judgement {
        let isCarried = memory.rarity(ofFallsOver: critical) >= rarity
        let deep = isCarried ? (whole.depth >= critical ? whole : memory.deepened(to: critical, since: whole)) : nil
        // With its deep part, a warning would be told as bad as what was critical.
        let fall = deep ?? (whole.depth >= critical ? memory.left(below: critical) : nil) ?? whole
        let isDeep = deep != nil
        let value = fall.value
        // Users of several spans are the same people in part: a sum of them is nobody's number.
        let isCount = metric.denominator != .users || fall.span.length <= newest.length
        var evidence = Evidence(
            metric: need.metric, figure: Figure(value: value, share: isCount ? fall.share : nil), span: fall.span,
            reference: .usual(fall.usual), sentence: "")
        let cases = " of \(fall.share.total.rounded().plain) \(metric.denominator?.name ?? "cases")"
        evidence.sentence =
            "\(metric.title) \(value.percent)\(isCount ? cases : "") over the "
            + "last \(fall.span.length.short), usually \(fall.usual.percent) at this time of the week; by chance less than "
            + falseAlarms.grammar
        if memory.learned < DropDetector.wellLearned, let uncertainty = memory.uncertainty {
            evidence.sentence +=
                "; learned from \(memory.learned.short) so far, so the usual failure rate is known to within "
                + "\((uncertainty * 100).rounded().plain)%"
        }
        let fallen = Phrase(
            .reasonFall, [.count: .count(Double(falseAlarms.count)), .period: .period(falseAlarms.per)])
        evidence.phrase =
            memory.learned < DropDetector.wellLearned
            ? Phrase(.reasonYoung, [.reason: .phrase(fallen), .age: .period(memory.learned)]) : fallen
        return Judgement(.firing(isDeep ? .critical : .warning), .between, evidence)
    }

    private func unknown(_ sentence: String, _ closeness: Judgement.Closeness) -> Judgement {
        Judgement(.unknown(sentence), closeness, Evidence(metric: need.metric, sentence: sentence))
    }
}
