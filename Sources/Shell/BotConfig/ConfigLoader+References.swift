internal import AlertCore
internal import PluginKit
internal import YAMLKit

// What only the whole config can tell: names that do not exist, rules that can never match, routes that nobody reaches.

extension ConfigLoader {
    mutating func checkReferences(
        _ entries: [Entry], _ bot: BotSettings, _ sources: SourceList, _ channels: [ChannelEntry], _ rules: Rules,
        _ routes: [RouteEntry]
    ) {
        let channelNames = NameList(channels.map(\.plan.name))
        let sourceNames = NameList(sources.map(\.plan.name))
        if let reportTo = bot.reportTo, !channelNames.contains(reportTo) {
            let section = entries.first { $0.key == "bot" }?.value.mapping ?? []
            if let node = section.first(where: { $0.key == "report_to" })?.value {
                reportMissing("channel", reportTo, at: node.position, among: channelNames)
            }
        }
        for (name, position) in routes.flatMap(\.to) where !channelNames.contains(name) {
            reportMissing("channel", name, at: position, among: channelNames, orRotation: true)
        }
        checkReach(routes)
        let detectorNames = NameList(
            rules.places.filter(\.isDetector).map(\.name) + rules.unread + Trouble.allCases.map(\.rawValue))
        // Of the bot's own troubles the source is what they are about.
        let subjects = Subjects(
            names: NameList(sourceNames.names + channelNames.names),
            others: Set(Trouble.things + rules.places.filter(\.hasTemplate).map(\.name)))
        let sourcesAlone = Subjects(names: sourceNames)
        for route in routes {
            checkMatch(route.route.match, route.match, subjects, detectorNames, isDetector: false)
        }
        for place in rules.places {
            checkMatch(
                place.conditions, place.match, place.isDetector ? sourcesAlone : subjects,
                detectorNames, isDetector: place.isDetector,
                readsIssues: rules.detector(place.name)?.detector.readsIssues ?? false)
            if place.isDetector { checkGiven(place, rules, sources) }
            for spec in place.options {
                guard let node = place.entries.first(where: { $0.key == spec.name })?.value else { continue }
                checkNames(in: node, spec.kind, [.channel: channelNames, .source: sourceNames])
                if case .match = spec.kind, let match = reader.match(node, spec.name) {
                    checkMatch(match, node, subjects, detectorNames, isDetector: false)
                }
            }
        }
        checkWaiting(rules)
        checkExceptions(rules)
    }

    /// Names of other things in the options of a plugin.
    private mutating func checkNames(in node: Node, _ kind: OptionKind, _ known: [OptionKind.Reference: NameList]) {
        switch kind {
        case .list(let inner, _): for element in node.elements { checkNames(in: element, inner, known) }
        case .name(of: let what):
            guard case .scalar(let written, _) = node.kind, !node.isNull, !written.isEmpty, !written.contains("${"),
                let names = known[what], !names.contains(written)
            else { return }
            reportMissing(what.rawValue, written, at: node.position, among: names)
        default: return
        }
    }

    /// Gates that wait for incidents must not be waited for by those same incidents.
    private mutating func checkWaiting(_ rules: Rules) {
        let waiting = WaitingGates(rules.gates)
        let circles = waiting.circles
        for (index, gate) in waiting.gates.enumerated() {
            guard let cause = gate.gate.waitsFor, let place = rules.place(gate.name) else { continue }
            if !gate.match.conditions.isEmpty, gate.match.isWithin(cause) {
                reader.report(
                    place.position,
                    "everything that '\(gate.name)' matches explains itself, so it never holds anything",
                    advice: "let 'match' and what it waits for name different things")
            }
            // Each circle is told once, at the first of its rules in the file.
            if let circle = circles[index] {
                let names = circle.map { waiting.gates[$0].name } + [gate.name]
                reader.report(
                    place.position,
                    "rules wait for each other in a circle: \(names.joined(separator: ", "))",
                    advice: "remove one of them, or narrow its 'match'")
            }
        }
    }

    /// - Parameter mayBeRotation: whether a rotation may stand there, too.
    mutating func reportMissing(
        _ what: String, _ name: String, at position: Position, among names: NameList,
        orRotation mayBeRotation: Bool = false
    ) {
        let shown = reader.shown(name: name, at: position)
        guard reader.isWhole else { return }
        let bare = name.hasPrefix(Rotation.prefix) ? String(name.dropFirst(Rotation.prefix.count)) : name
        let isRotation = what == "channel" && reader.rotations?[bare] != nil
        let advice =
            isRotation && !mayBeRotation
            ? "a rotation can stand in a route's 'to' and in a channel's 'mention' alone; name a channel here"
            : shown == name ? name.adviceOnSpace : "write the name of the \(what), not an address"
        reader.report(
            position, "there is no \(what) '\(shown.clipped(to: 60))'\(names.known)",
            isRotation ? mayBeRotation ? Rotation.prefix + name : nil : names.nearest(to: name), advice: advice)
    }

    /// What a match can name as a source.
    private struct Subjects {
        let names: NameList
        /// What else there is, of which nobody needs to be told.
        var others: Set<String> = []
    }

    /// Names in a match must be names of things; and a detector sees subjects, which have no severity and no rule.
    private mutating func checkMatch(
        _ match: Match, _ node: Node?, _ subjects: Subjects, _ ruleNames: NameList, isDetector: Bool,
        readsIssues: Bool = false
    ) {
        guard let node else { return }
        for entry in node.mapping {
            guard let condition = match[entry.key] else { continue }
            if isDetector, ["severity", "issue", "rule"].contains(entry.key), !(readsIssues && entry.key == "issue") {
                reader.report(
                    entry.keyMark.position,
                    "a rule that judges observations can never match '\(entry.key)': observations have none",
                    advice: entry.key == "severity" ? "use 'match' of a route or of a gate" : nil)
                continue
            }
            guard let names = entry.key == "source" ? subjects.names : entry.key == "rule" ? ruleNames : nil else {
                continue
            }
            let others = entry.key == "source" ? subjects.others : []
            for (element, pattern) in zip(entry.value.elements, condition.patterns)
            where !names.hasAny(like: pattern) && !pattern.fitsAny(of: others) {
                let shown = reader.shown(element, pattern.pattern)
                if pattern.isExact {
                    reportMissing(entry.key, shown, at: element.position, among: names)
                } else if reader.isWhole {
                    reader.report(
                        element.position,
                        "'\(shown)' fits no \(entry.key), so it can never match; known: \(names.names.shortened.joined(separator: ", "))"
                    )
                }
            }
        }
    }

    /// Every metric of a rule must be given by a source that the rule looks at, and issues where it judges those.
    private mutating func checkGiven(_ place: Rules.Place, _ rules: Rules, _ sources: SourceList) {
        let written = place.value.metrics
        guard reader.isWhole, !written.contains(where: { $0.name.contains("${") }) else { return }
        let detector = rules.detector(place.name)?.detector
        let seen = sources.seen(by: place.conditions)
        // A source whose own options are wrong has been told so; what it gives is not known.
        guard !seen.isEmpty, seen.areAllRead else { return }
        var names: String { seen.shortNames.listed }
        var all: String { seen.shortNames.joined(separator: ", ") }
        if detector?.readsIssues == true, !seen.givesIssues {
            reader.report(
                place.position, "rule '\(place.name)' judges issues, but none of its sources gives any: \(names)",
                advice: "use 'match' to point it at a source that does")
        }
        for metric in detector?.metrics ?? written.map({ Metric($0.name) }) {
            guard !seen.gives(metric) else {
                warnOfSlip(metric, seen, at: written.first { $0.name == metric.name }?.position ?? place.position)
                continue
            }
            let position = written.first { $0.name == metric.name }?.position ?? place.position
            let given = seen.metricNames
            let missing = "no source of this rule gives '\(metric.name)'"
            if given.isEmpty {
                let givesIssues = seen.givesIssues
                let verb = seen.count == 1 ? "gives" : "give"
                reader.report(
                    position, "\(missing); \(all) \(verb) \(givesIssues ? "issues only" : "no figures")",
                    advice: givesIssues
                        ? "use a rule that needs no figures, such as new_issue or regression"
                        : "use 'match' to point it at a source that does")
            } else {
                reader.report(
                    position, "\(missing); \(names) gives \(given.shortened.listed)", metric.name.nearest(in: given))
            }
        }
    }

    /// A source that may give any name may also give one that is nearly a well-known one; more likely somebody's hand
    /// slipped, and the rule would wait for ever.
    private mutating func warnOfSlip(_ metric: Metric, _ seen: SourceList, at position: Position) {
        guard case .other(let name) = metric, !seen.contains(where: { $0.source?.metrics?.contains(metric) == true }),
            let meant = name.nearest(in: Metric.wellKnown.map(\.name))
        else { return }
        reader.report(
            Problem(
                position, "'\(name)' is no metric that alertbot knows, so a source has to give it by that name",
                suggestion: meant, level: .warning))
    }

    /// A route behind one that takes all that it matches is never reached.
    private mutating func checkReach(_ routes: [RouteEntry]) {
        var ends: [Set<Match.Condition>: Position] = [:]
        // Those with lists and patterns, which may take all of what is written in another way.
        var wide: [(match: Match, place: Position)] = []
        for route in routes {
            let match = route.route.match.narrowed
            let own = Set(match.conditions)
            // What could not be read may be anything.
            if route.mayMatchLess { continue }
            if let match = route.match, !reader.isCertain(match) { continue }
            let part = own.parts.first { ends[$0] != nil }
            if let place = ends[[]] {
                reportUnreached(route, behind: place, that: "everything")
            } else if let place = ends[own] {
                reportUnreached(route, behind: place, that: "the same")
            } else if let place = part.flatMap({ ends[$0] }) ?? wide.first(where: { match.isWithin($0.match) })?.place {
                reportUnreached(route, behind: place, that: "all that it does")
            }
            guard !route.route.continues else { continue }
            if ends[own] == nil { ends[own] = route.position }
            if wide.count < ConfigLoader.wideMax, match.conditions.contains(where: \.isWide) {
                wide.append((match, route.position))
            }
        }
    }

    private mutating func reportUnreached(_ route: RouteEntry, behind place: Position, that matches: String) {
        guard let position = route.match?.position ?? route.to.first?.position else { return }
        // Routes of an included file stand before those of the config wherever it puts them.
        let isFar = place.file != position.file
        let file = isFar ? " of \(place.file ?? "the config")" : ""
        reader.report(
            position, "this route is never reached: the one on line \(place.line)\(file) matches \(matches)",
            advice: isFar
                ? "let that one match less, or add continue: true to it"
                : "move this one before it, or add continue: true to that one")
    }

    /// Each route is compared with those; nobody writes as many.
    private static let wideMax = 256
}

extension Node {
    /// The metrics named anywhere in a rule: its own, or those of its conditions.
    fileprivate var metrics: [(name: String, position: Position)] {
        switch kind {
        case .mapping(let entries):
            entries.flatMap { entry -> [(name: String, position: Position)] in
                guard entry.key == "metric", case .scalar(let name, _) = entry.value.kind else {
                    return entry.value.metrics
                }
                return [(name, entry.value.position)]
            }
        case .sequence(let nodes): nodes.flatMap(\.metrics)
        default: []
        }
    }
}

extension Match.Condition {
    /// Whether several values fit it.
    fileprivate var isWide: Bool { patterns.count != 1 || !patterns.allSatisfy(\.isExact) }
}

extension Set<Match.Condition> {
    /// All that are made of some of them; of a match with more conditions than anybody writes, those of the first.
    fileprivate var parts: some Sequence<Self> {
        let all = sorted { $0.property < $1.property }.prefix(8)
        return (0..<(1 << all.count)).lazy.map { choice in
            Set(all.enumerated().filter { choice & (1 << $0.offset) != 0 }.map(\.element))
        }
    }
}
