extension HTTPResponse {
    /// How long the service asks to be left alone, in all the words that services have for it; of several the longest.
    ///
    /// - `Retry-After` in seconds, as an HTTP date, or in Unix time.
    /// - `retry_after` or `retry-after` in seconds and `retry_after_ms` in milliseconds, in a body of JSON (Discord,
    ///   Zulip, Matrix), or under `parameters` (Telegram).
    /// - Under 429 and 503 the headers of a rate limit that is used up: `X-RateLimit-Reset-After` in seconds,
    ///   `X-RateLimit-Reset` as an instant or in seconds, `X-RateLimit-Period-In-Sec`, and what the IETF's drafts
    ///   say, `RateLimit-Reset` and `RateLimit`.
    ///
    /// Nil when nothing of that is there or makes sense. Never shorter than what was said, and longer by less than a
    /// millisecond at most.
    public func toldWait(now: Moment) -> Duration? {
        [retryAfter(now: now), waitInBody, rateLimitWait(now: now)].compactMap(\.self).max()
    }

    /// Answers that tell a wait are far smaller; a proxy's page may be of any size.
    private static let bodyBytesMax = 65_536

    private var waitInBody: Duration? {
        guard body.count <= HTTPResponse.bodyBytesMax, body.contains(UInt8(ascii: "{")),
            let answer = try? JSON(parsing: body)
        else { return nil }
        let seconds = [answer["retry_after"], answer["retry-after"], answer["parameters"]?["retry_after"]]
            .compactMap { $0?.numberOrNumeral }
        let milliseconds = answer["retry_after_ms"]?.numberOrNumeral.map { $0 / 1000 }
        return (seconds + [milliseconds].compactMap(\.self)).compactMap { Duration.told(seconds: $0) }.max()
    }

    /// These headers come with every answer of such a service, so they ask for a wait only where it refuses for now and
    /// nothing is left of the limit.
    private func rateLimitWait(now: Moment) -> Duration? {
        guard status == 429 || status == 503 else { return nil }
        let period = header("X-RateLimit-Period-In-Sec").flatMap(Double.init).flatMap { Duration.told(seconds: $0) }
        let limits = rateLimits(now: now)
        let spent = limits.filter { ($0.remaining ?? 0) <= 0 }
        guard limits.isEmpty || !spent.isEmpty else { return nil }
        return (spent.map(\.wait) + [period]).compactMap(\.self).max()
    }

    /// How long a service that has answered wants no further request, because this one was the last of its limit; nil where
    /// some are left, or it does not say until when. An hour at most: limits count in windows of minutes, and one that is
    /// longer is told again by a refusal.
    public func spentLimitWait(now: Moment) -> Duration? {
        rateLimits(now: now).filter(\.isSpent).compactMap(\.wait).max()
            .map { min($0, HTTPResponse.spentWaitMax) }
    }

    /// The longest window of which a service counts requests whose limit an answer is believed to have used up.
    private static let spentWaitMax = Duration.hours(1)

    /// What headers say of one limit: the requests that are left of it, and how long until there are more.
    private struct RateLimit {
        var remaining: Double?
        var wait: Duration?

        var isSpent: Bool { remaining.map { $0 <= 0 } ?? false }
    }

    /// All limits that the headers name: GitHub's `X-RateLimit-…` and its spellings, and those of the IETF's drafts,
    /// `RateLimit-…` and `RateLimit: "default";r=0;t=30` (before: `limit=100, remaining=0, reset=30`).
    private func rateLimits(now: Moment) -> [RateLimit] {
        func number(_ name: String) -> Double? { header(name).flatMap(Double.init) }
        var limits = ["X-RateLimit", "X-Rate-Limit", "RateLimit"].compactMap { name -> RateLimit? in
            // Both name the same instant, and the first does not depend on how right our clock is.
            let wait =
                number("\(name)-Reset-After").flatMap { Duration.told(seconds: $0) }
                ?? number("\(name)-Reset").flatMap { HTTPResponse.wait(untilReset: $0, now: now) }
            let limit = RateLimit(remaining: number("\(name)-Remaining"), wait: wait)
            return limit.remaining == nil && limit.wait == nil ? nil : limit
        }
        guard let list = header("RateLimit"), list.utf8.count <= HTTPResponse.limitBytesMax else { return limits }
        var limit = RateLimit()
        for part in list.split(whereSeparator: { $0 == "," || $0 == ";" }).map({ String($0).trimmed }) {
            let pair = part.split(separator: "=", maxSplits: 1)
            guard pair.count == 2 else {
                // Another limit's name.
                limits.append(limit)
                limit = RateLimit()
                continue
            }
            guard let value = Double(pair[1]) else { continue }
            switch pair[0] {
            case "r", "remaining": limit.remaining = value
            case "t", "reset": limit.wait = Duration.told(seconds: value)
            default: break
            }
        }
        return (limits + [limit]).filter { $0.remaining != nil || $0.wait != nil }
    }

    /// A header that names more limits than fit in here is a mistake.
    private static let limitBytesMax = 1_000

    /// Services disagree on whether a reset is an instant or a wait, and on the unit of instants. None means a wait of
    /// thirty years, and none an instant in the year 33658, so the size tells.
    static func wait(untilReset value: Double, now: Moment) -> Duration? {
        let nowSeconds = Double(now.milliseconds) / 1000
        return switch value {
        case instantMillisecondsMin...: Duration.told(seconds: value / 1000 - nowSeconds)
        case instantSecondsMin...: Duration.told(seconds: value - nowSeconds)
        default: Duration.told(seconds: value)
        }
    }

    /// September 2001 in Unix time, older than any service with such a header; in seconds and in milliseconds.
    private static let instantSecondsMin = 1e9
    private static let instantMillisecondsMin = 1e12
}

extension JSON {
    /// The number, also one that was written as a string.
    fileprivate var numberOrNumeral: Double? { number ?? string.flatMap { Double($0.trimmed) } }
}
