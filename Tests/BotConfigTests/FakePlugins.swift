internal import PluginKit

/// A source that gives two metrics, over the network.
struct FeedSource: Source {
    static let manifest = PluginManifest(
        name: "feed", summary: "Gives users.",
        options: [address, credential, mirror, moreHeaders, which, Setting.insecure])

    static let address = RequiredSetting("url", .url, "Where the feed is.")
    static let credential = Setting("token", .text, "The credential.").secret
    static let mirror = Setting("mirror", .url, "Where else it is.").secret
    static let moreHeaders = Setting("headers", .map(.text), default: [], "More headers.").secret
    static let which = Setting("projects", .list(.text), default: [], "Which projects.")

    let url: GuardedText
    let token: GuardedText?
    let projects: [String]
    let headers: [String: GuardedText]
    let every: Duration
    let folder: String

    init(options: Options, context: SourceContext) throws(ProblemList) {
        url = try options[Self.address]
        token = options[Self.credential]
        projects = options[Self.which].map(\.description)
        headers = Dictionary(uniqueKeysWithValues: options[Self.moreHeaders].map { ($0.name, $0.value) })
        every = context.every
        folder = context.folder
    }

    var host: String? { "feed.example" }
    var metrics: Set<Metric>? { ["users", "crashed_users"] }
    func poll(_ poll: Poll) -> PollStep { .finish(PollReport(.noData)) }
}

/// A source of which only its answers tell what it gives.
struct AnySource: Source {
    static let manifest = PluginManifest(name: "any", summary: "Gives anything.", options: [])

    init(options: Options, context: SourceContext) throws(ProblemList) {}

    var host: String? { nil }
    var metrics: Set<Metric>? { nil }
    func poll(_ poll: Poll) -> PollStep { .finish(PollReport(.noData)) }
}

struct LimitDetector: SubjectDetector {
    static let manifest = PluginManifest(
        name: "limit", summary: "Compares a figure with a limit.",
        options: [metric, limit, window, lasting, recover, confidence, minVolume])

    static let metric = RequiredSetting("metric", .metric, "The figure.")
    static let limit = RequiredSetting("limit", .comparison, "The limit.")
    static let window = Setting("window", .duration(.minutes(1) ... .days(30)), default: .hours(1), "The span judged.")
    static let lasting = Setting("for", .duration(.zero ... .days(1)), default: .zero, "How long it must hold.")
    static let recover = Setting("recover", .points, default: 0, "How much better it must be.")
    static let confidence = Setting("confidence", .orOff(.percentage), default: 0.95, "How sure to be.")
    static let minVolume = Setting("min_volume", .integer(0...1_000_000), default: 50, "The fewest users.")

    let metric: Metric
    let limit: Comparison
    let lookback: Duration
    let holdTime: Duration
    let recover: Double
    let confidence: Double?
    let volumeMin: Int
    let zone: Zone
    let checksPerDay: Double

    init(options: Options, context: RuleContext) throws(ProblemList) {
        metric = try options[Self.metric]
        limit = try options[Self.limit]
        lookback = options[Self.window]
        holdTime = options[Self.lasting]
        recover = options[Self.recover]
        confidence = options[Self.confidence]
        volumeMin = options[Self.minVolume]
        zone = context.zone
        checksPerDay = context.checksPerDay
        if limit.isPercentage, metric == .users {
            throw ProblemList(options.position(of: Self.limit), "'users' is a count, so its limit has no '%'")
        }
    }

    var metrics: [Metric] { [metric] }
    var spans: [Duration] { [lookback] }
    func judge(_ series: Series, at now: Moment) -> Judgement {
        Judgement(.unknown("it never looks"), .between, Evidence(sentence: "It never looks."))
    }
}

struct NightGate: CalendarGate {
    static let manifest = PluginManifest(
        name: "night", summary: "Is closed at certain hours.",
        options: [between, days, then])

    static let between = RequiredSetting("between", .hours, "The hours.")
    static let days = Setting("days", .days, default: .everyDay, "The days.")
    static let then = Setting("then", .choice(of: Then.self), default: .hold, "What becomes of it.")

    enum Then: String, CaseIterable { case hold, drop }

    let hours: DailyHours
    let days: DaySet
    let zone: Zone

    init(options: Options, context: RuleContext) throws(ProblemList) {
        hours = try options[Self.between]
        days = options[Self.days]
        zone = context.zone
    }

    var stage: GateStage { .quietHours }
    func closure(for notification: Notification, at now: Moment) -> Closure? { nil }
    func schedule(from now: Moment, count: Int) -> [TimeSpan] { [] }
}

struct HolidayGate: CalendarGate {
    static let manifest = PluginManifest(
        name: "holiday", summary: "Is closed from one instant to another.",
        options: [begin, end])

    static let begin = RequiredSetting("from", .instant, "Its beginning.")
    static let end = RequiredSetting("until", .instant, "Its end.")

    let from: Moment
    let until: Moment

    init(options: Options, context: RuleContext) throws(ProblemList) {
        from = try options[Self.begin].moment(beginningIn: context.zone)
        until = try options[Self.end].moment(beginningIn: context.zone)
        guard from < until else {
            throw ProblemList(options.position(of: Self.end), "'until' is not after 'from', so it never begins")
        }
    }

    var stage: GateStage { .mutes }
    func closure(for notification: Notification, at now: Moment) -> Closure? { nil }
    func schedule(from now: Moment, count: Int) -> [TimeSpan] { [] }
}

struct CapGate: CalendarGate {
    static let manifest = PluginManifest(
        name: "cap", summary: "Lets so many pass.",
        options: [atMost])

    static let atMost = RequiredSetting("at_most", .integer(1...1000), "How many pass.")

    init(options: Options, context: RuleContext) throws(ProblemList) {}

    var stage: GateStage { .rest }
    func closure(for notification: Notification, at now: Moment) -> Closure? { nil }
    func schedule(from now: Moment, count: Int) -> [TimeSpan] { [] }
}

/// A gate that names other things, and waits for incidents.
struct WaitGate: Gate {
    static let manifest = PluginManifest(
        name: "wait", summary: "Waits.",
        options: [when, to, atMost])

    static let when = RequiredSetting("when", .match, "For what.")
    static let to = Setting("to", .list(.name(of: .channel)), default: [], "Where to.")
    static let atMost = Setting("at_most", .rate, "How much.")

    let waitsFor: Match?
    let rate: Rate?

    init(options: Options, context: RuleContext) throws(ProblemList) {
        waitsFor = try options[Self.when]
        rate = options[Self.atMost]
    }
}

struct HookChannel: Channel {
    static let manifest = PluginManifest(
        name: "hook", summary: "Posts.",
        options: [address, room, Setting.insecure])

    static let address = RequiredSetting("url", .url, "Where to post.")
    static let room = RequiredSetting("room", .text, "Which room.")

    let url: GuardedText

    init(options: Options, context: ChannelContext) throws(ProblemList) { url = try options[Self.address] }

    var pace: Pace { Pace(perSecond: 1, burst: 3) }
    var isIdempotent: Bool { true }
    func post(_ posting: Posting) -> ChannelAction { .request(HTTPRequest(.post, url)) }
    func judge(_ result: FetchResult, at now: Moment) -> DeliveryOutcome { .delivered(receipt: nil) }
}

struct PageChannel: Channel {
    static let manifest = PluginManifest(name: "page", summary: "Keeps messages.", options: [])

    let bot: String

    init(options: Options, context: ChannelContext) throws(ProblemList) { bot = context.bot }

    var pace: Pace { .unlimited }
    var isIdempotent: Bool { false }
    func post(_ posting: Posting) -> ChannelAction { .keep }
    func judge(_ result: FetchResult, at now: Moment) -> DeliveryOutcome { .delivered(receipt: nil) }
}

/// A source that says in the config what it gives.
struct KnownSource: Source {
    static let manifest = PluginManifest(
        name: "known", summary: "Gives what is listed.", options: [apps, places, given, labels])
    static let given = Setting("metrics", .list(.plain), default: [], "The metrics.")
    static let apps = Setting("apps", .list(.plain), default: [], "The apps.")
    static let places = Setting("environments", .list(.plain), default: [], "The environments.")

    static let labels = Setting("labels", .flag, default: true, "Whether it gives labels.")

    let apps: [String]
    let givesLabels: Bool
    let places: [String]
    let metrics: Set<Metric>?

    init(options: Options, context: SourceContext) throws(ProblemList) {
        apps = options[Self.apps]
        places = options[Self.places]
        givesLabels = options[Self.labels]
        metrics = options[Self.given].isEmpty ? nil : Set(options[Self.given].map { Metric($0) })
    }

    var host: String? { nil }
    func configured(_ property: String) -> Set<String>? {
        switch property {
        case "app": apps.isEmpty ? nil : Set(apps)
        case "environment": places.isEmpty ? [""] : Set(places)
        default: nil
        }
    }
    func poll(_ poll: Poll) -> PollStep { .finish(PollReport(.noData)) }
}

/// A rule that says in the config how bad it can be.
struct GradedDetector: SubjectDetector {
    static let manifest = PluginManifest(name: "graded", summary: "Is so bad.", options: [grades, judged, counts])
    static let judged = Setting("metric", .metric, "What it judges.")
    static let counts = Setting("counts", .flag, default: true, "Whether it needs counts.")
    static let grades = Setting("severities", .list(.severity), default: [.warning], "How bad it can be.")

    let severities: Set<Severity>?
    let metrics: [Metric]
    let needsCounts: Bool

    init(options: Options, context: RuleContext) throws(ProblemList) {
        severities = Set(options[Self.grades])
        metrics = options[Self.judged].map { [$0] } ?? []
        needsCounts = options[Self.counts]
    }

    var lookback: Duration { .zero }
    var spans: [Duration] { [] }
    var holdTime: Duration { .zero }
    func judge(_ series: Series, at now: Moment) -> Judgement {
        Judgement(.unknown("it never looks"), .between, Evidence(sentence: "It never looks."))
    }
}

/// A rule that speaks of a source as a whole.
struct WholeDetector: Detector {
    static let manifest = PluginManifest(name: "whole", summary: "Is of sources.", options: [])
    init(options: Options, context: RuleContext) throws(ProblemList) {}
    let metrics: [Metric] = []
    let lookback = Duration.zero
    let spans: [Duration] = []
    let holdTime = Duration.zero
    let scope = DetectorScope.source
    let severities: Set<Severity>? = [.warning]
    func findings(in sight: Sight, at now: Moment) -> [Finding] { [] }
}

/// A gate of one channel, and of what it waits for.
struct PacedGate: Gate {
    static let manifest = PluginManifest(name: "paced", summary: "Is of a channel.", options: [channel, when])
    static let channel = Setting("channel", .name(of: .channel), "The channel.")
    static let when = Setting("when", .match, default: .all, "For what.")

    init(options: Options, context: RuleContext) throws(ProblemList) {
        _ = (options[Self.channel], options[Self.when])
    }

    let waitsFor: Match? = nil
}
