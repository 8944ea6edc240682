internal import AlertCore
internal import PluginKit
internal import YAMLKit

// Who would ever hear of what the config watches: warnings about routes that take nothing, incidents that no route takes,
// and troubles of the bot that nobody learns of. With them the config can be used as it is.

extension ConfigLoader {
    mutating func checkReach(
        _ entries: [Entry], _ bot: BotSettings, _ sources: SourceList, _ channels: [ChannelEntry], _ rules: Rules,
        _ routes: [RouteEntry]
    ) {
        // What is wrong elsewhere may well be the reason.
        guard !reader.problems.contains(where: { $0.level == .error }) else { return }
        for route in routes {
            checkAsked(route.route.match, route.match, sources, rules, by: nil, isRule: false)
            checkLabels(route.route.match, route.match, sources, channels, of: nil)
            if route.route.match["rule"] != nil {
                checkSeverity(route.route.match, route.match, rules, of: "this route", "route")
            }
        }
        guard !routes.isEmpty else { return }
        let plain = RouteIndex(routes.map(\.route))
        for detector in rules.detectors {
            guard let place = rules.place(detector.name) else { continue }
            checkTaken(detector, at: place.position, sources, plain)
        }
        if bot.reportTo == nil, let position = entries.first(where: { $0.key == "routes" })?.keyMark.position {
            checkTroubles(at: position, sources, channels, rules, plain)
        }
    }

    // MARK: - What is taken

    /// A rule of whose incidents no route takes any alerts nobody, and one whose worst are left out alerts nobody of them.
    private mutating func checkTaken(
        _ rule: DetectorPlan, at position: Position, _ sources: SourceList, _ routes: RouteIndex
    ) {
        let seen = sources.seen(by: rule.match)
        var prospect = Prospect(["rule": [rule.name]])
        if !seen.isEmpty { prospect["source"] = seen.names }
        for property in ["app", "release", "environment"] {
            prospect[property] = values(of: property, rule, seen)
        }
        let severities = rule.detector.severities ?? Set(Severity.allCases)
        let possible = prospect.routes(among: routes)
        let taken = severities.filter { severity in
            prospect["severity"] = [severity.rawValue]
            return prospect.isTaken(by: possible)
        }
        if let worst = taken.max() {
            checkWhole(rule, at: position, seen, routes)
            // Whoever leaves out what is milder wants that. Of a rule that does not tell, nobody knows how bad it can be.
            let lost = (rule.detector.severities ?? []).filter { $0 > worst }.sorted().map(\.rawValue)
            guard !lost.isEmpty else { return }
            reader.report(
                Problem(
                    position, "rule '\(rule.name)': no route takes its \(lost.listed) incidents",
                    advice: "add a route that does", level: .warning))
            return
        }
        guard !severities.isEmpty else { return }
        let words = severities.sorted().map(\.rawValue).listed
        let which = rule.detector.severities == nil ? "" : " (severity \(words))"
        reader.report(
            Problem(
                position, "rule '\(rule.name)' can never notify anybody: no route takes its incidents\(which)",
                advice: "add a route that does", level: .warning))
    }

    /// What a rule says of a source as a whole goes by the source's name: a route by app does not take it.
    private mutating func checkWhole(
        _ rule: DetectorPlan, at position: Position, _ seen: SourceList, _ routes: RouteIndex
    ) {
        guard rule.detector.scope == .source, !rule.isOfParts else { return }
        let lost = seen.filter { entry in
            let name = entry.plan.name
            var whole = Prospect([
                "rule": [rule.name], "source": [name], "app": [name], "release": [""], "environment": [""],
                "issue": [""],
            ])
            whole["severity"] = rule.detector.severities.map { Set($0.map(\.rawValue)) }
            return !whole.isTaken(by: whole.routes(among: routes))
        }
        guard !lost.isEmpty else { return }
        reader.report(
            Problem(
                position,
                "rule '\(rule.name)': no route takes what it reports about source \(lost.quotedNames) as a whole",
                advice:
                    "add a route that matches the source, or name apps in the rule's 'match', so that each is reported by itself",
                level: .warning))
    }

    /// The values that an incident of the rule can have; nil for any.
    func values(of property: String, _ rule: DetectorPlan, _ seen: SourceList) -> Set<String>? {
        let scope = rule.detector.scope
        // Incidents of an app may be about one of its releases, and those of a source about nothing of this.
        if scope == .source || (scope == .app && property == "release") { return nil }
        let condition = rule.match[property]
        if let known = seen.configured(property, for: scope) { return condition?.fitting(known) ?? known }
        guard let condition, condition.isExact else { return nil }
        return Set(condition.patterns.map(\.pattern))
    }

    /// The bot's own troubles must reach somebody.
    private mutating func checkTroubles(
        at position: Position, _ sources: SourceList, _ channels: [ChannelEntry], _ rules: Rules, _ routes: RouteIndex
    ) {
        let dressed =
            channels.filter { $0.plan.template != nil }.map(\.plan.name)
            + rules.detectors.filter { $0.template != nil }.map(\.name)
        let possible = Trouble.allCases.filter { $0 != .templateFailing || !dressed.isEmpty }
        let lost = possible.filter { trouble in
            var prospect = Prospect([
                "rule": [trouble.rawValue], "app": [Subject.botApp], "release": [""], "environment": [""],
                "issue": [""], "severity": [trouble.leastSeverity.rawValue],
            ])
            switch trouble {
            case .sourceFailing, .sourceStopped, .partialAnswers: prospect["source"] = sources.names
            case .channelFailing: prospect["source"] = Set(channels.map(\.plan.name))
            case .templateFailing: prospect["source"] = Set(dressed)
            default: break
            }
            return !prospect.isTaken(by: prospect.routes(among: routes))
        }
        guard !lost.isEmpty else { return }
        let what = lost.count == possible.count ? "" : ", such as \(lost.map(\.rawValue).listed)"
        reader.report(
            Problem(
                position,
                "no route takes the bot's own troubles (app '\(Subject.botApp)')\(what): nobody would be notified",
                advice: "set 'report_to' under 'bot', or add a route without 'match' at the end", level: .warning))
    }
}

/// What incidents may be like, as far as the config alone tells.
private struct Prospect {
    private var values: [String: Set<String>]

    init(_ values: [String: Set<String>]) { self.values = values }

    /// The values that a property can have; nil for any.
    subscript(_ property: String) -> Set<String>? {
        get { values[property] }
        set { values[property] = newValue }
    }

    /// The routes that may take one of them, and others.
    func routes(among routes: RouteIndex) -> [Route] {
        routes.about(rules: values["rule"] ?? [], sources: values["source"])
    }

    /// Whether a channel may hear of one of them.
    ///
    /// - Parameter routes: in their order, without what takes none of them.
    func isTaken(by routes: [Route]) -> Bool {
        for route in routes where mayFit(route.match) {
            if !route.to.isEmpty || !route.onCall.isEmpty { return true }
            if mustFit(route.match), !route.continues { return false }
        }
        return false
    }

    private func mayFit(_ match: Match) -> Bool {
        match.conditions.allSatisfy { condition in
            // Whatever an app is called of which nothing is known: it is not the bot.
            values[condition.property].map(condition.fitsAny(of:))
                ?? !(condition.property == "app" && condition.isAboutBot)
        }
    }

    private func mustFit(_ match: Match) -> Bool {
        match.conditions.allSatisfy { condition in
            values[condition.property].map { $0.allSatisfy(condition.fits) } ?? false
        }
    }
}
