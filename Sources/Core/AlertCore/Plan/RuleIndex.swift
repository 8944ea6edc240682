internal import PluginKit

/// Finds the rules that may concern a source, so that a poll costs what its own rules cost, and not what those of a thousand
/// other teams do.
struct RuleIndex: Sendable {
    /// Those that name no sources, or not by their exact names: they may concern any.
    private let common: [DetectorPlan]
    /// By the name of each source that a rule names, all that may concern it, the common ones among them.
    private let named: [String: [DetectorPlan]]

    init(_ rules: [DetectorPlan]) {
        // Where they stand in the config.
        var common: [Int] = []
        var own: [String: [Int]] = [:]
        for (rank, rule) in rules.enumerated() {
            if let names = rule.sourceNames {
                for name in names { own[name, default: []].append(rank) }
            } else {
                common.append(rank)
            }
        }
        self.common = common.map { rules[$0] }
        named = own.mapValues { [common] own in (own + common).sorted().map { rules[$0] } }
    }

    /// In the order of the config.
    subscript(_ source: String) -> [DetectorPlan] {
        // Where no rule names a source there is nothing to look up.
        named.isEmpty ? common : named[source] ?? common
    }
}
