internal import AlertCore
internal import PluginKit
internal import YAMLKit

// What a `match` asks for, and whether anything can be like that: what can never match is a mistake in a rule, and worth a
// warning in a route. Each is judged by itself, as far as what it is about could be read: one mistake hides no other. And
// where anything is uncertain, nothing is said.

extension ConfigLoader {
    /// What rules and gates ask for, in their own `match` and in what gates wait for.
    mutating func checkMatches(_ sources: SourceList, _ channels: [ChannelEntry], _ rules: Rules) {
        for place in rules.places {
            let detector = rules.detector(place.name)
            // What a rule would look at that could not be made is not known.
            if place.isDetector, detector == nil { continue }
            checkAsked(place.conditions, place.match, sources, rules, by: detector, isRule: true)
            checkLabels(place.conditions, place.match, sources, channels, of: place)
            for spec in place.options {
                guard case .match = spec.kind, let node = place.entries.first(where: { $0.key == spec.name })?.value,
                    reader.isCertain(node), let match = reader.match(node, spec.name)
                else { continue }
                checkAsked(match, node, sources, rules, in: spec.name, by: nil, isRule: true)
                checkLabels(match, node, sources, channels, in: spec.name, of: nil)
                checkSeverity(match, node, rules, of: "'\(spec.name)' of '\(place.name)'", "rule")
            }
            if let detector {
                checkCounts(detector, place, sources)
                checkWindow(detector, place, sources)
            }
        }
    }

    /// What a property can be in what a match is about, and how that is told.
    private struct Possible {
        /// What it can be stands in one of these.
        let values: [Set<String>]
        /// Those of them that people know, and who says so: nearly always nobody asks.
        let told: () -> (names: NameList, sentence: String)
        let advice: String

        func hasAny(like pattern: Glob) -> Bool { values.contains { pattern.fitsAny(of: $0) } }
    }

    /// What a `match` asks for must be what a source is configured to give and, where it names rules, what those see. A rule
    /// is mistaken where nothing of what it asks for is given; one name of several may be left over, and a route that
    /// nothing takes does no harm.
    ///
    /// - Parameters:
    ///   - name: what the option is called.
    ///   - detector: the rule whose own `match` it is; nil for what is about incidents.
    mutating func checkAsked(
        _ match: Match, _ node: Node?, _ sources: SourceList, _ rules: Rules, in name: String = "match",
        by detector: DetectorPlan?, isRule: Bool
    ) {
        guard reader.isWhole, let node, reader.isCertain(node) else { return }
        let named = detector == nil ? rulesNamed(by: match, rules) : nil
        for entry in node.mapping {
            guard let condition = match[entry.key] else { continue }
            if entry.key == "issue", detector == nil {
                checkIssue(entry.value.position, condition, named, rules, in: name, isRule: isRule)
            }
            guard
                let possible = named.flatMap({ seen(entry.key, by: $0, match, sources) })
                    ?? given(entry.key, match, sources, by: detector)
            else { continue }
            let isFitted = condition.patterns.contains { possible.hasAny(like: $0) }
            lazy var told = possible.told()
            for (element, pattern) in zip(entry.value.elements, condition.patterns)
            where !possible.hasAny(like: pattern) {
                let shown = reader.shown(element, pattern.pattern)
                let near = told.names.nearest(to: shown)
                // They may look alike.
                let flaw = shown.flawOfSpace ?? near?.flawOfSpace
                reader.report(
                    Problem(
                        element.position, "'\(shown)' can never match: \(told.sentence)",
                        suggestion: flaw == nil ? near : nil,
                        advice: flaw.map { "one of these names \($0)" } ?? "change '\(name)', or \(possible.advice)",
                        level: isRule && !isFitted ? .error : .warning))
            }
        }
    }

    /// What the sources give that a match is about; nil where one of them does not tell.
    private func given(
        _ property: String, _ match: Match, _ sources: SourceList, by detector: DetectorPlan?
    ) -> Possible? {
        let seen = sources.seen(by: match)
        guard !seen.isEmpty, let known = seen.configured(property, for: detector?.detector.scope) else { return nil }
        // Routes and gates see the bot's own troubles, too, and what rules say of a source as such.
        let isOfIncidents = detector == nil
        let others: [Set<String>] = property == "app" ? [[Subject.botApp], seen.names] : [[""]]
        return Possible(
            values: isOfIncidents ? [known] + others : [known],
            told: {
                let names = seen.known(property, isOfIncidents: isOfIncidents)
                let given = names.names.shortened.listed
                let what = names.names.isEmpty ? "names no \(property)" : "is configured to give \(given)"
                return (names, "source \(seen.quotedNames) \(what)")
            }, advice: "what the source gives")
    }

    /// What the rules see that a match names, in the sources that it is about; nil where one of them may see anything.
    private func seen(
        _ property: String, by rules: [DetectorPlan], _ match: Match, _ sources: SourceList
    ) -> Possible? {
        let whose =
            rules.count > ConfigLoader.namedMax
            ? "the rules that it names see" : "rule \(rules.map { "'\($0.name)'" }.sorted().listed) sees"
        let advice = "what the rule judges"
        switch property {
        case "source":
            let looked = sources.seen(byAnyOf: rules.map(\.match))
            return Possible(
                values: [looked.names],
                told: {
                    (NameList(looked.map(\.plan.name).sorted()), "\(whose) only source \(looked.quotedNames)")
                }, advice: advice)
        case "app", "release", "environment":
            let asked = sources.seen(by: match)
            var known: Set<String> = []
            var looked: [Set<String>] = []
            for rule in rules {
                let seen = asked.seen(by: rule.match)
                guard !seen.isEmpty else { continue }
                guard let values = values(of: property, rule, seen) else { return nil }
                known = known.isEmpty ? values : known.union(values)
                looked.append(seen.names)
            }
            // That the rules see none of these sources is told of 'source'.
            guard !looked.isEmpty else { return nil }
            let all = known
            return Possible(
                values: [all] + (property == "app" ? looked : [[""]]),
                told: {
                    let names = all.subtracting([""]).sorted()
                    let what = names.isEmpty ? "no \(property)" : "only \(property) \(names.shortened.listed)"
                    return (NameList(names), "\(whose) \(what)")
                }, advice: advice)
        default: return nil
        }
    }

    /// Nobody reads a list of more rules to its end.
    private static let namedMax = 3

    /// The rules that judge which a match names; nil where it may mean anything else, too.
    private func rulesNamed(by match: Match, _ rules: Rules) -> [DetectorPlan]? {
        guard let places = rules.judging(matchedBy: match) else { return nil }
        var named: [DetectorPlan] = []
        for place in places {
            guard let plan = rules.detector(place.name), place.match.map(reader.isCertain) ?? true else { return nil }
            named.append(plan)
        }
        return named.isEmpty ? nil : named
    }

    /// Only what judges issues is about one.
    private mutating func checkIssue(
        _ position: Position, _ condition: Match.Condition, _ named: [DetectorPlan]?, _ rules: Rules, in name: String,
        isRule: Bool
    ) {
        guard !condition.fits(""), rules.areAllKnown,
            !(named?.contains(where: \.mayBeOfIssues) ?? rules.index.haveIssues)
        else { return }
        reader.report(
            Problem(
                position,
                "'issue' can never match: no rule \(named == nil ? "" : "that it names ")judges issues",
                advice: "change '\(name)', or add a rule that does, such as new_issue or regression",
                level: isRule ? .error : .warning))
    }

    /// Severities that nothing has which a match is about. Which there are can change with another rule, so that this is
    /// nobody's mistake for certain.
    ///
    /// - Returns: whether it never matches anything.
    @discardableResult
    mutating func checkSeverity(_ match: Match, _ node: Node?, _ rules: Rules, of what: String, _ thing: String) -> Bool
    {
        guard reader.isWhole, let severity = node?.mapping.first(where: { $0.key == "severity" }) else { return false }
        let sentence: String
        if let known = rules.severities(matchedBy: match), !known.isEmpty, known.isDisjoint(with: match.severities) {
            sentence = "the rules that it names are only ever \(known.sorted().map(\.rawValue).listed)"
        } else if match["rule"] == nil, match.severities == [.info], rules.areAllKnown, !rules.index.haveInfo {
            // The bot's own troubles are worse.
            sentence = "no rule is ever info"
        } else {
            return false
        }
        reader.report(
            Problem(
                severity.value.position, "\(what) never matches anything: \(sentence)",
                advice: "change 'severity', or remove the \(thing)", level: .warning))
        return true
    }

    /// What is no property of `match` is a label, which some source must give. Of sources that give none it is told; and so
    /// is the name of a channel, which people take for a property.
    ///
    /// - Parameter place: the rule whose own `match` it is; nil for a route, or for what a gate waits for.
    mutating func checkLabels(
        _ match: Match, _ node: Node?, _ sources: SourceList, _ channels: [ChannelEntry],
        in name: String = "match", of place: Rules.Place?
    ) {
        let seen = sources.seen(by: match)
        guard reader.isWhole, let node, !seen.isEmpty, seen.areAllRead else { return }
        let isGiven = seen.givesLabels
        for entry in node.mapping where !Match.properties.contains(entry.key) && entry.key != Match.owner {
            // A source may have a label of that name; that of a channel it hardly has.
            let isSlip =
                Match.takenForProperties.contains(entry.key)
                && (!isGiven
                    || entry.key == "channel" && channels.contains { match[entry.key]?.fits($0.plan.name) == true })
            // What is nearly a property has been told, and nothing is there for `*`.
            guard isSlip || !isGiven, let condition = match[entry.key], !condition.fits(""),
                !reader.hasProblem(at: entry.keyMark.position)
            else { continue }
            let isBeside = place?.options.contains { $0.name == entry.key } ?? false
            let key = reader.shown(node, entry.key)
            reader.report(
                Problem(
                    entry.keyMark.position,
                    "'\(key)' in '\(name)' is taken for a label"
                        + (isGiven
                            ? ": it matches nothing unless a source gives that label"
                            : ", which source \(seen.quotedNames) does not give, so it can never match"),
                    advice: isBeside
                        ? "write '\(key)' beside 'match'"
                        : "'\(name)' goes by \(Match.properties.joined(separator: ", ")) and labels",
                    // Observations of files may have any label, whatever the source that they are said to be of.
                    level: isSlip && !isGiven && place != nil ? .error : .warning))
        }
    }

    /// A rate of nobody knows how many carries no alarm, and a config can say for certain that there is no count.
    private mutating func checkCounts(_ rule: DetectorPlan, _ place: Rules.Place, _ sources: SourceList) {
        let seen = sources.seen(by: rule.match)
        let metrics = rule.detector.metrics
        // Where the metric itself is not given, that is told.
        guard reader.isCertain(place.value), !reader.hasError(at: place.position) else { return }
        guard rule.detector.needsCounts, let metric = metrics.first, let count = metric.denominator, !seen.isEmpty,
            metrics.allSatisfy({ metric in
                seen.allSatisfy { entry in
                    guard let given = entry.source?.metrics, let count = metric.denominator else { return false }
                    return !given.contains(count)
                }
            })
        else { return }
        let takesBare = place.options.contains { spec in
            if case .orOff = spec.kind { spec.name == "confidence" } else { false }
        }
        reader.report(
            Problem(
                place.position,
                "rule '\(rule.name)' can never judge anything: source \(seen.quotedNames) gives '\(metric.name)' without "
                    + "'\(count.name)', the number that it is a share of",
                advice: "have the source give '\(count.name)', too"
                    + (takesBare ? "; only confidence: off with min_volume: 0 takes a bare rate" : ""),
                level: .warning))
    }

    /// What a source measures besides sessions and users is taken as it was measured, and who writes a longer window may expect
    /// an average.
    private mutating func checkWindow(_ rule: DetectorPlan, _ place: Rules.Place, _ sources: SourceList) {
        let seen = sources.seen(by: rule.match)
        let metrics = rule.detector.metrics
        guard let window = place.entries.first(where: { $0.key == "window" }), reader.isCertain(place.value),
            let metric = metrics.first, metrics.allSatisfy({ $0.unit == .unknown }),
            let asked = rule.detector.spans.min(), !seen.isEmpty,
            seen.allSatisfy({ entry in entry.source?.onlySpan.map { $0 < asked } ?? false })
        else { return }
        reader.report(
            Problem(
                window.keyMark.position,
                "'window' does not average '\(metric.name)': source \(seen.quotedNames) measures shorter spans, and the newest "
                    + "is judged",
                advice: "leave 'window' out; 'for' says how long it must last", level: .warning))
    }
}

extension ConfigLoader.Rules {
    /// Whether each rule of the config is known that judges.
    var areAllKnown: Bool { unread.isEmpty && index.areAllMade }

    /// Those of which something is not known because its secret is not.
    var unreadRules: [UnreadRule] {
        places.filter(\.isUnread).map { UnreadRule(name: $0.name, judges: $0.isDetector) }
            + unread.map { UnreadRule(name: $0, judges: true) }
    }

    /// The rules that judge whose names a match fits; nil where it names none, and where it may mean something else: the
    /// bot's own troubles, or a rule that could not be read.
    func judging(matchedBy match: Match) -> [Place]? {
        guard let condition = match["rule"], !Trouble.allCases.contains(where: { condition.fits($0.rawValue) }),
            !condition.fitsAny(of: index.unread)
        else { return nil }
        return index.places(of: condition).map { places[$0] }.filter(\.isDetector)
    }

    /// The severities that incidents of the rules can have that a match names; nil where it names none, or not all of
    /// them tell.
    func severities(matchedBy match: Match) -> Set<Severity>? {
        guard let places = judging(matchedBy: match) else { return nil }
        var all: Set<Severity> = []
        for place in places {
            guard !place.isUnread, let severities = detector(place.name)?.detector.severities else { return nil }
            all.formUnion(severities)
        }
        return all
    }
}
