import AlertModel

/// Lines and figures that several suites use.
enum Fixtures {
    static let observedLine =
        #"{"source":"ios","app":"shop-ios","release":"5.2.0","environment":"production","from":"2026-11-20T22:00:00Z","to":"2026-11-20T22:05:00Z","seen":"2026-11-20T22:05:30Z","complete":true,"metrics":{"users":1840,"crashed_users":31,"sessions":4100,"crashed_sessions":52},"issues":[{"id":"SHOP-12","title":"NullPointerException in CartView","events":40,"users":29,"first_seen":"2026-11-20T21:40:00Z","last_seen":"2026-11-20T22:04:50Z","release":"5.2.0","status":"unresolved","url":"https://sentry.io/…"}],"labels":{"team":"checkout"}}"#
    static let failedLine = #"{"source":"ios","failed":"timeout","seen":"2026-11-20T22:07:30Z"}"#

    static let start = Moment(milliseconds: 1_795_212_000_000)  // 2026-11-20T22:00:00Z, a whole hour

    /// What a source saw from one minute after `start` to another, asked half a minute after its end.
    static func observation(
        _ from: Int64, _ to: Int64, _ metrics: Metrics, seen: Duration? = nil, isComplete: Bool = true
    ) -> Observation? {
        TimeSpan(from: start + .minutes(from), to: start + .minutes(to)).map { span in
            Observation(
                subject: Subject(source: "ios", app: "shop-ios"), span: span,
                seen: seen.map { start + $0 } ?? span.to + .seconds(30), isComplete: isComplete, metrics: metrics)
        }
    }
}
