internal import AlertCore
internal import ArgumentParser
internal import BotConfig
internal import Glibc
internal import Pictures
internal import PluginKit
internal import Preview

struct BacktestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backtest",
        abstract: "Plays a span through the config and shows what would have been said. Sends nothing, writes nothing.",
        discussion: """
            Begins with a fresh state and plays recorded observations, or what the sources themselves recall, in virtual \
            time: the time line of messages, and how noisy each rule was. With --against it shows what another config would have said differently.
            """)

    @OptionGroup var common: CommonOptions
    @Option(
        name: .long, help: ArgumentHelp("The observations to play; - for standard input.", valueName: "file"))
    var observations: String?
    @Option(
        name: .long,
        help: ArgumentHelp("Ask the sources for so much of their past instead, such as 30d.", valueName: "duration"))
    var since: String?
    @Option(
        name: .long,
        help: ArgumentHelp(
            "With --since: the folder that keeps what was fetched (default: $XDG_CACHE_HOME/alertbot).",
            valueName: "folder"))
    var cache: String?
    @Option(
        name: .long,
        help: ArgumentHelp(
            "End the span here instead of at the last line, such as 2026-11-20T22:30:00Z.", valueName: "instant"))
    var now: String?
    @Option(name: .long, help: ArgumentHelp("Compare with this config.", valueName: "file"))
    var against: String?
    @Flag(name: .long, help: "With --against: end with status 1 when the two would say different things.")
    var failOnDifference = false
    @Option(
        name: .long,
        help: ArgumentHelp(
            "What truly happened, a line {\"app\",\"from\",\"to\"} each, to measure delays by.", valueName: "file"))
    var incidents: String?
    @Option(name: .long, help: "Show only this channel.") var channel: String?
    @Option(name: .long, help: "text, json, or html: a page with a picture for each app.") var format = Format.text

    enum Format: String, ExpressibleByArgument, CaseIterable, Sendable { case text, json, html }

    func validate() throws {
        if (observations == nil) == (since == nil) {
            throw ValidationError("say what to play: either --observations FILE or --since DURATION")
        }
        if cache != nil, since == nil { throw ValidationError("--cache belongs to --since") }
        if failOnDifference, against == nil { throw ValidationError("--fail-on-difference needs --against FILE") }
    }

    func run() async throws {
        let config = try ConfigFile(common.config).config()
        let other = try against.map { path throws(Failure) in try ConfigFile(path).config() }
        try checkChannel(config, other)
        let end = try now.map { text throws(Failure) in try instant(text, "--now", config.plan.zone) }
        let (truth, isTruthWhole) = try readTruth()

        var playback = Playback(config.plan, until: end, isTraced: format == .html)
        var otherPlayback = other.map { Playback($0.plan, until: end, isTraced: format == .html) }
        let isWhole = try await play(config, other, until: end) { batch in
            if config.sources[batch.source] != nil { playback.feed(batch) }
            if other?.sources[batch.source] != nil { otherPlayback?.feed(batch) }
        }
        tellUnplayed(playback.lateCount, end)
        if playback.lineCount == 0 { Output.error("alertbot: warning: there was no observation to play") }

        let report = self.report(playback.finish(now: SystemClock().now()), config, truth)
        let otherReport = other.flatMap { other in
            otherPlayback.map { self.report($0.finish(now: report.to), other, truth) }
        }
        let difference = otherReport.map { Difference(report, $0) }
        show(report, otherReport, difference)
        let isDifferent = failOnDifference && difference?.isEmpty == false
        if !isWhole || !isTruthWhole || isDifferent { throw Failure(.no) }
    }

    /// Gives every batch to `take`, in the order of seen; gives back whether all of it could be had.
    private func play(
        _ config: Config, _ other: Config?, until end: Moment?, _ take: (ObservationReader.Batch) -> Void
    ) async throws(Failure) -> Bool {
        let configs = [config] + [other].compactMap(\.self)
        if let since {
            return try await PlayedPast(since: since, until: end, configs, cache: cache).play(take)
        }
        var file = PlayedFile(observations ?? "-", sources: Set(configs.flatMap(\.sources.keys)))
        return try file.play(take)
    }

    private func report(_ preview: Preview, _ config: Config, _ truth: [TrueIncident]?) -> BacktestReport {
        BacktestReport(preview, channels: config.channels, truth: truth, only: channel)
    }

    private func show(_ report: BacktestReport, _ other: BacktestReport?, _ difference: Difference?) {
        switch format {
        case .html:
            let page =
                if let other, let difference {
                    BacktestPage(report, against: other, named: against ?? "", difference)
                } else {
                    BacktestPage(report)
                }
            Output.write(page.text, to: STDOUT_FILENO)
        case .json:
            guard let difference, case .object(var object) = report.json else {
                Output.line(report.json.prettyText)
                return
            }
            object["difference"] = difference.json
            Output.line(JSON.object(object).prettyText)
        case .text:
            let text = BacktestText(report, common.paint)
            if let difference {
                Output.line(text.compared(difference, with: against ?? ""))
            } else {
                Output.line(text.text)
            }
        }
    }

    private func checkChannel(_ config: Config, _ other: Config?) throws(Failure) {
        guard let channel else { return }
        let known = Set(config.channels.keys).union(other?.channels.keys.map { $0 } ?? [])
        guard !known.contains(channel) else { return }
        throw Failure(noSuch: "channel", channel, known: known)
    }

    private func readTruth() throws(Failure) -> (truth: [TrueIncident]?, isWhole: Bool) {
        guard let incidents else { return (nil, true) }
        switch wholeFile(incidents, bytesMax: BacktestCommand.truthBytesMax) {
        case .failure(let error):
            throw Failure(.impossible, "the incidents \(incidents) can not be read: \(error.sentence)")
        case .success(let bytes):
            let (truth, complaints) = TrueIncident.read(bytes, file: incidents)
            for complaint in complaints { Output.error(complaint.description) }
            return (truth, complaints.isEmpty)
        }
    }

    /// Ten thousand incidents have their place in it, more than anybody remembers.
    private static let truthBytesMax = 1 << 20
}
