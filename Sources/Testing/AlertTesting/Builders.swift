public import AlertCore
public import PluginKit

extension Moment {
    /// Noon of an ordinary Friday.
    public static let rehearsalStart = Moment.utc("2026-11-20 12:00")

    /// An instant in UTC: `2026-11-20 12:00`.
    public static func utc(_ text: String) -> Moment {
        guard let written = try? WrittenInstant(grammar: text) else {
            preconditionFailure("'\(text)' is no instant such as 2026-11-20 12:00")
        }
        switch written {
        case .instant(let moment): return moment
        case .local(let civil): return civil.moment()
        }
    }
}

extension TimeSpan {
    /// The span between two instants in UTC.
    public static func between(_ from: String, _ to: String) -> TimeSpan {
        guard let span = TimeSpan(from: .utc(from), to: .utc(to)) else {
            preconditionFailure("\(from) is not before \(to)")
        }
        return span
    }
}

extension Match {
    /// A match on exact values and globs, such as `["app": "shop-*"]`.
    public static func on(_ conditions: KeyValuePairs<String, String>) -> Match {
        Match(conditions.map { Match.Condition(property: $0.key, patterns: [Glob($0.value)]) })
    }
}

extension Subject {
    /// The app that stories are about when they are about one.
    public static let shop = Subject(source: "ios", app: "shop")
}

extension Observation {
    /// What a source saw of a subject in the five minutes up to `now`.
    public static func figures(
        _ metrics: Metrics, of subject: Subject = .shop, at now: Moment, lasting length: Duration = .minutes(5),
        issues: [Issue] = [], labels: [String: String] = [:]
    ) -> Observation {
        Observation(
            subject: subject, span: TimeSpan(lasting: length, until: now), seen: now, metrics: metrics, issues: issues,
            labels: labels)
    }

    /// A cue for scripted detectors.
    public static func cue(
        _ cue: Cue, of subject: Subject = .shop, at now: Moment, labels: [String: String] = [:]
    ) -> Observation {
        var metrics = Metrics()
        metrics[Cue.metric] = cue.figure
        return .figures(metrics, of: subject, at: now, labels: labels)
    }
}

extension Plan {
    /// One source `ios`, one scripted rule `look`, one channel `team`, unless told otherwise.
    public static func rehearsed(
        sources: [SourcePlan] = [SourcePlan(name: "ios", jitter: 0)],
        detectors: [DetectorPlan] = [DetectorPlan(name: "look", detector: ScriptedDetector())], gates: [GatePlan] = [],
        channels: [ChannelPlan] = [ChannelPlan(name: "team")], routes: [Route] = [], reportTo: String? = nil,
        concurrency: Int = 8
    ) -> Plan {
        Plan(
            botName: "shop-alerts", zone: .utc, reportTo: reportTo, concurrency: concurrency, sources: sources,
            detectors: detectors, gates: gates, channels: channels, routes: routes)
    }

    /// The rehearsed plan with one rule of its own `for`, reminders and lookback.
    public static func rehearsed(
        for holdTime: Duration, repeat: Duration? = .hours(4), lookback: Duration = .minutes(5),
        gates: [GatePlan] = []
    ) -> Plan {
        let detector = ScriptedDetector(for: holdTime, lookback: lookback)
        return rehearsed(
            detectors: [DetectorPlan(name: "look", detector: detector, repeat: `repeat`)], gates: gates)
    }
}

extension Rehearsal {
    /// Lets the bot see cues of some subjects now, as one poll of their source.
    public mutating func see(_ cues: [(subject: Subject, cue: Cue)]) {
        let observations = cues.map { Observation.cue($0.cue, of: $0.subject, at: now) }
        see(observations)
    }

    public mutating func see(_ cue: Cue, of subject: Subject = .shop) { see([(subject, cue)]) }

    /// Lets the bot see observations of one source now.
    public mutating func see(_ observations: [Observation]) {
        guard let source = observations.first?.subject.source else { return }
        step(.polled(source: source, PollReport(.values(observations)), validators: [:]))
    }

    /// Lets a poll fail now.
    public mutating func fail(
        _ reason: PollFailure.Reason = .unreachable, source: String = "ios", retryAt: Moment? = nil
    ) {
        let failure = PollFailure(reason, "it is out of reach", retryAt: retryAt)
        step(.polled(source: source, PollReport(.failed(failure)), validators: [:]))
    }

    /// Plays a story, one character a tick, and gives back what was decided in each, likewise.
    ///
    /// In the story, a cue stands for itself (see `Cue`), `x` is a failed poll, `_` a poll without data, `=` one that
    /// brings the same as the one before, a space no poll
    /// at all. In what comes back, `O` opened, `E` escalated, `M` reminder, `R` resolved and `D` digest were sent, `h`
    /// was held, `x` dropped, and `.` is silence; several decisions of one tick stand in brackets.
    public mutating func play(
        _ story: String, every tick: Duration = .minutes(1), of subject: Subject = .shop, in channel: String? = nil
    ) -> String {
        var told = ""
        for character in story {
            let before = decisions.count
            switch character {
            case " ": step(.tick)
            case "x": fail(source: subject.source)
            case "=": step(.polled(source: subject.source, PollReport(.unchanged), validators: [:]))
            case "_": step(.polled(source: subject.source, PollReport(.noData), validators: [:]))
            default:
                guard let cue = Cue(rawValue: character) else {
                    preconditionFailure("'\(character)' is no cue")
                }
                see(cue, of: subject)
            }
            let next = now + tick
            advance(to: next - .milliseconds(1))
            suspend(for: .milliseconds(1))
            let heard = decisions[before...].filter { channel == nil || $0.channel == channel }.map(\.mark)
            told += heard.isEmpty ? "." : heard.count == 1 ? heard[0] : "(\(heard.joined()))"
        }
        return told
    }

    /// What was decided about incidents of an app, each by its mark.
    public func marks(of app: String) -> String {
        decisions.filter { $0.message.incidents.contains { $0.subject.app == app } }.map(\.mark).joined()
    }

    /// Deliveries that were attempted to a channel, each by the kind of its message.
    public func kindsSent(to channel: String) -> [Notification.Kind] {
        sends.filter { $0.delivery.channel == channel }.map(\.delivery.kind)
    }
}

extension DecisionRecord {
    /// The decision as one character of a story.
    public var mark: String {
        switch decision {
        case .hold: "h"
        case .drop: "x"
        case .send:
            switch kind {
            case .opened: "O"
            case .escalated: "E"
            case .reminder: "M"
            case .resolved: "R"
            case .closed: "C"
            case .digest: "D"
            case .acknowledged: "A"
            case .revised: "V"
            case .test: "T"
            }
        }
    }
}
