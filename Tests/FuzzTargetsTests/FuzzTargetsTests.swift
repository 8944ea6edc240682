import AlertTesting
import Chance
import Dispatch
import FuzzTargets
import Testing

/// Each target is tried as the fuzzer does it, by chance alone: `scripts/fuzz` goes much further.
@Suite struct FuzzTargetsTests {
    @Test(arguments: FuzzTarget.all.map(\.name))
    func `seeds, and what chance makes of them, are read without a flaw`(_ name: String) async throws {
        // Targets block, and the server behind one of them is not to wait for the threads of all other tests.
        await #expect(processExitsWith: .success) { [name] in
            let target = try #require(FuzzTarget.all.first { $0.name == name })
            let found = await withCheckedContinuation { (continuation: CheckedContinuation<[String], Never>) in
                DispatchQueue.global().async {
                    continuation.resume(returning: FuzzTargetsTests.flaws(of: target, rounds: 300))
                }
            }
            #expect(found == [])
        }
    }

    private static func flaws(of target: FuzzTarget, rounds: Int) -> [String] {
        var random = SeededRandom(seed: 20_261_123)
        var flaws: [String] = []
        for seed in target.seeds {
            let seed = Array(seed.utf8)
            if let flaw = target.flaw(seed) { flaws.append(flaw) }
            for round in 0..<rounds {
                let bytes = mutated(seed, target.words, &random)
                if let flaw = target.flaw(bytes) { flaws.append("\(round): \(flaw): \(bytes)") }
            }
        }
        return flaws
    }

    private static func mutated(_ seed: [UInt8], _ words: [String], _ random: inout SeededRandom) -> [UInt8] {
        var bytes = seed
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let from = Int.random(in: 0...bytes.count, using: &random)
            let to = min(bytes.count, from + Int.random(in: 0...20, using: &random))
            switch Int.random(in: 0..<5, using: &random) {
            case 0: bytes.removeSubrange(from..<to)
            case 1: bytes.insert(contentsOf: bytes[from..<to], at: from)
            case 2: bytes.insert(contentsOf: Array((random.pick(words) ?? "").utf8), at: from)
            case 3: bytes.removeLast(bytes.count - from)
            default: if from < bytes.count { bytes[from] = UInt8.random(in: .min ... .max, using: &random) }
            }
        }
        return bytes
    }

    @Test func `words are written as libFuzzer reads them`() throws {
        let target = try #require(FuzzTarget.all.first { $0.name == "json" })
        #expect(target.dictionary.hasPrefix("\"\\x5cu\"\n\"\\x5cud83d\"\n\"1e\"\n"))
        #expect(FuzzTarget.all.allSatisfy { $0.dictionary.utf8.allSatisfy { $0 < 0x7F } })
    }
}
