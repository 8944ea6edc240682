public import PluginKit

/// When sources are polled: what is remembered of each, which polls are in flight, and what is due next.
public struct Schedule: Sendable {
    /// What is remembered of each source, by name.
    public private(set) var sources: [String: SourceRecord] = [:]

    // Of this run only.
    private var queue = PollQueue()
    /// Accounts whose budget is used up.
    private var waits = AccountWaits()
    /// Whether the queue knows the sources of the plan.
    private var isEnrolled = false
    /// Whether as many polls are in flight as the plan allows in all.
    private var isFull = false
    /// Sources of whose figures the present rules have had a look.
    private var judged: Set<String> = []
    /// Sources that had something open at the start, or when the config was loaded, and have brought no figures since.
    private var figuresAwaited: Set<String> = []
    /// Sources that were to be polled while the bot was down, and until when their first answer is waited for.
    private(set) var catchingUp: [String: Moment] = [:]
    /// Until when the last of them is waited for.
    private var catchUpEnd = Moment.earliest
    /// Those of them with a poll in flight that began before: what it brings is no answer to how things are now.
    private var askedBefore: Set<String> = []
    /// Sources that have been told something while a poll of them is in flight.
    private var overtaken: Set<String> = []
    /// Whether the host wants to save power.
    public private(set) var isLowOnPower = false

    /// What the journal keeps of it.
    public enum Fact: Hashable, Sendable {
        indirect case source(name: String, SourceRecord)
        /// A poll of a source that is known has begun; unless it ends, the next is due then.
        case polling(name: String, at: Moment, due: Moment)
    }

    public mutating func apply(_ fact: Fact) {
        switch fact {
        case .source(let name, let record): sources[name] = record
        case .polling(let name, let at, let due):
            sources[name]?.lastPolled = at
            sources[name]?.due = due
        }
    }

    /// All of it, as the shortest list of facts.
    var facts: [Fact] { sources.sorted { $0.key < $1.key }.map { .source(name: $0.key, $0.value) } }

    public func isPolling(_ name: String) -> Bool { queue.isInFlight(name) }

    /// When a poll is due next that may start.
    var next: Moment? { mutating get { isFull ? nil : queue.next } }

    mutating func setPower(isLow: Bool) { isLowOnPower = isLow }

    /// The rules are others now, or the program is: nothing has been judged by them.
    mutating func forgetJudged() { judged = [] }

    /// What the source said last is to be judged again though it says nothing new.
    mutating func forgetJudged(_ name: String) { judged.remove(name) }

    /// Notes that the rules have had a look at a source's figures; gives back whether that is new.
    mutating func noteJudged(_ name: String) -> Bool { judged.insert(name).inserted }

    /// The config may be another now: the next figures of sources of which something is open tell what has a place in it.
    mutating func awaitFigures(of sources: some Sequence<String>) { figuresAwaited = Set(sources) }

    /// Notes that a source has brought figures; gives back whether they were awaited.
    mutating func takeAwaitedFigures(of name: String) -> Bool { figuresAwaited.remove(name) != nil }

    /// What sources said may be lost in part, with records of the journal: the next answer of each is taken in whole, though it
    /// be as the one before.
    mutating func forgetAnswers(_ output: inout Output) {
        for (name, old) in sources.sorted(by: { $0.key < $1.key }) {
            var record = old
            record.forgetAnswer()
            if record != old { keep(record, of: name, &output) }
        }
    }

    mutating func keep(_ record: SourceRecord, of name: String, _ output: inout Output) {
        self.record(.source(name: name, record), &output)
    }

    private mutating func record(_ fact: Fact, _ output: inout Output) {
        apply(fact)
        output.facts.append(.schedule(fact))
    }

    // MARK: - The queue

    /// Has every source of the plan wait for its time.
    mutating func enroll(_ plan: Plan) {
        isEnrolled = true
        queue.removeAllWaiting()
        waits.removeAll()
        // The longest wait of each account first: ordering an account's sources once is enough.
        var told: [String: (source: SourcePlan, until: Moment)] = [:]
        for source in plan.sources {
            guard let account = source.account, let until = sources[source.name]?.limit else { continue }
            if let known = told[account], known.until >= until { continue }
            told[account] = (source, until)
        }
        for wait in told.values { _ = noteLimit(of: wait.source, until: wait.until, plan) }
        for source in plan.sources { requeue(source.name, plan) }
    }

    /// Has a source wait for the time that its record says, if it may be polled.
    mutating func requeue(_ name: String, _ plan: Plan) {
        guard let source = plan.source(name), !queue.isInFlight(name), sources[name]?.stopped == nil else {
            queue.remove(name, host: plan.source(name)?.host)
            return
        }
        let wish = sources[name]?.due ?? .earliest
        let due = waits.due(source, wishing: wish)
        queue.put(source, at: due, early: due == wish ? early(source, due) : nil, rank: plan.rank(of: name))
    }

    // MARK: - Shared budgets

    /// A service has told a source that the budget of its account is used up until then: all of the account wait.
    mutating func hold(_ source: SourcePlan, until: Moment, _ plan: Plan) {
        guard noteLimit(of: source, until: until, plan), let account = source.account else { return }
        for other in plan.sources(of: account) where other.name != source.name { requeue(other.name, plan) }
    }

    private mutating func noteLimit(of source: SourcePlan, until: Moment, _ plan: Plan) -> Bool {
        guard let account = source.account, waits.isNews(account, until: until) else { return false }
        let order = plan.sources(of: account).map {
            ($0.name, sources[$0.name]?.lastPolled ?? .earliest, plan.rank(of: $0.name))
        }
        .sorted { ($0.1, $0.2) < ($1.1, $1.2) }.map(\.0)
        waits.note(account, until: until, told: source.name, order: order)
        return true
    }

    /// Whom a source waits for, because both are counted as one account, and until when.
    public func holder(of source: SourcePlan) -> (name: String, until: Moment)? {
        sources[source.name]?.due.flatMap { waits.holder(of: source, wishing: $0) }
    }

    /// When a source is polled next: at its own time, or once whom it waits for may ask again; nil for one that is stopped or
    /// that receives pushes, and where nothing is known yet.
    public func nextPoll(of source: SourcePlan) -> Moment? {
        guard let record = sources[source.name], record.stopped == nil, !source.isPushed else { return nil }
        return holder(of: source)?.until ?? record.due
    }

    /// Waits move along with a wall clock that was set. First answers are waited for as if that had begun now: on which of
    /// the two clocks it began, nobody can tell.
    mutating func moveWaits(by step: Duration, _ plan: Plan, at now: Moment) {
        waits.move(by: step)
        let names = catchingUp.filter { $0.value + step > now || $0.value > now }.keys
        (catchingUp, catchUpEnd) = ([:], .earliest)
        for source in names.compactMap(plan.source) { awaitAnswer(of: source, at: now) }
    }

    mutating func forgetEndedWaits(at now: Moment) { waits.forgetEnded(at: now) }

    /// From when on a poll may come along with others, so that they share a wake-up; nil where a service said when.
    private func early(_ source: SourcePlan, _ due: Moment) -> Moment? {
        guard let record = sources[source.name], !record.reasons.contains(.told), !source.isPushed else { return nil }
        let share = min(source.every.scaled(by: Schedule.coalescedShare), Schedule.coalescedMax)
        return max(due - share, (record.lastPolled ?? .earliest) + source.throttle, record.silentUntil ?? .earliest)
    }

    /// How much of its interval a poll may come early to share a wake-up, and at most.
    static let coalescedShare = 0.1
    static let coalescedMax = Duration.seconds(15)

    /// Starts every poll that is due and allowed, and those that would be due in a moment anyway.
    mutating func startDue(_ plan: Plan, at now: Moment, _ output: inout Output) {
        if !isEnrolled { enroll(plan) }
        var started = false
        // Who has waited longest goes first: where there is more to do than allowed, everybody has a turn.
        while queue.inFlightCount < plan.concurrency, let source = queue.popDue(now, plan) {
            queue.begin(source)
            start(source, plan, at: now, &output)
            started = true
        }
        // The machine is awake: who is nearly due comes along.
        var along: [SourcePlan] = []
        while started, queue.inFlightCount < plan.concurrency, let source = queue.popEarly(now, plan) {
            queue.begin(source)
            along.append(source)
        }
        for source in along.sorted(by: { plan.rank(of: $0.name) < plan.rank(of: $1.name) }) {
            start(source, plan, at: now, &output)
        }
        isFull = queue.inFlightCount >= plan.concurrency
    }

    private mutating func start(_ source: SourcePlan, _ plan: Plan, at now: Moment, _ output: inout Output) {
        if sources[source.name] == nil { keep(SourceRecord(), of: source.name, &output) }
        // A poll whose result is lost in a crash must not leave the source without a next one.
        let due = now + (source.isPushed ? source.slowest : max(source.every, source.throttle))
        record(.polling(name: source.name, at: now, due: due), &output)
        let record = sources[source.name] ?? SourceRecord()
        output.effects.append(
            .poll(
                PollOrder(
                    source: source.name, cursor: record.cursor, isAnew: record.isAnew,
                    validators: record.isAnew ? [:] : record.validators,
                    spans: plan.spans(of: source), timeout: source.timeout,
                    connection: source.connection)))
    }

    /// Notes that a source has been told something: a poll in flight does not know.
    mutating func overtake(_ name: String) { if isPolling(name) { overtaken.insert(name) } }

    /// Whether a poll that has ended did not know what its source had been told meanwhile.
    mutating func takeOvertaken(_ name: String) -> Bool { overtaken.remove(name) != nil }

    /// Notes at a start, or when a machine has slept, which sources have been without a poll for longer than they should: what
    /// is said of them before they have answered tells of the bot's absence, not of theirs.
    mutating func noteCatchUp(_ plan: Plan, at now: Moment) {
        for source in plan.sources where !source.isPushed && sources[source.name]?.stopped == nil {
            guard let record = sources[source.name], record.lastPolled != nil, let due = record.due, due <= now else {
                continue
            }
            awaitAnswer(of: source, at: now)
            if isPolling(source.name) { askedBefore.insert(source.name) }
        }
    }

    private mutating func awaitAnswer(of source: SourcePlan, at now: Moment) {
        let until = now + source.timeout
        catchingUp[source.name] = until
        catchUpEnd = max(catchUpEnd, until)
    }

    /// Whether a poll that has ended began before its machine slept; then the next one is waited for.
    mutating func takeAskedBefore(_ source: SourcePlan, at now: Moment) -> Bool {
        guard askedBefore.remove(source.name) != nil else { return false }
        if catchesUp(source.name) != nil { awaitAnswer(of: source, at: now) }
        return true
    }

    /// Until when the first answer of a source is waited for after a start; nil where it has come, or was not missed.
    func catchesUp(_ name: String) -> Moment? { catchingUp[name] }

    /// Until when all first answers are waited for; nil where none is.
    var allCatchUp: Moment? { catchingUp.isEmpty ? nil : catchUpEnd }

    /// A source has answered, or failed; gives back whether that was waited for.
    mutating func endCatchUp(of name: String) -> Bool {
        guard catchingUp.removeValue(forKey: name) != nil else { return false }
        if catchingUp.isEmpty { catchUpEnd = .earliest }
        return true
    }

    /// Waits for no first answer any more; gives back those of whom one was waited for.
    mutating func stopCatchingUp() -> [String] {
        defer { (catchingUp, catchUpEnd, askedBefore) = ([:], .earliest, []) }
        return catchingUp.keys.sorted()
    }

    /// The poll of a source has ended.
    mutating func endPoll(of name: String, _ plan: Plan) {
        queue.end(name, plan)
        isFull = false
    }
}
