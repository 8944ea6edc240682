import AlertTesting
import FlappingGate
import PluginKit
import Testing

@testable import AlertCore

/// What the first look after an edit finds changed is the work of whoever edited.
@Suite struct `The first look after an edit` {
    private func wobbling(_ limit: Double, over window: Duration = .minutes(5)) throws -> Plan {
        // The second one has figures of an hour kept.
        .rehearsed(
            detectors: [
                DetectorPlan(name: "floor", detector: Below(.crashFreeSessions, limit, over: window)),
                DetectorPlan(name: "abyss", detector: Below(.crashFreeSessions, 0.5, over: .hours(1))),
            ], gates: [try .rule(FlappingGate.self, "wobble", ["within": "1h", "calm": "30m"])])
    }

    private func see(_ crashed: Double, of apps: [String] = ["shop"], _ bot: inout Rehearsal) {
        bot.advance(by: .minutes(5))
        bot.see(
            apps.map {
                .figures(
                    ["sessions": 1000, "crashed_sessions": crashed], of: Subject(source: "ios", app: $0), at: bot.now,
                    lasting: .minutes(5))
            })
    }

    /// How many changes count, and how many incidents are open.
    private func count(_ bot: Rehearsal, like incident: Incident) -> [Int] {
        [bot.state.incidents.swings(of: incident).count, bot.state.incidents.all.count { $0.isOpen }]
    }

    /// Whoever tunes a limit must not lose the next alarm.
    @Test(arguments: [true, false])
    func `a limit that is edited to and fro is no flapping`(isReload: Bool) throws {
        var bot = Rehearsal.checked(try wobbling(0.995))
        see(8, &bot)
        for limit in [0.991, 0.995, 0.991] {
            if isReload { bot.reload(try wobbling(limit)) } else { bot.crash(try wobbling(limit)) }
            see(8, &bot)
        }
        #expect(bot.marks(of: "shop") == "OROR")
        see(60, &bot)
        #expect(bot.marks(of: "shop") == "ORORO")
        #expect(!bot.decisions.contains { $0.reason == .flapping })
        #expect(bot.objections == [])
    }

    @Test func `what an edit opens or ends counts neither as come nor as gone, what comes after it does`() throws {
        var bot = Rehearsal.checked(try wobbling(0.995))
        for _ in 1...6 { see(0, &bot) }
        see(8, &bot)
        let first = try #require(bot.state.incidents.inOrder.first)
        #expect(count(bot, like: first) == [1, 1])
        bot.reload(try wobbling(0.991))
        see(8, &bot)
        #expect(count(bot, like: first) == [0, 0], "ended by another limit")
        bot.reload(try wobbling(0.995))
        bot.step(.polled(source: "ios", PollReport(.unchanged), validators: [:]))
        #expect(count(bot, like: first) == [0, 1], "opened by another limit, with an answer that is as before")
        bot.reload(try wobbling(0.995, over: .minutes(30)))
        see(1, &bot)
        #expect(count(bot, like: first) == [0, 0], "ended by another window")
        bot.reload(try wobbling(0.9985, over: .minutes(30)))
        see(1, &bot)
        #expect(count(bot, like: first) == [0, 1])
        bot.reload(try wobbling(0.995))
        see(1, &bot)
        #expect(count(bot, like: first) == [0, 0])
        see(8, &bot)
        #expect(count(bot, like: first) == [1, 1])
        bot.step(.started)
        see(0, &bot)
        #expect(count(bot, like: first) == [2, 0], "a start is no edit")
        #expect(bot.objections == [])
    }

    @Test func `the first look is taken of each app, also where a source tells of one after the other`() throws {
        var bot = Rehearsal.checked(try wobbling(0.995))
        for app in ["shop", "bank"] { see(8, of: [app], &bot) }
        let opened = bot.state.incidents.inOrder
        bot.reload(try wobbling(0.991))
        for app in ["shop", "bank", "game"] { see(8, of: [app], &bot) }
        #expect(opened.map { count(bot, like: $0) } == [[0, 0], [0, 0]])
        // What was not known before has come.
        see(20, of: ["game"], &bot)
        let game = try #require(bot.state.incidents.all.first { $0.isOpen })
        #expect(count(bot, like: game) == [1, 1])
    }

    /// Whoever deploys each hour must not lose what comes and goes.
    @Test func `an edit of something else excuses nothing`() throws {
        var bot = Rehearsal.checked(try wobbling(0.995))
        see(0, &bot)
        for crashed in [60.0, 0, 60] {
            bot.reload(try wobbling(0.995))
            see(crashed, &bot)
        }
        let incident = try #require(bot.state.incidents.all.first { $0.isOpen })
        #expect(count(bot, like: incident) == [3, 1])
        bot.reload(try wobbling(0.9))
        see(200, &bot)
        #expect(count(bot, like: incident) == [3, 1], "it fires as before")
        see(0, &bot)
        #expect(count(bot, like: incident) == [4, 0])
    }

    /// What an answer says of an app need not be what its rules judge.
    @Test(arguments: ["issues", "a release"])
    func `an answer about something else of the app is no look at its figures`(_ other: String) throws {
        var bot = Rehearsal.checked(try wobbling(0.995))
        see(8, &bot)
        let first = try #require(bot.state.incidents.inOrder.first)
        for (limit, open) in [(0.991, 0), (0.995, 1), (0.991, 0)] {
            bot.reload(try wobbling(limit))
            bot.advance(by: .minutes(5))
            if other == "issues" {
                let issue = AlertModel.Issue(id: "A-1", title: "Boom", firstSeen: bot.now)
                bot.see([
                    Observation(
                        subject: .shop, span: TimeSpan(lasting: .minutes(5), until: bot.now), seen: bot.now,
                        metrics: [:], issues: [issue])
                ])
            } else {
                bot.see([
                    .figures(
                        ["sessions": 100, "crashed_sessions": 0], of: Subject(source: "ios", app: "shop", release: "1"),
                        at: bot.now, lasting: .minutes(5))
                ])
            }
            see(8, &bot)
            #expect(count(bot, like: first) == [0, open])
        }
    }

    @Test func `that an edit has had a hand in an incident is known also after a restart`() throws {
        var bot = Rehearsal.checked(try wobbling(0.991))
        see(8, &bot)
        bot.reload(try wobbling(0.995))
        see(8, &bot)
        let incident = try #require(bot.state.incidents.all.first { $0.isOpen })
        bot.crash()
        see(0, &bot)
        #expect(count(bot, like: incident) == [0, 0])
    }

    @Test func `what fires again by an edit while it must be well for a while is no change`() throws {
        var bot = Rehearsal.checked(try wobbling(0.995))
        for crashed in [8.0, 4, 8, 4, 8, 4] {
            see(crashed, &bot)
            bot.advance(by: .minutes(25))
        }
        let incident = try #require(bot.state.incidents.all.first { $0.isOpen })
        #expect(incident.state == .recovering)
        #expect(count(bot, like: incident) == [6, 1])
        bot.reload(try wobbling(0.997))
        see(4, &bot)
        #expect(bot.state.incidents[incident.id]?.state == .firing)
        #expect(count(bot, like: incident) == [6, 1])
        see(0, &bot)
        #expect(count(bot, like: incident) == [6, 0], "and its end is reported at once")
        #expect(bot.objections == [])
    }

    @Test func `what only another limit has ended did not come and go in quiet hours`() throws {
        func plan(_ limit: Double) -> Plan {
            .rehearsed(
                detectors: [DetectorPlan(name: "floor", detector: Below(.crashFreeUsers, limit))],
                gates: [.quiet(from: "2026-11-20 12:02", until: "2026-11-20 12:30")])
        }
        var bot = Rehearsal.checked(plan(0.995))
        bot.advance(by: .minutes(3))
        bot.see([.figures(["users": 1000, "crashed_users": 8], at: bot.now, lasting: .minutes(5))])
        bot.advance(by: .minutes(1))
        bot.reload(plan(0.991))
        bot.advance(by: .minutes(4))
        bot.see([.figures(["users": 1000, "crashed_users": 8], at: bot.now, lasting: .minutes(5))])
        bot.advance(by: .minutes(40))
        let message = try #require(bot.sends.last { $0.delivery.kind == .digest }?.delivery.message)
        #expect(message.headline.contains("1 incident opened while"), "\(message.headline)")
        let line = try #require(message.lines.first)
        #expect(line.hasPrefix("⚪ ") && line.hasSuffix(" (not below 99.1% after all)"), "\(line)")
        #expect(bot.objections == [])
    }
}
