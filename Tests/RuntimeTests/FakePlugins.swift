internal import AlertCore
internal import AlertTesting
internal import PluginKit
internal import Runtime

/// A source that asks `https://NAME.example/` and makes a cue of the first character of the answer.
struct LookSource: Source {
    static let manifest = PluginManifest(name: "look", summary: "Looks.", options: [])

    let name: String
    var credentialRefusals: Set<PollFailure.Reason> = [.unauthorized]
    var account: String?

    init(_ name: String) { self.name = name }
    init(options: Options, context: SourceContext) throws(ProblemList) { self.init(context.name) }

    var host: String? { nil }
    var metrics: Set<Metric>? { [Cue.metric] }

    func poll(_ poll: Poll) -> PollStep {
        .fetch(HTTPRequest(.get, "https://\(name).example/", isConditional: true)) { [name] result in
            switch result {
            case .failed(let error): return .fail(PollFailure(error))
            case .answered(let response):
                if response.status == 304 { return .finish(PollReport(.unchanged)) }
                if let failure = PollFailure(response, now: poll.now) { return .fail(failure) }
                guard let cue = response.excerpt().first.flatMap(Cue.init(rawValue:)) else {
                    return .finish(PollReport(.noData))
                }
                return .finish(
                    PollReport(.values([.cue(cue, of: Subject(source: name, app: "shop"), at: poll.now)])))
            }
        }
    }
}

/// A channel that posts to `https://hooks.example/ID`.
struct HookChannel: Channel {
    static let manifest = PluginManifest(name: "hook", summary: "Posts.", options: [])
    static let address = "https://hooks.example/"

    var action: (@Sendable (Posting) -> ChannelAction)?
    /// What it gives for each message.
    var receipt: String?
    /// Where the opening message is brought up to date.
    var updated: GuardedText?
    /// Hears of every posting after which a message is brought up to date.
    var updating: (@Sendable (Posting) -> Void)?

    init() {}
    init(options: Options, context: ChannelContext) throws(ProblemList) { self.init() }
    init(_ action: @escaping @Sendable (Posting) -> ChannelAction) { self.action = action }

    var pace: Pace { .unlimited }
    var isIdempotent: Bool { false }

    func post(_ posting: Posting) -> ChannelAction {
        if let action { return action(posting) }
        return .request(
            HTTPRequest(
                .post, "\(HookChannel.address)\(posting.id)",
                body: .text(GuardedText(posting.plainText), contentType: "text/plain")))
    }

    func update(after posting: Posting) -> HTTPRequest? {
        updating?(posting)
        return updated.map { HTTPRequest(.post, $0, body: .json([:])) }
    }

    func judge(_ result: FetchResult, at now: Moment) -> DeliveryOutcome {
        switch result {
        case .answered(let response):
            let outcome = DeliveryOutcome(response, at: now)
            if case .delivered = outcome { return .delivered(receipt: receipt) }
            return outcome
        case .failed(let error): return DeliveryOutcome(error)
        }
    }
}

extension HTTPResponse {
    static func says(_ text: String, status: Int = 200, _ headers: [(name: String, value: String)] = []) -> HTTPResponse
    {
        HTTPResponse(status: status, headers: headers, body: Array(text.utf8))
    }
}

extension Bot.Setup {
    static func staged(_ plan: Plan, heartbeat: GuardedText? = nil, secrets: [Secret] = []) -> Bot.Setup {
        Bot.Setup(
            plan: plan, sources: Dictionary(uniqueKeysWithValues: plan.sources.map { ($0.name, LookSource($0.name)) }),
            channels: Dictionary(uniqueKeysWithValues: plan.channels.map { ($0.name, HookChannel()) }),
            heartbeat: heartbeat, secrets: secrets)
    }
}

extension Bot {
    /// Waits until the state is as it should be.
    func settle(_ isSettled: @Sendable (State) -> Bool) async {
        let bell = bell()
        if isSettled(state) { return }
        for await _ in bell where isSettled(state) { return }
    }
}
