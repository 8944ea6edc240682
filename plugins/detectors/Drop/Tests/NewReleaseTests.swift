import AlertTesting
import PluginKit
import Testing

@testable import DropDetector

@Suite struct `A new release` {
    private let rule: DropDetector
    private let old: Series

    init() throws {
        rule = try DropDetector.rule()
        var watch = Watch(rule, seed: 11)
        watch.pass(days: 21)
        old = watch.series
    }

    private func begun(after elders: [Series], rate: Double, looks: Int) throws -> DropMemory {
        var watch = Watch(rule, seed: 12)
        watch.now = watch.now + .days(21)
        watch.series = Series()
        watch.series.remember(rule.needs, after: elders)
        for _ in 0..<looks { _ = watch.look(users: 100, rate: rate) }
        return try #require(watch.series.memory(DropMemory.self, rule.need))
    }

    @Test func `is judged in its first hour by what is usual for the app`() throws {
        let worse = try begun(after: [old], rate: 0.05, looks: 12)
        #expect(worse.isReady)
        #expect(worse.rarity >= 90, "\(worse.rarity)")
        let same = try begun(after: [old], rate: 0.003, looks: 288)
        #expect(same.rarity < 90, "\(same.rarity)")
        let usual = try #require(same.usual)
        #expect((0.6...1.6).contains((1 - usual) / 0.003), "\(usual)")
        // How often it crashes itself is not known as well as for the app.
        let known = try #require(old.memory(DropMemory.self, rule.need)?.baseline.variance)
        #expect(same.baseline.variance > known)
    }

    @Test func `finds its own level, though it began with the app's`() throws {
        let better = try begun(after: [old], rate: 0.0005, looks: 14 * 288)
        let usual = try #require(better.usual)
        #expect((0.5...1.8).contains((1 - usual) / 0.0005), "\(usual)")
    }

    @Test func `begins with nothing where nothing is known of the app, or of another share`() throws {
        #expect(try !begun(after: [], rate: 0.003, looks: 12).isReady)
        var young = Watch(rule, seed: 13)
        young.pass(days: 1)
        #expect(try !begun(after: [young.series], rate: 0.003, looks: 12).isReady)
        var other = Series()
        other.remember([MemoryNeed(DropMemory.self, DropMemory.Need(metric: "crash_free_sessions", by: 0.005))])
        #expect(try !begun(after: [other], rate: 0.003, looks: 12).isReady)
    }

    @Test func `takes after the release that is known longest`() throws {
        var younger = Watch(rule, seed: 14)
        younger.pass(days: 5, rate: 0.02)
        let heir = try begun(after: [younger.series, old], rate: 0.003, looks: 2)
        #expect(try #require(heir.usual) > 0.99)
        #expect(heir.learned >= .days(18))
    }
}
