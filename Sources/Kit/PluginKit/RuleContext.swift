/// What a rule plugin is told besides its options.
public struct RuleContext: Sendable {
    /// The rule's name in the config.
    public let name: String
    /// The zone of quiet hours and of local times.
    public let zone: Zone
    /// At most how often a day the rule can check one subject: what its sources' `throttle` allows.
    public let checksPerDay: Double

    public init(name: String, zone: Zone, checksPerDay: Double) {
        self.name = name
        self.zone = zone
        self.checksPerDay = checksPerDay
    }
}
