internal import AlertCore
internal import Archive
internal import ArgumentParser
internal import BotConfig
internal import BuiltinPlugins
internal import Commands
internal import PluginKit
internal import Runtime
internal import SystemPorts

struct WhyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "why", abstract: "Explains why something was sent, or was not.",
        discussion:
            "How each rule judges each app and why, what each channel was sent, which gates hold messages, and "
            + "when the next poll is due. It reads the journal, even while no bot is running. With --at it replays what "
            + "the bot has recorded through the current config, up to that moment.")

    @OptionGroup var common: AnswerOptions
    @Option(name: .long, help: "Only this app, or apps like shop-*.", completion: Names.ofApps) var app: String?
    @Option(name: .long, help: "Only this rule.", completion: Names.ofRules) var rule: String?
    @Option(
        name: .long,
        help: ArgumentHelp(
            "At this moment in the past, such as '2026-11-20 22:30', the end of that minute, or 2026-11-20T22:30:00Z.",
            valueName: "instant"))
    var at: String?

    func run() async throws {
        let file = try common.file()
        let then = try at.map { text throws(Failure) in
            let zone: Zone
            if let known = file.result.zone { zone = known } else { zone = try file.config().plan.zone }
            return try Moment(option: "--at", through: text, in: zone, now: machine.clock.now())
        }
        try await WhyQuestion(app: app, rule: rule, at: then, file, on: machine)
            .answer(as: common.format, common.paint)
    }
}
