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
    private var times: QueryTimes
    private var cursor: JSON?
    /// Where the poll before ended.
    private let cursorBefore: JSON?
    private var join: Join
    /// Nothing answered yet.
    private let empty: Join
    /// What the spans came to that all questions were answered about; nil before the first is whole.
    private var whole: Join?
    /// Why the longer spans could not be had.
    private var longerFailure: PollFailure?
    private var warnings: [String] = []
    /// Why series may be missing.
    private var partiality: PollFailure?
    /// Steps that are not read this time, and why.
    private var passedOver: (count: Int64, failure: PollFailure)?
    /// Whether the next poll asks for those again.
    private var isLeftToNext = false

    /// Most steps read at once: a day of five minutes. Servers refuse more than 11,000.
    static let stepsMax: Int64 = 288

    init(of source: PrometheusSource, _ poll: Poll) {
        server = source.server
        now = poll.now
        cursorBefore = poll.cursor
        empty = Join(source.naming, poll)
        join = empty
        questions = Question.all(of: source, poll.spans, &warnings)
        guard case .steps(let step, _) = source.pacing else {
            cursor = nil
            times = .instant(poll.now)
            return
        }
        let steps = Steps(step, since: poll.cursor, until: poll.now)
        if let skipped = steps.skipped {
            warnings.append(
                "the last poll was long ago: \(Int(clamping: skipped).counted("step")) before \(steps.first) skipped")
        }
        cursor = steps.cursor
        times = .range(from: steps.first, to: steps.last, step: step)
    }

    func begin() -> PollStep { ask(0) }

    private func ask(_ number: Int) -> PollStep {
        guard number < questions.count else { return finish() }
        let question = questions[number]
        var asking = self
        if number > 0, questions[number - 1].span < question.span { asking.whole = join }
        return .fetch(server.request(question.query, at: times)) { [asking] result in
            var poll = asking
            do throws(PollFailure) {
                let answer = try QueryAnswer(result, isRange: poll.times.isRange, now: poll.now)
                poll.warnings += answer.warnings.map { "metric '\(question.metric)': \($0)" }
                if answer.isPartial, let warning = poll.warnings.last {
                    poll.partiality = PollFailure(.badAnswer, warning)
                }
                try poll.join.add(question.metric, answer, over: question.span)
            } catch {
                let failure = error.naming(question, askedOf: server)
                return asking.shortened(after: failure)?.begin() ?? asking.finish(without: question.span, failure)
            }
            return poll.ask(number + 1)
        }
    }

    /// The same for the newest steps alone, where the failure may be for their number; nil where it is not. After a long rest
    /// the next poll would ask for yet more steps, and none would ever be answered. Nor are they read oldest first: what has
    /// been read by then would be judged as if it were how things are.
    private func shortened(after failure: PollFailure) -> PrometheusPoll? {
        guard case .range(let first, let last, let step) = times else { return nil }
        let count = (last.milliseconds - first.milliseconds) / max(step.wholeMilliseconds, 1) + 1
        let kept: Int64
        switch failure.reason {
        case .tooLarge, .refused: kept = count / 2
        // It may be down: then it is not asked again and again. Figures of now are worth more than those of the past.
        case .timeout, .unavailable: kept = count > PrometheusPoll.patientSteps ? PrometheusPoll.leastSteps : 0
        default: kept = 0
        }
        guard kept >= PrometheusPoll.leastSteps else { return nil }
        var poll = self
        poll.join = empty
        poll.partiality = nil
        let begin = last - step * Int(kept - 1)
        poll.times = .range(from: begin, to: last, step: step)
        poll.passedOver = ((passedOver?.count ?? 0) + count - kept, failure)
        poll.isLeftToNext = false
        // Whoever is away for a moment has them all for the next poll. If that fails, too, it was for their number.
        if failure.reason == .unavailable, let step = cursorBefore?["step"], let until = cursorBefore?["until"],
            cursorBefore?["tried"] == nil
        {
            poll.isLeftToNext = true
            poll.cursor = ["step": step, "until": until, "tried": true]
        }
        return poll
    }

    /// The step that is under way, and the one before it.
    private static let leastSteps: Int64 = 2
    /// So many steps are asked for once more as a whole, where a server does not answer in time: an hour of five minutes.
    private static let patientSteps: Int64 = 12

    /// Ends with the spans that are whole, if any is: those are the shorter ones, which decide about most alarms. Of the one
    /// that failed no figure is kept, for the sessions alone would say that none has crashed.
    private func finish(without span: Duration, _ failure: PollFailure) -> PollStep {
        // A credential that is refused is refused for all of it.
        guard let whole, failure.reason != .unauthorized else { return .fail(failure) }
        let named = failure.about(spanOf: span)
        var poll = self
        poll.join = whole
        poll.longerFailure = named
        poll.warnings.append("longer spans are not measured this time: \(named)")
        return poll.finish()
    }

    /// That steps were not read, and whether they will be.
    private var lackOfSteps: PollFailure? {
        guard let (count, failure) = passedOver, case .range(let first, _, _) = times else { return nil }
        let fate = isLeftToNext ? "left to the next poll" : "skipped"
        return PollFailure(
            failure.reason, "\(Int(clamping: count).counted("step")) before \(first) \(fate): \(failure)")
    }

    private func finish() -> PollStep {
        do {
            let joined = try join.joined()
            let flaws = [partiality, longerFailure, lackOfSteps].compactMap(\.self)
            return .finish(
                PollReport(
                    joined.observations.isEmpty ? .noData : .values(joined.observations), cursor: cursor,
                    warnings: warnings + [lackOfSteps?.description].compactMap(\.self) + joined.warnings,
                    unread: flaws.isEmpty ? joined.unread : .anything
                ).waiting(after: flaws + [joined.broken].compactMap(\.self)))
        } catch {
            return .fail(error)
        }
    }
}

extension PollFailure {
    /// The failure with the metric's name in front.
    func naming(_ question: Question) -> PollFailure { about("metric '\(question.metric)'") }

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
