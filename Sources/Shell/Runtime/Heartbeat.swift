internal import AlertCore
internal import PluginKit

/// The address that is pinged for as long as every source answers, so that somebody outside notices when the bot does
/// not.
struct Heartbeat {
    private let address: GuardedText?
    private let policy: AddressPolicy
    private let sources: Set<String>
    private let pushed: Set<String>
    /// Those of which each has to answer: all that are polled. Where none is, a push is all that can be heard.
    private let round: Set<String>
    /// Sources of the round that have answered since the last ping. Another config forgets who was healthy.
    private var healthy: Set<String> = []
    /// Sources of which something is wrong.
    private var troubled: Set<String> = []

    /// - Parameter state: what is known of the sources: one that was stale is so still.
    init(_ setup: Bot.Setup, _ state: State) {
        address = setup.heartbeat
        policy = setup.policy
        sources = Set(setup.sources.keys)
        pushed = sources.intersection(setup.plan.sources.filter(\.isPushed).map(\.name))
        round = pushed == sources ? sources : sources.subtracting(pushed)
        for name in pushed {
            switch state.schedule.sources[name]?.lastOutcome {
            case .stale, .failed: troubled.insert(name)
            case .values, .noData, .unchanged, nil: break
            }
        }
    }

    /// Pings once every source has answered since the last time. What is pushed may come once a day, and whoever listens
    /// does not wait for that: it only must not be stale or failing.
    ///
    /// - Parameter isHealthy: whether the bot itself is.
    mutating func note(_ input: Input, isHealthy: Bool, _ ports: Ports, _ group: inout DiscardingTaskGroup) {
        guard let address, let (source, report) = input.poll, sources.contains(source) else { return }
        let isPushed = pushed.contains(source)
        var isLook = false
        if case .polled = input { isLook = isPushed }
        switch report.outcome {
        case .failed:
            healthy.remove(source)
            troubled.insert(source)
        // Of what is polled an old answer is an answer; of what is pushed it says that nobody pushes.
        case .stale where isPushed:
            healthy.remove(source)
            troubled.insert(source)
        // The bot's own look at what is pushed hears nobody.
        case .noData where isLook, .unchanged where isLook: return
        case .values, .noData, .stale, .unchanged:
            troubled.remove(source)
            guard round.contains(source) else { return }
            healthy.insert(source)
        }
        guard healthy.count == round.count, troubled.isEmpty, isHealthy else { return }
        healthy = []
        group.addTask { [policy] in
            // The config is not read with a secret address that is plain http.
            var request = HTTPRequest(.get, address, allowsPlainHTTP: true)
            request.connection.policy = policy
            do {
                let response = try await ports.web.perform(request, timeout: .seconds(10))
                guard !response.isSuccess else { return }
                ports.host.log(Note(.warning, "the heartbeat was answered with \(response.status)"))
            } catch {
                ports.host.log(Note(.warning, "the heartbeat could not be sent: \(error)"))
            }
        }
    }
}
