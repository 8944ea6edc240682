internal import ArgumentParser
internal import BuiltinPlugins
internal import Commands
internal import PluginKit
internal import SystemPorts

struct TestCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test",
        abstract: "Runs rule tests: observations in, messages expected. Sends nothing, writes nothing.")

    @OptionGroup var common: AnswerOptions
    @Argument(help: ArgumentHelp("Files of rule tests.", valueName: "file"), completion: .file()) var files: [String]
    @Option(
        name: .long,
        help: ArgumentHelp(
            "Also write the results to this file, as JUnit XML for a build server.", valueName: "file"),
        completion: .file())
    var junit: String?

    func run() throws {
        // Though every file may name its own: what is asked for by name has to be there.
        if let named = common.namedConfig, !WholeFile.isThere(named) { _ = try common.file() }
        let report = try RuleTestReport(files, usualConfig: common.config) { path throws(Failure) in
            try ConfigFile(path, .builtin, on: machine)
        }
        switch common.format {
        case .text: try report.print(common.paint, on: machine.terminal)
        case .json:
            for problem in report.problemTexts { machine.terminal.error(problem) }
            try machine.terminal.line(report.json.prettyText)
        }
        // After what is printed, so that a folder that is not there costs nobody the results.
        if let junit { try report.writeJUnit(to: junit) }
        if !report.isFine { throw Failure(.no) }
    }
}
