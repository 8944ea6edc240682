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
    /// By source: what was said of pushes within the hour, and when.
    private var toldOfPushes: [String: [String: Duration]] = [:]

    /// How long what stays as it is goes unsaid.
    private static let interval = Duration.hours(1)
    /// Sentences about pushes to one source within that time: what they quote may make each another.
    private static let pushesMax = 10

    mutating func note(_ input: Input) {
        guard let (source, report) = input.poll else { return }
        switch report.outcome {
        case .failed, .stale: failing.insert(source)
        case .values, .noData:
            let wasFailing = failing.remove(source) != nil
            if case .pushed = input {
                pushed.insert(source)
                // Groups that are pushed in turn say nothing of each other; only a silence ends with any of them.
                if !wasFailing { return }
            }
        // An answer that says 'as before' means what was wrong with that one, too; of a failure it is the end.
        case .unchanged: if failing.remove(source) == nil { return }
        }
        polled.insert(source)
    }

    /// Whether the log is to say this about a push: what it has not said within the hour, up to so many sentences. What is
    /// beyond them whoever pushed hears all the same, and of the last push `status` has it.
    mutating func isNews(_ text: String, ofPushTo source: String, at now: Duration) -> Bool {
        var told = toldOfPushes[source, default: [:]].filter { now - $0.value < SourceLog.interval }
        let isNews = told[text] == nil && told.count < SourceLog.pushesMax
        if isNews { told[text] = now }
        toldOfPushes[source] = told
        return isNews
    }

    /// The notes without what the log said lately, and with the ends of troubles.
    mutating func news(in notes: [Note], at now: Duration) -> [Note] {
        guard !polled.isEmpty || !pushed.isEmpty else { return notes }
        defer { (polled, pushed) = ([], []) }
        var current: [String: [String: Duration]] = [:]
        var news = notes.filter { note in
            guard note.level == .warning, let source = note.details["source"] else { return true }
            if pushed.contains(source) {
                // A silence that ends with a warning does not answer as it should.
                current[source] = [:]
                return isNews(note.text, ofPushTo: source, at: now)
            }
            guard polled.contains(source) else { return true }
            let words = SourceLog.words(of: note.text)
            let last = current[source]?[words] ?? told[source]?[words]
            let isDue = last.map { now - $0 >= SourceLog.interval } ?? true
            current[source, default: [:]][words] = isDue ? now : last
            return isDue
        }
        for source in polled.sorted() where told[source] != nil && current[source] == nil {
            news.append(Note(.info, "source \(source): answers as it should again", ["source": source]))
        }
        for source in polled { told[source] = current[source] }
        return news
    }

    /// A sentence without the values of a mismatch, which differ with each poll.
    private static func words(of text: String) -> String {
        let begin = text.firstRange(of: ": expected ")?.lowerBound ?? text.endIndex
        let parts = text[begin...].split(separator: "\"", omittingEmptySubsequences: false)
        // Every other one stands between quotes.
        let bare = stride(from: 0, to: parts.count, by: 2).map { place in
            String(parts[place].filter { !$0.isNumber && $0 != "." && $0 != "-" })
        }
        return String(text[..<begin]) + bare.joined()
    }
}
