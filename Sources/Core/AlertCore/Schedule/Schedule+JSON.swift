public import PluginKit
internal import Records

extension Schedule.Fact: RoomFact {
    var kind: String {
        switch self {
        case .source: "source"
        case .polling: "polling"
        }
    }

    var topic: Topic {
        switch self {
        case .source(let name, _): .whole(of: "s/" + name)
        case .polling(let name, _, _): .part("p", of: "s/" + name)
        }
    }

    func putMembers(into json: inout JSONWriter) {
        switch self {
        case .source(let name, let record):
            json.member("name", name)
            json.member("source", record)
        case .polling(let name, let at, let due):
            json.member("name", name)
            json.member("at", at)
            json.member("due", due)
        }
    }

    init?(kind: String, _ reader: JSONReader) throws(JSONMismatch) {
        switch kind {
        case "source":
            self = .source(name: try reader.member("name").string(), try SourceRecord(reader.member("source")))
        case "polling":
            self = .polling(
                name: try reader.member("name").string(), at: try reader.member("at").moment(),
                due: try reader.member("due").moment())
        default: return nil
        }
    }
}

extension SourceRecord: JSONWritable {
    public func put(into json: inout JSONWriter) {
        json.object { json in
            json.member("cursor", ifAny: cursor)
            if !validators.isEmpty { json.member("validators", validators) }
            if isAnew { json.member("anew", true) }
            json.member("last_polled", ifAny: lastPolled)
            json.member("first_polled", ifAny: firstPolled)
            json.member("last_good", ifAny: lastGood)
            breaks.putMembers(into: &json)
            json.member("last_changed", ifAny: lastChanged)
            if !confirmed.isEmpty { json.member("confirmed", confirmed) }
            json.member("doubt", ifAny: doubt)
            json.member("last_outcome", ifAny: lastOutcome?.rawValue)
            json.member("failure", ifAny: failure)
            json.member("lack", ifAny: lack)
            if !warnings.isEmpty { json.member("warnings", warnings) }
            // Most sources are well, and this is written with every poll.
            if unchangedCount != 0 { json.member("unchanged_count", unchangedCount) }
            if calmCount != 0 { json.member("calm_count", calmCount) }
            if isNear { json.member("near", isNear) }
            json.member("stopped", ifAny: stopped)
            json.member("due", ifAny: due)
            json.member("limit", ifAny: limit)
            json.member("told", ifAny: told)
            if !reasons.isEmpty { json.member("reasons", reasons.map(\.rawValue)) }
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
        isAnew = try reader.optional("anew")?.bool() ?? false
        lastPolled = try reader.optional("last_polled")?.moment()
        firstPolled = try reader.optional("first_polled")?.moment()
        lastGood = try reader.optional("last_good")?.moment()
        breaks = try Breaks(reader)
        lastChanged = try reader.optional("last_changed")?.moment()
        for written in try reader.optional("confirmed")?.elements() ?? [] { confirmed.append(try TimeSpan(written)) }
        doubt = try reader.optional("doubt").map(Doubt.init)
        lastOutcome = try reader.optional("last_outcome")?.choice()
        failure = try reader.optional("failure").map(Failure.init)
        lack = try reader.optional("lack").map(Failure.init)
        if let written = try reader.optional("warnings") {
            note(warnings: try written.elements().map { warning throws(JSONMismatch) in try warning.string() })
        }
        unchangedCount = try reader.optional("unchanged_count")?.int() ?? 0
        calmCount = try reader.optional("calm_count")?.int() ?? 0
        isNear = try reader.optional("near")?.bool() ?? false
        stopped = try reader.optional("stopped")?.string()
        due = try reader.optional("due")?.moment()
        limit = try reader.optional("limit")?.moment()
        told = try reader.optional("told")?.moment()
        for reason in try reader.optional("reasons")?.elements() ?? [] { reasons.append(try reason.choice()) }
    }
}

extension SourceRecord.Doubt: JSONPuttable {
    func put(into json: inout JSONWriter) {
        json.object { json in
            json.member("since", since)
            if case .apps(let apps) = unread { json.member("apps", apps.sorted()) }
        }
    }

    fileprivate init(_ reader: JSONReader) throws(JSONMismatch) {
        since = try reader.member("since").moment()
        unread = .anything
        guard let apps = try reader.optional("apps") else { return }
        unread = .nothing
        for app in try apps.elements() { unread.add(try app.string()) }
    }
}

extension SourceRecord.Failure: JSONPuttable {
    public func put(into json: inout JSONWriter) {
        json.object { json in
            json.member("reason", reason.rawValue)
            json.member("sentence", sentence)
            json.member("since", since)
            json.member("count", count)
        }
    }

    fileprivate init(_ reader: JSONReader) throws(JSONMismatch) {
        self.init(
            reason: try reader.member("reason").choice(), sentence: try reader.member("sentence").string(),
            since: try reader.member("since").moment(), count: try reader.member("count").int())
    }
}

extension SourceRecord.Validator: JSONPuttable {
    public func put(into json: inout JSONWriter) {
        json.object { json in
            json.member("etag", etag)
            json.member("last_modified", lastModified)
        }
    }
}
