import AlertTesting
import Chance
import PluginTesting
import Testing

@testable import ReleaseDetector

@Suite struct `Whether a release that looks good may be worse all the same` {
    private func chance(_ new: (Double, Double), _ old: (Double, Double), worseBy margin: Double = 0.002) -> Double {
        Doubt(new: Tally(bad: new.0, of: new.1), old: Tally(bad: old.0, of: old.1)).chance(worseBy: margin)
    }

    @Test(
        arguments: [
            // As many as anybody may wish for.
            ((30.0, 10_000.0), (600.0, 200_000.0), 0.01...0.1), ((3000, 1e6), (3000, 1e6), 0...1e-9),
            // Fewer: of the new one, and of the old one.
            ((0, 206), (2, 59), 0.1...1), ((0, 470), (1, 133), 0.2...1), ((15, 1900), (4, 380), 0.5...1),
            ((150, 23_000), (4, 650), 0.5...1), ((3, 1000), (600, 200_000), 0.3...1),
            // Where it looks worse by as much, or is compared with nothing, there is no doubt that it may be.
            ((50, 10_000), (30, 10_000), 1...1), ((90, 10_000), (30, 10_000), 1...1), ((0, 10_000), (0, 0), 1...1),
            ((0, 0), (30, 10_000), 1...1),
            // Without any crash at all, the new one's sessions alone must tell.
            ((0, 500), (0, 1e6), 0.5...1), ((0, 20_000), (0, 100), 0...1e-6), ((0, 20_000), (0, 20_000), 0...1e-6),
        ] as [((Double, Double), (Double, Double), ClosedRange<Double>)])
    func `is as doubtful as the fewer cases of both make it`(
        new: (Double, Double), old: (Double, Double), range: ClosedRange<Double>
    ) {
        let chance = chance(new, old)
        #expect(range.contains(chance), "\(chance)")
    }

    @Test func `more cases and a larger margin leave less doubt`() {
        let chances = [1.0, 2, 5, 10, 40].map { chance((9 * $0, 3000 * $0), (9 * $0, 3000 * $0)) }
        #expect(chances == chances.sorted(by: >) && chances[0] > 0.3 && chances[4] < 1e-6, "\(chances)")
        let margins = [0.0005, 0.001, 0.002, 0.004, 0.9, 0.9999].map { chance((30, 9000), (40, 9000), worseBy: $0) }
        #expect(margins == margins.sorted(by: >) && margins[5] < 1e-9, "\(margins)")
    }

    @Test func `counts beyond what is ever seen give a chance`() {
        for new in [(0.0, 1e15), (1e15, 1e15), (1, 1)] {
            for old in [(0.0, 1e15), (1e15, 1e15), (1e12, 1e15), (1, 1)] {
                #expect((0...1).contains(chance(new, old)), "\(new) \(old)")
            }
        }
    }

    /// What it promises: of releases that are worse by just the margin, few look so good, however few or many cases there
    /// are of either.
    @Test(arguments: [(500.0, 8000.0), (4000, 4000), (20_000, 700), (20_000, 20_000)])
    func `one that is worse by the margin is seldom believed to be fine`(new: Double, old: Double) {
        var random = SeededRandom(seed: 21)
        let believed = (0..<400).count { _ in
            let (bad, usual) = (
                crashes(among: new, rate: 0.005, &random), crashes(among: old, rate: 0.003, &random)
            )
            return chance((bad, new), (usual, old)) <= 0.05
        }
        #expect(believed <= 20, "\(believed) of 400, seed 21")
    }

    @Test func `one that is as good is believed to be fine when there are enough of both`() {
        var random = SeededRandom(seed: 22)
        let believed = (0..<200).count { _ in
            chance(
                (crashes(among: 20_000, rate: 0.003, &random), 20_000),
                (crashes(among: 20_000, rate: 0.003, &random), 20_000)) <= 0.05
        }
        #expect(believed >= 160, "\(believed) of 200, seed 22")
    }
}
