internal import AlertCore
internal import ArgumentParser
internal import BotConfig
internal import BuiltinPlugins
internal import Journal
internal import PluginKit
internal import Runtime

struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Shows what the bot sees and tracks, and what is due next.")

    @OptionGroup var common: CommonOptions
    @Option(name: .long, help: "text or json.") var format = TextOrJSON.text

    func run() async throws {
        let status = try await liveStatus(ConfigFile(common.config))
        switch format {
        case .json: Output.line(status.prettyText)
        case .text: describe(status, common.paint)
        }
    }

    private func describe(_ status: JSON, _ paint: Paint) {
        let isRunning = status["running"] == .bool(true)
        Output.line(
            paint.bold(status["bot"]?.string ?? "alertbot") + "  "
                + (isRunning ? paint.green("running") : paint.yellow("not running; this is what its journal says")))
        Output.line("\n" + paint.bold("Sources"))
        for source in status["sources"]?.array ?? [] {
            let reasons = (source["reasons"]?.array ?? []).compactMap(\.string).joined(separator: ", ")
            var line = "  \(text(source, "name")): \(text(source, "state"))"
            if let next = source["next_poll"]?.string { line += ", next poll \(next)" }
            if !reasons.isEmpty { line += " (\(reasons))" }
            Output.line(line)
            if let sentence = source["failure"]?["sentence"]?.string { Output.line(paint.red("    \(sentence.tamed)")) }
        }
        let incidents = status["incidents"]?.array ?? []
        Output.line("\n" + paint.bold("Incidents"))
        if incidents.isEmpty { Output.line("  none") }
        for incident in incidents { Output.line(incidentText(incident, paint)) }
        let unknown = (status["rules"]?.array ?? []).filter { $0["verdict"] == "unknown" }
        if !unknown.isEmpty { Output.line("\n" + paint.bold("Not known")) }
        for rule in unknown {
            let release = rule["release"]?.string.map { " \($0.tamed)" } ?? ""
            Output.line("  \(text(rule, "app"))\(release): \(text(rule, "rule")): \(text(rule, "sentence"))")
        }
        Output.line("\n" + paint.bold("Channels"))
        for channel in status["channels"]?.array ?? [] {
            let queued = Int(channel["queued"]?.number ?? 0)
            var line = "  \(text(channel, "name")): " + (queued == 0 ? "nothing waiting" : "\(queued) waiting")
            if let oldest = channel["oldest"]?.string {
                line += queued == 1 ? " since \(oldest)" : ", the oldest since \(oldest)"
            }
            let failures = Int(channel["failures"]?.number ?? 0)
            if failures > 0 { line += paint.red(", \(count(failures, "failure")) in a row") }
            if let paused = channel["paused_until"]?.string { line += ", paused until \(paused)" }
            Output.line(line)
        }
        let now = moment(status, "now") ?? .latest
        let mutes = (status["mutes"]?.array ?? []).filter { (moment($0, "from") ?? .earliest) <= now }
        if !mutes.isEmpty { Output.line("\n" + paint.bold("Mutes")) }
        for mute in mutes { Output.line("  " + muteText(mute, paint)) }
        if let trouble = status["recording_trouble"]?.string {
            Output.line("\n" + paint.yellow("Observations are not recorded: \(trouble.tamed)"))
        }
    }

}

/// What the running bot says of itself, or, while none runs, what its journal says.
func liveStatus(_ file: ConfigFile) async throws(Failure) -> JSON {
    if let folder = file.result.stateFolder, let live = await ControlClient(stateFolder: folder).get("/api/status") {
        file.tellProblems(whileDoing: "asking the running bot")
        return live
    }
    let config = try file.config()
    let (state, _) = try readState(config.bot.stateFolder)
    return StatusReport(state, config.plan, at: SystemClock().now()).status(isRunning: false)
}

/// An incident in a few lines, indented by two.
func incidentText(_ incident: JSON, _ paint: Paint) -> String {
    let release = incident["release"]?.string.map { " \($0.tamed)" } ?? ""
    var lines = [
        "  \(text(incident, "id")) \(text(incident, "severity")) \(text(incident, "app"))\(release): "
            + "\(text(incident, "state")) since \(text(incident, "since")) (\(text(incident, "rule")))"
    ]
    if let sentence = incident["evidence"]?["sentence"]?.string { lines.append(paint.dim("    \(sentence.tamed)")) }
    if let acknowledged = incident["acknowledged"], acknowledged != .null {
        let by = acknowledged["by"]?.string.map { " by \($0.tamed)" } ?? ""
        lines.append(paint.dim("    acknowledged\(by) at \(text(acknowledged, "at"))"))
    }
    for (name, standing) in incident["channels"]?.object?.members.map({ ($0.name, $0.value) }) ?? [] {
        guard let held = standing["held"], held != .null else { continue }
        let until = held["until"]?.string.map { " until \($0)" } ?? ""
        lines.append(paint.dim("    \(name): held\(until) (\(text(held, "reason")))"))
    }
    return lines.joined(separator: "\n")
}

private func moment(_ json: JSON, _ name: String) -> Moment? { json[name]?.string.flatMap { Moment(rfc3339: $0) } }

private func text(_ json: JSON, _ name: String) -> String { json[name]?.string?.tamed ?? "?" }

struct HistoryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history", abstract: "Shows what the bot has said, newest last.")

    @OptionGroup var common: CommonOptions
    @Option(name: .long, help: "text or json.") var format = TextOrJSON.text
    @Option(name: .long, help: "At most so many deliveries.") var limit = 50
    @Flag(name: .long, help: "Only what could not be delivered.") var dead = false

    func validate() throws {
        guard (1...State.historyMaxUsual).contains(limit) else {
            throw ValidationError("--limit is \(limit), expected 1 to \(State.historyMaxUsual)")
        }
    }

    func run() async throws {
        // The journal says it all, whether the bot runs or not.
        let (state, _) = try readState(ConfigFile(common.config).journalFolder())
        let history = StatusReport.history(state, limit: limit, deadOnly: dead)
        switch format {
        case .json: Output.line(JSON.object(JSONObject([("history", history)])).prettyText)
        case .text:
            let paint = common.paint
            let entries = history.array ?? []
            if entries.isEmpty { Output.line(dead ? "No dead letters." : "Nothing has been said yet.") }
            for entry in entries {
                let outcome = entry["outcome"]?.string ?? "?"
                let painted = outcome == "dead" ? paint.red(outcome) : outcome
                Output.line(
                    paint.bold(
                        "\(entry["at"]?.string ?? "?") \(entry["channel"]?.string ?? "?") \(entry["kind"]?.string ?? "?")"
                    )
                        + " \(painted)  " + paint.dim(entry["id"]?.string ?? "?"))
                for line in (entry["text"]?.string ?? "").split(separator: "\n") { Output.line("  \(line)") }
                if let why = entry["why"]?.string { Output.line(paint.red("  \(why.tamed)")) }
            }
        }
    }
}

/// Rebuilds the state from a journal without taking it; an absent folder is an empty state.
func readState(_ folder: String) throws(Failure) -> (state: State, report: JournalReport) {
    do {
        return try State.reading(FolderDisk(folder), PluginCatalog.builtin.memories)
    } catch {
        throw Failure(error)
    }
}
