internal import BotConfig
internal import PluginKit
internal import Testing

/// A gate that lets severe things pass.
private struct QuietGate: Gate {
    static let manifest = PluginManifest(name: "quiet", summary: "Is closed.", options: [what])
    static let what = Setting("except", .severity, "What passes.")

    let except: Severity?

    init(options: Options, context: RuleContext) throws(ProblemList) { except = options[Self.what] }
}

/// The same, in every config unless a rule takes its place.
private struct CalmGate: Gate {
    static let manifest = PluginManifest(name: "calm", summary: "Is closed.", options: [QuietGate.what])
    static let isAlwaysThere = true

    let except: Severity?

    init(options: Options, context: RuleContext) throws(ProblemList) { except = options[QuietGate.what] }
}

/// A rule that is only ever critical.
private struct AlarmDetector: SubjectDetector {
    static let manifest = PluginManifest(name: "alarm", summary: "Fires.", options: [])

    init(options: Options, context: RuleContext) throws(ProblemList) {}

    var severities: Set<Severity>? { [.critical] }
    var metrics: [Metric] { [] }
    var spans: [Duration] { [] }
    var lookback: Duration { .zero }
    var holdTime: Duration { .zero }
    func judge(_ series: Series, at now: Moment) -> Judgement {
        Judgement(.unknown("it never looks"), .between, Evidence(sentence: "It never looks."))
    }
}

@Suite struct `What passes a gate` {
    private func problems(_ gate: String) -> [String] {
        let yaml = "rules: {r: {plugin: alarm}, n: \(gate)}" + least
        let catalog = PluginCatalog(
            sources: [FeedSource.self], detectors: [AlarmDetector.self], gates: [QuietGate.self, CalmGate.self],
            channels: [PageChannel.self])
        let result = Config.load(
            Array(yaml.utf8), folder: "/etc/bot", catalog: catalog, surroundings: FakeWorld.surroundings())
        return result.problems.map { "\($0.level) \($0.line)" }
    }

    @Test(arguments: [
        ("{plugin: quiet, except: info}", "1:56", "remove the rule, or let less pass"),
        (
            "{plugin: quiet, match: {severity: warning}, except: warning}", "1:84",
            "let 'match' and 'except' name different severities"
        ),
        (
            "{plugin: quiet, match: {severity: [critical, warn*]}, except: warning}", "1:94",
            "let 'match' and 'except' name different severities"
        ),
    ])
    func `a gate that everything passes is a mistake`(gate: String, place: String, advice: String) {
        #expect(
            problems(gate) == [
                "error \(place): everything that 'n' matches passes 'except', so it never holds anything (\(advice))"
            ])
    }

    @Test func `a gate that only the rules of today all pass is doubtful`() {
        #expect(
            problems("{plugin: quiet, match: {rule: r}, except: critical}") == [
                "warning 1:74: 'n' never holds anything: the rules that it matches can only have a severity that passes "
                    + "'except' (remove the rule, or let less pass)"
            ])
    }

    @Test func `a gate for a severity that its rules do not have is doubtful`() {
        #expect(
            problems("{plugin: quiet, match: {rule: r, severity: info}}") == [
                "warning 1:75: 'n' never matches anything: the rules that it names are only ever critical "
                    + "(change 'severity', or remove the rule)"
            ])
    }

    @Test(arguments: [
        "{plugin: quiet}", "{plugin: quiet, except: critical}",
        "{plugin: quiet, match: {severity: [warning, critical]}, except: critical}",
        "{plugin: quiet, match: {rule: \"*\"}, except: critical}",
        // That is how one is without it.
        "{plugin: calm, except: info}",
    ])
    func `a gate that holds something is none`(gate: String) { #expect(problems(gate) == []) }
}
