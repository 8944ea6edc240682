internal import PluginKit

// What keeps coming and going: that stands first, as a locked screen shows nothing else, and what has ended for now is
// not over.

extension MessageWriter {
    /// Says in the headline that it keeps coming and going, how bad it was at worst, and how it is now.
    func noteFlapping(_ message: inout Message, _ story: Story) {
        let incident = story.incident
        message.retitle(
            flapping(incident, isKnown: story.silence == nil, again: story.again), mark: flappingMark(incident))
    }

    /// The same of a message about many.
    func noteFlapping(_ message: inout Message) {
        let headline = words(.detailFlapping, [.headline: message.unmarkedHeadline])
        message.retitle(headline, mark: Message.Mark(message.severity))
    }

    /// How bad that is which keeps coming and going, be it there now or not.
    func flappingMark(_ incident: Incident) -> Message.Mark {
        Message.Mark(incident.isOpen ? incident.severity : incident.worstSeverity)
    }

    /// What is said first of something that keeps coming and going.
    ///
    /// - Parameters:
    ///   - isKnown: whether it is known how it is now.
    ///   - again: since when the same goes on again, where this is over.
    func flapping(_ incident: Incident, isKnown: Bool, again: Moment?) -> String {
        let (who, worst, now) = (name(of: incident.subject), incident.worst, incident.evidence)
        let again = again.map { words(.detailAgain, [.moment: clock($0)]) }
        guard let metric = worst.metric, let figure = worst.figure else {
            let end = words[incident.endsUnresolved ? .endEnded : .endResolved]
            let what = incident.isOpen ? shortened(sentence(now), incident) : "\(what(incident)), \(end)"
            return detailed(words(.headlineWhatFlapping, [.who: who, .what: what]), [again])
        }
        let (title, value) = (words.title(of: Metric(metric)), text(figure.value, in: worst))
        guard isKnown, now.metric == metric, let current = now.figure, !incident.isNewest(worst) else {
            let what = words(.figureOf, [.metric: title, .figure: value])
            return detailed(words(.headlineWhatFlapping, [.who: who, .what: what]), [comparison(worst), again])
        }
        let headline = words(
            .headlineFlapping,
            [.who: who, .metric: title, .figure: value, .now: text(current.value, in: now)])
        return detailed(headline, [comparison(worst), again])
    }
}
