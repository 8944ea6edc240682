internal import PluginKit

// What a message says to somebody who has come on call, besides the incident as it is.

extension Turn {
    /// That what is new to somebody who has come on call is not new: since when it is their turn, and who was told before.
    func handover(_ notification: Notification, _ writer: MessageWriter) -> Message.Field? {
        let (incident, channel) = (notification.incident, notification.channel)
        guard notification.kind == .opened, let turn = plan.onCallSince(now, channel: channel, for: incident) else {
            return nil
        }
        let earlier = incident.standings.compactMap { name, standing -> (name: String, said: Moment)? in
            guard name != channel, let said = standing.firstSaid, said < turn else { return nil }
            return (name, said)
        }
        // Whoever was on call knows more of it than a channel that everybody reads.
        let people = earlier.filter { isOffDuty($0.name, for: incident) }
        let told = (people.isEmpty ? earlier : people).max { ($0.said, $0.name) < ($1.said, $1.name) }
        return told.map { writer.handover(since: turn, $0.name, $0.said) }
    }
}

extension MessageWriter {
    /// Since when it is the reader's turn, and who was told before.
    fileprivate func handover(since turn: Moment, _ channel: String, _ said: Moment) -> Message.Field {
        Message.Field(
            words[.fieldTurn], words(.turn, [.moment: clock(turn), .channel: channel, .time: clock(said)]))
    }
}
