import AlertTesting
import Chance
import Glibc
import PluginKit
import PluginTesting
import Testing
import ThresholdDetector

/// Days of an app's life, minute by minute, with an hour before midnight to begin with.
///
/// The traffic has a strong rhythm: twenty times as much in the afternoon as in the small hours. Bad cases come one by
/// one or, one time in three, two at once, and independently of all others: so counts vary 1.5 times as much as by
/// chance.
struct SimulatedDay {
    /// The figures of the hour that ends with each minute of the day.
    private(set) var hours: [(total: Int, bad: Int)] = []

    /// The minutes that are counted: an hour of warming up and the day.
    private static let minutes = 60 + 1440
    private static let pairs = 1.0 / 3
    /// For each bad case.
    private static let troubles = 3.0 / 4

    /// Sessions: each is counted in its minute.
    init(sessionsAround mean: Double, rate: Double, from random: inout SeededRandom) {
        var totals: [Int] = []
        var bads: [Int] = []
        var gap = SimulatedDay.gap(rate * SimulatedDay.troubles, &random)
        for minute in 0..<SimulatedDay.minutes {
            let total = SimulatedDay.arrivals(mean, at: minute, &random)
            var bad = 0
            var rest = total
            while gap < rest {
                rest -= gap + 1
                bad += random.happens(SimulatedDay.pairs) ? 2 : 1
                gap = SimulatedDay.gap(rate * SimulatedDay.troubles, &random)
            }
            gap -= rest
            totals.append(total)
            bads.append(bad)
        }
        hours = SimulatedDay.sliding(totals, bads, totalMinutes: 60)
    }

    /// Distinct users: each stays a quarter of an hour, and counts as long as any of it lies within the last hour;
    /// whose app crashed counts as crashed for an hour from then on. The rate is that of crashed users among the users
    /// of an hour.
    init(usersAround mean: Double, rate: Double, from random: inout SeededRandom) {
        let stay = 15
        let chance = rate * SimulatedDay.troubles * Double(60 + stay) / 60
        var totals: [Int] = []
        var bads = [Int](repeating: 0, count: SimulatedDay.minutes + stay)
        var gap = SimulatedDay.gap(chance, &random)
        for minute in 0..<SimulatedDay.minutes {
            let total = SimulatedDay.arrivals(mean, at: minute, &random)
            var rest = total
            while gap < rest {
                rest -= gap + 1
                bads[minute + Int.random(in: 0..<stay, using: &random)] += random.happens(SimulatedDay.pairs) ? 2 : 1
                gap = SimulatedDay.gap(chance, &random)
            }
            gap -= rest
            totals.append(total)
        }
        hours = SimulatedDay.sliding(totals, bads, totalMinutes: 60 + stay)
    }

    private static func arrivals(_ mean: Double, at minute: Int, _ random: inout SeededRandom) -> Int {
        let rhythm = 1 - 0.905 * cos(Double(minute - 60 - 180) / 1440 * 2 * .pi)
        return Int((mean * rhythm * (0.6 + 0.8 * random.unit())).rounded())
    }

    /// How many good cases come before the next bad one.
    private static func gap(_ rate: Double, _ random: inout SeededRandom) -> Int {
        Int(log(1 - random.unit()) / log1p(-rate))
    }

    private static func sliding(_ totals: [Int], _ bads: [Int], totalMinutes: Int) -> [(total: Int, bad: Int)] {
        var hours: [(total: Int, bad: Int)] = []
        var (total, bad) = (0, 0)
        for minute in 0..<minutes {
            total += totals[minute]
            bad += bads[minute]
            if minute >= totalMinutes { total -= totals[minute - totalMinutes] }
            if minute >= 60 {
                bad -= bads[minute - 60]
                hours.append((total, min(bad, total)))
            }
        }
        return hours
    }
}

@Suite struct `A day at the limit` {
    static let rate = 0.005
    static let seed: UInt64 = 20_261_120

    private func fires(_ rule: ThresholdDetector, _ metrics: Metrics) -> Bool {
        if case .firing = rule.judge(Series(metrics), at: .noon).verdict { true } else { false }
    }

    /// Whether any look of the day alarms. A look less than two standard deviations bad cannot, whatever the bound:
    /// its own chance is far above what a whole day is allowed. Passing over it spares most of the time.
    private func alarms(_ day: SimulatedDay, _ rule: ThresholdDetector, _ total: Metric, _ crashed: Metric) -> Bool {
        day.hours.contains { hour in
            let expected = Double(hour.total) * Self.rate
            guard Double(hour.bad) > expected + 2 * expected.squareRoot() else { return false }
            return fires(rule, [total: Double(hour.total), crashed: Double(hour.bad)])
        }
    }

    /// Five days in a hundred may alarm. The sums bound that from above and lose something: a rise is often followed by
    /// another. Of 500 simulated days 19 alarm on sessions and 16 on users; the ranges leave room for another seed, and
    /// fail for a bound of one look as for one that never fires.
    @Test func `at most five days in a hundred alarm on sessions, looked at every minute`() throws {
        let rule = try (["metric": "crash_free_sessions", "warning": "< 99.5%"] as WrittenOptions).rule()
        try expectFewAlarms(rule, "sessions", "crashed_sessions") { random in
            SimulatedDay(sessionsAround: 40, rate: Self.rate, from: &random)
        }
    }

    @Test func `at most five days in a hundred alarm on users of a span that the source measured`() throws {
        let rule = try (["metric": "crash_free_users", "warning": "< 99.5%"] as WrittenOptions).rule()
        try expectFewAlarms(rule, "users", "crashed_users") { random in
            SimulatedDay(usersAround: 25, rate: Self.rate, from: &random)
        }
    }

    private func expectFewAlarms(
        _ rule: ThresholdDetector, _ total: Metric, _ crashed: Metric, day: (inout SeededRandom) -> SimulatedDay
    ) throws {
        var random = SeededRandom(seed: Self.seed)
        let days = 500
        var alarming = 0
        var (totals, bads) = (0, 0)
        for _ in 0..<days {
            let day = day(&random)
            if alarms(day, rule, total, crashed) { alarming += 1 }
            totals += day.hours.reduce(0) { $0 + $1.total }
            bads += day.hours.reduce(0) { $0 + $1.bad }
        }
        #expect((days / 200...days / 20).contains(alarming), "\(alarming) of \(days) days, seed \(Self.seed)")
        // What is simulated must truly sit at the limit.
        let rate = Double(bads) / Double(totals)
        #expect((0.98...1.02).contains(rate / Self.rate), "the rate is \(rate), seed \(Self.seed)")
    }

    /// The simulation above judges hours as one span. Here the same hours come as single minutes and are pooled.
    @Test func `minutes that are pooled say the same as the hour`() throws {
        var random = SeededRandom(seed: Self.seed)
        var series = Series()
        var minutes: [(total: Double, bad: Double)] = []
        for minute in 0..<300 {
            let total = Double(Int.random(in: 0...60, using: &random))
            let bad = random.unit() < 0.2 ? min(total, 1) : 0
            minutes.append((total, bad))
            let end = Moment.noon + .minutes(Int64(minute))
            series.add(
                Observation(
                    subject: Subject(source: "ios", app: "shop"), span: TimeSpan(lasting: .minutes(1), until: end),
                    seen: end,
                    metrics: ["sessions": total, "crashed_sessions": bad]), keeping: .hours(1))
            guard minute >= 60 else { continue }
            let hour = minutes.suffix(60)
            let share = series.measured("crash_free_sessions", over: .hours(1))?.figure.share
            let total60 = hour.reduce(0) { $0 + $1.total }
            guard share == Share(hits: total60 - hour.reduce(0) { $0 + $1.bad }, of: total60) else {
                Issue.record("minute \(minute): \(String(describing: share)), seed \(Self.seed)")
                return
            }
        }
    }

    @Test(arguments: 1...10)
    func `a fall by three points at 2,000 users an hour is found within the hour`(seed: UInt64) throws {
        let rule = try (["metric": "crash_free_users", "warning": "< 99.5%"] as WrittenOptions).rule()
        var random = SeededRandom(seed: seed)
        // 99.7% until now, 96.7% from now on; every minute a sixtieth of the users of the last hour is replaced.
        var crashes = (0..<60).map { _ in binomial(2000 / 60, 0.003, &random) }
        var minutes = 0
        repeat {
            minutes += 1
            crashes.removeFirst()
            crashes.append(binomial(2000 / 60, 0.033, &random))
        } while minutes < 60
            && !fires(rule, ["users": 1980, "crashed_users": Double(crashes.reduce(0, +))])
        #expect(minutes < 60, "seed \(seed)")
    }

    private func binomial(_ trials: Int, _ rate: Double, _ random: inout SeededRandom) -> Int {
        (0..<trials).count { _ in random.unit() < rate }
    }
}
