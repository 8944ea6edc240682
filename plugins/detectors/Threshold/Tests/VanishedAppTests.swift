import AlertCore
import AlertTesting
import PluginKit
import PluginTesting
import Testing
import ThresholdDetector

/// An app that had sessions and vanishes from its source's answers has none.
@Suite struct `Apps that vanish` {
    private func bot(_ options: WrittenOptions) throws -> Rehearsal {
        let rule = DetectorPlan(name: "alive", detector: try options.detector(ThresholdDetector.self))
        var bot = Rehearsal(.rehearsed(detectors: [rule]))
        bot.comparesReplay = true
        bot.pollAnswer = { _, _ in nil }
        bot.start()
        return bot
    }

    /// Answers every ten minutes, with so many sessions of each app.
    ///
    /// - Parameters:
    ///   - unread: what the answers leave open.
    ///   - isReplayed: whether it comes from a recording.
    private func answer(
        _ bot: inout Rehearsal, for length: Duration, _ apps: [String: Double], release: String? = nil,
        unread: Unread = .nothing, isReplayed: Bool = false
    ) {
        let end = bot.now + length
        while bot.now < end {
            let observations = apps.sorted { $0.key < $1.key }.map { app, sessions in
                Observation.figures(
                    ["sessions": sessions], of: Subject(source: "ios", app: app, release: release), at: bot.now,
                    lasting: .minutes(10))
            }
            if isReplayed {
                let seen = observations.map(ObservationLine.observed)
                let part = PartialPoll(source: "ios", unread, seen: bot.now)
                let none = EmptyPoll(source: "ios", .noData, seen: bot.now)
                bot.step(.observed([.partial(part)] + (seen.isEmpty ? [.empty(none)] : seen)))
            } else {
                let outcome: PollOutcome = observations.isEmpty ? .noData : .values(observations)
                bot.step(.polled(source: "ios", PollReport(outcome, unread: unread), validators: [:]))
            }
            bot.advance(by: .minutes(10))
        }
    }

    private static let alive: WrittenOptions = ["metric": "sessions", "warning": "< 10"]

    @Test(arguments: [["other": 500.0], [:]])
    func `a rule on sessions fires when an app that had some is gone, and ends when it is back`(left: [String: Double])
        throws
    {
        var bot = try bot(Self.alive)
        answer(&bot, for: .hours(3), ["shop": 400, "other": 500])
        #expect(bot.decisions.isEmpty)
        answer(&bot, for: .hours(3), left)
        #expect(bot.marks(of: "shop") == "O")
        let message = try #require(bot.decisions.last { $0.message.incidents[0].subject.app == "shop" }).message
        #expect(message.headline.contains("sessions 0"), "\(message.headline)")
        answer(&bot, for: .hours(3), ["shop": 400, "other": 500])
        #expect(bot.marks(of: "shop") == "OR")
        #expect(bot.objections == [])
    }

    /// The commonest way to die is 400, 20, 3, 0, and then no row.
    @Test(arguments: [[0.0], [20, 3, 0], [0, 0, 0]])
    func `an app that fades to none before it is gone is gone`(fading: [Double]) throws {
        var bot = try bot(["metric": "sessions", "warning": "< 2", "window": "1h"])
        answer(&bot, for: .hours(3), ["shop": 400, "other": 500])
        for sessions in fading { answer(&bot, for: .minutes(10), ["shop": sessions, "other": 500]) }
        #expect(bot.marks(of: "shop") == "")
        answer(&bot, for: .hours(3), ["other": 500])
        #expect(bot.marks(of: "shop") == "O")
        #expect(bot.objections == [])
    }

    @Test(arguments: [[nil, "2"], ["1", "2"], ["1", "2", "3"]] as [[String?]])
    func `an app whose releases go one by one is gone with the last, once`(releases: [String?]) throws {
        var bot = try bot(Self.alive)
        func answer(_ releases: some Sequence<String?>, for length: Duration) {
            let end = bot.now + length
            while bot.now < end {
                let shops = releases.map { Subject(source: "ios", app: "shop", release: $0) }
                bot.see(
                    (shops + [Subject(source: "ios", app: "other")]).map {
                        .figures(["sessions": 400], of: $0, at: bot.now, lasting: .minutes(10))
                    })
                bot.advance(by: .minutes(10))
            }
        }
        answer(releases, for: .hours(3))
        for count in 1..<releases.count { answer(releases.dropFirst(count), for: .minutes(10)) }
        #expect(bot.marks(of: "shop") == "")
        answer([], for: .hours(3))
        #expect(bot.marks(of: "shop") == "O")
        #expect(bot.state.incidents.all.filter { $0.isOpen }.map(\.subject.release) == [nil])
        #expect(bot.objections == [])
    }

    @Test(arguments: [true, false])
    func `the first answer after a time without any takes no app for gone`(isFailing: Bool) throws {
        var bot = try bot(Self.alive)
        answer(&bot, for: .hours(3), ["shop": 400, "other": 500])
        if isFailing {
            for _ in 0..<24 {
                bot.step(
                    .polled(source: "ios", PollReport(.failed(PollFailure(.timeout, "no answer"))), validators: [:]))
                bot.advance(by: .minutes(10))
            }
        } else {
            bot.crash(after: .hours(4))
        }
        answer(&bot, for: .minutes(30), ["other": 500])
        #expect(bot.marks(of: "shop") == "")
        answer(&bot, for: .hours(2), ["other": 500])
        #expect(bot.marks(of: "shop") == "O")
        #expect(bot.objections == [])
    }

    @Test(arguments: [Unread.apps(["shop"]), .anything])
    func `nor does the first answer that is whole again`(unread: Unread) throws {
        var bot = try bot(Self.alive)
        answer(&bot, for: .hours(3), ["shop": 400, "other": 500])
        answer(&bot, for: .hours(4), ["other": 500], unread: unread)
        // What one part lacks all the time leaves the others to be told of.
        answer(&bot, for: .minutes(20), ["other": 500], unread: unread == .anything ? .apps(["legacy"]) : .nothing)
        #expect(bot.marks(of: "shop") == "")
        answer(&bot, for: .hours(2), ["other": 500])
        #expect(bot.marks(of: "shop") == "O")
        #expect(bot.objections == [])
    }

    @Test func `nor does one after answers half an hour apart, of which one was not whole`() throws {
        var bot = try bot(Self.alive)
        answer(&bot, for: .hours(3), ["shop": 400, "other": 500])
        bot.advance(by: .minutes(20))
        answer(&bot, for: .minutes(10), ["other": 500], unread: .anything)
        bot.advance(by: .minutes(20))
        answer(&bot, for: .minutes(10), ["other": 500])
        #expect(bot.marks(of: "shop") == "")
        answer(&bot, for: .hours(2), ["other": 500])
        #expect(bot.marks(of: "shop").first == "O")
        #expect(bot.objections == [])
    }

    @Test(arguments: [1, 2, 5])
    func `a source that fails now and then still tells that an app is gone`(answersBetween: Int) throws {
        var bot = try bot(Self.alive)
        answer(&bot, for: .hours(3), ["shop": 400, "other": 500])
        for _ in 0..<12 {
            for _ in 0..<answersBetween {
                answer(&bot, for: .minutes(10), ["other": 500])
                bot.advance(by: .minutes(10))
            }
            bot.fail()
            bot.advance(by: .minutes(20))
        }
        #expect(bot.marks(of: "shop").filter { $0 != "M" } == "O")
        #expect(bot.objections == [])
    }

    @Test func `an app is gone from a source whose answers are always hours apart, too`() throws {
        var bot = try bot(Self.alive)
        for hour in 0..<8 {
            answer(&bot, for: .minutes(10), hour < 4 ? ["shop": 400, "other": 500] : ["other": 500])
            bot.advance(by: .hours(3))
        }
        #expect(bot.marks(of: "shop").hasPrefix("O"))
    }

    @Test(arguments: [Duration.minutes(5), .minutes(10), .minutes(25), .hours(2)])
    func `one that has to be gone for a while is reported when it has been, and not before`(hold: Duration) throws {
        var bot = try bot(["metric": "sessions", "warning": "< 10", "for": .text(hold.grammar)])
        answer(&bot, for: .hours(3), ["shop": 400, "other": 500])
        answer(&bot, for: .hours(5), ["other": 500])
        #expect(bot.marks(of: "shop") == "O")
        let gone = try #require(bot.state.incidents.inOrder.first)
        #expect(gone.state == .firing)
        #expect(bot.decisions.map(\.at) == [gone.since + hold])
        bot.crash()
        answer(&bot, for: .hours(1), ["shop": 400, "other": 500])
        #expect(bot.marks(of: "shop") == "OR")
        #expect(bot.objections == [])
    }

    @Test(arguments: [Unread.apps(["shop"]), nil])
    func `one that has to be gone for a while is not reported while nobody can tell`(unread: Unread?) throws {
        var bot = try bot(["metric": "sessions", "warning": "< 10", "for": "2h"])
        answer(&bot, for: .hours(3), ["shop": 400, "other": 500])
        answer(&bot, for: .hours(2), ["other": 500])
        #expect(bot.state.incidents.all.map(\.state) == [.pending])
        let end = bot.now + .hours(4)
        while bot.now < end {
            if let unread {
                answer(&bot, for: .minutes(10), ["other": 500], unread: unread)
            } else {
                bot.fail()
                bot.advance(by: .minutes(10))
            }
        }
        #expect(bot.marks(of: "shop") == "")
        // It may have been back meanwhile, so the time begins anew.
        answer(&bot, for: .minutes(110), ["other": 500])
        #expect(bot.marks(of: "shop") == "")
        answer(&bot, for: .minutes(30), ["other": 500])
        #expect(bot.marks(of: "shop") == "O")
        #expect(bot.objections == [])
    }

    @Test func `what was too much does not turn green because nobody is seen any more`() throws {
        var bot = try bot(["metric": "sessions", "warning": "> 100"])
        answer(&bot, for: .hours(3), ["shop": 400, "other": 1])
        #expect(bot.marks(of: "shop") == "O")
        answer(&bot, for: .hours(3), ["other": 1])
        #expect(bot.marks(of: "shop") == "OM")
        answer(&bot, for: .hours(3), ["shop": 2, "other": 1])
        #expect(bot.marks(of: "shop") == "OMR")
        #expect(bot.objections == [])
    }

    @Test func `issues that go on do not keep an app alive that has no figures any more`() throws {
        let rate = DetectorPlan(
            name: "rate",
            detector: try (["metric": "crash_free_sessions", "warning": "< 99%"] as WrittenOptions)
                .detector(ThresholdDetector.self))
        let alive = DetectorPlan(name: "alive", detector: try Self.alive.detector(ThresholdDetector.self))
        var bot = Rehearsal(.rehearsed(detectors: [alive, rate]))
        bot.comparesReplay = true
        bot.pollAnswer = { _, _ in nil }
        bot.start()
        func answer(for length: Duration, _ shop: Metrics) {
            let end = bot.now + length
            while bot.now < end {
                let other: Metrics = [.sessions: 500, .crashedSessions: 0]
                var seen = [("other", other), ("shop", shop)].map { app, metrics in
                    Observation.figures(
                        metrics, of: Subject(source: "ios", app: app), at: bot.now, lasting: .minutes(10))
                }
                seen[1].issues = [Issue(id: "A-1", title: "Crash")]
                bot.step(.polled(source: "ios", PollReport(.values(seen)), validators: [:]))
                bot.advance(by: .minutes(10))
            }
        }
        answer(for: .hours(3), [.sessions: 400, .crashedSessions: 200])
        #expect(bot.state.incidents.all.map(\.rule) == ["rate"])
        answer(for: .hours(5), [:])
        #expect(bot.state.incidents.all.map(\.rule).sorted() == ["alive", "rate"])
        let told = bot.decisions.filter { $0.message.incidents[0].rule == "alive" }.map(\.kind)
        #expect(told.first == .opened && !told.dropFirst().contains(.opened))
        let reminder = try #require(
            bot.decisions.last { $0.message.incidents[0].rule == "rate" && $0.kind == .reminder })
        #expect(reminder.message.fields.map(\.label).contains("No news since"))
        answer(for: .hours(3), [.sessions: 400, .crashedSessions: 0])
        #expect(bot.state.incidents.isEmpty)
        answer(for: .days(9), [:])
        let since = bot.decisions.filter { $0.at > bot.now - .days(9) && $0.message.incidents[0].rule == "alive" }
        #expect(since.filter { $0.kind == .opened }.count == 1, "not again after it was closed, a week later")
        #expect(since.last?.kind == .closed)
        #expect(bot.state.incidents.isEmpty)
        #expect(bot.objections == [])
    }

    @Test(arguments: [nil, "5.2.0"])
    func `a straggler of the time before does not bring back an app that is gone`(release: String?) throws {
        var bot = try bot(Self.alive)
        answer(&bot, for: .hours(3), ["shop": 400], release: release)
        answer(&bot, for: .minutes(10), ["shop": 400, "other": 500], release: release)
        let last = bot.now - .minutes(10)
        answer(&bot, for: .hours(3), ["other": 500])
        #expect(bot.marks(of: "shop") == "O")
        for late in [401.0, 402] {
            let straggler = Observation(
                subject: Subject(source: "ios", app: "shop", release: release),
                span: TimeSpan(lasting: .minutes(10), until: last), seen: bot.now, metrics: ["sessions": late])
            let other = Observation.figures(
                ["sessions": 500], of: Subject(source: "ios", app: "other"), at: bot.now, lasting: .minutes(10))
            bot.step(.polled(source: "ios", PollReport(.values([straggler, other])), validators: [:]))
            bot.advance(by: .minutes(10))
            answer(&bot, for: .minutes(30), ["other": 500])
        }
        #expect(bot.marks(of: "shop") == "O")
        answer(&bot, for: .hours(1), ["shop": 400, "other": 500], release: release)
        #expect(bot.marks(of: "shop") == "OR")
        #expect(bot.objections == [])
    }

    @Test(arguments: [true, false])
    func `figures are judged whatever was heard of issues, and when`(isOneAnswer: Bool) throws {
        var bot = try bot(Self.alive)
        let shop = Subject(source: "ios", app: "shop")
        func issues(_ age: Duration) -> Observation {
            Observation.figures([:], of: shop, at: bot.now - age, issues: [Issue(id: "A-1", title: "Crash")])
        }
        func figures(_ sessions: Double, _ age: Duration) -> Observation {
            Observation.figures([.sessions: sessions], of: shop, at: bot.now - age, lasting: .hours(1))
        }
        bot.see([figures(400, .zero)])
        bot.advance(by: .minutes(5))
        // Two exporters, of which the one of figures is some seconds behind.
        if isOneAnswer {
            bot.see([figures(3, .seconds(20)), issues(.zero)])
        } else {
            bot.see([issues(.zero)])
            bot.see([figures(3, .seconds(20))])
        }
        #expect(bot.state.incidents.all.map(\.state) == [.firing])
        bot.advance(by: .minutes(5))
        bot.see([figures(500, .seconds(20)), issues(.zero)])
        #expect(bot.state.incidents.isEmpty)
        #expect(bot.objections == [])
    }

    @Test func `what counts as none because it is gone is not told as if it had been measured`() throws {
        var bot = try bot(Self.alive)
        answer(&bot, for: .hours(3), ["shop": 400, "other": 500])
        answer(&bot, for: .hours(12), ["other": 500])
        let reminder = try #require(bot.decisions.last { $0.kind == .reminder }).message
        #expect(reminder.headline == "🟠 shop: sessions still 0 (alert below 10, for 8 h)")
        #expect(reminder.fields.map(\.label) == ["Since", "No news since"])
        #expect(reminder.reason == "Not measured: it counts as 0 while the source does not report it.")
    }

    @Test func `a release that fades away while its app goes on is nobody's alarm`() throws {
        var bot = try bot(Self.alive)
        answer(&bot, for: .hours(3), ["shop": 400], release: "5.1.0")
        answer(&bot, for: .hours(5), ["shop": 400], release: "5.2.0")
        #expect(bot.decisions.isEmpty)
    }

    @Test func `an app that has figures of an hour each is not gone between two of them`() throws {
        var bot = try bot(["metric": "sessions", "warning": "< 10", "window": "10m"])
        let slow = Subject(source: "ios", app: "slow")
        for _ in 0..<8 {
            bot.see([.figures(["sessions": 400], of: slow, at: bot.now, lasting: .hours(1))])
            answer(&bot, for: .hours(1), ["other": 500])
        }
        #expect(bot.decisions.isEmpty)
        answer(&bot, for: .hours(3), ["other": 500])
        #expect(bot.marks(of: "slow") == "O")
    }

    @Test func `a source whose figures are of an hour each answers, between two lines that are played, too`() throws {
        let options: WrittenOptions = ["metric": "crash_free_users", "critical": "< 99%", "confidence": "off"]
        let rule = DetectorPlan(
            name: "floor", detector: try options.detector(ThresholdDetector.self), repeat: .minutes(335))
        var bot = Rehearsal(.rehearsed(detectors: [rule]))
        bot.pollAnswer = { _, _ in nil }
        bot.start()
        for hour in 0..<18 {
            let crashed = hour < 3 ? ["gone": 500.0, "other": 5] : ["other": 5]
            let lines = crashed.sorted { $0.key < $1.key }.map { app, crashed in
                ObservationLine.observed(
                    .figures(
                        ["users": 10_000, "crashed_users": crashed], of: Subject(source: "ios", app: app), at: bot.now,
                        lasting: .hours(1)))
            }
            bot.step(.observed(lines))
            bot.advance(by: .hours(1))
        }
        let reminders = bot.decisions.filter { $0.kind == .reminder }
        #expect(reminders.count == 3)
        let told = reminders.compactMap { $0.message.fields.first { $0.label == "No news since" }?.value }
        #expect(told.count == 3)
        for text in told { #expect(text.hasSuffix("the source answers, but no longer reports it"), "\(text)") }
    }

    @Test func `a source that fails has not lost its apps`() throws {
        var bot = try bot(Self.alive)
        answer(&bot, for: .hours(3), ["shop": 400])
        for _ in 0..<30 {
            bot.fail()
            bot.advance(by: .minutes(10))
        }
        #expect(bot.marks(of: "shop") == "")
    }

    private static let open: [(Unread, [String])] = [
        (.nothing, ["O", "O"]), (.apps(["shop"]), ["", "O"]), (.apps(["other"]), ["O", ""]), (.anything, ["", ""]),
    ]

    @Test(arguments: open, [(500.0, false), (500, true), (nil, false), (nil, true)])
    func `what an answer could not tell has not vanished, polled or played`(
        open: (unread: Unread, marks: [String]), left: (third: Double?, isReplayed: Bool)
    ) throws {
        var bot = try bot(Self.alive)
        answer(&bot, for: .hours(3), ["shop": 400, "other": 500, "third": 500])
        let third = left.third.map { ["third": $0] } ?? [:]
        answer(&bot, for: .hours(3), third, unread: open.unread, isReplayed: left.isReplayed)
        #expect([bot.marks(of: "shop"), bot.marks(of: "other")] == open.marks)
        // Answers that are whole settle it, for as long as figures are believed.
        answer(&bot, for: .hours(1), third, isReplayed: left.isReplayed)
        #expect([bot.marks(of: "shop"), bot.marks(of: "other")] == ["O", "O"])
        #expect(bot.objections == [])
    }

    @Test func `that nobody can tell which apps are gone is said where people look, if a rule asks for it`() throws {
        let own = "a row is left out"
        for (options, count) in [(Self.alive, 2), (["metric": "crash_events", "critical": "> 10"], 1)] {
            var bot = try bot(options)
            let report = PollReport(.noData, warnings: [own], unread: .anything)
            bot.step(.polled(source: "ios", report, validators: [:]))
            let said = bot.state.schedule.sources["ios"]?.warnings ?? []
            #expect(said.first == own)
            #expect(said.count == count)
        }
    }

    @Test func `an app that was gone stays gone while nobody can tell, and ends when it is back`() throws {
        var bot = try bot(Self.alive)
        answer(&bot, for: .hours(3), ["shop": 400, "other": 500])
        answer(&bot, for: .hours(3), ["other": 500])
        answer(&bot, for: .hours(1), ["other": 500], unread: .apps(["shop"]))
        #expect(bot.marks(of: "shop") == "O")
        answer(&bot, for: .hours(1), ["shop": 400, "other": 500])
        #expect(bot.marks(of: "shop") == "OR")
    }

    @Test func `an app that never had sessions, and a rule that asks for something else, see nothing`() throws {
        var quiet = try bot(Self.alive)
        answer(&quiet, for: .hours(1), ["shop": 400, "idle": 0])
        quiet.advance(by: .hours(1))
        #expect(quiet.marks(of: "shop") == "")
        var users = try bot(["metric": "crash_events", "critical": "> 10"])
        answer(&users, for: .hours(1), ["shop": 400, "other": 500])
        answer(&users, for: .hours(4), ["other": 500])
        #expect(users.decisions.isEmpty)
    }

    @Test func `after a week without it nobody knows any more, and it is closed without news`() throws {
        var bot = try bot(Self.alive)
        answer(&bot, for: .hours(3), ["shop": 400, "other": 500])
        answer(&bot, for: .days(8), ["other": 500])
        let kinds = bot.decisions.filter { $0.message.incidents[0].subject.app == "shop" }.map(\.kind)
        #expect(kinds.first == .opened)
        #expect(kinds.last == .closed)
        #expect(kinds.dropFirst().dropLast().allSatisfy { $0 == .reminder })
        #expect(bot.state.incidents.isEmpty)
    }
}
