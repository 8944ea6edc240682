internal import AlertCore
internal import AlertTesting
internal import MuteGate
internal import PluginKit
internal import PluginTesting
internal import Runtime
internal import Testing

@Suite struct StatusReportTests {
    /// A warning that was announced to one channel and is held back from another.
    private func rehearsal() -> Rehearsal {
        var plan = Plan.rehearsed(
            sources: [
                SourcePlan(name: "ios", jitter: 0, slowsWhen: [.failing]),
                SourcePlan(name: "web", jitter: 0, slowsWhen: [.failing]),
            ], channels: [ChannelPlan(name: "team"), ChannelPlan(name: "page")])
        plan.gates = [
            .quiet(from: "2026-11-20 11:00", until: "2026-11-20 13:00", match: .on(["app": "sleepy"]))
        ]
        var rehearsal = Rehearsal(plan)
        rehearsal.pollAnswer = { _, _ in nil }
        rehearsal.start()
        rehearsal.see([(.shop, .warning), (Subject(source: "ios", app: "sleepy"), .critical)])
        rehearsal.advance(by: .zero)
        rehearsal.step(.polled(source: "ios", PollReport(.noData), validators: [:]))
        rehearsal.fail(source: "web")
        return rehearsal
    }

    private func report(_ rehearsal: Rehearsal) -> StatusReport {
        StatusReport(rehearsal.state, rehearsal.plan, at: rehearsal.now)
    }

    @Test func `the status says all there is of sources and channels`() throws {
        let status = report(rehearsal()).status(isRunning: true)
        #expect(
            try JSONReader(status).members().map(\.name) == [
                "bot", "now", "running", "sources", "incidents", "channels", "mutes", "rules", "rules_left_out",
                "silent_apps",
                "oncall", "ended_calendars",
                "subjects", "recording_trouble", "config_trouble", "journal_trouble",
            ])
        #expect(status["bot"] == "shop-alerts")
        #expect(status["running"] == .bool(true))
        #expect(status["subjects"] == 2)
        #expect(status["recording_trouble"] == .null)
        let trouble = report(rehearsal()).status(isRunning: true, recordingTrouble: "no room", journalTrouble: "full")
        #expect(trouble["recording_trouble"] == "no room")
        #expect(status["journal_trouble"] == .null && trouble["journal_trouble"] == "full")
        #expect(
            status["sources"]?.text == #"[{"name":"ios","state":"no_data","last_polled":"2026-11-20T12:00:00Z","#
                + #""last_good":"2026-11-20T12:00:00Z","last_changed":"2026-11-20T12:00:00Z","no_answer_since":null,"next_poll":"2026-11-20T12:05:00Z","waits_for":null,"reasons":[],"every":"5m","#
                + #""failure":null,"warnings":[],"refused_push":null},{"name":"web","state":"failed","last_polled":"2026-11-20T12:00:00Z","#
                + #""last_good":null,"last_changed":null,"no_answer_since":"2026-11-20T12:00:00Z","next_poll":"2026-11-20T12:10:00Z","waits_for":null,"reasons":["failing"],"every":"5m","#
                + #""failure":{"reason":"unreachable","sentence":"it is out of reach","#
                + #""since":"2026-11-20T12:00:00Z","count":1},"warnings":[],"refused_push":null}]"#)
        #expect(
            status["channels"]?.text
                == #"[{"name":"team","queued":0,"failures":0,"paused_until":null,"oldest":null,"#
                + #""dead":0,"last_error":null,"missing_charts":null},{"name":"page","queued":0,"failures":0,"paused_until":null,"#
                + #""oldest":null,"dead":0,"last_error":null,"missing_charts":null}]"#)
    }

    @Test func `it says who is on call, and until when`() throws {
        let people = ["ana", "bo"].map { Rotation.Person($0) }
        let starts = CivilTime(Moment.utc("2026-11-16 09:00"))
        var plan = rehearsal().plan
        plan.rotations = [
            try #require(Rotation("mobile", zone: .utc, starts: starts, every: .days(7), people: people)),
            try #require(Rotation("web", zone: .utc, starts: starts, every: .days(7), people: [people[1]])),
        ]
        let report = StatusReport(rehearsal().state, plan, at: .rehearsalStart)
        #expect(
            report.status(isRunning: true)["oncall"]?.text
                == #"[{"rotation":"mobile","person":"ana","until":"2026-11-23T09:00:00Z"},{"rotation":"web","person":"bo","until":null}]"#
        )
    }

    @Test func `what is pushed to has neither a next poll nor an interval`() {
        var job = SourcePlan(name: "job")
        job.isPushed = true
        var rehearsal = Rehearsal(.rehearsed(sources: [job]))
        rehearsal.start()
        let source = report(rehearsal).status(isRunning: true)["sources"]?.array?.first
        #expect(source?["next_poll"] == .null)
        #expect(source?["every"] == .null)
    }

    @Test func `a mute of a rule or a source that has another name by now says that it covers nothing`() {
        func plan(_ rule: String, _ source: String = "ios") -> Plan {
            .rehearsed(
                sources: [SourcePlan(name: source, jitter: 0)],
                detectors: [DetectorPlan(name: rule, detector: ScriptedDetector())])
        }
        func why(_ match: Match, _ plan: Plan) -> String? {
            var bot = Rehearsal(.rehearsed())
            bot.start()
            bot.step(.command(.mute(match, until: .after(.hours(2)), reason: nil, by: nil), id: 1))
            return StatusReport(bot.state, plan, at: bot.now).mutes.array?.first?["covers_nothing"]?.string
        }
        #expect(why(.on(["rule": "look"]), plan("look")) == nil)
        #expect(why(.on(["rule": "look"]), plan("floor")) == "there is no rule 'look'")
        #expect(why(.on(["rule": "l*"]), plan("floor")) == nil, "a pattern may be meant for what comes yet")
        #expect(why(.on(["rule": "source-failing"]), plan("floor")) == nil)
        #expect(why(.on(["app": "shop", "source": "ios"]), plan("look", "web")) == "there is no source 'ios'")
    }

    @Test func `a mute of the config began when the config says, whenever somebody asks`() throws {
        var plan = Plan.rehearsed()
        let until = "2026-11-21"
        plan.gates = [
            GatePlan(name: "open", gate: try MuteGate.written(["until": until], name: "open")),
            GatePlan(
                name: "begun",
                gate: try MuteGate.written(
                    ["from": "2026-11-20", "until": until, "except": "critical"], name: "begun")),
        ]
        let mutes = StatusReport(Rehearsal(plan).state, plan, at: .rehearsalStart).mutes.array ?? []
        #expect(mutes.map { $0["from"] } == [.null, "2026-11-20T00:00:00Z"])
        #expect(mutes.map { $0["until"] } == ["2026-11-21T00:00:00Z", "2026-11-21T00:00:00Z"])
        #expect(mutes.map { $0["except"] } == [.null, "critical"], "what passes is not muted")
    }

    @Test func `who waits for the limit of an account says for whom, and until when`() throws {
        let sources = ["ios", "android", "web"].map { name in
            SourcePlan(name: name, account: name == "web" ? "b" : "a", jitter: 0)
        }
        var rehearsal = Rehearsal(.rehearsed(sources: sources))
        rehearsal.pollAnswer = { _, _ in nil }
        rehearsal.start()
        let back = rehearsal.now + .minutes(20)
        rehearsal.step(.polled(source: "android", PollReport(.noData), validators: [:]))
        rehearsal.step(
            .polled(
                source: "ios", PollReport(.failed(PollFailure(.rateLimited, "slow down", retryAt: back))),
                validators: [:]))
        let told = try #require(report(rehearsal).status(isRunning: true)["sources"]?.array)
        #expect(told.map { $0["waits_for"] } == [.null, "ios", .null])
        #expect(told[1]["next_poll"]?.string == back.description)
    }

    @Test func `every rule says what it thinks of what it judges`() {
        var rehearsal = Rehearsal(.rehearsed())
        rehearsal.start()
        rehearsal.see([(.shop, .unknown), (Subject(source: "ios", app: "web"), .warning)])
        #expect(
            report(rehearsal).status(isRunning: true)["rules"]?.text
                == #"[{"rule":"look","source":"ios","app":"shop","release":null,"environment":null,"key":null,"#
                + #""verdict":"unknown","sentence":"The script says ?.","no_news_since":null},{"rule":"look","source":"ios","app":"web","#
                + #""release":null,"environment":null,"key":null,"verdict":"firing","sentence":"The script says w.","no_news_since":null}]"#
        )
    }

    /// Can never judge anything.
    private struct BlindDetector: SubjectDetector {
        static let manifest = PluginManifest(name: "blind", summary: "", options: [])
        init(options: Options, context: RuleContext) throws(ProblemList) {}
        init() {}
        let metrics: [Metric] = []
        let spans: [Duration] = []
        let lookback = Duration.minutes(5)
        let holdTime = Duration.zero

        func judge(_ series: Series, at now: Moment) -> Judgement {
            Judgement(.unknown("too few"), .between, Evidence(sentence: "too few"))
        }
    }

    @Test func `what cannot be judged is in the list however much is fine, which says how many it leaves out`() {
        let rules = (1...5).map { DetectorPlan(name: "r\($0)", detector: ScriptedDetector()) }
        var rehearsal = Rehearsal(
            .rehearsed(detectors: rules + [DetectorPlan(name: "r6", detector: BlindDetector())]))
        rehearsal.start()
        rehearsal.see((1...100).map { (Subject(source: "ios", app: "app\($0)"), $0 == 100 ? .warning : .fine) })
        let status = report(rehearsal).status(isRunning: true)
        let verdicts = status["rules"]?.array?.compactMap { $0["verdict"]?.string } ?? []
        #expect(
            Dictionary(grouping: verdicts, by: \.self).mapValues(\.count) == ["firing": 5, "unknown": 100, "ok": 395])
        #expect(status["rules_left_out"]?.text == #"{"firing":0,"unknown":0,"ok":100}"#)
    }

    @Test func `a rule says since when nobody has confirmed what it thinks`() {
        var rehearsal = Rehearsal(.rehearsed())
        rehearsal.pollAnswer = { _, _ in nil }
        rehearsal.start()
        rehearsal.see(.fine)
        rehearsal.suspend(for: .minutes(45))
        let rule = report(rehearsal).status(isRunning: true)["rules"]?.array?.first
        #expect(rule?["verdict"] == "ok" && rule?["no_news_since"] == "2026-11-20T12:00:00Z")
    }

    @Test func `a source says what it is doing`() throws {
        func states(_ rehearsal: Rehearsal) throws -> [JSON?] {
            try JSONReader(report(rehearsal).status(isRunning: false)).member("sources").elements().map {
                $0.value["state"]
            }
        }
        var rehearsal = Rehearsal(.rehearsed())
        #expect(try states(rehearsal) == ["waiting"])
        rehearsal.pollAnswer = { _, _ in nil }
        rehearsal.start()
        #expect(try states(rehearsal) == ["polling"])
        rehearsal.fail(.unauthorized)
        rehearsal.fail(.unauthorized)
        #expect(try states(rehearsal) == ["stopped"])
        let stopped = report(rehearsal).status(isRunning: true)
        #expect(stopped["sources"]?.text.contains(#""next_poll":null"#) == true)
    }

    @Test func `a source says what its newest answer left out, until it is whole again`() {
        func warnings(_ rehearsal: Rehearsal) -> JSON? {
            report(rehearsal).status(isRunning: true)["sources"]?.array?.first?["warnings"]
        }
        func poll(_ outcome: PollReport.Outcome, _ warnings: String...) -> Input {
            .polled(source: "ios", PollReport(outcome, warnings: warnings), validators: [:])
        }
        var rehearsal = Rehearsal(.rehearsed())
        rehearsal.comparesReplay = true
        rehearsal.pollAnswer = { _, _ in nil }
        rehearsal.start()
        rehearsal.step(poll(.noData, "a row of web is left out"))
        #expect(warnings(rehearsal) == ["a row of web is left out"])
        // What says 'as before' means that too, also after a restart; a failure says nothing of it.
        rehearsal.step(poll(.unchanged))
        rehearsal.crash()
        rehearsal.fail()
        #expect(warnings(rehearsal) == ["a row of web is left out"])
        rehearsal.step(poll(.noData))
        #expect(warnings(rehearsal) == [])
        #expect(rehearsal.objections == [])
    }

    @Test func `what a source says of its answers is kept within bounds`() {
        var rehearsal = Rehearsal(.rehearsed())
        rehearsal.pollAnswer = { _, _ in nil }
        rehearsal.start()
        let many = (0..<50).map { "row \($0) " + String(repeating: "x", count: 2_000) }
        rehearsal.step(.polled(source: "ios", PollReport(.noData, warnings: many), validators: [:]))
        let kept = report(rehearsal).status(isRunning: true)["sources"]?.array?.first?["warnings"]?.array
        #expect(kept?.count == 10)
        #expect(kept?.allSatisfy { ($0.string?.count ?? .max) <= 300 } == true)
    }

    @Test func `incidents say what each channel knows`() throws {
        let incidents = try JSONReader(report(rehearsal()).incidents).elements().map(\.value)
        #expect(incidents.count == 2)
        let shop = try #require(incidents.first { $0["app"] == "shop" })
        #expect(
            shop["channels"]?.text
                == #"{"page":{"announced":"warning","last_said":"2026-11-20T12:00:00Z","held":null,"dropped":null},"#
                + #""team":{"announced":"warning","last_said":"2026-11-20T12:00:00Z","held":null,"dropped":null}}"#)
        let sleepy = try #require(incidents.first { $0["app"] == "sleepy" })
        let held = #"{"kind":"opened","reason":"quiet_hours:nights","until":"2026-11-20T13:00:00Z"}"#
        #expect(
            sleepy["channels"]?.text == #"{"page":{"announced":null,"last_said":null,"held":\#(held),"dropped":null},"#
                + #""team":{"announced":null,"last_said":null,"held":\#(held),"dropped":null}}"#)
        for name in ["id", "rule", "source", "severity", "state", "since", "evidence"] {
            #expect(sleepy[name] != nil, "\(name)")
        }
    }

    @Test func `what a gate dropped says which, and when`() throws {
        var bot = Rehearsal(
            .rehearsed(gates: [.quiet(from: "2026-11-20 12:00", until: "2026-11-20 13:00", drops: true)]))
        bot.start()
        bot.see(.warning)
        let incident = try #require(report(bot).incidents.array?.first)
        #expect(
            incident["channels"]?["team"]?["dropped"]?.text
                == #"{"reason":"quiet_hours:nights","at":"2026-11-20T12:00:00Z"}"#)
    }

    @Test func `a queue shows its oldest delivery and why it waits`() throws {
        var rehearsal = Rehearsal(.rehearsed())
        rehearsal.pollAnswer = { _, _ in nil }
        rehearsal.sendAnswer = { _, _ in (.retry(after: .minutes(10), "answered 429"), .zero) }
        rehearsal.start()
        rehearsal.see(.warning)
        rehearsal.advance(by: .minutes(1))
        let waiting = report(rehearsal).status(isRunning: true)["channels"]?.text
        #expect(
            waiting == #"[{"name":"team","queued":1,"failures":1,"paused_until":"2026-11-20T12:10:00Z","#
                + #""oldest":"2026-11-20T12:00:00Z","dead":0,"last_error":"answered 429","missing_charts":null}]"#)
        // A pause that is over is none.
        let later = StatusReport(rehearsal.state, rehearsal.plan, at: rehearsal.now + .minutes(10))
        #expect(later.status(isRunning: true)["channels"]?.text.contains(#""paused_until":null"#) == true)
    }

    @Test func `the last error is that of the message that is tried again, until one arrives`() throws {
        var rehearsal = Rehearsal(.rehearsed())
        rehearsal.pollAnswer = { _, _ in nil }
        var outcome = DeliveryOutcome.refusedChannel("Slack answered 404: no_service")
        rehearsal.sendAnswer = { _, _ in (outcome, .zero) }
        func lastError() -> JSON? { report(rehearsal).status(isRunning: true)["channels"]?.array?.first?["last_error"] }
        rehearsal.start()
        rehearsal.see(.warning)
        rehearsal.advance(by: .zero)
        #expect(lastError() == "Slack answered 404: no_service")
        outcome = .retry(after: nil, "Slack answered 503: service_unavailable")
        rehearsal.see(.critical)
        rehearsal.advance(by: .seconds(1))
        #expect(lastError() == "Slack answered 503: service_unavailable", "newer than the dead letter")
        #expect(try rehearsal.stateFromSnapshot().durable == rehearsal.state.durable)
        rehearsal.crash()
        #expect(lastError() == "Slack answered 503: service_unavailable")
        outcome = .delivered(receipt: nil)
        rehearsal.advance(by: .minutes(20))
        #expect(lastError() == .null, "what the dead letter said has arrived")
    }

    @Test func `the history tells the ends of deliveries, newest last`() throws {
        var rehearsal = Rehearsal(.rehearsed())
        rehearsal.pollAnswer = { _, _ in nil }
        rehearsal.start()
        rehearsal.see(.warning)
        rehearsal.advance(by: .minutes(1))
        rehearsal.sendAnswer = { _, _ in (.refusedChannel("answered 410"), .zero) }
        rehearsal.see(.critical)
        rehearsal.advance(by: .zero)
        let entries = try JSONReader(StatusReport.history(rehearsal.state, limit: 2)).elements().map(\.value)
        #expect(entries.count == 2)
        for entry in entries {
            #expect(
                try JSONReader(entry).members().map(\.name) == [
                    "at", "id", "channel", "kind", "severity", "incident", "outcome", "why", "attempts", "queued",
                    "text",
                ])
        }
        let all = try JSONReader(StatusReport.history(rehearsal.state, limit: 100)).elements().map(\.value)
        #expect(all.first?["kind"] == "opened")
        #expect(all.first?["outcome"] == "delivered")
        #expect(all.first?["why"] == .null)
        #expect(all.first?["attempts"] == 1)
        let dead = try JSONReader(StatusReport.history(rehearsal.state, limit: 100, deadOnly: true)).elements().map(
            \.value)
        #expect(dead.first?["kind"] == "escalated")
        let channel = report(rehearsal).status(isRunning: true)["channels"]?.array?.first
        #expect(channel?["dead"] == JSON(dead.count))
        #expect(channel?["last_error"] == "answered 410")
        #expect(dead.allSatisfy { $0["outcome"] == "dead" && $0["why"] == "answered 410" })
        #expect(StatusReport.history(rehearsal.state, limit: 0) == .array([]))
    }
}
