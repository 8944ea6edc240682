internal import ArgumentParser
internal import BuiltinPlugins
internal import Commands
internal import PluginKit
internal import SystemPorts

struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Validates the config; shows how late a rule can be and when gates hold messages.",
        discussion: """
            If the running bot has recorded observations, the newest are replayed through the config: to show how many \
            messages a week it would send, what each rule could judge and what not, and which rules matched nothing.
            """)

    @OptionGroup var common: AnswerOptions
    @Flag(name: .long, help: "Read no secrets: variables, secret files and credentials need not exist.")
    var withoutSecrets = false
    @Option(
        name: .long,
        help: ArgumentHelp(
            "Replay this file instead of what the bot has recorded; - for standard input.", valueName: "file"))
    var observations: String?

    func run() throws {
        let report: CheckReport
        // Which of the files cannot be read, if one cannot.
        var reading = common.config
        do throws(Failure) {
            let file = try ConfigFile(common.config, .builtin, on: machine, withholdsSecrets: withoutSecrets)
            if let observations {
                reading = observations
                report = try CheckReport(file, playing: observations, on: machine)
            } else {
                report = CheckReport(file, on: machine)
            }
        } catch {
            if common.format == .json {
                try machine.terminal.line(CheckReport.unreadable(reading, error).prettyText)
            }
            throw error
        }
        switch common.format {
        case .json: try machine.terminal.line(report.json.prettyText)
        case .text:
            for text in report.problemTexts { machine.terminal.error(text) }
            if let text = report.text(common.paint) { try machine.terminal.line(text) }
        }
        if let failure = report.failure { throw failure }
    }
}
