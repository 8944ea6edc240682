internal import Charts
internal import Markup
internal import PluginKit
internal import Preview

/// The figure of one rule and one metric over time: a band from lowest to highest where polls lie closer than columns.
struct PanelDrawing {
    private let panel: AppStory.Panel
    private let time: TimeAxis
    private let axis: FigureAxis

    init(_ panel: AppStory.Panel, _ time: TimeAxis, top: Double, height: Double) {
        self.panel = panel
        self.time = time
        axis = FigureAxis(panel.points, isRate: panel.isRate, top: top, height: height)
    }

    var piece: HTML {
        let columns = thinned
        let runs = PanelDrawing.runs(of: columns)
        let ticks = axis.ticks.map { tick -> HTML in
            """
            <path class="a" d="M\(time.left),\(tick.y)h\(time.width)"/>\
            <text class="l" x="\(time.left - 8)" y="\(tick.y + 4)">\(tick.label)</text>
            """
        }
        let (thin, wide) = (runs.filter(isThin), runs.filter { !isThin($0) })
        return """
            \(ticks)<path class="f" d="\(wide.map(band))"/><path class="s" d="\(thin.map(single))"/>\
            <path class="b" d="\(runs.flatMap(bound))"/>\(limit(columns))

            """
    }

    /// What one column of the drawing shows.
    private struct Column {
        let x: Double
        var low: Double?
        var high: Double?
        var limit: Double?
        var bound: Double?

        /// Takes in what the next poll in the same column saw.
        mutating func take(_ other: Column) {
            low = [low, other.low].compactMap(\.self).min()
            high = [high, other.high].compactMap(\.self).max()
            limit = other.limit ?? limit
            // Of several polls the last: bounds of different polls have no order of their own.
            bound = other.bound ?? bound
        }
    }

    /// The points, those of one column as one.
    private var thinned: [Column] {
        var columns: [Column] = []
        var last = Int.min
        for point in panel.points {
            let middle = point.from + (point.to - point.from).scaled(by: 0.5)
            let x = time.x(middle)
            let place = Int((x / AppPicture.column).rounded(.down))
            let ends = [point.figure, point.best].compactMap(\.self)
            let column = Column(
                x: x, low: ends.min(), high: ends.max(), limit: point.limit,
                bound: point.figure == nil ? nil : point.bound)
            if place == last, let index = columns.indices.last {
                columns[index].take(column)
            } else {
                columns.append(column)
            }
            last = place
        }
        return columns
    }

    /// Stretches without a gap: where figures are missing, or far rarer than usual, no line says that they were there.
    private static func runs(of columns: [Column]) -> [[Column]] {
        let distances = zip(columns, columns.dropFirst()).map { $1.x - $0.x }.sorted()
        let usual = distances.isEmpty ? 0 : distances[distances.count / 2]
        var runs: [[Column]] = []
        var current: [Column] = []
        for column in columns {
            let isFar = current.last.map { column.x - $0.x > max(3 * usual, 3 * AppPicture.column) } ?? false
            if column.low == nil || isFar {
                if !current.isEmpty { runs.append(current) }
                current = []
            }
            if column.low != nil { current.append(column) }
        }
        return current.isEmpty ? runs : runs + [current]
    }

    private func isThin(_ run: [Column]) -> Bool {
        run.allSatisfy { column in
            guard let low = column.low, let high = column.high else { return true }
            return axis.y(low) - axis.y(high) < 0.5
        }
    }

    /// Along the highest figures, and back along the lowest.
    private func band(_ run: [Column]) -> HTML {
        let high = run.compactMap { column in column.high.map { (column.x, axis.y($0)) } }
        let low = run.compactMap { column in column.low.map { (column.x, axis.y($0)) } }
        return "\(line(high + low.reversed()))Z"
    }

    /// A run of which each column has one figure; a dot is a line without length.
    private func single(_ run: [Column]) -> HTML {
        let points = run.compactMap { column in column.low.map { (column.x, axis.y($0)) } }
        return "\(line(points))\(points.count == 1 ? "h0" : nil)"
    }

    /// Only where the rule said one: between its words there is no line.
    private func bound(_ run: [Column]) -> [HTML] {
        run.split { $0.bound == nil }.map { known in
            line(known.compactMap { column in column.bound.map { (column.x, axis.y($0)) } })
        }
    }

    /// From place to place, each written as its distance from the one before: half as long as where it stands.
    private func line(_ points: [(x: Double, y: Double)]) -> HTML {
        // Rounded before distances are taken, so that what is rounded off does not add up.
        let places = points.map { (x: ($0.x * 10).rounded() / 10, y: ($0.y * 10).rounded() / 10) }
        guard let first = places.first else { return "" }
        let rest = zip(places, places.dropFirst()).map { from, to -> HTML in "l\(to.x - from.x),\(to.y - from.y)" }
        return "M\(first.x),\(first.y)\(rest)"
    }

    /// The limit that was judged by, from each change to the next, with its last value written beside.
    private func limit(_ columns: [Column]) -> HTML? {
        let known = columns.compactMap { column in column.limit.map { (x: column.x, limit: $0) } }
        guard let first = known.first, let last = known.last else { return nil }
        var path: HTML = "M\(first.x),\(axis.y(first.limit))"
        for (before, now) in zip(known, known.dropFirst()) where before.limit != now.limit {
            path = "\(path)H\(now.x)V\(axis.y(now.limit))"
        }
        return """
            <path class="t" d="\(path)H\(last.x)"/><text class="tl" x="\(time.left + time.width)" \
            y="\(axis.top - 7)">limit \(axis.label(last.limit))</text>
            """
    }
}

extension FigureAxis {
    /// The limits and the figures of trouble are never outside.
    init(_ points: [Traces.Point], isRate: Bool, top: Double, height: Double) {
        self.init(
            points.compactMap(\.figure),
            needing: points.compactMap(\.limit) + points.filter { $0.severity != nil }.compactMap(\.figure),
            isRate: isRate, top: top, height: height)
    }
}
