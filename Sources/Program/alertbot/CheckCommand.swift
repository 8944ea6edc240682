internal import ArgumentParser
internal import Commands
internal import PluginKit
internal import SystemPorts

struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Validates the config; shows how late a rule can be and when gates hold messages.",
        discussion: """
            Where the running bot has recorded something, the latest of it is replayed through the config: how many \
            messages a week that makes, and which rules matched nothing.
            """)

    @OptionGroup var common: CommonOptions
    @Option(name: .long, help: "text or json.") var format = TextOrJSON.text

    func run() throws {
        let report: CheckReport
        do throws(Failure) {
            report = CheckReport(try common.file(), on: machine)
        } catch {
            if format == .json {
                try machine.terminal.line(CheckReport.unreadable(common.config, error).prettyText)
            }
            throw error
        }
        switch format {
        case .json: try machine.terminal.line(report.json.prettyText)
        case .text:
            for text in report.problemTexts { machine.terminal.error(text) }
            if let text = report.text(common.paint) { try machine.terminal.line(text) }
        }
        if let failure = report.failure { throw failure }
    }
}
