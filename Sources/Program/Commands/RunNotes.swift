public import AlertCore
public import BotConfig
internal import PluginKit
public import Runtime
internal import StatusPage
public import SystemPorts

/// What the running bot logs of its start.
public enum RunNotes {
    /// Fewer open files are warned of: a bot at rest has 20, the page and the control socket take up to an eighth each, every
    /// poll and delivery one or two, and a source or a channel may have many.
    static let openFilesMin = 256

    /// - Parameters:
    ///   - port: where the page really listens; the config may have let the system choose.
    ///   - openFilesMax: how many files the system lets the bot open; nil for no bound, or none that is known.
    public static func greeting(_ config: Config, port: UInt16?, openFilesMax: Int?) -> [Note] {
        let plan = config.plan
        var notes = [
            Note(
                .info,
                "\(config.bot.name): watching \(plan.sources.count.counted("source")) with "
                    + "\(plan.detectors.count.counted("rule")), notifying \(plan.channels.count.counted("channel"))")
        ]
        if case .on(let name, _) = config.bot.listen, let port {
            let shown = name.contains(":") ? "[\(name)]" : name
            notes.append(Note(.info, "the page is at http://\(shown):\(port)/"))
        }
        if let openFilesMax, openFilesMax < openFilesMin {
            notes.append(
                Note(
                    .warning,
                    "the system lets the bot open \(openFilesMax) files, fewer than \(openFilesMin): with many polls and "
                        + "deliveries at once some fail and are tried again; raise the limit with LimitNOFILE= in the unit, or ulimit -n"
                ))
        }
        return notes
    }
}

/// A config that was loaded anew for a bot that runs; one that is wrong never replaces the one that runs.
public struct ReloadedConfig: Sendable {
    /// What the bot goes on with; nil for what it has.
    public let setup: Bot.Setup?
    /// What opens the page from then on; nil for what does now.
    let keys: KeyRing.Keys?
    public let notes: [Note]
    /// What stands in the file; nil where it could not be read.
    let things: ConfigThings?
    /// What is wrong with it, for programs.
    let problems: [JSON]

    /// Why it is refused, in a sentence; empty where it is not.
    let why: String

    /// - Parameters:
    ///   - result: the file, read.
    ///   - began: the settings that the bot was started with.
    ///   - terminal: where is said what is wrong with the file.
    public init(_ result: Result<ConfigFile, Failure>, since began: BotSettings, on terminal: Terminal) {
        do throws(Failure) {
            let file = try result.get()
            for problem in file.problemTexts { terminal.error(problem) }
            problems = file.result.problems.map { $0.json(file: file.path) }
            guard let config = file.result.config else {
                setup = nil
                keys = nil
                things = nil
                notes = [Note(.error, "the config has errors; the bot keeps the one it has")]
                why = file.summary
                return
            }
            setup = config.setup
            keys = config.keys
            things = config.things
            let late = config.bot.changesForRestart(since: began)
            let warning = Note(
                .warning, "what changed in \(late.joined(separator: ", ")) needs a restart of the bot")
            notes = [Note(.info, "the config was reloaded")] + (late.isEmpty ? [] : [warning])
            why = ""
        } catch {
            setup = nil
            keys = nil
            things = nil
            problems = []
            notes = [Note(.error, "\(error.sentence); the bot keeps the config it has")]
            why = error.sentence
        }
    }
}

extension BotSettings {
    /// The keys of which the bot goes on with what they said when it was started.
    fileprivate func changesForRestart(since began: BotSettings) -> [String] {
        var keys: [String] = []
        if stateFolder != began.stateFolder { keys.append("bot.state") }
        if listen != began.listen { keys.append("bot.listen") }
        if shutdownGrace != began.shutdownGrace { keys.append("bot.shutdown_grace") }
        guard case .on = began.listen else { return keys }
        // Messages follow at once; the page keeps its heading.
        if name != began.name { keys.append("bot.name (on the page)") }
        return keys
    }
}
