import AlertCore
import AlertTesting
import PluginKit
import Testing

/// Answers that say 'as before' say it of the newest figures: these hold until then, whatever the source answers next.
@Suite struct `Answers that say as before` {
    private func bot(repeat: Duration? = .hours(4)) -> Rehearsal {
        var bot = Rehearsal(.rehearsed(for: .zero, repeat: `repeat`))
        bot.comparesReplay = true
        bot.pollAnswer = { _, _ in nil }
        bot.start()
        return bot
    }

    /// What the last reminder says of since when nothing is known; nil where it says nothing of it.
    private func noNews(_ bot: Rehearsal) throws -> String? {
        let reminder = try #require(bot.decisions.last { $0.kind == .reminder })
        return reminder.message.fields.first { $0.label == "No news since" }?.value
    }

    @Test func `let the figures last`() throws {
        var bot = bot()
        #expect(bot.play("w============", every: .hours(1)) == "O...M...M...M")
        #expect(try noNews(bot) == nil)
        #expect(bot.objections == [])
    }

    @Test func `say nothing of an app that the figures left out`() throws {
        var bot = bot()
        #expect(bot.play("w", every: .hours(1)) == "O")
        bot.see(.fine, of: Subject(source: "ios", app: "other"))
        #expect(bot.play("============", every: .hours(1)) == "...M...M...M")
        #expect(try noNews(bot)?.hasSuffix("12:00, for 12 h: the source answers, but no longer reports it") == true)
    }

    @Test(arguments: [("x", "the source gives no answer"), ("_", "the source answers, but no longer reports it")])
    func `are known to have said it when the source answers otherwise`(then: String, why: String) throws {
        var bot = bot()
        #expect(bot.play("w===", every: .hours(1)) == "O...")
        #expect(bot.play(then, every: .hours(1)) == "M")
        #expect(try noNews(bot) == "Fri 20 Nov 15:00, for 1 h: \(why)")
        #expect(bot.objections == [])
    }

    @Test func `say nothing of figures where the answer before had none, and count as unchanged`() throws {
        var bot = bot()
        #expect(bot.play("w===", every: .hours(1)) == "O...")
        for isAsBefore in [false, true, true] {
            var none = PollReport(.noData)
            none.isAsBefore = isAsBefore
            bot.step(.polled(source: "ios", none, validators: [:]))
            bot.advance(by: .hours(1))
        }
        let record = try #require(bot.state.schedule.sources["ios"])
        #expect(record.lastOutcome == .noData)
        #expect(record.unchangedCount == 2)
        #expect(try noNews(bot) == "Fri 20 Nov 15:00, for 1 h: the source answers, but no longer reports it")
        #expect(bot.objections == [])
    }

    @Test func `hold for what a later answer leaves out, until then, through others like them`() throws {
        var bot = bot()
        let other = Subject(source: "ios", app: "other")
        _ = bot.play("w===", every: .hours(1))
        for _ in 0..<3 { _ = bot.play(".==", every: .minutes(10), of: other) }
        bot.crash()
        _ = bot.play(".===", every: .hours(1), of: other)
        #expect(try noNews(bot)?.contains("15:00, for 5 h: the source answers, but no longer reports it") == true)
        #expect(bot.objections == [])
    }

    @Test func `are forgotten with the last that rests on them`() {
        var bot = bot()
        let other = Subject(source: "ios", app: "other")
        _ = bot.play("w===", every: .hours(1))
        bot.see(.fine, of: other)
        #expect(bot.state.schedule.sources["ios"]?.confirmed.count == 1)
        bot.see([(.shop, .warning), (other, .fine)])
        _ = bot.play("=")
        bot.see([(.shop, .warning), (other, .fine)])
        #expect(bot.state.schedule.sources["ios"]?.confirmed == [])
    }

    @Test func `keep an incident open for longer than a week, and one failed poll does not close it`() {
        var bot = bot(repeat: nil)
        _ = bot.play("w" + String(repeating: "=", count: 7 * 24 + 5) + "xxx", every: .hours(1))
        #expect(bot.marks(of: "shop") == "O")
        #expect(bot.state.figures.series[.shop] != nil)
    }

    @Test func `let a condition hold for its time, though the poll before its end fails`() {
        var bot = Rehearsal(.rehearsed(for: .minutes(185)))
        bot.pollAnswer = { _, _ in nil }
        bot.start()
        let told = bot.play("w" + String(repeating: "=", count: 17) + "x ", every: .minutes(10))
        #expect(told.hasSuffix("..O."), "\(told)")
    }

    @Test(arguments: [Duration.hours(3), .days(2), .minutes(-30), .days(-2)])
    func `hold through a clock that is set, for what waits for its time and for what is open`(step: Duration) throws {
        var bot = Rehearsal(.rehearsed(for: .minutes(10)))
        bot.comparesReplay = true
        bot.pollAnswer = { _, _ in nil }
        bot.start()
        _ = bot.play("w===")
        bot.setClock(by: step)
        _ = bot.play("==========")
        #expect(bot.marks(of: "shop") == "O")
        _ = bot.play(String(repeating: "=", count: 26), every: .minutes(10))
        #expect(bot.marks(of: "shop") == "OM")
        #expect(try noNews(bot) == nil)
        #expect(bot.objections == [])
    }

    @Test func `are known to have said it until then by the clock that was set forward since`() throws {
        var bot = bot()
        let other = Subject(source: "ios", app: "other")
        _ = bot.play("w==", every: .minutes(10))
        _ = bot.play(".", of: other)
        bot.setClock(by: .hours(3))
        _ = bot.play(".....", every: .hours(1), of: other)
        #expect(try noNews(bot)?.contains("15:20, for 3 h 40 min") == true)
        #expect(bot.objections == [])
    }
}
