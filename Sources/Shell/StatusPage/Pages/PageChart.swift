public import AlertModel
public import TimeZones

/// A figure over the last day, with the limit that it is judged by: for a line of a table.
public struct PageChart: Hashable, Sendable {
    public struct Point: Hashable, Sendable {
        public let at: Moment
        public let figure: Double

        public init(at: Moment, figure: Double) {
            self.at = at
            self.figure = figure
        }
    }

    /// Oldest first.
    public let points: [Point]
    public let limit: Double?
    /// What the figure usually is, where the rule judges by that.
    public let usual: Double?
    /// Whether a figure is a fraction, written in percent.
    public let isRate: Bool
    public let from: Moment
    public let to: Moment
    /// In words, for those who do not see it.
    public let title: String

    public init(
        points: [Point], limit: Double?, usual: Double?, isRate: Bool, from: Moment, to: Moment, title: String
    ) {
        self.points = points
        self.limit = limit
        self.usual = usual
        self.isRate = isRate
        self.from = from
        self.to = to
        self.title = title
    }
}

/// One figure of an app on one picture: of the app as a whole and of its releases, with the limits of all rules that judge
/// it, what is usual, incidents, messages, and when releases came.
public struct PagePicture: Hashable, Sendable {
    public struct Line: Hashable, Sendable {
        /// Of the release or environment; nil for the app as a whole.
        public let name: String?
        /// Oldest first.
        public let points: [PageChart.Point]

        public init(name: String?, points: [PageChart.Point]) {
            self.name = name
            self.points = points
        }
    }

    public struct Limit: Hashable, Sendable {
        public let value: Double
        /// Such as `critical below 97%`.
        public let words: String

        public init(value: Double, words: String) {
            self.value = value
            self.words = words
        }
    }

    /// An incident.
    public struct Stretch: Hashable, Sendable {
        public let id: String
        public let from: Moment
        /// Nil while it lasts.
        public let to: Moment?
        public let severity: Severity
        public let words: String

        public init(id: String, from: Moment, to: Moment?, severity: Severity, words: String) {
            self.id = id
            self.from = from
            self.to = to
            self.severity = severity
            self.words = words
        }
    }

    /// What happened at a moment.
    public struct Mark: Hashable, Sendable {
        public enum Kind: Hashable, Sendable { case message, release }
        public let kind: Kind
        public let at: Moment
        public let words: String

        public init(_ kind: Kind, at: Moment, words: String) {
            self.kind = kind
            self.at = at
            self.words = words
        }
    }

    /// The app as a whole first.
    public var lines: [Line]
    public var limits: [Limit] = []
    public var usual: Double?
    public var stretches: [Stretch] = []
    public var marks: [Mark] = []
    /// Whether a figure is a fraction, written in percent.
    public let isRate: Bool
    public let from: Moment
    public let to: Moment
    /// Of the hours.
    public let zone: Zone
    /// In words, for those who do not see it.
    public let title: String

    public init(lines: [Line], isRate: Bool, from: Moment, to: Moment, zone: Zone, title: String) {
        self.lines = lines
        self.isRate = isRate
        self.from = from
        self.to = to
        self.zone = zone
        self.title = title
    }
}
