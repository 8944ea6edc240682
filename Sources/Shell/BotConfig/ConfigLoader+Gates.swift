internal import AlertCore
internal import PluginKit
internal import YAMLKit

// Gates that let everything pass that they match: whoever wrote one believes that it holds something.

extension ConfigLoader {
    mutating func checkExceptions(_ rules: Rules) {
        for gate in rules.gates {
            guard let place = rules.place(gate.name), place.match.map(reader.isCertain) ?? true else { continue }
            // Of an escalation that waits for what no rule has, `check` tells.
            if gate.gate.leastSeverity == nil || gate.match["rule"] != nil,
                checkSeverity(gate.match, place.match, rules, of: "'\(gate.name)'", "rule")
            {
                continue
            }
            // A rule of a plugin that is always there may well be what turns it off.
            guard let except = gate.gate.except, !type(of: gate.gate).isAlwaysThere else { continue }
            let position = place.entries.first { $0.key == "except" }?.value.position ?? place.position
            let matched = gate.match.severities
            guard matched.contains(where: { $0 < except }) else {
                reader.report(
                    position, "everything that '\(gate.name)' matches passes 'except', so it never holds anything",
                    advice: except == .info
                        ? "remove the rule, or let less pass" : "let 'match' and 'except' name different severities")
                continue
            }
            guard let known = rules.severities(matchedBy: gate.match), !known.isEmpty,
                known.intersection(matched).allSatisfy({ $0 >= except })
            else { continue }
            reader.report(
                Problem(
                    position,
                    "'\(gate.name)' never holds anything: the rules that it matches can only have a severity that passes "
                        + "'except'",
                    advice: "remove the rule, or let less pass", level: .warning))
        }
    }
}
