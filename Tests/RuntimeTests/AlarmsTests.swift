internal import PluginKit
internal import Testing

@testable import Runtime

@Suite struct AlarmsTests {
    private var alarms = Alarms()

    /// Whether a sleeper is needed for each of the minutes.
    private mutating func set(to minutes: [Int64]) -> [Bool] {
        var needed: [Bool] = []
        for minute in minutes { needed.append(alarms.set(to: .minutes(minute))) }
        return needed
    }

    /// Whether it is news that each of the sleepers woke.
    private mutating func ring(at minutes: [Int64]) -> [Bool] {
        var news: [Bool] = []
        for minute in minutes { news.append(alarms.ring(.minutes(minute))) }
        return news
    }

    @Test mutating func `a sleeper is needed only where none wakes early enough`() {
        #expect(set(to: [60, 60, 90, 5, 60, 5]) == [true, false, false, true, false, false])
        // The hour is still slept for.
        #expect(ring(at: [5]) == [true])
        #expect(set(to: [60, 30]) == [false, true])
    }

    @Test mutating func `who wakes late speaks for those that should have woken before`() {
        #expect(set(to: [60, 30, 5]) == [true, true, true])
        #expect(ring(at: [30, 5, 60, 60]) == [true, false, true, false])
        #expect(set(to: [60]) == [true])
    }
}
