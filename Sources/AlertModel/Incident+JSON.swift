// Incidents and their evidence as JSON: the shape that webhooks, previews and the status page show, and that the journal
// keeps. Reading takes back exactly what was written.

extension JSONObject {
    /// Sets the member unless the value is nil.
    mutating func set(_ name: String, _ value: JSON?) {
        if let value { append(name, value) }
    }
}

extension Evidence {
    public var json: JSON {
        var object = JSONObject(capacity: 13)
        object.set("metric", metric.map(JSON.string))
        object.set("value", figure.map { JSON($0.value) })
        object.set("numerator", figure?.share.map { JSON($0.hits) })
        object.set("denominator", figure?.share.map { JSON($0.total) })
        object.set("limit", limit.map { .string($0.description) })
        object.set("confidence", confidence.map { JSON($0) })
        object.set("bound", bound.map { JSON($0) })
        object.set("from", span.map { JSON($0.from) })
        object.set("to", span.map { JSON($0.to) })
        object.set("issue", issue?.json)
        object.set("sentence", .string(sentence))
        return .object(object)
    }

    public init(_ reader: JSONReader) throws(JSONMismatch) {
        self.init(
            metric: try reader.optional("metric")?.string(), confidence: try reader.optional("confidence")?.number(),
            bound: try reader.optional("bound")?.number(), sentence: try reader.member("sentence").string())
        if let value = try reader.optional("value")?.number() {
            var share: Share?
            if let hits = try reader.optional("numerator")?.number(),
                let total = try reader.optional("denominator")?.number()
            {
                share = Share(hits: hits, of: total)
            }
            figure = Figure(value: value, share: share)
        }
        if let written = try reader.optional("limit") {
            do {
                limit = try Comparison(grammar: try written.string())
            } catch is GrammarError {
                throw written.mismatch(expected: "a comparison such as \"< 99.5%\"")
            } catch {
                throw written.mismatch(expected: "a comparison")
            }
        }
        if let from = try reader.optional("from")?.moment(), let to = try reader.optional("to")?.moment() {
            span = TimeSpan(from: from, to: to)
        }
        if let written = try reader.optional("issue") { issue = try Issue(written) }
    }
}

extension Subject {
    fileprivate func set(on object: inout JSONObject) {
        object.append("source", .string(source))
        object.append("app", .string(app))
        object.append("release", JSON(release))
        object.append("environment", JSON(environment))
    }

    public init(_ reader: JSONReader) throws(JSONMismatch) {
        self.init(
            source: try reader.member("source").string(), app: try reader.member("app").string(),
            release: try reader.optional("release")?.string(),
            environment: try reader.optional("environment")?.string())
    }
}

extension IncidentSummary {
    public var json: JSON {
        var object = JSONObject(capacity: 13)
        object.append("id", .string(id))
        object.append("rule", .string(rule))
        subject.set(on: &object)
        object.set("key", key.map(JSON.string))
        object.append("severity", .string(severity.rawValue))
        object.append("state", .string(state.rawValue))
        object.append("since", JSON(since))
        object.append("until", JSON(until))
        object.append("evidence", evidence.json)
        return .object(object)
    }

    public init(_ reader: JSONReader) throws(JSONMismatch) {
        self.init(
            id: try reader.member("id").string(), rule: try reader.member("rule").string(),
            subject: try Subject(reader), key: try reader.optional("key")?.string(),
            severity: try reader.member("severity").choice(),
            state: try reader.member("state").choice(), since: try reader.member("since").moment(),
            until: try reader.optional("until")?.moment(), evidence: try Evidence(reader.member("evidence")))
    }
}

extension Incident {
    public var json: JSON {
        guard case .object(var object) = IncidentSummary(self).json else { return .null }
        object.append("worst", worst.json)
        object.append("uncertain", .bool(isUncertain))
        object.set("acknowledged", acknowledgement?.json)
        object.append(
            "labels", .object(JSONObject(labels.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) })))
        object.append(
            "standings", .object(JSONObject(standings.sorted { $0.key < $1.key }.map { ($0.key, $0.value.json) })))
        return .object(object)
    }

    public init(_ reader: JSONReader) throws(JSONMismatch) {
        let summary = try IncidentSummary(reader)
        var labels: [String: String] = [:]
        for (name, value) in try reader.member("labels").members() { labels[name] = try value.string() }
        var standings: [String: Standing] = [:]
        for (channel, value) in try reader.member("standings").members() { standings[channel] = try Standing(value) }
        self.init(
            id: summary.id, rule: summary.rule, subject: summary.subject, key: summary.key,
            labels: labels, severity: summary.severity,
            state: summary.state, since: summary.since, until: summary.until, evidence: summary.evidence,
            worst: try Evidence(reader.member("worst")), isUncertain: try reader.member("uncertain").bool(),
            acknowledgement: try reader.optional("acknowledged").map(Acknowledgement.init), standings: standings)
    }
}

extension Standing {
    public var json: JSON {
        var object = JSONObject(capacity: 13)
        object.set("announced", announced.map { .string($0.rawValue) })
        object.set("dropped", dropped.map { .string($0.rawValue) })
        object.set("undelivered", undelivered.map { .string($0.rawValue) })
        object.set("first_said", firstSaid.map { JSON($0) })
        object.set("last_said", lastSaid.map { JSON($0) })
        if reminders > 0 { object.set("reminders", JSON(reminders)) }
        object.set("said", said?.json)
        object.set("hold", hold?.json)
        return .object(object)
    }

    public init(_ reader: JSONReader) throws(JSONMismatch) {
        self.init(
            announced: try reader.optional("announced")?.choice(), dropped: try reader.optional("dropped")?.choice(),
            undelivered: try reader.optional("undelivered")?.choice(),
            firstSaid: try reader.optional("first_said")?.moment(),
            lastSaid: try reader.optional("last_said")?.moment(),
            reminders: try reader.optional("reminders")?.int() ?? 0,
            said: try reader.optional("said").map { said throws(JSONMismatch) in try Said(said) },
            hold: try reader.optional("hold").map(Hold.read))
    }
}

extension Hold {
    public var json: JSON {
        var object = JSONObject()
        object.set("kind", .string(kind.rawValue))
        object.set("severity", .string(severity.rawValue))
        object.set("reason", .string(reason.description))
        object.set("since", JSON(since))
        object.set("until", JSON(until))
        object.set("look_again", JSON(lookAgain))
        object.set("summarizes", .bool(summarizes))
        object.set("for_summary", .bool(isForSummary))
        object.set(
            "gathering",
            gathering.map { ["gate": .string($0.gate), "key": .string($0.key), "style": .string($0.style.rawValue)] })
        return .object(object)
    }

    fileprivate static func read(_ reader: JSONReader) throws(JSONMismatch) -> Hold {
        let written = try reader.member("reason")
        guard let reason = Reason(try written.string()) else { throw written.mismatch(expected: "a reason") }
        let until = try reader.member("until").moment()
        var hold = Hold(
            kind: try reader.member("kind").choice(), severity: try reader.member("severity").choice(), reason: reason,
            // Records of versions that did not keep it: what is held for long has waited long enough.
            since: try reader.optional("since")?.moment() ?? .earliest, until: until,
            lookAgain: try reader.member("look_again").moment(),
            summarizes: try reader.member("summarizes").bool(), isForSummary: try reader.member("for_summary").bool())
        if let gathering = try reader.optional("gathering") {
            hold.gathering = Gathering(
                gate: try gathering.member("gate").string(), key: try gathering.member("key").string(),
                style: try gathering.member("style").choice())
        }
        return hold
    }
}

extension JSONReader {
    /// One of the words of a closed list.
    public func choice<Choice: RawRepresentable<String> & CaseIterable>() throws(JSONMismatch) -> Choice {
        guard let choice = Choice(rawValue: try string()) else {
            let words = Choice.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
            throw mismatch(expected: "one of \(words)")
        }
        return choice
    }
}

extension Optional {
    /// `map` that keeps the type of the error.
    fileprivate func map<Result, Failure: Error>(
        _ change: (Wrapped) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        if let self { try change(self) } else { nil }
    }
}
