import AlertTesting
import DependsOnGate
import FlappingGate
import PluginKit
import PluginTesting
import Testing

@testable import AlertCore

/// What is bad for half an hour and well for half an hour, all night. The stories begin at 12:00 and have one character for ten
/// minutes.
@Suite struct `Slow flapping` {
    private static let rounds = "www..."

    private func bot(_ entries: KeyValuePairs<String, String> = [:]) throws -> Rehearsal {
        .checked(
            .rehearsed(
                for: .zero, repeat: .hours(4), lookback: .hours(9),
                gates: [try .rule(FlappingGate.self, "wobble", entries)]))
    }

    /// What is said of a story.
    private func told(_ story: String, _ bot: inout Rehearsal) -> String {
        bot.play(story, every: .minutes(10))
    }

    @Test func `two falls are told as they are, the third is over once it has been well for longer than before`() throws
    {
        var bot = try bot()
        let first = told(Self.rounds + Self.rounds, &bot)
        #expect(first == "O..R..O..R..")
        // Well for 30 minutes until now, so 45 minutes are its end.
        let third = told(Self.rounds + Self.rounds + "www......", &bot)
        #expect(third == "O....." + "......" + "........R")
        #expect(bot.objections == [])
    }

    @Test func `the third says that it comes and goes, and when its end is reported`() throws {
        var bot = try bot()
        _ = told(Self.rounds + Self.rounds + Self.rounds, &bot)
        let telling = bot.decisions.filter { $0.decision == .send && $0.reason == .flapping }
        #expect(telling.map(\.kind) == [.opened])
        #expect(
            telling.first?.message.fields.last
                == Message.Field(
                    "Flapping", "5 changes within 2 h; reported as resolved only after 45 min without trouble"))
    }

    @Test func `a night of it is told four times and again with its reminders`() throws {
        var bot = try bot()
        let night = told(String(repeating: Self.rounds, count: 12) + "......", &bot)
        #expect(night.filter { $0 == "O" || $0 == "R" } == "OROROR", "\(night)")
        #expect(bot.decisions.count { $0.decision == .send && $0.kind == .reminder } == 2)
        #expect(bot.objections == [])
    }

    @Test func `what is worse meanwhile is told at once`() throws {
        var bot = try bot()
        _ = told(Self.rounds + Self.rounds + Self.rounds, &bot)
        let before = bot.decisions.count
        _ = told("c", &bot)
        let news = bot.decisions[before...].filter { $0.decision == .send }
        #expect(news.map(\.kind) == [.escalated])
        #expect(news.map(\.severity) == [.critical])
    }

    @Test func `a fall after a real end is told at once`() throws {
        var bot = try bot()
        let story = told(Self.rounds + Self.rounds + "www......www", &bot)
        #expect(story == "O..R..O..R..O.......RO..")
    }

    @Test func `a restart meanwhile changes nothing`() throws {
        var bot = try bot()
        _ = told(Self.rounds + Self.rounds + "www.", &bot)
        #expect(try bot.stateFromSnapshot().durable == bot.state.durable)
        let held = try #require(bot.state.incidents.inOrder.first)
        #expect(held.state == .recovering)
        #expect(held.endsFrom != nil)
        bot.crash()
        #expect(told("......", &bot).filter { $0 != "." } == "R")
        #expect(bot.objections == [])
    }

    @Test func `what passes whatever flaps ends as soon as it is well`() throws {
        var bot = try bot(["except": "warning"])
        #expect(told(Self.rounds + Self.rounds + Self.rounds, &bot) == "O..R..O..R..O..R..")
        #expect(!bot.decisions.contains { $0.reason == .flapping })
    }

    @Test func `what must hold for a while to fire ends with the first good poll`() throws {
        var bot = Rehearsal.checked(
            .rehearsed(
                for: .minutes(10), repeat: nil, lookback: .hours(9),
                gates: [try .rule(FlappingGate.self, "wobble", [:])]))
        #expect(told(Self.rounds + Self.rounds + Self.rounds, &bot) == ".O.R...O.R...O.R..")
        #expect(!bot.decisions.contains { $0.reason == .flapping })
    }

    @Test func `what turns fast is told, and held from then on`() throws {
        var bot = try bot()
        _ = told(Self.rounds + Self.rounds + "w.....", &bot)
        #expect(bot.decisions.contains { $0.reason == .flapping && $0.kind == .opened })
        let before = bot.decisions.count
        _ = bot.play("w.w.w.w.", every: .minutes(5))
        let news = bot.decisions[before...].filter { $0.decision == .send }
        #expect(news.contains { $0.message.headline.contains("is flapping") }, "\(news.map(\.message.headline))")
        #expect(bot.decisions[before...].contains { $0.mark == "h" && $0.reason == .flapping })
    }

    @Test func `what waits for it is told as soon as it is well, and not when that may be called its end`() throws {
        let backend = Subject(source: "ios", app: "backend")
        var bot = Rehearsal.checked(
            .rehearsed(
                for: .zero, repeat: .hours(4), lookback: .hours(9),
                gates: [
                    try .rule(DependsOnGate.self, "because", ["when": "app=backend"]),
                    try .rule(FlappingGate.self, "wobble", [:]),
                ]))
        for look in Self.rounds + Self.rounds + "www" {
            bot.see([(backend, look == "w" ? .critical : .fine), (.shop, .fine)])
            bot.advance(by: .minutes(10))
        }
        bot.see([(backend, .critical), (.shop, .warning)])
        bot.advance(by: .minutes(10))
        bot.see([(backend, .recovering), (.shop, .warning)])
        #expect(bot.marks(of: "shop") == "h")
        bot.advance(by: .minutes(10))
        bot.see([(backend, .fine), (.shop, .warning)])
        #expect(bot.state.incidents.inOrder.contains { $0.subject == backend && $0.isOpen && $0.endsFrom != nil })
        #expect(bot.marks(of: "shop") == "hO")
        #expect(bot.objections == [])
    }

    @Test func `answers that are as before end it, too`() throws {
        var bot = try bot()
        _ = told(Self.rounds + Self.rounds, &bot)
        #expect(told("www.=====", &bot) == "O.......R")
    }

    @Test func `who has not heard of it when it is well already hears of no opening`() throws {
        let night = GatePlan.quiet(from: "2026-11-20 13:55", until: "2026-11-20 14:40")
        var bot = Rehearsal.checked(
            .rehearsed(
                for: .zero, repeat: nil, lookback: .hours(9),
                gates: [night, try .rule(FlappingGate.self, "wobble", [:])]))
        #expect(told(Self.rounds + Self.rounds, &bot) == "O..R..O..R..")
        let third = told("www.........", &bot)
        #expect(third.hasPrefix("h"), "\(third)")
        #expect(!third.contains("O"), "\(third)")
        #expect(bot.state.incidents.inOrder.allSatisfy { !$0.isOpen })
        #expect(bot.objections == [])
    }

    @Test func `reminders say it, too`() throws {
        var bot = try bot()
        _ = told(String(repeating: Self.rounds, count: 8), &bot)
        let reminder = try #require(bot.decisions.first { $0.kind == .reminder })
        #expect(reminder.reason == .repeat)
        #expect(reminder.message.fields.last?.label == "Flapping")
    }

    @Test func `an end that nobody can see, for figures that stop meanwhile, is none`() throws {
        var bot = try bot()
        _ = told(Self.rounds + Self.rounds + "www.", &bot)
        #expect(!told("                  ", &bot).contains("R"))
        #expect(bot.state.incidents.inOrder.first?.isOpen == true)
    }
}
