internal import BotConfig
internal import PluginKit

/// A world in which some variables, files and credentials are there.
enum FakeWorld {
    static let variables = [
        "TOKEN": "s3cr3t-from-env", "HOOK": "https://hooks.example/T0/s3cr3t-path", "WORD": "drp", "PIN": "4711",
        "SPACED": "p@ss w\"ord", "LONG": "123d", "EMPTY": "", "BLANK": " \n",
        "PADDED": "s3cr3t-padded ", "TABBED": "\ts3cr3t-tabbed",
    ]
    static let files: [String: [UInt8]] = [
        "/etc/bot/token": Array("s3cr3t-from-file\n".utf8),
        "/etc/bot/two-lines": Array("s3cr3t-line\n\n".utf8),
        "/etc/bot/windows": Array("s3cr3t-crlf\r\n".utf8),
        "/etc/bot/marked": Array("\u{FEFF}s3cr3t-marked\n".utf8),
        "/etc/bot/empty": Array("\n".utf8),
        "/run/token": Array("s3cr3t-absolute".utf8),
        "/credentials/pager": Array("s3cr3t-credential\n".utf8),
        "/etc/bot/binary": [0xFF, 0xFE, 0x00],
        "/etc/bot/huge": Array(repeating: UInt8(ascii: "x"), count: (64 << 10) + 1),
    ]

    static func surroundings(credentials: String? = "/credentials") -> ConfigSurroundings {
        ConfigSurroundings(
            variable: { variables[$0] },
            file: { path throws(ConfigSurroundings.Missing) in
                guard let bytes = files[path] else { throw ConfigSurroundings.Missing("there is no such file") }
                return bytes
            }, credentialsFolder: credentials, zones: ZoneDatabase())
    }

    static let catalog = PluginCatalog(
        sources: [FeedSource.self, AnySource.self], detectors: [LimitDetector.self],
        gates: [NightGate.self, HolidayGate.self, CapGate.self, WaitGate.self],
        channels: [HookChannel.self, PageChannel.self])
}

/// Reads a config that lies in `/etc/bot`.
func load(_ yaml: String, credentials: String? = "/credentials") -> ConfigResult {
    Config.load(
        Array(yaml.utf8), folder: "/etc/bot", catalog: FakeWorld.catalog,
        surroundings: FakeWorld.surroundings(credentials: credentials))
}

/// The least that a config must have, to stand behind the section that a test is about.
let least = """

    sources:
      ios: {plugin: feed, url: https://feed.example}
    channels:
      team: {plugin: page}
    """

extension Problem {
    /// The problem on one line: place, sentence, and what to do.
    var line: String {
        "\(position.line):\(position.column): \(message)"
            + (suggestion.map { " -> \($0)" } ?? advice.map { " (\($0))" } ?? "")
    }
}
