internal import AlertCore
public import PluginKit
internal import YAMLKit

extension Config {
    /// Reads a config.
    ///
    /// - Parameters:
    ///   - bytes: the file.
    ///   - folder: its folder; relative paths start there.
    public static func load(
        _ bytes: [UInt8], folder: String, catalog: PluginCatalog, surroundings: ConfigSurroundings
    ) -> ConfigResult {
        var (loading, root) = ConfigLoader.begun(bytes, folder, catalog, surroundings)
        // Before anything is wrong but the YAML itself.
        let afresh = loading
        let config = root.flatMap { loading.config($0) }
        let problems = loading.reader.problems.sorted { $0.position < $1.position }
        let isSound = !problems.contains { $0.level == .error }
        return ConfigResult(
            config: isSound ? config : nil, problems: problems, writtenSecrets: loading.reader.secretsRead.written,
            stateFolder: root.map(afresh.stateFolder) ?? afresh.stateFolder(inText: bytes),
            zone: root.flatMap { afresh.zone($0) }, texts: loading.reader.texts, gaps: loading.reader.blemishes[.gap],
            words: loading.words, channelNames: loading.channelNames)
    }

    /// What is wrong with a part of a config by itself: sections may be missing, and names of things that stand
    /// elsewhere are taken on trust.
    public static func problems(
        inFragment bytes: [UInt8], catalog: PluginCatalog, surroundings: ConfigSurroundings
    ) -> [Problem] {
        var (loading, root) = ConfigLoader.begun(bytes, ".", catalog, surroundings)
        if let root { loading.fragment(root) }
        return loading.reader.problems.sorted { $0.position < $1.position }
    }
}

/// One config being read, section by section.
struct ConfigLoader {
    var reader: ConfigReader
    let folder: String
    /// Templates that have been read, and what was found when they were tried: many rules may share one.
    var templates: [String: (template: MessageTemplate, flaws: [String])] = [:]

    /// What was found in files of certificates and keys: all sources may share one with a hundred certificates.
    var connectionFlaws: [[String?]: Connection.Flaw?] = [:]

    /// The words of messages, once the section 'bot' has been read.
    var words = Words.english

    /// What the channels are called, once all of them have been read.
    var channelNames: Set<String>?

    /// A name as it stands in the file, with its section.
    struct Named {
        let name: String
        let position: Position
        let value: Node
        /// Whether something was to be merged into it that is not there: what it lacks may be in that.
        let lacksMerge: Bool

        /// All places inside of the thing, or of the mapping in it, that begins there; nil where none does.
        func section(at place: Position) -> Set<Position>? {
            if place == position { return value.places.union([position]) }
            return value.section(at: place)?.places
        }
    }

    /// A reading at its begin, with what is wrong with the YAML itself.
    static func begun(
        _ bytes: [UInt8], _ folder: String, _ catalog: PluginCatalog, _ surroundings: ConfigSurroundings
    ) -> (loading: ConfigLoader, root: Node?) {
        let document = YAML.parse(bytes)
        var loading = ConfigLoader(
            reader: ConfigReader(
                secrets: SecretReading(surroundings: surroundings, folder: folder), surroundings: surroundings,
                catalog: catalog), folder: folder)
        loading.reader.text = bytes
        loading.reader.reportBroken(document)
        return (loading, document.root)
    }

    /// Reads whatever sections are there, each by itself.
    mutating func fragment(_ root: Node) {
        let entries = refusingPlugins(reader.entries(of: root, "the config"))
        reader.reportUnknown(entries, known: Vocabulary.top, in: "the config")
        let bot = readBot(entries.first { $0.key == "bot" })
        let polling = readPolling(entries.first { $0.key == "polling" }?.value)
        let sources = readSources(named(entries, "sources", isRequired: false), polling)
        if entries.contains(where: { $0.key == Vocabulary.onCall }) {
            _ = readRotations(named(entries, Vocabulary.onCall, isRequired: false), bot.zone)
        }
        _ = readChannels(named(entries, "channels", isRequired: false), bot)
        _ = readRules(named(entries, "rules", isRequired: false), bot.zone, sources)
        _ = readRoutes(entries.first { $0.key == "routes" }?.value)
    }

    mutating func config(_ root: Node) -> Config? {
        let own = refusingPlugins(reader.entries(of: root, "the config"))
        guard root.isMapping || root.isNull else { return nil }
        leaveGaps(reader.reportUnknown(own, known: Vocabulary.top, in: "the config"), own)
        readVersion(own)
        let entries = including(own)
        reader.policy = readNetwork(entries.first { $0.key == Vocabulary.network })
        let bot = readBot(entries.first { $0.key == "bot" })
        let polling = readPolling(entries.first { $0.key == "polling" }?.value)
        let sources = readSources(named(entries, "sources", isRequired: true), polling)
        let rotations = readRotations(named(entries, Vocabulary.onCall, isRequired: false), bot.zone)
        let channels = readChannels(named(entries, "channels", isRequired: true), bot)
        if reader.isWhole { channelNames = Set(channels.map(\.plan.name)) }
        let rules = readRules(named(entries, "rules", isRequired: false), bot.zone, sources)
        let routes = readRoutes(entries.first { $0.key == "routes" }?.value)
        checkReferences(entries, bot, sources, channels, rules, routes)
        checkReferences(of: rotations, channels)
        checkMatches(sources, channels, rules)
        checkReach(entries, bot, sources, channels, rules, routes)

        let plan = Plan(
            botName: bot.name, zone: bot.zone, words: bot.words, publicURL: bot.publicURL, reportTo: bot.reportTo,
            concurrency: polling[PollingSettings.concurrency], perHost: polling[PollingSettings.perHost],
            sources: sources.map(\.plan), detectors: rules.detectors, gates: rules.gates,
            channels: channels.map(\.plan), routes: routes.map(\.route),
            rotations: rotations.compactMap(\.rotation))
        checkTemplates(plan)
        checkCapacity(entries, plan)
        checkPushes(bot, sources)
        let names = Set(sources.map(\.plan.name) + channels.map(\.plan.name) + rules.places.map(\.name))
        return Config(
            bot: bot, plan: plan,
            sources: Dictionary(sources.compactMap { entry in entry.source.map { (entry.plan.name, $0) } }) { $1 },
            renewals: Dictionary(sources.compactMap { entry in entry.renewal.map { (entry.plan.name, $0) } }) { $1 },
            channels: Dictionary(channels.compactMap { entry in entry.channel.map { (entry.plan.name, $0) } }) { $1 },
            rulePlaces: Dictionary(rules.places.map { ($0.name, $0.position) }) { first, _ in first },
            unreadRules: rules.unreadRules,
            rulesPlace: entries.first { $0.key == "rules" }?.keyMark.position ?? root.position,
            sourcePlaces: Dictionary(sources.map { ($0.plan.name, $0.position) }) { first, _ in first },
            channelPlaces: Dictionary(channels.map { ($0.plan.name, $0.position) }) { first, _ in first },
            secrets: reader.secretsRead.seen + reader.secretsRead.guarded.filter { !names.contains($0.ownPart) },
            things: ConfigThings(entries, files: reader.texts, secrets: reader.secretsRead.marks))
    }

    /// The sections without that for plugins in processes of their own, which this version does not have.
    mutating func refusingPlugins(_ entries: [Entry]) -> [Entry] {
        entries.filter { entry in
            guard entry.key == Vocabulary.plugins else { return true }
            reader.hide(entry)
            reader.report(
                entry.keyMark.position, "plugins outside the bot's own process are not supported by this version",
                advice: "remove 'plugins'")
            return false
        }
    }

    /// What stands under a key that was meant to be a section is not read.
    mutating func leaveGaps(_ meant: Set<String>, _ entries: [Entry]) {
        guard !meant.isDisjoint(with: Vocabulary.naming) else { return }
        for entry in entries where !Vocabulary.top.contains(entry.key) { reader.leaveGap(at: entry.keyMark.position) }
    }

    mutating func readVersion(_ entries: [Entry]) {
        guard let entry = entries.first(where: { $0.key == "version" }) else { return }
        guard let text = reader.text(entry.value, "version"), text.reveal() != "1" else { return }
        reader.report(entry.value.position, "'version' is '\(text)'; this alertbot reads version 1", "1")
    }

    /// The named things of a section, with names that can stand in reasons, addresses and files.
    private mutating func named(_ entries: [Entry], _ section: String, isRequired: Bool) -> [Named] {
        guard let entry = entries.first(where: { $0.key == section }) else {
            if isRequired, reader.isWhole {
                reader.report(Position(line: 1, column: 1), "the config has no '\(section)'; it needs at least one")
            }
            return []
        }
        let things = reader.entries(of: entry.value, "'\(section)'")
        // What is no mapping at all has been told so, and so have names that YAML does not take for any.
        let next = entries.map(\.keyMark.position).filter { $0 > entry.keyMark.position }.min()
        if things.isEmpty, isRequired, reader.isWhole, entry.value.isNull || entry.value.isMapping,
            !reader.isBroken(from: entry.keyMark.position, to: next)
        {
            reader.report(entry.keyMark.position, "'\(section)' is empty; the bot needs at least one")
        }
        // Whatever is told of a thing names it.
        let names = things.map { reader.shown(name: $0.key, at: $0.keyMark.position) }
        for (thing, name) in zip(things, names) where !ConfigLoader.isName(thing.key) {
            let isOnlyBegin = ConfigLoader.isName("a" + thing.key.dropFirst())
            reader.report(
                thing.keyMark.position,
                "'\(name.clipped(to: 60))' is not a valid name; "
                    + (isOnlyBegin
                        ? "it must begin with a letter or a digit"
                        : "use letters, digits, '-', '_' and '.', at most 64"))
        }
        let starts = (things + entries).map(\.keyMark.position)
        let lacking = Set(
            reader.brokenMerges.compactMap { place in starts.filter { $0.file == place.file && $0 <= place }.max() })
        return zip(things, names).map { thing, name in
            let position = thing.keyMark.position
            return Named(
                name: name, position: position, value: thing.value, lacksMerge: lacking.contains(position))
        }
    }

    static func isName(_ text: String) -> Bool {
        guard (1...64).contains(text.count), let first = text.first, first.isASCII, first.isLetter || first.isNumber
        else {
            return false
        }
        return text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_.".contains($0)) }
    }

    /// The plugin that a thing names, out of those of its kind.
    ///
    /// - Parameter common: the names of the options that are read whatever plugin it is.
    mutating func plugin<Kind>(
        _ thing: Named, _ entries: [Entry], _ what: String, among plugins: [(manifest: PluginManifest, type: Kind)],
        common: [String]
    ) -> (manifest: PluginManifest, type: Kind)? {
        if let plugin = known(thing, entries, what, among: plugins) { return plugin }
        // Nobody knows then which of the others are secrets.
        for entry in entries where !common.contains(entry.key) && entry.key != Vocabulary.plugin.name {
            reader.hide(entry)
        }
        return nil
    }

    private mutating func known<Kind>(
        _ thing: Named, _ entries: [Entry], _ what: String, among plugins: [(manifest: PluginManifest, type: Kind)]
    ) -> (manifest: PluginManifest, type: Kind)? {
        let names = plugins.map(\.manifest.name)
        guard let entry = entries.first(where: { $0.key == "plugin" }) else {
            if let slip = entries.first(where: { Vocabulary.plugin.name.nearest(in: [$0.key]) != nil }) {
                reader.report(
                    slip.keyMark.position, "unknown key '\(slip.key)' in \(what) '\(thing.name)'",
                    Vocabulary.plugin.name)
                return nil
            }
            // A thing that is not even a mapping has been reported already.
            if case .mapping = thing.value.kind {
                guard !thing.lacksMerge else { return nil }
                reader.report(
                    thing.position, "\(what) '\(thing.name)' names no plugin", advice: "write plugin: \(names.listed)")
            } else if thing.value.isNull, !reader.isBroken(thing.value) {
                reader.report(
                    thing.position, "\(what) '\(thing.name)' is empty", advice: "write plugin: \(names.listed)")
            }
            return nil
        }
        guard let word = reader.text(entry.value, "plugin")?.description else { return nil }
        guard let plugin = plugins.first(where: { $0.manifest.name == word }) else {
            if let home = reader.catalog.section(ofPlugin: word) {
                reader.report(
                    entry.value.position,
                    "'\(word)' is a plugin for \(home), not for \(what)s; known: \(names.joined(separator: ", "))",
                    advice: "write it under '\(home)'")
                return nil
            }
            let shown = reader.shown(name: word, at: entry.value.position)
            reader.report(
                entry.value.position,
                "there is no plugin '\(shown.clipped(to: 60))' for \(what)s; known: \(names.joined(separator: ", "))",
                word.nearest(in: names))
            return nil
        }
        return plugin
    }
}
