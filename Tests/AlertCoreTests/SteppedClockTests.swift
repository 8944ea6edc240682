import AlertCore
import AlertTesting
import PluginKit
import Testing

/// What was tracked by a clock that was ahead, and has been set back since.
@Suite struct `A clock that was ahead` {
    /// A rule that holds for ten minutes has found something by a clock that was ahead by a day, and then the clock is set
    /// right.
    private func setRight(held: Bool = false, restarts: Bool = false) -> Rehearsal {
        let quiet = GatePlan.quiet(from: "2026-11-19 00:00", until: "2026-11-20 16:00")
        var bot = Rehearsal(.rehearsed(for: .minutes(10), gates: held ? [quiet] : []))
        bot.comparesReplay = true
        bot.start()
        #expect(bot.play("wwwwwwwwwwww").contains(held ? "h" : "O"))
        if held {
            _ = bot.play(".", every: .minutes(5))
            #expect(bot.state.incidents.all.map(\.state) == [.resolved])
        }
        if restarts { bot.crash(after: .days(-1)) } else { bot.setClock(by: .days(-1)) }
        return bot
    }

    // After a restart, it is known only that it is not earlier than what the bot did last, a minute before.
    @Test(arguments: [
        (false, "Thu 19 Nov 12:00 to 12:13 UTC, 13 min"), (true, "Thu 19 Nov 12:01 to 12:13 UTC, 12 min"),
    ])
    func `what it opened ends with the first good poll, and lasted as long as it did`(restarts: Bool, words: String)
        throws
    {
        var bot = setRight(restarts: restarts)
        _ = bot.play("w")
        #expect(bot.marks(of: "shop") == "O")
        _ = bot.play(".")
        #expect(bot.marks(of: "shop") == "OR")
        let message = try #require(bot.decisions.last { $0.kind == .resolved }).message
        let lasted = try #require(message.fields.first { $0.label == "Lasted" }).value
        #expect(lasted == words)
        #expect(bot.objections == [])
    }

    @Test func `reminders of what it opened say since when by the clock that is right`() throws {
        var bot = setRight()
        _ = bot.play("wwwww", every: .hours(1))
        let reminder = try #require(bot.decisions.last { $0.kind == .reminder }).message
        let since = try #require(reminder.fields.first { $0.label == "Since" }).value
        #expect(since.hasPrefix("Thu 19 Nov 12:00 UTC, for 4 h"), "\(since)")
        #expect(bot.objections == [])
    }

    @Test func `what began and ended by it is as long as it was`() throws {
        let over = try #require(setRight(held: true).state.incidents.all.first { $0.rule == "look" })
        #expect(over.since == .rehearsalStart - .days(1))
        #expect(over.until == .rehearsalStart - .days(1) + .minutes(12))
    }

    @Test(arguments: [true, false])
    func `who took care of it by a clock that was ahead did so by then, and no later`(restarts: Bool) throws {
        var bot = Rehearsal(.rehearsed(for: .minutes(10)))
        bot.comparesReplay = true
        bot.start()
        _ = bot.play("wwwwwwwwwwww")
        func look() throws -> Incident { try #require(bot.state.incidents.all.first { $0.rule == "look" }) }
        let id = try look().id
        for name in ["ana", "ben"] { bot.step(.command(.acknowledge([id], by: name), id: 1)) }
        bot.advance(by: .seconds(1))
        let before = try #require(try look().acknowledgement?.at)
        if restarts { bot.crash(after: .days(-1)) } else { bot.setClock(by: .days(-1)) }
        let known = try #require(try look().acknowledgement)
        #expect(known.names == "ana and ben")
        for at in [known.at] + known.also.map(\.at) {
            #expect(at <= bot.now)
            if !restarts { #expect(at == before - .days(1)) }
        }
        #expect(bot.objections == [])
    }

    @Test func `what began before a clock that was set ahead and back is as old as it is`() throws {
        var bot = Rehearsal(.rehearsed(for: .minutes(10)))
        bot.comparesReplay = true
        bot.start()
        _ = bot.play("wwwwwwwwwwww")
        bot.setClock(by: .days(1))
        _ = bot.play("ww")
        bot.setClock(by: .days(-1))
        let incident = try #require(bot.state.incidents.all.first { $0.rule == "look" })
        #expect(incident.since == .rehearsalStart)
        _ = bot.play(".")
        #expect(bot.marks(of: "shop") == "OR")
        #expect(bot.objections == [])
    }
}
