import AlertCore
import AlertTesting
import Chance
import NewIssueDetector
import PluginKit
import PluginTesting
import Testing

private typealias Issue = AlertModel.Issue

@Suite struct `New issues of new releases and apps` {
    private static let whole = Subject(source: "ios", app: "shop")

    private static func release(_ name: String) -> Subject { Subject(source: "ios", app: "shop", release: name) }

    private func bot() throws -> Rehearsal {
        let rule = try (["min_users": "10"] as WrittenOptions).detector(NewIssueDetector.self)
        var bot = Rehearsal(.rehearsed(detectors: [DetectorPlan(name: "new", detector: rule, repeat: nil)]))
        bot.comparesReplay = true
        bot.pollAnswer = { _, _ in nil }
        bot.start()
        return bot
    }

    /// Lets one poll see issues of some subjects, so many hours after the bot's first; the ids that were reported for it.
    private func see(_ bot: inout Rehearsal, at hour: Int64, _ seen: [(Subject, [Issue])]) -> [String] {
        bot.advance(to: .rehearsalStart + .hours(hour))
        let before = bot.decisions.count
        bot.see(seen.map { .figures(["sessions": 10_000], of: $0.0, at: bot.now, issues: $0.1) })
        bot.advance(by: .seconds(1))
        let opened = Set(bot.decisions[before...].filter { $0.kind == .opened }.map(\.incident))
        return bot.state.incidents.inOrder.filter { opened.contains($0.id) }.compactMap(\.key)
    }

    private func issue(_ id: String, users: Double = 40, bornAt hour: Int64? = nil, status: String? = nil) -> Issue {
        Issue(
            id: id, title: "", users: users, firstSeen: hour.map { .rehearsalStart + .hours($0) }, status: status)
    }

    @Test(arguments: [72, nil] as [Int64?])
    func `a release of a known app has no first day of its own`(born: Int64?) throws {
        var bot = try bot()
        for hour in stride(from: 0, to: 72, by: 6) as StrideTo<Int64> {
            #expect(see(&bot, at: hour, [(Self.release("5.1"), [issue("OLD", bornAt: born.map { _ in -9 })])]) == [])
        }
        #expect(
            see(
                &bot, at: 72,
                [
                    (Self.release("5.1"), [issue("OLD", bornAt: born.map { _ in -9 })]),
                    (Self.release("5.2"), [issue("NEW-1", bornAt: born), issue("OLD", bornAt: born.map { _ in -9 })]),
                ]) == ["NEW-1"])
        bot.crash(after: .minutes(1))
        let next = [issue("NEW-1", bornAt: born), issue("NEW-2", bornAt: born.map { $0 + 1 })]
        #expect(see(&bot, at: 73, [(Self.release("5.2"), next)]) == ["NEW-2"])
        #expect(bot.objections == [])
    }

    @Test func `what another release has named is known, after that one is forgotten, too`() throws {
        var bot = try bot()
        #expect(see(&bot, at: 0, [(Self.release("5.0"), [issue("OLD")])]) == [])
        #expect(see(&bot, at: 30, [(Self.release("5.0"), [issue("B")])]) == ["B"])
        #expect(see(&bot, at: 60, [(Self.release("5.1"), [issue("B"), issue("OLD")])]) == [])
        #expect(see(&bot, at: 120, [(Self.release("5.1"), [])]) == [])
        #expect(see(&bot, at: 200, [(Self.release("5.1"), [])]) == [])
        #expect(bot.state.figures.series[Self.release("5.0")] == nil)
        bot.crash(after: .minutes(1))
        #expect(see(&bot, at: 201, [(Self.release("5.2"), [issue("B"), issue("OLD"), issue("C")])]) == ["C"])
        #expect(try bot.stateFromSnapshot().figures.series == bot.state.figures.series)
        #expect(bot.objections == [])
    }

    @Test func `what the app as a whole has named is known of its releases, and the other way round`() throws {
        var bot = try bot()
        #expect(see(&bot, at: 0, [(Self.whole, [issue("A")])]) == [])
        #expect(see(&bot, at: 72, [(Self.release("5.2"), [issue("A")])]) == [])
        #expect(see(&bot, at: 73, [(Self.whole, [issue("A"), issue("B")])]) == ["B"])
    }

    @Test func `an app that joins late has its first day, but for what its source saw begin`() throws {
        var bot = try bot()
        let late = Subject(source: "ios", app: "late")
        #expect(see(&bot, at: 0, [(Self.whole, [issue("OLD")])]) == [])
        let first = [
            issue("YEARS", users: 300, bornAt: -20_000), issue("BORN", users: 300, bornAt: 72),
            issue("AGELESS", users: 300),
        ]
        #expect(see(&bot, at: 72, [(Self.whole, []), (late, first)]) == ["BORN"])
        #expect(see(&bot, at: 90, [(late, [issue("LATER")])]) == [])
        #expect(see(&bot, at: 97, [(late, [issue("NEW")])]) == ["NEW"])
        #expect(bot.objections == [])
    }

    @Test func `an app has its first day in another source, and in another environment`() throws {
        var bot = try bot()
        #expect(see(&bot, at: 0, [(Self.whole, [issue("OLD")])]) == [])
        let other = Subject(source: "ios", app: "shop", environment: "beta")
        #expect(see(&bot, at: 72, [(other, [issue("A")])]) == [])
        #expect(see(&bot, at: 73, [(Subject(source: "web", app: "shop"), [issue("B", bornAt: 72)])]) == [])
    }

    @Test func `all that the first poll of a source names is the past, of all apps and releases`() throws {
        var bot = try bot()
        let seen = ["a", "b", "c"].flatMap { (app: String) in
            ["1", "2"].map { (release: String) in
                (
                    Subject(source: "ios", app: app, release: release),
                    [issue("\(app)\(release)"), issue("\(app)", bornAt: 0), issue("all")]
                )
            }
        }
        #expect(see(&bot, at: 0, seen) == [])
        #expect(see(&bot, at: 1, seen) == [])
        #expect(bot.objections == [])
    }

    /// Releases and apps that come and go, of which some answers tell issues and some figures alone.
    @Test(arguments: UInt64(1)...8)
    func `whichever release names an issue, a replay knows the same of it`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var bot = try bot()
        for round in 0..<60 {
            bot.advance(by: .hours(random.happens(0.05) ? 100 : Int64.random(in: 1...9, using: &random)))
            if random.happens(0.05) { bot.setClock(by: .hours(Int64.random(in: -3...3, using: &random))) }
            if random.happens(0.1) { bot.crash(after: .minutes(1)) }
            var seen: [Observation] = []
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                let release = random.pick([nil, "\(round / 10)", "\(round / 10 + 1)", "\(round / 10 + 2)"]) ?? nil
                let subject = Subject(source: "ios", app: random.pick(["a", "b"]) ?? "", release: release)
                let named = (0..<6).filter { _ in random.happens(0.3) }.map { number in
                    issue(
                        "\(round / 20 + number)", bornAt: random.happens(0.3) ? Int64(round) : nil,
                        status: random.pick(["open", "resolved", "regressed", "ignored"]))
                }
                seen.append(
                    .figures(
                        random.happens(0.3) ? [:] : ["sessions": 10_000], of: subject,
                        at: bot.now - (random.happens(0.2) ? .hours(2) : .zero),
                        lasting: random.happens(0.5) ? .hours(1) : .minutes(30),
                        issues: random.happens(0.5) ? named : []))
            }
            bot.see(seen)
        }
        #expect(try bot.stateFromSnapshot().figures.series == bot.state.figures.series, "seed \(seed)")
        #expect(bot.objections == [], "seed \(seed)")
    }

    @Test(arguments: ["unresolved", "regressed"])
    func `what was resolved in one release and is back in the next is not new`(status: String) throws {
        var bot = try bot()
        #expect(see(&bot, at: 0, [(Self.release("5.1"), [issue("A")])]) == [])
        #expect(see(&bot, at: 30, [(Self.release("5.1"), [issue("A", status: "resolved")])]) == [])
        #expect(see(&bot, at: 72, [(Self.release("5.2"), [])]) == [])
        #expect(see(&bot, at: 80, [(Self.release("5.2"), [issue("A", status: status)])]) == [])
    }
}
