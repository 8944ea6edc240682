/// What somebody types who is asked by 'init' for a source, and who answers the source that comes of it.
public struct TypedSource: Sendable, CustomStringConvertible {
    public let plugin: String
    /// After the plugin's name, one for each question.
    public let answers: [String]
    /// Nil where nobody is asked.
    public let fake: SourceFake?

    public var description: String { fake?.name ?? plugin }

    /// - Parameter fake: the fake's name; the plugin's own where it has one.
    private init(_ plugin: String, _ answers: [String], fake: String? = nil) {
        self.plugin = plugin
        self.answers = answers
        let wanted = SourceFake.polled.first { $0.plugin == plugin && (fake ?? $0.name) == $0.name }
        self.fake = plugin == "prometheus" ? TypedSource.prometheus : wanted
    }

    /// One or more of every source.
    public static let all: [TypedSource] = [
        TypedSource("sentry", ["acme", "sntryu_0123456789abcdef"]),
        TypedSource("glitchtip", ["acme", "t0ken-t0ken"]),
        TypedSource("bugsink", ["https://bugsink.example.com", "0123456789abcdef0123456789abcdef01234567"]),
        TypedSource("rollbar", ["wallet", "${env:T}"]),
        TypedSource("datadog", ["wallet", "abc", "${env:T}", "dd-app-0123456789", ""]),
        TypedSource("bugsnag", ["${env:T}"]),
        TypedSource("crashlytics", ["./key.json", "wallet: 1:123456789012:android:abcdef0123456789", ""]),
        TypedSource(
            "crashlytics", ["./key.json", "", "wallet: com_acme_wallet_ANDROID_REALTIME", ""],
            fake: "crashlytics in BigQuery"),
        TypedSource("google_play", ["~/key.json"]),
        TypedSource("prometheus", ["http://localhost:9090", "sessions: sessions", "crash_events: crashes", ""]),
        TypedSource("push", ["s3cret-s3cret"]),
        TypedSource(
            "http_json",
            [
                "https://stats.example.com/rows", "$.data.rows[*]", "app: $.app.id", "release: $.version",
                "sessions=$.stability.sessions | commas", "",
            ]),
        TypedSource("file", ["./figures.jsonl"]),
        TypedSource("simulator", []),
    ]

    /// The series of its fixtures name no app, which whoever types no 'app' needs.
    private static let prometheus = SourceFake(
        name: "prometheus with apps", plugin: "prometheus", options: "", now: "2026-11-21T00:00:00Z",
        answers: [
            (
                "/query", "",
                .text(
                    """
                    {"status": "success", "data": {"resultType": "vector", "result":
                      [{"metric": {"app": "shop"}, "value": [1795219200, "100"]}]}}
                    """)
            )
        ])
}
