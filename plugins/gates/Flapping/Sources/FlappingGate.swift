public import PluginKit

/// A gate that says once that something keeps coming and going. What does so fast is not told until it has been calm; what does so
/// slowly is not over before it has been well for longer than it used to be.
public struct FlappingGate: Gate {
    public static let manifest = PluginManifest(
        name: "flapping",
        summary:
            "Sends one message about what keeps coming and going, then none until calm; slow flapping is one incident.",
        example: """
            changes: 4
            within: 1h
            """,
        options: [changes, within, calm, Setting.except])

    static let changes = Setting(
        "changes", .integer(3...20), default: 4, "How many openings and resolutions count as flapping.")
    static let within = Setting(
        "within", .duration(.minutes(1) ... .hours(12)), default: .hours(1), "The time within which they must fall.")
    static let calm = Setting(
        "calm", .duration(.minutes(1) ... .hours(12)), default: .minutes(30),
        "How long nothing must change before the current state is sent.")

    private let name: String
    private let changesMin: Int
    private let within: Duration
    private let calm: Duration
    public let except: Severity?

    public init(options: Options, context: RuleContext) throws(ProblemList) {
        name = context.name
        changesMin = options[Self.changes]
        within = options[Self.within]
        calm = options[Self.calm]
        except = options[.except]
    }

    // What keeps coming and going is noise in every team.
    public static var isAlwaysThere: Bool { true }
    public var readsSwings: Bool { true }

    public var gathers: Phrase? { Phrase(.gateFlapping, [.period: .period(calm), .gate: .text(name)]) }

    public func closure(for notification: Notification, at now: Moment, given view: any GateView) -> Closure? {
        // What goes into a digest makes no noise of its own; a group of one is a message like any other.
        if let held = notification.held, held.style == .digest { return nil }
        let swings = view.swings(of: notification.incident)
        guard let fit = fit(among: swings), let last = swings.last, last + calm > now,
            !isNews(fit, swings, notification, at: now, view)
        else { return nil }
        let incident = notification.incident
        let parts = [incident.rule, incident.key ?? "", incident.subject.source, incident.subject.app]
        let key = parts + [incident.subject.release ?? "", incident.subject.environment ?? ""]
        return Closure(
            until: last + calm,
            fate: .gather(Gathering(gate: name, key: key.joined(separator: "|"), style: .group)), reason: .flapping)
    }

    public func remark(on notification: Notification, at now: Moment, given view: any GateView) -> Remark? {
        let swings = view.swings(of: notification.incident)
        guard [.opened, .escalated, .resolved, .digest].contains(notification.kind), let fit = fit(among: swings),
            let last = swings.last, last + calm > now, isNews(fit, swings, notification, at: now, view)
        else { return nil }
        return Remark(
            Phrase(.fieldFlapping),
            Phrase(
                .flapping,
                [
                    .count: .count(Double(fit.count)), .span: .period(last - fit.since), .period: .period(calm),
                ]),
            reason: .flapping, flappingSince: fit.since)
    }

    /// Half as long again as it was ever well between two beginnings of the stretch: after that, it is another story.
    public func steadiness(after swings: [Moment]) -> Steadiness? {
        guard let slow = slowFit(among: swings), let last = swings.last else { return nil }
        let stretch = swings.suffix(slow.count)
        // The last is a beginning, and so is every second one before it.
        let well = stride(from: stretch.endIndex - 1, to: stretch.startIndex, by: -2).map {
            stretch[$0] - stretch[$0 - 1]
        }
        let minutes = ((well.max() ?? .zero).inSeconds * 1.5 / 60).rounded(.up)
        return Steadiness(
            wait: min(.minutes(Int64(minutes)), Self.steadinessMax), changes: slow.count, span: last - slow.since)
    }

    /// Good news may come so much late, and never worse news.
    private static let steadinessMax = Duration.hours(1)

    /// Whether the channel has still to hear that it flaps, or that what flaps is worse than it has heard.
    private func isNews(
        _ fit: Fit, _ swings: [Moment], _ notification: Notification, at now: Moment, _ view: any GateView
    ) -> Bool {
        guard let told = view.swingsTold(of: notification.incident, in: notification.channel) else { return true }
        // Where the stretch begins with the oldest change that is remembered, it may have begun, and been told, before that.
        let isOfStretch = told.at >= fit.since || fit.since == swings.first && now - told.at < Self.memory
        return !isOfStretch || notification.severity > told.severity
    }

    /// How long changes are remembered: what flaps all the time is told of once in that time.
    private static let memory = Duration.days(1)

    /// A stretch of changes too fast to be told one by one.
    private struct Fit {
        let since: Moment
        var count: Int
    }

    /// The fit that the last of the changes belongs to, unless it calmed down before.
    private func fit(among swings: [Moment]) -> Fit? { read(swings).fit }

    /// The same, and where in the changes the story begins that goes on: what was before it calmed down is another one.
    private func read(_ swings: [Moment]) -> (fit: Fit?, first: Int) {
        var fit: Fit?
        var first = 0
        for (index, moment) in swings.enumerated() {
            if fit != nil, moment - swings[index - 1] >= calm { (fit, first) = (nil, index) }
            if fit != nil {
                fit?.count += 1
            } else if index + 1 - first >= changesMin, moment - swings[index + 1 - changesMin] <= within {
                fit = Fit(since: swings[index + 1 - changesMin], count: changesMin)
            }
        }
        return (fit, first)
    }

    /// A stretch of changes too slow for that, of which the last is at least the third beginning within some hours.
    private func slowFit(among swings: [Moment]) -> Fit? {
        let (fast, first) = read(swings)
        var begin = swings.count - Self.slowChanges
        guard fast == nil, begin >= first else { return nil }
        let pace = swings[swings.count - 1] - swings[begin]
        // At the pace of the options, it is flapping once it has changed as often as they say.
        let isSlow = pace.inSeconds / Double(Self.slowChanges - 1) > within.inSeconds / Double(changesMin - 1)
        guard isSlow, pace <= Self.slowWithin else { return nil }
        while begin > first, swings[begin - 1 + Self.slowChanges - 1] - swings[begin - 1] <= Self.slowWithin {
            begin -= 1
        }
        return Fit(since: swings[begin], count: swings.count - begin)
    }

    /// Three beginnings and the two ends between them. Two within some hours are no habit yet.
    private static let slowChanges = 5
    /// Most of a night or of a working day.
    private static let slowWithin = Duration.hours(6)
}
