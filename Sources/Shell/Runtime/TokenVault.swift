public import PluginKit

/// The access tokens of all sources, in memory alone: a restart asks anew, and no file ever holds one.
///
/// Sources that ask by the same key share one token, and whoever asks while a new one is under way waits for that one.
public actor TokenVault {
    private struct Kept {
        let token: AccessToken
        /// By the machine's own clock, which nobody sets.
        let freshUntil: Duration
    }

    private var kept: [String: Kept] = [:]
    /// Those who wait for a token that somebody else is getting.
    private var waiting: [String: [CheckedContinuation<Result<AccessToken, PollFailure>, Never>]] = [:]

    /// The share of its life for which a token is used: requests under way must still find it good.
    private static let freshShare = 0.9
    /// Accounts times purposes; a config has a handful. Beyond this those of old configs are forgotten.
    private static let keptMax = 64

    public init() {}

    /// What is kept, for whoever shows what services said.
    public var secrets: [Secret] { kept.values.map(\.token.secret) }

    /// A token that is kept, or a new one.
    ///
    /// - Parameter connection: how the service of whoever asks is reached, and the one that gives tokens with it.
    public func token(
        for order: TokenOrder, _ ports: Ports, timeout: Duration, over connection: Connection = .usual
    ) async -> Result<AccessToken, PollFailure> {
        if let kept = kept[order.key], kept.token != order.refused, ports.clock.uptime() < kept.freshUntil {
            return .success(kept.token)
        }
        if waiting[order.key] != nil {
            return await withCheckedContinuation { waiting[order.key]?.append($0) }
        }
        waiting[order.key] = []
        let began = ports.clock.uptime()
        // In the task of whoever asks first, so it runs where that one does; polls are cancelled when the bot stops, and then
        // nobody waits for a token any more.
        let result = await TokenVault.exchange(order, ports, timeout, connection)
        keep(result, for: order, since: began, ports)
        for other in waiting.removeValue(forKey: order.key) ?? [] { other.resume(returning: result) }
        return result
    }

    private func keep(
        _ result: Result<AccessToken, PollFailure>, for order: TokenOrder, since began: Duration, _ ports: Ports
    ) {
        guard case .success(let token) = result else { return }
        let now = ports.clock.uptime()
        if kept.count >= TokenVault.keptMax { kept = kept.filter { now < $0.value.freshUntil } }
        if kept.count >= TokenVault.keptMax { kept = [:] }
        kept[order.key] = Kept(token: token, freshUntil: began + token.lasts.scaled(by: TokenVault.freshShare))
    }

    private static func exchange(
        _ order: TokenOrder, _ ports: Ports, _ timeout: Duration, _ connection: Connection
    ) async -> Result<AccessToken, PollFailure> {
        switch order.request(ports.clock.now()) {
        case .failure(let failure): return .failure(failure)
        case .success(var request):
            request.connection = connection
            let result = await ports.web.fetch(request, timeout: timeout)
            // What is asked with stands in no config: it was signed for this request.
            let redactor = Redactor(request.ownSecrets)
            return order.read(result, ports.clock.now()).mapError { $0.saying(redactor.redact($0.description)) }
        }
    }
}
