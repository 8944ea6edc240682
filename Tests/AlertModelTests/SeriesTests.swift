import AlertModel
import Chance
import Testing

@Suite struct `Series of figures` {
    static let start = Fixtures.start

    /// A span in minutes after the start, with its sessions and crashed sessions.
    typealias Span = (from: Int64, to: Int64, sessions: Double, crashed: Double)

    private func series(_ spans: [Span], keeping retention: Duration = .hours(1)) throws -> Series {
        var series = Series()
        for span in spans {
            series.add(
                try #require(
                    Fixtures.observation(
                        span.from, span.to, ["sessions": span.sessions, "crashed_sessions": span.crashed])),
                keeping: retention)
        }
        return series
    }

    private func minutes(_ measured: Series.Measured) -> [Int64] {
        [measured.span.from, measured.span.to].map { ($0 - Self.start).wholeMilliseconds / 60_000 }
    }

    @Test(
        arguments: [
            // Neighbours are pooled.
            ([(0, 20, 100, 1), (20, 40, 200, 2), (40, 60, 300, 3)], 60, [0, 60], 600),
            // A gap is passed over: what was not seen is not invented.
            ([(0, 20, 100, 1), (40, 60, 300, 3)], 60, [0, 60], 400),
            // What overlaps is never pooled; the newest goes first.
            ([(0, 30, 100, 1), (20, 40, 200, 2), (30, 60, 300, 3)], 60, [0, 60], 400),
            ([(0, 30, 100, 1), (20, 50, 200, 2), (49, 60, 300, 3)], 60, [0, 60], 400),
            // Half-open: a span that begins with the window is in, one that begins a minute sooner is out.
            ([(-1, 20, 100, 1), (20, 40, 200, 2), (40, 60, 300, 3)], 60, [20, 60], 500),
            ([(0, 60, 100, 1), (60, 120, 200, 2)], 60, [60, 120], 200),
            // One span that is the window says it all, whatever else there is.
            ([(0, 60, 1000, 1), (0, 30, 100, 1), (30, 60, 100, 1)], 60, [0, 60], 1000),
            // Hours that slide by five minutes: two that touch make two hours.
            ([(-5, 55, 10, 0), (0, 60, 20, 0), (55, 115, 40, 0), (60, 120, 80, 0)], 120, [0, 120], 100),
            // Among spans of different lengths the shorter fill the window.
            ([(0, 60, 1000, 1), (30, 40, 7, 0), (40, 50, 8, 0), (50, 60, 9, 0)], 30, [30, 60], 24),
            // Where every span is longer than the window, the newest is taken as it is.
            ([(-60, 0, 500, 1), (0, 60, 1000, 1)], 30, [0, 60], 1000),
            // An empty hour is a figure: nobody was there.
            ([(0, 30, 100, 1), (30, 60, 0, 0)], 60, [0, 60], 100),
        ] as [([Span], Int64, [Int64], Double)])
    func `sessions are pooled from spans inside the window that do not overlap`(
        spans: [Span], window: Int64, covered: [Int64], total: Double
    ) throws {
        let series = try self.series(spans, keeping: .hours(3))
        let rate = try #require(series.measured("crash_free_sessions", over: .minutes(window)))
        #expect(minutes(rate) == covered)
        #expect(rate.figure.share?.total == total)
        let count = try #require(series.measured("sessions", over: .minutes(window)))
        #expect(count.figure.value == total)
    }

    @Test(arguments: SeededRandom.seeds)
    func `no minute is ever pooled twice`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        for _ in 0..<150 {
            var series = Series()
            // One session a minute, so that a total above the length of the span would be a minute counted twice.
            for _ in 0..<12 {
                let from = Int64.random(in: 0..<120, using: &random)
                let to = from + .random(in: 1...40, using: &random)
                let observation = try #require(
                    Fixtures.observation(from, to, ["sessions": Double(to - from), "crashed_sessions": 0]))
                series.add(observation, keeping: .hours(3))
            }
            let window = Int64.random(in: 5...120, using: &random)
            let measured = try #require(series.measured("sessions", over: .minutes(window)))
            let covered = minutes(measured)
            guard measured.figure.value <= Double(covered[1] - covered[0]) else {
                Issue.record("\(measured.figure.value) minutes in \(covered), window \(window) (seed \(seed))")
                return
            }
        }
    }

    @Test func `distinct users are never added up`() throws {
        var series = Series()
        for (from, to, users) in [(0, 30, 100.0), (30, 60, 110), (0, 60, 150)] as [(Int64, Int64, Double)] {
            series.add(
                try #require(Fixtures.observation(from, to, ["users": users, "crashed_users": 1])), keeping: .hours(2))
        }
        for (window, covered, users) in [
            (60, [0, 60], 150.0), (30, [30, 60], 110), (50, [0, 60], 150), (1, [30, 60], 110), (600, [0, 60], 150),
        ]
            as [(Int64, [Int64], Double)]
        {
            let measured = try #require(series.measured("crash_free_users", over: .minutes(window)))
            #expect(minutes(measured) == covered)
            #expect(measured.figure.share?.total == users)
        }
        // What is far shorter is no answer while the newest that fits may be the newest of its kind.
        series.add(try #require(Fixtures.observation(60, 65, ["users": 9, "crashed_users": 0])), keeping: .hours(2))
        #expect(try #require(series.measured("crash_free_users", over: .hours(1))).figure.share?.total == 150)
        series.add(try #require(Fixtures.observation(150, 155, ["users": 8, "crashed_users": 0])), keeping: .hours(2))
        #expect(try #require(series.measured("crash_free_users", over: .hours(1))).figure.share?.total == 8)
    }

    @Test func `figures of a name nobody knows are never added up`() throws {
        var series = Series()
        for minute in [0, 1] as [Int64] {
            series.add(try #require(Fixtures.observation(minute, minute + 1, ["queue": 5])), keeping: .hours(1))
        }
        #expect(series.measured("queue", over: .hours(1))?.figure == Figure(value: 5, share: nil))
    }

    @Test func `a span seen again is replaced, but not by an older sight of it`() throws {
        var series = Series()
        func add(_ sessions: Double, seen: Int64) throws {
            series.add(
                try #require(
                    Fixtures.observation(0, 60, ["sessions": sessions, "crashed_sessions": 0], seen: .minutes(seen))),
                keeping: .hours(1))
        }
        try add(100, seen: 61)
        try add(120, seen: 70)
        #expect(series.samples.count == 1)
        #expect(series.measured("sessions", over: .hours(1))?.figure.value == 120)
        try add(90, seen: 65)
        #expect(series.samples.count == 1)
        #expect(series.measured("sessions", over: .hours(1))?.figure.value == 120)
        #expect(series.trail.last?.metrics["sessions"] == 120)
        #expect(series.lastSeen == Self.start + .minutes(70))
    }

    @Test func `figures come in any order`() throws {
        let spans: [Span] = [(0, 20, 100, 1), (20, 40, 200, 2), (40, 60, 300, 3)]
        let samples = try series(spans).samples
        for order in [[2, 0, 1], [1, 2, 0], [2, 1, 0]] {
            #expect(try series(order.map { spans[$0] }, keeping: .hours(2)).samples == samples)
        }
    }

    @Test func `what is not complete makes the pool incomplete`() throws {
        var series = Series()
        series.add(try #require(Fixtures.observation(0, 30, ["sessions": 5], isComplete: true)), keeping: .hours(1))
        #expect(series.measured("sessions", over: .hours(1))?.isComplete == true)
        series.add(try #require(Fixtures.observation(30, 60, ["sessions": 5], isComplete: false)), keeping: .hours(1))
        #expect(series.measured("sessions", over: .hours(1))?.isComplete == false)
        // Late figures complete it.
        series.add(
            try #require(Fixtures.observation(30, 60, ["sessions": 6], seen: .hours(3), isComplete: true)),
            keeping: .hours(1))
        #expect(series.measured("sessions", over: .hours(1))?.isComplete == true)
        #expect(series.measured("sessions", over: .hours(1))?.figure.value == 11)
    }

    @Test func `a rate without counts is taken as it is`() throws {
        var series = Series()
        series.add(try #require(Fixtures.observation(0, 5, ["crash_free_sessions": 0.99])), keeping: .hours(1))
        series.add(try #require(Fixtures.observation(5, 10, ["crash_free_sessions": 0.98])), keeping: .hours(1))
        #expect(series.measured("crash_free_sessions", over: .hours(1))?.figure == Figure(value: 0.98, share: nil))
    }

    @Test func `no figure is no figure`() throws {
        #expect(Series().measured("sessions", over: .hours(1)) == nil)
        let series = try series([(0, 60, 0, 0)])
        #expect(series.measured("users", over: .hours(1)) == nil)
        #expect(series.measured("crash_free_sessions", over: .hours(1)) == nil)
    }

    @Test func `old samples go, the newest stays`() throws {
        let kept = try series((0..<90).map { (from: $0, to: $0 + 1, sessions: 1, crashed: 0) })
        #expect(kept.samples.count == 60)
        #expect(try series([(0, 600, 1, 0)], keeping: .minutes(5)).samples.count == 1)
        let bounded = try series((0..<1500).map { (from: $0, to: $0 + 1, sessions: 1, crashed: 0) }, keeping: .days(30))
        #expect(bounded.samples.count == Series.samplesMax)
        #expect(bounded.samples.first?.span.from == Self.start + .minutes(60))
    }

    @Test(arguments: [20, 60, 90, 240, 1300] as [Int64])
    func `while the newest spans fill, those that are over stay as far back as rules read`(late: Int64) throws {
        var series = Series()
        for to in stride(from: Int64(5), through: 2000, by: 5) {
            series.add(
                try #require(Fixtures.observation(to - 5, to, ["sessions": 1], isComplete: false)), keeping: .hours(1))
            guard to > late + 5 else { continue }
            let over = to - late
            series.add(
                try #require(Fixtures.observation(over - 5, over, ["sessions": 10], seen: .minutes(to))),
                keeping: .hours(1))
        }
        let whole = try #require(series.complete.measured("sessions", over: .hours(1)))
        #expect(whole.figure.value == 120)
        #expect(whole.covered == .hours(1))
        #expect(series.samples.count <= 13 + Int(late) / 5)
    }

    @Test func `what never ends is not kept for ever`() throws {
        var series = Series()
        for to in stride(from: Int64(5), through: 10_000, by: 5) {
            series.add(
                try #require(Fixtures.observation(to - 5, to, ["sessions": 1], isComplete: to < 20)), keeping: .hours(1)
            )
        }
        #expect(series.samples.count <= 12 * 25)
    }

    @Test func `a day that is measured once a day is the newest day until the next one comes`() throws {
        var series = Series()
        for quarter in 0..<(3 * 96) as Range<Int64> {
            let to = quarter * 15
            series.add(
                try #require(Fixtures.observation(to - 60, to, ["users": 100, "crashed_users": 1])), keeping: .days(1))
            // The night's row comes two hours late.
            if quarter % 96 == 8 {
                series.add(
                    try #require(
                        Fixtures.observation(
                            to - 120 - 1440, to - 120, ["users": 2000, "crashed_users": 60], seen: .minutes(to))),
                    keeping: .days(1))
            }
            guard quarter > 8 else { continue }
            let day = try #require(series.measured("crash_free_users", over: .days(1)))
            #expect(day.span.length == .days(1), "after \(to) min")
            #expect(day.figure.value == 0.97)
            let hour = try #require(series.measured("crash_free_users", over: .hours(1)))
            #expect(hour.span.length == .hours(1), "after \(to) min")
        }
        // Where no more days come, what there is must do.
        for quarter in (3 * 96)..<(5 * 96) as Range<Int64> {
            let to = quarter * 15
            series.add(
                try #require(Fixtures.observation(to - 60, to, ["users": 100, "crashed_users": 1])), keeping: .days(1))
        }
        #expect(series.measured("crash_free_users", over: .days(1))?.span.length == .hours(1))
        #expect(series.samples.allSatisfy { $0.span.length == .hours(1) })
    }

    @Test func `what a clock saw that was set back since moves to where the clock stands now`() throws {
        var series = try series((0..<6).map { (from: $0 * 10, to: $0 * 10 + 10, sessions: 100, crashed: Double($0)) })
        let before = series
        series.setBack(to: Self.start + .minutes(61))
        #expect(series == before)
        let now = Self.start + .minutes(35) + .seconds(30)
        series.setBack(to: now)
        #expect(series.lastSeen == now)
        // The looks of minutes 40, 50 and 60 are 25 min earlier now, between those of minutes 10, 20 and 30.
        #expect(series.samples.map { ($0.seen - Self.start).wholeMilliseconds / 60_000 } == [10, 15, 20, 25, 30, 35])
        #expect(series.samples.map { $0.span.to + .seconds(30) == $0.seen } == Array(repeating: true, count: 6))
        #expect(series.measured("crashed_sessions", over: .minutes(10))?.figure.value == 5)
    }

    @Test func `the last issues are kept, five of them, and the newest labels`() throws {
        var observation = try #require(Fixtures.observation(0, 5, [:]))
        observation.issues = (0..<9).map { AlertModel.Issue(id: "I-\($0)", title: "") }
        observation.labels = ["team": "a"]
        var series = Series()
        series.add(observation, keeping: .hours(1))
        #expect(series.issues.map(\.id) == ["I-0", "I-1", "I-2", "I-3", "I-4"])
        series.add(try #require(Fixtures.observation(5, 10, [:])), keeping: .hours(1))
        #expect(series.issues.count == 5)
        #expect(series.labels == [:])
    }

    @Test func `issues alone are no figures, nor do they take their place`() throws {
        func issues(_ from: Int64, _ id: String) throws -> Observation {
            var observation = try #require(Fixtures.observation(from, from + 5, [:]))
            observation.issues = [AlertModel.Issue(id: id, title: "")]
            return observation
        }
        var series = Series()
        for minute in [0, 5] as [Int64] { series.add(try issues(minute, "A"), keeping: .hours(1)) }
        #expect(series.samples.count == 2 && !series.hasFigures)
        #expect(series.figuresSeen == series.lastSeen)
        series.add(
            try #require(Fixtures.observation(10, 15, ["sessions": 7])), keeping: Retention(.hours(1)), summedOver: 2)
        #expect(series.samples.map { $0.metrics[.sessions] } == [7])
        let seen = series.lastSeen
        for minute in 3..<60 as Range<Int64> { series.add(try issues(minute * 5, "B"), keeping: .hours(1)) }
        #expect(series.samples.map { $0.metrics[.sessions] } == [7])
        #expect(series.trail.map { $0.metrics[.sessions] } == [7])
        #expect(series.issues.map(\.id) == ["B"])
        #expect(series.figuresSeen == seen && series.lastSeen > seen + .hours(4))
        #expect(series.releasesSummed == 2)
    }

    @Test func `figures of long ago stand behind newer ones, and nowhere else`() throws {
        func old(seen: Int64) throws -> Observation {
            try #require(Fixtures.observation(0, 60, ["users": 9], seen: .days(seen)))
        }
        var series = Series()
        series.add(try old(seen: 94), keeping: .days(120))
        #expect(!series.hasFigures)
        #expect(series.measured("users", over: .hours(1)) == nil)
        #expect(series.firstSeen == Self.start + .days(94) && series.lastSeen == Self.start + .days(94))
        #expect(try Series(JSONReader(JSON(parsing: series.json.bytes)), .none) == series)
        let now = Int64(94 * 1440)
        series.add(try #require(Fixtures.observation(now, now + 60, ["users": 7])), keeping: .days(120))
        let seen = series.figuresSeen
        series.add(try old(seen: 95), keeping: .days(120))
        #expect(series.samples.map { $0.metrics[.users] } == [9, 7])
        #expect(series.figuresSeen == seen && series.lastSeen == Self.start + .days(95))
        #expect(try Series(JSONReader(JSON(parsing: series.json.bytes)), .none) == series)
    }

    /// A record of the journal takes 4 MiB, and a series is one.
    @Test(arguments: [(9, 1440), (20, 1440), (200, 200), (3000, 30)])
    func `what is kept is bounded, however many metrics there are`(metricsCount: Int, samplesMin: Int) throws {
        var metrics = Metrics()
        for number in 0..<metricsCount { metrics["metric_number_\(number)"] = 12345.5 }
        let labels = Dictionary(uniqueKeysWithValues: (0..<5000).map { ("label-\($0)", "value of the label") })
        var series = Series()
        for minute in 0..<1500 as Range<Int64> {
            var observation = try #require(Fixtures.observation(minute, minute + 1, metrics))
            if minute == 1499 { observation.labels = labels }
            series.add(observation, keeping: .days(2))
        }
        #expect(series.json.bytes.count < 3 << 20)
        #expect((samplesMin...Series.samplesMax).contains(series.samples.count))
        #expect(series.samples.last?.metrics["metric_number_0"] == 12345.5)
        #expect(series.labels["label-0"] != nil)
        #expect(try Series(JSONReader(JSON(parsing: series.json.bytes)), .none) == series)
    }

    @Test func `the figure of one very span`() throws {
        let cases: [(spans: [Span], from: Int64, to: Int64, sessions: Double?)] = [
            // As the source measured it, whatever came after; or pooled where spans fill it.
            ([(0, 60, 100, 1), (60, 120, 200, 2)], 0, 60, 100), ([(0, 60, 100, 1), (5, 65, 200, 2)], 0, 60, 100),
            ([(0, 30, 100, 1), (30, 60, 200, 2)], 0, 60, 300),
            ([(0, 60, 1000, 1), (0, 30, 100, 1), (30, 60, 200, 2)], 0, 60, 1000),
            // Not of another span, however near.
            ([(0, 60, 100, 1)], 0, 59, nil), ([(0, 60, 100, 1)], 1, 60, nil), ([(0, 30, 100, 1)], 0, 60, nil),
            ([(30, 60, 100, 1)], 0, 60, nil), ([], 0, 60, nil),
        ]
        for (spans, from, to, sessions) in cases {
            let series = try self.series(spans, keeping: .hours(3))
            let span = try #require(TimeSpan(from: Self.start + .minutes(from), to: Self.start + .minutes(to)))
            let measured = series.measured("sessions", exactly: span)
            #expect(measured?.figure.value == sessions, "\(spans) from \(from) to \(to)")
            #expect(measured.map(\.span) == (sessions == nil ? nil : span))
            // Distinct users of parts are not those of the whole.
            #expect(series.measured("users", exactly: span) == nil)
        }
    }

    @Test func `the figure of as much of a span as is known`() throws {
        let cases: [(spans: [Span], from: Int64, to: Int64, known: (Int64, Int64, sessions: Double)?)] = [
            ([(0, 60, 100, 1), (60, 120, 200, 2)], 60, 120, (60, 120, 200)),
            ([(0, 30, 100, 1), (30, 60, 200, 2), (60, 90, 400, 3)], 0, 60, (0, 60, 300)),
            // What lies beside it, even in part, says nothing of it.
            ([(0, 30, 100, 1), (30, 60, 200, 2), (60, 90, 400, 3)], 10, 80, (30, 60, 200)),
            ([(0, 60, 100, 1)], 30, 60, nil), ([(0, 60, 100, 1)], 60, 120, nil), ([], 0, 60, nil),
            // Of what the source measured and what is pooled, whichever covers more.
            ([(0, 60, 1000, 1), (0, 30, 100, 1), (30, 60, 200, 2)], 0, 60, (0, 60, 1000)),
            ([(20, 60, 1000, 1), (0, 30, 100, 1), (30, 60, 200, 2)], 0, 60, (0, 60, 300)),
            ([(0, 60, 1000, 1), (40, 60, 200, 2)], 0, 60, (0, 60, 1000)),
        ]
        for (spans, from, to, known) in cases {
            let series = try self.series(spans, keeping: .hours(3))
            let span = try #require(TimeSpan(from: Self.start + .minutes(from), to: Self.start + .minutes(to)))
            let measured = series.measured(.sessions, within: span)
            #expect(measured?.figure.value == known?.sessions, "\(spans) from \(from) to \(to)")
            #expect(measured?.span.from == known.map { Self.start + .minutes($0.0) })
            #expect(measured?.span.to == known.map { Self.start + .minutes($0.1) })
        }
        // Distinct users of parts are not those of the whole.
        var halves = Series()
        for half in [0, 30] as [Int64] {
            halves.add(try #require(Fixtures.observation(half, half + 30, ["users": 5])), keeping: .hours(3))
        }
        let hour = try #require(TimeSpan(from: Self.start, to: Self.start + .hours(1)))
        #expect(halves.measured(.users, within: hour)?.span.length == .minutes(30))
    }

    @Test(arguments: [
        (1000.0, 499.0, true), (1000, 500, false), (1000, 2000, false), (0, 0, false), (1, 0, true),
    ])
    func `counts of a span that melt away are seen`(_ before: Double, _ now: Double, _ melts: Bool) throws {
        let series = try self.series([(0, 60, before, 0), (60, 120, 5000, 0)], keeping: .hours(3))
        let again = try #require(Fixtures.observation(0, 60, ["sessions": now]))
        #expect((series.melting(in: again)?.metric == "sessions") == melts)
        let other = try #require(Fixtures.observation(0, 59, ["sessions": now]))
        #expect(series.melting(in: other) == nil)
    }
}

@Suite struct `Trails of the last day` {
    @Test func `an hour is pooled from its spans`() throws {
        var series = Series()
        // Twelve times five minutes; of the users the newest span alone can speak.
        for step in 0..<12 as Range<Int64> {
            series.add(
                try #require(
                    Fixtures.observation(
                        step * 5, step * 5 + 5, ["sessions": 100, "crashed_sessions": Double(step % 2)])),
                keeping: .minutes(10))
        }
        #expect(series.trail.count == 1)
        #expect(series.trail[0].metrics["sessions"] == 1200)
        let day = series.lastDay(of: "crash_free_sessions", until: Fixtures.start + .hours(1))
        #expect(day.count == 24)
        #expect(day.last == 0.995)
        #expect(day.dropLast().allSatisfy { $0 == nil })
    }

    @Test func `the last hour with a figure is the last of the day before`() throws {
        var series = Series()
        for hour in [0, 2, 3, 20] as [Int64] {
            series.add(
                try #require(
                    Fixtures.observation(
                        hour * 60, hour * 60 + 60, [hour == 3 ? "sessions" : "users": Double(hour + 100)])),
                keeping: .hours(1))
        }
        for hour in 0...50 as ClosedRange<Int64> {
            let moment = Fixtures.start + .hours(hour)
            #expect(
                series.lastFigure(of: "users", before: moment)
                    == series.lastDay(of: "users", until: moment).compactMap { $0 }.last)
        }
    }

    @Test func `the last figure is that of the newest span that compares, though its hour ended with another`() throws {
        var series = Series()
        for end in stride(from: 5, through: 120, by: 5) as StrideThrough<Int64> {
            let crashed: Double = end <= 60 ? 8 : end == 120 ? 20 : 1
            let metrics: Metrics = ["users": 1000, "crashed_users": crashed]
            series.add(try #require(Fixtures.observation(end - 5, end, metrics)), keeping: .minutes(5))
        }
        let before = Fixtures.start + .minutes(115)
        #expect(series.lastFigure(of: "crash_free_users", before: before, lasting: .minutes(5)) == 0.999)
    }

    @Test func `a span of the hour that was measured whole takes the place of its parts`() throws {
        var series = Series()
        series.add(try #require(Fixtures.observation(0, 30, ["users": 10, "crashed_users": 1])), keeping: .hours(1))
        series.add(try #require(Fixtures.observation(0, 60, ["users": 15, "crashed_users": 0])), keeping: .hours(1))
        #expect(series.lastDay(of: "crash_free_users", until: Fixtures.start + .hours(1)).last == 1)
    }

    @Test func `short spans do not wash the users out of measured hours`() throws {
        var series = Series()
        for end in stride(from: 5, through: 55, by: 5) as StrideThrough<Int64> {
            for length in [5, 60] as [Int64] {
                let metrics: Metrics = ["users": Double(length), "crashed_users": 0, "sessions": Double(length)]
                series.add(try #require(Fixtures.observation(end - length, end, metrics)), keeping: .hours(1))
            }
        }
        #expect(series.trail.last?.metrics == ["users": 60, "crashed_users": 0, "sessions": 60])
    }

    @Test func `hours without figures are gaps, and a day is all that is kept`() throws {
        var series = Series()
        for hour in [0, 1, 3, 30] as [Int64] {
            series.add(
                try #require(Fixtures.observation(hour * 60, hour * 60 + 60, ["users": Double(hour)])),
                keeping: .hours(1))
            if hour == 3 {
                let day = series.lastDay(of: "users", until: Fixtures.start + .hours(4))
                #expect(day.suffix(4) == [0, 1, nil, 3])
            }
        }
        #expect(series.trail.count == 1)
        #expect(series.lastDay(of: "users", until: Fixtures.start + .hours(31)).suffix(2) == [nil, 30])
        #expect(series.lastDay(of: "users", until: Fixtures.start + .hours(30)).suffix(2) == [nil, nil])
    }
}
