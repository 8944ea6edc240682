internal import PluginKit

extension ServiceAccount {
    /// How a token for a scope is had (RFC 7523, section 2.1).
    func order(for scope: String) -> TokenOrder {
        TokenOrder(
            key: "google \(email) \(keyID) \(tokenAddress) \(scope)",
            request: { now in
                guard let assertion = assertion(for: scope, at: now) else {
                    return .failure(PollFailure(.refused, "token: nothing can be signed: out of memory"))
                }
                let fields: [HTTPRequest.FormField] = [
                    .init("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer"),
                    .init("assertion", GuardedText(assertion)),
                ]
                return .success(
                    HTTPRequest(
                        .post, GuardedText(tokenAddress), headers: [.init("Accept", "application/json")],
                        body: .form(fields)))
            },
            read: { result, now in
                do throws(PollFailure) {
                    return .success(try token(in: result, now))
                } catch {
                    return .failure(error.about("token"))
                }
            })
    }

    /// A token that lasts longer is asked for anew after a day all the same.
    private static let tokenLastsMax = Duration.days(1)

    private func token(in result: FetchResult, _ now: Moment) throws(PollFailure) -> AccessToken {
        let response = try result.response()
        if let failure = refusal(response, now) { throw failure }
        // Whatever stands there may be a credential of sorts, so nothing of it is quoted.
        guard let body = try? JSON(parsing: response.body) else {
            let kind = response.header("Content-Type").map { ", but \($0.quotable)" } ?? ""
            throw PollFailure(.badAnswer, "the answer is not JSON\(kind)")
        }
        func mismatch(_ name: String, expected: String) -> PollFailure {
            PollFailure(JSONMismatch(path: "$.\(name)", expected: expected, found: "something else"))
        }
        guard body["token_type"]?.string?.lowercased() == "bearer" else {
            throw mismatch("token_type", expected: "\"Bearer\"")
        }
        guard let seconds = body["expires_in"]?.number, seconds >= 1 else {
            throw mismatch("expires_in", expected: "seconds from 1 on")
        }
        guard let token = body["access_token"]?.string, !token.isEmpty,
            token.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { throw mismatch("access_token", expected: "a token") }
        let life = min(Duration.waitingTime(seconds: seconds) ?? .zero, ServiceAccount.tokenLastsMax)
        return AccessToken(Secret(token), lasts: life)
    }

    // MARK: - Refusals

    /// Google takes assertions from five minutes around its own time.
    private static let clockErrorMax = Duration.minutes(5)

    /// What an answer without a token means; nil where there is one.
    private func refusal(_ response: HTTPResponse, _ now: Moment) -> PollFailure? {
        let said = try? JSON(parsing: response.body)
        let code = said?["error"]?.string
        let words = [code, said?["error_description"]?.string].compactMap(\.self).joined(separator: ": ")
        guard let failure = PollFailure(response, detail: words, now: now) else { return nil }
        let hint = "check 'key': its token_uri may lead elsewhere than to Google"
        guard let code else {
            return [.rateLimited, .unavailable].contains(failure.reason) ? failure : failure.advised(by: hint)
        }
        guard response.status == 400 || response.status == 401 else { return failure }
        let isClock = (said?["error_description"]?.string?.lowercased()).map {
            $0.contains("reasonable timeframe") || $0.contains("iat")
        }
        switch code {
        case "invalid_grant" where clockError(response, now) != nil:
            let error = clockError(response, now) ?? ""
            return PollFailure(.refused, "\(failure.description) (this machine's clock is \(error); set it)")
        case "invalid_grant" where isClock == true:
            // A clock is set some day, also by itself; a source that is suspended would not notice.
            return PollFailure(.refused, "\(failure.description) (check this machine's clock)")
        case "invalid_grant" where said?["error_description"]?.string?.contains("audience") == true:
            let hint = " (token_uri in the key file leads elsewhere than to Google; copy the key file again)"
            return PollFailure(.unauthorized, failure.description + hint)
        case "invalid_grant", "unauthorized_client", "invalid_client":
            let hint = " (the key \(keyID.clipped(to: 40)) of \(email) may have been deleted; make a new one)"
            return PollFailure(.unauthorized, failure.description + hint)
        default: return failure
        }
    }

    /// By how much this machine's clock is wrong, in words, as the answer's own date tells; nil when it is right.
    private func clockError(_ response: HTTPResponse, _ now: Moment) -> String? {
        guard let date = response.header("Date").flatMap({ Moment(httpDate: $0, now: now) }) else { return nil }
        let ahead = now - date
        guard max(ahead, .zero - ahead) > ServiceAccount.clockErrorMax else { return nil }
        return ahead > .zero ? "\(ahead.rough) ahead" : "\((.zero - ahead).rough) behind"
    }
}
