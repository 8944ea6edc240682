internal import AlertCore
internal import PluginKit

/// The address that is pinged for as long as every source answers, so that somebody outside notices when the bot does
/// not.
struct Heartbeat {
    private let address: GuardedText?
    private let policy: AddressPolicy
    private let sources: Set<String>
    /// Sources that have answered since the last ping. Another config forgets who was healthy.
    private var healthy: Set<String> = []

    init(_ setup: Bot.Setup) {
        address = setup.heartbeat
        policy = setup.policy
        sources = Set(setup.sources.keys)
    }

    /// Pings once every source has answered since the last time.
    ///
    /// - Parameter isHealthy: whether the bot itself is.
    mutating func note(
        _ outcome: PollOutcome, of source: String, isHealthy: Bool, _ ports: Ports,
        _ group: inout DiscardingTaskGroup
    ) {
        guard let address, sources.contains(source) else { return }
        if case .failed = outcome {
            healthy.remove(source)
            return
        }
        healthy.insert(source)
        guard healthy.count == sources.count, isHealthy else { return }
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
