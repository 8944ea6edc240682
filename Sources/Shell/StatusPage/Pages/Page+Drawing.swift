import AlertModel
import Charts
import Markup
import TimeZones

/// A figure over the last day in a line of a table: the line, its limit, and what is usual. Its colours are those of the
/// page's style sheet.
extension Page {
    private static let width = 120.0
    private static let height = 28.0

    static func drawing(_ chart: PageChart) -> HTML {
        let known = chart.points.map(\.figure).filter(\.isFinite)
        let needed = [chart.limit, chart.usual].compactMap(\.self).filter(\.isFinite)
        let axis = FigureAxis(known, needing: needed + known, isRate: chart.isRate, top: 2, height: height - 4)
        let time = TimeAxis(from: chart.from, to: chart.to, zone: .utc, left: 1, width: width - 2)
        func line(_ value: Double?, _ kind: HTML) -> HTML? {
            value.map { #"<path class="\#(kind)" d="M1,\#(axis.y($0))H\#(width - 1)"/>"# }
        }
        return """
            <svg class="chart" viewBox="0 0 \(width) \(height)" role="img" aria-label="\(chart.title)">\
            \(line(chart.usual, "usual"))\(line(chart.limit, "limit"))\
            <path class="line" d="\(path(chart.points, time, axis))"/></svg>
            """
    }

    /// Where a line goes. Where figures are missing, no line says that they were there.
    static func path(_ points: [PageChart.Point], _ time: TimeAxis, _ axis: FigureAxis) -> HTML {
        let runs = Page.runs(of: points.filter(\.figure.isFinite)).map { run -> HTML in
            let places = run.map { "\(time.x($0.at)),\(axis.y($0.figure))" as HTML }
            let rest = places.dropFirst().map { place -> HTML in "L\(place)" }
            // A dot is a line without length.
            return "M\(places[0])\(places.count == 1 ? "h0" : nil)\(rest)"
        }
        return "\(runs)"
    }

    /// Stretches without a gap.
    private static func runs(of points: [PageChart.Point]) -> [[PageChart.Point]] {
        let gaps = zip(points, points.dropFirst()).map { ($1.at - $0.at).inSeconds }.sorted()
        let usual = gaps.isEmpty ? 0 : gaps[gaps.count / 2]
        var runs: [[PageChart.Point]] = []
        for point in points {
            if let last = runs.last?.last, (point.at - last.at).inSeconds <= max(3 * usual, 1) {
                runs[runs.count - 1].append(point)
            } else {
                runs.append([point])
            }
        }
        return runs
    }
}
