import AlertCore
import AlertTesting
import Chance
import PluginKit
import PluginTesting
import StaleDetector
import Testing

@Suite struct `Figures that are too old` {
    private func bot(_ options: WrittenOptions = ["after": "1h"], match: Match = .all) throws -> Rehearsal {
        var bot = Rehearsal(try plan(options, match: match))
        bot.comparesReplay = true
        bot.pollAnswer = { _, _ in nil }
        bot.start()
        return bot
    }

    private func plan(_ options: WrittenOptions = ["after": "1h"], match: Match) throws -> Plan {
        let rule = try options.detector(StaleDetector.self)
        return .rehearsed(detectors: [DetectorPlan(name: "stale", detector: rule, match: match)])
    }

    private func kinds(_ bot: Rehearsal, _ rule: String = "stale") -> [Notification.Kind] {
        bot.sends.filter { $0.delivery.message.incidents.first?.rule == rule }.map(\.delivery.kind)
    }

    /// Every ten minutes an answer with new figures of these, and of nothing where there are none.
    private func answer(_ bot: inout Rehearsal, _ subjects: [Subject], for length: Duration) {
        let end = bot.now + length
        while bot.now < end {
            let seen = subjects.map { Observation.figures(["users": 100], of: $0, at: bot.now) }
            let outcome: PollOutcome = seen.isEmpty ? .noData : .values(seen)
            bot.step(.polled(source: "ios", PollReport(outcome), validators: [:]))
            bot.advance(by: .minutes(10))
        }
    }

    private static let (shop, game) = (Subject(source: "ios", app: "shop"), Subject(source: "ios", app: "game"))
    /// An app that is named like its source.
    private static let namesake = Subject(source: "ios", app: "ios")

    /// Every ten minutes an answer whose newest figures end at that moment.
    private func answer(_ bot: inout Rehearsal, until end: Moment, measured: (Moment) -> Moment) {
        while bot.now < end {
            bot.see([.figures(["users": 100], at: measured(bot.now))])
            bot.advance(by: .minutes(10))
        }
    }

    @Test func `a source that answers with old figures is announced once, and when it is fresh again`() throws {
        var bot = try bot()
        let start = bot.now
        answer(&bot, until: start + .minutes(60)) { _ in start }
        #expect(kinds(bot) == [])
        answer(&bot, until: start + .minutes(90)) { _ in start }
        #expect(kinds(bot) == [.opened])
        let incident = try #require(bot.state.incidents.inOrder.first)
        #expect(incident.subject == Subject(source: "ios", app: "ios"))
        #expect(
            incident.evidence.sentence
                == "the source answers, but its newest figures are from Fri 20 Nov 12:00 UTC, 1 h 20 min before the answer; "
                + "the limit is 1 h")
        bot.crash()
        answer(&bot, until: start + .hours(3)) { $0 - .minutes(5) }
        #expect(kinds(bot) == [.opened, .resolved])
        #expect(bot.objections == [])
    }

    @Test func `an app that falls silent among others is named, and its source is not`() throws {
        var bot = try bot()
        answer(&bot, [Self.shop, Self.game], for: .hours(1))
        answer(&bot, [Self.game], for: .hours(2))
        #expect(bot.state.incidents.inOrder.map(\.subject) == [Self.shop])
        #expect(kinds(bot) == [.opened])
        let message = try #require(bot.sends.last).delivery.message
        #expect(message.headline.hasPrefix("🟠 shop: no figures for 1 h"), "\(message.headline)")
        #expect(message.headline.hasSuffix("(alert after 1 h)"), "\(message.headline)")
        #expect(message.fields.map(\.label) == ["Since", "Newest figures"], "\(message.fields)")
        answer(&bot, [Self.shop, Self.game], for: .minutes(20))
        #expect(kinds(bot) == [.opened, .resolved])
        #expect(bot.objections == [])
    }

    @Test(arguments: [[], [namesake], [game]])
    func `an app named like its source is one incident with it, which is over when neither is silent`(left: [Subject])
        throws
    {
        var bot = try bot()
        let all = [Self.namesake, Self.game]
        answer(&bot, all, for: .hours(1))
        answer(&bot, left, for: .hours(2))
        #expect(kinds(bot) == [.opened])
        #expect(bot.state.incidents.inOrder.map(\.subject) == (left == [Self.namesake] ? [Self.game] : [Self.namesake]))
        bot.crash()
        // Whoever else is back, it is not over.
        answer(&bot, left == [Self.namesake] ? left : [Self.game], for: .hours(1))
        #expect(kinds(bot) == [.opened])
        answer(&bot, all, for: .minutes(20))
        #expect(kinds(bot) == [.opened, .resolved])
        #expect(bot.objections == [])
    }

    @Test(arguments: [shop, namesake])
    func `an app that never comes back is closed after a week, and never green, whatever its name`(app: Subject) throws
    {
        var bot = try bot()
        answer(&bot, [app, Self.game], for: .hours(1))
        answer(&bot, [Self.game], for: .days(9))
        #expect(kinds(bot).filter { $0 != .reminder } == [.opened, .closed])
        #expect(bot.state.incidents.isEmpty)
        #expect(bot.objections == [])
    }

    @Test func `an app known by its releases alone stays open over restarts and reloads, and is over when it is back`()
        throws
    {
        var bot = try bot()
        let release = Subject(source: "ios", app: "shop", release: "5.2.0")
        answer(&bot, [release, Self.game], for: .hours(1))
        answer(&bot, [Self.game], for: .hours(2))
        #expect(bot.state.incidents.inOrder.map(\.subject) == [Self.shop])
        bot.crash()
        bot.reload(bot.plan)
        answer(&bot, [Self.game], for: .minutes(30))
        #expect(kinds(bot) == [.opened])
        answer(&bot, [release, Self.game], for: .minutes(20))
        #expect(kinds(bot) == [.opened, .resolved])
        #expect(bot.objections == [])
    }

    @Test(
        arguments: [
            (.on(["app": "game"]), []), (.on(["app": "ga*", "source": "ios"]), []), (.on(["team": "pay"]), []),
            (.on(["release": "6.*"]), []), (.on(["app": "sh*"]), ["shoes", "shop"]),
            (.on(["team": "cart"]), ["shoes", "shop"]), (.on(["release": "5.*"]), ["shoes", "shop"]),
        ] as [(Match, [String])], [true, false])
    func `what a narrower match leaves out is closed with it, one app or all, and what it keeps stays`(
        narrower: (match: Match, keeps: [String]), isSource: Bool
    ) throws {
        var bot = try bot()
        func answer(_ apps: [Subject], for length: Duration) {
            let end = bot.now + length
            while bot.now < end {
                let seen = apps.map { app in
                    Observation.figures(
                        ["users": 100],
                        of: Subject(source: "ios", app: app.app, release: app == Self.game ? nil : "5.2.0"),
                        at: bot.now,
                        labels: ["team": app == Self.game ? "play" : "cart"])
                }
                bot.step(.polled(source: "ios", PollReport(seen.isEmpty ? .noData : .values(seen)), validators: [:]))
                bot.advance(by: .minutes(10))
            }
        }
        let all = [Self.shop, Self.game, Subject(source: "ios", app: "shoes")]
        let silent = isSource ? all : [Self.shop]
        answer(all, for: .hours(1))
        answer(all.filter { !silent.contains($0) }, for: .hours(2))
        #expect(kinds(bot) == [.opened])
        bot.reload(try plan(match: narrower.match))
        bot.advance(by: .minutes(10))
        let names = narrower.match["app"]?.patterns.first?.pattern.hasPrefix("ga") == true && isSource ? ["game"] : []
        // It speaks of apps from now on, and never of the source as a whole.
        let known = isSource ? names + narrower.keeps : narrower.keeps.filter { $0 == "shop" }
        let goesOn = !isSource && !known.isEmpty
        #expect(kinds(bot).filter { $0 == .closed }.count == (goesOn ? 0 : 1))
        #expect(kinds(bot).filter { $0 == .opened }.count == (goesOn ? 1 : 1 + known.count))
        bot.crash()
        #expect(bot.state.incidents.inOrder.map(\.subject.app).sorted() == known)
        #expect(bot.objections == [])
    }

    @Test(arguments: [[game], []])
    func `what is silent for the longest time that a config may say is still reported`(left: [Subject]) throws {
        let after = try #require(
            StaleDetector.manifest.options.compactMap { option in
                if option.name == "after", case .duration = option.kind { option.kind.rangeText } else { nil }
            }.first)
        let longest = try Duration(grammar: String(after.split(separator: " ").last ?? ""))
        var bot = try bot(["after": .text(longest.grammar)])
        bot.see([Self.shop, Self.game].map { .figures(["users": 100], of: $0, at: bot.now) })
        let end = bot.now + longest + .hours(12)
        while bot.now < end {
            answer(&bot, left, for: .minutes(10))
            bot.advance(by: .minutes(50))
        }
        #expect(kinds(bot).first == .opened)
    }

    @Test(arguments: ["7d", "30d", "600000d"])
    func `a config that waits until nothing is left to report is told so`(after: String) throws {
        let option = try #require(StaleDetector.manifest.options.first { $0.name == "after" })
        let mistake = #expect(throws: GrammarError.self) { try option.kind.value(GuardedText(after)) }
        #expect(mistake?.expected == "from 1m to 6d")
        #expect(mistake?.hint == "; what has been silent for 7d is forgotten, and could not be reported")
    }

    @Test func `issues that go on keep no figures fresh`() throws {
        var bot = try bot()
        bot.see([.figures(["users": 100], at: bot.now)])
        for _ in 0..<7 {
            bot.advance(by: .minutes(10))
            bot.see([.figures([:], at: bot.now, issues: [Issue(id: "A-1", title: "Crash")])])
        }
        #expect(kinds(bot) == [.opened])
    }

    @Test(arguments: [shop, namesake])
    func `an app whose sessions stop is announced though issues of a release go on, and let go of after a week`(
        app: Subject
    ) throws {
        var bot = try bot()
        let release = Subject(source: "ios", app: app.app, release: "1.0")
        bot.see([.figures(["users": 100], of: app, at: bot.now)])
        let end = bot.now + .days(9)
        while bot.now < end {
            bot.advance(by: .minutes(30))
            bot.see([
                .figures(["users": 100], of: Self.game, at: bot.now),
                .figures([:], of: release, at: bot.now, issues: [Issue(id: "A-1", title: "Crash")]),
            ])
        }
        #expect(kinds(bot).filter { $0 != .reminder } == [.opened, .closed])
        #expect(bot.state.incidents.isEmpty)
    }

    @Test func `answers without any data keep nothing fresh`() throws {
        var bot = try bot()
        bot.see([.figures(["users": 100], at: bot.now)])
        for _ in 0..<7 {
            bot.advance(by: .minutes(10))
            bot.step(.polled(source: "ios", PollReport(.noData), validators: [:]))
        }
        #expect(kinds(bot) == [.opened])
    }

    @Test func `a source that fails is the bot's own trouble, told once and not by this rule`() throws {
        var bot = try bot()
        bot.see([.figures(["users": 100], at: bot.now)])
        for _ in 0..<20 {
            bot.advance(by: .minutes(10))
            bot.fail()
        }
        #expect(kinds(bot) == [])
        #expect(kinds(bot, "source-failing") == [.opened])
        // What was told before it failed stays open, and is neither repeated nor taken back.
        bot.see([.figures(["users": 100], at: bot.now - .hours(2))])
        bot.advance(by: .seconds(1))
        #expect(kinds(bot) == [.opened])
        for _ in 0..<20 {
            bot.advance(by: .minutes(10))
            bot.fail()
        }
        #expect(kinds(bot) == [.opened])
        #expect(bot.state.incidents.inOrder.contains { $0.rule == "stale" && $0.isOpen })
    }

    @Test func `one app that falls silent among others is seen by a rule of all and by one of its own`() throws {
        let quiet = Subject(source: "ios", app: "quiet")
        for (match, kinds) in [(Match.all, [.opened]), (.on(["app": "quiet"]), [.opened])]
            as [(Match, [Notification.Kind])]
        {
            var bot = try bot(match: match)
            bot.see([.figures(["users": 100], of: quiet, at: bot.now)])
            let end = bot.now + .hours(2)
            answer(&bot, until: end) { $0 }
            #expect(self.kinds(bot) == kinds)
        }
    }

    @Test(
        arguments: [
            .on(["app": "quiet"]), .on(["app": "qui*"]), .on(["environment": "production"]), .on(["team": "cart"]),
        ] as [Match])
    func `a rule about a part of the source names the apps, whether the rest is silent or not`(match: Match) throws {
        let quiet = Subject(source: "ios", app: "quiet", environment: "production")
        for silent in [[quiet], [quiet, Self.shop]] {
            var bot = try bot(match: match)
            let end = bot.now + .hours(4)
            let start = bot.now
            while bot.now < end {
                let seen = [quiet, Self.shop].map { app in
                    Observation.figures(
                        ["users": 100], of: app, at: silent.contains(app) ? start : bot.now,
                        labels: ["team": app == quiet ? "cart" : "play"])
                }
                bot.step(.polled(source: "ios", PollReport(.values(seen)), validators: [:]))
                bot.advance(by: .minutes(10))
            }
            #expect(bot.state.incidents.inOrder.map(\.subject) == [quiet])
            #expect(bot.state.incidents.inOrder.map { $0.labels["team"] } == ["cart"])
            #expect(kinds(bot) == [.opened])
            let message = try #require(bot.sends.last).delivery.message
            #expect(message.headline.hasPrefix("🟠 quiet (production): no figures for "), "\(message.headline)")
            bot.see([quiet, Self.shop].map { .figures(["users": 100], of: $0, at: bot.now, labels: ["team": "cart"]) })
            bot.advance(by: .minutes(10))
            #expect(kinds(bot) == [.opened, .resolved])
            #expect(bot.objections == [])
        }
    }

    @Test func `of the apps that a rule is about, those whose figures come in time are judged, too`() throws {
        var bot = try bot(match: .on(["app": "sh*"]))
        answer(&bot, [Self.shop, Self.game], for: .hours(1))
        let judged = bot.core.assessments(bot.state, at: bot.now)
        #expect(judged.map(\.subject) == [Self.shop])
        #expect(judged.map(\.verdict) == [.ok(recovered: true)])
        let sentence = judged.first?.sentence ?? ""
        #expect(sentence.hasPrefix("its figures are fresh: "), "\(sentence)")
        #expect(sentence.hasSuffix(" old at the source's last answer; the limit is 1 h"), "\(sentence)")
        #expect(bot.state.incidents.isEmpty)
        #expect(kinds(bot) == [])
        #expect(bot.objections == [])
    }

    @Test func `an app known by its releases alone has their labels, and a source its owner's`() throws {
        var plan = try plan(match: .all)
        plan.sources[0].owner = "checkout"
        var bot = Rehearsal(plan)
        bot.pollAnswer = { _, _ in nil }
        bot.start()
        let release = Subject(source: "ios", app: "shop", release: "5.2.0")
        bot.see([
            .figures(["users": 100], of: release, at: bot.now, labels: ["team": "cart"]),
            .figures(["users": 100], of: Self.game, at: bot.now),
        ])
        for _ in 0..<9 {
            bot.advance(by: .minutes(10))
            bot.see([.figures(["users": 100], of: Self.game, at: bot.now)])
        }
        #expect(bot.state.incidents.inOrder.map(\.labels) == [["team": "cart", "owner": "checkout"]])
        answer(&bot, [], for: .hours(2))
        #expect(bot.state.incidents.inOrder.map(\.subject.app) == ["shop", "ios"])
        #expect(bot.state.incidents.inOrder.last?.labels == ["owner": "checkout"])
    }

    @Test func `when the whole source falls silent, an app that was silent before is still said for how long`() throws {
        var bot = try bot()
        answer(&bot, [Self.shop, Self.game], for: .hours(1))
        answer(&bot, [Self.game], for: .hours(2))
        answer(&bot, [], for: .hours(6))
        #expect(bot.state.incidents.inOrder.map(\.subject.app) == ["shop", "ios"])
        let shop = try #require(bot.state.incidents.inOrder.first)
        #expect(shop.evidence.sentence.contains(", 8 h before the source's last answer"), "\(shop.evidence.sentence)")
        #expect(kinds(bot).count { $0 == .opened } == 2)
        #expect(kinds(bot).contains(.reminder))
        #expect(bot.objections == [])
        answer(&bot, [Self.shop, Self.game], for: .minutes(20))
        #expect(bot.state.incidents.isEmpty)
    }

    @Test func `a source that never gave figures is unknown`() throws {
        let rule = try (["after": "5m"] as WrittenOptions).detector(StaleDetector.self)
        let source = Subject(source: "ios", app: "ios")
        for lastGood in [nil, Moment.rehearsalStart] {
            let findings = rule.findings(in: Sight(source, lastGood: lastGood), at: .rehearsalStart + .days(9))
            #expect(findings.map(\.judgement.verdict) == [.unknown("no figures have arrived yet")])
        }
    }

    @Test(arguments: UInt64(1)...12)
    func `while figures come in time nothing is announced, though clocks step and spans overlap`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        // As much as spans may end late, clocks step, and polls lie apart in this world.
        var bot = try bot(["after": "3h"])
        for _ in 0..<150 {
            bot.advance(by: .seconds(Int64.random(in: 1...1800, using: &random)))
            if random.happens(0.05) { bot.setClock(by: .seconds(Int64.random(in: -1800...1800, using: &random))) }
            if random.happens(0.05) { bot.crash() }
            if random.happens(0.1) {
                bot.fail()
                continue
            }
            let late = Duration.seconds(Int64.random(in: 0...3600, using: &random))
            let length = Duration.seconds(Int64.random(in: 1...90_000, using: &random))
            bot.see([.figures(["users": 1], at: bot.now - late, lasting: length)])
            #expect(kinds(bot) == [], "seed \(seed)")
        }
        #expect(bot.objections == [], "seed \(seed)")
    }
}
