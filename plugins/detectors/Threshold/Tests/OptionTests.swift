import PluginKit
import PluginTesting
import Testing
import ThresholdDetector

@Suite struct `Options of a threshold` {
    @Test(
        arguments: [
            (
                ["metric": "crash_free_users", "warning": "< 99.5"],
                ["3:9: the limit of crash-free users is a percentage, but '< 99.5' has no unit (\"< 99.5%\")"]
            ),
            (
                ["metric": "anr_rate", "critical": "> 0.0047"],
                ["3:9: the limit of ANR rate is a percentage, but '> 0.0047' has no unit (\"> 0.47%\")"]
            ),
            (
                ["metric": "anr_rate", "critical": "> 1"],
                ["3:9: the limit of ANR rate is a percentage, but '> 1' has no unit (\"> 1%\")"]
            ),
            (
                ["metric": "anr_rate", "critical": "> 0.47"],
                ["3:9: the limit of ANR rate is a percentage, but '> 0.47' has no unit (\"> 0.47%\")"]
            ),
            (
                ["metric": "crash_free_users", "critical": "< 0.99"],
                ["3:9: the limit of crash-free users is a percentage, but '< 0.99' has no unit (\"< 99%\")"]
            ),
            (
                ["metric": "anr_rate", "critical": "> 150"],
                ["3:9: the limit of ANR rate is a percentage, but '> 150' has no unit"]
            ),
            (
                ["metric": "crash_events", "warning": "> 5%"],
                ["3:9: crash events are counted, so the limit cannot be a percentage"]
            ),
            (
                ["metric": "crash_free_users", "warning": "< 0%"],
                ["3:9: '< 0%' never holds: a rate lies between 0% and 100%"]
            ),
            (
                ["metric": "anr_rate", "warning": "> 100%"],
                ["3:9: '> 100%' never holds: a rate lies between 0% and 100%"]
            ),
            (
                ["metric": "anr_rate", "warning": ">= 101%"],
                ["3:9: '>= 101%' never holds: a rate lies between 0% and 100%"]
            ),
            (
                ["metric": "crash_free_users", "warning": "< 995%"],
                ["3:9: '< 995%' always holds: a rate lies between 0% and 100%"]
            ),
            (
                ["metric": "crash_free_users", "warning": "<= 100%"],
                ["3:9: '<= 100%' always holds: a rate lies between 0% and 100%"]
            ),
            (
                ["metric": "anr_rate", "warning": ">= 0%"],
                ["3:9: '>= 0%' always holds: a rate lies between 0% and 100%"]
            ),
            (["metric": "sessions", "warning": "< 0"], ["3:9: '< 0' never holds: a count is never negative"]),
            (["metric": "sessions", "warning": "<= -1"], ["3:9: '<= -1' never holds: a count is never negative"]),
            (["metric": "sessions", "warning": "> -1"], ["3:9: '> -1' always holds: a count is never negative"]),
            (["metric": "sessions", "warning": ">= 0"], ["3:9: '>= 0' always holds: a count is never negative"]),
            (
                ["metric": "crash_free_users", "warning": "< 99.5%", "critical": "> 99%"],
                ["4:9: 'warning' and 'critical' point in opposite directions"]
            ),
            (
                ["metric": "crash_free_users", "critical": "< 99.5%", "warning": "< 99%"],
                [
                    "3:9: 'critical' (< 99.5%) is milder than 'warning' (< 99%), so 'warning' never fires [swap the two]"
                ]
            ),
            (
                ["metric": "anr_rate", "warning": "> 2%", "critical": "> 1%"],
                ["4:9: 'critical' (> 1%) is milder than 'warning' (> 2%), so 'warning' never fires [swap the two]"]
            ),
            (
                ["metric": "anr_rate", "warning": "> 1%", "critical": ">= 1%"],
                ["4:9: 'critical' (>= 1%) is milder than 'warning' (> 1%), so 'warning' never fires [swap the two]"]
            ),
            (
                ["metric": "anr_rate", "warning": "> 1%", "critical": "> 1.0%"],
                ["4:9: 'critical' and 'warning' are both '> 1%', so 'warning' never fires"]
            ),
            (
                ["metric": "own", "warning": "> 50%", "critical": "> 90"],
                ["4:9: only one of 'warning' (> 50%) and 'critical' (> 90) is a percentage"]
            ),
            (
                ["warning": "< 99.5%"],
                ["1:3: a threshold needs 'metric', 'all', 'any' or 'preset' [write metric: crash_free_users]"]
            ),
            (
                ["metric": "crash_free_users"],
                ["1:3: a threshold needs 'warning', 'critical' or both [write warning: \"< 99.5%\"]"]
            ),
            (
                ["metric": "crash_free_users", "warning": "< 99.5%", "confidence": "49%"],
                ["4:9: the confidence must be at least 50% and below 100% [the default is 95%]"]
            ),
            (
                ["metric": "crash_free_users", "warning": "< 99.5%", "confidence": "100%"],
                ["4:9: the confidence must be at least 50% and below 100% [the default is 95%]"]
            ),
            (
                ["metric": "crash_events", "warning": "> 100", "recover": "1pp"],
                [
                    "4:9: 'recover' is in percentage points, but the limit '> 100' is not a percentage [write a plain number]"
                ]
            ),
            (
                ["metric": "crash_free_users", "warning": "< 99.5%", "recover": "0.2"],
                ["4:9: 'recover' is a plain number, but the limit '< 99.5%' is a percentage (0.2pp)"]
            ),
            (
                ["metric": "crash_events", "warning": "> 100", "recover": "101"],
                ["4:9: to resolve, crash events would have to reach -1, which no count can [write a smaller one]"]
            ),
            (
                ["metric": "crash_free_users", "warning": "< 99.9%", "recover": "0.2pp"],
                [
                    "4:9: to resolve, crash-free users would have to reach 100.1%, which no rate can [write a smaller one]"
                ]
            ),
            (
                ["metric": "anr_rate", "warning": "> 0.47%", "recover": "0.5pp"],
                ["4:9: to resolve, ANR rate would have to reach -0.03%, which no rate can [write a smaller one]"]
            ),
            // All at once.
            (
                ["metric": "crash_free_users", "warning": "< 0%", "critical": "< 5", "confidence": "1%"],
                [
                    "3:9: '< 0%' never holds: a rate lies between 0% and 100%",
                    "4:9: the limit of crash-free users is a percentage, but '< 5' has no unit (\"< 5%\")",
                    "5:9: the confidence must be at least 50% and below 100% [the default is 95%]",
                ]
            ),
        ] as [(WrittenOptions, [String])])
    func `a mistake is reported at its place`(options: WrittenOptions, expected: [String]) throws {
        #expect(try options.problems(for: ThresholdDetector.self) == expected)
    }

    @Test(
        arguments: [
            ("crash_free_users", "> 99.5%", "'> 99.5%' fires while crash-free users are good", "\"< 99.5%\""),
            (
                "crash_free_sessions", "< 0.995%",
                "'< 0.995%' fires only when more than 99.005% of the sessions crash", "\"< 99.5%\""
            ),
            (
                "crash_free_users", "<= 0.5%", "'<= 0.5%' fires only when at least 99.5% of the users crash",
                "\"<= 99.5%\""
            ),
            ("crash_free_users", "<= 0%", "'<= 0%' fires only when at least 100% of the users crash", nil),
            ("crash_free_users", "< 1%", "'< 1%' fires only when more than 99% of the users crash", "\"< 99%\""),
            ("crash_free_users", "> 1%", "'> 1%' fires unless 99% of the users or more crash", "\"< 99%\""),
            (
                "crash_free_sessions", ">= 0.5%", "'>= 0.5%' fires unless more than 99.5% of the sessions crash",
                "\"<= 99.5%\""
            ),
            ("crash_free_users", "> 0%", "'> 0%' fires unless 100% of the users or more crash", nil),
            ("crash_free_users", "> 60%", "'> 60%' fires while crash-free users are good", nil),
            ("crash_free_users", "< 40%", "'< 40%' fires only when more than 60% of the users crash", nil),
            ("anr_rate", "< 0.47%", "'< 0.47%' fires while the ANR rate is good", "\"> 0.47%\""),
            ("crash_free_users", "< 50%", nil, nil), ("anr_rate", "> 0.47%", nil, nil), ("adoption", "< 5%", nil, nil),
            ("checkout_rate", "> 99%", nil, nil),
        ] as [(String, String, String?, String?)])
    func `a limit on the good side, or in another unit, is warned of`(
        metric: String, limit: String, message: String?, suggestion: String?
    ) throws {
        let rule = try (["metric": .text(metric), "warning": .text(limit)] as WrittenOptions).detector(
            ThresholdDetector.self)
        #expect(rule.cautions.map(\.message) == [message].compactMap(\.self))
        #expect(rule.cautions.first?.suggestion == suggestion)
        #expect(rule.cautions.allSatisfy { $0.level == .warning })
    }

    @Test(
        arguments: [
            ["metric": "crash_free_users", "warning": "< 99.5%"],
            ["metric": "crash_free_users", "critical": "< 99.5%"],
            ["metric": "crash_free_users", "warning": "< 100%"], ["metric": "crash_free_users", "warning": "<= 0%"],
            ["metric": "anr_rate", "warning": "> 0%"], ["metric": "anr_rate", "warning": ">= 100%"],
            ["metric": "sessions", "warning": "<= 0"], ["metric": "sessions", "warning": "> 0"],
            ["metric": "anr_rate", "warning": ">= 1%", "critical": "> 1%"],
            ["metric": "own", "warning": "< 99.5%"], ["metric": "own", "warning": "> 5", "critical": "> 10"],
            ["metric": "own", "warning": "> 150%"], ["metric": "own", "warning": "> -5"],
            ["metric": "crash_free_users", "warning": "< 99.5%", "confidence": "50%"],
            ["metric": "crash_free_users", "warning": "< 99.5%", "confidence": "99.9%"],
            ["metric": "crash_free_users", "warning": "< 99.5%", "recover": "0.5pp"],
            ["metric": "crash_events", "warning": "> 100", "recover": "0"],
            ["metric": "crash_events", "warning": "> 100", "recover": "100"],
            ["metric": "startup_ms", "warning": "> 900", "recover": "50"],
            ["metric": "startup_ms", "warning": "> 900", "recover": "1000"],
        ] as [WrittenOptions])
    func `what can hold and can end is taken`(options: WrittenOptions) throws {
        #expect(try options.problems(for: ThresholdDetector.self) == [])
    }

    @Test func `what is left out has its default`() throws {
        let rule = try (["metric": "crash_free_users", "warning": "< 99.5%"] as WrittenOptions).rule()
        #expect(rule.lookback == .hours(1))
        #expect(rule.holdTime == .zero)
        let written = try
            ([
                "metric": "crash_free_users", "warning": "< 99.5%", "window": "6h", "for": "10m",
            ] as WrittenOptions).rule()
        #expect(written.lookback == .hours(6))
        #expect(written.holdTime == .minutes(10))
    }

    @Test func `a rule that writes its defaults is the rule that leaves them out`() throws {
        let least: [(String, WrittenOptions.Value)] = [("metric", "crash_free_users"), ("warning", "< 99.5%")]
        let left = try WrittenOptions(least).rule()
        let defaults = ThresholdDetector.manifest.options.compactMap { option in
            option.writtenDefault.map { (option.name, WrittenOptions.Value.text($0)) }
        }
        #expect(defaults.map(\.0).sorted() == ["confidence", "for", "min_volume", "recover", "window"])
        let written = try WrittenOptions(least + defaults).rule()
        for (users, crashed) in [(49, 49), (50, 50), (1000, 5), (1000, 8), (10_000, 90)] as [(Double, Double)] {
            let series = Series(["users": users, "crashed_users": crashed])
            #expect(left.judge(series, at: .noon) == written.judge(series, at: .noon))
        }
        #expect((left.lookback, left.holdTime) == (written.lookback, written.holdTime))
    }
}
