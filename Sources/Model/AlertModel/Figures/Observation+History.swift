// Figures of long ago are history: what is usual may be learned from them, and nobody is woken for them.

extension Observation {
    /// How long after their span figures may come and still tell of now: the longest window of a rule, a month, twice over,
    /// and another for how late a service may be. What comes later is a back-fill or last year's file, or its dates are wrong.
    public static let historyAfter = Duration.days(92)

    /// Whether it has figures, and their span ended so long before they were seen that they are history.
    public var isHistory: Bool { hasHistory(seenAt: seen) }

    /// The same, had they been seen at another moment.
    public func hasHistory(seenAt moment: Moment) -> Bool {
        moment - span.to > Observation.historyAfter && !metrics.isEmpty
    }
}

extension Series {
    /// When the newest figures ended, where all that came are history; nil where some are of now, and where none have come.
    public var historyEnd: Moment? {
        guard !hasFigures else { return nil }
        // Issues may have come since, which are no figures.
        return samples.last { $0.seen - $0.span.to > Observation.historyAfter }?.span.to
    }
}

extension [Observation] {
    /// What there is to say of apps of which these have nothing but history; nil where there is none. What lies behind
    /// figures of now, as in a table of all the days of a year, needs no word.
    public var historyRemark: String? {
        guard contains(where: \.isHistory) else { return nil }
        var old: Set<String> = []
        var current: Set<String> = []
        for observation in self where !observation.metrics.isEmpty {
            let app = observation.subject.app
            if observation.isHistory { old.insert(app) } else { current.insert(app) }
        }
        // One or two are named; of others it says how many there are. No moment, which would make it news with each poll.
        let names = old.subtracting(current).sorted()
        guard !names.isEmpty else { return nil }
        let named = names.prefix(2).map(\.quotable).joined(separator: ", ")
        let more = names.count > 2 ? " and \(names.count - 2) more" : ""
        return
            "figures of \(named)\(more) ended more than \(Observation.historyAfter.short) before they were seen: they "
            + "are kept as history, and no rule on figures judges them"
    }
}
