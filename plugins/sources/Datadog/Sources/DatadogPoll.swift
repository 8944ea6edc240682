internal import PluginKit
internal import SourceKit

/// One poll under way: for each environment and each span the sessions, those that crashed, and both by version.
struct DatadogPoll: Sendable {
    private let source: DatadogSource
    private let poll: Poll
    /// In the order in which they are asked.
    private let rounds: [Round]
    /// What is still to be asked.
    private var open: [DatadogQuestion] = []
    private var figures: DatadogFigures
    private var warnings: [String]
    /// Set when the budget is used up: no request before that moment.
    private var spentUntil: Moment?

    /// One environment over one span.
    private struct Round: Hashable, Sendable {
        let environment: String?
        let span: TimeSpan

        /// As the cursor has it.
        var json: JSON { ["environment": JSON(environment), "span": .string(span.length.grammar)] }
    }

    init(of source: DatadogSource, _ poll: Poll) {
        self.source = source
        self.poll = poll
        figures = DatadogFigures(source: poll.source, app: source.app)
        let spans = poll.spans.prefix(DatadogSource.spansMax).map { TimeSpan(lasting: $0, until: poll.now) }
        let all = source.watchedEnvironments.flatMap { environment in
            spans.map { Round(environment: environment, span: $0) }
        }
        // Where the poll before broke off, so that a budget too small for all of them is not always spent on the same.
        let first = all.firstIndex { $0.json == poll.cursor } ?? 0
        rounds = Array(all[first...] + all[..<first])
        warnings = DatadogSource.warnings(about: poll.spans)
        for round in rounds {
            open += source.questions(about: round.span, environment: round.environment)
        }
    }

    func begin() -> PollStep { goOn() }

    private func goOn() -> PollStep {
        guard let question = open.first else { return finish() }
        if let until = spentUntil {
            return finish(
                without: PollFailure(
                    .rateLimited, "\(question.subject): Datadog allows no more requests until \(until)",
                    retryAt: until))
        }
        return .fetch(source.server.request(question)) { result in
            var poll = self
            do throws(PollFailure) {
                let answer = try DatadogAnswer(result, to: question, now: poll.poll.now)
                poll.take(answer, to: question)
                return poll.goOn()
            } catch {
                return poll.finish(without: error)
            }
        }
    }

    private mutating func take(_ answer: DatadogAnswer, to question: DatadogQuestion) {
        open.removeFirst()
        figures.take(answer, to: question)
        spentUntil = answer.spentUntil
        // Where there is no session nothing has crashed, and no version is to be told apart.
        if question.count == .sessions, answer.isEmpty {
            open.removeAll { $0.span == question.span && $0.environment == question.environment }
        }
        if question.count == .sessions, let warning = answer.warning { warnings.append(warning) }
    }

    private func finish(without failure: PollFailure? = nil) -> PollStep {
        var report = PollReport(
            figures.observations { _ in poll.now }, failures: [failure].compactMap(\.self), spentUntil: spentUntil,
            warnings: warnings)
        report.cursor = cursor(after: failure)
        return .finish(report)
    }

    /// Where the next poll begins: in the round in which the budget ended, or in the one behind it where that was the first,
    /// which may need more than there ever is. Nil, which keeps what was there, where there is nothing to remember.
    private func cursor(after failure: PollFailure?) -> JSON? {
        guard failure?.reason == .rateLimited, let question = open.first,
            let index = rounds.firstIndex(where: {
                $0.environment == question.environment && $0.span == question.span
            })
        else { return poll.cursor.map { _ in [:] } }
        return rounds[max(index, 1) % rounds.count].json
    }
}
