public import PluginKit
internal import Synchronization

/// What becomes of pictures that follow their messages, for all deliveries of one bot: how many wait to be let in, and
/// which channel misses one.
public final class PictureDesk: Sendable {
    /// The pictures that a channel has missed since the last that arrived.
    public struct Missing: Hashable, Sendable {
        public internal(set) var count: Int
        /// Of the last.
        public internal(set) var at: Moment
        public internal(set) var why: String
    }

    private struct Place {
        var waiting = 0
        var missing: Missing?
    }

    private let places = Mutex<[String: Place]>([:])

    /// Pictures of one channel that wait at once. Each is kept in memory, and a service that asks to be left alone takes
    /// no crowd when it is back.
    static let waitingMax = 8

    public init() {}

    /// By channel; of those that miss none there is nothing.
    public var missing: [String: Missing] { places.withLock { $0.compactMapValues(\.missing) } }

    /// Takes a place among those that wait; false where there is none.
    func beginWait(_ channel: String) -> Bool {
        places.withLock { places in
            guard places[channel, default: Place()].waiting < PictureDesk.waitingMax else { return false }
            places[channel, default: Place()].waiting += 1
            return true
        }
    }

    func endWait(_ channel: String) { places.withLock { $0[channel]?.waiting -= 1 } }

    func arrived(_ channel: String) { places.withLock { $0[channel]?.missing = nil } }

    func miss(_ channel: String, _ why: String, at moment: Moment) {
        places.withLock { places in
            let count = (places[channel]?.missing?.count ?? 0) + 1
            places[channel, default: Place()].missing = Missing(count: count, at: moment, why: why)
        }
    }
}
