internal import BotConfig
internal import PluginKit
internal import Testing

/// Names of metrics where the sources may give any.
@Suite struct FreeMetricTests {
    private func problems(_ metric: String, source: String = "{plugin: any}") -> [String] {
        load(
            """
            sources:
              ios: \(source)
            rules:
              floor: {plugin: limit, metric: \(metric), limit: "< 50"}
            channels:
              team: {plugin: page}
            """
        ).problems.map(\.line)
    }

    @Test(arguments: [
        ("crash_free_userz", "crash_free_users"), ("crashfree_sessions", "crash_free_sessions"), ("user", "users"),
    ])
    func `a name that is nearly a well-known one is probably a slip`(written: String, meant: String) {
        #expect(
            problems(written) == [
                "4:34: '\(written)' is no metric that alertbot knows, so a source has to give it by that name -> \(meant)"
            ])
    }

    @Test(arguments: ["crash_free_users", "sessions_total", "oom_rate", "logins", "latency_p95"])
    func `other names are nobody's mistake`(written: String) { #expect(problems(written) == []) }
}
