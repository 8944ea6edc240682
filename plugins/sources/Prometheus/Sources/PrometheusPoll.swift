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
    /// Where it reads in steps: those still to read.
    private var steps: Steps?
    private var join: Join
    /// Nothing answered yet.
    private let empty: Join
    /// What the spans or steps came to that all questions were answered about; nil before the first is whole.
    private var whole: Join?
    /// Why the longer spans, or the newer steps, could not be had.
    private var restFailure: PollFailure?
    private var warnings: [String] = []
    /// Why series may be missing.
    private var partiality: PollFailure?
    private var requests = 0

    /// Requests of one poll that reads in steps; the rest of the steps is left for the next.
    private static let requestsMax = 100

    init(of source: PrometheusSource, _ poll: Poll) {
        server = source.server
        now = poll.now
        empty = Join(source.naming, poll)
        join = empty
        questions = Question.all(of: source, poll.spans, &warnings)
        guard case .steps(let step, _) = source.pacing else { return }
        let steps = Steps(step, since: poll.cursor, until: poll.now)
        if let sentence = steps.tooOldSentence { warnings.append(sentence) }
        self.steps = steps
    }

    func begin() -> PollStep { ask(0) }

    private func ask(_ number: Int) -> PollStep {
        guard number < questions.count else { return readOn() }
        let question = questions[number]
        var asking = self
        asking.requests += 1
        if number > 0, questions[number - 1].span < question.span { asking.whole = join }
        return .fetch(server.request(question.query, at: steps?.times ?? .instant(now))) { [asking] result in
            var poll = asking
            do throws(PollFailure) {
                let answer = try QueryAnswer(result, isRange: poll.steps != nil, now: poll.now)
                let told = answer.warnings.map { "metric '\(question.metric)': \($0)" }
                // Every piece of the steps may say the same.
                poll.warnings += told.filter { !asking.warnings.contains($0) }
                if answer.isPartial, let warning = told.last { poll.partiality = PollFailure(.badAnswer, warning) }
                try poll.join.add(question.metric, answer, over: question.span)
            } catch {
                let failure = error.naming(question, askedOf: server)
                return asking.shortened(after: failure)?.ask(0) ?? asking.finish(without: question.span, failure)
            }
            return poll.ask(number + 1)
        }
    }

    /// All questions are answered: asks them about the next steps, where there are any.
    private func readOn() -> PollStep {
        var poll = self
        poll.whole = join
        guard poll.steps?.advance() ?? false else { return poll.finish() }
        guard poll.isAnotherRoundAllowed else {
            return poll.finish(
                without: .zero, PollFailure(.tooLarge, "\(requests) requests were not enough for all of them"))
        }
        return poll.ask(0)
    }

    /// The same for fewer steps, where the failure may be for their number; nil where it is not. After a long rest the next poll
    /// would ask for yet more steps, and none would ever be answered.
    private func shortened(after failure: PollFailure) -> PrometheusPoll? {
        var poll = self
        guard isAnotherRoundAllowed, poll.steps?.shorten(after: failure) ?? false else { return nil }
        // Of what is asked again nothing is kept.
        poll.join = whole ?? empty
        return poll
    }

    private var isAnotherRoundAllowed: Bool { requests + questions.count <= PrometheusPoll.requestsMax }

    /// Ends with the spans that are whole, if any is: those are the shorter ones, which decide about most alarms. Of the one
    /// that failed no figure is kept, for the sessions alone would say that none has crashed. Of steps, those before the
    /// failure are kept, and the next poll begins behind them.
    private func finish(without span: Duration, _ failure: PollFailure) -> PollStep {
        // A credential that is refused is refused for all of it, and figures that were there before are no answer.
        guard let whole, failure.reason != .unauthorized, steps?.hasNews ?? true else { return .fail(failure) }
        var poll = self
        poll.join = whole
        if let steps {
            poll.restFailure = failure
            poll.warnings.append("steps after \(steps.newestRead) are left for the next poll: \(failure)")
        } else {
            let named = failure.about(spanOf: span)
            poll.restFailure = named
            poll.warnings.append("longer spans are not measured this time: \(named)")
        }
        return poll.finish()
    }

    private func finish() -> PollStep {
        do {
            let joined = try join.joined()
            var warnings = warnings
            let refusal = steps.flatMap { $0.skipped > 0 ? $0.refusal : nil }
            if let steps, let refusal { warnings.append("skipped \(steps.skipped.counted("step")): \(refusal)") }
            let failures = [partiality, restFailure, refusal].compactMap(\.self)
            return .finish(
                PollReport(
                    joined.observations.isEmpty ? .noData : .values(joined.observations), cursor: steps?.cursor,
                    warnings: warnings + joined.warnings, unread: failures.isEmpty ? joined.unread : .anything
                ).waiting(after: failures + [joined.broken].compactMap(\.self)))
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
///
/// They are read in one piece, and in several, the oldest first, where the server takes no more at once: what a poll does not
/// get to, the next one reads. They are numbered, and lie at whole multiples of their length, so that every poll sees the same
/// spans.
private struct Steps: Sendable {
    private let step: Duration
    private let first: Int64
    private let last: Int64
    /// Steps that nobody will read, after a long rest.
    private let tooOld: Int64
    /// What is asked for.
    private var piece: ClosedRange<Int64>
    /// The oldest that is not read.
    private var next: Int64
    /// How far to go on behind a step that is refused by itself.
    private var leap: Int64 = 1
    private var isPatient = true
    /// Steps that the server refuses, with some that lie behind them.
    private(set) var skipped = 0
    /// Why.
    private(set) var refusal: PollFailure?

    /// Most steps read at once: a day of five minutes. Servers refuse more than 11,000.
    private static let countMax: Int64 = 288
    /// So many are asked for once more as a whole, where a server does not answer in time: an hour of five minutes.
    private static let patientCount: Int64 = 12
    /// With so many it is tried again: the step that was read before, and another.
    private static let leastCount: Int64 = 2

    init(_ step: Duration, since cursor: JSON?, until now: Moment) {
        let length = max(step.wholeMilliseconds, 1)
        let last = now.milliseconds / length
        var start = last
        // Another step length counts anew: its steps lie elsewhere.
        if cursor?["step"] == .string(step.grammar), let text = cursor?["until"]?.string,
            let until = Moment(rfc3339: text), until <= now
        {
            start = until.milliseconds / length
        }
        self.step = step
        self.last = last
        first = max(start, last - Steps.countMax + 1)
        tooOld = first - start
        next = first
        piece = first...last
    }

    private func moment(_ number: Int64) -> Moment { Moment(milliseconds: number * max(step.wholeMilliseconds, 1)) }

    var times: QueryTimes { .range(from: moment(piece.lowerBound), to: moment(piece.upperBound), step: step) }
    var newestRead: Moment { moment(next - 1) }
    var cursor: JSON { ["step": .string(step.grammar), "until": JSON(newestRead)] }
    /// Whether anything was read but what an earlier poll has read.
    var hasNews: Bool { next - 1 > first }

    /// What to say of those that nobody will read.
    var tooOldSentence: String? {
        tooOld > 0 ? "the last poll was long ago: \(tooOld) steps before \(moment(first)) are skipped" : nil
    }

    /// The piece is read: goes on to the next; false where that was the last.
    mutating func advance() -> Bool {
        skipped += Int(piece.lowerBound - next)
        next = piece.upperBound + 1
        guard next <= last else { return false }
        // Behind a step that is refused by itself, their number is no trouble.
        let count = leap > 1 ? Steps.countMax : Int64(piece.count) * (isPatient ? 1 : 2)
        leap = 1
        piece = next...min(next + count - 1, last)
        return true
    }

    /// The piece is not answered: fewer steps, or those behind it; false where neither would help.
    mutating func shorten(after failure: PollFailure) -> Bool {
        let (start, count) = (piece.lowerBound, Int64(piece.count))
        switch failure.reason {
        case .tooLarge, .refused:
            if count > 1 {
                piece = start...(start + count / 2 - 1)
            } else if start < last {
                refusal = failure
                let next = min(start + leap, last)
                piece = next...next
                leap *= 2
            } else {
                return false
            }
        case .timeout, .unavailable:
            // It may be down: then it is not asked again and again. Where it is not, every piece is longer than the one before.
            guard isPatient, count > Steps.patientCount else { return false }
            isPatient = false
            piece = start...(start + Steps.leastCount - 1)
        default: return false
        }
        return true
    }
}
