public import PluginKit

/// Mutes that somebody set while the bot ran; those of the config are gates.
public struct Mutes: Sendable {
    private var byID: [String: Mute] = [:]
    /// By the time they end: asked for each notification and each incident that a page shows.
    public private(set) var inOrder: [Mute] = []
    /// None of them ends before.
    private var firstEnd = Moment.latest

    /// What the journal keeps of it.
    public enum Fact: Hashable, Sendable {
        indirect case mute(Mute)
        case ended(id: String)
    }

    public mutating func apply(_ fact: Fact) {
        switch fact {
        case .mute(let mute):
            unlist(mute.id)
            byID[mute.id] = mute
            // Nearly always the last: a snapshot has them in this order.
            let before = inOrder.lastIndex { ($0.until, $0.id) < (mute.until, mute.id) }
            inOrder.insert(mute, at: before.map { $0 + 1 } ?? inOrder.startIndex)
            firstEnd = min(firstEnd, mute.until)
        case .ended(let id): unlist(id)
        }
    }

    private mutating func unlist(_ id: String) {
        guard byID.removeValue(forKey: id) != nil else { return }
        inOrder.removeAll { $0.id == id }
    }

    /// All of it, as the shortest list of facts.
    var facts: [Fact] { inOrder.map(Fact.mute) }

    public subscript(_ id: String) -> Mute? { byID[id] }
    public var count: Int { byID.count }
    public var isEmpty: Bool { byID.isEmpty }

    mutating func record(_ fact: Fact, _ output: inout Output) {
        apply(fact)
        output.facts.append(.mutes(fact))
    }

    /// Gives back those that it forgets. Costs nothing where none has ended.
    mutating func forgetEnded(at now: Moment, _ output: inout Output) -> [Mute] {
        guard firstEnd <= now else { return [] }
        let ended = inOrder.filter { $0.until <= now }
        for mute in ended { record(.ended(id: mute.id), &output) }
        firstEnd = byID.values.map(\.until).min() ?? .latest
        return ended
    }

    /// The one that covers the notification for longest.
    func closure(for notification: Notification, at moment: Moment) -> Closure? {
        let longest = inOrder.last {
            $0.from <= moment && moment < $0.until && $0.match.fits(notification.property)
        }
        return longest.map { Closure(until: $0.until, fate: .holdAndForget, reason: .muted($0.id)) }
    }
}
