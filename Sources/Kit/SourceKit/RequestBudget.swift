public import PluginKit

/// What the headers of an answer say of the requests that are left, and of when there are more.
public struct RequestBudget: Hashable, Sendable {
    /// When there are more, where the answer says so.
    public let renewed: Moment?
    /// Set when none is left: no request before that moment.
    public let spentUntil: Moment?
    private let now: Moment

    /// Limits count in windows of minutes; a wait beyond this is a mistake.
    private static let waitMax = Duration.hours(1)
    /// Where nobody says how long to wait.
    private static let waitUsual = Duration.minutes(1)

    /// - Parameters:
    ///   - remaining: the header with how many are left.
    ///   - seconds: the one with the seconds until there are more.
    public init(_ response: HTTPResponse, remaining: String, seconds: String, now: Moment) {
        self.now = now
        renewed = response.header(seconds).flatMap(Double.init).flatMap { Duration.waitingTime(seconds: $0) }
            .map { now + min($0, RequestBudget.waitMax) }
        spentUntil = response.header(remaining) == "0" ? renewed ?? now + RequestBudget.waitUsual : nil
    }

    /// The failure of a request that was one too many, with the latest of all waits that were told.
    public func refusal(_ failure: PollFailure) -> PollFailure {
        let told = [renewed, failure.retryAt].compactMap(\.self).max() ?? now + RequestBudget.waitUsual
        return PollFailure(.rateLimited, failure.description, retryAt: told)
    }
}
