public import PluginKit

/// What is tracked: open incidents, resolved ones of which a channel still has something to hear, and what each channel
/// knows of them.
public struct Incidents: Sendable {
    private var byID: [String: Incident] = [:]
    /// When things began to fire and ended in the last day, oldest first, at most `swingsMax` each.
    private var swings: [IncidentKey: [Moment]] = [:]
    /// What channels were told of their coming and going, as long as that is remembered.
    private var swingsTold: [IncidentKey: [String: SwingsTold]] = [:]
    /// What rules saw of those that fired for longer, where it is more than the worst.
    private(set) var sightings: [String: Sightings] = [:]
    /// Those that ended within the last day, with what was said of them.
    private(set) var aftermaths: [String: Aftermath] = [:]

    // Derived from them.
    private var index = IncidentIndex()
    /// Pending ones, by source.
    private var pending: [String: Set<String>] = [:]
    /// What gates hold to be said in one message, and since when each is held. They ask for each notification since when the
    /// first is, so that is at hand.
    private var gathered: [GatheringPlace: Timers<String>] = [:]
    /// Those of which something is held until another changes, by where it is held and why.
    private(set) var waitingForEvents: [WaitingPlace: Set<String>] = [:]
    /// What gates wait for, and which incidents explain others by it.
    private(set) var explainers = Explainers()
    /// The ids of what has ended, by whom it was about.
    private var aftermathIDs: [Subject: Set<String>] = [:]
    /// Those of what is over and of which a channel has something to hear yet, likewise, and by what identified it.
    private var overIDs: [Subject: [IncidentKey: Set<String>]] = [:]

    // Of this run only.
    /// What explains others no more because it has been getting better for too long, by id, and from when on.
    var waned: [String: Moment] = [:]
    /// Whether a gate wants to know what has begun and ended lately.
    private var remembersSwings = false
    /// What of that an edit has made.
    var firstLook = FirstLook()
    /// Whether one has changed in a way that may open a gate.
    var mayOpenGates = false

    /// What the journal keeps of it.
    public enum Fact: Hashable, Sendable {
        indirect case incident(Incident)
        /// The figures of one that has fired are others now, and perhaps worse than they have been; nothing else is new
        /// but whether it is getting better.
        indirect case seen(incident: String, Incident.State, Evidence, isWorst: Bool)
        /// What a channel knows of an incident, or that it has nothing more to hear of it. Kept apart, for it would make
        /// every fact of a storm five times as large.
        indirect case standing(incident: String, channel: String, Standing?)
        /// Nothing more will be said of it.
        case ended(id: String)
        /// Something began to fire, or ended. Written only where a gate wants to know.
        case swung(rule: String, Subject, key: String?, at: Moment)
        /// What a rule saw of an incident while it fired.
        indirect case sightings(incident: String, Sightings)
        /// What was said of an incident that has ended, so that it can be put right.
        indirect case aftermath(Aftermath)
        /// Late figures of an incident that has ended count no more.
        case settled(id: String)
        /// When something began to fire and ended lately: snapshots hold it, and what is older than a day is let go.
        case swings(rule: String, Subject, key: String?, [Moment])
        /// A channel was told that something keeps coming and going; nil where the message that said so never arrived.
        case swingsTold(rule: String, Subject, key: String?, channel: String, SwingsTold?)
    }

    /// Changes of one thing that are remembered: an hour in which it changes every minute.
    static let swingsMax = 64
    /// How long they are remembered.
    static let swingLifetime = Duration.days(1)

    public mutating func apply(_ fact: Fact) {
        switch fact {
        case .incident(let incident):
            let old = byID.updateValue(incident, forKey: incident.id)
            if let old { unlist(old) }
            list(incident)
        case .seen(let id, let state, let evidence, let isWorst):
            byID[id]?.see(evidence, isWorst: isWorst, state)
            if explainers.readIssues, let incident = byID[id] {
                explainers.unlist(id)
                explainers.list(incident)
            }
        case .standing(let id, let channel, let standing):
            guard let old = byID[id] else { return }
            byID[id]?.standings[channel] = standing
            noteHold(of: id, in: channel, from: old.standings[channel]?.hold, to: standing?.hold)
        case .ended(let id):
            if let incident = byID.removeValue(forKey: id) { unlist(incident) }
            sightings[id] = nil
            waned[id] = nil
            firstLook.forget(id)
        case .sightings(let id, let seen):
            sightings[id] = seen
        case .aftermath(let aftermath):
            aftermaths[aftermath.incident.id] = aftermath
            aftermathIDs[aftermath.incident.subject, default: []].insert(aftermath.incident.id)
        case .settled(let id):
            guard let subject = aftermaths.removeValue(forKey: id)?.incident.subject else { return }
            aftermathIDs[subject]?.remove(id)
            if aftermathIDs[subject]?.isEmpty == true { aftermathIDs[subject] = nil }
        case .swung(let rule, let subject, let key, let moment):
            remember(IncidentKey(rule: rule, subject: subject, key: key), at: moment)
        case .swings(let rule, let subject, let key, let kept):
            let key = IncidentKey(rule: rule, subject: subject, key: key)
            swings[key] = kept.isEmpty ? nil : kept
            if kept.isEmpty { swingsTold[key] = nil }
        case .swingsTold(let rule, let subject, let key, let channel, let told):
            swingsTold[IncidentKey(rule: rule, subject: subject, key: key), default: [:]][channel] = told
        }
    }

    /// The incidents themselves, as the shortest list of facts; each is made when it is asked for.
    var facts: SnapshotFacts<Fact> {
        let ids = byID.map { (since: $0.value.since, id: $0.key) }.sorted { ($0.since, $0.id) < ($1.since, $1.id) }
        return SnapshotFacts(ids.map(\.id)) { [byID] id in byID[id].map(Fact.incident) }
    }

    /// What gates see of the past, as facts.
    var pastFacts: [Fact] {
        swings.sorted { $0.key < $1.key }.map { .swings(rule: $0.rule, $0.subject, key: $0.key, $1) }
            + swingsTold.sorted { $0.key < $1.key }.flatMap { key, told in
                told.sorted { $0.key < $1.key }.map {
                    .swingsTold(rule: key.rule, key.subject, key: key.key, channel: $0.key, $0.value)
                }
            }
    }

    /// What late figures can change, as facts: what open incidents have seen, and what has ended.
    var sightingFacts: SnapshotFacts<Fact> {
        let ids =
            sightings.keys.sorted().map { (id: $0, isOver: false) }
            + aftermaths.keys.sorted().map { (id: $0, isOver: true) }
        return SnapshotFacts(ids) { [sightings, aftermaths] entry in
            entry.isOver
                ? aftermaths[entry.id].map(Fact.aftermath)
                : sightings[entry.id].map { .sightings(incident: entry.id, $0) }
        }
    }

    // MARK: - Looking up

    public subscript(_ id: String) -> Incident? { byID[id] }

    func isPending(_ id: String) -> Bool { byID[id]?.state == .pending }

    /// All of them, in no order.
    public var all: Dictionary<String, Incident>.Values { byID.values }

    public var count: Int { byID.count }

    public var isEmpty: Bool { byID.isEmpty }

    /// By the time they began.
    public var inOrder: [Incident] { Array(byID.values).inOrder }

    /// Whether both hold the same incidents; what is found by them is of them.
    package func agrees(with other: Incidents) -> Bool { byID == other.byID }

    /// What the order of looks goes by: thousands may be due together, and copies of them cost more than the order.
    struct Glance {
        let id: String
        let isOpen: Bool
        let severity: Severity
        let since: Moment
        let standings: [String: Standing]
    }

    func glance(at id: String) -> Glance? {
        guard let state = byID[id]?.state, let severity = byID[id]?.severity, let since = byID[id]?.since,
            let standings = byID[id]?.standings
        else { return nil }
        return Glance(id: id, isOpen: state.isOpen, severity: severity, since: since, standings: standings)
    }

    /// Whether a channel is to hear that an earlier one of the same is over, and no gate holds that back.
    func hasEarlierEnd(than id: String, at now: Moment) -> Bool {
        guard !overIDs.isEmpty, let incident = byID[id] else { return false }
        return over(like: incident).contains { earlier in
            earlier.standings.values.contains { standing in
                standing.announced != nil && !standing.hasHeardEnd && standing.hold.map { $0.checkAgain <= now } ?? true
            }
        }
    }

    /// Incidents in their order, but what is over before what the same rule has opened since about the same: read behind that,
    /// its end would be taken for that one's.
    func earlierFirst(_ ids: [String]) -> [String] {
        guard !overIDs.isEmpty else { return ids }
        let due = Set(ids)
        var placed: Set<String> = []
        var ordered: [String] = []
        for id in ids {
            guard let incident = byID[id] else { continue }
            ordered += over(like: incident).filter {
                ($0.since, $0.id) < (incident.since, id) && due.contains($0.id) && placed.insert($0.id).inserted
            }.map(\.id)
            if placed.insert(id).inserted { ordered.append(id) }
        }
        return ordered
    }

    /// The open incident of a rule about something.
    subscript(identity identity: IncidentKey) -> Incident? { index[identity].flatMap { byID[$0] } }

    /// Whether any rule has anything open about the subject.
    func isOpen(_ subject: Subject) -> Bool { index.isOpen(subject) }

    /// What rules have open about the subject, in an order that every run repeats.
    func open(about subject: Subject) -> [Incident] { index.ids(of: subject).compactMap { byID[$0] }.inOrder }

    /// What about the subject is over, and was told to nobody yet.
    func over(about subject: Subject) -> [Incident] {
        (overIDs[subject] ?? [:]).values.joined().filter { aftermaths[$0] == nil }.compactMap { byID[$0] }.inOrder
    }

    /// Earlier ones of the same rule about the same thing of which a channel has something to hear yet.
    func over(like incident: Incident) -> [Incident] {
        (overIDs[incident.subject]?[incident.identity] ?? []).subtracting([incident.id]).compactMap { byID[$0] }.inOrder
    }

    /// Since when the same goes on again that is over here: its end must not read as if all were well.
    func again(_ incident: Incident) -> Moment? {
        guard !incident.isOpen, let next = self[identity: incident.identity], next.hasFired else { return nil }
        return next.since
    }

    func hasEnded(_ subject: Subject) -> Bool { aftermathIDs[subject] != nil || overIDs[subject] != nil }

    /// What about the subject has ended within the last day.
    func ended(about subject: Subject) -> [Aftermath] {
        (aftermathIDs[subject] ?? []).sorted().compactMap { aftermaths[$0] }
    }

    /// What a rule has open about some subjects; what has no key comes first.
    func tracked(by rule: String, _ subjects: [Subject]) -> [Sight.Tracked] {
        subjects.flatMap { subject -> [Sight.Tracked] in
            let open = index[subject, rule]
            return open.keys.sorted { ($0 == nil ? 0 : 1, $0 ?? "") < ($1 == nil ? 0 : 1, $1 ?? "") }
                .compactMap { key in
                    open[key].flatMap { byID[$0] }.map(Sight.Tracked.init)
                }
        }
    }

    /// The pending incidents about what a source sees.
    func pending(of source: String) -> some Sequence<Incident> {
        (pending[source] ?? []).lazy.compactMap { byID[$0] }
    }

    /// Since when something is gathered there; nil when nothing is.
    ///
    /// - Parameter moment: a moment to come, before which what is gathered now may have left; nil for now.
    func gatheredSince(_ place: GatheringPlace, lastingBeyond moment: Moment? = nil) -> Moment? {
        guard let first = gathered[place]?.first else { return nil }
        guard let moment else { return first.due }
        // All of a gathering leave together, so the first stands for all.
        guard let hold = byID[first.key]?.standings[place.channel]?.hold, hold.checkAgain > moment else { return nil }
        return first.due
    }

    /// What is gathered there, by the time it began.
    func gathered(_ place: GatheringPlace) -> [Incident] {
        gathered[place]?.keys.compactMap { byID[$0] }.inOrder ?? []
    }

    /// When incidents of the same rule about the same thing began to fire and ended lately.
    func swings(of incident: Incident) -> [Moment] { swings[incident.identity] ?? [] }

    /// What the channel was told last of its coming and going.
    func swingsTold(_ identity: IncidentKey, in channel: String) -> SwingsTold? { swingsTold[identity]?[channel] }

    /// What has swung later than that.
    func swingsAhead(of now: Moment) -> [(key: IncidentKey, swings: [Moment])] {
        swings.filter { ($0.value.last ?? now) > now }.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// What has not swung for a day.
    func outdatedSwings(at now: Moment) -> [IncidentKey] {
        swings.filter { now - ($0.value.last ?? .earliest) >= Incidents.swingLifetime }.keys.sorted()
    }

    // MARK: - Changing

    /// Says at the begin of a turn whether a gate wants to know what begins and ends, and what gates wait for.
    mutating func serve(_ plan: Plan) {
        remembersSwings = plan.remembersSwings
        explainers.serve(plan.gates.compactMap(\.gate.waitsFor), byID.values)
    }

    /// - Parameter now: when something begins to fire, where it may have begun long before.
    mutating func record(_ fact: Fact, at now: Moment? = nil, _ output: inout Output) {
        noteEvent(fact)
        let swing = remembersSwings ? swing(of: fact, at: now) : nil
        apply(fact)
        output.facts.append(.incidents(fact))
        if let swing { record(swing, &output) }
    }

    /// Keeps what a channel knows of an incident; nil when it has nothing more to hear of it.
    mutating func keep(_ standing: Standing?, of incident: String, in channel: String, _ output: inout Output) {
        record(.standing(incident: incident, channel: channel, standing), &output)
    }

    /// What of coming and going a fact says: that something begins to fire or ends, or that what was counted of it counts no
    /// more.
    private mutating func swing(of fact: Fact, at now: Moment?) -> Fact? {
        switch fact {
        case .incident(let incident):
            let old = byID[incident.id]
            if old?.state != incident.state, firstLook.concerns(incident.identity) || incident.isClosedByConfig {
                return discount(incident.id)
            }
            let begins = incident.isOpen && incident.hasFired && old?.hasFired != true
            // One that had to be well for a while has come to its end when it was well first.
            let ends = !incident.isOpen && old?.isOpen == true && old?.hasFired == true && old?.endsFrom == nil
            guard begins || ends, !firstLook.hasTouched(incident.id) else { return nil }
            return .swung(
                rule: incident.rule, incident.subject, key: incident.key,
                at: begins ? now ?? incident.since : incident.until ?? incident.since)
        case .seen(let id, let state, _, _):
            guard let old = byID[id], old.state != state, firstLook.concerns(old.identity) else { return nil }
            return discount(id)
        default: return nil
        }
    }

    /// Whether what a rule says is not how it stands.
    func standsOtherwise(than judgement: Judgement, _ identity: IncidentKey) -> Bool {
        let incident = self[identity: identity]
        switch judgement.verdict {
        case .firing: return incident.map { $0.endsFrom != nil } ?? true
        case .ok(recovered: true): return incident.map { $0.hasFired && $0.endsFrom == nil } ?? false
        case .ok, .unknown: return false
        }
    }

    /// Begins the first look of a config that was loaded just now.
    mutating func beginFirstLook(at sources: some Sequence<String>, now: Moment) {
        // Of what has come and counts, that is remembered for a day.
        let uncounted = byID.values.filter { incident in
            incident.isOpen && incident.hasFired && now - incident.since < Incidents.swingLifetime
                && !swings(of: incident).contains { $0 >= incident.since }
        }
        firstLook.begin(at: sources, touched: uncounted.map(\.id))
    }

    /// Notes that somebody's edit has had a hand in an incident; gives back what counts then, where its beginning counted.
    mutating func discount(_ id: String) -> Fact? {
        guard firstLook.touch(id), let old = byID[id], old.isOpen, old.hasFired, old.endsFrom == nil else { return nil }
        let kept = swings(of: old)
        // What is held until it has calmed down is not to leave by an edit.
        guard let last = kept.last, last >= old.since,
            old.standings.values.allSatisfy({ $0.hold?.reason != .flapping })
        else { return nil }
        return .swings(rule: old.rule, old.subject, key: old.key, kept.dropLast())
    }

    private mutating func remember(_ key: IncidentKey, at moment: Moment) {
        var kept = swings[key] ?? []
        guard kept.last != moment else { return }
        kept.removeAll { moment - $0 >= Incidents.swingLifetime }
        kept.append(moment)
        swings[key] = kept.suffix(Incidents.swingsMax)
    }

    // MARK: - What is derived

    private mutating func list(_ incident: Incident) {
        if incident.isOpen {
            index[incident.identity] = incident.id
        } else {
            overIDs[incident.subject, default: [:]][incident.identity, default: []].insert(incident.id)
        }
        if incident.state == .pending { pending[incident.subject.source, default: []].insert(incident.id) }
        explainers.list(incident)
        for (channel, standing) in incident.standings {
            noteHold(of: incident.id, in: channel, from: nil, to: standing.hold)
        }
    }

    private mutating func unlist(_ incident: Incident) {
        explainers.unlist(incident.id)
        if index[incident.identity] == incident.id { index[incident.identity] = nil }
        if !incident.isOpen {
            let (subject, identity) = (incident.subject, incident.identity)
            overIDs[subject]?[identity]?.remove(incident.id)
            if overIDs[subject]?[identity]?.isEmpty == true { overIDs[subject]?[identity] = nil }
            if overIDs[subject]?.isEmpty == true { overIDs[subject] = nil }
        }
        if incident.state == .pending {
            pending[incident.subject.source]?.remove(incident.id)
            if pending[incident.subject.source]?.isEmpty == true { pending[incident.subject.source] = nil }
        }
        for (channel, standing) in incident.standings {
            noteHold(of: incident.id, in: channel, from: standing.hold, to: nil)
        }
    }

    /// Takes note of how what is held of an incident for a channel has changed.
    private mutating func noteHold(of id: String, in channel: String, from old: Hold?, to new: Hold?) {
        if let gathering = old?.gathering, gathering != new?.gathering {
            let place = GatheringPlace(channel: channel, gathering: gathering)
            gathered[place]?.set(id, nil)
            if gathered[place]?.isEmpty == true { gathered[place] = nil }
        }
        if let new, let gathering = new.gathering {
            gathered[GatheringPlace(channel: channel, gathering: gathering), default: Timers()].set(id, new.since)
        }
        if let old, old.checkAgain == .latest {
            let place = WaitingPlace(channel: channel, reason: old.reason)
            waitingForEvents[place]?.remove(id)
            if waitingForEvents[place]?.isEmpty == true { waitingForEvents[place] = nil }
        }
        if let new, new.checkAgain == .latest {
            waitingForEvents[WaitingPlace(channel: channel, reason: new.reason), default: []].insert(id)
        }
    }
}

extension Sight.Tracked {
    fileprivate init(_ incident: Incident) {
        let (metric, value) = (incident.worst.metric, incident.worst.figure?.value)
        self.init(
            subject: incident.subject, key: incident.key, severity: incident.severity, since: incident.since,
            hasFired: incident.state != .pending,
            worst: metric.flatMap { metric in value.map { Depth(Metric(metric), $0) } },
            betterSince: incident.betterSince)
    }
}
