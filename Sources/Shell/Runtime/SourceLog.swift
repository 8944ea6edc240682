internal import AlertCore
internal import PluginKit

/// What the log says of sources in trouble: when it begins, when it changes and when it ends, and once an hour meanwhile.
///
/// One sentence at every poll would hide all others; that the trouble lasts, `status` says at any time.
struct SourceLog {
    /// By source: what its newest answer was warned of, and when the log said so, by the machine's own clock.
    private var told: [String: [String: Duration]] = [:]
    /// The sources whose newest answer was no usable one.
    private var failing: Set<String> = []
    /// The sources whose polls have ended since it was asked last.
    private var polled: Set<String> = []

    /// What the log said of pushes that were refused, and when.
    private var refused: [Note: Duration] = [:]

    /// How long what stays as it is goes unsaid.
    private static let interval = Duration.hours(1)

    mutating func note(_ input: Input) {
        guard let (source, report) = input.poll else { return }
        switch report.outcome {
        case .failed, .stale: failing.insert(source)
        case .values, .noData: failing.remove(source)
        // An answer that says 'as before' means what was wrong with that one, too; of a failure it is the end.
        case .unchanged: if failing.remove(source) == nil { return }
        }
        polled.insert(source)
    }

    /// Whether the log has not said this of a push that was refused within the hour.
    mutating func isNews(_ note: Note, at now: Duration) -> Bool {
        refused = refused.filter { now - $0.value < SourceLog.interval }
        guard refused[note] == nil else { return false }
        refused[note] = now
        return true
    }

    /// The notes without what the log said lately, and with the ends of troubles.
    mutating func news(in notes: [Note], at now: Duration) -> [Note] {
        guard !polled.isEmpty else { return notes }
        defer { polled = [] }
        var current: [String: [String: Duration]] = [:]
        var news = notes.filter { note in
            guard note.level == .warning, let source = note.details["source"], polled.contains(source) else {
                return true
            }
            let last = told[source]?[note.text]
            let isNews = last.map { now - $0 >= SourceLog.interval } ?? true
            current[source, default: [:]][note.text] = isNews ? now : last
            return isNews
        }
        for source in polled.sorted() where told[source] != nil && current[source] == nil {
            news.append(Note(.info, "source \(source): answers as it should again", ["source": source]))
        }
        for source in polled { told[source] = current[source] }
        return news
    }
}
