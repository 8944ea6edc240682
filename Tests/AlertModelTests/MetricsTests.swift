import AlertModel
import Chance
import Testing

@Suite struct `Figures and metrics` {
    typealias Row = (metrics: Metrics, metric: Metric, value: Double?, hits: Double?, total: Double?)

    @Test(arguments: [(1.000_000_000_1, 1.0), (-1e-10, 0), (1.000_1, 1.000_1), (0.5, 0.5)])
    func `a rate that a division has rounded beyond its bounds is at them`(given: Double, taken: Double) {
        var metrics: Metrics = ["crash_free_users": given]
        metrics.settle()
        #expect(metrics["crash_free_users"] == taken)
    }

    @Test(
        arguments: [
            (["sessions": 1000, "crashed_sessions": -1.1368683772161603e-13], 0),
            (["sessions": 1e12, "crashed_sessions": -900], 0), (["crashed_sessions": -1e-10], 0),
            (["sessions": 0, "crashed_sessions": -1e-10], 0), (["sessions": 1e6, "crashed_sessions": -0.1], -0.1),
            (["sessions": 1000, "crashed_sessions": -1], -1),
        ] as [(Metrics, Double)])
    func `a count that a subtraction has rounded below 0 is none`(given: Metrics, taken: Double) {
        var metrics = given
        metrics.settle()
        #expect(metrics["crashed_sessions"] == taken)
    }

    @Test(
        arguments: [
            (["users": 200, "crashed_users": 1], "crash_free_users", 0.995, 199, 200),
            (["sessions": 4000, "crashed_sessions": 40], "crash_free_sessions", 0.99, 3960, 4000),
            // Counts win over a rate that says something else.
            (["users": 200, "crashed_users": 1, "crash_free_users": 0.5], "crash_free_users", 0.995, 199, 200),
            (["users": 200, "crash_free_users": 0.99], "crash_free_users", 0.99, 198, 200),
            (["users": 150, "crash_free_users": 0.987], "crash_free_users", 0.987, 148, 150),
            (["crash_free_users": 0.99], "crash_free_users", 0.99, nil, nil),
            (["crashed_users": 3], "crash_free_users", nil, nil, nil),
            (["users": 0, "crashed_users": 0], "crash_free_users", nil, nil, nil),
            (["users": 0, "crash_free_users": 1], "crash_free_users", nil, nil, nil),
            (["anr_rate": 0.004, "users": 1000], "anr_rate", 0.004, 4, 1000),
            (["adoption": 0.4, "users": 1000], "adoption", 0.4, nil, nil),
            (["users": 7], "users", 7, nil, nil), (["users": 0], "users", 0, nil, nil),
            (["crash_events": 5], "crash_events", 5, nil, nil),
            (["cart_failures": -2.5, "users": 10], "cart_failures", -2.5, nil, nil), ([:], "users", nil, nil, nil),
        ] as [Row])
    func `a figure carries the counts behind it`(row: Row) {
        let figure = row.metrics.figure(row.metric)
        #expect(figure?.value == row.value)
        #expect(figure?.share?.hits == row.hits)
        #expect(figure?.share?.total == row.total)
    }

    @Test(
        arguments: [
            (["users": 10, "crashed_users": 10, "crash_free_users": 0], nil), (["own_metric": -5], nil), ([:], nil),
            (["users": .nan], "'users' is nan, not a finite number"),
            (["own_metric": .infinity], "'own_metric' is inf, not a finite number"),
            (["crash_free_users": 99.5], "'crash_free_users' is 99.5, but a rate is a fraction from 0 to 1"),
            (["anr_rate": -0.1], "'anr_rate' is -0.1, but a rate is a fraction from 0 to 1"),
            (["sessions": -1], "'sessions' is -1.0, but a count is never negative"),
            (["users": 1000, "crashed_users": 1001], "'crashed_users' (1,001) is more than 'users' (1,000)"),
            (["sessions": 0, "crashed_sessions": 1], "'crashed_sessions' (1) is more than 'sessions' (0)"),
        ] as [(Metrics, String?)])
    func `what makes no sense is reported`(metrics: Metrics, flaw: String?) {
        #expect(metrics.flaw == flaw)
    }

    @Test(
        arguments: [
            (["users": 1e12, "own_metric": -1e19], nil), (["sessions": 18_446_744_073_709_551_616], "sessions"),
            (["own_metric": -1.7e308], "own_metric"),
        ] as [(Metrics, String?)])
    func `what nobody can have counted is reported, and not kept`(metrics: Metrics, name: String?) {
        #expect(metrics.flaw == nil)
        #expect((metrics.exaggeration == nil) == (name == nil))
        if let name { #expect(metrics.exaggeration?.hasPrefix("'\(name)' is ") == true) }
    }

    @Test(
        arguments: [
            ("crash_free_users", .rate, false, "users", "crashed_users", "crash-free users"),
            ("crash_free_sessions", .rate, true, "sessions", "crashed_sessions", "crash-free sessions"),
            ("anr_rate", .rate, false, "users", nil, "ANR rate"), ("adoption", .rate, false, nil, nil, "adoption"),
            ("users", .count, false, nil, nil, "users"), ("crashed_users", .count, false, nil, nil, "crashed users"),
            ("sessions", .count, true, nil, nil, "sessions"),
            ("crashed_sessions", .count, true, nil, nil, "crashed sessions"),
            ("crash_events", .count, true, nil, nil, "crash events"),
            ("cart_failures", .unknown, false, nil, nil, "cart_failures"),
        ] as [(String, Metric.Unit, Bool, Metric?, Metric?, String)])
    func `every metric has its nature`(
        name: String, unit: Metric.Unit, adds: Bool, denominator: Metric?, failures: Metric?, title: String
    ) {
        let metric = Metric(name)
        #expect(metric.name == name)
        #expect((metric.unit, metric.adds) == (unit, adds))
        #expect((metric.denominator, metric.failures, metric.title) == (denominator, failures, title))
    }

    @Test func `only the crash-free rates can be computed from counts`() {
        let computed = Metric.wellKnown.filter { $0.canBeComputed(from: [.users, .crashedUsers, .sessions]) }
        #expect(computed == [.crashFreeUsers])
    }

    @Test func `a metric that alertbot knows is the same by its name`() {
        for metric in Metric.wellKnown {
            #expect(Metric(metric.name) == metric)
            #expect(metric.unit != .unknown)
        }
        #expect(Set(Metric.wellKnown).count == 9)
        #expect("users" as Metric == .users)
        #expect(Metric("own") == .other("own"))
    }

    @Test func `entries keep their order through changes`() {
        var metrics: Metrics = ["b": 1, "a": 2]
        metrics["c"] = 3
        metrics["b"] = 4
        metrics["a"] = nil
        metrics["d"] = nil
        #expect(metrics.entries.map(\.name) == ["b", "c"])
        #expect(metrics["b"] == 4)
    }

    @Test(
        arguments: [
            (0, "0"), (1840, "1,840"), (999, "999"), (1_000_000, "1,000,000"), (-1234.5, "-1,234.5"), (0.1234, "0.123"),
            (0.0004, "0.0004"), (-0.0004, "-0.0004"), (0.00073, "0.00073"), (0.0000123456, "0.0000123"), (0.99999, "1"),
            (1.9996, "2"), (100_001, "100,001"), (1e16, "1e+16"), (.infinity, "inf"), (-0.0, "0"),
            (0.3 - 0.1 - 0.2, "0"), (123_456_789_012_345.6, "123,456,789,012,345.6"),
            (1_234_567_890_123.456, "1,234,567,890,123.456"),
            (999_999_999_999_999, "999,999,999,999,999"), (4_503_599_627_370_497.5 / 8, "562,949,953,421,312.2"),
        ] as [(Double, String)])
    func `numbers are written as people do`(number: Double, text: String) {
        #expect(number.plain == text)
    }

    @Test(
        arguments: [
            (0.00073, 0.0004, "0.00073"), (0.000401234567891, 0.0004, "0.000401"),
            (0.0004000012, 0.0004, "0.000400001"),
            (0.0000234, 0.00001, "0.0000234"), (1.0004, 1.0002, "1.0004"), (99.99996, 100, "99.99996"),
            (100.00004, 100, "100.00004"), (5, 5, "5"), (3e-14, 0, "0.00000000000003"),
            (-3e-14, 0, "-0.00000000000003"),
            (0.1 + 0.2, 0.3, "0.300000000000001"), (1e-20, 0, "0.000000000000001"), (12, .infinity, "12"),
            (12, 1e300, "12"),
            (999_999_999_999_998.9, 999_999_999_999_999, "999,999,999,999,998"), (12, .nan, "12"),
        ] as [(Double, Double, String)])
    func `a number is told with places enough to be on its own side of a limit`(
        number: Double, limit: Double, text: String
    ) {
        #expect(number.plain(besides: limit) == text)
    }

    @Test(arguments: [
        ("> 1e-05", "above 0.00001"), ("> 0.0004", "above 0.0004"), ("< -2.5e-7", "below -0.00000025"),
        ("> 0", "above 0"),
    ])
    func `a small limit is told without an exponent`(written: String, told: String) throws {
        let limit = try Comparison(grammar: written)
        #expect(limit.words == told)
        #expect(Words.english.limit(limit) == told)
        #expect(try Comparison(grammar: limit.description) == limit)
    }

    @Test(
        arguments: [
            (0.995, "99.50%"), (1, "100.00%"), (0, "0.00%"), (0.99954, "99.954%"), (0.0047, "0.47%"),
            (0.983152, "98.32%"),
            (0.999, "99.90%"), (0.9989, "99.89%"), (0.0004, "0.040%"), (0.001, "0.10%"), (-0.002, "-0.20%"),
            (.nan, "nan"),
        ] as [(Double, String)])
    func `figures are written in percent, more exactly where that matters`(fraction: Double, text: String) {
        #expect(fraction.percent == text)
    }

    @Test(arguments: [(0.995, "99.5%"), (0.0047, "0.47%"), (1, "100%"), (0.99999, "99.999%"), (0.999, "99.9%")])
    func `limits are written as they were meant`(fraction: Double, text: String) {
        #expect(fraction.percentTrimmed == text)
    }

    @Test(
        arguments: [
            "0.00005%", "0.000000001%", "99.9999999999%", "99.9%", "0%", "33.3333333333%", "120000000000000000000%",
            "0.00000000000000000012345%", "12345678901.5%",
        ])
    func `limits of any size are written in plain decimals, and read back`(text: String) throws {
        let fraction = try Percentage(grammar: text).fraction
        #expect(fraction.percentTrimmed == text)
        #expect(
            try Comparison(grammar: Comparison(.greater, fraction, isPercentage: true).description).limit == fraction)
    }

    @Test(arguments: [
        (1.0 / 3, "33.3333333%"), (0.1 + 0.2, "30%"), (1e-12 / 3, "0.000000000033333333333333334%"), (-0.5, "-50%"),
    ])
    func `what was computed is rounded, as long as something is left`(fraction: Double, text: String) {
        #expect(fraction.percentTrimmed == text)
    }

    @Test(arguments: SeededRandom.seeds)
    func `whatever the limit, what the journal keeps of it is read`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        for _ in 0..<500 {
            let size = (0..<Int.random(in: 0...30, using: &random)).reduce(1e9) { size, _ in size / 10 }
            let fraction = Double.random(in: 0...size, using: &random)
            let written = Comparison(.less, fraction, isPercentage: true).description
            let read = try Comparison(grammar: written).limit
            #expect(abs(read - fraction) <= max(5.1e-10, fraction * 1e-9), "seed \(seed): \(written)")
        }
    }

    @Test func `a limit that earlier programs wrote with an exponent is read`() throws {
        #expect(try Comparison(grammar: "> 5e-05%").limit == 5e-7)
        #expect(throws: GrammarError.self) { try Comparison(grammar: "> 5e%") }
        #expect(throws: GrammarError.self) { try Comparison(grammar: "> e5%") }
        #expect(throws: GrammarError.self) { try Comparison(grammar: "> 5e400%") }
    }

    @Test(
        arguments: [(10.6, 1.0, 10.6), (10.6, 0.5, 5.3), (1000, 0.999, 999), (7, 0.5, 4)] as [(Double, Double, Double)])
    func `a rate of cases is never more than all of them`(total: Double, rate: Double, hits: Double) {
        let metrics: Metrics = [.sessions: total, .crashFreeSessions: rate]
        #expect(metrics.figure(.crashFreeSessions)?.share == Share(hits: hits, of: total))
    }
}
