// Commands is what the commands of the program find out and say, apart from their options and from which plugins there
// are: the program declares those and ties it all together. What a command prints goes to the `Terminal` it is given,
// what it needs of the machine comes from a `Machine`, and why it cannot go on is a `Failure`.

internal import AlertCore
public import BotConfig
public import PluginKit
public import Runtime
public import StatusPage
internal import Synchronization
public import SystemPorts

/// In which form a command answers.
public enum TextOrJSON: String, CaseIterable, Sendable { case text, json }

/// A config file that has been read.
public struct ConfigFile: Sendable {
    public let path: String
    public let result: ConfigResult
    /// What was read for it.
    let reading: ConfigReading
    /// The kinds of memory that the plugins know, which a journal is read with.
    public let memories: MemoryKinds
    /// The lines of the config, and of every other file that was read for it, by its name.
    private let lines: [String?: ShownLines]
    private let terminal: Terminal

    /// Libyaml's own bound is ours; one byte more shows that the file is too long.
    private static let bytesMax = 8 << 20

    /// Where the config is when nobody says where.
    public static func usualPlace(on machine: Machine) -> String {
        if let named = machine.variables["ALERTBOT_CONFIG"], !named.isEmpty { return named }
        return usualPlaces.first { WholeFile.isThere($0) } ?? usualPlaces[0]
    }

    /// How a command is told which config is meant.
    public static let usualOption = "--config"
    private static let usualPlaces = ["config.yaml", "/etc/alertbot/config.yaml"]

    /// Why it cannot be read, and what to do; whoever has none yet is told how to get one.
    private static func sentence(
        of error: FileError, _ path: String, namedBy option: String?, on machine: Machine
    ) -> String {
        guard let option else {
            return "the config \(WholeFile.fullPath(path)) cannot be read: \(error.reason); "
                + "the bot would not start again without it"
        }
        let isUsual = option == usualOption
        let isNamed = isUsual && machine.variables["ALERTBOT_CONFIG"] == path
        guard isUsual, path == usualPlaces[0], !isNamed, !usualPlaces.contains(where: { WholeFile.isThere($0) }) else {
            return
                "the config \(path)\(isNamed ? ", which $ALERTBOT_CONFIG names," : "") cannot be read: \(error.reason); "
                + "name another with \(option) FILE"
        }
        return "there is no \(usualPlaces.joined(separator: " and no ")); 'alertbot init' writes a first config, and "
            + "\(option) FILE names one somewhere else"
    }

    /// - Parameters:
    ///   - option: by which option whoever asks has named the path; nil for a bot that runs, to which nobody can name another,
    ///     and whose words are read elsewhere.
    ///   - withholdsSecrets: whether no secret is asked for and something else stands for each.
    ///   - drafts: files that are still to be written, by their paths: they are read as if they were there.
    ///   - service: what may get fewer credentials than there are beside the config.
    public init(
        _ path: String, _ catalog: PluginCatalog, on machine: Machine, namedBy option: String? = usualOption,
        withholdsSecrets: Bool = false, drafts: [String: [UInt8]] = [:], service: ServiceUnit = .installed
    ) throws(Failure) {
        guard !path.isEmpty else {
            let option = option ?? ConfigFile.usualOption
            throw Failure(.wrongUsage, "\(option) names no file; name one, or leave it out")
        }
        self.path = path
        memories = catalog.memories
        terminal = machine.terminal
        let bytes: [UInt8]
        var reading = ConfigReading(of: path)
        do throws(FileError) {
            if let draft = drafts[path] {
                bytes = draft
            } else {
                bytes = try reading.read(path, bytesMax: ConfigFile.bytesMax)
            }
        } catch {
            throw Failure(.no, ConfigFile.sentence(of: error, path, namedBy: option, on: machine))
        }
        guard !bytes.isEmpty || reading.isFromFile else {
            throw Failure(
                .no,
                "the config \(path) is a pipe with nothing in it; what is written to a pipe can be read once, so put it "
                    + "into a file to read it again")
        }
        let noted = Mutex(reading)
        let folder = ConfigFile.folder(of: path)
        let handed = machine.variables["CREDENTIALS_DIRECTORY"]
        let handedOut = handed == nil ? service.credentials(forConfigIn: folder) : nil
        let surroundings = ConfigSurroundings(
            variable: { machine.variables[$0] },
            file: { path throws(ConfigSurroundings.Missing) in
                if let draft = drafts[path] { return draft }
                do throws(FileError) {
                    return try noted.withLock { reading throws(FileError) in
                        try reading.read(path, bytesMax: ConfigFile.bytesMax)
                    }
                } catch {
                    throw ConfigSurroundings.Missing(error.reason)
                }
            },
            files: { pattern in
                let paths = noted.withLock { $0.paths(matching: pattern) }
                return paths.filter { !ConfigFile.isSame($0, path) }
            },
            credentialsFolder: handed ?? ConfigFile.credentials(beside: folder),
            zones: ZoneDatabase(),
            withholdsSecrets: withholdsSecrets, isOpenToOthers: WholeFile.isOpenToOthers,
            isHandedOut: { handedOut?.contains($0) ?? true },
            connectionFlaw: CurlWeb.flaw)
        result = Config.load(bytes, folder: folder, catalog: catalog, surroundings: surroundings)
        self.reading = noted.withLock { $0 }
        var lines: [String?: [String]] = [nil: ConfigFile.lines(of: bytes)]
        for (name, bytes) in result.texts { lines[name] = ConfigFile.lines(of: bytes) }
        let secrets = Dictionary(grouping: result.writtenSecrets, by: \.position.file)
        self.lines = Dictionary(
            uniqueKeysWithValues: lines.map { ($0, ShownLines($1, hiding: secrets[$0] ?? [])) })
    }

    /// Where relative paths in a config start: in its folder, and for what a shell hands over as `/dev/stdin` or `/dev/fd/63`,
    /// which has none, where the command was called.
    private static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/"), !path.hasPrefix("/dev/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Where credentials are when nobody says where: what systemd hands to the service lies beside the config, and whoever may
    /// read it there need not say so for each command. Who may not is better told that systemd hands them out.
    private static func credentials(beside folder: String) -> String? {
        let path = folder + "/credentials"
        return WholeFile.paths(matching: path.asPattern + "/*").isEmpty ? nil : path
    }

    private static func lines(of bytes: [UInt8]) -> [String] {
        String(decoding: bytes, as: UTF8.self).split(omittingEmptySubsequences: false) { $0.isNewline }.map(String.init)
    }

    /// Whether two paths name one file, as far as they can tell; a pattern that names the config's own folder finds the
    /// config too.
    private static func isSame(_ path: String, _ other: String) -> Bool {
        func plain(_ path: String) -> Substring { path.hasPrefix("./") ? path.dropFirst(2) : path[...] }
        return plain(path) == plain(other)
    }

    /// The bot's time zone; UTC where the config does not say it well.
    public var zone: Zone { result.zone ?? .utc }

    /// Every problem, each with its line and a caret.
    public var problemTexts: [String] { result.problems.map(text) }

    /// A problem with its line and a caret.
    func text(_ problem: Problem) -> String {
        problem.text(file: path, lines: lines[problem.position.file] ?? ShownLines([]))
    }

    /// The config; when there are errors in it they are told and the command ends. Warnings are for `check`: a config
    /// can be used with them, and whoever does wants the answer and nothing else.
    public func config() throws(Failure) -> Config {
        guard let config = result.config else {
            for text in problemTexts { terminal.error(text) }
            throw failure
        }
        return config
    }

    /// That there are errors in it, for a command that has told them.
    var failure: Failure {
        Failure(.no, "\(path) has \(errorCount == 1 ? "an error" : "\(errorCount) errors")")
    }

    private var errorCount: Int { result.problems.count { $0.level == .error } }

    /// The error to begin with, and how many more there are.
    var summary: String {
        guard let first = result.firstError else { return "" }
        let place = "\(first.position.file ?? path):\(first.position.line)"
        let more = errorCount > 1 ? " (and \((errorCount - 1).counted("more error")))" : ""
        return "\(place): \(first.message)\(more)"
    }

    /// Says what is wrong, in one line where that keeps nobody from `doing` what was asked for: at night somebody must
    /// be able to mute a bot that runs well, whatever became of its file.
    func warn(whileDoing doing: String) {
        guard result.config == nil else { return }
        terminal.error(
            "alertbot: warning: \(path) has \(errorCount.counted("error")); \(doing) anyway: "
                + "run 'alertbot check'")
    }

    /// Where the journal is, for those who only read it.
    public func journalFolder() throws(Failure) -> String {
        guard let folder = result.stateFolder else { return try config().bot.stateFolder }
        warn(whileDoing: "reading the journal")
        return folder
    }
}

extension Config {
    /// The config as a running bot takes it.
    public var setup: Bot.Setup {
        var seal: Courier.Seal?
        if let linkSeal { seal = { message in linkSeal.sealing(message) } }
        return Bot.Setup(
            plan: plan, sources: sources, renewals: renewals, channels: channels, heartbeat: bot.heartbeat,
            policy: bot.policy,
            secrets: secrets, seal: seal)
    }

    /// What opens the page to whoever is not on the bot's machine, and by which name.
    public var keys: KeyRing.Keys {
        KeyRing.Keys(
            userHeader: bot.userHeader, token: bot.token, seal: linkSeal,
            publicHost: bot.publicURL.flatMap { WebAddress($0)?.host })
    }

    /// What seals the links of messages; nil where there is no token to make it of, or no link.
    private var linkSeal: LinkSeal? {
        guard let token = bot.token, let url = bot.publicURL else { return nil }
        return LinkSeal(token: token, publicURL: url)
    }
}
