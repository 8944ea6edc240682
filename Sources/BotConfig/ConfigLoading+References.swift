internal import AlertCore
internal import PluginKit
internal import YAMLKit

// What only the whole config can tell: names that do not exist, rules that can never match, routes that nobody reaches.

extension ConfigLoading {
    mutating func checkReferences(
        _ entries: [Entry], _ bot: BotSettings, _ sources: [SourceEntry], _ channels: [ChannelEntry], _ rules: Rules,
        _ routes: [RouteEntry]
    ) {
        let channelNames = channels.map(\.plan.name)
        let sourceNames = sources.map(\.plan.name)
        if let reportTo = bot.reportTo, !channelNames.contains(reportTo) {
            let section = entries.first { $0.key == "bot" }?.value.mapping ?? []
            if let node = section.first(where: { $0.key == "report_to" })?.value {
                reportMissing("channel", reportTo, at: node.position, among: channelNames)
            }
        }
        for (name, position) in routes.flatMap(\.to) where !channelNames.contains(name) {
            reportMissing("channel", name, at: position, among: channelNames)
        }
        checkReach(routes)
        let detectorNames = rules.places.filter(\.isDetector).map(\.name) + Trouble.allCases.map(\.rawValue)
        for route in routes {
            checkMatch(route.route.match, route.match, sourceNames + channelNames, detectorNames, isDetector: false)
        }
        for place in rules.places {
            checkMatch(
                place.conditions, place.match, place.isDetector ? sourceNames : sourceNames + channelNames,
                detectorNames,
                isDetector: place.isDetector)
            if place.isDetector { checkMetric(place, rules, sources) }
        }
    }

    private mutating func reportMissing(_ what: String, _ name: String, at position: Position, among names: [String]) {
        let known = names.isEmpty ? "" : "; known: \(names.sorted().listed)"
        reader.report(position, "there is no \(what) '\(name.clipped(to: 60))'\(known)", name.nearest(in: names))
    }

    /// Names in a match must be names of things; and a detector sees subjects, which have no severity and no rule.
    private mutating func checkMatch(
        _ match: Match, _ node: Node?, _ sourceNames: [String], _ ruleNames: [String], isDetector: Bool
    ) {
        guard let node else { return }
        for entry in node.mapping {
            guard let condition = match[entry.key] else { continue }
            if isDetector, ["severity", "issue", "rule"].contains(entry.key) {
                reader.report(
                    entry.keyMark.position,
                    "a rule that judges observations can never match '\(entry.key)': observations have none",
                    advice: entry.key == "severity" ? "use 'match' of a route or of a gate" : nil)
                continue
            }
            guard let names = entry.key == "source" ? sourceNames : entry.key == "rule" ? ruleNames : nil else {
                continue
            }
            for (element, pattern) in zip(entry.value.elements, condition.patterns)
            where !names.contains(where: pattern.fits) {
                let shown = reader.shown(element, pattern.pattern)
                if pattern.isExact {
                    reportMissing(entry.key, shown, at: element.position, among: names)
                } else {
                    reader.report(
                        element.position,
                        "'\(shown)' fits no \(entry.key), so it can never match; known: \(names.listed)")
                }
            }
        }
    }

    /// Every metric of a rule must be given by a source that the rule looks at.
    private mutating func checkMetric(_ place: Rules.Place, _ rules: Rules, _ sources: [SourceEntry]) {
        guard let node = place.metric, case .scalar(let written, _) = node.kind, !written.contains("${") else { return }
        let metrics = rules.detectors.first { $0.name == place.name }?.detector.metrics ?? [written]
        let seen = sources.filter { entry in
            place.conditions["source"].map { $0.patterns.contains { $0.fits(entry.plan.name) } } ?? true
        }
        // A source whose own options are wrong has been told so; what it gives is not known.
        guard !seen.isEmpty, seen.allSatisfy({ $0.source != nil }) else { return }
        for metric in metrics {
            let isGiven = seen.contains { entry in
                guard let given = entry.source?.metrics else { return true }
                return given.contains(metric) || MetricNature(of: metric).canBeComputed(from: given)
            }
            guard !isGiven else { continue }
            let given = seen.compactMap { $0.source?.metrics }.reduce(Set<String>()) { $0.union($1) }
            let names = seen.map(\.plan.name).sorted().listed
            reader.report(
                node.position, "no source of this rule gives '\(metric)'; \(names) gives \(given.sorted().listed)",
                metric.nearest(in: given.sorted()))
        }
    }

    /// A route behind one that matches everything is never reached.
    private mutating func checkReach(_ routes: [RouteEntry]) {
        guard let last = routes.firstIndex(where: { $0.route.match.conditions.isEmpty && !$0.route.continues }) else {
            return
        }
        for route in routes[(last + 1)...] {
            guard let position = route.match?.position ?? route.to.first?.position else { continue }
            reader.report(
                position, "this route is never reached: one before it matches everything",
                advice: "put it first, or add continue: true there")
        }
    }
}
