internal import ArgumentParser
internal import BuiltinPlugins
internal import Commands
internal import SystemPorts

struct InitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Asks for a source and a chat, tries them, and writes a config with comments.",
        discussion: """
            Nothing is written before every question is answered. Secrets that you type go into files of their own, which \
            only you can read; answer with ${env:NAME} or ${credential:NAME} where they come from elsewhere. What --source, \
            --channel and --set give is not asked for; answers can also be piped, one per line.
            """)

    @Option(
        name: .customLong("config"),
        help: ArgumentHelp(
            "The file to write (default: $ALERTBOT_CONFIG or ./config.yaml).", valueName: "file"),
        completion: .file(extensions: ["yaml", "yml"]))
    var namedConfig: String?
    @Option(
        name: .long, help: ArgumentHelp("The plugin for the service, such as sentry.", valueName: "plugin"),
        completion: Names.ofSourcePlugins)
    var source: String?
    @Option(
        name: .long, help: ArgumentHelp("The plugin for the chat, such as slack.", valueName: "plugin"),
        completion: Names.ofChannelPlugins)
    var channel: String?
    @Option(
        name: .customLong("set"),
        help: ArgumentHelp(
            """
            An option, such as source.organization=shop or channel.webhook='${env:SLACK_WEBHOOK}'; a list is written a, b \
            and a map '{name: value, name: value}'; may be repeated.
            """,
            valueName: "key=value"))
    var settings: [String] = []
    @Flag(name: .long, help: "Replace files that already exist.") var force = false
    @Flag(name: .long, help: "Contact nobody: do not try whether the credentials work.") var untried = false
    @Flag(name: .long, help: "Send a test message to the chat without asking.") var sendTest = false
    @Option(name: .long, help: "text or json.") var format = TextOrJSON.text
    @Option(name: .long, help: "Colours: auto, always or never.") var color = ColorChoice.auto

    func run() async throws {
        let named = [namedConfig, machine.variables["ALERTBOT_CONFIG"]].compactMap(\.self).first { !$0.isEmpty }
        let wish = InitWish(
            path: named ?? "config.yaml", source: source, channel: channel, settings: settings, isForced: force,
            isUntried: untried, sendsTest: sendTest, format: format, color: color)
        try await Init(wish, .builtin, asking: InputDialogue.standard(machine.terminal), on: machine).run()
    }
}
