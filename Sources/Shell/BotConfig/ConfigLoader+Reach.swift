internal import AlertCore
internal import PluginKit
internal import YAMLKit

// Who would ever hear of what the config watches: rules that can never match, which are mistakes, and warnings about rules
// that see nothing, incidents that no route takes, and troubles of the bot that nobody learns of. With warnings the config
// can be used as it is.

extension ConfigLoader {
    mutating func checkReach(
        _ entries: [Entry], _ bot: BotSettings, _ sources: [SourceEntry], _ channels: [ChannelEntry], _ rules: Rules,
        _ routes: [RouteEntry]
    ) {
        // What is wrong elsewhere may well be the reason.
        guard !reader.problems.contains(where: { $0.level == .error }) else { return }
        for place in rules.places {
            let detector = rules.detectors.first { $0.name == place.name }
            checkGiven(place.conditions, place.match, sources, by: detector, isRule: true)
            checkLabels(place.conditions, place.match, sources, channels, of: place)
            for spec in place.options {
                guard case .match = spec.kind, let node = place.entries.first(where: { $0.key == spec.name })?.value,
                    let match = reader.match(node, spec.name)
                else { continue }
                checkLabels(match, node, sources, channels, in: spec.name, of: nil)
            }
            if let detector { checkCounts(detector, place, sources) }
        }
        for route in routes {
            checkGiven(route.route.match, route.match, sources, by: nil, isRule: false)
            checkLabels(route.route.match, route.match, sources, channels, of: nil)
        }
        guard !routes.isEmpty else { return }
        let plain = routes.map(\.route)
        for detector in rules.detectors {
            guard let place = rules.places.first(where: { $0.name == detector.name }) else { continue }
            checkTaken(detector, at: place.position, sources, plain)
        }
        if bot.reportTo == nil, let position = entries.first(where: { $0.key == "routes" })?.keyMark.position {
            checkTroubles(at: position, sources, channels, rules, plain)
        }
    }

    // MARK: - What is matched

    /// What a `match` asks for must be what a source is configured to give. A rule is mistaken where nothing of what it asks
    /// for is given; one name of several may be left over, and a route that nothing takes does no harm.
    private mutating func checkGiven(
        _ match: Match, _ node: Node?, _ sources: [SourceEntry], by detector: DetectorPlan?, isRule: Bool
    ) {
        let seen = sources.seen(by: match)
        guard let node, !seen.isEmpty else { return }
        for entry in node.mapping {
            guard let condition = match[entry.key],
                var known = seen.configured(entry.key, for: detector?.detector.scope)
            else { continue }
            // Routes and gates see the bot's own troubles, too, and what rules say of a source as such.
            if detector == nil {
                known.formUnion(entry.key == "app" ? [Subject.botApp] + seen.map(\.plan.name) : [""])
            }
            let isFitted = condition.patterns.contains { pattern in known.contains(where: pattern.fits) }
            for (element, pattern) in zip(entry.value.elements, condition.patterns)
            where !known.contains(where: pattern.fits) {
                let names = known.subtracting(["", Subject.botApp] + (detector == nil ? seen.map(\.plan.name) : []))
                    .sorted()
                let whose = seen.map { "'\($0.plan.name)'" }.sorted().listed
                let shown = reader.shown(element, pattern.pattern)
                let what = names.isEmpty ? "names no \(entry.key)" : "is configured to give \(names.listed)"
                reader.report(
                    Problem(
                        element.position, "'\(shown)' can never match: source \(whose) \(what)",
                        suggestion: shown.nearest(in: names),
                        advice: "change 'match', or what the source gives",
                        level: isRule && !isFitted ? .error : .warning))
            }
        }
    }

    /// What is no property of `match` is a label, which some source must give. Of sources that give none it is told; and so
    /// is the name of a channel, which people take for a property.
    ///
    /// - Parameter place: the rule whose own `match` it is; nil for a route, or for what a gate waits for.
    private mutating func checkLabels(
        _ match: Match, _ node: Node?, _ sources: [SourceEntry], _ channels: [ChannelEntry],
        in name: String = "match", of place: Rules.Place?
    ) {
        let seen = sources.seen(by: match)
        guard let node, !seen.isEmpty else { return }
        let isGiven = seen.contains { $0.source?.givesLabels != false }
        for entry in node.mapping where !Match.properties.contains(entry.key) && entry.key != Match.owner {
            // A source may have a label of that name; that of a channel it hardly has.
            let isSlip =
                Match.takenForProperties.contains(entry.key)
                && (!isGiven
                    || entry.key == "channel" && channels.contains { match[entry.key]?.fits($0.plan.name) == true })
            // What is nearly a property has been told, and nothing is there for `*`.
            guard isSlip || !isGiven, let condition = match[entry.key], !condition.fits(""),
                !reader.problems.contains(where: { $0.position == entry.keyMark.position })
            else { continue }
            let whose = seen.map { "'\($0.plan.name)'" }.sorted().listed
            let isBeside = place?.options.contains { $0.name == entry.key } ?? false
            let key = reader.shown(node, entry.key)
            reader.report(
                Problem(
                    entry.keyMark.position,
                    "'\(key)' in '\(name)' is taken for a label"
                        + (isGiven
                            ? ": it matches nothing unless a source gives that label"
                            : ", which source \(whose) does not give, so it can never match"),
                    advice: isBeside
                        ? "write '\(key)' beside 'match'"
                        : "'\(name)' goes by \(Match.properties.joined(separator: ", ")) and labels",
                    // Observations of files may have any label, whatever the source that they are said to be of.
                    level: isSlip && !isGiven && place != nil ? .error : .warning))
        }
    }

    /// A rate of nobody knows how many carries no alarm, and a config can say for certain that there is no count.
    private mutating func checkCounts(_ rule: DetectorPlan, _ place: Rules.Place, _ sources: [SourceEntry]) {
        let seen = sources.seen(by: rule.match)
        let metrics = rule.detector.metrics
        guard rule.detector.needsCounts, let metric = metrics.first, let count = metric.denominator, !seen.isEmpty,
            metrics.allSatisfy({ metric in
                seen.allSatisfy { entry in
                    guard let given = entry.source?.metrics, let count = metric.denominator else { return false }
                    return !given.contains(count)
                }
            })
        else { return }
        let names = seen.map { "'\($0.plan.name)'" }.sorted().listed
        let takesBare = place.options.contains { spec in
            if case .orOff = spec.kind { spec.name == "confidence" } else { false }
        }
        reader.report(
            Problem(
                place.position,
                "rule '\(rule.name)' can never judge anything: source \(names) gives '\(metric.name)' without "
                    + "'\(count.name)', the number that it is a share of",
                advice: "have the source give '\(count.name)', too"
                    + (takesBare ? "; only confidence: off with min_volume: 0 takes a bare rate" : ""),
                level: .warning))
    }

    // MARK: - What is taken

    /// A rule of whose incidents no route takes any alerts nobody, and one whose worst are left out alerts nobody of them.
    private mutating func checkTaken(
        _ rule: DetectorPlan, at position: Position, _ sources: [SourceEntry], _ routes: [Route]
    ) {
        let seen = sources.seen(by: rule.match)
        var prospect = Prospect(["rule": [rule.name]])
        if !seen.isEmpty { prospect["source"] = Set(seen.map(\.plan.name)) }
        for property in ["app", "release", "environment"] {
            prospect[property] = values(of: property, rule, seen)
        }
        let severities = rule.detector.severities ?? Set(Severity.allCases)
        let taken = severities.filter { severity in
            prospect["severity"] = [severity.rawValue]
            return prospect.isTaken(by: routes)
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
        _ rule: DetectorPlan, at position: Position, _ seen: [SourceEntry], _ routes: [Route]
    ) {
        guard rule.detector.scope == .source, !rule.isOfParts else { return }
        let lost = seen.filter { entry in
            let name = entry.plan.name
            var whole = Prospect([
                "rule": [rule.name], "source": [name], "app": [name], "release": [""], "environment": [""],
                "issue": [""],
            ])
            whole["severity"] = rule.detector.severities.map { Set($0.map(\.rawValue)) }
            return !whole.isTaken(by: routes)
        }
        guard !lost.isEmpty else { return }
        let names = lost.map { "'\($0.plan.name)'" }.sorted().listed
        reader.report(
            Problem(
                position, "rule '\(rule.name)': no route takes what it reports about source \(names) as a whole",
                advice:
                    "add a route that matches the source, or name apps in the rule's 'match', so that each is reported by itself",
                level: .warning))
    }

    /// The values that an incident of the rule can have; nil for any.
    private func values(of property: String, _ rule: DetectorPlan, _ seen: [SourceEntry]) -> Set<String>? {
        let scope = rule.detector.scope
        // Incidents of an app may be about one of its releases, and those of a source about nothing of this.
        if scope == .source || (scope == .app && property == "release") { return nil }
        let condition = rule.match[property]
        if let known = seen.configured(property, for: scope) {
            return condition.map { condition in
                known.filter { value in condition.patterns.contains { $0.fits(value) } }
            } ?? known
        }
        guard let condition, condition.patterns.allSatisfy(\.isExact) else { return nil }
        return Set(condition.patterns.map(\.pattern))
    }

    /// The bot's own troubles must reach somebody.
    private mutating func checkTroubles(
        at position: Position, _ sources: [SourceEntry], _ channels: [ChannelEntry], _ rules: Rules, _ routes: [Route]
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
            case .sourceFailing, .sourceStopped, .partialAnswers: prospect["source"] = Set(sources.map(\.plan.name))
            case .channelFailing: prospect["source"] = Set(channels.map(\.plan.name))
            case .templateFailing: prospect["source"] = Set(dressed)
            default: break
            }
            return !prospect.isTaken(by: routes)
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

    /// Whether a channel may hear of one of them.
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
            values[condition.property].map { $0.contains(where: condition.fits) }
                ?? !(condition.property == "app" && condition.isAboutBot)
        }
    }

    private func mustFit(_ match: Match) -> Bool {
        match.conditions.allSatisfy { condition in
            values[condition.property].map { $0.allSatisfy(condition.fits) } ?? false
        }
    }
}

extension Match.Condition {
    fileprivate func fits(_ value: String) -> Bool { patterns.contains { $0.fits(value) } }
}

extension [ConfigLoader.SourceEntry] {
    /// Those that a rule or route looks at.
    func seen(by match: Match) -> [ConfigLoader.SourceEntry] {
        guard let condition = match["source"] else { return self }
        return filter { condition.fits($0.plan.name) }
    }

    /// What all of them together give for a property; nil where one of them does not tell.
    fileprivate func configured(_ property: String, for scope: DetectorScope?) -> Set<String>? {
        // A rule that watches a source as such is shown one whose app is the source's own name.
        if scope == .source, property == "app" { return nil }
        var all: Set<String> = []
        for entry in self {
            if property == Match.owner, entry.source?.givesLabels == false {
                all.insert(entry.plan.owner ?? "")
                continue
            }
            guard let values = entry.source?.configured(property) else { return nil }
            all.formUnion(values)
        }
        return all
    }
}

extension Trouble {
    /// How bad it is at first.
    fileprivate var leastSeverity: Severity {
        switch self {
        case .sourceFailing, .partialAnswers, .channelFailing, .templateFailing: .warning
        default: .critical
        }
    }
}
