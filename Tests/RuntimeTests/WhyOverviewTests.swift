import AlertCore
import AlertTesting
import PluginKit
import Runtime
import Testing

/// The answer to whoever asks "why" about everything.
@Suite struct WhyOverviewTests {
    private func bot(_ plan: Plan = .rehearsed()) -> Rehearsal {
        var bot = Rehearsal(plan)
        bot.start()
        return bot
    }

    private func see(_ cues: [(String, Cue)], _ bot: inout Rehearsal) {
        bot.see(cues.map { (Subject(source: "ios", app: $0.0), $0.1) })
    }

    private func text(_ bot: Rehearsal) -> String {
        var report = WhyReport(bot.state, bot.plan, at: bot.now)
        report.isOverview = true
        return report.text
    }

    /// The first line of each paragraph.
    private func heads(_ bot: Rehearsal) -> [String] {
        text(bot).split(separator: "\n\n").map { String($0.prefix { $0 != "\n" }) }
    }

    private let fine = "Fine, and nothing is open or held (--app explains more):"

    @Test func `what fires comes first, the worst at the top, and what is fine in one line each at the end`() {
        var bot = bot()
        see([("a", .fine), ("b", .warning), ("c", .unknown), ("d", .critical), ("e", .fine)], &bot)
        #expect(
            heads(bot) == [
                "d from ios: rule look", "b from ios: rule look", "c from ios: rule look", fine,
            ])
        let said = text(bot)
        #expect(
            said.hasSuffix(
                "\n\n\(fine)\n  a from ios: rule look: The script says ..\n"
                    + "  e from ios: rule look: The script says .."),
            "\(said)")
        // Programs read it in the order of the config.
        let why = WhyReport(bot.state, bot.plan, at: bot.now).json["why"]?.array
        #expect(why?.compactMap { $0["app"]?.string } == ["a", "b", "c", "d", "e"])
    }

    @Test func `what is pending stands before what cannot be judged`() {
        var bot = bot(.rehearsed(for: .minutes(10)))
        see([("a", .unknown), ("b", .warning), ("c", .fine)], &bot)
        #expect(heads(bot) == ["b from ios: rule look", "a from ios: rule look", fine])
    }

    @Test func `what is over is not fine while somebody has still to hear of it`() {
        var bot = bot(.rehearsed(gates: [.quiet(from: "2026-11-20 12:05", until: "2026-11-20 13:00")]))
        see([("a", .fine), ("b", .warning)], &bot)
        bot.advance(by: .minutes(6))
        see([("a", .fine), ("b", .fine)], &bot)
        #expect(heads(bot) == ["b from ios: rule look", fine])
        #expect(text(bot).contains("the message that it has ended is held by quiet_hours:nights"))
    }

    @Test func `what nobody has confirmed for too long is no line among what is fine`() {
        var bot = bot()
        bot.pollAnswer = { _, _ in nil }
        see([("a", .fine), ("b", .fine)], &bot)
        bot.suspend(for: .minutes(45))
        #expect(heads(bot) == ["a from ios: rule look", "b from ios: rule look"])
    }

    @Test func `a single answer is told whole`() {
        var bot = bot()
        bot.see(.fine)
        #expect(text(bot) == WhyReport(bot.state, bot.plan, at: bot.now).paragraphs[0])
    }
}
