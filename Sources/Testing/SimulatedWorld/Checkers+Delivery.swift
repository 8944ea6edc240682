internal import AlertCore
internal import Journal
internal import PluginKit

/// What leaves is durable before, and what was durable is there again after every death.
struct DurableFirst: Checker {
    static let name = "durable first"
    static let promise = "A message leaves only when the journal has it, and a new life knows all that was durable."

    mutating func observe(_ happening: Happening, _ world: World) throws(Breach) {
        switch happening {
        case .departed(let channel, let id):
            guard let delivery = world.truth.outbox[id] else {
                throw Breach("\(id) leaves for \(channel), and the journal does not have it")
            }
            guard case .attempting = delivery.progress.phase else {
                throw Breach("\(id) leaves for \(channel), and the journal does not say that it is being tried")
            }
        case .opened(let state): try compare(state, world.truth)
        default: break
        }
    }

    /// What was appended and not synced may have survived; then the new life knows more, but never less.
    private func compare(_ found: State, _ truth: State) throws(Breach) {
        if found.outbox.nextNumber < truth.outbox.nextNumber {
            throw Breach(
                "the next delivery has number \(found.outbox.nextNumber), before it was \(truth.outbox.nextNumber)")
        }
        let endings = Set(found.outbox.history.map(\.delivery.id))
        for id in truth.outbox.deliveries.keys.sorted() where found.outbox[id] == nil && !endings.contains(id) {
            throw Breach("delivery \(id) was durable, and is gone")
        }
        let oldEndings = truth.outbox.history.reduce(into: [:]) { $0[$1.delivery.id] = $1.delivery.number }
        // What is tried again has a new number.
        let isBack: (Delivery) -> Bool = { delivery in oldEndings[delivery.id].map { $0 >= delivery.number } ?? false }
        if let back = found.outbox.inOrder.first(where: isBack)?.id {
            throw Breach("delivery \(back) had ended, and is back")
        }
        for (name, record) in truth.schedule.sources.sorted(by: { $0.key < $1.key })
        where found.schedule.sources[name] == nil {
            throw Breach("source \(name), last polled at \(String(describing: record.lastPolled)), is forgotten")
        }
    }
}

/// A bit that turns on the disk is no other record.
struct RotNoticed: Checker {
    static let name = "rot noticed"
    static let promise =
        "Where a bit of the journal has turned, a reader says so and goes on: with all the other records, and none "
        + "altered."

    /// A line feed stands between two.
    private static let lostMax = 2

    mutating func observe(_ happening: Happening, _ world: World) throws(Breach) {
        guard case .rotted(let place, let whole, let result) = happening else { return }
        switch result {
        case .failure(let error): throw Breach("a bit of \(place) has turned, and nothing can be read: \(error)")
        case .success(let (payloads, report)):
            // Behind an older snapshot the records are others; what they come to is not.
            if report.isSnapshotPassedOver {
                guard try RotNoticed.facts(payloads) == RotNoticed.facts(whole) else {
                    throw Breach("a bit of \(place) has turned, and the snapshot before it comes to something else")
                }
                return
            }
            var rest = whole[...]
            for payload in payloads {
                guard let index = rest.firstIndex(of: payload) else {
                    throw Breach(
                        "a bit of \(place) has turned, and a record is another: "
                            + "\(String(decoding: payload, as: UTF8.self))"
                    )
                }
                rest = rest[(index + 1)...]
            }
            let lost = whole.count - payloads.count
            if lost > RotNoticed.lostMax { throw Breach("a bit of \(place) has turned, and \(lost) records are lost") }
            if lost > 0, report.notices.isEmpty {
                throw Breach("a bit of \(place) has turned, and nobody says that a record is lost")
            }
        }
    }

    /// What the records come to, in words.
    private static func facts(_ payloads: [[UInt8]]) throws(Breach) -> [String] {
        do {
            var state = World.emptyState
            for payload in payloads { state.apply(try Fact(record: payload[...], state.memories)) }
            return state.facts.map(\.json.text)
        } catch { throw Breach("what is read is no state: \(error)") }
    }
}

extension JournalReport {
    fileprivate var isSnapshotPassedOver: Bool {
        notices.contains { if case .brokenSnapshot(_, let isUsed) = $0 { !isUsed } else { false } }
    }
}

/// Everything accepted ends, and as it says.
struct NothingLost: Checker {
    static let name = "nothing lost"
    static let promise =
        "Every delivery accepted into the journal ends: delivered, and then the channel has it; replaced by newer "
        + "truth; or dead, for a reason that the world confirms."

    private struct Known {
        var channel: String
        var acceptedAt: Int64
        /// Whether the server took it, in whatever form.
        var isThere = false
        /// Attempts after which nobody could know whether it arrived.
        var unknowns = 0
        var refusals = 0
        var departures = 0
    }

    private var known: [String: Known] = [:]
    /// When a channel was last absent from the config.
    private var absent: [String: Int64] = [:]
    /// Channels that the bot's config does not have now: what ends meanwhile is kept for their return.
    private var gone: Set<String> = []
    /// A replaced delivery whose heir has not been seen yet: it comes later in the same commit.
    private var heirless: (id: String, incident: String?, channel: String)?

    mutating func observe(_ happening: Happening, _ world: World) throws(Breach) {
        switch happening {
        case .accepted(let delivery):
            world.counts.deliveries += 1
            // A journal that could not be written for a while says it late.
            let age = max(0, (world.time.wall - delivery.queued).wholeMilliseconds)
            known[delivery.id] = Known(channel: delivery.channel, acceptedAt: world.time.uptime - age)
            if heirless?.incident == delivery.incident, heirless?.channel == delivery.channel { heirless = nil }
        case .committed:
            if let heirless { throw Breach("\(heirless.id) was replaced, and nothing took its place") }
        case .departed(_, let id): known[id]?.departures += 1
        case .accepts(_, let id, _): known[id]?.isThere = true
        case .lost(_, let id, let isCertain): known[id]?.unknowns += isCertain ? 0 : 1
        case .judged(_, let id, let outcome):
            switch outcome {
            case .unknown: known[id]?.unknowns += 1
            case .refusedBody, .refusedChannel: known[id]?.refusals += 1
            default: break
            }
        case .opened(let state):
            gone = channelsGone(world)
            for channel in gone { absent[channel] = world.time.uptime }
            adopt(state, world)
        case .reloaded:
            gone = channelsGone(world)
            for kind in ChannelKind.allCases
            where !world.settings.has(kind.name) || !world.settingsBefore.has(kind.name) {
                absent[kind.name] = world.time.uptime
            }
        case .ended(let entry): try checkEnd(entry, world)
        case .drained:
            if let (id, delivery) = known.sorted(by: { $0.key < $1.key }).first {
                throw Breach("delivery \(id) to \(delivery.channel) was accepted and has never ended")
            }
        default: break
        }
    }

    private func channelsGone(_ world: World) -> Set<String> {
        Set(ChannelKind.allCases.map(\.name).filter { !world.settings.has($0) })
    }

    /// What was appended and not synced may have come to pass all the same.
    private mutating func adopt(_ state: State, _ world: World) {
        for delivery in state.outbox.deliveries.values where delivery.channel != OwnPage.name {
            if known[delivery.id] == nil {
                world.counts.deliveries += 1
                known[delivery.id] = Known(channel: delivery.channel, acceptedAt: world.time.uptime)
            }
            if case .attempting = delivery.progress.phase { known[delivery.id]?.unknowns += 1 }
        }
        let ended = Set(state.outbox.history.map(\.delivery.id))
        for id in known.keys where ended.contains(id) { known[id] = nil }
    }

    private mutating func checkEnd(_ entry: EndedDelivery, _ world: World) throws(Breach) {
        let (id, channel) = (entry.delivery.id, entry.delivery.channel)
        world.counts.ends[entry.end.name, default: 0] += 1
        guard let delivery = known.removeValue(forKey: id) else { throw Breach("\(id) ended, and was never accepted") }
        switch entry.end {
        case .delivered:
            if !delivery.isThere { throw Breach("\(id) counts as delivered, and \(channel) does not have it") }
        case .replaced:
            if delivery.isThere { throw Breach("\(id) was replaced, and \(channel) has it") }
            if delivery.unknowns > 0 { throw Breach("\(id) was replaced, and may have reached \(channel)") }
            heirless = (id, entry.delivery.incident, channel)
        case .dead(let reason):
            let wait = Int64(24 * 3_600_000)
            let isOld = world.time.uptime - delivery.acceptedAt >= wait || entry.at - entry.delivery.queued >= .days(1)
            let wasAbsent = gone.contains(channel) || absent[channel].map { $0 >= delivery.acceptedAt } == true
            let isUnsure = delivery.unknowns >= 2 && channel == ChannelKind.slack.name
            guard isOld || wasAbsent || isUnsure || delivery.refusals > 0 else {
                throw Breach("\(id) to \(channel) is dead (\(reason)), and nothing in the world says why")
            }
        }
    }

}

/// What people read, they read once, but for the case that nobody can exclude.
struct NothingTwice: Checker {
    static let name = "nothing twice"
    static let promise =
        "People read a delivery once. Only where an answer was lost, or the bot died before it took one in, and the "
        + "channel knows no repetitions, they may read it once more, marked; elsewhere the repetition has the same id "
        + "and content."

    private struct Known {
        var shown = 0
        var unknowns = 0
        var bodies: [String: UInt64] = [:]
    }

    private struct Word: Hashable {
        var incident: String
        var channel: String
        var kind: Notification.Kind
    }

    private var known: [String: Known] = [:]
    /// Which delivery says that an incident has opened or is resolved, by incident and channel.
    private var said: [Word: String] = [:]

    mutating func observe(_ happening: Happening, _ world: World) throws(Breach) {
        switch happening {
        case .accepted(let delivery):
            guard let word = word(delivery) else { return }
            if let before = said.updateValue(delivery.id, forKey: word), before != delivery.id {
                throw Breach("\(delivery.id) says to \(word.channel) what \(before) has said: \(word.kind.rawValue)")
            }
        case .accepts(let channel, let id, let reading): try read(channel, id, reading, world)
        case .lost(_, let id, let isCertain): if !isCertain { doubt(id, world) }
        case .judged(_, let id, .unknown): doubt(id, world)
        case .opened(let state):
            for delivery in state.outbox.deliveries.values {
                if case .attempting = delivery.progress.phase { doubt(delivery.id, world) }
                if let word = word(delivery), said[word] == nil { said[word] = delivery.id }
            }
            // What was appended and not synced may have come to pass all the same.
            for entry in state.outbox.history.suffix(64) { end(entry) }
        case .ended(let entry):
            end(entry)
        case .drained:
            said = said.filter { world.truth.incidents[$0.key.incident] != nil }
            known = [:]
        default: break
        }
    }

    /// What was given up and never read may be said once more.
    private mutating func end(_ entry: EndedDelivery) {
        let isShown = (known.removeValue(forKey: entry.delivery.id)?.shown ?? 0) > 0
        if isShown { return }
        if case .delivered = entry.end { return }
        if let word = word(entry.delivery), said[word] == entry.delivery.id { said[word] = nil }
    }

    private func word(_ delivery: Delivery) -> Word? {
        guard let incident = delivery.incident, delivery.kind == .opened || delivery.kind.isEnd else {
            return nil
        }
        return Word(incident: incident, channel: delivery.channel, kind: delivery.kind)
    }

    private mutating func doubt(_ id: String, _ world: World) {
        known[id, default: Known()].unknowns += 1
        world.counts.unknowns += 1
    }

    private mutating func read(
        _ channel: String, _ id: String, _ reading: ChatService.Reading, _ world: World
    ) throws(Breach) {
        var delivery = known[id] ?? Known()
        if let key = reading.key, let before = delivery.bodies.updateValue(reading.body, forKey: key),
            before != reading.body
        {
            throw Breach("\(id) came to \(channel) under the same key with other content")
        }
        guard reading.isShown else {
            known[id] = delivery
            return
        }
        delivery.shown += 1
        known[id] = delivery
        guard delivery.shown > 1 else { return }
        world.counts.repeats += 1
        if channel != ChannelKind.slack.name { throw Breach("\(channel) shows \(id) a second time") }
        if delivery.shown > 2 { throw Breach("\(channel) shows \(id) for the \(delivery.shown)th time") }
        if delivery.unknowns < 1 { throw Breach("\(channel) shows \(id) again, though its first answer was known") }
        if !reading.isMarked { throw Breach("\(channel) shows \(id) again without saying so") }
    }
}

/// The messages of one incident arrive in a channel in the order in which they were accepted.
struct InOrder: Checker {
    static let name = "in order"
    static let promise = "A channel gets the messages of one incident in the order in which they were accepted."

    private var last: [Standing.Key: Int] = [:]

    mutating func observe(_ happening: Happening, _ world: World) throws(Breach) {
        switch happening {
        case .accepts(let channel, let id, _):
            guard let delivery = world.truth.outbox[id] else { return }
            for incident in delivery.message.incidents.map(\.id) {
                let key = Standing.Key(channel: channel, incident: incident)
                if let before = last[key], before > delivery.number {
                    throw Breach(
                        "\(channel) gets number \(delivery.number) of incident \(incident) after number \(before)")
                }
                last[key] = delivery.number
            }
        case .drained: last = last.filter { world.truth.incidents[$0.key.incident] != nil }
        default: break
        }
    }
}
