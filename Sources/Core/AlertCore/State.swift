public import PluginKit

/// Everything the bot knows, in rooms: each a value with storage of its own that changes only by its own facts. What
/// must survive a restart is made of facts, so that replaying the journal's facts gives the same state again; the rest
/// (what is in flight, what is due when) is made anew at each start.
public struct State: Sendable {
    /// When sources are polled.
    public internal(set) var schedule = Schedule()
    /// What is kept of every subject.
    public internal(set) var figures: Figures
    /// What is tracked, and what each channel knows of it.
    public internal(set) var incidents = Incidents()
    /// What people have muted.
    public internal(set) var mutes = Mutes()
    /// What was accepted for channels.
    public internal(set) var outbox: Outbox
    /// What the core has promised itself to look at.
    var agenda = Agenda()
    /// Sources that need not be looked at as a whole with each app of which they tell.
    var wellSources = WellSources()

    /// Deliveries remembered for `history` and the inbox page; some weeks of a lively team.
    public static let historyMaxUsual = 1000

    /// A state in which nothing has happened yet.
    ///
    /// - Parameters:
    ///   - historyMax: Dead letters that are remembered, and likewise other ended deliveries, from 1.
    ///   - memories: The kinds of memory that the program knows; a journal is read with those of all its plugins.
    public init(historyMax: Int = State.historyMaxUsual, memories: MemoryKinds = .none) {
        figures = Figures(memories: memories)
        outbox = Outbox(historyMax: historyMax)
    }

    /// The kinds of memory that the program knows.
    public var memories: MemoryKinds { figures.memories }

    /// Takes in a fact: the only way in which the durable part changes.
    public mutating func apply(_ fact: Fact) {
        switch fact {
        case .schedule(let fact): schedule.apply(fact)
        case .figures(let fact): figures.apply(fact)
        case .incidents(let fact): incidents.apply(fact)
        case .mutes(let fact): mutes.apply(fact)
        case .outbox(let fact): outbox.apply(fact)
        }
    }

    /// When the core wants to be woken next.
    public var nextDue: Moment? {
        mutating get { [agenda.next, schedule.next].compactMap(\.self).min() }
    }

    /// Has what waits for first answers after a start looked at with the next step, for nobody will answer: in a preview only
    /// those do that were asked. Gives back whether anything may have waited.
    public mutating func stopCatchingUp(at now: Moment) -> Bool {
        let sources = schedule.stopCatchingUp()
        for source in sources { agenda.hear(source, at: now) }
        agenda.hear(nil, at: now)
        for delivery in outbox.deliveries.values { agenda.dispatch(delivery.channel, at: now) }
        return !sources.isEmpty
    }

    /// Has the next answer of each source taken in whole, for figures may be lost with records of the journal; gives back what
    /// is to be written of that.
    public mutating func forgetAnswers() -> [Fact] {
        var output = Output()
        schedule.forgetAnswers(&output)
        return output.facts
    }

    /// The durable part as the shortest list of facts that makes it: a snapshot. Each fact is made when it is asked
    /// for, so that no second state is in memory beside this one.
    public var facts: some Sequence<Fact> {
        let parts = [
            SnapshotFacts(outbox.firstFacts.prefix(1).map(Fact.outbox)),
            SnapshotFacts(schedule.facts.map(Fact.schedule)),
            SnapshotFacts(outbox.firstFacts.dropFirst().map(Fact.outbox)),
            SnapshotFacts(mutes.facts.map(Fact.mutes)),
            SnapshotFacts(figures.firstFacts.map(Fact.figures)),
            figures.facts.map(Fact.figures),
            incidents.facts.map(Fact.incidents),
            incidents.sightingFacts.map(Fact.incidents),
            outbox.facts.map(Fact.outbox),
            outbox.historyFacts.map(Fact.outbox),
            SnapshotFacts(past),
        ]
        return parts.lazy.flatMap { part in (0..<part.count).lazy.compactMap(part.fact) }
    }

    /// What gates see of the past, as facts.
    public var past: [Fact] { outbox.pastFacts.map(Fact.outbox) + incidents.pastFacts.map(Fact.incidents) }
}

/// Some of the facts of a snapshot: how many, and how each is made.
struct SnapshotFacts<Fact> {
    let count: Int
    let fact: (Int) -> Fact?

    init<Source>(_ sources: [Source], _ fact: @escaping (Source) -> Fact?) {
        count = sources.count
        self.fact = { fact(sources[$0]) }
    }

    init(_ facts: [Fact]) { self.init(facts) { $0 } }

    private init(count: Int, fact: @escaping (Int) -> Fact?) {
        self.count = count
        self.fact = fact
    }

    func map<Other>(_ wrap: @escaping (Fact) -> Other) -> SnapshotFacts<Other> {
        SnapshotFacts<Other>(count: count) { [fact] in fact($0).map(wrap) }
    }
}
