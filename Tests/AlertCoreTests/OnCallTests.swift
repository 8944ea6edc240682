import AlertCore
import AlertTesting
import PluginKit
import Testing

/// Routes that lead to whoever is on call.
@Suite struct `Routes to a rotation` {
    /// Ana is on call when the rehearsal begins, and Bo from 18:00 on, for a day each.
    private let mobile = Rotation(
        "mobile", zone: .utc, starts: CivilTime(.utc("2026-11-19 18:00")), every: .days(1),
        people: [Rotation.Person("ana", channel: "ana-dm"), Rotation.Person("bo", channel: "bo-dm")])

    private func bot(
        repeat: Duration? = .hours(4), _ routes: (Rotation) -> [Route] = { [Route(to: ["team"], onCall: [$0])] }
    ) throws -> Rehearsal {
        let mobile = try #require(mobile)
        var plan = Plan.rehearsed(
            detectors: [DetectorPlan(name: "look", detector: ScriptedDetector(), repeat: `repeat`)],
            channels: ["team", "ana-dm", "bo-dm"].map { ChannelPlan(name: $0) }, routes: routes(mobile))
        plan.rotations = [mobile]
        return Rehearsal(plan)
    }

    private func heard(_ bot: Rehearsal, in channel: String) -> [String] {
        bot.decisions.filter { $0.channel == channel }.map { "\($0.mark) \($0.at)" }
    }

    private func plays(_ cue: Cue, _ bot: inout Rehearsal) {
        bot.pollAnswer = { _, now in (PollReport(.values([.cue(cue, at: now)])), .zero) }
    }

    @Test func `a message goes to who is on call, and to nobody else`() throws {
        var bot = try bot()
        bot.start()
        bot.see(.critical)
        #expect(bot.decisions.map(\.channel) == ["team", "ana-dm"])
    }

    @Test func `who comes on call hears of what is open; who has gone hears how it ended, and is not reminded`() throws
    {
        var bot = try bot()
        plays(.critical, &bot)
        bot.start()
        bot.advance(by: .hours(16))
        #expect(
            heard(bot, in: "ana-dm") == ["O 2026-11-20T12:00:00Z", "M 2026-11-20T16:00:00Z"])
        // At the very handover, not with the next poll.
        #expect(heard(bot, in: "bo-dm").first == "O 2026-11-20T18:00:00Z")
        #expect(
            bot.decisions.first { $0.channel == "bo-dm" }?.message.fields.last
                == Message.Field("Your turn", "since Fri 20 Nov 18:00; notified before you: ana-dm, Fri 20 Nov 12:00"))
        #expect(bot.decisions.first { $0.channel == "ana-dm" }?.message.fields.map(\.label) == ["Since"])
        #expect(heard(bot, in: "bo-dm").count == 3)
        #expect(heard(bot, in: "team").count == 5)
        plays(.fine, &bot)
        bot.advance(by: .hours(1))
        #expect(bot.decisions.suffix(3).map { "\($0.mark) \($0.channel)" } == ["R team", "R ana-dm", "R bo-dm"])
        #expect(bot.objections == [])
    }

    @Test func `what gets worse after the handover is for who is on call`() throws {
        var bot = try bot()
        plays(.warning, &bot)
        bot.start()
        bot.advance(by: .hours(7))
        plays(.critical, &bot)
        bot.advance(by: .hours(1))
        #expect(bot.decisions.filter { $0.mark == "E" }.map(\.channel) == ["team", "bo-dm"])
    }

    @Test func `who comes back on call is reminded again`() throws {
        var bot = try bot()
        plays(.warning, &bot)
        bot.start()
        bot.advance(by: .hours(29))
        #expect(heard(bot, in: "ana-dm").count == 2)
        bot.advance(by: .hours(5))
        #expect(heard(bot, in: "ana-dm").dropFirst(2).first == "M 2026-11-21T18:00:00Z")
        #expect(bot.objections == [])
    }

    @Test func `who comes back on call is told at the handover that it goes on, though no reminder is due`() throws {
        var bot = try bot(repeat: nil)
        plays(.critical, &bot)
        bot.start()
        bot.advance(by: .hours(72))
        #expect(heard(bot, in: "ana-dm") == ["O 2026-11-20T12:00:00Z", "M 2026-11-21T18:00:00Z"])
        #expect(heard(bot, in: "bo-dm") == ["O 2026-11-20T18:00:00Z", "M 2026-11-22T18:00:00Z"])
        #expect(heard(bot, in: "team") == ["O 2026-11-20T12:00:00Z"])
        #expect(bot.objections == [])
    }

    /// Within the turn, and back behind its begin.
    @Test(
        arguments: [
            (.minutes(10), .seconds(-10)), (.minutes(10), .seconds(-50)), (.minutes(10), .seconds(10)),
            (.seconds(20), .seconds(-50)),
        ] as [(after: Duration, step: Duration)])
    func `who was told at the handover is not told again because the clock is set`(
        after: Duration, step: Duration
    ) throws {
        var bot = try bot(repeat: nil)
        plays(.critical, &bot)
        bot.start()
        bot.advance(by: .hours(30) + after)
        #expect(heard(bot, in: "ana-dm").count == 2)
        #expect(heard(bot, in: "bo-dm").count == 1)
        bot.setClock(by: step)
        bot.advance(by: .hours(3))
        #expect(heard(bot, in: "ana-dm").count == 2)
        #expect(heard(bot, in: "bo-dm").count == 1)
        #expect(bot.objections == [])
    }

    @Test func `who comes back on call hears nothing of what somebody takes care of`() throws {
        var bot = try bot(repeat: nil)
        plays(.critical, &bot)
        bot.start()
        bot.advance(by: .minutes(10))
        bot.step(.command(.acknowledge(bot.state.incidents.inOrder.map(\.id), by: "ana"), id: 1))
        bot.advance(by: .hours(72))
        #expect(heard(bot, in: "ana-dm").map { $0.prefix(1) } == ["O", "A"])
    }

    @Test(arguments: [true, false])
    func `who is taken out of a rotation hears how it ended, and is not asked any more`(isRotationLeft: Bool) throws {
        var bot = try bot()
        plays(.warning, &bot)
        bot.start()
        bot.advance(by: .minutes(10))
        let others = try #require(
            Rotation(
                "mobile", zone: .utc, starts: CivilTime(.utc("2026-11-19 18:00")), every: .days(1),
                people: [Rotation.Person("bo", channel: "bo-dm")]))
        var plan = bot.plan
        plan.rotations = isRotationLeft ? [others] : []
        plan.routes = [Route(to: ["team"], onCall: isRotationLeft ? [others] : [])]
        bot.reload(plan)
        bot.advance(by: .hours(9))
        plays(.critical, &bot)
        bot.advance(by: .hours(5))
        #expect(heard(bot, in: "ana-dm") == ["O 2026-11-20T12:00:00Z"])
        plays(.fine, &bot)
        bot.advance(by: .hours(1))
        #expect(heard(bot, in: "ana-dm").map { $0.prefix(1) } == ["O", "R"])
        #expect(heard(bot, in: "team").map { $0.prefix(1) } == ["O", "M", "M", "E", "M", "R"])
    }

    @Test func `who is on call is reminded of what got milder than the route to them takes`() throws {
        // For another app Ana is always on call.
        let other = try #require(
            Rotation(
                "other", zone: .utc, starts: CivilTime(.utc("2026-11-19 18:00")), every: .days(1),
                people: [Rotation.Person("ana", channel: "ana-dm")]))
        var bot = try bot { mobile in
            [
                Route(match: .on(["app": "other"]), to: [], onCall: [other]),
                Route(match: .on(["severity": "critical"]), to: [], onCall: [mobile], continues: true),
                Route(to: ["team"]),
            ]
        }
        plays(.critical, &bot)
        bot.start()
        bot.advance(by: .minutes(30))
        plays(.warning, &bot)
        bot.advance(by: .hours(11))
        // Until 18:00 it is Ana's turn, and nobody else is called for what only warns.
        #expect(heard(bot, in: "ana-dm") == ["O 2026-11-20T12:00:00Z", "M 2026-11-20T16:00:00Z"])
        #expect(heard(bot, in: "bo-dm") == [])
        #expect(bot.objections == [])
    }

    @Test func `a restart on another day finds the one who is on call then`() throws {
        var bot = try bot()
        bot.comparesReplay = true
        bot.start()
        bot.see(.critical)
        bot.crash(after: .hours(12))
        // What the source says may be the end, so it is given some seconds.
        #expect(bot.decisions.last.map { "\($0.mark) \($0.channel)" } == "O ana-dm")
        bot.advance(by: .minutes(1))
        #expect(bot.decisions.last.map { "\($0.mark) \($0.channel)" } == "O bo-dm")
    }
}
