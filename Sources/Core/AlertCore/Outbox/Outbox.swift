internal import DequeModule
public import PluginKit

/// What was accepted for channels: deliveries that are under way, those that have ended, how each channel is, and what
/// each was told lately.
public struct Outbox: Sendable {
    /// Deliveries that have not ended, by id.
    public private(set) var deliveries: [String: Delivery] = [:]
    /// What is remembered of each channel, by name.
    public private(set) var channels: [String: ChannelRecord] = [:]
    /// What each channel was told lately, oldest first, at most `Telling.keptMax` each and a quarter more.
    public private(set) var tellings: [String: [Telling]] = [:]
    /// The number of the next delivery.
    public private(set) var nextNumber = 1
    private var endings: Endings<EndedDelivery>
    /// Dead letters that are remembered, and likewise other ended deliveries.
    public let historyMax: Int

    // Derived from them.
    /// Deliveries of each channel that have not ended, by their numbers.
    private var queues: [String: Deque<String>] = [:]
    /// Those of each incident, likewise.
    private var byIncident: [String: [String]] = [:]
    /// Where in each channel the messages of an incident belong.
    private(set) var threads = Threads()

    // Of this run only.
    /// Whether a gate wants to know what channels were told.
    private var remembersTellings = false
    /// Deliveries of which an attempt is in flight, by channel.
    private var sending: [String: Set<String>] = [:]
    /// Those of them that have arrived, by id: older messages are edited behind them.
    private(set) var editing: [String: Delivery] = [:]
    /// Where each channel led at the last start or reload.
    private var places: [String: UInt64] = [:]
    /// How many deliveries may leave at once, by channel.
    var buckets: [String: Bucket] = [:]
    /// When the bot was last back from an absence.
    private(set) var comeback: Moment?
    /// Why the journal cannot be written, while it cannot: nothing new is accepted for delivery then.
    public internal(set) var journalTrouble: String?

    /// What the journal keeps of it.
    public enum Fact: Hashable, Sendable {
        /// A delivery was accepted or has changed.
        indirect case delivery(Delivery)
        /// An attempt of a delivery has begun, or will be made again.
        case progress(id: String, Delivery.Progress)
        case done(id: String, DeliveryEnd, at: Moment)
        /// A delivery that has ended, whole; snapshots hold these, because what came before is gone.
        indirect case ended(EndedDelivery)
        /// Deliveries that ended so long ago that they are let go.
        case forgotten(ids: [String])
        /// A dead letter is tried once more, under the same id.
        indirect case retried(Delivery)
        case channel(name: String, ChannelRecord)
        /// The number of the next delivery; written where the deliveries before it are gone.
        case numbering(next: Int)
        /// A channel was told something; budgets count it. Written only where a gate wants to know.
        case told(channel: String, Telling)
        /// What a channel was told lately: snapshots hold it, and a clock that is set moves it.
        case tellings(channel: String, [Telling])
    }

    init(historyMax: Int) {
        self.historyMax = historyMax
        endings = Endings(keptMax: historyMax) { $0.end.isDead }
    }

    /// Notes that the bot is back; a reload is no absence.
    mutating func noteComeback(at now: Moment, isStart: Bool) { if !isStart || comeback == nil { comeback = now } }

    mutating func moveComeback(by step: Duration) { comeback = comeback.map { $0 + step } }

    public mutating func apply(_ fact: Fact) { _ = take(fact) }

    /// Takes in a fact; gives back the ended deliveries that are let go for it.
    private mutating func take(_ fact: Fact) -> [EndedDelivery] {
        switch fact {
        case .delivery(let delivery):
            if deliveries.updateValue(delivery, forKey: delivery.id) == nil {
                list(delivery)
                // A start skips that it is tried again where a clock was set since, for this overtakes that.
                if delivery.isAgain { _ = endings.remove { $0.delivery.id == delivery.id } }
            }
            nextNumber = max(nextNumber, delivery.number + 1)
        case .progress(let id, let progress): deliveries[id]?.progress = progress
        case .done(let id, let end, let at):
            guard var delivery = deliveries[id] else { break }
            // Whatever is said of them by now, these would be out of date.
            delivery.updates = []
            return take(.ended(EndedDelivery(delivery: delivery, end: end, at: at)))
        case .ended(let entry):
            if let delivery = deliveries[entry.delivery.id] {
                remove(delivery)
            } else if endings.entries.suffix(Outbox.repeatsMax).contains(where: { $0.delivery.id == entry.delivery.id })
            {
                break
            }
            threads.take(entry)
            let gone = endings.append(entry)
            for entry in gone { threads.drop(entry) }
            return gone
        case .forgotten(let ids):
            let ids = Set(ids)
            for gone in endings.remove(where: { ids.contains($0.delivery.id) }) { threads.drop(gone) }
            // A start skips how it ended, for this overtakes that; a snapshot may have it as it was before.
            for id in ids { if let delivery = deliveries[id] { remove(delivery) } }
        case .retried(let delivery):
            _ = endings.remove { $0.delivery.id == delivery.id }
            return take(.delivery(delivery))
        case .channel(let name, let record): channels[name] = record
        case .numbering(let next): nextNumber = max(nextNumber, next)
        case .told(let channel, let telling): remember(telling, to: channel)
        case .tellings(let channel, let kept): tellings[channel] = kept
        }
        return []
    }

    /// How far back in the history an entry that a snapshot and a segment both hold can stand.
    private static let repeatsMax = 64

    // MARK: - A snapshot

    var firstFacts: [Fact] {
        [.numbering(next: nextNumber)]
            + channels.sorted { $0.key < $1.key }.map { .channel(name: $0.key, $0.value) }
    }

    /// The deliveries under way, in the order they were accepted.
    var facts: SnapshotFacts<Fact> {
        let ids = deliveries.map { (number: $0.value.number, id: $0.key) }.sorted { $0.number < $1.number }
        return SnapshotFacts(ids.map(\.id)) { [deliveries] id in deliveries[id].map(Fact.delivery) }
    }

    var historyFacts: SnapshotFacts<Fact> { SnapshotFacts(history, Fact.ended) }

    var pastFacts: [Fact] { tellings.sorted { $0.key < $1.key }.map { .tellings(channel: $0.key, $0.value) } }

    // MARK: - Looking up

    public subscript(_ id: String) -> Delivery? { deliveries[id] }

    /// Deliveries that have not ended, in the order they were accepted.
    public var inOrder: [Delivery] { deliveries.values.sorted { $0.number < $1.number } }

    /// Deliveries that ended, oldest first: at most `historyMax` dead letters and as many others, and a tenth more.
    public var history: [EndedDelivery] { endings.entries }

    /// Whether there may have been others before these.
    public var hasForgotten: Bool { endings.isFull }

    /// The deliveries of a channel that have not ended, in the order they were accepted.
    func queue(_ channel: String) -> some RandomAccessCollection<String> { queues[channel] ?? [] }

    func isSending(_ delivery: Delivery) -> Bool { sending[delivery.channel]?.contains(delivery.id) ?? false }

    func sendingCount(_ channel: String) -> Int { sending[channel]?.count ?? 0 }

    /// The message that was the first of all these incidents in the channel; nil where they have none, or not the same.
    func opening(of incidents: [String], in channel: String) -> Threads.Opening? {
        threads.opening(of: incidents, in: channel, since: channels[channel]?.movedAt)
    }

    /// Whether the message that opened the incident in the channel can be brought up to date with it; true where nobody
    /// knows yet, because it is still on its way.
    func mayUpdateOpening(of incident: String, in channel: String) -> Bool {
        opening(of: [incident], in: channel).map { $0.receipt != nil && $0.count == 1 } ?? true
    }

    /// Deliveries of an incident that have certainly not arrived yet: newer truth overtakes them.
    func overtaken(of incident: String, in channel: String) -> [Delivery] {
        (byIncident[incident] ?? []).compactMap { deliveries[$0] }.filter { delivery in
            guard case .waiting = delivery.progress.phase else { return false }
            return delivery.channel == channel && delivery.incident == incident && !delivery.progress.mayHaveArrived
        }
    }

    /// Ends that the channel certainly never got, oldest first, of what it may have heard begin. What it refused in every form
    /// it would refuse again.
    ///
    /// - Parameters:
    ///   - latest: what died later waits.
    ///   - oldest: what was over before is told no more.
    func missedEnds(in channel: String, diedBy latest: Moment, since oldest: Moment) -> [Delivery] {
        let moved = channels[channel]?.movedAt ?? .earliest
        let unheard = unheardBeginnings(in: channel)
        return history.lazy.filter { $0.end.isDead && $0.at <= latest }.map(\.delivery).filter { delivery in
            delivery.channel == channel && delivery.tellsEnds && !delivery.progress.mayHaveArrived
                && !delivery.progress.isPlain && delivery.queued >= moved
                && delivery.summaries.contains { ($0.until ?? .earliest) >= oldest }
                && !delivery.incidents.allSatisfy(unheard.contains)
        }
    }

    /// Incidents whose openings a channel certainly never got, and nothing else about them: its end was queued while the
    /// opening was on its way.
    private func unheardBeginnings(in channel: String) -> Set<String> {
        var (unheard, heard): (Set<String>, Set<String>) = ([], [])
        for ended in history where ended.delivery.channel == channel {
            if case .delivered = ended.end {
                heard.formUnion(ended.delivery.incidents)
            } else if ended.end.isDead, ended.delivery.kind == .opened, !ended.delivery.progress.mayHaveArrived {
                unheard.formUnion(ended.delivery.incidents)
            }
        }
        return unheard.subtracting(heard)
    }

    /// Whether any delivery to a channel has not ended.
    func hasWaiting(for channel: String) -> Bool { !queue(channel).isEmpty }

    /// The incidents of which messages wait for a channel, and have certainly not arrived.
    func waiting(for channel: String) -> Set<String> {
        var waiting: Set<String> = []
        for id in queue(channel) {
            guard let delivery = deliveries[id], case .waiting = delivery.progress.phase,
                !delivery.progress.mayHaveArrived
            else { continue }
            waiting.formUnion(delivery.incidents)
        }
        return waiting
    }

    // MARK: - Changing

    /// Takes note of where channels lead now; gives back those that led elsewhere before.
    mutating func noteMoved(_ plan: Plan) -> [String] {
        var moved: [String] = []
        for channel in plan.channels {
            guard let place = channel.place else { continue }
            if let old = places.updateValue(place, forKey: channel.name), old != place { moved.append(channel.name) }
        }
        return moved
    }

    /// Whether another channel leads to the chat of one that has left the config: to the same by name, or by all of its options.
    func leads(_ other: ChannelPlan, whereLed channel: String) -> Bool {
        if let home = other.home, home.isNamed, home.hash == channels[channel]?.home { return true }
        return places[channel].map { $0 == other.place } ?? false
    }

    /// Takes note of the chats to which channels lead now; gives back those that led to another one before, also before a
    /// restart.
    mutating func noteHomes(_ plan: Plan, at now: Moment, _ output: inout Output) -> [String] {
        var moved: [String] = []
        for channel in plan.channels {
            guard let home = channel.home else { continue }
            var record = channels[channel.name] ?? ChannelRecord()
            guard record.home != home.hash else { continue }
            if let old = record.home, old != home.withoutAddress {
                moved.append(channel.name)
                record.movedAt = now
            }
            record.home = home.hash
            self.record(.channel(name: channel.name, record), &output)
        }
        return moved
    }

    /// Says at the begin of a turn whether a gate wants to know what channels are told.
    mutating func rememberTellings(_ isWanted: Bool) { remembersTellings = isWanted }

    mutating func record(_ fact: Fact, _ output: inout Output) {
        let telling = remembersTellings ? telling(of: fact) : nil
        let gone = take(fact)
        output.facts.append(.outbox(fact))
        if !gone.isEmpty {
            record(.forgotten(ids: gone.map(\.delivery.id)), &output)
            // Theirs may be the highest number that was ever given.
            record(.numbering(next: nextNumber), &output)
        }
        if let telling { record(telling, &output) }
    }

    /// What budgets are to know of a fact.
    private func telling(of fact: Fact) -> Fact? {
        switch fact {
        case .retried(let delivery): .told(channel: delivery.channel, Telling(delivery))
        case .delivery(let delivery):
            deliveries[delivery.id] == nil ? .told(channel: delivery.channel, Telling(delivery)) : nil
        default: nil
        }
    }

    private mutating func remember(_ telling: Telling, to channel: String) {
        guard telling.number > tellings[channel]?.last?.number ?? 0 else { return }
        tellings[channel, default: []].append(telling)
        let surplus = (tellings[channel]?.count ?? 0) - Telling.keptMax
        // Seldom, and then many at once: taking away the first moves all others.
        if surplus > Telling.keptMax / 4 { tellings[channel]?.removeFirst(surplus) }
    }

    mutating func noteBegun(_ delivery: Delivery) { sending[delivery.channel, default: []].insert(delivery.id) }

    mutating func noteEditing(_ delivery: Delivery) { editing[delivery.id] = delivery }

    mutating func noteEnded(_ delivery: Delivery) {
        editing[delivery.id] = nil
        sending[delivery.channel]?.remove(delivery.id)
    }

    // MARK: - What is derived

    private mutating func list(_ delivery: Delivery) {
        var queue = queues.removeValue(forKey: delivery.channel) ?? []
        queue.insert(delivery.id, at: place(of: delivery, in: queue))
        queues[delivery.channel] = queue
        for incident in delivery.incidents {
            var ids = byIncident.removeValue(forKey: incident) ?? []
            ids.insert(delivery.id, at: place(of: delivery, in: ids))
            byIncident[incident] = ids
        }
    }

    /// Where a delivery belongs among others by its number: nearly always at the end, but a replay may come to them in
    /// another order.
    private func place<IDs: RandomAccessCollection<String>>(of delivery: Delivery, in ids: IDs) -> Int
    where IDs.Index == Int {
        guard let last = ids.last, number(last) > delivery.number else { return ids.endIndex }
        return ids.partitioningIndex { number($0) >= delivery.number }
    }

    private func number(_ id: String) -> Int { deliveries[id]?.number ?? 0 }

    /// Where a delivery stands that has ended: nearly always first, but newer truth may end any of a long queue.
    private func place(ofListed delivery: Delivery, in queue: Deque<String>) -> Int? {
        if queue.first == delivery.id { return queue.startIndex }
        let place = queue.partitioningIndex { number($0) >= delivery.number }
        return place < queue.endIndex && queue[place] == delivery.id ? place : queue.firstIndex(of: delivery.id)
    }

    /// Lets go of a delivery, which is found in its lists by the number that it has until then.
    private mutating func remove(_ delivery: Delivery) {
        let id = delivery.id
        defer { deliveries[id] = nil }
        // Nobody else holds the queue while it is changed: a copy would be as long.
        let place = queues[delivery.channel].flatMap { self.place(ofListed: delivery, in: $0) }
        if let place { queues[delivery.channel]?.remove(at: place) }
        for incident in delivery.incidents {
            byIncident[incident]?.removeAll { $0 == id }
            if byIncident[incident]?.isEmpty == true { byIncident[incident] = nil }
        }
    }
}

/// A token bucket: how many deliveries may leave at once.
struct Bucket: Sendable {
    var tokens: Double
    var at: Moment
}
