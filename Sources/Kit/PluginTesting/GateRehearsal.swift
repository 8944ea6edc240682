public import PluginKit

extension RuleContext {
    /// What a rule is told in tests.
    public static func rehearsed(_ name: String = "rule", zone: Zone = .utc) -> RuleContext {
        RuleContext(name: name, zone: zone, checksPerDay: 1440)
    }
}

extension Gate {
    /// A gate as a config writes it.
    ///
    /// - Throws: where no config could hold it; a `ProblemList` where the gate refuses its options.
    public static func written(_ entries: KeyValuePairs<String, String>, name: String = "rule") throws -> Self {
        let written = WrittenOptions(entries.map { ($0.key, .text($0.value)) })
        return try Self(options: written.options(of: manifest, name: name), context: .rehearsed(name))
    }
}

/// A past as a test wants it.
public struct RehearsedView: GateView {
    public var tellings: [Telling] = []
    public var gatheredSince: Moment?
    public var changes: [Moment] = []
    public var changesTold: SwingsTold?
    public var firing: [Incident] = []
    public var apps: Set<String> = []

    public init() {}

    public func told(_ channel: String) -> [Telling] { tellings }
    public func gathered(_ gathering: Gathering, for channel: String) -> Moment? { gatheredSince }
    public func swings(of incident: Incident) -> [Moment] { changes }
    public func swingsTold(of incident: Incident, in channel: String) -> SwingsTold? { changesTold }
    public func explaining(_ match: Match, at now: Moment) -> [Incident] { firing.filter { match.fits($0.property) } }
    public var appCount: Int { apps.count }
    public func hasFigures(ofApp app: String) -> Bool { apps.contains(app) }
}
