public import PluginKit

/// A gate that is closed while something fires that explains what it matches.
public struct DependsOnGate: Gate {
    public static let manifest = PluginManifest(
        name: "depends_on",
        summary: "Holds matching notifications while an incident that explains them is firing.",
        example: """
            match: {app: shop-*}
            when: {app: backend, severity: critical}
            """,
        options: [when, Setting.except])

    static let when = RequiredSetting(
        "when", .match, "The incidents that explain what is matched, such as {source: backend}.")

    private let reason: Reason
    private let when: Match
    public let except: Severity?

    public init(options: Options, context: RuleContext) throws(ProblemList) {
        reason = .gate(plugin: DependsOnGate.manifest.name, name: context.name)
        when = try options[Self.when]
        except = options[.except]
        guard !when.conditions.isEmpty else {
            throw ProblemList(
                options.position(of: Self.when), "'when' names nothing, so everything would explain itself",
                advice: "write when: {source: NAME} or when: {app: NAME, rule: NAME}")
        }
    }

    public var waitsFor: Match? { when }

    public func closure(for notification: Notification, at now: Moment, given view: any GateView) -> Closure? {
        // That there is one is enough: in a storm thousands may explain thousands.
        guard mayWait(notification),
            view.isExplained(by: when, at: now, where: { isKeptClosed(by: $0, in: notification.channel, at: now) })
        else { return nil }
        return Closure(until: .latest, fate: .explain, reason: reason)
    }

    public func isKeptClosed(by incident: Incident, in channel: String, at now: Moment) -> Bool {
        isTrouble(incident) && isTold(incident, in: channel, at: now)
    }

    public func account(of notification: Notification, at now: Moment, given view: any GateView) -> String? {
        // What it lets pass however bad the other is does not hang on that.
        if let except, notification.severity >= except { return nil }
        return explanation(of: notification, at: now, given: view).map { incident in
            "while incident \(incident.id) of \(incident.rule) about \(incident.subject.app.tamed.clipped(to: 80)) is open"
        }
    }

    /// The oldest of what explains it; nil where it may pass.
    private func explanation(
        of notification: Notification, at now: Moment, given view: any GateView
    ) -> Incident? {
        guard mayWait(notification) else { return nil }
        return view.explaining(when, at: now)
            .filter { isKeptClosed(by: $0, in: notification.channel, at: now) }
            .min { ($0.since, $0.id) < ($1.since, $1.id) }
    }

    /// Whether anything could explain it.
    private func mayWait(_ notification: Notification) -> Bool {
        // The end of something said is good news, and a summary's line has waited already.
        [.opened, .escalated, .reminder, .revised].contains(notification.kind)
            && !when.fits(notification.incident.property)
    }

    /// Whether there is anything that others could suffer from. An `info`, such as that a release looks fine, is none unless
    /// it is asked for.
    private func isTrouble(_ incident: Incident) -> Bool { incident.severity > .info || when["severity"] != nil }

    /// Whether the channel hears of it, or somebody wants it quiet. What nobody hears of explains nothing, or an alarm would be
    /// silent all night for the sake of a warning that waits for the morning.
    private func isTold(_ incident: Incident, in channel: String, at now: Moment) -> Bool {
        if let own = incident.standings[channel].flatMap({ isTold(incident, $0, at: now) }) { return own }
        // It is told elsewhere; or it has only just begun, and what becomes of it opens this gate or leaves it closed.
        let others = incident.standings.values.compactMap { isTold(incident, $0, at: now) }
        return others.isEmpty || others.contains(true)
    }

    /// Whether a channel with that standing hears of it; nil where that says nothing.
    private func isTold(_ incident: Incident, _ standing: Standing, at now: Moment) -> Bool? {
        // What is itself held for another's sake explains nothing, or two could keep each other quiet for ever.
        if case .gate(DependsOnGate.manifest.name, _) = standing.hold?.reason { return false }
        if standing.announced != nil || standing.undelivered != nil { return true }
        guard let hold = standing.hold else { return standing.dropped == nil ? nil : false }
        // What is getting better before anybody has heard of it is told to nobody, though its time has come.
        if incident.state == .recovering, hold.checkAgain <= now { return false }
        // Its time has come, and it is told now, or held by another gate; and what a group gathers is told soon.
        if hold.checkAgain <= now || hold.gathering?.style == .group { return true }
        if case .muted = hold.reason { return true }
        return false
    }
}
