internal import PluginKit

/// One poll under way: the questions still to ask, one after the other, and what was answered so far.
struct PrometheusPoll: Sendable {
    /// One query at one time, or at several.
    private struct Question: Sendable {
        let metric: String
        let query: GuardedText
        let times: QueryTimes
        /// What each figure covers.
        let span: Duration
    }

    private let server: PrometheusServer
    private let now: Moment
    private let questions: [Question]
    private let cursor: JSON?
    private var join: Join
    private var warnings: [String] = []

    /// Most spans asked for in one poll: each is a round of all queries.
    private static let spansMax = 6
    /// Most requests in one poll, whatever spans and metrics make of each other.
    private static let questionsMax = 72
    /// Most steps read at once: a day of five minutes. Servers refuse more than 11,000.
    static let stepsMax: Int64 = 288

    init(of source: PrometheusSource, _ poll: Poll) {
        server = source.server
        now = poll.now
        join = Join(source.naming, poll)
        var questions: [Question] = []
        switch source.pacing {
        case .once(let span):
            cursor = nil
            questions = source.queries.map {
                Question(metric: $0.metric, query: $0.text, times: .instant(poll.now), span: span)
            }
        case .perSpan:
            cursor = nil
            var spans: [Duration] = []
            for span in poll.spans where !spans.contains(span) { spans.append(span) }
            let count = min(PrometheusPoll.spansMax, PrometheusPoll.questionsMax / max(source.queries.count, 1))
            if spans.count > count {
                warnings.append("rules ask for \(spans.count) different spans; only the \(count) shortest are measured")
            }
            for span in spans.prefix(count) {
                questions += source.queries.map {
                    Question(
                        metric: $0.metric,
                        query: $0.text(over: span),
                        times: .instant(poll.now),
                        span: max(span, .milliseconds(1))
                    )
                }
            }
        case .steps(let step, let span):
            let steps = Steps(step, since: poll.cursor, until: poll.now)
            if let skipped = steps.skipped {
                warnings.append(
                    "the last poll was long ago: \(skipped) steps before \(steps.first) are passed over"
                )
            }
            cursor = steps.cursor
            questions = source.queries.map {
                Question(
                    metric: $0.metric,
                    query: $0.text,
                    times: .range(from: steps.first, to: steps.last, step: step),
                    span: span
                )
            }
        }
        self.questions = questions
    }

    func begin() -> PollStep { ask(0) }

    private func ask(_ number: Int) -> PollStep {
        guard number < questions.count else { return finish() }
        let question = questions[number]
        return .fetch(server.request(question.query, at: question.times)) { result in
            var poll = self
            do throws(PollFailure) {
                let isRange = if case .range = question.times { true } else { false }
                let answer = try QueryAnswer(result, isRange: isRange, now: poll.now)
                poll.warnings += answer.warnings.map { "metric '\(question.metric)': \($0)" }
                try poll.join.add(question.metric, answer, over: question.span)
            } catch {
                return .fail(
                    PollFailure(
                        error.reason,
                        "metric '\(question.metric)': \(error.description)",
                        retryAt: error.retryAt
                    )
                )
            }
            return poll.ask(number + 1)
        }
    }

    private func finish() -> PollStep {
        do {
            let observations = try join.observations()
            return .finish(
                PollReport(observations.isEmpty ? .noData : .values(observations), cursor: cursor, warnings: warnings)
            )
        } catch {
            return .fail(error)
        }
    }
}

/// Which steps to read: from the last one read, once more because late figures are better figures, to the newest.
private struct Steps {
    let first: Moment
    let last: Moment
    /// Steps that nobody will read, after a long rest.
    let skipped: Int64?
    let cursor: JSON

    /// Steps lie at whole multiples of their length, so that every poll sees the same spans.
    init(_ step: Duration, since cursor: JSON?, until now: Moment) {
        let length = max(step.wholeMilliseconds, 1)
        let end = now.milliseconds / length
        let earliest = end - PrometheusPoll.stepsMax + 1
        var start = end
        // Another step length counts anew: its steps lie elsewhere.
        if cursor?["step"] == .string(step.grammar), let text = cursor?["until"]?.string,
            let until = Moment(rfc3339: text), until <= now
        {
            start = until.milliseconds / length
        }
        skipped = start < earliest ? earliest - start : nil
        first = Moment(milliseconds: max(start, earliest) * length)
        last = Moment(milliseconds: end * length)
        self.cursor = ["step": .string(step.grammar), "until": JSON(last)]
    }
}
