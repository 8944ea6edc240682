internal import PluginKit

// Late figures are better figures. Where they show that a channel was told something that misleads, it is put right: as
// a message of its own while the incident goes on, and as a field in whatever else is said of it.

/// That a figure which was said has become another.
struct Correction {
    let said: Said
    /// What the source says now of the same span; of what is over, how it was at worst by what the source says now.
    let now: Double
    let isOfEnd: Bool

    init(said: Said, now: Double, isOfEnd: Bool) {
        self.said = said
        self.now = now
        self.isOfEnd = isOfEnd
    }

    /// How long a channel that was sent a correction is not sent another one of the same story. It is a choice: sources
    /// complete a span over an hour or two, and nobody reads each slice.
    static let pace = Duration.hours(1)

    /// Whether it is another story: the figure is on the other side of its limit.
    var crossesLimit: Bool { said.limit.map { $0.holds(said.value) != $0.holds(now) } ?? false }

    /// What is known from then on.
    var right: Said { Said(metric: said.metric, value: now, span: said.span, limit: said.limit) }

    /// What late figures have changed of what was said; nil when nothing wrong was said, or nothing that the figures
    /// kept can tell of.
    init?(of standing: Standing, in series: Series?) {
        // What people were woken with counts more than what they heard since.
        guard let found = Correction(of: standing.alarmed, in: series) ?? Correction(of: standing.said, in: series)
        else { return nil }
        self = found
    }

    private init?(of said: Said?, in series: Series?) {
        guard let said, let measured = series?.measured(said.metric, exactly: said.span),
            // While a span fills, its figure changes with every look; the last one counts.
            measured.isComplete, said.isOvertaken(by: measured.figure.value)
        else { return nil }
        self.said = said
        now = measured.figure.value
        isOfEnd = false
    }

    /// What late figures have changed of the worst of an incident that is over, and of which that was said.
    init?(ofEnd said: Said?, worst: Evidence) {
        guard let said, worst.metric == said.metric, let figure = worst.figure, said.isOvertaken(by: figure.value)
        else { return nil }
        self.said = said
        now = figure.value
        isOfEnd = true
    }
}

extension Said {
    /// The figure that a message rests on, where what is kept of the subject can tell it again.
    init?(_ evidence: Evidence, in series: Series?) {
        guard let metric = evidence.metric, let span = evidence.span,
            let measured = series?.measured(metric, exactly: span)
        else { return nil }
        // What a rule makes of a count with gaps is nothing that could be measured anew.
        let hasGaps = measured.covered < span.length && Metric(metric).unit == .count
        guard !hasGaps || measured.figure.value == evidence.figure?.value else { return nil }
        self.init(metric: metric, value: measured.figure.value, span: span, limit: evidence.limit)
    }
}

extension MessageWriter {
    /// What a gate adds.
    func field(_ remark: Remark) -> Message.Field {
        Message.Field(words.text(remark.label) { clock($0) }, words.text(remark.value) { clock($0) })
    }

    func field(_ correction: Correction) -> Message.Field {
        let said = correction.said
        func text(_ value: Double) -> String { words.figure(value, of: said.metric, by: said.limit) }
        let (before, now) = (text(said.value), text(correction.now))
        let value =
            correction.isOfEnd
            ? words(.correctedEnd, [.said: before, .now: now])
            : words(
                .correctedSpan,
                [.said: before, .span: stretch(from: said.span.from, to: said.span.to), .now: now])
        return Message.Field(words[.fieldCorrected], value)
    }
}
