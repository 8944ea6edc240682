internal import AlertCore
internal import PluginKit
internal import YAMLKit

extension ConfigLoader {
    /// A class, because every rule picks its own among all of them, and a copy has some twenty parts to retain.
    final class SourceEntry {
        let plan: SourcePlan
        /// Nil when its options were wrong.
        let source: (any Source)?
        /// Nil where none of its secrets can be replaced while the bot runs.
        let renewal: SourceRenewal?
        let position: Position

        init(plan: SourcePlan, source: (any Source)?, renewal: SourceRenewal?, position: Position) {
            self.plan = plan
            self.source = source
            self.renewal = renewal
            self.position = position
        }
    }

    struct ChannelEntry {
        let plan: ChannelPlan
        let channel: (any Channel)?
        let position: Position
    }

    /// What holds for every source that says nothing else.
    mutating func readPolling(_ node: Node?) -> Options {
        let entries = node.map { reader.entries(of: $0, "'polling'") } ?? []
        reader.reportUnknown(entries, known: PollingSettings.ofAll.map(\.name), in: "'polling'")
        return readPacing(PollingSettings.ofAll, in: entries, at: node?.position, "'polling'")
    }

    private mutating func readPacing(
        _ settings: [any SettingDeclaration], in entries: [Entry], at position: Position?, _ what: String
    ) -> Options {
        let options = reader.options(settings, in: entries, at: position ?? Position(line: 1, column: 1), what)
        checkOrder(options)
        return options
    }

    /// The three intervals must be in order as far as they are written; defaults give way.
    private mutating func checkOrder(_ options: Options) {
        func compare(_ small: Setting<Duration>, _ large: Setting<Duration>) {
            guard let a = options.written(small), let b = options.written(large), a > b else { return }
            reader.report(
                options.position(of: small),
                "'\(small.name)' (\(a.grammar)) is longer than '\(large.name)' (\(b.grammar))")
        }
        compare(PollingSettings.throttle, PollingSettings.every)
        compare(PollingSettings.every, PollingSettings.slowest)
        compare(PollingSettings.throttle, PollingSettings.slowest)
    }

    mutating func readSources(_ things: [Named], _ polling: Options) -> SourceList {
        SourceList(readEntries(things, polling))
    }

    private mutating func readEntries(_ things: [Named], _ polling: Options) -> [SourceEntry] {
        let plugins = reader.catalog.sources.map { (manifest: $0.manifest, type: $0) }
        return things.map { thing in
            let entries = reader.entries(of: thing.value, "source '\(thing.name)'")
            let pacing = readPacing(
                PollingSettings.ofSource, in: thing.value.mapping, at: thing.position, "source '\(thing.name)'")
            var plan = sourcePlan(thing.name, pacing, polling)
            let isLinked = readWhereabouts(of: &plan, thing, entries)
            var source: (any Source)?
            var secrets: [Secret] = []
            var renewal: SourceRenewal?
            let common = PollingSettings.ofSource + SourceSettings.all
            if let plugin = plugin(thing, entries, "source", among: plugins, common: common.map { $0.name }) {
                let read = { @Sendable (reader: inout ConfigReader) in
                    reader.options(
                        of: plugin.manifest, name: thing.name, at: thing.position, entries,
                        common: Vocabulary.source(plugin.manifest).names, "source '\(thing.name)'")
                }
                let seen = reader.secretsRead.seen.count
                let options = read(&reader)
                plan.lateness = plugin.type.lateness(options)
                secrets = Array(reader.secretsRead.seen[seen...])
                let context = SourceContext(
                    name: thing.name, folder: folder, every: plan.every, slowest: plan.slowest,
                    timeout: plan.timeout, zones: reader.surroundings.zones)
                if plugin.manifest.isConnected {
                    plan.connection = readConnection(thing, entries, "source '\(thing.name)'")
                }
                source = make(thing) { () throws(ProblemList) in
                    try plugin.type.init(options: options, context: context)
                }
                for caution in source?.cautions ?? [] { reader.report(caution) }
                if source != nil, thing.value.namesReplaceableSecrets {
                    let fresh = reader.afresh
                    renewal = SourceRenewal(from: secrets) {
                        var reader = fresh
                        let options = read(&reader)
                        guard !reader.problems.contains(where: { $0.level == .error }),
                            let source = try? plugin.type.init(options: options, context: context)
                        else { return nil }
                        return SourceRenewal.Made(source, secrets: reader.secretsRead.seen)
                    }
                }
            }
            plan.host = source?.host
            plan.account = source?.account
            if !isLinked { plan.dashboard = source?.dashboard.flatMap { ownPage($0, secrets) } }
            plan.isPushed = source is any PushedSource
            plan.isOfAlerts = plan.isPushed && source?.givesIssues == true
            return SourceEntry(plan: plan, source: source, renewal: renewal, position: thing.position)
        }
    }

    /// Where people look at its figures, and who looks after them.
    ///
    /// - Returns: whether the config says where people look, or that they are to be shown nothing.
    private mutating func readWhereabouts(of plan: inout SourcePlan, _ thing: Named, _ entries: [Entry]) -> Bool {
        let own = reader.options(
            SourceSettings.all, in: entries, at: thing.position, "source '\(thing.name)'")
        plan.owner = own[SourceSettings.owner]
        guard let written = own[SourceSettings.dashboard] else { return false }
        guard let dashboard = written else { return true }
        if SourceSettings.isDashboard(dashboard) {
            plan.dashboard = dashboard
        } else {
            reader.report(
                own.position(of: SourceSettings.dashboard),
                "'dashboard' is '\(dashboard.tamed.clipped(to: 100))', expected an http or https address, which may hold "
                    + SourceSettings.placeholders.listed,
                advice: SourceSettings.filled(dashboard).contains("{") ? "write other braces as %7B and %7D" : nil)
        }
        return true
    }

    /// The page that a plugin knows, unless it is no link or tells what nobody may see: whoever wrote the plugin.
    private func ownPage(_ template: String, _ secrets: [Secret]) -> String? {
        let values = secrets.map { $0.reveal() }.filter { !$0.isEmpty }
        let isTelling = values.contains { template.contains($0) || template.contains($0.percentEncoded) }
        return SourceSettings.isDashboard(template) && !isTelling ? template : nil
    }

    /// The pace of a source: what it says itself, or else what is said for all.
    private func sourcePlan(_ name: String, _ own: Options, _ polling: Options) -> SourcePlan {
        typealias Polling = PollingSettings
        func value<Value>(_ setting: Setting<Value>) -> Value { own.written(setting) ?? polling[setting] }
        func backoff<Value>(_ setting: Setting<Value>) -> Value {
            own[Polling.backoff].written(setting) ?? polling[Polling.backoff][setting]
        }
        let intervals = intervals(own, polling)
        return SourcePlan(
            name: name, every: intervals[1], throttle: intervals[0], slowest: intervals[2],
            timeout: value(Polling.timeout), jitter: value(Polling.jitter), perHost: own.written(Polling.perHost),
            backoffFactor: backoff(Polling.factor), slowsWhen: Set(backoff(Polling.when)))
    }

    /// The three intervals of a source, shortest first. What the source does not say gives way to what it says, and a
    /// default to what is said for all.
    private func intervals(_ own: Options, _ polling: Options) -> [Duration] {
        let settings = [PollingSettings.throttle, PollingSettings.every, PollingSettings.slowest]
        let levels = settings.map { own.written($0) != nil ? 2 : polling.written($0) != nil ? 1 : 0 }
        var values = settings.map { own.written($0) ?? polling[$0] }
        for level in [1, 0] {
            for place in values.indices where levels[place] == level {
                for stronger in values.indices where levels[stronger] > level {
                    let bound = values[stronger]
                    values[place] = stronger < place ? max(values[place], bound) : min(values[place], bound)
                }
            }
        }
        return values
    }

    mutating func readChannels(_ things: [Named], _ bot: BotSettings) -> [ChannelEntry] {
        let plugins = reader.catalog.channels.map { (manifest: $0.manifest, type: $0) }
        return things.map { thing in
            let entries = reader.entries(of: thing.value, "channel '\(thing.name)'")
            var channel: (any Channel)?
            var connection = Connection.usual
            var place: UInt64?
            var home: ChannelPlan.Home?
            let common: [any SettingDeclaration] = [ChannelSettings.acknowledged, ChannelSettings.template]
            if let plugin = plugin(thing, entries, "channel", among: plugins, common: common.map { $0.name }) {
                let options = reader.options(
                    of: plugin.manifest, name: thing.name, at: thing.position, entries,
                    common: Vocabulary.channel(plugin.manifest).names,
                    "channel '\(thing.name)'")
                place = options.place(of: plugin.manifest)
                let context = ChannelContext(name: thing.name, bot: bot.name, zone: bot.zone)
                if plugin.manifest.isConnected {
                    connection = readConnection(thing, entries, "channel '\(thing.name)'")
                }
                channel = make(thing) { () throws(ProblemList) in
                    try plugin.type.init(options: options, context: context)
                }
                for caution in channel?.cautions ?? [] { reader.report(caution) }
                home = options.home(of: plugin.manifest, address: channel?.home)
            }
            let own = reader.options(common, in: entries, at: thing.position, "channel '\(thing.name)'")
            let plan = ChannelPlan(
                name: thing.name, pace: channel?.pace ?? .unlimited, isIdempotent: channel?.isIdempotent ?? false,
                isPager: channel?.isPager ?? false, hasCharts: channel?.hasCharts ?? false,
                hearsAcknowledgements: own[ChannelSettings.acknowledged],
                template: readTemplate(ChannelSettings.template, own, bot.zone), connection: connection, place: place,
                home: home)
            return ChannelEntry(plan: plan, channel: channel, position: thing.position)
        }
    }

    /// Makes a plugin, or reports what it found wrong.
    mutating func make<Made>(_ thing: Named, _ making: () throws(ProblemList) -> Made) -> Made? {
        do {
            return try making()
        } catch {
            // With options that could not be read, what the plugin misses in a section as a whole may be just those.
            let (wrong, unread) = (reader.errorPlaces, reader.blemishes[.unread])
            for problem in error.problems {
                guard let section = thing.section(at: problem.position),
                    !section.isDisjoint(with: wrong) || !section.isDisjoint(with: unread)
                else {
                    reader.report(problem)
                    continue
                }
            }
            return nil
        }
    }
}

extension Options {
    /// Whom the options of a channel lead to, as a hash.
    fileprivate func place(of manifest: PluginManifest) -> UInt64 {
        var hash = StableHash()
        hash.add(manifest.name)
        func add(_ name: String, _ value: Option.Value) {
            switch value {
            case .text(let text): for part in [name, text.reveal()] { hash.add(part) }
            case .list(let options): for option in options { add(name, option.value) }
            case .map(let entries): for entry in entries { add("\(name).\(entry.name)", entry.option.value) }
            default: break
            }
        }
        // Who is mentioned, and how it looks, leads nowhere else.
        for spec in manifest.options where spec.isRequired || spec.isSecret || spec.isAddress {
            if let option = self[named: spec.name] { add(spec.name, option.value) }
        }
        return hash.value
    }

    /// The chat to which the options of a channel lead: by the plugin and what names a chat, whatever else there is of
    /// the address and the credential with which it is reached. Nil where that is a secret.
    ///
    /// - Parameter address: what names it in the address.
    fileprivate func home(of manifest: PluginManifest, address: String?) -> ChannelPlan.Home? {
        var (hash, isNamed) = (StableHash(), false)
        hash.add(manifest.name)
        for spec in manifest.options where ["channel", "chat", "room", "topic"].contains(spec.name) {
            switch self[named: spec.name]?.value {
            case .text(let text):
                guard !spec.isSecret, !text.hasSecret else { return nil }
                for part in [spec.name, text.reveal()] { hash.add(part) }
            case .integer(let number): for part in [spec.name, String(number)] { hash.add(part) }
            default: continue
            }
            isNamed = true
        }
        guard let address else { return ChannelPlan.Home(hash.value, isNamed: isNamed) }
        let withoutAddress = hash.value
        hash.add(address)
        return ChannelPlan.Home(hash.value, withoutAddress: withoutAddress)
    }
}

extension Node {
    /// The entries of a mapping; none otherwise.
    var mapping: [Entry] {
        if case .mapping(let entries) = kind { entries } else { [] }
    }

    /// All places in it.
    var places: Set<Position> {
        var places: Set<Position> = [position]
        for entry in mapping {
            places.insert(entry.keyMark.position)
            places.formUnion(entry.value.places)
        }
        if case .sequence(let nodes) = kind { for node in nodes { places.formUnion(node.places) } }
        return places
    }

    /// The mapping in it that begins at a place.
    func section(at place: Position) -> Node? {
        if isMapping, position == place { return self }
        if case .sequence(let nodes) = kind { return nodes.lazy.compactMap { $0.section(at: place) }.first }
        return mapping.lazy.compactMap { $0.value.section(at: place) }.first
    }

    var isMapping: Bool {
        if case .mapping = kind { true } else { false }
    }

    /// Whether anything in it is read from a file or a credential, which may hold something else later on.
    fileprivate var namesReplaceableSecrets: Bool {
        switch kind {
        case .scalar(let text, _): text.contains("${file:") || text.contains("${credential:")
        case .sequence(let nodes): nodes.contains(where: \.namesReplaceableSecrets)
        case .mapping(let entries): entries.contains { $0.value.namesReplaceableSecrets }
        }
    }

    /// The elements of a list; a single value stands for a list of one.
    var elements: [Node] {
        if case .sequence(let nodes) = kind { nodes } else { [self] }
    }
}
