public import PluginKit

/// Mutes that somebody set while the bot ran; those of the config are gates.
public struct Mutes: Sendable {
    private var byID: [String: Mute] = [:]
    /// By the time they end: asked for each notification and each incident that a page shows.
    public private(set) var inOrder: [Mute] = []
    /// None of those whose end nobody has noted yet ends before.
    private var firstEnd = Moment.latest
    /// Those whose end was noted in this run.
    private var over: Set<String> = []

    /// How long one is kept that is over: by a clock that is wrong for a while it only looks so.
    static let keptBeyondEnd = Duration.days(1)

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
        over.remove(id)
    }

    /// All of it, as the shortest list of facts.
    var facts: [Fact] { inOrder.map(Fact.mute) }

    public subscript(_ id: String) -> Mute? { byID[id] }
    public var count: Int { byID.count }
    public var isEmpty: Bool { byID.isEmpty }

    /// Those that have not ended, by the time they end.
    public func inForce(at now: Moment) -> [Mute] { inOrder.filter { now < $0.until } }

    /// Whether there is any that has not ended.
    func isAnyInForce(at now: Moment) -> Bool { inOrder.last.map { now < $0.until } ?? false }

    mutating func record(_ fact: Fact, _ output: inout Output) {
        apply(fact)
        output.facts.append(.mutes(fact))
    }

    /// Gives back those that have ended since it was asked last. Costs nothing where none has.
    mutating func takeEnded(at now: Moment) -> [Mute] {
        guard firstEnd <= now else { return [] }
        let ended = inOrder.filter { $0.until <= now && !over.contains($0.id) }
        over.formUnion(ended.map(\.id))
        firstEnd = inForce(at: now).first?.until ?? .latest
        return ended
    }

    /// By a clock that was set, others have ended.
    mutating func askForEndsAnew() {
        over = []
        firstEnd = inOrder.first?.until ?? .latest
    }

    mutating func forget(endedBefore moment: Moment, _ output: inout Output) {
        for mute in inOrder.filter({ $0.until <= moment }) { record(.ended(id: mute.id), &output) }
    }

    /// The one that covers the notification for longest.
    func closure(for notification: Notification, at moment: Moment) -> Closure? {
        let longest = inOrder.last {
            $0.from <= moment && moment < $0.until && $0.match.fits(notification.property)
        }
        return longest.map { Closure(until: $0.until, fate: .holdAndForget, reason: .muted($0.id)) }
    }
}
