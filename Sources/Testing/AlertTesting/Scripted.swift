public import AlertCore
public import PluginKit

/// What a script tells a detector to think, one character each, so that a story fits on a line: `..ww?.`.
public enum Cue: Character, Hashable, Sendable, CaseIterable {
    /// Inside the limit, by enough and by far.
    case fine = "."
    /// Inside the limit and far enough for an end, but close to it.
    case near = "n"
    /// Inside the limit, but not by enough to end an incident.
    case recovering = ","
    case info = "i"
    case warning = "w"
    case critical = "c"
    case unknown = "?"

    /// The metric that carries it; the rule in most stories has its name, and so have the journals that tests keep.
    public static let metric: Metric = "look"

    /// The figure that stands for it in an observation.
    public var figure: Double { Double(Cue.allCases.firstIndex(of: self) ?? 0) }

    fileprivate init?(_ figure: Double?) {
        guard let figure, let cue = Cue.allCases.first(where: { $0.figure == figure }) else { return nil }
        self = cue
    }

    fileprivate var judgement: Judgement {
        let evidence = Evidence(sentence: "The script says \(rawValue).")
        return switch self {
        case .fine: Judgement(.ok(recovered: true), .far, evidence)
        case .near: Judgement(.ok(recovered: true), .near, evidence)
        case .recovering: Judgement(.ok(recovered: false), .between, evidence)
        case .info: Judgement(.firing(.info), .between, evidence)
        case .warning: Judgement(.firing(.warning), .between, evidence)
        case .critical: Judgement(.firing(.critical), .between, evidence)
        case .unknown: Judgement(.unknown("the script knows nothing"), .between, evidence)
        }
    }
}

/// A detector that thinks what the newest observation tells it to think.
public struct ScriptedDetector: SubjectDetector {
    public static let manifest = PluginManifest(
        name: "scripted", summary: "Thinks what the newest observation says.", options: [])

    public let holdTime: Duration
    public let lookback: Duration

    public init(for holdTime: Duration = .zero, lookback: Duration = .minutes(5)) {
        self.holdTime = holdTime
        self.lookback = lookback
    }

    public init(options: Options, context: RuleContext) throws(ProblemList) { self.init() }

    public var metrics: [Metric] { [Cue.metric] }
    public var spans: [Duration] { [lookback] }

    public func judge(_ series: Series, at now: Moment) -> Judgement {
        let cue = Cue(series.measured(Cue.metric, over: lookback)?.figure.value) ?? .unknown
        return cue.judgement
    }

    public func glance(_ series: Series, at now: Moment) -> Judgement.Closeness? {
        let judgement = judge(series, at: now)
        if case .firing = judgement.verdict { return nil }
        return judgement.closeness
    }
}

/// A gate that is closed during given spans.
public struct ScriptedGate: CalendarGate {
    public static let manifest = PluginManifest(
        name: "scripted", summary: "Is closed during the spans it was made with.", options: [])

    public let stage: GateStage
    public let closed: [TimeSpan]
    public let fate: Closure.Fate
    /// This severity and above pass.
    public let except: Severity?
    private let name: String

    public init(
        _ name: String, _ stage: GateStage, _ fate: Closure.Fate, except: Severity? = nil, closed: [TimeSpan]
    ) {
        self.name = name
        self.stage = stage
        self.fate = fate
        self.except = except
        self.closed = closed
    }

    public init(options: Options, context: RuleContext) throws(ProblemList) {
        self.init(context.name, .rest, .holdAndSummarize, closed: [])
    }

    public func closure(for notification: Notification, at now: Moment) -> Closure? {
        if let except, notification.severity >= except { return nil }
        guard let span = closed.first(where: { $0.from <= now && now < $0.to }) else { return nil }
        let reason: Reason =
            switch stage {
            case .mutes: .muted(name)
            case .quietHours: .quietHours(name)
            case .rest: .gate(plugin: "scripted", name: name)
            }
        return Closure(until: span.to, fate: fate, reason: reason)
    }

    public func schedule(from now: Moment, count: Int) -> [TimeSpan] {
        Array(closed.filter { $0.to > now }.prefix(max(count, 0)))
    }
}

extension GatePlan {
    /// A mute, closed between two instants such as `2026-11-20 12:10`.
    public static func mute(
        _ name: String = "vacation", from: String, until: String, except: Severity? = nil, match: Match = .all
    ) -> GatePlan {
        let gate = ScriptedGate(name, .mutes, .holdAndForget, except: except, closed: [.between(from, until)])
        return GatePlan(name: name, gate: gate, match: match)
    }

    /// Quiet hours, closed between two instants.
    public static func quiet(
        _ name: String = "nights", from: String, until: String, except: Severity? = nil, drops: Bool = false,
        match: Match = .all
    ) -> GatePlan {
        let fate: Closure.Fate = drops ? .drop : .holdAndSummarize
        let gate = ScriptedGate(name, .quietHours, fate, except: except, closed: [.between(from, until)])
        return GatePlan(name: name, gate: gate, match: match)
    }
}
