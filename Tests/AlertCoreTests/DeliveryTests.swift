import AlertCore
import AlertTesting
import PluginKit
import Testing

/// From an accepted message to its end.
@Suite struct `Delivering` {
    private let start = Moment.rehearsalStart

    private static func channels(
        _ names: String..., pace: Pace = .unlimited, isIdempotent: Bool = false
    ) -> [ChannelPlan] {
        names.map { ChannelPlan(name: $0, pace: pace, isIdempotent: isIdempotent) }
    }

    private func apps(_ count: Int) -> [Subject] {
        (0..<count).map { Subject(source: "ios", app: "app-\(String($0).count < 2 ? "0" : "")\($0)") }
    }

    /// Seconds from the start at which attempts were made.
    private func seconds(_ bot: Rehearsal, to channel: String = "team") -> [Double] {
        bot.sends.filter { $0.delivery.channel == channel }.map { ($0.at - start).inSeconds }
    }

    private func ends(_ bot: Rehearsal) -> [String] { bot.state.outbox.history.map(\.end.name) }

    @Test func `a message is safe before it leaves`() throws {
        let core = Core(plan: .rehearsed())
        var state = State()
        _ = core.step(&state, .started, at: start)
        let seen = PollReport(.values([.cue(.warning, at: start)]))
        let output = core.step(&state, .polled(source: "ios", seen, validators: [:]), at: start)
        let sent = output.effects.compactMap { if case .send(let order) = $0 { order.delivery } else { nil } }
        let delivery = try #require(sent.first)
        #expect(sent.count == 1)
        #expect(output.facts.contains(.outbox(.progress(id: delivery.id, delivery.progress))))
        #expect(output.safety == .first)
        #expect(delivery.phase == .attempting(since: start))
    }

    @Test func `messages of one incident arrive one after the other, those of others do not wait for them`() {
        var bot = Rehearsal(.rehearsed())
        let slow = Subject.shop
        bot.sendAnswer = { delivery, _ in
            (.delivered(receipt: nil), delivery.message.incidents[0].subject == slow ? .seconds(30) : .zero)
        }
        bot.start()
        bot.see(.warning, of: slow)
        bot.advance(by: .seconds(10))
        bot.see(.critical, of: slow)
        bot.see(.warning, of: Subject(source: "ios", app: "other"))
        bot.advance(by: .minutes(2))
        #expect(bot.sends.map(\.delivery.kind) == [.opened, .opened, .escalated])
        #expect(seconds(bot) == [0, 10, 30])
        #expect(bot.objections == [])
    }

    @Test func `a wait that one address asked for ends where a reload leads the channel to another`() throws {
        func plan(_ place: UInt64) -> Plan { .rehearsed(channels: [ChannelPlan(name: "team", place: place)]) }
        var bot = Rehearsal.checked(plan(1))
        bot.sendAnswer = { _, _ in (.retry(after: .hours(2), "busy"), .zero) }
        bot.see(.warning)
        bot.see(.warning, of: Subject(source: "ios", app: "bank"))
        bot.advance(by: .minutes(1))
        #expect(bot.state.outbox.channels["team"]?.pausedUntil != nil)
        #expect(bot.state.outbox.channels["team"]?.askedUntil != nil)
        let before = bot.sends.count
        bot.reload(plan(1))
        bot.advance(by: .minutes(1))
        #expect(bot.sends.count == before, "the same address is left alone as it asked")
        bot.sendAnswer = { _, _ in (.delivered(receipt: nil), .zero) }
        bot.reload(plan(2))
        bot.advance(by: .minutes(1))
        #expect(bot.state.outbox.channels["team"]?.pausedUntil == nil)
        #expect(bot.state.outbox.channels["team"]?.askedUntil == nil)
        #expect(ends(bot) == ["delivered", "delivered"])
        #expect(bot.objections == [])
    }

    @Test(arguments: [Duration.hours(1), nil])
    func `a wait that a service asks for is known as such, however often it does, and the bot's own pause is none`(
        told: Duration?
    ) {
        var bot = Rehearsal.checked(.rehearsed())
        bot.sendAnswer = { _, _ in (.retry(after: told, "busy"), .zero) }
        bot.see(.warning)
        bot.advance(by: .minutes(210))
        let record = bot.state.outbox.channels["team"] ?? ChannelRecord()
        #expect(record.failures >= 3)
        #expect((record.askedPause(at: bot.now) != nil) == (told != nil))
        bot.sendAnswer = { _, _ in (.delivered(receipt: nil), .zero) }
        bot.advance(by: .hours(2))
        #expect(bot.state.outbox.channels["team"]?.askedUntil == nil, "what is over is forgotten")
    }

    @Test
    func `what was refused for good is offered again with every reload, and told at a new address`() {
        func plan(_ place: UInt64) -> Plan { .rehearsed(channels: [ChannelPlan(name: "team", place: place)]) }
        var bot = Rehearsal.checked(plan(1))
        bot.sendAnswer = { _, _ in (.refusedChannel("gone"), .zero) }
        bot.see(.warning)
        bot.advance(by: .minutes(1))
        bot.reload(plan(1))
        bot.advance(by: .minutes(1))
        #expect(bot.sends.count { $0.delivery.kind == .opened && $0.delivery.channel == "team" } == 2)
        bot.sendAnswer = { _, _ in (.delivered(receipt: nil), .zero) }
        bot.reload(plan(2))
        bot.advance(by: .minutes(1))
        #expect(ends(bot).last == "delivered")
        #expect(bot.sends.last?.delivery.kind == .opened)
        #expect(bot.objections == [])
    }

    @Test func `a digest that tells of two troubles of one thing does not wait for itself`() throws {
        let core = Core(plan: .rehearsed())
        var state = State()
        let troubles = [0, 1].map { minute in
            IncidentSummary(
                Incident(
                    rule: "look", subject: .shop, labels: [:], severity: .warning, since: start + .minutes(minute),
                    evidence: Evidence(sentence: "")))
        }
        let digest = Message(kind: .digest, severity: .warning, at: start, headline: "", incidents: troubles)
        let delivery = Delivery(
            id: "d", channel: "team", number: 1, kind: .digest, incident: nil, message: digest, queued: start)
        state.apply(.outbox(.delivery(delivery)))
        let output = core.step(&state, .started, at: start)
        let sent = output.effects.compactMap { if case .send(let order) = $0 { order.delivery.id } else { nil } }
        #expect(sent == ["d"])
    }

    /// A bot whose only channel wants silence for an hour.
    private func silenced(_ plan: Plan = .rehearsed()) -> Rehearsal {
        var bot = Rehearsal(plan)
        let end = start + .hours(1)
        bot.sendAnswer = { _, now in
            (now < end ? .retry(after: end - now, "429") : .delivered(receipt: nil), .zero)
        }
        bot.start()
        bot.see(.info, of: Subject(source: "ios", app: "first"))
        bot.advance(by: .seconds(1))
        return bot
    }

    @Test func `what got worse before it was announced is announced as bad as it is`() {
        var bot = silenced()
        bot.see(.warning)
        bot.see(.critical)
        bot.advance(by: .hours(2))
        let told = bot.sends.map(\.delivery).filter { $0.message.incidents[0].subject == .shop }
        #expect(told.map(\.kind) == [.opened])
        #expect(told.map(\.message.severity) == [.critical])
        #expect(ends(bot) == ["replaced", "delivered", "delivered"])
    }

    @Test func `what ended before it was announced is announced as one story`() {
        var bot = silenced()
        bot.see(.warning)
        bot.see(.fine)
        bot.advance(by: .hours(2))
        let told = bot.sends.map(\.delivery).filter { $0.message.incidents[0].subject == .shop }
        #expect(told.map(\.kind) == [.digest])
        #expect(bot.decisions.last?.reason == .overtaken)
        #expect(bot.decisions.last?.kind == .digest)
    }

    @Test func `a reminder that waits is replaced by the end`() {
        var bot = Rehearsal(.rehearsed(for: .zero, repeat: .minutes(10)))
        let silence = start + .minutes(5)..<start + .minutes(45)
        bot.sendAnswer = { _, now in
            (silence.contains(now) ? .retry(after: silence.upperBound - now, "429") : .delivered(receipt: nil), .zero)
        }
        bot.start()
        _ = bot.play("wwwwwwwwwwwwwwwwwwwwwwwwwww.")
        bot.advance(by: .hours(1))
        #expect(bot.kindsSent(to: "team") == [.opened, .reminder, .resolved])
        #expect(bot.state.outbox.deliveries.isEmpty)
    }

    @Test func `a channel that never answers delays no other`() {
        var bot = Rehearsal(
            .rehearsed(
                channels: [ChannelPlan(name: "slow", pace: Pace(perSecond: 1, burst: 1)), ChannelPlan(name: "team")]))
        bot.sendAnswer = { delivery, _ in delivery.channel == "slow" ? nil : (.delivered(receipt: nil), .zero) }
        bot.start()
        bot.see(apps(20).map { ($0, .warning) })
        bot.advance(by: .seconds(1))
        #expect(bot.sends.count { $0.delivery.channel == "team" } == 20)
        #expect(bot.sends.count { $0.delivery.channel == "slow" } == 1)
    }

    @Test func `messages keep the pace of their channel`() {
        let pace = Pace(perSecond: 0.5, burst: 3, atOnce: 8)
        var bot = Rehearsal(.rehearsed(channels: Delivering.channels("team", pace: pace)))
        bot.start()
        bot.see(apps(7).map { ($0, .warning) })
        bot.advance(by: .minutes(1))
        #expect(seconds(bot) == [0, 0, 0, 2, 4, 6, 8])
        bot.see(apps(7).map { ($0, .fine) })
        bot.advance(by: .minutes(1))
        #expect(seconds(bot).suffix(7) == [60, 60, 60, 62, 64, 66, 68])
    }

    @Test func `no pace is broken by a clock that is set`() {
        let pace = Pace(perSecond: 1, burst: 1)
        var bot = Rehearsal(.rehearsed(channels: Delivering.channels("team", pace: pace)))
        bot.start()
        bot.see(apps(3).map { ($0, .warning) })
        bot.setClock(by: .hours(5))
        #expect(bot.sends.count == 1)
        bot.advance(by: .seconds(1))
        #expect(bot.sends.count == 2)
    }

    @Test func `attempts that never left take their turn again at the pace of their channel`() throws {
        let pace = Pace(perSecond: 0.5, burst: 3, atOnce: 8)
        var bot = Rehearsal(.rehearsed(channels: Delivering.channels("team", pace: pace)))
        bot.sendAnswer = { _, _ in nil }
        bot.start()
        bot.see(apps(3).map { ($0, .warning) })
        let ids = bot.sends.map(\.delivery.id)
        #expect(ids.count == 3)
        bot.sendAnswer = { _, _ in (.delivered(receipt: nil), .zero) }
        bot.advance(by: .seconds(2))
        bot.step(.unsent(ids: ids))
        bot.advance(by: .minutes(1))
        // Two seconds have given one place back; a failed attempt would have waited for longer.
        #expect(seconds(bot).suffix(3) == [2, 4, 6])
        #expect(bot.sends.suffix(3).map(\.delivery.id) == ids)
        #expect(bot.sends.suffix(3).allSatisfy { $0.delivery.attempts == 1 && !$0.delivery.possiblyRepeated })
        #expect(bot.objections == [])
    }

    @Test func `no more attempts are in flight than a channel takes`() {
        let pace = Pace(perSecond: 100, burst: 100, atOnce: 3)
        var bot = Rehearsal(.rehearsed(channels: Delivering.channels("team", pace: pace)))
        bot.sendAnswer = { _, _ in (.delivered(receipt: nil), .seconds(1)) }
        bot.start()
        bot.see(apps(9).map { ($0, .warning) })
        bot.advance(by: .minutes(1))
        #expect(seconds(bot) == [0, 0, 0, 1, 1, 1, 2, 2, 2])
        #expect(bot.objections == [])
    }

    @Test func `a message whose next try is due waits for those in flight`() {
        let pace = Pace(perSecond: 100, burst: 100, atOnce: 1)
        var bot = Rehearsal(.rehearsed(channels: Delivering.channels("team", pace: pace)))
        bot.sendAnswer = { delivery, _ in
            let isFirst = delivery.number == 1 && delivery.attempts == 1
            return (isFirst ? .retry(after: nil, "502") : .delivered(receipt: nil), .seconds(9))
        }
        bot.start()
        bot.see(apps(3).map { ($0, .warning) })
        bot.advance(by: .minutes(1))
        #expect(bot.sends.map(\.delivery.number) == [1, 2, 1, 3])
        #expect(bot.objections == [])
    }

    @Test(arguments: [false, true])
    func `a service that says when to come back is left alone exactly so long, across a crash too`(crashes: Bool) {
        var bot = Rehearsal(.rehearsed())
        let back = start + .seconds(754)
        bot.sendAnswer = { _, now in
            (now < back ? .retry(after: back - now, "429") : .delivered(receipt: nil), .zero)
        }
        bot.start()
        bot.see(.warning)
        bot.advance(by: .seconds(100))
        if crashes { bot.crash() }
        bot.see(.warning, of: Subject(source: "ios", app: "other"))
        bot.advance(by: .hours(1))
        #expect(seconds(bot) == [0, 754, 754])
    }

    @Test func `a service that says to come back at once is spared all the same`() {
        var bot = Rehearsal(.rehearsed())
        bot.sendAnswer = { _, _ in (.retry(after: .zero, "503"), .zero) }
        bot.start()
        bot.see(.warning)
        bot.advance(by: .minutes(1))
        #expect(bot.sends.count < 10)
        #expect(bot.objections == [])
    }

    @Test func `a success does not cut a told wait short`() {
        let pace = Pace(perSecond: 9, burst: 9, atOnce: 2)
        var bot = Rehearsal(.rehearsed(channels: Delivering.channels("team", pace: pace)))
        bot.sendAnswer = { delivery, _ in
            switch (delivery.number, delivery.attempts) {
            case (1, 1): (.retry(after: .minutes(10), "429"), .seconds(1))
            default: (.delivered(receipt: nil), .seconds(2))
            }
        }
        bot.start()
        bot.see(apps(5).map { ($0, .warning) })
        bot.advance(by: .hours(1))
        #expect(Array(seconds(bot).prefix(4)) == [0, 0, 601, 601])
        #expect(bot.state.outbox.deliveries.isEmpty)
    }

    @Test func `waits double up to ten minutes, with a fifth of chance to either side`() {
        var bot = Rehearsal(.rehearsed())
        bot.sendAnswer = { _, _ in (.retry(after: nil, "502"), .zero) }
        bot.start()
        bot.see(.warning)
        bot.advance(by: .hours(3))
        let times = seconds(bot)
        let gaps = zip(times.dropFirst(), times).map { $0 - $1 }
        let wanted = [2.0, 4, 8, 16, 32, 64, 128, 256, 512, 600, 600, 600]
        for (gap, wait) in zip(gaps, wanted) { #expect((wait * 0.799...wait * 1.201).contains(gap)) }
        #expect(gaps.allSatisfy { $0 <= 720 })
    }

    @Test func `a channel that fails again and again is tried with one message at a time until it is back`() {
        let pace = Pace(perSecond: 100, burst: 100, atOnce: 4)
        var bot = Rehearsal(.rehearsed(channels: Delivering.channels("team", pace: pace)))
        let back = start + .hours(2)
        bot.sendAnswer = { _, now in (now < back ? .retry(after: nil, "502") : .delivered(receipt: nil), .zero) }
        bot.start()
        bot.see(apps(50).map { ($0, .warning) })
        bot.advance(to: back - .seconds(1))
        // Fifty messages, but no more attempts than a single one would have made, and the few before the breaker.
        #expect(bot.sends.count < 40)
        let last = seconds(bot).suffix(5)
        #expect(zip(last.dropFirst(), last).allSatisfy { $0 - $1 >= 300 })
        bot.advance(by: .minutes(13))
        #expect(bot.state.outbox.deliveries.isEmpty)
        #expect(ends(bot) == Array(repeating: "delivered", count: 50))
    }

    @Test func `attempts that fail together are one bad moment, and the channel is back within seconds`() {
        let pace = Pace(perSecond: 1000, burst: 1000, atOnce: 32)
        var bot = Rehearsal(.rehearsed(channels: Delivering.channels("team", pace: pace, isIdempotent: true)))
        let back = start + .seconds(1)
        bot.sendAnswer = { delivery, now in
            // Of those under way at once, the last few arrive.
            let isBad = now < back && delivery.number < 30
            return (isBad ? .retry(after: nil, "502") : .delivered(receipt: nil), .milliseconds(10 * delivery.number))
        }
        bot.start()
        bot.see(apps(32).map { ($0, .warning) })
        bot.advance(by: .seconds(10))
        #expect(ends(bot) == Array(repeating: "delivered", count: 32))
        #expect(bot.state.outbox.channels["team"]?.failures == 0)
    }

    @Test func `after an hour report_to hears that a message waits, after a day that it is dead`() throws {
        let rule = DetectorPlan(name: "look", detector: ScriptedDetector(), repeat: nil)
        var bot = Rehearsal(
            .rehearsed(detectors: [rule], channels: Delivering.channels("team", "ops"), reportTo: "ops"))
        bot.sendAnswer = { delivery, _ in
            (delivery.channel == "team" ? .retry(after: nil, "502") : .delivered(receipt: nil), .zero)
        }
        bot.start()
        bot.see(.warning)
        bot.see(.warning, of: Subject(source: "ios", app: "other"))
        bot.advance(by: .hours(25))
        let dead = bot.state.outbox.history.filter { $0.end.name == "dead" && $0.delivery.channel == "team" }
        #expect(dead.count >= 2)
        #expect(dead[0].at - start >= .hours(24))
        #expect(dead[0].at - start < .hours(24) + .minutes(13))
        let reports = bot.decisions.filter { $0.channel == "ops" && $0.message.headline.contains("channel team") }
        #expect(reports.map(\.mark) == ["O", "M", "M", "M", "M", "M", "E"])
        #expect(reports[0].at - start < .hours(1) + .minutes(13))
    }

    @Test func `a message does not outlive its day behind a longer told wait`() {
        var bot = Rehearsal(.rehearsed(for: .zero, repeat: nil))
        bot.sendAnswer = { _, _ in (.retry(after: .days(3), "429"), .zero) }
        bot.start()
        bot.see(.warning)
        bot.advance(by: .hours(24))
        #expect(ends(bot) == ["dead"])
    }

    @Test func `a day is a day for a clock that is set too`() {
        var bot = Rehearsal(.rehearsed(for: .zero, repeat: nil))
        bot.sendAnswer = { _, _ in (.retry(after: .hours(1), "429"), .zero) }
        bot.start()
        bot.see(.warning)
        bot.advance(by: .minutes(10))
        bot.setClock(by: .days(30))
        func isAboutShop(_ delivery: Delivery) -> Bool { delivery.message.incidents[0].subject == .shop }
        #expect(bot.state.outbox.deliveries.values.filter(isAboutShop).map(\.kind) == [.opened])
        #expect(ends(bot) == [])
        bot.advance(by: .minutes(49))
        #expect(bot.sends.count { isAboutShop($0.delivery) } == 1)
        bot.advance(by: .minutes(1))
        #expect(bot.sends.count { isAboutShop($0.delivery) } == 2)
    }

    @Test func `a body that is refused is sent once more in its plainest form`() {
        var bot = Rehearsal(.rehearsed(for: .zero, repeat: nil))
        bot.sendAnswer = { delivery, _ in
            (delivery.isPlain ? .delivered(receipt: nil) : .refusedBody("400"), .zero)
        }
        bot.start()
        bot.see(.warning)
        bot.advance(by: .minutes(1))
        #expect(bot.sends.map(\.delivery.isPlain) == [false, true])
        #expect(ends(bot) == ["delivered"])
    }

    @Test func `a body that is refused in every form is dead`() {
        var bot = Rehearsal(.rehearsed(channels: Delivering.channels("team", "ops"), reportTo: "ops"))
        bot.sendAnswer = { delivery, _ in
            (delivery.channel == "ops" ? .delivered(receipt: nil) : .refusedBody("400"), .zero)
        }
        bot.start()
        bot.see(.warning)
        bot.advance(by: .minutes(1))
        #expect(bot.sends.count { $0.delivery.channel == "team" } == 2)
        #expect(bot.state.outbox.history.first { $0.delivery.channel == "team" }?.end.name == "dead")
        #expect(bot.state.outbox.deliveries.isEmpty)
    }

    @Test func `a channel that is refused is a trouble at once, and none any more after its next delivery`() {
        var bot = Rehearsal(.rehearsed(channels: Delivering.channels("team", "ops"), reportTo: "ops"))
        var isGone = true
        bot.sendAnswer = { delivery, _ in
            (isGone && delivery.channel == "team" ? .refusedChannel("410") : .delivered(receipt: nil), .zero)
        }
        bot.start()
        bot.see(.warning)
        bot.see(.warning, of: Subject(source: "ios", app: "other"))
        bot.advance(by: .minutes(1))
        #expect(bot.sends.count { $0.delivery.channel == "team" } == 2)
        func reports() -> String {
            bot.decisions.filter { $0.channel == "ops" && $0.message.incidents[0].subject.app == "alertbot" }
                .map(\.mark).joined()
        }
        #expect(reports() == "O")
        isGone = false
        bot.see(.critical)
        bot.advance(by: .minutes(1))
        #expect(reports() == "OR")
    }

    @Test(arguments: [nil, "team"] as [String?])
    func `a channel does not report its own silence`(reportTo: String?) {
        var bot = Rehearsal(.rehearsed(channels: Delivering.channels("team", "other"), reportTo: reportTo))
        bot.sendAnswer = { delivery, _ in
            (delivery.channel == "team" ? .refusedChannel("410") : .delivered(receipt: nil), .zero)
        }
        bot.start()
        bot.see(.warning)
        bot.advance(by: .minutes(1))
        let reports = bot.decisions.filter { $0.message.incidents[0].subject.app == "alertbot" }
        #expect(reports.map(\.channel) == ["other"])
    }

    @Test func `where every channel is gone the bot does not run in circles`() {
        var bot = Rehearsal(.rehearsed(channels: Delivering.channels("a", "b")))
        bot.sendAnswer = { _, _ in (.refusedChannel("410"), .zero) }
        bot.start()
        bot.see(.warning)
        bot.advance(by: .hours(12))
        #expect(bot.objections == [])
        // Each is tried every hour.
        #expect(bot.sends.count < 40)
        #expect(bot.state.outbox.deliveries.isEmpty)
    }

    @Test func `an idempotent channel is asked again with the same id as often as it takes`() {
        var bot = Rehearsal(.rehearsed(channels: Delivering.channels("team", isIdempotent: true)))
        bot.sendAnswer = { delivery, _ in
            (delivery.attempts < 5 ? .unknown("timeout") : .delivered(receipt: nil), .zero)
        }
        bot.start()
        bot.see(.warning)
        bot.advance(by: .hours(1))
        #expect(bot.sends.count == 5)
        #expect(Set(bot.sends.map(\.delivery.id)).count == 1)
        #expect(bot.sends.allSatisfy { !$0.delivery.possiblyRepeated })
    }

    @Test func `elsewhere an attempt of unknown outcome is repeated once, and says so`() {
        var bot = Rehearsal(.rehearsed(channels: Delivering.channels("team", "ops"), reportTo: "ops"))
        bot.sendAnswer = { delivery, _ in
            (delivery.channel == "team" ? .unknown("timeout") : .delivered(receipt: nil), .zero)
        }
        bot.start()
        bot.see(.warning)
        bot.advance(by: .hours(1))
        let sent = bot.sends.filter { $0.delivery.channel == "team" }
        #expect(sent.map(\.delivery.possiblyRepeated) == [false, true])
        #expect(bot.state.outbox.history.first { $0.delivery.channel == "team" }?.end.name == "dead")
    }

    /// There is no third try, and what hangs seldom answers seconds later.
    @Test(arguments: [(Duration.seconds(1), Duration.zero), (.seconds(30), .minutes(1))])
    func `a service that hangs is given a minute before the repeat`(_ took: Duration, _ least: Duration) {
        var bot = Rehearsal(.rehearsed())
        bot.sendAnswer = { _, _ in (.unknown("timeout"), took) }
        bot.start()
        bot.see(.warning)
        bot.advance(by: .hours(1))
        let waited = bot.sends.count == 2 ? bot.sends[1].at - bot.sends[0].at - took : .zero
        #expect(waited >= least && waited <= least + .seconds(5), "\(waited)")
    }

    @Test(arguments: [false, true])
    func `an attempt that a crash cut off counts as one of unknown outcome`(isIdempotent: Bool) {
        var bot = Rehearsal(.rehearsed(channels: Delivering.channels("team", isIdempotent: isIdempotent)))
        bot.sendAnswer = { _, _ in nil }
        bot.start()
        bot.see(.warning)
        bot.crash(after: .minutes(1))
        bot.crash(after: .minutes(1))
        #expect(Set(bot.sends.map(\.delivery.id)).count == 1)
        #expect(bot.sends.map(\.delivery.possiblyRepeated) == (isIdempotent ? [false, false, false] : [false, true]))
        #expect(ends(bot) == (isIdempotent ? [] : ["dead"]))
    }

    @Test func `loading the config anew sends nothing twice`() {
        var bot = Rehearsal(.rehearsed())
        bot.sendAnswer = { _, _ in (.delivered(receipt: nil), .seconds(10)) }
        bot.start()
        bot.see(.warning)
        bot.advance(by: .seconds(5))
        bot.reload(bot.plan)
        bot.advance(by: .minutes(1))
        #expect(bot.sends.count == 1)
        #expect(ends(bot) == ["delivered"])
        #expect(bot.objections == [])
    }

    @Test func `messages to a channel that left the config are dead and no trouble`() {
        var bot = silenced(.rehearsed(channels: Delivering.channels("team", "ops"), reportTo: "ops"))
        bot.see(.warning)
        bot.reload(.rehearsed(channels: Delivering.channels("ops"), reportTo: "ops"))
        bot.advance(by: .hours(3))
        let entries = bot.state.outbox.history.filter { $0.delivery.channel == "team" }
        #expect(entries.map(\.end.name) == ["dead", "dead"])
        #expect(bot.state.outbox.deliveries.isEmpty)
        #expect(!bot.decisions.contains { $0.message.incidents.first?.subject.app == "alertbot" })
    }

    @Test func `what is in flight to a channel that leaves the config is recorded as it ends`() {
        var bot = Rehearsal(.rehearsed(channels: Delivering.channels("team", "ops")))
        bot.sendAnswer = { delivery, _ in
            (delivery.number == 1 ? .delivered(receipt: "1") : .retry(after: nil, "502"), .seconds(10))
        }
        bot.start()
        bot.see(.warning)
        bot.see(.warning, of: Subject(source: "ios", app: "other"))
        bot.advance(by: .seconds(5))
        bot.reload(.rehearsed(channels: Delivering.channels("ops")))
        bot.advance(by: .seconds(10))
        let entries = bot.state.outbox.history.filter { $0.delivery.channel == "team" }
        #expect(entries.map(\.end.name) == ["delivered", "dead"])
    }

    @Test func `a channel that left the config is waited for by no incident`() {
        var bot = Rehearsal(.rehearsed(channels: Delivering.channels("team", "gone")))
        bot.start()
        bot.see(.warning)
        bot.reload(.rehearsed(channels: Delivering.channels("team")))
        #expect(bot.play("wwwwww.", every: .hours(1), in: "team") == "....M.R")
        #expect(bot.state.incidents.isEmpty)
        #expect(bot.objections == [])
    }

    @Test func `the trouble of a channel that left the config is over`() {
        var bot = Rehearsal(.rehearsed(channels: Delivering.channels("team", "ops"), reportTo: "ops"))
        bot.sendAnswer = { delivery, _ in
            (delivery.channel == "team" ? .refusedChannel("410") : .delivered(receipt: nil), .zero)
        }
        bot.start()
        bot.see(.warning)
        bot.advance(by: .minutes(1))
        bot.reload(.rehearsed(channels: Delivering.channels("ops"), reportTo: "ops"))
        bot.see(.fine)
        #expect(bot.state.incidents.isEmpty)
    }
}
