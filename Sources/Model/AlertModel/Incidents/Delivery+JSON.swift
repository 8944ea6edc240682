// Messages, deliveries and series as JSON, for the journal. Reading takes back exactly what was written.

/// For the journal alone: what goes without saying is not said.
extension Message: JSONWritable {
    public func put(into json: inout JSONWriter) {
        json.object { json in
            json.member("kind", kind.rawValue)
            json.member("at", at)
            putOtherMembers(into: &json)
        }
    }

    fileprivate func putOtherMembers(into json: inout JSONWriter) {
        json.member("severity", severity.rawValue)
        json.member("announces", ifAny: announces?.rawValue)
        if isOfMute { json.member("of_mute", true) }
        json.member("headline", headline)
        // A headline of a team's own words need not have it.
        if Mark(of: headline, else: kind, severity) != mark { json.member("mark", mark.rawValue) }
        json.array("facts", ifAny: fields) { json, field in
            json.object { json in
                json.member("label", field.label)
                json.member("value", field.value)
            }
        }
        if !reason.isEmpty { json.member("reason", reason) }
        json.array("issues", ifAny: issues) { json, issue in
            json.object { json in
                json.member("title", issue.title)
                json.member("detail", issue.detail)
                json.member("url", ifAny: issue.url)
            }
        }
        json.member("sparkline", ifAny: sparkline)
        json.member("chart", ifAny: chart)
        json.array("lines", ifAny: lines) { json, line in json.put(line) }
        if linesLeftOut > 0 { json.member("lines_left_out", linesLeftOut) }
        json.array("body", ifAny: body) { json, paragraph in json.put(paragraph) }
        json.array("links", ifAny: links) { json, link in
            json.object { json in
                json.member("title", link.title)
                json.member("url", link.url)
                if link.isOwn { json.member("own", true) }
            }
        }
        json.member("footer", footer)
        json.array("incidents", ifAny: incidents) { json, incident in
            json.object { json in incident.putKeptMembers(into: &json) }
        }
        if !labels.isEmpty { json.member("labels", labels) }
    }

    public init(_ reader: JSONReader) throws(JSONMismatch) {
        try self.init(reader, kind: reader.member("kind").choice(), at: reader.member("at").moment())
    }

    fileprivate init(_ reader: JSONReader, kind: Notification.Kind, at: Moment) throws(JSONMismatch) {
        self.init(
            kind: kind, severity: try reader.member("severity").choice(), at: at,
            headline: try reader.member("headline").string(), reason: try reader.optional("reason")?.string() ?? "",
            sparkline: try reader.optional("sparkline")?.string(), footer: try reader.member("footer").string())
        announces = try reader.optional("announces")?.choice()
        isOfMute = try reader.optional("of_mute")?.bool() ?? false
        if let mark = try reader.optional("mark") { self.mark = try mark.choice() }
        if let chart = try reader.optional("chart") { self.chart = try Chart(chart) }
        for field in try reader.optional("facts")?.elements() ?? [] {
            fields.append(Field(try field.member("label").string(), try field.member("value").string()))
        }
        for issue in try reader.optional("issues")?.elements() ?? [] {
            issues.append(
                IssueLine(
                    title: try issue.member("title").string(), detail: try issue.member("detail").string(),
                    url: try issue.optional("url")?.string()))
        }
        for line in try reader.optional("lines")?.elements() ?? [] { lines.append(try line.string()) }
        linesLeftOut = try reader.optional("lines_left_out")?.int() ?? 0
        for paragraph in try reader.optional("body")?.elements() ?? [] { body.append(try paragraph.string()) }
        for link in try reader.optional("links")?.elements() ?? [] {
            links.append(
                Link(
                    try link.member("title").string(), try link.member("url").string(),
                    isOwn: try link.optional("own")?.bool() ?? false))
        }
        for incident in try reader.optional("incidents")?.elements() ?? [] {
            incidents.append(try IncidentSummary(incident))
        }
        for (name, value) in try reader.optional("labels")?.members() ?? [] { labels[name] = try value.string() }
    }
}

extension JSONWriter {
    /// Puts a member whose value is an array, or nothing where the array is empty.
    fileprivate mutating func array<Element>(
        _ name: StaticString, ifAny elements: [Element], _ put: (inout JSONWriter, Element) -> Void
    ) {
        if !elements.isEmpty { array(name, elements, put) }
    }
}

extension Delivery: JSONWritable {
    public func put(into json: inout JSONWriter) {
        let message = message
        json.object { json in
            json.member("id", id)
            json.member("channel", channel)
            json.member("number", number)
            json.member("kind", kind.rawValue)
            json.member("incident", ifAny: incident)
            json.member("queued", queued)
            if progress != .first(queued) { progress.putMembers(into: &json) }
            json.object("message") { json in
                if message.kind != kind { json.member("kind", message.kind.rawValue) }
                if message.at != queued { json.member("at", message.at) }
                message.putOtherMembers(into: &json)
            }
            json.array("updates", ifAny: updates) { json, update in update.put(into: &json) }
            json.array("escalated", ifAny: escalated) { json, id in json.put(id) }
            if isAgain { json.member("again", true) }
        }
    }

    public init(_ reader: JSONReader) throws(JSONMismatch) {
        let kind: Notification.Kind = try reader.member("kind").choice()
        let queued = try reader.member("queued").moment()
        let message = try reader.member("message")
        self.init(
            id: try reader.member("id").string(), channel: try reader.member("channel").string(),
            number: try reader.member("number").int(), kind: kind,
            incident: try reader.optional("incident")?.string(),
            message: try Message(
                message, kind: message.optional("kind")?.choice() ?? kind,
                at: message.optional("at")?.moment() ?? queued),
            queued: queued)
        if try reader.optional("attempts") != nil { progress = try Progress(reader) }
        for update in try reader.optional("updates")?.elements() ?? [] { updates.append(try Message(update)) }
        isAgain = try reader.optional("again")?.bool() ?? false
        for id in try reader.optional("escalated")?.elements() ?? [] { escalated.append(try id.string()) }
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

extension TimeSpan: JSONPuttable {
    public func put(into json: inout JSONWriter) {
        json.object { json in
            json.member("from", from)
            json.member("to", to)
        }
    }

    /// Reads the members `from` and `to`.
    public init(_ reader: JSONReader) throws(JSONMismatch) {
        let to = try reader.member("to")
        guard let span = TimeSpan(from: try reader.member("from").moment(), to: try to.moment()) else {
            throw to.mismatch(expected: "an instant after 'from'")
        }
        self = span
    }
}
