// Preview plays observations through the very core that runs at night, in virtual time, and lists what it would say. It
// sends nothing and writes nothing: deliveries succeed at once, polls are not made. Where things fail on purpose both fail as
// those of the bot do, and what fails is tried again.

public import AlertCore
public import PluginKit
public import Runtime

/// A bot in virtual time.
public struct Preview: Sendable {
    private let core: Core
    private let faults: Faults?
    public private(set) var state: State
    /// Every decision about every notification, in the order they were made.
    public private(set) var decisions: [DecisionRecord] = []
    /// Every incident that was more than pending at some time or is pending now, as it was last, in the order they
    /// began.
    public var incidents: [Incident] {
        seen.values.sorted { ($0.since, $0.id) < ($1.since, $1.id) }
    }
    /// Why figures were left out.
    public private(set) var leftOut = Unplayed()
    /// What rules thought over time, if the preview was asked to keep it.
    public private(set) var traces: Traces?
    /// Polls taken in where things fail on purpose, and how many of them failed.
    public private(set) var faultyPolls = (failed: 0, all: 0)
    /// Deliveries by their ids, where things fail on purpose.
    private var trials: [String: DeliveryTrial] = [:]
    /// What had been accepted when the preview began, and by their ids when and as what those were sent that were.
    private let queued: [Delivery]
    private var sentOfQueued: [String: (delivery: Delivery, at: Moment)?]
    /// The threads that messages go into, by their deliveries: those of messages that opened something before the preview began,
    /// since no chat gives an id to what is only shown.
    private var threads: [String: String] = [:]
    /// The severities with which each rule has fired.
    public private(set) var fired: [String: Set<Severity>] = [:]
    public let start: Moment
    public private(set) var now: Moment

    private var seen: [String: Incident] = [:]
    /// The newest poll of each source that gave nothing usable.
    private var unusable: [String: EmptyPoll] = [:]
    private var gathered = Outlook()
    /// When rules are asked next what they can judge; nil where only the end counts.
    private var nextLook: Moment?

    /// Between two looks at what rules can judge: an app that has figures at all has them for longer.
    private static let lookInterval = Duration.hours(1)

    /// - Parameters:
    ///   - state: a copy of what the bot knows.
    ///   - start: where virtual time begins.
    ///   - isTraced: whether to keep what rules thought over time, for drawings.
    ///   - answers: what sources answer at the start, before anything that is due then.
    ///   - gathersOutlook: whether what a rule could judge at any time counts, or what it can judge in the end.
    public init(
        plan: Plan, state: State, start: Moment, faults: Faults? = nil, isTraced: Bool = false,
        gathersOutlook: Bool = false, answers: [Input] = []
    ) {
        core = Core(plan: plan, tellsJudgements: isTraced, reportsClock: false)
        self.state = state
        self.faults = faults
        self.start = start
        traces = isTraced ? Traces() : nil
        nextLook = gathersOutlook ? start : nil
        now = start
        for incident in state.incidents.all { seen[incident.id] = incident }
        queued = state.outbox.inOrder
        sentOfQueued = Dictionary(queued.map { ($0.id, nil) }) { first, _ in first }
        step(answers + [.started])
    }

    public var plan: Plan { core.plan }

    /// Moves time on to the lines' moment and takes them in; they are of one source and arrived at one time.
    ///
    /// What is due at that very moment happens before if the poll began then, for then the running bot does it when it
    /// starts the poll, and otherwise after.
    ///
    /// - Parameter asked: when the poll began that brought them; nil for the same moment.
    public mutating func feed(_ lines: [ObservationLine], asked: Moment? = nil, at moment: Moment) {
        if let asked, asked < moment {
            advance(to: moment - .milliseconds(1))
            now = max(now, moment)
        } else {
            advance(to: moment)
        }
        note(lines)
        step(.observed(withFaults(lines, asked: asked ?? moment, seen: moment), asked: asked))
        if let nextLook, nextLook <= now {
            gathered.take(core, state, at: now)
            self.nextLook = now + Preview.lookInterval
        }
    }

    private mutating func note(_ lines: [ObservationLine]) {
        guard let source = lines.first?.source else { return }
        unusable[source] = nil
        guard lines.count == 1, case .empty(let poll) = lines[0] else { return }
        switch poll.outcome {
        case .failed(let failure):
            // Nobody knows how long the service would ask to wait next time.
            let again = EmptyPoll.Failure(reason: failure.reason, sentence: failure.sentence)
            unusable[source] = EmptyPoll(source: source, .failed(again), seen: poll.seen)
        case .stale: unusable[source] = poll
        case .noData, .unchanged: break
        }
    }

    /// Nobody knows any more what the source gives after its last line that is played.
    mutating func forgetUnusable(_ source: String) { unusable[source] = nil }

    /// Goes on after the last lines as the bot does, which polls what gives nothing usable: the same again whenever a poll is
    /// due, until that is reported. A source that has had no line for longer, while others had some, is left alone.
    mutating func pollOn(until end: Moment) {
        // The soonest last; thousands may fail.
        var queue: [(due: Moment, poll: EmptyPoll)] = plan.sources.compactMap { source in
            guard !source.isPushed, let poll = unusable[source.name], let due = nextPoll(of: source.name) else {
                return nil
            }
            return (due, poll)
        }
        queue.sort { $0.due > $1.due }
        while let (due, poll) = queue.popLast(), due <= end {
            advance(to: due)
            step(.observed([.empty(EmptyPoll(source: poll.source, poll.outcome, seen: now))]))
            guard let since = state.schedule.sources[poll.source]?.silentSince,
                now - since < plan.figuresLast(poll.source), let next = nextPoll(of: poll.source)
            else { continue }
            queue.insert((next, poll), at: queue.firstIndex { $0.due <= next } ?? queue.endIndex)
        }
    }

    /// When a source is polled next; nil where it is not, and where it should have been before now.
    private func nextPoll(of source: String) -> Moment? {
        guard let record = state.schedule.sources[source], record.stopped == nil, let due = record.due, due > now else {
            return nil
        }
        return due
    }

    /// What a poll brought, or that it failed on purpose; nobody polls what is pushed.
    private mutating func withFaults(_ lines: [ObservationLine], asked: Moment, seen: Moment) -> [ObservationLine] {
        guard let faults, let source = lines.first?.source,
            plan.sources.contains(where: { $0.name == source && !$0.isPushed })
        else { return lines }
        faultyPolls.all += 1
        guard faults.strikes(source, at: asked) else { return lines }
        faultyPolls.failed += 1
        let failure = EmptyPoll.Failure(reason: PollFailure.Reason.unreachable.rawValue, sentence: Faults.sentence)
        return [.empty(EmptyPoll(source: source, .failed(failure), seen: seen))]
    }

    /// What has become of a delivery by now; nil where nothing fails on purpose, and nothing keeps it.
    public func trial(_ delivery: String) -> DeliveryTrial? {
        let next = nextTry(of: delivery)
        guard faults != nil || next != nil else { return nil }
        var trial = trials[delivery] ?? DeliveryTrial()
        trial.next = next
        return trial
    }

    /// When a delivery that waits is tried next; nil where that is not known.
    private func nextTry(of id: String) -> Moment? {
        guard let delivery = state.outbox[id], case .waiting(let notBefore) = delivery.progress.phase else {
            return nil
        }
        let next = max(notBefore, state.outbox.channels[delivery.channel]?.pausedUntil ?? notBefore)
        return next > now ? next : nil
    }

    /// What waited for its channel when the preview began and was not overtaken by what was decided since, in the order in
    /// which it was accepted.
    public var queuedBefore: [QueuedMessage] {
        queued.compactMap { old in
            if let waiting = state.outbox[old.id] {
                return QueuedMessage(delivery: waiting, sent: nil, next: nextTry(of: old.id))
            }
            guard let (delivery, sent) = sentOfQueued[old.id] ?? nil else { return nil }
            return QueuedMessage(delivery: delivery, sent: sent, next: nil)
        }
    }

    /// The channel's id of the message that opened the thread of a delivery, if the channel gave it one.
    public func thread(of delivery: String) -> String? { threads[delivery] }

    /// What each rule could judge and what it could not, in the order of the config.
    public var outlooks: [RuleOutlook] {
        var outlook = gathered
        outlook.take(core, state, at: now, isLast: true)
        // An app that has vanished is judged by what is not there; a look at its figures finds them as they were.
        let firing = incidents.filter {
            $0.state == .firing && !$0.isUncertain && $0.evidence.phrase?.id != .reasonUnsure
        }
        return outlook.outlooks(of: plan, nextLook == nil ? firing : incidents)
    }

    /// Takes in what a real poll found out.
    public mutating func take(_ input: Input) { step(input) }

    /// Moves time on, letting happen what is due, that at `moment` included.
    public mutating func advance(to moment: Moment) {
        // Whatever is due when time itself ends is due for ever.
        while let due = state.nextDue, due <= moment, due < .latest {
            now = max(now, due)
            step(.tick)
        }
        now = max(now, moment)
    }

    /// Nobody else will answer: decides what waits for the first answers after a start as if these were none.
    public mutating func expectNoMoreAnswers() { if state.stopCatchingUp(at: now) { step(.tick) } }

    /// Hands over the decisions made since the last time, and the incidents that have ended, and forgets both: for
    /// spans in which more is said than memory holds.
    public mutating func takeDecisions() -> (decisions: [DecisionRecord], ended: [Incident]) {
        let said = decisions
        decisions.removeAll(keepingCapacity: true)
        let ended = seen.values.filter { !$0.isOpen }
        for incident in ended { seen[incident.id] = nil }
        return (said, ended)
    }

    private mutating func step(_ input: Input) { step([input]) }

    private mutating func step(_ inputs: [Input]) {
        var output = core.step(&state, inputs, at: now)
        take(output)
        var answers = self.answers(to: output)
        while !answers.isEmpty {
            output = core.step(&state, answers.removeFirst(), at: now)
            take(output)
            answers += self.answers(to: output)
        }
    }

    private mutating func take(_ output: Output) {
        for fact in output.facts {
            switch fact {
            case .incidents(.incident(let incident)):
                seen[incident.id] = incident
                if incident.state == .firing { fired[incident.rule, default: []].insert(incident.severity) }
            case .incidents(.seen(let id, let state, let evidence, let isWorst)):
                seen[id]?.see(evidence, isWorst: isWorst, state)
            // A suspicion that came to nothing is nobody's business.
            case .incidents(.ended(let id)) where seen[id]?.state == .pending: seen[id] = nil
            case .outbox(.done(let id, let end, let at)) where faults != nil:
                trials[id, default: DeliveryTrial()].end = DeliveryTrial.End(how: end, at: at)
            default: break
            }
        }
        for case .decided(let record) in output.effects { decisions.append(record) }
        for sentence in output.leftOut { leftOut.take(sentence.tamed) }
        for judgement in output.judgements { traces?.add(judgement, at: now) }
    }

    /// What comes back at once of what was sent.
    private mutating func answers(to output: Output) -> [Input] {
        var answers: [Input] = []
        for case .send(let order) in output.effects {
            if let thread = order.thread { threads[order.delivery.id] = thread }
            if sentOfQueued[order.delivery.id] != nil {
                sentOfQueued.updateValue((order.delivery, now), forKey: order.delivery.id)
            }
            answers.append(.delivered(id: order.delivery.id, outcome(of: order.delivery)))
        }
        return answers
    }

    private mutating func outcome(of delivery: Delivery) -> DeliveryOutcome {
        guard let faults, faults.strikes("\(delivery.id)#\(delivery.progress.attempts)", at: now) else {
            return .delivered(receipt: nil)
        }
        trials[delivery.id, default: DeliveryTrial()].failures.append(now)
        return .retry(after: nil, Faults.sentence)
    }
}
