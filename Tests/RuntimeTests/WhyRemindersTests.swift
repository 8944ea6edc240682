import AlertCore
import AlertTesting
import PluginKit
import PluginTesting
import RepeatGate
import Runtime
import Testing

/// When the answer to "why" promises a reminder, and what it says where none comes.
extension WhyReportTests {
    @Test func `what is not reminded, or no more, says so, and which gate wants that`() throws {
        var silent = bot(.rehearsed(for: .zero, repeat: nil))
        silent.see(.warning)
        silent.advance(by: .minutes(1))
        #expect(
            paragraph(silent)[0].contains(
                "\n  team: notified (warning), last at Fri 20 Nov 12:00 UTC; no reminders\n"))

        let few = try RepeatGate.written(["every": "1m", "at_most": "1"], name: "few")
        var bot = bot(.rehearsed(gates: [GatePlan(name: "few", gate: few)]))
        bot.see(.warning)
        bot.advance(by: .minutes(2))
        let text = paragraph(bot)[0]
        #expect(
            text.contains(
                "\n  team: notified (warning), last at Fri 20 Nov 12:01 UTC; passes few; no more reminders (few)\n"),
            "\(text)")
        #expect(way(bot)?["no_reminder"] == "no more reminders (few)" && way(bot)?["next_reminder"] == .null)
    }

    /// At the begin of a turn, and where others have turns as well.
    @Test(
        arguments: [
            (["ana-dm", "bo-dm"], [], "no reminders before the next handover"), (["ana-dm"], [], "no reminders"),
            (["ana-dm", "bo-dm"], ["ana-dm"], "no reminders"),
        ] as [(people: [String], to: [String], told: String)])
    func `who takes turns is told again when the next one begins`(people: [String], to: [String], told: String) throws {
        let mobile = try #require(
            Rotation(
                "mobile", zone: .utc, starts: CivilTime(.utc("2026-11-20 09:00")), every: .days(1),
                people: people.map { Rotation.Person($0, channel: $0) }))
        var plan = Plan.rehearsed(for: .zero, repeat: nil)
        plan.channels = people.map { ChannelPlan(name: $0) }
        plan.routes = [Route(to: to, onCall: [mobile])]
        plan.rotations = [mobile]
        var bot = bot(plan)
        bot.see(.warning)
        bot.advance(by: .minutes(1))
        #expect(way(bot)?["no_reminder"]?.string == told)
    }

    @Test func `the channel of somebody whose turn is over says that they are not on call`() throws {
        let mobile = try #require(
            Rotation(
                "mobile", zone: .utc, starts: CivilTime(.utc("2026-11-19 12:02")), every: .days(1),
                people: [Rotation.Person("ana", channel: "ana-dm"), Rotation.Person("bo", channel: "bo-dm")]))
        var plan = Plan.rehearsed(
            channels: ["ana-dm", "bo-dm"].map { ChannelPlan(name: $0) }, routes: [Route(to: [], onCall: [mobile])])
        plan.rotations = [mobile]
        var bot = bot(plan)
        bot.see(.warning)
        bot.advance(by: .minutes(3))
        let text = paragraph(bot)[0]
        #expect(
            text.contains("\n  ana-dm: notified (warning), last at Fri 20 Nov 12:00 UTC; not on call now\n"), "\(text)")
        #expect(text.contains("\n  bo-dm: notified (warning), last at Fri 20 Nov 12:02 UTC; next reminder "), "\(text)")
    }

    @Test func `of what was told only what follows is held, and its reminder comes when it is due`() throws {
        let bot = try escalating(quietUntil: "2026-11-20 12:20")
        let text = paragraph(bot)[0]
        #expect(
            text.contains(
                "\n  team: notified (warning), last at Fri 20 Nov 12:00 UTC; what follows is held by quiet_hours:nights "
                    + "until Fri 20 Nov 12:20 UTC; passes nag; next reminder Fri 20 Nov 16:00 UTC\n"), "\(text)")
        #expect(way(bot)?["held"] == false && way(bot)?["next_reminder"] == "2026-11-20T16:00:00Z")
        #expect(text.contains("\n  oncall: will be notified at Fri 20 Nov 12:30 UTC unless somebody acknowledges it\n"))
        let entry = WhyReport(bot.state, bot.plan, at: bot.now).json["why"]?.array?.first
        #expect(
            entry?["escalations"]?.text
                == #"[{"channel":"oncall","at":"2026-11-20T12:30:00Z","closed_by":null,"closed_until":null}]"#)
    }

    @Test func `a reminder that falls behind a gate comes when it opens, and is not promised while it is held`() throws
    {
        var bot = try escalating(quietUntil: "2026-11-20 18:00")
        #expect(
            paragraph(bot)[0].contains(
                "; what follows is held by quiet_hours:nights until Fri 20 Nov 18:00 UTC; passes nag; "
                    + "next reminder Fri 20 Nov 18:00 UTC\n"), "\(paragraph(bot))")
        #expect(way(bot)?["next_reminder"] == "2026-11-20T18:00:00Z")
        let dropping = try escalating(quietUntil: "2026-11-20 18:00", drops: true)
        #expect(way(dropping)?["next_reminder"] == .null)
        bot.advance(by: .hours(4))
        let text = paragraph(bot)[0]
        #expect(text.contains("; held by quiet_hours:nights until Fri 20 Nov 18:00 UTC"), "\(text)")
        #expect(!text.contains("next reminder"))
        #expect(way(bot)?["held"] == true && way(bot)?["next_reminder"] == .null)
    }

    @Test func `a reminder that a channel refused says so, and who was notified stays so`() throws {
        var bot = bot()
        bot.see(.warning)
        bot.advance(by: .minutes(1))
        bot.sendAnswer = { _, _ in (.refusedChannel("HTTP 410"), .zero) }
        bot.advance(by: .hours(4))
        let id = try #require(bot.state.outbox.history.first { $0.end.isDead }).delivery.id
        #expect(
            paragraph(bot, app: "shop")[0].contains(
                "\n  team: notified (warning); the last message was not delivered (Fri 20 Nov 16:00 UTC): HTTP 410; "
                    + "'alertbot retry \(id)' sends it again; next reminder "),
            "\(paragraph(bot, app: "shop"))")
        #expect(way(bot, app: "shop")?["failed"] == "HTTP 410")
    }
}
