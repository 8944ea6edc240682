public import AlertCore
public import PluginKit

/// The figures of the bot in Prometheus's text format, version 0.0.4.
public struct MetricsReport: Sendable {
    private let state: State
    private let plan: Plan
    private let meters: Meters
    private let about: About

    /// What is known of the bot beside its state.
    public struct About: Sendable {
        public var now: Moment
        public var version: String
        /// What the journal takes on the disk; nil where nobody knows.
        public var journalBytes: Int?
        public var isJournalWritable: Bool
        public var process: ProcessFigures?

        public init(
            now: Moment, version: String, journalBytes: Int? = nil, isJournalWritable: Bool = true,
            process: ProcessFigures? = nil
        ) {
            self.now = now
            self.version = version
            self.journalBytes = journalBytes
            self.isJournalWritable = isJournalWritable
            self.process = process
        }
    }

    /// What the system says of the process.
    public struct ProcessFigures: Hashable, Sendable {
        public var cpuSeconds: Double
        public var residentBytes: Int
        public var openFiles: Int
        public var openFilesMax: Int?
        /// Since 1970.
        public var startSeconds: Double

        public init(
            cpuSeconds: Double, residentBytes: Int, openFiles: Int, openFilesMax: Int?, startSeconds: Double
        ) {
            self.cpuSeconds = cpuSeconds
            self.residentBytes = residentBytes
            self.openFiles = openFiles
            self.openFilesMax = openFilesMax
            self.startSeconds = startSeconds
        }
    }

    public init(_ state: State, _ plan: Plan, _ meters: Meters, _ about: About) {
        self.state = state
        self.plan = plan
        self.meters = meters
        self.about = about
    }

    public var text: String {
        var text = MetricsText()
        text.family(
            "alertbot_build_info", .gauge, "The version that runs; always 1.",
            [.init(["version": about.version], 1)])
        sources(&text)
        rules(&text)
        channels(&text)
        keeping(&text)
        if let process = about.process { text.put(process) }
        return text.text
    }

    private func sources(_ text: inout MetricsText) {
        let named = plan.sources.map(\.name)
        func polls(_ name: String) -> Meters.Polls { meters.polls[name] ?? Meters.Polls() }
        text.family(
            "alertbot_polls_total", .counter, "Polls that ended, by source and outcome.",
            named.flatMap { name in
                polls(name).outcomes.all.map { .init(["source": name, "outcome": $0.name], $0.count) }
            })
        text.histogram(
            "alertbot_poll_duration_seconds", "Duration of polls, all their requests included.",
            [([:], meters.pollDurations)])
        text.family(
            "alertbot_observations_total", .counter, "Observations received, by source.",
            named.map { .init(["source": $0], polls($0).observations) })
        text.family(
            "alertbot_source_failures", .gauge, "Consecutive failed polls, by source.",
            named.map { .init(["source": $0], state.schedule.sources[$0]?.failure?.count ?? 0) })
        text.family(
            "alertbot_source_stopped", .gauge,
            "1 for a source that is not polled any more because its credentials were refused.",
            named.map { .init(["source": $0], state.schedule.sources[$0]?.stopped == nil ? 0 : 1) })
        text.family(
            "alertbot_source_last_good_timestamp_seconds", .gauge, "Unix time of each source's last good answer.",
            // That no alert comes is no news, however long it is.
            plan.sources.filter { !$0.isOfAlerts }.compactMap { source in
                state.schedule.sources[source.name]?.lastAnswer(of: source).map {
                    .init(["source": source.name], $0.seconds)
                }
            })
        text.family(
            "alertbot_subjects", .gauge, "Combinations of app, release and environment with figures.",
            [.init([:], state.figures.series.count)])
    }

    private func rules(_ text: inout MetricsText) {
        text.family(
            "alertbot_judgements_total", .counter, "Judgements made by rules.", [.init([:], meters.judgements)])
        var counts: [Incident.State: [Severity: Int]] = [:]
        for incident in state.incidents.all { counts[incident.state, default: [:]][incident.severity, default: 0] += 1 }
        text.family(
            "alertbot_incidents", .gauge, "Open incidents, by state and severity.",
            [Incident.State.pending, .firing, .recovering].flatMap { state in
                Severity.allCases.map { severity in
                    .init(
                        ["state": state.rawValue, "severity": severity.rawValue], counts[state]?[severity] ?? 0)
                }
            })
        text.family(
            "alertbot_notifications_total", .counter,
            "Decisions on notifications, by kind; a held one is decided again later.",
            Notification.Kind.ofIncidents.flatMap { kind in
                (meters.decisions[kind] ?? Counts()).all.map {
                    .init(["kind": kind.rawValue, "decision": $0.name], $0.count)
                }
            })
        text.family(
            "alertbot_mutes", .gauge, "Active mutes set by people.",
            [.init([:], state.mutes.inForce(at: about.now).count)])
    }

    private func channels(_ text: inout MetricsText) {
        let named = plan.channels.map(\.name)
        func attempts(_ name: String) -> Meters.Attempts { meters.attempts[name] ?? Meters.Attempts() }
        var queued: [String: Int] = [:]
        for delivery in state.outbox.deliveries.values { queued[delivery.channel, default: 0] += 1 }
        var failed: [String: Int] = [:]
        for entry in state.failedDeliveries { failed[entry.delivery.channel, default: 0] += 1 }
        text.family(
            "alertbot_outbox_deliveries", .gauge, "Deliveries accepted and not finished, by channel.",
            named.map { .init(["channel": $0], queued[$0] ?? 0) })
        text.family(
            "alertbot_failed_deliveries", .gauge,
            "Deliveries that failed for good and were neither retried nor said again, by channel, as far back as the history goes.",
            named.map { .init(["channel": $0], failed[$0] ?? 0) })
        text.family(
            "alertbot_delivery_attempts_total", .counter, "Delivery attempts, by channel and outcome.",
            named.flatMap { name in
                attempts(name).outcomes.all.map { .init(["channel": name, "outcome": $0.name], $0.count) }
            })
        text.histogram(
            "alertbot_delivery_duration_seconds", "Duration of delivery attempts, by channel.",
            named.map { (["channel": $0], attempts($0).durations) })
    }

    private func keeping(_ text: inout MetricsText) {
        if let bytes = about.journalBytes {
            text.family("alertbot_journal_bytes", .gauge, "Size of the journal on disk.", [.init([:], bytes)])
        }
        text.family(
            "alertbot_journal_writable", .gauge, "1 while the journal can be written, 0 while messages wait for it.",
            [.init([:], about.isJournalWritable ? 1 : 0)])
        text.histogram(
            "alertbot_journal_sync_duration_seconds", "Duration of journal syncs.",
            [([:], meters.syncs)])
        let reloads = meters.reloads
        text.family(
            "alertbot_config_reloads_total", .counter, "Config reloads, by outcome.",
            [.init(["outcome": "done"], reloads.done), .init(["outcome": "refused"], reloads.refused)])
        text.family(
            "alertbot_config_last_reload_successful", .gauge,
            "0 while the config on disk is refused and the previous one stays in use.",
            [.init([:], reloads.isLastRefused ? 0 : 1)])
        if let last = reloads.last {
            text.family(
                "alertbot_config_last_reload_success_timestamp_seconds", .gauge,
                "Unix time of the last successful reload.",
                [.init([:], last.seconds)])
        }
    }
}

extension Moment {
    fileprivate var seconds: Double { Double(milliseconds) / 1000 }
}
