internal import PluginKit

/// The channels' own ids of the messages that opened incidents, as far as the history reaches back.
struct Threads: Sendable {
    private struct Key: Hashable, Sendable {
        let incident: String
        let channel: String
    }

    private struct Told: Sendable {
        let receipt: String?
        /// Whether the message was about no other incident.
        let isAlone: Bool
        let queued: Moment
    }

    /// Oldest first.
    private var told: [Key: [Told]] = [:]

    /// The receipt of the incident's first message in the channel, where the channel gave one.
    ///
    /// - Parameter moved: since when the channel leads to another chat, which knows nothing of messages before.
    func receipt(of incident: String, in channel: String, since moved: Moment?) -> String? {
        first(of: incident, in: channel, since: moved)?.receipt
    }

    private func first(of incident: String, in channel: String, since moved: Moment?) -> Told? {
        let told = told[Key(incident: incident, channel: channel)]
        guard let moved else { return told?.first }
        // By when they were accepted: what was under way when the channel moved went to the old chat.
        return told?.first { $0.queued >= moved }
    }

    /// Whether the incident's first message in the channel was about it alone. Where it named others, what has become of
    /// this one must not be written over what is said of them.
    func isAlone(_ incident: String, in channel: String, since moved: Moment?) -> Bool {
        first(of: incident, in: channel, since: moved)?.isAlone ?? false
    }

    /// Takes in what has come to the end of the history.
    mutating func take(_ entry: EndedDelivery) {
        guard case .delivered(let receipt) = entry.end else { return }
        let told = Told(receipt: receipt, isAlone: entry.delivery.incidents.count == 1, queued: entry.delivery.queued)
        for key in Threads.keys(entry) { self.told[key, default: []].append(told) }
    }

    /// Lets go of what has left the history at its beginning.
    mutating func drop(_ entry: EndedDelivery) {
        guard case .delivered = entry.end else { return }
        for key in Threads.keys(entry) {
            told[key]?.removeFirst()
            if told[key]?.isEmpty == true { told[key] = nil }
        }
    }

    private static func keys(_ entry: EndedDelivery) -> [Key] {
        entry.delivery.incidents.map { Key(incident: $0, channel: entry.delivery.channel) }
    }
}
