public import PluginKit

/// The config as meant, as far as the core needs it: every default filled in, every reference resolved.
public struct Plan: Sendable {
    public var botName: String
    public var zone: Zone
    /// The language of messages.
    public var words: Words
    /// Where people reach the bot's page; nil leaves links to it out.
    public var publicURL: String?
    /// The channel for the bot's own troubles; nil sends them the way of everything else.
    public var reportTo: String?
    /// Polls in flight at once.
    public var concurrency: Int
    /// Of these to one host, as far as its sources say nothing else.
    public var perHost: Int
    public var sources: [SourcePlan] {
        get { ranked }
        set {
            ranked = newValue
            sourceRanks = Plan.ranks(ranked.map(\.name))
            hostLimits = Plan.hostLimits(ranked)
            accounts = Plan.accounts(ranked)
        }
    }
    private var ranked: [SourcePlan]
    private var sourceRanks: [String: Int]
    /// The `per_host` of each host's sources; nil stands for those that set none.
    private var hostLimits: [String: Set<Int?>]
    /// The sources of each account, by their ranks.
    private var accounts: [String: Set<Int>]
    public var detectors: [DetectorPlan] {
        didSet {
            detectorRanks = Plan.ranks(detectors.map(\.name))
            ruleIndex = RuleIndex(detectors)
            watchesSources = detectors.contains { $0.scope == .source }
            hasTemplates = Plan.hasTemplates(detectors, channels)
        }
    }
    private var detectorRanks: [String: Int]
    private var ruleIndex: RuleIndex
    /// Whether a rule watches sources as such.
    private(set) var watchesSources: Bool
    /// In the order in which they are asked.
    public var gates: [GatePlan] { didSet { gateRanks = Plan.ranks(gates.map(\.name)) } }
    private var gateRanks: [String: Int]
    public var channels: [ChannelPlan] {
        didSet {
            channelRanks = Plan.ranks(channels.map(\.name))
            hasCharts = channels.contains(where: \.hasCharts)
            hasTemplates = Plan.hasTemplates(detectors, channels)
        }
    }
    private var channelRanks: [String: Int]
    /// Whether any message may read otherwise than as it is built in: asked of every message.
    private(set) var hasTemplates: Bool
    /// Whether any channel shows pictures of figures.
    private(set) var hasCharts: Bool
    /// Empty: everything goes everywhere.
    public var routes: [Route]
    /// Who is on call, in the order of the config.
    public var rotations: [Rotation]

    public init(
        botName: String, zone: Zone, words: Words = .english, publicURL: String? = nil, reportTo: String? = nil,
        concurrency: Int = PollingSettings.concurrency.default, perHost: Int = PollingSettings.perHost.default,
        sources: [SourcePlan], detectors: [DetectorPlan], gates: [GatePlan] = [], channels: [ChannelPlan],
        routes: [Route] = [], rotations: [Rotation] = []
    ) {
        self.botName = botName
        self.zone = zone
        self.words = words
        self.publicURL = publicURL
        self.reportTo = reportTo
        self.concurrency = concurrency
        self.perHost = perHost
        ranked = sources
        sourceRanks = Plan.ranks(sources.map(\.name))
        hostLimits = Plan.hostLimits(sources)
        accounts = Plan.accounts(sources)
        self.detectors = detectors
        detectorRanks = Plan.ranks(detectors.map(\.name))
        ruleIndex = RuleIndex(detectors)
        watchesSources = detectors.contains { $0.scope == .source }
        // The sort is stable: gates of one stage keep the order of the file.
        let ordered = gates.sorted { $0.gate.stage < $1.gate.stage }
        self.gates = ordered
        gateRanks = Plan.ranks(ordered.map(\.name))
        self.channels = channels
        channelRanks = Plan.ranks(channels.map(\.name))
        hasCharts = channels.contains(where: \.hasCharts)
        hasTemplates = Plan.hasTemplates(detectors, channels)
        self.routes = routes
        self.rotations = rotations
    }

    private static func hasTemplates(_ detectors: [DetectorPlan], _ channels: [ChannelPlan]) -> Bool {
        channels.contains { $0.template != nil } || detectors.contains { $0.template != nil }
    }

    /// Where each name stands in the config; of two that are the same, the first counts.
    private static func ranks(_ names: [String]) -> [String: Int] {
        Dictionary(zip(names, names.indices)) { first, _ in first }
    }

    private static func hostLimits(_ sources: [SourcePlan]) -> [String: Set<Int?>] {
        var limits: [String: Set<Int?>] = [:]
        for source in sources {
            if let host = source.host { limits[host, default: []].insert(source.perHost) }
        }
        return limits
    }

    private static func accounts(_ sources: [SourcePlan]) -> [String: Set<Int>] {
        var accounts: [String: Set<Int>] = [:]
        for (rank, source) in sources.enumerated() {
            if let account = source.account { accounts[account, default: []].insert(rank) }
        }
        return accounts
    }

    /// The sources that are counted as one account.
    func sources(of account: String) -> [SourcePlan] { (accounts[account] ?? []).sorted().map { ranked[$0] } }

    /// Takes in that the secrets of a source have been replaced while the bot runs: from now on it asks that host, as that
    /// account.
    public mutating func renew(_ name: String, host: String?, account: String?) {
        guard let rank = sourceRanks[name] else { return }
        // All sources may have been given a new credential at once: what is not touched is not counted anew.
        if let old = ranked[rank].account {
            accounts[old]?.remove(rank)
            if accounts[old]?.isEmpty == true { accounts[old] = nil }
        }
        if let account { accounts[account, default: []].insert(rank) }
        ranked[rank].account = account
        if ranked[rank].host != host {
            ranked[rank].host = host
            hostLimits = Plan.hostLimits(ranked)
        }
    }

    /// Polls in flight at once to a host. Where its sources differ, the most cautious counts, be it by what is said for
    /// all: a host that cannot bear more cannot bear it from anybody.
    public func pollsMax(to host: String) -> Int {
        hostLimits[host]?.lazy.map { $0 ?? perHost }.min() ?? perHost
    }

    public func source(_ name: String) -> SourcePlan? { sourceRanks[name].map { sources[$0] } }
    public func channel(_ name: String) -> ChannelPlan? { channelRanks[name].map { channels[$0] } }
    func isPager(_ channel: String) -> Bool { self.channel(channel)?.isPager ?? false }
    /// An incident's page on the bot; nil where nobody says how to reach the bot.
    public func address(ofPage incident: String) -> String? {
        publicURL.map { BotAddress($0).page(ofIncident: incident) }
    }

    /// Where to look and what to do, as the config says it.
    func links(about incident: Incident) -> [Message.Link] {
        let dashboard = source(incident.subject.source)?.dashboard(of: incident.subject, words)
        return [dashboard].compactMap(\.self) + (detector(incident.rule)?.links ?? [])
    }

    func detector(_ name: String) -> DetectorPlan? { detectorRanks[name].map { detectors[$0] } }
    /// Where a source stands in the config.
    func rank(of source: String) -> Int { sourceRanks[source] ?? 0 }
    /// Whether a gate follows the calendar.
    var hasCalendar: Bool { gates.contains { $0.calendar != nil } }
    /// Whether a gate wants to know what channels were told lately, and when incidents began and ended.
    var remembersTellings: Bool { gates.contains { $0.gate.readsTellings } }
    var remembersSwings: Bool { gates.contains { $0.gate.readsSwings } }
    /// What is asked of an incident before it is over, when it is well; nil where the first good poll is its end. What must hold
    /// for a while to fire must do so each time, and comes and goes less for it.
    func steadiness(of incident: Incident, after swings: [Moment]) -> Steadiness? {
        guard let rule = detector(incident.rule), rule.detector.holdTime <= .zero else { return nil }
        return gates.lazy.filter { !$0.lets(incident.severity) && $0.concerns(incident.property) }
            .compactMap { $0.gate.steadiness(after: swings) }.first
    }
    func gate(_ name: String) -> GatePlan? { gateRanks[name].map { gates[$0] } }
    /// The rules that may concern a source, in the order of the config: all that do, and some that do not.
    func rules(of source: String) -> [DetectorPlan] { ruleIndex[source] }
    /// The sources that a rule may concern, in the order of the config.
    func sources(of rule: DetectorPlan) -> [SourcePlan] {
        guard let names = rule.sourceNames else { return ranked.filter { rule.canConcern(source: $0.name) } }
        return names.compactMap { sourceRanks[$0] }.sorted().map { ranked[$0] }
    }

    /// The poll of a source that a preview makes.
    public func previewOrder(for source: SourcePlan, _ state: State) -> PollOrder {
        // Without the validators: a preview wants the figures, not the news that they are the same as last time.
        let record = state.schedule.sources[source.name]
        return PollOrder(
            source: source.name, cursor: record?.cursor, isAnew: record?.isAnew ?? false, validators: [:],
            spans: spans(of: source),
            timeout: source.timeout, connection: source.connection)
    }

    /// How late a rule can be, once the figures can carry an alarm: usually the time between two polls of its slowest
    /// source and the time that the condition must hold, or that figures must be old; at worst the longest time between
    /// two polls, the time that a poll may take and the same; and both with how late its service has figures. What is pushed is
    /// judged at once.
    public struct DetectionDelay: Sendable {
        public let rule: String
        public let usual: Duration
        public let worst: Duration
        /// How late the figures come of the source that is latest, which is counted in; nil where that is minutes.
        public let lateness: ClosedRange<Duration>?
        /// Whether none of its sources is polled.
        public let isPushed: Bool
        /// Whether the first bad figures may be too few for it to be sure.
        public let gathersEvidence: Bool
    }

    public var detectionDelays: [DetectionDelay] {
        detectors.map { rule in
            let polled = sources(of: rule).filter { !$0.isPushed }
            let evidence = rule.detector.evidenceTime
            let hold = rule.detector.holdTime + (evidence ?? .zero)
            // Where figures must be old, their age counts from what they are of, however late they come.
            let isOfAge = evidence ?? .zero > .zero
            func late(_ source: SourcePlan) -> ClosedRange<Duration>? { isOfAge ? nil : source.lateness }
            func pace(_ source: SourcePlan) -> Duration { max(source.every, source.throttle) }
            let usual = polled.map { pace($0) + (late($0)?.lowerBound ?? .zero) }
            let slowest = polled.map { source in
                let usual = pace(source)
                let longest =
                    source.slowsWhen.isEmpty ? usual.scaled(by: 1 + source.jitter) : max(source.slowest, usual)
                return longest + source.pollTimeMax + (late(source)?.upperBound ?? .zero)
            }
            return DetectionDelay(
                rule: rule.name, usual: (usual.max() ?? .zero) + hold, worst: (slowest.max() ?? .zero) + hold,
                lateness: polled.compactMap(late).max { $0.upperBound < $1.upperBound }, isPushed: polled.isEmpty,
                gathersEvidence: evidence == nil)
        }
    }

    /// Whether a rule judges how many sessions a source's apps have.
    func asksAboutSessions(of source: String) -> Bool {
        rules(of: source).contains { $0.asksAboutSessions && $0.canConcern(source: source) }
    }

    /// In what an answer is not whole, with what follows from that for the rules.
    public func warnings(of report: PollReport, from source: String) -> [String] {
        // A report that has nothing to warn of leaves apps open by design, as a feed does that goes on.
        guard case .anything = report.unread, let first = report.warnings.first, asksAboutSessions(of: source) else {
            return report.warnings
        }
        let consequence =
            "apps missing from this partial answer do not count as having 0 sessions; rules on sessions wait for a complete answer"
        return [first, consequence] + report.warnings.dropFirst()
    }

    /// How long figures of a source stay good: the longest time between two polls.
    public func figuresLast(_ source: String) -> Duration {
        sourceRanks[source].map { sources[$0].slowest } ?? PollingSettings.slowest.default
    }

    /// How long observations of a source are kept for the rules that read them, and how many of its polls.
    func retention(of source: String) -> Retention {
        var (lookback, polls) = (Duration.zero, 0)
        for rule in rules(of: source) where rule.canConcern(source: source) {
            lookback = max(lookback, rule.detector.lookback)
            polls = max(polls, rule.detector.earlierPolls)
        }
        return Retention(lookback, earlierPolls: polls)
    }

    /// The kinds of memory that its rules read: all that a state needs to know that begins with nothing.
    public var memories: MemoryKinds { MemoryKinds(detectors.flatMap { type(of: $0.detector).memories }) }

    /// The spans that rules want the source to measure, shortest first.
    func spans(of source: SourcePlan) -> [Duration] {
        let asked = rules(of: source.name).filter { $0.canConcern(source: source.name) }.flatMap(\.detector.spans)
        return asked.isEmpty ? [source.every] : Set(asked).sorted()
    }
}
