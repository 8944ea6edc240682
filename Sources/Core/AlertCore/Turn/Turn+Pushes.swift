internal import PluginKit

// What somebody tells a source that is not asked.

extension Turn {
    /// Takes in what was pushed as if a poll had brought it. Whoever pushed hears of it when it is safe.
    mutating func receivePush(of name: String, _ report: PollReport) -> CommandAnswer {
        guard let source = plan.source(name), source.isPushed else {
            return .refused("source '\(name.tamed)' no longer receives pushes")
        }
        var record = state.schedule.sources[name] ?? SourceRecord()
        record.lastPolled = now
        state.schedule.overtake(name)
        state.schedule.keep(record, of: name, &output)
        let kept = receiveReport(of: name, report, validators: record.validators)
        // Whoever pushed may be a program whose own log is all that somebody reads.
        let others = report.warnings.count > 1 ? ", and \((report.warnings.count - 1).counted("other warning"))" : ""
        let warned = report.warnings.first.map { "; \($0)\(others)" } ?? ""
        guard case .values(let observations) = report.outcome else {
            return .done("accepted for source \(name); it contains no figures\(warned)", ["observations": 0])
        }
        if source.isOfAlerts, kept == observations.count {
            let alerts = observations.reduce(0) { $0 + $1.issues.count }
            return .done(
                "\(alerts.counted("alert")) accepted for source \(name)\(warned)", ["observations": JSON(kept)])
        }
        let remark = observations.historyRemark.map { "; \($0)" } ?? ""
        let all = observations.count.counted("observation")
        return .done(
            kept == observations.count
                ? "\(all) accepted for source \(name)\(remark)\(warned)"
                : "\(kept) of \(all) accepted for source \(name); the log says why the rest was left out"
                    + "\(remark)\(warned)",
            ["observations": JSON(kept)])
    }
}
