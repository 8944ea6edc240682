internal import AlertTesting
internal import PluginKit

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
        plugin = kind.plugin
        self.world = world
    }

    init(options: Options, context: ChannelContext) throws(ProblemList) {
        throw ProblemList(options.position, "a traced channel lives in a simulated world only")
    }

    var pace: Pace { plugin.pace }
    var isIdempotent: Bool { plugin.isIdempotent }

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
