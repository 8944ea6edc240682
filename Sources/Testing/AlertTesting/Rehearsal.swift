// AlertTesting plays the bot's core in virtual time: a driver that answers polls and deliveries as a test says and
// objects to whatever must never happen, detectors and gates that follow a script, and chance from a seed. It knows
// nothing of disks, networks and real clocks; whole bots with those belong to a simulator.

public import AlertCore
public import PluginKit
internal import Records

/// The core on a stage: time moves when the test says so, and the outside answers as the test wrote it.
///
/// A year can be played in a second. What breaks one of the core's promises whatever the test is about (a second poll
/// in flight, a message that leaves before it is safe) is written down in `objections`.
public struct Rehearsal {
    /// A poll that was started.
    public struct Polled: Hashable, Sendable {
        public let source: String
        public let at: Moment
    }

    /// An attempt of a delivery.
    public struct Sent: Hashable, Sendable {
        public let delivery: Delivery
        public let at: Moment
        /// Whether the opening message may be brought up to date with it.
        public let isThreadOwn: Bool
        /// What is to be done with other messages that opened what it is about.
        public let edits: [SendOrder.Edit]
    }

    public private(set) var core: Core
    public private(set) var state: State
    public private(set) var now: Moment
    public private(set) var polls: [Polled] = []
    public private(set) var sends: [Sent] = []
    public private(set) var decisions: [DecisionRecord] = []
    public private(set) var notes: [Note] = []
    /// What the core said to commands.
    public private(set) var answers: [CommandAnswer] = []
    /// What the core did that it must never do; a test expects it to be empty.
    public private(set) var objections: [String] = []

    /// What comes of a poll, and how long it takes; nil when no answer ever comes.
    public var pollAnswer: (PollOrder, Moment) -> (report: PollReport, after: Duration)? = { _, _ in
        (PollReport(.noData), .zero)
    }
    /// What comes of an attempt, and how long it takes; nil when no answer ever comes.
    public var sendAnswer: (Delivery, Moment) -> (outcome: DeliveryOutcome, after: Duration)? = { _, _ in
        (.delivered(receipt: nil), .zero)
    }
    /// Hears of every poll whose end the bot takes in: of which source, what came of it, when it began, and now.
    public var tookIn: (String, PollReport, Moment, Moment) -> Void = { _, _, _, _ in }
    /// The state as the journal gives it back.
    public private(set) var replica: State
    /// Ids of all deliveries that were ever accepted.
    public private(set) var accepted: Set<String> = []
    /// How often each of them was accepted once more after it had been given up.
    public private(set) var retries: [String: Int] = [:]
    /// How every delivery ended, by id; more than one end would be a mistake.
    public private(set) var ends: [String: [DeliveryEnd]] = [:]
    /// Whether every fact goes through its JSON and every step is compared with its replay, for tests that are about
    /// that.
    public var comparesReplay = false

    private var records: [(topic: Topic, payload: [UInt8])] = []
    private var inFlight: [(at: Moment, input: Input)] = []
    private var sending: [String: Delivery] = [:]
    private var polling: Set<String> = []

    /// Steps that one instant may take before the core counts as running in circles.
    private static let stepsAtOnceMax = 50_000

    /// - Parameters:
    ///   - memories: the kinds of memory that the program knows; nil for those of the plan.
    ///   - historyMax: how many messages that have ended are remembered.
    public init(
        _ plan: Plan, at start: Moment = .rehearsalStart, memories: MemoryKinds? = nil,
        historyMax: Int = State.historyMaxUsual
    ) {
        core = Core(plan: plan)
        now = start
        state = State(historyMax: historyMax, memories: memories ?? plan.memories)
        replica = state
    }

    public var plan: Plan { core.plan }

    /// Starts the bot.
    public mutating func start() { step(.started) }

    /// Takes in one input now.
    public mutating func step(_ input: Input) {
        switch input {
        case .polled(let source, let report, _):
            polling.remove(source)
            tookIn(source, report, state.schedule.sources[source]?.lastPolled ?? now, now)
        case .delivered(let id, _, _): sending[id] = nil
        case .unsent(let ids): for id in ids { sending[id] = nil }
        default: break
        }
        let output = core.step(&state, input, at: now)
        keep(output.facts)
        for effect in output.effects { take(effect, output.facts) }
    }

    /// Moves time on, letting happen what is due, that at `end` included.
    public mutating func advance(to end: Moment) {
        var (stepsAtOnce, last) = (0, now)
        while let next = nextEvent, next <= end {
            now = max(now, next)
            stepsAtOnce = now == last ? stepsAtOnce + 1 : 0
            last = now
            guard stepsAtOnce < Rehearsal.stepsAtOnceMax else {
                objections.append("\(now): the core runs in circles")
                return
            }
            passEvent()
        }
        now = max(now, end)
    }

    public mutating func advance(by duration: Duration) { advance(to: now + duration) }

    /// Moves time on without letting anything happen, as a suspended machine does.
    public mutating func suspend(for duration: Duration) { now = now + duration }

    /// Sets the wall clock: what is in flight comes as soon as it would have come.
    public mutating func setClock(by difference: Duration) {
        now = now + difference
        inFlight = inFlight.map { ($0.at + difference, $0.input) }
        step(.clockStepped(by: difference))
    }

    /// Kills the bot: what was in flight is lost. It starts anew from its journal, with another config if one is given.
    public mutating func crash(_ plan: Plan? = nil, after downtime: Duration = .zero) {
        inFlight = []
        sending = [:]
        polling = []
        now = now + downtime
        state = comparesReplay ? stateFromRecords() : replica
        if let plan { core = Core(plan: plan) }
        step(.started)
    }

    /// Kills the bot; a part of its journal is lost, and gives this state back. The test starts it.
    public mutating func lose(to remaining: State) {
        inFlight = []
        sending = [:]
        polling = []
        (state, replica) = (remaining, remaining)
    }

    /// Loads another config while the bot runs: what is in flight stays in flight.
    public mutating func reload(_ plan: Plan) {
        core = Core(plan: plan)
        step(.started)
    }

    /// The credential of a source has been replaced: it is another account's.
    public mutating func renew(_ source: String, account: String) {
        core.plan.renew(source, host: plan.sources.first { $0.name == source }?.host, account: account)
    }

    private var nextEvent: Moment? {
        mutating get { [inFlight.map(\.at).min(), state.nextDue].compactMap { $0 }.min() }
    }

    private mutating func passEvent() {
        // Of what comes at one instant, what was begun first comes first.
        let first = inFlight.indices.min { (inFlight[$0].at, $0) < (inFlight[$1].at, $1) }
        if let first, inFlight[first].at <= now {
            step(inFlight.remove(at: first).input)
        } else {
            step(.tick)
        }
    }

    private mutating func keep(_ facts: [Fact]) {
        for fact in facts {
            switch fact {
            case .outbox(.delivery(let delivery)): accepted.insert(delivery.id)
            case .outbox(.retried(let delivery)): retries[delivery.id, default: 0] += 1
            case .outbox(.done(let id, let end, _)): ends[id, default: []].append(end)
            case .outbox(.ended(let entry)): ends[entry.delivery.id, default: []].append(entry.end)
            default: break
            }
            do {
                guard comparesReplay else {
                    replica.apply(fact)
                    continue
                }
                let record = fact.bytes
                records.append((fact.topic, record))
                replica.apply(try Fact(JSON(parsing: record), state.memories))
            } catch {
                objections.append("\(now): the journal does not give back \(fact): \(error)")
            }
        }
        if comparesReplay, !replica.agrees(with: state) {
            objections.append("\(now): the journal gives back another state")
        }
    }

    /// The state as a start makes it from the journal's records; they are kept only where replays are compared.
    private mutating func stateFromRecords() -> State {
        do {
            var state = State(historyMax: state.outbox.historyMax, memories: state.memories)
            try state.replay(records)
            if state.durable != replica.durable { object("a start gives another state than the facts one by one") }
            // A snapshot is written; the next start reads what comes after it in its light.
            records = state.facts.map(\.inSnapshot)
            return state
        } catch {
            object("a start does not understand the journal: \(error)")
            return replica
        }
    }

    /// The state as a snapshot of it gives it back, every fact through its JSON.
    public func stateFromSnapshot() throws -> State {
        var copy = State(historyMax: state.outbox.historyMax, memories: state.memories)
        for fact in state.facts { copy.apply(try Fact(JSON(parsing: fact.bytes), state.memories)) }
        return copy
    }

    private mutating func take(_ effect: Effect, _ facts: [Fact]) {
        switch effect {
        case .note(let note): notes.append(note)
        case .answered(let answer, _): answers.append(answer)
        case .decided(let record): decisions.append(record)
        case .poll(let order):
            polls.append(Polled(source: order.source, at: now))
            if !polling.insert(order.source).inserted { object("a second poll of \(order.source) is in flight") }
            if let (report, after) = pollAnswer(order, now) {
                inFlight.append(
                    (now + after, .polled(source: order.source, report, validators: order.validators)))
            }
        case .send(let order):
            check(order.delivery, facts)
            sends.append(
                Sent(delivery: order.delivery, at: now, isThreadOwn: order.isThreadOwn, edits: order.edits))
            sending[order.delivery.id] = order.delivery
            if let (outcome, after) = sendAnswer(order.delivery, now) {
                inFlight.append((now + after, .delivered(id: order.delivery.id, outcome)))
            }
        }
    }

    private mutating func check(_ delivery: Delivery, _ facts: [Fact]) {
        if !facts.contains(.outbox(.progress(id: delivery.id, delivery.progress))) {
            object("\(delivery.id) leaves before it is safe")
        }
        if sending[delivery.id] != nil { object("\(delivery.id) is sent while it is in flight") }
        let others = sending.values.filter { $0.channel == delivery.channel }
        for incident in delivery.incidents where others.contains(where: { $0.incidents.contains(incident) }) {
            object("two messages of incident \(incident) are in flight to \(delivery.channel)")
        }
        if let channel = plan.channels.first(where: { $0.name == delivery.channel }),
            others.count >= channel.pace.atOnce
        {
            object("more than \(channel.pace.atOnce) attempts are in flight to \(delivery.channel)")
        }
        if case .attempting = delivery.progress.phase { return }
        object("\(delivery.id) is sent without saying so")
    }

    private mutating func object(_ sentence: String) { objections.append("\(now): \(sentence)") }
}

extension State {
    /// The part of the state that must survive a restart.
    public struct Durable: Hashable, Sendable {
        public let sources: [String: SourceRecord]
        public let incidents: [Incident]
        public let series: [Subject: Series]
        public let outbox: [String: Delivery]
        public let channels: [String: ChannelRecord]
        public let history: [EndedDelivery]
        public let nextNumber: Int
        public let past: [Fact]
    }

    /// Whether the durable parts are the same, history by its end alone: it only grows there.
    fileprivate func agrees(with other: State) -> Bool {
        schedule.sources == other.schedule.sources && figures.series == other.figures.series
            && incidents.agrees(with: other.incidents) && mutes.inOrder == other.mutes.inOrder
            && outbox.deliveries == other.outbox.deliveries && outbox.channels == other.outbox.channels
            && outbox.nextNumber == other.outbox.nextNumber
            && outbox.history.count == other.outbox.history.count && outbox.history.last == other.outbox.history.last
            && past == other.past
    }

    public var durable: Durable {
        Durable(
            sources: schedule.sources, incidents: incidents.inOrder, series: figures.series,
            outbox: outbox.deliveries, channels: outbox.channels, history: outbox.history,
            nextNumber: outbox.nextNumber, past: past)
    }
}
