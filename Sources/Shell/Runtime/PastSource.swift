public import PluginKit

/// A source that can be asked for its past, and how.
public struct PastSource: Sendable {
    public let name: String
    package let plugin: any HistoricalSource
    /// How far apart its polls are to be.
    package let every: Duration
    /// Spans that rules want measured, shortest first, each once.
    package let spans: [Duration]
    let timeout: Duration
    let connection: Connection

    /// - Parameters:
    ///   - name: its name in the config.
    ///   - every: how far apart the polls are to be.
    ///   - spans: spans that rules want measured.
    ///   - timeout: of one request.
    ///   - connection: how the service is reached.
    public init(
        name: String, source: any HistoricalSource, every: Duration, spans: some Sequence<Duration>, timeout: Duration,
        over connection: Connection = .usual
    ) {
        self.name = name
        plugin = source
        self.every = every
        self.spans = Set(spans).sorted()
        self.timeout = timeout
        self.connection = connection
    }
}
