internal import BotConfig
internal import BotHarness
internal import PluginKit
internal import Preview
internal import Testing
internal import TimeZones

/// A source that recalls a line for each hour, seen as the hour ends; the one named
/// `broken` has lost its past, and the one named `far` asks somebody for it in vain.
struct RememberingSource: HistoricalSource {
    static let manifest = PluginManifest(name: "remembering", summary: "Recalls hours.", options: [])

    let name: String

    init(options: Options, context: SourceContext) throws(ProblemList) { name = context.name }

    var host: String? { nil }
    var metrics: Set<Metric>? { nil }
    var recallKey: String { name }
    func poll(_ poll: Poll) -> PollStep { .finish(PollReport(.noData)) }

    func recall(_ recall: Recall) -> RecallStep {
        let lost = PollFailure(.badAnswer, "the past is gone")
        if name == "broken" { return .fail(lost) }
        if name == "far" { return .fetch(HTTPRequest(.get, "https://far.example/")) { _ in .fail(lost) } }
        let lines = recall.multiples(of: .hours(1)).map { ObservationLine.figures(of: name, at: $0) }
        return .finish(RecallReport(.lines(Array(lines)), warnings: name == "vague" ? ["it is vague"] : []))
    }
}

/// A source that knows the present alone.
struct ForgetfulSource: Source {
    static let manifest = PluginManifest(name: "forgetful", summary: "Recalls nothing.", options: [])

    init(options: Options, context: SourceContext) throws(ProblemList) {}

    var host: String? { nil }
    var metrics: Set<Metric>? { nil }
    func poll(_ poll: Poll) -> PollStep { .finish(PollReport(.noData)) }
}

private struct DeafChannel: Channel {
    static let manifest = PluginManifest(name: "deaf", summary: "Keeps everything to itself.", options: [])

    init(options: Options, context: ChannelContext) throws(ProblemList) {}

    var pace: Pace { .unlimited }
    var isIdempotent: Bool { true }
    func post(_ posting: Posting) -> ChannelAction { .keep }
    func judge(_ result: FetchResult, at now: Moment) -> DeliveryOutcome { .delivered(receipt: nil) }
}

extension ObservationLine {
    /// The figures of an hour, of one app.
    static func figures(of source: String, app: String = "shop", at end: Moment, users: Double = 100) -> ObservationLine
    {
        .observed(
            Observation(
                subject: Subject(source: source, app: app), span: TimeSpan(lasting: .hours(1), until: end), seen: end,
                metrics: ["users": users]))
    }

    var text: String { json.text + "\n" }
}

extension Scratch {
    /// A config whose sources are of those plugins, by their names, with its state in this folder.
    func config(_ sources: KeyValuePairs<String, String>) throws -> Config {
        let sources = sources.map { "  \($0.key): {plugin: \($0.value), every: 1h}\n" }.joined()
        let text = """
            version: 1
            bot: {name: shop-alerts, listen: off, state: \(path("state"))}
            channels: {ops: {plugin: deaf}}
            sources:
            \(sources)
            """
        let surroundings = ConfigSurroundings(
            variable: { _ in nil },
            file: { _ throws(ConfigSurroundings.Missing) in throw ConfigSurroundings.Missing("there are no files") },
            credentialsFolder: nil, zones: ZoneDatabase())
        let catalog = PluginCatalog(
            sources: [RememberingSource.self, ForgetfulSource.self], detectors: [], gates: [],
            channels: [DeafChannel.self])
        let result = Config.load(Array(text.utf8), folder: folder, catalog: catalog, surroundings: surroundings)
        return try #require(result.config, "\(result.problems)")
    }

    /// Writes files of a recording.
    func record(_ files: KeyValuePairs<String, [ObservationLine]>) throws {
        try makeFolder("state/observations")
        for (name, lines) in files {
            try write("state/observations/\(name).jsonl", lines.map(\.text).joined())
        }
    }
}

extension Moment {
    /// An instant of 20 November 2026, or of another day of that month.
    static func at(_ time: String, day: Int = 20) -> Moment {
        Moment(rfc3339: "2026-11-\(day)T\(time):00Z") ?? .earliest
    }
}

/// What was played.
struct Played {
    private(set) var batches: [ObservationReader.Batch] = []
    mutating func take(_ batch: ObservationReader.Batch) { batches.append(batch) }

    /// When each batch arrived, to the minute, and of what source.
    var times: [String] { batches.map { "\($0.seen.description.dropFirst(8).prefix(8)) \($0.source)" } }
}
