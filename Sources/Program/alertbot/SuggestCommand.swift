internal import AlertCore
internal import Archive
internal import ArgumentParser
internal import BotConfig
internal import Commands
internal import DropDetector
internal import PluginKit
internal import Preview
internal import SystemPorts
internal import ThresholdDetector

struct SuggestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "suggest",
        abstract: "Proposes limits for each app from its history, as rules to paste into the config.",
        discussion: """
            Tries many limits of 'threshold' and settings of 'drop' on the past, each on its own, and proposes for each \
            app the most sensitive that would have fired about once a month, with what it would have sent. The past is \
            what the running bot has recorded, history fetched from the sources, or a file. Sends nothing, changes nothing.
            """)

    @OptionGroup var common: CommonOptions
    @OptionGroup var span: SpanOptions
    @Option(name: .long, help: "Only this app, or apps like shop-*.", completion: Names.ofApps) var app: String?
    @Option(name: .long, help: "The share to judge: crash_free_users or crash_free_sessions.")
    var metric = SuggestedMetric.users
    @Option(
        name: .long,
        help: ArgumentHelp(
            "Real incidents, one line {\"app\",\"from\",\"to\"} each: firing then is not a false alarm.",
            valueName: "file"), completion: .file())
    var incidents: String?
    @Option(name: .long, help: "text: a section to paste; or json.") var format = TextOrJSON.text

    enum SuggestedMetric: String, ExpressibleByArgument, CaseIterable, Sendable {
        case users = "crash_free_users"
        case sessions = "crash_free_sessions"
    }

    func run() async throws {
        let file = try common.file()
        var config = try file.config()
        let truth = try TruthFile(incidents, on: machine.terminal)
        var trial = try SuggestionTrial(
            config.plan, metric: metric.rawValue, app: app.map { Glob($0) }, floor: ThresholdDetector.self,
            drop: DropDetector.self, truth: truth.incidents)
        // Sources are asked for the spans that the suggested rules will want.
        config.plan = trial.played
        let played = PlayedSpan(config, span.wish, until: nil, on: machine)
        let isWhole = try await played.play { trial.feed($0) }
        var suggestions = trial.finish()
        suggestions.limits = file.serviceLimits(config, of: app.map { Glob($0) })
        if suggestions.apps.isEmpty {
            let what = app.map { "of an app '\($0.tamed)' " } ?? ""
            machine.terminal.error("alertbot: warning: there was no observation \(what)to play")
        }
        switch format {
        case .json: try machine.terminal.line(suggestions.json.prettyText)
        case .text: try machine.terminal.text(suggestions.fragment)
        }
        if !isWhole || !truth.isWhole { throw Failure(.no) }
    }
}
