import AlertCore
import AlertTesting
import Chance
import PluginKit
import Testing

/// When sources are polled.
@Suite struct `Scheduling` {
    /// Minutes between the polls of a source.
    private func gaps(_ bot: Rehearsal, of source: String = "ios") -> [Int] {
        let times = bot.polls.filter { $0.source == source }.map(\.at)
        return zip(times.dropFirst(), times).map { Int(($0 - $1).inSeconds / 60) }
    }

    struct Pacing: Sendable {
        let every: Duration
        let throttle: Duration
        let slowest: Duration
        let jitter: Double
    }

    @Test(
        arguments: [
            Pacing(every: .hours(2), throttle: .hours(1), slowest: .hours(6), jitter: 0.1),
            Pacing(every: .hours(3), throttle: .hours(3), slowest: .hours(3), jitter: 0.5),
            Pacing(every: .hours(2), throttle: .minutes(30), slowest: .hours(12), jitter: 0.9),
        ])
    func `through months of everything, polls are never closer than throttle nor further apart than slowest`(
        _ pacing: Pacing
    ) {
        let seed: UInt64 = 20_261_120
        var random = SeededRandom(seed: seed)
        let sources = ["ios", "android"].map { name in
            SourcePlan(
                name: name, every: pacing.every, throttle: pacing.throttle, slowest: pacing.slowest,
                jitter: pacing.jitter)
        }
        var bot = Rehearsal(.rehearsed(sources: sources))
        var mood = 0
        bot.pollAnswer = { order, now in
            // Moods last a while, or no back-off would ever get far.
            if random.happens(0.05) { mood = Int.random(in: 0...4, using: &random) }
            let look: Cue = random.happens(0.5) ? .fine : .near
            let outcome: PollOutcome =
                switch mood {
                case 0: .values([.cue(look, of: Subject(source: order.source, app: "shop"), at: now)])
                case 1: .unchanged
                case 2: .noData
                case 3: .stale(measured: now - .hours(1))
                default: .failed(PollFailure(.timeout, "it took too long"))
                }
            return (PollReport(outcome), .seconds(Int64.random(in: 0...20, using: &random)))
        }
        bot.start()
        bot.advance(by: .days(120))
        for name in ["ios", "android"] {
            let times = bot.polls.filter { $0.source == name }.map(\.at)
            let gaps = zip(times.dropFirst(), times).map { $0 - $1 }
            #expect(gaps.allSatisfy { $0 >= pacing.throttle }, "seed \(seed)")
            // A poll that is in flight when the next falls due holds it up by its own length.
            #expect(gaps.allSatisfy { $0 <= pacing.slowest + .seconds(20) }, "seed \(seed)")
            #expect(times.count > 120)
        }
        #expect(bot.objections == [])
    }

    struct Slowing: Sendable {
        let reason: PollReason
        let gaps: [Int]
        let story: @Sendable (inout Rehearsal) -> PollOutcome
        let gates: [GatePlan]

        init(
            _ reason: PollReason, _ gaps: [Int], gates: [GatePlan] = [],
            _ story: @escaping @Sendable (inout Rehearsal) -> PollOutcome
        ) {
            self.reason = reason
            self.gaps = gaps
            self.gates = gates
            self.story = story
        }
    }

    @Test(
        arguments: [
            Slowing(.failing, [10, 20, 40, 80, 120, 120]) { _ in .failed(PollFailure(.timeout, "too slow")) },
            Slowing(.unchanged, [10, 20, 40, 80, 120, 120]) { _ in .unchanged },
            Slowing(.calm, [5, 5, 5, 5, 5, 10, 10, 10, 10, 10, 10, 20]) { bot in .values([.cue(.fine, at: bot.now)]) },
            Slowing(
                .idle, [10, 10, 10, 10],
                gates: [.mute(from: "2026-11-01", until: "2027-01-01")]
            ) { bot in .values([.cue(.recovering, at: bot.now)]) },
            Slowing(.lowPower, [10, 10, 10, 10]) { bot in .values([.cue(.recovering, at: bot.now)]) },
            Slowing(.near, [1, 1, 1, 1]) { bot in .values([.cue(.near, at: bot.now)]) },
        ])
    func `each reason slows down in its own way and says its name`(_ slowing: Slowing) {
        var bot = Rehearsal(.rehearsed(sources: [SourcePlan.steady()], gates: slowing.gates))
        bot.pollAnswer = { _, _ in nil }
        bot.step(.power(isLow: slowing.reason == .lowPower))
        bot.start()
        for _ in slowing.gaps {
            let outcome = slowing.story(&bot)
            bot.step(.polled(source: "ios", PollReport(outcome), validators: [:]))
            guard let due = bot.state.schedule.sources["ios"]?.due else { break }
            bot.advance(to: due)
        }
        #expect(gaps(bot) == slowing.gaps)
        #expect(bot.state.schedule.sources["ios"]?.reasons == [slowing.reason])
    }

    @Test func `a reason that the config does not name does not slow down`() {
        var bot = Rehearsal(.rehearsed(sources: [SourcePlan.steady(slowsWhen: [.calm])]))
        bot.pollAnswer = { _, _ in (PollReport(.unchanged), .zero) }
        bot.start()
        bot.advance(by: .minutes(20))
        #expect(gaps(bot) == [5, 5, 5, 5])
    }

    @Test func `a pending incident is watched as closely as throttle allows`() {
        let detector = DetectorPlan(name: "look", detector: ScriptedDetector(for: .minutes(3)))
        var bot = Rehearsal(.rehearsed(sources: [SourcePlan.steady()], detectors: [detector]))
        bot.pollAnswer = { _, now in (PollReport(.values([.cue(.warning, at: now)])), .zero) }
        bot.start()
        bot.advance(by: .minutes(13))
        #expect(gaps(bot) == [1, 1, 1, 5, 5])
    }

    @Test func `a source has one poll in flight, however long it takes`() {
        var bot = Rehearsal(.rehearsed(sources: [SourcePlan.steady(every: .minutes(1), slowsWhen: [])]))
        bot.pollAnswer = { _, _ in (PollReport(.noData), .minutes(10)) }
        bot.start()
        bot.advance(by: .hours(1))
        #expect(gaps(bot) == [10, 10, 10, 10, 10, 10])
        #expect(bot.objections == [])
    }

    /// The most polls in flight at once.
    private func most(of bot: Rehearsal, lasting length: Duration) -> Int {
        bot.polls.map { poll in bot.polls.count { $0.at <= poll.at && poll.at < $0.at + length } }.max() ?? 0
    }

    @Test(
        arguments: [
            (concurrency: 3, hosts: ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"], most: 3),
            (concurrency: 8, hosts: Array(repeating: "a", count: 10), most: 4),
            (concurrency: 8, hosts: ["a", "a", "a", "a", "a", "a", "b", "b", "b", "b"], most: 8),
        ])
    func `no more polls are in flight than allowed`(concurrency: Int, hosts: [String], most: Int) {
        let sources = hosts.enumerated().map { SourcePlan.steady("s\($0.offset)", host: $0.element, slowsWhen: []) }
        var bot = Rehearsal(.rehearsed(sources: sources, concurrency: concurrency))
        bot.pollAnswer = { _, _ in (PollReport(.noData), .seconds(10)) }
        bot.start()
        bot.advance(by: .hours(1))
        #expect(self.most(of: bot, lasting: .seconds(10)) == most)
        for source in sources { #expect(bot.polls.count { $0.source == source.name } >= 12) }
    }

    @Test(
        arguments: [
            (general: 6, own: [Int?](repeating: nil, count: 10), most: 6),
            (general: 4, own: [Int?](repeating: 9, count: 10), most: 9),
            (general: 4, own: [9, 2] + [Int?](repeating: nil, count: 8), most: 2),
            (general: 2, own: [8] + [Int?](repeating: nil, count: 7), most: 2),
        ])
    func `a host may allow more or fewer polls at once, and the most cautious word counts`(
        general: Int, own: [Int?], most: Int
    ) {
        let sources = own.enumerated().map { index, limit in
            var source = SourcePlan.steady("s\(index)", host: "a", slowsWhen: [])
            source.perHost = limit
            return source
        }
        var plan = Plan.rehearsed(sources: sources, concurrency: 20)
        plan.perHost = general
        var bot = Rehearsal(plan)
        bot.pollAnswer = { _, _ in (PollReport(.noData), .seconds(10)) }
        bot.start()
        bot.advance(by: .hours(1))
        #expect(self.most(of: bot, lasting: .seconds(10)) == most)
    }

    @Test func `when there is too much to do, every source has its turn`() {
        let sources = ["a", "b", "c"].map { SourcePlan.steady($0, every: .minutes(1), slowsWhen: []) }
        var bot = Rehearsal(.rehearsed(sources: sources, concurrency: 1))
        bot.pollAnswer = { _, _ in (PollReport(.noData), .seconds(40)) }
        bot.start()
        bot.advance(by: .hours(1))
        let counts = ["a", "b", "c"].map { name in bot.polls.count { $0.source == name } }
        #expect(counts == [31, 30, 30])
    }

    @Test func `sources that fall close together share a wake-up`() {
        let sources = [
            SourcePlan.steady("a", every: .seconds(100), slowsWhen: []),
            SourcePlan.steady("b", every: .seconds(105), slowsWhen: []),
        ]
        var bot = Rehearsal(.rehearsed(sources: sources))
        bot.start()
        bot.advance(by: .hours(1))
        let times = { (name: String) in bot.polls.filter { $0.source == name }.map(\.at) }
        #expect(times("a").count == 37)
        #expect(times("b") == times("a"))
    }

    @Test func `a shared wake-up never breaks a throttle`() {
        let sources = [
            SourcePlan.steady("a", every: .seconds(100), slowsWhen: []),
            SourcePlan.steady("b", every: .seconds(105), throttle: .seconds(105), slowsWhen: []),
        ]
        var bot = Rehearsal(.rehearsed(sources: sources))
        bot.start()
        bot.advance(by: .hours(1))
        let times = bot.polls.filter { $0.source == "b" }.map(\.at)
        #expect(zip(times.dropFirst(), times).allSatisfy { $0 - $1 >= .seconds(105) })
    }

    @Test func `after a suspend there is one poll to catch up`() {
        var bot = Rehearsal(.rehearsed(sources: [SourcePlan.steady(slowsWhen: [])]))
        bot.start()
        bot.advance(by: .minutes(7))
        bot.suspend(for: .hours(9))
        let woken = bot.now
        bot.advance(by: .minutes(12))
        #expect(bot.polls.map(\.at).filter { $0 >= woken } == [woken, woken + .minutes(5), woken + .minutes(10)])
    }

    @Test(
        arguments: [Duration.hours(30), .days(400), .hours(-30), .days(-400), .seconds(-90)])
    func `a clock that is set makes neither a flood nor a silence`(step: Duration) {
        var bot = Rehearsal(.rehearsed(sources: [SourcePlan.steady(slowsWhen: [])]))
        bot.start()
        bot.advance(by: .minutes(7))
        let before = bot.polls.count
        bot.setClock(by: step)
        let set = bot.now
        bot.advance(by: .minutes(14))
        // Set forward, it may have been the machine that stood still: then its sources are asked at once, each once.
        let first: Int64 = step > .zero ? 0 : 3
        #expect(bot.polls[before...].map(\.at) == [first, first + 5, first + 10].map { set + .minutes($0) })
    }

    @Test func `a clock that was set back while the bot was down silences nobody`() {
        var bot = Rehearsal(.rehearsed(sources: [SourcePlan.steady(slowsWhen: [])]))
        bot.start()
        bot.advance(by: .minutes(7))
        bot.crash(after: .days(-400))
        bot.advance(by: .hours(1))
        #expect(bot.polls.count == 2 + 12)
    }

    @Test func `a credential that is refused twice in a row stops the source, and nobody forgets it`() {
        var bot = Rehearsal(.rehearsed(sources: [SourcePlan.steady(slowsWhen: [])]))
        bot.pollAnswer = { _, _ in (PollReport(.failed(PollFailure(.unauthorized, "401"))), .zero) }
        bot.start()
        bot.advance(by: .hours(20))
        #expect(bot.polls.count == 2)
        #expect(bot.state.schedule.sources["ios"]?.stopped != nil)
        #expect(bot.decisions.map(\.mark) == ["O", "M", "M", "M", "M"])
        #expect(bot.decisions.first?.severity == .critical)
    }

    @Test func `refusals that are not in a row do not stop the source`() {
        var bot = Rehearsal(.rehearsed(sources: [SourcePlan.steady(slowsWhen: [])]))
        var count = 0
        bot.pollAnswer = { _, _ in
            count += 1
            return (PollReport(.failed(PollFailure(count % 2 == 0 ? .timeout : .unauthorized, "no"))), .zero)
        }
        bot.start()
        bot.advance(by: .hours(1))
        #expect(bot.polls.count == 13)
        #expect(bot.state.schedule.sources["ios"]?.stopped == nil)
    }

    @Test(arguments: [true, false])
    func `a start and a reload give a stopped source a new chance at once`(isReload: Bool) {
        var bot = Rehearsal(.rehearsed(sources: [SourcePlan.steady()]))
        var isGood = false
        bot.pollAnswer = { _, _ in
            (PollReport(isGood ? .noData : .failed(PollFailure(.unauthorized, "401"))), .zero)
        }
        bot.start()
        bot.advance(by: .minutes(10))
        isGood = true
        if isReload { bot.reload(bot.plan) } else { bot.crash() }
        bot.advance(by: .minutes(1))  // The throttle holds for this too.
        #expect(bot.polls.count == 3)
        #expect(bot.decisions.map(\.mark) == ["O", "R"])
    }

    @Test(arguments: [PollFailure.Reason.unreachable, .rateLimited])
    func `a reload gives a failing source a new chance at once, but for what its service asked for`(
        reason: PollFailure.Reason
    ) {
        var bot = Rehearsal(.rehearsed(sources: [SourcePlan.steady()]))
        bot.pollAnswer = { _, now in
            let until = reason == .rateLimited ? now + .minutes(25) : nil
            return (PollReport(.failed(PollFailure(reason, "no", retryAt: until))), .zero)
        }
        bot.start()
        bot.advance(by: .hours(3))
        let before = bot.polls.count
        bot.advance(by: .minutes(2))
        guard bot.polls.count == before else { return }
        bot.reload(bot.plan)
        bot.advance(by: .minutes(1))
        #expect(bot.polls.count == before + (reason == .rateLimited ? 0 : 1))
    }

    /// After some failures the bot waits for longer than the service asks for, which is no reason to wait for less.
    @Test(arguments: [true, false])
    func `a start and a reload wait as long as the service asked for`(isReload: Bool) throws {
        var bot = Rehearsal(.rehearsed(sources: [SourcePlan.steady()]))
        bot.pollAnswer = { _, now in
            (PollReport(.failed(PollFailure(.unavailable, "503", retryAt: now + .minutes(10)))), .zero)
        }
        bot.start()
        bot.advance(by: .hours(6))
        let count = bot.polls.count
        while bot.polls.count == count { bot.advance(by: .seconds(10)) }
        let newest = try #require(bot.polls.last?.at)
        bot.advance(to: newest + .minutes(2))
        if isReload { bot.reload(bot.plan) } else { bot.crash() }
        bot.advance(by: .minutes(30))
        let next = try #require(bot.polls.first { $0.at > newest }?.at)
        #expect(next - newest >= .minutes(10) && next - newest < .minutes(11), "\(next - newest)")
    }

    @Test func `a poll that was lost in a crash is made up for after its interval`() {
        var bot = Rehearsal(.rehearsed(sources: [SourcePlan.steady()]))
        bot.pollAnswer = { _, _ in nil }
        bot.start()
        bot.crash(after: .minutes(2))
        bot.advance(by: .minutes(4))
        #expect(gaps(bot) == [5])
    }

    @Test func `a reload leaves polls in flight alone`() {
        var bot = Rehearsal(.rehearsed(sources: [SourcePlan.steady(every: .minutes(1), slowsWhen: [])]))
        bot.pollAnswer = { _, _ in (PollReport(.noData), .minutes(5)) }
        bot.start()
        bot.advance(by: .seconds(30))
        bot.reload(bot.plan)
        bot.advance(by: .minutes(6))
        #expect(bot.objections == [])
        #expect(gaps(bot) == [5])
    }

    @Test func `the cursor and the validators of the last answer go into the next poll`() throws {
        var bot = Rehearsal(.rehearsed(sources: [SourcePlan.steady(slowsWhen: [])]))
        bot.pollAnswer = { _, _ in nil }
        bot.start()
        let validator = SourceRecord.Validator(etag: "\"7\"", lastModified: nil)
        bot.step(.polled(source: "ios", PollReport(.noData, cursor: ["page": 7]), validators: ["k": validator]))
        bot.crash()
        let due = try #require(bot.state.schedule.sources["ios"]?.due)
        #expect(due == bot.now + .minutes(5))
        #expect(bot.state.schedule.sources["ios"]?.cursor == ["page": 7])
        #expect(bot.state.schedule.sources["ios"]?.validators == ["k": validator])
    }
}
