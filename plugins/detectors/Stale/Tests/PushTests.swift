import AlertCore
import AlertTesting
import Chance
import PluginKit
import PluginTesting
import StaleDetector
import Synchronization
import Testing

/// A source of thousands of apps that is told of one at a time.
@Suite struct `Pushes of one app at a time` {
    private final class Looks: Sendable {
        private let value = Mutex(0)

        var count: Int { value.withLock { $0 } }
        func add() { value.withLock { $0 += 1 } }
    }

    /// The rule, counting how often it looks at a whole source; or one that has to be asked each time.
    private struct Watcher: Detector {
        static let manifest = StaleDetector.manifest
        private let rule: any Detector
        private let isAskedEachTime: Bool
        let looks = Looks()

        init(_ rule: any Detector, isAskedEachTime: Bool) {
            self.rule = rule
            self.isAskedEachTime = isAskedEachTime
        }

        init(options: Options, context: RuleContext) throws(ProblemList) {
            self.init(try StaleDetector(options: options, context: context), isAskedEachTime: false)
        }

        var metrics: [Metric] { rule.metrics }
        var lookback: Duration { rule.lookback }
        var spans: [Duration] { rule.spans }
        var holdTime: Duration { rule.holdTime }
        var scope: DetectorScope { rule.scope }

        func findings(in sight: Sight, at now: Moment) -> [Finding] {
            looks.add()
            return rule.findings(in: sight, at: now)
        }

        func wellUntil(_ parts: [Sight.Entry]) -> Moment? { isAskedEachTime ? nil : rule.wellUntil(parts) }
    }

    /// A bot that is told of apps.
    private struct Told {
        let core: Core
        let watcher: Watcher
        var state = State()

        init(after: String, match: Match = .all, isAskedEachTime: Bool = false) throws {
            let options: WrittenOptions = ["after": .text(after)]
            watcher = Watcher(try options.detector(StaleDetector.self), isAskedEachTime: isAskedEachTime)
            var source = SourcePlan(name: "ios", jitter: 0)
            source.isPushed = true
            core = Core(
                plan: .rehearsed(
                    sources: [source], detectors: [DetectorPlan(name: "stale", detector: watcher, match: match)]))
            _ = core.step(&state, .started, at: .rehearsalStart)
        }

        mutating func step(_ input: Input, at now: Moment) -> Output { core.step(&state, input, at: now) }

        mutating func push(_ observation: Observation, at now: Moment) -> Output {
            step(.pushed(source: "ios", PollReport(.values([observation])), id: 1), at: now)
        }
    }

    @Test func `the whole source is looked at as seldom as an app can become old`() throws {
        var bot = try Told(after: "2h")
        var now = Moment.rehearsalStart
        for round in 0..<10 {
            for number in 0..<60 {
                let app = Subject(source: "ios", app: "app-\(number)")
                let output = bot.push(.figures(["users": 100], of: app, at: now), at: now)
                #expect(output.judged == 1, "as often as it would judge, round \(round)")
                now = now + .seconds(10)
            }
        }
        #expect(bot.watcher.looks.count < 10)
        // One of them stops, and the others go on.
        while now < Moment.rehearsalStart + .hours(5) {
            for number in 1..<60 {
                let app = Subject(source: "ios", app: "app-\(number)")
                _ = bot.push(.figures(["users": 100], of: app, at: now), at: now)
                now = now + .seconds(10)
            }
        }
        #expect(bot.state.incidents.all.map(\.subject.app) == ["app-0"])
    }

    @Test(arguments: [nil, "ios", "i*"] as [String?])
    func `what is found is what a look at each push would find`(source: String?) throws {
        var random = SeededRandom(printedFor: "pushes of one app at a time")
        let match = source.map { Match.on(["source": $0]) } ?? .all
        var bots = try [false, true].map { try Told(after: "1h", match: match, isAskedEachTime: $0) }
        var now = Moment.rehearsalStart
        for turn in 0..<1500 {
            now = now + .seconds(Int64(random.below(240)))
            let app = random.pick(["shop", "bank", "game", "ios"]) ?? "shop"
            let release = random.happens(0.4) ? random.pick(["1.0", "2.0"]) : nil
            let subject = Subject(source: "ios", app: app, release: release)
            let age: Duration = random.happens(0.1) ? .minutes(Int64(random.below(180))) : .zero
            let issues = random.happens(0.2) ? [Issue(id: "7", title: "crash")] : []
            let seen = Observation(
                subject: subject, span: TimeSpan(lasting: .minutes(5), until: now - age), seen: now,
                metrics: random.happens(0.8) ? ["users": 100] : [:], issues: issues)
            let pushed = Input.pushed(source: "ios", PollReport(.values([seen])), id: turn)
            let input: Input
            switch random.below(60) {
            case 0: input = .started
            case 1:
                let step = Duration.minutes(Int64(random.below(60)) - 30)
                now = now + step
                input = .clockStepped(by: step)
            case 2:
                // A silence in which some become old.
                now = now + .hours(Int64(random.below(3)))
                input = pushed
            case 3: input = .tick
            case 4: input = .pushed(source: "ios", PollReport(.noData), id: turn)
            default: input = pushed
            }
            let outputs = bots.indices.map { bots[$0].step(input, at: now) }
            try #require(outputs[0].facts == outputs[1].facts, "turn \(turn)")
            try #require(outputs[0].judged == outputs[1].judged, "turn \(turn)")
        }
        #expect(bots[0].watcher.looks.count < bots[1].watcher.looks.count)
    }
}
