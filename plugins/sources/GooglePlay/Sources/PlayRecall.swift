internal import PluginKit
internal import SourceKit

/// The past of the apps, in the hours or days in which Play counts.
///
/// Play says how far it has come, but not how far it had come at some time. So each figure is seen by the first poll after
/// the time at which it is there at the latest, and nothing behind Play's marks is asked for. Issues and anomalies are not
/// recalled: the service knows what they are now, not what they were.
struct PlayRecall: Sendable {
    private let recall: Recall
    private var inquiry: PlayInquiry
    /// The hours or days of which the figures come within the stretch.
    private let from: Moment
    private let to: Moment
    private var observations: [Observation] = []
    private var failures: [PollFailure] = []
    private var requests = 0

    /// A conversation may have two hundred; the rest is for the pages of one more answer and for tokens that are refused.
    private static let requestsMax = 180

    init(of source: GooglePlaySource, _ recall: Recall) {
        self.recall = recall
        inquiry = PlayInquiry(of: source, at: recall.now, recall.spans, recall.cursor)
        let calendar = source.calendar
        // A poll sees what is there by then: whatever is due after the last one before the stretch, up to its own last one.
        func begin(_ moment: Moment) -> Moment {
            calendar.begin(around: Recall.floor(moment, to: recall.every) - calendar.period.lateness.upperBound)
        }
        (from, to) = (begin(recall.from), begin(recall.to))
    }

    private var calendar: PlayCalendar { inquiry.source.calendar }

    /// When a poll sees the figures of what ends there.
    private func seen(_ end: Moment) -> Moment {
        let due = end + calendar.period.lateness.upperBound
        let poll = Recall.floor(due, to: recall.every)
        return poll < due ? poll + recall.every : poll
    }

    func begin() -> RecallStep {
        guard from < to else { return .finish(RecallReport(.lines([]))) }
        return inquiry.knowingApps { inquiry, failure in failure.map { .fail($0) } ?? with(inquiry).visit(0) }
    }

    private func with(_ inquiry: PlayInquiry) -> PlayRecall {
        var recall = self
        recall.inquiry = inquiry
        return recall
    }

    // MARK: - One app after the other

    private func visit(_ number: Int) -> RecallStep {
        guard number < inquiry.apps.count else { return finish() }
        var visit = inquiry.visit(inquiry.apps[number])
        let known = inquiry.cursor.marks(of: visit.app)
        // Marks only move on: those that were far enough for one stretch are so for all before them.
        if inquiry.tables.allSatisfy({ known[$0].map { $0 >= to } ?? false }) {
            visit.marks = known
            return name(visit, number)
        }
        return inquiry.measuringMarks(visit, needing: inquiry.tables) { result in
            switch result {
            case .failure(let failure): return leave(number, failure)
            case .success(let visit):
                var recall = self
                // Those of its marks, and of the names that go with them.
                recall.requests += inquiry.tables.count + 1
                return recall.name(visit, number)
            }
        }
    }

    private func name(_ visit: AppVisit, _ number: Int) -> RecallStep {
        inquiry.learningNames(visit) { inquiry, visit in
            var recall = with(inquiry)
            recall.inquiry.cursor.note(visit, isTold: true, among: inquiry.apps)
            let questions = inquiry.tables.flatMap { table -> [PlayQuestion] in
                guard let mark = visit.marks[table] else {
                    recall.inquiry.warnings.append("\(visit.app): Play does not say how far \(table.title) have come")
                    return []
                }
                if mark < to {
                    recall.inquiry.warnings.append("\(visit.app): \(table.title) come no further than \(mark) yet")
                }
                return from < mark ? inquiry.questions(visit.app, table, from: from, to: min(to, mark)) : []
            }
            return recall.read(questions[...], visit, number, [:])
        }
    }

    /// Goes on without an app that the service will not tell of, as a poll does.
    private func leave(_ number: Int, _ failure: PollFailure) -> RecallStep {
        guard failure.isOfOneThing else { return fail(failure) }
        var recall = self
        recall.failures.append(failure)
        return recall.visit(number + 1)
    }

    /// - Parameter polls: the app as each poll of the stretch sees it.
    private func read(
        _ questions: ArraySlice<PlayQuestion>, _ visit: AppVisit, _ number: Int, _ polls: [Moment: AppVisit]
    ) -> RecallStep {
        guard let question = questions.first else {
            var recall = self
            for (now, visit) in polls.sorted(by: { $0.key < $1.key }) {
                let poll = Poll(source: self.recall.source, now: now, cursor: nil, spans: self.recall.spans)
                recall.observations += visit.observations(poll, releasesMax: PlayInquiry.releasesMax).observations
            }
            return recall.visit(number + 1)
        }
        return inquiry.rows(question) { listing in
            var (recall, polls) = (self, polls)
            recall.requests += listing.pageCount
            if let failure = listing.failure { return recall.leave(number, failure) }
            guard recall.requests <= PlayRecall.requestsMax else {
                let words = "figures of \(inquiry.apps.count) apps take more than \(PlayRecall.requestsMax) requests"
                return recall.fail(PollFailure(.tooLarge, words))
            }
            if let flaw = listing.left.warning("a row", "rows") {
                recall.inquiry.warnings.append("\(question.subject): \(flaw)")
            }
            if listing.isCut {
                // Of fewer hours or days all rows may fit, unless it is a single one already.
                guard calendar.end(of: question.from) >= question.to else {
                    return recall.fail(PollFailure(.tooLarge, question.cutWarning))
                }
                recall.inquiry.warnings.append(question.cutWarning)
            }
            for row in listing.items where row.start >= question.from && row.start < question.to {
                polls[seen(calendar.end(of: row.start)), default: visit].add([row], to: question, calendar)
            }
            return recall.read(questions.dropFirst(), visit, number, polls)
        }
    }

    // MARK: - The end

    /// What was learned on the way is not asked for again.
    private func fail(_ failure: PollFailure) -> RecallStep {
        .finish(RecallReport(.failed(failure), cursor: inquiry.cursor.json))
    }

    private func finish() -> RecallStep {
        if let failure = failures.first, failures.count == inquiry.apps.count { return fail(failure) }
        // An app that is refused is left out; one that is away for a moment is asked again.
        let passing: [PollFailure.Reason] = [.timeout, .unreachable, .rateLimited, .unavailable]
        if let failure = failures.first(where: { passing.contains($0.reason) }) { return fail(failure) }
        let order = observations.indices.sorted { (observations[$0].seen, $0) < (observations[$1].seen, $1) }
        return .finish(
            RecallReport(
                .lines(order.map { .observed(observations[$0]) }), cursor: inquiry.cursor.json,
                warnings: inquiry.warnings + failures.map(\.description)))
    }
}
