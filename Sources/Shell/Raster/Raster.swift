// Raster is libcairo behind one door: a drawing → a PNG. It knows nothing of alerts.

internal import CCairo
public import Charts

/// Makes pictures of drawings. The library is loaded with the first one, and by nobody who wants none.
public struct Raster: Sendable {
    private let functions: Functions

    /// A picture's pixels to each unit of a drawing.
    public static let scale = 2
    /// A picture has at most so many bytes: far more than a chart needs, and little for any chat.
    public static let bytesMax = 262_144
    /// No drawing of ours has a side as long, in units.
    private static let sideMax = 2000.0

    /// Why there is no picture, for people.
    public struct Trouble: Error, Hashable, Sendable, CustomStringConvertible {
        public let description: String

        init(_ description: String) { self.description = description }
    }

    /// - Throws: that the library is not there.
    public init(library: String = "libcairo.so.2") throws(Trouble) {
        guard let functions = Functions(library) else {
            throw Trouble("libcairo is not installed (Debian: apt install libcairo2)")
        }
        self.functions = functions
    }

    public func png(of drawing: Drawing) throws(Trouble) -> [UInt8] {
        guard 1...Raster.sideMax ~= drawing.width, 1...Raster.sideMax ~= drawing.height else {
            throw Trouble("a drawing has no size that a picture can have")
        }
        let surface = functions.table.pointee.surface_create(
            Int32(ccairo_format_rgb24), Int32(drawing.width) * Int32(Raster.scale),
            Int32(drawing.height) * Int32(Raster.scale))
        defer { functions.table.pointee.surface_destroy(surface) }
        let cairo = functions.table.pointee.create(surface)
        defer { functions.table.pointee.destroy(cairo) }
        let pen = Pen(table: functions.table, cairo: cairo)
        functions.table.pointee.scale(cairo, Double(Raster.scale), Double(Raster.scale))
        functions.table.pointee.set_line_cap(cairo, Int32(ccairo_cap_round))
        functions.table.pointee.set_line_join(cairo, Int32(ccairo_join_round))
        guard pen.width(of: "0", size: 12, isBold: false) > 0 else {
            throw Trouble("there is no font on this machine (Debian: apt install fonts-dejavu-core)")
        }
        for shape in drawing.shapes { pen.draw(shape) }
        guard functions.table.pointee.status(cairo) == Int32(ccairo_status_success) else {
            throw Trouble("libcairo could not draw a picture")
        }
        let sink = Sink()
        let status = functions.table.pointee.surface_write(
            surface, takeBytes, Unmanaged.passUnretained(sink).toOpaque())
        guard status == Int32(ccairo_status_success), !sink.bytes.isEmpty else {
            throw Trouble("libcairo could not write a picture of at most \(Raster.bytesMax) bytes")
        }
        return sink.bytes
    }

    /// The library's functions: a table that is written once and stays.
    struct Functions: @unchecked Sendable {
        let table: UnsafePointer<ccairo_functions>

        init?(_ library: String) {
            guard let table = ccairo_load(library) else { return nil }
            self.table = table
        }
    }
}

/// Draws shapes on one surface.
private struct Pen {
    let table: UnsafePointer<ccairo_functions>
    let cairo: UnsafeMutableRawPointer

    private var functions: ccairo_functions { table.pointee }

    /// DejaVu comes with cairo's own fonts in Debian; another font is a fine picture, too.
    private static let family = "DejaVu Sans"

    func draw(_ shape: Drawing.Shape) {
        switch shape {
        case .box(let x, let y, let width, let height, let fill):
            use(fill)
            functions.rectangle(cairo, x, y, width, height)
            functions.fill(cairo)
        case .line(let points, let color, let width, let dashes):
            use(color)
            functions.set_line_width(cairo, width)
            functions.set_dash(cairo, dashes, Int32(dashes.count), 0)
            follow(points)
            functions.stroke(cairo)
        case .area(let points, let color):
            use(color)
            follow(points)
            functions.close_path(cairo)
            functions.fill(cairo)
        case .disc(let point, let radius, let color):
            use(color)
            functions.new_path(cairo)
            functions.arc(cairo, point.x, point.y, radius, 0, 2 * Double.pi)
            functions.fill(cairo)
        case .text(let words, let point, let color, let size, let isBold, let anchor):
            use(color)
            let width = width(of: words, size: size, isBold: isBold)
            let x =
                switch anchor {
                case .start: point.x
                case .middle: point.x - width / 2
                case .end: point.x - width
                }
            functions.move_to(cairo, x, point.y)
            functions.show_text(cairo, words)
        }
    }

    /// How wide a text is; from then on the font is that of the text.
    func width(of words: String, size: Double, isBold: Bool) -> Double {
        functions.select_font_face(
            cairo, Pen.family, Int32(ccairo_slant_normal),
            Int32(isBold ? ccairo_weight_bold : ccairo_weight_normal))
        functions.set_font_size(cairo, size)
        var extents = ccairo_text_extents()
        functions.text_extents(cairo, words, &extents)
        return extents.x_advance
    }

    private func use(_ color: Drawing.Color) {
        functions.set_source_rgb(cairo, Double(color.red) / 255, Double(color.green) / 255, Double(color.blue) / 255)
    }

    private func follow(_ points: [Drawing.Point]) {
        functions.new_path(cairo)
        for (index, point) in points.enumerated() {
            if index == 0 {
                functions.move_to(cairo, point.x, point.y)
            } else {
                functions.line_to(cairo, point.x, point.y)
            }
        }
    }
}

/// Takes the bytes of a picture as the library writes them.
private final class Sink {
    var bytes: [UInt8] = []
}

private let takeBytes: ccairo_write_callback = { context, bytes, count in
    guard let context, let bytes else { return Int32(ccairo_status_write_error) }
    let sink = Unmanaged<Sink>.fromOpaque(context).takeUnretainedValue()
    guard sink.bytes.count + Int(count) <= Raster.bytesMax else { return Int32(ccairo_status_write_error) }
    sink.bytes.append(contentsOf: UnsafeBufferPointer(start: bytes, count: Int(count)))
    return Int32(ccairo_status_success)
}
