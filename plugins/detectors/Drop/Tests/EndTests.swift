import AlertTesting
import Chance
import Glibc
import PluginKit
import Testing

@testable import DropDetector

/// A fall of an app, and what is told of it.
private struct Ongoing {
    var memory: DropMemory
    private var random: SeededRandom
    private var step = 0
    private var isFiring = false
    private(set) var alarms = 0
    private(set) var ends = 0
    let users: Double

    /// With sixteen days in which 0.2 % crash.
    init(seed: UInt64, users: Double) {
        memory = DropMemory(DropMemory.Need(metric: "crash_free_users", by: 0.005))
        random = SeededRandom(seed: seed)
        self.users = users
        for _ in 0..<(16 * Life.stepsPerDay) { pass(times: 1) }
        (alarms, ends, isFiring) = (0, 0, false)
    }

    /// Five minutes with so many times the usual crashes.
    mutating func pass(times: Double) {
        let hour = Double(step) / Double(Life.stepsPerDay) * 2 * .pi
        let here = (users * (1 - 0.6 * cos(hour))).rounded()
        let mean = here * 0.002 * times
        // Many are as good as normal, and drawn at once.
        var crashed = 0.0
        if mean > 40 {
            let normal = (0..<12).reduce(-6.0) { sum, _ in sum + uniform() }
            crashed = max(0, (mean + normal * mean.squareRoot()).rounded())
        } else {
            var left = uniform()
            while left > exp(-mean) {
                crashed += 1
                left *= uniform()
            }
        }
        memory.add(Life.observation(step, users: here, crashed: min(here, crashed)))
        step += 1
        if memory.rarity >= 90 {
            if !isFiring { alarms += 1 }
            isFiring = true
        } else if isFiring, !memory.isSuspicious {
            isFiring = false
            ends += 1
        }
    }

    mutating func pass(days: Double, times: Double) {
        for _ in 0..<Int(days * Double(Life.stepsPerDay)) { pass(times: times) }
    }

    private mutating func uniform() -> Double { Double(random.next() >> 11) * 0x1p-53 }
}

@Suite struct `The end of a fall` {
    /// A release that crashes 1.7 or 2.4 times as often: no deeper than the shallowest fall that is looked for.
    @Test(arguments: [(10_000.0, 1.7), (10_000, 2.4), (500, 2.4)], SeededRandom.seeds)
    func `a shallow fall that goes on is not said to be over, and is not learned`(
        app: (users: Double, times: Double), seed: UInt64
    ) throws {
        var world = Ongoing(seed: seed, users: app.users)
        let before = try #require(world.memory.usual)
        world.pass(days: 8, times: app.times)
        #expect(world.alarms >= 1, "seed \(seed)")
        #expect(world.ends <= 1, "\(world.ends) ends in 8 days, seed \(seed)")
        let during = try #require(world.memory.usual)
        #expect(1 - during < (1 - before) * 1.2, "\(before), then \(during), seed \(seed)")
    }

    @Test(
        arguments: [(10_000.0, 1.7, 2.0), (10_000, 6, 0.5), (500, 2.4, 9), (500, 15, 1), (70, 15, 6)],
        SeededRandom.seeds)
    func `a true end is told within hours`(app: (users: Double, times: Double, hours: Double), seed: UInt64) {
        var world = Ongoing(seed: seed, users: app.users)
        world.pass(days: 3, times: app.times)
        #expect(world.memory.isSuspicious, "seed \(seed)")
        world.pass(days: app.hours / 24, times: 1)
        #expect(!world.memory.isSuspicious, "not over after \(app.hours) h, seed \(seed)")
    }

    @Test func `what begins again soon after an end had not ended, and is not learned from`() {
        var score = DropScore()
        score.excluded = [1000...1010]
        score.suspicion = DropScore.Suspicion(since: 1014.0 / 24, depth: 0)
        for hour in 1000...1020 as ClosedRange<Int64> { #expect(score.excludes(hour), "hour \(hour)") }
        #expect(!score.excludes(999))
        score.suspicion?.since = 1030.0 / 24
        #expect(!score.excludes(1011), "a day later it is another one")
        #expect(!score.excludes(1020))
    }

    @Test func `a suspicion is written down whole`() throws {
        var world = Ongoing(seed: 1, users: 500)
        world.pass(days: 1, times: 3)
        #expect(world.memory.isSuspicious)
        let again = try DropMemory(JSONReader(JSON(parsing: world.memory.json.text)))
        let isSame = again == world.memory
        #expect(isSame)
    }
}
