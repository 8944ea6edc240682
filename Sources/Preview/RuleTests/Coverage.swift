internal import AlertCore
public import BotConfig
public import PluginKit

/// Which rules, severities and gates of a config its tests have seen at work.
public struct Coverage: Sendable {
    public struct Item: Hashable, Sendable {
        public let name: String
        /// What was seen of it: severities of a rule, that a gate was closed, or that it escalated something.
        public let seen: [String]
        /// What no test has seen.
        public let unseen: [String]
    }

    public let rules: [Item]
    public let gates: [Item]

    public init(_ results: [RuleTestResult], of config: Config) {
        rules = config.plan.detectors.map { rule in
            let fired = results.reduce(into: Set<Severity>()) { $0.formUnion($1.fired[rule.name] ?? []) }
            let possible = rule.detector.severities ?? []
            let unseen = possible.subtracting(fired).sorted().map(\.rawValue)
            return Item(
                name: rule.name, seen: fired.sorted().map(\.rawValue),
                unseen: fired.isEmpty && unseen.isEmpty ? ["firing"] : unseen)
        }
        // What only sets the time of reminders is neither closed nor named by any decision.
        gates = config.plan.gates.filter { !$0.isImplied && !$0.isOfReminders }.map { gate in
            let work = gate.gate.furtherChannels.isEmpty ? "closed" : "escalated"
            let isSeen = results.contains { $0.gates.contains(gate.name) }
            return Item(name: gate.name, seen: isSeen ? [work] : [], unseen: isSeen ? [] : [work])
        }
    }

    /// The share of all there is to see that was seen; 1 where there is nothing.
    public var share: Double {
        let all = rules + gates
        let seen = all.reduce(0) { $0 + $1.seen.count }
        let total = seen + all.reduce(0) { $0 + $1.unseen.count }
        return total == 0 ? 1 : Double(seen) / Double(total)
    }

    public var json: JSON {
        func items(_ items: [Item]) -> JSON {
            .array(
                items.map {
                    [
                        "name": .string($0.name), "seen": .array($0.seen.map(JSON.string)),
                        "unseen": .array($0.unseen.map(JSON.string)),
                    ]
                })
        }
        return ["share": JSON(share), "rules": items(rules), "gates": items(gates)]
    }
}
