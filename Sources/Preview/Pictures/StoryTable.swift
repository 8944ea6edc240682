internal import AlertCore
internal import Charts
internal import Markup
internal import PluginKit
internal import Preview

/// The same as a drawing in words and figures, for those who do not see it: a row for a day, or for several.
struct StoryTable {
    private let story: PlayedApp
    private let report: BacktestReport

    init(_ story: PlayedApp, _ report: BacktestReport) {
        self.story = story
        self.report = report
    }

    /// Rows of one table: a month of days. Longer spans have several days in a row.
    private static let rowsMax = 31

    var piece: HTML {
        let head =
            ["from"] + story.panels.flatMap { ["lowest \($0.title)", "highest", "limit"] }
            + ["incidents opened", "sent", "held or dropped"]
        let table = PageFrame.table("\(story.key.title) as a table", head: head, rows: rows)
        return "<details><summary>The same as a table</summary>\(table)</details>"
    }

    private var rows: [[HTML]] {
        let zone = report.zone
        let (first, last) = (zone.civil(report.from).day, zone.civil(report.to).day)
        let step = max(1, (last - first + StoryTable.rowsMax) / StoryTable.rowsMax)
        let bounds = stride(from: first, through: last + step, by: step).map {
            zone.moment(beginning: CivilTime(day: $0, secondOfDay: 0))
        }
        // Points and records are in the order of time, so each is looked at once.
        var panels = story.panels.map { $0.points[...] }
        var records = story.records[...]
        return zip(bounds, bounds.dropFirst()).map { from, to in
            var row: [HTML] = ["\(zone.civil(from).dateText)"]
            for index in panels.indices {
                let points = panels[index].prefix { $0.from < to }
                panels[index] = panels[index].dropFirst(points.count)
                row += cells(Array(points), story.panels[index])
            }
            let own = records.prefix { $0.at < to }
            records = records.dropFirst(own.count)
            let sent = own.count(where: \.isMessage)
            let begun = story.incidents.count { $0.since >= from && $0.since < to }
            return row + ["\(begun)", "\(sent)", "\(own.count - sent)"]
        }
    }

    private func cells(_ points: [Traces.Point], _ panel: PlayedApp.Panel) -> [HTML] {
        let axis = FigureAxis([], isRate: panel.isRate, top: 0, height: 1)
        let figures = points.flatMap { [$0.figure, $0.best].compactMap(\.self) }
        return [figures.min(), figures.max(), points.compactMap(\.limit).last].map { figure in
            figure.map { "\(panel.isRate ? $0.percent : axis.label($0))" } ?? "—"
        }
    }
}
