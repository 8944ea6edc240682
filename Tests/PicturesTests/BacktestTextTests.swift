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
