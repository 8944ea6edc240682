internal import AlertCore
internal import PluginKit

/// One setting of a rule that is tried on the past, as it would be written into a config.
struct Candidate: Sendable {
    enum Setting: Hashable, Sendable {
        /// A `threshold` with that limit, and every other option as it is by itself.
        case floor(Comparison)
        /// A `drop` that is built to find falls by so much, with so many false alarms.
        case drop(by: String, falseAlarms: String)
    }

    let setting: Setting
    let rule: DetectorPlan

    /// The rule's name while it is tried.
    var name: String { rule.name }

    /// The share of bad cases at the limit, rounded to the grain of configs; nil for what has none.
    var badRate: Double? {
        if case .floor(let limit) = setting { ((1 - limit.limit) * 1e9).rounded() / 1e9 } else { nil }
    }

    /// Limits that people write, the tightest first: each allows about half as much again as the one before.
    private static let floors = [
        "99.98%", "99.95%", "99.9%", "99.85%", "99.8%", "99.7%", "99.5%", "99.3%", "99%", "98.5%", "98%", "97%", "96%",
        "95%", "93%", "90%", "85%", "80%", "70%",
    ]
    /// The rule's own setting first, then quieter ones.
    private static let drops = [
        ("0.5pp", "1 per 90d"), ("0.5pp", "1 per 365d"), ("1pp", "1 per 90d"), ("1pp", "1 per 365d"),
        ("2pp", "1 per 90d"), ("2pp", "1 per 365d"),
    ]

    /// All that is tried, of each kind the most watchful first.
    ///
    /// - Throws: when a plugin does not take its own options.
    static func all(
        _ metric: String, floor: any Detector.Type, drop: any Detector.Type, zone: Zone, checksPerDay: Double
    ) throws(ProblemList) -> [Candidate] {
        func rule(
            _ type: any Detector.Type, _ name: String, _ values: [String: Option.Value]
        ) throws(ProblemList) -> DetectorPlan {
            let place = Position(line: 1, column: 1)
            let metric = Option.Value.text(GuardedText(metric))
            let options = Options(
                name: name, position: place,
                values: values.merging(["metric": metric]) { $1 }.mapValues { Option($0, at: place) })
            let context = RuleContext(name: name, zone: zone, checksPerDay: checksPerDay)
            return DetectorPlan(
                name: name, detector: try type.init(options: options, context: context),
                repeat: type.remindsAfter)
        }
        var candidates: [Candidate] = []
        for limit in floors {
            guard let limit = try? Comparison(grammar: "< " + limit) else { continue }
            candidates.append(
                Candidate(
                    setting: .floor(limit), rule: try rule(floor, "floor \(limit)", ["warning": .comparison(limit)])))
        }
        for (by, falseAlarms) in drops {
            guard let points = try? PercentagePoints(grammar: by), let rate = try? Rate(grammar: falseAlarms) else {
                continue
            }
            candidates.append(
                Candidate(
                    setting: .drop(by: by, falseAlarms: falseAlarms),
                    rule: try rule(
                        drop, "drop \(by) \(falseAlarms)",
                        [
                            "by": .fraction(points.fraction),
                            "false_alarms": .rate(count: rate.count, per: rate.per),
                        ])))
        }
        return candidates
    }
}
