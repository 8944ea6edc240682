internal import AlertCore
internal import PluginKit

/// What is on its way to each channel, and what was given up, by what it is about: looked through once, however much is
/// asked about.
struct OutboxIndex: Sendable {
    struct Story: Hashable {
        let channel: String
        let rule: String
        let subject: Subject
        let key: String?
    }

    private(set) var waiting: [Standing.Key: [Delivery]] = [:]
    private(set) var counts: [Story: Int] = [:]
    private(set) var failed: [Standing.Key: Failed] = [:]
    /// What channels have certainly got something about.
    private var heard: Set<Standing.Key> = []
    /// Since when all that was delivered is remembered.
    private var since = Moment.earliest

    /// What was given up last.
    struct Failed {
        let at: Moment
        let sentence: String
        let id: String
        let mayHaveArrived: Bool
        /// Whether something has been delivered since.
        fileprivate(set) var isPast = false
    }

    init(_ state: State) {
        for delivery in state.outbox.deliveries.values {
            for id in delivery.incidents {
                waiting[Standing.Key(channel: delivery.channel, incident: id), default: []].append(delivery)
            }
            let stories = delivery.summaries.map {
                Story(channel: delivery.channel, rule: $0.rule, subject: $0.subject, key: $0.key)
            }
            for story in Set(stories) { counts[story, default: 0] += 1 }
        }
        for entry in state.outbox.history {
            let delivery = entry.delivery
            for id in delivery.incidents {
                let key = Standing.Key(channel: delivery.channel, incident: id)
                switch entry.end {
                case .dead(let sentence):
                    failed[key] = Failed(
                        at: entry.at, sentence: sentence.tamed, id: delivery.id,
                        mayHaveArrived: delivery.progress.mayHaveArrived)
                case .delivered:
                    heard.insert(key)
                    failed[key]?.isPast = true
                case .replaced: break
                }
            }
        }
        // Failed deliveries are remembered for longer than others.
        let others = state.outbox.history.lazy.filter { !$0.end.isDead }
        if let first = others.first, others.count >= state.outbox.historyMax { since = first.at }
    }

    /// What a channel that counts as notified has lacked since, or may have.
    func lacking(_ key: Standing.Key) -> Failed? {
        guard let failed = failed[key], !failed.isPast, failed.at >= since else { return nil }
        // What certainly never arrived may be on its way anew.
        return failed.mayHaveArrived || waiting[key] == nil ? failed : nil
    }

    /// Whether the channel certainly knows of the incident.
    func hasHeard(_ key: Standing.Key, of standing: Standing) -> Bool {
        heard.contains(key) || (standing.firstSaid ?? .earliest) < since
    }
}
