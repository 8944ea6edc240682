public import AlertModel

// What the pages show, as plain values: whoever runs the bot fills them in, and the pages turn them into HTML.

/// Everything that stands on the first page.
public struct Overview: Hashable, Sendable {
    /// Open incidents, the worst first; the first so many.
    public var incidents: [PageIncident] = []
    /// How many are open in all, by severity; pending ones are none yet.
    public var open: [Severity: Int] = [:]
    /// The first so many of the apps that were asked for: those with open incidents first, then by name.
    public var apps: [PageApp] = []
    /// How many apps were asked for.
    public var appCount = 0
    /// The first so many, those with trouble first.
    public var sources: [PageSource] = []
    /// How many there are.
    public var sourceCount = 0
    /// How many of them have trouble.
    public var illSourceCount = 0
    public var channels: [PageChannel] = []
    public var mutes: [PageMute] = []
    public var onCall: [PageWatch] = []

    public init() {}
}

/// An open incident as it is now.
public struct PageIncident: Hashable, Sendable {
    public let id: String
    /// What a message would say of it now.
    public let message: Message
    public let state: Incident.State
    /// How it is spent, for people: `since Fri 20 Nov 22:05 UTC, for 12 min`.
    public let lasting: String
    /// Who takes care of it.
    public let carers: String?
    /// That it is muted: `muted until Fri 20 Nov 23:00 CET by ana`.
    public let muted: String?

    public init(
        id: String, message: Message, state: Incident.State, lasting: String, carers: String?, muted: String? = nil
    ) {
        self.id = id
        self.message = message
        self.state = state
        self.lasting = lasting
        self.carers = carers
        self.muted = muted
    }
}

/// An app as one source sees it.
public struct PageApp: Hashable, Sendable {
    public let name: String
    public let source: String
    /// When its newest figures were seen.
    public let seen: Moment?
    /// How long ago that is, for people.
    public let age: String
    /// What each rule thinks of it; where those are too many, what is wrong or cannot be judged rather than what is fine.
    public let verdicts: [PageVerdict]
    /// How many are not among those.
    public let unlisted: Int
    /// How many of these are fine.
    public let unlistedWell: Int
    /// Whether any rule judges it, also one that has nothing to say of it now.
    public let isWatched: Bool

    public init(
        name: String, source: String, seen: Moment?, age: String, verdicts: [PageVerdict], unlisted: Int = 0,
        unlistedWell: Int = 0, isWatched: Bool = true
    ) {
        self.name = name
        self.source = source
        self.seen = seen
        self.age = age
        self.verdicts = verdicts
        self.unlisted = unlisted
        self.unlistedWell = unlistedWell
        self.isWatched = isWatched
    }
}

/// What one rule thinks of one thing.
public struct PageVerdict: Hashable, Sendable {
    public enum Tone: Hashable, Sendable {
        case fine
        case firing(Severity)
        /// Nothing can be said.
        case unknown
    }

    public let rule: String
    /// What it is about beside the app: release, environment, issue.
    public let about: String?
    public let tone: Tone
    /// `Crash-free users`; nil for rules that judge no figure.
    public let metric: String?
    public let figure: String?
    /// `below 99.5%`, or what it usually is.
    public let limit: String?
    public let chart: PageChart?
    /// That its figures are too old to be believed: `no news since Fri 20 Nov 17:48 UTC`.
    public let noNews: String?

    public init(
        rule: String, about: String?, tone: Tone, metric: String?, figure: String?, limit: String?,
        chart: PageChart?, noNews: String? = nil
    ) {
        self.rule = rule
        self.about = about
        self.tone = tone
        self.metric = metric
        self.figure = figure
        self.limit = limit
        self.chart = chart
        self.noNews = noNews
    }
}

/// A source, its pace and its health.
public struct PageSource: Hashable, Sendable {
    public let name: String
    /// What its last poll brought, in a word or a few: `answers`, `fails`, `stopped`, `nothing pushed yet`.
    public let state: String
    public let isWell: Bool
    /// `every 1 min; next poll in 20 s (calm)`, or that it receives pushes.
    public let pace: String
    /// What is wrong with it.
    public let trouble: String?
    public let lastGood: Moment?

    public init(name: String, state: String, isWell: Bool, pace: String, trouble: String?, lastGood: Moment?) {
        self.name = name
        self.state = state
        self.isWell = isWell
        self.pace = pace
        self.trouble = trouble
        self.lastGood = lastGood
    }
}

/// A channel of the bot, and how delivering to it goes.
public struct PageChannel: Hashable, Sendable {
    public let name: String
    /// Whether its messages stand on the page.
    public let isInbox: Bool
    public let lastDelivered: Moment?
    /// Whether older messages have left the history: what is not in it may have been sent all the same.
    public let hasForgotten: Bool
    public let queued: Int
    /// Deliveries that have failed for good, the newest last; the last so many.
    public let dead: [PageDelivery]
    public let deadCount: Int
    /// What is wrong with it.
    public let trouble: String?

    public init(
        name: String, isInbox: Bool, lastDelivered: Moment? = nil, hasForgotten: Bool = false, queued: Int = 0,
        dead: [PageDelivery] = [], deadCount: Int = 0, trouble: String? = nil
    ) {
        self.name = name
        self.isInbox = isInbox
        self.lastDelivered = lastDelivered
        self.hasForgotten = hasForgotten
        self.queued = queued
        self.dead = dead
        self.deadCount = deadCount
        self.trouble = trouble
    }
}

/// Who is on call.
public struct PageWatch: Hashable, Sendable {
    public let rotation: String
    public let person: String
    /// Nil where nobody else ever is.
    public let until: Moment?

    public init(rotation: String, person: String, until: Moment?) {
        self.rotation = rotation
        self.person = person
        self.until = until
    }
}

/// A mute or quiet hours, in force or to come.
public struct PageMute: Hashable, Sendable {
    /// By which it can be ended; nil for what the config says.
    public let id: String?
    public let name: String
    /// `app shop-*, rule floor; critical passes`.
    public let covers: String
    public let from: Moment
    public let until: Moment?
    public let isInForce: Bool
    public let by: String?
    public let reason: String?

    public init(
        id: String?, name: String, covers: String, from: Moment, until: Moment?, isInForce: Bool, by: String?,
        reason: String?
    ) {
        self.id = id
        self.name = name
        self.covers = covers
        self.from = from
        self.until = until
        self.isInForce = isInForce
        self.by = by
        self.reason = reason
    }
}

/// Something that was said, or is to be.
public struct PageDelivery: Hashable, Sendable {
    public let id: String
    public let at: Moment
    public let channel: String
    public let kind: Notification.Kind
    /// Whether it is about a mute: in that form it is a digest.
    public let isOfMute: Bool
    public let headline: String
    public let incidents: [String]
    /// `delivered`, `failed`, `replaced`, or `queued`.
    public let outcome: String
    public let isDead: Bool
    /// Why it ended as it did.
    public let why: String?

    public init(
        id: String, at: Moment, channel: String, kind: Notification.Kind, isOfMute: Bool = false, headline: String,
        incidents: [String], outcome: String, isDead: Bool, why: String?
    ) {
        self.id = id
        self.at = at
        self.channel = channel
        self.kind = kind
        self.isOfMute = isOfMute
        self.headline = headline
        self.incidents = incidents
        self.outcome = outcome
        self.isDead = isDead
        self.why = why
    }
}

/// Everything that is known of one incident.
public struct IncidentStory: Hashable, Sendable {
    public let id: String
    /// As it is now; nil where only what was said of it is left.
    public let incident: PageIncident?
    /// The newest headline.
    public let headline: String
    public let chart: PagePicture?
    /// Why, in paragraphs, as `alertbot why` says it.
    public let why: [String]
    /// Oldest first.
    public let deliveries: [PageDelivery]
    /// Whether older messages have left the history.
    public let hasForgotten: Bool

    public init(
        id: String, incident: PageIncident?, headline: String, chart: PagePicture?, why: [String],
        deliveries: [PageDelivery], hasForgotten: Bool = false
    ) {
        self.id = id
        self.incident = incident
        self.headline = headline
        self.chart = chart
        self.why = why
        self.deliveries = deliveries
        self.hasForgotten = hasForgotten
    }
}

/// Everything that is known of one app.
public struct AppStory: Hashable, Sendable {
    public let name: String
    /// As each of its sources sees it.
    public let apps: [PageApp]
    public let incidents: [PageIncident]
    /// Each of its figures over the last day.
    public let pictures: [PagePicture]
    public let issues: [Message.IssueLine]
    /// What was said of it, newest first.
    public let deliveries: [PageDelivery]
    /// Whether older messages have left the history.
    public let hasForgotten: Bool
    /// What each rule thinks, and what came of it, as `alertbot why` says it.
    public let why: [String]

    public init(
        name: String, apps: [PageApp], incidents: [PageIncident], pictures: [PagePicture],
        issues: [Message.IssueLine], deliveries: [PageDelivery], hasForgotten: Bool = false, why: [String]
    ) {
        self.name = name
        self.apps = apps
        self.incidents = incidents
        self.pictures = pictures
        self.issues = issues
        self.deliveries = deliveries
        self.hasForgotten = hasForgotten
        self.why = why
    }
}
