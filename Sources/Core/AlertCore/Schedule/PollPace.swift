internal import PluginKit

/// How soon a source is polled again, and why then: intervals that stretch while nothing happens and tighten when
/// something does.
struct PollPace {
    let source: SourcePlan
    /// Whether an incident waits for its time.
    let hasPending: Bool
    /// Whether nobody would be told, whatever the source said.
    let isIdle: Bool
    let isLowOnPower: Bool

    init(source: SourcePlan, hasPending: Bool, isIdle: Bool, isLowOnPower: Bool) {
        self.source = source
        self.hasPending = hasPending
        self.isIdle = isIdle
        self.isLowOnPower = isLowOnPower
    }

    /// What it was when the record was planned last.
    init(as record: SourceRecord, _ source: SourcePlan) {
        self.init(
            source: source, hasPending: record.reasons.contains(.near), isIdle: record.reasons.contains(.idle),
            isLowOnPower: record.reasons.contains(.lowPower))
    }

    /// Sets when the source is polled next, and why then.
    ///
    /// - Parameter notBefore: What the service asked for, if it did.
    func plan(_ record: inout SourceRecord, notBefore: Moment?, at now: Moment) {
        if source.isPushed {
            // Nothing to ask: only when nobody tells anything any more is there something to say.
            record.due = max((heard(record) ?? now) + source.slowest, now)
            record.reasons = []
            return
        }
        let (interval, ownReasons) = stretch(of: record)
        var reasons = ownReasons
        let chance = StableHash.unit(source.name, now.description, "poll")
        var due = (record.lastPolled ?? now) + jittered(interval, by: 2 * chance - 1)
        record.told = notBefore.flatMap { $0 > now ? $0 : nil }
        if let notBefore, notBefore > due {
            due = notBefore
            reasons.append(.told)
        }
        // A poll that took long must not be followed by the next at once.
        record.due = max(due, now)
        record.reasons = reasons
    }

    /// When the source is polled next at the latest, as this pace and the record have it, and not before the service allows;
    /// nil before the first poll.
    func latest(_ record: SourceRecord) -> Moment? {
        guard let last = source.isPushed ? heard(record) : record.lastPolled else { return nil }
        let wait = source.isPushed ? source.slowest : jittered(stretch(of: record).interval, by: 1)
        return max(last + wait, record.silentUntil ?? last)
    }

    /// When a source that is told was told or asked last. It says that nobody tells it anything once its own moment, which
    /// lies between a poll's begin and end, is as far back as `slowest`: a poll that came sooner would put it off.
    private func heard(_ record: SourceRecord) -> Moment? {
        [record.lastPolled, record.lastGood].compactMap(\.self).max()
    }

    private func jittered(_ interval: Duration, by chance: Double) -> Duration {
        interval.scaled(by: 1 + source.jitter * chance)
            .clamped(to: source.throttle...max(source.slowest, source.throttle))
    }

    /// How far polls are apart, and why.
    private func stretch(of record: SourceRecord) -> (interval: Duration, reasons: [PollReason]) {
        var steps = 0
        var reasons: [PollReason] = []
        func slow(_ reason: PollReason, by count: Int) {
            guard count > 0, source.slowsWhen.contains(reason) else { return }
            reasons.append(reason)
            steps += count
        }
        slow(.failing, by: record.failure?.count ?? 0)
        if record.isNear || hasPending, record.failure == nil {
            reasons.append(.near)
        } else {
            slow(.unchanged, by: record.unchangedCount)
            slow(.calm, by: record.calmCount / PollPace.calmPollsPerStep)
            slow(.idle, by: isIdle ? 1 : 0)
            slow(.lowPower, by: isLowOnPower ? 1 : 0)
        }
        return (interval(isNear: reasons.contains(.near), steps: steps), reasons)
    }

    private func interval(isNear: Bool, steps: Int) -> Duration {
        guard !isNear else { return source.throttle }
        let factor = (0..<min(steps, PollPace.stepsMax)).reduce(1.0) { product, _ in product * source.backoffFactor }
        return source.every.scaled(by: factor)
    }

    /// Calm polls in a row before the interval stretches by one more step: half an hour at the default interval.
    static let calmPollsPerStep = 6
    /// Beyond this many doublings every interval has long reached its bound.
    static let stepsMax = 16
}
