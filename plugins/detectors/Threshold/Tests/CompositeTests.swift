import AlertCore
import AlertTesting
import Chance
import PluginKit
import PluginTesting
import Testing

@testable import ThresholdDetector

@Suite struct `Thresholds over several metrics` {
    private static let both: WrittenOptions = [
        "all": [
            ["metric": "crash_free_users", "warning": "< 99.5%", "critical": "< 99%"],
            ["metric": "crash_events", "warning": "> 100"],
        ]
    ]
    private static let either: WrittenOptions = [
        "any": [
            ["metric": "crash_free_users", "warning": "< 99.5%", "critical": "< 99%"],
            ["metric": "crash_events", "warning": "> 100", "critical": "> 1000"],
        ],
        "recover": "0.2pp",
    ]

    struct Case: Sendable {
        let why: String
        let options: WrittenOptions
        let crashed: Double?
        let events: Double?
        let verdict: Judgement.Verdict
        let closeness: Judgement.Closeness
    }

    /// Of 10,000 users: 10 crashed are fine, 40 are inside but not by 0.2pp, 90 warn, 300 are critical.
    @Test(arguments: [
        Case(why: "all: both", options: both, crashed: 90, events: 500, verdict: .firing(.warning), closeness: .near),
        Case(
            why: "all: the one without a critical limit does not make the other milder", options: both, crashed: 300,
            events: 500, verdict: .firing(.critical), closeness: .near),
        Case(
            why: "all: one is inside", options: both, crashed: 300, events: 5, verdict: .ok(recovered: true),
            closeness: .far),
        Case(
            why: "all: one is inside and the other unknown", options: both, crashed: nil, events: 5,
            verdict: .ok(recovered: true), closeness: .far),
        Case(
            why: "all: one is unknown and the other met", options: both, crashed: nil, events: 500,
            verdict: .unknown("there is no figure for crash-free users"), closeness: .far),
        Case(
            why: "any: one", options: either, crashed: 10, events: 500, verdict: .firing(.warning), closeness: .between),
        Case(
            why: "any: the worst counts", options: either, crashed: 90, events: 5000, verdict: .firing(.critical),
            closeness: .between),
        Case(
            why: "any: unknown besides", options: either, crashed: nil, events: 500, verdict: .firing(.warning),
            closeness: .between),
        Case(
            why: "any: unknown and inside", options: either, crashed: nil, events: 5,
            verdict: .unknown("there is no figure for crash-free users"), closeness: .far),
        Case(
            why: "any: none", options: either, crashed: 10, events: 5, verdict: .ok(recovered: true),
            closeness: .far),
        Case(
            why: "any: not over until each is", options: either, crashed: 40, events: 5,
            verdict: .ok(recovered: false), closeness: .near),
    ])
    func `a verdict follows from those of the conditions`(of look: Case) throws {
        var metrics: Metrics = [:]
        if let crashed = look.crashed {
            metrics["users"] = 10_000
            metrics["crashed_users"] = crashed
        }
        metrics["crash_events"] = look.events
        let judgement = try look.options.rule().judge(Series(metrics), at: .noon)
        #expect(judgement.verdict == look.verdict, "\(look.why)")
        #expect(judgement.closeness == look.closeness, "\(look.why)")
    }

    @Test func `the end of 'all' names what is still beyond its limit, and has no tick`() throws {
        let rule = try Self.both.rule()
        var bot = Rehearsal(.rehearsed(detectors: [DetectorPlan(name: "both", detector: rule, repeat: nil)]))
        bot.pollAnswer = { _, _ in nil }
        bot.start()
        for (crashed, events) in [(300.0, 500.0), (300, 5), (300, 500), (0, 5), (300, 500), (0, 500)] {
            bot.advance(by: .hours(1))
            bot.see([
                .figures(
                    ["users": 10_000, "crashed_users": crashed, "crash_events": events], at: bot.now,
                    lasting: .hours(1))
            ])
        }
        let ends = bot.decisions.filter { $0.kind == .resolved }.map(\.message)
        try #require(ends.count == 3)
        #expect(ends[0].headline.hasPrefix("⚪ shop: crash events 5, back"), "\(ends[0].headline)")
        #expect(ends[0].reason == "Still beyond its limit: crash-free users 97.00% (below 99%).")
        #expect(ends[1].headline.hasPrefix("✅ "), "\(ends[1].headline)")
        // What only says when is no trouble that goes on.
        #expect(ends[2].headline.hasPrefix("✅ "), "\(ends[2].headline)")
        #expect(!ends[2].reason.contains("Still"), "\(ends[2].reason)")
        #expect(bot.objections == [])
    }

    @Test(
        arguments: [
            ("all", ["warning": "> 1"], ["warning": "> 1"], Severity.warning),
            ("all", ["critical": "> 1"], ["warning": "> 1"], .critical),
            ("all", ["critical": "> 1"], ["critical": "> 1"], .critical),
            ("all", ["warning": "> 1", "critical": "> 9"], ["critical": "> 1"], .warning),
            ("any", ["warning": "> 1"], ["warning": "> 1"], .warning),
            ("any", ["critical": "> 1"], ["warning": "> 1"], .critical),
        ] as [(String, [String: String], [String: String], Severity)])
    func `severities combine`(kind: String, one: [String: String], other: [String: String], severity: Severity) throws {
        func condition(_ metric: String, _ limits: [String: String]) -> WrittenOptions {
            WrittenOptions(
                [("metric", .text(metric))] + limits.sorted { $0.key < $1.key }.map { ($0.key, .text($0.value)) })
        }
        let options = WrittenOptions([(kind, .sections([condition("sessions", one), condition("users", other)]))])
        let judgement = try options.rule().judge(Series(["sessions": 5, "users": 5]), at: .noon)
        #expect(judgement.verdict == .firing(severity))
    }

    @Test func `the sentence names every condition that counts, the worst first`() throws {
        let series = Series(["users": 10_000, "crashed_users": 90, "crash_events": 5000])
        let any = try Self.either.rule().judge(series, at: .noon).evidence
        #expect(
            any.sentence
                == "crash events 5,000, above 1000 over the last 1 h; and crash-free users 99.10% of 10,000 users, below "
                + "99.5% over the last 1 h; at best 99.49% with 97.5% confidence across all of a day's checks")
        #expect(any.metric == "crash_events")
        let all = try Self.both.rule().judge(series, at: .noon).evidence
        #expect(all.sentence.hasPrefix("crash-free users 99.10% of 10,000 users, below 99.5%"))
        #expect(all.sentence.hasSuffix("; and crash events 5,000, above 100 over the last 1 h"))
        #expect(all.metric == "crash_free_users")
    }

    @Test func `an end begins with the condition that the incident is about`() throws {
        let fine = Series(["users": 10_000, "crashed_users": 9, "crash_events": 5])
        for metric in ["crash_free_users", "crash_events"] {
            let incident = Sight.Tracked(
                subject: Subject(source: "ios", app: "shop"), key: nil, severity: .warning, since: .noon - .hours(2),
                worst: Sight.Tracked.Depth(Metric(metric), metric == "crash_events" ? 5000 : 0.9))
            let judgement = try Self.either.rule().judge(fine, ending: incident, at: .noon)
            #expect(judgement.verdict == .ok(recovered: true))
            #expect(judgement.evidence.metric == metric)
        }
    }

    /// A limit that it never broke would read as if somebody had moved the one that it did.
    @Test(arguments: [("any", 0.992, "99.5%"), ("any", 0.9, "98%"), ("all", 0.97, "98%")])
    func `an end names a limit that was broken, of several on one metric`(kind: String, worst: Double, limit: String)
        throws
    {
        let rule = try WrittenOptions([
            (
                kind,
                .sections([
                    ["metric": "crash_free_users", "warning": "< 98%"],
                    ["metric": "crash_free_users", "warning": "< 99.5%"],
                ])
            )
        ]).rule()
        let incident = Sight.Tracked(
            subject: Subject(source: "ios", app: "shop"), key: nil, severity: .warning, since: .noon - .hours(2),
            worst: Sight.Tracked.Depth("crash_free_users", worst))
        let fine = Series(["users": 10_000, "crashed_users": 9])
        let judgement = try #require(rule.judge(fine, ending: incident, at: .noon) as Judgement?)
        #expect(judgement.verdict == .ok(recovered: true))
        #expect(judgement.evidence.limit?.description == "< \(limit)")
    }

    @Test func `what the rule says holds for every condition that says nothing else`() throws {
        let rule = try
            ([
                "any": [
                    ["metric": "crash_free_sessions", "warning": "< 99%"],
                    ["metric": "crash_free_users", "warning": "< 99%", "window": "1d"],
                ], "window": "6h", "widen_to": "3d", "for": "10m",
            ] as WrittenOptions).rule()
        #expect(rule.metrics == ["crash_free_sessions", "crash_free_users"])
        #expect(rule.holdTime == .minutes(10))
        #expect(rule.spans == [.hours(6), .hours(24), .days(3), .days(1)])
        #expect(rule.lookback == .days(3))
    }

    @Test(
        arguments: [
            (
                ["metric": "users", "any": [["metric": "users", "warning": "> 1"]]],
                [
                    "3:9: 'metric' and 'any' cannot be combined: a rule judges one metric, 'all' or 'any' of several, or a preset"
                ]
            ),
            (
                ["all": [["metric": "users", "warning": "> 1"]]],
                ["2:9: 'all' is about several conditions [write a single one into the rule itself, or add another]"]
            ),
            (
                [
                    "all": [["metric": "users", "warning": "> 1"], ["metric": "sessions", "warning": "> 1"]],
                    "critical": "> 5",
                ],
                ["3:9: 'critical' belongs to a single condition of 'all' [write it beside that condition's 'metric']"]
            ),
            (
                ["any": [["metric": "users", "warning": "< 5%"], ["metric": "crash_free_users"]]],
                [
                    "2:19: users are counted, so the limit cannot be a percentage",
                    "2:29: a threshold needs 'warning', 'critical' or both [write warning: \"< 99.5%\"]",
                ]
            ),
            (
                [
                    "all": [
                        ["metric": "crash_free_users", "warning": "< 99%"],
                        ["metric": "crash_free_users", "warning": "> 99.5%"],
                    ]
                ],
                [
                    "2:39: '> 99.5%' and '< 99%' exclude each other, so 'all' is never met "
                        + "[write 'any' instead of 'all', or change one of the two]"
                ]
            ),
            (
                [
                    "all": [
                        ["metric": "users", "warning": "< 5"], ["metric": "sessions", "warning": "> 1"],
                        ["metric": "users", "critical": ">= 5"],
                    ]
                ],
                [
                    "2:59: '>= 5' and '< 5' exclude each other, so 'all' is never met "
                        + "[write 'any' instead of 'all', or change one of the two]"
                ]
            ),
            (
                ["preset": "anr", "critical": "> 1%"],
                [
                    "3:9: 'preset: anr' brings its own limits [leave 'critical' out, or write 'metric' instead of 'preset']"
                ]
            ),
            (
                ["metric": "users", "warning": "> 1", "widen_to": "1h"],
                ["4:9: 'widen_to' (1h) must be longer than the window (1h)"]
            ),
            (
                [
                    "any": [
                        ["metric": "users", "warning": "> 1"], ["metric": "crash_free_users", "warning": "< 99%"],
                    ], "confidence": "49%",
                ],
                ["3:9: the confidence must be at least 50% and below 100% [the default is 95%]"]
            ),
        ] as [(WrittenOptions, [String])])
    func `a mistake is reported at its place`(options: WrittenOptions, expected: [String]) throws {
        #expect(Array(Set(try options.problems(for: ThresholdDetector.self))).sorted() == expected)
    }

    @Test(
        arguments: [
            ["all": [["metric": "users", "warning": "> 100"], ["metric": "users", "warning": "< 1000"]]],
            ["all": [["metric": "users", "warning": ">= 5"], ["metric": "users", "warning": "<= 5"]]],
            ["all": [["metric": "users", "warning": "< 5"], ["metric": "sessions", "warning": "> 5"]]],
            [
                "all": [
                    ["metric": "crash_free_users", "warning": "< 99%"],
                    ["metric": "crash_free_users", "warning": "> 99.5%", "window": "7d"],
                ]
            ],
            ["any": [["metric": "users", "warning": "< 5"], ["metric": "users", "warning": "> 50"]]],
        ] as [WrittenOptions])
    func `what can be met together is taken`(options: WrittenOptions) throws {
        #expect(try options.problems(for: ThresholdDetector.self) == [])
    }

    struct Preset: Sendable {
        let name: String
        let metrics: Metrics
        let fires: Bool
    }

    /// Play's documented limits: 1.09 % and 0.47 % for an app, 8 % on one model of phone, bad from that number on.
    @Test(arguments: [
        Preset(name: "play-bad-behaviour", metrics: ["crash_free_users": 0.9891, "anr_rate": 0], fires: true),
        Preset(name: "play-bad-behaviour", metrics: ["crash_free_users": 0.9892, "anr_rate": 0.0046], fires: false),
        Preset(name: "play-bad-behaviour", metrics: ["crash_free_users": 1, "anr_rate": 0.0047], fires: true),
        Preset(name: "play-bad-behaviour", metrics: ["anr_rate": 0.0047], fires: true),
        Preset(name: "play-bad-behaviour-phone", metrics: ["crash_free_users": 0.93, "anr_rate": 0.079], fires: false),
        Preset(name: "play-bad-behaviour-phone", metrics: ["crash_free_users": 0.92, "anr_rate": 0], fires: true),
        Preset(name: "play-bad-behaviour-phone", metrics: ["crash_free_users": 1, "anr_rate": 0.08], fires: true),
        Preset(name: "anr", metrics: ["crash_free_users": 0, "anr_rate": 0.0046], fires: false),
        Preset(name: "anr", metrics: ["anr_rate": 0.0047], fires: true),
    ])
    func `a preset knows the limits it is named after`(of preset: Preset) throws {
        let rule = try (["preset": .text(preset.name)] as WrittenOptions).rule()
        let verdict = rule.judge(Series(preset.metrics, span: .days(28)), at: .noon).verdict
        #expect(verdict == (preset.fires ? .firing(.critical) : .ok(recovered: true)))
        #expect(rule.lookback == .days(28))
    }

    @Test func `a preset's window and confidence may be chosen`() throws {
        let rule = try (["preset": "anr", "window": "1d", "confidence": "95%", "min_volume": "50"] as WrittenOptions)
            .rule()
        #expect(rule.spans == [.days(1)])
        let few = rule.judge(Series(["anr_rate": 0.5, "users": 10]), at: .noon)
        #expect(few.verdict == .unknown("not enough users yet: 10 in 1 h, min_volume is 50"))
    }
}

@Suite struct `Windows that widen` {
    private func rule(_ metric: String = "crash_free_sessions", to widest: String = "1d") throws -> ThresholdDetector {
        try
            ([
                "metric": .text(metric), "warning": "< 99%", "widen_to": .text(widest), "min_volume": "100",
            ] as WrittenOptions).rule()
    }

    @Test(arguments: [
        ("1h", "2h", ["1h", "2h"]), ("1h", "4h", ["1h", "4h"]), ("1h", "6h", ["1h", "6h"]),
        ("1h", "7h", ["1h", "4h", "7h"]), ("1h", "1d", ["1h", "4h", "1d"]),
        ("1h", "7d", ["1h", "4h", "16h", "2d16h", "7d"]),
    ])
    func `each is four times the one before, and the last is the widest`(
        window: String, widest: String, windows: [String]
    ) throws {
        let widening = Widening(from: try Duration(grammar: window), to: try Duration(grammar: widest))
        #expect(widening.windows.map(\.grammar) == windows)
        #expect(Widening(from: .hours(1), to: nil).windows == [.hours(1)])
    }

    /// Hours of so many sessions each, of which so many crashed.
    private func series(_ hours: [(Double, Double)]) -> Series {
        var series = Series()
        for (index, hour) in hours.enumerated() {
            let end = Moment.noon - .hours(Int64(hours.count - 1 - index))
            series.add(
                Observation(
                    subject: Subject(source: "ios", app: "shop"), span: TimeSpan(lasting: .hours(1), until: end),
                    seen: end,
                    metrics: ["sessions": hour.0, "crashed_sessions": hour.1]), keeping: .days(2))
        }
        return series
    }

    @Test func `sessions of more hours are pooled until there are enough`() throws {
        let rule = try rule()
        let quiet = rule.judge(series(Array(repeating: (30, 0), count: 24)), at: .noon)
        #expect(quiet.evidence.span?.length == .hours(4))
        #expect(quiet.evidence.figure?.share?.total == 120)
        let busy = rule.judge(series(Array(repeating: (300, 0), count: 24)), at: .noon)
        #expect(busy.evidence.span?.length == .hours(1))
        let bad = rule.judge(series(Array(repeating: (5, 3), count: 24)), at: .noon)
        #expect(bad.verdict == .firing(.warning))
        #expect(bad.evidence.span?.length == .days(1))
    }

    @Test func `what is not enough in the widest is said so`() throws {
        let rule = try rule()
        #expect(
            rule.judge(series(Array(repeating: (4, 4), count: 24)), at: .noon).verdict
                == .unknown("not enough sessions yet: 96 in 1 d, min_volume is 100"))
        #expect(
            rule.judge(series([(0, 0), (0, 0)]), at: .noon).verdict
                == .unknown("there is no figure for crash-free sessions"))
    }

    @Test func `users are those of the span that the source measured`() throws {
        let rule = try rule("crash_free_users")
        #expect(rule.spans == [.hours(1), .hours(4), .days(1)])
        var series = Series()
        for (hours, users) in [(24, 500.0), (4, 90), (1, 40)] {
            series.add(
                Observation(
                    subject: Subject(source: "ios", app: "shop"),
                    span: TimeSpan(lasting: .hours(Int64(hours)), until: .noon),
                    seen: .noon, metrics: ["users": users, "crashed_users": 0]), keeping: .days(1))
        }
        let judgement = rule.judge(series, at: .noon)
        #expect(judgement.evidence.span?.length == .days(1))
        #expect(judgement.evidence.figure?.share?.total == 500)
    }

    @Test(arguments: UInt64(1)...20)
    func `whatever is known, no wider span is taken than is needed`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let rule = try rule()
        let hours = (0..<30).map { _ -> (Double, Double) in
            let sessions = (random.unit() * 60).rounded()
            return (sessions, (sessions * random.unit() * 0.1).rounded())
        }
        let judgement = rule.judge(series(hours), at: .noon)
        let totals = [1, 4, 24].map { count in hours.suffix(count).reduce(0) { $0 + $1.0 } }
        let needed = totals.firstIndex { $0 >= 100 }
        #expect(judgement.evidence.span?.length == .hours([1, 4, 24][needed ?? 2]), "seed \(seed)")
        #expect(judgement.evidence.figure?.share?.total == totals[needed ?? 2], "seed \(seed)")
    }
}
