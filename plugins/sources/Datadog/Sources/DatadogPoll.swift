internal import PluginKit
internal import SourceKit

/// One poll under way: for each environment and each span the sessions, those that crashed, and both by version.
struct DatadogPoll: Sendable {
    private let source: DatadogSource
    private let poll: Poll
    /// In the order in which they are asked.
    private let tour: Tour<Round>
    private var inquiry: DatadogInquiry
    /// What went wrong with single queries.
    private var failures: [PollFailure] = []

    /// A poll may take as long as five requests, so no more than these may take all the time they have.
    private static let timeoutsMax = 3

    /// One environment over one span.
    private struct Round: Hashable, Sendable {
        let environment: String?
        let span: TimeSpan

        /// For failures.
        var words: String { [environment, span.length.short].compactMap(\.self).joined(separator: ", ") }

        /// As the cursor has it.
        var json: JSON { ["environment": JSON(environment), "span": .string(span.length.grammar)] }
    }

    init(of source: DatadogSource, _ poll: Poll) {
        self.source = source
        self.poll = poll
        let spans = poll.spans.prefix(DatadogSource.spansMax).map { TimeSpan(lasting: $0, until: poll.now) }
        // The shortest first, of all environments: what takes longest is what most easily fails.
        let all = spans.flatMap { span in
            source.watchedEnvironments.map { Round(environment: $0, span: span) }
        }
        tour = Tour(all) { $0.json == poll.cursor }
        inquiry = DatadogInquiry(
            source: poll.source, app: source.app,
            tour.stops.flatMap { source.questions(about: $0.span, environment: $0.environment) },
            warnings: DatadogSource.warnings(about: poll.spans))
    }

    func begin() -> PollStep { goOn() }

    private func goOn() -> PollStep {
        guard let question = inquiry.open.first else { return finish() }
        if let refusal = inquiry.refusal { return finish(without: refusal) }
        return .fetch(source.server.request(question)) { result in
            var poll = self
            do throws(PollFailure) {
                let answer = try DatadogAnswer(result, to: question, now: poll.poll.now)
                let partiality = poll.inquiry.take(answer, to: question)
                return partiality.map { poll.goOn(without: $0, question) } ?? poll.goOn()
            } catch {
                return poll.goOn(without: error, question)
            }
        }
    }

    /// Goes on with the next round where the failure is that of one query, which may fail at every poll.
    private func goOn(without failure: PollFailure, _ question: DatadogQuestion) -> PollStep {
        guard [.timeout, .badAnswer, .refused, .tooLarge].contains(failure.reason) else {
            return finish(without: failure)
        }
        let failure = failure.about(Round(environment: question.environment, span: question.span).words)
        let timeouts = (failures + [failure]).count { $0.reason == .timeout }
        guard timeouts < DatadogPoll.timeoutsMax else { return finish(without: failure) }
        var poll = self
        poll.failures.append(failure)
        poll.inquiry.leave(question)
        return poll.goOn()
    }

    private func finish(without failure: PollFailure? = nil) -> PollStep {
        var report = PollReport(
            inquiry.observations { _ in poll.now }, failures: failures + [failure].compactMap(\.self),
            spentUntil: inquiry.spentUntil, warnings: inquiry.warnings)
        report.cursor = cursor(after: failure)
        return .finish(report)
    }

    /// Where the next poll begins after a failure that ended this one. Nil, which keeps what was there, where there is nothing
    /// to remember.
    private func cursor(after failure: PollFailure?) -> JSON? {
        guard let failure, let question = inquiry.open.first,
            let index = tour.stops.firstIndex(where: {
                $0.environment == question.environment && $0.span == question.span
            })
        else { return poll.cursor.map { _ in [:] } }
        return tour.next(after: failure, at: index).json
    }
}
