public import PluginKit

/// A message that had been accepted before a preview began, and waited for its channel.
public struct QueuedMessage: Sendable {
    public let delivery: Delivery
    /// When the preview sent it; nil where it waits still.
    public let sent: Moment?
    /// When it is tried next, where it waits still and that is known.
    public let next: Moment?

    public var channel: String { delivery.channel }
}
