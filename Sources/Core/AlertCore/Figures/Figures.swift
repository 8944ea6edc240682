public import PluginKit

/// What is kept of every subject: its figures, its issues, and what was learned.
public struct Figures: Sendable {
    /// What is kept, by subject.
    public private(set) var series: [Subject: Series] = [:]
    /// The kinds of memory that the program knows: kept of every subject, or once rules ask.
    public let memories: MemoryKinds

    // Derived from it.
    private var bySource: [String: Set<Subject>] = [:]
    /// The releases of each app, by the app as a whole.
    private var releases: [Subject: Set<Subject>] = [:]
    /// How many subjects of each app have figures.
    private var apps: [String: Int] = [:]
    /// Those whose figures reach back further than rules read.
    private var reaching: Set<Subject> = []

    /// When each source first answered, also where it named nothing, and where all that it named is forgotten.
    private var beginnings: [String: Moment] = [:]

    /// What the journal keeps of it.
    public enum Fact: Hashable, Sendable {
        // What is large stands beside, so that a list of facts is short: most are of few words.
        indirect case observed(Observation, keeping: Retention)
        /// Several of one source that share their span, each with what it keeps of what is older.
        indirect case sheet(Sheet, keeping: Retention)
        /// The same as `observed` of an app as a whole, which its source does not give: summed up over so many releases.
        indirect case summed(Observation, over: Int, keeping: Retention)
        /// What is remembered of a subject from now on, for the rules that concern it.
        case learning(Subject, MemoryNeeds)
        /// A source has answered without naming anything, when asked then: what begins there later is no past.
        case begun(String, at: Moment)
        /// The subject has not been heard of for so long that its figures are let go.
        case forgotten(Subject)
        /// The whole record of one subject; snapshots hold these instead of the observations they came from.
        case series(Subject, Series)
    }

    init(memories: MemoryKinds) { self.memories = memories }

    public mutating func apply(_ fact: Fact) {
        switch fact {
        case .observed(let observation, let retention): take(observation, keeping: retention)
        case .sheet(let sheet, let retention):
            for row in sheet.rows { take(row.observation, keeping: retention.reaching(row.reach)) }
        case .summed(let observation, let releases, let retention):
            change(observation.subject) { $0.add(observation, keeping: retention, summedOver: releases) }
            note(retention.reach, of: observation.subject)
        case .learning(let subject, let needs):
            let elders = series[subject]?.remembers(needs) == true ? [] : elders(of: subject)
            change(subject) { $0.remember(needs, after: elders) }
        case .begun(let source, let moment): begin(source, at: moment)
        case .forgotten(let subject):
            if let gone = series.removeValue(forKey: subject) {
                unlist(subject)
                if let heir = heir(of: subject) { change(heir) { $0.inherit(gone) } }
                // Nobody knows any more what was told of until then.
                if unordered(of: subject.source).isEmpty {
                    beginnings[subject.source] = max(beginnings[subject.source] ?? .earliest, gone.lastSeen)
                }
            }
            reaching.remove(subject)
        case .series(let subject, let kept):
            change(subject) { $0 = kept }
            if let seen = kept.firstSeen { begin(subject.source, at: seen) }
            note(kept.reach, of: subject)
        }
    }

    /// When sources began, as facts; the rest of the shortest list is made when it is asked for.
    var firstFacts: [Fact] { beginnings.sorted { $0.key < $1.key }.map { .begun($0.key, at: $0.value) } }

    /// The rest of it, as the shortest list of facts; each is made when it is asked for.
    var facts: SnapshotFacts<Fact> {
        SnapshotFacts(series.keys.sorted()) { [series] subject in series[subject].map { .series(subject, $0) } }
    }

    mutating func record(_ fact: Fact, _ output: inout Output) {
        apply(fact)
        output.facts.append(.figures(fact))
    }

    /// Takes in what was seen of a subject; gives back whether there are figures among it that tell of now.
    @discardableResult
    mutating func take(_ observation: Observation, keeping retention: Retention) -> Bool {
        let subject = observation.subject
        let elders = observation.issues.isEmpty ? .none : eldersInNoOrder(of: subject)
        var (isFirst, isOfNow) = (false, false)
        change(subject) { series in
            isFirst = series.firstSeen == nil
            series.add(observation, keeping: retention, after: elders)
            isOfNow = series.figuresSeen >= observation.seen
        }
        if isFirst { begin(subject.source, at: observation.seen) }
        note(retention.reach, of: subject)
        return isOfNow && !observation.metrics.isEmpty && !observation.isHistory
    }

    /// The same as `elders`, at every observation that names issues: then there is no time to sort.
    private func eldersInNoOrder(of subject: Subject) -> Elders {
        let app = subject.whole
        var known: [Series] = []
        if subject.release != nil, let whole = series[app] { known.append(whole) }
        if let parts = releases[app], parts.count <= Figures.kinMax {
            for release in parts where release != subject {
                if let part = series[release] { known.append(part) }
            }
        }
        return Elders(known, sourceBegan: beginnings[subject.source])
    }

    /// An app with more releases than this is shown as a whole alone: for each that names issues in a poll, and for each
    /// that begins to be remembered, all others are looked at.
    private static let kinMax = 250

    private mutating func begin(_ source: String, at moment: Moment) {
        beginnings[source] = min(beginnings[source] ?? moment, moment)
    }

    /// Takes in that a source has answered, which may be the first that is known of it.
    mutating func noteAnswer(of source: String, asked: Moment, _ output: inout Output) {
        if asked < beginnings[source] ?? .latest { record(.begun(source, at: asked), &output) }
    }

    /// Who takes over what must be remembered of a subject that is forgotten.
    private func heir(of subject: Subject) -> Subject? {
        series[subject.whole] == nil ? releases[subject.whole]?.min() : subject.whole
    }

    /// The app as a whole and its releases but the subject itself, in an order that a replay repeats.
    private func elders(of subject: Subject) -> [Series] {
        let isFew = releases[subject.whole].map { $0.count <= Figures.kinMax } ?? true
        return ([subject.whole] + (isFew ? releases(of: subject) : [])).filter { $0 != subject }.compactMap {
            series[$0]
        }
    }

    /// Changes in place what is kept of a subject, and lists it when it is new.
    private mutating func change(_ subject: Subject, _ change: (inout Series) -> Void) {
        let known = series.count
        change(&series[subject, default: Series(remembering: memories)])
        if series.count > known { list(subject) }
    }

    private mutating func list(_ subject: Subject) {
        bySource[subject.source, default: []].insert(subject)
        if subject.release != nil { releases[subject.whole, default: []].insert(subject) }
        apps[subject.app, default: 0] += 1
    }

    private mutating func unlist(_ subject: Subject) {
        bySource[subject.source]?.remove(subject)
        if bySource[subject.source]?.isEmpty == true { bySource[subject.source] = nil }
        releases[subject.whole]?.remove(subject)
        if releases[subject.whole]?.isEmpty == true { releases[subject.whole] = nil }
        let count = (apps[subject.app] ?? 0) - 1
        apps[subject.app] = count > 0 ? count : nil
    }

    // MARK: - Looking up

    /// Everything that a source has figures of, in no order: at every poll there is no time to sort.
    func unordered(of source: String) -> Set<Subject> { bySource[source] ?? [] }

    /// Everything that a source has figures of, by name.
    func subjects(of source: String) -> [Subject] { (bySource[source] ?? []).sorted() }

    /// The releases of an app that have figures, by name.
    func releases(of app: Subject) -> [Subject] { (releases[app.whole] ?? []).sorted() }

    /// The same in no order: at every poll there is no time to sort.
    func unordered(releasesOf app: Subject) -> Set<Subject> { releases[app.whole] ?? [] }

    func releaseCount(of app: Subject) -> Int { releases[app.whole]?.count ?? 0 }

    /// Whether the source has as many subjects as it may have.
    func isFull(_ source: String) -> Bool { (bySource[source]?.count ?? 0) >= Figures.subjectsMax }

    /// Whether there is no room for a subject that nobody has heard of.
    func isCrowdedOut(_ subject: Subject) -> Bool { series[subject] == nil && isFull(subject.source) }

    /// How many subjects one source may have at a time: what nobody hears of any more goes after a week, so names that
    /// change with each answer would fill the memory before. Five times the 10,000 apps that the bot is made for, and at
    /// 4.2 KiB each some 200 MiB.
    public static let subjectsMax = 50_000

    /// The issues named last of a subject, the largest first where it is the sum of its releases.
    func issues(of subject: Subject) -> [Issue] {
        guard let kept = series[subject] else { return [] }
        return kept.releasesSummed == nil || !kept.issues.isEmpty ? kept.issues : issues(ofReleasesOf: subject)
    }

    /// Of whom these tell nothing of how they are now, though there are figures: issues alone, a straggler of a time
    /// before a silence, or history.
    ///
    /// - Parameter summed: the apps of which there is a new sum besides.
    func withoutNewFigures(
        _ observations: [Observation], summed: Set<Subject>, at now: Moment
    ) -> Set<Subject> {
        func isHistory(_ observation: Observation) -> Bool {
            observation.hasHistory(seenAt: min(observation.seen, now))
        }
        var subjects: Set<Subject> = []
        for observation in observations {
            guard let known = series[observation.subject] else { continue }
            if isHistory(observation) {
                subjects.formUnion([observation.subject, observation.subject.whole])
            } else if !known.hasFigures {
                continue
            } else if observation.metrics.isEmpty {
                subjects.insert(observation.subject)
            } else if known.figuresSeen < min(observation.seen, now) {
                subjects.formUnion([observation.subject, observation.subject.whole])
            }
        }
        guard !subjects.isEmpty else { return subjects }
        func isOfNow(_ observation: Observation, _ subject: Subject) -> Bool {
            !observation.metrics.isEmpty && !isHistory(observation)
                && series[subject].map { $0.figuresSeen >= min(observation.seen, now) } ?? true
        }
        for observation in observations {
            if isOfNow(observation, observation.subject) { subjects.remove(observation.subject) }
            let whole = observation.subject.whole
            if summed.contains(whole), isOfNow(observation, whole) { subjects.remove(whole) }
        }
        return subjects
    }

    /// Whether the app has figures of any kind: its own, or those of a release.
    func hasFigures(ofWhole app: Subject) -> Bool { series[app] != nil || releases[app] != nil }

    private mutating func note(_ reach: Moment?, of subject: Subject) {
        // Of most, nothing is open.
        if reach != nil {
            reaching.insert(subject)
        } else if !reaching.isEmpty {
            reaching.remove(subject)
        }
    }

    /// Whether figures of the subject may reach back further than rules read: not of any number of subjects at once.
    func mayReachBack(_ subject: Subject) -> Bool {
        reaching.count < Figures.reachingMax || reaching.contains(subject)
    }

    /// How many subjects' figures reach back further than rules read. In a storm of more, corrections are the least of
    /// anybody's worries; all of them together take 64 MiB at most (`Series.pastBytesMax`).
    static let reachingMax = 512

    var appCount: Int { apps.count }
    func hasFigures(ofApp app: String) -> Bool { apps[app] != nil }
}

extension Subject {
    /// The app in that environment with all its releases.
    var whole: Subject { Subject(source: source, app: app, environment: environment) }
}
