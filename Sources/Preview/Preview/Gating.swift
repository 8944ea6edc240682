internal import AlertCore
internal import PluginKit

/// What gates made of what a rule wanted said: each notification counts once for each channel, however often it was held.
struct Gating {
    private(set) var notifications = 0
    /// Those that a gate kept back.
    private(set) var gated = 0
    /// How many each gate kept back, by its reason.
    private(set) var gates: [String: Int] = [:]
    /// What is held, and what has held it so far.
    private var held: [Standing.Key: Set<Reason>] = [:]

    /// - Parameter said: what was decided about the rule.
    init(_ said: [RuleFigures.Said]) {
        for one in said {
            for incident in one.incidents {
                take(one.record, Standing.Key(channel: one.record.channel, incident: incident.id))
            }
        }
        for reasons in held.values { keep(reasons) }
    }

    private mutating func take(_ record: DecisionRecord, _ key: Standing.Key) {
        switch record.decision {
        case .send:
            guard let reasons = held.removeValue(forKey: key) else {
                notifications += 1
                return
            }
            // What was sent with others, or alone when none had come, was kept from nobody.
            keep(reasons.filter { !$0.isOfCompany })
        case .drop:
            // The end of what is held is no news of its own: a summary may name it yet.
            if record.kind.isEnd, held[key] != nil { return }
            let reasons = held.removeValue(forKey: key)
            if reasons == nil { notifications += 1 }
            keep((reasons ?? []).union([record.reason]))
        case .hold:
            if held[key] == nil { notifications += 1 }
            held[key, default: []].insert(record.reason)
        }
    }

    private mutating func keep(_ reasons: Set<Reason>) {
        // What nobody had heard begin is not told to have ended: no gate held that back.
        let ofGates = reasons.filter(\.isOfGate)
        guard !ofGates.isEmpty else { return }
        gated += 1
        for reason in ofGates { gates[reason.description, default: 0] += 1 }
    }
}

extension Reason {
    /// Whether a gate gives it.
    fileprivate var isOfGate: Bool {
        switch self {
        case .muted, .quietHours, .flapping, .gate: true
        default: false
        }
    }

    /// Whether it is that of a gate which only waits for what belongs together.
    fileprivate var isOfCompany: Bool { if case .gate(let plugin, _) = self { plugin == "group" } else { false } }
}
