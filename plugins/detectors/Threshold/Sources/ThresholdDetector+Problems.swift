internal import PluginKit

extension ThresholdDetector {
    /// Mistakes that the grammar of single options cannot see.
    static func problems(_ options: Options, _ metric: Metric) -> [Problem] {
        let named = [warning, critical].compactMap { setting in options[setting].map { (setting, $0) } }
        var problems = named.compactMap { setting, limit in misfit(of: limit, to: metric, setting, options) }
        if named.isEmpty {
            problems.append(
                options.problem(
                    warning, "a threshold needs 'warning', 'critical' or both", advice: "write warning: \"< 99.5%\""))
        }
        if named.count == 2, let problem = conflict(named[0].1, named[1].1, metric, options) {
            problems.append(problem)
        }
        if problems.isEmpty, let mildest = named.first?.1,
            let problem = hopelessRecovery(from: mildest, metric, options)
        {
            problems.append(problem)
        }
        let window = options[Self.window]
        if let widest = options[widenTo], widest <= window {
            problems.append(
                options.problem(
                    widenTo, "'widen_to' (\(widest.grammar)) must be longer than the window (\(window.grammar))"))
        }
        if let confidence = options[Self.confidence], !(0.5..<1).contains(confidence) {
            problems.append(
                options.problem(
                    Self.confidence, "the confidence must be at least 50% and below 100%",
                    advice: Self.confidence.default.map { "the default is \($0.percentTrimmed)" }))
        }
        return problems
    }

    /// What is wrong with a limit of such a metric.
    private static func misfit(
        of limit: Comparison, to metric: Metric, _ setting: any SettingDeclaration, _ options: Options
    ) -> Problem? {
        switch metric.unit {
        case .rate where !limit.isPercentage:
            options.problem(
                setting, "the limit of \(metric.title) is a percentage, but '\(limit)' has no unit",
                limit.likeliestPercentage(of: metric).map { "\"\($0)\"" })
        case .count where limit.isPercentage:
            options.problem(setting, "\(metric.title) are counted, so the limit cannot be a percentage")
        case .rate where limit.isNeverTrue:
            options.problem(setting, "'\(limit)' never holds: a rate lies between 0% and 100%")
        case .rate where limit.isAlwaysTrue:
            options.problem(setting, "'\(limit)' always holds: a rate lies between 0% and 100%")
        case .count where limit.relation == .less && limit.limit <= 0,
            .count where limit.relation == .lessOrEqual && limit.limit < 0:
            options.problem(setting, "'\(limit)' never holds: a count is never negative")
        case .count where limit.relation == .greater && limit.limit < 0,
            .count where limit.relation == .greaterOrEqual && limit.limit <= 0:
            options.problem(setting, "'\(limit)' always holds: a count is never negative")
        default: nil
        }
    }

    /// What is wrong with two limits beside each other.
    private static func conflict(
        _ warning: Comparison, _ critical: Comparison, _ metric: Metric, _ options: Options
    ) -> Problem? {
        if warning.relation.isBelow != critical.relation.isBelow {
            return options.problem(Self.critical, "'warning' and 'critical' point in opposite directions")
        }
        if warning.isPercentage != critical.isPercentage {
            // Where the metric tells which of them is wrong, that has been said.
            guard metric.unit == .unknown else { return nil }
            return options.problem(
                Self.critical, "only one of 'warning' (\(warning)) and 'critical' (\(critical)) is a percentage")
        }
        if critical == warning {
            return options.problem(
                Self.critical, "'critical' and 'warning' are both '\(warning)', so 'warning' never fires")
        }
        guard critical.holdsWherever(warning) else { return nil }
        return options.problem(
            Self.critical, "'critical' (\(critical)) is milder than 'warning' (\(warning)), so 'warning' never fires",
            advice: "swap the two")
    }

    /// Why what is beyond that limit would never resolve.
    private static func hopelessRecovery(from limit: Comparison, _ metric: Metric, _ options: Options) -> Problem? {
        let recover = options[Self.recover]
        guard recover.amount > 0 else { return nil }
        guard limit.isPercentage == recover.isPoints else {
            guard recover.isPoints else {
                return options.problem(
                    Self.recover, "'recover' is a plain number, but the limit '\(limit)' is a percentage",
                    recover.amount <= 100 ? "\(recover)pp" : nil)
            }
            return options.problem(
                Self.recover, "'recover' is in percentage points, but the limit '\(limit)' is not a percentage",
                advice: "write a plain number")
        }
        let target = ThresholdDetector.recoveryTarget(limit, recover.amount)
        let (isReached, what) =
            switch metric.unit {
            case .rate: ((0...1).contains(target), "\(target.percentTrimmed), which no rate can")
            case .count: (target >= 0, "\(JSON(target).text), which no count can")
            case .unknown: (true, "")
            }
        guard !isReached else { return nil }
        return options.problem(
            Self.recover, "to resolve, \(metric.title) would have to reach \(what)", advice: "write a smaller one")
    }
}

extension Options {
    fileprivate func problem(
        _ setting: any SettingDeclaration, _ message: String, _ suggestion: String? = nil, advice: String? = nil
    ) -> Problem {
        Problem(position(of: setting), message, suggestion: suggestion, advice: advice)
    }
}

extension ThresholdDetector {
    /// Limits that nobody means who knows what the metric is: on its good side, or in another unit.
    static func cautions(_ options: Options, _ metric: Metric) -> [Problem] {
        [warning, critical].compactMap { setting in
            guard let limit = options[setting], limit.isPercentage else { return nil }
            let (message, meant): (String, Comparison?)
            switch metric {
            case .crashFreeUsers, .crashFreeSessions:
                let noun = metric == .crashFreeUsers ? "users" : "sessions"
                let isLow = limit.limit < halfCrash
                switch limit.relation {
                case .greater, .greaterOrEqual:
                    let share = "\((1 - limit.limit).percentTrimmed) of the \(noun)"
                    let many = limit.relation == .greater ? "\(share) or more" : "more than \(share)"
                    message = "'\(limit)' fires " + (isLow ? "unless \(many) crash" : "while \(metric.title) are good")
                    let relation = limit.relation == .greater ? Comparison.Relation.less : .lessOrEqual
                    meant = limitMeant(by: limit.limit).map { Comparison(relation, $0, isPercentage: true) }
                case .less, .lessOrEqual:
                    guard isLow else { return nil }
                    let least = limit.relation == .less ? "more than" : "at least"
                    message =
                        "'\(limit)' fires only when \(least) \((1 - limit.limit).percentTrimmed) of the \(noun) crash"
                    meant = limitMeant(by: limit.limit).map { Comparison(limit.relation, $0, isPercentage: true) }
                }
            case .anrRate where limit.relation.isBelow:
                message = "'\(limit)' fires while the \(metric.title) is good"
                meant = Comparison(
                    limit.relation == .less ? .greater : .greaterOrEqual, limit.limit, isPercentage: true)
            default: return nil
            }
            return Problem(
                options.position(of: setting), message, suggestion: meant.map { "\"\($0)\"" },
                advice: meant == nil ? "write a limit such as \"< 99.5%\"" : nil, level: .warning)
        }
    }

    /// The share without a crash that is meant by a limit; nil where it is none that somebody aims at.
    private static func limitMeant(by limit: Double) -> Double? {
        let aims = nearlyAll..<1
        // 0.995% is 0.995 with a sign, and 0.5% is the share that crashes.
        return [limit, limit * 100, 1 - limit].first(where: aims.contains)
    }

    /// Below this an app is broken for most, and every alarm has rung.
    private static let halfCrash = 0.5
    /// From here on a share is one that somebody aims at.
    private static let nearlyAll = 0.9
}

extension Comparison {
    /// Whether no rate between 0 and 1 can fulfil it.
    fileprivate var isNeverTrue: Bool {
        switch relation {
        case .less: limit <= 0
        case .lessOrEqual: limit < 0
        case .greater: limit >= 1
        case .greaterOrEqual: limit > 1
        }
    }

    /// Whether every rate between 0 and 1 fulfils it.
    fileprivate var isAlwaysTrue: Bool {
        switch relation {
        case .less: limit > 1
        case .lessOrEqual: limit >= 1
        case .greater: limit < 0
        case .greaterOrEqual: limit <= 0
        }
    }

    /// What is probably meant by a limit without a unit: a fraction, or a percentage without its sign. Nil where neither
    /// could ever hold and not hold.
    fileprivate func likeliestPercentage(of metric: Metric) -> Comparison? {
        let percentage = try? Comparison(grammar: "\(relation.rawValue) \(JSON(limit).text)%")
        let fraction = Comparison(relation, limit, isPercentage: true)
        // No app has an ANR for one user in ten: 0.47 is 0.47%, not nearly half.
        let isPercentage = metric == .anrRate && limit >= 0.1
        let readings = isPercentage ? [percentage, fraction] : [fraction, percentage]
        return readings.compactMap(\.self).first { !$0.isNeverTrue && !$0.isAlwaysTrue }
    }

    /// Whether it holds for every value for which another in the same direction does.
    fileprivate func holdsWherever(_ other: Comparison) -> Bool {
        guard limit != other.limit else {
            return relation == other.relation || relation == .lessOrEqual || relation == .greaterOrEqual
        }
        return relation.isBelow ? limit > other.limit : limit < other.limit
    }
}
