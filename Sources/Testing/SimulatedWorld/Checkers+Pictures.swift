internal import AlertCore
internal import PluginKit
internal import Runtime

/// A picture changes nothing for its message.
struct PicturesFollow: Checker {
    static let name = "pictures follow"
    static let promise =
        "A picture follows a message that its channel has and that counts as delivered; it is seen once for each time "
        + "that the message is, comes back no sooner than it was told, and gives up before long."

    private struct Known {
        /// How often people saw the message, and the picture.
        var shown = 0
        var pictured = 0
        /// When the bot knew that the message had arrived, and how many requests have left since for its sake.
        var delivered: Int64?
        var requests = 0
        /// Before which nothing may come back.
        var silentUntil: Int64 = 0
    }

    private var known: [String: Known] = [:]

    /// Four steps, three returns, and the edits of openings.
    private static let requestsMax = 7 + Delivery.updatesMax
    /// Requests for half a minute and waits for five, and what clocks and a busy machine add.
    private static let lengthMax: Int64 = 345_000
    /// How long a delivery may take into the journal where nothing is in the way.
    private static let takenIn: Int64 = 10_000

    mutating func observe(_ happening: Happening, _ world: World) throws(Breach) {
        let now = world.time.uptime
        switch happening {
        case .accepts(_, let id, let reading): if reading.isShown { known[id, default: Known()].shown += 1 }
        case .judged(_, let id, .delivered): begin(id, now)
        case .judged(_, let id, .partly): begin(id, now)
        case .errand(let channel, let id): try check(channel, id, world)
        case .errandAnswered(_, let id, let status, let told):
            // A date is read by a clock that may have been set; seconds are not.
            if [429, 503].contains(status), let told, world.counts.clockSteps == 0 {
                known[id]?.silentUntil = now + told
            }
        case .pictured(let channel, let id):
            known[id]?.pictured += 1
            if let delivery = known[id], delivery.pictured > max(1, delivery.shown) {
                throw Breach("\(channel) shows the picture of \(id) \(delivery.pictured) times")
            }
        case .suspended(let length):
            for id in known.keys { known[id]?.delivered? += length }
        // What was under way is forgotten with the bot.
        case .died: for id in known.keys { known[id]?.delivered = nil }
        // Pictures may be on their way still.
        case .drained:
            known = known.filter { $0.value.delivered.map { now - $0 < PicturesFollow.lengthMax } ?? false }
        default: break
        }
    }

    private mutating func begin(_ id: String, _ now: Int64) {
        known[id]?.delivered = now
        known[id]?.requests = 0
        known[id]?.silentUntil = 0
    }

    private mutating func check(_ channel: String, _ id: String, _ world: World) throws(Breach) {
        let now = world.time.uptime
        guard var delivery = known[id], let delivered = delivery.delivered else {
            throw Breach("\(channel) is asked for the sake of \(id), which it does not have")
        }
        delivery.requests += 1
        known[id] = delivery
        if now < delivery.silentUntil {
            throw Breach("the picture of \(id) comes back to \(channel) \(delivery.silentUntil - now) ms too soon")
        }
        if delivery.requests > PicturesFollow.requestsMax {
            throw Breach("\(channel) is asked \(delivery.requests) times for the sake of \(id)")
        }
        if now - delivered > PicturesFollow.lengthMax {
            throw Breach("\(channel) is asked \(now - delivered) ms after \(id) had arrived")
        }
        if now - delivered > PicturesFollow.takenIn, !world.isJournalLate, world.diskTrouble == nil,
            world.truth.outbox[id] != nil
        {
            throw Breach("\(id) has arrived at \(channel), and does not count as delivered while its picture travels")
        }
    }
}
