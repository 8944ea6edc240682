internal import PluginKit

/// The past of a server: a poll's questions, each asked at once for every poll of a stretch.
///
/// Prometheus computes for a moment of the past what it would have answered then, so that every poll is put together
/// from its own samples just as if it had been made: what would have failed it fails it here.
struct PrometheusRecall: Sendable {
    /// One poll of the past: when, and at which times its queries are evaluated.
    private struct PastPoll: Sendable {
        let at: Moment
        let first: Moment
        let last: Moment
    }

    private let source: PrometheusSource
    private let recall: Recall
    private let questions: [Question]
    private let step: Duration
    private let polls: [PastPoll]
    /// What was answered so far, one for each question.
    private var answers: [QueryAnswer] = []
    private var warnings: [String] = []

    /// Prometheus refuses more than 11,000 points of a series.
    private static let stepsMax: Int64 = 11_000

    init(of source: PrometheusSource, _ recall: Recall) {
        self.source = source
        self.recall = recall
        questions = Question.all(of: source, recall.spans, &warnings)
        switch source.pacing {
        case .once, .perSpan:
            step = recall.every
            polls = recall.multiples(of: recall.every).map { PastPoll(at: $0, first: $0, last: $0) }
        case .steps(let step, _):
            self.step = step
            // Every poll reads on from the newest step of the one before, that one included.
            polls = recall.multiples(of: recall.every).map { at in
                PastPoll(
                    at: at,
                    first: Recall.floor(at - recall.every, to: step),
                    last: Recall.floor(at, to: step)
                )
            }
        }
    }

    func begin() -> RecallStep {
        guard let first = polls.first?.first, let last = polls.last?.last else {
            return .finish(RecallReport(.lines([])))
        }
        let steps = (last - first).wholeMilliseconds / max(step.wholeMilliseconds, 1) + 1
        guard steps <= PrometheusRecall.stepsMax else {
            return .fail(PollFailure(.tooLarge, "\(steps) steps are more than \(PrometheusRecall.stepsMax)"))
        }
        return ask(0, .range(from: first, to: last, step: step))
    }

    private func ask(_ number: Int, _ times: QueryTimes) -> RecallStep {
        guard number < questions.count else { return .finish(RecallReport(.lines(lines()), warnings: warnings)) }
        let question = questions[number]
        return .fetch(source.server.request(question.query, at: times)) { result in
            var recall = self
            do throws(PollFailure) {
                let answer = try QueryAnswer(result, isRange: true, now: recall.recall.now)
                recall.warnings += answer.warnings.map { "metric '\(question.metric)': \($0)" }
                recall.answers.append(answer)
            } catch {
                return .fail(error.naming(question, askedOf: source.server))
            }
            return recall.ask(number + 1, times)
        }
    }

    private func lines() -> [ObservationLine] {
        var lines: [ObservationLine] = []
        for poll in polls {
            do throws(PollFailure) {
                let joined = try joined(poll)
                lines += joined.observations.map { .observed($0) }
                if joined.unread != .nothing {
                    lines.append(.partial(PartialPoll(source: recall.source, joined.unread, seen: poll.at)))
                }
            } catch {
                lines.append(.failed(source: recall.source, reason: error.description, seen: poll.at))
            }
        }
        return lines
    }

    private func joined(_ poll: PastPoll) throws(PollFailure) -> Join.Joined {
        var join = Join(source.naming, Poll(source: recall.source, now: poll.at, cursor: nil, spans: recall.spans))
        for (question, answer) in zip(questions, answers) {
            do throws(PollFailure) {
                try join.add(question.metric, answer.part(from: poll.first, to: poll.last), over: question.span)
            } catch {
                throw error.naming(question)
            }
        }
        return try join.joined()
    }
}

extension QueryAnswer {
    /// What the answer says from one time to another, both included.
    fileprivate func part(from first: Moment, to last: Moment) -> QueryAnswer {
        QueryAnswer(
            series: series.compactMap { series in
                var (start, end) = (series.samples.startIndex, series.samples.endIndex)
                while start < end {
                    let middle = (start + end) / 2
                    if series.samples[middle].at < first { start = middle + 1 } else { end = middle }
                }
                let samples = series.samples[start...].prefix { $0.at <= last }
                return samples.isEmpty ? nil : Series(labels: series.labels, samples: Array(samples))
            }
        )
    }
}
