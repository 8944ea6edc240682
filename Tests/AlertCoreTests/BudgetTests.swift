import AlertCore
import AlertTesting
import BudgetGate
import PluginKit
import PluginTesting
import Testing

extension GatePlan {
    /// A gate of a plugin as a config writes it.
    static func rule<Rule: Gate>(
        _ type: Rule.Type, _ name: String, _ entries: KeyValuePairs<String, String>, match: Match = .all
    ) throws -> GatePlan {
        GatePlan(name: name, gate: try Rule.written(entries, name: name), match: match)
    }
}

extension Rehearsal {
    /// A bot that compares itself with its journal after every step.
    static func checked(_ plan: Plan, at start: Moment = .rehearsalStart) -> Rehearsal {
        var bot = Rehearsal(plan, at: start)
        bot.comparesReplay = true
        bot.start()
        return bot
    }

    /// The marks of decisions from a moment on, those of one channel if one is named.
    func marks(since moment: Moment = .earliest, in channel: String? = nil) -> String {
        decisions.filter { $0.at >= moment && (channel == nil || $0.channel == channel) }.map(\.mark).joined()
    }

    /// When messages were accepted for a channel.
    func saidTo(_ channel: String = "team") -> [Moment] {
        decisions.filter { $0.decision == .send && $0.channel == channel }.map(\.at)
    }
}

extension Rehearsal {
    /// Sees each go wrong, one after the other.
    mutating func seeEach(_ subjects: [Subject], _ look: Cue = .warning) {
        for subject in subjects { see(look, of: subject) }
    }
}

/// Releases `1.0`, `2.0` and so on of one app.
func parts(_ app: String, _ count: Int) -> [Subject] {
    (1...count).map { Subject(source: "ios", app: app, release: "\($0).0") }
}

@Suite struct `Budgets` {
    @Test func `a digest says of what there is no news since when`() throws {
        var bot = try bot("1 per 1h", repeat: .hours(2))
        bot.seeEach(parts("shop", 4))
        bot.advance(by: .hours(9))
        let late = bot.decisions.filter { $0.decision == .send && $0.at > .rehearsalStart + .hours(2) }
        let lines = late.flatMap(\.message.lines)
        #expect(!lines.isEmpty, "\(late.map(\.message.plainText))")
        #expect(lines.allSatisfy { $0.contains("no news for") && !$0.contains("still") }, "\(lines)")
    }

    private func bot(
        _ rate: String, except: String? = nil, channels: [String] = ["team"], gates: [GatePlan] = [],
        repeat: Duration? = .hours(4)
    ) throws -> Rehearsal {
        let budget =
            try except.map { try GatePlan.rule(BudgetGate.self, "calm-down", ["at_most": rate, "except": $0]) }
            ?? .rule(BudgetGate.self, "calm-down", ["at_most": rate])
        let rule = DetectorPlan(name: "look", detector: ScriptedDetector(), repeat: `repeat`)
        return .checked(
            .rehearsed(detectors: [rule], gates: gates + [budget], channels: channels.map { ChannelPlan(name: $0) }))
    }

    @Test func `what goes beyond the budget is one digest when there is room again`() throws {
        var bot = try bot("3 per 1h")
        bot.see(parts("shop", 5).map { ($0, .warning) })
        #expect(bot.marks() == "OOOhh")
        #expect(bot.decisions.last?.decision == .hold(until: .utc("2026-11-20 13:00")))
        #expect(bot.decisions.last?.reason.description == "budget:calm-down")
        bot.advance(to: .utc("2026-11-20 13:00") - .milliseconds(1))
        #expect(bot.marks() == "OOOhh")
        bot.advance(to: .utc("2026-11-20 13:00"))
        #expect(bot.marks() == "OOOhhD")
        let digest = try #require(bot.decisions.last)
        #expect(digest.reason.description == "budget:calm-down")
        #expect(digest.message.incidents.count == 2)
        #expect(digest.message.announces == .warning)
        #expect(digest.message.lines.count == 2)
        #expect(digest.message.headline == "🟠 shop: 2 firing, held until now by budget calm-down")
        #expect(bot.objections == [])
    }

    @Test func `the worst is named first`() throws {
        var bot = try bot("1 per 1h")
        let subjects = parts("shop", 4)
        bot.see(.warning, of: subjects[0])
        bot.see([(subjects[1], .warning), (subjects[2], .critical), (subjects[3], .info)])
        bot.advance(by: .hours(1))
        let digest = try #require(bot.decisions.last?.message)
        #expect(digest.incidents.map(\.severity) == [.critical, .warning, .info])
        #expect(digest.lines.map { $0.prefix(1) } == ["🔴", "🟠", "🔵"])
    }

    @Test func `the digest counts as a message, and what it told is followed up`() throws {
        var bot = try bot("1 per 1h")
        let subjects = parts("shop", 3)
        bot.see(subjects.map { ($0, .warning) })
        bot.advance(by: .hours(1))
        #expect(bot.marks() == "OhhD")
        bot.see(subjects.map { ($0, .fine) })
        #expect(bot.marks() == "OhhDhhh")
        bot.advance(by: .hours(1))
        #expect(bot.marks() == "OhhDhhhD")
        #expect(bot.decisions.last?.message.headline == "🗒 shop: 3 resolved, held until now by budget calm-down")
        #expect(bot.decisions.last?.message.announces == nil)
        #expect(bot.state.incidents.isEmpty)
    }

    @Test func `what is getting better when the digest leaves is named in it, and its end is sent`() throws {
        var bot = try bot("1 per 1h")
        let subjects = parts("shop", 2)
        bot.seeEach(subjects)
        bot.see(.recovering, of: subjects[1])
        bot.advance(by: .hours(1))
        #expect(bot.marks() == "OhD")
        #expect(bot.decisions.last?.message.incidents.map(\.subject) == [subjects[1]])
        bot.advance(by: .hours(1))
        bot.see(.fine, of: subjects[1])
        #expect(bot.marks() == "OhDR")
        #expect(bot.objections == [])
    }

    @Test func `what comes and goes beyond the budget is a line of the digest`() throws {
        var bot = try bot("1 per 1h")
        let subjects = parts("shop", 2)
        bot.seeEach(subjects)
        bot.advance(by: .minutes(5))
        bot.see(subjects[1...].map { ($0, .fine) })
        bot.advance(by: .hours(2))
        #expect(bot.marks() == "OhxD")
        #expect(bot.decisions.last?.message.lines.first?.contains("12:00 to 12:05") == true)
        #expect(bot.state.incidents.count == 1)
    }

    @Test(arguments: ["nobody", "a start", "a reload", "its rule"])
    func `what a budget holds is not dropped by quiet hours that end before it, whoever looks meanwhile`(
        looker: String
    ) throws {
        let nights = GatePlan.quiet(
            from: "2026-11-20 12:10", until: "2026-11-20 12:50", drops: true, match: .on(["severity": "warning"]))
        var bot = try bot("1 per 1h", gates: [nights])
        let subjects = parts("shop", 2)
        bot.seeEach(subjects)
        bot.advance(to: .utc("2026-11-20 12:20"))
        switch looker {
        case "a start": bot.crash()
        case "a reload": bot.reload(bot.plan)
        case "its rule": bot.seeEach(subjects)
        default: break
        }
        bot.advance(to: .utc("2026-11-20 13:00"))
        #expect(bot.marks() == "OhD")
        #expect(bot.objections == [])
    }

    @Test func `the severe passes and counts`() throws {
        var bot = try bot("2 per 1h", except: "critical")
        let subjects = parts("shop", 5)
        bot.see(subjects.prefix(4).map { ($0, .critical) })
        #expect(bot.marks() == "OOOO")
        bot.see(.warning, of: subjects[4])
        #expect(bot.marks() == "OOOOh")
        bot.see(.critical, of: subjects[4])
        #expect(bot.marks() == "OOOOhO")
    }

    @Test func `what became severe while it was held leaves the digest and passes alone`() throws {
        var bot = try bot("1 per 1h", except: "critical")
        let subjects = parts("shop", 3)
        bot.seeEach(subjects)
        bot.advance(by: .minutes(1))
        bot.see(.critical, of: subjects[1])
        #expect(bot.marks() == "OhhO")
        // What passed has used the budget up once more, and keeps the digest waiting no longer than a window.
        bot.advance(to: .utc("2026-11-20 13:00") - .milliseconds(1))
        #expect(bot.marks() == "OhhO")
        bot.advance(to: .utc("2026-11-20 13:00"))
        #expect(bot.marks() == "OhhOD")
        #expect(bot.decisions.last?.message.incidents.count == 1)
    }

    @Test func `what may always pass does not keep the digest waiting for ever`() throws {
        var bot = try bot("2 per 1h", except: "critical", repeat: .minutes(20))
        let subjects = parts("shop", 3)
        bot.see(subjects.prefix(2).map { ($0, .critical) })
        bot.see(.warning, of: subjects[2])
        #expect(bot.marks() == "OOh")
        bot.advance(by: .hours(1))
        let digest = try #require(bot.decisions.last { $0.kind == .digest })
        #expect(digest.at == .rehearsalStart + .hours(1))
        #expect(digest.message.incidents.map(\.subject) == [subjects[2]])
    }

    @Test func `a noisy app leaves room for the first message of every other`() throws {
        var bot = try bot("6 per 1h")
        let apps = ["bank", "game"].map { Subject(source: "ios", app: $0) }
        bot.see(apps.map { ($0, .fine) })
        bot.see(parts("shop", 8).map { ($0, .warning) })
        #expect(bot.marks() == "OOOOhhhh")
        bot.advance(by: .minutes(10))
        bot.see(apps.map { ($0, .warning) })
        #expect(bot.marks() == "OOOOhhhhOO")
        // Everybody has had a turn; the next room is for whoever waits.
        bot.advance(to: .utc("2026-11-20 13:00"))
        #expect(bot.marks() == "OOOOhhhhOOD")
    }

    @Test func `at most half of a budget is kept for others`() throws {
        var bot = try bot("4 per 1h")
        bot.see((1...50).map { (Subject(source: "ios", app: "quiet-\($0)"), .fine) })
        bot.see(parts("shop", 3).map { ($0, .warning) })
        #expect(bot.marks() == "OOh")
    }

    @Test func `every channel has its own budget, and the other channel's rule concerns nobody else`() throws {
        let budget = try GatePlan.rule(BudgetGate.self, "calm-down", ["channel": "team", "at_most": "1 per 1h"])
        var bot = Rehearsal.checked(
            .rehearsed(gates: [budget], channels: [ChannelPlan(name: "team"), ChannelPlan(name: "other")]))
        bot.see(parts("shop", 2).map { ($0, .warning) })
        #expect(bot.marks(in: "team") == "Oh")
        #expect(bot.marks(in: "other") == "OO")
    }

    @Test func `the budget survives a crash, and a snapshot of the journal`() throws {
        var bot = try bot("2 per 1h")
        let subjects = parts("shop", 4)
        bot.see(subjects.prefix(3).map { ($0, .warning) })
        bot.crash(after: .minutes(10))
        bot.see(.warning, of: subjects[3])
        #expect(bot.marks() == "OOhh")
        #expect(try bot.stateFromSnapshot().durable == bot.state.durable)
        bot.advance(to: .utc("2026-11-20 13:00"))
        #expect(bot.marks() == "OOhhD")
        #expect(bot.decisions.last?.message.incidents.count == 2)
    }

    @Test func `a budget that is taken out of the config lets go of each message`() throws {
        var bot = try bot("1 per 1h")
        bot.see(parts("shop", 3).map { ($0, .warning) })
        bot.reload(.rehearsed())
        #expect(bot.marks() == "OhhOO")
    }

    @Test(arguments: [true, false])
    func `what is getting better when its budget is taken out of the config ends or is told, and time takes few steps`(
        ends: Bool
    ) throws {
        var bot = try bot("1 per 90s")
        let subjects = parts("shop", 2)
        bot.seeEach(subjects)
        bot.see(.recovering, of: subjects[1])
        bot.reload(.rehearsed())
        let hold = bot.state.incidents.inOrder.compactMap { $0.standings["team"]?.hold }.first
        #expect(hold?.gathering == nil)
        var steps = 0
        func nextDue() -> Moment? {
            var state = bot.state
            return state.nextDue
        }
        func pass(_ end: Moment) {
            while let next = nextDue(), next <= end, steps < 500 {
                bot.advance(to: next)
                steps += 1
            }
            bot.advance(to: steps < 500 ? end : bot.now)
        }
        for minute in 1...60 {
            pass(.rehearsalStart + .minutes(Int64(minute)))
            bot.see(ends && minute == 5 ? .fine : .recovering, of: subjects[1])
        }
        #expect(steps < 500)
        #expect(bot.marks() == (ends ? "OhxD" : "OhO"))
        #expect(bot.objections == [])
    }

    @Test func `what comes and goes all the time beyond the budget is named eight times, and counted`() throws {
        var bot = try bot("1 per 1h")
        bot.see(.warning, of: Subject(source: "ios", app: "bank"))
        _ = bot.play(String(repeating: "w.", count: 20))
        bot.advance(by: .hours(1))
        let digest = try #require(bot.decisions.last { $0.decision == .send }).message
        #expect(digest.headline == "🗒 shop: 20 came and went, held until now by budget calm-down")
        #expect(digest.lines.last == "and 12 more")
        #expect(digest.linesLeftOut == 12)
    }

    @Test func `a mute on top of a budget keeps the promise of a line`() throws {
        var bot = try bot(
            "1 per 10m",
            gates: [.mute(from: "2026-11-20 12:05", until: "2026-11-20 12:30", match: .on(["release": "2.0"]))])
        let subjects = parts("shop", 3)
        bot.seeEach(subjects)
        bot.advance(by: .minutes(6))
        bot.see(.fine, of: subjects[1])
        bot.advance(to: .utc("2026-11-20 12:10"))
        #expect(bot.marks() == "OhhxD")
        #expect(bot.decisions.last?.message.incidents.map(\.subject) == [subjects[2]])
        bot.advance(to: .utc("2026-11-20 12:30"))
        #expect(bot.marks() == "OhhxDD")
        #expect(bot.decisions.last?.message.incidents.map(\.subject) == [subjects[1]])
    }

    @Test func `a line that quiet hours hold does not keep news from a budget that has room`() throws {
        var bot = try bot(
            "1 per 10m",
            gates: [.quiet(from: "2026-11-20 12:05", until: "2026-11-20 13:00", except: .critical)])
        let subjects = parts("shop", 4)
        bot.seeEach(Array(subjects[..<2]))
        bot.see(.fine, of: subjects[1])
        bot.advance(by: .minutes(30))
        #expect(bot.marks() == "Ohx")
        // Nothing but the line waits, and it does not wait for the budget.
        bot.see(.critical, of: subjects[2])
        bot.advance(by: .minutes(10))
        bot.see(.critical, of: subjects[3])
        #expect(bot.marks() == "OhxOO")
        bot.advance(to: .utc("2026-11-20 13:00"))
        #expect(bot.marks() == "OhxOOD")
        #expect(bot.decisions.last?.message.incidents.map(\.subject) == [subjects[1]])
        #expect(bot.objections == [])
    }

    @Test func `news is told as such where nothing else of the digest may leave`() throws {
        let nights = GatePlan.quiet(from: "2026-11-20 12:05", until: "2026-11-20 13:00", except: .critical)
        let budget = try GatePlan.rule(BudgetGate.self, "calm-down", ["at_most": "1 per 10m"])
        var bot = Rehearsal.checked(
            .rehearsed(for: .zero, repeat: .minutes(10), lookback: .hours(9), gates: [nights, budget]))
        let subjects = parts("shop", 2)
        bot.see(.critical, of: subjects[0])
        bot.advance(by: .milliseconds(1))
        bot.see(.warning, of: subjects[1])
        // What waited for the room waits for the quiet hours now, and leaves it to the older one's reminder.
        bot.advance(to: .utc("2026-11-20 12:10"))
        #expect(bot.marks() == "OhhM")
        #expect(bot.decisions.last?.message.incidents.map(\.subject) == [subjects[0]])
        #expect(bot.decisions.dropLast().last?.reason.description == "quiet_hours:nights")
        #expect(bot.objections == [])
    }

    @Test func `the morning's summary counts, and waits where the morning's news has used the budget up`() throws {
        var bot = try bot("1 per 1h", gates: [.quiet(from: "2026-11-20 12:00", until: "2026-11-20 13:00")])
        let subjects = parts("shop", 3)
        bot.see(subjects.map { ($0, .warning) })
        bot.see(.fine, of: subjects[2])
        bot.advance(by: .hours(1))
        #expect(bot.marks() == "hhhxOh")
        bot.advance(by: .hours(1))
        #expect(bot.marks() == "hhhxOhD")
        #expect(bot.decisions.last?.message.incidents.count == 2)
    }

    @Test func `a reminder does not take the room of what waits for longer`() throws {
        let budget = try GatePlan.rule(BudgetGate.self, "calm-down", ["at_most": "2 per 1h"])
        var bot = Rehearsal.checked(.rehearsed(for: .zero, repeat: .hours(1), lookback: .hours(9), gates: [budget]))
        bot.seeEach(parts("shop", 3))
        bot.advance(by: .hours(1))
        // The first reminder goes along with what waited, the second has the room that is left.
        #expect(bot.marks() == "OOhDM")
        #expect(bot.decisions[3].at == .utc("2026-11-20 13:00"))
        #expect(bot.decisions[3].message.incidents.count == 2)
    }

    @Test(arguments: [2, 3, 10])
    func `reminders as frequent as the budget's window do not keep news waiting for ever`(_ count: Int) throws {
        var plan = Plan.rehearsed(for: .zero, repeat: .hours(1))
        plan.gates = [try .rule(BudgetGate.self, "calm-down", ["at_most": "\(count) per 1h"])]
        var bot = Rehearsal.checked(plan)
        let apps = (0..<count).map { Subject(source: "ios", app: "open-\($0)") }
        let late = Subject(source: "ios", app: "late")
        for minute in stride(from: 0, to: 300, by: 5) {
            // One opens after the other, so that room comes one by one, with a reminder that is due in the same instant.
            let seen = apps.enumerated().map { ($1, $0 * 5 <= minute ? Cue.warning : .fine) }
            bot.see(seen + [(late, minute < count * 5 ? .fine : .critical)])
            bot.advance(by: .minutes(5))
        }
        let said = try #require(
            bot.decisions.first { record in
                record.decision == .send && record.message.incidents.contains { $0.subject == late }
            })
        #expect(said.at <= .rehearsalStart + .minutes(60))
        #expect(bot.objections == [])
    }

    @Test func `when the clock is set, the budget moves along`() throws {
        var bot = try bot("1 per 1h")
        bot.see(parts("shop", 2).map { ($0, .warning) })
        bot.setClock(by: .hours(-5))
        bot.advance(by: .minutes(59))
        #expect(!bot.marks().contains("D"))
        bot.advance(by: .minutes(1))
        #expect(bot.marks().contains("D"))
        #expect(bot.objections == [])
    }

    @Test func `what is said of a member of a digest leaves after the digest`() throws {
        var bot = try bot("1 per 1h")
        let subjects = parts("shop", 3)
        bot.sendAnswer = { delivery, _ in
            (delivery.kind == .digest ? .retry(after: .hours(2), "slow down") : .delivered(receipt: nil), .zero)
        }
        bot.seeEach(subjects)
        bot.advance(by: .hours(1))
        bot.sendAnswer = { _, _ in (.delivered(receipt: nil), .zero) }
        bot.see(.fine, of: subjects[1])
        bot.advance(by: .minutes(150))
        let sent = bot.sends.map(\.delivery)
        #expect(sent.map(\.message.incidents.count) == [1, 2, 2, 1])
        #expect(sent.last?.message.incidents.first?.state == .resolved)
        #expect(bot.objections == [])
    }

    @Test func `who never got the digest that announced a beginning is notified when the channel works again`()
        throws
    {
        var bot = try bot("2 per 1h")
        bot.seeEach(parts("shop", 3))
        bot.sendAnswer = { delivery, _ in
            (delivery.kind == .digest ? .refusedChannel("410") : .delivered(receipt: nil), .zero)
        }
        bot.advance(by: .hours(1))
        #expect(bot.state.outbox.history.last?.end.name == "dead")
        let third = try #require(bot.state.incidents.inOrder.first { $0.subject.release == "3.0" })
        #expect(third.standings["team"]?.announced == nil)
        #expect(third.standings["team"]?.undelivered == .warning)
        // What the channel knows of it keeps knowing.
        let first = try #require(bot.state.incidents.inOrder.first { $0.subject.release == "1.0" })
        #expect(first.standings["team"]?.announced == .warning)
    }

    @Test func `who never got the digest that announced an escalation is notified when the channel works again`() throws
    {
        var bot = try bot("1 per 1h")
        let subjects = parts("shop", 2)
        bot.see(.warning, of: subjects[0])
        bot.see(.critical, of: subjects[0])
        bot.see(.warning, of: subjects[1])
        bot.sendAnswer = { delivery, _ in
            (delivery.kind == .digest ? .refusedChannel("410") : .delivered(receipt: nil), .zero)
        }
        bot.advance(by: .hours(1))
        #expect(bot.state.outbox.history.contains { $0.end.name == "dead" })
        let first = try #require(bot.state.incidents.inOrder.first { $0.subject.release == "1.0" })
        #expect(first.standings["team"]?.announced == .warning)
        #expect(first.standings["team"]?.undelivered == .critical)
        bot.sendAnswer = { _, _ in (.delivered(receipt: nil), .zero) }
        bot.advance(by: .hours(3))
        let told = bot.sends.suffix(3).flatMap(\.delivery.message.incidents).filter { $0.id == first.id }
        #expect(told.contains { $0.severity == .critical }, "\(bot.sends.map(\.delivery.message.plainText))")
        #expect(bot.objections == [])
    }
}
