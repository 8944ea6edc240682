public import PluginKit

// Facts as the journal's records: an object whose `kind` says what it is.

extension Fact {
    public var json: JSON {
        switch self {
        case .observed(let observation, let retention):
            [
                "kind": "observed", "keep_ms": .int(retention.wholeMilliseconds),
                "observation": ObservationLine.observed(observation).json,
            ]
        case .learning(let subject, let needs):
            ["kind": "learning", "subject": subject.json, "needs": .array(needs.map(\.json))]
        case .source(let name, let record): ["kind": "source", "name": .string(name), "source": record.json]
        case .incident(let incident): ["kind": "incident", "incident": incident.json]
        case .standing(let id, let channel, let standing):
            [
                "kind": "standing", "incident": .string(id), "channel": .string(channel),
                "standing": standing?.json ?? .null,
            ]
        case .incidentEnded(let id): ["kind": "incident_ended", "id": .string(id)]
        case .delivery(let delivery): ["kind": "delivery", "delivery": delivery.json]
        case .deliveryProgress(let id, let progress): Fact.about(id, "delivery_progress") { progress.add(to: &$0) }
        case .deliveryDone(let id, let end, let at):
            Fact.about(id, "delivery_done") { object in
                object.append("at", JSON(at))
                end.add(to: &object)
            }
        case .deliveryEnded(let entry): ["kind": "delivery_ended", "entry": entry.json]
        case .retried(let delivery): ["kind": "retried", "delivery": delivery.json]
        case .mute(let mute): ["kind": "mute", "mute": mute.json]
        case .muteEnded(let id): ["kind": "mute_ended", "id": .string(id)]
        case .told(let channel, let telling):
            ["kind": "told", "channel": .string(channel), "telling": telling.json]
        case .tellings(let channel, let tellings):
            ["kind": "tellings", "channel": .string(channel), "tellings": .array(tellings.map(\.json))]
        case .swung(let rule, let subject, let key, let moment):
            ["kind": "swung", "rule": .string(rule), "subject": subject.json, "key": JSON(key), "at": JSON(moment)]
        case .swings(let rule, let subject, let key, let swings):
            [
                "kind": "swings", "rule": .string(rule), "subject": subject.json, "key": JSON(key),
                "swings": .array(swings.map { JSON($0) }),
            ]
        case .channel(let name, let record): ["kind": "channel", "name": .string(name), "channel": record.json]
        case .forgotten(let subject): ["kind": "forgotten", "subject": subject.json]
        case .series(let subject, let series):
            ["kind": "series", "subject": subject.json, "series": series.json]
        case .numbering(let next): ["kind": "numbering", "next": JSON(next)]
        }
    }

    private static func about(_ id: String, _ kind: String, _ add: (inout JSONObject) -> Void) -> JSON {
        var object = JSONObject([("kind", .string(kind)), ("id", .string(id))])
        add(&object)
        return .object(object)
    }

    /// Reads a record of the journal; a kind that this version does not know is a mismatch.
    public init(_ json: JSON) throws(JSONMismatch) {
        let reader = JSONReader(json)
        let kind = try reader.member("kind")
        switch try kind.string() {
        case "observed":
            guard case .observed(let observation) = try ObservationLine(reader.member("observation").value) else {
                throw try reader.member("observation").mismatch(expected: "an observation")
            }
            self = .observed(observation, keeping: try reader.member("keep_ms").milliseconds())
        case "learning":
            var needs: [History.Need] = []
            for need in try reader.member("needs").elements() { needs.append(try History.Need(need)) }
            self = .learning(try Subject(reader.member("subject")), needs)
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
        case "series": self = .series(try Subject(reader.member("subject")), try Series(reader.member("series")))
        case "numbering": self = .numbering(next: try reader.member("next").int())
        default: throw kind.mismatch(expected: "a kind of record that this version knows")
        }
    }
}

extension JSONReader {
    fileprivate func milliseconds() throws(JSONMismatch) -> Duration { .milliseconds(Int64(try int())) }
}

extension Subject {
    fileprivate var json: JSON {
        ["source": .string(source), "app": .string(app), "release": JSON(release), "environment": JSON(environment)]
    }
}

extension SourceRecord {
    public var json: JSON {
        var object = JSONObject()
        object["cursor"] = cursor
        if !validators.isEmpty {
            object["validators"] = .object(
                JSONObject(
                    validators.sorted { $0.key < $1.key }.map { key, validator in
                        (key, ["etag": JSON(validator.etag), "last_modified": JSON(validator.lastModified)])
                    }))
        }
        object["last_polled"] = lastPolled.map { JSON($0) }
        object["last_good"] = lastGood.map { JSON($0) }
        object["last_changed"] = lastChanged.map { JSON($0) }
        object["last_outcome"] = lastOutcome.map { .string($0.rawValue) }
        object["failure"] = failure.map { failure in
            [
                "reason": .string(failure.reason.rawValue), "sentence": .string(failure.sentence),
                "since": JSON(failure.since), "count": JSON(failure.count),
            ]
        }
        object["unchanged_count"] = JSON(unchangedCount)
        object["calm_count"] = JSON(calmCount)
        object["near"] = .bool(isNear)
        object["stopped"] = stopped.map(JSON.string)
        object["due"] = due.map { JSON($0) }
        object["reasons"] = .array(reasons.map { .string($0.rawValue) })
        return .object(object)
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

extension ChannelRecord {
    public var json: JSON {
        ["failures": JSON(failures), "paused_until": JSON(pausedUntil)]
    }

    init(_ reader: JSONReader) throws(JSONMismatch) {
        failures = try reader.member("failures").int()
        pausedUntil = try reader.optional("paused_until")?.moment()
    }
}
