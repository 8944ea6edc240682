internal import AlertCore
internal import ArgumentParser
internal import BotConfig
internal import PluginKit
internal import Preview

struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Validates the config; shows how late a rule can be and when the gates are closed.",
        discussion: """
            Where the running bot has recorded something, the newest of it is played through the config: how many messages a \
            week that makes, and which rules matched nothing.
            """)

    @OptionGroup var common: CommonOptions
    @Option(name: .long, help: "text or json.") var format = TextOrJSON.text

    /// How far ahead gates are shown.
    private static let calendarLength = Duration.days(14)
    private static let calendarSpansMax = 60

    func run() throws {
        let file: ConfigFile
        do throws(Failure) {
            file = try ConfigFile(common.config)
        } catch {
            if format == .json { tellUnreadable(error) }
            throw error
        }
        let calendar = file.result.config.map { gates($0) } ?? []
        let delays = file.result.config.map { $0.plan.detectionDelays } ?? []
        let experience = file.result.config.flatMap(experience)
        switch format {
        case .json:
            let report: JSON = [
                "problems": .array(file.result.problems.map { $0.json(file: file.path) }),
                "rules": .array(
                    delays.map { ["name": .string($0.rule), "slowest_detection": .string($0.delay.grammar)] }),
                "gates": .array(
                    calendar.map { gate in
                        [
                            "name": .string(gate.name),
                            "closed": .array(gate.spans.map { ["from": JSON($0.from), "to": JSON($0.to)] }),
                        ]
                    }),
                "history": experience?.json ?? .null,
            ]
            Output.line(report.prettyText)
        case .text:
            for text in file.problemTexts { Output.error(text) }
            if let config = file.result.config { describe(config, delays, calendar, common.paint) }
            if let experience { describe(experience, common.paint) }
        }
        if file.result.config == nil {
            let count = file.result.problems.count { $0.level == .error }
            throw Failure(.no, "\(file.path) has \(count == 1 ? "an error" : "\(count) errors")")
        }
    }

    /// Programs learn of a file that can not be read in the shape in which they learn of every mistake.
    private func tellUnreadable(_ failure: Failure) {
        let problem = Problem(Position(line: 1, column: 1), failure.sentence)
        let report: JSON = [
            "problems": [problem.json(file: common.config)], "rules": [], "gates": [], "history": .null,
        ]
        Output.line(report.prettyText)
    }

    private func gates(_ config: Config) -> [(name: String, spans: [TimeSpan])] {
        let now = SystemClock().now()
        return config.plan.gates.compactMap { gate in
            guard let calendar = gate.calendar else { return nil }
            let spans = calendar.schedule(from: now, count: CheckCommand.calendarSpansMax)
            return (gate.name, spans.filter { $0.from < now + CheckCommand.calendarLength })
        }
    }

    /// The newest of the recording, played: as much of it as takes some seconds; nil when there is none.
    private func experience(_ config: Config) -> Experience? {
        do throws(Failure) {
            let folder = RecordedFolder(config.bot.stateFolder)
            let clock = SystemClock()
            let few = try folder.newestFiles(bytesMax: CheckCommand.firstBytes)
            guard !few.files.isEmpty else { return nil }
            let began = clock.uptime()
            let experience = try play(few.files, config)
            // How long the first took tells how much there is time for.
            let share = CheckCommand.playingTime.inSeconds / max((clock.uptime() - began).inSeconds, 0.001)
            let bytesMax = min(Double(few.bytes) * share, Double(CheckCommand.bytesMax))
            let many = try folder.newestFiles(bytesMax: Int(bytesMax))
            return many.files.count > few.files.count ? try play(many.files, config) : experience
        } catch {
            Output.error("alertbot: warning: the recording is left out: \(error.sentence)")
            return nil
        }
    }

    private func play(_ files: [String], _ config: Config) throws(Failure) -> Experience? {
        var file = PlayedFile(recorded: files, sources: config.sources.keys, isQuiet: true)
        var experience = Experience.Gathering(config.plan)
        _ = try file.play { experience.feed($0) }
        return experience.finish(channels: config.channels)
    }

    /// Some 4,000 observations, enough to measure the speed by.
    private static let firstBytes = 1 << 20
    /// Longer than this nobody wants to wait for a check.
    private static let playingTime = Duration.seconds(3)
    /// All that a recording holds by its own bounds, and more.
    private static let bytesMax = 1 << 30

    private func describe(_ experience: Experience, _ paint: Paint) {
        let zone = experience.zone
        Output.line(
            "\n" + paint.bold("Messages by what was recorded")
                + paint.dim("  (\(wall(experience.from, zone)) – \(wall(experience.to, zone)))"))
        for rule in experience.rules { Output.line("  \(rule.rule): \(rule.text)") }
        for rule in experience.unmatched {
            Output.line("  note: rule '\(rule)' matched nothing that was recorded in that time")
        }
    }

    private func describe(
        _ config: Config, _ delays: [(rule: String, delay: Duration)], _ calendar: [(name: String, spans: [TimeSpan])],
        _ paint: Paint
    ) {
        let plan = config.plan
        Output.line(
            paint.green("✓") + " \(common.config): \(count(plan.sources.count, "source")), "
                + "\(count(plan.detectors.count + plan.gates.count, "rule")), \(count(plan.channels.count, "channel"))")
        if !delays.isEmpty {
            Output.line(
                "\n" + paint.bold("Slowest detection") + paint.dim("  (longest time between polls, timeout, and for)"))
            for delay in delays { Output.line("  \(delay.rule): within \(delay.delay.short)") }
        }
        for gate in calendar {
            Output.line("\n" + paint.bold("\(gate.name) is closed") + paint.dim("  (\(plan.zone.name), next 14 days)"))
            if gate.spans.isEmpty { Output.line("  not at all") }
            for span in gate.spans { Output.line("  \(wall(span.from, plan.zone)) – \(wall(span.to, plan.zone))") }
        }
    }

    private func wall(_ moment: Moment, _ zone: Zone) -> String {
        let civil = zone.civil(moment)
        let date = civil.date
        return "\(civil.weekday.shortName) \(date.year.padded(4))-\(date.month.padded(2))-\(date.day.padded(2)) "
            + "\(civil.hour.padded(2)):\(civil.minute.padded(2)) \(zone.abbreviation(at: moment))"
    }
}
