internal import AlertCore
internal import AlertTesting
internal import BudgetGate
internal import Chance
internal import MatrixChannel
internal import MuteGate
internal import PluginKit
internal import QuietHoursGate
internal import Runtime
internal import SlackChannel
internal import WebhookChannel

/// A config of the simulated bot, in words that checkers can reckon with by themselves.
struct Settings: Sendable {
    struct SourceSetting: Sendable {
        var name: String
        var apps: [String]
        var every: Duration
        var throttle: Duration
        var slowest: Duration
        /// Whether it is told rather than asked.
        var isPushed = false
    }

    struct Mute: Sendable {
        var from: Moment
        var until: Moment
        var except: Severity?
        var app: String?
    }

    struct Quiet: Sendable {
        /// Minutes of the day, UTC; the end may lie before the beginning.
        var begin: Int
        var end: Int
        var except: Severity?
        var drops: Bool
    }

    /// For each channel on its own.
    struct Budget: Sendable {
        var count: Int
        var per: Duration
    }

    struct RouteSetting: Sendable {
        var severities: [Severity]
        var to: [String]
        var continues: Bool
    }

    var sources: [SourceSetting]
    var channels: [ChannelKind]
    /// Nil when the rule has left the config.
    var rule: (holdTime: Duration, repeat: Duration?)?
    var mutes: [Mute]
    var quiets: [Quiet]
    var budget: Budget?
    var routes: [RouteSetting]

    static let ruleName = "look"

    /// The config with which the world of a seed begins.
    ///
    /// - Parameter hasPushes: whether one of the sources is told rather than asked.
    init(seed: UInt64, at now: Moment, hasPushes: Bool) {
        var random = SeededRandom(seed: seed ^ 0xC0_FF_EE)
        sources = (0..<(1 + random.below(3))).map { number in
            let every = random.pick([5, 10, 20, 30].map { Duration.minutes($0) }) ?? .minutes(5)
            return SourceSetting(
                name: "figures\(number)", apps: (0..<(1 + random.below(3))).map { "app\(number)\($0)" }, every: every,
                throttle: .minutes(random.pick([1, 2, 5]) ?? 1),
                slowest: max(every, .minutes(random.pick([30, 60, 90]) ?? 30)))
        }
        if hasPushes {
            sources.append(
                SourceSetting(
                    name: PushedStory.name, apps: ["app90", "app91"], every: .minutes(30), throttle: .minutes(1),
                    slowest: .minutes(60), isPushed: true))
        }
        channels = ChannelKind.allCases
        rule = (.minutes(random.pick([0, 0, 10, 40]) ?? 0), random.pick([nil, .hours(1), .hours(4)]) ?? nil)
        mutes = []
        quiets = []
        routes = []
        vary(&random, at: now)
    }

    /// The config after somebody has edited it.
    func edited(_ edit: UInt64, of original: Settings, at now: Moment) -> Settings {
        var random = SeededRandom(seed: edit)
        var settings = original
        if original.sources.count > 1, random.happens(0.2) {
            settings.sources.remove(at: random.below(original.sources.count))
        }
        if random.happens(0.4) {
            settings.channels = original.channels.filter { _ in random.happens(0.7) }
            if settings.channels.isEmpty { settings.channels = [random.pick(original.channels) ?? .hook] }
        }
        if random.happens(0.1) { settings.rule = nil }
        settings.vary(&random, at: now)
        return settings
    }

    private mutating func vary(_ random: inout SeededRandom, at now: Moment) {
        let names = channels.map(\.name)
        let exceptions: [Severity?] = [nil, nil, .warning, .critical]
        mutes = (0..<random.below(3)).map { _ in
            let from = now + .milliseconds(random.length(upTo: 14_400_000))
            return Mute(
                from: from, until: from + .milliseconds(random.length(upTo: 28_800_000)),
                except: random.pick(exceptions) ?? nil, app: random.happens(0.5) ? "app00" : nil)
        }
        quiets = (0..<random.below(2)).map { _ in
            let begin = random.below(1440)
            return Quiet(
                begin: begin, end: (begin + 1 + random.below(600)) % 1440, except: random.pick(exceptions) ?? nil,
                drops: random.happens(0.3))
        }
        routes = (0..<random.below(3)).map { _ in
            RouteSetting(
                severities: random.pick([[.critical], [.critical, .warning], Severity.allCases]) ?? [],
                to: names.filter { _ in random.happens(0.6) }, continues: random.happens(0.5))
        }.filter { !$0.to.isEmpty }
        if !routes.isEmpty { routes.append(RouteSetting(severities: Severity.allCases, to: names, continues: false)) }
        budget = nil
        if random.happens(0.3) {
            budget = Budget(count: 1 + random.below(6), per: .minutes(random.pick([10, 60, 240]) ?? 60))
        }
    }

    // MARK: What checkers ask

    func has(_ channel: String) -> Bool { channels.contains { $0.name == channel } }
    func source(_ name: String) -> SourceSetting? { sources.first { $0.name == name } }

    /// The channels that must hear of an incident.
    func channels(for severity: Severity) -> Set<String> {
        guard !routes.isEmpty else { return Set(channels.map(\.name)) }
        var names: Set<String> = []
        for route in routes where route.severities.contains(severity) {
            names.formUnion(route.to)
            if !route.continues { break }
        }
        return names.filter(has)
    }

    /// Whether a mute or quiet hours forbid to speak of an app with that severity.
    func forbids(_ severity: Severity, of app: String?, at now: Moment) -> Bool {
        let isMuted = mutes.contains { mute in
            mute.from <= now && now < mute.until && mute.except.map { severity < $0 } ?? true
                && (mute.app == nil || mute.app == app)
        }
        let minute = Int((now.milliseconds / 60_000) % 1440)
        let isQuiet = quiets.contains { quiet in
            let isInside =
                quiet.begin < quiet.end
                ? (quiet.begin..<quiet.end).contains(minute) : minute >= quiet.begin || minute < quiet.end
            return isInside && quiet.except.map { severity < $0 } ?? true
        }
        return isMuted || isQuiet
    }

    // MARK: What the bot gets

    func setup(in world: World) -> Bot.Setup {
        let chats = channels.map { ($0.name, TracedChannel($0, world)) }
        var gates = mutes.enumerated().map { number, mute in
            var values: [String: Option] = [
                "from": Settings.option(.instant(.instant(mute.from))),
                "until": Settings.option(.instant(.instant(mute.until))),
            ]
            if let except = mute.except { values["except"] = Settings.option(.text(GuardedText(except.rawValue))) }
            let match = mute.app.map { Match.on(["app": $0]) } ?? .all
            return Settings.gate(MuteGate.self, "mute\(number)", values, match)
        }
        gates += quiets.enumerated().map { number, quiet in
            func clock(_ minute: Int) -> String {
                "\(minute / 60 / 10)\(minute / 60 % 10):\(minute % 60 / 10)\(minute % 10)"
            }
            let text = "\(clock(quiet.begin))-\(clock(quiet.end))"
            guard let hours = try? DailyHours(grammar: text) else { preconditionFailure("'\(text)' are no hours") }
            var values = [
                "between": Settings.option(.hours(hours)),
                "then": Settings.option(.text(quiet.drops ? "drop" : "hold")),
            ]
            if let except = quiet.except { values["except"] = Settings.option(.text(GuardedText(except.rawValue))) }
            return Settings.gate(QuietHoursGate.self, "quiet\(number)", values, .all)
        }
        if let budget {
            let rate = Settings.option(.rate(count: budget.count, per: budget.per))
            gates.append(Settings.gate(BudgetGate.self, "budget", ["at_most": rate], .all))
        }
        let everywhere = RouteSetting(severities: Severity.allCases, to: channels.map(\.name), continues: false)
        let routed = routes.isEmpty ? [everywhere] : routes
        let plan = Plan(
            botName: "simulated", zone: .utc, reportTo: OwnPage.name,
            sources: sources.map { source in
                var plan = SourcePlan(
                    name: source.name, host: source.isPushed ? nil : "\(source.name).example", every: source.every,
                    throttle: source.throttle, slowest: source.slowest)
                plan.isPushed = source.isPushed
                return plan
            },
            detectors: rule.map { rule in
                [
                    DetectorPlan(
                        name: Settings.ruleName,
                        detector: world.hasCharts
                            ? ChartedDetector(for: rule.holdTime) : ScriptedDetector(for: rule.holdTime),
                        repeat: rule.repeat)
                ]
            } ?? [], gates: gates,
            channels: chats.map {
                ChannelPlan(name: $0, pace: $1.pace, isIdempotent: $1.isIdempotent, hasCharts: $1.hasCharts)
            }
                + [ChannelPlan(name: OwnPage.name)],
            routes: routed.map { route in
                let patterns = route.severities.map { Glob($0.rawValue) }
                return Route(
                    match: Match([Match.Condition(property: "severity", patterns: patterns)]), to: route.to,
                    continues: route.continues)
            })
        var channels: [String: any Channel] = [OwnPage.name: OwnPage()]
        for (name, chat) in chats { channels[name] = chat }
        var told: [String: any Source] = [:]
        for source in sources {
            if source.isPushed {
                told[source.name] = PushedStory(slowest: source.slowest)
            } else {
                told[source.name] = StorySource(source.name)
            }
        }
        return Bot.Setup(
            plan: plan, sources: told,
            channels: channels, heartbeat: nil, secrets: [])
    }

    static func option(_ value: Option.Value) -> Option { Option(value, at: Position(line: 1, column: 1)) }

    private static func gate(
        _ plugin: any Gate.Type, _ name: String, _ values: [String: Option], _ match: Match
    ) -> GatePlan {
        let options = Options(name: name, position: Position(line: 1, column: 1), values: values)
        guard
            let gate = try? plugin.init(options: options, context: RuleContext(name: name, zone: .utc, checksPerDay: 1))
        else { preconditionFailure("the options of \(name) do not suit its plugin") }
        return GatePlan(name: name, gate: gate, match: match)
    }
}

/// The channels of a simulated bot: one of each kind of promise.
enum ChannelKind: String, CaseIterable, Sendable {
    /// Takes a repeated delivery as one, by its `webhook-id`; many at once.
    case hook
    /// Knows nothing of repetitions.
    case slack
    /// Takes a repeated delivery as one, by its transaction id; gives receipts, and has threads.
    case matrix

    var name: String { rawValue }
    var host: String { "\(rawValue).example" }
    var isIdempotent: Bool { self != .slack }

    /// The real plugin.
    ///
    /// - Parameter charted: whether pictures follow its messages, where it can do that.
    func plugin(charted: Bool) -> any Channel {
        let address: GuardedText = "https://\(host)/"
        var values: [String: PluginKit.Option.Value] =
            switch self {
            case .slack where charted: ["url": .text(address), "token": .text("token"), "channel": .text("C1")]
            case .hook: ["url": .text(address)]
            case .slack: ["webhook": .text(address)]
            case .matrix: ["homeserver": .text(address), "room": .text("!room:example"), "token": .text("token")]
            }
        if charted, self != .hook { values["chart"] = .flag(true) }
        let options = Options(
            name: name, position: Position(line: 1, column: 1), values: values.mapValues(Settings.option))
        let context = ChannelContext(name: name, bot: "simulated", zone: .utc)
        do {
            switch self {
            case .hook: return try WebhookChannel(options: options, context: context)
            case .slack: return try SlackChannel(options: options, context: context)
            case .matrix: return try MatrixChannel(options: options, context: context)
            }
        } catch {
            preconditionFailure("the options of \(name) do not suit its plugin: \(error)")
        }
    }
}
