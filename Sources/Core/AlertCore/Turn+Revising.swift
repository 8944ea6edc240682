internal import PluginKit

// Late figures are better figures. Where they show that a channel was told something that misleads, it is put right: as a
// message of its own while the incident goes on, and as a fact in whatever else is said of it.

/// That a figure which was said has become another.
struct Correction {
    let said: Said
    /// What the source says now of the same span.
    let now: Double

    /// The label of the fact that tells it.
    static let label = "Corrected"
}

extension Turn {
    /// What late figures have changed of what the channel was told; nil when it was told nothing wrong, or nothing that the
    /// figures kept can tell of.
    func correction(of incident: Incident, _ standing: Standing) -> Correction? {
        guard let said = standing.said,
            let measured = state.series[incident.subject]?.measured(said.metric, exactly: said.span),
            // While a span fills, its figure changes with every look; the last one counts.
            measured.isComplete, said.isOvertaken(by: measured.figure.value)
        else { return nil }
        return Correction(said: said, now: measured.figure.value)
    }

    /// The figure that a message about the incident tells, where what is kept of the subject can tell it again.
    func figureToSay(of incident: Incident) -> Said? {
        guard let metric = incident.evidence.metric, let span = incident.evidence.span,
            let measured = state.series[incident.subject]?.measured(metric, exactly: span)
        else { return nil }
        return Said(metric: metric, value: measured.figure.value, span: span, limit: incident.evidence.limit)
    }

    func fact(_ correction: Correction) -> Message.Fact {
        let said = correction.said
        return Message.Fact(
            Correction.label,
            "\(text(said.value, of: said.metric)) was said of \(self.span(from: said.span.from, to: said.span.to)); "
                + "late figures make it \(text(correction.now, of: said.metric))")
    }
}
