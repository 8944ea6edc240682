import AlertCore
import AlertTesting
import PluginKit
import PluginTesting
import Testing
import ThresholdDetector

@Suite struct `An escalation of a threshold` {
    private func bot(_ options: WrittenOptions) throws -> Rehearsal {
        var bot = Rehearsal(
            .rehearsed(detectors: [
                DetectorPlan(name: "floor", detector: try options.detector(ThresholdDetector.self))
            ]))
        bot.comparesReplay = true
        bot.pollAnswer = { _, _ in nil }
        bot.start()
        return bot
    }

    private func see(_ bot: inout Rehearsal, _ metrics: Metrics) {
        bot.step(
            .polled(
                source: "ios",
                PollReport(.values([.figures(metrics, of: .shop, at: bot.now, lasting: .hours(1))])), validators: [:]))
        bot.advance(by: .hours(1))
    }

    @Test func `shows what made it worse, not what few people had at night`() throws {
        var bot = try bot(["metric": "crash_free_sessions", "warning": "< 99%", "critical": "< 98%"])
        see(&bot, ["sessions": 1344, "crashed_sessions": 42])
        see(&bot, ["sessions": 7200, "crashed_sessions": 204])
        #expect(bot.decisions.map(\.kind) == [.opened, .escalated])
        let message = try #require(bot.decisions.last).message
        #expect(message.headline == "🔴 shop, now critical: crash-free sessions now 97.17% (alert below 98%)")
        #expect(message.plainText.contains("204 of 7,200"), "\(message.plainText)")
    }

    @Test func `of any of several conditions shows the one that is critical`() throws {
        var bot = try bot([
            "any": [
                ["metric": "crash_free_sessions", "critical": "< 99%"], ["metric": "sessions", "warning": "< 1000"],
            ]
        ])
        see(&bot, ["sessions": 720, "crashed_sessions": 0])
        see(&bot, ["sessions": 720, "crashed_sessions": 60])
        #expect(bot.decisions.map(\.kind) == [.opened, .escalated])
        let message = try #require(bot.decisions.last).message
        #expect(message.headline.contains("crash-free sessions"), "\(message.headline)")
        #expect(message.headline.contains("alert below 99%"), "\(message.headline)")
    }
}
