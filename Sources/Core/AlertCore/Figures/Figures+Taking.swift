internal import PluginKit

// Observations become figures: what makes no sense, or has lost what was there, is left out with a note.

extension Figures {
    /// Keeps what a source saw; gives back the subjects, in the order in which they came.
    ///
    /// - Parameter reach: since when figures of a subject are kept that are older than rules read.
    mutating func take(
        _ observations: [Observation], of source: String, _ plan: Plan, reach: (Subject) -> Moment?, at now: Moment,
        _ output: inout Output
    ) -> [Subject] {
        let retention = plan.retention(of: source)
        var subjects: [Subject] = []
        var named: Set<Subject> = []
        var parts = Parts()
        subjects.reserveCapacity(observations.count)
        named.reserveCapacity(observations.count)
        // With room for what follows, which would move all of them.
        output.facts.reserveCapacity(output.facts.count + 2 * observations.count)
        let owner = plan.source(source)?.owner
        for var observation in observations where observation.subject.source == source {
            if let owner, observation.labels["owner"] == nil { observation.labels["owner"] = owner }
            guard prepare(&observation, plan, at: now, &output) else { continue }
            var retention = retention
            if let reach = reach(observation.subject), mayReachBack(observation.subject) { retention.reach = reach }
            record(.observed(observation, keeping: retention), &output)
            if named.insert(observation.subject).inserted { subjects.append(observation.subject) }
            parts.note(observation)
        }
        for (app, spans) in parts.inOrder {
            if sumUp(app, over: spans, plan, reach: reach(app), at: now, &output), named.insert(app).inserted {
                subjects.append(app)
            }
        }
        return subjects
    }

    /// Makes the observation what is kept of it; gives back whether it is kept.
    ///
    /// - Parameter isSum: whether it was summed up over releases.
    mutating func prepare(
        _ observation: inout Observation, isSum: Bool = false, _ plan: Plan, at now: Moment, _ output: inout Output
    ) -> Bool {
        // One search for all; and the series is let go of before it changes, or that would copy it.
        let known = series[observation.subject]
        if let flaw = Figures.flaw(of: &observation, known) {
            output.note(.warning, "source \(observation.subject.source): \(flaw)")
            return false
        }
        observation.setBack(to: now)
        askToLearn(of: observation, isSum: isSum, known, plan, &output)
        return true
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

    /// Sees to it that what the rules concerned want remembered of the subject is, from this observation on, and no
    /// more.
    private mutating func askToLearn(
        of observation: Observation, isSum: Bool, _ known: Series?, _ plan: Plan, _ output: inout Output
    ) {
        let subject = observation.subject
        var needs = MemoryNeeds()
        for rule in plan.detectors where !rule.needs.isEmpty {
            guard rule.concerns(subject, labels: observation.labels) else { continue }
            if isSum ? rule.judgesSum(of: observation.metrics) : !isPassedOver(subject, by: rule) {
                needs.formUnion(rule.needs)
            }
        }
        guard !(known?.remembers(needs) ?? needs.isEmpty) else { return }
        record(.learning(subject, needs), &output)
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
}
