public import AlertCore
public import BotConfig
public import PluginKit
public import Runtime
public import StatusPage
public import SystemPorts

/// Loads the config of a running bot anew, whoever asks: a signal, or somebody on the control socket, who is told what
/// changed.
public actor Reloading {
    private let bot: Bot
    private let began: BotSettings
    private let terminal: Terminal
    private let read: @Sendable () throws(Failure) -> ConfigFile
    private var things: ConfigThings

    /// - Parameters:
    ///   - config: what the bot was started with.
    ///   - read: reads the file.
    public init(
        _ bot: Bot, began config: Config, on terminal: Terminal,
        _ read: @escaping @Sendable () throws(Failure) -> ConfigFile
    ) {
        self.bot = bot
        began = config.bot
        things = config.things
        self.terminal = terminal
        self.read = read
    }

    /// Reads the config and hands it to the bot, unless something is wrong with it.
    ///
    /// - Returns: what is to be logged, and the answer for whoever asked.
    public func reload() async -> (notes: [Note], answer: JSON) {
        let reloaded = ReloadedConfig(since: began, on: terminal, read)
        var closing: [String] = []
        var changes: [String] = []
        if let setup = reloaded.setup, let now = reloaded.things {
            changes = now.changes(since: things)
            things = now
            closing = await bot.state.outdatedIncidents(under: setup.plan).map {
                "\($0.incident.id): \($0.incident.rule) of \($0.incident.subject.app). \($0.why)"
            }
            bot.reload(setup)
        }
        let sentences = reloaded.notes.map(\.text)
        let answer: JSON = [
            "done": .bool(reloaded.setup != nil), "sentence": .string(sentences.joined(separator: "; ")),
            "details": [
                "changes": .array(changes.map(JSON.string)), "closes": .array(closing.map(JSON.string)),
                "problems": .array(reloaded.problems),
            ],
        ]
        let list = changes.isEmpty ? [] : [Note(.info, "changed: \(changes.joined(separator: "; "))")]
        return (reloaded.notes + list, answer)
    }
}

/// The running bot as its control socket sees it: the bot takes commands, and its config can be loaded anew.
public struct BotDesk: BotControl {
    private let face: BotFace
    private let reloading: Reloading
    private let log: @Sendable (Note) -> Void

    public init(_ face: BotFace, _ reloading: Reloading, log: @escaping @Sendable (Note) -> Void) {
        self.face = face
        self.reloading = reloading
        self.log = log
    }

    public func obey(_ command: JSON) async throws -> JSON {
        guard command["command"]?.string == ReloadOrder.name else { return try await face.obey(command) }
        let (notes, answer) = await reloading.reload()
        for note in notes { log(note) }
        return answer
    }
}

/// What asks a running bot for it.
public enum ReloadOrder {
    static let name = "reload"
    public static let json: JSON = ["command": .string(name)]
}
