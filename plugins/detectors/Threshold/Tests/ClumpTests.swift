import PluginKit
import PluginTesting
import Testing
import ThresholdDetector

@Suite struct `One user's app that crashes again and again` {
    static let floor: WrittenOptions = ["metric": "crash_free_sessions", "critical": "< 99%", "min_volume": "50"]

    /// An hour of sessions, stretch after stretch, the last of them ending at noon.
    private func hour(crashed: [Double], sessions: Double = 40, users: [Double]? = nil) -> Series {
        var series = Series()
        let length = Duration.hours(1).scaled(by: 1 / Double(crashed.count))
        for (index, bad) in crashed.enumerated() {
            let end = Moment.noon - length.scaled(by: Double(crashed.count - 1 - index))
            var metrics: Metrics = ["sessions": sessions, "crashed_sessions": bad]
            metrics["crashed_users"] = users?[index]
            series.add(
                Observation(
                    subject: Subject(source: "ios", app: "shop"), span: TimeSpan(lasting: length, until: end),
                    seen: end, isComplete: true, metrics: metrics),
                keeping: .hours(1))
        }
        return series
    }

    private func verdict(
        _ crashed: [Double], sessions: Double = 40, users: [Double]? = nil, _ options: WrittenOptions = floor
    ) throws -> Judgement.Verdict {
        try options.rule().judge(hour(crashed: crashed, sessions: sessions, users: users), at: .noon).verdict
    }

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

    /// Bad sessions of one user's loop in spans of five minutes, and a crash here and there beside it.
    private static let night = [0.0, 0, 1, 0, 0, 6, 5, 6, 5, 0, 0, 1]

    @Test func `is none while it goes on for 20 minutes, nor when it is over`() throws {
        for passed in 0..<3 {
            let hour = [Double](repeating: 0, count: passed) + Self.night.dropLast(passed)
            guard case .unknown(let reason) = try verdict(hour) else {
                Issue.record("\(hour)")
                continue
            }
            #expect(reason.contains("22 of the bad sessions fell within 20 min"), "\(reason)")
        }
    }

    @Test func `is known by its user, however many crashes it has`() throws {
        let crashed = [0.0, 0, 1, 9, 8, 9, 8, 9, 0, 0, 0, 1]
        #expect(try verdict(crashed) == .firing(.critical))
        guard case .unknown(let reason) = try verdict(crashed, users: crashed.map { min($0, 1) }) else {
            Issue.record("it fires")
            return
        }
        #expect(reason.contains("43 of the bad sessions fell within 25 min"), "\(reason)")
    }

    @Test func `is no matter where many users are hit`() throws {
        let crashed = [0.0, 0, 1, 0, 0, 0, 0, 9, 8, 9, 8, 9]
        #expect(try verdict(crashed, users: crashed) == .firing(.critical))
    }

    @Test func `is not seen by a source that knows no users of its sessions`() throws {
        let crashed = [Double](repeating: 4, count: 12)
        #expect(try verdict(crashed, users: crashed.map { _ in 0 }) == .firing(.critical))
    }
}
