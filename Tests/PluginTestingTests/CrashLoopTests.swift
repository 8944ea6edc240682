import PluginKit
import Testing

@Suite struct `A crash loop` {
    private static let noon = Moment(milliseconds: 1_795_176_000_000)

    /// What counts of spans of five minutes, one after the other.
    private func counted(_ spans: [(bad: Double, users: Double)], each: Double = 1) -> [Double] {
        var loop = CrashLoop()
        return spans.enumerated().map { place, span in
            loop.counted(
                span.bad, ofUsers: span.users, each: each, since: Self.noon + .minutes(Int64(place) * 5))
        }
    }

    @Test func `is what is more than twice as many sessions as such users usually have`() {
        #expect(counted([(5, 1)]) == [2])
        #expect(counted([(5, 1)], each: 1.5) == [3])
        #expect(counted([(3, 2), (20, 10), (21, 10)]) == [3, 20, 20])
    }

    @Test func `is one user's doing in every span of half an hour`() {
        #expect(counted([(5, 1), (6, 1), (5, 1), (6, 1), (5, 1), (6, 1)]) == [2, 0, 0, 0, 0, 0])
        #expect(
            counted([(5, 1), (0, 0), (1, 1), (6, 2)]) == [2, 0, 0, 2], "a pause is no end, and another user counts")
    }

    @Test func `is begun anew after half an hour, for a trouble that stays is no loop`() {
        let long = counted([(Double, Double)](repeating: (4, 1), count: 13))
        #expect(long == [2, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 2])
    }

    @Test func `takes next to nothing of a fall that hits many`() {
        let fall = [(Double, Double)](repeating: (14, 10), count: 12)
        #expect(counted(fall) == [Double](repeating: 14, count: 12))
        #expect(counted([(30, 10)] + fall) == [20] + [Double](repeating: 14, count: 12), "nor with a loop among it")
    }

    @Test func `needs somebody to be`() {
        #expect(counted([(1, 0), (2, 0)]) == [1, 2], "a session of nobody known is that of one user")
    }
}
