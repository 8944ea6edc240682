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
    private var observations: [Observation] = []
    /// Apps that are left out, and why.
    private var refusals: [(app: String, failure: PollFailure)] = []
    /// Why the first report of those that are left out cannot be used.
    private var unusable: PollFailure?
    private var isAnyRead = false

    /// A conversation may have two hundred; the rest is for tokens that are refused.
    private static let requestsMax = 180
    /// A stretch that is too large is halved no further than to this, or to the time between two polls.
    private static let stretchMin = Duration.minutes(15)
    /// Longer spans are asked for this often.
    private static let rhythmMax = Duration.days(1)
    /// Crashlytics does not say how late it is. Minutes, as far as is known.
    private static let lateness = Duration.minutes(5)

    init(of source: CrashlyticsSource, _ recall: Recall) {
        self.source = source
        self.recall = recall
        let oldest = recall.now - CrashlyticsPoll.spanMax
        // A poll sees what is there by then: whatever is due after the last one before the stretch, up to its own last one.
        func end(_ moment: Moment) -> Moment { Recall.floor(moment, to: recall.every) - CrashlyticsRecall.lateness }
        let ends = Recall(
            source: recall.source, now: recall.now, from: end(recall.from), to: end(recall.to), every: recall.every,
            spans: recall.spans)
        var spans: [TimeSpan] = []
        for length in CrashlyticsPoll.lengths(of: recall.spans, isExported: false) {
            let rhythm = max(min(length, CrashlyticsRecall.rhythmMax), recall.every)
            spans += ends.multiples(of: rhythm).map { TimeSpan(lasting: length, until: $0) }
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
        let poll = Poll(source: recall.source, now: recall.now, cursor: nil, spans: recall.spans)
        return ask(0, CrashlyticsPoll(of: source, poll))
    }

    private func ask(_ number: Int, _ poll: CrashlyticsPoll) -> RecallStep {
        guard number < questions.count else { return finish(poll) }
        let question = questions[number]
        if isLeftOut(question.app) { return ask(number + 1, poll) }
        let left = questions[number...].count { !isLeftOut($0.app) }
        let share = (CrashlyticsRecall.requestsMax - poll.pageCount) / left
        guard share > 0 else {
            let words = "\(questions.count) reports take more than \(CrashlyticsRecall.requestsMax) requests"
            return .fail(PollFailure(.tooLarge, words))
        }
        // Where no shorter stretch would be asked for, versions with few crashes give way.
        let pagesMax = canBeShorter ? CrashlyticsPoll.pagesMax : min(share, CrashlyticsPoll.pagesMax)
        return poll.readVersions(question.firebase, question.app, question.span, pagesMax: pagesMax) { poll, result in
            var (recall, poll) = (self, poll)
            switch result {
            case .success(let releases): recall.take(releases ?? [], question, &poll)
            case .failure(let failure):
                switch failure.reason {
                case .forbidden, .notFound, .refused: recall.refusals.append((question.app, failure))
                case .badAnswer:
                    recall.unusable = recall.unusable ?? failure
                    let (from, to) = (question.span.from, question.span.to)
                    poll.warn("\(question.app): figures from \(from) to \(to) are left out: \(failure)")
                default: return .fail(failure)
                }
            }
            return recall.ask(number + 1, poll)
        }
    }

    private func isLeftOut(_ app: String) -> Bool { refusals.contains { $0.app == app } }

    /// Whether less would be asked for if this were too much. What is asked for at one moment cannot be less.
    private var canBeShorter: Bool {
        (recall.to - recall.from).scaled(by: 0.5) >= max(CrashlyticsRecall.stretchMin, recall.every)
            && questions.first?.span.to != questions.last?.span.to
    }

    private mutating func take(_ releases: [CountedRelease], _ question: Question, _ poll: inout CrashlyticsPoll) {
        isAnyRead = true
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
                observations.append(seen)
            }
        }
    }

    private func finish(_ poll: CrashlyticsPoll) -> RecallStep {
        // One report that cannot be used is an exception, unless no other has shown yet that any can.
        let isReadable = isAnyRead || recall.cursor?["read"] == true
        if let failure = refusals.first?.failure ?? unusable,
            !isReadable || refusals.count == Set(questions.map(\.app)).count
        {
            return .fail(failure)
        }
        let told = observations.filter { !isLeftOut($0.subject.app) }
        return .finish(
            RecallReport(
                .lines(told.map { .observed($0) }), cursor: isReadable ? ["read": true] : nil,
                warnings: poll.warnings + refusals.map { "\($0.app) is left out: \($0.failure)" }))
    }
}
