import AlertCore
import AlertTesting
import BudgetGate
import GroupGate
import PluginKit
import PluginTesting
import QuietHoursGate
import Testing

@Suite struct `Pagers` {
    /// A pager, and a chat to compare it with.
    private func bot(_ gates: [GatePlan] = []) -> Rehearsal {
        .checked(
            .rehearsed(gates: gates, channels: [ChannelPlan(name: "pager", isPager: true), ChannelPlan(name: "team")]))
    }

    @Test func `an incident that gets worse and ends is told step by step`() {
        var bot = bot()
        bot.see(.warning)
        bot.see(.critical)
        bot.see(.fine)
        #expect(bot.marks(in: "pager") == "OER")
        #expect(bot.objections == [])
    }

    @Test func `nobody is reminded: a pager does that itself`() {
        var bot = bot()
        bot.see(.critical)
        for _ in 0..<48 {
            bot.advance(by: .minutes(30))
            bot.see(.critical)
        }
        #expect(bot.marks(in: "pager") == "O")
        #expect(bot.marks(in: "team").hasPrefix("OMM"))
        #expect(bot.objections == [])
    }

    @Test func `what opens together is an alert each`() throws {
        var bot = bot([try .rule(GroupGate.self, "together", [:])])
        bot.seeEach(parts("shop", 3))
        bot.advance(by: .minutes(1))
        #expect(bot.marks(in: "team") == "hhhO")
        #expect(bot.marks(in: "pager") == "hhhOOO")
        #expect(bot.decisions.filter { $0.channel == "pager" }.allSatisfy { $0.message.incidents.count == 1 })
        bot.see(parts("shop", 3).map { ($0, .fine) })
        bot.advance(by: .minutes(1))
        #expect(bot.marks(in: "pager") == "hhhOOOhhhRRR")
        #expect(bot.state.incidents.isEmpty)
        #expect(bot.objections == [])
    }

    @Test func `what a budget holds becomes an alert each when there is room again`() throws {
        var bot = bot([try .rule(BudgetGate.self, "calm-down", ["at_most": "3 per 1h"])])
        bot.see(parts("shop", 5).map { ($0, .warning) })
        bot.advance(by: .hours(2))
        #expect(bot.marks(in: "team") == "OOOhhD")
        #expect(bot.marks(in: "pager") == "OOOhhOO")
        #expect(bot.objections == [])
    }

    @Test func `what came and went while a gate was closed calls nobody`() throws {
        let night = try GatePlan.rule(QuietHoursGate.self, "night", ["between": "11:00-13:00"])
        var bot = bot([night])
        bot.see(.critical)
        bot.see(.fine)
        bot.advance(by: .hours(3))
        #expect(bot.marks(in: "team") == "hxD")
        #expect(bot.marks(in: "pager") == "hxx")
        #expect(bot.state.incidents.isEmpty)
        #expect(bot.objections == [])
    }
}
