internal import AlertCore
internal import BotConfig
internal import PluginKit

// What is never sent to single channels, and reminders that never count.

extension Unsent {
    /// The quiet hours that leave no hour in which anything is sent to a channel, though others hear of it: those, too, to which
    /// only an escalation leads.
    var unbrokenInChannels: [Problem] {
        // Whoever drops what matches at every hour has written a filter.
        let gates = plan.gates.filter { gate in
            gate.calendar?.stage == .quietHours && holdsAll(gate)
                && (gate.match.conditions.isEmpty || gate.calendar?.drops != true)
        }
        let areOfAll = gates.map(isOfAllChannels)
        let led = channelsLedTo
        var found: [(gates: [GatePlan], match: Match, channels: [String])] = []
        for channel in plan.channels.map(\.name) where led?.contains(channel) ?? true {
            let here = zip(gates, areOfAll).filter { $1 || $0.calendar?.channels.contains(channel) == true }
            // What those of all channels leave open, they leave open here.
            let own = Set(here.filter { !$0.1 }.map { $0.0.match })
            guard !own.isEmpty else { continue }
            let closing = here.map { $0.0 }
            for match in closing.matches where own.contains(match) {
                guard let culprits = culprits(among: closing.filter { $0.match == match }) else { continue }
                let names = culprits.map(\.name)
                if let index = found.firstIndex(where: { $0.gates.map(\.name) == names }) {
                    found[index].channels.append(channel)
                } else {
                    found.append((culprits, match, [channel]))
                }
            }
        }
        return found.compactMap { unbroken($0.gates, $0.match, in: $0.channels) }
    }

    /// Those by which a channel has no open hour, as few as that takes; nil where there is one, and where those of all channels
    /// alone leave none: that is told once.
    private func culprits(among gates: [GatePlan]) -> [GatePlan]? {
        guard !areUnbroken(gates.filter(isOfAllChannels)), areUnbroken(gates) else { return nil }
        if let one = gates.first(where: { areUnbroken([$0]) }) { return [one] }
        let own = gates.filter { !isOfAllChannels($0) }
        return areUnbroken(own) ? own : gates
    }

    /// The channels to which a route or an escalation leads; nil for all of them.
    private var channelsLedTo: Set<String>? {
        guard !plan.routes.isEmpty else { return nil }
        let people = plan.routes.flatMap(\.onCall).flatMap(\.people).compactMap(\.channel)
        let further = plan.gates.flatMap(\.gate.furtherChannels)
        return Set(plan.routes.flatMap(\.to) + people + further + [plan.reportTo].compactMap(\.self))
    }

    /// The rules about reminders behind others that match all that they do: the first that matches says how often.
    var uncounted: [Problem] {
        let known = plan.gates.filter { gate in !config.unreadRules.contains { $0.name == gate.name } }
        let incident = Incident(
            rule: "", subject: Subject(source: "", app: ""), labels: [:], severity: .critical, since: .earliest,
            evidence: Evidence(sentence: ""))
        // Whether it says how often a channel is reminded of what it matches.
        let reminding = known.map { gate in
            let channels = plan.channels.map(\.name).filter { gate.gate.reminding(of: incident, in: $0) != nil }
            return (gate: gate, channels: channels)
        }
        return reminding.indices.compactMap { index in
            let (gate, channels) = reminding[index]
            guard !channels.isEmpty, let place = config.rulePlaces[gate.name] else { return nil }
            let before = reminding[..<index].filter { gate.match.isWithin($0.gate.match.narrowed) }
            let first = channels.compactMap { channel in before.first { $0.channels.contains(channel) }?.gate }
            guard first.count == channels.count,
                let earlier = before.first(where: { first.map(\.name).contains($0.gate.name) })
            else { return nil }
            let everything = earlier.gate.match.narrowed.conditions.isEmpty ? "everything" : "all that it does"
            let isOne = first.allSatisfy { $0.name == earlier.gate.name }
            return Problem(
                place,
                "rule '\(gate.name)' never counts: "
                    + (isOne
                        ? "'\(earlier.gate.name)' comes before it and matches \(everything)"
                        : "rules before it match all that it does, one for each channel"),
                advice: "move it before '\(earlier.gate.name)', or let \(isOne ? "that one" : "them") match less",
                level: .warning)
        }
    }
}
