import AlertTesting
import BudgetGate
import FlappingGate
import GroupGate
import PluginKit
import PluginTesting
import Testing

@testable import AlertCore

/// The stories begin at 12:00 and have one character a minute. What flaps is told again when it was calm for six
/// minutes.
@Suite struct `Flapping` {
    private func bot(
        _ entries: KeyValuePairs<String, String> = ["within": "20m", "calm": "6m"], gates: [GatePlan] = []
    ) throws -> Rehearsal {
        .checked(.rehearsed(gates: gates + [try .rule(FlappingGate.self, "wobble", entries)]))
    }

    struct Story: Sendable, CustomTestStringConvertible {
        let name: String
        let seen: String
        let told: String
        var testDescription: String { name }

        init(_ name: String, _ seen: String, _ told: String) {
            (self.name, self.seen, self.told) = (name, seen, told)
        }
    }

    @Test(arguments: [
        Story("changes are told one by one, up to the fourth", "w.w...........", "OROR.........."),
        Story("then there is silence, and one line each at the end", "w.w.w.w.w.w..........", "ORORhxhxhxhx.....D..."),
        Story("what lasts at the end is told as it is", "w.w.wwwwwwwwwwwwwwww", "ORORh.....O........."),
        Story("what lasts and what went is one message", "w.w.w.w.wwwwwwwwwwww", "ORORhxhxh.....D....."),
        Story("what was told in a digest gets its end", "w.w.w.wwwwwwwwww..", "ORORhxh.....D...R."),
        Story(
            "slow changes are told one by one", "wwwwwwww........wwwwwwww........w", "O.......R.......O.......R.......O"
        ),
        Story("what has been calm begins anew", "w.w.......w.w.w......", "OROR......ORORhx....."),
    ])
    func `one look a minute`(_ story: Story) throws {
        var bot = try bot()
        #expect(bot.play(story.seen) == story.told)
        #expect(bot.objections == [])
    }

    @Test func `the message that says so says how often and how long`() throws {
        var bot = try bot()
        _ = bot.play("w.w.w.")
        let telling = try #require(bot.decisions.first { $0.decision == .send && $0.reason == .flapping })
        #expect(telling.kind == .resolved)
        // Whoever reads the headline alone must not take it for the end.
        #expect(telling.message.headline == "🟠 shop is flapping: look, resolved")
        #expect(telling.message.mark == .warning)
        #expect(
            telling.message.fields.last
                == Message.Field(
                    "Flapping",
                    "4 changes within 3 min; "
                        + "what follows is held until 6 min have passed without one"))
        #expect(bot.decisions.last { $0.mark == "h" }?.reason == .flapping)
    }

    @Test func `where the beginning was announced before the silence, the end is announced after it`() throws {
        var bot = try bot(["changes": "3", "within": "20m", "calm": "6m"])
        #expect(bot.play("w.w.w.........") == "OROhhx...h.D..")
        // The one whose beginning was told is over, and so is the one that nobody heard of.
        let calm = try #require(bot.decisions.last).message
        #expect(calm.headline == "✅ shop: calm for 6 min after 2 incidents since Fri 20 Nov 12:03 UTC")
        #expect(calm.mark == .resolved)
        #expect(bot.state.incidents.isEmpty)
    }

    /// It gathers as other gates do, and for another reason: what is said between would be taken for the last word.
    @Test(arguments: [false, true])
    func `nothing passes before it is calm, whether it has waited for company or not`(isGathered: Bool) throws {
        var bot = try bot()
        _ = bot.play("w.w.w")
        let incident = try #require(bot.state.incidents.inOrder.last)
        let ended = Notification(.resolved, of: incident, Standing(), in: "team")
        let closure = bot.state.closure(for: ended, at: bot.now, bot.plan, isGathered: isGathered)
        #expect(closure?.reason == .flapping)
    }

    @Test func `what flaps for long is kept eight times, and counted each time`() throws {
        var bot = try bot()
        let often = 40
        _ = bot.play(String(repeating: "w.", count: often))
        #expect(bot.state.incidents.inOrder.count == 8)
        #expect(try bot.stateFromSnapshot().durable == bot.state.durable)
        bot.crash()
        _ = bot.play("..........")
        let summary = try #require(bot.decisions.last { $0.decision == .send }).message
        // Two were told one by one.
        let headline = "✅ shop: calm for 6 min after \(often - 2) incidents since Fri 20 Nov 12:0"
        #expect(summary.headline.hasPrefix(headline), "\(summary.headline)")
        #expect(summary.lines.count == 9)
        #expect(summary.lines.last == "and \(often - 2 - 8) more")
        #expect(bot.state.incidents.isEmpty)
        #expect(bot.objections == [])
    }

    @Test func `a group before it changes nothing: what flaps is kept quiet`() throws {
        let together = try GatePlan.rule(GroupGate.self, "together", ["wait": "30s"])
        let wobble = try GatePlan.rule(FlappingGate.self, "wobble", ["changes": "4", "within": "20m", "calm": "6m"])
        var bot = Rehearsal.checked(.rehearsed(gates: [together, wobble]))
        _ = bot.play("w.w.w.w.w.w.")
        #expect(bot.saidTo().count == 4)
        _ = bot.play("..........")
        #expect(bot.saidTo().count == 5)
        #expect(bot.decisions.last?.kind == .digest)
        #expect(bot.objections == [])
    }

    @Test func `what flaps is not over in the message of a group either`() throws {
        let together = try GatePlan.rule(GroupGate.self, "together", ["wait": "30s"])
        let wobble = try GatePlan.rule(FlappingGate.self, "wobble", ["changes": "4", "within": "20m", "calm": "6m"])
        var bot = Rehearsal.checked(.rehearsed(gates: [together, wobble]))
        let shop = parts("shop", 2)
        for _ in 1...2 {
            bot.see(shop.map { ($0, .warning) })
            bot.advance(by: .minutes(1))
            bot.see(shop.map { ($0, .fine) })
            bot.advance(by: .minutes(1))
        }
        let ends = bot.decisions.filter { $0.decision == .send && $0.kind == .resolved }.map(\.message)
        #expect(
            ends.map(\.headline) == ["✅ shop: 2 incidents resolved", "🟠 Flapping: shop: 2 incidents ended"],
            "\(ends.map(\.headline))")
        let lines = try #require(ends.last).lines
        #expect(lines.count == 2)
        #expect(lines.allSatisfy { $0.hasPrefix("🟠 shop") && $0.contains(" is flapping: ") }, "\(lines)")
        #expect(bot.objections == [])
    }

    @Test func `what a budget has gathered is in its digest, though it flaps by then`() throws {
        let budget = try GatePlan.rule(BudgetGate.self, "calm-down", ["at_most": "1 per 15m"])
        let wobble = try GatePlan.rule(
            FlappingGate.self, "wobble", ["changes": "4", "within": "20m", "calm": "30m"])
        var bot = Rehearsal.checked(.rehearsed(gates: [budget, wobble]))
        // The opening uses the budget up until 12:15.
        #expect(bot.play("w.w.w.         .") == "Ohhxhx.........D")
        let digest = try #require(bot.decisions.last)
        #expect(digest.reason.description == "budget:calm-down")
        #expect(
            digest.message.headline
                == "🟠 Flapping: shop: 1 ended, 2 came and went, held until now by budget calm-down")
        #expect(
            bot.decisions.filter { $0.reason.description == "budget:calm-down" }.allSatisfy {
                $0.decision == .send || $0.decision == .hold(until: .utc("2026-11-20 12:15"))
            })
        #expect(bot.objections == [])
    }

    /// What is written for one app tuned flapping off for all others.
    @Test func `a rule for one app leaves the others to the one that is always there`() throws {
        let ofBank = Match.on(["app": "bank"])
        let usual = try GatePlan.rule(FlappingGate.self, "flapping", ["within": "20m", "calm": "6m"])
        let wobble = try GatePlan.rule(FlappingGate.self, "wobble", ["changes": "6", "within": "20m", "calm": "6m"])
        var bot = Rehearsal.checked(
            .rehearsed(gates: [
                GatePlan(name: "flapping", gate: usual.gate, isImplied: true, sparing: [ofBank]),
                GatePlan(name: "wobble", gate: wobble.gate, match: ofBank),
            ]))
        let apps = [Subject.shop, Subject(source: "ios", app: "bank")]
        for round in 0..<10 {
            bot.see(apps.map { ($0, round.isMultiple(of: 2) ? .warning : .fine) })
            bot.advance(by: .minutes(1))
        }
        #expect(bot.marks(of: "shop") == "ORORhxhxhx")
        #expect(bot.marks(of: "bank") == "ORORORhxhx")
    }

    @Test func `the worst of what flaps is kept`() throws {
        var bot = try bot()
        _ = bot.play("w.c.w.c." + String(repeating: "w.", count: 20) + "..........")
        let summary = try #require(bot.decisions.last { $0.decision == .send }).message
        #expect(summary.severity == .critical)
        #expect(summary.lines.first?.hasPrefix("🔴") == true, "\(summary.lines)")
    }

    @Test func `what is worse than was told is told at once, and then kept quiet as well`() throws {
        var bot = try bot()
        #expect(bot.play("w.w.w.c.c.ww") == "ORORhxOhhxh.")
        #expect(
            bot.decisions.filter { $0.decision == .send && $0.reason == .flapping }.map(\.severity).max() == .critical)
        var again = try self.bot()
        #expect(again.play("w.w.wc") == "ORORhO")
        #expect(again.decisions.last?.severity == .critical)
    }

    /// The last that people read was a summary in grey, and what was going on was critical.
    @Test func `what came and went is no news where it goes on, worse, and the channel was told of that`() throws {
        var bot = try bot()
        let told = bot.play("w.w.w." + String(repeating: "c", count: 12))
        #expect(told.hasPrefix("ORORhxO"), "\(told)")
        #expect(!told.contains("D"), "\(told)")
        #expect(bot.decisions.last { $0.decision == .send }?.message.mark == .critical)
        let dropped = try #require(bot.decisions.last)
        #expect(dropped.decision == .drop)
        #expect(dropped.kind == .digest)
        #expect(dropped.reason == .flapping)
        #expect(bot.state.incidents.inOrder.map(\.state) == [.firing], "nothing of it is kept")
        #expect(try bot.stateFromSnapshot().durable == bot.state.durable)
        #expect(bot.objections == [])
    }

    @Test func `nor is it where something else would hold that until later`() throws {
        let night = GatePlan.quiet(from: "2026-11-20 12:11", until: "2026-11-20 12:15", except: .critical)
        var bot = try bot(gates: [night])
        let told = bot.play("w.w.w." + String(repeating: "c", count: 14))
        #expect(told.hasPrefix("ORORhxO") && !told.contains("D"), "\(told)")
        #expect(bot.decisions.last { $0.decision == .send }?.message.mark == .critical)
        #expect(bot.objections == [])
    }

    @Test func `who was not told, because something else held the change that made it flapping, is told with the next`()
        throws
    {
        let night = GatePlan.quiet(from: "2026-11-20 12:00", until: "2026-11-20 12:20")
        var bot = try bot(gates: [night])
        _ = bot.play(String(repeating: "w.", count: 20))
        let told = bot.decisions.filter { $0.decision == .send && $0.kind != .digest }
        #expect(told.map(\.reason) == [.flapping])
        #expect(try #require(told.first).at <= .utc("2026-11-20 12:22"))
        bot.crash()
        #expect(!bot.play(String(repeating: "w.", count: 5)).contains { "OR".contains($0) })
        #expect(try bot.stateFromSnapshot().durable == bot.state.durable)
    }

    @Test func `what a group tells of it, having come and gone, counts as told`() throws {
        let group = try GatePlan.rule(GroupGate.self, "together", ["wait": "2m"])
        let wobble = try GatePlan.rule(FlappingGate.self, "wobble", ["within": "20m", "calm": "6m"])
        var bot = Rehearsal.checked(.rehearsed(gates: [wobble, group]))
        _ = bot.play(String(repeating: "w.", count: 20))
        let told = bot.decisions.filter { $0.decision == .send }
        #expect(told.count == 2, "\(told.map(\.message.headline))")
        #expect(told.last?.message.fields.map(\.label) == ["Flapping"])
    }

    @Test func `whoever flaps among many is kept silent only once the channel has been told of it`() throws {
        let group = try GatePlan.rule(GroupGate.self, "together", ["by": "source", "wait": "1m"])
        let wobble = try GatePlan.rule(FlappingGate.self, "wobble", ["within": "2h", "calm": "1h"])
        var bot = Rehearsal.checked(.rehearsed(for: .zero, repeat: nil, lookback: .hours(9), gates: [wobble, group]))
        let apps = ["a", "b", "c", "d", "e", "f"].map { Subject(source: "ios", app: $0) }
        for round in 0..<12 {
            bot.see(apps.map { ($0, round.isMultiple(of: 2) ? .warning : .fine) })
            bot.advance(by: .minutes(5))
        }
        var named: Set<String> = []
        var silent: Set<String> = []
        for decision in bot.decisions {
            if decision.decision == .send {
                for field in decision.message.fields where field.label == "Flapping" {
                    named.formUnion(apps.map(\.app).filter { field.value.hasPrefix("\($0): ") })
                }
            } else if decision.reason == .flapping {
                silent.formUnion(decision.message.incidents.map(\.subject.app))
            }
            #expect(silent.isSubset(of: named), "at \(decision.at)")
        }
        #expect(silent.count == apps.count)
        #expect(bot.objections == [])
    }

    @Test func `a digest says of one thing once that it flaps, however often it names it`() throws {
        let budget = try GatePlan.rule(BudgetGate.self, "calm-down", ["at_most": "1 per 1h"])
        let wobble = try GatePlan.rule(FlappingGate.self, "wobble", ["changes": "6", "within": "2h", "calm": "1h"])
        var bot = Rehearsal.checked(.rehearsed(for: .zero, repeat: nil, lookback: .hours(9), gates: [wobble, budget]))
        let apps = ["a", "b"].map { Subject(source: "ios", app: $0) }
        for round in 0..<12 {
            bot.see(apps.map { ($0, round.isMultiple(of: 2) ? .warning : .fine) })
            bot.advance(by: .minutes(4))
        }
        bot.advance(by: .hours(3))
        let fields = bot.decisions.filter { $0.decision == .send }.map {
            $0.message.fields.filter { $0.label == "Flapping" }
        }
        #expect(fields.contains { $0.count > 1 })
        for fields in fields { #expect(Set(fields).count == fields.count) }
        #expect(bot.objections == [])
    }

    @Test func `a message that never arrived has told nobody`() throws {
        var bot = try bot()
        bot.sendAnswer = { delivery, _ in
            let says = delivery.message.fields.contains { $0.label == "Flapping" }
            return (says ? .refusedChannel("gone") : .delivered(receipt: nil), .zero)
        }
        _ = bot.play("w.w.")
        bot.sendAnswer = { _, _ in (.delivered(receipt: nil), .zero) }
        let before = bot.decisions.count
        _ = bot.play("w.w")
        let told = bot.decisions.dropFirst(before).filter {
            $0.reason == .flapping && $0.decision == .send && $0.message.fields.contains { $0.label == "Flapping" }
        }
        #expect(told.count == 1)
    }

    @Test func `the severe passes where it may`() throws {
        var bot = try bot(["within": "20m", "calm": "6m", "except": "critical"])
        #expect(bot.play("w.w.w.c.") == "ORORhxOR")
        // What is held after it is said; of what passes nothing is.
        bot = try self.bot(["within": "20m", "calm": "6m", "except": "critical"])
        #expect(bot.play("c.c.c.c.") == "OROROROR")
        #expect(!bot.decisions.contains { $0.reason == .flapping || $0.message.headline.contains("flapping") })
        #expect(bot.decisions.last?.message.headline.hasPrefix("✅ ") == true)
    }

    @Test func `only what flaps is kept quiet`() throws {
        var bot = try bot()
        _ = bot.play("w.w.w.")
        bot.see(.warning, of: Subject(source: "ios", app: "bank"))
        #expect(bot.decisions.last?.mark == "O")
    }

    @Test func `a crash does not forget that it flaps`() throws {
        var bot = try bot()
        #expect(bot.play("w.w.") == "OROR")
        bot.crash()
        #expect(bot.play("wwww") == "h...")
        #expect(try bot.stateFromSnapshot().durable == bot.state.durable)
    }

    @Test func `what was forgotten after a day does not come back with a snapshot`() throws {
        var bot = try bot()
        _ = bot.play("w.w.w.wwwwwwwww")
        bot.advance(by: .days(3))
        #expect(bot.state.past == bot.state.past.filter(\.isTelling))
        #expect(try bot.stateFromSnapshot().durable == bot.state.durable)
    }

    @Test func `what flaps in quiet hours is announced once when they end, as it is then`() throws {
        let night = GatePlan.quiet(from: "2026-11-20 12:00", until: "2026-11-20 12:20")
        var bot = try bot(gates: [night])
        let told = bot.play("w.w.w.w.w.w..............")
        #expect(told == "hxhxhxhxhxhx........D....")
        #expect(bot.decisions.last?.message.lines.count == 6)
    }

    @Test func `what flaps all night is named eight times in the morning's summary, and counted each time`() throws {
        let night = GatePlan.quiet(from: "2026-11-20 12:00", until: "2026-11-20 14:00")
        var bot = try bot(gates: [night])
        bot.see([(Subject(source: "ios", app: "bank"), .warning)])
        bot.see([(Subject(source: "ios", app: "bank"), .fine)])
        _ = bot.play("w.c." + String(repeating: "w.", count: 40))
        #expect(bot.state.incidents.count == 9)
        #expect(try bot.stateFromSnapshot().durable == bot.state.durable)
        bot.crash()
        bot.advance(to: .utc("2026-11-20 15:00"))
        let summary = try #require(bot.decisions.last { $0.decision == .send }).message
        #expect(summary.headline == "🗒 shop, bank: 43 incidents came and went while held by quiet hours (nights)")
        #expect(summary.lines.count == 10)
        #expect(summary.lines.first?.hasPrefix("🔴") == true, "\(summary.lines)")
        #expect(summary.lines.last == "and 34 more")
        #expect(bot.state.incidents.isEmpty)
        #expect(bot.objections == [])
    }
}

extension Fact {
    fileprivate var isTelling: Bool {
        if case .outbox(.tellings) = self { true } else { false }
    }
}
