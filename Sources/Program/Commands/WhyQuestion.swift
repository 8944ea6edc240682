internal import AlertCore
internal import Archive
public import BotConfig
public import Pictures
public import PluginKit
internal import Preview
internal import Runtime
public import SystemPorts

/// Why something is told or not, asked of the present or of a moment in the past.
public struct WhyQuestion: Sendable {
    private let app: String?
    private let rule: String?
    private let then: Moment?
    private let config: Config
    private let path: String
    private let memories: MemoryKinds
    private let machine: Machine

    /// - Parameters:
    ///   - app: an app or a glob; nil for all.
    ///   - rule: a rule or a glob; nil for all.
    ///   - then: nil for now.
    ///   - path: the config's, for people.
    ///   - memories: the kinds of memory that the plugins know.
    public init(
        app: String?, rule: String?, at then: Moment?, _ config: Config, _ path: String, _ memories: MemoryKinds,
        on machine: Machine
    ) throws(Failure) {
        let rules = config.plan.detectors.map(\.name)
        let known = rules + Trouble.allCases.map(\.rawValue)
        if let rule, !known.contains(where: { Glob(rule).fits($0) }) {
            throw Failure(
                .wrongUsage,
                "there is no rule '\(rule.tamed)' that judges figures; known: "
                    + "\(rules.joined(separator: ", "))\(rule.guess(in: known))"
            )
        }
        self.app = app
        self.rule = rule
        self.then = then
        self.config = config
        self.path = path
        self.machine = machine
        self.memories = memories
    }

    /// Prints the answer.
    public func answer(as format: TextOrJSON, _ paint: Paint) throws(Failure) {
        let now = machine.clock.now()
        let state = try state(now)
        var report = WhyReport(state, config.plan, at: then ?? now, app: app, rule: rule)
        if paint.hasLinks { report.link = { paint.link($0, to: $1) } }
        switch format {
        case .json: try machine.terminal.line(report.json.prettyText)
        case .text:
            try machine.terminal.line(
                report.isEmpty ? nothing(state) : report.paragraphs.joined(separator: "\n\n"))
        }
    }

    private func state(_ now: Moment) throws(Failure) -> State {
        guard let then else { return try State.inJournal(config.bot.stateFolder, memories).state }
        return try past(then, now)
    }

    /// What the bot would have known at a moment in the past with the present config, by what it has recorded.
    private func past(_ then: Moment, _ now: Moment) throws(Failure) -> State {
        guard then <= now else {
            throw Failure(
                .wrongUsage, "--at is \(clock(then, now)), which is in the future; leave it out to ask about now")
        }
        let folder = RecordedFolder(config.bot.stateFolder)
        var files = try folder.files(until: then)
        // The first file tells when the recording begins.
        if files.isEmpty { files = Array(try folder.files().prefix(1)) }
        guard !files.isEmpty else { throw Failure(.impossible, folder.emptySentence) }
        var file = ObservationFiles(recorded: files, sources: config.sources.keys, machine.terminal)
        var playback = Playback(config.plan, until: then)
        _ = try file.play { playback.feed($0) }
        guard let first = file.first else {
            throw Failure(.impossible, "nothing from the sources in \(path) is recorded in \(folder.path)")
        }
        guard first <= then else {
            throw Failure(
                .impossible,
                "the recording begins at \(clock(first, now)); nothing is known about \(clock(then, now))")
        }
        machine.terminal.error(
            "alertbot: this replays what was recorded from \(clock(first, now)) to \(clock(then, now)) with the "
                + "current config; "
                + "mutes and acknowledgements made by command are not recorded")
        return playback.finish(now: then).state
    }

    private func clock(_ moment: Moment, _ now: Moment) -> String { config.plan.zone.words(moment, readAt: now) }

    /// Why there is nothing to explain.
    private func nothing(_ state: State) -> String {
        if let rule, !config.plan.detectors.contains(where: { Glob(rule).fits($0.name) }) {
            return "The bot has no such trouble now."
        }
        if app == Subject.botApp {
            guard let rule, !Trouble.allCases.contains(where: { Glob(rule).fits($0.rawValue) }) else {
                return "The bot has no trouble now."
            }
            return "Rule \(rule.tamed) does not judge app \(Subject.botApp), which is the bot itself; "
                + "leave out --rule to see the bot's troubles."
        }
        let apps = Set(state.figures.series.keys.filter { config.sources[$0.source] != nil }.map(\.app))
        guard !apps.isEmpty else {
            return "No figures have arrived yet, so there is nothing to judge; 'alertbot status' shows the sources."
        }
        guard let app, !apps.contains(where: { Glob(app).fits($0) }) else {
            return "No rule applies to that; check 'match' in \(path)."
        }
        return
            "No figures of app '\(app.tamed)' have arrived; known: \(apps.sorted().joined(separator: ", "))"
            + app.guess(in: apps)
    }
}
