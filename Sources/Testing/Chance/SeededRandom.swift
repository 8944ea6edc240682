/// Chance that can be played again: the same numbers for the same seed, everywhere.
///
/// SplitMix64, as in Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
public struct SeededRandom: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// For properties that hold whatever the seed: tests take them as arguments, so a failure names its own.
    public static let seeds: [UInt64] = [1, 20_261_120, 0xDEAD_BEEF]

    public init(seed: UInt64) { state = seed }

    /// Another seed in every run, printed at once: a failure can be played again from it even if that is the last that is
    /// printed.
    public init(printedFor what: String) {
        let seed = UInt64.random(in: .min ... .max)
        print("\(what): seed \(seed)")
        self.init(seed: seed)
    }

    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Whether something happens that happens so often; 0 is never, 1 is always.
    ///
    /// The same draw as `Double.random(in: 0..<1)`, 53 bits of it: millions of them are made in builds without optimization,
    /// where generic code takes ten times as long.
    public mutating func happens(_ chance: Double) -> Bool { Double(next() & (1 << 53 - 1)) * 0x1p-53 < chance }

    /// A whole number from 0 up to `bound`, which itself is not among them; 0 where there is no other.
    public mutating func below(_ bound: Int) -> Int { bound > 1 ? Int(next() % UInt64(bound)) : 0 }

    /// One of the elements, or nil when there are none.
    public mutating func pick<Element>(_ elements: [Element]) -> Element? { elements.randomElement(using: &self) }
}
