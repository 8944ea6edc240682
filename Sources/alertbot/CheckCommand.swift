internal import AlertCore
internal import ArgumentParser
internal import BotConfig
internal import PluginKit

struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Validates the config; shows how late a rule can be and when the gates are closed.")

    @OptionGroup var common: CommonOptions
    @Option(name: .long, help: "text or json.") var format = TextOrJSON.text

    /// How far ahead gates are shown.
    private static let calendarLength = Duration.days(14)
    private static let calendarSpansMax = 60

    func run() throws {
        let file = try ConfigFile(common.config)
        let calendar = file.result.config.map { gates($0) } ?? []
        let delays = file.result.config.map { $0.plan.detectionDelays } ?? []
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
            ]
            Output.line(report.prettyText)
        case .text:
            for text in file.problemTexts { Output.error(text) }
            if let config = file.result.config { describe(config, delays, calendar, common.paint) }
        }
        if file.result.config == nil {
            let count = file.result.problems.count { $0.level == .error }
            throw Failure(.no, "\(file.path) has \(count == 1 ? "an error" : "\(count) errors")")
        }
    }

    private func gates(_ config: Config) -> [(name: String, spans: [TimeSpan])] {
        let now = SystemClock().now()
        return config.plan.gates.compactMap { gate in
            guard let calendar = gate.calendar else { return nil }
            let spans = calendar.schedule(from: now, count: CheckCommand.calendarSpansMax)
            return (gate.name, spans.filter { $0.from < now + CheckCommand.calendarLength })
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
