import AlertCore
import AlertTesting
import PluginKit
import PluginTesting
import Testing

@testable import DropDetector

@Suite struct `A fall that stays` {
    private func bot() throws -> Rehearsal {
        let rule = try ([:] as WrittenOptions).detector(DropDetector.self)
        var bot = Rehearsal(.rehearsed(detectors: [DetectorPlan(name: "fall", detector: rule, repeat: .hours(12))]))
        bot.comparesReplay = false
        bot.pollAnswer = { _, _ in nil }
        bot.start()
        return bot
    }

    /// Days of an app of whose 10,000 users an hour some crash; gives back what was said of it.
    @discardableResult
    private func pass(_ bot: inout Rehearsal, days: Int, rate: Double) -> [(kind: Notification.Kind, headline: String)]
    {
        let before = bot.decisions.count
        for hour in 0..<(days * 24) {
            bot.advance(by: .hours(1))
            // One user more or less, so that it is not all the same.
            let crashed = 10_000 * rate + Double(hour % 3) - 1
            bot.see([.figures(["users": 10_000, "crashed_users": crashed], at: bot.now, lasting: .hours(1))])
        }
        bot.advance(by: .seconds(1))
        return bot.decisions[before...].map { ($0.kind, $0.message.headline) }
    }

    @Test func `ends in grey when it counts as usual, without a word of recovery or of silence`() throws {
        var bot = try bot()
        #expect(pass(&bot, days: 5, rate: 0.005).isEmpty)
        let told = pass(&bot, days: 17, rate: 0.03)
        #expect(told.first?.kind == .opened)
        let ends = told.filter(\.kind.isEnd)
        #expect(ends.map(\.headline) == ["⚪ shop: crash-free users 97.00% now counts as normal, after 14 d 1 h"])
        #expect(told.last?.kind == .resolved)
        #expect(told.filter { $0.headline.contains("no news") }.map(\.headline) == [])
        let message = try #require(bot.decisions.last).message
        #expect(message.reason == "It has stayed like this for 14 d, so it now counts as normal; it has not improved.")
        // From there on it is judged by what is usual now.
        let next = pass(&bot, days: 1, rate: 0.09)
        #expect(next.first?.kind == .opened)
        #expect(pass(&bot, days: 2, rate: 0.03).last?.headline.hasPrefix("✅ shop: crash-free users 97.") == true)
        #expect(bot.objections == [])
    }

    @Test func `is known to be usual after a restart`() throws {
        var life = Life(seed: 7)
        life.pass(days: 21)
        life.pass(days: 16, rate: 0.02)
        let stayed = try #require(life.memory.stayed)
        let again = try DropMemory(JSONReader(JSON(parsing: life.memory.json.text)))
        #expect(again.stayed == stayed)
        #expect(again.hasAccepted(fallSince: Moment(milliseconds: stayed)))
        #expect(!again.hasAccepted(fallSince: Moment(milliseconds: stayed + 1)))
    }

    @Test func `counts for nothing where it was so by a clock that was ahead`() throws {
        var life = Life(seed: 7)
        life.pass(days: 21)
        life.pass(days: 16, rate: 0.02)
        #expect(life.memory.stayed != nil)
        for step in 0..<DropMemory.behindEnough { life.memory.add(Life.observation(step, users: 100, crashed: 0)) }
        #expect(life.memory.stayed == nil)
    }
}
