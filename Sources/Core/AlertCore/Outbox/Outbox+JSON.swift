public import PluginKit
internal import Records

extension Outbox.Fact: RoomFact {
    var kind: String {
        switch self {
        case .delivery: "delivery"
        case .progress: "delivery_progress"
        case .done: "delivery_done"
        case .ended: "delivery_ended"
        case .forgotten: "deliveries_forgotten"
        case .retried: "retried"
        case .channel: "channel"
        case .numbering: "numbering"
        case .told: "told"
        case .tellings: "tellings"
        }
    }

    var topic: Topic {
        switch self {
        case .delivery(let delivery), .retried(let delivery): .whole(of: Outbox.Fact.key(delivery.id))
        case .progress(let id, _): .part("progress", of: Outbox.Fact.key(id))
        case .done(let id, _, _): .part("done", of: Outbox.Fact.key(id))
        case .ended(let entry): .whole(of: Outbox.Fact.key(entry.delivery.id))
        case .forgotten(let ids): .end(of: ids.map(Outbox.Fact.key))
        case .channel(let name, _): .whole(of: "c/" + name)
        case .numbering, .told, .tellings: .always
        }
    }

    private static func key(_ delivery: String) -> String { "d/" + delivery }

    func putMembers(into json: inout JSONWriter) {
        switch self {
        case .delivery(let delivery), .retried(let delivery): json.member("delivery", delivery)
        case .progress(let id, let progress):
            json.member("id", id)
            progress.putMembers(into: &json)
        case .done(let id, let end, let at):
            json.member("id", id)
            json.member("at", at)
            end.putMembers(into: &json)
        case .ended(let entry): json.member("entry", entry)
        case .forgotten(let ids): json.member("ids", ids)
        case .channel(let name, let record):
            json.member("name", name)
            json.member("channel", record)
        case .numbering(let next): json.member("next", next)
        case .told(let channel, let telling):
            json.member("channel", channel)
            json.member("telling", telling)
        case .tellings(let channel, let tellings):
            json.member("channel", channel)
            json.member("tellings", tellings)
        }
    }

    init?(kind: String, _ reader: JSONReader) throws(JSONMismatch) {
        switch kind {
        case "delivery": self = .delivery(try Delivery(reader.member("delivery")))
        case "delivery_progress":
            self = .progress(id: try reader.member("id").string(), try Delivery.Progress(reader))
        case "delivery_done":
            self = .done(
                id: try reader.member("id").string(), try DeliveryEnd(reader), at: try reader.member("at").moment())
        case "delivery_ended": self = .ended(try EndedDelivery(reader.member("entry")))
        case "deliveries_forgotten":
            var ids: [String] = []
            for id in try reader.member("ids").elements() { ids.append(try id.string()) }
            self = .forgotten(ids: ids)
        case "retried": self = .retried(try Delivery(reader.member("delivery")))
        case "channel":
            self = .channel(name: try reader.member("name").string(), try ChannelRecord(reader.member("channel")))
        case "numbering": self = .numbering(next: try reader.member("next").int())
        case "told":
            self = .told(channel: try reader.member("channel").string(), try Telling(reader.member("telling")))
        case "tellings":
            var tellings: [Telling] = []
            for element in try reader.member("tellings").elements() { tellings.append(try Telling(element)) }
            self = .tellings(channel: try reader.member("channel").string(), tellings)
        default: return nil
        }
    }
}

extension ChannelRecord: JSONWritable {
    public func put(into json: inout JSONWriter) {
        json.object { json in
            json.member("failures", failures)
            json.member("paused_until", pausedUntil)
            json.member("asked_until", ifAny: askedUntil)
            json.member("last_error", ifAny: lastError)
            json.member("home", ifAny: home.map { String($0, radix: 36) })
            json.member("moved_at", ifAny: movedAt)
        }
    }

    init(_ reader: JSONReader) throws(JSONMismatch) {
        failures = try reader.member("failures").int()
        pausedUntil = try reader.optional("paused_until")?.moment()
        askedUntil = try reader.optional("asked_until")?.moment()
        lastError = try reader.optional("last_error")?.string()
        let written = try reader.optional("home")?.string()
        home = written.flatMap { UInt64($0, radix: 36) }
        movedAt = try reader.optional("moved_at")?.moment()
    }
}
