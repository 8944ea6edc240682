internal import PluginKit

// Observations become figures: what makes no sense, or has lost what was there, is left out with a note.

extension Figures {
    /// What was taken in of an answer.
    struct Taken {
        /// In the order in which they came.
        let subjects: [Subject]
        /// Those of whom nothing was told of how they are now, though there are figures.
        let withoutNewFigures: Set<Subject>
        /// How many observations were kept.
        let count: Int
        /// What of the answer is left out, or is judged by no rule, in sentences.
        let remarks: [String]
    }

    /// Keeps what a source saw.
    ///
    /// - Parameters:
    ///   - unread: the apps of which it saw a part at most.
    ///   - reach: since when figures of a subject are kept that are older than rules read.
    mutating func take(
        _ observations: [Observation], of source: String, except unread: Unread, _ plan: Plan,
        reach: (Subject) -> Moment?, at now: Moment, _ output: inout Output
    ) -> Taken {
        let retention = plan.retention(of: source)
        let rules = plan.rules(of: source)
        var subjects: [Subject] = []
        var summed: Set<Subject> = []
        var (areAllOfNow, isCrowded) = (true, false)
        var count = 0
        var sheets = Sheets(keeping: retention, count: observations.count)
        var parts = Parts()
        subjects.reserveCapacity(observations.count)
        let owner = plan.source(source)?.owner
        for var observation in observations where observation.subject.source == source {
            if let owner, observation.labels["owner"] == nil { observation.labels["owner"] = owner }
            guard let learning = prepare(&observation, rules, at: now, &output) else {
                if isCrowdedOut(observation.subject) { isCrowded = true }
                continue
            }
            if !learning.isEmpty {
                sheets.close(into: &output)
                for fact in learning { record(fact, &output) }
            }
            count += 1
            let subject = observation.subject
            let row = Sheet.Row(observation, reach: mayReachBack(subject) ? reach(subject) : nil)
            if !take(observation, keeping: retention.reaching(row.reach)) { areAllOfNow = false }
            if sheets.put(row) { subjects.append(subject) }
            parts.note(observation)
        }
        sheets.close(into: &output)
        for (app, spans) in parts.inOrder {
            let since = reach(app)
            // Of an app of which a part makes no sense or is missing, the other parts would pass for the whole.
            let isSure = !unread.contains(app.app)
            guard sumUp(app, over: spans, isSure, keeping: retention, rules, reach: since, at: now, &output) else {
                if isCrowdedOut(app) { isCrowded = true }
                continue
            }
            summed.insert(app)
            if !sheets.hasSeen(app) { subjects.append(app) }
        }
        // Of most answers none.
        let remarks: [String?] = [
            isCrowded ? Figures.crowdRemark : nil, areAllOfNow ? nil : observations.historyRemark,
        ]
        return Taken(
            subjects: subjects,
            withoutNewFigures: areAllOfNow ? [] : withoutNewFigures(observations, summed: summed, at: now),
            count: count, remarks: remarks.compactMap(\.self))
    }

    /// The same sentence as long as it goes on: it is told once.
    private static let crowdRemark =
        "it has named \(Double(subjectsMax).plain) apps and releases within \(lifetime.short), and that is the limit: "
        + "new ones are left out until others are forgotten; do names change with each answer?"

    /// Makes the observation what is kept of it; gives back what has to be recorded before it, or nil where it is not
    /// kept.
    ///
    /// - Parameters:
    ///   - isSum: whether it was summed up over releases.
    ///   - rules: those that may concern its source.
    func prepare(
        _ observation: inout Observation, isSum: Bool = false, _ rules: [DetectorPlan], at now: Moment,
        _ output: inout Output
    ) -> [Fact]? {
        // One search for all; and the series is let go of before it changes, or that would copy it.
        let known = series[observation.subject]
        if known == nil, isFull(observation.subject.source) { return nil }
        if let flaw = Figures.flaw(of: &observation, known) {
            let sentence = "source \(observation.subject.source): \(flaw)"
            output.note(.warning, sentence, ["source": observation.subject.source])
            output.leftOut.append(sentence)
            return nil
        }
        observation.setBack(to: now)
        return learning(of: observation, isSum: isSum, known, rules).map { [$0] } ?? []
    }

    /// Makes the observation as the journal will give it back; says why it is not kept: the journal could not give it
    /// back, or it has lost of what was there.
    private static func flaw(of observation: inout Observation, _ known: Series?) -> String? {
        do {
            if !observation.isAsWritten { observation = try observation.written() }
        } catch {
            return "an implausible observation was left out: \(error)"
        }
        if let exaggeration = observation.metrics.exaggeration {
            return "an implausible observation was left out: \(exaggeration)"
        }
        if let (metric, before, now) = known?.melting(in: observation) {
            return
                "\(observation.subject.app.tamed) had \(before.plain) \(metric) from \(observation.span.from) to "
                + "\(observation.span.to), and has \(now.plain) now; the earlier figures are kept"
        }
        return nil
    }

    /// That what the rules concerned want remembered of the subject is, from this observation on, and no more; nil where
    /// that is so already.
    private func learning(
        of observation: Observation, isSum: Bool, _ known: Series?, _ rules: [DetectorPlan]
    ) -> Fact? {
        let subject = observation.subject
        var needs = MemoryNeeds()
        for rule in rules where !rule.needs.isEmpty {
            guard rule.concerns(subject, labels: observation.labels) else { continue }
            // Of the whole, issues may have come before, or come now.
            let hasIssues = !(known?.issues.isEmpty ?? true) || !observation.issues.isEmpty
            let isOfIssues = rule.detector.readsIssues && hasIssues && subject.release == nil
            if isOfIssues || (isSum ? rule.judgesSum(of: observation.metrics) : !isPassedOver(subject, known, by: rule))
            {
                needs.formUnion(rule.needs)
            }
        }
        return known?.remembers(needs) ?? needs.isEmpty ? nil : .learning(subject, needs)
    }

    /// A wall clock was set: nothing can have been seen after now.
    mutating func setBack(to now: Moment, _ output: inout Output) {
        for (subject, kept) in series.sorted(by: { $0.key < $1.key }) where kept.lastSeen > now {
            var moved = kept
            moved.setBack(to: now)
            record(.series(subject, moved), &output)
        }
    }

    /// How long figures are kept of what nobody hears of any more: old releases, apps that are gone. And how long an
    /// incident about them stays open. A week: longer than any gap in a source that people would wait out, short enough
    /// to bound the state.
    static let lifetime = Duration.days(7)
    /// How often what is older is let go of.
    static let forgottenEvery = Duration.hours(1)
}

/// The sheets that one answer fills, in the order in which they were begun. Each span that a source measures has its own,
/// also where it tells of all of them app by app.
private struct Sheets {
    private let retention: Retention
    private var open: [Sheet] = []
    /// How many are closed.
    private var closed = 0
    /// In which sheet each subject was last, counted from the first.
    private var last: [Subject: Int] = [:]

    init(keeping retention: Retention, count: Int) {
        self.retention = retention
        last.reserveCapacity(count)
    }

    /// How many of the last ones are looked through: more spans are measured by no source.
    private static let searchedMax = 8

    func hasSeen(_ subject: Subject) -> Bool { last[subject] != nil }

    /// Adds a row where it belongs; gives back whether it is the first of its subject.
    mutating func put(_ row: Sheet.Row) -> Bool {
        let subject = row.observation.subject
        let before = last[subject]
        // What was seen of a subject is replayed in the order in which it came: never to a sheet before its last one.
        let first = max((before ?? 0) - closed, open.count - Sheets.searchedMax, 0)
        if first < open.count {
            for index in (first..<open.count).reversed() where open[index].add(row) {
                last[subject] = closed + index
                return before == nil
            }
        }
        open.append(Sheet(row))
        last[subject] = closed + open.count - 1
        return before == nil
    }
    /// Writes down what was put in so far: before anything else is recorded of the figures.
    mutating func close(into output: inout Output) {
        for sheet in open {
            let row = sheet.rows[0]
            output.facts.append(
                .figures(
                    sheet.rows.count == 1
                        ? .observed(row.observation, keeping: retention.reaching(row.reach))
                        : .sheet(sheet, keeping: retention)))
        }
        closed += open.count
        open = []
    }
}
