internal import AlertCore
internal import Archive
internal import BotConfig
public import Pictures
public import PluginKit
internal import Preview
internal import Runtime
public import SystemPorts

/// What `check` finds out of a config: what is wrong with it, how late its rules can be, when its gates are closed, and
/// what it makes of the newest of the recording.
public struct CheckReport {
    private let file: ConfigFile
    private let delays: [Plan.DetectionDelay]
    private let calendar: [(gate: GatePlan, spans: [TimeSpan])]
    private let watches: [(name: String, zone: Zone, shifts: [Rotation.Shift])]
    private let experience: Experience?
    /// What is wrong by the file alone, and what came to light when observations were played.
    private let problems: [Problem]
    private let now: Moment
    /// Whether every line could be read of the observations that somebody asked to replay.
    private var isWhole = true

    /// How far ahead gates are shown.
    static let calendarLength = Duration.days(14)
    static let calendarSpansMax = 60

    /// Plays the newest of the recording through the config, if there is one.
    public init(_ file: ConfigFile, on machine: Machine) {
        let experience = file.result.config.flatMap { RecentExperience($0, on: machine).value }
        self.init(file, experience, gaps: CheckReport.gaps(in: file), on: machine)
    }

    /// - Parameter observations: a file to play instead of the recording; `-` for standard input.
    public init(_ file: ConfigFile, playing observations: String, on machine: Machine) throws(Failure) {
        guard let config = file.result.config else {
            self.init(file, nil, gaps: [], on: machine)
            return
        }
        let replay = try RecentExperience(config, on: machine).value(of: observations)
        self.init(file, replay.experience, gaps: [], on: machine)
        isWhole = replay.isWhole
    }

    /// - Parameter gaps: what the bot left out of the newest answers of its sources.
    private init(_ file: ConfigFile, _ experience: Experience?, gaps: [Problem], on machine: Machine) {
        self.file = file
        let plan = file.result.config?.plan
        delays = plan?.detectionDelays ?? []
        let now = machine.clock.now()
        self.now = now
        calendar = (plan?.gates ?? []).compactMap { gate in
            guard let calendar = gate.calendar else { return nil }
            let spans = calendar.schedule(from: now, count: CheckReport.calendarSpansMax)
            return (gate, spans.filter { $0.from < now + CheckReport.calendarLength })
        }
        watches = (plan?.rotations ?? []).map { rotation in
            let span = TimeSpan(lasting: CheckReport.calendarLength, until: now + CheckReport.calendarLength)
            return (rotation.name, rotation.zone, rotation.shifts(in: span, count: CheckReport.calendarSpansMax))
        }
        self.experience = experience
        let places = file.result.config?.rulePlaces ?? [:]
        let unjudged = (experience?.outlooks ?? []).compactMap { Problem($0, places: places) }
        let found =
            CheckReport.ruleless(file.result.config) + CheckReport.exhausted(plan, at: now)
            + CheckReport.idle(plan, places, at: now)
            + (file.result.config.map { Unsent($0, at: now).problems } ?? [])
            + CheckReport.pictureless(file, on: machine)
        problems = (file.result.problems + unjudged + gaps + found).sorted { $0.position < $1.position }
    }

    /// The calendars without a day left: nothing is wrong with them, and they do nothing any more.
    private static func exhausted(_ plan: Plan?, at now: Moment) -> [Problem] {
        (plan?.gates ?? []).flatMap { $0.calendar?.calendars ?? [] }.compactMap { calendar in
            calendar.exhaustion(at: now).map { why in
                Problem(
                    calendar.position,
                    "the calendar '\(calendar.name.quotable)' has no days left: \(why)",
                    advice: "export it again, with the days to come", level: .warning)
            }
        }
    }

    /// The mutes that are over, and the quiet hours whose dates are. No error: they were right once, and a bot that is started
    /// again after the holidays should run.
    private static func idle(_ plan: Plan?, _ places: [String: Position], at now: Moment) -> [Problem] {
        guard let plan else { return [] }
        return plan.gates.compactMap { gate in
            guard let calendar = gate.calendar, calendar.calendars.isEmpty,
                calendar.schedule(from: now, count: 1).isEmpty, let place = places[gate.name]
            else { return nil }
            if calendar.stage == .mutes, let last = calendar.schedule(from: .earliest, count: 1).first {
                return Problem(
                    place,
                    "rule '\(gate.name)' will hold nothing: it ended on \(plan.zone.words(last.to, readAt: now))",
                    advice: "give it a later 'until', or remove it", level: .warning)
            }
            return Problem(
                place,
                "rule '\(gate.name)' holds nothing in the next \(DailyWindow.daysAheadMax) days: "
                    + "it has no window there",
                advice: "give it nearer days, or remove it if its days are over", level: .warning)
        }
    }

    /// That no rule judges figures: nothing is wrong with that, and nobody wants it.
    private static func ruleless(_ config: Config?) -> [Problem] {
        guard let config, config.plan.detectors.isEmpty, !config.unreadRules.contains(where: \.judges) else {
            return []
        }
        return [
            Problem(
                config.rulesPlace, "no rule judges figures, so nothing is sent but the bot's own troubles",
                advice: "add a rule, such as floor: {plugin: threshold, metric: crash_free_users, critical: \"< 99%\"}",
                level: .warning)
        ]
    }

    /// The channels that should show charts on a machine that cannot draw them.
    private static func pictureless(_ file: ConfigFile, on machine: Machine) -> [Problem] {
        guard let config = file.result.config, config.plan.channels.contains(where: \.hasCharts) else { return [] }
        do throws(PaintTrouble) {
            _ = try machine.painter.image(
                of: Chart(title: "", values: [], from: machine.clock.now(), isRate: true, words: ""),
                in: config.plan.zone, words: config.plan.words)
            return []
        } catch {
            return config.plan.channels.filter(\.hasCharts).compactMap { channel in
                config.channelPlaces[channel.name].map {
                    Problem(
                        $0, "messages to channel '\(channel.name)' are sent without charts: \(error.sentence)",
                        level: .warning)
                }
            }
        }
    }

    /// In what the newest answers were not whole that the bot's sources gave, by its journal; a journal that cannot be
    /// read is no matter of the config.
    private static func gaps(in file: ConfigFile) -> [Problem] {
        guard let config = file.result.config,
            let state = try? State.inJournal(config.bot.stateFolder, file.memories).state
        else { return [] }
        return config.plan.sources.flatMap { source in
            guard let record = state.schedule.sources[source.name], let place = config.sourcePlaces[source.name] else {
                return [Problem]()
            }
            return record.warnings.map { warning in
                Problem(
                    place, "source '\(source.name)', at the bot's last poll: \(warning.tamed)", level: .warning)
            }
        }
    }

    /// What keeps the config from being used, or is wrong with the observations, if anything is.
    public var failure: Failure? { file.result.config == nil ? file.failure : isWhole ? nil : Failure(.no) }

    public var problemTexts: [String] { problems.map(file.text) }

    public var json: JSON {
        [
            "problems": .array(problems.map { $0.json(file: file.path) }),
            "rules": .array(rules),
            "gates": .array(gates),
            "oncall": .array(
                watches.map { watch in
                    [
                        "rotation": .string(watch.name),
                        "shifts": .array(
                            watch.shifts.map { shift in
                                [
                                    "person": .string(shift.person.name), "from": JSON(shift.span.from),
                                    "to": JSON(shift.span.to),
                                ]
                            }),
                    ]
                }),
            "history": experience?.json ?? .null,
        ]
    }

    private var rules: [JSON] {
        let outlooks = Dictionary((experience?.outlooks ?? []).map { ($0.rule, $0) }) { first, _ in first }
        let known = delays.map { rule($0.rule, $0, outlooks[$0.rule]) }
        return known + unmade.filter(\.judges).map { rule($0.name, nil, outlooks[$0.name]) }
    }

    /// When each gate is closed; null where that is not known without its secrets.
    private var gates: [JSON] {
        let known: [JSON] = calendar.map { entry in
            [
                "name": .string(entry.gate.name),
                "closed": .array(entry.spans.map { ["from": JSON($0.from), "to": JSON($0.to.ifKnown)] }),
            ]
        }
        let unknown: [JSON] = unmade.filter { !$0.judges }.map { ["name": .string($0.name), "closed": .null] }
        return known + unknown
    }

    /// What is said of one rule; what it judged is null where there was nothing to judge.
    ///
    /// - Parameter delay: nil where it is not known without the rule's secrets.
    private func rule(_ name: String, _ delay: Plan.DetectionDelay?, _ outlook: RuleOutlook?) -> JSON {
        let judged = outlook?.members ?? [("judged", .null), ("firing", .null), ("unknown", .null)]
        let (usual, slowest) = (JSON(delay?.usual.grammar), JSON(delay?.worst.grammar))
        return .object(
            JSONObject(
                [
                    ("name", .string(name)), ("usual_detection", usual), ("slowest_detection", slowest),
                ] + judged))
    }

    /// The rules that could not be made without their secrets.
    private var unmade: [UnreadRule] {
        guard let config = file.result.config else { return [] }
        let made = Set(config.plan.detectors.map(\.name) + config.plan.gates.filter { !$0.isImplied }.map(\.name))
        return config.unreadRules.filter { !made.contains($0.name) }
    }

    /// Of a file that cannot be read, in the shape in which programs learn of every mistake.
    public static func unreadable(_ path: String, _ failure: Failure) -> JSON {
        let problem = Problem(Position(line: 1, column: 1), failure.sentence)
        return ["problems": [problem.json(file: path)], "rules": [], "gates": [], "oncall": [], "history": .null]
    }

    /// Nil where there is no config to tell of.
    public func text(_ paint: Paint) -> String? {
        guard let config = file.result.config else { return nil }
        let plan = config.plan
        var parts = [
            paint.green("✓") + " \(file.path): \(plan.sources.count.counted("source")), "
                + "\((plan.detectors.count + plan.gates.count { !$0.isImplied } + unmade.count).counted("rule")), "
                + "\(plan.channels.count.counted("channel"))"
        ]
        if !delays.isEmpty {
            let title =
                paint.bold("Detection")
                + paint.dim(
                    "  (time between polls, plus 'for'; at worst, plus what a poll may take: "
                        + "\(SourcePlan.timeoutsPerPollMax) times 'timeout')")
            parts.append(lines(title, delays.map { "\($0.rule): \(words($0))" }))
        }
        for (gate, spans) in calendar {
            let verb = gate.calendar?.drops == true ? "drops" : "holds"
            let title =
                paint.bold("\(gate.name) \(verb) messages")
                + paint.dim("  (\(config.limits(of: gate))\(plan.zone.name), next 14 days)")
            // One that begins later is not idle.
            let times =
                spans.isEmpty
                ? [later(gate, plan.zone, now)] : ClosedTimes(spans, in: plan.zone, now: now).lines
            parts.append(lines(title, times))
        }
        if !config.unreadRules.isEmpty {
            let title = paint.bold("Not wholly known without secrets")
            parts.append(lines(title, config.unreadRules.map(\.name)))
        }
        for watch in watches {
            let title = paint.bold("\(watch.name) on call") + paint.dim("  (\(watch.zone.name), next 14 days)")
            let shifts = watch.shifts.enumerated().map { index, shift in
                "\(shift.person.name.tamed)"
                    + (index == 0 ? " now" : " from \(wall(shift.span.from, watch.zone))")
            }
            let more = watch.shifts.count == CheckReport.calendarSpansMax ? ["…"] : []
            parts.append(lines(title, shifts + more))
        }
        if let experience {
            let zone = experience.zone
            let title =
                paint.bold("Messages in the recording")
                + paint.dim("  (\(wall(experience.from, zone)) – \(wall(experience.to, zone)))")
            let unmatched = experience.unmatched.map {
                "note: rule '\($0)' matched nothing in the recording"
            }
            let unrouted =
                experience.unrouted == 0 ? [] : ["note: \(experience.unrouted.counted("incident")) that no route takes"]
            if !experience.outlooks.isEmpty {
                parts.append(lines(paint.bold(OutlookText.title), OutlookText.lines(experience.outlooks)))
            }
            parts.append(lines(title, experience.rules.map { "\($0.rule): \($0.text)" } + unrouted + unmatched))
        }
        return parts.joined(separator: "\n\n")
    }

    private func lines(_ title: String, _ lines: [String]) -> String {
        ([title] + lines.map { "  " + $0 }).joined(separator: "\n")
    }

    private func words(_ delay: Plan.DetectionDelay) -> String {
        let condition = delay.gathersEvidence ? ", once there is enough evidence" : ""
        guard delay.isPushed else {
            let late = delay.lateness.map { late in
                let usual = late.lowerBound < late.upperBound ? "\(late.lowerBound.short) to " : ""
                return " (figures come \(usual)\(late.upperBound.short) late)"
            }
            return "usually within \(delay.usual.short), at worst \(delay.worst.short)\(late ?? "")\(condition)"
        }
        return
            (delay.usual == .zero ? "as soon as figures are pushed" : "\(delay.usual.short) after figures are pushed")
            + condition
    }

    /// When a gate closes for the first time; quiet hours go on after that, and nobody has looked farther ahead than for their
    /// windows.
    private func later(_ gate: GatePlan, _ zone: Zone, _ now: Moment) -> String {
        let isMute = gate.calendar?.stage == .mutes
        guard let window = gate.window(at: now) else {
            return isMute ? "never" : "not in the next \(DailyWindow.daysAheadMax) days"
        }
        return "not before \(wall(window.from, zone))" + (isMute ? ", until \(wall(window.to, zone))" : "")
    }

    private func wall(_ moment: Moment, _ zone: Zone) -> String { ClosedTimes.wall(moment, zone) }
}

/// The newest of the recording, played through a config: as much of it as takes some seconds.
private struct RecentExperience {
    private let config: Config
    private let machine: Machine

    /// Some 4,000 observations, enough to measure the speed by.
    private static let firstBytes = 1 << 20
    /// Longer than this nobody wants to wait for a check.
    private static let playingTime = Duration.seconds(3)
    /// All that a recording holds by its own bounds, and more.
    private static let bytesMax = 1 << 30

    init(_ config: Config, on machine: Machine) {
        self.config = config
        self.machine = machine
    }

    /// Nil when nothing is recorded.
    var value: Experience? {
        do throws(Failure) {
            let folder = RecordedFolder(config.bot.stateFolder, asOf: machine.clock.now())
            let few = try folder.newestFiles(bytesMax: RecentExperience.firstBytes)
            guard !few.files.isEmpty else { return nil }
            let began = machine.clock.uptime()
            let experience = try play(few.files)
            // How long the first took tells how much there is time for.
            let took = (machine.clock.uptime() - began).inSeconds
            let share = RecentExperience.playingTime.inSeconds / max(took, 0.001)
            let bytesMax = min(Double(few.bytes) * share, Double(RecentExperience.bytesMax))
            let many = try folder.newestFiles(bytesMax: Int(bytesMax))
            return many.files.count > few.files.count ? try play(many.files) : experience
        } catch {
            machine.terminal.error("alertbot: warning: the recording is left out: \(error.sentence)")
            return nil
        }
    }

    /// What a file of observations makes of the config, and whether every line of it could be read.
    func value(of path: String) throws(Failure) -> (experience: Experience?, isWhole: Bool) {
        var file = ObservationFiles(path, sources: config.sources.keys, machine.terminal)
        let replay = try play(&file)
        if file.first == nil { machine.terminal.error("alertbot: warning: there are no observations to replay") }
        for remark in replay.experience?.leftOut.remarks ?? [] {
            machine.terminal.error("alertbot: warning: \(remark)")
        }
        return replay
    }

    private func play(_ files: [String]) throws(Failure) -> Experience? {
        var files = ObservationFiles(
            recorded: files, sources: config.sources.keys, isQuiet: true, machine.terminal)
        return try play(&files).experience
    }

    private func play(
        _ files: inout ObservationFiles
    ) throws(Failure) -> (experience: Experience?, isWhole: Bool) {
        var experience = Experience.Intake(config.plan)
        let isWhole = try files.play { experience.feed($0) }
        return (experience.finish(channels: config.channels), isWhole)
    }
}

extension Problem {
    /// That a rule judged nothing of what was there to judge; nil for one that judged something, or that nothing
    /// concerned.
    fileprivate init?(_ outlook: RuleOutlook, places: [String: Position]) {
        guard outlook.judged == 0, let first = outlook.unknown.first(where: { $0.app != nil }),
            let position = places[outlook.rule]
        else { return nil }
        let rest = outlook.unknown.count - 1
        self.init(
            position,
            "rule '\(outlook.rule)' could not judge anything: \(first.name): \(first.reason.tamed)"
                + (rest > 0 ? " (and \(rest) more)" : ""), level: .warning)
    }
}
