import Chance
import Testing

@testable import AlertModel

/// The plain way to measure: lists are made, filtered and sorted. Slow, and easy to believe.
extension Series {
    /// - Parameter samples: by the ends of their spans; those of the series where nobody says others.
    fileprivate func plainlyMeasured(
        _ metric: String, over window: Duration, in samples: [Sample]? = nil
    ) -> Measured? {
        let samples = samples ?? self.samples
        let nature = Metric(metric)
        func isEmpty(_ metrics: Metrics) -> Bool { nature.denominator.flatMap { metrics[$0] } == 0 }
        func figure(_ metrics: Metrics) -> Figure? {
            let total = nature.denominator.flatMap { metrics[$0] }
            if let total, let failures = nature.failures.flatMap({ metrics[$0] }) {
                return total > 0
                    ? Figure(value: (total - failures) / total, share: Share(hits: total - failures, of: total)) : nil
            }
            guard let value = metrics[metric] else { return nil }
            guard nature.unit == .rate, let total else { return Figure(value: value, share: nil) }
            return total > 0 ? Figure(value: value, share: Share(hits: (value * total).rounded(), of: total)) : nil
        }
        func away(_ span: TimeSpan) -> Duration { span.length < window ? window - span.length : span.length - window }

        let usable = samples.filter { figure($0.metrics) != nil || isEmpty($0.metrics) }
        guard let end = usable.last?.span.to else { return nil }
        let best = usable.filter { $0.span.to == end }
            .min { (away($0.span), $1.seen.milliseconds) < (away($1.span), $0.seen.milliseconds) }
        func isFit(_ sample: Sample) -> Bool {
            let length = sample.span.length
            return length.scaled(by: 2) >= window && length <= window.scaled(by: 2)
                && end - sample.span.to <= min(length.scaled(by: 1.5), .days(8))
        }
        let isMisfit = best.map { best in
            best.span.length > window.scaled(by: 2) || !nature.adds && best.span.length.scaled(by: 2) < window
        }
        let chosen = best.flatMap { best in
            guard figure(best.metrics) != nil, isMisfit == true else { return best }
            return usable.last(where: isFit).flatMap { figure($0.metrics) == nil ? nil : $0 } ?? best
        }
        let whole = chosen.flatMap { best in
            figure(best.metrics).map { Measured(figure: $0, span: best.span, isComplete: best.isComplete) }
        }
        guard nature.adds else { return whole }
        let inside = usable.filter { $0.span.from >= end - window }
            .sorted { ($0.span.to, $0.span.from) > ($1.span.to, $1.span.from) }
        var pool: Measured?
        if let last = inside.first {
            var from = last.span.to
            var taken: [Sample] = []
            for sample in inside where sample.span.to <= from {
                taken.append(sample)
                from = sample.span.from
            }
            let figures = taken.compactMap { figure($0.metrics) }
            let total = figures.reduce(0) { $0 + ($1.share?.total ?? 0) }
            let hits = figures.reduce(0) { $0 + (nature.unit == .rate ? $1.share?.hits ?? 0 : $1.value) }
            let isComplete = taken.allSatisfy(\.isComplete)
            let covered = taken.reduce(Duration.zero) { $0 + $1.span.length }
            if let span = TimeSpan(from: from, to: last.span.to) {
                if nature.unit != .rate {
                    pool = Measured(
                        figure: Figure(value: hits, share: nil), span: span, isComplete: isComplete, covered: covered)
                } else if total > 0 {
                    pool = Measured(
                        figure: Figure(value: hits / total, share: Share(hits: hits, of: total)), span: span,
                        isComplete: isComplete, covered: covered)
                }
            }
        }
        guard let whole, let pool else { return pool ?? whole }
        return away(whole.span) <= away(pool.span) ? whole : pool
    }
}

@Suite struct `Measuring quickly` {
    static let metrics = [
        "crash_free_users", "crash_free_sessions", "anr_rate", "adoption", "sessions", "crash_events", "users", "queue",
    ]

    /// Figures of a source that gives this today and that tomorrow, in another order.
    private func figures(_ random: inout SeededRandom) -> Metrics {
        var metrics = Metrics()
        let total = random.one(of: [0.0, 1, 7, 100, 2500])
        let parts: [(String, Double)] = [
            ("users", total), ("crashed_users", random.one(of: [0, total])), ("sessions", total),
            ("crashed_sessions", random.one(of: [0, total])), ("crash_events", 3), ("anr_rate", 0.004),
            ("adoption", 0.5),
            ("queue", 9), ("crash_free_users", 0.99), ("crash_free_sessions", 0.98),
        ]
        for (name, value) in parts.shuffled(using: &random) where random.happens(0.6) { metrics[name] = value }
        return metrics
    }

    @Test(arguments: SeededRandom.seeds)
    func `it says the same as the plain way`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        for round in 0..<300 {
            var series = Series()
            for _ in 0..<Int.random(in: 0...25, using: &random) {
                // Coarse times, so that spans touch, overlap and end together.
                let from = Int64.random(in: 0..<12, using: &random) * 10
                let to = from + Int64.random(in: 1...6, using: &random) * 10
                let seen = Duration.minutes(to + Int64.random(in: 0...2, using: &random))
                let observation = try #require(
                    Fixtures.observation(from, to, figures(&random), seen: seen, isComplete: random.happens(0.8)))
                series.add(observation, keeping: .hours(2))
            }
            for metric in Self.metrics {
                for window in [5, 10, 30, 60, 100, 600] as [Int64] {
                    let quick = series.measured(Metric(metric), over: .minutes(window))
                    let plain = series.plainlyMeasured(metric, over: .minutes(window))
                    guard quick == plain else {
                        Issue.record(
                            """
                            \(metric) over \(window) min: \(String(describing: quick)), plainly \
                            \(String(describing: plain)); round \(round), seed \(seed)
                            """)
                        return
                    }
                }
            }
        }
    }

    /// A source that gives some lengths of stretches that slide on with every poll, some of them with other metrics than
    /// others, and now and then buckets that do not.
    @Test(arguments: SeededRandom.seeds)
    func `what has slid on is let go of, and no window misses it`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        for round in 0..<20 {
            var series = Series()
            var all: [Series.Sample] = []
            let lookback = Int64(random.one(of: [60, 120]))
            let lengths = ([5, 30, 60, 90, 240] as [Int64]).shuffled(using: &random)
                .prefix(Int.random(in: 1...3, using: &random))
            let kinds = lengths.map { _ in figures(&random) }
            var now = Int64(600)
            for _ in 0..<120 {
                now += Int64(random.one(of: [1, 1, 1, 5, 10]))
                for (length, kind) in zip(lengths, kinds) where random.happens(0.8) {
                    var metrics = kind
                    for entry in kind.entries where random.happens(0.3) { metrics[entry.metric.name] = 1 }
                    let end = random.happens(0.1) ? now / 10 * 10 : now
                    let observation = try #require(
                        Fixtures.observation(
                            end - length, end, metrics, seen: .minutes(now), isComplete: random.happens(0.8)))
                    series.add(observation, keeping: .minutes(lookback))
                    let sample = Series.Sample(
                        span: observation.span, seen: observation.seen, isComplete: observation.isComplete,
                        metrics: observation.metrics)
                    if let known = all.firstIndex(where: { $0.span == sample.span }) {
                        all[known] = sample
                    } else {
                        all.append(sample)
                    }
                }
                all = all.enumerated().sorted { ($0.element.span.to, $0.offset) < ($1.element.span.to, $1.offset) }
                    .map(\.element)
                let newest = all.last?.span.to ?? Fixtures.start
                // While the newest fill, what is over is read as far back as rules look.
                let late = max(.days(1), (all.last?.span.length ?? .zero).scaled(by: 4))
                let over = max(all.last(where: \.isComplete)?.span.to ?? newest, newest - late)
                let recent = all.filter { $0.span.to > over - .minutes(lookback) }
                // The newest stretch about as long stays until another should have come.
                func isLong(_ sample: Series.Sample) -> Bool { sample.span.length.scaled(by: 2) >= .minutes(lookback) }
                let long = all.last(where: isLong).flatMap { $0.isOutdated(besides: all[all.count - 1]) ? nil : $0 }
                let read = (recent.contains(where: isLong) ? [] : [long].compactMap(\.self)) + recent
                for metric in Self.metrics {
                    for window in [5, 30, 60, lookback] {
                        let kept = series.measured(Metric(metric), over: .minutes(window))
                        let plain = series.plainlyMeasured(metric, over: .minutes(window), in: read)
                        guard plain == nil || kept == plain else {
                            Issue.record(
                                """
                                \(metric) over \(window) of \(lookback) min: \(String(describing: kept)), of all \
                                \(String(describing: plain)); lengths \(lengths), round \(round), seed \(seed)
                                """)
                            return
                        }
                    }
                }
            }
        }
    }

    @Test(arguments: [(60, 60, 2), (60, 30, 31), (120, 60, 61), (60, 5, 56), (60, 1440, 2)] as [(Int64, Int64, Int)])
    func `an hour that slides by a minute is kept twice, not sixty times`(
        lookback: Int64, length: Int64, count: Int
    ) throws {
        var series = Series()
        for minute in 0..<300 as Range<Int64> {
            let observation = try #require(
                Fixtures.observation(minute - length, minute, ["users": 100, "crashed_users": 1]))
            series.add(observation, keeping: .minutes(lookback))
        }
        #expect(series.samples.count == count)
    }

    @Test func `percentages are written as the sums say`() {
        for (value, text) in [
            (0.0, "0.00%"), (1, "100.00%"), (0.995, "99.50%"), (0.99951, "99.951%"), (0.9999999, "99.99999%"),
            (0.00047, "0.047%"), (-0.0123, "-1.23%"), (12.3456, "1234.56%"), (0.0005, "0.050%"),
            (9e8, "90000000000.00%"),
        ] {
            #expect(value.percent == text)
        }
    }
}
