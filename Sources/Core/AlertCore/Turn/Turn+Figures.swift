internal import PluginKit

// Observations on their way into the figures. Most are of spans that nobody has heard of; late ones may change what was
// said.

extension Turn {
    /// Keeps what a source saw, and corrects what late figures prove wrong.
    ///
    /// - Parameter unread: the apps of which it saw a part at most.
    mutating func receiveFigures(
        _ observations: [Observation], of source: String, except unread: Unread
    ) -> Figures.Taken {
        let before = figuresInQuestion(observations)
        let taken = keep(observations, of: source, except: unread)
        for (subject, known) in before.sorted(by: { $0.key < $1.key }) {
            let series = state.figures.series[subject]
            let touched = state.incidents.correct(subject, at: now, &output) { sighting in
                // What a rule has worked out in its own way cannot be measured anew.
                guard known[sighting] == sighting.figure else { return nil }
                return series?.measured(sighting.metric, exactly: sighting.span)?.figure
            }
            follow(touched)
        }
        return taken
    }

    private mutating func keep(
        _ observations: [Observation], of source: String, except unread: Unread
    ) -> Figures.Taken {
        let (incidents, now) = (state.incidents, now)
        guard incidents.mayBeCorrected else {
            return state.figures.take(
                observations, of: source, except: unread, plan, reach: { _ in nil }, at: now, &output)
        }
        // What was said of an app as a whole may be summed up over its releases.
        func reach(_ subject: Subject) -> Moment? {
            let own = incidents.reach(of: subject, at: now)
            guard subject.release != nil, let whole = incidents.reach(of: subject.whole, at: now) else { return own }
            return own.map { min($0, whole) } ?? whole
        }
        return state.figures.take(observations, of: source, except: unread, plan, reach: reach, at: now, &output)
    }

    /// Of whom older spans are seen anew: what the figures say now of all that was said of them.
    private func figuresInQuestion(_ observations: [Observation]) -> [Subject: [Sighting: Figure]] {
        var found: [Subject: [Sighting: Figure]] = [:]
        guard state.incidents.mayBeCorrected else { return found }
        func look(at subject: Subject, seenAnew span: TimeSpan) {
            // Of most nothing is open, and nothing has ended.
            guard state.incidents.mayBeCorrected(subject), found[subject] == nil,
                let series = state.figures.series[subject], let newest = series.samples.last,
                span.to <= newest.span.to
            else { return }
            let sightings = state.incidents.correctable(of: subject, at: now)
            found[subject] = Dictionary(
                sightings.compactMap { sighting in
                    series.measured(sighting.metric, exactly: sighting.span).map { (sighting, $0.figure) }
                }
            ) { first, _ in first }
        }
        for observation in observations {
            look(at: observation.subject, seenAnew: observation.span)
            if observation.subject.release != nil { look(at: observation.subject.whole, seenAnew: observation.span) }
        }
        return found
    }
}
