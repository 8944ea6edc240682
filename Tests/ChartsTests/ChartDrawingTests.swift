import AlertModel
import Markup
import Testing
import TimeZones

@testable import Charts

private let from = Moment(milliseconds: 1_795_219_200_000 - 24 * 3_600_000)

private func chart(
    _ values: [Double?], limit: Double? = 0.99, usual: Double? = 0.998, title: String = "Crash-free users, last day"
) -> Chart {
    Chart(
        title: title, values: values, from: from, isRate: true,
        limit: limit.map { Chart.Line($0, "alert below 99%") }, usual: usual.map { Chart.Line($0, "usually 99.8%") },
        words: "Crash-free users")
}

private let day: [Double?] = (0..<24).map { $0 == 7 ? nil : $0 < 20 ? 0.998 : 0.97 }

extension Drawing.Shape {
    fileprivate var points: [Drawing.Point] {
        switch self {
        case .box(let x, let y, let width, let height, _): [.init(x, y), .init(x + width, y + height)]
        case .line(let points, _, _, _), .area(let points, _): points
        case .disc(let point, _, _), .text(_, let point, _, _, _, _): [point]
        }
    }

    fileprivate var text: String? { if case .text(let words, _, _, _, _, _) = self { words } else { nil } }
}

@Suite struct `A chart's drawing` {
    @Test func `it has the figure, the limit, what is usual, and names for them`() {
        let shapes = ChartDrawing(chart(day), in: .utc, words: .english).drawing.shapes
        let texts = shapes.compactMap(\.text)
        #expect(texts.contains("Crash-free users, last day"))
        #expect(texts.contains("alert below 99%"))
        #expect(texts.contains("usually 99.8%"))
        #expect(texts.contains("UTC"))
        #expect(texts.contains { $0.hasSuffix(":00") })
        // The gap at seven parts the curve.
        let curves = shapes.filter { if case .line(_, ChartDrawing.figure, _, _) = $0 { true } else { false } }
        #expect(curves.map(\.points.count) == [7, 16])
        // A line and its sample beside its name, for each of the two.
        for color in [ChartDrawing.limit, ChartDrawing.usual] {
            let lines = shapes.filter { if case .line(_, color, _, _) = $0 { true } else { false } }
            #expect(lines.count == 2)
        }
    }

    @Test(arguments: [
        (Words.english, ["99.5%", "20 Nov"]), (.spanish, ["99,5\u{A0}%", "20 nov"]),
        (.english.replacing([.chartDay: "{month} {day}.", .numberDecimal: "·"]), ["99·5%", "Nov 20."]),
    ])
    func `numbers and days stand beside the axes in the language of messages`(words: Words, labels: [String]) {
        let halves: [Double?] = (0..<24).map { $0 < 20 ? 0.998 : 0.99 }
        let texts = ChartDrawing(chart(halves), in: .utc, words: words).drawing.shapes.compactMap(\.text)
        for label in labels { #expect(texts.contains(label), "\(label) in \(texts)") }
    }

    @Test(
        arguments: [
            [], [nil], [0.5], [nil, 0.5, nil], Array(repeating: 1, count: 48), [-1e300, 1e300], [0, 0, 0],
            [.greatestFiniteMagnitude, -.greatestFiniteMagnitude],
        ] as [[Double?]])
    func `whatever the figures, nothing lies outside`(values: [Double?]) {
        for limit in [nil, 0.99, 1e308] {
            let drawing = ChartDrawing(chart(values, limit: limit), in: .utc, words: .english).drawing
            for point in drawing.shapes.flatMap(\.points) {
                #expect((0...drawing.width).contains(point.x) && (0...drawing.height).contains(point.y), "\(point)")
            }
            #expect(drawing.shapes.count < 100)
        }
    }

    @Test func `words of strangers stay words`() {
        let hostile = "<script>\u{202E}\"&' \n" + String(repeating: "W", count: 4000)
        let svg = ChartDrawing(chart(day, title: hostile), in: .utc, words: .english).drawing.svg(hostile).text
        #expect(!svg.contains("<script"))
        #expect(!svg.contains("\u{202E}"))
        #expect(svg.utf8.count < 20_000)
    }

    @Test func `limit and usual are dashed and dotted on a page, too`() {
        let svg = ChartDrawing(chart(day), in: .utc, words: .english).drawing.svg("words").text
        #expect(svg.split(separator: #"stroke-dasharray="6 4 ""#).count == 3)
        #expect(svg.split(separator: #"stroke-dasharray="1 4 ""#).count == 3)
    }

    @Test func `the same chart gives the same drawing`() {
        func drawing() -> Drawing { ChartDrawing(chart(day), in: .utc, words: .english).drawing }
        #expect(drawing() == drawing())
    }
}
