public import AlertModel
public import TimeZones

/// What the page needs to know of the running bot.
public protocol BotView: Sendable {
    /// Sources, incidents, channels, next polls: an object, served as it is.
    func status() async -> JSON

    /// The incidents, served as they are.
    func incidents() async -> JSON

    /// Whether anything is known of an incident, open or not.
    func knows(incident id: String) async -> Bool

    /// The last `limit` deliveries that have ended, newest last, all or those that failed; `limit` is 1 to 1000.
    func history(limit: Int, failedOnly: Bool) async -> JSON

    /// Mutes in force, and those that the config has in store.
    func mutes() async -> JSON

    /// Why things are told or not: of an app and a rule, or globs of them; nil for all.
    func why(app: String?, rule: String?) async -> JSON

    /// The last `limit` messages of the inbox, oldest first.
    func inboxMessages(limit: Int) async -> [InboxMessage]

    /// Where the bot says things, in the order of the config.
    func channels() async -> [PageChannel]

    /// What is wrong now, and how everything else is.
    ///
    /// - Parameter apps: which apps are asked for, a part of their names; nil for all.
    func overview(apps: String?) async -> Overview

    /// The incidents that are open, the worst first, as many as a page can show, and how many there are.
    func openIncidents() async -> (listed: [PageIncident], count: Int)

    /// What is known of an incident, open or not; nil where nothing is known any more.
    func incident(_ id: String) async -> IncidentStory?

    /// What is known of an app; nil for one that no source has named.
    func app(_ name: String) async -> AppStory?

    /// The last `limit` deliveries that have ended and have the words in them, newest first.
    func deliveries(matching words: String?, limit: Int) async -> [PageDelivery]

    /// A bell that rings whenever the bot has done something, be it that the inbox got a message or that a source was polled;
    /// it ends when the bot stops.
    ///
    /// Each call makes a new bell. Rings may be merged, because what is new is always read with `inboxMessages`:
    /// `.bufferingNewest(1)` is the right buffer, and no slow reader can make it grow.
    func inboxBell() async -> AsyncStream<Void>

    /// The figures in Prometheus's text format, served as they are.
    func metrics() async -> String

    /// How the bot is, asked by probes and by every open page: so it must cost little, whatever the bot knows.
    func health() async -> BotHealth

    /// What time it is, in which zone the bot says times, and in which words it writes messages.
    func wall() async -> WallClock
}

/// What time it is for the bot, and the zone in which it says times: that of its messages, wherever a reader sits.
public struct WallClock: Hashable, Sendable {
    public let now: Moment
    public let zone: Zone
    /// Those of its messages; the page around them is in English.
    public let words: Words

    public init(now: Moment, zone: Zone, words: Words = .english) {
        self.now = now
        self.zone = zone
        self.words = words
    }

    /// `Fri 20 Nov 22:05 CET`, with the year where nobody would think of it.
    func words(_ moment: Moment) -> String { zone.words(moment, readAt: now) }

    /// `22:05 CET`.
    func time(_ moment: Moment) -> String { "\(zone.civil(moment).clockText) \(zone.abbreviation(at: moment))" }
}

/// Who does what is asked for on the control socket.
public protocol BotControl: Sendable {
    /// Does what the command says and gives back the answer; throws when it makes no sense of it.
    func obey(_ command: JSON) async throws -> JSON
}

/// A message as the inbox keeps it.
public struct InboxMessage: Hashable, Sendable {
    /// Of letters, digits, `-` and `_`; no two messages share one.
    public let id: String
    public let channel: String
    public let message: Message
    /// When it reached the inbox.
    public let at: Moment
    /// The incident that it tells of; nil for a message about several or none.
    public let incident: String?
    /// Whether that incident has ended, so that there is nothing left to mute.
    public let isOver: Bool

    public init(
        id: String, channel: String, message: Message, at: Moment, incident: String? = nil, isOver: Bool = false
    ) {
        self.id = id
        self.channel = channel
        self.message = message
        self.at = at
        self.incident = incident
        self.isOver = isOver
    }
}

/// How the bot is, and in one sentence what it is doing.
public struct BotHealth: Hashable, Sendable {
    /// False when only a restart can help.
    public let isAlive: Bool
    /// False while the bot cannot do its work yet, or not any more.
    public let isReady: Bool
    /// Such as `Watching 3 sources; the next poll is at 22:10 UTC.`
    public let sentence: String
    /// How many incidents are open, by severity; those that are not sure yet do not count.
    public let open: [Severity: Int]
    /// Why nobody can say that all is well though no incident is open, in a few words: `No figures yet`, `1 of 2 sources
    /// is failing`; nil where all is.
    public let doubt: String?

    public init(
        isAlive: Bool, isReady: Bool, sentence: String, open: [Severity: Int] = [:], doubt: String? = nil
    ) {
        self.isAlive = isAlive
        self.isReady = isReady
        self.sentence = sentence
        self.open = open
        self.doubt = doubt
    }
}
