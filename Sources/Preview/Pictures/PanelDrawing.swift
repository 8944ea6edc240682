internal import Charts
internal import Markup
internal import PluginKit
internal import Preview

/// The figure of one rule and one metric over time: a band from lowest to highest where polls lie closer than columns.
struct PanelDrawing {
    private let panel: PlayedApp.Panel
    private let time: TimeAxis
    private let axis: FigureAxis

    init(_ panel: PlayedApp.Panel, _ time: TimeAxis, top: Double, height: Double) {
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
            <path class="b" d="\(runs.flatMap(bound))"/>\(usual(runs))\(limit(columns))\(beyond)

            """
    }

    /// As many as a rule has severities.
    private static let fixedLimitsMax = 3

    /// How far the figures go beyond what is drawn, where they do.
    private var beyond: HTML? {
        let figures = panel.points.flatMap { [$0.figure, $0.best].compactMap(\.self) }
        guard let low = figures.min(), let high = figures.max() else { return nil }
        let room = (axis.high - axis.low) * PanelDrawing.beyondMin
        if low < axis.low - room {
            return """
                <text x="\(time.left + 6)" y="\(axis.top + axis.height - 4)">down to \(words(low))</text>
                """
        }
        guard high > axis.high + room else { return nil }
        return """
            <text x="\(time.left + 6)" y="\(axis.top + 11)">up to \(words(high))</text>
            """
    }

    /// A figure with no more places than people want to know.
    private func words(_ figure: Double) -> String {
        axis.label(panel.isRate ? (figure * 10_000).rounded() / 10_000 : figure)
    }

    /// In panels: what is less far outside needs no words.
    private static let beyondMin = 0.5

    /// What one column of the drawing shows.
    private struct Column {
        let x: Double
        var low: Double?
        var high: Double?
        var limit: Double?
        var bound: Double?
        var usual: Double?

        /// Takes in what the next poll in the same column saw.
        mutating func take(_ other: Column) {
            low = [low, other.low].compactMap(\.self).min()
            high = [high, other.high].compactMap(\.self).max()
            limit = other.limit ?? limit
            usual = other.usual ?? usual
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
                bound: point.figure == nil ? nil : point.bound, usual: point.usual)
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

    /// What is usual, where the rule knows it.
    private func usual(_ runs: [[Column]]) -> HTML? {
        let known = runs.flatMap { run in run.split { $0.usual == nil } }
        guard !known.isEmpty else { return nil }
        let lines = known.map { part in line(part.compactMap { column in column.usual.map { (column.x, axis.y($0)) } })
        }
        return #"<path class="u" d="\#(lines)"/>"#
    }

    /// From place to place, each written as its distance from the one before: half as long as where it stands.
    private func line(_ points: [(x: Double, y: Double)]) -> HTML {
        // Rounded before distances are taken, so that what is rounded off does not add up.
        let places = points.map { (x: ($0.x * 10).rounded() / 10, y: ($0.y * 10).rounded() / 10) }
        guard let first = places.first else { return "" }
        let rest = zip(places, places.dropFirst()).map { from, to -> HTML in "l\(to.x - from.x),\(to.y - from.y)" }
        return "M\(first.x),\(first.y)\(rest)"
    }

    /// Limits that stand still are lines all across, each with its value; those of a rule that moves its own are drawn from
    /// each change to the next, with the last value written beside.
    private func limit(_ columns: [Column]) -> HTML? {
        let known = columns.compactMap { column in column.limit.map { (x: column.x, limit: $0) } }
        guard let first = known.first, let last = known.last else { return nil }
        let limits = Set(known.map(\.limit)).sorted(by: >)
        if limits.count <= PanelDrawing.fixedLimitsMax {
            let words = limits.map(axis.label).joined(separator: ", ")
            return """
                <path class="t" d="\(limits.map { "M\(time.left),\(axis.y($0))h\(time.width)" as HTML })"/>\
                <text class="tl" x="\(time.left + time.width)" y="\(axis.top - 7)">\
                \(limits.count == 1 ? "limit" : "limits") \(words)</text>
                """
        }
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
    /// The limits are never outside, nor are the figures of trouble but those of one that was far worse than most: it must not
    /// flatten all others, and is drawn from near.
    init(_ points: [Traces.Point], isRate: Bool, top: Double, height: Double) {
        let limits = points.compactMap(\.limit)
        let troubles = points.filter { $0.severity != nil }
        // A rule without a limit says what is usual.
        func depth(_ point: Traces.Point) -> Double? {
            point.figure.flatMap { figure in (point.limit ?? point.usual).map { abs(figure - $0) } }
        }
        let depths = troubles.compactMap(depth).sorted()
        let usual = depths.isEmpty ? .infinity : depths[depths.count / 2]
        func isDeep(_ point: Traces.Point) -> Bool {
            point.severity != nil && depth(point).map { $0 > usual * FigureAxis.depthMax } ?? false
        }
        self.init(
            points.filter { !isDeep($0) }.compactMap(\.figure) + points.compactMap(\.usual),
            needing: limits + troubles.filter { !isDeep($0) }.compactMap(\.figure), isRate: isRate, top: top,
            height: height)
    }

    /// In depths of half of the troubles: what is deeper is at the edge.
    private static let depthMax = 4.0
}
