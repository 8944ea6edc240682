internal import AlertCore
internal import ArgumentParser
internal import BotConfig
internal import BuiltinPlugins
internal import Glibc
internal import PluginKit
internal import Runtime
internal import TimeZones

/// The options that every command shares.
struct CommonOptions: ParsableArguments {
    @Option(name: .long, help: ArgumentHelp("The config file.", valueName: "file"))
    var config = "config.yaml"

    @Option(name: .long, help: "Colours: auto, always or never.")
    var color = ColorChoice.auto

    var paint: Paint { Paint(color) }
}

enum TextOrJSON: String, ExpressibleByArgument, CaseIterable, Sendable { case text, json }

/// A config file that has been read.
struct ConfigFile {
    let path: String
    let result: ConfigResult
    private let lines: [String]

    /// Libyaml's own bound is ours; one byte more shows that the file is too long.
    private static let bytesMax = 1 << 20

    init(_ path: String) throws(Failure) {
        self.path = path
        let bytes: [UInt8]
        switch wholeFile(path, bytesMax: ConfigFile.bytesMax) {
        case .success(let contents): bytes = contents
        case .failure(let error):
            throw Failure(.no, "the config \(path) can not be read: \(error.sentence); name another with --config FILE")
        }
        let folder = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let surroundings = ConfigSurroundings(
            variable: { name in getenv(name).map { String(cString: $0) } },
            file: { path throws(ConfigSurroundings.Missing) in
                switch wholeFile(path, bytesMax: 1 << 20) {
                case .success(let bytes): return bytes
                case .failure(let error): throw ConfigSurroundings.Missing(error.sentence)
                }
            },
            credentialsFolder: getenv("CREDENTIALS_DIRECTORY").map { String(cString: $0) }, zones: ZoneDatabase())
        result = Config.load(bytes, folder: folder, catalog: .builtin, surroundings: surroundings)
        lines = String(decoding: bytes, as: UTF8.self)
            .split(omittingEmptySubsequences: false) { $0.isNewline }.map(String.init)
    }

    /// Every problem, each with its line and a caret.
    var problemTexts: [String] { result.problems.map { $0.text(file: path, lines: lines) } }

    /// The config; when there are errors in it they are told and the command ends.
    func config() throws(Failure) -> Config {
        for text in problemTexts { Output.error(text) }
        guard let config = result.config else {
            let count = result.problems.count { $0.level == .error }
            throw Failure(.no, "\(path) has \(count == 1 ? "an error" : "\(count) errors")")
        }
        return config
    }

    /// What is wrong, in one line where that keeps nobody from `doing` what was asked for: at night somebody must be able
    /// to mute a bot that runs well, whatever became of its file.
    func tellProblems(whileDoing doing: String) {
        let count = alertbot.count(result.problems.count { $0.level == .error }, "error")
        guard result.config == nil else { return problemTexts.forEach(Output.error) }
        Output.error("alertbot: warning: \(path) has \(count); \(doing) all the same: run 'alertbot check'")
    }

    /// Where the journal is, for those who only read it.
    func journalFolder() throws(Failure) -> String {
        guard let folder = result.stateFolder else { return try config().bot.stateFolder }
        tellProblems(whileDoing: "reading the journal")
        return folder
    }
}

extension Config {
    var setup: Bot.Setup {
        Bot.Setup(plan: plan, sources: sources, channels: channels, heartbeat: bot.heartbeat, secrets: secrets)
    }
}
