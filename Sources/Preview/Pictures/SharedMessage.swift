internal import AlertCore
internal import PluginKit
internal import Preview

/// One thing that several channels are told, or not told, at the same time and for the same reason: one row of a table.
struct SharedMessage {
    let record: DecisionRecord
    private(set) var channels: [String]

    /// In the order of the records; decisions to go on holding what is held already are left out.
    static func all(_ records: [DecisionRecord]) -> [SharedMessage] {
        var held: Set<Place> = []
        var messages: [SharedMessage] = []
        for record in records {
            let place = Place(record)
            if case .hold = record.decision {
                guard held.insert(place).inserted else { continue }
            } else {
                held.remove(place)
            }
            if let index = messages.indices.reversed().prefix(while: { messages[$0].record.at == record.at })
                .first(where: { messages[$0].record.saysTheSame(as: record) })
            {
                messages[index].channels.append(record.channel)
            } else {
                messages.append(SharedMessage(record: record, channels: [record.channel]))
            }
        }
        return messages
    }

    private struct Place: Hashable {
        let channel: String
        let incident: String?
        let kind: Notification.Kind

        init(_ record: DecisionRecord) {
            channel = record.channel
            incident = record.incident
            kind = record.kind
        }
    }
}

/// One change that several channels see alike.
struct SharedChange {
    let change: Difference.Change
    private(set) var channels: [String]

    static func all(_ changes: [Difference.Change]) -> [SharedChange] {
        changes.reduce(into: []) { shared, change in
            let channel = (change.records.before ?? change.records.after)?.channel ?? ""
            // What is alike is close: changes are in the order of time.
            if let index = shared.indices.suffix(neighboursMax).first(where: { shared[$0].change.isLike(change) }) {
                shared[index].channels.append(channel)
            } else {
                shared.append(SharedChange(change: change, channels: [channel]))
            }
        }
    }

    private static let neighboursMax = 20
}

extension Difference.Change {
    fileprivate func isLike(_ other: Difference.Change) -> Bool {
        func isSame(_ left: DecisionRecord?, _ right: DecisionRecord?) -> Bool {
            guard let left, let right else { return left == nil && right == nil }
            return left.saysTheSame(as: right)
        }
        return name == other.name && isSame(records.before, other.records.before)
            && isSame(records.after, other.records.after)
    }
}

extension DecisionRecord {
    /// Whether all but the channel is the same.
    fileprivate func saysTheSame(as other: DecisionRecord) -> Bool {
        at == other.at && kind == other.kind && severity == other.severity && decision == other.decision
            && reason == other.reason && incident == other.incident && message.headline == other.message.headline
    }
}
