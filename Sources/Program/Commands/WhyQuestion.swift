internal import AlertCore
internal import Archive
internal import BotConfig
public import Pictures
public import PluginKit
internal import Preview
internal import Runtime
public import SystemPorts

/// Why something is told or not, asked of the present or of a moment in the past.
public struct WhyQuestion: Sendable {
    private let order: WhyOrder
    private let then: Moment?
    private let file: ConfigFile
    private let machine: Machine

    /// - Parameters:
    ///   - app: an app or a glob; nil for all.
    ///   - rule: a rule or a glob; nil for all.
    ///   - then: nil for now.
    public init(app: String?, rule: String?, at then: Moment?, _ file: ConfigFile, on machine: Machine) {
        order = WhyOrder(app: app, rule: rule)
        self.then = then
        self.file = file
        self.machine = machine
    }

    /// Prints the answer.
    ///
    /// A bot that runs has a plan, whatever became of its file and wherever its secrets are.
    public func answer(as format: TextOrJSON, _ paint: Paint) async throws(Failure) {
        if then == nil, file.result.config == nil, let answer = try await BotContact(file, on: machine).ask(order) {
            guard case (.json, .done(_, let report)) = (format, answer) else {
                return try answer.print(as: format, on: machine.terminal)
            }
            return try machine.terminal.line(report.prettyText)
        }
        let config = try file.config()
        if let complaint = order.complaint(config.plan) { throw Failure(.wrongUsage, complaint) }
        let now = machine.clock.now()
        let (state, isWhole) = try state(config, now)
        var report = WhyReport(state, config.plan, at: then ?? now, app: order.app, rule: order.rule)
        if paint.hasLinks { report.link = { paint.link($0, to: $1) } }
        report.isOverview = order.app == nil
        switch format {
        case .json: try machine.terminal.line(report.json.prettyText)
        case .text:
            try machine.terminal.line(
                report.isEmpty ? order.nothing(state, config.plan) : report.text)
        }
        if !isWhole { throw Failure(.no) }
    }

    /// What is or was known, and whether every line of it could be read.
    private func state(_ config: Config, _ now: Moment) throws(Failure) -> (State, isWhole: Bool) {
        guard let then else {
            let folder = config.bot.stateFolder
            return (try State.inJournal(folder, file.memories, telling: machine.terminal).state, true)
        }
        return try past(then, config, now)
    }

    /// What the bot would have known at a moment in the past with the present config, by what it has recorded.
    private func past(_ then: Moment, _ config: Config, _ now: Moment) throws(Failure) -> (State, isWhole: Bool) {
        func clock(_ moment: Moment) -> String { config.plan.zone.words(moment, readAt: now) }
        guard then <= now else {
            throw Failure(
                .wrongUsage, "--at is \(clock(then)), which is in the future; leave it out to ask about now")
        }
        let folder = RecordedFolder(config.bot.stateFolder, asOf: now)
        var files = try folder.files(until: then)
        // The first file tells when the recording begins.
        if files.isEmpty { files = Array(try folder.files().prefix(1)) }
        guard !files.isEmpty else { throw Failure(.impossible, folder.emptySentence) }
        if let remark = try folder.leftOut(until: then) { machine.terminal.error("alertbot: warning: \(remark)") }
        var records = ObservationFiles(recorded: files, sources: config.sources.keys, machine.terminal)
        var playback = Playback(config.plan, until: then)
        let isWhole = try records.play { playback.feed($0) }
        guard let first = records.first else {
            throw Failure(.impossible, "nothing from the sources in \(file.path) is recorded in \(folder.path)")
        }
        guard first <= then else {
            throw Failure(
                .impossible,
                "the recording begins at \(clock(first)); nothing is known about \(clock(then))")
        }
        machine.terminal.error(
            "alertbot: this replays what was recorded from \(clock(first)) to \(clock(then)) with the "
                + "current config; "
                + "mutes and acknowledgements made by command are not recorded, nor is what became of messages: each is "
                + "taken as delivered"
                + (isWhole ? "" : "; not every line could be read, so it may lack figures"))
        return (playback.finish(now: then).state, isWhole)
    }
}

/// What is asked of the present: of the plan and the state of a running bot, or of those on the disk.
struct WhyOrder: Sendable {
    /// An app or a glob; nil for all.
    let app: String?
    /// A rule or a glob; nil for all.
    let rule: String?

    private static let name = "why"

    init(app: String?, rule: String?) {
        self.app = app
        self.rule = rule
    }

    /// Nil for another command.
    init?(_ json: JSON) {
        guard json["command"]?.string == WhyOrder.name else { return nil }
        self.init(app: json["app"]?.string, rule: json["rule"]?.string)
    }

    var json: JSON { ["command": .string(WhyOrder.name), "app": JSON(app), "rule": JSON(rule)] }

    /// Why it cannot be answered.
    func complaint(_ plan: Plan) -> String? {
        let rules = plan.detectors.map(\.name)
        let known = rules + Trouble.allCases.map(\.rawValue)
        guard let rule, !known.contains(where: { Glob(rule).fits($0) }) else { return nil }
        return "there is no rule '\(rule.tamed)' that judges figures; known: "
            + "\(rules.joined(separator: ", "))\(rule.guess(in: known))"
    }

    /// Why there is nothing to explain.
    func nothing(_ state: State, _ plan: Plan) -> String {
        if let rule, !plan.detectors.contains(where: { Glob(rule).fits($0.name) }) {
            return "The bot has no such problem now."
        }
        if app == Subject.botApp {
            guard let rule, !Trouble.allCases.contains(where: { Glob(rule).fits($0.rawValue) }) else {
                return "The bot has no trouble now."
            }
            return "Rule \(rule.tamed) does not judge app \(Subject.botApp), which is the bot itself; "
                + "leave out --rule to see the bot's troubles."
        }
        let apps = Set(state.figures.series.keys.filter { plan.source($0.source) != nil }.map(\.app))
        guard !apps.isEmpty else {
            return "No figures have arrived yet, so there is nothing to judge; 'alertbot status' shows the sources."
        }
        guard let app, !apps.contains(where: { Glob(app).fits($0) }) else { return silence(state, plan) }
        return
            "No figures of app '\(app.tamed)' have arrived; known: \(apps.sorted().joined(separator: ", "))"
            + app.guess(in: apps)
    }

    /// Why no rule says anything of what there is.
    private func silence(_ state: State, _ plan: Plan) -> String {
        var isJudged = false
        // Those that a rule watches as such: while no app of them is silent, it speaks of the whole.
        var watched: Set<String> = []
        for (subject, series) in state.figures.series where app.map({ Glob($0).fits(subject.app) }) ?? true {
            for detector in plan.detectors where rule.map({ Glob($0).fits(detector.name) }) ?? true {
                guard detector.watches(subject, labels: series.labels) else { continue }
                isJudged = true
                if detector.detector.scope == .source, !detector.isOfParts { watched.insert(subject.source) }
            }
        }
        guard isJudged else { return "No rule applies to that; check 'match' in the config." }
        let whole = watched.min().map { source in
            ", and rules on a source, such as stale, only apps that are silent: ask about the source with --app "
                + source.tamed
        }
        return "No rule has anything to say about that now; rules on issues report only those that are new or back"
            + (whole ?? "") + "."
    }
}

extension BotFace {
    /// What a running bot says of the present.
    func answer(_ question: WhyOrder) async -> CommandAnswer {
        let look = await bot.look
        if let complaint = question.complaint(look.plan) { return .refused(complaint) }
        var report = look.why(app: question.app, rule: question.rule)
        report.isOverview = question.app == nil
        return .done(report.isEmpty ? question.nothing(look.state, look.plan) : report.text, report.json)
    }
}
