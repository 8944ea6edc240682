import AlertCore
import AlertTesting
import Chance
import PluginKit
import PluginTesting
import Testing
import ThresholdDetector

@Suite struct `Thresholds and bad input` {
    private static let rules: [(name: String, options: WrittenOptions)] = [
        (
            "any",
            [
                "any": [
                    ["metric": "crash_free_sessions", "warning": "< 99%"],
                    ["metric": "crash_free_users", "critical": "< 99%"],
                ]
            ]
        ),
        (
            "all",
            [
                "all": [
                    ["metric": "crash_free_sessions", "warning": "< 99%"], ["metric": "sessions", "warning": "> 10"],
                ]
            ]
        ),
        ("wide", ["metric": "crash_free_sessions", "warning": "< 99%", "widen_to": "1d", "min_volume": "500"]),
    ]

    private func bot() throws -> Rehearsal {
        let plans = try Self.rules.map { rule in
            DetectorPlan(name: rule.name, detector: try rule.options.rule())
        }
        var bot = Rehearsal(.rehearsed(detectors: plans))
        bot.comparesReplay = true
        bot.pollAnswer = { _, _ in nil }
        bot.start()
        return bot
    }

    /// A healthy app seen through a bad source: spans overlap and come out of order, counts shrink, metrics come and
    /// go, some spans still fill, releases have no name or one of kilobytes, clocks step, the bot is killed.
    @Test(arguments: UInt64(1)...10)
    func `a healthy app never alarms, and nothing traps`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        func chance(_ share: Double) -> Bool { random.unit() < share }
        func seconds(_ most: Double) -> Duration { .seconds(Int64(random.unit() * most)) }
        var bot = try bot()
        for _ in 0..<120 {
            bot.advance(by: seconds(1800) + .seconds(1))
            if chance(0.04) { bot.setClock(by: seconds(7200) - .hours(1)) }
            if chance(0.04) { bot.crash() }
            let sessions = (random.unit() * 3000).rounded()
            let crashed = (0..<Int(sessions)).reduce(0.0) { sum, _ in sum + (chance(0.002) ? 1 : 0) }
            var metrics: Metrics = [
                "sessions": sessions, "crashed_sessions": crashed, "users": sessions, "crashed_users": crashed,
            ]
            if chance(0.1) { metrics["sessions"] = nil }
            if chance(0.1) { metrics["crashed_users"] = nil }
            if chance(0.05) { metrics = [:] }
            let release = chance(0.1) ? "" : chance(0.1) ? String(repeating: "1.", count: 2048) : nil
            let subject = Subject(source: "ios", app: "shop", release: release)
            let end = chance(0.2) ? bot.now - seconds(7200) : bot.now
            var observation = Observation.figures(metrics, of: subject, at: end, lasting: seconds(7200) + .seconds(60))
            observation.isComplete = !chance(0.1)
            bot.see([observation])
        }
        let alarms = bot.state.incidents.inOrder.filter { $0.subject.app != Subject.botApp }
        #expect(alarms.map(\.evidence.sentence) == [], "seed \(seed)")
        #expect(bot.objections == [], "seed \(seed)")
    }

    @Test func `a metric that a source stops giving leaves what was said as it was`() throws {
        var bot = try bot()
        for _ in 0..<3 {
            bot.see([.figures(["sessions": 5000, "crashed_sessions": 500], at: bot.now, lasting: .hours(1))])
            bot.advance(by: .minutes(5))
        }
        let open = bot.state.incidents.inOrder.map(\.rule)
        #expect(Set(open) == ["any", "all", "wide"])
        for _ in 0..<30 {
            bot.see([.figures(["users": 5000], at: bot.now, lasting: .hours(1))])
            bot.advance(by: .hours(1))
        }
        #expect(bot.state.incidents.inOrder.filter(\.isOpen).map(\.rule) == open)
        #expect(!bot.sends.contains { $0.delivery.kind == .resolved })
    }

    @Test(arguments: BadInput.allCases)
    func `bad input rings no bell, and what is wrong afterwards is reported`(_ bad: BadInput) throws {
        let rule = try (["metric": "crash_free_users", "warning": "< 99.5%", "critical": "< 99.0%"] as WrittenOptions)
            .detector(ThresholdDetector.self)
        let outcome = bad.played(DetectorPlan(name: "rule", detector: rule))
        #expect(outcome.falseAlarms == [])
        #expect(outcome.isTroubleTold)
        #expect(outcome.objections == [])
    }
}
