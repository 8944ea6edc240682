public import PluginKit

// Facts as the journal's records: an object whose `kind` says what it is.

extension Fact: JSONWritable {
    public func put(into json: inout JSONWriter) {
        json.object { json in
            json.member("kind", kind)
            putMembers(into: &json)
        }
    }

    private var kind: String {
        switch self {
        case .observed: "observed"
        case .learning: "learning"
        case .source: "source"
        case .incident: "incident"
        case .standing: "standing"
        case .incidentEnded: "incident_ended"
        case .delivery: "delivery"
        case .deliveryProgress: "delivery_progress"
        case .deliveryDone: "delivery_done"
        case .deliveryEnded: "delivery_ended"
        case .retried: "retried"
        case .mute: "mute"
        case .muteEnded: "mute_ended"
        case .told: "told"
        case .tellings: "tellings"
        case .swung: "swung"
        case .swings: "swings"
        case .channel: "channel"
        case .forgotten: "forgotten"
        case .series: "series"
        case .numbering: "numbering"
        }
    }

    private func putMembers(into json: inout JSONWriter) {
        switch self {
        case .observed(let observation, let retention):
            json.member("keep_ms", retention.lookback.wholeMilliseconds)
            if retention.earlierPolls > 0 { json.member("keep_polls", retention.earlierPolls) }
            json.member("observation", ObservationLine.observed(observation))
        case .learning(let subject, let needs):
            json.member("subject", subject)
            json.member("needs", needs)
        case .source(let name, let record):
            json.member("name", name)
            json.member("source", record)
        case .incident(let incident): json.member("incident", incident)
        case .standing(let id, let channel, let standing):
            json.member("incident", id)
            json.member("channel", channel)
            json.member("standing", standing)
        case .incidentEnded(let id), .muteEnded(let id): json.member("id", id)
        case .delivery(let delivery), .retried(let delivery): json.member("delivery", delivery)
        case .deliveryProgress(let id, let progress):
            json.member("id", id)
            progress.putMembers(into: &json)
        case .deliveryDone(let id, let end, let at):
            json.member("id", id)
            json.member("at", at)
            end.putMembers(into: &json)
        case .deliveryEnded(let entry): json.member("entry", entry)
        case .mute(let mute): json.member("mute", mute)
        case .told(let channel, let telling):
            json.member("channel", channel)
            json.member("telling", telling)
        case .tellings(let channel, let tellings):
            json.member("channel", channel)
            json.member("tellings", tellings)
        case .swung(let rule, let subject, let key, let moment):
            json.member("rule", rule)
            json.member("subject", subject)
            json.member("key", key)
            json.member("at", moment)
        case .swings(let rule, let subject, let key, let swings):
            json.member("rule", rule)
            json.member("subject", subject)
            json.member("key", key)
            json.member("swings", swings)
        case .channel(let name, let record):
            json.member("name", name)
            json.member("channel", record)
        case .forgotten(let subject): json.member("subject", subject)
        case .series(let subject, let series):
            json.member("subject", subject)
            json.member("series", series)
        case .numbering(let next): json.member("next", next)
        }
    }

    /// Reads a record of the journal; a kind that this version does not know is a mismatch.
    ///
    /// - Parameter memories: the kinds of memory that this program knows.
    public init(_ json: JSON, _ memories: MemoryKinds) throws(JSONMismatch) {
        let reader = JSONReader(json)
        let kind = try reader.member("kind")
        switch try kind.string() {
        case "observed":
            guard case .observed(let observation) = try ObservationLine(reader.member("observation").value) else {
                throw try reader.member("observation").mismatch(expected: "an observation")
            }
            let retention = Retention(
                try reader.member("keep_ms").milliseconds(),
                earlierPolls: try reader.optional("keep_polls")?.int() ?? 0)
            self = .observed(observation, keeping: retention)
        case "learning":
            self = .learning(
                try Subject(reader.member("subject")), try MemoryNeeds(reader.member("needs"), memories))
        case "source":
            self = .source(name: try reader.member("name").string(), try SourceRecord(reader.member("source")))
        case "incident": self = .incident(try Incident(reader.member("incident")))
        case "standing":
            let standing = try reader.optional("standing")
            self = .standing(
                incident: try reader.member("incident").string(), channel: try reader.member("channel").string(),
                try standing.map { standing throws(JSONMismatch) in try Standing(standing) })
        case "incident_ended": self = .incidentEnded(id: try reader.member("id").string())
        case "delivery": self = .delivery(try Delivery(reader.member("delivery")))
        case "delivery_progress":
            self = .deliveryProgress(id: try reader.member("id").string(), try Delivery.Progress(reader))
        case "delivery_done":
            self = .deliveryDone(
                id: try reader.member("id").string(), try DeliveryEnd(reader), at: try reader.member("at").moment())
        case "delivery_ended": self = .deliveryEnded(try HistoryEntry(reader.member("entry")))
        case "retried": self = .retried(try Delivery(reader.member("delivery")))
        case "mute": self = .mute(try Mute(reader.member("mute")))
        case "mute_ended": self = .muteEnded(id: try reader.member("id").string())
        case "told":
            self = .told(
                channel: try reader.member("channel").string(), try Telling(reader.member("telling")))
        case "tellings":
            var tellings: [Telling] = []
            for element in try reader.member("tellings").elements() { tellings.append(try Telling(element)) }
            self = .tellings(channel: try reader.member("channel").string(), tellings)
        case "swung":
            self = .swung(
                rule: try reader.member("rule").string(), try Subject(reader.member("subject")),
                key: try reader.optional("key")?.string(), at: try reader.member("at").moment())
        case "swings":
            var swings: [Moment] = []
            for element in try reader.member("swings").elements() { swings.append(try element.moment()) }
            self = .swings(
                rule: try reader.member("rule").string(), try Subject(reader.member("subject")),
                key: try reader.optional("key")?.string(), swings)
        case "channel":
            self = .channel(name: try reader.member("name").string(), try ChannelRecord(reader.member("channel")))
        case "forgotten": self = .forgotten(try Subject(reader.member("subject")))
        case "series":
            self = .series(try Subject(reader.member("subject")), try Series(reader.member("series"), memories))
        case "numbering": self = .numbering(next: try reader.member("next").int())
        default: throw kind.mismatch(expected: "a kind of record that this version knows")
        }
    }
}

extension JSONReader {
    fileprivate func milliseconds() throws(JSONMismatch) -> Duration { .milliseconds(Int64(try int())) }
}

extension SourceRecord: JSONWritable {
    public func put(into json: inout JSONWriter) {
        json.object { json in
            json.member("cursor", ifAny: cursor)
            if !validators.isEmpty { json.member("validators", validators) }
            json.member("last_polled", ifAny: lastPolled)
            json.member("last_good", ifAny: lastGood)
            json.member("last_changed", ifAny: lastChanged)
            json.member("last_outcome", ifAny: lastOutcome?.rawValue)
            if let failure {
                json.object("failure") { json in
                    json.member("reason", failure.reason.rawValue)
                    json.member("sentence", failure.sentence)
                    json.member("since", failure.since)
                    json.member("count", failure.count)
                }
            }
            json.member("unchanged_count", unchangedCount)
            json.member("calm_count", calmCount)
            json.member("near", isNear)
            json.member("stopped", ifAny: stopped)
            json.member("due", ifAny: due)
            json.member("reasons", reasons.map(\.rawValue))
        }
    }

    init(_ reader: JSONReader) throws(JSONMismatch) {
        cursor = try reader.optional("cursor")?.value
        if let written = try reader.optional("validators") {
            for (key, validator) in try written.members() {
                validators[key] = Validator(
                    etag: try validator.optional("etag")?.string(),
                    lastModified: try validator.optional("last_modified")?.string())
            }
        }
        lastPolled = try reader.optional("last_polled")?.moment()
        lastGood = try reader.optional("last_good")?.moment()
        lastChanged = try reader.optional("last_changed")?.moment()
        lastOutcome = try reader.optional("last_outcome")?.choice()
        if let written = try reader.optional("failure") {
            failure = Failure(
                reason: try written.member("reason").choice(), sentence: try written.member("sentence").string(),
                since: try written.member("since").moment(), count: try written.member("count").int())
        }
        unchangedCount = try reader.member("unchanged_count").int()
        calmCount = try reader.member("calm_count").int()
        isNear = try reader.member("near").bool()
        stopped = try reader.optional("stopped")?.string()
        due = try reader.optional("due")?.moment()
        for reason in try reader.member("reasons").elements() { reasons.append(try reason.choice()) }
    }
}

extension ChannelRecord: JSONWritable {
    public func put(into json: inout JSONWriter) {
        json.object { json in
            json.member("failures", failures)
            json.member("paused_until", pausedUntil)
        }
    }

    init(_ reader: JSONReader) throws(JSONMismatch) {
        failures = try reader.member("failures").int()
        pausedUntil = try reader.optional("paused_until")?.moment()
    }
}

extension SourceRecord.Validator: JSONPart {
    public func put(into json: inout JSONWriter) {
        json.object { json in
            json.member("etag", etag)
            json.member("last_modified", lastModified)
        }
    }
}
