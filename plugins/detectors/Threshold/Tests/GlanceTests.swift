import AlertTesting
import Chance
import PluginKit
import PluginTesting
import Testing
import ThresholdDetector

/// The core glances before it asks for a judgement, so the two must say the same.
@Suite struct `Thresholds at a glance` {
    private static let rules: [WrittenOptions] = [
        ["metric": "crash_free_users", "warning": "< 99%", "critical": "< 97%", "recover": "0.2pp"],
        ["metric": "crash_free_sessions", "warning": "<= 99.5%", "window": "10m", "min_volume": "200"],
        ["metric": "crash_free_sessions", "warning": "< 99%", "window": "10m", "widen_to": "1h"],
        ["metric": "crash_free_users", "warning": "< 99%", "confidence": "off", "min_volume": "0"],
        ["metric": "crashed_sessions", "warning": "> 20"], ["metric": "adoption", "warning": "< 50%"],
        ["metric": "heat", "warning": "> 20"],
        [
            "any": [
                ["metric": "crash_free_users", "warning": "< 99%"], ["metric": "crashed_sessions", "warning": "> 20"],
            ]
        ],
    ]

    @Test(arguments: UInt64(1)...10)
    func `a glance says what the judgement says`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        func chance(_ share: Double) -> Bool { random.unit() < share }
        for options in Self.rules {
            let rule = try options.rule()
            var series = Series()
            var (now, glances, alarms, blind) = (Moment.noon, 0, 0, 0)
            for step in 0..<400 {
                now = now + .minutes(1)
                let total = (random.unit() * (step % 100 < 50 ? 100 : 3000)).rounded()
                let crashed = (total * (chance(0.2) ? 0.08 * random.unit() : 0.01 * random.unit())).rounded()
                var metrics: Metrics = [
                    "users": total, "crashed_users": crashed, "sessions": total, "crashed_sessions": crashed,
                    "crash_free_users": 0.98 + 0.02 * random.unit(), "heat": 25 * random.unit(),
                    "adoption": random.unit(),
                ]
                for name in ["users", "crashed_users", "sessions", "heat"] where chance(0.1) { metrics[name] = nil }
                // While nothing is over, nothing is known.
                series.add(
                    Observation(
                        subject: Subject(source: "ios", app: "shop"), span: TimeSpan(lasting: .minutes(1), until: now),
                        seen: now, isComplete: step >= 50 && !chance(0.1), metrics: metrics),
                    keeping: rule.lookback)
                #expect(rule.disagreement(on: series, at: now) == nil)
                if rule.glance(series, at: now) != nil { glances += 1 }
                if rule.isBlind(to: series, at: now) { blind += 1 }
                if case .firing = rule.judge(series, at: now).verdict { alarms += 1 }
            }
            // Rules of several conditions are judged at once.
            #expect(glances > 0 || options.entries.contains { $0.name == "any" })
            #expect(blind > 0 || options.entries.contains { $0.name == "any" })
            #expect(alarms > 0 || options.entries.contains { $0.value.isAdoption })
        }
    }
}

extension WrittenOptions.Value {
    /// Without counts, adoption can only be taken at its word, and that must be asked for.
    fileprivate var isAdoption: Bool { if case .text("adoption") = self { true } else { false } }
}
