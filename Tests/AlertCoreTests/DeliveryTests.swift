import AlertCore
import AlertTesting
import PluginKit
import Testing

/// From an accepted message to its end.
@Suite struct `Delivering` {
    private let start = Moment.rehearsalStart

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
        #expect(delivery.progress.phase == .attempting(since: start))
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
        #expect(bot.seconds() == [0, 10, 30])
        #expect(bot.objections == [])
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
        #expect(bot.endNames.last == "delivered")
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

    @Test func `what got worse before it was announced is announced as bad as it is`() {
        var bot = Rehearsal.silenced()
        bot.see(.warning)
        bot.see(.critical)
        bot.advance(by: .hours(2))
        let told = bot.sends.map(\.delivery).filter { $0.message.incidents[0].subject == .shop }
        #expect(told.map(\.kind) == [.opened])
        #expect(told.map(\.message.severity) == [.critical])
        #expect(bot.endNames == ["replaced", "delivered", "delivered"])
    }

    @Test func `what ended before it was announced is announced as one story`() {
        var bot = Rehearsal.silenced()
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
        bot.see(Subject.apps(20).map { ($0, .warning) })
        bot.advance(by: .seconds(1))
        #expect(bot.sends.count { $0.delivery.channel == "team" } == 20)
        #expect(bot.sends.count { $0.delivery.channel == "slow" } == 1)
    }

    @Test func `messages keep the pace of their channel`() {
        let pace = Pace(perSecond: 0.5, burst: 3, atOnce: 8)
        var bot = Rehearsal(.rehearsed(channels: .named("team", pace: pace)))
        bot.start()
        bot.see(Subject.apps(7).map { ($0, .warning) })
        bot.advance(by: .minutes(1))
        #expect(bot.seconds() == [0, 0, 0, 2, 4, 6, 8])
        bot.see(Subject.apps(7).map { ($0, .fine) })
        bot.advance(by: .minutes(1))
        #expect(bot.seconds().suffix(7) == [60, 60, 60, 62, 64, 66, 68])
    }

    @Test func `no pace is broken by a clock that is set`() {
        let pace = Pace(perSecond: 1, burst: 1)
        var bot = Rehearsal(.rehearsed(channels: .named("team", pace: pace)))
        bot.start()
        bot.see(Subject.apps(3).map { ($0, .warning) })
        bot.setClock(by: .hours(5))
        #expect(bot.sends.count == 1)
        bot.advance(by: .seconds(1))
        #expect(bot.sends.count == 2)
    }

    @Test func `attempts that never left take their turn again at the pace of their channel`() throws {
        let pace = Pace(perSecond: 0.5, burst: 3, atOnce: 8)
        var bot = Rehearsal(.rehearsed(channels: .named("team", pace: pace)))
        bot.sendAnswer = { _, _ in nil }
        bot.start()
        bot.see(Subject.apps(3).map { ($0, .warning) })
        let ids = bot.sends.map(\.delivery.id)
        #expect(ids.count == 3)
        bot.sendAnswer = { _, _ in (.delivered(receipt: nil), .zero) }
        bot.advance(by: .seconds(2))
        bot.step(.unsent(ids: ids))
        bot.advance(by: .minutes(1))
        // Two seconds have given one place back; a failed attempt would have waited for longer.
        #expect(bot.seconds().suffix(3) == [2, 4, 6])
        #expect(bot.sends.suffix(3).map(\.delivery.id) == ids)
        let progresses = bot.sends.suffix(3).map(\.delivery.progress)
        #expect(progresses.allSatisfy { $0.attempts == 1 && !$0.possiblyRepeated })
        #expect(bot.objections == [])
    }

    @Test func `no more attempts are in flight than a channel takes`() {
        let pace = Pace(perSecond: 100, burst: 100, atOnce: 3)
        var bot = Rehearsal(.rehearsed(channels: .named("team", pace: pace)))
        bot.sendAnswer = { _, _ in (.delivered(receipt: nil), .seconds(1)) }
        bot.start()
        bot.see(Subject.apps(9).map { ($0, .warning) })
        bot.advance(by: .minutes(1))
        #expect(bot.seconds() == [0, 0, 0, 1, 1, 1, 2, 2, 2])
        #expect(bot.objections == [])
    }

    @Test func `a message whose next try is due waits for those in flight`() {
        let pace = Pace(perSecond: 100, burst: 100, atOnce: 1)
        var bot = Rehearsal(.rehearsed(channels: .named("team", pace: pace)))
        bot.sendAnswer = { delivery, _ in
            let isFirst = delivery.number == 1 && delivery.progress.attempts == 1
            return (isFirst ? .retry(after: nil, "502") : .delivered(receipt: nil), .seconds(9))
        }
        bot.start()
        bot.see(Subject.apps(3).map { ($0, .warning) })
        bot.advance(by: .minutes(1))
        #expect(bot.sends.map(\.delivery.number) == [1, 2, 1, 3])
        #expect(bot.objections == [])
    }

    @Test func `a body that is refused is sent once more in its plainest form`() {
        var bot = Rehearsal(.rehearsed(for: .zero, repeat: nil))
        bot.sendAnswer = { delivery, _ in
            (delivery.progress.isPlain ? .delivered(receipt: nil) : .refusedBody("400"), .zero)
        }
        bot.start()
        bot.see(.warning)
        bot.advance(by: .minutes(1))
        #expect(bot.sends.map(\.delivery.progress.isPlain) == [false, true])
        #expect(bot.endNames == ["delivered"])
    }

    @Test func `a body that is refused in every form is dead`() {
        var bot = Rehearsal(.rehearsed(channels: .named("team", "ops"), reportTo: "ops"))
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
        var bot = Rehearsal(.rehearsed(channels: .named("team", "ops"), reportTo: "ops"))
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
        var bot = Rehearsal(.rehearsed(channels: .named("team", "other"), reportTo: reportTo))
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
        var bot = Rehearsal(.rehearsed(channels: .named("a", "b")))
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
        var bot = Rehearsal(.rehearsed(channels: .named("team", isIdempotent: true)))
        bot.sendAnswer = { delivery, _ in
            (delivery.progress.attempts < 5 ? .unknown("timeout") : .delivered(receipt: nil), .zero)
        }
        bot.start()
        bot.see(.warning)
        bot.advance(by: .hours(1))
        #expect(bot.sends.count == 5)
        #expect(Set(bot.sends.map(\.delivery.id)).count == 1)
        #expect(bot.sends.allSatisfy { !$0.delivery.progress.possiblyRepeated })
    }

    @Test func `elsewhere an attempt of unknown outcome is repeated once, and says so`() {
        var bot = Rehearsal(.rehearsed(channels: .named("team", "ops"), reportTo: "ops"))
        bot.sendAnswer = { delivery, _ in
            (delivery.channel == "team" ? .unknown("timeout") : .delivered(receipt: nil), .zero)
        }
        bot.start()
        bot.see(.warning)
        bot.advance(by: .hours(1))
        let sent = bot.sends.filter { $0.delivery.channel == "team" }
        #expect(sent.map(\.delivery.progress.possiblyRepeated) == [false, true])
        #expect(bot.state.outbox.history.first { $0.delivery.channel == "team" }?.end.name == "dead")
    }

    /// There is no third try, and what hangs or starts anew is seldom well seconds later.
    @Test(arguments: [Duration.zero, .seconds(1), .seconds(30)])
    func `a service of which no answer came is given a minute before the repeat`(_ took: Duration) {
        var bot = Rehearsal(.rehearsed())
        bot.sendAnswer = { _, _ in (.unknown("no answer"), took) }
        bot.start()
        bot.see(.warning)
        bot.advance(by: .hours(1))
        let waited = bot.sends.count == 2 ? bot.sends[1].at - bot.sends[0].at - took : .zero
        #expect(waited >= .minutes(1) && waited <= .seconds(65), "\(waited)")
    }

    @Test func `a service that breaks connections for half a minute loses no message`() {
        var bot = Rehearsal.checked(.rehearsed())
        let back = bot.now + .seconds(30)
        bot.sendAnswer = { _, now in (now < back ? .unknown("it broke") : .delivered(receipt: nil), .zero) }
        bot.see(.critical)
        bot.advance(by: .minutes(2))
        #expect(bot.endNames == ["delivered"])
        #expect(bot.objections == [])
    }

    @Test(arguments: [false, true])
    func `an attempt that a crash cut off counts as one of unknown outcome`(isIdempotent: Bool) {
        var bot = Rehearsal(.rehearsed(channels: .named("team", isIdempotent: isIdempotent)))
        bot.sendAnswer = { _, _ in nil }
        bot.start()
        bot.see(.warning)
        bot.crash(after: .minutes(1))
        bot.crash(after: .minutes(1))
        #expect(Set(bot.sends.map(\.delivery.id)).count == 1)
        let marks = bot.sends.map(\.delivery.progress.possiblyRepeated)
        #expect(marks == (isIdempotent ? [false, false, false] : [false, true]))
        #expect(bot.endNames == (isIdempotent ? [] : ["dead"]))
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
        #expect(bot.endNames == ["delivered"])
        #expect(bot.objections == [])
    }
}
