import PluginKit
import PluginTesting
import Testing
import ThresholdDetector

@Suite struct `Judging by a threshold` {
    struct Case: Sendable, CustomTestStringConvertible {
        let why: String
        let options: WrittenOptions
        let metrics: Metrics
        let verdict: Judgement.Verdict
        let closeness: Judgement.Closeness
        var span = Duration.hours(1)
        var isComplete = true

        var testDescription: String { why }

        init(
            _ why: String, _ options: WrittenOptions, _ metrics: Metrics, _ verdict: Judgement.Verdict,
            _ closeness: Judgement.Closeness = .between, span: Duration = .hours(1), isComplete: Bool = true
        ) {
            (self.why, self.options, self.metrics, self.verdict) = (why, options, metrics, verdict)
            (self.closeness, self.span, self.isComplete) = (closeness, span, isComplete)
        }
    }

    static let floor: WrittenOptions = [
        "metric": "crash_free_users", "warning": "< 99.5%", "critical": "< 99.0%", "recover": "0.2pp",
    ]
    static let bare: WrittenOptions = [
        "metric": "crash_free_users", "warning": "< 99.5%", "critical": "< 99.0%", "confidence": "off",
    ]

    static let cases = [
        Case("perfect", floor, ["users": 1000, "crashed_users": 0], .ok(recovered: true), .far),
        Case(
            "less than halfway to the limit", floor, ["users": 10_000, "crashed_users": 24], .ok(recovered: true), .far),
        Case("clear of the limit", floor, ["users": 1000, "crashed_users": 3], .ok(recovered: true)),
        Case("inside, not yet clear of it", floor, ["users": 1000, "crashed_users": 4], .ok(recovered: false), .near),
        Case("exactly at the limit", floor, ["users": 1000, "crashed_users": 5], .ok(recovered: false), .near),
        Case(
            "beyond by less than the figures carry", floor, ["users": 1000, "crashed_users": 8],
            .unknown("99.20% is beyond the limit, but 1,000 users are too few to be sure"), .near),
        Case("beyond by what they carry", floor, ["users": 10_000, "crashed_users": 90], .firing(.warning)),
        Case(
            "beyond both limits, but only the first is carried", floor, ["users": 2000, "crashed_users": 30],
            .firing(.warning)),
        Case("beyond both", floor, ["users": 2000, "crashed_users": 80], .firing(.critical)),
        Case(
            "one crash on a quiet night", floor, ["users": 60, "crashed_users": 1],
            .unknown("98.33% is beyond the limit, but 60 users are too few to be sure"), .near),
        Case(
            "one crash where there should be hardly any", ["metric": "crash_free_users", "warning": "< 99.99%"],
            ["users": 60, "crashed_users": 1],
            .unknown("98.33% is beyond the limit, but 60 users are too few to be sure"), .near, span: .days(1)),
        Case(
            "several where there should be hardly any", ["metric": "crash_free_users", "warning": "< 99.99%"],
            ["users": 60, "crashed_users": 4], .firing(.warning), span: .days(1)),
        Case(
            "too few to say anything", floor, ["users": 49, "crashed_users": 49],
            .unknown("not enough users yet: 49 in 1 h, min_volume is 50"), .far),
        Case("just enough", floor, ["users": 50, "crashed_users": 50], .firing(.critical)),
        Case(
            "nobody there", floor, ["users": 0, "crashed_users": 0],
            .unknown("there is no figure for crash-free users"), .far),
        Case("another metric", floor, ["sessions": 5], .unknown("there is no figure for crash-free users"), .far),
        Case(
            "a span that still fills", floor, ["users": 10_000, "crashed_users": 900],
            .unknown("the span is not complete yet"), isComplete: false),
        Case("a rate with its users", floor, ["users": 10_000, "crash_free_users": 0.95], .firing(.critical)),
        Case(
            "a rate without them", floor, ["crash_free_users": 0.5],
            .unknown(
                "the source gives crash-free users without the number of users; only 'confidence: off' with 'min_volume: 0' "
                    + "accepts that")),
        Case(
            "a rate without them, though any volume will do",
            ["metric": "crash_free_users", "warning": "< 99.5%", "min_volume": "0"], ["crash_free_users": 0.5],
            .unknown(
                "the source gives crash-free users without the number of users; only 'confidence: off' with 'min_volume: 0' "
                    + "accepts that")),
        Case(
            "a rate taken at its word",
            ["metric": "crash_free_users", "warning": "< 99.5%", "min_volume": "0", "confidence": "off"],
            ["crash_free_users": 0.99], .firing(.warning)),
        Case("the bare number fires on one crash", bare, ["users": 60, "crashed_users": 1], .firing(.critical)),
        Case(
            "the bare number, exactly at the limit", bare, ["users": 1000, "crashed_users": 5], .ok(recovered: true),
            .near),
        Case(
            "the bare number still wants volume", bare, ["users": 40, "crashed_users": 1],
            .unknown("not enough users yet: 40 in 1 h, min_volume is 50"), .far),
        Case(
            "a limit that begins with its number",
            ["metric": "crash_free_users", "warning": "<= 99.5%", "confidence": "off"],
            ["users": 1000, "crashed_users": 5], .firing(.warning)),
        Case(
            "99.9% of 1,000 is not below 99.9%",
            ["metric": "crash_free_users", "warning": "< 99.9%", "confidence": "off"],
            ["users": 1000, "crashed_users": 1], .ok(recovered: true), .near),
        Case(
            "exactly as much better as is wanted",
            ["metric": "crash_free_users", "warning": "< 99%", "recover": "0.2pp"],
            ["users": 1000, "crashed_users": 8],
            .ok(recovered: true), .near),
        Case(
            "a count inside, and not by as much as is wanted",
            ["metric": "crash_events", "warning": "> 900", "recover": "50"], ["crash_events": 851],
            .ok(recovered: false), .near),
        Case(
            "a count inside by as much as is wanted",
            ["metric": "crash_events", "warning": "> 900", "recover": "50"], ["crash_events": 850],
            .ok(recovered: true), .near),
        Case(
            "a rate from above, carried", ["metric": "anr_rate", "warning": "> 0.47%"],
            ["anr_rate": 0.02, "users": 10_000],
            .firing(.warning)),
        Case(
            "a rate from above, not carried", ["metric": "anr_rate", "warning": "> 0.47%"],
            ["anr_rate": 0.01, "users": 300],
            .unknown("1.00% is beyond the limit, but 300 users are too few to be sure"), .near),
        Case(
            "a rate from above, inside", ["metric": "anr_rate", "warning": "> 0.47%"],
            ["anr_rate": 0.0047, "users": 1000],
            .ok(recovered: true), .near),
        Case(
            "a rate from above, not yet clear", ["metric": "anr_rate", "warning": "> 0.47%", "recover": "0.1pp"],
            ["anr_rate": 0.004, "users": 1000], .ok(recovered: false), .near),
        Case(
            "a rate from above, far", ["metric": "anr_rate", "warning": "> 0.47%", "recover": "0.1pp"],
            ["anr_rate": 0.001, "users": 1000], .ok(recovered: true), .far),
        Case(
            "adoption has no counts behind it", ["metric": "adoption", "warning": "< 20%"], ["adoption": 0.1],
            .firing(.warning)),
        Case(
            "a count above", ["metric": "crash_events", "warning": "> 100"], ["crash_events": 101], .firing(.warning)),
        Case(
            "a count inside", ["metric": "crash_events", "warning": "> 100"], ["crash_events": 100],
            .ok(recovered: true), .near),
        Case(
            "a count on its way", ["metric": "crash_events", "warning": "> 100"], ["crash_events": 60],
            .ok(recovered: true)),
        Case(
            "a count less than halfway", ["metric": "crash_events", "warning": "> 100"], ["crash_events": 49],
            .ok(recovered: true), .far),
        Case(
            "a few more than there must be", ["metric": "sessions", "critical": "< 10"], ["sessions": 12],
            .ok(recovered: true), .near),
        Case(
            "many more than there must be", ["metric": "sessions", "critical": "< 10"], ["sessions": 5000],
            .ok(recovered: true), .far),
        Case(
            "a count of which there must be none", ["metric": "crash_events", "warning": "> 0"], ["crash_events": 0],
            .ok(recovered: true)),
        Case(
            "a number below nothing", ["metric": "lag", "warning": "> 5"], ["lag": -3], .ok(recovered: true)),
        Case(
            "a count that is already beyond can only grow", ["metric": "crash_events", "warning": "> 100"],
            ["crash_events": 500], .firing(.warning), isComplete: false),
        Case(
            "a count that is still inside may grow", ["metric": "crash_events", "warning": "> 100"],
            ["crash_events": 5],
            .unknown("the span is not complete yet"), isComplete: false),
        Case(
            "a count that is still too low may grow", ["metric": "sessions", "critical": "< 10"], ["sessions": 5],
            .unknown("the span is not complete yet"), isComplete: false),
        Case("nobody comes any more", ["metric": "sessions", "critical": "< 10"], ["sessions": 0], .firing(.critical)),
        Case(
            "a number of the source's own", ["metric": "queue_length", "warning": "> 7.5"], ["queue_length": 8],
            .firing(.warning)),
        Case(
            "a share of the source's own", ["metric": "checkout_rate", "warning": "< 97%", "recover": "1pp"],
            ["checkout_rate": 0.975], .ok(recovered: false), .near),
        Case(
            "a share of the source's own that is well", ["metric": "checkout_rate", "warning": "< 97%"],
            ["checkout_rate": 0.99], .ok(recovered: true), .far),
        Case(
            "a number of its own that may still change", ["metric": "queue_length", "warning": "> 7.5"],
            ["queue_length": 8], .unknown("the span is not complete yet"), isComplete: false),
        Case(
            "a longer span than was wished for", floor, ["users": 100_000, "crashed_users": 900], .firing(.warning),
            span: .days(1)),
    ]

    @Test(arguments: cases)
    func `a verdict follows from the figures`(test: Case) throws {
        let judgement = try test.options.rule().judge(
            Series(test.metrics, span: test.span, isComplete: test.isComplete), at: .noon)
        #expect(judgement.verdict == test.verdict)
        #expect(judgement.closeness == test.closeness)
        if case .unknown(let sentence) = judgement.verdict { #expect(judgement.evidence.sentence == sentence) }
    }

    @Test(
        arguments: [
            floor,
            [
                "all": [
                    ["metric": "crash_free_users", "warning": "< 99.5%"], ["metric": "sessions", "warning": "> 9"],
                ]
            ],
        ] as [WrittenOptions])
    func `figures of long ago are there, and are not judged`(options: WrittenOptions) throws {
        var series = Series()
        series.add(
            Observation(
                subject: Subject(source: "ios", app: "shop"),
                span: TimeSpan(lasting: .hours(1), until: .noon - .days(400)), seen: .noon,
                metrics: ["users": 10_000, "crashed_users": 90]), keeping: .hours(1))
        let rule = try options.rule()
        let judgement = rule.judge(series, at: .noon)
        #expect(
            judgement.verdict
                == .unknown(
                    "its newest figures ended on Thu 16 Oct 2025 12:00 UTC: they are history, and no rule on figures "
                        + "judges them"))
        #expect(judgement.closeness == .far)
        #expect(
            judgement.evidence.phrase.map { Words.spanish.text($0) { _ in "16/10/2025" } }
                == "Sus datos más recientes terminan el 16/10/2025: son históricos y no se juzgan.")
        // Issues are no figures of now.
        series.add(
            Observation(
                subject: Subject(source: "ios", app: "shop"), span: TimeSpan(lasting: .hours(1), until: .noon),
                seen: .noon, metrics: Metrics(), issues: [AlertModel.Issue(id: "1", title: "x")]),
            keeping: .hours(1))
        #expect(rule.judge(series, at: .noon).verdict == judgement.verdict)
        // As soon as some are of now, they are what is judged.
        series.add(
            Observation(
                subject: Subject(source: "ios", app: "shop"), span: TimeSpan(lasting: .hours(1), until: .noon),
                seen: .noon, metrics: ["users": 10_000, "crashed_users": 90, "sessions": 20_000]),
            keeping: .hours(1))
        #expect(series.historyEnd == nil)
        #expect(rule.judge(series, at: .noon).verdict == .firing(.warning))
    }

    @Test func `nothing known is unknown`() throws {
        let judgement = try Self.floor.rule().judge(Series(), at: .noon)
        #expect(judgement.verdict == .unknown("there is no figure for crash-free users"))
        #expect(judgement.evidence.metric == "crash_free_users")
        #expect(judgement.evidence.figure == nil)
    }

    @Test(
        arguments: [
            (
                floor, ["users": 10_000, "crashed_users": 90],
                "crash-free users 99.10% of 10,000 users, below 99.5% over the last 1 h; at best 99.47% with 95% confidence across "
                    + "all of a day's checks"
            ),
            (
                floor, ["users": 2000, "crashed_users": 80],
                "crash-free users 96.00% of 2,000 users, below 99% over the last 1 h; at best 97.72% with 95% confidence across all "
                    + "of a day's checks"
            ),
            (
                bare, ["users": 60, "crashed_users": 1],
                "crash-free users 98.33% of 60 users, below 99% over the last 1 h"
            ),
            (floor, ["users": 1000, "crashed_users": 4], "99.60% is not below 99.5%, but not yet clear of it"),
            (floor, ["users": 1000, "crashed_users": 0], "100.00% is not below 99.5%"),
            (
                ["metric": "anr_rate", "warning": "> 0.47%"], ["anr_rate": 0.02, "users": 10_000],
                "ANR rate 2.00% of 10,000 users, above 0.47% over the last 1 h; at least 1.40% with 95% confidence across all of "
                    + "a day's checks"
            ),
            (
                ["metric": "crash_events", "warning": "> 100"], ["crash_events": 1101],
                "crash events 1,101, above 100 over the last 1 h"
            ),
            (
                ["metric": "queue_length", "warning": "> 7.5"], ["queue_length": 8],
                "queue_length 8, above 7.5 over the last 1 h"
            ),
            (
                ["metric": "checkout_success", "warning": "< 90%"], ["checkout_success": 0.85],
                "checkout_success 85.00%, below 90% over the last 1 h"
            ),
            (
                bare, ["users": 1_000_000, "crashed_users": 5_001],
                "crash-free users 99.4999% of 1,000,000 users, below 99.5% over the last 1 h"
            ),
            (bare, ["users": 1_000_000, "crashed_users": 4_999], "99.5001% is not below 99.5%"),
            (
                ["metric": "queue_length", "warning": "> 7.5"], ["queue_length": 7.5004],
                "queue_length 7.5004, above 7.5 over the last 1 h"
            ),
            (
                ["metric": "crash_free_sessions", "warning": "< 99.9%", "confidence": "off"],
                ["sessions": 5000, "crashed_sessions": 6],
                "crash-free sessions 99.88% of 5,000 sessions, below 99.9% over the last 1 h"
            ),
        ] as [(WrittenOptions, Metrics, String)])
    func `a sentence says why`(options: WrittenOptions, metrics: Metrics, sentence: String) throws {
        let evidence = try options.rule().judge(Series(metrics), at: .noon).evidence
        #expect(evidence.sentence == sentence)
    }

    @Test func `the evidence holds what the verdict rests on`() throws {
        let evidence = try Self.floor.rule().judge(Series(["users": 10_000, "crashed_users": 90]), at: .noon).evidence
        #expect(evidence.metric == "crash_free_users")
        #expect(evidence.figure == Figure(value: 0.991, share: Share(hits: 9910, of: 10_000)))
        #expect(evidence.limit?.description == "< 99.5%")
        #expect(evidence.confidence == 0.95)
        #expect(evidence.span == TimeSpan(lasting: .hours(1), until: .noon))
        let bound = try #require(evidence.bound)
        #expect(bound > 0.991 && bound < 0.995)
    }

    @Test func `the bound and the verdict say the same`() throws {
        let rule = try Self.floor.rule()
        for crashed in 51..<120 {
            let judgement = rule.judge(Series(["users": 10_000, "crashed_users": Double(crashed)]), at: .noon)
            let fires = if case .firing = judgement.verdict { true } else { false }
            #expect(fires == (judgement.evidence.bound.map { $0 < 0.995 } ?? false), "\(crashed) of 10,000")
        }
    }

    @Test func `fewer looks need less evidence`() throws {
        let series = Series(["users": 10_000, "crashed_users": 72])
        #expect(try Self.floor.rule(checksPerDay: 1).judge(series, at: .noon).verdict == .firing(.warning))
        #expect(try Self.floor.rule(checksPerDay: 1440).judge(series, at: .noon).closeness == .near)
    }

    @Test func `sessions are pooled over the window, users are asked of the source`() throws {
        let rule = try (["metric": "crash_free_sessions", "critical": "< 99%", "window": "2h"] as WrittenOptions).rule()
        #expect(rule.spans == [.hours(2)])
        #expect(rule.lookback == .hours(2))
        #expect(rule.metrics == ["crash_free_sessions"])
        var series = Series()
        for hour in [1, 2] as [Int64] {
            series.add(
                Observation(
                    subject: Subject(source: "ios", app: "shop"),
                    span: TimeSpan(lasting: .hours(1), until: .noon + .hours(hour)), seen: .noon + .hours(hour),
                    metrics: ["sessions": 1000, "crashed_sessions": 50]),
                keeping: rule.lookback)
        }
        let judgement = rule.judge(series, at: .noon + .hours(2))
        #expect(judgement.verdict == .firing(.critical))
        #expect(judgement.evidence.figure?.share == Share(hits: 1900, of: 2000))
        #expect(judgement.evidence.span?.length == .hours(2))
    }
}
