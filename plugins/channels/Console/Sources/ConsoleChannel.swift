public import PluginKit

// Writes messages to standard output as plain text, for trying things out and for services whose logs are read.
//
// Every line is free of control characters, so a title from a crashing program cannot steer the terminal it is read on.

/// Writes messages to standard output.
public struct ConsoleChannel: Channel {
    public static let manifest = PluginManifest(
        name: "console",
        summary: "Writes messages to standard output.",
        options: [], isConnected: false
    )

    public let pace = Pace.unlimited
    /// What is printed twice is read twice.
    public let isIdempotent = false

    public init(options: Options, context: ChannelContext) throws(ProblemList) {}

    /// The message and an empty line after it.
    public func post(_ posting: Posting) -> ChannelAction { .print(posting.plainText + "\n\n") }

    /// Nothing is asked, so no answer can be bad.
    public func judge(_ result: FetchResult, at now: Moment) -> DeliveryOutcome { .delivered(receipt: nil) }
}
