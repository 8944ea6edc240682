internal import PluginKit

// Late figures are better figures. Where they show that a channel was told something that misleads, it is put right: as
// a message of its own while the incident goes on, and as a field in whatever else is said of it.

/// That a figure which was said has become another.
struct Correction {
    let said: Said
    /// What the source says now of the same span.
    let now: Double

    /// The label of the field that tells it.
    static let label = "Corrected"

    /// What late figures have changed of what was said; nil when nothing wrong was said, or nothing that the figures
    /// kept can tell of.
    init?(of said: Said?, in series: Series?) {
        guard let said, let measured = series?.measured(said.metric, exactly: said.span),
            // While a span fills, its figure changes with every look; the last one counts.
            measured.isComplete, said.isOvertaken(by: measured.figure.value)
        else { return nil }
        self.said = said
        now = measured.figure.value
    }
}

extension Said {
    /// The figure that a message about the incident tells, where what is kept of the subject can tell it again.
    init?(of incident: Incident, in series: Series?) {
        guard let metric = incident.evidence.metric, let span = incident.evidence.span,
            let measured = series?.measured(metric, exactly: span)
        else { return nil }
        self.init(metric: metric, value: measured.figure.value, span: span, limit: incident.evidence.limit)
    }
}

extension MessageWriter {
    func field(_ correction: Correction) -> Message.Field {
        let said = correction.said
        return Message.Field(
            Correction.label,
            "\(text(said.value, of: said.metric)) was reported for "
                + "\(self.span(from: said.span.from, to: said.span.to)); "
                + "with late figures it is \(text(correction.now, of: said.metric))")
    }
}
