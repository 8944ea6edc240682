internal import PluginKit

/// A source that gives two metrics, over the network.
struct FeedSource: Source {
    static let manifest = PluginManifest(
        name: "feed", summary: "Gives users.",
        options: [
            OptionSpec("url", .url, required: true, "Where the feed is."),
            OptionSpec("token", .text, "The credential."),
            OptionSpec("headers", .map(.text), "More headers."),
            OptionSpec("projects", .list(.text), "Which projects."),
            OptionSpec.insecure,
        ])

    let url: GuardedText
    let token: GuardedText?
    let projects: [String]
    let headers: [String: GuardedText]
    let every: Duration
    let folder: String

    init(options: Options, context: SourceContext) throws(ProblemList) {
        url = try options.required("url")
        token = options.text("token")
        projects = options.texts("projects").map(\.description)
        headers = Dictionary(
            uniqueKeysWithValues: options.map("headers").compactMap { entry in
                entry.option.text.map { (entry.name, $0) }
            })
        every = context.every
        folder = context.folder
    }

    var host: String? { "feed.example" }
    var metrics: Set<String>? { ["users", "crashed_users"] }
    func poll(_ poll: Poll) -> PollStep { .finish(PollReport(.noData)) }
}

/// A source of which only its answers tell what it gives.
struct AnySource: Source {
    static let manifest = PluginManifest(name: "any", summary: "Gives anything.", options: [])

    init(options: Options, context: SourceContext) throws(ProblemList) {}

    var host: String? { nil }
    var metrics: Set<String>? { nil }
    func poll(_ poll: Poll) -> PollStep { .finish(PollReport(.noData)) }
}

struct LimitDetector: SubjectDetector {
    static let manifest = PluginManifest(
        name: "limit", summary: "Compares a figure with a limit.",
        options: [
            OptionSpec("metric", .metric, required: true, "The figure."),
            OptionSpec("limit", .comparison, required: true, "The limit."),
            OptionSpec("window", .duration(.minutes(1) ... .days(30)), default: "1h", "The span judged."),
            OptionSpec("for", .duration(.zero ... .days(1)), default: "0s", "How long it must hold."),
            OptionSpec("recover", .points, default: "0pp", "How much better it must be."),
            OptionSpec("confidence", .orOff(.percentage), default: "95%", "How sure to be."),
            OptionSpec("min_volume", .integer(0...1_000_000), default: "50", "The fewest users."),
        ])

    let metric: String
    let limit: Comparison?
    let lookback: Duration
    let holdTime: Duration
    let recover: Double
    let confidence: Double?
    let volumeMin: Int
    let zone: Zone
    let looksPerDay: Double

    init(options: Options, context: RuleContext) throws(ProblemList) {
        metric = options.plain("metric") ?? ""
        limit = options.comparison("limit")
        lookback = options.duration("window") ?? .hours(1)
        holdTime = options.duration("for") ?? .zero
        recover = options.fraction("recover") ?? 0
        confidence = options.isOff("confidence") ? nil : options.fraction("confidence") ?? 0.95
        volumeMin = options.integer("min_volume") ?? 50
        zone = context.zone
        looksPerDay = context.looksPerDay
        if limit?.isPercentage == true, metric == "users" {
            throw ProblemList(options.position(of: "limit"), "'users' is a count, so its limit has no '%'")
        }
    }

    var metrics: [String] { [metric] }
    var spans: [Duration] { [lookback] }
    func judge(_ series: Series, at now: Moment) -> Judgement {
        Judgement(.unknown("it never looks"), .between, Evidence(sentence: "It never looks."))
    }
}

struct NightGate: CalendarGate {
    static let manifest = PluginManifest(
        name: "night", summary: "Is closed at certain hours.",
        options: [
            OptionSpec("between", .hours, required: true, "The hours."),
            OptionSpec("days", .days, "The days."),
            OptionSpec("then", .choice(["hold", "drop"]), default: "hold", "What becomes of it."),
        ])

    let hours: DailyHours?
    let days: DaySet
    let zone: Zone

    init(options: Options, context: RuleContext) throws(ProblemList) {
        hours = options.hours("between")
        days = options.days("days") ?? .everyDay
        zone = context.zone
    }

    var stage: GateStage { .quietHours }
    func closure(for notification: Notification, at now: Moment) -> Closure? { nil }
    func schedule(from now: Moment, count: Int) -> [TimeSpan] { [] }
}

struct HolidayGate: CalendarGate {
    static let manifest = PluginManifest(
        name: "holiday", summary: "Is closed from one instant to another.",
        options: [
            OptionSpec("from", .instant, required: true, "Its beginning."),
            OptionSpec("until", .instant, required: true, "Its end."),
        ])

    let from: Moment
    let until: Moment

    init(options: Options, context: RuleContext) throws(ProblemList) {
        func moment(_ name: String) throws(ProblemList) -> Moment {
            switch options.instant(name) {
            case .instant(let moment): return moment
            case .local(let civil): return context.zone.moment(beginning: civil)
            case nil: throw ProblemList(options.position, "'\(name)' is missing")
            }
        }
        from = try moment("from")
        until = try moment("until")
        guard from < until else {
            throw ProblemList(options.position(of: "until"), "'until' is not after 'from', so it never begins")
        }
    }

    var stage: GateStage { .mutes }
    func closure(for notification: Notification, at now: Moment) -> Closure? { nil }
    func schedule(from now: Moment, count: Int) -> [TimeSpan] { [] }
}

struct CapGate: CalendarGate {
    static let manifest = PluginManifest(
        name: "cap", summary: "Lets so many pass.",
        options: [OptionSpec("at_most", .integer(1...1000), required: true, "How many pass.")])

    init(options: Options, context: RuleContext) throws(ProblemList) {}

    var stage: GateStage { .rest }
    func closure(for notification: Notification, at now: Moment) -> Closure? { nil }
    func schedule(from now: Moment, count: Int) -> [TimeSpan] { [] }
}

/// A gate that names other things, and waits for incidents.
struct WaitGate: Gate {
    static let manifest = PluginManifest(
        name: "wait", summary: "Waits.",
        options: [
            OptionSpec("when", .match, required: true, "For what."),
            OptionSpec("to", .list(.name(of: .channel)), "Where to."),
            OptionSpec("at_most", .rate, "How much."),
        ])

    let waitsFor: Match?
    let rate: Rate?

    init(options: Options, context: RuleContext) throws(ProblemList) {
        waitsFor = options.match("when")
        rate = options.rate("at_most")
    }
}

struct HookChannel: Channel {
    static let manifest = PluginManifest(
        name: "hook", summary: "Posts.",
        options: [
            OptionSpec("url", .url, required: true, "Where to post."),
            OptionSpec("room", .text, required: true, "Which room."),
            OptionSpec.insecure,
        ])

    let url: GuardedText

    init(options: Options, context: ChannelContext) throws(ProblemList) { url = try options.required("url") }

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
