internal import PluginKit

/// The channels' own ids of the messages that opened incidents, as far as the history reaches back.
struct Threads: Sendable {
    /// A message that was the first that its channel got of an incident, or of several.
    struct Opening: Sendable {
        /// Nil where the channel gave none.
        let receipt: String?
        /// How many incidents it was about. Where it named others, what has become of one must not be written over what
        /// is said of them.
        let count: Int
        /// The delivery's, by which one message for many is known to be the same.
        fileprivate let number: Int
        fileprivate let queued: Moment
    }

    /// Oldest first.
    private var told: [Standing.Key: [Opening]] = [:]

    /// The message that was the first of all these incidents in the channel; nil where they have none, or not the same.
    ///
    /// - Parameter moved: since when the channel leads to another chat, which knows nothing of messages before.
    func opening(of incidents: [String], in channel: String, since moved: Moment?) -> Opening? {
        var opening: Opening?
        for incident in incidents {
            guard let first = first(of: incident, in: channel, since: moved),
                first.number == opening?.number ?? first.number
            else { return nil }
            opening = first
        }
        return opening
    }

    private func first(of incident: String, in channel: String, since moved: Moment?) -> Opening? {
        let told = told[Standing.Key(channel: channel, incident: incident)]
        guard let moved else { return told?.first }
        // By when they were accepted: what was under way when the channel moved went to the old chat.
        return told?.first { $0.queued >= moved }
    }

    /// Takes in what has come to the end of the history.
    mutating func take(_ entry: EndedDelivery) {
        guard case .delivered(let receipt) = entry.end, entry.delivery.mayOpen else { return }
        let (keys, delivery) = (Threads.keys(entry), entry.delivery)
        let opening = Opening(
            receipt: receipt, count: keys.count, number: delivery.number, queued: delivery.queued)
        for key in keys { told[key, default: []].append(opening) }
    }

    /// Lets go of what has left the history at its beginning.
    mutating func drop(_ entry: EndedDelivery) {
        guard case .delivered = entry.end, entry.delivery.mayOpen else { return }
        for key in Threads.keys(entry) {
            told[key]?.removeFirst()
            if told[key]?.isEmpty == true { told[key] = nil }
        }
    }

    private static func keys(_ entry: EndedDelivery) -> [Standing.Key] {
        entry.delivery.incidents.map { Standing.Key(channel: entry.delivery.channel, incident: $0) }
    }
}

extension Delivery {
    /// Whether a thread can begin with it. What went into another's can open none when that one is forgotten: Matrix
    /// refuses it, and Slack would write over a reminder what has become of the incident.
    fileprivate var mayOpen: Bool { progress.thread == nil }
}
