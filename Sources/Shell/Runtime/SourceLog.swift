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
    /// The sources that were pushed to since it was asked last.
    private var pushed: Set<String> = []

    /// By source: when the log said that a push was refused.
    private var refused: [String: Duration] = [:]

    /// How long what stays as it is goes unsaid.
    private static let interval = Duration.hours(1)

    mutating func note(_ input: Input) {
        guard let (source, report) = input.poll else { return }
        switch report.outcome {
        case .failed, .stale: failing.insert(source)
        case .values, .noData:
            let wasFailing = failing.remove(source) != nil
            // Groups that are pushed in turn say nothing of each other; only a silence ends with any of them.
            if case .pushed = input, !wasFailing {
                pushed.insert(source)
                return
            }
        // An answer that says 'as before' means what was wrong with that one, too; of a failure it is the end.
        case .unchanged: if failing.remove(source) == nil { return }
        }
        polled.insert(source)
    }

    /// Whether the log has not said within the hour that a push to this source was refused. Why differs with each push, and
    /// of the last one `status` has it.
    mutating func isNews(refusalBy source: String, at now: Duration) -> Bool {
        if let last = refused[source], now - last < SourceLog.interval { return false }
        refused[source] = now
        return true
    }

    /// The notes without what the log said lately, and with the ends of troubles.
    mutating func news(in notes: [Note], at now: Duration) -> [Note] {
        pushed.subtract(polled)
        let heard = polled.union(pushed)
        guard !heard.isEmpty else { return notes }
        defer { (polled, pushed) = ([], []) }
        var current: [String: [String: Duration]] = [:]
        // What was said of the push before stands.
        for source in pushed { current[source] = told[source]?.filter { now - $0.value < SourceLog.interval } }
        var news = notes.filter { note in
            guard note.level == .warning, let source = note.details["source"], heard.contains(source) else {
                return true
            }
            let words = SourceLog.words(of: note.text, isPushed: pushed.contains(source))
            let last = current[source]?[words] ?? told[source]?[words]
            let isNews = last.map { now - $0 >= SourceLog.interval } ?? true
            current[source, default: [:]][words] = isNews ? now : last
            return isNews
        }
        for source in polled.sorted() where told[source] != nil && current[source] == nil {
            news.append(Note(.info, "source \(source): answers as it should again", ["source": source]))
        }
        for source in heard { told[source] = current[source] }
        return news
    }

    /// A sentence without the values in it, which differ with each push, and of a poll's mismatch with each poll.
    private static func words(of text: String, isPushed: Bool) -> String {
        let begin = isPushed ? text.startIndex : text.firstRange(of: ": expected ")?.lowerBound ?? text.endIndex
        let parts = text[begin...].split(separator: "\"", omittingEmptySubsequences: false)
        // Every other one stands between quotes.
        let bare = stride(from: 0, to: parts.count, by: 2).map { place in
            String(parts[place].filter { !$0.isNumber && $0 != "." && $0 != "-" })
        }
        return String(text[..<begin]) + bare.joined()
    }
}
