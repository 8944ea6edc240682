import AlertCore
import AlertTesting
import BudgetGate
import DependsOnGate
import EscalateGate
import FlappingGate
import GroupGate
import PluginKit
import PluginTesting
import RepeatGate
import Testing

/// One character a story's tick is an hour.
@Suite struct `Reminders by rule` {
    private func told(
        _ entries: KeyValuePairs<String, String>, match: Match = .all, _ seen: String = "wwwwwwwwwwwwwwwwwwwwwwwww"
    ) throws -> String {
        let gate = try GatePlan.rule(RepeatGate.self, "nag", entries, match: match)
        var bot = Rehearsal.checked(.rehearsed(for: .zero, repeat: .hours(4), gates: [gate]))
        defer { #expect(bot.objections == []) }
        return bot.play(seen, every: .hours(1))
    }

    @Test func `every says how often, instead of the rule that fires`() throws {
        #expect(try told(["every": "6h"]) == "O.....M.....M.....M.....M")
    }

    @Test func `off means no reminders`() throws {
        #expect(try told(["every": "off"]) == "O........................")
    }

    @Test func `what is not matched keeps its rule's own`() throws {
        #expect(try told(["every": "1h"], match: .on(["severity": "critical"]), "wwwwwwccc") == "O...M.EMM")
    }

    @Test func `at most so many, and anew when it gets worse`() throws {
        #expect(try told(["every": "2h", "at_most": "2"], "wwwwwwwwwcccccccc") == "O.M.M....E.M.M...")
    }

    @Test func `backoff makes each wait longer, up to the slowest`() throws {
        #expect(
            try told(["every": "2h", "backoff": "2", "slowest": "6h"], "wwwwwwwwwwwwwwwwwwwwwwwww")
                == "O.M...M.....M.....M.....M")
    }

    @Test func `the count survives a crash`() throws {
        let gate = try GatePlan.rule(RepeatGate.self, "nag", ["every": "2h", "at_most": "2"])
        var bot = Rehearsal.checked(.rehearsed(for: .zero, repeat: .hours(4), gates: [gate]))
        #expect(bot.play("www", every: .hours(1)) == "O.M")
        bot.crash()
        #expect(bot.play("wwwwwwww", every: .hours(1)) == ".M......")
    }
}

@Suite struct `Escalation to other channels` {
    private let routes = [Route(to: ["team"])]

    private func bot(
        _ entries: KeyValuePairs<String, String> = ["to": "oncall", "severity": "warning"], gates: [GatePlan] = []
    ) throws -> Rehearsal {
        let gate = try GatePlan.rule(EscalateGate.self, "wake-up", entries)
        return .checked(
            .rehearsed(
                gates: gates + [gate], channels: [ChannelPlan(name: "team"), ChannelPlan(name: "oncall")],
                routes: routes))
    }

    /// Plays 35 minutes in steps of five.
    private func told(_ bot: inout Rehearsal, _ seen: String) -> (team: String, oncall: String) {
        _ = bot.play(seen, every: .minutes(5))
        return (bot.marks(in: "team"), bot.marks(in: "oncall"))
    }

    @Test func `what nobody acknowledges is announced there, too, and so is its end`() throws {
        var bot = try bot()
        #expect(told(&bot, "wwwwww") == ("O", ""))
        #expect(told(&bot, "w") == ("O", "O"))
        #expect(bot.decisions.last?.at == .utc("2026-11-20 12:30"))
        #expect(bot.decisions.last?.reason.description == "escalate:wake-up")
        #expect(
            bot.decisions.last?.message.fields.last
                == Message.Field("Not acknowledged", "30 min since the first notification"))
        #expect(told(&bot, ".") == ("OR", "OR"))
    }

    @Test func `what is acknowledged in time is not`() throws {
        var bot = try bot()
        _ = told(&bot, "www")
        let id = try #require(bot.state.incidents.all.first?.id)
        bot.step(.command(.acknowledge([id], by: "ann"), id: 1))
        #expect(told(&bot, "wwwwwwwwww.") == ("OAR", ""))
    }

    @Test func `what ends in time is not, and what is not as severe neither`() throws {
        var bot = try bot()
        #expect(told(&bot, "www.......") == ("OR", ""))
        bot = try self.bot(["to": "oncall"])
        #expect(told(&bot, "wwwwwwwwwwwww") == ("O", ""))
    }

    @Test func `what was a warning for long and is critical now waits as long as what begins so`() throws {
        var bot = try bot(["to": "oncall"])
        #expect(told(&bot, "wwwwwwwwwwwww") == ("O", ""))
        #expect(told(&bot, "cccccc") == ("OE", ""))
        bot.crash()
        #expect(told(&bot, "c") == ("OE", "O"))
        let fields = try #require(bot.decisions.last { $0.channel == "oncall" }).message.fields
        #expect(fields.contains(Message.Field("Not acknowledged", "30 min since it got worse")), "\(fields)")
        // Where warnings are taken further, it is late already.
        var again = try self.bot()
        #expect(told(&again, "wwwwcc") == ("OE", ""))
        #expect(told(&again, "c") == ("OE", "O"))
    }

    @Test func `the time counts from the first message, not from the night before it`() throws {
        var bot = try bot(gates: [.quiet(from: "2026-11-20 12:00", until: "2026-11-20 13:00")])
        bot.see(.warning)
        bot.advance(to: .utc("2026-11-20 13:29"))
        #expect(bot.saidTo("oncall") == [])
        bot.advance(to: .utc("2026-11-20 13:30"))
        #expect(bot.saidTo("oncall") == [.utc("2026-11-20 13:30")])
    }

    @Test func `what got worse than somebody took care of has its whole time again`() throws {
        var bot = try bot()
        bot.see(.warning)
        bot.advance(by: .minutes(20))
        let id = try #require(bot.state.incidents.all.first?.id)
        bot.step(.command(.acknowledge([id], by: "ana"), id: 1))
        bot.advance(by: .minutes(25))
        bot.see(.critical)
        bot.advance(by: .minutes(29))
        #expect(bot.saidTo("oncall").isEmpty)
        bot.crash()
        bot.advance(by: .minutes(1))
        #expect(bot.saidTo("oncall") == [.utc("2026-11-20 13:15")])
        let fields = try #require(bot.decisions.last { $0.channel == "oncall" }).message.fields
        #expect(fields.contains { $0.value == "30 min since it got worse" }, "\(fields)")
    }

    @Test func `a crash does not start the time anew`() throws {
        var bot = try bot()
        bot.see(.warning)
        bot.advance(by: .minutes(20))
        bot.crash()
        bot.advance(by: .minutes(10))
        #expect(bot.saidTo("oncall") == [.utc("2026-11-20 12:30")])
    }

    @Test func `what flaps is not taken further until it is announced again`() throws {
        var bot = try bot(gates: [try .rule(FlappingGate.self, "wobble", ["within": "1h", "calm": "20m"])])
        _ = bot.play("w.w.wwwwwwwwwwwwwwwwwwwwwwwwwwwww")
        #expect(bot.marks(in: "team") == "ORORhO")
        #expect(bot.marks(in: "oncall") == "")
        bot.advance(by: .minutes(30))
        #expect(bot.saidTo("oncall") == [.utc("2026-11-20 12:54")])
    }
}

@Suite struct `Explanations` {
    private let backend = Subject(source: "ios", app: "backend")

    private func bot(
        _ entries: KeyValuePairs<String, String> = ["when": "app=backend"], more: [GatePlan] = []
    ) throws -> Rehearsal {
        let gate = try GatePlan.rule(DependsOnGate.self, "because", entries)
        return .checked(.rehearsed(gates: [gate] + more))
    }

    @Test func `while something that explains it fires, it is held; afterwards it is said if it is still there`() throws
    {
        var bot = try bot()
        bot.see([(backend, .critical), (.shop, .warning)])
        #expect(bot.marks().sorted() == ["O", "h"])
        #expect(bot.decisions.first { $0.mark == "h" }?.reason.description == "depends_on:because")
        bot.advance(by: .hours(3))
        bot.see(.fine, of: backend)
        #expect(bot.decisions.suffix(2).map(\.mark).sorted() == ["O", "R"])
        #expect(bot.objections == [])
    }

    @Test func `what stays a little worse than it has to be to end holds nothing for weeks`() throws {
        var bot = try bot()
        bot.see([(backend, .critical), (.shop, .warning)])
        for minutes in stride(from: 0, to: 180, by: 5) {
            bot.advance(by: .minutes(5))
            bot.see([(backend, .recovering), (.shop, .warning)])
            #expect(bot.marks(of: "shop") == (minutes < 60 ? "h" : "hO"), "after \(minutes) minutes")
        }
        #expect(bot.objections == [])
    }

    @Test func `what came and went meanwhile is dropped`() throws {
        var bot = try bot()
        bot.see([(backend, .critical), (.shop, .warning)])
        bot.see(.fine)
        bot.see(.fine, of: backend)
        bot.advance(by: .hours(1))
        #expect(bot.kindsSent(to: "team") == [.opened, .resolved])
    }

    @Test func `what gets better once its cause is over is told if it does not end`() throws {
        var bot = try bot()
        bot.see([(backend, .critical), (.shop, .warning)])
        bot.advance(by: .minutes(1))
        bot.see([(backend, .fine), (.shop, .recovering)])
        #expect(bot.marks(of: "shop") == "h")
        for _ in 1...7 {
            bot.advance(by: .minutes(5))
            bot.see([(backend, .fine), (.shop, .recovering)])
        }
        #expect(bot.marks(of: "shop") == "hO")
    }

    @Test func `so it is where a group would gather it first`() throws {
        let group = try GatePlan.rule(GroupGate.self, "together", ["wait": "5m", "by": "app"])
        let because = try GatePlan.rule(DependsOnGate.self, "because", ["when": "app=backend"])
        var bot = Rehearsal.checked(.rehearsed(gates: [group, because]))
        bot.see([(backend, .critical), (.shop, .warning)])
        for minute in 1...24 {
            bot.advance(by: .minutes(5))
            bot.see([(backend, minute < 3 ? .critical : .fine), (.shop, minute < 2 ? .warning : .recovering)])
        }
        #expect(bot.marks(of: "shop").hasSuffix("O"), "\(bot.marks(of: "shop"))")
        #expect(bot.objections == [])
    }

    @Test func `what was said before gets its end at once, but no reminder`() throws {
        var bot = try bot()
        bot.see(.warning)
        bot.see(.critical, of: backend)
        _ = bot.play("wwwwww", every: .hours(1))
        #expect(bot.marks(of: "shop").last == "h")
        bot.see(.fine)
        #expect(bot.marks(of: "shop").last == "R")
    }

    @Test func `the bot's own troubles explain, too`() throws {
        let gate = try GatePlan.rule(DependsOnGate.self, "because", ["when": "app=alertbot rule=source-*"])
        var bot = Rehearsal.checked(
            .rehearsed(sources: ["ios", "android"].map { SourcePlan(name: $0, jitter: 0) }, gates: [gate]))
        bot.pollAnswer = { order, now in
            let isDown = order.source == "android" && now < .rehearsalStart + .hours(6)
            return (PollReport(isDown ? .failed(PollFailure(.timeout, "too slow")) : .noData), .zero)
        }
        bot.advance(by: .hours(5))
        #expect(bot.decisions.map(\.mark) == ["O", "M"])
        bot.see(.warning)
        #expect(bot.marks() == "OMh")
        bot.advance(by: .hours(2))
        #expect(bot.marks().sorted() == ["M", "O", "O", "R", "h"])
    }

    @Test func `two that explain each other cannot keep each other quiet`() throws {
        let second = try GatePlan.rule(
            DependsOnGate.self, "and-back", ["when": "app=shop"], match: .on(["app": "backend"]))
        let first = try GatePlan.rule(
            DependsOnGate.self, "because", ["when": "app=backend"], match: .on(["app": "shop"]))
        var bot = Rehearsal.checked(.rehearsed(gates: [first, second]))
        bot.see([(backend, .warning), (.shop, .warning)])
        #expect(bot.marks().sorted() == ["O", "h"])
        #expect(bot.objections == [])
    }

    private let night = GatePlan.quiet(from: "2026-11-20 12:00", until: "2026-11-20 18:00", except: .critical)

    @Test func `a warning that waits for the morning keeps no critical alarm quiet, and explains from then on`() throws
    {
        var bot = try bot(more: [night])
        let other = Subject(source: "ios", app: "game")
        // The one that waits for the morning as well began before what explains it.
        bot.see(.warning, of: other)
        bot.advance(by: .minutes(1))
        bot.see([(backend, .warning), (.shop, .critical)])
        #expect(bot.marks(of: "backend") == "h")
        #expect(bot.marks(of: "shop").last == "O")
        bot.crash(after: .minutes(1))
        for _ in 1...80 {
            bot.see([(backend, .warning), (other, .warning), (.shop, .critical)])
            bot.advance(by: .minutes(5))
        }
        #expect(bot.marks(of: "backend") == "hO")
        #expect(!bot.marks(of: "game").contains("O"), "the backend explains it")
        #expect(bot.marks(of: "shop").count { $0 == "O" } == 1)
        bot.see([(backend, .fine), (other, .warning), (.shop, .fine)])
        #expect(bot.marks(of: "game").last == "O")
        #expect(bot.marks(of: "shop").last == "R")
        #expect(bot.objections == [])
    }

    @Test func `what waits for room in a budget explains nothing before it is told`() throws {
        let budget = try GatePlan.rule(BudgetGate.self, "calm-down", ["at_most": "1 per 1h", "except": "critical"])
        var bot = try bot(more: [budget])
        bot.see(.warning, of: Subject(source: "ios", app: "game"))
        bot.see([(backend, .warning), (.shop, .warning)])
        #expect(bot.decisions.last { $0.mark == "h" }?.reason.description == "budget:calm-down")
        bot.see(.critical)
        #expect(bot.marks(of: "shop").last == "O")
    }

    @Test func `what somebody has muted explains until the mute ends`() throws {
        var bot = try bot(more: [night])
        bot.step(.command(.mute(.on(["app": "backend"]), until: .after(.hours(3)), reason: nil, by: nil), id: 1))
        bot.see([(backend, .warning), (.shop, .critical)])
        #expect(!bot.marks(of: "shop").contains("O"))
        #expect(
            bot.decisions.last { $0.mark == "h" && $0.severity == .critical }?.reason.description
                == "depends_on:because")
        bot.advance(by: .minutes(10))
        bot.step(.command(.unmute(.all), id: 2))
        #expect(bot.marks(of: "shop").last == "O", "the quiet hours hold the backend by then")
        #expect(bot.objections == [])
    }

    @Test(arguments: [true, false])
    func `what is told in another channel explains, and what waits there does not`(isNight: Bool) throws {
        let gate = try GatePlan.rule(DependsOnGate.self, "because", ["when": "app=backend"])
        var bot = Rehearsal.checked(
            .rehearsed(
                gates: isNight ? [gate, night] : [gate],
                channels: [ChannelPlan(name: "team"), ChannelPlan(name: "backend-team")],
                routes: [Route(match: .on(["app": "backend"]), to: ["backend-team"]), Route(to: ["team"])]))
        bot.see([(backend, .warning), (.shop, .critical)])
        bot.advance(by: .minutes(1))
        #expect(bot.marks(in: "backend-team") == (isNight ? "h" : "O"))
        #expect(bot.marks(in: "team").contains("O") == isNight)
        #expect(bot.objections == [])
    }

    @Test func `the severe passes where it may`() throws {
        var bot = try bot(["when": "app=backend", "except": "critical"])
        bot.see([(backend, .warning), (.shop, .critical)])
        #expect(bot.marks() == "OO")
    }

    @Test func `what is held survives a crash, and a start without the gate lets go`() throws {
        var bot = try bot()
        bot.see([(backend, .critical), (.shop, .warning)])
        bot.advance(by: .seconds(1))
        bot.crash(after: .minutes(1))
        #expect(bot.marks().sorted() == ["O", "h"])
        bot.see(.fine, of: backend)
        bot.advance(by: .seconds(1))
        #expect(bot.kindsSent(to: "team").sorted { $0.rawValue < $1.rawValue } == [.opened, .opened, .resolved])
        bot = try self.bot()
        bot.see([(backend, .critical), (.shop, .warning)])
        bot.reload(.rehearsed())
        #expect(bot.kindsSent(to: "team") == [.opened, .opened])
    }
}
