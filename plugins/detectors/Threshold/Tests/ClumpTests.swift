import PluginKit
import PluginTesting
import Testing
import ThresholdDetector

@Suite struct `One user's app that crashes again and again` {
    static let floor: WrittenOptions = ["metric": "crash_free_sessions", "critical": "< 99%", "min_volume": "50"]

    /// An hour of sessions, stretch after stretch, the last of them ending at noon.
    private func hour(crashed: [Double], sessions: Double = 40) -> Series {
        var series = Series()
        let length = Duration.hours(1).scaled(by: 1 / Double(crashed.count))
        for (index, bad) in crashed.enumerated() {
            let end = Moment.noon - length.scaled(by: Double(crashed.count - 1 - index))
            series.add(
                Observation(
                    subject: Subject(source: "ios", app: "shop"), span: TimeSpan(lasting: length, until: end),
                    seen: end, isComplete: true, metrics: ["sessions": sessions, "crashed_sessions": bad]),
                keeping: .hours(1))
        }
        return series
    }

    private func verdict(_ crashed: [Double], sessions: Double = 40, _ options: WrittenOptions = floor) throws
        -> Judgement.Verdict
    { try options.rule().judge(hour(crashed: crashed, sessions: sessions), at: .noon).verdict }

    private static let quiet = [Double](repeating: 0, count: 11)

    @Test func `is no alarm while nobody else's does, and is said to be the reason`() throws {
        #expect(
            try verdict(Self.quiet + [22])
                == .unknown(
                    "95.42% is beyond the limit, but 22 of the bad sessions fell within 5 min, as when one user's app "
                        + "crashes again and again"))
    }

    @Test func `becomes one as soon as the next stretch is bad, too`() throws {
        #expect(try verdict(Self.quiet.dropLast() + [22, 20]) == .firing(.critical))
    }

    @Test func `is one at once when it is more than one user can be`() throws {
        #expect(try verdict(Self.quiet + [40]) == .firing(.critical))
    }

    @Test func `hides nothing where crashes are everywhere`() throws {
        #expect(try verdict([Double](repeating: 2, count: 11) + [9]) == .firing(.critical))
    }

    @Test func `cannot be told from a fall by few stretches or one`() throws {
        for count in 1...3 {
            let sessions = 480 / Double(count)
            let crashed = [Double](repeating: 0, count: count - 1) + [22]
            #expect(try verdict(crashed, sessions: sessions) == .firing(.critical))
        }
        #expect(try verdict([0, 0, 0, 22], sessions: 120) != .firing(.critical))
    }

    @Test func `counts in full where the bare figure is asked for`() throws {
        let bare: WrittenOptions = [
            "metric": "crash_free_sessions", "critical": "< 99%", "confidence": "off",
        ]
        #expect(try verdict(Self.quiet + [22], bare) == .firing(.critical))
    }

    @Test func `makes no sentence where too few cases would be the reason anyway`() throws {
        #expect(
            try verdict(Self.quiet + [6])
                == .unknown("98.75% is beyond the limit, but 480 sessions are too few to be sure"))
    }

    @Test func `does not make the figure in a message better than it is`() throws {
        let judgement = try Self.floor.rule().judge(hour(crashed: Self.quiet + [40]), at: .noon)
        #expect(judgement.evidence.figure?.value == 440.0 / 480)
        #expect(try #require(judgement.evidence.bound) < 0.99)
    }
}
