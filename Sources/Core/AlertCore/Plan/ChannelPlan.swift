public import PluginKit

public struct ChannelPlan: Sendable {
    public var name: String
    public var pace: Pace
    public var isIdempotent: Bool

    public init(name: String, pace: Pace = .unlimited, isIdempotent: Bool = false) {
        self.name = name
        self.pace = pace
        self.isIdempotent = isIdempotent
    }
}

public struct Route: Hashable, Sendable {
    public var match: Match
    public var to: [String]
    /// Whether routes after this one are looked at too.
    public var continues: Bool

    public init(match: Match = .all, to: [String], continues: Bool = false) {
        self.match = match
        self.to = to
        self.continues = continues
    }
}
