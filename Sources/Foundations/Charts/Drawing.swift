public import Markup

// Charts draws figures over time: axes that previews and charts in messages share, and the chart of a message as a
// drawing of few kinds of shapes, which becomes SVG on a page and a picture in a chat.

/// A drawing that stands alone, of shapes that anything can draw. Colours and widths are the drawing's own, so it looks
/// the same wherever it stands.
public struct Drawing: Hashable, Sendable {
    public let width: Double
    public let height: Double
    /// The first is behind all others.
    public var shapes: [Shape] = []

    public init(width: Double, height: Double) {
        self.width = width
        self.height = height
    }

    public enum Shape: Hashable, Sendable {
        case box(x: Double, y: Double, width: Double, height: Double, fill: Color)
        /// From point to point.
        case line([Point], Color, width: Double, dashes: [Double] = [])
        /// What lies between the points.
        case area([Point], Color)
        case disc(Point, radius: Double, Color)
        case text(String, Point, Color, size: Double, isBold: Bool = false, anchor: Anchor = .start)
    }

    public struct Point: Hashable, Sendable {
        public let x: Double
        public let y: Double
        public init(_ x: Double, _ y: Double) {
            self.x = x
            self.y = y
        }
    }

    /// Which part of a text stands at its point.
    public enum Anchor: String, Hashable, Sendable { case start, middle, end }

    /// Each part from 0 to 255.
    public struct Color: Hashable, Sendable {
        public let red: UInt8
        public let green: UInt8
        public let blue: UInt8
        public init(_ number: UInt32) {
            red = UInt8(truncatingIfNeeded: number >> 16)
            green = UInt8(truncatingIfNeeded: number >> 8)
            blue = UInt8(truncatingIfNeeded: number)
        }

        fileprivate var svg: HTML { "rgb(\(Int(red)),\(Int(green)),\(Int(blue)))" }
    }

    /// `<svg>…</svg>`.
    ///
    /// - Parameter words: what it shows, for those who do not see it.
    public func svg(_ words: String) -> HTML {
        """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(width) \(height)" width="\(width)" height="\(height)" \
        role="img" aria-label="\(words)">\(shapes.map(Drawing.svg))</svg>
        """
    }

    private static func svg(_ shape: Shape) -> HTML {
        switch shape {
        case .box(let x, let y, let width, let height, let fill):
            #"<rect x="\#(x)" y="\#(y)" width="\#(width)" height="\#(height)" fill="\#(fill.svg)"/>"#
        case .line(let points, let color, let width, let dashes):
            """
            <polyline points="\(places(points))" fill="none" stroke="\(color.svg)" stroke-width="\(width)" \
            stroke-linecap="round" stroke-linejoin="round"\(pattern(dashes))/>
            """
        case .area(let points, let color): #"<polygon points="\#(places(points))" fill="\#(color.svg)"/>"#
        case .disc(let point, let radius, let color):
            #"<circle cx="\#(point.x)" cy="\#(point.y)" r="\#(radius)" fill="\#(color.svg)"/>"#
        case .text(let words, let point, let color, let size, let isBold, let anchor):
            """
            <text x="\(point.x)" y="\(point.y)" fill="\(color.svg)" font-size="\(size)" \
            font-weight="\(isBold ? "bold" : "normal")" text-anchor="\(anchor.html)" \
            font-family="DejaVu Sans, Verdana, sans-serif">\(words)</text>
            """
        }
    }

    private static func pattern(_ dashes: [Double]) -> HTML? {
        guard !dashes.isEmpty else { return nil }
        let lengths = dashes.map { dash -> HTML in "\(dash) " }
        return #" stroke-dasharray="\#(lengths)""#
    }

    private static func places(_ points: [Point]) -> [HTML] { points.map { "\($0.x),\($0.y) " } }
}

extension Drawing.Anchor {
    fileprivate var html: HTML {
        switch self {
        case .start: "start"
        case .middle: "middle"
        case .end: "end"
        }
    }
}
