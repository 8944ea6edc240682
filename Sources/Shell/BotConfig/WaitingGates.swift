internal import AlertCore
internal import PluginKit

/// The gates that wait for incidents, and which of them waits for which: each holds what another one waits for.
struct WaitingGates {
    /// In the order of the config.
    let gates: [GatePlan]
    /// By the sources, and otherwise by the apps, that they name: a thousand teams may each wait for a backend of its own. Those
    /// that name neither exactly are asked each time.
    private var bySource: [String: [Int]] = [:]
    private var byApp: [String: [Int]] = [:]
    private var others: [Int] = []

    init(_ all: [GatePlan]) {
        gates = all.filter { $0.gate.waitsFor != nil }
        for (index, gate) in gates.enumerated() {
            if let condition = gate.match["source"], condition.isExact {
                for pattern in condition.patterns { bySource[pattern.pattern, default: []].append(index) }
            } else if let condition = gate.match["app"], condition.isExact {
                for pattern in condition.patterns { byApp[pattern.pattern, default: []].append(index) }
            } else {
                others.append(index)
            }
        }
    }

    /// The gates that wait for each other, by the first of each circle: it and those behind it in the circle.
    var circles: [Int: [Int]] {
        let nexts = gates.indices.map(next)
        var circles: [Int: [Int]] = [:]
        // From which gate on each was come by.
        var starts = [Int?](repeating: nil, count: gates.count)
        for start in gates.indices where starts[start] == nil {
            var chain: [Int] = []
            var index: Int? = start
            while let gate = index, starts[gate] == nil {
                starts[gate] = start
                chain.append(gate)
                index = nexts[gate]
            }
            guard let gate = index, starts[gate] == start, let first = chain.firstIndex(of: gate) else { continue }
            let circle = Array(chain[first...])
            guard let least = circle.min(), let place = circle.firstIndex(of: least) else { continue }
            circles[least] = Array(circle[place...] + circle[..<place])
        }
        return circles
    }

    /// The first that holds what a gate waits for, unless that explains what it holds.
    private func next(_ index: Int) -> Int? {
        guard let cause = gates[index].gate.waitsFor else { return nil }
        return candidates(cause).first { other in
            gates[other].name != gates[index].name && cause.isWithin(gates[other].match)
                && !gates[other].explains(cause)
        }
    }

    /// All gates that may hold everything that is meant, and others, in their order.
    private func candidates(_ cause: Match) -> [Int] {
        let (source, app) = (cause["source"]?.patterns, cause["app"]?.patterns)
        // One that could not be read.
        if source?.isEmpty == true || app?.isEmpty == true { return Array(gates.indices) }
        // What names sources holds nothing of others: of several that are meant it has to name each.
        let ofSource = source?.first.flatMap { bySource[$0.pattern] } ?? []
        let ofApp = app?.first.flatMap { byApp[$0.pattern] } ?? []
        return ofSource.isEmpty && ofApp.isEmpty ? others : Set(ofSource + ofApp + others).sorted()
    }
}

extension GatePlan {
    /// Whether what is meant explains what the gate holds, too, so that the gate lets it pass.
    fileprivate func explains(_ match: Match) -> Bool { gate.waitsFor.map(match.isWithin) ?? false }
}
