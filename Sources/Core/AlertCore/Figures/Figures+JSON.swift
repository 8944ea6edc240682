internal import PluginKit
internal import Records

extension Figures.Fact: RoomFact {
    var kind: String {
        switch self {
        case .observed: "observed"
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
            json.member("keep_ms", retention.lookback.wholeMilliseconds)
            if retention.earlierPolls > 0 { json.member("keep_polls", retention.earlierPolls) }
            json.member("observation", ObservationLine.observed(observation))
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
        case "observed":
            guard case .observed(let observation) = try ObservationLine(reader.member("observation").value) else {
                throw try reader.member("observation").mismatch(expected: "an observation")
            }
            let retention = Retention(
                .milliseconds(Int64(try reader.member("keep_ms").int())),
                earlierPolls: try reader.optional("keep_polls")?.int() ?? 0)
            self = .observed(observation, keeping: retention)
        case "learning":
            self = .learning(
                try Subject(reader.member("subject")), try MemoryNeeds(reader.member("needs"), memories))
        case "forgotten": self = .forgotten(try Subject(reader.member("subject")))
        case "series":
            self = .series(try Subject(reader.member("subject")), try Series(reader.member("series"), memories))
        default: return nil
        }
    }

    /// Reads an `observed` record from its bytes, where it is written plainly; nil where the general reader has to look
    /// at it.
    init?(plain bytes: UnsafeBufferPointer<UInt8>) {
        var scanner = PlainJSON(bytes)
        var isObserved = false
        var keep, polls: Double?
        var observation: Observation?
        let isPlain = scanner.members { scanner, name in
            switch name.count {
            case 4 where name.reads("kind"):
                isObserved = scanner.rawText()?.reads("observed") ?? false
                return isObserved
            case 7 where name.reads("keep_ms"): return scanner.set(&keep) { $0.number() }
            case 10 where name.reads("keep_polls"): return scanner.set(&polls) { $0.number() }
            case 11 where name.reads("observation"): return scanner.set(&observation) { $0.observation() }
            default: return false
            }
        }
        guard isPlain, scanner.isAtEnd, isObserved, let observation, let keep = keep.flatMap(Int64.init(exactly:)),
            let polls = Int(exactly: polls ?? 0)
        else { return nil }
        self = .observed(observation, keeping: Retention(.milliseconds(keep), earlierPolls: polls))
    }
}
