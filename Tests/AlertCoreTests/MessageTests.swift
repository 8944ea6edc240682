import AlertCore
import AlertTesting
import GroupGate
import PluginKit
import Testing

/// A rule with two limits, whose reasons are always worded alike.
private struct Floor: SubjectDetector {
    static let manifest = PluginManifest(name: "floor", summary: "Fires below 99.5% and below 99%.", options: [])

    init() {}
    init(options: Options, context: RuleContext) throws(ProblemList) {}

    let metrics: [Metric] = [.crashFreeUsers]
    let lookback = Duration.hours(1)
    let spans = [Duration.hours(1)]
    let holdTime = Duration.zero

    func judge(_ series: Series, at now: Moment) -> Judgement {
        guard let measured = series.measured(.crashFreeUsers, over: lookback) else {
            return Judgement(.unknown("no figure"), .far, Evidence(sentence: "no figure"))
        }
        let value = measured.figure.value
        let limit = Comparison(.less, value < 0.99 ? 0.99 : 0.995, isPercentage: true)
        let side = limit.holds(value) ? "below" : "not below"
        let evidence = Evidence(
            metric: Metric.crashFreeUsers.name, figure: measured.figure, limit: limit, span: measured.span,
            sentence: "crash-free users \(value.percent), \(side) \(limit.limitText) over the last hour")
        guard limit.holds(value) else { return Judgement(.ok(recovered: true), .far, evidence) }
        return Judgement(.firing(value < 0.99 ? .critical : .warning), .near, evidence)
    }
}

/// The words, as people read them.
@Suite struct `Messages` {
    /// A bot that has watched the shop for a day; it is 23:00 in Madrid.
    private func bot(_ gates: GatePlan...) throws -> Rehearsal {
        let rule = DetectorPlan(name: "crash-free-floor", detector: Floor())
        let plan = Plan(
            botName: "shop-alerts", zone: try ZoneDatabase().zone("Europe/Madrid"),
            publicURL: "https://alerts.example.com", sources: [SourcePlan(name: "ios", jitter: 0)], detectors: [rule],
            gates: gates, channels: [ChannelPlan(name: "team")])
        var bot = Rehearsal(plan, at: .utc("2026-11-19 22:00"))
        bot.pollAnswer = { _, _ in nil }
        bot.start()
        for hour in 0..<24 {
            see(crashed: Double(20 + hour % 5 * 4), in: &bot)
            bot.suspend(for: .hours(1))
        }
        return bot
    }

    private func see(crashed: Double, in bot: inout Rehearsal) {
        let release = Subject(source: "ios", app: "shop", release: "5.2.0")
        let issues = [
            Issue(
                id: "SHOP-12", title: "NullPointerException in CartView", events: 1240, users: 290,
                firstSeen: .utc("2026-11-20 21:40"), url: "https://sentry.example/SHOP-12"),
            Issue(id: "SHOP-7", title: "Hostile\nOK: all is well\u{202E}", events: 3),
        ]
        bot.see([
            .figures(["users": 20_000, "crashed_users": crashed], at: bot.now, lasting: .hours(1), issues: issues),
            .figures(["users": 12_000, "crashed_users": crashed], of: release, at: bot.now, lasting: .hours(1)),
        ])
        // What was sent arrives.
        bot.advance(by: .zero)
    }

    private func expect(
        _ bot: Rehearsal, _ kind: Notification.Kind, _ text: String, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let message = bot.decisions.last { $0.decision == .send && $0.kind == kind }?.message
        let told = (message?.plainText ?? "nothing").replacing(#/incident(s\/|[ =])[0-9a-v]{13}/#) {
            "incident\($0.output.1)ID"
        }
        #expect(told == text, sourceLocation: sourceLocation)
    }

    @Test func `what was held tells of what fired, and how it is now in a line of its own`() throws {
        let quiet = GatePlan.quiet(from: "2026-11-20 21:00", until: "2026-11-21 06:00")
        var bot = try bot(quiet)
        see(crashed: 400, in: &bot)
        bot.suspend(for: .hours(7))
        see(crashed: 120, in: &bot)
        bot.suspend(for: .hours(2))
        see(crashed: 118, in: &bot)
        let message = try #require(bot.decisions.last { $0.decision == .send }).message
        #expect(message.headline == "🟠 shop: crash-free users 98.00% (alert below 99.5%)", "a warning's own limit")
        #expect(message.fields.contains(Message.Field("Now", "99.41%")))
        #expect(message.fields.contains(Message.Field("Users affected", "400 of 20,000 (2.00%)")))
        #expect(message.reason.contains("98.00%"))
    }

    @Test func `what is getting better by itself is not opened, and what ends so becomes a line of the summary`() throws
    {
        let quiet = GatePlan.quiet(from: "2026-11-20 12:02", until: "2026-11-20 12:06")
        var bot = Rehearsal(.rehearsed(gates: [quiet]))
        bot.start()
        #expect(bot.play("..ww,,,,...") == "..h.....(xD)..")
        var again = Rehearsal(.rehearsed(gates: [quiet]))
        again.start()
        #expect(again.play("..ww,,,,w..") == "..h.....OR.")
    }

    @Test func `what is still not over long after the gate has opened is told, and so is what nobody knows more of`() {
        let quiet = GatePlan.quiet(from: "2026-11-20 12:02", until: "2026-11-20 12:06")
        var bot = Rehearsal(.rehearsed(gates: [quiet]))
        bot.start()
        // The source is believed for half an hour, in which a poll may have brought the end.
        #expect(bot.play("..ww" + String(repeating: ",", count: 31)) == "..h" + String(repeating: ".", count: 32))
        #expect(bot.play(",,,.") == ".O.R")
        var silent = Rehearsal(.rehearsed(gates: [quiet]))
        silent.start()
        _ = silent.play("..ww,,,,")
        silent.advance(by: .hours(2))
        #expect(silent.marks(of: "shop").hasPrefix("hO"), "\(silent.marks(of: "shop"))")
        silent.advance(by: .days(8))
        #expect(silent.marks(of: "shop").hasSuffix("C"), "\(silent.marks(of: "shop"))")
    }

    @Test func `the issues that hit most people are named first, whatever their order`() throws {
        var bot = try bot()
        let issues =
            (1...7).map { Issue(id: "OLD-\($0)", title: "Old \($0)", events: 2, users: 1) } + [
                Issue(id: "JUMP", title: "Jump", events: 900, users: 800),
                Issue(id: "UNCOUNTED", title: "Uncounted", events: 300),
            ]
        bot.see([.figures(["users": 20_000, "crashed_users": 400], at: bot.now, lasting: .hours(1), issues: issues)])
        let message = try #require(bot.decisions.last { $0.kind == .opened }).message
        #expect(message.issues.map(\.title) == ["Jump", "Uncounted", "Old 1", "Old 2", "Old 3"])
    }

    @Test func `an issue that was seen last long before the judged figures is not named, for it explains nothing`()
        throws
    {
        var bot = try bot()
        let seen = ["GONE": "2026-10-30 22:10", "LATELY": "2026-11-20 08:00", "NOW": "2026-11-20 21:57"]
        let issues =
            seen.sorted { $0.key < $1.key }.map { id, moment in
                Issue(id: id, title: id, events: 90, lastSeen: .utc(moment), url: "https://sentry.example/\(id)")
            } + [Issue(id: "UNTIMED", title: "UNTIMED", events: 1, url: "javascript:alert(1)")]
        bot.see([.figures(["users": 20_000, "crashed_users": 400], at: bot.now, lasting: .hours(1), issues: issues)])
        let message = try #require(bot.decisions.last { $0.kind == .opened }).message
        #expect(message.issues.map(\.title) == ["LATELY", "NOW", "UNTIMED"])
        #expect(!message.links.contains { $0.title == "GONE" })
        #expect(message.issues.last?.url == nil, "an address that leads nowhere on the web")
    }

    @Test func `the release that has most of the crashes stands out, and new issues come before old ones`() throws {
        var bot = try bot()
        let releases = ["5.1.0": (12_000.0, 20.0), "5.2.0": (8_000, 380)]
        let issues = [
            Issue(id: "OLD", title: "Old", events: 90_000, firstSeen: .utc("2024-01-01 00:00")),
            Issue(id: "BARE", title: "  \u{A0}", events: 20, firstSeen: .utc("2026-01-01 00:00")),
            Issue(id: "NEW", title: "New", events: 12, firstSeen: .utc("2026-11-20 21:57")),
        ]
        bot.see(
            [.figures(["users": 20_000, "crashed_users": 400], at: bot.now, lasting: .hours(1), issues: issues)]
                + releases.sorted { $0.key < $1.key }.map { name, counts in
                    let subject = Subject(source: "ios", app: "shop", release: name)
                    return .figures(
                        ["sessions": counts.0, "crashed_sessions": counts.1], of: subject, at: bot.now,
                        lasting: .hours(1))
                })
        let message = try #require(bot.decisions.last { $0.kind == .opened }).message
        #expect(
            message.fields.contains(
                Message.Field("Stands out", "release 5.2.0: 95.00% of crashed sessions, 40.00% of sessions")),
            "\(message.fields)")
        #expect(message.issues.map(\.title) == ["New", "Old", "BARE"])
        #expect(
            message.issues.map(\.detail) == [
                "new, 3 min old, 12 events", "90,000 events, first seen Mon 1 Jan 2024 01:00",
                "20 events, first seen Thu 1 Jan 01:00",
            ])
    }

    @Test func `before is a span of like length with users enough, or nothing`() throws {
        var bot = try bot()
        bot.see([.figures(["users": 3, "crashed_users": 2], at: bot.now - .hours(1), lasting: .hours(1))])
        see(crashed: 400, in: &bot)
        let before = bot.decisions.last { $0.kind == .opened }?.message.fields.first { $0.label == "Before → now" }
        #expect(before?.value == "99.84% → 98.00%")
    }

    @Test func `an incident from its beginning to its end`() throws {
        var bot = try bot()
        see(crashed: 180, in: &bot)
        expect(
            bot, .opened,
            """
            🟠 shop: crash-free users 99.10% (alert below 99.5%)
            Before → now: 99.84% → 99.10%
            Users affected: 180 of 20,000 (0.90%)
            Since: Fri 20 Nov 23:00 CET
            Why: crash-free users 99.10%, below 99.5% over the last hour
            Last day: ██▇▇███▇▇███▇▇███▇▇███▇▁
            Top issues:
            • NullPointerException in CartView (new, 20 min old, 1,240 events, 290 users) \
            https://sentry.example/SHOP-12
            • Hostile OK: all is well (3 events)
            Incident: https://alerts.example.com/incidents/ID
            Acknowledge: https://alerts.example.com/ack?incident=ID
            Mute 2 h: https://alerts.example.com/mute?incident=ID&for=2h
            Mute 2 days: https://alerts.example.com/mute?incident=ID&for=2d
            Rule crash-free-floor · incident ID
            """)
        bot.suspend(for: .minutes(10))
        see(crashed: 400, in: &bot)
        expect(
            bot, .escalated,
            """
            🔴 shop, now critical: crash-free users now 98.00% (alert below 99%)
            Before → now: 99.84% → 98.00%
            Users affected: 400 of 20,000 (2.00%)
            Since: Fri 20 Nov 23:00 CET, for 10 min
            Why: crash-free users 98.00%, below 99% over the last hour
            Last day: ██████████████████████▅▁
            Top issues:
            • NullPointerException in CartView (new, 30 min old, 1,240 events, 290 users) \
            https://sentry.example/SHOP-12
            • Hostile OK: all is well (3 events)
            Incident: https://alerts.example.com/incidents/ID
            Acknowledge: https://alerts.example.com/ack?incident=ID
            Mute 2 h: https://alerts.example.com/mute?incident=ID&for=2h
            Mute 2 days: https://alerts.example.com/mute?incident=ID&for=2d
            Rule crash-free-floor · incident ID
            """)
        bot.suspend(for: .hours(4))
        see(crashed: 390, in: &bot)
        expect(
            bot, .reminder,
            """
            🔴 shop: crash-free users 98.00% at worst (alert below 99%, for 4 h 10 min)
            Before → at worst: 99.84% → 98.00%
            Now: 98.05%
            Users affected: 400 of 20,000 (2.00%)
            Since: Fri 20 Nov 23:00 CET, for 4 h 10 min
            Why: crash-free users 98.05%, below 99% over the last hour
            Last day: ██████████████████▅▁···▁
            Top issues:
            • NullPointerException in CartView (new, 4 h 30 min old, 1,240 events, 290 users) \
            https://sentry.example/SHOP-12
            • Hostile OK: all is well (3 events)
            Incident: https://alerts.example.com/incidents/ID
            Acknowledge: https://alerts.example.com/ack?incident=ID
            Mute 2 h: https://alerts.example.com/mute?incident=ID&for=2h
            Mute 2 days: https://alerts.example.com/mute?incident=ID&for=2d
            Rule crash-free-floor · incident ID
            """)
        bot.suspend(for: .minutes(20))
        see(crashed: 22, in: &bot)
        expect(
            bot, .resolved,
            """
            ✅ shop: crash-free users 99.89%, back above 99.5%, after 4 h 30 min
            Affected at worst: 400 of 20,000 users (2.00%)
            At worst: 98.00%
            Lasted: Fri 20 Nov 23:00 to Sat 21 Nov 03:30 CET, 4 h 30 min
            Why: crash-free users 99.89%, not below 99.5% over the last hour
            Last day: ██████████████████▅▁···█
            Incident: https://alerts.example.com/incidents/ID
            Rule crash-free-floor · incident ID
            """)
    }

    @Test func `an escalation without a figure begins with it, too`() {
        var bot = Rehearsal(.rehearsed())
        bot.start()
        #expect(bot.play("wc") == "OE")
        #expect(bot.decisions.last?.message.headline == "🔴 shop, now critical: The script says c.")
    }

    @Test func `an end that is no recovery does not claim one`() throws {
        var bot = try bot()
        see(crashed: 180, in: &bot)
        var plan = bot.plan
        plan.detectors = []
        bot.suspend(for: .hours(2))
        bot.reload(plan)
        expect(
            bot, .closed,
            """
            ⚪ shop: crash-free users no longer watched, after 2 h; last known 99.10%
            Affected at worst: 180 of 20,000 users (0.90%)
            At worst: 99.10%
            Lasted: Fri 20 Nov 23:00 to Sat 21 Nov 01:00 CET, 2 h
            Why: Rule crash-free-floor is no longer in the config.
            Last day: ▇▇███▇▇███▇▇███▇▇███▇▁··
            Incident: https://alerts.example.com/incidents/ID
            Rule crash-free-floor · incident ID
            """)
    }

    @Test func `a night in one digest`() throws {
        var bot = try bot(.quiet(from: "2026-11-20 21:00", until: "2026-11-21 06:00"))
        see(crashed: 400, in: &bot)
        bot.suspend(for: .hours(2))
        see(crashed: 22, in: &bot)
        bot.advance(to: .utc("2026-11-21 06:00"))
        expect(
            bot, .digest,
            """
            🗒 shop: 1 incident came and went while held by quiet hours (nights)
            • 🔴 shop: crash-free users 98.00% at worst · Fri 20 Nov 23:00 to Sat 21 Nov 01:00 CET, 2 h
            Why: What came and went while held by quiet hours (nights) is summarised once, afterwards.
            Status: https://alerts.example.com
            """)
    }

    @Test func `what opens together has the worst figure in its headline, and what ends together none`() throws {
        var bot = try bot(.rule(GroupGate.self, "together", [:]))
        func seeEach(_ crashed: [Double]) {
            let apps = ["production", "beta"].map { Subject(source: "ios", app: "shop", environment: $0) }
            let now = bot.now
            bot.see(
                zip(apps, crashed).map { subject, crashed in
                    Observation.figures(
                        ["users": 20_000, "crashed_users": crashed], of: subject, at: now, lasting: .hours(1))
                })
            bot.advance(by: .seconds(30))
        }
        seeEach([180, 400])
        let opened = try #require(bot.decisions.last { $0.decision == .send && $0.kind == .opened }).message
        #expect(opened.headline == "🔴 shop: 2 incidents at once, worst: crash-free users 98.00% (alert below 99%)")
        bot.suspend(for: .hours(1))
        seeEach([22, 22])
        let over = try #require(bot.decisions.last { $0.decision == .send && $0.kind == .resolved }).message
        #expect(over.headline == "✅ shop: 2 incidents resolved")
    }

    @Test func `a budget tells how bad the worst is that it held`() throws {
        let held = try #require(MessageSamples(zone: .utc).all.first { $0.name == "a budget held several" }?.message)
        #expect(
            held.headline == "🔴 2 firing, worst: crash-free users 98.32% (alert below 99%) · shop-ios "
                + "(held until now by calm-down)")
    }

    @Test func `a trouble of the bot and its end`() throws {
        var bot = try bot()
        bot.fail(.unreachable)
        bot.suspend(for: .hours(1))
        bot.fail(.unreachable)
        expect(
            bot, .opened,
            """
            🟠 alertbot: No usable answer from source ios: it is out of reach (since Fri 20 Nov 22:00 CET)
            Since: Fri 20 Nov 22:00, for 2 h
            Not watched meanwhile: shop
            Incident: https://alerts.example.com/incidents/ID
            Acknowledge: https://alerts.example.com/ack?incident=ID
            Mute 2 h: https://alerts.example.com/mute?incident=ID&for=2h
            Mute 2 days: https://alerts.example.com/mute?incident=ID&for=2d
            Rule source-failing · incident ID
            """)
        bot.suspend(for: .minutes(40))
        see(crashed: 22, in: &bot)
        expect(
            bot, .resolved,
            """
            ✅ alertbot: source ios answers again, after 2 h 40 min
            Lasted: Fri 20 Nov 22:00 to Sat 21 Nov 00:40 CET, 2 h 40 min
            Why: It is working again.
            Incident: https://alerts.example.com/incidents/ID
            Rule source-failing · incident ID
            """)
    }

    @Test func `a source that wants to be left alone for long is reported at once`() throws {
        var bot = try bot()
        bot.fail(.rateLimited, retryAt: bot.now + .hours(3))
        expect(
            bot, .opened,
            """
            🟠 alertbot: No usable answer from source ios: it is out of reach (since Fri 20 Nov 22:00 CET); it asks \
            not to be polled before Sat 21 Nov 02:00
            Since: Fri 20 Nov 22:00, for 1 h
            Not watched meanwhile: shop
            Incident: https://alerts.example.com/incidents/ID
            Acknowledge: https://alerts.example.com/ack?incident=ID
            Mute 2 h: https://alerts.example.com/mute?incident=ID&for=2h
            Mute 2 days: https://alerts.example.com/mute?incident=ID&for=2d
            Rule source-failing · incident ID
            """)
    }

    @Test func `a credential that is refused`() throws {
        var bot = try bot()
        bot.fail(.unauthorized)
        bot.fail(.unauthorized)
        expect(
            bot, .opened,
            """
            🔴 alertbot: The credential of source ios was refused twice, so the source is no longer polled: it is out of \
            reach…
            Since: Fri 20 Nov 23:00 CET
            Not watched meanwhile: shop
            Why: Renew the credential, then reload or restart.
            Incident: https://alerts.example.com/incidents/ID
            Acknowledge: https://alerts.example.com/ack?incident=ID
            Mute 2 h: https://alerts.example.com/mute?incident=ID&for=2h
            Mute 2 days: https://alerts.example.com/mute?incident=ID&for=2d
            Rule source-stopped · incident ID
            """)
    }

    /// What a chat shows of a headline, if it shows little: Slack's takes 150 of the units in which it counts.
    private static let headlineMax = 150

    @Test(
        arguments: [
            (
                "Slack answered 404: no_service; the webhook is gone or was never valid: make a new one and configure it",
                "404: no_service", "the webhook is gone or was never valid: make a new one and configure it"
            ),
            (
                "answered 403: " + String(repeating: "the proxy wants a login ", count: 20), "answered 403: the proxy",
                nil
            ),
            (
                "the homeserver answered 401: M_UNKNOWN_TOKEN, Unknown token; the token is no longer valid: make a new one",
                "401: M_UNKNOWN_TOKEN", "the token is no longer valid: make a new one"
            ),
        ] as [(String, String, String?)])
    func `the cause of a failed delivery stands in the headline, and what that lacks below`(
        sentence: String, cause: String, rest: String?
    ) throws {
        var bot = try bot()
        var plan = bot.plan
        plan.channels.append(ChannelPlan(name: "ops"))
        bot.reload(plan)
        bot.sendAnswer = { delivery, _ in
            (delivery.channel == "team" ? .refusedChannel(sentence) : .delivered(receipt: nil), .zero)
        }
        see(crashed: 400, in: &bot)
        bot.advance(by: .minutes(1))
        let opened = try #require(bot.decisions.last { $0.message.incidents.first?.rule == "channel-failing" }).message
        #expect(opened.headline.contains(cause))
        #expect(opened.headline.utf16.count <= Messages.headlineMax && opened.headline.hasSuffix("…"))
        // A headline that ends within a clause says nothing that could be left out.
        #expect(opened.reason == rest ?? "A message to channel team cannot be delivered: \(sentence)")
    }

    @Test func `so does the cause of a source that fails with a long answer`() throws {
        var bot = try bot()
        let page = Array("<html>\(String(repeating: "<p>Bad gateway; sorry. ", count: 400))</html>".utf8)
        let failure = try #require(PollFailure(HTTPResponse(status: 502, body: page), now: bot.now))
        for _ in 0..<2 {
            bot.suspend(for: .hours(1))
            bot.step(.polled(source: "ios", PollReport(.failed(failure)), validators: [:]))
        }
        bot.advance(by: .zero)
        let opened = try #require(bot.decisions.last { $0.kind == .opened }).message
        #expect(opened.headline.contains("No usable answer from source ios: the source answered 502: <html><p>Bad"))
        #expect(opened.headline.utf16.count <= Messages.headlineMax && opened.headline.hasSuffix("…"))
        // The headline has lost its time, so the field is the first to name the zone.
        #expect(opened.fields.first?.value.hasPrefix("Fri 20 Nov 22:00 CET, for ") == true)
        #expect(opened.reason.hasPrefix("No usable answer from source ios: the source answered 502: <html><p>Bad"))
        #expect(opened.reason.hasSuffix("</html> (since Fri 20 Nov 22:00)"))
    }

    @Test(
        arguments: [
            (
                "projects: the source answered 503: Authentication credentials were not provided.",
                "the source answered 503: Authentication credentials were not provided…"
            ),
            (
                "projects: the source answered 403: You do not have permission to perform this action. (check 'token')",
                "the source answered 403: You do not have permission to perform this action…"
            ),
            // The letters of the zone are in it, which is not named with that.
            (
                "the source answered 400: unknown FACET in the query of the issues, and no other is known to it",
                "unknown FACET in the query of the issues, and no other is known to it…"
            ),
        ])
    func `a headline that has lost its time leaves no scrap to be said below, and names no zone`(
        sentence: String, end: String
    ) throws {
        var bot = try bot()
        for _ in 0..<2 {
            bot.suspend(for: .hours(1))
            bot.step(.polled(source: "ios", PollReport(.failed(PollFailure(.refused, sentence))), validators: [:]))
        }
        bot.advance(by: .zero)
        let opened = try #require(bot.decisions.last { $0.kind == .opened }).message
        #expect(opened.headline.hasSuffix(end), "\(opened.headline)")
        #expect(opened.fields.first?.value.hasPrefix("Fri 20 Nov 22:00 CET, for ") == true)
        #expect(opened.reason == "No usable answer from source ios: \(sentence) (since Fri 20 Nov 22:00)")
    }
}
