public import AlertCore
public import BotConfig
public import PluginKit
public import Runtime
public import StatusPage
public import SystemPorts

/// Loads the config of a running bot anew, whoever asks: a signal, somebody on the control socket, who is told what
/// changed, or a change of the files themselves.
public actor Reloading {
    private let bot: Bot
    private let keys: KeyRing
    private let clock: any Clock
    private let began: BotSettings
    private let terminal: Terminal
    private let read: @Sendable () throws(Failure) -> ConfigFile
    private var things: ConfigThings
    /// None while the config is one that came out of a pipe.
    private var watch: ConfigWatch?
    private let path: String
    /// Since when the files have been refused, by the machine's clock, and whether people were told.
    private var refused: (since: Duration, isTold: Bool)?

    /// How often the files are looked at: one that changes counts at the look after, when whoever writes has finished.
    public static let interval = Duration.seconds(10)
    /// How long a config may be wrong before people are told: who edits it by hand may take a while.
    static let patience = Duration.minutes(5)
    /// Incidents, or mutes, in one line of the log; whoever asked for the reload hears of all.
    private static let loggedMax = 10

    /// - Parameters:
    ///   - file: what the bot was started with.
    ///   - config: what it says.
    ///   - keys: what opens the page; those of a config that is taken go onto it.
    ///   - read: reads the file.
    public init(
        _ bot: Bot, began file: ConfigFile, _ config: Config, keys: KeyRing, on machine: Machine,
        _ read: @escaping @Sendable () throws(Failure) -> ConfigFile
    ) {
        self.bot = bot
        self.keys = keys
        clock = machine.clock
        began = config.bot
        things = config.things
        terminal = machine.terminal
        watch = ConfigWatch(file.reading)
        path = file.path
        self.read = read
    }

    /// Reads the config and hands it to the bot, unless something is wrong with it.
    ///
    /// - Parameter wanted: the file that whoever asks means, as `FileLook` knows it, and its path; nil for whichever it is.
    /// - Returns: what is to be logged, and the answer for whoever asked.
    public func reload(of wanted: (file: String, path: String)? = nil) async -> (notes: [Note], answer: JSON) {
        // It would be in use for seconds, and whoever asked would take it for done.
        if await bot.look.isStopping {
            let answer = CommandAnswer.refused("the bot is stopping; try again in a moment", .unavailable).json
            return ([Note(.info, "the bot is stopping; nothing was reloaded")], answer)
        }
        if let wanted, let own = FileLook(path)?.file, own != wanted.file {
            let sentence = "the bot reads \(WholeFile.fullPath(path)), not \(wanted.path.tamed); nothing was reloaded"
            return ([Note(.warning, sentence)], CommandAnswer.refused(sentence).json)
        }
        let result = Result { () throws(Failure) in try read() }
        return await take(result)
    }

    /// Looks whether the files have changed, and loads them if they have.
    ///
    /// - Returns: what is to be logged.
    public func look() async -> [Note] {
        if await bot.look.isStopping { return [] }
        if watch?.look() == true {
            let result = Result { () throws(Failure) in try read() }
            if refused == nil, case .success(let file) = result, watch?.isNews(file.reading) == false {
                watch = ConfigWatch(file.reading)
            } else {
                return await take(result).notes
            }
        }
        if let refused, !refused.isTold, clock.uptime() - refused.since >= Reloading.patience {
            self.refused?.isTold = true
            await bot.tellRefusedConfig()
        }
        return []
    }

    /// Looks again and again, until cancelled.
    public func keepLooking(log: @Sendable (Note) -> Void) async {
        if watch == nil {
            log(Note(.info, "the config \(path) is not a file, so it is not watched; a change needs a restart"))
        }
        var next = clock.uptime() + Reloading.interval
        while (try? await clock.sleep(until: next)) != nil {
            for note in await look() { log(note) }
            next = clock.uptime() + Reloading.interval
        }
    }

    private func take(_ result: Result<ConfigFile, Failure>) async -> (notes: [Note], answer: JSON) {
        let reloaded = ReloadedConfig(result, since: began, on: terminal)
        watch =
            switch result {
            case .success(let file): ConfigWatch(file.reading)
            case .failure: watch?.afterFailure()
            }
        var closing: [String] = []
        var changes: [String] = []
        var judged: [String] = []
        var mutes: [String] = []
        if let setup = reloaded.setup, let keys = reloaded.keys, let now = reloaded.things {
            changes = now.changes(since: things)
            things = now
            let look = await bot.look
            closing = look.state.outdatedIncidents(under: setup.plan).map {
                "\($0.incident.id): \($0.incident.rule) of \($0.incident.subject.app). \($0.why)".tamed
            }
            judged = look.state.rejudgedIncidents(from: look.plan, to: setup.plan, at: look.now).map {
                "\($0.incident.id): \($0.incident.rule) of \($0.incident.subject.app.tamed): "
                    + "\($0.before.position) becomes \($0.after.position)"
            }
            mutes = look.state.mutes.inForce(at: look.now).compactMap { mute in
                guard look.plan.whyCoversNothing(mute) == nil else { return nil }
                return setup.plan.whyCoversNothing(mute).map { "\(mute.id) covers nothing any more: \($0)" }
            }
            refused = nil
            bot.reload(setup)
            self.keys.replace(with: keys)
        } else {
            refused = refused ?? (clock.uptime(), false)
            await bot.noteRefusedConfig(reloaded.why)
        }
        let sentences = reloaded.notes.map(\.text)
        let answer: JSON = [
            "done": .bool(reloaded.setup != nil), "sentence": .string(sentences.joined(separator: "; ")),
            "details": [
                "config": .string(WholeFile.fullPath(path)),
                "changes": .array(changes.map(JSON.string)), "closes": .array(closing.map(JSON.string)),
                "judged": .array(judged.map(JSON.string)), "mutes": .array(mutes.map(JSON.string)),
                "problems": .array(reloaded.problems),
            ],
        ]
        var list = changes.isEmpty ? [] : [Note(.info, "changed: \(changes.joined(separator: "; "))")]
        if !closing.isEmpty { list.append(Note(.info, "closes incident \(Reloading.logged(closing))")) }
        if !judged.isEmpty { list.append(Note(.info, "re-judges incident \(Reloading.logged(judged))")) }
        if !mutes.isEmpty { list.append(Note(.warning, "mute \(Reloading.logged(mutes))")) }
        return (reloaded.notes + list, answer)
    }

    private static func logged(_ items: [String]) -> String {
        let more = items.count > loggedMax ? " and \(items.count - loggedMax) more" : ""
        return items.prefix(loggedMax).joined(separator: "; ") + more
    }
}

extension Judgement {
    /// What the rule thinks and by which limit: `warning (below 99.5%)`.
    fileprivate var position: String {
        let thinks =
            switch verdict {
            case .ok: "fine"
            case .unknown: "unknown"
            case .firing(let severity): severity.rawValue
            }
        return thinks + (evidence.limit.map { " (\($0.words))" } ?? "")
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
        if let question = WhyOrder(command) { return await face.answer(question).json }
        guard command["command"]?.string == ReloadOrder.name else { return try await face.obey(command) }
        var wanted: (file: String, path: String)?
        if let file = command["file"]?.string, let path = command["config"]?.string { wanted = (file, path) }
        let (notes, answer) = await reloading.reload(of: wanted)
        for note in notes { log(note) }
        return answer
    }
}

/// What asks a running bot for it.
public enum ReloadOrder {
    static let name = "reload"

    /// - Parameter path: of the config that is meant; what comes out of a pipe is none that the bot could know.
    public static func json(of path: String) -> JSON {
        guard let file = FileLook(path)?.file else { return ["command": .string(name)] }
        return ["command": .string(name), "config": .string(WholeFile.fullPath(path)), "file": .string(file)]
    }
}
