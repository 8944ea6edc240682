/// Chance that can be played again: the same numbers for the same seed (SplitMix64).
public struct SeededRandom: RandomNumberGenerator, Sendable {
    private var state: UInt64

    public init(seed: UInt64) { state = seed }

    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Whether something happens that happens so often; 0 is never, 1 is always.
    public mutating func happens(_ chance: Double) -> Bool { Double.random(in: 0..<1, using: &self) < chance }

    /// One of the elements, or nil when there are none.
    public mutating func pick<Element>(_ elements: [Element]) -> Element? { elements.randomElement(using: &self) }
}
