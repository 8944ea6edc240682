// BotConfig turns config.yaml into a `Config`: in two stages, as written (YAML with positions) and as meant (defaults
// filled in, references resolved, plugins made). Every mistake is collected and told with its place; nothing is opened
// but the secrets that the file names, and those through a port.

public import AlertCore
public import PluginKit

/// The config as meant.
public struct Config: Sendable {
    public var bot: BotSettings
    public var plan: Plan
    public var sources: [String: any Source]
    public var channels: [String: any Channel]
    /// Every secret in the file, for whoever prints words that came from outside.
    public var secrets: [Secret]
}

/// The plugins that a config may name.
public struct PluginCatalog: Sendable {
    public let sources: [any Source.Type]
    public let detectors: [any Detector.Type]
    public let gates: [any Gate.Type]
    public let channels: [any Channel.Type]

    public init(
        sources: [any Source.Type], detectors: [any Detector.Type], gates: [any Gate.Type],
        channels: [any Channel.Type]
    ) {
        self.sources = sources
        self.detectors = detectors
        self.gates = gates
        self.channels = channels
    }

    /// The kinds of memory of all its detectors: what a journal is read with.
    public var memories: MemoryKinds { MemoryKinds(detectors.flatMap { $0.memories }) }
}

/// What the config needs from the world: secrets and time zones.
public struct ConfigSurroundings: Sendable {
    /// Why a secret could not be had.
    public struct Missing: Error {
        public let sentence: String
        public init(_ sentence: String) { self.sentence = sentence }
    }

    public var variable: @Sendable (String) -> String?
    /// The file's bytes; the path is absolute or relative to the working folder.
    public var file: @Sendable (String) throws(Missing) -> [UInt8]
    /// The folder in which systemd puts credentials, if it runs the bot.
    public var credentialsFolder: String?
    public var zones: ZoneDatabase

    public init(
        variable: @escaping @Sendable (String) -> String?,
        file: @escaping @Sendable (String) throws(Missing) -> [UInt8], credentialsFolder: String?, zones: ZoneDatabase
    ) {
        self.variable = variable
        self.file = file
        self.credentialsFolder = credentialsFolder
        self.zones = zones
    }
}

/// What came of reading a config: the config if there is no error in it, and all that is wrong.
public struct ConfigResult: Sendable {
    public let config: Config?
    /// In the order of the file.
    public let problems: [Problem]
    /// Where the bot keeps its state, though there are errors elsewhere; nil where that cannot be told.
    public let stateFolder: String?
    /// The bot's time zone, though there are errors elsewhere; nil where that cannot be told.
    public let zone: Zone?
}
