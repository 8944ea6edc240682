import AlertModel
import Charts
import Markup

/// A figure of an app with all that there is to see about it. It is drawn twice, for wide windows and for telephones: a
/// drawing that is scaled down takes its letters with it.
extension Page {
    static func figure(_ picture: PagePicture) -> HTML {
        """
        <figure>\(PictureDrawing(picture, .wide).svg)\(PictureDrawing(picture, .narrow).svg)\
        <figcaption>\(picture.title)\(legend(picture))</figcaption></figure>
        """
    }

    /// What lines, stretches and marks are called.
    private static func legend(_ picture: PagePicture) -> HTML {
        var keys = picture.lines.enumerated().map { index, line in
            key("line l\(index % PictureDrawing.lineKinds)", line.name ?? "all releases")
        }
        keys += picture.limits.map { key("limit", $0.words) }
        if let usual = picture.usual {
            keys.append(key("usual", "usually \(picture.isRate ? usual.percent : usual.plain)"))
        }
        for stretch in picture.stretches {
            keys.append(
                #"<li><a href="../incidents/\#(stretch.id)"><i class="wrong \#(stretch.severity.rawValue)"></i>\#(stretch.words)</a></li>"#
            )
        }
        if picture.marks.contains(where: { $0.kind == .message }) {
            keys.append(key("message", "a message was sent", #"M12,1l5,8h-10z"#))
        }
        return #"<ul class="keys">\#(keys)</ul>"#
    }

    private static func key(_ kind: String, _ words: String, _ path: HTML = "M1,5H23") -> HTML {
        #"<li><svg class="key" viewBox="0 0 24 10" aria-hidden="true"><path class="\#(kind)" d="\#(path)"/></svg>\#(words)</li>"#
    }
}

/// A picture in one of two sizes.
private struct PictureDrawing {
    enum Size { case wide, narrow }

    /// Each line has a colour and a pattern of its own, so that nobody has to tell colours apart.
    static let lineKinds = 5

    private let picture: PagePicture
    private let size: Size
    private let time: TimeAxis
    private let axis: FigureAxis

    private var width: Double { size == .wide ? 760 : 340 }
    private static let height = 220.0
    private static let left = 58.0
    private static let top = 26.0
    private static let bottom = 26.0
    private var floor: Double { axis.top + axis.height }

    init(_ picture: PagePicture, _ size: Size) {
        self.picture = picture
        self.size = size
        let figures = picture.lines.flatMap { $0.points.map(\.figure) }.filter(\.isFinite)
        let needed = picture.limits.map(\.value) + [picture.usual].compactMap(\.self)
        axis = FigureAxis(
            figures, needing: needed.filter(\.isFinite), isRate: picture.isRate, top: PictureDrawing.top,
            height: PictureDrawing.height - PictureDrawing.top - PictureDrawing.bottom)
        time = TimeAxis(
            from: picture.from, to: picture.to, zone: picture.zone, left: PictureDrawing.left,
            width: (size == .wide ? 760 : 340) - PictureDrawing.left - 10)
    }

    var svg: HTML {
        """
        <svg class="chart \(size == .wide ? "broad" : "slim")" viewBox="0 0 \(width) \(PictureDrawing.height)" role="img" \
        aria-label="\(picture.title)">\(stretches)\(grid)\(releases)\(across)\(lines)\(messages)</svg>
        """
    }

    private var stretches: [HTML] {
        picture.stretches.compactMap { stretch in
            let (from, to) = (max(stretch.from, picture.from), min(stretch.to ?? picture.to, picture.to))
            guard from <= to else { return nil }
            return """
                <rect class="wrong \(stretch.severity.rawValue)" x="\(time.x(from))" y="\(axis.top)" \
                width="\(max(2, time.x(to) - time.x(from)))" height="\(axis.height)"><title>\(stretch.words)</title></rect>
                """
        }
    }

    /// Round figures and round hours.
    private var grid: HTML {
        let figures = axis.ticks.map { tick -> HTML in
            """
            <path class="grid" d="M\(time.left),\(tick.y)h\(time.width)"/>\
            <text class="figure" x="\(time.left - 6)" y="\(tick.y + 4)">\(tick.label)</text>
            """
        }
        let hours = time.ticks.map { tick -> HTML in
            """
            <path class="tick" d="M\(tick.x),\(floor)v4"/>\
            <text class="hour" x="\(min(tick.x, width - 18))" y="\(floor + 18)">\(tick.label)</text>
            """
        }
        return "\(figures)\(hours)"
    }

    /// A line where a release came, with its name as long as there is room.
    private var releases: [HTML] {
        var free = -Double.infinity
        return picture.marks.filter { $0.kind == .release && $0.at >= picture.from && $0.at <= picture.to }
            .sorted { $0.at < $1.at }.map { mark in
                let x = time.x(mark.at)
                let isAtEnd = x > time.left + time.width - 60
                let hasRoom = x >= free
                if hasRoom { free = x + 70 }
                let name: HTML? =
                    hasRoom
                    ? #"<text class="\#(isAtEnd ? "figure" : "name")" x="\#(isAtEnd ? x - 3 : x + 3)" y="\#(axis.top - 4)">\#(mark.words.clipped(to: 12))</text>"#
                    : nil
                return """
                    <path class="release" d="M\(x),\(axis.top - 12)V\(floor)"><title>\(mark.words) first seen</title></path>\(name)
                    """
            }
    }

    private var across: [HTML] {
        let usual = picture.usual.map { [($0, "usual" as HTML)] } ?? []
        return (usual + picture.limits.map { ($0.value, "limit") }).filter { $0.0.isFinite }.map { value, kind in
            #"<path class="\#(kind)" d="M\#(time.left),\#(axis.y(value))h\#(time.width)"/>"#
        }
    }

    private var lines: [HTML] {
        picture.lines.enumerated().reversed().map { index, line in
            #"<path class="line l\#(String(index % PictureDrawing.lineKinds))" d="\#(Page.path(line.points, time, axis))"/>"#
        }
    }

    /// A small triangle on the floor.
    private var messages: [HTML] {
        picture.marks.filter { $0.kind == .message && $0.at >= picture.from && $0.at <= picture.to }.map { mark in
            """
            <path class="message" d="M\(time.x(mark.at)),\(floor - 9)l5,9h-10z"><title>\(mark.words)</title></path>
            """
        }
    }
}
