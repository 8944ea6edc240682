internal import PluginKit

// Who reads a channel hears when somebody mutes what the channel has reported: otherwise the silence would look like an
// end.

extension Turn {
    /// A channel, and what it has heard of that a mute is about to cover.
    struct Hearer {
        let channel: String
        let incidents: [Incident]
    }

    /// The channels that a mute concerns, asked before it is in force: what another gate is closed to would be no news
    /// once it opens. Pagers keep their alerts; an alert has no state for it.
    ///
    /// - Parameter end: when it ends. Who has heard of a shorter one would take what is muted for over once that ends.
    func hearers(of match: Match, until end: Moment = .earliest) -> [Hearer] {
        let covered = state.incidents.inOrder.filter { incident in
            incident.isOpen && mayAnnounce(incident.id) && match.fits(incident.property)
        }
        guard !covered.isEmpty else { return [] }
        return plan.channels.filter { $0.hearsAcknowledgements && !plan.isPager($0.name) }.compactMap { channel in
            let heard = covered.filter { incident in
                guard let standing = incident.standings[channel.name], standing.announced != nil,
                    !standing.hasHeardEnd
                else { return false }
                let notification = Notification(.acknowledged, of: incident, standing, in: channel.name)
                return state.closure(for: notification, at: now, plan, outlasting: end - Turn.sameEnd) == nil
            }
            return heard.isEmpty ? nil : Hearer(channel: channel.name, incidents: heard.sorted { $0.isWorse(than: $1) })
        }
    }

    /// Two people who click the same link, or one twice, mean one mute: its end is shown in minutes.
    private static let sameEnd = Duration.minutes(5)

    /// Says in each channel what is muted, until when and by whom.
    mutating func announce(_ mute: Mute, to hearers: [Hearer]) {
        for hearer in hearers {
            let message = writer.message(
                of: mute, covering: hearer.incidents.map { ($0, state.silence(of: $0, plan, at: now)) })
            sendDigest(message, .muted(mute.id), to: hearer.channel)
        }
    }

    /// Forgets mutes that have ended when they were to end; news of them that nobody has read by then is no news.
    mutating func forgetEndedMutes() {
        for mute in state.mutes.forgetEnded(at: now, &output) { _ = withdrawNews(of: mute) }
    }

    /// Takes back what was said of a mute that has ended before its time: who may have read it hears that it is over.
    ///
    /// - Parameter said: where that was said of another of the same, which ended with it.
    mutating func takeBack(_ mute: Mute, unlessIn said: inout Set<String>) {
        let hearsay = withdrawNews(of: mute)
        let told = state.outbox.history.filter { $0.isDelivered && $0.delivery.isNews(of: mute) }
        let channels = hearsay.union(told.map(\.delivery.channel))
        for hearer in hearers(of: mute.match)
        where channels.contains(hearer.channel) && said.insert("\(hearer.channel) \(mute.match.sentence)").inserted {
            sendDigest(
                writer.message(ofEnded: mute, covering: hearer.incidents), .muted(mute.id), to: hearer.channel)
        }
    }

    /// Sends no more of what still waits for its channel, and tells there of another mute that covers the same by now; gives
    /// back the channels where it may have arrived already.
    private mutating func withdrawNews(of mute: Mute) -> Set<String> {
        let inForce = state.mutes.inOrder.filter { $0.from <= now && now < $0.until }
        var told: Set<String> = []
        for delivery in state.outbox.inOrder where delivery.isNews(of: mute) {
            guard case .waiting = delivery.phase, !delivery.mayHaveArrived else {
                told.insert(delivery.channel)
                continue
            }
            state.outbox.end(delivery, .replaced, at: now, &output)
            let open = delivery.incidents.compactMap { state.incidents[$0] }
                .filter { $0.isOpen && mayAnnounce($0.id) }
            let other = inForce.last { other in open.allSatisfy { other.match.fits($0.property) } }
            guard let other, !open.isEmpty, plan.channel(delivery.channel) != nil,
                !hasHeard(of: other, in: delivery.channel)
            else { continue }
            announce(other, to: [Hearer(channel: delivery.channel, incidents: open)])
        }
        return told
    }

    /// Whether the channel has heard of the mute, or is about to.
    private func hasHeard(of mute: Mute, in channel: String) -> Bool {
        state.outbox.inOrder.contains { $0.channel == channel && $0.isNews(of: mute) }
            || state.outbox.history.contains {
                $0.isDelivered && $0.delivery.channel == channel && $0.delivery.isNews(of: mute)
            }
    }
}

extension Delivery {
    /// Whether it says that the mute is in force: its footer names it, in whatever language.
    fileprivate func isNews(of mute: Mute) -> Bool {
        kind == .digest && incident == nil
            && message.footer.split { !$0.isLetter && !$0.isNumber }.contains { $0 == mute.id }
    }
}

extension EndedDelivery {
    fileprivate var isDelivered: Bool { if case .delivered = end { true } else { false } }
}
