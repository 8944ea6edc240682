internal import AlertCore
internal import PluginKit
internal import YAMLKit

extension ConfigLoader {
    struct Rules {
        var detectors: [DetectorPlan] = []
        var gates: [GatePlan] = []
        /// Where each rule stands, and what of it can be complained about.
        var places: [Place] = []
        /// The names of those of which not even the plugin is known.
        var unread: [String] = []
        /// Made when all of them have been read.
        private(set) var index = RulesByName()

        mutating func list() { index = RulesByName(detectors, places, unread: unread) }

        struct Place {
            let name: String
            let position: Position
            let match: Node?
            let conditions: Match
            let value: Node
            let isDetector: Bool
            let entries: [Entry]
            let options: [OptionSpec]
            /// Whether secrets were left alone that it is made of.
            var isUnread = false

            var hasTemplate: Bool { entries.contains { $0.key == RuleSettings.template.name } }
        }
    }

    mutating func readRules(_ things: [Named], _ zone: Zone, _ sources: SourceList) -> Rules {
        var rules = Rules()
        for thing in things { read(thing, zone, sources, into: &rules) }
        for index in rules.places.indices { rules.places[index].isUnread = reader.hasUnread(rules.places[index].value) }
        // Before those of the file: what keeps coming and going is to use up no budget.
        rules.gates = gatesAlwaysThere(besides: rules.gates, zone, sources) + rules.gates
        rules.list()
        return rules
    }

    private enum RuleKind {
        case detector(any Detector.Type)
        case gate(any Gate.Type)

        var isDetector: Bool {
            if case .detector = self { true } else { false }
        }
    }

    private mutating func read(_ thing: Named, _ zone: Zone, _ sources: SourceList, into rules: inout Rules) {
        if Trouble(rawValue: thing.name) != nil {
            reader.report(
                thing.position, "'\(thing.name)' is the name of one of the bot's own troubles; choose another")
        }
        let what = "rule '\(thing.name)'"
        let entries = reader.entries(of: thing.value, what)
        let match = reader.options([RuleSettings.match], in: entries, at: thing.position, what)[RuleSettings.match]
        let plugins =
            reader.catalog.detectors.map { (manifest: $0.manifest, type: RuleKind.detector($0)) }
            + reader.catalog.gates.map { (manifest: $0.manifest, type: RuleKind.gate($0)) }
        guard let plugin = plugin(thing, entries, "rule", among: plugins, common: [RuleSettings.match.name]) else {
            rules.unread.append(thing.name)
            return
        }
        let isDetector = plugin.type.isDetector
        rules.places.append(
            Rules.Place(
                name: thing.name, position: thing.position,
                match: entries.first { $0.key == RuleSettings.match.name }?.value, conditions: match,
                value: thing.value, isDetector: isDetector, entries: entries, options: plugin.manifest.options))
        let options = reader.options(
            of: plugin.manifest, name: thing.name, at: thing.position, entries,
            common: (isDetector ? Vocabulary.detector : Vocabulary.gate).names, what)
        let context = RuleContext(
            name: thing.name, zone: isDetector ? zone : readZone(entries, thing) ?? zone,
            checksPerDay: checksPerDay(match, sources))
        switch plugin.type {
        case .detector(let type):
            let plan = detector(type, thing, entries, options, context, match)
            if let plan { rules.detectors.append(plan) }
        case .gate(let type):
            let gate = make(thing, options) { options throws(ProblemList) -> any Gate in
                try type.init(options: options, context: context)
            }
            if let gate { rules.gates.append(GatePlan(name: thing.name, gate: gate, match: match)) }
        }
    }

    private mutating func detector(
        _ type: any Detector.Type, _ thing: Named, _ entries: [Entry], _ options: Options, _ context: RuleContext,
        _ match: Match
    ) -> DetectorPlan? {
        let detector = make(thing, options) { options throws(ProblemList) -> any Detector in
            try type.init(options: options, context: context)
        }
        // What its plugin refuses hides no mistake of these.
        let reminder = readRepeat(entries, thing) ?? type.remindsAfter
        let links = readLinks(entries, thing)
        let template = readTemplate(entries, thing, context.zone)
        guard let detector else { return nil }
        for caution in detector.cautions { reader.report(caution) }
        return DetectorPlan(
            name: thing.name, detector: detector, match: match, repeat: reminder, links: links, template: template)
    }

    /// Makes a rule. What is suggested in place of one of its options is tried, too: what its plugin would refuse is no
    /// help.
    private mutating func make<Made>(
        _ thing: Named, _ options: Options, _ making: (Options) throws(ProblemList) -> Made
    ) -> Made? {
        let own = thing.value.places
        for suggestion in reader.suggested(at: own) {
            var meant = options
            meant[named: suggestion.name] = suggestion.option
            do throws(ProblemList) {
                _ = try making(meant)
            } catch {
                guard error.problems.contains(where: { $0.position == suggestion.option.position }) else { continue }
                reader.withdrawSuggestion(at: suggestion.option.position)
            }
        }
        return make(thing) { () throws(ProblemList) in try making(options) }
    }

    /// Gates that stand in every config; rules of their plugin take the place of the one with its defaults, for what they match.
    private mutating func gatesAlwaysThere(
        besides rules: [GatePlan], _ zone: Zone, _ sources: SourceList
    ) -> [GatePlan] {
        reader.catalog.gates.filter { $0.isAlwaysThere }.compactMap { type in
            let plugin = type.manifest.name
            let written = rules.filter { Swift.type(of: $0.gate).manifest.name == plugin }
            guard !written.contains(where: { $0.match.conditions.isEmpty }) else { return nil }
            var name = plugin
            while rules.contains(where: { $0.name == name }) { name += "-default" }
            let context = RuleContext(name: name, zone: zone, checksPerDay: checksPerDay(.all, sources))
            let position = Position(line: 1, column: 1)
            // Its own defaults are no mistake; a test makes every such gate.
            return (try? type.init(options: Options(name: name, position: position), context: context))
                .map { GatePlan(name: name, gate: $0, isImplied: true, sparing: written.map(\.match)) }
        }
    }

    /// The time between reminders, or nil for none; nil altogether where nothing is said of it.
    private mutating func readRepeat(_ entries: [Entry], _ thing: Named) -> Duration?? {
        let said = reader.options(
            [RuleSettings.reminder], in: entries, at: thing.position, "rule '\(thing.name)'")
        return said[RuleSettings.reminder]
    }

    /// The links of its messages: the runbook first.
    private mutating func readLinks(_ entries: [Entry], _ thing: Named) -> [Message.Link] {
        let said = reader.options(
            [RuleSettings.runbook, RuleSettings.links], in: entries, at: thing.position, "rule '\(thing.name)'")
        let title = words[.linkRunbook]
        let runbook = said[RuleSettings.runbook].map { Message.Link(title, $0) }
        return [runbook].compactMap(\.self)
            + said[RuleSettings.links].map { Message.Link($0.name, $0.value) }
    }

    /// The time zone of a gate; nil for the bot's.
    private mutating func readZone(_ entries: [Entry], _ thing: Named) -> Zone? {
        let said = reader.options(
            [RuleSettings.timezone], in: entries, at: thing.position, "rule '\(thing.name)'")
        return said[RuleSettings.timezone].map { zone($0, at: said.position(of: RuleSettings.timezone)) }
    }

    /// Its messages in a team's own words.
    private mutating func readTemplate(_ entries: [Entry], _ thing: Named, _ zone: Zone) -> MessageTemplate? {
        let said = reader.options(
            [RuleSettings.template], in: entries, at: thing.position, "rule '\(thing.name)'")
        return readTemplate(RuleSettings.template, said, zone)
    }

    /// At most how often a day a rule can check one subject: once per throttle of its fastest source.
    private func checksPerDay(_ match: Match, _ sources: SourceList) -> Double {
        let fastest = sources.seen(by: match).throttle ?? PollingSettings.throttle.default
        return Duration.days(1).inSeconds / max(fastest.inSeconds, 1)
    }

    struct RouteEntry {
        let route: Route
        let to: [(name: String, position: Position)]
        let match: Node?
        let position: Position
        /// Whether it may match less than is known: what its mistake left out may be the 'match'.
        let mayMatchLess: Bool
    }

    mutating func readRoutes(_ node: Node?) -> [RouteEntry] {
        guard let node, !node.isNull else { return [] }
        guard case .sequence(let nodes) = node.kind else {
            reader.hide(node)
            reader.report(
                node.position, "'routes' must be a list, not \(node.kindName)", advice: "write - to: [CHANNEL]")
            return []
        }
        return nodes.map { node in
            let entries = reader.entries(of: node, "a route")
            let meant = reader.reportUnknown(entries, known: Vocabulary.route.names, in: "a route")
            let matchNode = entries.first { $0.key == RuleSettings.match.name }?.value
            let hasTo = entries.contains { $0.key == "to" }
            var to: [(name: String, position: Position)] = []
            var onCall: [Rotation] = []
            if let entry = entries.first(where: { $0.key == "to" }) {
                for element in entry.value.elements {
                    if element.namesRotation {
                        if let rotation = readRotation(forRoute: element) { onCall.append(rotation) }
                    } else if let option = reader.option(element, "to", .name(of: .channel)),
                        case .text(let name) = option.value
                    {
                        to.append((name.description, element.position))
                    }
                }
            } else if node.isMapping || node.isNull, !meant.contains("to") {
                reader.report(
                    node.position, "a route needs 'to': the channels it leads to", advice: "write to: [CHANNEL]")
            }
            let said = reader.options(
                [RuleSettings.match, Vocabulary.continues], in: entries, at: node.position, "a route")
            // What is there and cannot be read was meant to be true: that is why people write it.
            let isMeant =
                meant.contains(Vocabulary.continues.name)
                || !said.has(Vocabulary.continues) && entries.contains { $0.key == Vocabulary.continues.name }
            return RouteEntry(
                route: Route(
                    match: said[RuleSettings.match], to: to.map(\.name), onCall: onCall,
                    continues: said[Vocabulary.continues] || isMeant),
                to: to, match: matchNode, position: node.position,
                mayMatchLess: !hasTo
                    || matchNode == nil && entries.contains { !Vocabulary.route.names.contains($0.key) })
        }
    }
}
