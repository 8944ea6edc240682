import AlertCore
import AlertTesting
import PluginKit
import PluginTesting
import Runtime
import Testing

/// What the answer to "why" says of incidents that are over, and of whose end somebody is still to hear.
extension WhyReportTests {
    @Test func `an end that is held says where, and until when`() {
        var bot = bot(.rehearsed(gates: [.quiet(from: "2026-11-20 12:05", until: "2026-11-20 13:00")]))
        bot.see(.warning)
        bot.advance(by: .minutes(6))
        let id = bot.state.incidents.inOrder[0].id
        bot.see(.fine)
        #expect(
            paragraph(bot)[0].contains(
                """

                  incident \(id), no longer open since Fri 20 Nov 12:06 UTC:
                    team: the message that it has ended is held by quiet_hours:nights until Fri 20 Nov 13:00 UTC

                """))
        let over = WhyReport(bot.state, bot.plan, at: bot.now).json["why"]?.array?.first?["over"]?.array
        #expect(over?.first?["id"] == .string(id))
        #expect(over?.first?["held"]?.array?.first?["closed_by"] == "quiet_hours:nights")
    }

    @Test func `what came and went behind a gate says that it is a line of a summary`() {
        var bot = bot(.rehearsed(gates: [.quiet(from: "2026-11-20 11:00", until: "2026-11-20 13:00")]))
        bot.see(.warning)
        bot.advance(by: .minutes(1))
        bot.see(.fine)
        #expect(
            paragraph(bot)[0].contains(
                "\n    team: a line of a summary is held by quiet_hours:nights until Fri 20 Nov 13:00 UTC\n"))
    }

    /// What waits is sent, whether or not anybody still looks.
    @Test func `an end that is held is known also where its rule judges that no more`() throws {
        func plan(_ match: Match) -> Plan {
            .rehearsed(
                detectors: [DetectorPlan(name: "look", detector: ScriptedDetector(), match: match)],
                gates: [.quiet(from: "2026-11-20 12:02", until: "2026-11-20 13:00")])
        }
        var bot = bot(plan(.all))
        bot.see(.warning)
        bot.advance(by: .minutes(5))
        bot.see(.fine)
        let before = paragraph(bot, app: "shop")
        bot.reload(plan(.on(["app": "other"])))
        bot.advance(by: .seconds(1))
        let id = try #require(bot.state.incidents.all.first).id
        #expect(before.count == 1 && before[0].contains("\n  fine; no incident\n"), "\(before)")
        #expect(
            paragraph(bot, app: "shop") == [
                """
                shop from ios: rule look
                  over; no incident is open
                  because: The script says ..
                  incident \(id), no longer open since Fri 20 Nov 12:05 UTC:
                    team: the message that it has ended is held by quiet_hours:nights until Fri 20 Nov 13:00 UTC
                  next poll of ios: Fri 20 Nov 12:15 UTC (idle)
                """
            ])
        #expect(paragraph(bot, app: "game") == [] && paragraph(bot, rule: "other") == [])
        bot.advance(by: .hours(1))
        #expect(paragraph(bot, app: "shop") == [])
    }

    @Test func `what was cut is left out with what is over, and is never called over`() {
        var bot = bot(.rehearsed(gates: [.quiet(from: "2026-11-20 12:02", until: "2026-11-20 13:00")]))
        let apps = ["bank", "shop"].map { Subject(source: "ios", app: $0) }
        bot.see(apps.map { ($0, .warning) })
        bot.advance(by: .minutes(5))
        bot.see(apps.map { ($0, .fine) })
        let report = WhyReport(bot.state, bot.plan, at: bot.now, most: 1)
        #expect(report.paragraphs.count == 1 && report.leftOut == 1)
        #expect(!report.paragraphs[0].contains("over; no incident"))
    }
}
