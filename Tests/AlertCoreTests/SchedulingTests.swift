import AlertCore
import AlertTesting
import Chance
import PluginKit
import Testing

/// When sources are polled.
@Suite struct `Scheduling` {
    /// A source with round numbers and without jitter.
    private static func source(
        _ name: String = "ios", every: Duration = .minutes(5), throttle: Duration = .minutes(1),
        slowest: Duration = .hours(2), host: String? = nil, slowsWhen: Set<PollReason> = Set(PollReason.slowing)
    ) -> SourcePlan {
        SourcePlan(
            name: name, host: host, every: every, throttle: throttle, slowest: slowest, jitter: 0,
            slowsWhen: slowsWhen)
    }

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
        var bot = Rehearsal(.rehearsed(sources: [Scheduling.source()], gates: slowing.gates))
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
        var bot = Rehearsal(.rehearsed(sources: [Scheduling.source(slowsWhen: [.calm])]))
        bot.pollAnswer = { _, _ in (PollReport(.unchanged), .zero) }
        bot.start()
        bot.advance(by: .minutes(20))
        #expect(gaps(bot) == [5, 5, 5, 5])
    }

    @Test func `a pending incident is watched as closely as throttle allows`() {
        let detector = DetectorPlan(name: "look", detector: ScriptedDetector(for: .minutes(3)))
        var bot = Rehearsal(.rehearsed(sources: [Scheduling.source()], detectors: [detector]))
        bot.pollAnswer = { _, now in (PollReport(.values([.cue(.warning, at: now)])), .zero) }
        bot.start()
        bot.advance(by: .minutes(13))
        #expect(gaps(bot) == [1, 1, 1, 5, 5])
    }

    @Test func `a service that says when to come back is asked again exactly then, however late`() {
        var bot = Rehearsal(.rehearsed(sources: [Scheduling.source(slowest: .minutes(30))]))
        let back = bot.now + .hours(3)
        bot.pollAnswer = { _, now in
            now < back ? (PollReport(.failed(PollFailure(.rateLimited, "slow down", retryAt: back))), .zero) : nil
        }
        bot.start()
        bot.advance(by: .hours(4))
        #expect(bot.polls.map(\.at) == [.rehearsalStart, back])
        #expect(bot.state.schedule.sources["ios"]?.reasons.contains(.told) == true)
    }

    @Test func `a wake-up that is shared does not cut a told wait short`() {
        let sources = [
            Scheduling.source("ios", every: .minutes(3), slowsWhen: []), Scheduling.source("android", slowsWhen: []),
        ]
        var bot = Rehearsal(.rehearsed(sources: sources))
        // Five seconds after a poll of the other source, well within what a shared wake-up would bring forward.
        let back = bot.now + .minutes(9) + .seconds(5)
        bot.pollAnswer = { order, now in
            order.source == "android" && now < back
                ? (PollReport(.failed(PollFailure(.rateLimited, "slow down", retryAt: back))), .zero)
                : (PollReport(.noData), .zero)
        }
        bot.start()
        bot.advance(by: .minutes(10))
        #expect(bot.polls.filter { $0.source == "android" }.map(\.at) == [.rehearsalStart, back])
    }

    /// Three sources of one account, and one of another.
    private func sharing(_ answer: @escaping (PollOrder, Moment) -> PollReport) -> Rehearsal {
        let sources = ["ios", "android", "web", "else"].map { name in
            var source = Scheduling.source(name, slowsWhen: [])
            source.account = name == "else" ? "b" : "a"
            return source
        }
        var bot = Rehearsal(.rehearsed(sources: sources))
        bot.pollAnswer = { order, now in (answer(order, now), .zero) }
        bot.start()
        return bot
    }

    private func minutes(_ bot: Rehearsal, of source: String) -> [Int64] {
        bot.polls.filter { $0.source == source }.map { ($0.at - .rehearsalStart).wholeMilliseconds / 60_000 }
    }

    @Test func `what a service tells one source of an account holds for the others, and for nobody else`() {
        let back = Moment.rehearsalStart + .minutes(23)
        let limit = PollReport(.failed(PollFailure(.rateLimited, "slow down", retryAt: back)))
        var bot = sharing { order, now in
            order.source == "android" && now > .rehearsalStart && now < back ? limit : PollReport(.noData)
        }
        bot.advance(by: .minutes(30))
        // All are polled at 0. At 5, android is refused; web stands behind it in the config, and is already on its way.
        #expect(minutes(bot, of: "android") == [0, 5, 23, 28])
        #expect(minutes(bot, of: "ios") == [0, 5, 23, 28])
        #expect(minutes(bot, of: "web") == [0, 5, 23, 28])
        #expect(minutes(bot, of: "else") == [0, 5, 10, 15, 20, 25, 30])
        #expect(bot.polls.allSatisfy { $0.source == "else" || $0.at <= .rehearsalStart + .minutes(5) || $0.at >= back })
    }

    private static let back = Moment.rehearsalStart + .minutes(12)
    private static let maintenance = PollFailure(.unavailable, "maintenance", retryAt: back)
    private static let refusal = PollFailure(.rateLimited, "slow down", retryAt: back)
    /// Of another service that a source asks, too.
    private static let foreign = refusal.ofAnotherAccount

    @Test(
        arguments: [
            (PollReport(.noData, limit: back), true), (PollReport(.noData).waiting(after: [], spentUntil: back), true),
            (PollReport(.noData).waiting(after: [refusal]), true), (PollReport(.failed(refusal)), true),
            (PollReport(.noData).waiting(after: [maintenance]), false), (PollReport(.failed(maintenance)), false),
            (PollReport(.noData).waiting(after: [foreign]), false), (PollReport(.failed(foreign)), false),
        ], [true, false])
    func `a budget that is used up is shared, trouble of the service is not`(
        told: (report: PollReport, isShared: Bool), isRestart: Bool
    ) {
        var bot = sharing { order, now in
            order.source == "ios" && now == .rehearsalStart ? told.report : PollReport(.noData)
        }
        bot.advance(by: .minutes(1))
        if isRestart { bot.crash(after: .zero) }
        bot.advance(by: .minutes(10))
        #expect(minutes(bot, of: "ios") == [0])
        #expect(minutes(bot, of: "web") == (told.isShared ? [0] : [0, 5, 10]))
    }

    private static let soon = Moment.rehearsalStart + .minutes(6)

    @Test(arguments: [
        PollReport(.noData, limit: soon),
        PollReport(.noData, limit: soon).waiting(after: [maintenance]),
        PollReport(.failed(PollFailure(.rateLimited, "slow down", retryAt: soon))).waiting(after: [maintenance]),
    ]) func `an account waits for its budget and no longer, whatever the source waits for, and a start knows that`(
        _ report: PollReport
    ) {
        var bot = sharing { order, now in
            order.source == "ios" && now == .rehearsalStart ? report : PollReport(.noData)
        }
        bot.advance(by: .minutes(1))
        bot.crash(after: .zero)
        bot.advance(by: .minutes(7))
        let web = minutes(bot, of: "web")
        #expect(web.count == 2 && (6...7).contains(web.last ?? 0), "\(web)")
    }

    @Test func `after the wait, whoever was polled longest ago goes first`() {
        let back = Moment.rehearsalStart + .minutes(23)
        let limit = PollReport(.failed(PollFailure(.rateLimited, "slow down", retryAt: back)))
        var bot = sharing { order, now in
            order.source == "ios" && now > .rehearsalStart && now < back ? limit : PollReport(.noData)
        }
        bot.advance(by: .minutes(4))
        // Out of step with the others.
        bot.step(.polled(source: "web", PollReport(.noData, limit: bot.now + .minutes(2)), validators: [:]))
        bot.advance(by: .minutes(26))
        let after = bot.polls.filter { $0.at >= back && $0.source != "else" }.map(\.source)
        #expect(after.prefix(3).last == "ios", "who used up the budget comes last: \(after)")
    }

    @Test(arguments: [true, false])
    func `a start and a set clock leave the wait of an account as it is`(isRestart: Bool) {
        let limit = PollReport(
            .failed(PollFailure(.rateLimited, "slow down", retryAt: .rehearsalStart + .minutes(23))))
        var bot = sharing { order, now in
            order.source == "android" && now == .rehearsalStart ? limit : PollReport(.noData)
        }
        bot.advance(by: .minutes(1))
        if isRestart { bot.crash(after: .minutes(7)) } else { bot.setClock(by: .hours(5)) }
        let polled = bot.polls.count { $0.source != "else" }
        bot.advance(by: .minutes(isRestart ? 14 : 21))
        #expect(bot.polls.count { $0.source != "else" } == polled)
        bot.advance(by: .minutes(2))
        #expect(bot.polls.count { $0.source != "else" } == polled + 3)
    }

    @Test func `the wait of a success is kept as well`() {
        var bot = Rehearsal(.rehearsed(sources: [Scheduling.source()]))
        let back = bot.now + .minutes(47)
        bot.pollAnswer = { _, now in
            now < back ? (PollReport(.noData, limit: back), .zero) : nil
        }
        bot.start()
        bot.advance(by: .hours(1))
        #expect(bot.polls.map(\.at) == [.rehearsalStart, back])
    }

    @Test func `a source has one poll in flight, however long it takes`() {
        var bot = Rehearsal(.rehearsed(sources: [Scheduling.source(every: .minutes(1), slowsWhen: [])]))
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
        let sources = hosts.enumerated().map { Scheduling.source("s\($0.offset)", host: $0.element, slowsWhen: []) }
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
            var source = Scheduling.source("s\(index)", host: "a", slowsWhen: [])
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
        let sources = ["a", "b", "c"].map { Scheduling.source($0, every: .minutes(1), slowsWhen: []) }
        var bot = Rehearsal(.rehearsed(sources: sources, concurrency: 1))
        bot.pollAnswer = { _, _ in (PollReport(.noData), .seconds(40)) }
        bot.start()
        bot.advance(by: .hours(1))
        let counts = ["a", "b", "c"].map { name in bot.polls.count { $0.source == name } }
        #expect(counts == [31, 30, 30])
    }

    @Test func `sources that fall close together share a wake-up`() {
        let sources = [
            Scheduling.source("a", every: .seconds(100), slowsWhen: []),
            Scheduling.source("b", every: .seconds(105), slowsWhen: []),
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
            Scheduling.source("a", every: .seconds(100), slowsWhen: []),
            Scheduling.source("b", every: .seconds(105), throttle: .seconds(105), slowsWhen: []),
        ]
        var bot = Rehearsal(.rehearsed(sources: sources))
        bot.start()
        bot.advance(by: .hours(1))
        let times = bot.polls.filter { $0.source == "b" }.map(\.at)
        #expect(zip(times.dropFirst(), times).allSatisfy { $0 - $1 >= .seconds(105) })
    }

    @Test func `after a suspend there is one poll to catch up`() {
        var bot = Rehearsal(.rehearsed(sources: [Scheduling.source(slowsWhen: [])]))
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
        var bot = Rehearsal(.rehearsed(sources: [Scheduling.source(slowsWhen: [])]))
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
        var bot = Rehearsal(.rehearsed(sources: [Scheduling.source(slowsWhen: [])]))
        bot.start()
        bot.advance(by: .minutes(7))
        bot.crash(after: .days(-400))
        bot.advance(by: .hours(1))
        #expect(bot.polls.count == 2 + 12)
    }

    @Test func `a credential that is refused twice in a row stops the source, and nobody forgets it`() {
        var bot = Rehearsal(.rehearsed(sources: [Scheduling.source(slowsWhen: [])]))
        bot.pollAnswer = { _, _ in (PollReport(.failed(PollFailure(.unauthorized, "401"))), .zero) }
        bot.start()
        bot.advance(by: .hours(20))
        #expect(bot.polls.count == 2)
        #expect(bot.state.schedule.sources["ios"]?.stopped != nil)
        #expect(bot.decisions.map(\.mark) == ["O", "M", "M", "M", "M"])
        #expect(bot.decisions.first?.severity == .critical)
    }

    @Test func `refusals that are not in a row do not stop the source`() {
        var bot = Rehearsal(.rehearsed(sources: [Scheduling.source(slowsWhen: [])]))
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
        var bot = Rehearsal(.rehearsed(sources: [Scheduling.source()]))
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
        var bot = Rehearsal(.rehearsed(sources: [Scheduling.source()]))
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
        var bot = Rehearsal(.rehearsed(sources: [Scheduling.source()]))
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
        var bot = Rehearsal(.rehearsed(sources: [Scheduling.source()]))
        bot.pollAnswer = { _, _ in nil }
        bot.start()
        bot.crash(after: .minutes(2))
        bot.advance(by: .minutes(4))
        #expect(gaps(bot) == [5])
    }

    @Test func `a reload leaves polls in flight alone`() {
        var bot = Rehearsal(.rehearsed(sources: [Scheduling.source(every: .minutes(1), slowsWhen: [])]))
        bot.pollAnswer = { _, _ in (PollReport(.noData), .minutes(5)) }
        bot.start()
        bot.advance(by: .seconds(30))
        bot.reload(bot.plan)
        bot.advance(by: .minutes(6))
        #expect(bot.objections == [])
        #expect(gaps(bot) == [5])
    }

    @Test func `the cursor and the validators of the last answer go into the next poll`() throws {
        var bot = Rehearsal(.rehearsed(sources: [Scheduling.source(slowsWhen: [])]))
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
