internal import PluginKit

// When sources are polled: intervals that stretch while nothing happens and tighten when something does.

extension Turn {
    /// Starts every poll that is due and allowed, and those that would be due in a moment anyway.
    mutating func startDuePolls() {
        var started = false
        // Who has waited longest goes first: where there is more to do than allowed, everybody has a turn.
        for source in plan.sources.filter({ due($0) <= now }).sorted(by: { due($0) < due($1) }) where canStart(source) {
            start(source)
            started = true
        }
        guard started else { return }
        // The machine is awake: who is nearly due comes along, unless a service said when.
        for source in plan.sources where canStart(source) && !isTold(source) {
            let early = min(source.every.scaled(by: Turn.coalescedShare), Turn.coalescedMax)
            if due(source) <= now + early,
                now - (state.sources[source.name]?.lastPolled ?? .earliest) >= source.throttle
            {
                start(source)
            }
        }
    }

    /// How much of its interval a poll may come early to share a wake-up, and at most.
    static let coalescedShare = 0.1
    static let coalescedMax = Duration.seconds(15)

    private func due(_ source: SourcePlan) -> Moment { state.sources[source.name]?.due ?? .earliest }

    private func isTold(_ source: SourcePlan) -> Bool {
        state.sources[source.name]?.reasons.contains(.told) ?? false
    }

    private func canStart(_ source: SourcePlan) -> Bool {
        guard !state.polling.contains(source.name), state.polling.count < plan.concurrency,
            state.sources[source.name]?.stopped == nil
        else { return false }
        guard let host = source.host else { return true }
        let onHost = plan.sources.count { $0.host == host && state.polling.contains($0.name) }
        return onHost < Plan.pollsPerHostMax
    }

    private mutating func start(_ source: SourcePlan) {
        var record = state.sources[source.name] ?? SourceRecord()
        record.lastPolled = now
        // A poll whose result is lost in a crash must not leave the source without a next one.
        record.due = now + max(source.every, source.throttle)
        self.record(.source(name: source.name, record))
        state.polling.insert(source.name)
        state.timers.set(.source(source.name), nil)
        output.effects.append(
            .poll(
                PollOrder(
                    source: source.name, cursor: record.cursor, validators: record.validators,
                    spans: plan.spans(of: source), timeout: source.timeout)))
    }

    /// Takes in what a poll found out.
    mutating func takeReport(
        of name: String, _ report: PollReport, validators: [String: SourceRecord.Validator]
    ) {
        guard let source = plan.source(name) else { return }
        var record = state.sources[name] ?? SourceRecord()
        if let cursor = report.cursor { record.cursor = cursor }
        record.validators = validators
        for warning in report.warnings { note(.warning, "source \(name): \(warning)") }
        if case .failed(let failure) = report.outcome {
            record.lastOutcome = .failed
            takeFailure(failure, of: source, &record)
        } else {
            takeSuccess(report.outcome, of: source, &record)
        }
        let wait = failureWait(report)
        schedule(source, &record, notBefore: wait)
        self.record(.source(name: name, record))
        judgeSource(name)
        setPollTimer(name)
    }

    private func failureWait(_ report: PollReport) -> Moment? {
        if case .failed(let failure) = report.outcome, let retryAt = failure.retryAt {
            return max(retryAt, report.notBefore ?? retryAt)
        }
        return report.notBefore
    }

    private mutating func takeSuccess(
        _ outcome: PollReport.Outcome, of source: SourcePlan, _ record: inout SourceRecord
    ) {
        record.failure = nil
        record.stopped = nil
        clearTrouble(.sourceStopped, about: source.name)
        if case .stale = outcome {} else { clearTrouble(.sourceFailing, about: source.name) }
        switch outcome {
        case .values(let observations):
            record.lastOutcome = .values
            record.lastGood = now
            record.lastChanged = record.lastPolled
            record.unchangedCount = 0
            let closeness = takeObservations(observations, of: source.name)
            record.isNear = closeness == .near
            record.calmCount = closeness == .far ? record.calmCount + 1 : 0
            state.judged.insert(source.name)
        case .unchanged:
            // What the figures say is as before; what the rules say of them need not be. And after a failure it is news
            // that the figures still hold.
            let isNews = record.lastOutcome != .values && record.lastOutcome != .unchanged
            if state.judged.insert(source.name).inserted || isNews {
                let subjects = state.series.keys.filter { $0.source == source.name }.sorted()
                if judge(subjects, asSeen: true) == .near { record.isNear = true }
            }
            record.lastOutcome = .unchanged
            record.lastGood = now
            record.unchangedCount += 1
        case .noData:
            record.lastOutcome = .noData
            record.lastGood = now
            record.unchangedCount = 0
            record.isNear = false
            record.calmCount += 1
        case .stale(let measured):
            record.lastOutcome = .stale
            record.unchangedCount += 1
            note(.warning, "source \(source.name): its figures are from \(measured), older than allowed")
            if now - (record.lastGood ?? measured) >= plan.figuresLast(source.name) {
                raiseTrouble(
                    .sourceFailing, about: source.name, severity: .warning,
                    "Source \(source.name) answers, but its newest figures are from \(measured), older than allowed.")
            }
        case .failed: break
        }
    }

    private mutating func takeFailure(_ failure: PollFailure, of source: SourcePlan, _ record: inout SourceRecord) {
        let isSecondRefusal = failure.reason == .unauthorized && record.failure?.reason == .unauthorized
        record.failure = SourceRecord.Failure(
            reason: failure.reason, sentence: failure.description, since: record.failure?.since ?? now,
            count: (record.failure?.count ?? 0) + 1)
        note(.warning, "source \(source.name): \(failure.reason.rawValue): \(failure.description)")
        if isSecondRefusal {
            record.stopped = failure.description
            raiseTrouble(
                .sourceStopped, about: source.name, severity: .critical,
                "The credential of source \(source.name) was refused twice, so it is not polled any more: "
                    + "\(failure.description). Renew it, then reload the config.")
        } else if let failing = record.failure {
            let lastGood = record.lastGood ?? failing.since
            // One failure is no trouble yet, unless the service says that its next answer will come too late.
            let isLate = failing.count >= 2 && now - lastGood >= plan.figuresLast(source.name)
            let willBeLate = failure.retryAt.map { $0 - now >= plan.figuresLast(source.name) } ?? false
            guard isLate || willBeLate else { return }
            raiseTrouble(
                .sourceFailing, about: source.name, severity: .warning,
                "Source \(source.name) has given no usable answer since \(clock(lastGood))"
                    + (failure.retryAt.map { " and wants to be left alone until \(clock($0))" } ?? "")
                    + ": \(failure.description)")
        }
    }

    /// Sets when the source is polled next, and why then.
    private mutating func schedule(_ source: SourcePlan, _ record: inout SourceRecord, notBefore: Moment?) {
        var steps = 0
        var reasons: [PollReason] = []
        func slow(_ reason: PollReason, by count: Int) {
            guard count > 0, source.slowsWhen.contains(reason) else { return }
            reasons.append(reason)
            steps += count
        }
        slow(.failing, by: record.failure?.count ?? 0)
        let isWatching = record.isNear || hasPending(source.name)
        if isWatching, record.failure == nil {
            reasons.append(.near)
        } else {
            slow(.unchanged, by: record.unchangedCount)
            slow(.calm, by: record.calmCount / Turn.calmPollsPerStep)
            slow(.idle, by: isIdle(source) ? 1 : 0)
            slow(.lowPower, by: state.isLowOnPower ? 1 : 0)
        }
        var interval =
            reasons.contains(.near)
            ? source.throttle : source.every.scaled(by: Turn.power(source.backoffFactor, min(steps, Turn.stepsMax)))
        let chance = StableHash.unit(source.name, now.description, "poll")
        interval = interval.scaled(by: 1 + source.jitter * (2 * chance - 1))
        interval = interval.clamped(to: source.throttle...max(source.slowest, source.throttle))
        record.due = (record.lastPolled ?? now) + interval
        if let notBefore, notBefore > record.due ?? now {
            record.due = notBefore
            reasons.append(.told)
        }
        // A poll that took long must not be followed by the next at once.
        record.due = max(record.due ?? now, now)
        record.reasons = reasons
    }

    /// Calm polls in a row before the interval stretches by one more step: half an hour at the default interval.
    static let calmPollsPerStep = 6
    /// Beyond this many doublings every interval has long reached its bound.
    static let stepsMax = 16

    private static func power(_ base: Double, _ exponent: Int) -> Double {
        (0..<exponent).reduce(1.0) { product, _ in product * base }
    }

    mutating func setPollTimer(_ name: String) {
        guard plan.source(name) != nil, !state.polling.contains(name), state.sources[name]?.stopped == nil else {
            state.timers.set(.source(name), nil)
            return
        }
        state.timers.set(.source(name), state.sources[name]?.due ?? now)
    }

    private func hasPending(_ source: String) -> Bool {
        state.incidents.values.contains { incident in
            // A rule without `for` fires in this very turn: there is nothing to watch for.
            incident.state == .pending && incident.subject.source == source
                && (plan.detector(incident.rule)?.detector.holdTime ?? .zero) > .zero
        }
    }

    /// Whether nobody would be told, whatever the source said: every way out is closed to every incident it could make.
    private func isIdle(_ source: SourcePlan) -> Bool {
        guard source.slowsWhen.contains(.idle), !plan.gates.isEmpty || !state.mutes.isEmpty else { return false }
        let subjects = state.series.keys.filter { $0.source == source.name }
        guard !subjects.isEmpty else { return false }
        for subject in subjects {
            for detector in plan.detectors
            where detector.concerns(subject, labels: state.series[subject]?.labels ?? [:]) {
                let incident = Incident(
                    rule: detector.name, subject: subject, labels: state.series[subject]?.labels ?? [:],
                    severity: .critical, since: now, evidence: Evidence(sentence: ""))
                let wouldPass = channels(for: incident).contains { channel in
                    calendarClosure(
                        for: Notification(incident: incident, kind: .opened, severity: .critical, channel: channel))
                        == nil
                }
                if wouldPass { return false }
            }
        }
        return true
    }
}
