import AlertCore
import AlertTesting
import BudgetGate
import PluginKit
import PluginTesting
import QuietHoursGate
import Testing

/// Who has been told of an incident is told who takes care of it.
@Suite struct `Acknowledgements` {
    private let shop = Subject(source: "ios", app: "shop")

    private func bot(_ gates: [GatePlan] = [], channels: [ChannelPlan] = [ChannelPlan(name: "team")]) -> Rehearsal {
        .checked(.rehearsed(gates: gates, channels: channels))
    }

    private func acknowledge(_ bot: inout Rehearsal, by name: String?) {
        bot.step(.command(.acknowledge(bot.state.incidents.inOrder.map(\.id), by: name), id: 1))
    }

    @Test func `every channel that heard of it hears of it, in one line`() throws {
        var bot = bot(channels: ["team", "oncall"].map { ChannelPlan(name: $0) })
        bot.see(.critical)
        acknowledge(&bot, by: "ana")
        #expect(bot.marks(in: "team") == "OA")
        #expect(bot.marks(in: "oncall") == "OA")
        let message = try #require(bot.decisions.last?.message)
        #expect(message.headline == "👀 shop: ana is on it; The script says c.")
        #expect(message.fields.map(\.label) == ["Since"])
        #expect(bot.decisions.last?.reason.description == "acknowledged")
        #expect(bot.objections == [])
    }

    @Test func `a second one adds to the first, and the same one again says nothing`() {
        var bot = bot()
        bot.see(.critical)
        acknowledge(&bot, by: "ana")
        acknowledge(&bot, by: "ben")
        #expect(bot.decisions.last?.message.headline == "👀 shop: ana and ben are on it; The script says c.")
        acknowledge(&bot, by: "ana")
        acknowledge(&bot, by: "ben")
        #expect(bot.marks() == "OAA")
        #expect(bot.state.incidents.inOrder[0].acknowledgement?.names == "ana and ben")
    }

    @Test(arguments: [
        (["ana"], "ana is"), ([nil], "somebody is"), (["ana", nil], "ana and somebody are"),
        (["ana", "ben", "eve"], "ana, ben and eve are"), (["a", "b", "c", "d"], "a, b and 2 others are"),
    ])
    func `names are listed as people list them`(_ names: [String?], _ expected: String) {
        var bot = bot()
        bot.see(.critical)
        for name in names { acknowledge(&bot, by: name) }
        #expect(bot.decisions.last?.message.headline.contains(": \(expected) on it;") == true)
    }

    @Test func `no crowd makes it grow without bounds, and every name survives a kill`() {
        var bot = bot()
        bot.see(.critical)
        for number in 0..<100 { acknowledge(&bot, by: "n\(number)") }
        bot.crash()
        #expect(bot.state.incidents.inOrder[0].acknowledgement?.names == "n0, n1 and 30 others")
        #expect(bot.objections == [])
    }

    @Test func `in quiet hours it is not said, not even later`() throws {
        let night = try GatePlan.rule(QuietHoursGate.self, "night", ["between": "13:00-14:00"])
        var bot = bot([night])
        bot.see(.critical)
        bot.advance(to: .utc("2026-11-20 13:10"))
        acknowledge(&bot, by: "ana")
        bot.advance(by: .hours(2))
        #expect(bot.marks() == "Ox")
        #expect(bot.decisions.last?.reason.description == "quiet_hours:night")
    }

    @Test func `a budget that is spent is kept to`() throws {
        var bot = bot([try .rule(BudgetGate.self, "calm-down", ["at_most": "1 per 1h"])])
        bot.see(.critical)
        acknowledge(&bot, by: "ana")
        #expect(bot.marks() == "Ox")
        #expect(bot.decisions.last?.reason.description == "budget:calm-down")
    }

    @Test func `a channel that does not want to know is not told`() {
        var bot = bot(channels: [ChannelPlan(name: "team", hearsAcknowledgements: false)])
        bot.see(.critical)
        acknowledge(&bot, by: "ana")
        #expect(bot.marks() == "O")
    }

    @Test func `an opening that has not left yet says it itself`() throws {
        var bot = bot()
        bot.sendAnswer = { _, _ in (.retry(after: .minutes(5), "busy"), .zero) }
        bot.see(.critical)
        bot.see(.critical, of: Subject(source: "ios", app: "bank"))
        bot.advance(by: .seconds(1))
        acknowledge(&bot, by: "ana")
        let waiting = bot.state.outbox.inOrder
        #expect(waiting.map(\.kind) == [.opened, .opened])
        #expect(waiting.allSatisfy { $0.message.fields.contains(Message.Field("On it", "ana")) })
    }

    @Test func `getting worse is told, and takes back the acknowledgement`() {
        var bot = bot()
        bot.see(.warning)
        acknowledge(&bot, by: "ana")
        bot.see(.critical)
        #expect(bot.marks() == "OAE")
        #expect(bot.state.incidents.inOrder[0].acknowledgement == nil)
        #expect(bot.decisions.last?.message.fields.contains { $0.label == "On it" } == false)
    }

    @Test func `getting a little better and as bad again is not getting worse`() {
        var bot = bot()
        bot.see(.critical)
        acknowledge(&bot, by: "ana")
        for look: Cue in [.warning, .critical, .warning] {
            bot.advance(by: .minutes(5))
            bot.see(look)
        }
        acknowledge(&bot, by: "ben")
        bot.advance(by: .minutes(5))
        bot.see(.critical)
        #expect(bot.state.incidents.inOrder[0].acknowledgement?.names == "ana and ben")
        #expect(!bot.marks().contains("E"))
        bot.crash()
        bot.see(.warning)
        bot.see(.critical)
        #expect(bot.state.incidents.inOrder[0].acknowledgement?.names == "ana and ben")
    }

    @Test func `what is acknowledged once it is better gets worse as before`() {
        var bot = bot()
        bot.see(.critical)
        bot.see(.warning)
        acknowledge(&bot, by: "ana")
        bot.see(.critical)
        #expect(bot.state.incidents.inOrder[0].acknowledgement == nil)
    }

    @Test func `what is said of it afterwards names who is on it, and its end does not`() {
        var bot = bot()
        bot.see(.critical)
        acknowledge(&bot, by: "ana")
        bot.see(.fine)
        #expect(bot.marks() == "OAR")
        #expect(bot.decisions.last?.message.fields.contains { $0.label == "On it" } == false)
    }

    @Test func `a pager hears of it`() {
        var bot = bot(channels: [ChannelPlan(name: "pager", isPager: true)])
        bot.see(.critical)
        acknowledge(&bot, by: "ana")
        #expect(bot.marks() == "OA")
    }
}
