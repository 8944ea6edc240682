internal import AlertCore
internal import PluginKit
internal import Preview

/// A preview as people see it in a terminal.
struct PreviewText {
    private let report: PreviewReport
    private let paint: Paint

    init(_ report: PreviewReport, _ paint: Paint) {
        self.report = report
        self.paint = paint
    }

    var text: String {
        var parts: [String] = []
        let channels = report.decisions.reduce(into: [String]()) { names, record in
            if !names.contains(record.channel) { names.append(record.channel) }
        }
        for channel in channels {
            parts.append(paint.bold("── \(channel) " + String(repeating: "─", count: max(0, 60 - channel.count))))
            parts += report.decisions.filter { $0.channel == channel }.map(card)
        }
        if report.decisions.isEmpty { parts.append("Nothing would be said.") }
        let pending = report.incidents.filter { $0.state == .pending }
        if !pending.isEmpty {
            parts.append(paint.bold("Pending, not yet said"))
            parts += pending.map {
                "  \($0.subject.app): \($0.evidence.sentence.tamed) (rule \($0.rule), since \($0.since))"
            }
        }
        parts.append(
            paint.dim(
                "At \(report.now): \(report.count("send")) sent, \(report.count("hold")) held, "
                    + "\(report.count("drop")) dropped. This was a preview: nothing was sent."))
        return parts.joined(separator: "\n\n")
    }

    private func card(_ record: DecisionRecord) -> String {
        let verdict: String
        switch record.decision {
        case .send: verdict = paint.green("send") + " (\(record.reason))"
        case .hold(let until):
            verdict =
                paint.yellow("hold") + (until.ifKnown.map { " until \($0)" } ?? "") + " (\(record.reason))"
        case .drop: verdict = paint.red("drop") + " (\(record.reason))"
        }
        let bar = bar(record)
        let lines = record.message.plainText.split(separator: "\n", omittingEmptySubsequences: false)
        let body = lines.enumerated().map { index, line in
            bar + " " + (index == 0 ? paint.bold(String(line)) : String(line))
        }
        return (["\(paint.dim(record.at.description)) \(verdict)"] + body).joined(separator: "\n")
    }

    private func bar(_ record: DecisionRecord) -> String {
        switch (record.kind, record.severity) {
        case (.resolved, _): paint.green("▌")
        case (.digest, _): paint.dim("▌")
        case (_, .critical): paint.red("▌")
        case (_, .warning): paint.yellow("▌")
        case (_, .info): paint.blue("▌")
        }
    }
}
