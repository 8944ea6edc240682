// BotConfig turns config.yaml into a `Config`: in two stages, as written (YAML with positions) and as meant (defaults
// filled in, references resolved, plugins made). Every mistake is collected and told with its place; nothing is opened
// but what the file names - secrets, certificates, templates, files that it includes - and those through a port.

public import AlertCore
public import PluginKit

/// The config as meant.
public struct Config: Sendable {
    public var bot: BotSettings
    public var plan: Plan
    public var sources: [String: any Source]
    /// How those are made anew whose secrets may be replaced while the bot runs.
    public var renewals: [String: SourceRenewal]
    public var channels: [String: any Channel]
    /// Where each rule stands in the file.
    public var rulePlaces: [String: Position]
    /// Rules that are made of secrets which were left alone.
    public var unreadRules: [UnreadRule]
    /// Where the rules are, or would be.
    public var rulesPlace: Position
    /// Where each source does.
    public var sourcePlaces: [String: Position]
    /// Where each channel does.
    public var channelPlaces: [String: Position]
    /// Every secret in the file, for whoever prints words that came from outside; of those that are written there, what is a
    /// token rather than a word.
    public var secrets: [Secret]
    /// What stands in the file, to tell what a later one changes.
    public let things: ConfigThings
}

/// A rule of which something is not known that no placeholder can stand for, such as a limit: what it does cannot be told, and
/// it may not have been made at all.
public struct UnreadRule: Hashable, Sendable {
    public let name: String
    /// Whether it judges figures, or may do so.
    public let judges: Bool
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

    /// The section of the config in which a plugin of that name belongs; nil where there is none.
    func section(ofPlugin name: String) -> String? {
        let sections: [(String, [any Plugin.Type])] = [
            ("sources", sources), ("channels", channels), ("rules", detectors + gates),
        ]
        return sections.first { $0.1.contains { $0.manifest.name == name } }?.0
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
    /// The paths of the files that a pattern of a shell names, in order, but for the config's own.
    public var files: @Sendable (_ pattern: String) -> [String]
    /// Whether others than the file's owner and its group may read it, or others than its owner change it.
    public var isOpenToOthers: @Sendable (String) -> Bool
    /// Whether the bot's service gets a credential that whoever asks finds in the folder.
    public var isHandedOut: @Sendable (_ credential: String) -> Bool
    /// What a connection would stumble over in a file of certificates, and in that of the first one's key where there is one.
    public var connectionFlaw: @Sendable (_ certificates: [UInt8], _ key: [UInt8]?) -> Connection.Flaw?
    /// The folder in which systemd puts credentials, if it runs the bot.
    public var credentialsFolder: String?
    public var zones: ZoneDatabase
    /// Whether secrets are left alone: nothing is asked for, and something that is no secret stands for each.
    public var withholdsSecrets: Bool

    /// - Parameter withholdsSecrets: whether secrets are left alone, for a look at a config where they are not.
    public init(
        variable: @escaping @Sendable (String) -> String?,
        file: @escaping @Sendable (String) throws(Missing) -> [UInt8],
        files: @escaping @Sendable (_ pattern: String) -> [String] = { _ in [] },
        credentialsFolder: String?, zones: ZoneDatabase,
        withholdsSecrets: Bool = false, isOpenToOthers: @escaping @Sendable (String) -> Bool = { _ in false },
        isHandedOut: @escaping @Sendable (_ credential: String) -> Bool = { _ in true },
        connectionFlaw: @escaping @Sendable (_ certificates: [UInt8], _ key: [UInt8]?) -> Connection.Flaw? = { _, _ in
            nil
        }
    ) {
        self.connectionFlaw = connectionFlaw
        self.variable = variable
        self.file = file
        self.files = files
        self.credentialsFolder = credentialsFolder
        self.zones = zones
        self.withholdsSecrets = withholdsSecrets
        self.isOpenToOthers = isOpenToOthers
        self.isHandedOut = isHandedOut
    }
}

extension String {
    /// A path as a part of a pattern of a shell, in which it stands for itself whatever signs are in it.
    public var asPattern: String {
        String(flatMap { "\\*?[".contains($0) ? ["\\", $0] : [$0] })
    }
}

/// What stands in a file and may be a secret: from a place to the end of its line, and all of the lines below up to the last one.
public struct WrittenSecret: Hashable, Sendable {
    public let position: Position
    let lastLine: Int
}

/// The lines of a file as people may see them: from the first secret or comment on a line there is a mask, and nothing behind it.
public struct ShownLines: Sendable {
    public private(set) var lines: [String]
    /// How much of the lines with a mask is shown in front of it, in code points.
    private var ends: [Int: Int] = [:]

    /// The lines of a text that is no config and has no secrets.
    init(whole lines: [String]) {
        self.lines = lines
        // The mark of a file's encoding is no part of its text.
        if let first = lines.first, first.unicodeScalars.first == "\u{FEFF}" {
            self.lines[0] = String(String.UnicodeScalarView(first.unicodeScalars.dropFirst()))
        }
    }

    /// - Parameter secrets: those that stand in these lines.
    public init(_ lines: [String], hiding secrets: [WrittenSecret] = []) {
        self.init(whole: lines)
        for secret in secrets {
            for line in secret.position.line...max(secret.position.line, secret.lastLine) {
                ends[line] = min(ends[line] ?? .max, line == secret.position.line ? secret.position.column - 1 : 0)
            }
        }
        // Whatever is told of a line, and whoever tells it.
        for (index, line) in self.lines.enumerated() {
            guard let begin = ShownLines.beginOfComment(in: line) else { continue }
            ends[index + 1] = min(ends[index + 1] ?? .max, begin)
        }
        for (line, end) in ends where lines.indices.contains(line - 1) {
            let text = self.lines[line - 1].unicodeScalars
            guard !text.dropFirst(end).allSatisfy(\.properties.isWhitespace) else { continue }
            self.lines[line - 1] = String(String.UnicodeScalarView(text.prefix(end))) + Secret.mask
        }
    }

    /// What stands in front of the comment at the end of a line, or what may be one, in code points.
    private static func beginOfComment(in line: String) -> Int? {
        guard line.utf8.contains(UInt8(ascii: "#")) else { return nil }
        var before: Unicode.Scalar = " "
        for (count, scalar) in line.unicodeScalars.enumerated() {
            if scalar == "#", before.properties.isWhitespace { return count }
            before = scalar
        }
        return nil
    }

    /// In which column that stands here which stands at a place of the file.
    func column(of position: Position) -> Int {
        min(position.column, ends[position.line].map { $0 + 1 } ?? position.column)
    }
}

/// What came of reading a config: the config if there is no error in it, and all that is wrong.
public struct ConfigResult: Sendable {
    public let config: Config?
    /// In the order of the file.
    public let problems: [Problem]
    /// What of the files may be a secret, so that no line is shown with one.
    public let writtenSecrets: [WrittenSecret]
    /// Where the bot keeps its state, though there are errors elsewhere; nil where that cannot be told.
    public let stateFolder: String?
    /// The bot's time zone, though there are errors elsewhere; nil where that cannot be told.
    public let zone: Zone?
    /// The other files that were read, included ones and templates, by the names that places have for them.
    public let texts: [String: [UInt8]]
    /// Where something could not be read at all: what is wrong there may be the cause of much else.
    let gaps: Set<Position>
    /// The words of messages, though there are errors elsewhere; English where nothing can be told.
    public let words: Words
    /// What the channels are called, though there are errors elsewhere; nil where not all of them could be read.
    public let channelNames: Set<String>?

    /// The error to name where there is room for one: the first, unless a part of the files could not be read.
    public var firstError: Problem? {
        let errors = problems.filter { $0.level == .error }
        return errors.first { gaps.contains($0.position) } ?? errors.first
    }
}
