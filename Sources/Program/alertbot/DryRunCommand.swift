internal import AlertCore
internal import Archive
internal import ArgumentParser
internal import BotConfig
internal import BuiltinPlugins
internal import Commands
internal import Journal
internal import Pictures
internal import PluginKit
internal import Preview
internal import Runtime
internal import SystemPorts

struct DryRunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dry-run",
        abstract: "Previews what would be sent. Sends nothing, writes nothing.",
        discussion:
            "Polls every source once, or takes recorded figures, and judges them with a copy of the state.")

    enum Format: String, ExpressibleByArgument, CaseIterable, Sendable { case text, json, html, payload }

    @OptionGroup var common: CommonOptions
    @OptionGroup var faults: FaultOptions
    @Option(name: .long, help: "text, json, html: one page, or payload: the exact requests.")
    var format = Format.text
    @Option(
        name: .long,
        help: ArgumentHelp("Replay this file instead of polling; - for standard input.", valueName: "file"),
        completion: .file())
    var observations: String?
    @Flag(name: .long, help: "Take the last recorded figures of every source instead of polling.")
    var recorded = false
    @Option(name: .long, help: ArgumentHelp("Set the clock, such as 2026-11-20T22:30:00Z.", valueName: "instant"))
    var now: String?
    @Option(name: .long, help: "Show only this channel.", completion: Names.ofChannels) var channel: String?

    func validate() throws {
        if recorded, observations != nil {
            throw ValidationError("--recorded and --observations cannot be combined; keep one")
        }
    }

    func run() async throws {
        let config = try common.file().config()
        if let channel, config.channels[channel] == nil {
            throw Failure(noSuch: "channel", channel, known: config.channels.keys)
        }
        let end = try now.map { text throws(Failure) in
            try Moment(option: "--now", text, in: config.plan.zone)
        }
        let (state, report) = try State.inJournal(config.bot.stateFolder, PluginCatalog.builtin.memories)
        for notice in report.notices { machine.terminal.error("alertbot: \(notice)") }
        let run = DryRun(config, from: state, faults: faults.faults, on: machine)
        var isWhole = true
        let preview: Preview
        if let observations {
            (preview, isWhole) = try run.play(observations, until: end)
        } else if recorded {
            preview = try run.repeatRecorded(at: end ?? machine.clock.now())
        } else {
            preview = try await run.poll(at: end)
        }
        try show(PreviewReport(preview, channels: config.channels, only: channel))
        if !isWhole { throw Failure(.no) }
    }

    private func show(_ report: PreviewReport) throws(Failure) {
        let terminal = machine.terminal
        switch format {
        case .json: try terminal.line(report.json.prettyText)
        case .payload:
            for queued in report.queuedBefore {
                guard let sent = queued.sent, let request = report.request(queued) else { continue }
                try terminal.line("# \(sent) \(queued.channel) \(queued.delivery.kind.rawValue)")
                try terminal.line(request.prettyText)
            }
            for record in report.decisions {
                guard let request = report.request(record) else { continue }
                try terminal.line("# \(record.at) \(record.channel) \(record.kind.rawValue)")
                try terminal.line(request.prettyText)
            }
        case .html: try terminal.text(DryRunPage(report).text)
        case .text:
            let paint = common.paint
            let lines = DryRunText(report, width: terminal.width).lines
            try terminal.line(lines.map(paint.line).joined(separator: "\n"))
        }
    }
}
