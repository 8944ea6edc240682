import Testing

@testable import DropDetector

@Suite struct GrainTests {
    /// What each span is, given by the minutes at which it begins and ends.
    private func fits(_ grain: inout Grain, _ spans: [(from: Int64, to: Int64)]) -> [Grain.Fit] {
        var fits: [Grain.Fit] = []
        var newest: Int64 = 0
        for span in spans {
            let start: Int64 = 1_795_176_000_000
            let bucket = DropMemory.Bucket(
                from: start + span.from * 60_000, to: start + span.to * 60_000, bad: 0, total: 1, seen: 0)
            fits.append(grain.note(bucket, after: newest))
            if fits.last != .odd { newest = bucket.to }
        }
        return fits
    }

    @Test func `spans up to twice and down to half as long are alike, and the first is like itself`() {
        var grain = Grain()
        #expect(
            fits(&grain, [(0, 10), (10, 30), (30, 35), (35, 56), (56, 60)]) == [.alike, .alike, .alike, .odd, .odd])
        #expect(grain.length == 600_000)
    }

    @Test func `more than an hour says nothing, not even as the first`() {
        var grain = Grain()
        #expect(fits(&grain, [(0, 61)]) == [.odd])
        #expect(grain == Grain())
        #expect(fits(&grain, [(0, 60)]) == [.alike])
    }

    @Test func `longer spans count only after a day without any`() {
        var grain = Grain()
        #expect(fits(&grain, [(0, 5), (1445, 1505), (1446, 1506)]) == [.alike, .odd, .anew])
        #expect(grain.length == 3_600_000)
    }

    @Test func `shorter spans count once six have come within six hours`() {
        let six = (0..<6).map { (number: Int64) in (from: number * 5, to: number * 5 + 5) }
        var grain = Grain(length: 3_600_000)
        #expect(fits(&grain, six) == [.odd, .odd, .odd, .odd, .odd, .anew])
        #expect(grain.length == 300_000)
        #expect(grain.shorter == 0)
        // One that comes now and then is odd for ever.
        grain = Grain(length: 3_600_000)
        let rare = (1..<20).map { (number: Int64) in (from: number * 120, to: number * 120 + 5) }
        #expect(Set(fits(&grain, rare)) == [.odd])
    }
}
