import AlertTesting
import PluginKit
import Testing

@testable import DropDetector

@Suite struct `Memories of a share from earlier versions` {
    /// As the first version wrote it, in the middle of a suspicion; only the many equal numbers of the rhythm are put
    /// together here.
    private static let first = """
        {"need":{"metric":"crash_free_sessions","by":0.005},"grain":300000,"odd":[0,0,0],\
        "recent":[[1795226400000,1795226700000,1,700,1795226730000],[1795226700000,1795227000000,9,700,1795227030000]],\
        "hours":[[498673,12,8400],[498674,10,8400]],\
        "mark":{"days":[0.1,0.1,0,0,0,0,0,0],"moments":[2077.8,2077.8,0,0,0,0,0,0],"until":1795226400000,"excluded":[]},\
        "score":{"days":[30.5,90.25,40,1,0,0,0,0],"moments":[633719.3,1875183.2,831111.2,20777.8,0,0,0,0],\
        "until":1795227000000,"suspicion":[20777.8,1,0.5,0.0104],"excluded":[[498500,498510]]},\
        "baseline":{"level":-6.55,"variance":0.0012,"hours":500,"until":498672,"mean":[240,168000],"noise":[170.5,4000],\
        "day":[\(pairs(24))],"week":[\(pairs(168))]}}
        """

    private static func pairs(_ count: Int) -> String {
        [String](repeating: "[12,11.5]", count: count).joined(separator: ",")
    }

    @Test func `one of the first version goes on with all it knows but the noise, which begins anew`() throws {
        let old = try DropMemory(JSONReader(JSON(parsing: Self.first)))
        #expect(old.isReady)
        #expect(old.learned == .hours(500))
        #expect(old.isSuspicious)
        #expect(old.rarity > 15)
        #expect(abs((old.usual ?? 0) - 0.9986) < 0.0002)
        #expect(old.baseline.noise == Noise())
        #expect(old.recent.map(\.counted) == [1, 9])
        let again = try DropMemory(JSONReader(JSON(parsing: old.json.text)))
        let isSame = again == old
        #expect(isSame)
        // What the first version suspected it did not learn from, however weak it was.
        var later = old
        for step in 1...300 as ClosedRange<Int64> {
            let to = Moment(milliseconds: 1_795_227_000_000 + step * 300_000)
            later.add(
                Observation(
                    subject: Subject(source: "ios", app: "shop"), span: TimeSpan(lasting: .minutes(5), until: to),
                    seen: to,
                    metrics: ["sessions": 700, "crashed_sessions": step % 2 == 0 ? 1 : 0]))
        }
        #expect(!later.isSuspicious)
        #expect(later.score.excludes(498_674))
        #expect(later.baseline.noise.sums.clumpsClumps > 0)
    }

    @Test(arguments: ["2026-07-15 00:00", "2026-12-15 00:00"])
    func `what was learned by hours of UTC keeps its hours where clocks are followed from now on`(day: String) throws {
        var baseline = Baseline()
        let first = Moment.utc(day).milliseconds.hour
        baseline.learnedUntil = first
        baseline.day = (0..<24).map { Baseline.Sums(bad: Double($0), expected: 1) }
        baseline.week = (0..<168).map { Baseline.Sums(bad: Double($0), expected: 1) }
        baseline.rhythm.stretches = [Rhythm.Stretch(first: 167, length: 3, sums: Baseline.Sums(bad: 40, expected: 10))]
        func rates() -> [Double] { (first..<(first + 168)).map { baseline.rate($0) } }
        let before = rates()
        baseline.follow(try ZoneDatabase().zone("Europe/Madrid").summertime)
        #expect(rates() == before)
        // Half a year on, the same clock shows another hour of UTC.
        let later = first + 26 * 168
        #expect(baseline.slots(later).week != baseline.slots(first).week)
    }

    @Test func `the clocks that it follows are kept with it`() throws {
        let summertime = try ZoneDatabase().zone("Europe/Madrid").summertime
        let need = DropMemory.Need(metric: "crash_free_users", by: 0.005, summertime: summertime)
        let again = try DropMemory(JSONReader(JSON(parsing: DropMemory(need).json.text)))
        #expect(again.need == need && again.baseline.summertime == summertime && summertime != nil)
        let text = DropMemory(need).json.text.replacing("CET-1CEST", with: "CET")
        #expect(throws: JSONMismatch.self) { try DropMemory(JSONReader(JSON(parsing: text))) }
    }

    @Test func `one of a version to come is refused`() {
        let text = Self.first.replacing(
            "{\"need\":{\"metric\"", with: "{\"version\":3,\"need\":{\"metric\"", maxReplacements: 1)
        #expect(throws: JSONMismatch.self) { try DropMemory(JSONReader(JSON(parsing: text))) }
    }
}
