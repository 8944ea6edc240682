public import PluginKit

/// An answer without success of one of Google's APIs.
public struct GoogleRefusal: Sendable {
    public let reason: PollFailure.Reason
    /// The word by which programs know it: `SERVICE_DISABLED`, `bytesBilledLimitExceeded`.
    public let code: String?
    private let failure: PollFailure
    /// The API that it is about, and whose it is, where the answer tells.
    private let service: String?
    private let consumer: String?

    /// Words of Google's that mean "later", whatever the status says.
    private static let laterCodes: Set<String> = [
        "rateLimitExceeded", "quotaExceeded", "RATE_LIMIT_EXCEEDED", "jobRateLimitExceeded",
    ]
    /// Words that mean trouble on their side.
    private static let troubleCodes: Set<String> = ["backendError", "internalError"]
    /// How long to stay away where the answer does not say.
    private static let patience = Duration.minutes(1)

    /// Nil for an answer with success.
    init?(_ response: HTTPResponse, now: Moment) {
        let error = (try? JSON(parsing: response.body))?["error"]
        let message = error?["message"]?.string
        guard let plain = PollFailure(response, detail: message, now: now) else { return nil }
        let info = error?["details"]?.array?.first { $0["reason"] != nil }
        code = info?["reason"]?.string ?? error?["errors"]?.array?.first?["reason"]?.string
        service = info?["metadata"]?["service"]?.string
        consumer = info?["metadata"]?["consumer"]?.string
        let isLater = response.status == 403 && code.map(GoogleRefusal.laterCodes.contains) == true
        let isTrouble = [400, 403].contains(response.status) && code.map(GoogleRefusal.troubleCodes.contains) == true
        if isLater || plain.reason == .rateLimited {
            reason = .rateLimited
            failure = PollFailure(
                .rateLimited, plain.description, retryAt: plain.retryAt ?? now + GoogleRefusal.patience)
        } else {
            reason = isTrouble ? .unavailable : plain.reason
            failure = PollFailure(reason, plain.description, retryAt: plain.retryAt)
        }
    }

    /// The refusal as a poll's failure, with what to do about it.
    func failure(advice: String?, account: ServiceAccount) -> PollFailure {
        failure.advised(by: advice ?? commonAdvice(account))
    }

    private func commonAdvice(_ account: ServiceAccount) -> String? {
        switch (code, reason) {
        case ("SERVICE_DISABLED", _):
            let library = "https://console.cloud.google.com/apis/library/"
            let project = consumer.flatMap { $0.split(separator: "/").last }.map { "?project=\($0)" } ?? ""
            return "enable the API: \(library)\((service ?? "").tamed.clipped(to: 80))\(project.quotable)"
        case (_, .unauthorized): return "the token of \(account.email) was refused twice; check 'key'"
        case (_, .forbidden): return "\(account.email) lacks the permission"
        default: return nil
        }
    }
}
