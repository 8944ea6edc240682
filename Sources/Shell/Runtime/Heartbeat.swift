internal import AlertCore
internal import PluginKit

/// The address that is pinged for as long as every source answers, so that somebody outside notices when the bot does
/// not.
struct Heartbeat {
    private let address: GuardedText?
    private let policy: AddressPolicy
    private let sources: Set<String>
    /// Those of which each has to answer: all that are polled. Where none is, a push is all that can be heard.
    private let round: Set<String>
    /// Sources of the round that have answered since the last ping. Another config forgets who was healthy.
    private var healthy: Set<String> = []
    /// Sources beside the round of which something is wrong.
    private var troubled: Set<String> = []

    init(_ setup: Bot.Setup) {
        address = setup.heartbeat
        policy = setup.policy
        sources = Set(setup.sources.keys)
        let polled = sources.subtracting(setup.plan.sources.filter(\.isPushed).map(\.name))
        round = polled.isEmpty ? sources : polled
    }

    /// Pings once every source has answered since the last time. What is pushed may come once a day, and whoever listens
    /// does not wait for that: it only must not be stale or failing.
    ///
    /// - Parameter isHealthy: whether the bot itself is.
    mutating func note(
        _ outcome: PollOutcome, of source: String, isHealthy: Bool, _ ports: Ports,
        _ group: inout DiscardingTaskGroup
    ) {
        guard let address, sources.contains(source) else { return }
        guard round.contains(source) else {
            switch outcome {
            case .failed, .stale: troubled.insert(source)
            case .values, .noData, .unchanged: troubled.remove(source)
            }
            return
        }
        if case .failed = outcome {
            healthy.remove(source)
            return
        }
        healthy.insert(source)
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
