// Messages, deliveries and series as JSON, for the journal. Reading takes back exactly what was written.

extension Message {
    public var json: JSON {
        var object = JSONObject(capacity: 12)
        object.append("kind", .string(kind.rawValue))
        object.append("severity", .string(severity.rawValue))
        object.append("at", JSON(at))
        object.append("headline", .string(headline))
        object.append("facts", .array(facts.map { ["label": .string($0.label), "value": .string($0.value)] }))
        object.append("reason", .string(reason))
        object.append(
            "issues",
            .array(issues.map { ["title": .string($0.title), "detail": .string($0.detail), "url": JSON($0.url)] }))
        object.set("sparkline", sparkline.map(JSON.string))
        object.append("lines", .array(lines.map(JSON.string)))
        object.append("links", .array(links.map { ["title": .string($0.title), "url": .string($0.url)] }))
        object.append("footer", .string(footer))
        object.append("incidents", .array(incidents.map(\.json)))
        return .object(object)
    }

    public init(_ reader: JSONReader) throws(JSONMismatch) {
        self.init(
            kind: try reader.member("kind").choice(), severity: try reader.member("severity").choice(),
            at: try reader.member("at").moment(), headline: try reader.member("headline").string(),
            reason: try reader.member("reason").string(), sparkline: try reader.optional("sparkline")?.string(),
            footer: try reader.member("footer").string())
        for fact in try reader.member("facts").elements() {
            facts.append(Fact(try fact.member("label").string(), try fact.member("value").string()))
        }
        for issue in try reader.member("issues").elements() {
            issues.append(
                IssueLine(
                    title: try issue.member("title").string(), detail: try issue.member("detail").string(),
                    url: try issue.optional("url")?.string()))
        }
        for line in try reader.member("lines").elements() { lines.append(try line.string()) }
        for link in try reader.member("links").elements() {
            links.append(Link(try link.member("title").string(), try link.member("url").string()))
        }
        for incident in try reader.member("incidents").elements() { incidents.append(try IncidentSummary(incident)) }
    }
}

extension Delivery {
    public var json: JSON {
        var object = JSONObject(capacity: 12)
        object.append("id", .string(id))
        object.append("channel", .string(channel))
        object.append("number", JSON(number))
        object.append("kind", .string(kind.rawValue))
        object.append("incident", JSON(incident))
        object.append("queued", JSON(queued))
        progress.add(to: &object)
        object.append("message", message.json)
        return .object(object)
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
    /// Adds the members to those of an object that says whose progress it is.
    public func add(to object: inout JSONObject) {
        object.append("attempts", JSON(attempts))
        switch phase {
        case .waiting(let notBefore): object.append("not_before", JSON(notBefore))
        case .attempting(let since): object.append("attempting_since", JSON(since))
        }
        if mayHaveArrived { object.append("may_have_arrived", .bool(true)) }
        object.append("possibly_repeated", .bool(possiblyRepeated))
        object.append("plain", .bool(isPlain))
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
            possiblyRepeated: try reader.member("possibly_repeated").bool(), isPlain: try reader.member("plain").bool())
    }
}

extension HistoryEntry {
    public var json: JSON {
        var object = JSONObject(capacity: 12)
        object.append("at", JSON(at))
        end.add(to: &object)
        object.append("delivery", delivery.json)
        return .object(object)
    }

    public init(_ reader: JSONReader) throws(JSONMismatch) {
        self.init(
            delivery: try Delivery(reader.member("delivery")), end: try DeliveryEnd(reader),
            at: try reader.member("at").moment())
    }
}

extension DeliveryEnd {
    /// Adds the members to those of an object that says whose end it is.
    public func add(to object: inout JSONObject) {
        object.append("end", .string(name))
        switch self {
        case .delivered(let receipt): object.set("receipt", receipt.map(JSON.string))
        case .replaced: break
        case .dead(let sentence): object.append("sentence", .string(sentence))
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

extension Metrics {
    var json: JSON { .object(JSONObject(entries.map { ($0.name, JSON($0.value)) })) }

    init(_ reader: JSONReader) throws(JSONMismatch) {
        self.init()
        for (name, value) in try reader.members() { self[name] = try value.number() }
    }
}

extension TimeSpan {
    init(_ reader: JSONReader) throws(JSONMismatch) {
        let to = try reader.member("to")
        guard let span = TimeSpan(from: try reader.member("from").moment(), to: try to.moment()) else {
            throw to.mismatch(expected: "an instant after 'from'")
        }
        self = span
    }
}

extension Series {
    public var json: JSON {
        let samples = samples.map { sample -> JSON in
            [
                "from": JSON(sample.span.from), "to": JSON(sample.span.to), "seen": JSON(sample.seen),
                "complete": .bool(sample.isComplete), "metrics": sample.metrics.json,
            ]
        }
        let trail = trail.map { point -> JSON in
            [
                "hour": .int(point.hour), "from": JSON(point.span.from), "to": JSON(point.span.to),
                "metrics": point.metrics.json,
            ]
        }
        return [
            "samples": .array(samples), "trail": .array(trail), "issues": .array(issues.map(\.json)),
            "labels": .object(JSONObject(labels.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) })),
            "issue_memory": issueMemory.json, "launch": launch.json, "last_seen": JSON(lastSeen),
            "learned": .array(histories.map(\.json)),
        ]
    }

    public init(_ reader: JSONReader) throws(JSONMismatch) {
        var samples: [Sample] = []
        for sample in try reader.member("samples").elements() {
            samples.append(
                Sample(
                    span: try TimeSpan(sample), seen: try sample.member("seen").moment(),
                    isComplete: try sample.member("complete").bool(), metrics: try Metrics(sample.member("metrics"))))
        }
        var trail: [HourPoint] = []
        for point in try reader.member("trail").elements() {
            trail.append(
                HourPoint(
                    hour: Int64(try point.member("hour").int()), span: try TimeSpan(point),
                    metrics: try Metrics(point.member("metrics"))))
        }
        var issues: [Issue] = []
        for issue in try reader.member("issues").elements() { issues.append(try Issue(issue)) }
        var labels: [String: String] = [:]
        for (name, value) in try reader.member("labels").members() { labels[name] = try value.string() }
        self.init(
            samples: samples, trail: trail, issues: issues,
            // Journals may be from before there were these.
            issueMemory: try reader.optional("issue_memory").map(IssueMemory.init) ?? IssueMemory(),
            launch: try reader.optional("launch").map(Launch.init) ?? Launch(), labels: labels,
            lastSeen: try reader.member("last_seen").moment())
        // Snapshots of earlier versions have none.
        for learned in try reader.optional("learned")?.elements() ?? [] { histories.append(try History(learned)) }
    }
}
