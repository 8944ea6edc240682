public import PluginKit

/// A durable change of the state: what the journal keeps.
///
/// Facts say how things are now, not what somebody wanted, so replaying them needs no rules, and replaying one twice does
/// no harm.
public enum Fact: Hashable, Sendable {
    // What is large stands beside, so that a list of facts is short: most are of few words.
    indirect case observed(Observation, keeping: Retention)
    /// What is remembered of a subject from now on, for the rules that concern it.
    case learning(Subject, MemoryNeeds)
    indirect case source(name: String, SourceRecord)
    indirect case incident(Incident)
    /// What a channel knows of an incident, or that it has nothing more to hear of it.
    case standing(incident: String, channel: String, Standing?)
    /// Nothing more will be said of it.
    case incidentEnded(id: String)
    /// A delivery was accepted or has changed.
    indirect case delivery(Delivery)
    /// An attempt of a delivery has begun, or will be made again.
    case deliveryProgress(id: String, Delivery.Progress)
    case deliveryDone(id: String, DeliveryEnd, at: Moment)
    /// A delivery that has ended, whole; snapshots hold these, because what came before is gone.
    indirect case deliveryEnded(HistoryEntry)
    /// A dead letter is tried once more, under the same id.
    indirect case retried(Delivery)
    case channel(name: String, ChannelRecord)
    indirect case mute(Mute)
    case muteEnded(id: String)
    /// A channel was told something; budgets count it. Written only where a gate wants to know.
    case told(channel: String, Telling)
    /// What a channel was told lately: snapshots hold it, and a clock that is set moves it.
    case tellings(channel: String, [Telling])
    /// Something began to fire, or ended. Written only where a gate wants to know.
    case swung(rule: String, Subject, key: String?, at: Moment)
    /// When something began to fire and ended lately: snapshots hold it, and what is older than a day is let go.
    case swings(rule: String, Subject, key: String?, [Moment])
    /// The subject has not been heard of for so long that its figures are let go.
    case forgotten(Subject)
    /// The whole record of one subject; snapshots hold these instead of the observations they came from.
    case series(Subject, Series)
    /// The number of the next delivery; snapshots hold it, because the deliveries before it are gone.
    case numbering(next: Int)
}

extension State {
    /// Takes in a fact: the only way in which the durable part changes.
    public mutating func apply(_ fact: Fact) {
        switch fact {
        case .observed(let observation, let retention):
            changeSeries(of: observation.subject) { $0.add(observation, keeping: retention) }
        case .learning(let subject, let needs):
            changeSeries(of: subject) { $0.remember(needs) }
        case .source(let name, let record):
            sources[name] = record
        case .incident(let incident):
            let old = incidents.updateValue(incident, forKey: incident.id)
            noteHolds(of: incident.id, from: old?.standings ?? [:], to: incident.standings)
            if incident.isOpen {
                incidentIDs[incident.identity] = incident.id
            } else {
                forgetIdentity(of: incident)
            }
        case .standing(let id, let channel, let standing):
            guard let old = incidents[id] else { return }
            incidents[id]?.standings[channel] = standing
            noteHold(of: id, in: channel, from: old.standings[channel]?.hold, to: standing?.hold)
        case .incidentEnded(let id):
            guard let incident = incidents.removeValue(forKey: id) else { return }
            forgetIdentity(of: incident)
            noteHolds(of: id, from: incident.standings, to: [:])
        case .delivery(let delivery):
            if outbox.updateValue(delivery, forKey: delivery.id) == nil {
                queues[delivery.channel, default: Queue()].append(delivery.id)
                for incident in delivery.incidents { deliveries[incident, default: []].append(delivery.id) }
            }
            nextNumber = max(nextNumber, delivery.number + 1)
        case .deliveryProgress(let id, let progress):
            outbox[id]?.progress = progress
        case .deliveryDone(let id, let end, let at):
            guard let delivery = outbox[id] else { return }
            apply(.deliveryEnded(HistoryEntry(delivery: delivery, end: end, at: at)))
        case .deliveryEnded(let entry):
            let id = entry.delivery.id
            if outbox.removeValue(forKey: id) != nil {
                queues[entry.delivery.channel]?.remove(id)
                for incident in entry.delivery.incidents {
                    deliveries[incident]?.removeAll { $0 == id }
                    if deliveries[incident]?.isEmpty == true { deliveries[incident] = nil }
                }
                remember(entry)
            } else if !history.suffix(64).contains(where: { $0.delivery.id == id }) {
                remember(entry)
            }
        case .retried(let delivery):
            endings.removeAll { $0.delivery.id == delivery.id }
            apply(.delivery(delivery))
        case .channel(let name, let record):
            channels[name] = record
        case .mute(let mute):
            mutes[mute.id] = mute
        case .muteEnded(let id):
            mutes[id] = nil
        case .told(let channel, let telling):
            remember(telling, to: channel)
        case .tellings(let channel, let kept):
            tellings[channel] = kept
        case .swung(let rule, let subject, let key, let moment):
            rememberSwing(of: IncidentKey(rule: rule, subject: subject, key: key), at: moment)
        case .swings(let rule, let subject, let key, let kept):
            swings[IncidentKey(rule: rule, subject: subject, key: key)] = kept.isEmpty ? nil : kept
        case .forgotten(let subject):
            if series.removeValue(forKey: subject) != nil { count(subject, by: -1) }
        case .series(let subject, let kept):
            changeSeries(of: subject) { $0 = kept }
        case .numbering(let next):
            nextNumber = max(nextNumber, next)
        }
    }

    private mutating func forgetIdentity(of incident: Incident) {
        guard incidentIDs[incident.identity] == incident.id else { return }
        incidentIDs[incident.identity] = nil
    }

    private mutating func remember(_ entry: HistoryEntry) {
        threads.take(entry)
        for gone in endings.append(entry) { threads.drop(gone) }
    }

    /// The durable part as the shortest list of facts that makes it: a snapshot. Each fact is made when it is asked for, so
    /// that no second state is in memory beside this one.
    public var facts: some Sequence<Fact> {
        var first: [Fact] = [.numbering(next: nextNumber)]
        first += sources.sorted { $0.key < $1.key }.map { .source(name: $0.key, $0.value) }
        first += channels.sorted { $0.key < $1.key }.map { .channel(name: $0.key, $0.value) }
        first += mutesInOrder.map(Fact.mute)
        let parts = [
            Part(first) { $0 },
            Part(series.keys.sorted()) { [series] subject in series[subject].map { .series(subject, $0) } },
            Part(incidentIDsInOrder) { [incidents] id in incidents[id].map(Fact.incident) },
            Part(outboxIDsInOrder) { [outbox] id in outbox[id].map(Fact.delivery) },
            Part(history, Fact.deliveryEnded),
            Part(past) { $0 },
        ]
        return parts.lazy.flatMap { part in (0..<part.count).lazy.compactMap(part.fact) }
    }

    /// Some of the facts: how many, and how each is made.
    private struct Part {
        let count: Int
        let fact: (Int) -> Fact?

        init<Source>(_ sources: [Source], _ fact: @escaping (Source) -> Fact?) {
            count = sources.count
            self.fact = { fact(sources[$0]) }
        }
    }

    /// By the time they began.
    private var incidentIDsInOrder: [String] {
        incidents.map { (since: $0.value.since, id: $0.key) }.sorted { ($0.since, $0.id) < ($1.since, $1.id) }.map(\.id)
    }

    /// In the order they were accepted.
    private var outboxIDsInOrder: [String] {
        outbox.map { (number: $0.value.number, id: $0.key) }.sorted { $0.number < $1.number }.map(\.id)
    }
}
