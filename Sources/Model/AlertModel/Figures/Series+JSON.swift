// What is kept of a subject as JSON, for snapshots.

extension Series: JSONWritable {
    /// The members that no memory may be called.
    static let ownMembers: Set<String> = [
        "samples", "trail", "issues", "labels", "first_seen", "last_seen", "figures_seen", "polls", "releases", "past",
        "reach",
    ]

    public func put(into json: inout JSONWriter) {
        json.object { json in
            json.member("samples", samples)
            json.array("trail", trail) { json, point in
                json.object { json in
                    json.member("hour", point.hour)
                    json.member("from", point.span.from)
                    json.member("to", point.span.to)
                    json.member("metrics", point.metrics)
                }
            }
            json.member("issues", issues)
            json.member("labels", labels)
            remembered.putStanding(into: &json)
            json.member("first_seen", ifAny: firstSeen)
            json.member("last_seen", lastSeen)
            // Of most, figures are all that is ever heard.
            if figuresSeen != lastSeen { json.member("figures_seen", figuresSeen) }
            if !polls.isEmpty { json.member("polls", polls.map(\.samples)) }
            if let releasesSummed { json.member("releases", releasesSummed) }
            json.member("reach", ifAny: reach)
            if !past.isEmpty { json.member("past", past) }
            remembered.putAsked(into: &json)
        }
    }

    /// - Parameter kinds: the memories that this program knows; what is there of others is carried along unread.
    public init(_ reader: JSONReader, _ kinds: MemoryKinds) throws(JSONMismatch) {
        var kept = Kept(memory: try SeriesMemory(reader, kinds))
        for sample in try reader.member("samples").elements() { kept.samples.append(try Sample(sample)) }
        // Earlier journals have looks without figures between those with some.
        let hasFigures = kept.samples.contains { !$0.metrics.isEmpty }
        let isMixed = hasFigures && kept.samples.contains(where: \.metrics.isEmpty)
        if isMixed { kept.samples.removeAll(where: \.metrics.isEmpty) }
        kept.samplesBytes = kept.samples.reduce(0) { $0 + $1.bytes }
        for point in try reader.member("trail").elements() {
            kept.trail.append(
                HourPoint(
                    hour: Int64(try point.member("hour").int()), span: try TimeSpan(point),
                    metrics: try Metrics(point.member("metrics"))))
        }
        for issue in try reader.member("issues").elements() { kept.issues.append(try Issue(issue)) }
        for (name, value) in try reader.member("labels").members() { kept.labels[name] = try value.string() }
        // Earlier journals say it in the memory of issues alone, and those of release 0.1 nowhere.
        let began = try reader.optional("issue_memory")?.optional("began")
        kept.firstSeen = try (reader.optional("first_seen") ?? began)?.moment()
        kept.lastSeen = try reader.member("last_seen").moment()
        if hasFigures {
            kept.figuresSeen =
                try reader.optional("figures_seen")?.moment()
                ?? (isMixed ? kept.samples.map(\.seen).max() : nil) ?? kept.lastSeen
        }
        for poll in try reader.optional("polls")?.elements() ?? [] { kept.polls.append(try Poll(poll)) }
        kept.releasesSummed = try reader.optional("releases")?.releaseCount()
        kept.reach = try reader.optional("reach")?.moment()
        for sample in try reader.optional("past")?.elements() ?? [] { kept.past.append(try Sample(sample)) }
        kept.pastBytes = kept.past.reduce(0) { $0 + $1.bytes }
        self.init(kept)
    }
}

extension JSONReader {
    /// Over how many releases something was summed up.
    public func releaseCount() throws(JSONMismatch) -> Int {
        let count = try int()
        guard count > 0 else { throw mismatch(expected: "a count of releases") }
        return count
    }
}

extension Series.Sample: JSONPuttable {
    public func put(into json: inout JSONWriter) {
        json.object { json in
            json.member("from", span.from)
            json.member("to", span.to)
            json.member("seen", seen)
            json.member("complete", isComplete)
            json.member("metrics", metrics)
        }
    }

    init(_ reader: JSONReader) throws(JSONMismatch) {
        self.init(
            span: try TimeSpan(reader), seen: try reader.member("seen").moment(),
            isComplete: try reader.member("complete").bool(), metrics: try Metrics(reader.member("metrics")))
    }
}

extension Series.Poll {
    /// Reads a list of samples, all of them seen at once.
    init(_ reader: JSONReader) throws(JSONMismatch) {
        let elements = try reader.elements()
        guard let first = elements.first else { throw reader.mismatch(expected: "the figures of a poll") }
        self.init(try Series.Sample(first))
        for element in elements.dropFirst() {
            let sample = try Series.Sample(element)
            guard sample.seen == seen else { throw element.mismatch(expected: "figures seen at \(seen)") }
            add(sample)
        }
    }
}
