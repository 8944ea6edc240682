internal import Archive
public import ArgumentParser
internal import BuiltinPlugins
public import Commands
internal import Pictures
internal import PluginKit
internal import Runtime
public import SystemPorts

/// `Option` is a word of PluginKit too; in this module it means an option of the command line.
typealias Option = ArgumentParser.Option

extension TextOrJSON: ExpressibleByArgument {}
extension ColorChoice: ExpressibleByArgument {}
extension LogFormat: ExpressibleByArgument {}

extension String {
    /// The words that somebody gave, or nil where they gave nothing but space.
    var ifSaid: String? { trimmed.isEmpty ? nil : self }
}

/// The options that every command shares.
struct CommonOptions: ParsableArguments {
    @Option(
        name: .customLong("config"),
        help: ArgumentHelp(
            "The config file (default: $ALERTBOT_CONFIG if that is set, else ./config.yaml or /etc/alertbot/config.yaml, the "
                + "first that exists).",
            valueName: "file"), completion: .file(extensions: ["yaml", "yml"]))
    var namedConfig: String?

    var config: String { namedConfig ?? ConfigFile.usualPlace(on: machine) }

    @Option(name: .long, help: "Colours: auto, always or never.")
    var color = ColorChoice.auto

    var paint: Paint {
        Paint(isOn: machine.terminal.isColored(color), hasLinks: machine.terminal.hasLinks(color))
    }

    /// The config file, read.
    func file() throws(Failure) -> ConfigFile { try ConfigFile(config, .builtin, on: machine) }
}

/// The options of commands whose answer is for people or for programs.
struct AnswerOptions: ParsableArguments {
    @OptionGroup var common: CommonOptions
    @Option(name: .long, help: "text or json.") var format = TextOrJSON.text

    var namedConfig: String? { common.namedConfig }
    var config: String { common.config }
    var paint: Paint { common.paint }
    func file() throws(Failure) -> ConfigFile { try common.file() }

    /// Prints the answer in the form that was asked for.
    func print(_ json: JSON, _ text: @autoclosure () -> String) throws(Failure) {
        try machine.terminal.line(format == .json ? json.prettyText : text())
    }

    /// Prints a list that the bot has of that name.
    ///
    /// - Parameter none: what is said of an empty one.
    func list(_ name: String, none: String, _ texts: ([JSON], Paint, Clockface) -> [String]) async throws(Failure) {
        let file = try file()
        let status = try await BotContact(file, on: machine).status()
        let list = status[name] ?? .array([])
        let clock = Clockface(file.zone, now: status["now"]?.string.flatMap { Moment(rfc3339: $0) })
        func text() -> String {
            let lines = texts(list.array ?? [], paint, clock)
            return lines.isEmpty ? none : lines.joined(separator: "\n")
        }
        try print([name: list], text())
    }
}

/// The options of commands that read no config.
struct OutputOptions: ParsableArguments {
    @Option(
        name: .customLong("config"),
        help: ArgumentHelp("Taken as by every command, and not read: this one needs no config.", valueName: "file"),
        completion: .file(extensions: ["yaml", "yml"]))
    var unreadConfig: String?
    @Option(name: .long, help: "text or json.") var format = TextOrJSON.text
    @Option(name: .long, help: "Colours: auto, always or never.") var color = ColorChoice.auto

    var paint: Paint { Paint(isOn: machine.terminal.isColored(color)) }
}

/// Which part of the past a command plays.
struct SpanOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "Replay this file instead of what the bot has recorded; - for standard input.", valueName: "file"),
        completion: .file())
    var observations: String?
    @Option(
        name: .long,
        help: ArgumentHelp(
            "Replay this much of the past, such as 30d: from the recording, or from the sources where it does not reach "
                + "back so far.", valueName: "duration"))
    var since: String?
    @Option(
        name: .long,
        help: ArgumentHelp(
            "With --since: the folder that keeps what was fetched from sources (default: $XDG_CACHE_HOME/alertbot).",
            valueName: "folder"), completion: .directory)
    var cache: String?

    func validate() throws {
        if since != nil, observations != nil {
            throw ValidationError(
                "--since and --observations cannot be combined; keep one")
        }
        if cache != nil, since == nil { throw ValidationError("--cache needs --since") }
    }

    var wish: PlayedSpan.Wish { PlayedSpan.Wish(observations: observations, since: since, cache: cache) }
}

/// Options that make things fail on purpose.
struct FaultOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "Make this share of polls and deliveries fail at random, such as 30%.", valueName: "percentage"))
    var faultRate: String?
    @Option(name: .long, help: "The seed of those failures.") var seed: UInt64 = 1

    func validate() throws {
        guard let faultRate else { return }
        guard let rate = try? Percentage(grammar: faultRate), rate.fraction <= 1 else {
            throw ValidationError("--fault-rate is '\(faultRate)', expected a percentage such as 30%")
        }
    }

    var faults: Faults? {
        guard let faultRate, let rate = try? Percentage(grammar: faultRate) else { return nil }
        return Faults(rate: rate.fraction, seed: seed)
    }
}
