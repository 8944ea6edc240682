import AlertCore
import AlertTesting
import PluginKit
import PluginTesting
import Testing
import ThresholdDetector

/// Counts of a window of which only a part is known: after a start, and around polls that failed.
@Suite struct `Counts of a part of a window` {
    private func bot(_ options: WrittenOptions) throws -> Rehearsal {
        let rule = DetectorPlan(name: "counts", detector: try options.detector(ThresholdDetector.self), repeat: nil)
        var bot = Rehearsal(.rehearsed(detectors: [rule]))
        bot.comparesReplay = true
        bot.pollAnswer = { _, _ in nil }
        bot.start()
        return bot
    }

    /// Every five minutes so many in five minutes.
    private func see(_ bot: inout Rehearsal, _ count: Double, of metric: Metric = .sessions, for length: Duration) {
        var metrics = Metrics()
        metrics[metric] = count
        let end = bot.now + length
        while bot.now < end {
            bot.see([.figures(metrics, at: bot.now, lasting: .minutes(5))])
            bot.advance(by: .minutes(5))
        }
    }

    private func fail(_ bot: inout Rehearsal, for length: Duration) {
        let end = bot.now + length
        while bot.now < end {
            bot.fail()
            bot.advance(by: .minutes(5))
        }
    }

    private static let floor: WrittenOptions = ["metric": "sessions", "critical": "< 3000"]

    @Test func `an app that has just come does not have few sessions`() throws {
        var bot = try bot(Self.floor)
        see(&bot, 500, for: .hours(3))
        #expect(bot.marks(of: "shop") == "")
    }

    @Test(arguments: [Duration.minutes(10), .minutes(40), .hours(2), .hours(5)])
    func `polls that failed do not make sessions few`(outage: Duration) throws {
        for limit in ["< 3000", "< 5200", "< 5900"] {
            var bot = try bot(["metric": "sessions", "critical": .init(stringLiteral: limit)])
            see(&bot, 500, for: .hours(3))
            fail(&bot, for: outage)
            see(&bot, 500, for: .hours(3))
            #expect(bot.marks(of: "shop") == "", "\(limit)")
        }
    }

    @Test func `few are few as soon as half of the window is known, and the rule says what that makes`() throws {
        var bot = try bot(Self.floor)
        see(&bot, 100, for: .minutes(25))
        #expect(bot.marks(of: "shop") == "")
        see(&bot, 100, for: .minutes(10))
        #expect(bot.marks(of: "shop") == "O")
        let evidence = try #require(bot.state.incidents.inOrder.first).evidence
        #expect(evidence.sentence == "sessions 700, below 3000 over the last 35 min, which makes 1,200 in 1 h")
    }

    @Test func `what half an hour makes of an hour is the figure, and not the worst of hours that are alike`() throws {
        var bot = try bot(["metric": "sessions", "critical": "< 600"])
        see(&bot, 49, for: .hours(3))
        let opened = try #require(bot.sends.first?.delivery.message)
        #expect(opened.headline.contains("sessions 588 (alert below 600"), "\(opened.headline)")
        #expect(opened.reason == "Only 30 min of 1 h are known: 294 in that time, which would be 588 in all.")
        let incident = try #require(bot.state.incidents.inOrder.first)
        #expect(incident.worst.figure?.value == 588)
        #expect(incident.worst.span?.length == Duration.hours(1))
        #expect(incident.evidence.sentence == "sessions 588, below 600 over the last 1 h")
        let spanish = try #require(incident.worst.phrase.map { Words.spanish.text($0, clock: \.description) })
        #expect(
            spanish.replacing("\u{A0}", with: " ")
                == "Solo se conocen 30 min de 1 h: 294 en ese tiempo, lo que equivale a 588 en total.")
        #expect(bot.objections == [])
    }

    @Test func `polls that failed do not make an incident worse`() throws {
        var bot = try bot(["metric": "sessions", "warning": "< 600", "critical": "< 400"])
        see(&bot, 60, for: .hours(2))
        see(&bot, 47, for: .hours(2))
        fail(&bot, for: .minutes(25))
        see(&bot, 47, for: .hours(2))
        #expect(bot.marks(of: "shop") == "O")
        #expect(bot.state.incidents.inOrder.first?.worst.figure?.value == 564)
        see(&bot, 70, for: .hours(2))
        let end = try #require(bot.sends.last?.delivery)
        #expect(end.kind == .resolved)
        #expect(end.message.fields.contains(Message.Field("At worst", "564")), "\(end.message.fields)")
        #expect(bot.objections == [])
    }

    @Test func `a part inside the limit shows what it makes of the whole, too`() throws {
        let options: WrittenOptions = ["metric": "crash_events", "critical": "> 500"]
        let rule = try options.detector(ThresholdDetector.self)
        let half = rule.judge(Series(["crash_events": 100], span: .minutes(30)), at: .noon)
        #expect(half.verdict == .ok(recovered: true))
        #expect(half.evidence.figure?.value == 200)
        #expect(
            half.evidence.phrase?.english
                == "Only 30 min of 1 h are known: 100 in that time, which would be 200 in all.")
        // More than a limit is more, whatever the rest of the window is.
        let many = rule.judge(Series(["crash_events": 600], span: .minutes(30)), at: .noon)
        #expect(many.evidence.figure?.value == 600)
        #expect(many.evidence.phrase == Phrase(.reasonMeasured))
    }

    @Test func `until then it says how much is known`() throws {
        let rule = try Self.floor.detector(ThresholdDetector.self)
        let judgement = rule.judge(Series(["sessions": 500], span: .minutes(5)), at: .noon)
        #expect(judgement.verdict == .unknown("sessions are known for only 5 min of the last 1 h"))
        #expect(rule.isBlind(to: Series(["sessions": 500], span: .minutes(5)), at: .noon))
        #expect(!rule.isBlind(to: Series(["sessions": 5000], span: .minutes(5)), at: .noon))
    }

    @Test func `too many are too many however little is known, and end only when enough is`() throws {
        var bot = try bot(["metric": "crash_events", "critical": "> 500"])
        see(&bot, 70, of: .crashEvents, for: .hours(2))
        #expect(bot.marks(of: "shop") == "O")
        fail(&bot, for: .minutes(70))
        // No more than before, and for a while nobody knows of how many.
        see(&bot, 70, of: .crashEvents, for: .hours(1))
        #expect(bot.marks(of: "shop") == "O")
        see(&bot, 10, of: .crashEvents, for: .hours(1))
        #expect(bot.marks(of: "shop") == "OR")
        #expect(bot.objections == [])
    }
}

/// A figure that is beyond its limit and cannot be told from chance opens nothing and ends nothing; but it is known.
@Suite struct `Figures that are too close to call` {
    @Test func `what is open goes on with them, and they are no silence`() throws {
        let options: WrittenOptions = ["metric": "crash_free_users", "warning": "< 99.5%", "critical": "< 99%"]
        let rule = DetectorPlan(
            name: "floor", detector: try options.detector(ThresholdDetector.self), repeat: .hours(4))
        var bot = Rehearsal(.rehearsed(detectors: [rule]))
        bot.comparesReplay = true
        bot.pollAnswer = { _, _ in nil }
        bot.start()
        func see(_ crashed: Double, hours: Int) {
            for _ in 0..<hours {
                bot.see([.figures(["users": 5000, "crashed_users": crashed], at: bot.now, lasting: .hours(1))])
                bot.advance(by: .hours(1))
            }
        }
        see(200, hours: 3)
        see(36, hours: 8 * 24)
        let kinds = bot.sends.map(\.delivery.kind)
        #expect(kinds.first == .opened)
        #expect(kinds.dropFirst().allSatisfy { $0 == .reminder }, "\(kinds)")
        let message = try #require(bot.sends.last?.delivery.message)
        #expect(!message.plainText.contains("no news"), "\(message.plainText)")
        #expect(message.headline.contains("96.00% at worst (alert below 99%, "), "\(message.headline)")
        #expect(message.fields.contains(Message.Field("Now", "99.28%")), "\(message.fields)")
        #expect(message.reason == "Too little is known to be sure that it is over.")
        see(0, hours: 3)
        #expect(bot.sends.last?.delivery.kind == .resolved)
        #expect(bot.objections == [])
    }

    @Test func `they open nothing, however long they stay`() throws {
        let options: WrittenOptions = ["metric": "crash_free_users", "warning": "< 99.5%", "for": "2h"]
        let rule = DetectorPlan(name: "floor", detector: try options.detector(ThresholdDetector.self))
        var bot = Rehearsal(.rehearsed(detectors: [rule]))
        bot.pollAnswer = { _, _ in nil }
        bot.start()
        for _ in 0..<48 {
            bot.see([.figures(["users": 5000, "crashed_users": 33], at: bot.now, lasting: .hours(1))])
            bot.advance(by: .hours(1))
        }
        #expect(bot.sends.isEmpty)
    }
}
