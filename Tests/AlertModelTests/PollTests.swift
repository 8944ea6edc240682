import Testing

@testable import AlertModel

@Suite struct `What earlier polls said` {
    /// What a poll some minutes after the start saw of one span.
    private func look(
        _ users: Double, at minute: Int64, from: Int64 = 0, to: Int64 = 60
    ) throws -> Observation {
        try #require(Fixtures.observation(from, to, ["users": users], seen: .minutes(minute)))
    }

    private func users(_ series: Series) -> [Double?] {
        series.polls.map { $0.measured("users", over: .hours(1))?.figure.value }
    }

    @Test func `of a span that is seen again, each poll keeps what it saw`() throws {
        var series = Series()
        for (index, count) in [10.0, 25, 24, 90].enumerated() {
            series.add(try look(count, at: Int64(60 + index)), keeping: Retention(.hours(1), earlierPolls: 2))
        }
        #expect(series.samples.count == 1)
        #expect(users(series) == [25, 24, 90])
        #expect(series.polls.map(\.seen) == [61, 62, 63].map { Fixtures.start + .minutes($0) })
    }

    @Test func `polls count however far apart they are, and each with all its spans`() throws {
        var series = Series()
        for poll in 0..<3 as Range<Int64> {
            let end = 60 + poll * 1000
            for length in [60, 5, 60] as [Int64] {
                series.add(
                    try look(Double(length + poll), at: end, from: end - length, to: end),
                    keeping: Retention(.minutes(5), earlierPolls: 5))
            }
        }
        #expect(users(series) == [60, 61, 62])
        #expect(series.polls.map(\.samples.count) == [2, 2, 2])
        #expect(series.polls.map { $0.measured("users", over: .minutes(5))?.figure.value } == [5, 6, 7])
        #expect(series.polls[0].measured("sessions", over: .hours(1)) == nil)
    }

    @Test func `nothing is kept where no rule asks, and nothing any more when none does`() throws {
        var series = Series()
        series.add(try look(1, at: 60), keeping: .hours(1))
        #expect(series.polls == [])
        series.add(try look(2, at: 61), keeping: Retention(.hours(1), earlierPolls: 1))
        series.add(try look(3, at: 62), keeping: Retention(.hours(1), earlierPolls: 1))
        #expect(users(series) == [2, 3])
        series.add(try look(4, at: 63), keeping: .hours(1))
        #expect(series.polls == [])
    }

    @Test func `a poll that comes late takes its place`() throws {
        var series = Series()
        for (minute, count) in [(60, 1.0), (64, 4), (62, 3), (61, 2)] as [(Int64, Double)] {
            series.add(try look(count, at: minute), keeping: Retention(.hours(1), earlierPolls: 2))
        }
        #expect(users(series) == [2, 3, 4])
        // An older sight changes no sample.
        #expect(series.samples.map { $0.metrics["users"] } == [4])
    }

    @Test func `what is kept is bounded in number and in bytes`() throws {
        #expect(Retention(.hours(1), earlierPolls: 100_000).earlierPolls == Series.earlierPollsMax)
        #expect(Retention(.hours(1), earlierPolls: -1).earlierPolls == 0)
        var series = Series()
        let retention = Retention(.hours(1), earlierPolls: Series.earlierPollsMax)
        for minute in 0..<150 as Range<Int64> {
            var observation = try look(1, at: minute)
            for number in 0..<300 { observation.metrics["a-metric-with-a-name-\(number)"] = Double(number) }
            series.add(observation, keeping: retention)
        }
        #expect((2...Series.earlierPollsMax).contains(series.polls.count))
        let bytes = series.polls.map(\.samples).reduce(0) { sum, samples in
            sum + samples.reduce(0) { $0 + $1.metrics.json.text.utf8.count }
        }
        #expect(bytes <= Series.pollsBytesMax)
        // A single poll that tells of a day of minutes is too large by itself.
        for minute in 0..<1440 as Range<Int64> {
            var observation = try look(1, at: 2000, from: minute, to: minute + 1)
            for number in 0..<30 { observation.metrics["a-metric-with-a-name-\(number)"] = Double(number) }
            series.add(observation, keeping: retention)
        }
        #expect(series.polls.count == 1)
        #expect(series.polls[0].bytes <= Series.pollsBytesMax)
        #expect(series.polls[0].samples.last?.span.to == Fixtures.start + .minutes(1440))
    }

    @Test func `a snapshot gives them back`() throws {
        var series = Series()
        let retention = Retention(.hours(1), earlierPolls: 3)
        for minute in 60..<70 as Range<Int64> {
            series.add(try look(Double(minute), at: minute), keeping: retention)
            series.add(try look(Double(minute), at: minute, from: 30), keeping: retention)
        }
        #expect(series.polls.count == 4)
        #expect(try Series(JSONReader(JSON(parsing: series.json.bytes)), .none) == series)
        guard case .object(var object) = series.json else { return }
        for broken in [[[]], [[[:]]], [["a"]], 7] as [JSON] {
            object["polls"] = broken
            #expect(throws: JSONMismatch.self) { try Series(JSONReader(.object(object)), .none) }
        }
    }

    @Test func `a clock that is set back moves them along`() throws {
        var series = Series()
        for minute in 60..<63 as Range<Int64> {
            series.add(
                try look(Double(minute), at: minute, from: minute - 60, to: minute),
                keeping: Retention(.hours(1), earlierPolls: 3))
        }
        series.setBack(to: Fixtures.start + .minutes(30))
        #expect(series.polls.map(\.seen) == [28, 29, 30].map { Fixtures.start + .minutes($0) })
        #expect(series.polls.last?.samples.last?.span.to == Fixtures.start + .minutes(30))
        #expect(users(series) == [60, 61, 62])
    }
}
