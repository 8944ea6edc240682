import AlertTesting
import Chance
import PluginKit
import Testing

@testable import DropDetector

/// Whole hours of an app's life, told to what learns from them.
private struct Weeks {
    var baseline = Baseline()
    private(set) var hour: Int64

    /// Begins so many weeks ago with ordinary hours: 20 of 10,000.
    init(usual weeks: Int) {
        hour = Weeks.monday
        pass(hours: weeks * 168)
    }

    /// The first hour of 23 November 2026.
    static let monday = Int64(1_795_392_000_000 / 3_600_000)
    /// Of a week that begins on a Monday.
    static let weekend = 120..<168

    /// Hours in which this many times the usual cases are bad; what was suspected is not learned from.
    mutating func pass(hours: Int, times: Double = 1, isSuspected: Bool = false) {
        for _ in 0..<hours {
            baseline.learn(
                DropMemory.Hour(hour: hour, bad: 20 * times, total: 10_000), isUsual: !isSuspected)
            hour += 1
        }
    }

    /// A week in which these hours are worse and are suspected, as are the hours beside them.
    mutating func pass(weekWorseIn hours: Range<Int>, times: Double) {
        pass(hours: hours.lowerBound - 1)
        pass(hours: 1, isSuspected: true)
        pass(hours: hours.count, times: times, isSuspected: true)
        if hours.upperBound < 168 { pass(hours: 1, isSuspected: true) }
        pass(hours: max(0, 167 - hours.upperBound))
    }

    /// How many times 20 of 10,000 are expected in that hour of this week.
    func expected(_ hourOfWeek: Int) -> Double { baseline.rate(hour + Int64(hourOfWeek)) / 0.002 }

    var learnsNothing: Bool { baseline.rhythm.stretches.isEmpty }
}

/// An app that is worse at some hours of each week, and how often it seems to have fallen.
private struct WorseEachWeek {
    var life: Life
    var isFiring = false
    let users: Double
    let rate: Double

    init(seed: UInt64, users: Double, rate: Double) {
        life = Life(seed: seed)
        (self.users, self.rate) = (users, rate)
    }

    /// Passes an hour, and says whether something fires anew in it.
    mutating func hour(times: Double, more: Double = 0) -> Bool {
        var alarms = 0
        for _ in 0..<12 {
            life.memory.add(life.next(users: users, rate: rate * times + more))
            let was = isFiring
            if life.memory.rarity >= 90 { isFiring = true } else if !life.memory.isSuspicious { isFiring = false }
            if isFiring, !was { alarms += 1 }
        }
        return alarms > 0
    }

    /// Passes weeks from Friday noon to Friday noon, and counts alarms of each.
    mutating func weeks(_ count: Int, weekendTimes times: Double) -> [Int] {
        (0..<count).map { _ in (0..<168).count { hour(times: WorseEachWeek.weekend ~= $0 ? times : 1) } }
    }

    /// From Friday noon on.
    static let weekend = 12..<60
}

@Suite struct `Hours that are worse every week` {
    @Test(
        arguments: [(40.0, 0.01, 3.0), (150, 0.01, 2)], SeededRandom.seeds)
    func `a weekend that is always worse is reported twice, and no more`(
        app: (users: Double, rate: Double, times: Double), seed: UInt64
    ) {
        var world = WorseEachWeek(seed: seed, users: app.users, rate: app.rate)
        _ = world.weeks(2, weekendTimes: 1)
        let first = world.weeks(2, weekendTimes: app.times)
        #expect(first.allSatisfy { $0 > 0 }, "\(first), seed \(seed)")
        let later = world.weeks(4, weekendTimes: app.times)
        #expect(later.reduce(0, +) <= 1, "\(later), seed \(seed)")
    }

    @Test(arguments: SeededRandom.seeds)
    func `a fall on top of a worse weekend is found, and not learned`(seed: UInt64) throws {
        var world = WorseEachWeek(seed: seed, users: 100, rate: 0.01)
        _ = world.weeks(2, weekendTimes: 1)
        _ = world.weeks(3, weekendTimes: 2)
        for hour in 0..<24 { _ = world.hour(times: WorseEachWeek.weekend ~= hour ? 2 : 1) }
        let before = world.life.memory.baseline.rhythm.stretches.map(\.factor)
        let isFound = (0..<3).contains { _ in world.hour(times: 2, more: 0.03) }
        #expect(isFound, "seed \(seed)")
        for _ in 0..<20 { _ = world.hour(times: 2, more: 0.03) }
        for _ in 0..<96 { _ = world.hour(times: 1) }
        let after = world.life.memory.baseline.rhythm.stretches.map(\.factor)
        #expect(after.count == before.count && !before.isEmpty, "\(before), \(after), seed \(seed)")
        for (left, right) in zip(before, after) { #expect(abs(left / right - 1) < 0.15, "\(left), \(right)") }
    }

    @Test func `what was worse in two weeks is expected in the third, and only there`() {
        var weeks = Weeks(usual: 3)
        for _ in 0..<2 { weeks.pass(weekWorseIn: Weeks.weekend, times: 2) }
        #expect(weeks.learnsNothing)
        weeks.pass(hours: 1)
        #expect(!weeks.learnsNothing)
        let expected = (0..<167).map { weeks.expected($0) }
        for (hour, times) in expected.enumerated() {
            let isWorse = Weeks.weekend ~= hour + 1
            #expect((isWorse ? 1.8...2.1 : 0.9...1.1).contains(times), "\(times) in hour \(hour + 1)")
        }
    }

    @Test func `once teaches nothing`() {
        var weeks = Weeks(usual: 3)
        let before = weeks.expected(130)
        weeks.pass(weekWorseIn: Weeks.weekend, times: 3)
        weeks.pass(hours: 168)
        #expect(weeks.learnsNothing)
        #expect(abs(weeks.expected(130) / before - 1) < 0.01)
        // Nor does the same two weeks later.
        weeks.pass(weekWorseIn: Weeks.weekend, times: 3)
        weeks.pass(hours: 168)
        #expect(weeks.learnsNothing)
    }

    @Test(arguments: [(130..<134, 137..<141, 3.0), (130..<134, 130..<134, 5.5), (130..<131, 131..<132, 3)])
    func `two incidents that are not alike teach nothing`(first: Range<Int>, second: Range<Int>, times: Double) {
        var weeks = Weeks(usual: 3)
        weeks.pass(weekWorseIn: first, times: 3)
        weeks.pass(weekWorseIn: second, times: times)
        weeks.pass(hours: 24)
        #expect(weeks.learnsNothing)
    }

    @Test(arguments: [8, 9, 13, 20])
    func `an incident of eight days and more is no rhythm, nor is what comes a week after it`(days: Int) {
        var weeks = Weeks(usual: 3)
        weeks.pass(hours: 40)
        weeks.pass(hours: days * 24, times: 2, isSuspected: true)
        weeks.pass(hours: 24 * (21 - days))
        #expect(weeks.learnsNothing)
        weeks.pass(hours: days * 24, times: 2, isSuspected: true)
        weeks.pass(hours: 100)
        weeks.pass(hours: 20, times: 2, isSuspected: true)
        weeks.pass(hours: 100)
        #expect(weeks.learnsNothing)
    }

    @Test func `an incident that goes on and off for more than a week is no rhythm`() {
        var weeks = Weeks(usual: 3)
        for _ in 0..<12 {
            weeks.pass(hours: 20, times: 2, isSuspected: true)
            weeks.pass(hours: 4)
        }
        weeks.pass(hours: 24)
        #expect(weeks.learnsNothing)
    }

    @Test func `two incidents at the same hours of two weeks are taken for a rhythm until they stay away`() {
        var weeks = Weeks(usual: 3)
        for _ in 0..<2 { weeks.pass(weekWorseIn: 130..<134, times: 4) }
        weeks.pass(hours: 24)
        // The price: as much is expected there for a week.
        #expect(weeks.baseline.rhythm.stretches.count == 1)
        #expect(weeks.expected(131 - 24) > 3)
        weeks.pass(hours: 120)
        #expect(weeks.learnsNothing)
        #expect((0.9...1.1).contains(weeks.expected(0)))
    }

    @Test func `a rhythm that is over is forgotten with the first week without it`() {
        var weeks = Weeks(usual: 3)
        for _ in 0..<2 { weeks.pass(weekWorseIn: Weeks.weekend, times: 2) }
        for _ in 0..<3 {
            weeks.pass(hours: 120)
            weeks.pass(hours: 48, times: 2)
        }
        #expect((1.8...2.1).contains(weeks.expected(Weeks.weekend.lowerBound + 5)))
        #expect((0.9...1.1).contains(weeks.expected(50)))
        weeks.pass(hours: 170)
        #expect(weeks.learnsNothing)
    }

    @Test func `what is worse on a worse weekend is learned beside it`() {
        var weeks = Weeks(usual: 3)
        for _ in 0..<2 { weeks.pass(weekWorseIn: Weeks.weekend, times: 2) }
        weeks.pass(hours: 120)
        for _ in 0..<2 {
            weeks.pass(hours: 20, times: 2)
            weeks.pass(hours: 8, times: 4, isSuspected: true)
            weeks.pass(hours: 20, times: 2)
            weeks.pass(hours: 120)
        }
        #expect(weeks.baseline.rhythm.stretches.count == 2)
        #expect((3.5...4.2).contains(weeks.expected(24)))
        #expect((1.7...2.2).contains(weeks.expected(10)))
    }

    @Test func `a new release begins with the rhythm of the app`() {
        var weeks = Weeks(usual: 3)
        for _ in 0..<2 { weeks.pass(weekWorseIn: Weeks.weekend, times: 2) }
        weeks.pass(hours: 24)
        weeks.baseline.handOn()
        #expect(weeks.baseline.rhythm.stretches.count == 1)
    }

    @Test func `what is kept is bounded, whatever is wrong`() {
        var weeks = Weeks(usual: 3)
        for round in 0..<600 {
            weeks.pass(hours: 3 + round * 7 % 11, times: 2, isSuspected: true)
            weeks.pass(hours: 1 + round * 5 % 7)
        }
        #expect(weeks.baseline.rhythm.missed.count <= Rhythm.missedMax)
        #expect(weeks.baseline.rhythm.stretches.count <= Rhythm.stretchesMax)
    }
}

@Suite struct `Rhythms as JSON` {
    private func memory(seed: UInt64) -> DropMemory {
        var world = WorseEachWeek(seed: seed, users: 40, rate: 0.02)
        _ = world.weeks(2, weekendTimes: 1)
        _ = world.weeks(2, weekendTimes: 3)
        // A fall, in the middle of which it is written.
        for _ in 0..<40 { _ = world.hour(times: 4) }
        return world.life.memory
    }

    @Test(arguments: SeededRandom.seeds)
    func `what is read goes on just as what was written`(seed: UInt64) throws {
        var world = WorseEachWeek(seed: seed, users: 40, rate: 0.02)
        _ = world.weeks(1, weekendTimes: 1)
        var sizes: [Int] = []
        for hour in 0..<(4 * 168) {
            _ = world.hour(times: WorseEachWeek.weekend ~= hour % 168 ? 3 : 1)
            guard hour % 12 == 0 else { continue }
            let text = world.life.memory.json.text
            let read = try DropMemory(JSONReader(JSON(parsing: text)))
            let isSame = read == world.life.memory
            #expect(isSame, "hour \(hour), seed \(seed)")
            world.life.memory = read
            sizes.append(text.utf8.count)
        }
        #expect(!world.life.memory.baseline.rhythm.stretches.isEmpty, "seed \(seed)")
        #expect(sizes.max() ?? 0 < 20_000, "seed \(seed)")
    }

    @Test func `an app without one writes nothing of it, and a memory that knows of none goes on without`() throws {
        var life = Life(seed: 3)
        life.pass(days: 9)
        #expect(!life.memory.json.text.contains("rhythm"))
        let known = memory(seed: 3)
        guard case .object(var memory) = known.json, case .object(var baseline)? = memory["baseline"] else { return }
        #expect(baseline["rhythm"] != nil)
        baseline["rhythm"] = nil
        memory["baseline"] = .object(baseline)
        let old = try DropMemory(JSONReader(.object(memory)))
        #expect(old.baseline.rhythm == Rhythm())
        #expect(old.baseline.level == known.baseline.level)
    }

    @Test(
        arguments: [
            #""running":128"#, #""running":-1"#, #""missed":[[5,1,1],[5,1,1]]"#, #""missed":[[5,-1,1]]"#,
            #""missed":[[5,1]]"#, #""stretches":[[168,5,[1,1],[0,0],0]]"#, #""stretches":[[0,0,[1,1],[0,0],0]]"#,
            #""stretches":[[0,127,[1,1],[0,0],0]]"#, #""stretches":[[0,5,[-9,1],[0,0],0]]"#,
            #""stretches":[[0,5,[1,1],[0,0]]]"#,
        ])
    func `what could not have been is refused`(broken: String) throws {
        var parts = ["running": #""running":0"#, "missed": #""missed":[]"#, "stretches": #""stretches":[]"#]
        let key = String(broken.dropFirst().prefix { $0 != "\"" })
        func text() -> String {
            let written = "{" + parts.keys.sorted().compactMap { parts[$0] }.joined(separator: ",") + "}"
            return Life(seed: 1).memory.json.text.replacing(
                "\"baseline\":{", with: "\"baseline\":{\"rhythm\":\(written),")
        }
        _ = try DropMemory(JSONReader(JSON(parsing: text())))
        parts[key] = broken
        #expect(throws: JSONMismatch.self) { try DropMemory(JSONReader(JSON(parsing: text()))) }
    }
}
