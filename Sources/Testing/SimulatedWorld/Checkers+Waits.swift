internal import AlertCore
internal import PluginKit
internal import Runtime

/// Nobody is called upon sooner than allowed.
struct WaitsKept: Checker {
    static let name = "waits kept"
    static let promise =
        "Whoever asked to be left alone is left alone for at least so long; failed attempts back off, three in a row "
        + "make a pause, a channel's pace and a source's throttle are kept."

    /// A time before which nothing may leave.
    private struct Wait {
        var from: Int64
        var until: Int64
        /// The delivery whose attempt is the reason; nil for polls.
        var delivery: String?
        /// Where in the order of events the bot took the reason in; nil when the journal does not have it yet.
        var taken: Int?

        /// Whether an attempt that was decided at that place breaks it.
        func isBroken(by decided: Int, at now: Int64) -> Bool {
            // What was decided before the bot knew may still leave in that instant.
            now < until && (taken.map { $0 < decided } ?? (from < now))
        }
    }

    private struct Bucket {
        var tokens: Double
        var at: Int64
    }

    private var silences: [String: Wait] = [:]
    private var backoffs: [String: Wait] = [:]
    private var failures: [String: Int] = [:]
    private var pauses: [String: Wait] = [:]
    /// Counts events, to tell what was decided before and after one.
    private var place = 0
    /// When the attempt under way of a delivery was decided.
    private var begun: [String: Int] = [:]
    private var buckets: [String: Bucket] = [:]
    private var polls: [String: Int64] = [:]
    /// The wall clock was set, and the bot has had no turn since.
    private var isStepUnnoticed = false

    mutating func observe(_ happening: Happening, _ world: World) throws(Breach) {
        let now = world.time.uptime
        place += 1
        switch happening {
        case .delivery(let delivery):
            if case .attempting = delivery.progress.phase { begun[delivery.id] = place } else { note(delivery.id) }
        case .ended(let entry):
            begun[entry.delivery.id] = nil
            note(entry.delivery.id)
        case .answered(let host, let delivery, _, let told?) where told > 0:
            if let before = silences[host], before.until >= now + told { return }
            silences[host] = Wait(from: now, until: now + told, delivery: delivery)
        case .judged(let channel, let id, let outcome): judge(channel, id, outcome, world)
        case .lost(let channel, let id, _): fail(channel, id, told: false, world)
        case .departed(let channel, let id): try checkDeparture(channel, id, world)
        case .polled(let source): try checkPoll(source, world)
        case .committed:
            isStepUnnoticed = false
            for (host, silence) in silences where silence.delivery == nil && silence.taken == nil {
                let end = world.time.wall + .milliseconds(silence.until - now)
                guard let due = world.truth.schedule.sources[host]?.due, due >= end else { continue }
                silences[host]?.taken = place
            }
        case .clockStepped:
            isStepUnnoticed = true
            if world.isDead { forget() } else { shorten(by: Bot.clockStepMin.wholeMilliseconds) }
        case .died:
            if isStepUnnoticed { forget() }
            silences = silences.filter { $0.value.taken != nil }
            (backoffs, failures, pauses, buckets, begun) = ([:], [:], [:], [:], [:])
        case .opened(let state):
            isStepUnnoticed = false
            for (source, poll) in polls {
                // A poll of which the journal knows nothing cannot be reckoned with.
                let passed = state.schedule.sources[source]?.lastPolled.map { (world.time.wall - $0).wholeMilliseconds }
                if passed != now - poll { polls[source] = nil }
            }
        default: break
        }
    }

    /// When the wall clock is set while nobody looks, it cannot be told from time that has passed.
    private mutating func forget() { (silences, polls) = ([:], [:]) }

    /// A clock that is set twice between two looks, there and back, may seem to have been set by too little to be
    /// noticed.
    private mutating func shorten(by slack: Int64) {
        func shortened(_ wait: Wait) -> Wait {
            Wait(from: wait.from, until: wait.until - slack, delivery: wait.delivery, taken: wait.taken)
        }
        silences = silences.mapValues(shortened)
        backoffs = backoffs.mapValues(shortened)
        pauses = pauses.mapValues(shortened)
        buckets = buckets.mapValues { Bucket(tokens: $0.tokens, at: $0.at - slack) }
        polls = polls.mapValues { $0 - slack }
    }

    /// The journal has what came of an attempt.
    private mutating func note(_ id: String) {
        for (host, wait) in silences where wait.delivery == id && wait.taken == nil { silences[host]?.taken = place }
        for (host, wait) in pauses where wait.delivery == id && wait.taken == nil { pauses[host]?.taken = place }
        if backoffs[id]?.taken == nil { backoffs[id]?.taken = place }
    }

    // MARK: Channels

    private mutating func judge(_ channel: String, _ id: String, _ outcome: DeliveryOutcome, _ world: World) {
        switch outcome {
        case .delivered, .partly:
            failures[channel] = 0
            pauses[channel] = nil
        case .retry(let told, _): fail(channel, id, told: (told ?? .zero) > .zero, world)
        case .unknown: fail(channel, id, told: false, world)
        // It answers, and understands.
        case .refusedBody, .refusedChannel: failures[channel] = 0
        }
    }

    private mutating func fail(_ channel: String, _ id: String, told: Bool, _ world: World) {
        let now = world.time.uptime
        failures[channel, default: 0] += 1
        guard !told else { return }
        let attempts = world.truth.outbox[id]?.progress.attempts ?? 1
        let doubled = min(Int64(600_000), 2000 << Int64(min(attempts - 1, 20)))
        backoffs[id] = Wait(from: now, until: now + doubled * 8 / 10, delivery: id)
        // What fails while the channel pauses was under way before: it is the same trouble, and makes no longer pause.
        let paused = world.truth.outbox.channels[channel]?.pausedUntil
        // The journal may not say so yet.
        guard failures[channel, default: 0] >= 3, (paused ?? .earliest) <= world.time.wall,
            pauses[channel].map({ $0.until <= now }) ?? true
        else { return }
        pauses[channel] = Wait(from: now, until: now + 1600, delivery: id)
    }

    private mutating func checkDeparture(_ channel: String, _ id: String, _ world: World) throws(Breach) {
        let now = world.time.uptime
        let decided = begun[id] ?? place
        if let silence = silences[channel], silence.isBroken(by: decided, at: now) {
            throw Breach("\(id) leaves for \(channel) \(silence.until - now) ms before the time it asked for is over")
        }
        if let backoff = backoffs.removeValue(forKey: id), backoff.isBroken(by: decided, at: now) {
            throw Breach("\(id) leaves for \(channel) again \(backoff.until - now) ms too soon after a failure")
        }
        if let pause = pauses[channel], pause.isBroken(by: decided, at: now) {
            throw Breach("\(id) leaves for \(channel) \(pause.until - now) ms too soon after failures in a row")
        }
        guard let pace = world.pace(of: channel) else { return }
        var bucket = buckets[channel] ?? Bucket(tokens: pace.burst, at: now)
        bucket.tokens = min(pace.burst, bucket.tokens + Double(now - bucket.at) / 1000 * pace.perSecond) - 1
        bucket.at = now
        buckets[channel] = bucket
        if bucket.tokens < -0.01 { throw Breach("\(id) leaves for \(channel) faster than its pace allows") }
    }

    // MARK: Sources

    private mutating func checkPoll(_ source: String, _ world: World) throws(Breach) {
        let now = world.time.uptime
        // A poll of the same instant may have been decided before.
        if let silence = silences[source], silence.from < now, now < silence.until {
            throw Breach("\(source) is asked \(silence.until - now) ms before the time it asked for is over")
        }
        if let last = polls.updateValue(now, forKey: source), let settings = world.settings.source(source),
            now - last < settings.throttle.wholeMilliseconds
        {
            throw Breach("\(source) is asked \(now - last) ms after the last time, more often than its throttle allows")
        }
    }
}

/// With faults off, everything gets done.
struct Lively: Checker {
    static let name = "lively"
    static let promise = "With faults off, every source is polled within `slowest`, and the outbox drains."

    private var isCalm = false
    private var polls: [String: Int64] = [:]

    /// A poll may be under way for so long before the time to the next is counted.
    private static let slack: Int64 = 120_000

    mutating func observe(_ happening: Happening, _ world: World) throws(Breach) {
        switch happening {
        case .calm(let isCalm):
            self.isCalm = isCalm
            polls = [:]
        case .polled(let source):
            guard isCalm else { return }
            let now = world.time.uptime
            if let last = polls.updateValue(now, forKey: source), let settings = world.settings.source(source),
                now - last > settings.slowest.wholeMilliseconds + Lively.slack
            {
                throw Breach("\(source) was not polled for \((now - last) / 1000) s, though nothing was in the way")
            }
        case .drained:
            for source in world.settings.sources where !source.isPushed && polls[source.name] == nil {
                throw Breach("\(source.name) was not polled at all, though nothing was in the way")
            }
        default: break
        }
    }
}
