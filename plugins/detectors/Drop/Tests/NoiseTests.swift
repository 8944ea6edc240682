import AlertTesting
import Chance
import Glibc
import PluginKit
import Testing

@testable import DropDetector

/// Sessions of an app that has only this noise: so many crashed ones expected in a span of five minutes, by night a
/// quarter of those by day.
private struct NoisyApp {
    /// Why counts vary; each makes them vary twice as much as by chance.
    enum Cause: String, CaseIterable, CustomTestStringConvertible {
        case chance, loops, common
        var testDescription: String { rawValue }
    }

    let cause: Cause
    let expected: Double
    var memory = DropMemory(DropMemory.Need(metric: "crash_free_sessions", by: 0.005))
    private var random: SeededRandom
    private(set) var step = 0

    init(_ cause: Cause, expected: Double, seed: UInt64) {
        (self.cause, self.expected) = (cause, expected)
        random = SeededRandom(seed: seed)
    }

    mutating func pass(days: Double) {
        for _ in 0..<Int(days * 288) {
            let here = expected * (1 - 0.6 * cos(Double(step) / 288 * 2 * .pi))
            add(crashed: crashes(here), sessions: here * 1000)
        }
    }

    mutating func add(crashed: Double, sessions: Double, users: Double? = nil) {
        let span = Life.span(step)
        step += 1
        var metrics: Metrics = ["sessions": max(sessions.rounded(), crashed), "crashed_sessions": crashed]
        if let users { metrics["crashed_users"] = users }
        memory.add(
            Observation(subject: Subject(source: "ios", app: "shop"), span: span, seen: span.to, metrics: metrics))
    }

    private mutating func unit() -> Double { Double.random(in: 0..<1, using: &random) }

    private mutating func crashes(_ mean: Double) -> Double {
        switch cause {
        case .chance: return poisson(mean)
        case .loops:
            // One crash and one more after each with a chance of a third: a variance of twice the mean.
            var count = 0.0
            for _ in 0..<Int(poisson(mean * 2 / 3)) {
                count += 1
                while random.happens(1.0 / 3) { count += 1 }
            }
            return count
        case .common:
            // The rate is drawn anew for each span, of a variance that doubles that of the counts at the mean traffic.
            let variance = 1 / expected
            if variance <= 1 { return poisson(mean * (1 + (random.happens(0.5) ? 1 : -1) * variance.squareRoot())) }
            return random.happens(1 / (1 + variance)) ? poisson(mean * (1 + variance)) : 0
        }
    }

    private mutating func poisson(_ mean: Double) -> Double {
        let limit = exp(-mean)
        var (count, product) = (0.0, unit())
        while product > limit {
            count += 1
            product *= unit()
        }
        return count
    }
}

@Suite struct `The noise of an app` {
    @Test(arguments: [0.3, 3, 30], SeededRandom.seeds)
    func `without any, what is learned in a week is within a tenth of chance`(expected: Double, seed: UInt64) {
        var app = NoisyApp(.chance, expected: expected, seed: seed)
        app.pass(days: 10.5)
        let learned = app.memory.baseline.noise.dispersion(expected: expected)
        #expect((0.9...1.1).contains(learned), "\(learned) at \(expected), seed \(seed)")
    }

    @Test(arguments: [
        (NoisyApp.Cause.loops, 0.3), (.loops, 3), (.loops, 30), (.common, 0.3), (.common, 3), (.common, 30),
    ])
    private func `what is learned in a week is within 30 % of the truth`(cause: NoisyApp.Cause, expected: Double) {
        for seed in SeededRandom.seeds {
            var app = NoisyApp(cause, expected: expected, seed: seed)
            app.pass(days: 10.5)
            let learned = app.memory.baseline.noise.dispersion(expected: expected)
            // Clumps vary as much at any traffic; a common cause shows more at busy hours, and this is the mean of
            // them.
            #expect((1.4...2.6).contains(learned), "\(learned) of 2, \(cause.rawValue) at \(expected), seed \(seed)")
        }
    }

    @Test func `clumps and a rate that varies are told apart by quiet and busy spans`() {
        for seed in SeededRandom.seeds {
            var (loops, common) = (
                NoisyApp(.loops, expected: 30, seed: seed), NoisyApp(.common, expected: 30, seed: seed)
            )
            loops.pass(days: 24)
            common.pass(days: 24)
            let (one, other) = (loops.memory.baseline.noise, common.memory.baseline.noise)
            #expect(one.clumps > 30 * one.rate, "seed \(seed)")
            #expect(other.clumps < 30 * other.rate, "seed \(seed)")
        }
    }

    @Test func `a fall and its end are no noise`() {
        var app = NoisyApp(.chance, expected: 3, seed: 3)
        app.pass(days: 21)
        for _ in 0..<40 { app.add(crashed: 90, sessions: 3000) }
        app.pass(days: 3)
        #expect(app.memory.baseline.noise.dispersion(expected: 3) < 1.25)
    }

    @Test func `a single long loop rings no bell, and is learned in full`() {
        var app = NoisyApp(.loops, expected: 0.3, seed: 5)
        app.pass(days: 21)
        let before = app.memory.baseline.noise.dispersion(expected: 0.3)
        app.add(crashed: 18, sessions: 300)
        #expect(app.memory.rarity < 90, "\(app.memory.rarity)")
        app.pass(days: 1)
        #expect(app.memory.baseline.noise.dispersion(expected: 0.3) > before + 0.1)
    }

    @Test func `a wave of crashes that is over in one span makes nobody deaf`() {
        var app = NoisyApp(.chance, expected: 10, seed: 8)
        app.pass(days: 14)
        for _ in 0..<3 {
            app.add(crashed: 1500, sessions: 10_000)
            app.pass(days: 2)
        }
        #expect(app.memory.baseline.noise.dispersion(expected: 10) < 2)
        #expect(app.memory.rarity < 90)
        for _ in 0..<12 { app.add(crashed: 100, sessions: 10_000) }
        #expect(app.memory.rarity > 90)
    }

    @Test(arguments: [0.3, 3, 30])
    func `however noisy an app is thought to be, a fall is over once its figures are as usual`(expected: Double) {
        var app = NoisyApp(.chance, expected: expected, seed: 9)
        app.pass(days: 21)
        // Six hours, and the noise of an app whose rate is never the same for two spans.
        for _ in 0..<72 { app.add(crashed: (expected * 30).rounded(.up), sessions: expected * 1000) }
        #expect(app.memory.rarity > 90)
        app.memory.baseline.noise.sums.rate = 1e9
        app.memory.baseline.noise.settle()
        #expect(app.memory.baseline.noise.rate > 100)
        app.pass(days: 1)
        #expect(!app.memory.isSuspicious)
    }

    @Test func `the crashed users of a span tell a loop from a fall`() {
        func rarity(users: Double?) -> Double {
            var app = NoisyApp(.chance, expected: 3, seed: 6)
            for _ in 0..<(10 * 288) {
                let crashed = Double([2, 3, 4, 1, 5][app.step % 5])
                app.add(crashed: crashed, sessions: 3000, users: users.map { _ in crashed })
            }
            for _ in 0..<3 { app.add(crashed: 40, sessions: 3000, users: users) }
            return app.memory.rarity
        }
        #expect(rarity(users: nil) > 90)
        #expect(rarity(users: 40) > 90)
        #expect(rarity(users: 2) < 90)
    }

    @Test func `crashed users that do not cover the sessions take nothing away`() {
        var (plain, beside) = (NoisyApp(.chance, expected: 3, seed: 7), NoisyApp(.chance, expected: 3, seed: 7))
        // Sessions of nobody: the source knows no users.
        for step in 0..<(10 * 288) {
            plain.add(crashed: Double(step % 7), sessions: 3000)
            beside.add(crashed: Double(step % 7), sessions: 3000, users: 0)
        }
        #expect(plain.memory.recent.map(\.counted) == beside.memory.recent.map(\.counted))
    }
}
