internal import PluginKit

extension Composite {
    /// The conditions that the options name, by themselves or by a preset; nil when the rule is a single threshold.
    init?(_ options: Options, _ context: RuleContext) throws(ProblemList) {
        let named = ["metric", "all", "any", "preset"].filter { options.has($0) }
        if named.count > 1 {
            throw ProblemList(
                options.position(of: named[1]),
                "'\(named[0])' and '\(named[1])' exclude each other: a rule judges one metric, 'all' or 'any' of several,"
                    + " or a preset")
        }
        if named.isEmpty {
            throw ProblemList(
                options.position, "a threshold needs 'metric', 'all', 'any' or 'preset'",
                advice: "write metric: crash_free_users")
        }
        if options.has("metric") { return nil }
        if let preset = options.plain("preset").flatMap(Preset.init(rawValue:)) {
            try self.init(preset, options, context)
            return
        }
        let kind = options.has("all") ? Kind.all : .any
        for name in ["warning", "critical"] where options.has(name) {
            throw ProblemList(
                options.position(of: name), "'\(name)' belongs to a single condition of '\(kind.rawValue)'",
                advice: "write it beside that condition's 'metric'")
        }
        let sections = options.sections(kind.rawValue)
        // The chances of a false alarm add up where one condition is enough.
        let sharing = kind == .any ? sections.count : 1
        var conditions: [ThresholdDetector] = []
        var problems: [Problem] = []
        // One without a metric has been told when the config was read.
        for section in sections where section.has("metric") {
            do throws(ProblemList) {
                let inherited = Composite.inherited(section, from: options, sharing: sharing)
                conditions.append(try ThresholdDetector(options: inherited, context: context))
            } catch {
                problems += error.problems
            }
        }
        if sections.count < 2 || conditions.isEmpty, problems.isEmpty {
            problems.append(
                Problem(
                    options.position(of: kind.rawValue), "'\(kind.rawValue)' is about several conditions",
                    advice: "write a single one into the rule itself, or add another"))
        }
        if sections.count > Composite.conditionsMax {
            problems.append(
                Problem(
                    options.position(of: kind.rawValue),
                    "\(sections.count) conditions, but a rule has at most \(Composite.conditionsMax)"))
        }
        guard problems.isEmpty else { throw ProblemList(problems) }
        self.init(kind: kind, conditions: conditions)
    }

    private init(_ preset: Preset, _ options: Options, _ context: RuleContext) throws(ProblemList) {
        for name in ["warning", "critical"] where options.has(name) {
            throw ProblemList(
                options.position(of: name), "'preset: \(preset.rawValue)' brings its own limits",
                advice: "leave '\(name)' out, or write 'metric' instead of 'preset'")
        }
        let place = options.position(of: "preset")
        var conditions: [ThresholdDetector] = []
        for limit in preset.limits {
            var values = preset.defaults.mapValues { Option($0, at: place) }
            for name in Composite.inheritedNames {
                if let own = options[name] { values[name] = own }
            }
            values["metric"] = Option(.text(GuardedText(limit.metric)), at: place)
            values["critical"] = Option(.comparison(limit.comparison), at: place)
            conditions.append(try ThresholdDetector(options: options.replacing(values, at: place), context: context))
        }
        self.init(kind: .any, conditions: conditions)
    }

    /// More could not be said in one message; most rules have two.
    static let conditionsMax = 8

    private static let inheritedNames = ["window", "widen_to", "recover", "confidence", "min_volume"]

    /// A condition's options with what it leaves to the rule.
    private static func inherited(_ section: Options, from rule: Options, sharing count: Int) -> Options {
        var values: [String: Option] = [:]
        for name in inheritedNames {
            if let own = rule[name] { values[name] = own }
        }
        for spec in ThresholdDetector.conditionOptions {
            if let own = section[spec.name] { values[spec.name] = own }
        }
        // Percentage points mean nothing to a count, and a rule may well combine one with a rate.
        let limit = section.comparison("warning") ?? section.comparison("critical")
        if !section.has("recover"), limit?.isPercentage == false { values["recover"] = nil }
        if section.has("window"), !section.has("widen_to") { values["widen_to"] = nil }
        if count > 1, !section.has("confidence"), !rule.isOff("confidence") {
            let confidence = rule.fraction("confidence") ?? ThresholdDetector.confidenceDefault
            // What is out of range is told by the condition, as it was written.
            if (0.5..<1).contains(confidence) {
                values["confidence"] = Option(
                    .fraction(1 - (1 - confidence) / Double(count)), at: rule.position(of: "confidence"))
            }
        }
        return section.replacing(values)
    }
}
