import AlertCore
import AlertTesting
import EscalateGate
import PluginKit
import PluginTesting
import Runtime
import Testing

/// What the answer to "why" foretells: of what is pending, of gates that hand over, of who else will be called.
extension WhyReportTests {
    @Test func `what is pending would be held, and is not yet`() {
        var bot = bot(
            .rehearsed(for: .minutes(10), gates: [.quiet(from: "2026-11-20 11:00", until: "2026-11-20 13:00")]))
        bot.see(.warning)
        let text = paragraph(bot)[0]
        #expect(text.contains("\n  team: nothing to send; would be held by quiet_hours:nights until "), "\(text)")
    }

    /// Whoever asks before going to bed wants to know what will wake them.
    @Test(arguments: [
        ("12:05", "13:00", "nothing to send; would be held by quiet_hours:nights until Fri 20 Nov 13:00 UTC"),
        ("11:00", "12:05", "nothing to send; passes nights\n"),
    ])
    func `of what is pending stands what gates say when it fires`(from: String, until: String, words: String) {
        var bot = bot(
            .rehearsed(for: .minutes(10), gates: [.quiet(from: "2026-11-20 \(from)", until: "2026-11-20 \(until)")]))
        bot.see(.warning)
        let text = paragraph(bot)[0]
        #expect(text.contains("\n  team: \(words)"), "\(text)")
    }

    @Test func `gates that hand over to each other without end are all named`() {
        let gates: [GatePlan] = [
            .quiet("first", from: "2026-11-20 11:00", until: "2026-11-20 13:00"),
            .quiet("second", from: "2026-11-20 12:30", until: "2028-01-01 00:00"),
            .quiet("third", from: "2027-01-01 00:00", until: "2029-01-01 00:00"),
        ]
        var bot = bot(.rehearsed(gates: gates))
        bot.see(.warning)
        let text = paragraph(bot)[0]
        #expect(
            text.contains(
                "held by quiet_hours:first until Fri 20 Nov 13:00 UTC, then by quiet_hours:second;"
            ),
            "\(text)")
    }

    /// A bot with an open warning, 15 minutes old, that on-call hears of after 30; quiet hours begin at 12:10.
    func escalating(quietUntil end: String, drops: Bool = false) throws -> Rehearsal {
        let nag = try EscalateGate.written(["to": "oncall", "after": "30m", "severity": "warning"], name: "nag")
        let plan = Plan.rehearsed(
            gates: [
                .quiet(from: "2026-11-20 12:10", until: end, drops: drops), GatePlan(name: "nag", gate: nag),
            ], channels: [ChannelPlan(name: "team"), ChannelPlan(name: "oncall")], routes: [Route(to: ["team"])])
        var bot = bot(plan)
        bot.see(.warning)
        bot.advance(by: .minutes(15))
        return bot
    }

    @Test func `no escalation is promised to whoever is told anyway`() throws {
        let nag = try EscalateGate.written(["to": "oncall", "after": "30m", "severity": "warning"], name: "nag")
        var bot = bot(
            .rehearsed(
                gates: [GatePlan(name: "nag", gate: nag)],
                channels: [ChannelPlan(name: "team"), ChannelPlan(name: "oncall")]))
        bot.see(.warning)
        bot.advance(by: .minutes(5))
        let text = paragraph(bot)[0]
        #expect(text.contains("\n  oncall: notified (warning)") && !text.contains("unless somebody"), "\(text)")
    }

    @Test func `no escalation is promised twice`() throws {
        let gates = try ["30m", "20m"].map { after in
            let gate = try EscalateGate.written(
                ["to": "oncall", "after": "\(after)", "severity": "warning"], name: after)
            return GatePlan(name: after, gate: gate)
        }
        var bot = bot(
            .rehearsed(
                gates: gates, channels: [ChannelPlan(name: "team"), ChannelPlan(name: "oncall")],
                routes: [Route(to: ["team"])]))
        bot.see(.warning)
        bot.advance(by: .minutes(5))
        let promised = paragraph(bot)[0].split(separator: "\n").filter { $0.contains("unless somebody") }
        #expect(promised == ["  oncall: will be notified at Fri 20 Nov 12:20 UTC unless somebody acknowledges it"])
    }

    @Test func `an escalation that a gate will hold or drop is not promised`() throws {
        let held = try escalating(quietUntil: "2026-11-20 18:00")
        #expect(
            paragraph(held)[0].contains(
                "\n  oncall: due Fri 20 Nov 12:30 UTC unless somebody acknowledges it, then held by "
                    + "quiet_hours:nights until Fri 20 Nov 18:00 UTC\n"))
        let entry = WhyReport(held.state, held.plan, at: held.now).json["why"]?.array?.first
        #expect(entry?["escalations"]?.array?.first?["closed_until"]?.text == #""2026-11-20T18:00:00Z""#)
        #expect(
            paragraph(try escalating(quietUntil: "2026-11-20 18:00", drops: true))[0].contains(
                "\n  oncall: due Fri 20 Nov 12:30 UTC unless somebody acknowledges it, then dropped by "
                    + "quiet_hours:nights\n"))
    }
}
