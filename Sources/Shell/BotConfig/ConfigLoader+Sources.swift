internal import AlertCore
internal import PluginKit
internal import YAMLKit

/// How a source is paced, as written: what is nil was left out.
struct Pacing {
    var every: Duration?
    var throttle: Duration?
    var slowest: Duration?
    var timeout: Duration?
    var jitter: Double?
    var concurrency: Int?
    var factor: Double?
    var when: Set<PollReason>?
    /// Where the values stand.
    var positions: [String: Position] = [:]

    static let everyDefault = Duration.minutes(5)
    static let throttleDefault = Duration.minutes(1)
    static let slowestDefault = Duration.minutes(30)
    static let timeoutDefault = Duration.seconds(20)
    static let jitterDefault = 0.1
    static let concurrencyDefault = 8
    static let factorDefault = 2.0

    /// This pacing, with what it leaves out taken from `defaults`.
    func over(_ defaults: Pacing) -> Pacing {
        var result = self
        result.every = every ?? defaults.every
        result.throttle = throttle ?? defaults.throttle
        result.slowest = slowest ?? defaults.slowest
        result.timeout = timeout ?? defaults.timeout
        result.jitter = jitter ?? defaults.jitter
        result.factor = factor ?? defaults.factor
        result.when = when ?? defaults.when
        return result
    }
}

extension ConfigLoader {
    struct SourceEntry {
        let plan: SourcePlan
        /// Nil when its options were wrong.
        let source: (any Source)?
        let position: Position
    }

    struct ChannelEntry {
        let plan: ChannelPlan
        let channel: (any Channel)?
    }

    /// Reads the keys that say how often to poll; of a source's section it reads no others.
    mutating func readPacing(_ node: Node?, _ what: String, keys: [String]?) -> Pacing {
        var pacing = Pacing()
        guard let node else { return pacing }
        let entries = keys == nil ? node.mapping : reader.entries(of: node, "'\(what)'")
        if let keys { reader.reportUnknown(entries, known: keys, in: "'\(what)'") }
        for entry in entries {
            let node = entry.value
            pacing.positions[entry.key] = node.position
            switch entry.key {
            case "every": pacing.every = reader.duration(node, "every", Vocabulary.everyRange)
            case "throttle": pacing.throttle = reader.duration(node, "throttle", Vocabulary.everyRange)
            case "slowest": pacing.slowest = reader.duration(node, "slowest", Vocabulary.slowestRange)
            case "timeout": pacing.timeout = reader.duration(node, "timeout", Vocabulary.timeoutRange)
            case "jitter":
                if case .fraction(let share) = reader.option(node, "jitter", .percentage)?.value {
                    if share > 0.5 { reader.report(node.position, "'jitter' is more than 50%", "10%") }
                    pacing.jitter = share
                }
            case "concurrency" where keys != nil:
                pacing.concurrency = reader.integer(node, "concurrency", Vocabulary.concurrencyRange)
            case "backoff": readBackoff(node, &pacing)
            default: break
            }
        }
        checkOrder(pacing)
        return pacing
    }

    private mutating func readBackoff(_ node: Node, _ pacing: inout Pacing) {
        let entries = reader.entries(of: node, "'backoff'")
        reader.reportUnknown(entries, known: Vocabulary.backoff.names, in: "'backoff'")
        for entry in entries {
            switch entry.key {
            case "factor":
                guard let text = reader.text(entry.value, "factor") else { continue }
                guard let factor = Double(text.reveal()), (1...10).contains(factor) else {
                    reader.report(
                        entry.value.position,
                        "'factor' is '\(text.description.clipped(to: 60))', expected a number from 1 to 10", "2")
                    continue
                }
                pacing.factor = factor
            case "when":
                let nodes = entry.value.elements
                let words = PollReason.slowing.map(\.rawValue)
                pacing.when = Set(
                    nodes.compactMap { reader.choice($0, "when", words).flatMap(PollReason.init(rawValue:)) })
            default: break
            }
        }
    }

    /// The three intervals must be in order as far as they are written; defaults give way.
    private mutating func checkOrder(_ pacing: Pacing) {
        func compare(_ small: String, _ a: Duration?, _ large: String, _ b: Duration?) {
            guard let a, let b, a > b, let position = pacing.positions[small] ?? pacing.positions[large] else { return }
            reader.report(position, "'\(small)' (\(a.grammar)) is longer than '\(large)' (\(b.grammar))")
        }
        compare("throttle", pacing.throttle, "every", pacing.every)
        compare("every", pacing.every, "slowest", pacing.slowest)
        compare("throttle", pacing.throttle, "slowest", pacing.slowest)
    }

    mutating func readSources(_ things: [Named], _ polling: Pacing) -> [SourceEntry] {
        let plugins = reader.catalog.sources.map { (manifest: $0.manifest, type: $0) }
        return things.map { thing in
            let entries = reader.entries(of: thing.value, "source '\(thing.name)'")
            let pacing = readPacing(thing.value, thing.name, keys: nil)
            var plan = sourcePlan(thing.name, pacing, polling)
            var source: (any Source)?
            if let plugin = plugin(thing, entries, "source", among: plugins) {
                let options = reader.options(
                    of: plugin.manifest, name: thing.name, at: thing.position, entries, common: Vocabulary.source.names,
                    "source '\(thing.name)'")
                let context = SourceContext(name: thing.name, folder: folder, every: plan.every)
                source = make(thing) { () throws(ProblemList) in
                    try plugin.type.init(options: options, context: context)
                }
            }
            plan.host = source?.host
            return SourceEntry(plan: plan, source: source, position: thing.position)
        }
    }

    private mutating func sourcePlan(_ name: String, _ own: Pacing, _ polling: Pacing) -> SourcePlan {
        let pacing = own.over(polling)
        let every = pacing.every ?? Pacing.everyDefault
        // What the source itself does not say gives way to what it says.
        let throttle = own.throttle ?? min(pacing.throttle ?? Pacing.throttleDefault, every)
        let slowest = own.slowest ?? max(pacing.slowest ?? Pacing.slowestDefault, every)
        return SourcePlan(
            name: name, every: max(every, throttle), throttle: throttle, slowest: max(slowest, throttle),
            timeout: pacing.timeout ?? Pacing.timeoutDefault, jitter: pacing.jitter ?? Pacing.jitterDefault,
            backoffFactor: pacing.factor ?? Pacing.factorDefault, slowsWhen: pacing.when ?? Set(PollReason.slowing))
    }

    mutating func readChannels(_ things: [Named], _ bot: BotSettings) -> [ChannelEntry] {
        let plugins = reader.catalog.channels.map { (manifest: $0.manifest, type: $0) }
        return things.map { thing in
            let entries = reader.entries(of: thing.value, "channel '\(thing.name)'")
            var channel: (any Channel)?
            if let plugin = plugin(thing, entries, "channel", among: plugins) {
                let options = reader.options(
                    of: plugin.manifest, name: thing.name, at: thing.position, entries,
                    common: Vocabulary.channel.names,
                    "channel '\(thing.name)'")
                let context = ChannelContext(name: thing.name, bot: bot.name, zone: bot.zone)
                channel = make(thing) { () throws(ProblemList) in
                    try plugin.type.init(options: options, context: context)
                }
            }
            let plan = ChannelPlan(
                name: thing.name, pace: channel?.pace ?? .unlimited, isIdempotent: channel?.isIdempotent ?? false)
            return ChannelEntry(plan: plan, channel: channel)
        }
    }

    /// Makes a plugin, or reports what it found wrong.
    mutating func make<Made>(_ thing: Named, _ making: () throws(ProblemList) -> Made) -> Made? {
        do {
            return try making()
        } catch {
            let isWhole = !reader.problems.contains { thing.covers($0.position) }
            // With options that could not be read, what the plugin misses in the thing as a whole may be just those.
            for problem in error.problems where isWhole || problem.position != thing.position { reader.report(problem) }
            return nil
        }
    }
}

extension Node {
    /// The entries of a mapping; none otherwise.
    var mapping: [Entry] {
        if case .mapping(let entries) = kind { entries } else { [] }
    }

    var isMapping: Bool {
        if case .mapping = kind { true } else { false }
    }

    /// The elements of a list; a single value stands for a list of one.
    var elements: [Node] {
        if case .sequence(let nodes) = kind { nodes } else { [self] }
    }
}
