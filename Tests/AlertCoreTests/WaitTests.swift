import AlertCore
import AlertTesting
import PluginKit
import Testing

/// How long a channel is left alone, and for how long a message is tried.
@Suite struct `Waits of channels` {
    private let start = Moment.rehearsalStart

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
        #expect(bot.endNames == ["delivered", "delivered"])
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
        #expect(bot.seconds() == [0, 754, 754])
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

    @Test(arguments: [(Duration.milliseconds(1), 1), (.milliseconds(500), 1), (.seconds(1), 1), (.seconds(3), 3)])
    func `a service that asks for a moment is tried once a second, and for more exactly then`(
        told: Duration, gap: Double
    ) {
        var bot = Rehearsal(.rehearsed(for: .zero, repeat: nil))
        bot.sendAnswer = { _, _ in (.retry(after: told, "429"), .zero) }
        bot.start()
        bot.see(.warning)
        bot.advance(by: .minutes(2))
        let times = bot.seconds()
        #expect(times.count > 30)
        #expect(zip(times.dropFirst(), times).allSatisfy { $0 - $1 == gap }, "\(times)")
        #expect(bot.objections == [])
    }

    @Test func `a success does not cut a told wait short`() {
        let pace = Pace(perSecond: 9, burst: 9, atOnce: 2)
        var bot = Rehearsal(.rehearsed(channels: .named("team", pace: pace)))
        bot.sendAnswer = { delivery, _ in
            switch (delivery.number, delivery.progress.attempts) {
            case (1, 1): (.retry(after: .minutes(10), "429"), .seconds(1))
            default: (.delivered(receipt: nil), .seconds(2))
            }
        }
        bot.start()
        bot.see(Subject.apps(5).map { ($0, .warning) })
        bot.advance(by: .hours(1))
        #expect(Array(bot.seconds().prefix(4)) == [0, 0, 601, 601])
        #expect(bot.state.outbox.deliveries.isEmpty)
    }

    @Test func `waits double up to ten minutes, with a fifth of chance to either side`() {
        var bot = Rehearsal(.rehearsed())
        bot.sendAnswer = { _, _ in (.retry(after: nil, "502"), .zero) }
        bot.start()
        bot.see(.warning)
        bot.advance(by: .hours(3))
        let times = bot.seconds()
        let gaps = zip(times.dropFirst(), times).map { $0 - $1 }
        let wanted = [2.0, 4, 8, 16, 32, 64, 128, 256, 512, 600, 600, 600]
        for (gap, wait) in zip(gaps, wanted) { #expect((wait * 0.799...wait * 1.201).contains(gap)) }
        #expect(gaps.allSatisfy { $0 <= 720 })
    }

    @Test func `a channel that fails again and again is tried with one message at a time until it is back`() {
        let pace = Pace(perSecond: 100, burst: 100, atOnce: 4)
        var bot = Rehearsal(.rehearsed(channels: .named("team", pace: pace)))
        let back = start + .hours(2)
        bot.sendAnswer = { _, now in (now < back ? .retry(after: nil, "502") : .delivered(receipt: nil), .zero) }
        bot.start()
        bot.see(Subject.apps(50).map { ($0, .warning) })
        bot.advance(to: back - .seconds(1))
        // Fifty messages, but no more attempts than a single one would have made, and the few before the breaker.
        #expect(bot.sends.count < 40)
        let last = bot.seconds().suffix(5)
        #expect(zip(last.dropFirst(), last).allSatisfy { $0 - $1 >= 300 })
        bot.advance(by: .minutes(13))
        #expect(bot.state.outbox.deliveries.isEmpty)
        #expect(bot.endNames == Array(repeating: "delivered", count: 50))
    }

    @Test func `attempts that fail together are one bad moment, and the channel is back within seconds`() {
        let pace = Pace(perSecond: 1000, burst: 1000, atOnce: 32)
        var bot = Rehearsal(.rehearsed(channels: .named("team", pace: pace, isIdempotent: true)))
        let back = start + .seconds(1)
        bot.sendAnswer = { delivery, now in
            // Of those under way at once, the last few arrive.
            let isBad = now < back && delivery.number < 30
            return (isBad ? .retry(after: nil, "502") : .delivered(receipt: nil), .milliseconds(10 * delivery.number))
        }
        bot.start()
        bot.see(Subject.apps(32).map { ($0, .warning) })
        bot.advance(by: .seconds(10))
        #expect(bot.endNames == Array(repeating: "delivered", count: 32))
        #expect(bot.state.outbox.channels["team"]?.failures == 0)
    }

    @Test func `after an hour report_to hears that a message waits, after a day that it is dead`() throws {
        let rule = DetectorPlan(name: "look", detector: ScriptedDetector(), repeat: nil)
        var bot = Rehearsal(
            .rehearsed(detectors: [rule], channels: .named("team", "ops"), reportTo: "ops"))
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
        #expect(bot.endNames == ["dead"])
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
        #expect(bot.endNames == [])
        bot.advance(by: .minutes(49))
        #expect(bot.sends.count { isAboutShop($0.delivery) } == 1)
        bot.advance(by: .minutes(1))
        #expect(bot.sends.count { isAboutShop($0.delivery) } == 2)
    }
}
