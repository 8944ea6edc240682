public import PluginKit

/// The order in which a poll visits what it watches: from where the poll before broke off, so that one too short for all of it
/// does not always leave out the same.
public struct Tour<Stop: Sendable>: Sendable {
    public let stops: [Stop]

    /// - Parameter isFirst: whether to begin with it; where that is true of none, the order stays as it is.
    public init(_ stops: [Stop] = [], from isFirst: (Stop) -> Bool = { _ in false }) {
        let first = stops.firstIndex(where: isFirst) ?? 0
        self.stops = Array(stops[first...] + stops[..<first])
    }

    /// Of which nothing is heard after a failure of one: of that one where the failure is its own, and else of all from it on.
    public func unread(at number: Int, isOwn: Bool) -> ArraySlice<Stop> { stops[number...].prefix(isOwn ? 1 : .max) }

    /// With which the next poll begins after a failure of one that has ended this poll: where a budget is used up with that one,
    /// or the one behind it where that was the first, which may need more than there ever is; and behind the one that ended it in
    /// another way, which may do so every time.
    public func next(after failure: PollFailure, at number: Int) -> Stop {
        stops[(failure.reason == .rateLimited ? max(number, 1) : number + 1) % stops.count]
    }
}

extension PollFailure {
    /// Whether what one app or project is refused for need not hold for the next.
    public var isOfOneThing: Bool { [.forbidden, .notFound, .refused, .badAnswer].contains(reason) }

    /// That a project of the config is not among those that the token can see.
    ///
    /// - Parameter others: those that it can see and that are not in the config: one of them may be its new name.
    public static func unseen(_ project: String, among others: [String]) -> PollFailure {
        let guess = project.nearest(in: others).map { "; did you mean '\($0)'?" } ?? ""
        return PollFailure(.notFound, "the token can see no project '\(project.tamed)'\(guess)")
    }
}
