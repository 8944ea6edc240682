import AlertCore
import AlertTesting
import BudgetGate
import FlappingGate
import PluginKit
import PluginTesting
import Testing

/// A rule that fires while a figure is beyond one of its limits; the first that is so is what it tells of.
private struct Watch: SubjectDetector {
    struct Limit {
        let metric: Metric
        let severity: Severity
        let comparison: Comparison
        /// Of fewer cases the limit says nothing.
        var casesMin = 0.0
    }

    static let manifest = PluginManifest(name: "watch", summary: "Fires beyond any of its limits.", options: [])

    let limits: [Limit]
    let window: Duration

    init(_ limits: [Limit], over window: Duration = .hours(1)) {
        self.limits = limits
        self.window = window
    }

    init(options: Options, context: RuleContext) throws(ProblemList) { self.init([]) }

    var metrics: [Metric] { limits.map(\.metric) }
    var lookback: Duration { window }
    var spans: [Duration] { [window] }
    var holdTime: Duration { .zero }

    func judge(_ series: Series, at now: Moment) -> Judgement {
        let seen = limits.compactMap { limit in series.measured(limit.metric, over: window).map { (limit, $0) } }
        let beyond = seen.first { limit, measured in
            limit.comparison.holds(measured.figure.value)
                && measured.figure.share.map { $0.total >= limit.casesMin } ?? true
        }
        guard let (limit, measured) = beyond ?? seen.last else {
            return Judgement(.unknown("no figure"), .far, Evidence(sentence: "no figure"))
        }
        var evidence = Evidence(
            metric: limit.metric.name, figure: measured.figure, limit: limit.comparison, span: measured.span,
            sentence: "")
        evidence.say(beyond == nil ? .nothing : Phrase(.reasonMeasured))
        return Judgement(beyond == nil ? .ok(recovered: true) : .firing(limit.severity), .near, evidence)
    }
}

/// What messages make of figures: in which unit, of when, and how bad it was.
@Suite struct `Figures in messages` {
    private func limit(
        _ metric: Metric, _ text: String, _ severity: Severity = .warning, ofAtLeast cases: Double = 0
    ) throws -> Watch.Limit {
        Watch.Limit(metric: metric, severity: severity, comparison: try Comparison(grammar: text), casesMin: cases)
    }

    private func bot(
        _ limits: Watch.Limit..., over window: Duration = .hours(1), gates: [GatePlan] = [],
        at start: Moment = .rehearsalStart, zone: String = "UTC", match: Match = .all
    ) throws -> Rehearsal {
        let rule = DetectorPlan(name: "watch", detector: Watch(limits, over: window), match: match)
        let plan = Plan(
            botName: "shop-alerts", zone: try ZoneDatabase().zone(zone), sources: [SourcePlan(name: "ios", jitter: 0)],
            detectors: [rule], gates: gates, channels: [ChannelPlan(name: "team")])
        var bot = Rehearsal(plan, at: start)
        bot.pollAnswer = { _, _ in nil }
        bot.start()
        return bot
    }

    /// Lets the bot see figures of the time up to now, or up to a while ago.
    private func see(
        _ metrics: Metrics, in bot: inout Rehearsal, lasting length: Duration = .hours(1), late: Duration = .zero,
        of subject: Subject = .shop
    ) {
        bot.see([
            Observation(
                subject: subject, span: TimeSpan(lasting: length, until: bot.now - late), seen: bot.now,
                metrics: metrics)
        ])
        bot.advance(by: .zero)
    }

    private func message(_ bot: Rehearsal, _ kind: Notification.Kind) throws -> Message {
        try #require(bot.decisions.last { $0.decision == .send && $0.kind == kind }).message
    }

    private func field(_ label: String, _ message: Message) -> String? {
        message.fields.first { $0.label == label }?.value
    }

    // MARK: - How bad it was

    @Test func `the worst of a rule about several metrics is told in its own metric`() throws {
        var bot = try bot(limit(.anrRate, "> 0.47%", .critical), limit(.crashFreeUsers, "< 99%", .critical))
        see(["users": 10_000, "crashed_users": 20, "anr_rate": 0.009], in: &bot)
        bot.advance(by: .hours(1))
        see(["users": 10_000, "crashed_users": 20, "anr_rate": 0.001], in: &bot)
        let end = try message(bot, .resolved)
        #expect(end.headline.contains("crash-free users 99.80%"))
        #expect(field("At worst", end) == "ANR rate 0.90%")
        #expect(field("Affected at worst", end) == "90 of 10,000 users (0.90%)")
    }

    @Test func `of several metrics the worst is that which is farthest beyond what is allowed`() throws {
        var bot = try bot(
            limit(.crashFreeUsers, "< 98%", .critical), limit("crash_events", "> 200", .critical), over: .minutes(5))
        for (crashed, events) in [(2.0, 1.0), (30, 300), (2, 210), (2, 1)] {
            bot.advance(by: .minutes(5))
            see(["users": 1_000, "crashed_users": crashed, "crash_events": events], in: &bot, lasting: .minutes(5))
        }
        // Three in a hundred are half as many again as two; 210 are a twentieth more than 200.
        let end = try message(bot, .resolved)
        #expect(field("At worst", end)?.hasSuffix("97.00%") == true, "\(end.fields)")
        #expect(field("Affected at worst", end) == "30 of 1,000 users (3.00%)")
    }

    @Test func `at worst is never better than how it is at the end`() throws {
        var bot = try bot(
            limit(.crashFreeSessions, "< 99%", .critical), limit(.crashFreeSessions, "< 99.5%"), over: .minutes(15))
        func figures(_ crashed: Double, late: Duration = .zero) -> Observation {
            Observation(
                subject: .shop, span: TimeSpan(lasting: .minutes(5), until: bot.now - late), seen: bot.now,
                metrics: ["sessions": 4_000, "crashed_sessions": crashed])
        }
        for crashed in [8.0, 8, 8, 8, 8, 8, 60, 60, 60, 28] {
            bot.advance(by: .minutes(5))
            bot.see([figures(crashed)])
        }
        bot.see([15, 10, 5].map { figures(4, late: .minutes($0)) })
        bot.advance(by: .zero)
        let end = try message(bot, .resolved)
        #expect(end.headline.contains("99.70%"), "\(end.headline)")
        #expect(field("At worst", end) == "99.70%")
        #expect(field("Affected at worst", end) == "36 of 12,000 sessions (0.30%)")
    }

    @Test func `how many were hit is told of the worst moment and not as a peak`() throws {
        var bot = try bot(limit(.crashFreeUsers, "< 99%"))
        see(["users": 60, "crashed_users": 12], in: &bot)
        bot.advance(by: .hours(1))
        see(["users": 8_000, "crashed_users": 400], in: &bot)
        bot.advance(by: .hours(1))
        see(["users": 8_000, "crashed_users": 4], in: &bot)
        let end = try message(bot, .resolved)
        #expect(field("Affected at worst", end) == "12 of 60 users (20.00%)")
        #expect(!end.plainText.lowercased().contains("peak"))
    }

    @Test func `a summary tells how severe it was at worst and not at last`() throws {
        var bot = try bot(
            limit(.crashFreeUsers, "< 99%", .critical), limit(.crashFreeUsers, "< 99.5%"),
            gates: [.quiet(from: "2026-11-20 12:00", until: "2026-11-20 20:00")], at: .utc("2026-11-20 12:00"))
        for crashed in [100.0, 7, 1] {
            see(["users": 1_000, "crashed_users": crashed], in: &bot)
            bot.advance(by: .hours(1))
        }
        // What the journal keeps is enough to tell it.
        bot.crash()
        bot.advance(by: .hours(8))
        let summary = try message(bot, .digest)
        #expect(summary.lines.first?.hasPrefix("🔴 shop: crash-free users 90.00% at worst") == true, "\(summary.lines)")
        #expect(summary.severity == .critical)
    }

    @Test func `what has ended keeps the mark of its end in a digest, though its figures are corrected`() throws {
        var bot = try bot(
            limit(.crashFreeUsers, "< 99%", .critical), limit(.crashFreeUsers, "< 99.5%"), over: .minutes(10),
            gates: [try .rule(BudgetGate.self, "calm", ["at_most": "2 per 1h"])])
        for crashed in [1.0, 30, 8, 8, 8, 1] {
            see(["users": 1_000, "crashed_users": crashed], in: &bot, lasting: .minutes(10))
            bot.advance(by: .minutes(10))
        }
        see(["users": 1_000, "crashed_users": 300], in: &bot, lasting: .minutes(10), late: .minutes(50))
        bot.advance(by: .hours(2))
        let digest = try message(bot, .digest)
        #expect(digest.lines.map { String($0.prefix(2)) } == ["✅ "], "\(digest.lines)")
    }

    @Test func `what flaps is told with the worst of all its times, and how it is now`() throws {
        var bot = try bot(
            limit(.crashFreeUsers, "< 99%"), over: .minutes(10),
            gates: [try .rule(FlappingGate.self, "wobble", ["within": "2h", "calm": "1h"])])
        for crashed in [60.0, 1, 30, 1] {
            see(["users": 1_000, "crashed_users": crashed], in: &bot, lasting: .minutes(10))
            bot.advance(by: .minutes(10))
        }
        let end = try message(bot, .resolved)
        #expect(
            end.headline == "🟠 shop is flapping: crash-free users 94.00% at worst, now 99.90% (alert below 99%)")
        #expect(field("At worst", end) == "94.00%")
    }

    // MARK: - In which unit, and with how many digits

    @Test func `a figure of a source's own that is judged by a percentage is told in percent`() throws {
        var bot = try bot(limit("checkout_success", "< 90%"))
        for value in [0.982, 0.85, 0.95] {
            bot.advance(by: .hours(1))
            see(["checkout_success": value], in: &bot)
        }
        let opening = try message(bot, .opened)
        #expect(opening.headline == "🟠 shop: checkout_success 85.00% (alert below 90%)")
        #expect(field("Before → now", opening) == "98.20% → 85.00%")
        let end = try message(bot, .resolved)
        #expect(end.headline == "✅ shop: checkout_success 95.00%, back above 90%, after 1 h")
        #expect(field("At worst", end) == "85.00%")
    }

    @Test(arguments: [
        ("< 99.5%", 1_000_000.0, 5_001.0, "99.4999% (alert below 99.5%)"),
        ("< 99.999%", 1_000_000, 11, "99.9989% (alert below 99.999%)"),
        ("< 100%", 10_000_000, 3, "99.99997% (alert below 100%)"),
        ("< 99.5%", 1_000, 6, "99.40% (alert below 99.5%)"),
    ])
    func `a figure is never rounded onto its limit`(limit: String, users: Double, crashed: Double, told: String) throws
    {
        var bot = try bot(self.limit(.crashFreeUsers, limit))
        see(["users": users, "crashed_users": crashed], in: &bot)
        #expect(try message(bot, .opened).headline == "🟠 shop: crash-free users \(told)")
    }

    @Test func `of a rate without counts of its own nobody is told a share that is another`() throws {
        var bot = try bot(limit(.anrRate, "> 0.47%"))
        see(["users": 2_000, "anr_rate": 0.0061], in: &bot)
        let opening = try message(bot, .opened)
        #expect(opening.headline == "🟠 shop: ANR rate 0.61% (alert above 0.47%)")
        #expect(field("Users affected", opening) == "about 12 of 2,000 (0.61%)")
    }

    // MARK: - Of when it is

    @Test func `an escalation says "now" of the newest figure alone`() throws {
        var bot = try bot(
            limit(.crashFreeUsers, "< 99%", .critical, ofAtLeast: 1_000), limit(.crashFreeUsers, "< 99.5%"))
        see(["users": 300, "crashed_users": 12], in: &bot)
        bot.advance(by: .hours(1))
        see(["users": 2_000, "crashed_users": 58], in: &bot)
        let worse = try message(bot, .escalated)
        #expect(worse.headline == "🔴 shop, now critical: crash-free users now 97.10% (alert below 99%)")
        #expect(field("Now", worse) == nil)
    }

    @Test func `a reminder says how bad it was by the limit of how bad it is, and how it is now in a line of its own`()
        throws
    {
        var bot = try bot(limit(.crashFreeUsers, "< 99%", .critical), limit(.crashFreeUsers, "< 99.5%"))
        for crashed in [80.0, 400, 80, 80, 80, 80] {
            see(["users": 10_000, "crashed_users": crashed], in: &bot)
            bot.advance(by: .hours(1))
        }
        let reminder = try message(bot, .reminder)
        let headline = "🟠 shop: crash-free users 96.00% at worst (alert below 99.5%, for "
        #expect(reminder.headline.hasPrefix(headline), "\(reminder.headline)")
        #expect(field("Now", reminder) == "99.20%")
        #expect(field("At worst", reminder) == nil)
        #expect(field("Users affected", reminder) == "400 of 10,000 (4.00%)")
    }

    @Test(arguments: [Duration.seconds(30), .hours(4)])
    func `before is before the first stretch that was judged, however late figures come`(late: Duration) throws {
        var bot = try bot(limit(.crashFreeUsers, "< 99%"))
        for hour in 0..<10 {
            let crashed = hour < 5 ? 20.0 : Double(300 + hour)
            see(["users": 10_000, "crashed_users": crashed], in: &bot, late: late)
            bot.advance(by: .hours(1))
        }
        #expect(field("Before → now", try message(bot, .opened)) == "99.80% → 96.95%")
        #expect(field("Before → now", try message(bot, .reminder)) == "99.80% → 96.92%")
    }

    @Test func `a window of many hours is compared with what was before it`() throws {
        var bot = try bot(limit(.crashFreeSessions, "< 99%"), over: .hours(6))
        for step in 0..<120 {
            let crashed = step < 84 ? 1.0 : 30
            see(["sessions": 1_000, "crashed_sessions": crashed], in: &bot, lasting: .minutes(10))
            bot.advance(by: .minutes(10))
        }
        let before = try #require(field("Before → now", try message(bot, .opened)))
        #expect(before.hasPrefix("99.90% → "), "\(before)")
    }

    @Test(arguments: [(Duration.minutes(30), "600 → 60"), (.hours(1), "1,200 → 120")])
    func `a count is compared with that of a stretch as long`(window: Duration, told: String) throws {
        var bot = try bot(limit(.sessions, "< 150"), over: window)
        for step in 1...60 {
            bot.advance(by: .minutes(5))
            see(["sessions": step <= 36 ? 100 : 10], in: &bot, lasting: .minutes(5))
        }
        let message = try #require(bot.decisions.last).message
        #expect(message.kind == .opened)
        #expect(field("Before → now", message) == told)
    }

    @Test(
        arguments: [
            ([(12, 8), (4, 60), (10, 8), (4, 32)], ["99.80% → 99.15%", "99.80% → 99.20%"]),
            // What came just before was too short, and so was what was between two others.
            (
                [(12, 8), (4, 60), (4, 8), (4, 60), (1, 8), (4, 32)],
                ["99.80% → 99.15%", "99.80% → 99.15%", "99.80% → 99.20%"]
            ),
            // What has always been so is no news.
            ([(12, 19.9), (4, 20.4)], [nil]),
        ] as [([(Int, Double)], [String?])])
    func `before is a time without trouble, or nothing is said of it`(
        crashed: [(count: Int, each: Double)], told: [String?]
    ) throws {
        var bot = try bot(limit(.crashFreeSessions, "< 99.5%"), over: .minutes(10), at: .utc("2026-11-20 08:00"))
        for (count, each) in crashed {
            for _ in 0..<count {
                bot.advance(by: .minutes(5))
                see(["sessions": 4_000, "crashed_sessions": each], in: &bot, lasting: .minutes(5))
            }
        }
        let alarms = bot.decisions.filter { $0.decision == .send && $0.kind == .opened }.map(\.message)
        #expect(alarms.map { field("Before → now", $0) } == told)
    }

    @Test func `while nothing is known, nothing is told as if it were`() throws {
        var bot = try bot(limit(.crashFreeUsers, "< 99%"), over: .minutes(10))
        for step in 0..<12 {
            see(["users": 1_000, "crashed_users": step < 8 ? 2 : 30], in: &bot, lasting: .minutes(10))
            bot.advance(by: .minutes(10))
        }
        #expect(try message(bot, .opened).reason == "Measured over the last 10 min.")
        bot.advance(by: .hours(5))
        let reminder = try message(bot, .reminder)
        #expect(reminder.headline.contains("last known 97.00%"), "\(reminder.headline)")
        #expect(field("Before → now", reminder) == nil)
        #expect(reminder.reason == "As of Fri 20 Nov 13:50: Measured over the last 10 min.")
    }

    @Test func `a stretch over a change of the clocks names the zone of both its ends`() throws {
        var bot = try bot(limit(.crashFreeUsers, "< 99%"), at: .utc("2026-10-25 00:30"), zone: "Europe/Madrid")
        see(["users": 1_000, "crashed_users": 30], in: &bot)
        bot.advance(by: .hours(1))
        see(["users": 1_000, "crashed_users": 1], in: &bot)
        let end = try message(bot, .resolved)
        #expect(field("Lasted", end) == "Sun 25 Oct 02:30 CEST to 02:30 CET, 1 h")
    }

    // MARK: - Of whom

    @Test(arguments: [true, false])
    func `what stands out is a share of sessions, for users of releases do not add up`(hasSessions: Bool) throws {
        var bot = try bot(limit(.crashFreeUsers, "< 99%"))
        let releases = ["5.1": (9_000.0, 20.0), "5.2": (6_000, 215)]
        func metrics(_ users: Double, _ crashed: Double) -> Metrics {
            var metrics: Metrics = ["users": users, "crashed_users": crashed]
            guard hasSessions else { return metrics }
            metrics[.sessions] = users * 2
            metrics[.crashedSessions] = crashed * 2
            return metrics
        }
        bot.see(
            [.figures(metrics(10_000, 220), at: bot.now, lasting: .hours(1))]
                + releases.sorted { $0.key < $1.key }.map { name, counts in
                    .figures(
                        metrics(counts.0, counts.1), of: Subject(source: "ios", app: "shop", release: name),
                        at: bot.now,
                        lasting: .hours(1))
                })
        let opening = try #require(
            bot.decisions.first { $0.message.incidents.first?.subject == .shop && $0.decision == .send }
        ).message
        let told = hasSessions ? "release 5.2: 91.49% of crashed sessions, 40.00% of sessions" : nil
        #expect(field("Stands out", opening) == told)
    }

    // What was counted in the last five minutes of an hour may be all that there was in it.
    @Test(arguments: [(Duration.hours(1), true, true), (.minutes(5), false, true), (.days(1), false, false)])
    func `shares are told of what was counted over the same time alone`(
        lasting length: Duration, isTold: Bool, standsOut: Bool
    ) throws {
        func opening(_ match: Match) throws -> Message {
            var bot = try bot(limit(.crashFreeSessions, "< 99%"), match: match)
            func figures(
                _ release: String?, _ sessions: Double, _ crashed: Double, lasting length: Duration
            ) -> Observation {
                .figures(
                    [.sessions: sessions, .crashedSessions: crashed],
                    of: Subject(source: "ios", app: "shop", release: release), at: bot.now, lasting: length)
            }
            bot.see([
                figures(nil, 12_000, 320, lasting: .hours(1)), figures("5.1", 6_000, 20, lasting: .hours(1)),
                figures("5.2", 6_000, 300, lasting: length),
            ])
            return try message(bot, .opened)
        }
        let ofRelease = try opening(.on(["release": "5.2"]))
        #expect(field("Release", ofRelease) == (isTold ? "5.2, 50.00% of sessions" : "5.2"))
        #expect((field("Stands out", try opening(.all)) != nil) == standsOut)
    }
}
