internal import PluginKit

/// The channels' own ids of the messages that opened incidents, as far as the history reaches back.
struct Threads: Sendable {
    private struct Key: Hashable, Sendable {
        let incident: String
        let channel: String
    }

    /// Oldest first.
    private var receipts: [Key: [String?]] = [:]

    /// The receipt of the incident's first message in the channel, where the channel gave one.
    func receipt(of incident: String, in channel: String) -> String? {
        receipts[Key(incident: incident, channel: channel)]?.first ?? nil
    }

    /// Takes in what has come to the end of the history.
    mutating func take(_ entry: EndedDelivery) {
        guard case .delivered(let receipt) = entry.end else { return }
        for key in Threads.keys(entry) { receipts[key, default: []].append(receipt) }
    }

    /// Lets go of what has left the history at its beginning.
    mutating func drop(_ entry: EndedDelivery) {
        guard case .delivered = entry.end else { return }
        for key in Threads.keys(entry) {
            receipts[key]?.removeFirst()
            if receipts[key]?.isEmpty == true { receipts[key] = nil }
        }
    }

    private static func keys(_ entry: EndedDelivery) -> [Key] {
        entry.delivery.incidents.map { Key(incident: $0, channel: entry.delivery.channel) }
    }
}
