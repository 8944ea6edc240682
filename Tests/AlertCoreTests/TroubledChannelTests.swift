import AlertCore
import AlertTesting
import GroupGate
import PluginKit
import Testing

/// What a channel in trouble is told, when, and what of it.
@Suite struct `Delivering to channels in trouble` {
    private let start = Moment.rehearsalStart
    private let teamAndOps = [ChannelPlan(name: "team"), ChannelPlan(name: "ops")]

    @Test func `a message that certainly did not arrive is replaced by newer truth`() {
        var bot = Rehearsal(.rehearsed())
        let end = start + .hours(1)
        bot.sendAnswer = { _, now in (now < end ? .retry(after: end - now, "429") : .delivered(receipt: nil), .zero) }
        bot.start()
        bot.see(.warning)
        bot.advance(by: .minutes(1))
        bot.see(.critical)
        bot.advance(by: .minutes(1))
        bot.see(.fine)
        bot.advance(by: .hours(2))
        #expect(bot.sends.filter { $0.at >= end }.map(\.delivery.kind) == [.digest])
    }

    /// Behind a gate that gathers, it has had its company before it waits for its channel.
    @Test(arguments: [false, true])
    func `an opening that waits says how bad it is when it leaves`(isGrouped: Bool) throws {
        let gates = isGrouped ? [try GatePlan.rule(GroupGate.self, "together", ["wait": "30s"])] : []
        var bot = Rehearsal(.rehearsed(for: .zero, repeat: nil, gates: gates))
        let end = start + .hours(1)
        bot.sendAnswer = { _, now in (now < end ? .retry(after: end - now, "429") : .delivered(receipt: nil), .zero) }
        bot.start()
        bot.see(.critical)
        bot.advance(by: .minutes(1))
        for _ in 0..<60 {
            bot.see(.warning)
            bot.advance(by: .minutes(1))
        }
        let sent = bot.sends.filter { $0.at >= end }.map(\.delivery)
        #expect(sent.map(\.kind) == [.opened])
        #expect(sent.map(\.message.severity) == [.warning])
        #expect(bot.objections == [])
        bot.see(.critical)
        bot.advance(by: .minutes(1))
        #expect(bot.kindsSent(to: "team").last == .escalated)
    }

    @Test func `an opening that waits says what held it, though reminders have overtaken it`() {
        let night = GatePlan.quiet(from: "2026-11-20 12:00", until: "2026-11-20 12:05")
        var bot = Rehearsal(.rehearsed(for: .zero, repeat: .minutes(10), gates: [night]))
        let end = start + .minutes(40)
        bot.sendAnswer = { _, now in (now < end ? .retry(after: end - now, "429") : .delivered(receipt: nil), .zero) }
        bot.start()
        for _ in 0..<42 {
            bot.see(.warning)
            bot.advance(by: .minutes(1))
        }
        #expect(bot.decisions.count { $0.decision == .send } > 1)
        let sent = bot.sends.filter { $0.at >= end }.map(\.delivery)
        #expect(sent.map(\.kind) == [.opened])
        let held = sent.flatMap(\.message.fields).filter { $0.label == "Held until now by" }
        #expect(held.map(\.value) == ["quiet hours (nights)"])
        #expect(bot.objections == [])
    }

    @Test func `an end is announced only where the beginning was`() {
        var bot = Rehearsal(.rehearsed(channels: teamAndOps, reportTo: "ops"))
        var isGone = true
        bot.sendAnswer = { delivery, _ in
            (isGone && delivery.channel == "team" ? .refusedChannel("401") : .delivered(receipt: nil), .zero)
        }
        bot.start()
        bot.see(.warning)
        bot.advance(by: .minutes(1))
        isGone = false
        bot.see(.fine)
        bot.advance(by: .minutes(1))
        #expect(!bot.kindsSent(to: "team").contains(.resolved))
    }

    @Test(arguments: [false, true])
    func `an escalation that was refused is sent again when the channel works, or at the next try`(_ restarts: Bool) {
        var bot = Rehearsal(.unreminded)
        var isGone = false
        bot.sendAnswer = { delivery, _ in
            (isGone && delivery.channel == "team" ? .refusedChannel("404") : .delivered(receipt: nil), .zero)
        }
        bot.start()
        bot.see(.warning)
        bot.advance(by: .minutes(1))
        isGone = true
        bot.see(.critical)
        bot.advance(by: .minutes(10))
        #expect(bot.kindsSent(to: "team") == [.opened, .escalated])
        #expect(bot.state.incidents.inOrder.first { $0.rule == "look" }?.standings["team"]?.undelivered == .critical)
        isGone = false
        if restarts { bot.crash() } else { bot.see(.critical, of: Subject(source: "ios", app: "other")) }
        bot.see(.critical)
        bot.advance(by: .minutes(1))
        let sent = bot.sends.filter {
            $0.delivery.channel == "team" && $0.delivery.message.incidents[0].subject.app == "shop"
        }
        #expect(sent.map(\.delivery.kind) == [.opened, .escalated, .escalated])
        bot.see(.critical)
        bot.see(.fine)
        bot.advance(by: .minutes(1))
        #expect(bot.kindsSent(to: "team").last == .resolved)
        #expect(bot.objections == [])
    }

    @Test func `a channel that gets no escalation is tried again every hour`() {
        var bot = Rehearsal(.unreminded)
        bot.sendAnswer = { delivery, _ in
            (
                delivery.channel == "team" && delivery.kind == .escalated
                    ? .refusedChannel("404") : .delivered(receipt: nil), .zero
            )
        }
        bot.start()
        bot.see(.warning)
        bot.advance(by: .minutes(1))
        for _ in 0..<36 {
            bot.see(.critical)
            bot.advance(by: .minutes(5))
        }
        let tries = bot.kindsSent(to: "team").count { $0 == .escalated }
        #expect((2...4).contains(tries), "\(tries)")
    }

    /// Everything about the bot goes to ops, and ops is what is wrong.
    @Test func `that the channel is dead to which all troubles are routed is told to the others`() {
        let routes = [Route(match: .on(["app": "alertbot"]), to: ["ops"]), Route(to: ["team"])]
        var bot = Rehearsal(.rehearsed(channels: teamAndOps, routes: routes, reportTo: "ops"))
        bot.sendAnswer = { delivery, _ in
            (delivery.channel == "ops" ? .refusedChannel("404") : .delivered(receipt: nil), .zero)
        }
        bot.pollAnswer = { _, _ in nil }
        bot.start()
        for _ in 0..<36 {
            bot.fail()
            bot.advance(by: .minutes(5))
        }
        let told = bot.sends.filter { $0.delivery.channel == "team" }.map(\.delivery.message.incidents[0].rule)
        #expect(told.contains("channel-failing"), "\(told)")
    }

    @Test func `the pace holds across crashes`() {
        var bot = Rehearsal(.rehearsed(channels: [ChannelPlan(name: "team", pace: Pace(perSecond: 1, burst: 3))]))
        bot.start()
        bot.see((0..<9).map { (Subject(source: "ios", app: "app-\($0)"), .warning) })
        for _ in 0..<2 {
            bot.advance(by: .milliseconds(50))
            bot.crash()
        }
        bot.advance(by: .milliseconds(50))
        #expect(bot.sends.count <= 3)
    }

    @Test func `an escalation that waits is not replaced by a reminder`() {
        var bot = Rehearsal(.rehearsed(for: .zero, repeat: .minutes(10)))
        let silence = start + .minutes(1)..<start + .minutes(45)
        bot.sendAnswer = { _, now in
            (silence.contains(now) ? .retry(after: silence.upperBound - now, "429") : .delivered(receipt: nil), .zero)
        }
        bot.start()
        bot.see(.warning)
        bot.advance(by: .minutes(11))
        for _ in 0..<40 {
            bot.see(.critical)
            bot.advance(by: .minutes(1))
        }
        #expect(bot.kindsSent(to: "team").contains(.escalated))
    }

    @Test func `a channel that is silent for long is reported before its first message dies`() {
        var bot = Rehearsal(.rehearsed(channels: teamAndOps, reportTo: "ops"))
        bot.sendAnswer = { delivery, _ in
            (delivery.channel == "team" ? .retry(after: nil, "502") : .delivered(receipt: nil), .zero)
        }
        bot.start()
        bot.see(.warning)
        bot.advance(by: .hours(23))
        #expect(bot.decisions.contains { $0.channel == "ops" && $0.message.headline.contains("channel team") })
    }

    @Test func `reports of a channel that takes nothing say since when, though what waited then was replaced`() {
        var bot = Rehearsal(.unreminded)
        bot.sendAnswer = { delivery, _ in
            (delivery.channel == "team" ? .retry(after: nil, "502") : .delivered(receipt: nil), .zero)
        }
        bot.start()
        bot.see(.warning)
        bot.advance(by: .hours(3))
        bot.see(.critical)
        bot.advance(by: .hours(4))
        let reports = bot.decisions.filter { $0.channel == "ops" && $0.message.headline.contains("channel team") }
        #expect(reports.map(\.mark) == ["O", "M"])
        for report in reports {
            #expect(
                report.message.headline.hasSuffix("are waiting: 502 (since Fri 20 Nov 12:00 UTC)"),
                "\(report.message.headline)")
        }
    }

    @Test func `a message that some never get is not sent again, and is reported until one reaches everybody`() {
        var bot = Rehearsal(.rehearsed(channels: teamAndOps, reportTo: "ops"))
        var isWrong = true
        bot.sendAnswer = { delivery, _ in
            let isPartial = isWrong && delivery.channel == "team"
            return (isPartial ? .partly(receipt: "r", "gone@example.com: 550") : .delivered(receipt: nil), .zero)
        }
        bot.start()
        bot.see(.warning)
        bot.advance(by: .minutes(30))
        #expect(bot.kindsSent(to: "team") == [.opened])
        #expect(bot.state.outbox.channels["team"]?.lastError == "gone@example.com: 550")
        let told = bot.decisions.filter { $0.channel == "ops" && $0.message.headline.contains("channel team") }
        #expect(told.count == 1)
        #expect(told.first?.message.plainText.contains("gone@example.com: 550") == true)
        isWrong = false
        bot.see(.fine)
        bot.advance(by: .minutes(30))
        #expect(bot.kindsSent(to: "team") == [.opened, .resolved])
        #expect(bot.kindsSent(to: "ops").last == .resolved)
        #expect(bot.state.outbox.channels["team"]?.lastError == nil)
    }

    @Test func `the next trouble of a subject does not overtake the end of the one before`() {
        var bot = Rehearsal(.rehearsed(channels: [ChannelPlan(name: "team", pace: .unlimited, isIdempotent: true)]))
        bot.sendAnswer = { delivery, _ in
            let isBad = delivery.kind == .resolved && delivery.progress.attempts < 4
            return (isBad ? .retry(after: nil, "502") : .delivered(receipt: nil), .zero)
        }
        bot.start()
        for look in [Cue.warning, .fine, .warning] {
            bot.see(look)
            bot.advance(by: .seconds(1))
        }
        bot.advance(by: .minutes(5))
        #expect(bot.state.outbox.history.map(\.delivery.kind) == [.opened, .resolved, .opened])
    }

    @Test func `a refusal shows that the service answers again`() {
        var bot = Rehearsal(.rehearsed(channels: teamAndOps, reportTo: "ops"))
        var tries = 0
        bot.sendAnswer = { delivery, _ in
            guard delivery.channel == "team" else { return (.delivered(receipt: nil), .zero) }
            tries += 1
            return (tries < 5 ? .retry(after: nil, "502") : .refusedBody("400"), .zero)
        }
        bot.start()
        bot.see(.warning)
        bot.advance(by: .hours(1))
        #expect(bot.state.outbox.channels["team"]?.failures == 0)
    }

    @Test func `what a broken channel never got is announced when it works again, if it is still wrong`() {
        var bot = Rehearsal(.rehearsed(channels: teamAndOps, reportTo: "ops"))
        bot.comparesReplay = true
        var isGone = true
        bot.sendAnswer = { delivery, _ in
            (isGone && delivery.channel == "team" ? .refusedChannel("401") : .delivered(receipt: nil), .zero)
        }
        bot.start()
        let (first, second) = (Subject(source: "ios", app: "first"), Subject(source: "ios", app: "second"))
        bot.see(.warning, of: first)
        bot.advance(by: .minutes(30))
        #expect(bot.kindsSent(to: "team") == [.opened])
        isGone = false
        bot.see([(first, .warning), (second, .warning)])
        bot.advance(by: .minutes(1))
        #expect(bot.kindsSent(to: "team") == [.opened, .opened, .opened])
        bot.see([(first, .fine), (second, .fine)])
        bot.advance(by: .minutes(1))
        #expect(bot.kindsSent(to: "team").suffix(2) == [.resolved, .resolved])
        #expect(bot.objections == [])
    }

    @Test func `a channel that refused something is tried again every hour and after a start, with one at a time`() {
        var bot = Rehearsal(.rehearsed(channels: teamAndOps, reportTo: "ops"))
        bot.comparesReplay = true
        var isGone = true
        bot.sendAnswer = { delivery, _ in
            (isGone && delivery.channel == "team" ? .refusedChannel("403") : .delivered(receipt: nil), .zero)
        }
        bot.start()
        let (first, second) = (Subject(source: "ios", app: "first"), Subject(source: "ios", app: "second"))
        bot.see([(first, .warning), (second, .critical)])
        bot.advance(by: .minutes(1))
        #expect(bot.kindsSent(to: "team").count == 2)
        bot.advance(by: .hours(5))
        let tries = bot.sends.filter { $0.delivery.channel == "team" }.dropFirst(2)
        #expect((4...5).contains(tries.count), "\(tries.count)")
        #expect(
            Set(tries.map { $0.delivery.message.incidents[0].subject }) == [first, second], "no one waits for ever")
        bot.crash()
        bot.advance(by: .minutes(1))
        let tried = bot.kindsSent(to: "team").count
        #expect(tried == 2 + tries.count + 1)
        isGone = false
        bot.advance(by: .hours(2))
        // Both are opened there, and the second is no news any more.
        #expect(bot.kindsSent(to: "team").count == tried + 2)
        #expect(!bot.state.incidents.all.contains { $0.rule == "channel-failing" })
        bot.advance(by: .hours(4))
        #expect(bot.kindsSent(to: "team").last == .reminder)
        #expect(bot.objections == [])
    }

    @Test func `what was given up after a day is tried again an hour later`() {
        // Reminders would renew it.
        let rule = DetectorPlan(name: "look", detector: ScriptedDetector(), repeat: nil)
        var bot = Rehearsal(.rehearsed(detectors: [rule], channels: teamAndOps, reportTo: "ops"))
        bot.comparesReplay = true
        bot.sendAnswer = { delivery, _ in
            (delivery.channel == "team" ? .retry(after: nil, "503") : .delivered(receipt: nil), .zero)
        }
        bot.pollAnswer = { _, _ in nil }
        bot.start()
        bot.see(.warning)
        bot.advance(by: .hours(24) + .minutes(30))
        #expect(bot.state.outbox.deliveries.values.filter { $0.channel == "team" }.isEmpty)
        bot.advance(by: .hours(2))
        #expect(bot.state.outbox.deliveries.values.filter { $0.channel == "team" }.map(\.kind) == [.opened])
        #expect(bot.objections == [])
    }

    @Test func `where the channel that hears of troubles is dead, and the one that is told of it, a third hears`() {
        let routes = [Route(match: .on(["app": "alertbot"]), to: ["team"]), Route(to: ["team"])]
        let channels = ["team", "ops", "third"].map { ChannelPlan(name: $0) }
        var bot = Rehearsal(.rehearsed(channels: channels, routes: routes, reportTo: "ops"))
        bot.sendAnswer = { delivery, _ in
            (delivery.channel == "third" ? .delivered(receipt: nil) : .refusedChannel("404"), .zero)
        }
        bot.start()
        bot.see(.warning)
        bot.advance(by: .minutes(5))
        let told = bot.sends.filter { $0.delivery.channel == "third" }.map(\.delivery.message.incidents[0])
        #expect(Set(told.map(\.subject.source)) == ["team", "ops"])
        #expect(told.allSatisfy { $0.rule == "channel-failing" })
        #expect(bot.objections == [])
    }

    @Test func `a channel that died as the last resort is tried again with what it missed, and hears of the next`() {
        let channels = ["team", "ops", "other"].map { ChannelPlan(name: $0) }
        let plan = Plan.rehearsed(channels: channels, routes: [Route(to: ["team"])], reportTo: "ops")
        var bot = Rehearsal(plan)
        var dead: Set<String> = ["team", "ops", "other"]
        bot.sendAnswer = { delivery, _ in
            (dead.contains(delivery.channel) ? .refusedChannel("404") : .delivered(receipt: nil), .zero)
        }
        bot.start()
        bot.see(.warning)
        bot.advance(by: .minutes(5))
        dead = []
        for _ in 0..<3 {
            bot.reload(plan)
            bot.advance(by: .minutes(5))
        }
        #expect(!bot.state.incidents.all.contains { $0.rule == "channel-failing" })
        dead = ["team", "ops"]
        let before = bot.sends.count
        bot.see([(Subject(source: "ios", app: "next"), .critical)])
        bot.advance(by: .minutes(5))
        let told = bot.sends[before...].filter { $0.delivery.channel == "other" }
        #expect(Set(told.map(\.delivery.message.incidents[0].subject.source)) == ["team", "ops"])
        #expect(bot.objections == [])
    }

    @Test func `a trouble whose message dies with the channel that was to hear of it is told to the others`() {
        var bot = Rehearsal(.rehearsed(channels: teamAndOps, reportTo: "ops"))
        bot.sendAnswer = { delivery, _ in
            (delivery.channel == "ops" ? .refusedChannel("404") : .delivered(receipt: nil), .zero)
        }
        bot.pollAnswer = { _, _ in nil }
        bot.start()
        for _ in 0..<12 {
            bot.fail()
            bot.advance(by: .minutes(5))
        }
        let told = bot.sends.filter { $0.delivery.channel == "team" }.map(\.delivery.message.incidents[0].rule)
        #expect(Set(told) == ["channel-failing", "source-failing"])
        #expect(bot.objections == [])
    }

    @Test func `an opening that was sent by hand is followed by its end`() {
        var bot = Rehearsal(.rehearsed())
        bot.comparesReplay = true
        bot.sendAnswer = { _, _ in (.refusedChannel("401"), .zero) }
        bot.start()
        bot.see(.warning)
        bot.advance(by: .minutes(1))
        bot.sendAnswer = { _, _ in (.delivered(receipt: nil), .zero) }
        bot.step(.command(.retry(bot.state.outbox.history[0].delivery.id), id: 1))
        bot.advance(by: .minutes(1))
        bot.see(.fine)
        bot.advance(by: .minutes(1))
        #expect(bot.kindsSent(to: "team") == [.opened, .opened, .resolved])
    }

    @Test(arguments: [Duration.hours(1), .hours(-1)])
    func `what may have arrived stays so when the clock is set, and is not replaced`(step: Duration) {
        var bot = Rehearsal(.rehearsed(channels: [ChannelPlan(name: "team", isIdempotent: true)]))
        bot.sendAnswer = { _, _ in (.unknown("the answer was lost"), .zero) }
        bot.start()
        bot.see(.warning)
        bot.advance(by: .milliseconds(1))
        bot.setClock(by: step)
        bot.see(.critical)
        let aboutShop = bot.state.outbox.inOrder.filter { $0.message.incidents[0].subject == .shop }
        #expect(aboutShop.map(\.kind) == [.opened, .escalated])
        #expect(bot.state.outbox.history.isEmpty)
    }

    @Test func `a channel that leaves the config before it heard of something, and comes back, hears of it then`() {
        let plan = Plan.rehearsed(channels: teamAndOps)
        var bot = Rehearsal(plan)
        bot.comparesReplay = true
        bot.sendAnswer = { delivery, _ in
            (delivery.channel == "team" ? .retry(after: .hours(1), "429") : .delivered(receipt: nil), .zero)
        }
        bot.start()
        bot.see(.warning)
        bot.advance(by: .minutes(1))
        bot.reload(.rehearsed(channels: [teamAndOps[1]]))
        bot.advance(by: .hours(2))
        bot.sendAnswer = { _, _ in (.delivered(receipt: nil), .zero) }
        bot.see(.fine, of: Subject(source: "ios", app: "other"))
        bot.reload(plan)
        bot.see(.warning)
        bot.advance(by: .minutes(1))
        #expect(bot.kindsSent(to: "team") == [.opened, .opened])
        bot.see(.fine)
        bot.advance(by: .minutes(1))
        #expect(bot.kindsSent(to: "team") == [.opened, .opened, .resolved])
        #expect(bot.objections == [])
    }

    @Test func `what was under way when its channel left the config may have arrived, and is not announced anew`() {
        let plan = Plan.rehearsed(channels: teamAndOps)
        var bot = Rehearsal(plan)
        bot.sendAnswer = { delivery, _ in delivery.channel == "team" ? nil : (.delivered(receipt: nil), .zero) }
        bot.start()
        bot.see(.warning)
        bot.advance(by: .seconds(1))
        bot.crash(.rehearsed(channels: [teamAndOps[1]]))
        bot.advance(by: .minutes(1))
        bot.sendAnswer = { _, _ in (.delivered(receipt: nil), .zero) }
        bot.reload(plan)
        bot.see(.warning)
        bot.advance(by: .minutes(1))
        #expect(bot.kindsSent(to: "team") == [.opened])
        #expect(bot.objections == [])
    }
}

extension Plan {
    /// Nothing is reminded of, so that escalations and ends stand alone; ops hears of channels in trouble.
    static var unreminded: Plan {
        .rehearsed(
            detectors: [DetectorPlan(name: "look", detector: ScriptedDetector(for: .zero), repeat: nil)],
            channels: [ChannelPlan(name: "team"), ChannelPlan(name: "ops")], reportTo: "ops")
    }
}
