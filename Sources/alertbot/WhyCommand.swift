internal import AlertCore
internal import ArgumentParser
internal import BotConfig
internal import PluginKit
internal import Runtime

struct WhyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "why", abstract: "Explains why something was told, or was not.",
        discussion:
            "What each rule thinks of each app and why, what each channel was told, which gates are closed, and "
            + "when the next look is due. It reads the journal, whether the bot runs or not.")

    @OptionGroup var common: CommonOptions
    @Option(name: .long, help: "text or json.") var format = TextOrJSON.text
    @Option(name: .long, help: "Only this app, or apps like shop-*.") var app: String?
    @Option(name: .long, help: "Only this rule.") var rule: String?

    func run() async throws {
        let config = try ConfigFile(common.config).config()
        let rules = config.plan.detectors.map(\.name)
        if let rule, !rules.contains(where: { Glob(rule).fits($0) }) {
            let near = rule.nearest(in: rules).map { "; did you mean \($0)?" } ?? ""
            throw Failure(
                .wrongUsage,
                "there is no rule '\(rule.tamed)' that judges figures; there are: \(rules.joined(separator: ", "))\(near)"
            )
        }
        let (state, _) = try readState(config.bot.stateFolder)
        let report = WhyReport(state, config.plan, at: SystemClock().now(), app: app, rule: rule)
        guard format == .text else {
            Output.line(report.json.prettyText)
            return
        }
        Output.line(report.isEmpty ? nothing(state, config) : report.paragraphs.joined(separator: "\n\n"))
    }

    /// Why there is nothing to explain.
    private func nothing(_ state: State, _ config: Config) -> String {
        let apps = Set(state.series.keys.map(\.app))
        guard !apps.isEmpty else {
            return "No figures have come yet, so there is nothing to judge; 'alertbot status' shows the sources."
        }
        guard let app, !apps.contains(where: { Glob(app).fits($0) }) else {
            return "No rule concerns that; look at its 'match' in \(common.config)."
        }
        let near = app.nearest(in: apps).map { "; did you mean \($0)?" } ?? ""
        return
            "No figures of an app '\(app.tamed)' have come; there are: \(apps.sorted().joined(separator: ", "))\(near)"
    }
}
