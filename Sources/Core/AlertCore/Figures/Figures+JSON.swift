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
            json.member("keep_ms", retention.wholeMilliseconds)
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

    init?(kind: String, _ reader: JSONReader) throws(JSONMismatch) {
        switch kind {
        case "observed":
            guard case .observed(let observation) = try ObservationLine(reader.member("observation").value) else {
                throw try reader.member("observation").mismatch(expected: "an observation")
            }
            let retention = Duration.milliseconds(Int64(try reader.member("keep_ms").int()))
            self = .observed(observation, keeping: retention)
        case "learning":
            var needs: [History.Need] = []
            for need in try reader.member("needs").elements() { needs.append(try History.Need(need)) }
            self = .learning(try Subject(reader.member("subject")), needs)
        case "forgotten": self = .forgotten(try Subject(reader.member("subject")))
        case "series": self = .series(try Subject(reader.member("subject")), try Series(reader.member("series")))
        default: return nil
        }
    }
}
