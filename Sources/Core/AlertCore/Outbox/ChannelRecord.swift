public import PluginKit

/// What is remembered of a channel.
public struct ChannelRecord: Hashable, Sendable {
    /// Attempts in a row, over all deliveries, that failed in a way that may pass.
    public var failures = 0
    /// The service asked for silence until then, or the breaker is open until then.
    public var pausedUntil: Moment?
    /// What went wrong with the last attempt, as long as nothing has arrived since.
    public var lastError: String?
    /// Which chat it led to at the last start or reload, as a hash of what its options say of that without secrets; nil
    /// where they say nothing.
    public var home: UInt64?
    /// When it came to lead there, where it led elsewhere before: of what was told until then nobody there knows.
    public var movedAt: Moment?

    public init() {}
}
