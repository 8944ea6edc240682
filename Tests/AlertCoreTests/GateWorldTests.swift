import AlertCore
import AlertTesting
import BudgetGate
import Chance
import DependsOnGate
import EscalateGate
import FlappingGate
import GroupGate
import PluginKit
import PluginTesting
import RepeatGate
import Testing

/// All gates at once, in worlds of chance: apps that come and go, crashes, reloads, acknowledgements, mutes by command.
@Suite struct `Random worlds behind gates` {
    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func `promises hold in the world of seed`(_ seed: UInt64) throws {
        var world = try GateWorld(seed: seed)
        for _ in 0..<250 { world.live() }
        try world.checkJournal()
        world.rest()
        try world.checkJournal()
        world.check()
    }
}

private struct GateWorld {
    private let seed: UInt64
    private var random: SeededRandom
    private var bot: Rehearsal
    private let plans: [Plan]
    private let rates: [String: Rate]

    private static let subjects = ["shop", "bank", "game"].flatMap { app in
        ["1.0", "2.0"].map { Subject(source: "ios", app: app, release: $0) }
    }

    init(seed: UInt64) throws {
        self.seed = seed
        var random = SeededRandom(seed: seed)
        let rates = [
            "team": Rate(
                Int.random(in: 1...4, using: &random), per: .minutes(Int64.random(in: 10...90, using: &random))),
            "oncall": Rate(3, per: .minutes(30)),
        ]
        var gates = try rates.sorted { $0.key < $1.key }.map { channel, rate in
            try GatePlan.rule(
                BudgetGate.self, "budget-\(channel)",
                ["channel": channel, "at_most": rate.grammar, "except": "critical"])
        }
        gates += [
            try .rule(GroupGate.self, "together", ["wait": "2m"]),
            try .rule(FlappingGate.self, "wobble", ["within": "30m", "calm": "15m"]),
            try .rule(
                DependsOnGate.self, "because", ["when": "app=bank severity=critical"], match: .on(["app": "game"])),
            try .rule(EscalateGate.self, "wake-up", ["to": "oncall", "severity": "warning"]),
            try .rule(RepeatGate.self, "nag", ["every": "1h", "at_most": "2"]),
        ].shuffled(using: &random)
        gates += [
            .quiet(from: "2026-11-20 15:00", until: "2026-11-20 18:00", except: random.happens(0.5) ? .critical : nil),
            .mute(from: "2026-11-20 17:00", until: "2026-11-20 19:00", match: .on(["app": "shop"])),
        ]
        let plan = Plan.rehearsed(
            detectors: [DetectorPlan(name: "look", detector: ScriptedDetector(for: .minutes(2)))], gates: gates,
            channels: [ChannelPlan(name: "team"), ChannelPlan(name: "oncall")],
            routes: [
                Route(match: .on(["severity": "critical"]), to: ["oncall"], continues: true), Route(to: ["team"]),
            ])
        var without = plan
        without.gates.removeAll { ["together", "wobble", "because"].contains($0.name) }
        plans = [plan, without]
        self.rates = rates
        self.random = random
        bot = .checked(plan)
    }

    mutating func live() {
        switch Int.random(in: 0..<40, using: &random) {
        case 0: bot.crash(after: .minutes(3))
        case 1: if let plan = random.pick(plans) { bot.reload(plan) }
        case 2:
            if let id = random.pick(bot.state.incidents.all.filter(\.isOpen).map(\.id).sorted()) {
                bot.step(.command(.acknowledge([id], by: nil), id: 1))
            }
        case 3:
            let app = random.pick(["shop", "bank", "game"]) ?? "shop"
            bot.step(
                .command(
                    .mute(.on(["app": app]), until: .after(.minutes(20)), reason: nil, by: nil), id: 2))
        case 4: bot.step(.command(.unmute(.all), id: 3))
        default:
            let looks: [Cue] = [.fine, .fine, .warning, .warning, .critical, .recovering, .unknown]
            if let subject = random.pick(GateWorld.subjects), let look = random.pick(looks) {
                bot.see(look, of: subject)
            }
        }
        bot.advance(by: .seconds(Int64.random(in: 0...300, using: &random)))
    }

    /// Everything is fine, and time enough passes for all that waits.
    mutating func rest() {
        bot.reload(plans[0])
        bot.advance(by: .hours(6))
        bot.see(GateWorld.subjects.map { ($0, .fine) })
        // What came and went slowly must be well for an hour at most.
        bot.advance(by: .minutes(61))
        bot.see(GateWorld.subjects.map { ($0, .fine) })
        bot.advance(by: .hours(11))
    }

    func checkJournal() throws {
        try #require(bot.objections == [], "seed \(seed)")
        #expect(try bot.stateFromSnapshot().durable == bot.state.durable, "seed \(seed)")
    }

    func check() {
        checkBudgets()
        checkStories()
        #expect(bot.state.incidents.isEmpty, "nothing is left over; seed \(seed)")
        #expect(bot.state.outbox.deliveries.isEmpty, "seed \(seed)")
        #expect(bot.decisions.count { $0.decision == .send } > 50, "the world was lively; seed \(seed)")
    }

    /// In no window are there more messages than the budget allows, but for those that may always pass, and a digest that
    /// these kept waiting.
    private func checkBudgets() {
        for (channel, rate) in rates {
            let sends = bot.decisions.filter { $0.decision == .send && $0.channel == channel }
            for (index, send) in sends.enumerated() where send.severity < .critical {
                let isDigest = send.kind == .digest
                let count = sends[...index].count { send.at - $0.at < rate.per && (!isDigest || $0.kind == .digest) }
                // One that they kept waiting, and others that further gates kept from going along with it.
                let most = isDigest ? 2 * rate.count : rate.count
                #expect(count <= most, "\(channel) at \(send.at): \(count) of \(rate.grammar); seed \(seed)")
            }
        }
    }

    /// In every channel an incident is opened once, ends once, and nothing is said twice.
    private func checkStories() {
        var stories: [String: [(isOver: Bool, decision: DecisionRecord)]] = [:]
        for decision in bot.decisions where decision.decision == .send {
            for incident in decision.message.incidents {
                stories["\(incident.id) in \(decision.channel)", default: []]
                    .append((incident.state == .resolved, decision))
            }
        }
        for (name, story) in stories {
            let kinds = story.map { "\($0.decision.at) \($0.decision.kind)" }
            #expect(story.count { $0.isOver } == 1 && story.last?.isOver == true, "\(name): \(kinds); seed \(seed)")
            let opened = story.count { $0.decision.kind == .opened }
            #expect(opened <= 1, "\(name): \(kinds); seed \(seed)")
            #expect(story.first?.decision.kind != .resolved, "\(name): \(kinds); seed \(seed)")
        }
    }
}
