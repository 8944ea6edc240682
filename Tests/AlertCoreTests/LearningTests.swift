import AlertTesting
import PluginKit
import Testing

@testable import AlertCore

/// Adds up a metric, for the rules that ask.
private struct Total: AskedMemory {
    static let name = "learned"

    struct Need: Hashable, Sendable, JSONWritable, JSONReadable {
        let metric: String

        init(_ metric: String) { self.metric = metric }
        init(_ reader: JSONReader) throws(JSONMismatch) { self.init(try reader.string()) }
        func put(into json: inout JSONWriter) { json.put(metric) }
    }

    let need: Need
    private(set) var sum = 0.0

    init(_ need: Need) { self.need = need }

    init(_ reader: JSONReader) throws(JSONMismatch) {
        need = try Need(reader.member("of"))
        sum = try reader.member("sum").number()
    }

    mutating func add(_ observation: Observation) { sum += observation.metrics[need.metric] ?? 0 }

    func put(into json: inout JSONWriter) {
        json.object { json in
            json.member("of", need)
            json.member("sum", sum)
        }
    }
}

/// When a subject was seen for the first time, whatever rules there are.
private struct Birth: StandingMemory {
    static let name = "birth"

    private(set) var at: Moment?

    init() {}
    init(_ reader: JSONReader) throws(JSONMismatch) { at = try reader.optional("at")?.moment() }
    mutating func add(_ observation: Observation) { at = at ?? observation.seen }
    func put(into json: inout JSONWriter) { json.object { $0.member("at", ifAny: at) } }
}

/// Wants one metric added up, and fires from a limit on.
private struct Learner: SubjectDetector {
    static let manifest = PluginManifest(name: "learner", summary: "Learns.", options: [])
    static let memories = [MemoryKind(Total.self), MemoryKind(Birth.self)]

    let metric: String
    let limit: Double

    init(_ metric: String, limit: Double = .infinity) {
        self.metric = metric
        self.limit = limit
    }

    init(options: Options, context: RuleContext) throws(ProblemList) { self.init(Metric.users.name) }

    var metrics: [Metric] { [Metric(metric)] }
    let lookback = Duration.hours(1)
    let spans = [Duration.minutes(5)]
    let holdTime = Duration.zero
    var needs: MemoryNeeds { [MemoryNeed(Total.self, Total.Need(metric))] }

    func judge(_ series: Series, at now: Moment) -> Judgement {
        let sum = series.memory(Total.self, Total.Need(metric))?.sum ?? 0
        let evidence = Evidence(sentence: "\(sum.plain) since \(series.memory(Birth.self).at?.description ?? "never")")
        return Judgement(sum >= limit ? .firing(.warning) : .ok(recovered: true), .far, evidence)
    }
}

@Suite struct `What rules want remembered` {
    private func plan(_ metrics: [String]) -> Plan {
        .rehearsed(detectors: metrics.map { DetectorPlan(name: "learn-\($0)", detector: Learner($0), repeat: nil) })
    }

    private func pass(_ bot: inout Rehearsal, spans: Int, subject: Subject = .shop) {
        for _ in 0..<spans {
            bot.advance(by: .minutes(5))
            bot.step(
                .observed([
                    .observed(
                        Observation(
                            subject: subject, span: TimeSpan(lasting: .minutes(5), until: bot.now), seen: bot.now,
                            metrics: ["users": 90, "crashed_users": 1, "sessions": 95, "crashed_sessions": 1]))
                ]))
        }
    }

    private func sums(_ bot: Rehearsal, _ subject: Subject = .shop) -> [String: Double] {
        let memories = bot.state.figures.series[subject]?.memories(Total.self) ?? []
        return Dictionary(uniqueKeysWithValues: memories.map { ($0.need.metric, $0.sum) })
    }

    @Test func `it is remembered, survives a crash, and follows the config`() throws {
        var bot = Rehearsal(plan(["users"]))
        bot.comparesReplay = true
        bot.pollAnswer = { _, _ in nil }
        bot.start()
        pass(&bot, spans: 40)
        #expect(sums(bot) == ["users": 3600])
        bot.crash()
        #expect(sums(bot) == ["users": 3600])
        // What is asked for anew begins anew, what is asked for no more is forgotten, and the rest goes on.
        bot.reload(plan(["sessions", "users"]))
        pass(&bot, spans: 1)
        #expect(sums(bot) == ["sessions": 95, "users": 3690])
        bot.reload(plan([]))
        pass(&bot, spans: 1)
        #expect(sums(bot) == [:])
        #expect(bot.objections == [])
    }

    @Test func `a rule judges by what is remembered, the observation that it looks at included`() throws {
        let rule = DetectorPlan(name: "many", detector: Learner("users", limit: 180), repeat: nil)
        var bot = Rehearsal(.rehearsed(detectors: [rule]))
        bot.pollAnswer = { _, _ in nil }
        bot.start()
        pass(&bot, spans: 1)
        let born = bot.now
        #expect(bot.state.incidents.isEmpty)
        pass(&bot, spans: 1)
        #expect(bot.state.incidents.inOrder.map(\.evidence.sentence) == ["180 since \(born)"])
    }

    @Test func `what is kept of every subject is kept without any rule, for the rule that comes later`() throws {
        var bot = Rehearsal(plan([]), memories: MemoryKinds(Learner.memories))
        bot.comparesReplay = true
        bot.pollAnswer = { _, _ in nil }
        bot.start()
        pass(&bot, spans: 1)
        let born = bot.now
        pass(&bot, spans: 3)
        bot.crash(plan(["users"]))
        pass(&bot, spans: 1)
        #expect(bot.state.figures.series[.shop]?.memory(Birth.self).at == born)
        #expect(sums(bot) == ["users": 90])
        #expect(bot.objections == [])
    }

    @Test
    func `a program without the plugin reads and writes on what it does not know, as long as nothing new is seen`()
        throws
    {
        var bot = Rehearsal(plan(["users"]))
        bot.pollAnswer = { _, _ in nil }
        bot.start()
        pass(&bot, spans: 3)
        func copy(_ state: State, _ memories: MemoryKinds) throws -> State {
            var copy = State(memories: memories)
            for fact in state.facts { copy.apply(try Fact(JSON(parsing: fact.bytes), memories)) }
            return copy
        }
        var stranger = try copy(bot.state, .none)
        #expect(try copy(stranger, bot.state.memories).figures.series == bot.state.figures.series)
        let seen = Observation.cue(.fine, of: .shop, at: bot.now + .minutes(5))
        stranger.apply(.figures(.observed(seen, keeping: Retention(.hours(1)))))
        let back = try #require(copy(stranger, bot.state.memories).figures.series[.shop])
        #expect(back.memories(Total.self) == [])
        #expect(back.memory(Birth.self) == Birth())
    }

    @Test func `a replay passes over what a rule of a missing plugin needed`() throws {
        let needs = try Fact(
            JSON(parsing: Fact.figures(.learning(.shop, Learner("users").needs)).bytes), MemoryKinds(Learner.memories))
        var state = State()
        try state.replay([needs.record])
        #expect(state.figures.series[.shop]?.remembers([]) == true)
    }

    @Test func `an app of which something is remembered counts as one with figures, until it is forgotten`() {
        var bot = Rehearsal(plan(["users"]))
        bot.pollAnswer = { _, _ in nil }
        bot.start()
        pass(&bot, spans: 2)
        #expect(GateSight(bot.state).appCount == 1)
        #expect(GateSight(bot.state).hasFigures(ofApp: Subject.shop.app))
        bot.advance(by: .days(8))
        #expect(GateSight(bot.state).appCount == 0)
    }

    @Test func `of single releases nothing is asked for while the app is seen as a whole`() throws {
        var bot = Rehearsal(plan(["users"]))
        bot.pollAnswer = { _, _ in nil }
        bot.start()
        pass(&bot, spans: 1)
        let release = Subject(
            source: Subject.shop.source, app: Subject.shop.app, release: "1.0", environment: Subject.shop.environment)
        pass(&bot, spans: 1, subject: release)
        #expect(sums(bot) == ["users": 90])
        #expect(sums(bot, release) == [:])
        #expect(bot.state.figures.series[release]?.memory(Birth.self).at == bot.now)
    }
}
