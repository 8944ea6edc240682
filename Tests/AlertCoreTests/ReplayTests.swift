import AlertCore
import AlertTesting
import Chance
import PluginKit
import Testing

/// Whatever happens, the journal knows the same as the bot, nothing is lost, and every story is told in order.
///
/// Each seed is a world of its own: sources that fail, figures that come and go, gates, channels that answer as badly
/// as channels do, crashes, reloads and clocks that are set. After some days of that, all faults end, and everything
/// must come to rest.
@Suite struct `Random worlds` {
    @Test(arguments: 1...6 as ClosedRange<UInt64>)
    func `promises hold in the world of seed`(_ seed: UInt64) throws {
        var world = World(seed: seed)
        world.start()
        for _ in 0..<12 {
            for _ in 0..<10 { try world.live() }
            try world.check()
        }
        try world.rest()
        try world.check()
        world.checkRest()
    }
}

private struct World {
    /// What the outside is like just now.
    private final class Weather {
        var random: SeededRandom
        var faultRate = 0.3
        /// What each subject's figures say.
        var looks: [Subject: Cue] = [:]
        /// Attempts that may have arrived, by delivery.
        var arrivals: [String: [Delivery]] = [:]

        init(seed: UInt64) { random = SeededRandom(seed: seed) }
    }

    private let seed: UInt64
    private let weather: Weather
    private var bot: Rehearsal
    private var variants: [Plan]

    private static let subjects = ["ios", "android"].flatMap { source in
        [
            Subject(source: source, app: "shop"), Subject(source: source, app: "game", release: "1.0"),
        ]
    }

    init(seed: UInt64) {
        self.seed = seed
        weather = Weather(seed: seed)
        let plan = World.plan(&weather.random)
        variants = [plan]
        var without = plan
        without.channels.removeAll { $0.name == "oncall" }
        variants.append(without)
        without = plan
        without.gates = []
        without.detectors.removeLast()
        variants.append(without)
        bot = Rehearsal(plan)
        bot.comparesReplay = true
        answerPolls()
        answerSends()
    }

    private static func plan(_ random: inout SeededRandom) -> Plan {
        let detectors = [
            DetectorPlan(name: "quick", detector: ScriptedDetector(), repeat: .hours(2)),
            DetectorPlan(name: "slow", detector: ScriptedDetector(for: .minutes(20)), match: .on(["app": "shop"])),
        ]
        var gates: [GatePlan] = []
        var begin = Moment.rehearsalStart
        for number in 0..<12 {
            begin = begin + .minutes(Int64.random(in: 10...300, using: &random))
            guard let stage = random.pick([GateStage.mutes, .quietHours, .rest]),
                let fate = random.pick([Closure.Fate.holdAndForget, .holdAndSummarize, .drop])
            else { continue }
            let length = Duration.minutes(Int64.random(in: 1...400, using: &random))
            let gate = ScriptedGate(
                "gate-\(number)", stage, fate, except: random.happens(0.3) ? .critical : nil,
                closed: [TimeSpan(lasting: length, until: begin + length)])
            gates.append(
                GatePlan(
                    name: "gate-\(number)", gate: gate, match: random.happens(0.4) ? .on(["app": "shop"]) : .all))
        }
        return .rehearsed(
            sources: ["ios", "android"].map { SourcePlan(name: $0, every: .minutes(10), throttle: .minutes(2)) },
            detectors: detectors, gates: gates,
            channels: [
                ChannelPlan(name: "team", pace: Pace(perSecond: 0.1, burst: 5, atOnce: 2)),
                ChannelPlan(name: "oncall", pace: Pace(perSecond: 1, burst: 10, atOnce: 1), isIdempotent: true),
                ChannelPlan(name: "ops"),
            ],
            routes: random.happens(0.5)
                ? [
                    Route(match: .on(["severity": "critical"]), to: ["oncall"], continues: true),
                    Route(to: ["team", "ops"]),
                ] : [],
            reportTo: random.happens(0.7) ? "ops" : nil)
    }

    private mutating func answerPolls() {
        bot.pollAnswer = { [weather] order, now in
            let after = Duration.seconds(Int64.random(in: 0...90, using: &weather.random))
            guard !weather.random.happens(weather.faultRate) else {
                let outcome = weather.random.pick([
                    PollOutcome.failed(PollFailure(.timeout, "too slow")), .unchanged, .noData,
                    .failed(PollFailure(.rateLimited, "slow down", retryAt: now + .hours(1))),
                    .failed(PollFailure(.unauthorized, "401")), .stale(measured: now - .hours(2)),
                ])
                return (PollReport(outcome ?? .noData), after)
            }
            let seen = World.subjects.filter { $0.source == order.source }
            let values = seen.map { Observation.cue(weather.looks[$0] ?? .fine, of: $0, at: now) }
            return (PollReport(.values(values), cursor: ["at": JSON(now)]), after)
        }
    }

    private mutating func answerSends() {
        bot.sendAnswer = { [weather] delivery, _ in
            let after = Duration.seconds(Int64.random(in: 0...40, using: &weather.random))
            guard !weather.random.happens(weather.faultRate) else {
                let outcome = weather.random.pick([
                    DeliveryOutcome.retry(after: nil, "502"), .retry(after: nil, "502"),
                    .retry(after: .minutes(20), "429"), .unknown("no answer"), .refusedBody("400"),
                    .refusedChannel("410"),
                ])
                if case .unknown = outcome { weather.arrivals[delivery.id, default: []].append(delivery) }
                return (outcome ?? .unknown("no answer"), after)
            }
            weather.arrivals[delivery.id, default: []].append(delivery)
            return (.delivered(receipt: "r\(delivery.number)"), after)
        }
    }

    mutating func start() { bot.start() }

    /// One thing that happens, and some time.
    mutating func live() throws {
        let minutes = Int64.random(in: 0...40, using: &weather.random)
        switch Int.random(in: 0..<20, using: &weather.random) {
        case 0: bot.crash(after: .minutes(minutes))
        case 1: if let plan = weather.random.pick(variants) { bot.reload(plan) }
        case 2: if let plan = weather.random.pick(variants) { bot.crash(plan, after: .minutes(minutes)) }
        case 3: bot.setClock(by: .minutes(Int64.random(in: -600...600, using: &weather.random)))
        case 4: bot.step(.power(isLow: weather.random.happens(0.5)))
        case 5: bot.suspend(for: .minutes(minutes))
        default:
            if let subject = weather.random.pick(World.subjects), let look = weather.random.pick(Cue.allCases) {
                weather.looks[subject] = look
            }
        }
        bot.advance(by: .minutes(minutes))
        try checkDriver()
    }

    /// All faults end, and everything is fine.
    mutating func rest() throws {
        weather.faultRate = 0
        weather.looks = [:]
        bot.reload(variants[0])
        bot.advance(by: .days(3))
        try checkDriver()
    }

    /// The journal gives back the same state, no poll and no message overlap: the driver has objected if not.
    private func checkDriver() throws { try #require(bot.objections == [], "seed \(seed)") }

    func check() throws {
        let copy = try bot.stateFromSnapshot()
        #expect(copy.durable == bot.state.durable, "a snapshot gives back the same; seed \(seed)")
        checkNothingIsLost()
        checkNothingIsRepeated()
        checkStories()
        checkHolds()
    }

    /// What was accepted is in the outbox until it has ended, and ends once; once more for each time it is tried again.
    private func checkNothingIsLost() {
        for id in bot.accepted {
            let ends = bot.ends[id]?.count ?? 0
            let tries = (bot.retries[id] ?? 0) + (bot.state.outbox.deliveries[id] == nil ? 1 : 0)
            #expect(ends == tries, "\(id) ended \(ends) times; seed \(seed)")
        }
    }

    /// No message may arrive a third time, nor a second time without saying so.
    private func checkNothingIsRepeated() {
        for (id, arrivals) in weather.arrivals where arrivals[0].channel != "oncall" {
            #expect(arrivals.count <= 2, "\(id); seed \(seed)")
            let isMarked = arrivals.dropFirst().allSatisfy { $0.progress.possiblyRepeated }
            #expect(isMarked, "\(id); seed \(seed)")
        }
    }

    /// In every channel an incident is opened first, and ends at most once, as the last that is said of it.
    private func checkStories() {
        var stories: [String: [Notification.Kind]] = [:]
        // What begins in the very moment of another, on a clock that was set back, has its id and is another story.
        var names: [String: String] = [:]
        var (setBacks, last) = (0, Moment.earliest)
        for decision in bot.decisions where decision.decision == .send {
            if decision.at < last { setBacks += 1 }
            last = decision.at
            guard let incident = decision.incident else { continue }
            let telling = "\(incident) in \(decision.channel)"
            var name = names[telling] ?? telling
            if decision.kind == .opened, stories[name]?.last?.isEnd == true, setBacks > 0 {
                name = "\(telling), after \(setBacks)"
                names[telling] = name
            }
            stories[name, default: []].append(decision.kind)
        }
        for (name, kinds) in stories {
            #expect([.opened, .digest].contains(kinds[0]), "\(name): \(kinds); seed \(seed)")
            let isOver: (Notification.Kind) -> Bool = { $0.isEnd || $0 == .digest }
            #expect(!kinds.dropLast().contains(where: isOver), "\(name): \(kinds); seed \(seed)")
        }
    }

    /// Whatever is held will be looked at again.
    private func checkHolds() {
        let channels = Set(bot.plan.channels.map(\.name))
        for incident in bot.state.incidents.all {
            for (channel, standing) in incident.standings where channels.contains(channel) {
                // What is getting better unheard waits for what becomes of it.
                guard let hold = standing.hold, incident.state != .recovering || standing.announced != nil else {
                    continue
                }
                #expect(hold.checkAgain > bot.now, "\(incident.id) in \(channel); seed \(seed)")
                #expect(hold.until >= hold.checkAgain, "\(incident.id) in \(channel); seed \(seed)")
            }
        }
    }

    /// Nothing waits, nothing is wrong, and everything that was announced has had its end.
    func checkRest() {
        #expect(bot.state.outbox.deliveries.isEmpty, "seed \(seed)")
        // A channel's trouble lasts until its next delivery, and not every channel had one.
        let lasting = Set(bot.state.incidents.all.filter { $0.rule == "channel-failing" }.map(\.id))
        #expect(bot.state.incidents.count == lasting.count, "seed \(seed)")
        // A channel that was out of the config for a while may have missed an end.
        for decision in bot.decisions where decision.kind == .opened && decision.decision == .send {
            guard decision.channel != "oncall", let incident = decision.incident, !lasting.contains(incident) else {
                continue
            }
            // Where the opening died, nobody knows of anything that could end.
            if let delivery = decision.delivery, let end = bot.ends[delivery]?.first, end.name == "dead" { continue }
            let isEnded = bot.decisions.contains {
                $0.incident == decision.incident && $0.channel == decision.channel && $0.decision == .send
                    && ($0.kind.isEnd || $0.kind == .digest)
            }
            #expect(isEnded, "\(decision.message.headline) in \(decision.channel); seed \(seed)")
        }
        #expect(bot.polls.count > 100 && bot.sends.count > 50, "seed \(seed)")
    }
}
