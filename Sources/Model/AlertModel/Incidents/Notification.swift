/// Something an incident wants said.
public struct Notification: Sendable {
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        case opened, escalated, reminder, revised, resolved, closed, acknowledged, digest
        /// What somebody sends to try a channel: it is about no incident, and no gate is asked.
        case test

        /// Those that incidents want.
        public static var ofIncidents: [Kind] { allCases.filter { $0 != .test } }

        /// Whether it is about an incident that has ended, for better or unknown.
        public var isEnd: Bool { self == .resolved || self == .closed }
    }

    public let incident: Incident
    public let kind: Kind
    public let severity: Severity
    public let channel: String
    /// What holds it already.
    public struct Held: Sendable {
        /// The reason that the gate gave.
        public let reason: Reason
        public let since: Moment
        /// Whether it will be told together with others anyhow.
        public var isGathered: Bool { style != nil }
        /// What it becomes part of then.
        public let style: Gathering.Style?

        public init(_ reason: Reason, since: Moment, style: Gathering.Style? = nil) {
            self.reason = reason
            self.since = since
            self.style = style
        }
    }

    /// Nil for news.
    public let held: Held?

    public init(
        incident: Incident, kind: Kind, severity: Severity, channel: String, held: Held? = nil
    ) {
        self.incident = incident
        self.kind = kind
        self.severity = severity
        self.channel = channel
        self.held = held
    }

    /// The value of a `match` property: that of the incident, but as severe as the channel is told. An end is as severe
    /// as what it ends, whatever that was in between.
    public func property(_ name: String) -> String? {
        name == "severity" ? severity.rawValue : incident.property(name)
    }

    /// Since when a gate that gives that reason holds it: `now` when it is only about to.
    public func waits(behind reason: Reason, at now: Moment) -> Moment {
        if let held, held.reason == reason { held.since } else { now }
    }
}

/// Why something was sent, held or dropped: a closed list, documented in the guide.
public enum Reason: Hashable, Sendable, CustomStringConvertible {
    /// The channel hears of this incident for the first time.
    case first
    /// It got worse than what the channel knows.
    case escalated
    /// It is still firing and the time between reminders has passed.
    case `repeat`
    /// Late figures have changed what was said.
    case revised
    /// It is over.
    case resolved
    /// It ended without anybody knowing how.
    case closed
    /// Somebody takes care of it.
    case acknowledged
    case muted(String)
    case quietHours(String)
    /// It has begun and ended so often that more of it would be noise.
    case flapping
    /// Another gate of the config, by the name of its plugin and its own.
    case gate(plugin: String, name: String)
    /// The channel never heard of the incident, so its end is no news there.
    case unannounced
    /// While it was held, it became what the routes lead elsewhere, or nowhere.
    case unrouted
    /// It began and ended while the channel could not be reached.
    case overtaken

    public var description: String {
        switch self {
        case .first: "first"
        case .escalated: "escalated"
        case .repeat: "repeat"
        case .revised: "revised"
        case .resolved: "resolved"
        case .closed: "closed"
        case .acknowledged: "acknowledged"
        case .muted(let name): "muted:\(name)"
        case .quietHours(let name): "quiet_hours:\(name)"
        case .flapping: "flapping"
        case .gate(let plugin, let name): "\(plugin):\(name)"
        case .unannounced: "unannounced"
        case .unrouted: "unrouted"
        case .overtaken: "overtaken"
        }
    }

    public init?(_ text: String) {
        let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
        switch (parts.first, parts.count) {
        case ("first", 1): self = .first
        case ("escalated", 1): self = .escalated
        case ("repeat", 1): self = .repeat
        case ("revised", 1): self = .revised
        case ("resolved", 1): self = .resolved
        case ("closed", 1): self = .closed
        case ("acknowledged", 1): self = .acknowledged
        case ("flapping", 1): self = .flapping
        case ("unannounced", 1): self = .unannounced
        case ("unrouted", 1): self = .unrouted
        case ("overtaken", 1): self = .overtaken
        case ("muted", 2): self = .muted(parts[1])
        case ("quiet_hours", 2): self = .quietHours(parts[1])
        case (let plugin?, 2): self = .gate(plugin: plugin, name: parts[1])
        default: return nil
        }
    }
}

/// What the gates said of a notification for one channel.
public enum Decision: Hashable, Sendable {
    case send
    /// It will be looked at again at the moment given: the first at which no gate holds it.
    case hold(until: Moment)
    case drop

    public var name: String {
        switch self {
        case .send: "send"
        case .hold: "hold"
        case .drop: "drop"
        }
    }
}
