internal import PluginKit
internal import Records

extension Mutes.Fact: RoomFact {
    var kind: String {
        switch self {
        case .mute: "mute"
        case .ended: "mute_ended"
        }
    }

    var topic: Topic {
        switch self {
        case .mute(let mute): .whole(of: Mutes.Fact.key(mute.id))
        case .ended(let id): .end(of: [Mutes.Fact.key(id)])
        }
    }

    private static func key(_ mute: String) -> String { "m/" + mute }

    func putMembers(into json: inout JSONWriter) {
        switch self {
        case .mute(let mute): json.member("mute", mute)
        case .ended(let id): json.member("id", id)
        }
    }

    init?(kind: String, _ reader: JSONReader) throws(JSONMismatch) {
        switch kind {
        case "mute": self = .mute(try Mute(reader.member("mute")))
        case "mute_ended": self = .ended(id: try reader.member("id").string())
        default: return nil
        }
    }
}
