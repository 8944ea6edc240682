public import PluginKit

/// A channel as it is meant: what it may be sent, and how fast. How it is sent, its plugin knows.
public struct ChannelPlan: Sendable {
    public var name: String
    public var pace: Pace
    public var isIdempotent: Bool
    /// Whether it hears of each incident by itself, and no reminders, corrections or summaries.
    public var isPager: Bool
    /// Whether its messages may carry a picture of the figures.
    public var hasCharts: Bool
    /// Whether it hears who takes care of an incident.
    public var hearsAcknowledgements: Bool
    /// Its messages in a team's own words; nil for the built-in ones.
    public var template: MessageTemplate?
    /// How its service is reached; nothing is decided by it.
    public var connection: Connection
    /// A hash of the addresses, credentials and whatever else its options must name, which is kept nowhere: whether a reload
    /// leads it elsewhere. Nil where nobody knows.
    public var place: UInt64?
    /// The chat it leads to; nil where its options say nothing of it.
    public var home: Home?

    /// Which chat a channel leads to, by what its options say of it without secrets.
    public struct Home: Hashable, Sendable {
        /// A hash of all that.
        public let hash: UInt64
        /// Whether a chat is named there, and not the plugin alone: then all channels with that hash lead to the same.
        public let isNamed: Bool
        /// The same hash without what the channel's address says of the chat, where it says something: journals have that
        /// one that were written before addresses were read for it, and from one to the other is no move.
        public let withoutAddress: UInt64?

        public init(_ hash: UInt64, isNamed: Bool = true, withoutAddress: UInt64? = nil) {
            self.hash = hash
            self.isNamed = isNamed
            self.withoutAddress = withoutAddress
        }
    }

    public init(
        name: String, pace: Pace = .unlimited, isIdempotent: Bool = false, isPager: Bool = false,
        hasCharts: Bool = false, hearsAcknowledgements: Bool = ChannelSettings.acknowledged.default,
        template: MessageTemplate? = nil, connection: Connection = .usual, place: UInt64? = nil, home: Home? = nil
    ) {
        self.name = name
        self.pace = pace
        self.isIdempotent = isIdempotent
        self.isPager = isPager
        self.hasCharts = hasCharts
        self.hearsAcknowledgements = hearsAcknowledgements
        self.template = template
        self.connection = connection
        self.place = place
        self.home = home
    }
}

/// Where notifications go that fit: to channels, and to whoever is on call.
public struct Route: Hashable, Sendable {
    public var match: Match
    public var to: [String]
    /// Leads also to the channel of whoever is on call.
    public var onCall: [Rotation]
    /// Whether routes after this one are looked at too.
    public var continues: Bool

    public init(match: Match = .all, to: [String], onCall: [Rotation] = [], continues: Bool = false) {
        self.match = match
        self.to = to
        self.onCall = onCall
        self.continues = continues
    }
}
