internal import PluginKit

extension Figures.Fact: RoomFact {
    var kind: String {
        switch self {
        case .observed: "observed"
        case .learning: "learning"
        case .forgotten: "forgotten"
        case .series: "series"
        }
    }

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
}
