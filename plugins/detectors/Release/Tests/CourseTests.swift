import AlertCore
import AlertTesting
import PluginKit
import PluginTesting
import Testing

@testable import ReleaseDetector

@Suite struct `How a release has fared` {
    private static let start = Moment(milliseconds: 1_795_176_000_000)  // 2026-11-20T12:00:00Z
    private static let need = Course.Need(.crashFreeSessions)

    private func observation(
        _ sessions: Double?, _ crashed: Double? = 1, until hours: Double, lasting length: Duration = .hours(1),
        release: String? = "1.0", isComplete: Bool = true
    ) -> Observation {
        let end = Self.start + Duration.hours(1).scaled(by: hours)
        var metrics: Metrics = [:]
        metrics["sessions"] = sessions
        metrics["crashed_sessions"] = crashed
        return Observation(
            subject: Subject(source: "ios", app: "shop", release: release),
            span: TimeSpan(lasting: length, until: end), seen: end, isComplete: isComplete, metrics: metrics)
    }

    private func course(_ observations: [Observation]) -> Course {
        observations.reduce(into: Course(Self.need)) { $0.add($1) }
    }

    @Test func `spans that end within three hours of the clock are added up`() {
        let course = course((1...7).map { observation(100, Double($0), until: Double($0)) })
        #expect(course.slots.map(\.tally) == [Tally(bad: 6, of: 300), Tally(bad: 15, of: 300), Tally(bad: 7, of: 100)])
        #expect(course.slots.first?.from == Self.start)
        #expect(course.whole?.tally == Tally(bad: 28, of: 700))
        #expect(course.whole?.span.length == .hours(7))
        // A part of a slot is not known by itself.
        #expect(course.tally(from: Self.start + .hours(1), to: Self.start + .hours(9)) == Tally(bad: 22, of: 400))
    }

    @Test func `what overlaps, comes late, still fills, lacks a count or is no release is not counted`() {
        let good = observation(100, until: 5)
        for other in [
            good, observation(9, until: 4), observation(9, until: 5.5), observation(9, until: 9, isComplete: false),
            observation(nil, until: 9), observation(9, nil, until: 9), observation(9, until: 9, release: nil),
            observation(0, 0, until: 9),
        ] {
            #expect(course([good, other]) == course([good]), "\(other)")
        }
    }

    @Test func `of rolling spans, both releases are counted over the same, whichever came first`() throws {
        func rolling(from first: Int) -> [Observation] {
            (first...600).map { observation(100, until: Double($0) / 12, lasting: .hours(6)) }
        }
        let (old, new) = (course(rolling(from: 1)), course(rolling(from: 100)))
        #expect(old.slots.count == 9 && new.slots.count == 7)
        #expect(Array(old.slots.suffix(7)) == new.slots)
        // Polls that come a minute late change nothing.
        var late = Course(Self.need)
        for poll in 1...600 {
            let end = Double(poll) / 12 + Double(poll % 3) / 60
            late.add(observation(100, until: end, lasting: .hours(6)))
        }
        #expect(late.slots.count == 9)
    }

    @Test func `hours are not counted twice where a source tells of days as well`() {
        var both: [Observation] = []
        for hour in stride(from: 1.0, through: 96, by: 1) {
            both.append(observation(100, until: hour))
            let isMidnight = hour.truncatingRemainder(dividingBy: 24) == 12
            if isMidnight { both.append(observation(2400, 24, until: hour, lasting: .days(1))) }
        }
        #expect(course(both).whole?.tally == Tally(bad: 96, of: 9600))
    }

    @Test func `it is kept for a week, and of days for a month`() {
        let hours = course((0..<500).map { observation(100, until: Double($0)) })
        #expect(hours.slots.count == 56)
        let days = course((0..<100).map { observation(100, until: 24 * Double($0), lasting: .days(1)) })
        #expect((29...30).contains(days.slots.count))
    }

    @Test func `hours in which everything crashed do not speak for whoever few had then`() throws {
        // Five times as bad for both while one session in twenty is of the new one; half of them later.
        var (new, old) = (Course(Self.need), Course(Self.need))
        for hour in 0..<24 as Range<Int> {
            let (rate, share) = hour < 12 ? (0.02, 0.05) : (0.004, 0.5)
            new.add(observation(10_000 * share, 10_000 * share * rate, until: Double(hour) + 1))
            old.add(observation(10_000 * (1 - share), 10_000 * (1 - share) * rate, until: Double(hour) + 1))
        }
        let same = try #require(SameSlots(new, old))
        #expect(abs(same.new.rate - same.old.rate) < 1e-9)
        #expect(same.newTotal == 66_000 && same.oldTotal == 174_000)
        #expect(same.new.total < same.newTotal && same.old.total < same.oldTotal)
        #expect(same.new.total > 30_000, "\(same.new.total)")
    }

    @Test func `it is what every memory must be`() {
        let observations = (0..<240).map { observation(Double(37 << ($0 / 20)), 3, until: Double($0)) }
        let conformance = MemoryConformance(Course.self, Self.need, fedWith: observations, bytesMax: 3584)
        #expect(conformance.violations() == [])
    }

    @Test func `it is kept of the releases of an app that its source gives as a whole, too`() throws {
        let rule = try (["metric": "crash_free_sessions"] as WrittenOptions).detector(ReleaseDetector.self)
        var bot = Rehearsal(.rehearsed(detectors: [DetectorPlan(name: "release", detector: rule, repeat: nil)]))
        bot.comparesReplay = true
        bot.pollAnswer = { _, _ in nil }
        bot.start()
        for _ in 0..<3 {
            bot.advance(by: .hours(1))
            bot.see(
                [nil, "1.0"].map { release in
                    .figures(
                        ["sessions": 100, "crashed_sessions": 1],
                        of: Subject(source: "ios", app: "shop", release: release), at: bot.now, lasting: .hours(1))
                })
        }
        let series = bot.state.figures.series[Subject(source: "ios", app: "shop", release: "1.0")]
        #expect(series?.memory(Course.self, Self.need)?.whole?.tally == Tally(bad: 3, of: 300))
        #expect(bot.objections == [])
    }
}
