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
        let ofAll = gates.indices.filter { isOfAllChannels(gates[$0]) }
        // A thousand teams may each have a channel and quiet hours of its own.
        let ofSome = Set(gates.indices).subtracting(ofAll).sorted()
        var ofChannel: [String: [Int]] = [:]
        for index in ofSome {
            for channel in Set(gates[index].calendar?.channels ?? []) { ofChannel[channel, default: []].append(index) }
        }
        let led = channelsLedTo
        var found: [(gates: [GatePlan], match: Match, channels: [String])] = []
        var places: [[String]: Int] = [:]
        for channel in plan.channels.map(\.name) where led?.contains(channel) ?? true {
            guard let indices = ofChannel[channel] else { continue }
            // What those of all channels leave open, they leave open here.
            let own = Set(indices.map { gates[$0].match })
            let closing = (ofAll + indices).sorted().map { gates[$0] }
            for match in closing.matches where own.contains(match) {
                guard let culprits = culprits(among: closing.filter { $0.match == match }) else { continue }
                let names = culprits.map(\.name)
                if let place = places[names] {
                    found[place].channels.append(channel)
                } else {
                    places[names] = found.count
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
    var channelsLedTo: Set<String>? {
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
        let names = plan.channels.map(\.name)
        // Those that say how often a channel is reminded of what they match.
        let reminding = known.compactMap { gate -> (gate: GatePlan, match: Match, channels: Set<String>)? in
            let channels = Set(names.filter { gate.gate.reminding(of: incident, in: $0) != nil })
            return channels.isEmpty ? nil : (gate, gate.match.narrowed, channels)
        }
        return reminding.indices.compactMap { index in
            let (gate, _, channels) = reminding[index]
            guard let place = config.rulePlaces[gate.name] else { return nil }
            let before = reminding[..<index].filter {
                !$0.channels.isDisjoint(with: channels) && gate.match.isWithin($0.match)
            }
            let first = channels.compactMap { channel in before.first { $0.channels.contains(channel) }?.gate }
            guard first.count == channels.count,
                let earlier = before.first(where: { first.map(\.name).contains($0.gate.name) })
            else { return nil }
            let everything = earlier.match.conditions.isEmpty ? "everything" : "all that it does"
            let isOne = first.allSatisfy { $0.name == earlier.gate.name }
            return Problem(
                place,
                "rule '\(gate.name)' has no effect: "
                    + (isOne
                        ? "'\(earlier.gate.name)' comes before it and matches \(everything)"
                        : "rules before it match all that it does, one for each channel"),
                advice: "move it before '\(earlier.gate.name)', or let \(isOne ? "that one" : "them") match less",
                level: .warning)
        }
    }
}
