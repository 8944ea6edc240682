import AlertCore
import AlertTesting
import BudgetGate
import GroupGate
import PluginKit
import QuietHoursGate
import Testing

/// What a channel is told of ends that it did not get.
@Suite struct `Ends that a channel missed` {
    private let teamAndOps = [ChannelPlan(name: "team"), ChannelPlan(name: "ops")]

    /// The team hears of an incident, and refuses its end; then its channel works again.
    private func missEnd(_ bot: inout Rehearsal) {
        let works = { @Sendable (_: Delivery, _: Moment) in (DeliveryOutcome.delivered(receipt: "r"), Duration.zero) }
        bot.sendAnswer = works
        bot.start()
        bot.see(.warning)
        bot.advance(by: .minutes(1))
        bot.sendAnswer = { delivery, at in
            delivery.channel == "team" ? (.refusedChannel("404"), .zero) : works(delivery, at)
        }
        bot.see(.fine)
        bot.advance(by: .minutes(1))
        bot.sendAnswer = works
    }

    /// Behind a gate that gathers, it has had its company before.
    @Test(arguments: ["the channel works", "a start", "an hour later"], [false, true])
    func `an end that was refused is sent again`(_ chance: String, isGrouped: Bool) throws {
        var plan = Plan.unreminded
        if isGrouped { plan.gates = [try .rule(GroupGate.self, "together", ["wait": "30s"])] }
        var bot = Rehearsal(plan)
        bot.comparesReplay = true
        missEnd(&bot)
        #expect(bot.kindsSent(to: "team") == [.opened, .resolved])
        switch chance {
        case "the channel works":
            let other = Subject(source: "ios", app: "other")
            bot.see(.warning, of: other)
            bot.advance(by: .minutes(1))
            bot.see(.fine, of: other)
        case "a start": bot.crash()
        default: bot.advance(by: .hours(3))
        }
        bot.advance(by: .minutes(1))
        let sent = bot.sends.filter {
            $0.delivery.channel == "team" && $0.delivery.message.incidents[0].subject.app == "shop"
        }
        try #require(sent.map(\.delivery.kind) == [.opened, .resolved, .resolved])
        #expect(sent[1].delivery.id == sent[2].delivery.id)
        #expect(sent.map(\.delivery.progress.thread) == [nil, "r", "r"])
        bot.advance(by: .hours(12))
        #expect(bot.kindsSent(to: "team").count { $0 == .resolved } == (chance == "the channel works" ? 3 : 2))
        #expect(bot.objections == [])
    }

    /// Two apps are told of; their ends, and with them perhaps the beginning of a third, go into a digest that is refused.
    private func missDigest(withNews hasNews: Bool, gates: [GatePlan] = []) throws -> Rehearsal {
        let budget = try GatePlan.rule(BudgetGate.self, "calm-down", ["at_most": "2 per 1h", "channel": "team"])
        let rule = DetectorPlan(name: "look", detector: ScriptedDetector(), repeat: nil)
        var bot = Rehearsal.checked(
            .rehearsed(detectors: [rule], gates: gates + [budget], channels: teamAndOps, reportTo: "ops"))
        bot.see(apps(2).map { ($0, .warning) })
        bot.advance(by: .minutes(5))
        bot.sendAnswer = { delivery, _ in
            (delivery.channel == "team" ? .refusedChannel("403") : .delivered(receipt: nil), .zero)
        }
        bot.see(apps(2).map { ($0, .fine) } + (hasNews ? [(Subject(source: "ios", app: "new"), .warning)] : []))
        bot.advance(by: .minutes(57))
        #expect(bot.kindsSent(to: "team") == [.opened, .opened, .digest])
        bot.sendAnswer = { _, _ in (.delivered(receipt: "r"), .zero) }
        return bot
    }

    private func apps(_ count: Int) -> [Subject] { (0..<count).map { Subject(source: "ios", app: "app\($0)") } }

    @Test func `ends in a digest that was refused are sent again`() throws {
        var bot = try missDigest(withNews: false)
        bot.crash(after: .minutes(5))
        bot.advance(by: .minutes(5))
        let sent = bot.sends.map(\.delivery).filter { $0.channel == "team" }
        #expect(sent.map(\.kind) == [.opened, .opened, .digest, .digest])
        #expect(sent[2].id == sent[3].id && sent[2].message == sent[3].message)
        #expect(sent[3].message.headline == "🗒 app1, app0: 2 resolved, held until now by budget calm-down")
        bot.advance(by: .hours(5))
        #expect(bot.kindsSent(to: "team").count == 4)
        #expect(bot.objections == [])
    }

    @Test func `of a refused digest of ends and news, each is told by itself`() throws {
        var bot = try missDigest(withNews: true)
        bot.crash(after: .hours(1))
        bot.advance(by: .hours(3))
        let again = bot.sends.map(\.delivery).filter { $0.channel == "team" }.dropFirst(3)
        #expect(Set(again.map(\.kind)) == [.digest, .opened])
        let ends = try #require(again.first { $0.kind == .digest }).message
        #expect(ends.headline == "🗒 app1, app0: 2 resolved")
        #expect(ends.lines.count == 2 && ends.lines.allSatisfy { $0.contains("resolved") }, "\(ends.lines)")
        #expect(again.first { $0.kind == .opened }?.summaries.map(\.subject.app) == ["new"])
        #expect(bot.objections == [])
    }

    @Test func `a refused digest waits whole while a gate is closed to one of its ends`() throws {
        let nights = try GatePlan.rule(
            QuietHoursGate.self, "nights", ["between": "13:30-15:00"], match: .on(["app": "app0"]))
        var bot = try missDigest(withNews: true, gates: [nights])
        bot.advance(to: .utc("2026-11-20 13:40"))
        bot.crash()
        bot.advance(to: .utc("2026-11-20 14:59"))
        func digests() -> [Delivery] {
            bot.sends.map(\.delivery).filter { $0.channel == "team" && $0.kind == .digest }
        }
        #expect(digests().count == 1)
        bot.advance(by: .hours(3))
        #expect(digests().dropFirst().map { $0.summaries.map(\.subject.app).sorted() } == [["app0", "app1"]])
        #expect(bot.objections == [])
    }

    @Test func `of a refused digest the end of what has come again is not told`() throws {
        var bot = try missDigest(withNews: false)
        bot.see(.warning, of: apps(1)[0])
        bot.crash(after: .hours(1))
        bot.advance(by: .hours(3))
        let again = bot.sends.map(\.delivery).filter { $0.channel == "team" }.dropFirst(3)
        #expect(again.filter { $0.kind == .digest }.map { $0.summaries.map(\.subject.app) } == [["app1"]])
        #expect(bot.objections == [])
    }

    /// A bot that told two channels of the same plugin of an incident, which is over while the first is out of the config.
    ///
    /// - Parameters:
    ///   - isRenamed: whether it has only another name meanwhile.
    ///   - arrives: whether the opening arrived there; the answer that it did not comes when the channel is out.
    private func withoutTeam(
        isHomeNamed: Bool = false, isRenamed: Bool = false, arrives: Bool = true
    ) -> (bot: Rehearsal, plan: Plan) {
        var plan = Plan.unreminded
        plan.channels = [("team", 1), ("ops", 2)].map { name, place in
            ChannelPlan(name: name, place: place, home: ChannelPlan.Home(7, isNamed: isHomeNamed))
        }
        var bot = Rehearsal(plan)
        bot.comparesReplay = true
        bot.sendAnswer = { delivery, _ in
            let isRefused = !arrives && delivery.channel == "team" && delivery.kind == .opened
            return isRefused ? (.refusedChannel("gone"), .minutes(2)) : (.delivered(receipt: "r"), .zero)
        }
        bot.start()
        bot.see(.warning)
        bot.advance(by: .minutes(1))
        var without = plan
        if isRenamed { without.channels[0].name = "crew" } else { without.channels.removeFirst() }
        bot.reload(without)
        bot.see(.fine)
        bot.advance(by: .hours(1))
        #expect(bot.kindsSent(to: "team") == [.opened])
        return (bot, plan)
    }

    @Test(arguments: [(true, true), (false, false)])
    func `an end is not kept for a channel that has only another name now, or never heard the beginning`(
        isRenamed: Bool, arrives: Bool
    ) {
        var (bot, plan) = withoutTeam(isRenamed: isRenamed, arrives: arrives)
        bot.reload(plan)
        bot.advance(by: .hours(5))
        #expect(bot.kindsSent(to: "team") == [.opened])
        #expect(bot.objections == [])
    }

    /// While the bot was away its channel got another name, and it is over by the first answer.
    @Test(arguments: [false, true])
    func `the end of what was told under another name is told under the new one, as gates allow`(isNight: Bool) {
        var plan = Plan.unreminded
        plan.reportTo = nil
        plan.channels = [ChannelPlan(name: "team", home: ChannelPlan.Home(7))]
        if isNight { plan.gates = [.quiet(from: "2026-11-20 12:30", until: "2026-11-20 15:00")] }
        var bot = Rehearsal.checked(plan)
        bot.see(.warning)
        bot.advance(by: .minutes(1))
        var renamed = plan
        renamed.channels[0].name = "crew"
        bot.pollAnswer = { _, now in (PollReport(.values([.cue(.fine, at: now)])), .seconds(1)) }
        bot.crash(renamed, after: .hours(1))
        bot.advance(to: .utc("2026-11-20 14:59"))
        #expect(bot.kindsSent(to: "crew") == (isNight ? [] : [.resolved]))
        bot.advance(by: .hours(1))
        #expect(bot.kindsSent(to: "crew") == [.resolved])
        bot.reload(plan)
        bot.advance(by: .hours(2))
        #expect(bot.kindsSent(to: "team") == [.opened])
        #expect(bot.objections == [])
    }

    /// A channel that cannot be reached gets another name while the end waits for it.
    @Test(arguments: [false, true])
    func `an end that waits is told under the new name of its channel, once`(isHeardOf: Bool) {
        var plan = Plan.unreminded
        plan.reportTo = nil
        plan.channels = [ChannelPlan(name: "team", place: 1)]
        // Another channel may lead to the same place, and tell it by itself.
        if isHeardOf { plan.channels.append(ChannelPlan(name: "crew", place: 1)) }
        var bot = Rehearsal.checked(plan)
        bot.see(.warning)
        bot.advance(by: .minutes(1))
        bot.sendAnswer = { _, _ in (.retry(after: nil, "503"), .zero) }
        bot.see(.fine)
        bot.advance(by: .minutes(1))
        var renamed = plan
        renamed.channels = [ChannelPlan(name: "crew", place: 1)]
        bot.reload(renamed)
        bot.sendAnswer = { _, _ in (.delivered(receipt: "r"), .zero) }
        bot.advance(by: .hours(3))
        func ended() -> [String] {
            bot.state.outbox.history.compactMap { entry in
                guard case .delivered = entry.end, entry.delivery.kind == .resolved else { return nil }
                return entry.delivery.channel
            }
        }
        #expect(ended() == ["crew"])
        #expect(bot.state.outbox.history.contains { $0.end.isDead } == isHeardOf)
        bot.reload(plan)
        bot.advance(by: .hours(3))
        #expect(ended() == (isHeardOf ? ["crew", "team"] : ["crew"]))
        #expect(bot.objections == [])
    }

    /// Of a digest that was under way when its channel left the config, nobody hears there that it did not arrive.
    @Test func `the ends of what a digest should have told are not kept for a channel that did not get it`() throws {
        let budget = try GatePlan.rule(BudgetGate.self, "calm-down", ["at_most": "1 per 1h", "channel": "team"])
        let rule = DetectorPlan(name: "look", detector: ScriptedDetector(), repeat: nil)
        let plan = Plan.rehearsed(detectors: [rule], gates: [budget], channels: teamAndOps, reportTo: "ops")
        var bot = Rehearsal.checked(plan)
        bot.sendAnswer = { delivery, _ in
            delivery.kind == .digest ? (.refusedChannel("gone"), .minutes(2)) : (.delivered(receipt: "r"), .zero)
        }
        bot.see(apps(3).map { ($0, .warning) })
        bot.advance(by: .minutes(61))
        #expect(bot.kindsSent(to: "team") == [.opened, .digest])
        var without = plan
        without.channels.removeFirst()
        bot.reload(without)
        bot.see(apps(3).map { ($0, .fine) })
        bot.advance(by: .hours(1))
        bot.reload(plan)
        bot.advance(by: .hours(3))
        let toTeam = bot.sends.map(\.delivery).filter { $0.channel == "team" }
        #expect(toTeam.map(\.kind) == [.opened, .digest, .resolved])
        #expect(toTeam.first?.incident == toTeam.last?.incident)
        #expect(bot.objections == [])
    }

    /// Beside another channel of the same plugin, which leads to the same chat only where both name it.
    @Test(arguments: [true, false])
    func `an end that came while its channel was out of the config is sent when it comes back`(isHomeNamed: Bool) {
        var (bot, plan) = withoutTeam(isHomeNamed: isHomeNamed)
        bot.reload(plan)
        let told: [Notification.Kind] = isHomeNamed ? [.opened] : [.opened, .resolved]
        bot.advance(by: .minutes(5))
        #expect(bot.kindsSent(to: "team") == told)
        bot.advance(by: .hours(5))
        #expect(bot.kindsSent(to: "team") == told)
        #expect(bot.objections == [])
    }

    @Test func `an end that was refused waits for quiet hours like any other`() throws {
        let nights = try GatePlan.rule(QuietHoursGate.self, "nights", ["between": "13:00-15:00"])
        var bot = Rehearsal(.rehearsed(gates: [nights], channels: teamAndOps, reportTo: "ops"))
        missEnd(&bot)
        bot.advance(by: .hours(5))
        let told = bot.sends.filter { $0.delivery.channel == "team" }
        #expect(told.map(\.delivery.kind) == [.opened, .resolved, .resolved])
        #expect(told.last.map { $0.at >= .utc("2026-11-20 15:00") } == true, "\(told.last?.at.description ?? "")")
    }

    @Test func `the end of what has come again since is not sent again`() {
        var bot = Rehearsal(.unreminded)
        missEnd(&bot)
        bot.see(.critical)
        bot.advance(by: .hours(3))
        #expect(bot.kindsSent(to: "team") == [.opened, .resolved, .opened])
        #expect(bot.objections == [])
    }

    @Test func `an end that is refused in every form, and one that may have arrived, are not sent again`() {
        for outcome in [DeliveryOutcome.refusedBody("400"), .unknown("no answer")] {
            var bot = Rehearsal(.unreminded)
            var isOdd = false
            bot.sendAnswer = { delivery, _ in
                (isOdd && delivery.channel == "team" ? outcome : .delivered(receipt: "r"), .zero)
            }
            bot.start()
            bot.see(.warning)
            bot.advance(by: .minutes(1))
            isOdd = true
            bot.see(.fine)
            bot.advance(by: .minutes(10))
            #expect(bot.kindsSent(to: "team") == [.opened, .resolved, .resolved])
            bot.advance(by: .hours(5))
            #expect(bot.kindsSent(to: "team").count == 3)
            #expect(bot.objections == [])
        }
    }

    @Test(arguments: [true, false])
    func `an end that was under way when its channel left the config is not sent when it comes back`(dies: Bool) {
        let plan = Plan.unreminded
        var bot = Rehearsal(plan)
        bot.comparesReplay = true
        bot.pollAnswer = { _, _ in nil }
        bot.start()
        func kinds() -> [Notification.Kind] {
            bot.sends.map(\.delivery).filter { $0.channel == "team" && $0.summaries.first?.rule == "look" }.map(\.kind)
        }
        bot.see(.warning)
        bot.advance(by: .minutes(1))
        bot.sendAnswer = { delivery, _ in
            delivery.channel == "team" ? (.unknown("no answer"), .seconds(10)) : (.delivered(receipt: nil), .zero)
        }
        bot.see(.fine)
        bot.advance(by: .seconds(1))
        #expect(kinds() == [.opened, .resolved])
        var without = plan
        without.channels.removeAll { $0.name == "team" }
        if dies { bot.crash(without) } else { bot.reload(without) }
        bot.advance(by: .minutes(1))
        bot.sendAnswer = { _, _ in (.delivered(receipt: nil), .zero) }
        bot.reload(plan)
        bot.advance(by: .hours(3))
        #expect(kinds() == [.opened, .resolved])
    }

    @Test func `the end of what a channel never heard begin is not sent when it works again`() {
        var bot = Rehearsal(.unreminded)
        bot.comparesReplay = true
        bot.sendAnswer = { delivery, _ in
            delivery.channel == "team" ? (.refusedChannel("410"), .seconds(10)) : (.delivered(receipt: nil), .zero)
        }
        bot.pollAnswer = { _, _ in nil }
        bot.start()
        bot.see(.warning)
        bot.advance(by: .seconds(5))
        bot.see(.fine)
        bot.advance(by: .minutes(1))
        #expect(bot.sends.filter { $0.delivery.channel == "team" }.map(\.delivery.kind) == [.opened, .resolved])
        let before = bot.sends.count
        bot.sendAnswer = { _, _ in (.delivered(receipt: nil), .zero) }
        bot.crash(after: .hours(1))
        bot.advance(by: .hours(2))
        #expect(!bot.sends.dropFirst(before).contains { $0.delivery.channel == "team" })
        #expect(bot.objections == [])
    }
}
