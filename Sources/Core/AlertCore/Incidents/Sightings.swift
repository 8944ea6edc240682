public import PluginKit

// What a rule saw while it fired, so that late figures can change what "at worst" means; and what was said of an incident
// that is over, for a day, so that it can be put right.

/// The figures with which an incident fired: of stretches that overlap by more than half only the worst.
public struct Sightings: Hashable, Sendable {
    /// In the order in which they came.
    public private(set) var all: [Sighting]

    /// Most of them kept, beyond which the least bad goes: with a window of an hour more than half a day at its worst.
    static let countMax = 32

    init(_ all: [Sighting]) { self.all = all }

    /// What is known of an incident of which nothing else is kept.
    fileprivate init(_ incident: Incident) { all = [Sighting(incident.worst)].compactMap(\.self) }

    mutating func note(_ new: Sighting) {
        if let same = all.firstIndex(where: { $0.metric == new.metric && $0.span == new.span }) {
            // Seen again, it is as it was seen last.
            all[same] = new
        } else if let near = all.firstIndex(where: { $0.isNear(new) }) {
            if new.isWorse(than: all[near]) { all[near] = new }
        } else {
            all.append(new)
            guard all.count > Sightings.countMax else { return }
            // Of equal ones the last: the first is the worst, of which the incident has the words.
            let least = all.indices.reversed().min { all[$1].isWorse(than: all[$0]) }
            if let least { all.remove(at: least) }
        }
    }

    /// Takes over what the figures say now; gives back whether that is something else.
    ///
    /// - Parameter measured: the figure of a sighting, where it has changed.
    mutating func correct(_ measured: (Sighting) -> Figure?) -> Bool {
        var isChanged = false
        for index in all.indices {
            guard let figure = measured(all[index]), figure != all[index].figure else { continue }
            all[index] = all[index].corrected(to: figure)
            isChanged = true
        }
        return isChanged
    }

    /// The worst of them; of equal ones the first.
    var worst: Sighting? {
        all.dropFirst().reduce(all.first) { worst, next in worst.map { next.isWorse(than: $0) ? next : $0 } }
    }

    /// What is the worst of an incident of which this was seen: in the words of the rule, where these are known.
    ///
    /// - Parameters:
    ///   - incident: as it was before; where its worst is none of what was seen then, it stays until there is worse.
    ///   - newest: what was seen last.
    fileprivate func worst(of incident: Incident, before: Sightings, _ newest: Evidence) -> Evidence {
        guard let worst else { return incident.worst }
        let known = [newest, incident.worst].first { Sighting($0) == worst }
        let evidence = known ?? worst.correctedEvidence
        let isStray = !before.all.contains { Sighting(incident.worst) == $0 }
        return isStray && !evidence.isWorse(than: incident.worst) ? incident.worst : evidence
    }

    init(_ reader: JSONReader) throws(JSONMismatch) {
        var all: [Sighting] = []
        for element in try reader.elements() { all.append(try Sighting(element)) }
        self.init(all)
    }
}

extension Sighting {
    func isWorse(than other: Sighting) -> Bool { evidence("").isWorse(than: other.evidence("")) }

    /// What is said of it where late figures have made it what it is, so that the words of the rule are about another.
    var correctedEvidence: Evidence {
        var evidence = evidence("")
        evidence.say(Phrase(.reasonCorrected))
        return evidence
    }
}

/// An incident that has ended, and what channels were told of it. Its standings say that they have heard the end, with
/// the figure that was its worst then.
public struct Aftermath: Hashable, Sendable {
    public var incident: Incident
    public var sightings: Sightings

    /// When the last channel heard of it.
    var told: Moment { incident.standings.values.compactMap(\.lastSaid).max() ?? incident.until ?? incident.since }

    /// What channels know that were told what misleads.
    fileprivate var misled: [String: Standing] {
        incident.standings.filter { Correction(ofEnd: $0.value.said, worst: incident.worst) != nil }
    }

    /// How long late figures may still change what was said: as long as the contract with people says.
    static let lifetime = Duration.days(1)
    /// Most of them kept; more are not taken in before some of these are a day old. After a storm nobody reads a
    /// correction of each gust.
    static let countMax = 512
}

extension Incidents {
    // MARK: - While it goes on

    /// What a rule saw of an incident so far.
    private func seen(of incident: Incident) -> Sightings { sightings[incident.id] ?? Sightings(incident) }

    /// Since when figures of a subject are to be kept, however old: since the first of which something was said, while
    /// an incident is open, waits for its end to be told, or was told of within a day.
    func reach(of subject: Subject, at now: Moment) -> Moment? {
        guard mayBeCorrected, mayBeCorrected(subject) else { return nil }
        var first: Moment?
        func reach(_ incident: Incident, _ seen: Sightings) {
            let said = incident.standings.values.flatMap { [$0.said?.span.from, $0.alarmed?.span.from] }
            first = (seen.all.map(\.span.from) + said.compactMap(\.self) + [first].compactMap(\.self)).min()
        }
        for incident in open(about: subject) + over(about: subject) { reach(incident, seen(of: incident)) }
        for aftermath in ended(about: subject) where now - aftermath.told <= Aftermath.lifetime {
            reach(aftermath.incident, aftermath.sightings)
        }
        return first
    }

    /// Takes the evidence with which an incident fires now into what was seen of it, its worst included.
    mutating func note(_ evidence: Evidence, of incident: inout Incident, _ output: inout Output) {
        guard let sighting = Sighting(evidence) else {
            if evidence.isWorse(than: incident.worst) { incident.worst = evidence }
            return
        }
        let before = seen(of: incident)
        var after = before
        after.note(sighting)
        guard after != before else { return }
        incident.worst = after.worst(of: incident, before: before, evidence)
        // The worst alone the incident itself says.
        guard sightings[incident.id] != nil || after != Sightings(incident) else { return }
        record(.sightings(incident: incident.id, after), &output)
    }

    // MARK: - Late figures

    /// Whether late figures could change anything, and whether those of a subject could.
    var mayBeCorrected: Bool { !isEmpty || !aftermaths.isEmpty }
    func mayBeCorrected(_ subject: Subject) -> Bool { isOpen(subject) || hasEnded(subject) }

    /// What late figures of a subject may change: all that was seen of what is open, or has ended within the last day.
    func correctable(of subject: Subject, at now: Moment) -> [Sighting] {
        let open = (open(about: subject) + over(about: subject)).flatMap { seen(of: $0).all }
        let ended = ended(about: subject).filter { now - $0.told <= Aftermath.lifetime }.flatMap(\.sightings.all)
        return Array(Set(open + ended))
    }

    /// Puts right what was seen of a subject; gives back the incidents of which channels may have to hear.
    ///
    /// - Parameter corrected: the figure of a sighting, where late figures have made it another.
    mutating func correct(
        _ subject: Subject, at now: Moment, _ output: inout Output, _ corrected: (Sighting) -> Figure?
    ) -> [Touch] {
        var touched: [Touch] = []
        for old in open(about: subject) + over(about: subject) {
            let before = seen(of: old)
            var (incident, seen) = (old, before)
            guard seen.correct(corrected) else { continue }
            incident.worst = seen.worst(of: old, before: before, old.evidence)
            record(.incident(incident), &output)
            if sightings[old.id] != nil || seen != Sightings(incident) {
                record(.sightings(incident: old.id, seen), &output)
            }
            touched.append(.revisit(old.id))
        }
        for old in ended(about: subject) where now - old.told <= Aftermath.lifetime {
            var aftermath = old
            guard aftermath.sightings.correct(corrected) else { continue }
            aftermath.incident.worst = aftermath.sightings.worst(
                of: old.incident, before: old.sightings, old.incident.evidence)
            record(.aftermath(aftermath), &output)
            let misled = aftermath.misled
            guard !misled.isEmpty else { continue }
            // What channels wait for that have not heard the end goes on as it was.
            var incident = self[old.incident.id] ?? aftermath.incident.without(\.standings)
            incident.worst = aftermath.incident.worst
            incident.standings.merge(misled) { current, _ in current }
            record(.incident(incident), &output)
            touched.append(.revisit(incident.id))
        }
        return touched
    }

    // MARK: - When it is over

    /// The worst of what keeps coming and going: of this time, and of those since then of which somebody was told.
    func worst(ofAll incident: Incident, since begin: Moment) -> Evidence {
        ended(about: incident.subject).map(\.incident).reduce(incident.worst) { worst, earlier in
            let isOfThis = earlier.identity == incident.identity && earlier.id != incident.id
            guard isOfThis, let end = earlier.until, end >= begin, earlier.worst.metric == worst.metric else {
                return worst
            }
            return earlier.worst.isWorse(than: worst) ? earlier.worst : worst
        }
    }

    /// Keeps in mind that a channel has heard of the end of an incident, with the figure that was its worst.
    ///
    /// - Parameter isCorrection: whether it has heard it once more, put right.
    mutating func rememberEnd(
        of incident: Incident, in channel: String, _ severity: Severity, _ said: Said, isCorrection: Bool,
        at now: Moment, _ output: inout Output
    ) {
        let known = aftermaths[incident.id]
        guard known != nil || aftermaths.count < Aftermath.countMax else { return }
        var aftermath =
            known ?? Aftermath(incident: incident.without(\.standings), sightings: seen(of: incident))
        aftermath.incident.standings[channel] = Standing(
            announced: severity, lastSaid: now, said: said, corrected: isCorrection ? now : nil,
            hasHeardEnd: true)
        record(.aftermath(aftermath), &output)
    }

    /// Lets go of what ended more than a day ago.
    mutating func forgetAftermaths(at now: Moment, _ output: inout Output) {
        let old = aftermaths.values.filter { now - $0.told > Aftermath.lifetime }.map(\.incident.id).sorted()
        for id in old { record(.settled(id: id), &output) }
    }

    /// After the wall clock was set, spans of the old clock and of the new one are not the same.
    mutating func forgetSightings(_ output: inout Output) {
        for incident in inOrder where Sighting(incident.worst) != nil {
            record(.sightings(incident: incident.id, Sightings([])), &output)
        }
        for id in aftermaths.keys.sorted() { record(.settled(id: id), &output) }
    }
}

extension Incident {
    fileprivate func without(_ part: WritableKeyPath<Incident, [String: Standing]>) -> Incident {
        var incident = self
        incident[keyPath: part] = [:]
        return incident
    }
}
