import AlertCore
import AlertTesting
import PluginKit
import Testing

/// Detectors that look at more than the figures of one subject.
@Suite struct `What detectors are shown` {
    /// Finds every issue of a subject that hits more than ten users; those it tracks and sees no more are over.
    private struct IssueRule: Detector {
        static let manifest = PluginManifest(name: "issues", summary: "", options: [])
        static let isWorthReminding = false
        init(options: Options, context: RuleContext) throws(ProblemList) {}
        init() {}

        let metrics: [Metric] = []
        let lookback = Duration.minutes(5)
        let spans: [Duration] = []
        let holdTime = Duration.zero

        func findings(in sight: Sight, at now: Moment) -> [Finding] {
            let seen = Set(sight.series.issues.map(\.id))
            let over = sight.tracked.filter { !seen.contains($0.key ?? "") }.map { tracked in
                Finding(Judgement(.ok(recovered: true), .far, Evidence(sentence: "gone")), key: tracked.key)
            }
            return over
                + sight.series.issues.map { issue in
                    let verdict: Judgement.Verdict = (issue.users ?? 0) > 10 ? .firing(.warning) : .ok(recovered: true)
                    return Finding(
                        Judgement(verdict, .between, Evidence(issue: issue, sentence: issue.title)), key: issue.id)
                }
        }
    }

    /// Finds every release that is not the newest by name.
    private struct ReleaseDetector: Detector {
        static let manifest = PluginManifest(name: "releases", summary: "", options: [])
        init(options: Options, context: RuleContext) throws(ProblemList) {}
        init() {}

        let metrics: [Metric] = []
        let lookback = Duration.minutes(5)
        let spans: [Duration] = []
        let holdTime = Duration.zero
        let scope = DetectorScope.app

        func findings(in sight: Sight, at now: Moment) -> [Finding] {
            sight.parts.map { part in
                let isNewest = part.subject == sight.parts.last?.subject
                return Finding(
                    Judgement(isNewest ? .ok(recovered: true) : .firing(.info), .far, Evidence(sentence: "old")),
                    about: part.subject)
            }
        }
    }

    /// Fires when a source has not answered for ten minutes.
    private struct StaleDetector: Detector {
        static let manifest = PluginManifest(name: "silent", summary: "", options: [])
        init(options: Options, context: RuleContext) throws(ProblemList) {}
        init() {}

        let metrics: [Metric] = []
        let lookback = Duration.minutes(5)
        let spans: [Duration] = []
        let holdTime = Duration.zero
        let scope = DetectorScope.source

        func findings(in sight: Sight, at now: Moment) -> [Finding] {
            guard let lastGood = sight.lastGood else { return [] }
            let isSilent = now - lastGood >= .minutes(10)
            return [
                Finding(
                    Judgement(isSilent ? .firing(.warning) : .ok(recovered: true), .far, Evidence(sentence: "silent")))
            ]
        }
    }

    private func bot(_ detector: any Detector, match: Match = .all) -> Rehearsal {
        var bot = Rehearsal(.rehearsed(detectors: [DetectorPlan(name: "rule", detector: detector, match: match)]))
        bot.comparesReplay = true
        bot.pollAnswer = { _, _ in nil }
        bot.start()
        return bot
    }

    private func see(_ bot: inout Rehearsal, users: KeyValuePairs<String, Double>) {
        let issues = users.map { Issue(id: $0.key, title: "crash \($0.key)", users: $0.value) }
        bot.see([.figures(["users": 100], at: bot.now, issues: issues)])
        bot.advance(by: .seconds(1))
    }

    private func open(_ bot: Rehearsal) -> [String?] { bot.state.incidents.inOrder.filter(\.isOpen).map(\.key) }

    @Test func `each issue is an incident of its own, and ends by itself`() {
        var bot = bot(IssueRule())
        see(&bot, users: ["a": 20, "b": 5, "c": 30])
        #expect(Set(open(bot)) == ["a", "c"])
        see(&bot, users: ["a": 20, "c": 2])
        #expect(open(bot) == ["a"])
        see(&bot, users: ["b": 11])
        #expect(open(bot) == ["b"])
        #expect(bot.kindsSent(to: "team") == [.opened, .opened, .resolved, .resolved, .opened])
        #expect(Set(bot.sends.compactMap(\.delivery.incident)).count == 3)
        #expect(bot.objections == [])
    }

    @Test func `incidents of issues survive a kill, and are told apart after it`() throws {
        var bot = bot(IssueRule())
        see(&bot, users: ["a": 20, "b": 20])
        bot.crash()
        see(&bot, users: ["a": 20])
        #expect(open(bot) == ["a"])
        #expect(try bot.stateFromSnapshot().incidents.inOrder == bot.state.incidents.inOrder)
    }

    @Test func `a rule may be about some issues alone`() {
        var bot = bot(IssueRule(), match: .on(["issue": "SHOP-*"]))
        see(&bot, users: ["SHOP-1": 20, "WEB-1": 20])
        #expect(open(bot) == ["SHOP-1"])
    }

    @Test func `an app is seen with all its releases, and a finding may be about one`() {
        var bot = bot(ReleaseDetector())
        func release(_ name: String) -> Subject { Subject(source: "ios", app: "shop", release: name) }
        bot.see([
            .figures(["users": 100], at: bot.now),
            .figures(["users": 60], of: release("1.0"), at: bot.now),
            .figures(["users": 40], of: release("1.1"), at: bot.now),
        ])
        #expect(bot.state.incidents.inOrder.map(\.subject) == [release("1.0")])
        bot.see([.figures(["users": 1], of: release("1.2"), at: bot.now)])
        #expect(Set(bot.state.incidents.inOrder.map(\.subject.release)) == ["1.0", "1.1"])
        #expect(bot.objections == [])
    }

    @Test func `a rule that watches a source is asked after every poll, also after one that fails`() {
        var bot = bot(StaleDetector())
        bot.see(.fine)
        bot.advance(by: .minutes(10))
        #expect(bot.state.incidents.isEmpty)
        bot.fail()
        #expect(bot.state.incidents.inOrder.map(\.subject) == [Subject(source: "ios", app: "ios")])
        bot.crash()
        #expect(bot.state.incidents.inOrder.count { $0.isOpen } == 1)
        bot.see(.fine)
        bot.advance(by: .seconds(1))
        #expect(bot.state.incidents.inOrder.count { $0.isOpen } == 0)
        #expect(bot.objections == [])
    }
}
