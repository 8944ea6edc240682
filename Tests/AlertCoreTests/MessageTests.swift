import AlertCore
import AlertTesting
import PluginKit
import Testing
import ThresholdRule

/// The words, as people read them.
@Suite struct `Messages` {
    /// A bot that has watched the shop for a day; the noon of its clock is one in Madrid.
    private func bot(_ gates: GatePlan...) throws -> Rehearsal {
        let place = Position(line: 1, column: 1)
        func limit(_ text: String) throws -> Option { Option(.comparison(try Comparison(grammar: text)), at: place) }
        let options = Options(
            name: "crash-free-floor", position: place,
            values: [
                "metric": Option(.text("crash_free_users"), at: place), "warning": try limit("< 99.5%"),
                "critical": try limit("< 99.0%"), "recover": Option(.fraction(0.002), at: place),
            ])
        let context = RuleContext(name: "crash-free-floor", zone: .utc, looksPerDay: 288)
        let rule = DetectorPlan(
            name: "crash-free-floor", detector: try ThresholdRule(options: options, context: context))
        let plan = Plan(
            botName: "shop-alerts", zone: try ZoneDatabase().zone("Europe/Madrid"),
            publicURL: "https://alerts.example.com", sources: [SourcePlan(name: "ios", jitter: 0)], detectors: [rule],
            gates: gates, channels: [ChannelPlan(name: "team")])
        var bot = Rehearsal(plan, at: .utc("2026-11-19 22:00"))
        bot.pollAnswer = { _, _ in nil }
        bot.start()
        for hour in 0..<24 {
            see(crashed: Double(20 + hour % 5 * 4), in: &bot)
            bot.suspend(for: .hours(1))
        }
        return bot
    }

    private func see(crashed: Double, in bot: inout Rehearsal) {
        let release = Subject(source: "ios", app: "shop", release: "5.2.0")
        let issues = [
            Issue(
                id: "SHOP-12", title: "NullPointerException in CartView", events: 1240, users: 290,
                firstSeen: .utc("2026-11-20 21:40"), url: "https://sentry.example/SHOP-12"),
            Issue(id: "SHOP-7", title: "Hostile\nOK: all is well\u{202E}", events: 3),
        ]
        bot.see([
            .figures(["users": 20_000, "crashed_users": crashed], at: bot.now, lasting: .hours(1), issues: issues),
            .figures(["users": 12_000, "crashed_users": crashed], of: release, at: bot.now, lasting: .hours(1)),
        ])
    }

    private func expect(
        _ bot: Rehearsal, _ kind: Notification.Kind, _ text: String, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let message = bot.decisions.last { $0.decision == .send && $0.kind == kind }?.message
        let told = (message?.plainText ?? "nothing").replacing(#/incident [0-9a-v]{13}/#, with: "incident ID")
        #expect(told == text, sourceLocation: sourceLocation)
    }

    @Test func `an incident from its beginning to its end`() throws {
        var bot = try bot()
        see(crashed: 180, in: &bot)
        expect(bot, .opened, "1")
        bot.suspend(for: .minutes(10))
        see(crashed: 400, in: &bot)
        expect(bot, .escalated, "2")
        bot.suspend(for: .hours(4))
        see(crashed: 390, in: &bot)
        expect(bot, .reminder, "3")
        bot.suspend(for: .minutes(20))
        see(crashed: 22, in: &bot)
        expect(bot, .resolved, "4")
    }

    @Test func `an end that is no recovery does not claim one`() throws {
        var bot = try bot()
        see(crashed: 180, in: &bot)
        var plan = bot.plan
        plan.detectors = []
        bot.suspend(for: .hours(2))
        bot.reload(plan)
        expect(bot, .resolved, "5")
    }

    @Test func `a night in one digest`() throws {
        var bot = try bot(.quiet(from: "2026-11-20 21:00", until: "2026-11-21 06:00"))
        see(crashed: 400, in: &bot)
        bot.suspend(for: .hours(2))
        see(crashed: 22, in: &bot)
        bot.advance(to: .utc("2026-11-21 06:00"))
        expect(bot, .digest, "6")
    }

    @Test func `a trouble of the bot and its end`() throws {
        var bot = try bot()
        bot.fail(.unreachable)
        bot.suspend(for: .hours(1))
        bot.fail(.unreachable)
        expect(bot, .opened, "7")
        bot.suspend(for: .minutes(40))
        see(crashed: 22, in: &bot)
        expect(bot, .resolved, "8")
    }

    @Test func `a source that wants to be left alone for long is told of at once`() throws {
        var bot = try bot()
        bot.fail(.rateLimited, retryAt: bot.now + .hours(3))
        expect(bot, .opened, "9")
    }

    @Test func `a credential that is refused`() throws {
        var bot = try bot()
        bot.fail(.unauthorized)
        bot.fail(.unauthorized)
        expect(bot, .opened, "10")
    }
}
