public import PluginKit

/// Failures made on purpose, the same for the same seed.
public struct Faults: Sendable {
    /// From 0 to 1.
    public let rate: Double
    public let seed: UInt64

    public init(rate: Double, seed: UInt64) {
        self.rate = rate
        self.seed = seed
    }

    /// What is said of all that fails so.
    public static let sentence = "failed on purpose (--fault-rate)"

    /// Whether the thing of that name, at that time, fails.
    public func strikes(_ name: String, at moment: Moment) -> Bool {
        StableHash.unit(String(seed), name, moment.description, "fault") < rate
    }
}
