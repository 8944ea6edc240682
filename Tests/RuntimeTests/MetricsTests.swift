internal import AlertCore
internal import AlertTesting
internal import PluginKit
internal import Testing

@testable import Runtime

@Suite struct MetricsTests {
    private let start = Moment.rehearsalStart

    private func rehearsal() -> Rehearsal {
        let plan = Plan.rehearsed(
            sources: [
                SourcePlan(name: "ios", jitter: 0, slowsWhen: [.failing]),
                SourcePlan(name: #"odd "\name""#, jitter: 0, slowsWhen: [.failing]),
            ], channels: [ChannelPlan(name: "team"), ChannelPlan(name: "page")])
        var rehearsal = Rehearsal(plan)
        rehearsal.pollAnswer = { _, _ in nil }
        rehearsal.start()
        rehearsal.see([(.shop, .warning), (Subject(source: "ios", app: "bank"), .critical)])
        rehearsal.advance(by: .zero)
        return rehearsal
    }

    private func text(_ meters: Meters = Meters(), _ about: MetricsReport.About? = nil) -> String {
        let rehearsal = rehearsal()
        let about = about ?? MetricsReport.About(now: rehearsal.now, version: "1.2.3")
        return MetricsReport(rehearsal.state, rehearsal.plan, meters, about).text
    }

    private func lines(_ text: String, of name: String) -> [String] {
        text.split(separator: "\n").map(String.init).filter { $0.hasPrefix(name) }
    }

    private func polled(_ outcome: PollOutcome) -> Input {
        .polled(source: "ios", PollReport(outcome), validators: [:])
    }

    private func observation(_ app: String) -> Observation {
        Observation(
            subject: Subject(source: "ios", app: app), span: TimeSpan(lasting: .minutes(5), until: start), seen: start,
            metrics: [.users: 100])
    }

    @Test func `every family says what it is, before its samples and once`() {
        var families: [String] = []
        var current = ""
        for line in text().split(separator: "\n") {
            let words = line.split(separator: " ", maxSplits: 3).map(String.init)
            if line.hasPrefix("# HELP ") {
                current = words[2]
                families.append(current)
                #expect(words.count == 4 && words[3].hasSuffix("."), "\(line)")
            } else if line.hasPrefix("# TYPE ") {
                #expect(words[2] == current)
                #expect(["gauge", "counter", "histogram"].contains(words[3]))
                #expect((words[3] == "counter") == current.hasSuffix("_total"), "\(line)")
            } else {
                #expect(line.hasPrefix(current), "\(line) stands under \(current)")
            }
        }
        #expect(families.count == Set(families).count)
        #expect(
            families == [
                "alertbot_build_info", "alertbot_polls_total", "alertbot_poll_duration_seconds",
                "alertbot_observations_total", "alertbot_source_failures", "alertbot_source_stopped",
                "alertbot_source_last_good_timestamp_seconds", "alertbot_subjects", "alertbot_judgements_total",
                "alertbot_incidents", "alertbot_notifications_total", "alertbot_mutes", "alertbot_outbox_deliveries",
                "alertbot_failed_deliveries", "alertbot_delivery_attempts_total", "alertbot_delivery_duration_seconds",
                "alertbot_journal_writable", "alertbot_journal_sync_duration_seconds", "alertbot_config_reloads_total",
                "alertbot_config_last_reload_successful",
            ])
    }

    @Test func `what never happened is a zero, so that its first time is seen`() {
        let text = text()
        #expect(
            lines(text, of: "alertbot_polls_total{source=\"ios\"") == [
                #"alertbot_polls_total{source="ios",outcome="answered"} 0"#,
                #"alertbot_polls_total{source="ios",outcome="no_data"} 0"#,
                #"alertbot_polls_total{source="ios",outcome="stale"} 0"#,
                #"alertbot_polls_total{source="ios",outcome="unchanged"} 0"#,
                #"alertbot_polls_total{source="ios",outcome="failed"} 0"#,
            ])
        #expect(text.contains(#"alertbot_delivery_attempts_total{channel="page",outcome="refused_channel"} 0"#))
        #expect(text.contains(#"alertbot_notifications_total{kind="opened",decision="drop"} 0"#))
    }

    @Test func `a name of the config stays one value, whatever stands in it`() {
        #expect(text().contains(#"alertbot_source_failures{source="odd \"\\name\""} 0"#))
    }

    @Test func `a source that is not polled any more says so, however few its failures`() {
        var rehearsal = Rehearsal(rehearsal().plan)
        rehearsal.pollAnswer = { order, _ in
            (PollReport(order.source == "ios" ? .failed(PollFailure(.unauthorized, "refused")) : .noData), .zero)
        }
        rehearsal.start()
        rehearsal.advance(by: .hours(1))
        let text = MetricsReport(
            rehearsal.state, rehearsal.plan, Meters(), .init(now: rehearsal.now, version: "1.2.3")
        ).text
        #expect(
            lines(text, of: "alertbot_source_stopped") == [
                #"alertbot_source_stopped{source="ios"} 1"#, #"alertbot_source_stopped{source="odd \"\\name\""} 0"#,
            ])
    }

    @Test func `that nothing has been pushed yet is no good answer`() {
        var pushed = SourcePlan(name: "pushed")
        pushed.isPushed = true
        var rehearsal = Rehearsal(.rehearsed(sources: [SourcePlan(name: "ios"), pushed]))
        rehearsal.pollAnswer = { _, _ in (PollReport(.noData), .zero) }
        rehearsal.start()
        rehearsal.advance(by: .hours(1))
        let text = MetricsReport(
            rehearsal.state, rehearsal.plan, Meters(), .init(now: rehearsal.now, version: "1.2.3")
        ).text
        let good = lines(text, of: "alertbot_source_last_good_timestamp_seconds")
        #expect(good.count == 1 && good[0].contains(#"source="ios""#), "\(good)")
        let status = StatusReport(rehearsal.state, rehearsal.plan, at: rehearsal.now).status(isRunning: true)[
            "sources"]?.array
        #expect(status?.map { $0["last_good"] == .null } == [false, true])
    }

    @Test func `when the last alert came is no gauge, for that none comes is no trouble`() {
        let sources = ["grafana", "nightly"].map { name in
            var source = SourcePlan(name: name, jitter: 0)
            source.isPushed = true
            source.isOfAlerts = name == "grafana"
            return source
        }
        var rehearsal = Rehearsal(.rehearsed(sources: sources))
        rehearsal.pollAnswer = { _, _ in nil }
        rehearsal.start()
        for source in sources { rehearsal.see(.fine, of: Subject(source: source.name, app: "shop")) }
        let text = MetricsReport(
            rehearsal.state, rehearsal.plan, Meters(), .init(now: rehearsal.now, version: "1.2.3")
        ).text
        let good = lines(text, of: "alertbot_source_last_good_timestamp_seconds")
        #expect(good.count == 1 && good[0].contains(#"source="nightly""#), "\(good)")
    }

    @Test func `a failed delivery counts until the bot has said it again, here and in the status and among the failed`()
    {
        var rehearsal = Rehearsal(.rehearsed())
        func counts() -> [JSON] {
            let report = MetricsReport(
                rehearsal.state, rehearsal.plan, Meters(), .init(now: rehearsal.now, version: "1.2.3"))
            let status = StatusReport(rehearsal.state, rehearsal.plan, at: rehearsal.now).status(isRunning: true)
            let isCounted =
                lines(report.text, of: "alertbot_failed_deliveries") == [
                    #"alertbot_failed_deliveries{channel="team"} 1"#
                ]
            let failed = StatusReport.history(rehearsal.state, limit: 100, deadOnly: true).array ?? []
            let channel = status["channels"]?.array?.first
            return [
                .bool(isCounted), channel?["dead"] ?? "none", channel?["last_error"] ?? "none", JSON(failed.count),
            ]
        }
        rehearsal.sendAnswer = { _, _ in (.refusedChannel("answered 410"), .zero) }
        rehearsal.start()
        rehearsal.see(.warning)
        rehearsal.advance(by: .minutes(1))
        #expect(counts() == [true, 1, "answered 410", 1])
        rehearsal.sendAnswer = { _, _ in (.delivered(receipt: nil), .zero) }
        rehearsal.reload(.rehearsed())
        rehearsal.advance(by: .minutes(1))
        #expect(counts() == [false, 0, .null, 0])
        #expect(StatusReport.history(rehearsal.state, limit: 100).array?.count == 2)
    }

    /// The channel counts as having heard, from a moment that moves along with the clock.
    @Test func `a delivery that may have arrived counts as failed, whatever the clock is set to`() {
        var rehearsal = Rehearsal(.rehearsed())
        rehearsal.sendAnswer = { _, _ in (.unknown("it hung up"), .zero) }
        rehearsal.start()
        rehearsal.see(.warning)
        rehearsal.advance(by: .minutes(10))
        #expect(rehearsal.state.failedDeliveries.contains { $0.delivery.incident != nil })
        rehearsal.setClock(by: .hours(1))
        #expect(rehearsal.state.failedDeliveries.contains { $0.delivery.incident != nil })
    }

    @Test func `incidents are counted by state and severity`() {
        let text = text()
        #expect(text.contains(#"alertbot_incidents{state="firing",severity="critical"} 1"#))
        #expect(text.contains(#"alertbot_incidents{state="firing",severity="warning"} 1"#))
        #expect(text.contains(#"alertbot_incidents{state="pending",severity="critical"} 0"#))
        #expect(text.contains(#"alertbot_outbox_deliveries{channel="team"} "#))
    }

    @Test func `polls and what they brought are counted by source, and how long they took`() {
        var meters = Meters()
        meters.note(
            polled(.values([observation("shop"), observation("bank")])), took: .poll(.milliseconds(40)))
        meters.note(polled(.unchanged), took: .poll(.milliseconds(5)))
        meters.note(polled(.failed(PollFailure(.timeout, "late"))), took: .poll(.seconds(45)))
        meters.note(.pushed(source: "ios", PollReport(.values([observation("shop")])), id: 1), took: nil)
        let text = text(meters)
        #expect(text.contains(#"alertbot_polls_total{source="ios",outcome="answered"} 2"#))
        #expect(text.contains(#"alertbot_polls_total{source="ios",outcome="unchanged"} 1"#))
        #expect(text.contains(#"alertbot_polls_total{source="ios",outcome="failed"} 1"#))
        #expect(text.contains(#"alertbot_observations_total{source="ios"} 3"#))
        #expect(
            lines(text, of: "alertbot_poll_duration_seconds") == [
                #"alertbot_poll_duration_seconds_bucket{le="0.005"} 1"#,
                #"alertbot_poll_duration_seconds_bucket{le="0.01"} 1"#,
                #"alertbot_poll_duration_seconds_bucket{le="0.025"} 1"#,
                #"alertbot_poll_duration_seconds_bucket{le="0.05"} 2"#,
                #"alertbot_poll_duration_seconds_bucket{le="0.1"} 2"#,
                #"alertbot_poll_duration_seconds_bucket{le="0.25"} 2"#,
                #"alertbot_poll_duration_seconds_bucket{le="0.5"} 2"#,
                #"alertbot_poll_duration_seconds_bucket{le="1"} 2"#,
                #"alertbot_poll_duration_seconds_bucket{le="2.5"} 2"#,
                #"alertbot_poll_duration_seconds_bucket{le="5"} 2"#,
                #"alertbot_poll_duration_seconds_bucket{le="10"} 2"#,
                #"alertbot_poll_duration_seconds_bucket{le="30"} 2"#,
                #"alertbot_poll_duration_seconds_bucket{le="+Inf"} 3"#,
                "alertbot_poll_duration_seconds_sum 45.045",
                "alertbot_poll_duration_seconds_count 3",
            ], "a push takes no time of ours")
    }

    @Test(arguments: [
        (DeliveryOutcome.delivered(receipt: nil), "delivered"), (.partly(receipt: nil, "x"), "partly"),
        (.retry(after: nil, "x"), "retry"), (.unknown("x"), "unknown"), (.refusedBody("x"), "refused_body"),
        (.refusedChannel("x"), "refused_channel"),
    ]) func `attempts are counted by channel and by what came of them`(outcome: DeliveryOutcome, name: String) {
        var meters = Meters()
        meters.note(.delivered(id: "d1", outcome), took: .attempt(channel: "team", .milliseconds(700)))
        let text = text(meters)
        #expect(text.contains("alertbot_delivery_attempts_total{channel=\"team\",outcome=\"\(name)\"} 1"))
        #expect(lines(text, of: "alertbot_delivery_attempts_total").count { $0.hasSuffix(" 1") } == 1)
        #expect(text.contains(#"alertbot_delivery_duration_seconds_bucket{channel="team",le="0.5"} 0"#))
        #expect(text.contains(#"alertbot_delivery_duration_seconds_bucket{channel="team",le="1"} 1"#))
        #expect(text.contains(#"alertbot_delivery_duration_seconds_count{channel="page"} 0"#))
    }

    @Test func `another config forgets whom it does not name, and a refused one is seen`() {
        var meters = Meters()
        meters.note(polled(.unchanged), took: .poll(.zero))
        meters.note(.delivered(id: "d1", .unknown("x")), took: .attempt(channel: "team", .zero))
        meters.noteRefusedReload()
        #expect(text(meters).contains("alertbot_config_last_reload_successful 0"))
        #expect(text(meters).contains(#"alertbot_config_reloads_total{outcome="refused"} 1"#))
        meters.noteReload(
            Bot.Setup(plan: .rehearsed(), sources: [:], channels: [:], heartbeat: nil, secrets: []), at: start)
        let text = text(meters)
        #expect(text.contains(#"alertbot_polls_total{source="ios",outcome="unchanged"} 0"#))
        #expect(text.contains(#"alertbot_delivery_attempts_total{channel="team",outcome="unknown"} 0"#))
        #expect(text.contains("alertbot_config_last_reload_successful 1"))
        #expect(text.contains(#"alertbot_config_reloads_total{outcome="done"} 1"#))
        #expect(text.contains("alertbot_config_last_reload_success_timestamp_seconds \(start.milliseconds / 1000)"))
    }

    @Test func `the journal and the process are told of where they are known`() {
        let process = MetricsReport.ProcessFigures(
            cpuSeconds: 1.5, residentBytes: 4096, openFiles: 9, openFilesMax: 1024, startSeconds: 12.25)
        let about = MetricsReport.About(
            now: start, version: "x", journalBytes: 77, isJournalWritable: false, process: process)
        let text = text(Meters(), about)
        for line in [
            "alertbot_journal_bytes 77", "alertbot_journal_writable 0", "process_cpu_seconds_total 1.5",
            "process_resident_memory_bytes 4096", "process_open_fds 9", "process_max_fds 1024",
            "process_start_time_seconds 12.25", #"alertbot_build_info{version="x"} 1"#,
        ] {
            #expect(text.contains("\n\(line)\n"), "\(line)")
        }
    }
}
