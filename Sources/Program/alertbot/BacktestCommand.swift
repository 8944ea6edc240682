internal import AlertCore
internal import Archive
internal import ArgumentParser
internal import BotConfig
internal import BuiltinPlugins
internal import Commands
internal import Pictures
internal import PluginKit
internal import Preview
internal import Runtime
internal import SystemPorts

struct BacktestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backtest",
        abstract:
            "Replays a span through the config and shows what it would have sent. Sends nothing; writes nothing but the history it fetches.",
        discussion: """
            Starts with an empty state and replays observations in virtual time: those that the running bot has recorded, \
            history fetched from the sources, or a file. Shows the time line of messages, and how noisy each rule \
            was. With --against it shows what another config would have sent differently.
            """)

    @OptionGroup var common: CommonOptions
    @OptionGroup var span: SpanOptions
    @Option(
        name: .long,
        help: ArgumentHelp(
            "End the span here instead of at the last line, such as 2026-11-20T22:30:00Z.", valueName: "instant"))
    var now: String?
    @Option(name: .long, help: ArgumentHelp("Compare with this config.", valueName: "file"), completion: .file())
    var against: String?
    @Flag(name: .long, help: "With --against: exit with status 1 when the two would send different messages.")
    var failOnDifference = false
    @Option(
        name: .long,
        help: ArgumentHelp(
            "Real incidents, one line {\"app\",\"from\",\"to\"} each, to measure delays by.", valueName: "file"),
        completion: .file())
    var incidents: String?
    @Option(name: .long, help: "Show only this channel.", completion: Names.ofChannels) var channel: String?
    @Option(name: .long, help: "text, json, or html: a page with a picture for each app.") var format = Format.text

    enum Format: String, ExpressibleByArgument, CaseIterable, Sendable { case text, json, html }

    func run() async throws {
        if failOnDifference, against == nil {
            throw Failure(.wrongUsage, "--fail-on-difference needs --against FILE")
        }
        let config = try common.file().config()
        let other = try against.map { path throws(Failure) in
            try ConfigFile(path, .builtin, on: machine, namedBy: "--against").config()
        }
        try checkChannel(config, other)
        let end = try now.map { text throws(Failure) in
            try Moment(option: "--now", text, in: config.plan.zone)
        }
        let truth = try TruthFile(incidents, on: machine.terminal)

        var playback = Playback(config.plan, until: end, isTraced: format == .html, gathersOutlook: true)
        var otherPlayback = other.map {
            Playback($0.plan, until: end, isTraced: format == .html, gathersOutlook: true)
        }
        let others = other.map { [(name: against ?? "", config: $0)] } ?? []
        let played = PlayedSpan(config, named: common.config, and: others, span.wish, until: end, on: machine)
        let isWhole = try await played.play { batch in
            if config.sources[batch.source] != nil { playback.feed(batch) }
            if other?.sources[batch.source] != nil { otherPlayback?.feed(batch) }
        }
        let remarks = playback.remarks(until: end, in: config.plan.zone, readAt: machine.clock.now())
        // Mostly both are shown the same figures, but each may have sources of its own.
        let more = (otherPlayback?.leftOut.remarks ?? []).filter { !remarks.contains($0) }
        for remark in remarks + more { machine.terminal.error("alertbot: warning: \(remark)") }

        // Both end together: what happens after the last line of one is no difference while the other goes on.
        let last = [playback.now, otherPlayback?.now].compactMap(\.self).max()
        let report = self.report(
            playback.finish(noEarlierThan: last, pollsOn: true, now: machine.clock.now()), config, truth.incidents)
        let otherReport = other.flatMap { other in
            otherPlayback.map {
                self.report($0.finish(noEarlierThan: last, pollsOn: true, now: report.to), other, truth.incidents)
            }
        }
        let difference = otherReport.map { Difference(report, $0) }
        try show(report, otherReport, difference)
        let isDifferent = failOnDifference && difference?.isEmpty == false
        if !isWhole || !truth.isWhole || isDifferent { throw Failure(.no) }
    }

    private func report(_ preview: Preview, _ config: Config, _ truth: [TrueIncident]?) -> BacktestReport {
        BacktestReport(preview, channels: config.channels, truth: truth, only: channel)
    }

    private func show(
        _ report: BacktestReport, _ other: BacktestReport?, _ difference: Difference?
    ) throws(Failure) {
        let terminal = machine.terminal
        switch format {
        case .html:
            let page =
                if let other, let difference {
                    BacktestPage(report, against: other, named: against ?? "", difference)
                } else {
                    BacktestPage(report)
                }
            try terminal.text(page.text)
        case .json:
            guard let difference, case .object(var object) = report.json else {
                try terminal.line(report.json.prettyText)
                return
            }
            object["difference"] = difference.json
            try terminal.line(JSON.object(object).prettyText)
        case .text:
            let text = BacktestText(report, common.paint)
            if let difference {
                try terminal.line(text.compared(difference, with: against ?? ""))
            } else {
                try terminal.line(text.text)
            }
        }
    }

    private func checkChannel(_ config: Config, _ other: Config?) throws(Failure) {
        guard let channel else { return }
        let known = Set(config.channels.keys).union(other?.channels.keys.map { $0 } ?? [])
        guard !known.contains(channel) else { return }
        throw Failure(noSuch: "channel", channel, known: known)
    }
}
