import PluginKit
import PluginTesting
import ReleaseDetector
import Testing

@Suite struct `How a release began` {
    private static let start = Moment(milliseconds: 1_795_176_000_000)  // 2026-11-20T12:00:00Z

    private func observation(
        _ sessions: Double?, _ crashed: Double? = 0, hour: Int, release: String? = "1.0", isComplete: Bool = true
    ) -> Observation {
        let end = Self.start + .hours(Int64(hour))
        var metrics: Metrics = [:]
        metrics["sessions"] = sessions
        metrics["crashed_sessions"] = crashed
        return Observation(
            subject: Subject(source: "ios", app: "shop", release: release),
            span: TimeSpan(lasting: .hours(1), until: end), seen: end, isComplete: isComplete, metrics: metrics)
    }

    private func launch(_ observations: [Observation]) -> Launch {
        observations.reduce(into: Launch()) { $0.add($1) }
    }

    @Test(
        arguments: [
            ([99], []), ([100], [0]), ([50, 50], [0]), ([100, 99], [0]), ([100, 100, 199, 1], [0, 1, 2]),
            ([5000], [5]), ([50, 1000, 0, 0], [3]), ([1e15], [23]), ([1e15, 1e15], [23]), ([0, 0], []),
        ] as [([Double], [Int])])
    func `a stage is kept when its sessions are reached`(sessions: [Double], levels: [Int]) {
        let launch = launch(sessions.enumerated().map { observation($1, hour: $0) })
        #expect(launch.stages.map(\.level) == levels)
    }

    @Test func `crashes are counted with the sessions they belong to`() {
        let launch = launch([observation(60, 6, hour: 0), observation(60, 3, hour: 1), observation(100, 50, hour: 2)])
        #expect(launch.stages.map(\.sessions) == [120, 220])
        #expect(launch.stages.map(\.crashed) == [9, 59])
    }

    @Test func `what overlaps, comes late, still fills, lacks a count or is no release is not counted`() {
        let good = observation(100, 1, hour: 5)
        for other in [
            good, observation(1000, hour: 4), observation(1000, hour: 9, isComplete: false), observation(nil, hour: 9),
            observation(1000, nil, hour: 9), observation(1000, hour: 9, release: nil),
        ] {
            #expect(launch([good, other]) == launch([good]), "\(other)")
        }
    }

    @Test func `it is what every memory must be`() {
        let observations = (0..<60).map { observation(Double(37 << ($0 / 3)), 3, hour: $0) }
        #expect(MemoryConformance(Launch.self, fedWith: observations, bytesMax: 2048).violations() == [])
    }

    @Test func `it is given back from its JSON, in at most 2 kB`() throws {
        let launch = launch((0..<24).map { observation(123_456_789.5 * Double(1 << $0) / 1e6, 7, hour: $0) })
        #expect(launch.stages.count > 10)
        let bytes = launch.json.bytes
        #expect(bytes.count <= 2048)
        #expect(try Launch(JSONReader(JSON(parsing: bytes))) == launch)
        #expect(try Launch(JSONReader(JSON(parsing: Launch().json.bytes))) == Launch())
    }
}
