internal import AlertCore
internal import PluginKit
internal import Preview

/// What a backtest knows of one app: what one picture shows.
struct PlayedApp {
    /// One app in one environment, as one source sees it.
    struct Key: Hashable, Comparable {
        let app: String
        let source: String
        let environment: String?

        init(_ subject: Subject) {
            app = subject.app
            source = subject.source
            environment = subject.environment
        }

        static func < (left: Key, right: Key) -> Bool {
            (left.app, left.environment ?? "", left.source) < (right.app, right.environment ?? "", right.source)
        }

        var title: String { environment.map { "\(app) (\($0))" } ?? app }
    }

    /// What one rule saw of one metric.
    struct Panel {
        let rule: String
        let release: String?
        let metric: String
        let points: [Traces.Point]

        var title: String {
            Metric(metric).title + (release.map { " of \($0)" } ?? "") + " · rule \(rule)"
        }
        var isRate: Bool { Metric(metric).unit == .rate }
        /// The worst severity that the rule saw.
        var severity: Severity? { points.compactMap(\.severity).max() }
    }

    let key: Key
    /// Those of rules that fired first.
    let panels: [Panel]
    /// Those that have no place in one picture, too.
    private let allPanels: [Panel]
    var panelCount: Int { allPanels.count }
    let incidents: [Incident]
    let records: [DecisionRecord]

    /// Panels of one picture: more do not fit on a screen.
    static let panelsMax = 3

    /// Every app that figures, incidents or messages are about; those that something is said of first.
    static func all(_ report: BacktestReport) -> [PlayedApp] {
        var panels: [Key: [Panel]] = [:]
        for (key, trace) in (report.traces?.traces ?? [:]).sorted(by: { $0.key < $1.key }) {
            guard let metric = trace.metric, trace.points.contains(where: { $0.figure != nil }) else { continue }
            panels[Key(key.subject), default: []].append(
                Panel(rule: key.rule, release: key.subject.release, metric: metric, points: trace.points))
        }
        let incidents = Dictionary(grouping: report.preview.incidents) { Key($0.subject) }
        var records: [Key: [DecisionRecord]] = [:]
        for record in report.preview.decisions {
            for key in Set(record.message.incidents.map { Key($0.subject) }) {
                records[key, default: []].append(record)
            }
        }
        let keys = Set(panels.keys).union(incidents.keys).union(records.keys).sorted()
        let stories = keys.map { key in
            PlayedApp(
                key: key, panels: panels[key] ?? [], incidents: incidents[key] ?? [], records: records[key] ?? [])
        }
        return stories.filter { !$0.isQuiet } + stories.filter(\.isQuiet)
    }

    private init(key: Key, panels: [Panel], incidents: [Incident], records: [DecisionRecord]) {
        self.key = key
        // Within one severity they stay in their order.
        let ranked = Severity.allCases.reversed().map(Optional.some) + [nil]
        self.panels = Array(
            ranked.flatMap { rank in panels.filter { $0.severity == rank } }.prefix(PlayedApp.panelsMax))
        allPanels = panels
        self.incidents = incidents.filter { $0.state != .pending }
        self.records = records
    }

    /// The worst that was reported for each incident: it may have become better since.
    var worstSeverities: [String: Severity] {
        var worst = Dictionary(incidents.map { ($0.id, $0.severity) }) { max($0, $1) }
        for record in records {
            guard let incident = record.incident, let known = worst[incident] else { continue }
            worst[incident] = max(known, record.severity)
        }
        return worst
    }

    /// One incident and what its rule saw within a span; nil where that is too little for a line.
    func near(_ incident: Incident, _ span: TimeSpan) -> PlayedApp? {
        let panel = allPanels.first { $0.rule == incident.rule && $0.release == incident.subject.release }
        let points = panel?.points.filter { $0.to >= span.from && $0.from <= span.to } ?? []
        guard let panel, points.count(where: { $0.figure != nil }) > 1 else { return nil }
        return PlayedApp(
            key: key,
            panels: [Panel(rule: panel.rule, release: panel.release, metric: panel.metric, points: points)],
            incidents: incidents.filter { $0.rule == incident.rule && $0.subject == incident.subject },
            records: records.filter { record in
                span.from <= record.at && record.at <= span.to
                    && record.message.incidents.contains { $0.id == incident.id }
            })
    }

    /// The app as a config sees it that knows nothing of it.
    var emptied: PlayedApp { PlayedApp(key: key, panels: [], incidents: [], records: []) }

    /// Nothing happened that anybody wanted to hear of.
    var isQuiet: Bool { incidents.isEmpty && records.isEmpty }
}
