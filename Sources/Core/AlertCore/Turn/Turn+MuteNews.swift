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
    /// - Parameters:
    ///   - incidents: all of them in their order.
    ///   - end: when it ends. Who has heard of a shorter one would take what is muted for over once that ends.
    func hearers(of match: Match, among incidents: [Incident], until end: Moment = .earliest) -> [Hearer] {
        let covered = incidents.filter { incident in
            incident.isOpen && mayAnnounce(incident.id) && match.fits(incident.property)
        }.compactMap { state.incidents[$0.id] }
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

    /// News of mutes that have ended when they were to end is no news if nobody has read it by then.
    mutating func withdrawNewsOfEndedMutes() {
        for mute in state.mutes.takeEnded(at: now) { _ = withdrawNews(of: mute) }
    }

    /// Forgets mutes that ended long enough ago. In the hour after the clock was set nothing is forgotten: it may be set right
    /// again.
    mutating func forgetMutes() {
        withdrawNewsOfEndedMutes()
        state.mutes.forget(endedBefore: now - Mutes.keptBeyondEnd, &output)
    }

    /// Takes back what was said of a mute that has ended before its time: who may have read it hears that it is over.
    ///
    /// - Parameters:
    ///   - incidents: all of them in their order.
    ///   - told: what was said of mutes, and where the end was said of another of the same, which ended with it.
    mutating func takeBack(_ mute: Mute, among incidents: [Incident], unlessIn told: inout Told) {
        let hearsay = withdrawNews(of: mute)
        // Of nearly all nobody has heard.
        let channels = hearsay.union(told.channels(of: mute))
        guard !channels.isEmpty else { return }
        for hearer in hearers(of: mute.match, among: incidents)
        where channels.contains(hearer.channel)
            && told.ended.insert("\(hearer.channel) \(mute.match.sentence)").inserted
        {
            sendDigest(
                writer.message(ofEnded: mute, covering: hearer.incidents), .muted(mute.id), to: hearer.channel)
        }
    }

    /// Sends no more of what still waits for its channel, and tells there of another mute that covers the same by now; gives
    /// back the channels where it may have arrived already.
    private mutating func withdrawNews(of mute: Mute) -> Set<String> {
        var told: Set<String> = []
        let news = state.outbox.deliveries.values.filter { $0.isNews(of: mute) }
        for delivery in news.sorted(by: { $0.number < $1.number }) {
            guard case .waiting = delivery.progress.phase, !delivery.progress.mayHaveArrived else {
                told.insert(delivery.channel)
                continue
            }
            state.outbox.end(delivery, .replaced, at: now, &output)
            let open = delivery.incidents.compactMap { state.incidents[$0] }
                .filter { $0.isOpen && mayAnnounce($0.id) }
            let other = state.mutes.inOrder.last { other in
                other.from <= now && now < other.until && open.allSatisfy { other.match.fits($0.property) }
            }
            guard let other, !open.isEmpty, plan.channel(delivery.channel) != nil,
                !hasHeard(of: other, in: delivery.channel)
            else { continue }
            announce(other, to: [Hearer(channel: delivery.channel, incidents: open)])
        }
        return told
    }

    /// Whether the channel has heard of the mute, or is about to.
    private func hasHeard(of mute: Mute, in channel: String) -> Bool {
        state.outbox.deliveries.values.contains { $0.channel == channel && $0.isNews(of: mute) }
            || state.outbox.history.contains {
                $0.isDelivered && $0.delivery.channel == channel && $0.delivery.isNews(of: mute)
            }
    }
}

extension Turn {
    /// What channels were told of mutes that end with one command: found once for all of them.
    struct Told {
        /// In which channel the end of which mutes was said.
        var ended: Set<String> = []
        /// The channels where a message arrived with that word in its footer, for messages that may be news of mutes: what is
        /// taken back with the same command may push them out of the history.
        private var channels: [Substring: Set<String>] = [:]

        init(_ outbox: Outbox) {
            for entry in outbox.history where entry.isDelivered && entry.delivery.mayBeNewsOfMute {
                for word in entry.delivery.footerWords { channels[word, default: []].insert(entry.delivery.channel) }
            }
        }

        /// The channels that were told that the mute is in force.
        func channels(of mute: Mute) -> Set<String> { channels[mute.id[...]] ?? [] }
    }
}

extension Delivery {
    /// Whether it says that the mute is in force: its footer names it, in whatever language.
    fileprivate func isNews(of mute: Mute) -> Bool { mayBeNewsOfMute && footerWords.contains { $0 == mute.id } }

    fileprivate var mayBeNewsOfMute: Bool { kind == .digest && incident == nil }

    fileprivate var footerWords: [Substring] { message.footer.split { !$0.isLetter && !$0.isNumber } }
}

extension EndedDelivery {
    fileprivate var isDelivered: Bool { if case .delivered = end { true } else { false } }
}
