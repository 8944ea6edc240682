internal import AlertCore
internal import Charts
internal import Markup
internal import PluginKit
internal import Preview

/// One app's time line as a drawing: the figure with its limit and bound, incidents, closed gates and messages.
///
/// The drawing stands alone: cut out of the page it is a file of its own. However long the span, it has at most one
/// pair of figures, lowest and highest, for each column.
struct AppPicture {
    private let story: PlayedApp
    private let time: TimeAxis
    private let closures: [BacktestReport.GateClosures]
    private let zone: Zone
    private let channels: [String]
    /// Tells this drawing's names from those of others on the page.
    private let id: String

    /// In units of the drawing, which are a little more than pixels where it has its usual place.
    enum Width: Double {
        /// Alone on the page's line.
        case whole = 780
        /// Beside another one.
        case half = 500
        /// As wide as a telephone's page, where nothing is made smaller.
        case near = 350
    }

    private let width: Double

    private static let left = 96.0
    private static let right = 14.0
    private static let panelHeight = 120.0
    private static let panelTitle = 22.0
    private static let panelGap = 12.0
    private static let lane = 20.0
    private static let axis = 24.0
    /// Nothing narrower than this is drawn by itself.
    static let column = 2.0
    /// Lanes for channels: what more would make of a picture.
    private static let channelsMax = 5

    /// - Parameters:
    ///   - from: nil for where the backtest begins.
    ///   - to: nil for where it ends.
    init(
        _ story: PlayedApp, _ report: BacktestReport, id: String, _ width: Width = .whole, from: Moment? = nil,
        to: Moment? = nil
    ) {
        self.story = story
        self.id = id
        self.width = width.rawValue
        zone = report.zone
        closures = report.closures
        time = TimeAxis(
            from: from ?? report.from, to: to ?? report.to, zone: report.zone, left: AppPicture.left,
            width: width.rawValue - AppPicture.left - AppPicture.right)
        let told = Set(story.records.map(\.channel))
        channels = Array(report.channels.map(\.name).filter(told.contains).prefix(AppPicture.channelsMax))
    }

    /// `<svg>…</svg>`.
    var svg: HTML {
        var y = AppPicture.panelGap / 2
        var panels: [HTML] = []
        for panel in story.panels {
            let drawing = PanelDrawing(panel, time, top: y + AppPicture.panelTitle, height: AppPicture.panelHeight)
            panels.append(
                """
                <text class="k" x="\(AppPicture.left)" y="\(y + 15)">\(title(of: panel))</text>\
                \(drawing.piece)
                """)
            y += AppPicture.panelTitle + AppPicture.panelHeight + AppPicture.panelGap
        }
        let top = AppPicture.panelGap / 2 + (story.panels.isEmpty ? 0 : AppPicture.panelTitle)
        let marks = MarkDrawing(time: time, zone: zone, worst: story.worstSeverities)
        var lanes: [HTML] = [lane("incidents", y, marks.incidents(story.incidents, y: y, height: AppPicture.lane))]
        y += AppPicture.lane
        for channel in channels {
            let records = story.records.filter { $0.channel == channel }
            lanes.append(lane(channel, y, marks.messages(records, y: y, height: AppPicture.lane)))
            y += AppPicture.lane
        }
        let bottom = y + 4
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(width) \(bottom + AppPicture.axis)" \
            role="img" aria-labelledby="t\(id) d\(id)"><title id="t\(id)">\(story.key.title)</title>\
            <desc id="d\(id)">\(description)</desc><style>\(AppPicture.style)</style>
            <rect class="g" width="\(width)" height="\(bottom + AppPicture.axis)" rx="8"/>
            \(marks.closures(closures, top: top, bottom: bottom))\
            \(marks.troubles(story.incidents, top: top, bottom: bottom))\(axis(top, bottom))
            \(panels)
            \(lanes)
            </svg>
            """
    }

    /// What the drawing shows, in a few sentences.
    var description: String {
        let sent = story.records.count { $0.isMessage }
        let worst = story.panels.map { panel -> String in
            let axis = FigureAxis(panel.points, isRate: panel.isRate, top: 0, height: 1)
            let figures = panel.points.flatMap { [$0.figure, $0.best].compactMap(\.self) }
            guard let low = figures.min(), let high = figures.max() else { return "" }
            return "\(panel.title): from \(axis.label(low)) to \(axis.label(high))"
                + (panel.points.compactMap(\.limit).last.map { ", limit \(axis.label($0))" } ?? "") + ". "
        }
        return "\(zone.words(time.from)) to \(zone.words(time.to)). " + worst.joined()
            + "\(story.incidents.count.counted("incident")), \(sent.counted("message")), "
            + "\(story.records.count - sent) held or dropped."
    }

    /// Beside the limits; a picture from near has the rule above it.
    private func title(of panel: PlayedApp.Panel) -> String {
        let title = width == Width.near.rawValue ? Metric(panel.metric).title : panel.title
        return title.clipped(to: Int(width / 9))
    }

    private func lane(_ name: String, _ y: Double, _ marks: [HTML]) -> HTML {
        """
        <text class="l" x="\(AppPicture.left - 8)" y="\(y + 14)">\(name.clipped(to: 14))</text>\
        <path class="a" d="M\(time.left),\(y + AppPicture.lane / 2)h\(time.width)"/>\(marks)

        """
    }

    private func axis(_ top: Double, _ bottom: Double) -> [HTML] {
        time.ticks.map { tick in
            let kind: HTML = tick.isMain ? "m" : "a"
            return """
                <path class="\(kind)" d="M\(tick.x),\(top)V\(bottom)"/>\
                <text class="x" x="\(min(tick.x, width - 24))" y="\(bottom + 16)">\(tick.label)</text>
                """
        }
    }

    /// Light and dark, wherever the drawing stands.
    private static let style: HTML = """
        .g{fill:#fff}text{font:11px system-ui,"Segoe UI",Roboto,"Noto Sans",sans-serif;fill:#626274}\
        .k{fill:#1c1c28;font-weight:600}.l{text-anchor:end}.x{text-anchor:middle}.a,.m{stroke:#e9e9f0;fill:none}\
        .m{stroke:#d3d3de}.q{fill:#8a8aa8;opacity:.13}.u{fill:none;stroke:#626274;stroke-width:1;opacity:.8}.f,.s{fill:none;stroke:#5546d6;stroke-width:1.6;\
        stroke-linejoin:round;stroke-linecap:round}.f{fill:#5546d6;fill-opacity:.3;stroke-width:1}\
        .b{fill:none;stroke:#5546d6;stroke-width:1;stroke-dasharray:1 3;\
        opacity:.8}.t{fill:none;stroke:#c81e30;stroke-width:1.2;stroke-dasharray:6 3}.tl{fill:#c81e30;text-anchor:end}\
        .critical{fill:#c81e30}.warning{fill:#d98200}.info{fill:#1f6cd6}.resolved{fill:#137a38}.digest,.closed{fill:#6e7781}\
        .i{opacity:.1}.h{fill:none;stroke:#8a6a20;stroke-width:1.4}.n{fill:none;stroke:#c81e30;stroke-width:1.4}\
        @media(prefers-color-scheme:dark){.g{fill:#1f1f28}text{fill:#a2a2b4}.k{fill:#ececf3}.a{stroke:#2b2b36}\
        .m{stroke:#3c3c4a}.f,.s{stroke:#a79dff}.f{fill:#a79dff}.b{stroke:#a79dff}.u{stroke:#a2a2b4}.t{stroke:#ff6b76}.tl{fill:#ff6b76}\
        .critical{fill:#ff6b76}.warning{fill:#ffab4a}.info{fill:#6cabff}.resolved{fill:#4fce7b}.i{opacity:.16}\
        .h{stroke:#e0b860}.n{stroke:#ff6b76}.q{fill:#b4b4d8;opacity:.12}}
        """
}
