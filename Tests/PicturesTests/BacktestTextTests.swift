internal import AlertCore
internal import PluginKit
internal import PluginTesting
internal import Preview
internal import Testing

@testable import Pictures

@Suite struct BacktestTextTests {
    private let day = Shop.hours([("shop-ios", Shop.badDay)])

    @Test func `a backtest is a time line, a table of rules and a sum`() throws {
        let text = BacktestText(Shop.backtest(day), .none).text
        #expect(try snapshotFlaw(of: text + "\n", named: "backtest.txt") == nil)
    }

    /// A night in which it is a little bad, and an afternoon.
    private let twice = Shop.hours([
        ("shop-ios", [9, 240, 310, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 80, 85, 9, 10, 9])
    ])

    @Test func `what waited for company and was sent is not called held, and what quiet hours held is`() throws {
        let report = Shop.backtest(
            twice, Shop.config(critical: "< 90%", holdTime: "0s", gate: "together: {plugin: group, wait: 30s}"))
        let rule = try #require(report.rules.first)
        #expect(report.preview.decisions.contains { $0.reason.description == "group:together" })
        #expect(rule.gates == ["quiet_hours:nights": 6])
        #expect(rule.gated == 6)
        #expect(rule.notifications == 18)
        #expect(rule.json["held_or_dropped"] == 6)
        let text = BacktestText(report, .none).text
        #expect(text.contains("\n\n  Held or dropped by: quiet_hours:nights 6\n\n"), "\(text)")
        #expect(!BacktestText(Shop.backtest(day), .none).text.contains("Held or dropped by"))
        let page = BacktestPage(report).text
        #expect(page.contains(#"<p class="legend">Held or dropped by: quiet_hours:nights 6.</p>"#))
    }

    @Test func `where there are several rules each message says of which it is`() throws {
        let fall =
            "fall: {plugin: threshold, metric: crash_free_users, critical: \"< 98%\", window: 1h, confidence: off}"
        let report = Shop.backtest(day, Shop.config(critical: "< 99%", holdTime: "0s", gate: fall))
        let text = BacktestText(report, .none).text
        #expect(text.contains(" (floor, first)\n") && text.contains(" (fall, first)\n"), "\(text)")
        let column = #"<th scope="col">rule</th><th scope="col">kind</th>"#
        #expect(BacktestPage(report).text.contains(column))
        let one = Shop.backtest(day)
        #expect(!BacktestText(one, .none).text.contains("floor, first"))
        #expect(!BacktestPage(one).text.contains(column))
        // Where only the other config has another rule, it is told from the rest.
        let compared = BacktestText(one, .none).compared(Difference(one, report), with: "other.yaml")
        #expect(compared.contains(" (fall, first)"), "\(compared)")
    }

    @Test func `what another config would have said is shown by its differences`() throws {
        let before = Shop.backtest(day)
        let after = Shop.backtest(day, Shop.config(critical: "< 95%", holdTime: "2h"))
        let text = BacktestText(before, .none).compared(Difference(before, after), with: "other.yaml")
        #expect(try snapshotFlaw(of: text + "\n", named: "backtest-difference.txt") == nil)
        let same = BacktestText(before, .none).compared(Difference(before, before), with: "other.yaml")
        #expect(same.contains("  None: both send the same "), "\(same)")
        #expect(same.hasSuffix(" the same."))
    }

    @Test func `over a change of the clocks every time says which of two equal hours it means`() {
        let back = Duration.days(-26) - .hours(3)
        let night = Shop.hours([("shop-ios", [9, 10, 240, 310, 9])]).map { batch in
            ObservationReader.Batch(seen: batch.seen + back, lines: batch.lines.map { $0.moved(by: back) })
        }
        let text = BacktestText(Shop.backtest(night), .none).text
        #expect(text.contains("(Sun 2026-10-25 00:00 CEST – Sun 2026-10-25 03:00 CET, Europe/Madrid)"), "\(text)")
        #expect(text.contains("\n    02:00 CEST  team: opened: "), "\(text)")
    }

    @Test func `where nothing was said that is said`() {
        let text = BacktestText(Shop.backtest(Shop.hours([("shop-ios", [9, 10])])), .none).text
        #expect(text.contains("\n\n  Nothing would have been sent.\n\n"))
    }

    @Test func `paint is codes around words, or nothing`() {
        let on = Paint(isOn: true)
        #expect(on.red("x") == "\u{1B}[31mx\u{1B}[0m")
        #expect(on.bold("x") + on.dim("x") == "\u{1B}[1mx\u{1B}[0m\u{1B}[2mx\u{1B}[0m")
        #expect([Paint.none.bold("x"), Paint.none.green("x"), Paint.none.yellow("x")] == ["x", "x", "x"])
        var ink = TerminalLine.Ink()
        ink.isBold = true
        ink.isStruck = true
        ink.color = .blue
        let line = TerminalLine([TerminalLine.Piece("plain "), TerminalLine.Piece("struck", ink)])
        #expect(on.line(line) == "plain \u{1B}[1;9;34mstruck\u{1B}[0m")
        #expect(Paint.none.line(line) == "plain struck")
    }
}
