// Messages, deliveries and series as JSON, for the journal. Reading takes back exactly what was written.

extension Message: JSONWritable {
    public func put(into json: inout JSONWriter) {
        json.object { json in
            json.member("kind", kind.rawValue)
            json.member("severity", severity.rawValue)
            json.member("at", at)
            json.member("headline", headline)
            json.array("facts", fields) { json, field in
                json.object { json in
                    json.member("label", field.label)
                    json.member("value", field.value)
                }
            }
            json.member("reason", reason)
            json.array("issues", issues) { json, issue in
                json.object { json in
                    json.member("title", issue.title)
                    json.member("detail", issue.detail)
                    json.member("url", issue.url)
                }
            }
            json.member("sparkline", ifAny: sparkline)
            json.member("chart", ifAny: chart)
            json.member("lines", lines)
            if !body.isEmpty { json.member("body", body) }
            json.array("links", links) { json, link in
                json.object { json in
                    json.member("title", link.title)
                    json.member("url", link.url)
                }
            }
            json.member("footer", footer)
            json.member("incidents", incidents)
        }
    }

    public init(_ reader: JSONReader) throws(JSONMismatch) {
        self.init(
            kind: try reader.member("kind").choice(), severity: try reader.member("severity").choice(),
            at: try reader.member("at").moment(), headline: try reader.member("headline").string(),
            reason: try reader.member("reason").string(), sparkline: try reader.optional("sparkline")?.string(),
            footer: try reader.member("footer").string())
        if let chart = try reader.optional("chart") { self.chart = try Chart(chart) }
        for field in try reader.member("facts").elements() {
            fields.append(Field(try field.member("label").string(), try field.member("value").string()))
        }
        for issue in try reader.member("issues").elements() {
            issues.append(
                IssueLine(
                    title: try issue.member("title").string(), detail: try issue.member("detail").string(),
                    url: try issue.optional("url")?.string()))
        }
        for line in try reader.member("lines").elements() { lines.append(try line.string()) }
        for paragraph in try reader.optional("body")?.elements() ?? [] { body.append(try paragraph.string()) }
        for link in try reader.member("links").elements() {
            links.append(Link(try link.member("title").string(), try link.member("url").string()))
        }
        for incident in try reader.member("incidents").elements() { incidents.append(try IncidentSummary(incident)) }
    }
}

extension Delivery: JSONWritable {
    public func put(into json: inout JSONWriter) {
        json.object { json in
            json.member("id", id)
            json.member("channel", channel)
            json.member("number", number)
            json.member("kind", kind.rawValue)
            json.member("incident", incident)
            json.member("queued", queued)
            progress.putMembers(into: &json)
            json.member("message", message)
        }
    }

    public init(_ reader: JSONReader) throws(JSONMismatch) {
        self.init(
            id: try reader.member("id").string(), channel: try reader.member("channel").string(),
            number: try reader.member("number").int(), kind: try reader.member("kind").choice(),
            incident: try reader.optional("incident")?.string(), message: try Message(reader.member("message")),
            queued: try reader.member("queued").moment())
        progress = try Progress(reader)
    }
}

extension Delivery.Progress {
    /// Puts the members of an object that says whose progress it is.
    public func putMembers(into json: inout JSONWriter) {
        json.member("attempts", attempts)
        switch phase {
        case .waiting(let notBefore): json.member("not_before", notBefore)
        case .attempting(let since): json.member("attempting_since", since)
        }
        if mayHaveArrived { json.member("may_have_arrived", true) }
        if possiblyRepeated { json.member("possibly_repeated", true) }
        if isPlain { json.member("plain", true) }
        json.member("thread", ifAny: thread)
    }

    public init(_ reader: JSONReader) throws(JSONMismatch) {
        let phase: Delivery.Phase
        if let since = try reader.optional("attempting_since")?.moment() {
            phase = .attempting(since: since)
        } else {
            phase = .waiting(notBefore: try reader.member("not_before").moment())
        }
        self.init(
            attempts: try reader.member("attempts").int(), phase: phase,
            mayHaveArrived: try reader.optional("may_have_arrived")?.bool() ?? false,
            possiblyRepeated: try reader.optional("possibly_repeated")?.bool() ?? false,
            isPlain: try reader.optional("plain")?.bool() ?? false,
            thread: try reader.optional("thread")?.string())
    }
}

extension EndedDelivery: JSONWritable {
    public func put(into json: inout JSONWriter) {
        json.object { json in
            json.member("at", at)
            end.putMembers(into: &json)
            json.member("delivery", delivery)
        }
    }

    public init(_ reader: JSONReader) throws(JSONMismatch) {
        self.init(
            delivery: try Delivery(reader.member("delivery")), end: try DeliveryEnd(reader),
            at: try reader.member("at").moment())
    }
}

extension DeliveryEnd {
    /// Puts the members of an object that says whose end it is.
    public func putMembers(into json: inout JSONWriter) {
        json.member("end", name)
        switch self {
        case .delivered(let receipt): json.member("receipt", ifAny: receipt)
        case .replaced: break
        case .dead(let sentence): json.member("sentence", sentence)
        }
    }

    public init(_ reader: JSONReader) throws(JSONMismatch) {
        let written = try reader.member("end")
        switch try written.string() {
        case "delivered": self = .delivered(receipt: try reader.optional("receipt")?.string())
        case "replaced": self = .replaced
        case "dead": self = .dead(try reader.member("sentence").string())
        default: throw written.mismatch(expected: "\"delivered\", \"replaced\" or \"dead\"")
        }
    }
}

extension Metrics: JSONWritable {
    public func put(into json: inout JSONWriter) {
        json.object { json in for entry in entries { json.member(named: entry.name, entry.value) } }
    }

    public init(_ reader: JSONReader) throws(JSONMismatch) {
        self.init()
        for (name, value) in try reader.members() { self[name] = try value.number() }
    }
}

extension TimeSpan {
    /// Reads the members `from` and `to`.
    public init(_ reader: JSONReader) throws(JSONMismatch) {
        let to = try reader.member("to")
        guard let span = TimeSpan(from: try reader.member("from").moment(), to: try to.moment()) else {
            throw to.mismatch(expected: "an instant after 'from'")
        }
        self = span
    }
}
