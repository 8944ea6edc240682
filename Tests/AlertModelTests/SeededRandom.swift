/// Random numbers that a seed repeats (SplitMix64). Tests take seeds as arguments, so a failure names its own.
struct SeededRandom: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func chance(_ probability: Double) -> Bool { Double.random(in: 0..<1, using: &self) < probability }

    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: elements.indices, using: &self)]
    }

    mutating func maybe<Value>(_ make: (inout SeededRandom) -> Value) -> Value? {
        chance(0.6) ? make(&self) : nil
    }

    mutating func list<Value>(upTo count: Int, _ make: (inout SeededRandom) -> Value) -> [Value] {
        (0..<Int.random(in: 0...count, using: &self)).map { _ in make(&self) }
    }

    /// The seeds that property tests run over.
    static let seeds: [UInt64] = [1, 20_261_120, 0xDEAD_BEEF]
}
