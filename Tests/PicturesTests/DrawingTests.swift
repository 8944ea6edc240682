internal import AlertCore
internal import Charts
internal import Markup
internal import PluginKit
internal import Testing

@testable import Pictures
@testable import Preview

@Suite struct DrawingTests {
    private func story(_ crashed: [Int]) throws -> (PlayedApp, BacktestReport) {
        let report = Shop.backtest(Shop.hours([("shop-ios", crashed)]))
        return (try #require(PlayedApp.all(report).first), report)
    }

    @Test func `a drawing stands alone, and says in words what it shows`() throws {
        let (story, report) = try story(Shop.badDay)
        let svg = AppPicture(story, report, id: "0").svg.text
        #expect(svg.hasPrefix("<svg xmlns=\"http://www.w3.org/2000/svg\""))
        #expect(svg.hasSuffix("</svg>"))
        #expect(svg.contains("<title id=\"t0\">shop-ios (production)</title>"))
        #expect(
            svg.contains(
                "crash-free users · rule floor: from 96.9% to 99.92%, limit 99.5%. 2 incidents, 24 messages, 0 held"))
        #expect(svg.contains("prefers-color-scheme:dark"))
        for part in ["class=\"s\"", "class=\"t\"", "class=\"critical", "class=\"q\"", "<title>nights</title>"] {
            #expect(svg.contains(part), "\(part)")
        }
    }

    @Test func `hours in which a gate is closed to some channels name these`() throws {
        let gate = "lunch: {plugin: quiet_hours, between: 13:00-14:00, channel: [ops, team]}"
        let config = Shop.config(critical: "< 99%", holdTime: "0s", gate: gate)
        let report = Shop.backtest(Shop.hours([("shop-ios", Shop.badDay)]), config)
        let svg = AppPicture(try #require(PlayedApp.all(report).first), report, id: "0").svg.text
        #expect(svg.contains("<title>lunch, in ops or team</title>"))
        #expect(svg.contains("<title>nights</title>"))
    }

    @Test func `a month of minutes is no larger than its columns`() throws {
        // As many looks as a month has minutes, wild enough for a band in every column.
        var crashed: [Int] = []
        for minute in 0..<43_200 { crashed.append(minute % 7 == 0 ? 40 : minute % 5) }
        var trace = Traces.Trace()
        for (minute, number) in crashed.enumerated() { trace.add(number, at: Shop.start + .minutes(Int64(minute))) }
        #expect(trace.points.count <= Traces.Trace.pointsMax)
        let panel = PlayedApp.Panel(rule: "floor", release: nil, metric: "crash_free_users", points: trace.points)
        let axis = TimeAxis(from: Shop.start, to: Shop.start + .hours(24 * 30), zone: .utc, left: 96, width: 670)
        let drawing = PanelDrawing(panel, axis, top: 20, height: 120).piece.text
        #expect(drawing.utf8.count < 12_000, "\(drawing.utf8.count) bytes")
        // Every column has its lowest and its highest figure.
        let band = try #require(drawing.firstMatch(of: /class="f" d="([^"]*)"/)?.1)
        #expect(band.count { $0 == "l" } > 600)
    }

    @Test func `where figures are missing the line is broken`() throws {
        let (story, report) = try story([9, 10, 9] + Array(repeating: 9, count: 9))
        let whole = AppPicture(story, report, id: "0").svg.text
        #expect(whole.firstMatch(of: /class="s" d="([^"]*)"/)?.1.count { $0 == "M" } == 1)
        var batches = Shop.hours([("shop-ios", Array(repeating: 9, count: 24))])
        batches.removeSubrange(8..<16)
        let gap = Shop.backtest(batches)
        let broken = AppPicture(try #require(PlayedApp.all(gap).first), gap, id: "0").svg.text
        #expect(broken.firstMatch(of: /class="s" d="([^"]*)"/)?.1.count { $0 == "M" } == 2)
    }

    @Test(arguments: [
        (2, 2), (12, 10), (30, 9), (168, 7), (720, 4), (8760, 4), (87_600, 2),
    ])
    func `the time axis has names enough, none over another`(hours: Int64, least: Int) {
        let axis = TimeAxis(from: Shop.start, to: Shop.start + .hours(hours), zone: .utc, left: 96, width: 670)
        let ticks = axis.ticks
        #expect(ticks.count >= least, "\(ticks.map(\.label))")
        for (left, right) in zip(ticks, ticks.dropFirst()) { #expect(right.x - left.x >= 50, "\(ticks.map(\.label))") }
    }

    @Test(
        arguments: [
            ([0.99, 0.995, 0.999], true), ([0.5, 0.999], true), ([1, 1], true), ([0], false), ([0, 3_000_000], false),
            ([.greatestFiniteMagnitude, -.greatestFiniteMagnitude], false), ([], true),
        ] as [([Double], Bool)])
    func `every figure has a place, and some have names`(figures: [Double], isRate: Bool) {
        let points = figures.enumerated().map { index, figure in
            Traces.Point(figure, at: Shop.start + .hours(Int64(index)))
        }
        let axis = FigureAxis(points, isRate: isRate, top: 10, height: 100)
        for figure in figures { #expect((10...110).contains(axis.y(figure)), "\(figure)") }
        #expect(axis.ticks.count <= 6)
        #expect(axis.ticks.allSatisfy { (10...110).contains($0.y) })
    }

    @Test func `a hundred apps over thirty days fit into a page`() {
        let apps = (0..<100).map { index in
            let crashed = (0..<120).map { step -> Int in step % 97 == index ? 300 : 5 + (step + index) % 9 }
            return (app: "app-\(index)", crashed: crashed)
        }
        let page = BacktestPage(Shop.backtest(Shop.hours(apps, every: 6))).text
        #expect(page.matches(of: /<svg\s/).count == 100 + BacktestPage.closeUpsMax)
        #expect(page.utf8.count < 2_000_000, "\(page.utf8.count) bytes")
    }

    @Test func `beyond its bounds a page says what it leaves out`() {
        let apps = (0..<(BacktestPage.picturesMax + 3)).map { (app: "app-\($0)", crashed: [9, 10]) }
        let page = BacktestPage(Shop.backtest(Shop.hours(apps))).text
        #expect(page.matches(of: /<svg\s/).count == BacktestPage.picturesMax)
        #expect(page.contains("<h2>Not drawn</h2><p>app-97 (production), app-98 (production), app-99 (production)</p>"))
    }

    @Test func `each incident is drawn from near, from six hours before it to six after, and its limits stand still`()
        throws
    {
        let calm = Array(repeating: 9, count: 40)
        let (story, report) = try story(calm + [80, 240, 310, 120] + calm)
        let near = CloseUp.all(story, report, most: 6)
        #expect(near.count == story.incidents.count && !near.isEmpty)
        for closeUp in near {
            #expect(closeUp.span.from == closeUp.incident.since - .hours(6))
            #expect(closeUp.span.to == closeUp.incident.until.map { $0 + .hours(6) })
            #expect(closeUp.story.panels.map(\.rule) == [closeUp.incident.rule])
            #expect(closeUp.story.records.allSatisfy { $0.message.incidents.contains { $0.id == closeUp.incident.id } })
            let figure = closeUp.figure(report, id: "n").text
            #expect(figure.contains("viewBox=\"0 0 350"))
            #expect(figure.contains(/class="tl"[^>]*>limits? [0-9.]+%/))
            let limits = Set(closeUp.story.panels.flatMap(\.points).compactMap(\.limit))
            let lines = try #require(figure.firstMatch(of: /<path class="t" d="([^"]*)"/)).1
            #expect(lines.count { $0 == "h" } == limits.count && !lines.contains("V"), "\(lines)")
        }
        #expect(CloseUp.all(story, report, most: 0).isEmpty)
    }

    @Test func `one trouble far deeper than the others does not flatten them, and its depth is written`() throws {
        let calm = Array(repeating: 9, count: 30)
        func page(_ deep: Int) -> String {
            let days = (0..<6).flatMap { _ in calm + [150, 150, 150] } + calm + [deep, deep] + calm
            return BacktestPage(Shop.backtest(Shop.hours([("shop-ios", days)]))).text
        }
        #expect(page(6000).contains(">down to 40%</text>"))
        #expect(!page(200).contains("down to "))
    }

    @Test func `the same is true of a rule that says what is usual and has no limit`() {
        func axis(_ deepest: Double) -> FigureAxis {
            let figures = Array(repeating: 0.999, count: 30) + [0.98, 0.982, 0.981, deepest]
            let points = figures.enumerated().map { hour, figure in
                let evidence = Evidence(
                    figure: Figure(value: figure, share: nil), reference: .usual(0.999), sentence: "")
                let verdict: Judgement.Verdict = figure < 0.99 ? .firing(.warning) : .ok(recovered: true)
                return Traces.Point(Judgement(verdict, .far, evidence), at: Shop.start + .hours(Int64(hour)))
            }
            return FigureAxis(points, isRate: true, top: 10, height: 100)
        }
        #expect(axis(0.979).low > 0.95)
        #expect(axis(0.4).low > 0.95)
        #expect(axis(0.95).low < 0.95)
    }

    @Test func `incidents that are not drawn from near are counted`() throws {
        let calm = Array(repeating: 9, count: 12)
        let days = (0..<9).flatMap { _ in calm + [240, 240] } + calm
        let report = Shop.backtest(Shop.hours([("shop-ios", days)]))
        let count = try #require(PlayedApp.all(report).first).incidents.count
        let page = BacktestPage(report).text
        #expect(count > BacktestPage.closeUpsOfApp)
        #expect(page.contains("\(count - BacktestPage.closeUpsOfApp) incidents of \(count) not drawn from near."))
    }

    @Test func `what several channels hear alike is one row`() {
        let page = BacktestPage(Shop.backtest(Shop.hours([("shop-ios", Shop.badDay)]))).text
        #expect(page.contains("<td>team, oncall, ops, pager, page, log</td>"))
    }
}

extension Traces.Trace {
    fileprivate mutating func add(_ crashed: Int, at moment: Moment) {
        let figure = Figure(value: 1 - Double(crashed) / 10_000, share: nil)
        add(
            Judgement(.ok(recovered: true), .far, Evidence(metric: "crash_free_users", figure: figure, sentence: "")),
            at: moment)
    }
}

extension Traces.Point {
    fileprivate init(_ figure: Double, at moment: Moment) {
        let figure = Figure(value: figure, share: nil)
        self.init(Judgement(.ok(recovered: true), .far, Evidence(figure: figure, sentence: "")), at: moment)
    }
}
