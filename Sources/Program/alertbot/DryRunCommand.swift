internal import AlertCore
internal import ArgumentParser
internal import BotConfig
internal import Glibc
internal import Journal
internal import Pictures
internal import PluginKit
internal import Preview
internal import Runtime

struct DryRunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dry-run",
        abstract: "Previews what would be said. Sends nothing, writes nothing.",
        discussion:
            "Polls every source once, or takes what was recorded, against a copy of the state.")

    enum Format: String, ExpressibleByArgument, CaseIterable, Sendable { case text, json, html, payload }

    @OptionGroup var common: CommonOptions
    @OptionGroup var faults: FaultOptions
    @Option(name: .long, help: "text, json, html: one page, or payload: the exact requests.")
    var format = Format.text
    @Option(
        name: .long, help: ArgumentHelp("Play this file instead of polling; - for standard input.", valueName: "file"))
    var observations: String?
    @Flag(name: .long, help: "Take the last recorded figures of every source instead of polling.")
    var recorded = false
    @Option(name: .long, help: ArgumentHelp("Set the clock, such as 2026-11-20T22:30:00Z.", valueName: "instant"))
    var now: String?
    @Option(name: .long, help: "Show only this channel.") var channel: String?

    func validate() throws {
        if recorded, observations != nil {
            throw ValidationError("--recorded and --observations are two ways; keep one")
        }
    }

    func run() async throws {
        let config = try ConfigFile(common.config).config()
        if let channel, config.channels[channel] == nil {
            throw Failure(noSuch: "channel", channel, known: config.channels.keys)
        }
        let end = try now.map { text throws(Failure) in try instant(text, "--now", config.plan.zone) }
        let (state, report) = try readState(config.bot.stateFolder)
        for notice in report.notices { Output.error("alertbot: \(notice)") }
        var isWhole = true
        let preview: Preview
        if let observations {
            (preview, isWhole) = try play(observations, config, state, until: end)
        } else if recorded {
            preview = try replay(config, state, at: end ?? SystemClock().now())
        } else {
            preview = try await poll(config, state, at: end ?? SystemClock().now())
        }
        show(PreviewReport(preview, channels: config.channels, only: channel))
        if !isWhole { throw Failure(.no) }
    }

    // MARK: a file of observations

    private func play(
        _ path: String, _ config: Config, _ state: State, until end: Moment?
    ) throws(Failure) -> (Preview, isWhole: Bool) {
        var file = PlayedFile(path, sources: config.sources.keys)
        var playback = Playback(config.plan, from: state, until: end, faults: faults.faults)
        let isWhole = try file.play { playback.feed($0) }
        tellUnplayed(playback.lateCount, end)
        tellEmpty(playback.lineCount)
        return (playback.finish(now: SystemClock().now()), isWhole)
    }

    // MARK: what was recorded

    /// What would be said if every source said again what it has said last.
    private func replay(_ config: Config, _ state: State, at now: Moment) throws(Failure) -> Preview {
        let folder = RecordedFolder(config.bot.stateFolder)
        let batches = try folder.lastFigures(of: config.sources.keys, until: now)
        guard !batches.isEmpty else {
            throw Failure(.impossible, "no figures are recorded in \(folder.path); leave out --recorded to poll")
        }
        for source in config.sources.keys.sorted() where !batches.contains(where: { $0.source == source }) {
            Output.error("alertbot: source \(source): no figures are recorded")
        }
        var preview = Preview(plan: config.plan, state: state, start: now, faults: faults.faults)
        for batch in batches {
            Output.error("alertbot: source \(batch.source): its figures are those of \(batch.seen)")
            preview.feed(batch.lines, asked: batch.asked, at: now)
        }
        preview.advance(to: now)
        return preview
    }

    // MARK: polling once

    private func poll(_ config: Config, _ state: State, at now: Moment) async throws(Failure) -> Preview {
        let web = CurlWeb()
        let ports = Ports(
            clock: SystemClock(), web: web, files: SystemFiles(),
            host: SystemHost(stateFolder: config.bot.stateFolder), faults: faults.faults)
        let poller = Poller(ports: ports, redactor: Redactor(config.secrets))
        let plan = config.plan
        var bar = ProgressBar("Polling")
        let inputs = await withTaskGroup(of: Input?.self) { group in
            var waiting = plan.sources[...]
            func startNext() {
                guard let next = waiting.popFirst(), let source = config.sources[next.name] else { return }
                let order = plan.previewOrder(for: next, state)
                group.addTask { await poller.poll(order, source) }
            }
            for _ in 0..<plan.concurrency { startNext() }
            var inputs: [Input] = []
            while let input = await group.next() {
                if let input { inputs.append(input) }
                bar.show(inputs.count, of: plan.sources.count)
                startNext()
            }
            return inputs
        }
        bar.end()
        await web.close()
        var preview = Preview(plan: plan, state: state, start: now, faults: faults.faults)
        var failures = 0
        for input in inputs.sorted(by: { $0.sourceName < $1.sourceName }) {
            if let (source, failure) = input.failure {
                failures += 1
                Output.error("alertbot: source \(source): \(failure)")
            }
            if let silence = input.silence {
                Output.error("alertbot: source \(input.sourceName): \(silence)")
            }
            preview.take(input)
        }
        guard failures < inputs.count else {
            throw Failure(.impossible, "no source answered, so there is nothing to judge")
        }
        preview.advance(to: now)
        return preview
    }

    // MARK: showing

    private func show(_ report: PreviewReport) {
        switch format {
        case .json: Output.line(report.json.prettyText)
        case .payload:
            for record in report.decisions {
                guard let request = report.request(record) else { continue }
                Output.line("# \(record.at) \(record.channel) \(record.kind.rawValue)")
                Output.line(request.shownJSON.prettyText)
            }
        case .html: Output.text(DryRunPage(report).text)
        case .text:
            let paint = common.paint
            let lines = DryRunText(report, width: Output.terminalWidth).lines
            Output.line(lines.map(paint.line).joined(separator: "\n"))
        }
    }
}

/// Options that make things fail on purpose.
struct FaultOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp("Make polls and deliveries fail at random, such as 30%.", valueName: "percentage"))
    var faultRate: String?
    @Option(name: .long, help: "The seed of those failures.") var seed: UInt64 = 1

    func validate() throws {
        guard let faultRate else { return }
        guard let rate = try? Percentage(grammar: faultRate), rate.fraction <= 1 else {
            throw ValidationError("--fault-rate is '\(faultRate)', expected a percentage such as 30%")
        }
    }

    var faults: Faults? {
        guard let faultRate, let rate = try? Percentage(grammar: faultRate) else { return nil }
        return Faults(rate: rate.fraction, seed: seed)
    }
}

extension Input {
    fileprivate var sourceName: String {
        if case .polled(let source, _, _) = self { source } else { "" }
    }

    /// Why there is nothing to judge, though the source has answered.
    fileprivate var silence: String? {
        guard case .polled(_, let report, _) = self else { return nil }
        switch report.outcome {
        case .noData: return "no data: it answered, and nothing happened in the span"
        case .stale(let measured): return "stale: its figures are those of \(measured), older than allowed"
        case .values, .unchanged, .failed: return nil
        }
    }

    fileprivate var failure: (source: String, sentence: String)? {
        guard case .polled(let source, let report, _) = self, case .failed(let failure) = report.outcome else {
            return nil
        }
        return (source, failure.description)
    }
}
