internal import PluginKit
internal import Records

extension Incidents.Fact: RoomFact {
    var kind: String {
        switch self {
        case .incident: "incident"
        case .seen: "incident_seen"
        case .standing: "standing"
        case .ended: "incident_ended"
        case .swung: "swung"
        case .swings: "swings"
        case .swingsTold: "swings_told"
        case .sightings: "sightings"
        case .aftermath: "aftermath"
        case .settled: "settled"
        }
    }

    var topic: Topic {
        switch self {
        case .incident(let incident): .whole(of: Incidents.Fact.key(incident.id))
        // Channels have names of their own: none is empty or has a slash.
        // What is not the worst does not overtake what was.
        case .seen(let id, _, _, let isWorst): .part(isWorst ? "/worst" : "", of: Incidents.Fact.key(id))
        case .standing(let id, let channel, _): .part(channel, of: Incidents.Fact.key(id))
        case .ended(let id): .end(of: [Incidents.Fact.key(id), Incidents.Fact.sightingsKey(id)])
        case .sightings(let id, _): .whole(of: Incidents.Fact.sightingsKey(id))
        case .aftermath(let aftermath): .whole(of: Incidents.Fact.aftermathKey(aftermath.incident.id))
        case .settled(let id): .end(of: [Incidents.Fact.aftermathKey(id)])
        case .swung, .swings, .swingsTold: .always
        }
    }

    private static func key(_ incident: String) -> String { "i/" + incident }
    private static func sightingsKey(_ incident: String) -> String { "i-seen/" + incident }
    private static func aftermathKey(_ incident: String) -> String { "i-after/" + incident }

    func putMembers(into json: inout JSONWriter) {
        switch self {
        case .incident(let incident): json.member("incident", incident)
        case .seen(let id, let state, let evidence, let isWorst):
            json.member("id", id)
            if state != .firing { json.member("state", state.rawValue) }
            if isWorst { json.member("worst", true) }
            json.member("evidence", evidence)
        case .standing(let id, let channel, let standing):
            json.member("incident", id)
            json.member("channel", channel)
            json.member("standing", standing)
        case .ended(let id): json.member("id", id)
        case .swung(let rule, let subject, let key, let moment):
            json.member("rule", rule)
            json.member("subject", subject)
            json.member("key", ifAny: key)
            json.member("at", moment)
        case .swings(let rule, let subject, let key, let swings):
            json.member("rule", rule)
            json.member("subject", subject)
            json.member("key", key)
            json.member("swings", swings)
        case .swingsTold(let rule, let subject, let key, let channel, let told):
            json.member("rule", rule)
            json.member("subject", subject)
            json.member("key", ifAny: key)
            json.member("channel", channel)
            json.member("at", ifAny: told?.at)
            json.member("severity", ifAny: told?.severity.rawValue)
        case .sightings(let id, let seen):
            json.member("incident", id)
            json.member("sightings", seen.all)
        case .aftermath(let aftermath):
            json.member("incident", aftermath.incident)
            json.member("sightings", aftermath.sightings.all)
        case .settled(let id): json.member("id", id)
        }
    }

    init?(kind: String, _ reader: JSONReader) throws(JSONMismatch) {
        switch kind {
        case "incident": self = .incident(try Incident(reader.member("incident")))
        case "incident_seen":
            self = .seen(
                incident: try reader.member("id").string(), try reader.optional("state")?.choice() ?? .firing,
                try Evidence(reader.member("evidence")), isWorst: try reader.optional("worst")?.bool() ?? false)
        case "standing":
            let standing = try reader.optional("standing")
            self = .standing(
                incident: try reader.member("incident").string(), channel: try reader.member("channel").string(),
                try standing.map { standing throws(JSONMismatch) in try Standing(standing) })
        case "incident_ended": self = .ended(id: try reader.member("id").string())
        case "swung":
            self = .swung(
                rule: try reader.member("rule").string(), try Subject(reader.member("subject")),
                key: try reader.optional("key")?.string(), at: try reader.member("at").moment())
        case "swings":
            var swings: [Moment] = []
            for element in try reader.member("swings").elements() { swings.append(try element.moment()) }
            self = .swings(
                rule: try reader.member("rule").string(), try Subject(reader.member("subject")),
                key: try reader.optional("key")?.string(), swings)
        case "swings_told":
            self = .swingsTold(
                rule: try reader.member("rule").string(), try Subject(reader.member("subject")),
                key: try reader.optional("key")?.string(), channel: try reader.member("channel").string(),
                try reader.optional("at").map { at throws(JSONMismatch) in
                    SwingsTold(at: try at.moment(), severity: try reader.member("severity").choice())
                })
        case "sightings":
            self = .sightings(
                incident: try reader.member("incident").string(), try Sightings(reader.member("sightings")))
        case "aftermath":
            self = .aftermath(
                Aftermath(
                    incident: try Incident(reader.member("incident")),
                    sightings: try Sightings(reader.member("sightings"))))
        case "settled": self = .settled(id: try reader.member("id").string())
        default: return nil
        }
    }
}
