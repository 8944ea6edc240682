internal import PluginKit

/// Rebuilds a state from the journal's records, and decodes only what still counts.
///
/// Most records are overtaken by later ones: of a source, an incident or a delivery the last word is what counts, and of
/// deliveries that have ended only the newest are remembered. So those records are kept as they are, by what they are
/// about, and decoded at the end. The result is the same as that of applying every fact in its turn; a test compares the
/// two. A record that this does not recognise at a glance goes the plain way, at once.
public struct StateReplay {
    private typealias Bytes = [UInt8]

    private struct Parts {
        /// The last whole record.
        var whole: Bytes
        /// What was said since that does not repeat the whole, by what it is about: the last word counts.
        var since: [(key: String, bytes: Bytes)] = []
        /// Where among the deliveries it was accepted.
        var place = 0

        mutating func add(_ bytes: Bytes, about key: String) {
            if let index = since.firstIndex(where: { $0.key == key }) {
                since[index].bytes = bytes
            } else {
                since.append((key, bytes))
            }
        }
    }

    private struct Ended {
        let id: String
        let parts: Parts
        let isDead: Bool
    }

    private var state: State
    private var sources: [String: Bytes] = [:]
    private var incidents: [String: Parts] = [:]
    private var outbox: [String: Parts] = [:]
    /// Deliveries that have ended, as the state's history keeps them.
    private var history: Endings<Ended>
    private var next = 1
    private var acceptedCount = 0

    /// - Parameter state: One in which nothing has happened yet.
    public init(from state: State = State()) {
        self.state = state
        history = Endings(keptMax: state.outbox.historyMax) { $0.isDead }
    }

    /// Takes the next record.
    ///
    /// - Throws: `JSONSyntaxError` or `JSONMismatch` where the record is none of this program's and is looked into now.
    public mutating func take(_ record: ArraySlice<UInt8>) throws {
        let isTaken = record.withUnsafeBufferPointer { takeAtAGlance($0) }
        if !isTaken { try takePlainly(fact(record)) }
    }

    /// What is known now.
    ///
    /// - Throws: `JSONSyntaxError` or `JSONMismatch` where a record that still counts cannot be decoded.
    public consuming func finish() throws -> State {
        for record in sources.values { try apply(record) }
        for incident in incidents.values { try applyIncident(incident) }
        // The history first: what is accepted here to be ended at once must not stand in the queues.
        for ended in history.entries { try apply(ended.parts) }
        for delivery in outbox.values.sorted(by: { $0.place < $1.place }) { try apply(delivery) }
        state.apply(.outbox(.numbering(next: next)))
        return state
    }

    private mutating func apply(_ parts: Parts) throws {
        try apply(parts.whole)
        for (_, record) in parts.since { try apply(record) }
    }

    /// As it is at last, and not as it was on the way: what is gathered remembers since when, and the order of incidents,
    /// which is by chance, would change what it remembers.
    private mutating func applyIncident(_ parts: Parts) throws {
        guard case .incidents(.incident(var incident)) = try fact(parts.whole[...]) else {
            return try apply(parts)
        }
        for (_, record) in parts.since {
            guard case .incidents(.standing(_, let channel, let standing)) = try fact(record[...]) else {
                continue
            }
            incident.standings[channel] = standing
        }
        state.apply(.incidents(.incident(incident)))
    }

    private mutating func apply(_ record: Bytes) throws { state.apply(try fact(record[...])) }

    private func fact(_ record: ArraySlice<UInt8>) throws -> Fact { try Fact(JSON(parsing: record), state.memories) }

    // MARK: At a glance

    /// Takes the record if it is one of the frequent kinds, exactly as this program writes them.
    private mutating func takeAtAGlance(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        var scanner = RecordScanner(bytes)
        guard scanner.skip("{\"kind\":\"") else { return false }
        if scanner.skip("observed\",\"keep_ms\":") { return observe(&scanner) }
        if scanner.skip("source\",\"name\":\"") {
            guard let name = scanner.string() else { return false }
            sources[name] = Array(bytes)
        } else if scanner.skip("incident\",\"incident\":{\"id\":\"") {
            guard let id = scanner.string() else { return false }
            incidents[id] = Parts(whole: Array(bytes))
        } else if scanner.skip("standing\",\"incident\":\"") {
            guard let id = scanner.string(), scanner.skip(",\"channel\":\""), let channel = scanner.string() else {
                return false
            }
            incidents[id]?.add(Array(bytes), about: channel)
        } else if scanner.skip("incident_ended\",\"id\":\"") {
            guard let id = scanner.string() else { return false }
            incidents[id] = nil
        } else if scanner.skip("delivery\",\"delivery\":{\"id\":\"") {
            return accept(&scanner, bytes)
        } else if scanner.skip("delivery_progress\",\"id\":\"") {
            guard let id = scanner.string() else { return false }
            outbox[id]?.add(Array(bytes), about: "progress")
        } else if scanner.skip("delivery_done\",\"id\":\"") {
            guard let id = scanner.string(), scanner.skip(",\"at\":"), scanner.moment() != nil,
                scanner.skip(",\"end\":\""), let end = scanner.string()
            else { return false }
            guard var parts = outbox.removeValue(forKey: id) else { return true }
            parts.add(Array(bytes), about: "end")
            remember(id, parts, isDead: end == DeliveryEnd.dead("").name)
        } else if scanner.skip("delivery_ended\",\"entry\":{\"at\":") {
            return end(&scanner, bytes)
        } else {
            return false
        }
        return true
    }

    /// A delivery that was received or replaced, as a snapshot has it.
    private mutating func end(_ scanner: inout RecordScanner, _ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard scanner.moment() != nil, scanner.skip(",\"end\":\""), scanner.string() != nil else { return false }
        if scanner.skip(",\"receipt\":\""), scanner.string() == nil { return false }
        guard scanner.skip(",\"delivery\":{\"id\":\""), let id = scanner.string() else { return false }
        end(id, Array(bytes))
        return true
    }

    private mutating func end(_ id: String, _ bytes: Bytes, isDead: Bool = false) {
        if outbox.removeValue(forKey: id) == nil, history.entries.suffix(64).contains(where: { $0.id == id }) { return }
        remember(id, Parts(whole: bytes), isDead: isDead)
    }

    private mutating func observe(_ scanner: inout RecordScanner) -> Bool {
        guard let keep = scanner.integer() else { return false }
        var polls: Int64 = 0
        if scanner.skip(",\"keep_polls\":") {
            guard let count = scanner.integer() else { return false }
            polls = count
        }
        guard scanner.skip(",\"observation\":"), let observation = Observation(&scanner), scanner.skip("}"),
            scanner.isAtEnd
        else { return false }
        state.apply(
            .figures(.observed(observation, keeping: Retention(.milliseconds(keep), earlierPolls: Int(polls)))))
        return true
    }

    private mutating func accept(_ scanner: inout RecordScanner, _ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let id = scanner.string(), scanner.skip(",\"channel\":\""), scanner.string() != nil,
            scanner.skip(",\"number\":"), let number = scanner.integer()
        else { return false }
        accept(id, Int(number), Array(bytes))
        return true
    }

    private mutating func accept(_ id: String, _ number: Int, _ bytes: Bytes) {
        acceptedCount += 1
        let place = outbox[id]?.place ?? acceptedCount
        outbox[id] = Parts(whole: bytes, place: place)
        next = max(next, number + 1)
    }

    private mutating func remember(_ id: String, _ parts: Parts, isDead: Bool) {
        _ = history.append(Ended(id: id, parts: parts, isDead: isDead))
    }

    // MARK: Plainly

    /// Takes a fact that was decoded. What is kept by its key here goes through the same keys.
    private mutating func takePlainly(_ fact: Fact) {
        switch fact {
        case .schedule(.source(let name, _)): sources[name] = fact.bytes
        case .incidents(.incident(let incident)): incidents[incident.id] = Parts(whole: fact.bytes)
        case .incidents(.standing(let id, let channel, _)): incidents[id]?.add(fact.bytes, about: channel)
        case .incidents(.ended(let id)): incidents[id] = nil
        case .outbox(.delivery(let delivery)): accept(delivery.id, delivery.number, fact.bytes)
        case .outbox(.retried(let delivery)):
            _ = history.remove { $0.id == delivery.id }
            accept(delivery.id, delivery.number, Fact.outbox(.delivery(delivery)).bytes)
        case .outbox(.progress(let id, _)): outbox[id]?.add(fact.bytes, about: "progress")
        case .outbox(.done(let id, let end, _)):
            guard var parts = outbox.removeValue(forKey: id) else { return }
            parts.add(fact.bytes, about: "end")
            remember(id, parts, isDead: end.isDead)
        case .outbox(.ended(let entry)): end(entry.delivery.id, fact.bytes, isDead: entry.end.isDead)
        default: state.apply(fact)
        }
    }
}
