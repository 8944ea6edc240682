internal import PluginKit

/// One query, and what each of its figures covers.
struct Question: Sendable {
    let metric: String
    let query: GuardedText
    let span: Duration

    /// Most spans asked for in one poll: each is a round of all queries.
    private static let spansMax = 6
    /// Most questions of one poll, whatever spans and metrics make of each other.
    private static let countMax = 72

    /// Everything that a source asks at one time.
    ///
    /// - Parameters:
    ///   - spans: those that rules want measured, shortest first.
    ///   - warnings: gets a sentence when there are too many of them.
    static func all(of source: PrometheusSource, _ spans: [Duration], _ warnings: inout [String]) -> [Question] {
        switch source.pacing {
        case .once(let span), .steps(_, let span):
            return source.queries.map { Question(metric: $0.metric, query: $0.text, span: span) }
        case .perSpan:
            var wanted: [Duration] = []
            for span in spans where !wanted.contains(span) { wanted.append(span) }
            let count = min(spansMax, countMax / max(source.queries.count, 1))
            if wanted.count > count {
                warnings.append(
                    "rules ask for \(wanted.count) different spans; only the \(count) shortest are measured")
            }
            return wanted.prefix(count).flatMap { span in
                source.queries.map {
                    Question(metric: $0.metric, query: $0.text(over: span), span: max(span, .milliseconds(1)))
                }
            }
        }
    }
}

/// One poll under way: the questions still to ask, one after the other, and what was answered so far.
struct PrometheusPoll: Sendable {
    private let server: PrometheusServer
    private let now: Moment
    private let questions: [Question]
    private let times: QueryTimes
    private let cursor: JSON?
    private var join: Join
    private var warnings: [String] = []
    private var isPartial = false

    /// Most steps read at once: a day of five minutes. Servers refuse more than 11,000.
    static let stepsMax: Int64 = 288

    init(of source: PrometheusSource, _ poll: Poll) {
        server = source.server
        now = poll.now
        join = Join(source.naming, poll)
        questions = Question.all(of: source, poll.spans, &warnings)
        guard case .steps(let step, _) = source.pacing else {
            cursor = nil
            times = .instant(poll.now)
            return
        }
        let steps = Steps(step, since: poll.cursor, until: poll.now)
        if let skipped = steps.skipped {
            warnings.append("the last poll was long ago: \(skipped) steps before \(steps.first) are skipped")
        }
        cursor = steps.cursor
        times = .range(from: steps.first, to: steps.last, step: step)
    }

    func begin() -> PollStep { ask(0) }

    private func ask(_ number: Int) -> PollStep {
        guard number < questions.count else { return finish() }
        let question = questions[number]
        return .fetch(server.request(question.query, at: times)) { result in
            var poll = self
            do throws(PollFailure) {
                let answer = try QueryAnswer(result, isRange: poll.times.isRange, now: poll.now)
                poll.warnings += answer.warnings.map { "metric '\(question.metric)': \($0)" }
                poll.isPartial = poll.isPartial || answer.isPartial
                try poll.join.add(question.metric, answer, over: question.span)
            } catch {
                return .fail(error.naming(question, askedOf: server))
            }
            return poll.ask(number + 1)
        }
    }

    private func finish() -> PollStep {
        do {
            let joined = try join.joined()
            let report = PollReport(
                joined.observations.isEmpty ? .noData : .values(joined.observations), cursor: cursor,
                warnings: warnings + joined.warnings, unread: isPartial ? .anything : joined.unread)
            guard isPartial, let warning = warnings.last else { return .finish(report) }
            return .finish(report.waiting(after: [PollFailure(.badAnswer, warning)]))
        } catch {
            return .fail(error)
        }
    }
}

extension PollFailure {
    /// The failure with the metric's name in front.
    func naming(_ question: Question) -> PollFailure {
        PollFailure(reason, "metric '\(question.metric)': \(description)", retryAt: retryAt)
    }

    /// The same with what to do behind it: many servers, and proxies before them, say 401 and not a word more.
    func naming(_ question: Question, askedOf server: PrometheusServer) -> PollFailure {
        let named = naming(question)
        switch reason {
        case .unauthorized, .forbidden: return named.advised(by: server.credentialAdvice)
        case .notFound: return named.advised(by: "check 'url': queries go to /api/v1 below it")
        default: return named
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
