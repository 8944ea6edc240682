internal import AlertTesting
internal import PluginKit
internal import Runtime

/// A real channel plugin that names the delivery on the envelope, so that the world knows what it is looking at.
struct TracedChannel: Channel {
    static let manifest = PluginManifest(name: "traced", summary: "Names the delivery on the envelope.", options: [])
    /// The header that the world reads, and gives back with its answer.
    static let header = "x-simulated-delivery"

    private let kind: ChannelKind
    private let plugin: any Channel
    private let world: World

    init(_ kind: ChannelKind, _ world: World) {
        self.kind = kind
        plugin = kind.plugin(charted: world.hasCharts)
        self.world = world
    }

    init(options: Options, context: ChannelContext) throws(ProblemList) {
        throw ProblemList(options.position, "a traced channel lives in a simulated world only")
    }

    var pace: Pace { plugin.pace }
    var isIdempotent: Bool { plugin.isIdempotent }
    var hasCharts: Bool { plugin.hasCharts }

    /// Says for which delivery a request is made that does not carry it: an edit, or a step of a picture.
    static let errandHeader = "x-simulated-errand"

    private func errand(_ request: HTTPRequest, for posting: Posting) -> HTTPRequest {
        var request = request
        // An edit behind a message for many has an id that begins with the delivery's.
        let delivery = String(posting.id.prefix { $0 != "-" })
        request.headers.append(HTTPRequest.Header(TracedChannel.errandHeader, GuardedText(delivery)))
        return request
    }

    /// Worlds without pictures are as they were, and so are the mistakes that were found in them.
    func update(after posting: Posting) -> HTTPRequest? {
        guard world.hasCharts else { return nil }
        return plugin.update(after: posting).map { errand($0, for: posting) }
    }

    func attach(
        _ image: ChartImage, to posting: Posting, receipt: String?, after answers: [HTTPResponse]
    ) -> ImageStep {
        var step = plugin.attach(image, to: posting, receipt: receipt, after: answers)
        if world.sabotage == .picturesTwice, case .done = step, let last = answers.count > 1 ? answers.dropLast() : nil
        {
            step = plugin.attach(image, to: posting, receipt: receipt, after: Array(last))
        }
        guard case .request(let request) = step else { return step }
        return .request(errand(request, for: posting))
    }

    func post(_ posting: Posting) -> ChannelAction {
        guard case .request(var request) = plugin.post(posting) else { return .keep }
        request.headers.append(HTTPRequest.Header(TracedChannel.header, GuardedText(posting.id)))
        return .request(request)
    }

    func judge(_ result: FetchResult, at now: Moment) -> DeliveryOutcome {
        let outcome = plugin.judge(result, at: now)
        if case .answered(let response) = result, let id = response.header(TracedChannel.header) {
            world.tell(.judged(channel: kind.name, delivery: id, outcome))
        }
        return world.sabotage?.judgement(outcome) ?? outcome
    }
}

/// The bot's own page, where it reports its own troubles: that the journal cannot be written may be said before it is
/// written, and of that no chat could say whether it came twice.
struct OwnPage: Channel {
    static let name = "page"
    static let manifest = PluginManifest(name: "page", summary: "Keeps what it is told.", options: [])

    init() {}
    init(options: Options, context: ChannelContext) throws(ProblemList) { self.init() }

    var pace: Pace { .unlimited }
    var isIdempotent: Bool { true }

    func post(_ posting: Posting) -> ChannelAction { .keep }
    func judge(_ result: FetchResult, at now: Moment) -> DeliveryOutcome { .delivered(receipt: nil) }
}

/// A source that asks `https://NAME.example/` for lines of an app and its cue.
struct StorySource: Source {
    static let manifest = PluginManifest(name: "story", summary: "Tells what the world is like.", options: [])

    private let name: String

    init(_ name: String) { self.name = name }
    init(options: Options, context: SourceContext) throws(ProblemList) { self.init(context.name) }

    var host: String? { "\(name).example" }
    var metrics: Set<Metric>? { [Cue.metric] }

    func poll(_ poll: Poll) -> PollStep {
        .fetch(HTTPRequest(.get, "https://\(name).example/", isConditional: true)) { [name] result in
            switch result {
            case .failed(let error): return .fail(PollFailure(error))
            case .answered(let response):
                if response.status == 304 { return .finish(PollReport(.unchanged)) }
                if let failure = PollFailure(response, now: poll.now) { return .fail(failure) }
                var observations: [Observation] = []
                for line in String(decoding: response.body, as: UTF8.self).split(separator: "\n") {
                    let words = line.split(separator: " ")
                    guard words.count == 2, words[0].hasPrefix("app"), words[1].count == 1,
                        let cue = words[1].first.flatMap(Cue.init(rawValue:))
                    else {
                        return .fail(PollFailure(.badAnswer, "the answer is no list of apps"))
                    }
                    observations.append(.cue(cue, of: Subject(source: name, app: String(words[0])), at: poll.now))
                }
                return .finish(PollReport(observations.isEmpty ? .noData : .values(observations)))
            }
        }
    }
}

/// Pictures of a few bytes; what they show is nothing to the world.
struct WorldPainter: Painter {
    func image(of chart: Chart, in zone: Zone, words: Words) throws(PaintTrouble) -> ChartImage {
        ChartImage(bytes: [0x89, 0x50, 0x4E, 0x47], width: 1, height: 1, words: chart.words)
    }
}

/// The script's word with a figure behind it, so that messages have something to show.
struct ChartedDetector: SubjectDetector {
    static let manifest = ScriptedDetector.manifest
    private let scripted: ScriptedDetector

    init(for holdTime: Duration) { scripted = ScriptedDetector(for: holdTime) }
    init(options: Options, context: RuleContext) throws(ProblemList) { self.init(for: .zero) }

    var holdTime: Duration { scripted.holdTime }
    var lookback: Duration { scripted.lookback }
    var metrics: [Metric] { scripted.metrics }
    var spans: [Duration] { scripted.spans }

    func judge(_ series: Series, at now: Moment) -> Judgement {
        let judgement = scripted.judge(series, at: now)
        var evidence = judgement.evidence
        evidence.metric = Cue.metric.name
        return Judgement(judgement.verdict, judgement.closeness, evidence)
    }

    func glance(_ series: Series, at now: Moment) -> Judgement.Closeness? { scripted.glance(series, at: now) }
}
