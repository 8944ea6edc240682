internal import PluginKit
internal import Records

extension Figures.Fact: RoomFact {
    var kind: String {
        switch self {
        case .observed: "observed"
        case .sheet: "sheet"
        case .summed: "summed"
        case .learning: "learning"
        case .begun: "begun"
        case .forgotten: "forgotten"
        case .series: "series"
        }
    }

    /// All that is known of a subject is made of all that was seen of it, and of since when its source is known.
    var topic: Topic { .always }

    func putMembers(into json: inout JSONWriter) {
        switch self {
        case .observed(let observation, let retention):
            Figures.Fact.put(observation, retention, into: &json)
        case .sheet(let sheet, let retention):
            Figures.Fact.put(retention, into: &json)
            json.member("sheet", sheet)
        case .summed(let observation, let releases, let retention):
            json.member("releases", releases)
            Figures.Fact.put(observation, retention, into: &json)
        case .learning(let subject, let needs):
            json.member("subject", subject)
            json.member("needs", needs)
        case .begun(let source, let moment):
            json.member("source", source)
            json.member("at", moment)
        case .forgotten(let subject): json.member("subject", subject)
        case .series(let subject, let series):
            json.member("subject", subject)
            json.member("series", series)
        }
    }

    init?(kind: String, _ reader: JSONReader, _ memories: MemoryKinds) throws(JSONMismatch) {
        switch kind {
        case "observed": self = .observed(try Self.observation(reader), keeping: try Self.retention(reader))
        case "sheet": self = .sheet(try Sheet(reader.member("sheet")), keeping: try Self.retention(reader))
        case "summed":
            self = .summed(
                try Self.observation(reader), over: try reader.member("releases").releaseCount(),
                keeping: try Self.retention(reader))
        case "learning":
            self = .learning(
                try Subject(reader.member("subject")), try MemoryNeeds(reader.member("needs"), memories))
        case "begun":
            self = .begun(try reader.member("source").string(), at: try reader.member("at").moment())
        case "forgotten": self = .forgotten(try Subject(reader.member("subject")))
        case "series":
            self = .series(try Subject(reader.member("subject")), try Series(reader.member("series"), memories))
        default: return nil
        }
    }

    private static func put(_ retention: Retention, into json: inout JSONWriter) {
        json.member("keep_ms", retention.lookback.wholeMilliseconds)
        if retention.earlierPolls > 0 { json.member("keep_polls", retention.earlierPolls) }
        json.member("keep_since", ifAny: retention.reach)
    }

    private static func put(_ observation: Observation, _ retention: Retention, into json: inout JSONWriter) {
        put(retention, into: &json)
        json.member("observation", ObservationLine.observed(observation))
    }

    private static func observation(_ reader: JSONReader) throws(JSONMismatch) -> Observation {
        guard case .observed(let observation) = try ObservationLine(reader.member("observation").value) else {
            throw try reader.member("observation").mismatch(expected: "an observation")
        }
        return observation
    }

    private static func retention(_ reader: JSONReader) throws(JSONMismatch) -> Retention {
        Retention(
            .milliseconds(Int64(try reader.member("keep_ms").int())),
            earlierPolls: try reader.optional("keep_polls")?.int() ?? 0,
            reach: try reader.optional("keep_since")?.moment())
    }

    /// Reads an `observed`, a `sheet` or a `summed` record from its bytes, where it is written plainly; nil where the
    /// general reader has to look at it.
    init?(plain bytes: UnsafeBufferPointer<UInt8>) {
        enum Kind { case observed, sheet, summed }
        var scanner = PlainJSON(bytes)
        var kind: Kind?
        var keep, polls, releases: Double?
        var reach: Moment?
        var observation: Observation?
        var sheet: Sheet?
        let isPlain = scanner.members { scanner, name in
            switch name.count {
            case 4 where name.reads("kind"):
                return scanner.set(&kind) { scanner in
                    guard let text = scanner.rawText() else { return nil }
                    return text.reads("observed")
                        ? .observed : text.reads("sheet") ? .sheet : text.reads("summed") ? .summed : nil
                }
            case 5 where name.reads("sheet"): return scanner.set(&sheet) { $0.sheet() }
            case 7 where name.reads("keep_ms"): return scanner.set(&keep) { $0.number() }
            case 8 where name.reads("releases"): return scanner.set(&releases) { $0.number() }
            case 10 where name.reads("keep_polls"): return scanner.set(&polls) { $0.number() }
            case 10 where name.reads("keep_since"): return scanner.set(&reach) { $0.moment() }
            case 11 where name.reads("observation"): return scanner.set(&observation) { $0.observation() }
            default: return false
            }
        }
        guard isPlain, scanner.isAtEnd, let keep = keep.flatMap(Int64.init(exactly:)),
            let polls = Int(exactly: polls ?? 0)
        else { return nil }
        let retention = Retention(.milliseconds(keep), earlierPolls: polls, reach: reach)
        switch (kind, observation, sheet, releases.flatMap(Int.init(exactly:))) {
        case (.observed, let observation?, nil, nil): self = .observed(observation, keeping: retention)
        case (.sheet, nil, let sheet?, nil): self = .sheet(sheet, keeping: retention)
        case (.summed, let observation?, nil, let releases?) where releases > 0:
            self = .summed(observation, over: releases, keeping: retention)
        default: return nil
        }
    }
}
