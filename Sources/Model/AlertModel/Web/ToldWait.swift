extension HTTPResponse {
    /// How long the service asks to be left alone, in all the words that services have for it; of several the longest.
    ///
    /// - `Retry-After` in seconds, as an HTTP date, or in Unix time.
    /// - `retry_after` or `retry-after` in seconds and `retry_after_ms` in milliseconds, in a body of JSON (Discord,
    ///   Zulip, Matrix), or under `parameters` (Telegram).
    /// - Under 429 and 503 the headers of a rate limit that is used up: `X-RateLimit-Reset-After` in seconds,
    ///   `X-RateLimit-Reset` as an instant or in seconds, `X-RateLimit-Period-In-Sec`.
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
        guard status == 429 || status == 503, (header("X-RateLimit-Remaining").flatMap(Double.init) ?? 0) <= 0
        else { return nil }
        func seconds(_ name: String) -> Double? { header(name).flatMap(Double.init) }
        // Both name the same instant, and the first does not depend on how right our clock is.
        let reset =
            seconds("X-RateLimit-Reset-After").flatMap { Duration.told(seconds: $0) }
            ?? seconds("X-RateLimit-Reset").flatMap { HTTPResponse.wait(untilReset: $0, now: now) }
        let period = seconds("X-RateLimit-Period-In-Sec").flatMap { Duration.told(seconds: $0) }
        return [reset, period].compactMap(\.self).max()
    }

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
