internal import AlertCore
internal import BotConfig
internal import PluginKit

/// What a config can never send though nothing in it is wrong: what gates hold or drop at every hour, incidents that are
/// never taken further, channels to which nothing leads, and reminders that another rule decides about.
struct Unsent {
    let config: Config
    private let now: Moment

    init(_ config: Config, at now: Moment) {
        self.config = config
        self.now = now
    }

    var plan: Plan { config.plan }

    var problems: [Problem] { endless + unbroken + unbrokenInChannels + unescalated + unreached + uncounted }

    /// The mutes that hold everything for longer than anybody is on holiday.
    private var endless: [Problem] {
        plan.gates.compactMap { gate in
            guard gate.calendar?.stage == .mutes, let reach = reach(of: gate), holdsAll(gate), isOfAllChannels(gate),
                let window = gate.window(at: now),
                window.to >= max(window.from, now) + .days(Int64(DailyWindow.daysAheadMax)),
                let place = config.rulePlaces[gate.name]
            else { return nil }
            let from = window.from > now ? "from \(plan.zone.words(window.from, readAt: now)) " : ""
            return Problem(
                place,
                "rule '\(gate.name)' holds \(reach.what) \(from)until \(plan.zone.words(window.to, readAt: now))"
                    + "\(self.reach([gate])), so nothing \(reach.end)",
                advice: "give it an earlier 'until', or \(reach.advice)", level: .warning)
        }
    }

    /// What a gate holds that leaves nothing out, and how that is told; nil where it may leave out something.
    private func reach(of gate: GatePlan) -> (what: String, end: String, advice: String)? {
        if gate.match.conditions.isEmpty { return ("everything", "is sent", "a 'match'") }
        guard takesAll(gate) else { return nil }
        return (
            "all that the sources are configured to give", "from them is sent", "let its 'match' leave something out"
        )
    }

    /// Whether the match of a gate leaves out nothing of what the sources are configured to give. Where one of them does not
    /// tell, or a secret decides, nobody knows.
    private func takesAll(_ gate: GatePlan) -> Bool {
        guard !plan.sources.isEmpty, !config.unreadRules.contains(where: { $0.name == gate.name }) else { return false }
        return gate.match.narrowed.conditions.allSatisfy { condition in
            func fits(_ value: String) -> Bool { condition.patterns.contains { $0.fits(value) } }
            switch condition.property {
            case "source": return plan.sources.allSatisfy { fits($0.name) }
            case "rule":
                let names = plan.detectors.map(\.name) + config.unreadRules.filter(\.judges).map(\.name)
                return !names.isEmpty && names.allSatisfy(fits)
            case "app", "environment":
                return plan.sources.allSatisfy { source in
                    guard let given = config.sources[source.name]?.configured(condition.property), !given.isEmpty else {
                        return false
                    }
                    return given.allSatisfy(fits)
                }
            default: return false
            }
        }
    }

    /// The quiet hours that leave no hour between them in which anything is sent of what they match.
    private var unbroken: [Problem] {
        let gates = plan.gates.filter { $0.calendar?.stage == .quietHours && holdsAll($0) && isOfAllChannels($0) }
        let matching = Dictionary(grouping: gates) { $0.match }
        return gates.matches.compactMap { match in unbroken(matching[match] ?? [], match) }
    }

    /// Whether one or another of them is closed at every hour.
    func areUnbroken(_ gates: [GatePlan]) -> Bool {
        let spans = gates.flatMap { $0.calendar?.schedule(from: now, count: CheckReport.calendarSpansMax) ?? [] }
        var covered = now
        for span in spans.sorted(by: { $0.from < $1.from }) where span.from <= covered {
            covered = max(covered, span.to)
        }
        return covered >= now + CheckReport.calendarLength
    }

    /// - Parameter channels: where, if not everywhere.
    func unbroken(_ gates: [GatePlan], _ match: Match, in channels: [String] = []) -> Problem? {
        guard areUnbroken(gates), let position = gates.compactMap({ config.rulePlaces[$0.name] }).max() else {
            return nil
        }
        let dropping = gates.count { $0.calendar?.drops == true }
        let isOne = gates.count == 1
        let (hold, drop) = isOne ? ("holds", "drops") : ("hold", "drop")
        let verb = dropping == 0 ? hold : dropping == gates.count ? drop : "\(hold) or \(drop)"
        let what = match.conditions.isEmpty ? "everything" : "everything that matches \(config.words(of: match))"
        let days = Int(CheckReport.calendarLength.inSeconds / 86_400).counted("day")
        let place = channels.isEmpty ? "" : " in \(channels.joined(separator: " and "))"
        let end = (match.conditions.isEmpty ? "is sent" : "of it is sent") + (channels.isEmpty ? "" : " there")
        return Problem(
            position,
            "\(isOne ? "rule" : "rules") \(gates.map { "'\($0.name)'" }.joined(separator: " and "))"
                + "\(isOne ? "" : " together") \(verb) \(what)\(place) at every hour of the next "
                + "\(days)\(reach(gates)), so nothing \(end)",
            advice: "leave hours between them, or say with 'except' what may pass", level: .warning)
    }

    /// The escalations that wait for incidents as bad as no rule has any, or come to channels that know of all.
    private var unescalated: [Problem] {
        plan.gates.compactMap { gate in
            guard let least = gate.gate.leastSeverity, !plan.detectors.isEmpty,
                let place = config.rulePlaces[gate.name], let (what, advice) = idleness(of: gate, from: least)
            else { return nil }
            return Problem(
                place, "rule '\(gate.name)' never escalates anything\(what)", advice: advice, level: .warning)
        }
    }

    private func idleness(of gate: GatePlan, from least: Severity) -> (what: String, advice: String)? {
        let matched = gate.match.severities
        let waited = matched.filter { $0 >= least }
        let waits = ": it waits for \(least.rawValue), and"
        if waited.isEmpty {
            guard let mildest = matched.min() else { return nil }
            return (
                "\(waits) its 'match' takes only \(matched.sorted().map(\.rawValue).listed)",
                "write severity: \(mildest.rawValue) instead of that in 'match'"
            )
        }
        // The bot's own troubles are as bad as they are.
        if !gate.match.isAboutBot, !canReach(least, gate.match) {
            return gate.match["severity"] == nil
                ? ("\(waits) no rule can be that severe", "lower its 'severity', or have a rule reach it")
                : ("\(waits) no rule has such incidents", "change 'severity' in its 'match', or have a rule reach it")
        }
        return haste(of: gate, waitingFor: waited)
    }

    /// That all its channels get at once what it would take there later.
    private func haste(of gate: GatePlan, waitingFor severities: Set<Severity>) -> (what: String, advice: String)? {
        let channels = gate.gate.furtherChannels
        // Where the bot's own troubles are reported to one channel, the routes say nothing of them.
        guard !channels.isEmpty, plan.reportTo == nil || !gate.match.isAboutBot,
            channels.allSatisfy({ isTold($0, all: gate.match, severities) })
        else { return nil }
        let what = plan.reportTo == nil ? "" : " about an app"
        let get = "\(channels.joined(separator: " and ")) \(channels.count == 1 ? "gets" : "get")"
        guard plan.routes.isEmpty else {
            return (
                "\(what): by the routes, \(get) all of it at once", "lead the routes elsewhere, or remove the rule"
            )
        }
        let other = plan.channels.map(\.name).first { !channels.contains($0) }
        return (
            "\(what): without routes, \(get) everything at once",
            other.map { "add routes, such as - to: [\($0)]" } ?? "add another channel, and a route to it"
        )
    }

    /// Whether routes lead to the channel, by its name, with all that fits a match and is so severe.
    private func isTold(_ channel: String, all match: Match, _ severities: Set<Severity>) -> Bool {
        let levels = Match.Condition(property: "severity", patterns: severities.map { Glob($0.rawValue) })
        let all = Match(match.conditions.filter { $0.property != "severity" } + [levels])
        for route in plan.routes where !route.match.severities.isDisjoint(with: severities) {
            if route.to.contains(channel) {
                if all.isWithin(route.match.narrowed) { return true }
            } else if !route.continues {
                return false
            }
        }
        return plan.routes.isEmpty
    }

    /// The channels that no message ever finds.
    private var unreached: [Problem] {
        // Without routes everything goes everywhere.
        guard let led = channelsLedTo else { return [] }
        return plan.channels.filter { !led.contains($0.name) }.compactMap { channel in
            config.channelPlaces[channel.name].map {
                Problem(
                    $0,
                    "channel '\(channel.name)' gets no alert about any app: no route, 'report_to' or rule leads to it",
                    advice: "add it to a route, or remove it", level: .warning)
            }
        }
    }

    // MARK: How severe rules can be

    /// Whether the gate holds whatever the rules find.
    func holdsAll(_ gate: GatePlan) -> Bool {
        gate.gate.except.map { !plan.detectors.isEmpty && !canReach($0, gate.match) } ?? true
    }

    /// Whether the gate is closed to every channel that there is, be it by their names.
    func isOfAllChannels(_ gate: GatePlan) -> Bool {
        gate.isOfAllChannels || plan.channels.allSatisfy { gate.calendar?.channels.contains($0.name) == true }
    }

    private func canReach(_ severity: Severity, _ match: Match) -> Bool {
        func isMeant(_ rule: String) -> Bool { match["rule"]?.patterns.contains(where: { $0.fits(rule) }) ?? true }
        // What a rule can be whose limit is a secret is not known without it.
        if config.unreadRules.contains(where: { $0.judges && isMeant($0.name) }) { return true }
        return plan.detectors.contains { rule in
            guard isMeant(rule.name) else { return false }
            return (rule.detector.severities ?? Set(Severity.allCases)).intersection(match.severities)
                .contains { $0 >= severity }
        }
    }

    /// Why what the gates let pass by its severity is nothing.
    private func reach(_ gates: [GatePlan]) -> String {
        // What matches less than that alone is no matter of the rules.
        let passing = gates.compactMap { gate in
            gate.gate.except.flatMap { except in gate.match.severities.contains { $0 >= except } ? except : nil }
        }
        return passing.min().map { ", and no rule can be as severe as \($0.rawValue)" } ?? ""
    }
}

extension Config {
    /// What a gate concerns and lets pass, in front of something else in brackets; empty for one that concerns everything.
    func limits(of gate: GatePlan) -> String {
        let passes = gate.gate.except?.passing
        let match = gate.match.conditions.isEmpty ? nil : words(of: gate.match)
        return [gate.whereItHolds, match, passes].compactMap(\.self).map { "\($0); " }.joined()
    }

    /// In few words: `app shop-ios or shop-web, environment production`.
    func words(of match: Match) -> String {
        let words = match.conditions.map { "\($0.property) \($0.patterns.map(\.pattern).listed)" }
        return secrets.reduce(words.joined(separator: ", ")) { $1.masked(in: $0) }.tamed.clipped(to: 80)
    }
}

extension GatePlan {
    fileprivate var isOfAllChannels: Bool { calendar?.channels.isEmpty ?? true }

    /// The channels that it is closed to: `in ops or team`; nil for all of them.
    var whereItHolds: String? { isOfAllChannels ? nil : calendar.map { "in \($0.channels.listed)" } }
}

extension [GatePlan] {
    /// What they match, each once.
    var matches: [Match] {
        var seen: Set<Match> = []
        return map { $0.match }.filter { seen.insert($0).inserted }
    }
}

extension Severity {
    /// That a gate lets it pass, and what is worse: `critical passes`.
    var passing: String { self == .critical ? "critical passes" : "\(rawValue) and worse pass" }
}
