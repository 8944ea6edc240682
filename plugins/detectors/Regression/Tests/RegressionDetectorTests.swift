import AlertCore
import AlertTesting
import PluginKit
import PluginTesting
import RegressionDetector
import Testing

private typealias Issue = AlertModel.Issue

@Suite struct `Issues that are back` {
    private func bot(_ options: WrittenOptions = [:]) throws -> Rehearsal {
        let rule = try options.detector(RegressionDetector.self)
        var bot = Rehearsal(.rehearsed(detectors: [DetectorPlan(name: "back", detector: rule, repeat: nil)]))
        bot.comparesReplay = true
        bot.pollAnswer = { _, _ in nil }
        bot.start()
        return bot
    }

    /// Lets the bot see an issue with these statuses, an hour apart; what was reported for each.
    private func play(_ bot: inout Rehearsal, _ statuses: [String?], users: Double = 50) -> [[Notification.Kind]] {
        statuses.map { status in
            let before = bot.decisions.count
            let issue = Issue(
                id: "SHOP-1", title: "boom", users: users, firstSeen: .rehearsalStart - .days(90), status: status)
            bot.see([.figures(["sessions": 10_000], at: bot.now, issues: [issue])])
            bot.advance(by: .hours(1))
            return bot.decisions[before...].map(\.kind)
        }
    }

    @Test func `an issue that was resolved and occurs again is announced once, and again when it comes again`() throws {
        var bot = try bot()
        let told = play(&bot, ["resolved", "resolved", "unresolved", "unresolved", "resolved", "unresolved"])
        #expect(told == [[], [], [.opened], [], [.resolved], [.opened]])
        #expect(
            bot.sends.first?.delivery.message.headline.contains(
                "back after it was resolved, 50 users hit since: boom (SHOP-1)")
                == true)
        #expect(bot.objections == [])
    }

    /// Alert managers tell since when an alert fires now, not since when it is known.
    @Test func `what is back is not called new, whatever its source says of when it began`() throws {
        var bot = try bot()
        for status in ["firing", "resolved", "firing"] {
            let issue = Issue(id: "f00", title: "HighErrors", users: 50, firstSeen: bot.now, status: status)
            bot.see([.figures(["sessions": 10_000], at: bot.now, issues: [issue])])
            bot.advance(by: .hours(1))
        }
        let message = try #require(bot.sends.last?.delivery.message)
        #expect(message.kind == .opened)
        #expect(message.issues.map(\.title) == ["HighErrors"])
        #expect(message.issues.map(\.detail) == ["50 users"])
    }

    @Test func `the source's own word counts, but not the one it said before the bot came`() throws {
        var bot = try bot()
        #expect(play(&bot, ["regressed", "regressed", "ongoing", "regressed"]) == [[], [], [], [.opened]])
    }

    @Test func `what says nothing of how the issue stands is no end of that word`() throws {
        var bot = try bot(["fresh_for": "1h"])
        #expect(
            play(&bot, ["ongoing", "regressed", nil, "regressed"]).map { $0.contains(.opened) } == [
                false, true, false, false,
            ])
    }

    @Test func `an issue that is resolved where nobody sees it is announced each time it is back`() throws {
        var bot = try bot()
        /// The hour, since when it is back, and whether that is announced.
        let polls: [(hour: Int64, back: Int64?, isTold: Bool)] = [
            (0, nil, false), (30, 29, true), (31, 29, false), (60, nil, false), (90, 89, true), (91, 89, false),
        ]
        for poll in polls {
            bot.advance(to: .rehearsalStart + .hours(poll.hour))
            let before = bot.decisions.count
            let issues = poll.back.map { back in
                [
                    Issue(
                        id: "SHOP-1", title: "boom", users: 50, firstSeen: .rehearsalStart - .days(90),
                        returned: .rehearsalStart + .hours(back), status: "regressed")
                ]
            }
            bot.see([.figures(["sessions": 10_000], at: bot.now, issues: issues ?? [])])
            bot.advance(by: .seconds(1))
            let isTold = bot.decisions[before...].contains { $0.kind == .opened }
            #expect(isTold == poll.isTold, "hour \(poll.hour)")
        }
        #expect(bot.objections == [])
    }

    /// The hour, counted from the source's first answer, since when it is back.
    @Test(arguments: [-1, 0, 1] as [Int64])
    func `the first issue that a source names is announced where it is back since the source first answered`(
        back: Int64
    ) throws {
        var bot = try bot()
        bot.step(.polled(source: "ios", PollReport(.noData), validators: [:]))
        bot.advance(by: .hours(2))
        let issue = Issue(
            id: "SHOP-1", title: "boom", users: 50, firstSeen: .rehearsalStart - .days(90),
            returned: .rehearsalStart + .hours(back), status: "reopened")
        bot.see([.figures([:], at: bot.now, issues: [issue])])
        bot.advance(by: .seconds(1))
        let told: [Notification.Kind] = back > 0 ? [.opened] : []
        #expect(bot.decisions.map(\.kind) == told)
        #expect(bot.objections == [])
    }

    @Test func `too few users are not announced, and an end after a day`() throws {
        var bot = try bot(["min_users": "51"])
        #expect(play(&bot, ["resolved", "open", "open"]) == [[], [], []])
        var other = try self.bot(["fresh_for": "2h", "severity": "info"])
        #expect(play(&other, ["resolved", "open", "open", "open", "open"]) == [[], [.opened], [], [.resolved], []])
        #expect(other.state.incidents.inOrder.allSatisfy { $0.severity == .info })
    }

    @Test func `new issues are not this rule's`() throws {
        var bot = try bot()
        #expect(play(&bot, ["new", "ongoing", "escalating", "ignored", "ongoing"]) == [[], [], [], [], []])
    }

    /// Lets one poll see the issue in some releases, so many hours after the bot's first; the releases it was reported
    /// of.
    private func see(
        _ bot: inout Rehearsal, at hour: Int64, _ statuses: KeyValuePairs<String, String>, users: Double = 50
    ) -> [String] {
        bot.advance(to: .rehearsalStart + .hours(hour))
        let before = bot.decisions.count
        bot.see(
            statuses.map { release, status in
                let issue = status.isEmpty ? [] : [Issue(id: "SHOP-1", title: "boom", users: users, status: status)]
                let subject = Subject(source: "ios", app: "shop", release: release)
                return .figures(["sessions": 10_000], of: subject, at: bot.now, issues: issue)
            })
        bot.advance(by: .seconds(1))
        let opened = Set(bot.decisions[before...].filter { $0.kind == .opened }.map(\.incident))
        return bot.state.incidents.inOrder.filter { opened.contains($0.id) }.compactMap(\.subject.release)
    }

    @Test(arguments: ["unresolved", "regressed"])
    func `an issue that was resolved under one release and is back in the next is announced`(status: String) throws {
        var bot = try bot()
        #expect(see(&bot, at: 0, ["5.1": "unresolved"]) == [])
        for hour in 30..<72 as Range<Int64> { #expect(see(&bot, at: hour, ["5.1": "resolved"]) == []) }
        #expect(see(&bot, at: 72, ["5.1": "resolved", "5.2": ""]) == [])
        bot.crash(after: .minutes(1))
        #expect(see(&bot, at: 80, ["5.1": "resolved", "5.2": status]) == ["5.2"])
        #expect(see(&bot, at: 81, ["5.1": "resolved", "5.2": status]) == [])
        #expect(bot.objections == [])
    }

    @Test func `it is announced where the next release had named it before it was resolved under another`() throws {
        var bot = try bot()
        #expect(see(&bot, at: 0, ["5.1": "open"]) == [])
        #expect(see(&bot, at: 40, ["5.1": "open", "5.2": "open"]) == [])
        #expect(see(&bot, at: 60, ["5.1": "resolved", "5.2": ""]) == [])
        #expect(see(&bot, at: 70, ["5.1": "", "5.2": "open"]) == ["5.2"])
        #expect(see(&bot, at: 71, ["5.1": "open", "5.2": "open"]) == ["5.1"])
        #expect(bot.objections == [])
    }

    @Test func `it is announced though the release under which it was resolved is forgotten`() throws {
        var bot = try bot()
        #expect(see(&bot, at: 0, ["5.0": "open", "5.1": ""]) == [])
        #expect(see(&bot, at: 30, ["5.0": "resolved", "5.1": ""]) == [])
        #expect(see(&bot, at: 120, ["5.1": ""]) == [])
        #expect(see(&bot, at: 210, ["5.1": ""]) == [])
        #expect(bot.state.figures.series[Subject(source: "ios", app: "shop", release: "5.0")] == nil)
        #expect(see(&bot, at: 220, ["5.1": "", "5.2": "open"]) == ["5.2"])
        #expect(bot.objections == [])
    }

    @Test(arguments: [false, true])
    func `releases that differ in what they say of it make no alarm at every poll`(isReversed: Bool) throws {
        var bot = try bot()
        for hour in 0..<30 as Range<Int64> {
            let told =
                isReversed
                ? see(&bot, at: hour, ["5.2": hour % 3 == 0 ? "open" : "", "5.1": "resolved"])
                : see(&bot, at: hour, ["5.1": "resolved", "5.2": hour % 3 == 0 ? "open" : ""])
            #expect(told == [])
        }
        #expect(bot.objections == [])
    }
}
