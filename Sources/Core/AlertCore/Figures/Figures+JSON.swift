internal import PluginKit
internal import Records

extension Figures.Fact: RoomFact {
    var kind: String {
        switch self {
        case .observed: "observed"
        case .summed: "summed"
        case .learning: "learning"
        case .forgotten: "forgotten"
        case .series: "series"
        }
    }

    /// All that is known of a subject is made of all that was seen of it.
    var topic: Topic { .always }

    func putMembers(into json: inout JSONWriter) {
        switch self {
        case .observed(let observation, let retention):
            Figures.Fact.put(observation, retention, into: &json)
        case .summed(let observation, let releases, let retention):
            json.member("releases", releases)
            Figures.Fact.put(observation, retention, into: &json)
        case .learning(let subject, let needs):
            json.member("subject", subject)
            json.member("needs", needs)
        case .forgotten(let subject): json.member("subject", subject)
        case .series(let subject, let series):
            json.member("subject", subject)
            json.member("series", series)
        }
    }

    init?(kind: String, _ reader: JSONReader, _ memories: MemoryKinds) throws(JSONMismatch) {
        switch kind {
        case "observed": self = .observed(try Self.observation(reader), keeping: try Self.retention(reader))
        case "summed":
            self = .summed(
                try Self.observation(reader), over: try reader.member("releases").releaseCount(),
                keeping: try Self.retention(reader))
        case "learning":
            self = .learning(
                try Subject(reader.member("subject")), try MemoryNeeds(reader.member("needs"), memories))
        case "forgotten": self = .forgotten(try Subject(reader.member("subject")))
        case "series":
            self = .series(try Subject(reader.member("subject")), try Series(reader.member("series"), memories))
        default: return nil
        }
    }

    private static func put(_ observation: Observation, _ retention: Retention, into json: inout JSONWriter) {
        json.member("keep_ms", retention.lookback.wholeMilliseconds)
        if retention.earlierPolls > 0 { json.member("keep_polls", retention.earlierPolls) }
        json.member("keep_since", ifAny: retention.reach)
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

    /// Reads an `observed` or a `summed` record from its bytes, where it is written plainly; nil where the general reader has to look
    /// at it.
    init?(plain bytes: UnsafeBufferPointer<UInt8>) {
        var scanner = PlainJSON(bytes)
        var isObserved = false
        var isSummed = false
        var keep, polls, releases: Double?
        var reach: Moment?
        var observation: Observation?
        let isPlain = scanner.members { scanner, name in
            switch name.count {
            case 4 where name.reads("kind"):
                let kind = scanner.rawText()
                isObserved = kind?.reads("observed") ?? false
                isSummed = kind?.reads("summed") ?? false
                return isObserved || isSummed
            case 7 where name.reads("keep_ms"): return scanner.set(&keep) { $0.number() }
            case 8 where name.reads("releases"): return scanner.set(&releases) { $0.number() }
            case 10 where name.reads("keep_polls"): return scanner.set(&polls) { $0.number() }
            case 10 where name.reads("keep_since"): return scanner.set(&reach) { $0.moment() }
            case 11 where name.reads("observation"): return scanner.set(&observation) { $0.observation() }
            default: return false
            }
        }
        guard isPlain, scanner.isAtEnd, isObserved || isSummed, let observation,
            let keep = keep.flatMap(Int64.init(exactly:)), let polls = Int(exactly: polls ?? 0)
        else { return nil }
        let retention = Retention(.milliseconds(keep), earlierPolls: polls, reach: reach)
        if isObserved {
            self = .observed(observation, keeping: retention)
        } else {
            guard let releases = releases.flatMap(Int.init(exactly:)), releases > 0 else { return nil }
            self = .summed(observation, over: releases, keeping: retention)
        }
    }
}
