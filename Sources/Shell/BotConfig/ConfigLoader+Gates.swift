internal import AlertCore
internal import PluginKit
internal import YAMLKit

// Gates that let everything pass that they match: whoever wrote one believes that it holds something.

extension ConfigLoader {
    mutating func checkExceptions(_ rules: Rules) {
        for gate in rules.gates {
            guard let place = rules.places.first(where: { $0.name == gate.name }),
                place.match.map(reader.isCertain) ?? true
            else { continue }
            // Which severities there are can change with another rule, so that this is nobody's mistake for certain.
            let known = rules.severities(matchedBy: gate.match)
            if let known, !known.isEmpty, known.isDisjoint(with: gate.match.severities),
                let severity = place.match?.mapping.first(where: { $0.key == "severity" })
            {
                reader.report(
                    Problem(
                        severity.value.position,
                        "'\(gate.name)' never matches anything: the rules that it names are only ever "
                            + known.sorted().map(\.rawValue).listed,
                        advice: "change 'severity', or remove the rule", level: .warning))
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
            guard let known, !known.isEmpty, known.intersection(matched).allSatisfy({ $0 >= except })
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

extension ConfigLoader.Rules {
    /// The severities that incidents of the rules can have that a match names; nil where it names none, or not all of
    /// them tell.
    fileprivate func severities(matchedBy match: Match) -> Set<Severity>? {
        guard let condition = match["rule"] else { return nil }
        func isMatched(_ name: String) -> Bool { condition.patterns.contains { $0.fits(name) } }
        // The bot's own troubles may be of any.
        guard !Trouble.allCases.contains(where: { isMatched($0.rawValue) }) else { return nil }
        let places = places.filter { $0.isDetector && isMatched($0.name) }
        var all: Set<Severity> = []
        for place in places {
            guard let severities = detectors.first(where: { $0.name == place.name })?.detector.severities else {
                return nil
            }
            all.formUnion(severities)
        }
        return all
    }
}
