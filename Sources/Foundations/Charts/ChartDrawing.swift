public import AlertModel
internal import Text
public import TimeZones

/// The chart of a message as a drawing: the figure of every hour, the limit, and what is usual.
///
/// Its ground is its own and light, with an edge: a picture in a chat does not know whether it stands on a light or a dark
/// one. Everything that is read has a contrast of at least 4.5 on it.
public struct ChartDrawing: Sendable {
    private let chart: Chart
    private let time: TimeAxis
    private let axis: FigureAxis
    private let zone: Zone

    /// In units of which a picture has two pixels each.
    public static let width = 480.0
    public static let height = 200.0

    private static let left = 64.0
    private static let right = 16.0
    private static let top = 62.0
    private static let bottom = 24.0

    static let ground = Drawing.Color(0xFFFFFF)
    private static let edge = Drawing.Color(0xC4C4D0)
    private static let grid = Drawing.Color(0xE6E6EE)
    static let words = Drawing.Color(0x1C1C28)
    static let small = Drawing.Color(0x5A5A6C)
    static let figure = Drawing.Color(0x5546D6)
    private static let below = Drawing.Color(0xECEAFB)
    static let limit = Drawing.Color(0xC81E30)
    static let usual = Drawing.Color(0x137A38)

    /// A name longer than this runs out of the picture.
    private static let titleMax = 52
    private static let legendMax = 30

    /// - Parameter words: how numbers and days are written beside the axes; the rest the chart says itself.
    public init(_ chart: Chart, in zone: Zone, words: Words) {
        self.chart = chart
        self.zone = zone
        time = TimeAxis(
            from: chart.from, to: chart.from + .hours(Int64(max(chart.values.count, 1))), zone: zone,
            words: words, left: ChartDrawing.left, width: ChartDrawing.width - ChartDrawing.left - ChartDrawing.right)
        let known = chart.values.compactMap(\.self)
        axis = FigureAxis(
            known, needing: [chart.limit, chart.usual].compactMap { $0?.value }, isRate: chart.isRate,
            words: words, top: ChartDrawing.top, height: ChartDrawing.height - ChartDrawing.top - ChartDrawing.bottom)
    }

    public var drawing: Drawing {
        var drawing = Drawing(width: ChartDrawing.width, height: ChartDrawing.height)
        drawing.shapes = ground + heading + grid + curve + lines
        return drawing
    }

    private var floor: Double { axis.top + axis.height }

    private var ground: [Drawing.Shape] {
        [
            .box(x: 0, y: 0, width: ChartDrawing.width, height: ChartDrawing.height, fill: ChartDrawing.edge),
            .box(
                x: 1, y: 1, width: ChartDrawing.width - 2, height: ChartDrawing.height - 2, fill: ChartDrawing.ground),
        ]
    }

    /// What it is of, and below what the lines across are called.
    private var heading: [Drawing.Shape] {
        var shapes: [Drawing.Shape] = [
            .text(
                chart.title.tamed.clipped(to: ChartDrawing.titleMax), Drawing.Point(16, 24), ChartDrawing.words,
                size: 14, isBold: true),
            .text(
                zone.abbreviation(at: time.to).clipped(to: 8), Drawing.Point(ChartDrawing.width - 16, 24),
                ChartDrawing.small, size: 11, anchor: .end),
        ]
        var x = 16.0
        for (line, color, dashes) in styledLines {
            shapes.append(.line([Drawing.Point(x, 41), Drawing.Point(x + 22, 41)], color, width: 2, dashes: dashes))
            shapes.append(
                .text(line.words.tamed.clipped(to: ChartDrawing.legendMax), Drawing.Point(x + 30, 45), color, size: 12))
            x += 232
        }
        return shapes
    }

    private var styledLines: [(Chart.Line, Drawing.Color, [Double])] {
        [(chart.limit, ChartDrawing.limit, [6, 4]), (chart.usual, ChartDrawing.usual, [1, 4])].compactMap {
            line, color, dashes in line.map { ($0, color, dashes) }
        }
    }

    private var grid: [Drawing.Shape] {
        axis.ticks.flatMap { tick -> [Drawing.Shape] in
            [
                .line(
                    [Drawing.Point(time.left, tick.y), Drawing.Point(time.left + time.width, tick.y)],
                    ChartDrawing.grid, width: 1),
                .text(
                    tick.label.clipped(to: 9), Drawing.Point(time.left - 8, tick.y + 4), ChartDrawing.small, size: 11,
                    anchor: .end),
            ]
        }
            + time.ticks.flatMap { tick -> [Drawing.Shape] in
                [
                    .line(
                        [Drawing.Point(tick.x, floor), Drawing.Point(tick.x, floor + 4)], ChartDrawing.small, width: 1),
                    .text(
                        tick.label, Drawing.Point(min(tick.x, ChartDrawing.width - 30), floor + 17), ChartDrawing.small,
                        size: 11, anchor: .middle),
                ]
            }
    }

    /// Stretches of hours of which something is known; the last figure has a disc.
    private var curve: [Drawing.Shape] {
        let places = chart.values.enumerated().map { index, value in
            value.map { Drawing.Point(time.x(chart.from + .minutes(Int64(index) * 60 + 30)), axis.y($0)) }
        }
        var shapes: [Drawing.Shape] = []
        let stretches = places.split(separator: nil).map { $0.compactMap(\.self) }
        for stretch in stretches {
            guard let first = stretch.first, let last = stretch.last else { continue }
            if stretch.count == 1 {
                shapes.append(.disc(first, radius: 2, ChartDrawing.figure))
            } else {
                shapes.append(
                    .area(stretch + [Drawing.Point(last.x, floor), Drawing.Point(first.x, floor)], ChartDrawing.below))
            }
        }
        for stretch in stretches where stretch.count > 1 {
            shapes.append(.line(stretch, ChartDrawing.figure, width: 2))
        }
        if let last = stretches.last?.last { shapes.append(.disc(last, radius: 4, ChartDrawing.figure)) }
        return shapes
    }

    /// Above the curve, which they must not disappear behind.
    private var lines: [Drawing.Shape] {
        styledLines.map { line, color, dashes in
            .line(
                [
                    Drawing.Point(time.left, axis.y(line.value)),
                    Drawing.Point(time.left + time.width, axis.y(line.value)),
                ], color, width: 1.5, dashes: dashes)
        }
    }
}
