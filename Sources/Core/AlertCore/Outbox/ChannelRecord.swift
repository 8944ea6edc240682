public import PluginKit

/// What is remembered of a channel.
public struct ChannelRecord: Hashable, Sendable {
    /// Attempts in a row, over all deliveries, that failed in a way that may pass.
    public var failures = 0
    /// The service asked for silence until then, or the breaker is open until then.
    public var pausedUntil: Moment?
    /// The service's part of that: until when it asked for silence itself.
    public var askedUntil: Moment?
    /// What went wrong with the last attempt, as long as nothing has arrived since.
    public var lastError: String?
    /// Which chat it led to at the last start or reload, as a hash of what its options say of that without secrets; nil
    /// where they say nothing.
    public var home: UInt64?
    /// When it came to lead there, where it led elsewhere before: of what was told until then nobody there knows.
    public var movedAt: Moment?

    public init() {}

    /// Until when the service wants to be left alone; nil where it has not asked for that, though the bot may pause by itself.
    public func askedPause(at now: Moment) -> Moment? { askedUntil.flatMap { $0 > now ? $0 : nil } }

    /// Forgets waits that are over; one that the service asked for in the meantime is kept.
    mutating func forgetPast(at now: Moment) {
        // The service's is never the longer one.
        if let pausedUntil, pausedUntil <= now { (self.pausedUntil, askedUntil) = (nil, nil) }
    }
}
