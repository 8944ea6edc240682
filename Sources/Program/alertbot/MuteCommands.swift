internal import AlertCore
internal import Archive
internal import ArgumentParser
internal import BotConfig
internal import Commands
internal import PluginKit
internal import SystemPorts

struct MuteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mute", abstract: "Holds what matches until a given time; what is still wrong then is sent.",
        discussion:
            "What opens and resolves meanwhile is not sent. The mute is kept in the journal, even while no bot is running."
    )

    @OptionGroup var common: AnswerOptions
    @Option(name: .customLong("for"), help: ArgumentHelp("How long, such as 2h.", valueName: "duration"))
    var length: String?
    @Option(
        name: .long,
        help: ArgumentHelp("Until when, in the bot's time zone unless it has an offset.", valueName: "instant"))
    var until: String?
    @Option(name: .long, help: "Why.") var reason: String?
    @Option(name: .long, help: "Your name; by default your user name on this machine.") var by: String?
    @Option(
        name: .long, help: "Only this app, or apps like shop-*. Every property may be given several times.",
        completion: Names.ofApps)
    var app: [String] = []
    @Option(name: .long, help: "Only this source.", completion: Names.ofSources) var source: [String] = []
    @Option(name: .long, help: "Only this rule.", completion: Names.ofRules) var rule: [String] = []
    @Option(name: .long, help: "Only this release.") var release: [String] = []
    @Option(name: .long, help: "Only this environment.") var environment: [String] = []
    @Option(name: .long, help: "Only this severity.", completion: .list(["info", "warning", "critical"])) var severity:
        [String] = []
    @Option(name: .long, help: "Only this issue.") var issue: [String] = []
    @Option(name: .long, help: ArgumentHelp("Only with this label.", valueName: "name=value")) var label: [String] = []
    @Flag(name: .long, help: "Everything, critical alarms and the bot's own troubles, too.") var all = false

    // Not in `validate`, which the parser asks before it complains of an option that it does not know.
    private func checkUsage() throws(Failure) {
        guard length == nil || until == nil else {
            throw Failure(.wrongUsage, "--for and --until cannot be combined; keep one")
        }
        guard length != nil || until != nil else {
            throw Failure(.wrongUsage, "say for how long: --for, such as --for 2h, or --until")
        }
        if let complaint = wish.complaint { throw Failure(.wrongUsage, complaint) }
    }

    private var wish: MuteWish {
        MuteWish(
            [
                ("app", app), ("source", source), ("rule", rule), ("release", release), ("environment", environment),
                ("severity", severity), ("issue", issue),
            ], labels: label, isEverything: all)
    }

    func run() async throws {
        try checkUsage()
        let file = try common.file()
        if let config = file.result.config { try wish.check(config, common.config) }
        let end: Command.Until
        if let length {
            end = .after(try Duration(option: "--for", length))
        } else {
            let zone = try file.result.zone ?? file.config().plan.zone
            end = .at(try Moment(option: "--until", until ?? "", in: zone, isEnd: true))
        }
        let order = Command.mute(
            wish.match, until: end, reason: reason?.ifSaid, by: by?.ifSaid ?? machine.variables.user)
        try await BotContact(file, on: machine).order(order).print(as: common.format, on: machine.terminal)
    }
}

struct UnmuteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unmute", abstract: "Ends mutes that were set with 'alertbot mute' before their time.")

    @OptionGroup var common: AnswerOptions
    @Flag(name: .long, help: "End all of them.") var all = false
    @Argument(
        help: "The mute's id, as 'alertbot mutes' shows it; its first letters are enough.", completion: Names.ofMutes)
    var id: String?

    func run() async throws {
        guard id == nil || !all else {
            throw Failure(.wrongUsage, "a mute's id and --all cannot be combined; keep one")
        }
        guard id != nil || all else {
            throw Failure(.wrongUsage, "name a mute: an id from 'alertbot mutes', or --all")
        }
        let order = Command.unmute(id.map(Command.Muted.id) ?? .all)
        try await BotContact(common.file(), on: machine).order(order).print(as: common.format, on: machine.terminal)
    }
}

struct MutesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mutes", abstract: "Lists the mutes in force, and those scheduled in the config.")

    @OptionGroup var common: AnswerOptions

    func run() async throws {
        try await common.list("mutes", none: "Nothing is muted.") { mutes, paint, clock in
            mutes.map { MuteText($0, paint, clock).text }
        }
    }
}
