internal import AlertCore
internal import AlertTesting
internal import BotConfig
internal import BuiltinPlugins
internal import Chance
internal import DropDetector
internal import PluginKit
internal import Preview
internal import Testing
internal import ThresholdDetector
internal import TimeZones

/// An app's figures every half hour, and hours in which they are bad.
private struct AppStory {
    var app = "shop"
    var days = 32
    var users = 4000.0
    var crashed = 12.0
    /// Half hours of trouble, from the begin.
    var trouble: [Range<Int>] = []
    var crashedInTrouble = 400.0
    var seed: UInt64 = 1
    var noun = "users"

    static let start = Moment.utc("2026-10-20 00:00")

    static func moment(_ half: Int) -> Moment { start + .minutes(Int64(half) * 30) }

    var batches: [ObservationReader.Batch] {
        var random = SeededRandom(seed: seed)
        return (0..<(days * 48)).map { half in
            let now = AppStory.moment(half)
            let usual = crashed * Double.random(in: 0.7...1.3, using: &random)
            let bad = trouble.contains { $0.contains(half) } ? crashedInTrouble : usual
            var metrics = Metrics()
            metrics[noun] = users
            metrics["crashed_" + noun] = bad.rounded()
            let observation = Observation.figures(
                metrics, of: Subject(source: "ios", app: app), at: now, lasting: .minutes(30))
            return ObservationReader.Batch(seen: now, lines: [.observed(observation)])
        }
    }
}

@Suite struct SuggestionTrialTests {
    private func suggestions(
        _ stories: [AppStory], app: String? = nil, metric: String = "crash_free_users", truth: [TrueIncident]? = nil
    ) throws -> Suggestions {
        var trial = try SuggestionTrial(
            .rehearsed(), metric: metric, app: app.map { Glob($0) }, floor: ThresholdDetector.self,
            drop: DropDetector.self,
            truth: truth)
        for batch in together(stories) { trial.feed(batch) }
        return trial.finish()
    }

    private func together(_ stories: [AppStory]) -> [ObservationReader.Batch] {
        stories.flatMap(\.batches).sorted { $0.seen < $1.seen }
    }

    @Test func `what is set at a service is offered as it is, beside what was tried`() throws {
        var found = try suggestions([AppStory()])
        let before = found.fragment
        found.limits = [
            ServiceLimit(app: "shop", metric: .crashFreeSessions, warning: 0.9995, critical: 0.999, service: "Bugsnag"),
            ServiceLimit(app: "shop", metric: .crashFreeUsers, warning: nil, critical: 0.99, service: "Bugsnag"),
        ]
        #expect(found.fragment.hasPrefix(before))
        #expect(
            found.fragment.dropFirst(before.count) == """
                  # What is set at Bugsnag for shop; it was not replayed
                  bugsnag-shop:
                    plugin: threshold
                    match: {app: "shop"}
                    metric: crash_free_sessions
                    warning: "< 99.95%"
                    critical: "< 99.9%"
                  # What is set at Bugsnag for shop; it was not replayed
                  bugsnag-shop-2:
                    plugin: threshold
                    match: {app: "shop"}
                    metric: crash_free_users
                    critical: "< 99%"

                """)
        #expect(
            try pasted(found).plan.detectors.count == 2 + (try pasted(suggestions([AppStory()])).plan.detectors.count))
        #expect(found.json["limits"]?.array?.first?["warning"] == "< 99.95%")
        // Also where the history gives nothing to propose.
        var none = try suggestions([])
        #expect(none.fragment.contains("rules: {}"))
        none.limits = Array(found.limits.prefix(1))
        #expect(try pasted(none).plan.detectors.map(\.name) == ["bugsnag-shop"])
    }

    /// The config that somebody has who pastes the suggestions.
    private func pasted(_ suggestions: Suggestions) throws -> Config {
        let text = """
            version: 1
            sources: {ios: {plugin: file, path: ios.jsonl}}
            channels: {team: {plugin: console}}

            """ + suggestions.fragment
        let surroundings = ConfigSurroundings(
            variable: { _ in nil },
            file: { _ throws(ConfigSurroundings.Missing) in throw ConfigSurroundings.Missing("there are none") },
            credentialsFolder: nil, zones: ZoneDatabase())
        let result = Config.load(Array(text.utf8), folder: ".", catalog: .builtin, surroundings: surroundings)
        #expect(result.problems.map(\.message) == [], "\(text)")
        return try #require(result.config)
    }

    private let twoFalls = AppStory(trouble: [400..<406, 1200..<1204])
    private let oneFall = AppStory(trouble: [400..<406])

    @Test(arguments: 1...2 as ClosedRange<UInt64>)
    func `pasted and played again, they say just what was foretold`(seed: UInt64) throws {
        let stories = [
            AppStory(trouble: [400..<406], seed: seed),
            AppStory(app: "other", users: 900, crashed: 9, seed: seed + 100),
            AppStory(app: "loud", users: 20_000, crashed: 400, crashedInTrouble: 3000, seed: seed + 200),
        ]
        let suggestions = try suggestions(stories)
        let config = try pasted(suggestions)
        var playback = Playback(config.plan)
        for batch in together(stories) { playback.feed(batch) }
        let report = BacktestReport(playback.finish(now: .earliest), channels: [:])
        #expect(suggestions.apps.map(\.app) == ["loud", "other", "shop"])
        for app in suggestions.apps {
            for (kind, figures) in [("floor", app.floor?.figures), ("drop", app.drop?.figures)] {
                let foretold = try #require(figures, "seed \(seed): \(app.app) \(kind) \(app.notes)")
                let rule = try #require(report.rules.first { $0.rule == "\(kind)-\(app.app)" })
                #expect(rule.messages == foretold.messages, "seed \(seed)")
                #expect(rule.atNight == foretold.atNight, "seed \(seed)")
                #expect(rule.incidents == foretold.incidents, "seed \(seed)")
                #expect(rule.brief == foretold.brief, "seed \(seed)")
            }
        }
    }

    @Test func `a limit is the tightest that rang about once a month`() throws {
        let floor = try #require(try suggestions([oneFall]).apps[0].floor)
        // Usually 99.7 %, and one fall to 90 % in 32 days: the limit finds the fall and nothing else.
        #expect(floor.figures.incidents == 1)
        #expect("\(floor.warning)" == "< 99.5%")
        // The fall rang at every limit above 90 %, so what never rang lies below.
        #expect("\(try #require(floor.critical))" == "< 90%")
        // Two falls in a month are one too many for any limit that finds them.
        let careful = try #require(try suggestions([twoFalls]).apps[0].floor)
        #expect("\(careful.warning)" == "< 90%")
        #expect(careful.figures.incidents == 0)
    }

    @Test func `what truly was wrong is no false alarm`() throws {
        let truth = [400..<406, 1200..<1204].compactMap { trouble in
            TimeSpan(from: AppStory.moment(trouble.lowerBound), to: AppStory.moment(trouble.upperBound)).map {
                TrueIncident(app: "shop", span: $0)
            }
        }
        let suggestions = try suggestions([twoFalls], truth: truth)
        let floor = try #require(suggestions.apps[0].floor)
        #expect("\(floor.warning)" == "< 99.5%")
        #expect(floor.figures.incidents == 2)
        #expect(floor.figures.detection?.found == 2)
        #expect(floor.figures.detection?.falseAlarms == 0)
        #expect(suggestions.fragment.contains("found 2 of 2, half of them within "))
        #expect(suggestions.json["apps"]?.array?[0]["floor"]?["figures"]?["detection"]?["found"]?.number == 2)
    }

    @Test func `too short a history proposes nothing, a short one says what it cannot show`() throws {
        let hours = try suggestions([AppStory(days: 1)]).apps[0]
        #expect(hours.floor == nil && hours.drop == nil)
        #expect(hours.notes == ["only 23 h 30 min of history; suggestions need at least 2 d"])
        let days = try suggestions([AppStory(days: 10)])
        #expect(days.apps[0].floor?.figures.incidents == 0)
        #expect(
            days.apps[0].notes == [
                "9 d 23 h of history is too little to show what fires once a month: what is proposed never fired in it",
                "a drop judges well with three weeks of history; with less it is slower, so it may fire more often later",
            ])
        #expect(days.fragment.contains("# Note: 9 d 23 h of history is too little to show"))
        let fewer = try suggestions([AppStory(days: 3)]).apps[0]
        #expect(fewer.drop == nil)
        #expect(fewer.notes.contains("no drop is proposed: it needs 3 d of history before it judges"))
    }

    @Test func `an app without enough users gets no limit that would never speak`() throws {
        let tiny = try suggestions([AppStory(users: 30, crashed: 0.4)]).apps[0]
        #expect(tiny.floor == nil)
        #expect(tiny.notes.contains("no limit is proposed: a threshold would hardly ever have enough users to judge"))
        #expect(tiny.notes.contains { $0.hasPrefix("1536 of 1536 spans have fewer than 50 users") })
    }

    @Test func `sessions of an hour are taken together before they are too few`() throws {
        let story = AppStory(days: 4, users: 30, crashed: 0.4, noun: "sessions")
        let hourly = try suggestions([story], metric: "crash_free_sessions").apps[0]
        #expect(hourly.floor != nil, "\(hourly.notes)")
        var tiny = story
        tiny.users = 20
        let few = try suggestions([tiny], metric: "crash_free_sessions").apps[0]
        #expect(few.notes.contains { $0.hasPrefix("192 of 192 spans have fewer than 50 sessions in an hour; ") })
    }

    @Test func `an app whose source gives no counts gets nothing, and is told so`() throws {
        let suggestions = try suggestions([oneFall], metric: "crash_free_sessions")
        #expect(suggestions.apps[0].notes == ["no span gives the number of sessions behind crash_free_sessions"])
        #expect(suggestions.fragment.hasSuffix("rules: {}\n"))
        #expect(try pasted(suggestions).plan.detectors.isEmpty)
    }

    @Test func `an app that is always in trouble gets no limit that always rings`() throws {
        let sick = AppStory(days: 8, crashed: 2000)
        let suggestion = try suggestions([sick]).apps[0]
        #expect(suggestion.floor == nil)
        #expect(
            suggestion.notes.contains { $0.contains("is usual, too close to every limit tried") })
    }

    @Test func `an app that falls every other day gets no limit that rings as often`() throws {
        let falls = stride(from: 20, to: 32 * 48, by: 96).map { $0..<($0 + 4) }
        let suggestion = try suggestions([AppStory(trouble: falls, crashedInTrouble: 3000)]).apps[0]
        #expect(suggestion.floor == nil)
        #expect(
            suggestion.notes.contains("no limit is proposed: every limit tried fired more than once a month"))
    }

    @Test(arguments: [
        "shop ios", "${env:HOME}", "$${x}", "quote\" and \\", "tab\t, line\n, bell\u{7}", "é 東京 \u{2028} \u{FEFF} 🦊",
        "{a: b}",
        "# no comment", "-", String(repeating: "long", count: 40),
    ])
    func `names of apps can be anything`(name: String) throws {
        let config = try pasted(try suggestions([AppStory(app: name, days: 4)]))
        let rules = config.plan.detectors
        #expect(rules.count == 2)
        for rule in rules {
            #expect(rule.watches(Subject(source: "ios", app: name), labels: [:]))
            #expect(!rule.watches(Subject(source: "ios", app: "x" + name), labels: [:]))
        }
    }

    @Test func `apps whose names look alike get rules of their own`() throws {
        let suggestions = try suggestions(["a b", "a-b", "a/b"].map { AppStory(app: $0, days: 4) })
        #expect(
            try pasted(suggestions).plan.detectors.map(\.name) == [
                "floor-a-b", "drop-a-b", "floor-a-b-2", "drop-a-b-2", "floor-a-b-3", "drop-a-b-3",
            ])
    }

    @Test func `only the apps that were asked for are looked at`() throws {
        let stories = [AppStory(days: 4), AppStory(app: "other", days: 4)]
        #expect(try suggestions(stories, app: "sh*").apps.map(\.app) == ["shop"])
    }

    @Test func `the same history gives the same text`() throws {
        let stories = [oneFall, AppStory(app: "other", seed: 7)]
        #expect(try suggestions(stories).fragment == suggestions(stories).fragment)
    }

    @Test func `no history at all gives rules that do nothing`() throws {
        let none = try suggestions([])
        #expect(none.apps.isEmpty)
        #expect(try pasted(none).plan.detectors.isEmpty)
    }

    @Test func `what is judged by releases is weighed by them`() throws {
        var trial = try SuggestionTrial(
            .rehearsed(), metric: "crash_free_users", floor: ThresholdDetector.self, drop: DropDetector.self)
        for batch in oneFall.batches {
            guard case .observed(var observation) = batch.lines[0] else { continue }
            observation.subject = Subject(source: "ios", app: "shop", release: "5.2.0")
            trial.feed(.init(seen: batch.seen, lines: [.observed(observation)]))
        }
        #expect("\(try #require(trial.finish().apps[0].floor).warning)" == "< 99.5%")
    }

    @Test func `the first drop that is tried is the one that a rule is by itself`() throws {
        let played = try SuggestionTrial(
            .rehearsed(), metric: "crash_free_users", floor: ThresholdDetector.self, drop: DropDetector.self
        ).played
        let own = ["by", "false_alarms"].map { name in
            DropDetector.manifest.options.first { $0.name == name }?.writtenDefault ?? ""
        }
        #expect(played.detectors.first { $0.name.hasPrefix("drop ") }?.name == "drop \(own[0]) \(own[1])")
    }
}
