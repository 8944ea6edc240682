import AlertTesting
import Chance
import Glibc
import PluginKit
import Testing

@testable import DropDetector

@Suite struct `What is usual` {
    @Test(arguments: SeededRandom.seeds)
    func `it is learned from two days on, and better with every week`(seed: UInt64) throws {
        var life = Life(seed: seed)
        life.pass(days: 2.9)
        #expect(!life.memory.isReady, "the last day waits")
        life.pass(days: 0.3)
        #expect(life.memory.isReady)
        let early = try #require(life.memory.uncertainty)
        life.pass(days: 20)
        let late = try #require(life.memory.uncertainty)
        #expect(late < early, "seed \(seed)")
        let usual = try #require(life.memory.usual)
        // 57,600 users a day of whom 173 crash: the level is known to within some percent, an hour's rhythm less well.
        #expect((0.7...1.3).contains((1 - usual) / 0.003), "\(usual), seed \(seed)")
        #expect(life.memory.rarity < 90, "seed \(seed)")
        #expect(life.memory.learned >= .days(21))
    }

    @Test func `the rhythm of the day is learned`() throws {
        var life = Life(seed: 1)
        for _ in 0..<(28 * 24) {
            let isNight = (life.step / 12 + 12) % 24 < 6
            life.pass(days: 1.0 / 24, users: 400, rate: isNight ? 0.006 : 0.002)
        }
        // The last full day, judged at its hours.
        let rates = (0..<24).map {
            life.memory.baseline.rate((Life.span(life.step - 1 - $0 * 12).to.milliseconds - 1).hour)
        }
        let sorted = rates.sorted()
        #expect(sorted[23] / sorted[0] > 1.8)
    }

    @Test(arguments: SeededRandom.seeds)
    func `nothing is learned from an incident`(seed: UInt64) throws {
        var life = Life(seed: seed)
        life.pass(days: 21)
        let before = try #require(life.memory.usual)
        life.pass(days: 3, rate: 0.033)
        #expect(life.memory.isSuspicious)
        let during = try #require(life.memory.usual)
        life.pass(days: 4)
        let after = try #require(life.memory.usual)
        for usual in [during, after] {
            #expect((0.65...1.5).contains((1 - usual) / (1 - before)), "\(before), then \(usual); seed \(seed)")
        }
    }

    @Test func `what stays for a fortnight is the new usual`() throws {
        var life = Life(seed: 7)
        life.pass(days: 21)
        life.pass(days: 10, rate: 0.02)
        #expect(life.memory.rarity > 1000)
        life.pass(days: 9, rate: 0.02)
        #expect(!life.memory.isSuspicious)
        life.pass(days: 4, rate: 0.02)
        let usual = try #require(life.memory.usual)
        #expect((0.7...1.4).contains((1 - usual) / 0.02), "\(usual)")
        #expect(life.memory.rarity < 90)
    }

    @Test func `the level is found anew, and the rhythm kept`() {
        var baseline = Baseline()
        for hour in 0..<(24 * 30) as Range<Int64> {
            baseline.learn(DropMemory.Hour(hour: hour, bad: hour % 24 < 6 ? 60 : 20, total: 10_000), isUsual: true)
        }
        let (night, day) = (baseline.rate(24 * 30 + 2), baseline.rate(24 * 30 + 12))
        #expect(night > 2 * day)
        baseline.levelAnew()
        #expect(!baseline.isReady)
        for hour in (24 * 30)..<(24 * 33) as Range<Int64> {
            baseline.learn(DropMemory.Hour(hour: hour, bad: hour % 24 < 6 ? 600 : 200, total: 10_000), isUsual: true)
        }
        #expect((0.8...1.25).contains(baseline.rate(24 * 33 + 2) / (night * 10)))
    }

    @Test func `an hour that is passed over makes it less sure, not different`() {
        var baseline = Baseline()
        for hour in 0..<(24 * 30) as Range<Int64> {
            baseline.learn(DropMemory.Hour(hour: hour, bad: 20, total: 10_000), isUsual: true)
        }
        let (rate, deviation) = (baseline.rate(5), baseline.deviation(24 * 30))
        for hour in (24 * 30)..<(24 * 40) as Range<Int64> {
            baseline.learn(DropMemory.Hour(hour: hour, bad: 900, total: 10_000), isUsual: false)
        }
        #expect(baseline.rate(5) == rate)
        #expect(baseline.deviation(24 * 40) > deviation)
    }
}

@Suite struct `Evidence for a fall` {
    /// The chances of so many bad cases as the rule takes them to vary, worked out the long way: the number of troubles
    /// is negative binomial, and each is one case or a geometric loop.
    private func chances(most: Int, _ table: DropTable, users: Double) -> [Double] {
        let troubles = users * table.rate / table.size
        let spread = max(1e-3, (table.scatter + table.rateNoise * users * table.rate) / table.size)
        let shape = troubles / spread
        let goesOn = 1 - 1 / DropTable.loopLength
        var sizes = [Double](repeating: 0, count: most + 1)
        for size in 1...most { sizes[size] = table.loops * (1 - goesOn) * pow(goesOn, Double(size - 1)) }
        sizes[1] += 1 - table.loops
        var result = [Double](repeating: 0, count: most + 1)
        // Cases of so many troubles.
        var together = [1.0] + [Double](repeating: 0, count: most)
        for number in 0...most {
            let count = Double(number)
            let ways = logGamma(count + shape) - logGamma(shape) - logGamma(count + 1)
            let chance = exp(ways - count * log1p(1 / spread) - shape * log1p(spread))
            for cases in 0...most { result[cases] += chance * together[cases] }
            var next = [Double](repeating: 0, count: most + 1)
            for cases in 0...most where together[cases] > 1e-18 {
                for size in 0...(most - cases) where sizes[size] > 1e-18 {
                    next[cases + size] += together[cases] * sizes[size]
                }
            }
            together = next
        }
        return result
    }

    private func logGamma(_ number: Double) -> Double {
        var sign: Int32 = 0
        return lgamma_r(number, &sign)
    }

    /// What makes the promise on false alarms hold: without a fall, the evidence grows on average by the time that
    /// passes.
    @Test(arguments: [(3.0, 0.003), (80, 0.001), (200, 0.02), (600, 0.004)], [(0.0, 0.0), (0.3, 0), (1, 0.2), (3, 0)])
    func `on average it grows by the time that passes, whatever the traffic and the noise`(
        traffic: (users: Double, rate: Double), noise: (clumps: Double, rate: Double)
    ) {
        let (users, rate) = traffic
        var baseline = Baseline()
        for hour in 0..<(24 * 60) as Range<Int64> {
            baseline.learn(DropMemory.Hour(hour: hour, bad: rate * 100_000, total: 100_000), isUsual: true)
        }
        (baseline.noise.clumps, baseline.noise.rate) = noise
        let table = DropTable(hour: 24 * 60, baseline, by: 0.005)
        let to = table.hour * 3_600_000 + 300_000
        var mean = DropScore.Depths.zero
        for (count, probability) in chances(most: 100, table, users: users).enumerated() {
            var score = DropScore()
            score.add(DropMemory.Bucket(from: to - 1, to: to, bad: Double(count), total: users, seen: to), table)
            mean += score.days * probability
        }
        // So short that the evidence of no count is capped.
        let span = 1 / 86_400_000.0
        var compared = 0
        // Deep falls of many users are capped all the same.
        for index in 0..<8 where users * table.depths[index] < 5 {
            #expect(abs(mean[index] / span - 1) < 0.01, "depth \(table.depths[index]): \(mean[index] / span)")
            compared += 1
        }
        #expect(compared > 0)
    }

    @Test(arguments: SeededRandom.seeds, [0.01, 0.03, 0.1])
    func `a sudden fall is soon beyond chance, and over when it is over`(seed: UInt64, depth: Double) throws {
        var life = Life(seed: seed)
        life.pass(days: 21)
        let begin = life.step
        let steps = life.pass(days: 1, rate: 0.003 + depth) { $0.rarity >= 90 }
        let found = try #require(steps, "seed \(seed)")
        // 200 users a span: a point needs about five spans' worth of bad luck, ten points one.
        #expect(found <= (depth < 0.02 ? 36 : 6), "\(found) spans, seed \(seed)")
        life.pass(days: 0.125, rate: 0.003 + depth)
        let fall = try #require(life.memory.fall())
        #expect(abs((fall.span.from - Life.span(begin).from).inSeconds) <= 3 * 3600, "\(fall.span.from), seed \(seed)")
        let seen = fall.usual - fall.share.hits / fall.share.total
        #expect((0.5...1.5).contains(seen / depth), "\(seen), seed \(seed)")
        let calm = life.pass(days: 2, rate: 0.003) { !$0.isSuspicious }
        #expect(try #require(calm, "seed \(seed)") <= 144)
        #expect(life.memory.rarity < 15)
        #expect(life.memory.fall() == nil)
    }

    @Test func `only depths at least so great count for a severity`() {
        var life = Life(seed: 3)
        life.pass(days: 21)
        life.pass(days: 0.5, rate: 0.012)
        #expect(life.memory.rarity > 90)
        #expect(life.memory.rarity(ofFallsOver: 0.1) < 15)
        #expect(life.memory.rarity(ofFallsOver: 0.005) == life.memory.rarity)
    }

    @Test func `nobody there is no evidence`() {
        var life = Life(seed: 3)
        life.pass(days: 10)
        let before = life.memory.rarity
        for step in life.step..<(life.step + 100) { life.memory.add(Life.observation(step, users: 0, crashed: 0)) }
        #expect(life.memory.rarity == before)
        #expect(life.memory.newest == Life.span(life.step + 99))
    }

    @Test func `an app that never crashes is compared with very little, not with nothing`() throws {
        var life = Life(seed: 3)
        life.pass(days: 10, rate: 0)
        #expect(try #require(life.memory.usual) > 0.9999)
        let steps = life.pass(days: 1, rate: 0.05) { $0.rarity > 90 }
        #expect(try #require(steps) <= 4)
    }
}
