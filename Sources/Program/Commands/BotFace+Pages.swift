internal import AlertCore
internal import PluginKit
internal import Runtime
public import StatusPage

// What the pages show, read from the bot's state in one look each.

extension BotFace {
    public func overview(apps asked: String?) async -> Overview { await bot.look.overview(apps: asked) }
    public func openIncidents() async -> (listed: [PageIncident], count: Int) {
        let look = await bot.look
        return (look.openIncidents(most: Bot.Look.Most.listed), look.state.incidents.all.count(where: \.isOpen))
    }
    public func channels() async -> [PageChannel] { await bot.look.channels }
    public func incident(_ id: String) async -> IncidentStory? { await bot.look.story(ofIncident: id) }
    public func app(_ name: String) async -> AppStory? { await bot.look.story(ofApp: name) }

    public func deliveries(matching words: String?, limit: Int) async -> [PageDelivery] {
        let look = await bot.look
        let words = words?.lowercased()
        let found = look.state.outbox.history.reversed().lazy.filter { entry in
            guard let words else { return true }
            var message = entry.delivery.message
            message.words = look.plan.words
            return message.plainText.lowercased().contains(words)
                || entry.delivery.channel.lowercased().contains(words)
        }
        return found.prefix(limit).map(PageDelivery.init)
    }
}

extension Bot.Look {
    /// What a page shows of a list that may be of any length: some screens full.
    enum Most {
        static let incidents = 50
        static let listed = 1000
        static let apps = 100
        static let sources = 100
        static let verdicts = 400
        static let deliveries = 50
        static let dead = 20
        static let paragraphs = 40
    }

    // MARK: - The overview

    func overview(apps asked: String?) -> Overview {
        let open = open
        var overview = Overview()
        overview.incidents = openIncidents(most: Most.incidents)
        overview.open = state.incidents.openBySeverity
        let wanted = asked?.lowercased()
        var worst: [Subject: Severity] = [:]
        for incident in open where incident.state != .pending {
            let app = AppKey(incident.subject).subject
            worst[app] = max(worst[app] ?? .info, incident.severity)
        }
        let apps = Set(state.figures.series.keys.map { AppKey($0).subject })
            .filter { app in wanted.map { app.app.lowercased().contains($0) } ?? true }
        let shown = apps.sorted { left, right in
            let (mine, other) = (worst[left], worst[right])
            guard mine == other else {
                return (mine.map { Severity.allCases.firstIndex(of: $0) ?? 0 } ?? -1)
                    > (other.map { Severity.allCases.firstIndex(of: $0) ?? 0 } ?? -1)
            }
            return left < right
        }.prefix(Most.apps)
        overview.appCount = apps.count
        overview.apps = self.apps(Array(shown))
        // Whoever has trouble stands first, in the order of the config as all others.
        let (ill, well) = (plan.sources.filter { !isWell($0) }, plan.sources.filter(isWell))
        overview.sources = (ill + well).prefix(Most.sources).map(source)
        overview.sourceCount = plan.sources.count
        overview.illSourceCount = ill.count
        overview.channels = channels
        overview.mutes = mutes
        overview.onCall = plan.rotations.map {
            PageWatch(
                rotation: $0.name, person: $0.person(on: now).name, until: $0.nextChange(after: now))
        }
        return overview
    }

    private var open: [Incident] { state.incidents.all.filter(\.isOpen).sorted(by: isFirst) }

    func openIncidents(most: Int) -> [PageIncident] { open.prefix(most).compactMap(incident) }

    /// What is sure before what is not, then the worst first.
    private func isFirst(_ left: Incident, _ right: Incident) -> Bool {
        if (left.state == .pending) != (right.state == .pending) { return right.state == .pending }
        return left.isWorse(than: right)
    }

    private func incident(_ incident: Incident) -> PageIncident? {
        guard let message = state.message(about: incident.id, plan, at: now) else { return nil }
        return PageIncident(
            id: incident.id, message: message, state: incident.state,
            lasting: "since \(plan.zone.words(incident.since)), for \((now - incident.since).rough)",
            carers: incident.acknowledgement?.names,
            muted: mute(of: incident).map { "muted \(words(of: $0))" } ?? held(incident))
    }

    /// That nobody has been told of it yet, and what holds it: it looks as bad as what everybody knows of.
    private func held(_ incident: Incident) -> String? {
        let heard = incident.standings.filter { plan.channel($0.key) != nil }.values
        guard !heard.contains(where: { $0.announced != nil }),
            let hold = heard.compactMap(\.hold).min(by: { $0.until < $1.until })
        else { return nil }
        let until = hold.until < .latest ? " until \(plan.zone.words(hold.until, readAt: now))" : ""
        return "nobody notified yet, held\(until) (\(hold.reason))"
    }

    /// The mute that somebody set and that keeps it quiet for longest; those of the config stand in the list of mutes.
    func mute(of incident: Incident) -> Mute? {
        state.mutes.inOrder.last { $0.from <= now && now < $0.until && $0.match.fits(incident.property) }
    }

    /// `until Fri 20 Nov 23:00 CET by ana`.
    func words(of mute: Mute) -> String {
        "until \(plan.zone.words(mute.until, readAt: now))\(mute.by.map { " by \($0)" } ?? "")"
    }

    // MARK: - Apps

    /// - Parameter hear: takes in each judgement, those too that the page has no room for.
    private func apps(_ shown: [Subject], _ hear: (Judged) -> Void = { _ in }) -> [PageApp] {
        let wanted = Set(shown)
        var judgements = Judgements(most: Most.verdicts)
        var (unlisted, unlistedWell): ([Subject: Int], [Subject: Int]) = ([:], [:])
        Core(plan: plan).judge(state, at: now, where: { wanted.contains(AppKey($0).subject) }) { judged in
            hear(judged)
            judgements.add(judged)
            unlisted[AppKey(judged.subject).subject, default: 0] += 1
            if judged.rank == .fine { unlistedWell[AppKey(judged.subject).subject, default: 0] += 1 }
        }
        let kept = judgements.kept
        for judged in kept {
            unlisted[AppKey(judged.subject).subject, default: 0] -= 1
            if judged.rank == .fine { unlistedWell[AppKey(judged.subject).subject, default: 0] -= 1 }
        }
        let verdicts = Dictionary(grouping: kept) { AppKey($0.subject).subject }
        var seen: [Subject: Moment] = [:]
        var watched: Set<Subject> = []
        for (subject, series) in state.figures.series {
            let app = AppKey(subject).subject
            guard wanted.contains(app) else { continue }
            seen[app] = max(seen[app] ?? series.lastSeen, series.lastSeen)
            // Asked only where no rule says anything: it may be that none has anything to say.
            if verdicts[app] == nil, !watched.contains(app),
                plan.detectors.contains(where: { $0.watches(subject, labels: series.labels) })
            {
                watched.insert(app)
            }
        }
        return shown.map { app in
            PageApp(
                name: app.app, source: app.source, seen: seen[app],
                age: seen[app].map { "\(max(.zero, now - $0).rough) ago" } ?? "",
                verdicts: (verdicts[app] ?? []).map(verdict), unlisted: unlisted[app] ?? 0,
                unlistedWell: unlistedWell[app] ?? 0, isWatched: verdicts[app] != nil || watched.contains(app))
        }
    }

    private func verdict(_ judged: Judged) -> PageVerdict {
        let evidence = judged.judgement.evidence
        let subject = judged.subject
        let about = [subject.release, subject.environment, judged.key].compactMap(\.self).joined(separator: ", ")
        let limit: String? =
            switch (evidence.reference, evidence.metric) {
            case (.usual(let value)?, let metric?): "usually \(text(value, of: metric))"
            case (.olderRelease(let value)?, let metric?): "older release \(text(value, of: metric))"
            default: evidence.limit?.words
            }
        let tone: PageVerdict.Tone =
            switch judged.judgement.verdict {
            // What figures say that nobody has confirmed since is not how things are.
            case .ok: judged.noNewsSince == nil ? .fine : .unknown
            case .firing(let severity): .firing(severity)
            case .unknown: .unknown
            }
        return PageVerdict(
            rule: judged.rule, about: about.isEmpty ? nil : about, tone: tone,
            metric: evidence.metric.map { Metric($0).title },
            figure: evidence.metric.flatMap { metric in
                evidence.figure.map { text($0.value, of: metric, by: evidence.limit) }
            },
            limit: limit, chart: chart(evidence, of: subject, rule: judged.rule),
            noNews: judged.noNewsSince.map { "no news since \(plan.zone.words($0, readAt: now))" })
    }

    private func text(_ value: Double, of metric: String, by limit: Comparison? = nil) -> String {
        Metric(metric).isRate(by: limit) ? value.percent : value.plain
    }

    private func chart(_ evidence: Evidence, of subject: Subject, rule: String) -> PageChart? {
        guard let metric = evidence.metric, let series = state.figures.series[subject] else { return nil }
        let points = ChartPoints(series, Metric(metric), from: now - .hours(24), to: now)
        guard points.all.count >= ChartPoints.least else { return nil }
        var usual: Double?
        switch evidence.reference {
        case .usual(let value), .olderRelease(let value): usual = value
        case nil: break
        }
        let release = subject.release.map { " of \($0)" } ?? ""
        let limit = evidence.limit.map { ", limit \($0.words)" } ?? ""
        return PageChart(
            points: points.all, limit: evidence.limit?.limit, usual: usual,
            isRate: Metric(metric).isRate(by: evidence.limit),
            // A bot that is young fills its picture all the same.
            from: max(now - .hours(24), (points.all.first?.at ?? now) - .minutes(1)), to: now,
            title: "\(Metric(metric).title)\(release) over the last day\(limit) (rule \(rule))")
    }

    // MARK: - Sources, channels, mutes

    private func isWell(_ source: SourcePlan) -> Bool {
        guard let record = state.schedule.sources[source.name] else { return true }
        return record.stopped == nil && record.failure == nil && record.silentSince == nil && record.warnings.isEmpty
    }

    private func source(_ source: SourcePlan) -> PageSource {
        let record = state.schedule.sources[source.name] ?? SourceRecord()
        let isPolling = state.schedule.isPolling(source.name)
        let isUntouched = record.isUntouched(source)
        let word =
            record.stopped != nil
            ? "stopped" : isUntouched ? "nothing pushed yet" : record.lastOutcome?.word ?? "not polled yet"
        let lastData = record.lastChanged.map { "last data \(plan.zone.words($0))" } ?? "no data yet"
        var pace = source.isPushed ? "receives pushes; \(lastData)" : "every \(source.every.short)"
        if let due = state.schedule.nextPoll(of: source) {
            pace += isPolling ? "; polling now" : "; next poll in \(max(.zero, due - now).rough)"
            if !isPolling, let holder = state.schedule.holder(of: source) {
                pace += ", when \(holder.name) may ask again: both share one account"
            }
        }
        if !record.reasons.isEmpty { pace += " (\(record.reasons.map(\.words).joined(separator: ", ")))" }
        let failure = record.failure.map { failure in
            "\(failure.sentence) (\(failure.count.counted("time")) since \(plan.zone.words(failure.since)))"
        }
        let silence = record.silentSince.map { "no usable answer since \(plan.zone.words($0))" }
        return PageSource(
            name: source.name, state: word,
            isWell: isWell(source),
            pace: pace, trouble: record.stopped ?? failure ?? silence ?? record.warnings.first,
            lastGood: record.lastAnswer(of: source))
    }

    var channels: [PageChannel] {
        var queued: [String: Int] = [:]
        for delivery in state.outbox.deliveries.values { queued[delivery.channel, default: 0] += 1 }
        let ended = Dictionary(grouping: state.outbox.history, by: \.delivery.channel)
        return plan.channels.map { channel in
            let record = state.outbox.channels[channel.name] ?? ChannelRecord()
            let entries = ended[channel.name] ?? []
            let dead = entries.filter(\.end.isDead)
            let pause = record.pausedUntil.flatMap { $0 > now ? "; paused until \(plan.zone.words($0))" : nil } ?? ""
            let trouble = record.lastError.map {
                "\(record.failures.counted("failed attempt")), the last: \($0)\(pause)"
            }
            let missing = missingPictures[channel.name].map {
                "\($0.count.counted("message")) without a chart, the last: \($0.why)"
            }
            return PageChannel(
                name: channel.name, isInbox: inboxes.contains(channel.name),
                lastDelivered: entries.last { if case .delivered = $0.end { true } else { false } }?.at,
                hasForgotten: state.outbox.hasForgotten, queued: queued[channel.name] ?? 0,
                dead: dead.suffix(Most.dead).map(PageDelivery.init),
                deadCount: dead.count, trouble: trouble ?? missing)
        }
    }

    private var mutes: [PageMute] {
        let set = state.mutes.inOrder.filter { $0.until > now }.map { mute in
            PageMute(
                id: mute.id, name: mute.id, covers: mute.match.sentence, from: mute.from, until: mute.until,
                isInForce: mute.from <= now, by: mute.by, reason: mute.reason)
        }
        let written = plan.gates.filter { $0.gate.stage == .mutes || $0.gate.stage == .quietHours }.flatMap { gate in
            (gate.calendar?.schedule(from: now, count: 1) ?? []).map { span in
                PageMute(
                    id: nil, name: gate.name, covers: covers(gate), from: span.from, until: span.to.ifKnown,
                    isInForce: span.from <= now && now < span.to, by: nil, reason: gate.gate.purpose)
            }
        }
        return set + written
    }

    /// What a gate concerns, and what passes it whatever it says.
    private func covers(_ gate: GatePlan) -> String {
        [gate.match.sentence, gate.gate.except?.passing].compactMap(\.self).joined(separator: "; ")
    }

    // MARK: - Stories

    func story(ofIncident id: String) -> IncidentStory? {
        let queued = state.outbox.inOrder.filter { $0.isAbout(id) }.map(PageDelivery.init)
        let ended = state.outbox.history.filter { $0.delivery.isAbout(id) }
        let incident = state.incidents[id]
        guard incident != nil || !ended.isEmpty || !queued.isEmpty else { return nil }
        let now = incident.flatMap(self.incident)
        return IncidentStory(
            id: id, incident: now,
            headline: now?.message.headline ?? ended.last?.delivery.message.headline ?? queued.last?.headline ?? id,
            chart: incident.flatMap(picture),
            why: incident.map { WhyReport(state, plan, at: self.now, of: $0).paragraphs } ?? [],
            deliveries: ended.suffix(Most.deliveries).map(PageDelivery.init) + queued.prefix(Most.deliveries),
            hasForgotten: state.outbox.hasForgotten)
    }

    func story(ofApp name: String) -> AppStory? {
        let apps = Set(state.figures.series.keys.filter { $0.app == name }.map { AppKey($0).subject }).sorted()
        let incidents = state.incidents.all.filter { $0.isOpen && $0.subject.app == name }.sorted(by: isFirst)
        let said = state.outbox.history.filter { entry in
            entry.delivery.message.incidents.contains { $0.subject.app == name }
        }
        guard !apps.isEmpty || !incidents.isEmpty || !said.isEmpty else { return nil }
        var judged: [Judged] = []
        let seen = self.apps(apps) { judged.append($0) }
        let why = WhyReport(state, plan, at: now, most: Most.paragraphs) { $1.app == name }
        let paragraphs = why.paragraphs
        let more = paragraphs.count + why.leftOut - Most.paragraphs
        return AppStory(
            name: name, apps: seen,
            incidents: incidents.prefix(Most.incidents).compactMap(incident), pictures: pictures(of: apps, judged),
            issues: state.issueLines(ofApp: name, plan, at: now),
            deliveries: said.suffix(Most.deliveries).reversed().map(PageDelivery.init),
            hasForgotten: state.outbox.hasForgotten,
            why: paragraphs.prefix(Most.paragraphs) + (more > 0 ? ["and \(more) more: 'alertbot why' lists each"] : []))
    }
}

/// An app as one source sees it, with all its releases.
struct AppKey {
    let subject: Subject

    init(_ subject: Subject) { self.subject = Subject(source: subject.source, app: subject.app) }
}

extension PageDelivery {
    fileprivate init(_ entry: EndedDelivery) {
        var why: String?
        if case .dead(let reason) = entry.end { why = reason }
        // As the command line says it; the API keeps the journal's word.
        let outcome = entry.end.isDead ? "failed" : entry.end.name
        self.init(entry.delivery, at: entry.at, outcome: outcome, isDead: entry.end.isDead, why: why)
    }

    fileprivate init(_ delivery: Delivery) {
        self.init(delivery, at: delivery.queued, outcome: "queued", isDead: false, why: nil)
    }

    private init(_ delivery: Delivery, at moment: Moment, outcome: String, isDead: Bool, why: String?) {
        self.init(
            id: delivery.id, at: moment, channel: delivery.channel, kind: delivery.kind,
            headline: delivery.message.headline,
            incidents: delivery.message.incidents.map(\.id), outcome: outcome, isDead: isDead, why: why)
    }
}

extension Delivery {
    fileprivate func isAbout(_ id: String) -> Bool { incident == id || message.incidents.contains { $0.id == id } }
}

extension SourceRecord.Outcome {
    fileprivate var word: String {
        switch self {
        case .values: "answers"
        case .noData: "answers without figures"
        case .stale: "answers with old figures"
        case .unchanged: "answers, nothing new"
        case .failed: "fails"
        }
    }
}

extension PollReason {
    fileprivate var words: String {
        switch self {
        case .failing: "failing"
        case .unchanged: "unchanged"
        case .calm: "calm"
        case .idle: "idle: nobody would be notified"
        case .lowPower: "low power"
        case .near: "near a limit"
        case .told: "asked to wait"
        }
    }
}
