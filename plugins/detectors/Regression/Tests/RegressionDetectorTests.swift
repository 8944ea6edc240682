import AlertCore
import AlertTesting
import PluginKit
import PluginTesting
import RegressionDetector
import Testing

private typealias Issue = AlertModel.Issue

@Suite struct `Issues that are back` {
    private func bot(_ options: WrittenOptions = [:]) throws -> Rehearsal {
        let rule = try options.detector(RegressionDetector.self)
        var bot = Rehearsal(.rehearsed(detectors: [DetectorPlan(name: "back", detector: rule, repeat: nil)]))
        bot.comparesReplay = true
        bot.pollAnswer = { _, _ in nil }
        bot.start()
        return bot
    }

    /// Lets the bot see an issue with these statuses, an hour apart; what was reported for each.
    private func play(_ bot: inout Rehearsal, _ statuses: [String], users: Double = 50) -> [[Notification.Kind]] {
        statuses.map { status in
            let before = bot.decisions.count
            let issue = Issue(
                id: "SHOP-1", title: "boom", users: users, firstSeen: .rehearsalStart - .days(90), status: status)
            bot.see([.figures(["sessions": 10_000], at: bot.now, issues: [issue])])
            bot.advance(by: .hours(1))
            return bot.decisions[before...].map(\.kind)
        }
    }

    @Test func `an issue that was resolved and occurs again is announced once, and again when it comes again`() throws {
        var bot = try bot()
        let told = play(&bot, ["resolved", "resolved", "unresolved", "unresolved", "resolved", "unresolved"])
        #expect(told == [[], [], [.opened], [], [.resolved], [.opened]])
        #expect(
            bot.sends.first?.delivery.message.headline.contains("boom (SHOP-1) was resolved and is back, 50 users")
                == true)
        #expect(bot.objections == [])
    }

    @Test func `the source's own word counts, but not the one it said before the bot came`() throws {
        var bot = try bot()
        #expect(play(&bot, ["regressed", "regressed", "ongoing", "regressed"]) == [[], [], [], [.opened]])
    }

    @Test func `too few users are not announced, and an end after a day`() throws {
        var bot = try bot(["min_users": "51"])
        #expect(play(&bot, ["resolved", "open", "open"]) == [[], [], []])
        var other = try self.bot(["fresh_for": "2h", "severity": "info"])
        #expect(play(&other, ["resolved", "open", "open", "open", "open"]) == [[], [.opened], [], [.resolved], []])
        #expect(other.state.incidents.inOrder.allSatisfy { $0.severity == .info })
    }

    @Test func `new issues are not this rule's`() throws {
        var bot = try bot()
        #expect(play(&bot, ["new", "ongoing", "escalating", "ignored", "ongoing"]) == [[], [], [], [], []])
    }
}
