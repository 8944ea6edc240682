internal import AlertCore
internal import ArgumentParser
internal import BotConfig
internal import PluginKit
internal import Runtime

struct MuteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mute", abstract: "Holds what matches until a time; what is still wrong then is said then.",
        discussion:
            "What begins and ends meanwhile is not told. The mute is kept in the journal, whether the bot runs or not.")

    @OptionGroup var common: CommonOptions
    @Option(name: .long, help: "text or json.") var format = TextOrJSON.text
    @Option(name: .customLong("for"), help: ArgumentHelp("How long, such as 2h.", valueName: "duration"))
    var length: String?
    @Option(
        name: .long,
        help: ArgumentHelp("Until when, in the bot's time zone unless it has an offset.", valueName: "instant"))
    var until: String?
    @Option(name: .long, help: "Why.") var reason: String?
    @Option(name: .long, help: "Who you are; by default your name on this machine.") var by: String?
    @Option(name: .long, help: "Of this app, or of apps like shop-*. Every property may be given several times.")
    var app: [String] = []
    @Option(name: .long, help: "Of this source.") var source: [String] = []
    @Option(name: .long, help: "Of this rule.") var rule: [String] = []
    @Option(name: .long, help: "Of this release.") var release: [String] = []
    @Option(name: .long, help: "Of this environment.") var environment: [String] = []
    @Option(name: .long, help: "Of this severity.") var severity: [String] = []
    @Option(name: .long, help: "About this issue.") var issue: [String] = []
    @Option(name: .long, help: ArgumentHelp("With this label.", valueName: "name=value")) var label: [String] = []
    @Flag(name: .long, help: "Everything.") var all = false

    func validate() throws {
        if (length == nil) == (until == nil) {
            throw ValidationError("say how long: either --for, such as --for 2h, or --until")
        }
        for label in label where label.split(separator: "=", maxSplits: 1).count < 2 {
            throw ValidationError("--label is '\(label)', expected name=value, such as team=checkout")
        }
        for condition in conditions where condition.patterns.contains(where: { $0.pattern.trimmed.isEmpty }) {
            throw ValidationError("--\(condition.property) is empty, expected what to mute, such as --app shop-ios")
        }
        if all != conditions.isEmpty {
            throw ValidationError(
                all
                    ? "--all covers everything; leave out the rest, or leave out --all"
                    : "say what to mute, such as --app shop-ios, or --all")
        }
        for severity in severity where Severity(rawValue: severity) == nil {
            let near = severity.nearest(in: Severity.allCases.map(\.rawValue)).map { "; did you mean \($0)?" } ?? ""
            throw ValidationError("--severity is '\(severity)', expected info, warning or critical\(near)")
        }
    }

    private var conditions: [Match.Condition] {
        var values: [(String, [String])] = [
            ("app", app), ("source", source), ("rule", rule), ("release", release), ("environment", environment),
            ("severity", severity), ("issue", issue),
        ]
        for label in label {
            let parts = label.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2 else { continue }
            if let known = values.firstIndex(where: { $0.0 == parts[0] }) {
                values[known].1.append(parts[1])
            } else {
                values.append((parts[0], [parts[1]]))
            }
        }
        return values.filter { !$0.1.isEmpty }.map { Match.Condition(property: $0.0, patterns: $0.1.map(Glob.init)) }
    }

    func run() async throws {
        let file = try ConfigFile(common.config)
        if let config = file.result.config {
            try check(source, "source", config.sources.keys.sorted())
            try check(rule, "rule", config.plan.detectors.map(\.name) + Trouble.allCases.map(\.rawValue))
        }
        let end: Command.Until
        if let length {
            end = .after(try alertbot.length(length, "--for"))
        } else {
            let zone = try file.result.zone ?? file.config().plan.zone
            end = .at(try instant(until ?? "", "--until", zone, isEnd: true))
        }
        let command = Command.mute(Match(conditions), until: end, reason: reason, by: by ?? whoAmI())
        try show(await tell(command, file), format)
    }

    /// A name that is none covers nothing, which nobody wants.
    private func check(_ names: [String], _ noun: String, _ known: [String]) throws(Failure) {
        for name in names where !known.contains(where: { Glob(name).fits($0) }) {
            let near = name.nearest(in: known).map { "; did you mean \($0)?" } ?? ""
            throw Failure(
                .wrongUsage,
                "there is no \(noun) '\(name.tamed)' in \(common.config); known: \(known.joined(separator: ", "))\(near)"
            )
        }
    }
}

struct UnmuteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unmute", abstract: "Ends mutes that were set with 'alertbot mute' before their time.")

    @OptionGroup var common: CommonOptions
    @Option(name: .long, help: "text or json.") var format = TextOrJSON.text
    @Flag(name: .long, help: "End all of them.") var all = false
    @Argument(help: "The mute's id, as 'alertbot mutes' shows it.") var id: String?

    func validate() throws {
        if (id == nil) != all { throw ValidationError("say which: an id of 'alertbot mutes', or --all") }
    }

    func run() async throws {
        let file = try ConfigFile(common.config)
        try show(await tell(.unmute(id.map(Command.Muted.id) ?? .all), file), format)
    }
}

struct MutesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mutes", abstract: "Lists the mutes in force, and those that the config has in store.")

    @OptionGroup var common: CommonOptions
    @Option(name: .long, help: "text or json.") var format = TextOrJSON.text

    func run() async throws {
        let mutes = try await liveStatus(ConfigFile(common.config))["mutes"] ?? .array([])
        guard format == .text else {
            Output.line(JSON.object(JSONObject([("mutes", mutes)])).prettyText)
            return
        }
        let list = mutes.array ?? []
        if list.isEmpty { Output.line("Nothing is muted.") }
        for mute in list { Output.line(muteText(mute, common.paint)) }
    }
}

/// A mute in a line.
func muteText(_ mute: JSON, _ paint: Paint) -> String {
    let until = mute["until"]?.string.map { "until \($0)" } ?? "for good"
    let by = mute["by"]?.string.map { ", by \($0)" } ?? ""
    let reason = mute["reason"]?.string.map { ": \($0)" } ?? ""
    let origin = mute["origin"]?.string == "config" ? " (in the config)" : ""
    let what = (try? Match(JSONReader(mute["match"] ?? .null)))?.sentence ?? "?"
    return paint.bold(mute["id"]?.string ?? "?")
        + "\(origin) \(what), from \(mute["from"]?.string ?? "?") \(until)\(by)\(reason)".tamed
}
