import AlertCore
import AlertTesting
import PluginKit
import Synchronization
import Testing

/// What status and pages list of what rules think.
@Suite struct `Judgements that are listed` {
    /// Counts how often it is asked.
    private final class CountingDetector: Detector {
        static let manifest = PluginManifest(name: "counting", summary: "", options: [])
        let scope: DetectorScope
        let asked = Mutex(0)

        init(options: Options, context: RuleContext) throws(ProblemList) { scope = .subject }
        init(_ scope: DetectorScope) { self.scope = scope }

        let metrics: [Metric] = []
        let lookback = Duration.minutes(5)
        let spans: [Duration] = []
        let holdTime = Duration.zero

        func findings(in sight: Sight, at now: Moment) -> [Finding] {
            asked.withLock { $0 += 1 }
            return [Finding(Judgement(.ok(recovered: true), .far, Evidence(sentence: "counted")))]
        }
    }

    private func subject(_ app: String, of source: String = "ios", _ release: String? = nil) -> Subject {
        Subject(source: source, app: app, release: release)
    }

    @Test func `of a list that is cut what is fine is missing first, and everything is counted`() {
        var bot = Rehearsal(.rehearsed())
        bot.start()
        let cues: [Cue] = [.fine, .fine, .unknown, .fine, .warning, .unknown]
        bot.see(cues.enumerated().map { (subject("app\($0)"), $1) })
        func kept(_ most: Int) -> [String] {
            bot.core.judged(bot.state, at: bot.now, most: most).kept.map(\.subject.app)
        }
        #expect(kept(4) == ["app0", "app2", "app4", "app5"])
        #expect(kept(2) == ["app2", "app4"])
        #expect(kept(9).count == 6)
        let cut = bot.core.judged(bot.state, at: bot.now, most: 2)
        #expect(Judged.Rank.allCases.map(cut.leftOut) == [0, 1, 0, 3])
        let all = bot.core.judged(bot.state, at: bot.now, most: 6)
        #expect(Judged.Rank.allCases.map(all.leftOut) == [0, 0, 0, 0])
    }

    @Test func `of more than is to be explained what fires is, and everything is counted`() {
        var bot = Rehearsal(.rehearsed())
        bot.start()
        let cues: [Cue] = [.fine, .fine, .unknown, .warning]
        bot.see(cues.enumerated().map { (subject("app\($0)"), $1) })
        let (explained, judgements) = bot.core.explain(bot.state, at: bot.now, most: 2) { _, _ in true }
        #expect(explained.map(\.subject.app) == ["app2", "app3"])
        #expect(judgements.leftOut == 2 && judgements.leftOut(.fine) == 2)
        #expect(bot.core.explain(bot.state, at: bot.now) { _, _ in true }.judgements.leftOut == 0)
    }

    /// Speaks of an issue once, as a rule does of one that the next answers do not name.
    private final class PassingNews: Detector {
        static let manifest = PluginManifest(name: "news", summary: "", options: [])
        private let asked = Mutex(0)

        init() {}
        init(options: Options, context: RuleContext) throws(ProblemList) {}

        let metrics: [Metric] = []
        let lookback = Duration.minutes(5)
        let spans: [Duration] = []
        let holdTime = Duration.zero

        func findings(in sight: Sight, at now: Moment) -> [Finding] {
            let isFirst = asked.withLock { asked in
                asked += 1
                return asked == 1
            }
            let evidence = Evidence(sentence: "A-1 is new")
            return isFirst ? [Finding(Judgement(.firing(.warning), .between, evidence), key: "A-1")] : []
        }
    }

    @Test func `what a rule has said stands while it is open, though the rule has nothing new to say of it`() throws {
        var bot = Rehearsal(.rehearsed(detectors: [DetectorPlan(name: "news", detector: PassingNews())]))
        bot.pollAnswer = { _, _ in nil }
        bot.start()
        bot.see([(subject("shop"), .fine)])
        let judged = bot.core.judged(bot.state, at: bot.now, most: 9).kept
        #expect(judged.map(\.key) == ["A-1"] && judged.map(\.rank) == [.firing])
        let explained = bot.core.explain(bot.state, at: bot.now) { _, _ in true }.explanations
        #expect(explained.map { $0.incident != nil } == [true])
        #expect(explained.first?.judgement.evidence.sentence == "A-1 is new")
        #expect(bot.core.explain(bot.state, at: bot.now) { $1.app == "bank" }.explanations.isEmpty)
    }

    @Test(arguments: [DetectorScope.subject, .app, .source])
    func `only what somebody asks about is judged`(scope: DetectorScope) {
        let detector = CountingDetector(scope)
        var bot = Rehearsal(
            .rehearsed(
                sources: [SourcePlan(name: "ios", jitter: 0), SourcePlan(name: "web", jitter: 0)],
                detectors: [DetectorPlan(name: "count", detector: detector)]))
        bot.pollAnswer = { _, _ in nil }
        bot.start()
        bot.see([(subject("shop"), .fine), (subject("bank"), .fine), (subject("till"), .fine)])
        bot.see([(subject("site", of: "web"), .fine)])
        detector.asked.withLock { $0 = 0 }
        _ = bot.core.explain(bot.state, at: bot.now) { $1.app == "site" }
        #expect(detector.asked.withLock(\.self) == 1)
        _ = bot.core.explain(bot.state, at: bot.now) { rule, _ in rule == "another" }
        #expect(detector.asked.withLock(\.self) == 1)
    }

    @Test(arguments: [DetectorScope.subject, .app])
    func `of a source that the config no longer has nothing is judged`(scope: DetectorScope) {
        func plan(_ sources: String...) -> Plan {
            .rehearsed(
                sources: sources.map { SourcePlan(name: $0, jitter: 0) },
                detectors: [DetectorPlan(name: "count", detector: CountingDetector(scope))])
        }
        var bot = Rehearsal(plan("ios", "web"))
        bot.pollAnswer = { _, _ in nil }
        bot.start()
        bot.see([(subject("shop"), .fine)])
        bot.see([(subject("site", of: "web"), .fine)])
        func judged() -> [[String]] {
            [
                bot.core.judged(bot.state, at: bot.now, most: 9).kept.map(\.subject.source),
                bot.core.assessments(bot.state, at: bot.now).map(\.source),
            ]
        }
        #expect(judged().map { $0.sorted() } == [["ios", "web"], ["ios", "web"]])
        bot.reload(plan("ios"))
        #expect(judged() == [["ios"], ["ios"]])
    }

    @Test func `an app is judged as a whole where figures come only of its releases`() {
        let detector = CountingDetector(.app)
        var bot = Rehearsal(.rehearsed(detectors: [DetectorPlan(name: "count", detector: detector)]))
        bot.start()
        bot.see([(subject("shop", "5.2.0"), .fine)])
        #expect(
            bot.core.explain(bot.state, at: bot.now) { $1 == Subject(source: "ios", app: "shop") }.explanations.count
                == 1)
    }

    @Test func `an app is silent once its source answers without it, and a release that fades away is none`() {
        var bot = Rehearsal(.rehearsed())
        bot.pollAnswer = { _, _ in nil }
        bot.start()
        func silent() -> Set<Subject> { bot.state.silentApps(bot.plan, at: bot.now) }
        bot.see([
            (subject("shop"), .fine), (subject("shop", "5.1.0"), .fine), (subject("bank", "1.0"), .fine),
            (subject("bank", "1.1"), .fine),
        ])
        #expect(silent() == [])
        bot.suspend(for: .minutes(45))
        #expect(silent() == [], "nobody knows before the source has answered")
        bot.see([(subject("shop"), .fine)])
        #expect(silent() == [subject("bank")])
        let judged = bot.core.judged(bot.state, at: bot.now, most: 9).kept
        #expect(judged.filter { $0.noNewsSince == nil }.map(\.subject) == [subject("shop")])
        bot.see([(subject("bank", "1.1"), .fine)])
        #expect(silent() == [])
        bot.suspend(for: .minutes(45))
        bot.fail()
        #expect(silent() == [], "that the source fails is said of the source")
    }

    @Test func `an environment that stops while another goes on makes no app silent, nor does an alert that is over`() {
        let sources = [SourcePlan(name: "ios", jitter: 0), SourcePlan(name: "grafana", jitter: 0)]
        var plan = Plan.rehearsed(sources: sources)
        plan.sources[1].isPushed = true
        var bot = Rehearsal(plan)
        bot.pollAnswer = { _, _ in nil }
        bot.start()
        let (live, preview) = ("production", "pr-123")
        func shop(_ environment: String) -> Subject {
            Subject(source: "ios", app: "shop", environment: environment)
        }
        bot.see([(shop(live), .fine), (shop(preview), .fine)])
        bot.see([(Subject(source: "grafana", app: "till"), .fine)])
        bot.suspend(for: .minutes(45))
        bot.see([(shop(live), .fine)])
        bot.see([(Subject(source: "grafana", app: "desk"), .fine)])
        #expect(bot.state.silentApps(bot.plan, at: bot.now) == [])
        bot.suspend(for: .minutes(45))
        bot.see([(Subject(source: "ios", app: "bank"), .fine)])
        #expect(bot.state.silentApps(bot.plan, at: bot.now) == [Subject(source: "ios", app: "shop")])
    }

    @Test func `an app that no rule on figures judges is not missed`() {
        let unconcerned = DetectorPlan(
            name: "look", detector: ScriptedDetector(),
            match: Match([Match.Condition(property: "app", patterns: [Glob("shop")])]))
        var bot = Rehearsal(.rehearsed(detectors: [unconcerned]))
        bot.pollAnswer = { _, _ in nil }
        bot.start()
        bot.see([(subject("shop"), .fine), (subject("bank"), .fine)])
        bot.suspend(for: .minutes(45))
        bot.see([(subject("shop"), .fine)])
        #expect(bot.state.silentApps(bot.plan, at: bot.now) == [])
    }

    @Test func `the issues of an app are those of every source that names it, the largest first`() {
        var bot = Rehearsal(
            .rehearsed(
                sources: [SourcePlan(name: "crash", jitter: 0), SourcePlan(name: "play", jitter: 0)]))
        bot.pollAnswer = { _, _ in nil }
        bot.start()
        func see(_ subject: Subject, _ issues: KeyValuePairs<String, Double>) {
            let issues = issues.map { Issue(id: $0, title: $0, events: 1, users: $1) }
            bot.see([.figures(["sessions": 10], of: subject, at: bot.now, issues: issues)])
        }
        func titles() -> [String] {
            bot.state.issueLines(ofApp: "shop", bot.plan, at: bot.now).map(\.title)
        }
        see(subject("shop", of: "crash"), ["A": 1, "B": 5])
        #expect(titles() == ["B", "A"])
        see(subject("shop", of: "play", "5.2.0"), ["C": 3, "A": 9])
        #expect(titles() == ["A", "B", "C", "A"])
        bot.advance(by: .seconds(1))
        see(subject("shop", of: "play", "5.1.0"), ["C": 2])
        #expect(titles() == ["A", "B", "C", "A"], "the same issue of two releases is one")
    }
}
