public import PluginKit

/// What is remembered of a channel.
public struct ChannelRecord: Hashable, Sendable {
    /// Attempts in a row, over all deliveries, that failed in a way that may pass.
    public var failures = 0
    /// The service asked for silence until then, or the breaker is open until then.
    public var pausedUntil: Moment?
    /// What went wrong with the last attempt, as long as nothing has arrived since.
    public var lastError: String?

    public init() {}
}
