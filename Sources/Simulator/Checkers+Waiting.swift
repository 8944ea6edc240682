internal import AlertCore
internal import PluginKit

/// Nobody is called upon sooner than allowed.
struct WaitsKept: Checker {
    static let name = "waits kept"
    static let promise =
        "Whoever asked to be left alone is left alone for at least so long; failed attempts back off, three in a row make a "
        + "pause, a channel's pace and a source's throttle are kept."

    /// A time before which a host must hear nothing.
    private struct Silence {
        var from: Int64
        /// Attempts decided before this place in the order of events may still leave.
        var place: Int
        var until: Int64
        /// The delivery whose answer asked for it; nil for polls.
        var delivery: String?
        var isDurable = false
    }

    private struct Wait {
        var until: Int64
        var place: Int
    }

    private struct Bucket {
        var tokens: Double
        var at: Int64
    }

    private var silences: [String: Silence] = [:]
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

    mutating func take(_ happening: Happening, _ world: World) throws(Breach) {
        let now = world.time.uptime
        place += 1
        switch happening {
        case .attempting(let id): begun[id] = place
        case .ended(let entry): begun[entry.delivery.id] = nil
        case .answered(let host, let delivery, _, let told?) where told > 0:
            if let before = silences[host], before.until >= now + told { return }
            silences[host] = Silence(from: now, place: place, until: now + told, delivery: delivery)
        case .judged(let channel, let id, let outcome): judge(channel, id, outcome, world)
        case .lost(let channel, let id, _): fail(channel, id, told: false, world)
        case .departed(let channel, let id): try checkDeparture(channel, id, world)
        case .polled(let source): try checkPoll(source, world)
        case .committed:
            isStepUnnoticed = false
            for (host, silence) in silences where !silence.isDurable {
                let isDurable = isKnown(silence, host, world)
                silences[host]?.isDurable = isDurable
            }
        case .clockStepped:
            isStepUnnoticed = true
            if world.isDead { forget() }
        case .died:
            if isStepUnnoticed { forget() }
            silences = silences.filter { $0.value.isDurable }
            (backoffs, failures, pauses, buckets, begun) = ([:], [:], [:], [:], [:])
        case .opened(let state):
            isStepUnnoticed = false
            for (source, poll) in polls {
                // A poll of which the journal knows nothing can not be reckoned with.
                let passed = state.sources[source]?.lastPolled.map { (world.time.wall - $0).wholeMilliseconds }
                if passed != now - poll { polls[source] = nil }
            }
        default: break
        }
    }

    /// When the wall clock is set while nobody looks, it can not be told from time that has passed.
    private mutating func forget() { (silences, polls) = ([:], [:]) }

    private func isKnown(_ silence: Silence, _ host: String, _ world: World) -> Bool {
        if let id = silence.delivery {
            guard let delivery = world.truth.outbox[id] else { return true }
            if case .attempting = delivery.phase { return false }
            return true
        }
        let end = world.time.wall + .milliseconds(silence.until - world.time.uptime)
        return world.truth.sources[host]?.due.map { $0 >= end } ?? false
    }

    // MARK: Channels

    private mutating func judge(_ channel: String, _ id: String, _ outcome: DeliveryOutcome, _ world: World) {
        switch outcome {
        case .delivered:
            failures[channel] = 0
            pauses[channel] = nil
        case .retry(let told, _): fail(channel, id, told: (told ?? .zero) > .zero, world)
        case .unknown: fail(channel, id, told: false, world)
        case .refusedBody, .refusedChannel: break
        }
    }

    private mutating func fail(_ channel: String, _ id: String, told: Bool, _ world: World) {
        let now = world.time.uptime
        failures[channel, default: 0] += 1
        guard !told else { return }
        let attempts = world.truth.outbox[id]?.attempts ?? 1
        let doubled = min(Int64(600_000), 2000 << Int64(min(attempts - 1, 20)))
        backoffs[id] = Wait(until: now + doubled * 8 / 10, place: place)
        if failures[channel, default: 0] >= 3 { pauses[channel] = Wait(until: now + 1600, place: place) }
    }

    private mutating func checkDeparture(_ channel: String, _ id: String, _ world: World) throws(Breach) {
        let now = world.time.uptime
        let decided = begun[id] ?? place
        if let silence = silences[channel], silence.place < decided, now < silence.until {
            throw Breach("\(id) leaves for \(channel) \(silence.until - now) ms before the time it asked for is over")
        }
        if let backoff = backoffs.removeValue(forKey: id), backoff.place < decided, now < backoff.until {
            throw Breach("\(id) leaves for \(channel) again \(backoff.until - now) ms too soon after a failure")
        }
        if let pause = pauses[channel], pause.place < decided, now < pause.until {
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

    mutating func take(_ happening: Happening, _ world: World) throws(Breach) {
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
            for source in world.settings.sources where polls[source.name] == nil {
                throw Breach("\(source.name) was not polled at all, though nothing was in the way")
            }
        default: break
        }
    }
}
