/// A source whose service has limits of its own, which people have set there.
public protocol LimitedSource: Source {
    /// Those that the last poll found, by what it left to remember.
    func limits(in cursor: JSON?) -> [ServiceLimit]
}

/// What the people behind an app have set at its service.
public struct ServiceLimit: Hashable, Sendable {
    public let app: String
    /// Of what: a rate.
    public let metric: Metric
    /// Below this it is not as it should be; nil where nobody said so.
    public let warning: Double?
    /// Below this it is bad; nil where nobody said so.
    public let critical: Double?
    /// Whose it is: `Bugsnag`.
    public let service: String

    public init(app: String, metric: Metric, warning: Double?, critical: Double?, service: String) {
        self.app = app
        self.metric = metric
        self.warning = warning
        self.critical = critical
        self.service = service
    }
}
