internal import AlertCore
internal import ArgumentParser
internal import BotConfig
internal import PluginKit
internal import Preview
internal import Runtime

struct WhyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "why", abstract: "Explains why something was told, or was not.",
        discussion:
            "What each rule thinks of each app and why, what each channel was told, which gates are closed, and "
            + "when the next look is due. It reads the journal, whether the bot runs or not. With --at it plays what the bot "
            + "has recorded through the present config, up to that moment.")

    @OptionGroup var common: CommonOptions
    @Option(name: .long, help: "text or json.") var format = TextOrJSON.text
    @Option(name: .long, help: "Only this app, or apps like shop-*.") var app: String?
    @Option(name: .long, help: "Only this rule.") var rule: String?
    @Option(
        name: .long, help: ArgumentHelp("As it was then, such as 2026-11-20T22:30:00Z.", valueName: "instant"))
    var at: String?

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
        let now = SystemClock().now()
        let then = try at.map { text throws(Failure) in try instant(text, "--at", config.plan.zone) }
        let state = try then.map { then throws(Failure) in try past(then, now, config) } ?? present(config)
        let report = WhyReport(state, config.plan, at: then ?? now, app: app, rule: rule)
        guard format == .text else {
            Output.line(report.json.prettyText)
            return
        }
        Output.line(report.isEmpty ? nothing(state, config) : report.paragraphs.joined(separator: "\n\n"))
    }

    private func present(_ config: Config) throws(Failure) -> State { try readState(config.bot.stateFolder).state }

    /// What the bot would have known at a moment in the past with the present config, by what it has recorded.
    private func past(_ then: Moment, _ now: Moment, _ config: Config) throws(Failure) -> State {
        guard then <= now else {
            throw Failure(.wrongUsage, "--at is \(then), which is still to come; leave it out to ask about now")
        }
        let folder = RecordedFolder(config.bot.stateFolder)
        var files = try folder.files(until: then)
        // The first file tells when the recording begins.
        if files.isEmpty { files = Array(try folder.files().prefix(1)) }
        guard !files.isEmpty else { throw Failure(.impossible, folder.emptySentence) }
        var file = PlayedFile(recorded: files, sources: config.sources.keys)
        var playback = Playback(config.plan, until: then)
        _ = try file.play { playback.feed($0) }
        guard let first = file.first else {
            throw Failure(.impossible, "nothing of the sources in \(common.config) is recorded in \(folder.path)")
        }
        guard first <= then else {
            throw Failure(.impossible, "the recording begins at \(first); nothing is known of \(then)")
        }
        Output.error(
            "alertbot: this is what the present config makes of what was recorded from \(first) on, up to \(then); mutes "
                + "and acknowledgements by command are not recorded")
        return playback.finish(now: then).state
    }

    /// Why there is nothing to explain.
    private func nothing(_ state: State, _ config: Config) -> String {
        let apps = Set(state.figures.series.keys.map(\.app))
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
