internal import AlertCore
internal import PluginKit
public import Preview

/// A backtest as people read it in a terminal.
public struct BacktestText {
    private let report: BacktestReport
    private let paint: Paint
    /// Whether times say their zone, as they must where the clock is changed in the span: an hour of that night comes twice.
    private let namesZone: Bool
    /// Whether each message says of which rule it is.
    private var namesRules: Bool

    public init(_ report: BacktestReport, _ paint: Paint) {
        self.report = report
        self.paint = paint
        namesRules = report.namesRules
        // No zone changes its clock and changes it back within a day.
        let days = sequence(first: report.from) { $0 + .days(1) }.prefix { $0 < report.to }
        namesZone = Set((days + [report.to]).map { report.zone.offset(at: $0) }).count > 1
    }

    public var text: String {
        var parts = [paint.bold("Messages") + paint.dim("  (\(span))")]
        let messages = report.messages
        parts.append(
            messages.isEmpty ? "  Nothing would have been sent." : timeline(messages.map { ($0.at, line($0)) }))
        parts.append(paint.bold("Rules"))
        parts.append(table(BacktestText.columns, report.rules.map(cells)))
        if let gates = report.gatesWords { parts.append("  Held or dropped by: \(gates.tamed)") }
        parts += report.rules.compactMap(detection)
        if !report.preview.outlooks.isEmpty {
            let lines = OutlookText.lines(report.preview.outlooks).map { "  " + $0 }
            parts.append(([paint.bold(OutlookText.title)] + lines).joined(separator: "\n"))
        }
        parts.append(paint.dim("\(report.preview.summary). This was a preview: nothing was sent."))
        return parts.joined(separator: "\n\n")
    }

    /// What another config would have said differently.
    public func compared(_ difference: Difference, with other: String) -> String {
        var text = self
        // The other config may have more rules.
        text.namesRules = difference.namesRules
        return text.differences(difference, with: other)
    }

    private func differences(_ difference: Difference, with other: String) -> String {
        var parts = [paint.bold("Differences") + paint.dim("  (\(span); + and > are what \(other) sends)")]
        parts.append(
            difference.isEmpty
                ? "  None: both send the same \(difference.sameCount.counted("message"))."
                : timeline(difference.changes.map(change)))
        parts.append(paint.bold("Channels"))
        parts.append(
            table(
                ["channel", "messages", "at night"],
                difference.channels.map { channel in
                    [
                        channel.channel, arrow(channel.before.messages, channel.after.messages),
                        arrow(channel.before.atNight, channel.after.atNight),
                    ]
                }))
        let counts = ["new", "gone", "moved"].map { "\(difference.count($0)) \($0)" }
        parts.append(
            "\(counts.joined(separator: ", ")), \(difference.severityCount) with another severity, "
                + "\(difference.sameCount) the same.")
        return parts.joined(separator: "\n\n")
    }

    private var span: String { "\(wall(report.from)) – \(wall(report.to)), \(report.zone.name)" }

    // MARK: the time line

    /// Lines under the days they belong to.
    private func timeline(_ entries: [(at: Moment, text: String)]) -> String {
        var lines: [String] = []
        var day = ""
        for entry in entries {
            let date = date(entry.at)
            if date != day { lines.append("  " + paint.bold(date)) }
            day = date
            lines.append("    \(time(entry.at))  \(entry.text)")
        }
        return lines.joined(separator: "\n")
    }

    private func line(_ record: DecisionRecord) -> String {
        let rules = namesRules ? record.rules.map(\.tamed) : []
        return "\(record.channel): \(record.kind.rawValue): \(record.message.headline.tamed) "
            + paint.dim("(\((rules + [record.reason.description]).joined(separator: ", ")))")
    }

    private func change(_ change: Difference.Change) -> (at: Moment, text: String) {
        switch change {
        case .new(let after): (after.at, paint.green("+ \(line(after))"))
        case .gone(let before): (before.at, paint.red("- \(line(before))"))
        case .moved(let before, let after):
            (before.at, paint.yellow("> \(line(after))") + " now at \(wall(after.at))" + severity(before, after))
        case .severity(let before, let after):
            (before.at, paint.yellow("! \(line(after))") + severity(before, after))
        }
    }

    private func severity(_ before: DecisionRecord, _ after: DecisionRecord) -> String {
        before.severity == after.severity ? "" : " \(before.severity.rawValue) → \(after.severity.rawValue)"
    }

    // MARK: figures

    private static let columns = [
        "rule", "messages", "at night", "held or dropped", "incidents", "over within 10 min", "longest silence",
    ]

    private func cells(_ rule: RuleFigures) -> [String] {
        [
            rule.rule, "\(rule.messages)", share(rule.atNight, of: rule.messages),
            share(rule.gated, of: rule.notifications), "\(rule.incidents)", share(rule.brief, of: rule.incidents),
            rule.longestSilence.short,
        ]
    }

    private func detection(_ rule: RuleFigures) -> String? {
        guard let detection = rule.detection else { return nil }
        var lines = [
            "\(paint.bold(rule.rule)) found \(detection.found) of \(detection.cases.count.counted("incident"))"
                + detection.delayWords
                + "; \(detection.falseAlarms.counted("false alarm"))" + detection.leftOutWords
        ]
        lines += detection.cases.map { known in
            let incident = "\(known.incident.app.tamed) from \(wall(known.incident.span.from))"
            return known.delay.map { "  \(incident): after \($0.short)" } ?? "  \(incident): \(paint.red("not found"))"
        }
        return lines.joined(separator: "\n")
    }

    private func share(_ part: Int, of whole: Int) -> String {
        whole == 0 ? "\(part)" : "\(part) (\((part * 200 / whole + 1) / 2)%)"
    }

    private func arrow(_ before: Int, _ after: Int) -> String {
        before == after ? "\(before)" : "\(before) → \(after)"
    }

    private func table(_ head: [String], _ rows: [[String]]) -> String {
        let widths = head.indices.map { column in ([head] + rows).map { $0[column].count }.max() ?? 0 }
        return ([head] + rows).enumerated().map { index, row in
            let cells = zip(row, widths).enumerated().map { column, cell in
                let fill = String(repeating: " ", count: cell.1 - cell.0.count)
                return column == 0 ? cell.0 + fill : fill + cell.0
            }
            let text = "  " + cells.joined(separator: "  ")
            return index == 0 ? paint.dim(text) : text
        }.joined(separator: "\n")
    }

    // MARK: times

    private func wall(_ moment: Moment) -> String { "\(date(moment)) \(time(moment))" }

    private func date(_ moment: Moment) -> String {
        let civil = report.zone.civil(moment)
        let weekday = civil.weekday.shortName
        return "\(weekday.prefix(1).uppercased())\(weekday.dropFirst()) \(civil.dateText)"
    }

    private func time(_ moment: Moment) -> String {
        let civil = report.zone.civil(moment)
        let time = civil.second == 0 ? civil.clockText : "\(civil.clockText):\(civil.second.padded(2))"
        return namesZone ? "\(time) \(report.zone.abbreviation(at: moment))" : time
    }
}
