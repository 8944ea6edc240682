internal import BotConfig
internal import NewIssueDetector
internal import PluginKit
internal import Testing
internal import ThresholdDetector
internal import VelocityDetector

/// A source that gives users and names no issues.
private struct BareSource: Source {
    static let manifest = PluginManifest(name: "bare", summary: "Gives users.", options: [])

    init(options: Options, context: SourceContext) throws(ProblemList) {}

    var host: String? { nil }
    var metrics: Set<Metric>? { ["users", "crashed_users"] }
    var givesIssues: Bool? { false }
    func poll(_ poll: Poll) -> PollStep { .finish(PollReport(.noData)) }
}

/// A source that names issues and gives no figures.
private struct TrackerSource: Source {
    static let manifest = PluginManifest(name: "tracker", summary: "Names issues.", options: [])

    init(options: Options, context: SourceContext) throws(ProblemList) {}

    var host: String? { nil }
    var metrics: Set<Metric>? { [] }
    var givesIssues: Bool? { true }
    func poll(_ poll: Poll) -> PollStep { .finish(PollReport(.noData)) }
}

/// What only the whole config can tell of the real rules: whether their sources give what they judge.
@Suite struct DetectorTests {
    private func problems(_ rules: String, own: String = "any") -> [String] {
        let yaml = """
            sources:
              web: {plugin: bare}
              own: {plugin: \(own)}
            channels:
              team: {plugin: page}
            rules:

            """
        let catalog = PluginCatalog(
            sources: [BareSource.self, AnySource.self, TrackerSource.self],
            detectors: [ThresholdDetector.self, NewIssueDetector.self, VelocityDetector.self], gates: [],
            channels: [PageChannel.self])
        let result = Config.load(
            Array((yaml + rules).utf8), folder: "/etc/bot", catalog: catalog, surroundings: FakeWorld.surroundings())
        return result.problems.map(\.line)
    }

    @Test(arguments: [
        (
            "{plugin: threshold, metric: crash_free_users, critical: \"< 99%\", match: {source: own}}", "7:34",
            "crash_free_users"
        ),
        ("{plugin: velocity, match: {source: own}}", "7:3", "sessions"),
    ])
    func `a source that gives issues only is no source of figures`(rule: String, place: String, metric: String) {
        #expect(
            problems("  r: " + rule, own: "tracker") == [
                "\(place): no source of this rule gives '\(metric)'; own gives issues only "
                    + "(use a rule that needs no figures, such as new_issue or regression)"
            ])
    }

    @Test(arguments: [
        Mistake(
            "a condition on a metric that no source gives",
            """
              r:
                plugin: threshold
                match: {source: web}
                any:
                  - {metric: crash_free_users, warning: "< 99%"}
                  - {metric: crash_free_sessions, warning: "< 99%"}
            """,
            "12:18: no source of this rule gives 'crash_free_sessions'; web gives crashed_users or users"),
        Mistake(
            "a preset on a source without ANRs", "  r: {plugin: threshold, preset: anr, match: {source: web}}",
            "7:3: no source of this rule gives 'anr_rate'; web gives crashed_users or users"),
        Mistake(
            "a rule about issues on a source without any", "  r: {plugin: new_issue, match: {source: web}}",
            "7:3: rule 'r' judges issues, but none of its sources gives any: web (use 'match' to point it at a source that does)"
        ),
        Mistake(
            "a share of what no source gives", "  r: {plugin: velocity, match: {source: web}}",
            "7:3: rule 'r' judges issues, but none of its sources gives any: web (use 'match' to point it at a source that does)",
            "7:3: no source of this rule gives 'sessions'; web gives crashed_users or users"),
        Mistake(
            "an unknown key of a condition",
            """
              r:
                plugin: threshold
                all:
                  - {metric: users, warnin: "> 5"}
                  - {metric: sessions, warning: "> 5"}
            """,
            "10:25: unknown key 'warnin' in 'all' -> warning"),
        Mistake(
            "a condition without a metric",
            """
              r:
                plugin: threshold
                all: [{warning: "> 5"}, {metric: users, warning: "> 5"}]
            """,
            "9:11: 'all' needs 'metric': the metric to judge, such as crash_free_users"),
        Mistake(
            "conditions that are none", "  r: {plugin: threshold, all: users}",
            "7:31: 'all' must be a mapping such as {metric: …}, not a single value"),
        Mistake(
            "an issue where no issues are judged",
            "  r: {plugin: threshold, metric: users, warning: \"> 5\", match: {issue: SHOP-*}}",
            "7:65: a rule that judges observations can never match 'issue': observations have none"),
    ])
    func `what no source gives is reported at its place`(mistake: Mistake) {
        #expect(problems(mistake.yaml) == mistake.problems)
    }

    @Test func `what a source may give, and issues by their name, are taken`() {
        let rules = """
              a: {plugin: new_issue, match: {issue: "SHOP-*"}}
              b: {plugin: velocity}
              c: {plugin: threshold, preset: play-bad-behaviour, match: {source: own}}
              d:
                plugin: threshold
                all:
                  - {metric: crash_free_users, warning: "< 99.5%", critical: "< 99%", min_volume: 200}
                  - {metric: users, warning: "> 1000"}
                widen_to: 1d
            """
        #expect(problems(rules) == [])
    }
}
