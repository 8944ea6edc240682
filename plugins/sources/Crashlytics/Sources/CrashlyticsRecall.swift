internal import PluginKit

/// The past in Crashlytics' API, which counts over any span of the last ninety days.
///
/// Each span is asked for once, not at every poll that there would have been: one of an hour each hour, those of a day and more at
/// midnight UTC. Issues are not recalled: the API knows what they are now, not what they were.
struct CrashlyticsRecall: Sendable {
    private struct Question: Sendable {
        let app: String
        let firebase: FirebaseApp
        let span: TimeSpan
    }

    private let source: CrashlyticsSource
    private let recall: Recall
    private let questions: [Question]
    private var lines: [ObservationLine] = []

    /// Questions of one stretch, each of up to three pages: whoever asks for it has a bound of two hundred requests.
    private static let questionsMax = 60
    /// Longer spans are asked for this often.
    private static let rhythmMax = Duration.days(1)
    /// Crashlytics does not say how late it is. Minutes, as far as is known.
    private static let lateness = Duration.minutes(5)

    init(of source: CrashlyticsSource, _ recall: Recall) {
        self.source = source
        self.recall = recall
        let oldest = recall.now - CrashlyticsPoll.spanMax
        var spans: [TimeSpan] = []
        for length in CrashlyticsPoll.lengths(of: recall.spans, isExported: false) {
            let rhythm = max(min(length, CrashlyticsRecall.rhythmMax), recall.every)
            spans += recall.multiples(of: rhythm).map { TimeSpan(lasting: length, until: $0) }
        }
        // As in a poll, the longest first: of spans that end together, the one told last counts as the newest.
        spans.sort { ($0.to, $1.length) < ($1.to, $0.length) }
        questions = spans.filter { $0.from >= oldest }.flatMap { span in
            source.inApps.compactMap { app in
                app.firebase.map { Question(app: app.name, firebase: $0, span: span) }
            }
        }
    }

    func begin() -> RecallStep {
        guard source.keepsHistory else {
            let sentence = "figures from BigQuery are not recalled: each span of the past would be a query to pay for"
            return .fail(PollFailure(.refused, sentence))
        }
        // What is asked for at one moment cannot be made less by a shorter stretch.
        guard questions.count <= CrashlyticsRecall.questionsMax || questions.first?.span.to == questions.last?.span.to
        else {
            return .fail(PollFailure(.tooLarge, "\(questions.count) reports are too many for one stretch"))
        }
        let poll = Poll(source: recall.source, now: recall.now, cursor: nil, spans: recall.spans)
        return ask(0, CrashlyticsPoll(of: source, poll))
    }

    private func ask(_ number: Int, _ poll: CrashlyticsPoll) -> RecallStep {
        guard number < questions.count else {
            return .finish(RecallReport(.lines(lines), warnings: poll.warnings))
        }
        let question = questions[number]
        return poll.readVersions(question.firebase, question.app, question.span) { poll, result in
            var (recall, poll) = (self, poll)
            switch result {
            case .failure(let failure): return .fail(failure)
            case .success(let releases): recall.take(releases ?? [], question, &poll)
            }
            return recall.ask(number + 1, poll)
        }
    }

    private mutating func take(_ releases: [CountedRelease], _ question: Question, _ poll: inout CrashlyticsPoll) {
        let end = question.span.to
        for counted in releases {
            // A report may cover other times than it was asked for, and nobody knew then what came later.
            guard counted.span.to <= end else {
                poll.warn(
                    "\(question.app): figures until \(counted.span.to), where those until \(end) were asked for, "
                        + "are left out")
                continue
            }
            let seen = recall.poll(notBefore: end + CrashlyticsRecall.lateness)
            if let seen = counted.observation(of: question.app, by: recall.source, at: seen) {
                lines.append(.observed(seen))
            }
        }
    }
}
