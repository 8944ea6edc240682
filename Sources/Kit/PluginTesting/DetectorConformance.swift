public import PluginKit

/// What every detector must do, whatever it looks for: say what it is and what it reads, answer the same to the same,
/// give reasons, and live with whatever a config and a source may hold.
///
///     let conformance = DetectorConformance(
///         BusyDetector.self, ["above": "1000"], firesOn: .seen(["sessions": 1200]), quietOn: .seen(["sessions": 800]))
///     #expect(conformance.violations() == [])
///
/// What brings it down ends the tests there and then. That its costs do not grow with the number of subjects follows
/// from what it is shown, and is no matter of a suite.
public struct DetectorConformance: Sendable {
    /// A moment for tests.
    public static let now = Moment(milliseconds: 1_795_219_200_000)

    private let kind: any Detector.Type
    private let written: WrittenOptions
    let firesOn: [Observation]
    private let quietOn: [Observation]

    /// - Parameters:
    ///   - options: as a config writes them; they must make the rule.
    ///   - firesOn: what a source saw, in the order of `seen`, on which the rule fires at last. All that the rule needs
    ///     to learn comes before it.
    ///   - quietOn: the same where all is well.
    public init(
        _ kind: (some Detector).Type, _ options: WrittenOptions = [:], firesOn: [Observation], quietOn: [Observation]
    ) {
        self.kind = kind
        written = options
        self.firesOn = firesOn
        self.quietOn = quietOn
    }

    /// Everything that is wrong; empty when the detector conforms.
    public func violations() -> [String] {
        let manifest = kind.manifest
        let said = manifest.flaws(
            reserved: [
                "plugin", RuleSettings.match.name, RuleSettings.reminder.name, RuleSettings.runbook.name,
                RuleSettings.links.name,
            ], kind: "rule")
        let trials: OptionTrials<any Detector>
        let rule: any Detector
        do {
            trials = try OptionTrials(manifest, written.options(of: manifest)) { [kind] options throws(ProblemList) in
                try kind.init(options: options, context: .rehearsed())
            }
            rule = try trials.made()
        } catch let list as ProblemList {
            return said + ["the options given make no rule: \(list.problems.map(\.message).joined(separator: "; "))"]
        } catch {
            return said + ["the options given can be in no config: \(error)"]
        }
        guard let twin = try? trials.made() else { return said + ["the same options make a rule only once"] }
        var found = said + declarationFlaws(rule) + flawsWithoutData(rule)
        found += flawsOfAlarm(rule) + flawsOfQuiet(rule)
        found += flawsOfRepetition(rule, twin) + flawsOfReading(rule) + flawsAmongOthers(rule) + flawsAtRestart(rule)
        found += flawsOfHostileNames(rule) + flawsAtExtremes(rule)
        found += trials.violations { made, words in flaws(of: made, with: words) }
        return found.once
    }

    // MARK: What it says of itself

    private func declarationFlaws(_ rule: any Detector) -> [String] {
        var found: [String] = []
        if rule.lookback < .zero { found.append("its lookback \(rule.lookback) is negative") }
        if rule.holdTime < .zero { found.append("its hold time \(rule.holdTime) is negative") }
        for span in rule.spans where span <= .zero { found.append("it wants a span of \(span) measured") }
        if !(0...Series.earlierPollsMax).contains(rule.earlierPolls) {
            found.append("it wants \(rule.earlierPolls) earlier polls, of at most \(Series.earlierPollsMax)")
        }
        let named = type(of: rule).memories.map(\.name)
        for need in rule.needs.list where !named.contains(need.name) {
            found.append("it needs the memory '\(need.name)', which its `memories` does not name")
        }
        return found
    }

    // MARK: What it says of figures

    private func flawsWithoutData(_ rule: any Detector) -> [String] {
        var empty = Series(remembering: MemoryKinds(type(of: rule).memories))
        empty.remember(rule.needs)
        let rehearsal = DetectorRehearsal(rule)
        return [nil, DetectorConformance.now - .minutes(1)].flatMap { lastGood in
            let findings = rehearsal.answers(to: [Sight(.rehearsed, empty, lastGood: lastGood)])
            let rash = findings.compactMap { finding -> String? in
                switch finding.judgement.verdict {
                case .firing: "fires without any figures"
                case .ok: "says that all is well without any figures"
                case .unknown: nil
                }
            }
            return rash + flaws(of: findings, by: rule)
        }
    }

    private func flawsOfAlarm(_ rule: any Detector) -> [String] {
        let played = play(rule, firesOn)
        return (played.answers.contains(where: \.isAlarm) ? [] : ["it does not fire on what it is to fire on"])
            + played.flaws
    }

    private func flawsOfQuiet(_ rule: any Detector) -> [String] {
        let played = play(rule, quietOn)
        var found = played.flaws
        if let alarm = played.answers.flatMap(\.self).first(where: \.isAlarm) {
            found.append("it fires where all is well: \(alarm.judgement.evidence.sentence.clipped(to: 120))")
        }
        let isKnown = played.answers.contains { answer in
            answer.isEmpty || answer.contains { if case .ok = $0.judgement.verdict { true } else { false } }
        }
        if !isKnown { found.append("it never says that all is well where it is") }
        return found
    }

    /// What must hold of every answer.
    func flaws(of findings: [Finding], by rule: any Detector) -> [String] {
        var found: [String] = []
        var things: Set<Finding.Thing> = []
        for finding in findings {
            if let subject = finding.subject, !things.insert(Finding.Thing(subject: subject, key: finding.key)).inserted
            {
                found.append("two findings of one answer are about the same thing")
            }
            found += flaws(of: finding.judgement, by: rule)
            if finding.key?.isEmpty == true { found.append("a finding has an empty key") }
        }
        return found
    }

    private func flaws(of judgement: Judgement, by rule: any Detector) -> [String] {
        var found: [String] = []
        let evidence = judgement.evidence
        switch judgement.verdict {
        case .firing(let severity):
            if let flaw = evidence.sentence.lineFlaw(charactersMax: DetectorConformance.sentenceMax) {
                found.append("the sentence of an alarm \(flaw)")
            }
            if evidence.figure == nil, evidence.span == nil, evidence.issue == nil {
                found.append("it fires without evidence: no figure, no span, no issue")
            }
            if let severities = rule.severities, !severities.contains(severity) {
                found.append("it fires with \(severity.rawValue), which its `severities` does not name")
            }
        case .unknown(let reason):
            if let flaw = reason.lineFlaw(charactersMax: DetectorConformance.sentenceMax) {
                found.append("the reason why it cannot judge \(flaw)")
            }
        case .ok:
            if !evidence.sentence.isEmpty,
                let flaw = evidence.sentence.lineFlaw(charactersMax: DetectorConformance.sentenceMax)
            {
                found.append("the sentence of a verdict \(flaw)")
            }
        }
        return found
    }

    /// Longer sentences nobody reads; a title in one is clipped.
    private static let sentenceMax = 600

    // MARK: Playing

    /// What came of observations that were played.
    struct Played {
        var rehearsal: DetectorRehearsal
        var answers: [[Finding]] = []
        var flaws: [String] = []
    }

    /// Shows the rule every poll, and looks at all that it says.
    func play(
        _ rule: any Detector, _ observations: [Observation], keeping retention: Retention? = nil,
        from rehearsal: DetectorRehearsal? = nil, wild: Bool = false, restarts: Bool = false
    ) -> Played {
        let kept = retention ?? Retention(rule.lookback, earlierPolls: rule.earlierPolls)
        let start = observations.first?.seen ?? DetectorConformance.now
        var played = Played(rehearsal: rehearsal ?? DetectorRehearsal(rule, at: start, keeping: kept))
        let polls = observations.polls
        for (index, poll) in polls.enumerated() {
            played.rehearsal.take(poll, wild: wild)
            // Often enough to find what is lost, and not so often that nothing has time to be.
            if restarts, index < 4 || index % max(1, polls.count / 12) == 0 || index >= polls.count - 2 {
                do {
                    try played.rehearsal.restart()
                } catch {
                    played.flaws.append("what is kept of a subject cannot be read again: \(error)")
                    return played
                }
            }
            played.flaws += glanceFlaws(rule, played.rehearsal, poll)
            played.rehearsal.ask(about: poll.map(\.subject))
            played.answers.append(played.rehearsal.findings)
            played.flaws += flaws(of: played.rehearsal.findings, by: rule)
        }
        played.flaws = played.flaws.once
        return played
    }

    private func glanceFlaws(_ rule: any Detector, _ rehearsal: DetectorRehearsal, _ poll: [Observation]) -> [String] {
        guard let rule = rule as? any SubjectDetector else { return [] }
        return rehearsal.sights(of: poll.map(\.subject)).compactMap { sight in
            rule.disagreement(on: sight.series, at: rehearsal.now).map { $0.clipped(to: 200) }
        }
    }

    /// What goes wrong with a rule of other options: it sees the last of the figures.
    private func flaws(of rule: any Detector, with words: String) -> [String] {
        let last = [firesOn, quietOn].flatMap { play(rule, Array($0.suffix(40))).flaws }
        return (declarationFlaws(rule) + last).map { "\(words): \($0)" }
    }
}

extension DetectorConformance {
    // MARK: The same for the same

    /// Asked twice, or asked of another of its kind, it says the same: a rule is a value without memory.
    private func flawsOfRepetition(_ rule: any Detector, _ twin: any Detector) -> [String] {
        var found: [String] = []
        var rehearsal = DetectorRehearsal(rule, at: firesOn.first?.seen ?? DetectorConformance.now)
        for poll in firesOn.polls {
            rehearsal.take(poll)
            let sights = rehearsal.sights(of: poll.map(\.subject))
            if rehearsal.answers(to: sights) != rehearsal.answers(to: sights) {
                found.append("the same figures, asked about twice, get two answers")
            }
            rehearsal.ask(about: poll.map(\.subject))
        }
        if play(rule, firesOn).answers != play(twin, firesOn).answers {
            found.append("another rule with the same options says other things of the same figures")
        }
        return found
    }

    /// It goes by what it declares: figures that it does not name, issues that it does not read and figures older than
    /// it looks back may be missing in a bot, or there for another rule's sake.
    private func flawsOfReading(_ rule: any Detector) -> [String] {
        let base = play(rule, firesOn).answers
        var found: [String] = []
        let declared = Set(rule.metrics.flatMap { [$0, $0.denominator, $0.failures].compactMap(\.self) })
        let named = firesOn.map { observation in
            var observation = observation
            for entry in observation.metrics.entries where !declared.contains(entry.metric) {
                observation.metrics[entry.metric] = nil
            }
            return observation
        }
        if play(rule, named).answers != base { found.append("it reads metrics that its `metrics` does not name") }
        if !rule.readsIssues {
            let nameless = firesOn.map { observation in
                var observation = observation
                observation.issues = []
                return observation
            }
            if play(rule, nameless).answers != base { found.append("it reads issues, but `readsIssues` is false") }
        }
        let more = Retention(max(rule.lookback, .days(30)), earlierPolls: Series.earlierPollsMax)
        if play(rule, firesOn, keeping: more).answers != base {
            found.append("what is kept for other rules changes what it says: it looks further back than its `lookback`")
        }
        return found
    }

    /// Other subjects change nothing, whichever comes first.
    private func flawsAmongOthers(_ rule: any Detector) -> [String] {
        let others = firesOn.map { observation in
            var other = observation
            let subject = observation.subject
            other.subject = Subject(
                source: subject.source, app: subject.app + "-other", release: subject.release,
                environment: subject.environment)
            return other
        }
        let (forth, back) = zip(firesOn.polls, others.polls).reduce(into: ([Observation](), [Observation]())) {
            $0.0 += $1.0 + $1.1
            $0.1 += $1.1 + $1.0
        }
        let (one, other) = (play(rule, forth), play(rule, back))
        var found: [String] = []
        if one.answers.map(Set.init) != other.answers.map(Set.init) {
            found.append("the order in which a poll names its subjects changes what it says of them")
        }
        guard rule.scope != .source else { return found }
        let own = Set(firesOn.map(\.subject.app))
        let amongOthers = one.answers.map { Set($0.filter { own.contains($0.subject?.app ?? "") }) }
        if amongOthers != play(rule, firesOn).answers.map(Set.init) {
            found.append("figures of another app change what it says of this one")
        }
        return found
    }

    /// A bot that is restarted says what it would have said.
    private func flawsAtRestart(_ rule: any Detector) -> [String] {
        let restarted = play(rule, firesOn, restarts: true)
        guard restarted.flaws.isEmpty else { return restarted.flaws }
        return restarted.answers == play(rule, firesOn).answers
            ? [] : ["after a restart it says other things: something is not in what its memory writes down"]
    }
}

extension [Observation] {
    /// Those that were seen at once, poll by poll.
    var polls: [[Observation]] {
        reduce(into: []) { polls, observation in
            if let last = polls.last?.last, last.seen == observation.seen,
                last.subject.source == observation.subject.source
            {
                polls[polls.count - 1].append(observation)
            } else {
                polls.append([observation])
            }
        }
    }
}

extension Finding {
    fileprivate var isAlarm: Bool { if case .firing = judgement.verdict { true } else { false } }
}

extension [Finding] {
    fileprivate var isAlarm: Bool { contains(where: \.isAlarm) }
}
