import AlertModel
import Markup

/// A figure over time as a drawing: the line, its limit, what is usual, and when an incident began. Its colours are
/// those of the page's style sheet.
extension Page {
    enum DrawingSize {
        /// In a line of a table.
        case small
        /// By itself, with figures at its edges.
        case large

        fileprivate var width: Double { self == .small ? 120 : 720 }
        fileprivate var height: Double { self == .small ? 28 : 180 }
        fileprivate var left: Double { self == .small ? 1 : 64 }
        fileprivate var right: Double { self == .small ? 1 : 12 }
        fileprivate var top: Double { self == .small ? 2 : 14 }
        fileprivate var bottom: Double { self == .small ? 2 : 24 }
    }

    static func drawing(_ chart: PageChart, _ size: DrawingSize) -> HTML {
        let place = DrawingPlace(chart, size)
        let runs = place.runs.map { run -> HTML in
            let points = run.map { "\(place.x($0.at)),\(place.y($0.figure))" as HTML }
            let rest = points.dropFirst().map { point -> HTML in "L\(point)" }
            // A dot is a line without length.
            return "M\(points[0])\(points.count == 1 ? "h0" : nil)\(rest)"
        }
        func line(_ value: Double?, _ kind: HTML) -> HTML? {
            value.map { #"<path class="\#(kind)" d="M\#(size.left),\#(place.y($0))H\#(size.width - size.right)"/>"# }
        }
        let since: HTML? = chart.since.flatMap { moment in
            guard moment >= chart.from, moment <= chart.to else { return nil }
            let x = place.x(moment)
            return """
                <rect class="wrong" x="\(x)" y="\(size.top)" width="\(max(1, size.width - size.right - x))" \
                height="\(size.height - size.top - size.bottom)"/>
                """
        }
        return """
            <svg class="chart" viewBox="0 0 \(size.width) \(size.height)" role="img" aria-label="\(chart.title)">\
            \(size == .large ? edges(chart, place, size) : nil)\(since)\(line(chart.usual, "usual"))\
            \(line(chart.limit, "limit"))<path class="line" d="\(runs)"/></svg>
            """
    }

    /// The lowest and the highest figure, the limit, and the hours.
    private static func edges(_ chart: PageChart, _ place: DrawingPlace, _ size: DrawingSize) -> HTML {
        // A limit is written as the config has it, the edges as figures are.
        var marks = [place.low, place.high].map { ($0, chart.isRate ? $0.percent : $0.plain) }
        if let limit = chart.limit { marks.append((limit, chart.isRate ? limit.percentTrimmed : limit.plain)) }
        var taken: [Double] = []
        let figures = marks.reversed().compactMap { value, label -> HTML? in
            let y = place.y(value)
            // The limit is written first; what would stand upon it is left out.
            guard !taken.contains(where: { abs($0 - y) < 14 }) else { return nil }
            taken.append(y)
            return #"<text class="figure" x="\#(size.left - 6)" y="\#(y + 4)">\#(label)</text>"#
        }
        let hours = stride(from: 0, through: 24, by: 6).compactMap { step -> HTML? in
            let moment = chart.from + (chart.to - chart.from).scaled(by: Double(step) / 24)
            let civil = CivilTime(moment)
            return """
                <text class="hour" x="\(min(max(place.x(moment), size.left + 16), size.width - 28))" \
                y="\(size.height - 6)">\(civil.hour.padded(2)):\(civil.minute.padded(2))</text>
                """
        }
        return "\(figures)\(hours)"
    }
}

/// Where a figure and a moment stand in a drawing.
private struct DrawingPlace {
    let low: Double
    let high: Double
    let runs: [[PageChart.Point]]
    private let chart: PageChart
    private let size: Page.DrawingSize

    init(_ chart: PageChart, _ size: Page.DrawingSize) {
        let known = chart.points.filter(\.figure.isFinite)
        let needed = known.map(\.figure) + [chart.limit, chart.usual].compactMap(\.self).filter(\.isFinite)
        let (least, most) = (needed.min() ?? 0, needed.max() ?? 1)
        let room = max((most - least) * 0.08, abs(most) * 1e-4, 1e-9)
        low = chart.isRate ? max(0, least - room) : least - room
        high = chart.isRate ? min(1, most + room) : most + room
        runs = DrawingPlace.runs(of: known)
        self.chart = chart
        self.size = size
    }

    func x(_ moment: Moment) -> Double {
        let share = (moment - chart.from).inSeconds / max((chart.to - chart.from).inSeconds, 1)
        return size.left + (size.width - size.left - size.right) * min(max(share, 0), 1)
    }

    func y(_ figure: Double) -> Double {
        let share = (figure - low) / (high - low)
        let room = size.height - size.top - size.bottom
        guard share.isFinite else { return figure > low ? size.top : size.top + room }
        return size.top + room * (1 - min(max(share, 0), 1))
    }

    /// Stretches without a gap: where figures are missing no line says that they were there.
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
