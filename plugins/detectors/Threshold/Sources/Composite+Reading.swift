internal import PluginKit

extension Composite {
    private typealias Rule = ThresholdDetector

    /// The conditions that the options name, by themselves or by a preset; nil when the rule is a single threshold.
    init?(_ options: Options, _ context: RuleContext) throws(ProblemList) {
        let subjects: [any SettingDeclaration] = [Rule.metric, Rule.all, Rule.any, Rule.preset]
        let named = subjects.filter { options.has($0) }
        if named.count > 1 {
            throw ProblemList(
                options.position(of: named[1]),
                "'\(named[0].name)' and '\(named[1].name)' cannot be combined: a rule judges one metric, 'all' or 'any' of several,"
                    + " or a preset")
        }
        if named.isEmpty {
            throw ProblemList(
                options.position, "a threshold needs 'metric', 'all', 'any' or 'preset'",
                advice: "write metric: crash_free_users")
        }
        if options.has(Rule.metric) { return nil }
        if let preset = options[Rule.preset] {
            try self.init(preset, options, context)
            return
        }
        let (kind, setting) = options.has(Rule.all) ? (Kind.all, Rule.all) : (.any, Rule.any)
        for limit in [Rule.warning, Rule.critical] where options.has(limit) {
            throw ProblemList(
                options.position(of: limit), "'\(limit.name)' belongs to a single condition of '\(setting.name)'",
                advice: "write it beside that condition's 'metric'")
        }
        let sections = options[setting]
        // The chances of a false alarm add up where one condition is enough.
        let sharing = kind == .any ? sections.count : 1
        var conditions: [ThresholdDetector] = []
        var read: [Options] = []
        var problems: [Problem] = []
        // One without a metric has been told when the config was read.
        for section in sections where section.has(Rule.metric) {
            do throws(ProblemList) {
                let inherited = Composite.inherited(section, from: options, sharing: sharing)
                conditions.append(try Rule(options: inherited, context: context))
                read.append(inherited)
            } catch {
                problems += error.problems
            }
        }
        if kind == .all { problems += Composite.contradictions(in: read) }
        if sections.count < 2 || conditions.isEmpty, problems.isEmpty {
            problems.append(
                Problem(
                    options.position(of: setting), "'\(setting.name)' is about several conditions",
                    advice: "write a single one into the rule itself, or add another"))
        }
        if sections.count > Composite.conditionsMax {
            problems.append(
                Problem(
                    options.position(of: setting),
                    "\(sections.count) conditions, but a rule has at most \(Composite.conditionsMax)"))
        }
        guard problems.isEmpty else { throw ProblemList(problems) }
        self.init(kind: kind, conditions: conditions)
    }

    private init(_ preset: Preset, _ options: Options, _ context: RuleContext) throws(ProblemList) {
        for limit in [Rule.warning, Rule.critical] where options.has(limit) {
            throw ProblemList(
                options.position(of: limit), "'preset: \(preset.rawValue)' brings its own limits",
                advice: "leave '\(limit.name)' out, or write 'metric' instead of 'preset'")
        }
        let place = options.position(of: Rule.preset)
        var conditions: [Rule] = []
        for limit in preset.limits {
            let condition = preset.options(name: options.name, at: place)
                .taking(Composite.inherited, from: options)
                .setting(Rule.metric, to: limit.metric, at: place)
                .setting(Rule.critical, to: limit.comparison, at: place)
            conditions.append(try Rule(options: condition, context: context))
        }
        self.init(kind: .any, conditions: conditions)
    }

    /// Conditions on one metric that no figure meets together with one before them.
    private static func contradictions(in conditions: [Options]) -> [Problem] {
        conditions.indices.compactMap { index in
            let condition = conditions[index]
            guard let (setting, limit) = mildest(of: condition) else { return nil }
            let others = conditions[..<index].filter { measure($0, theSameAs: condition) }
            guard let other = others.compactMap({ mildest(of: $0)?.limit }).first(where: limit.excludes) else {
                return nil
            }
            return Problem(
                condition.position(of: setting), "'\(limit)' and '\(other)' exclude each other, so 'all' is never met",
                advice: "write 'any' instead of 'all', or change one of the two")
        }
    }

    /// The limit from which on a condition is met.
    private static func mildest(of condition: Options) -> (setting: any SettingDeclaration, limit: Comparison)? {
        if let limit = condition[Rule.warning] { return (Rule.warning, limit) }
        guard let limit = condition[Rule.critical] else { return nil }
        return (Rule.critical, limit)
    }

    /// Whether two conditions look at one figure: over another window it is another one.
    private static func measure(_ one: Options, theSameAs other: Options) -> Bool {
        guard one[Rule.metric] == other[Rule.metric], one[Rule.window] == other[Rule.window],
            one[Rule.widenTo] == other[Rule.widenTo]
        else { return false }
        return one[Rule.widenTo] == nil || one[Rule.minVolume] == other[Rule.minVolume]
    }

    /// More could not be said in one message; most rules have two.
    static let conditionsMax = 8

    private static let inherited: [any SettingDeclaration] = [
        Rule.window, Rule.widenTo, Rule.recover, Rule.confidence, Rule.minVolume,
    ]

    /// A condition's options with what it leaves to the rule.
    private static func inherited(_ section: Options, from rule: Options, sharing count: Int) -> Options {
        var options = section.taking(inherited.filter { !section.has($0) }, from: rule)
        // Percentage points mean nothing to a count, nor a number to a rate, and a rule may well combine the two.
        let limit = section[Rule.warning] ?? section[Rule.critical]
        if !section.has(Rule.recover), let limit, limit.isPercentage != rule[Rule.recover].isPoints {
            options = options.removing(Rule.recover)
        }
        if section.has(Rule.window), !section.has(Rule.widenTo) { options = options.removing(Rule.widenTo) }
        // What is out of range is told by the condition, as it was written.
        if count > 1, !section.has(Rule.confidence), let confidence = rule[Rule.confidence],
            (0.5..<1).contains(confidence)
        {
            options = options.setting(
                Rule.confidence, to: 1 - (1 - confidence) / Double(count), at: rule.position(of: Rule.confidence))
        }
        return options
    }
}

extension Comparison {
    /// Whether no value fulfils both.
    fileprivate func excludes(_ other: Comparison) -> Bool {
        guard relation.isBelow != other.relation.isBelow else { return false }
        let (below, above) = relation.isBelow ? (self, other) : (other, self)
        guard below.limit == above.limit else { return below.limit < above.limit }
        return below.relation == .less || above.relation == .greater
    }
}
