internal import PluginKit

extension ThresholdDetector {
    /// Mistakes that the grammar of single options cannot see.
    static func problems(_ options: Options, _ metric: Metric) -> [Problem] {
        var problems: [Problem] = []
        func add(
            _ setting: any SettingDeclaration, _ message: String, _ suggestion: String? = nil, advice: String? = nil
        ) {
            problems.append(Problem(options.position(of: setting), message, suggestion: suggestion, advice: advice))
        }
        let named = [warning, critical].compactMap { setting in options[setting].map { (setting, $0) } }
        if named.isEmpty {
            add(warning, "a threshold needs 'warning', 'critical' or both", advice: "write warning: \"< 99.5%\"")
        }
        for (setting, comparison) in named {
            switch metric.unit {
            case .rate where !comparison.isPercentage:
                add(
                    setting, "the limit of \(metric.title) is a percentage, but '\(comparison)' has no unit",
                    comparison.likeliestPercentage(of: metric).map { "\"\($0)\"" })
            case .count where comparison.isPercentage:
                add(setting, "\(metric.title) are counted, so the limit cannot be a percentage")
            case .rate where comparison.isNeverTrue:
                add(setting, "'\(comparison)' never holds: a rate lies between 0% and 100%")
            case .rate where comparison.isAlwaysTrue:
                add(setting, "'\(comparison)' always holds: a rate lies between 0% and 100%")
            case .count where comparison.relation == .less && comparison.limit <= 0,
                .count where comparison.relation == .lessOrEqual && comparison.limit < 0:
                add(setting, "'\(comparison)' never holds: a count is never negative")
            case .count where comparison.relation == .greater && comparison.limit < 0,
                .count where comparison.relation == .greaterOrEqual && comparison.limit <= 0:
                add(setting, "'\(comparison)' always holds: a count is never negative")
            default: break
            }
        }
        if named.count == 2 {
            let (warning, critical) = (named[0].1, named[1].1)
            if warning.relation.isBelow != critical.relation.isBelow {
                add(Self.critical, "'warning' and 'critical' point in opposite directions")
            } else if warning.isPercentage != critical.isPercentage {
                // Where the metric tells which of them is wrong, that has been said.
                if metric.unit == .unknown {
                    add(
                        Self.critical, "only one of 'warning' (\(warning)) and 'critical' (\(critical)) is a percentage"
                    )
                }
            } else if critical == warning {
                add(Self.critical, "'critical' and 'warning' are both '\(warning)', so 'warning' never fires")
            } else if critical.holdsWherever(warning) {
                add(
                    Self.critical,
                    "'critical' (\(critical)) is milder than 'warning' (\(warning)), so 'warning' never fires",
                    advice: "swap the two")
            }
        }
        let recover = options[Self.recover]
        if recover > 0, let mildest = named.first?.1, problems.isEmpty {
            let target = ThresholdDetector.recoveryTarget(mildest, recover)
            if !mildest.isPercentage {
                add(
                    Self.recover, "'recover' is in percentage points, but the limit '\(mildest)' is not a percentage",
                    advice: "leave 'recover' out")
            } else if metric.unit == .rate, !(0...1).contains(target) {
                add(
                    Self.recover,
                    "to resolve, \(metric.title) would have to reach \(target.percentTrimmed), which no rate can",
                    advice: "write a smaller one")
            }
        }
        let window = options[Self.window]
        if let widest = options[widenTo], widest <= window {
            add(widenTo, "'widen_to' (\(widest.grammar)) must be longer than the window (\(window.grammar))")
        }
        if let confidence = options[Self.confidence], !(0.5..<1).contains(confidence) {
            add(
                Self.confidence, "the confidence must be at least 50% and below 100%",
                advice: Self.confidence.default.map { "the default is \($0.percentTrimmed)" })
        }
        return problems
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
