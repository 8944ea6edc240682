public import PluginKit

// Keeps messages on the bot itself: they go into its history and show up on its own page, and nothing leaves the
// machine. There is no address to be wrong and no answer to wait for.

/// Keeps messages for the bot's own page.
public struct InboxChannel: Channel {
    public static let manifest = PluginManifest(
        name: "inbox",
        summary: "Keeps messages and shows them on the bot's own page.",
        options: [], isConnected: false
    )

    public let pace = Pace.unlimited
    public let isIdempotent = true

    public init(options: Options, context: ChannelContext) throws(ProblemList) {}

    public func post(_ posting: Posting) -> ChannelAction { .keep }

    /// Nothing is asked, so no answer can be bad.
    public func judge(_ result: FetchResult, at now: Moment) -> DeliveryOutcome { .delivered(receipt: nil) }
}
