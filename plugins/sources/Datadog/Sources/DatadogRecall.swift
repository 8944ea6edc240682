internal import PluginKit

/// The past of an application, as a series of each span that rules ask for: a span of up to a day each time it is over,
/// longer ones once a day, at midnight UTC. Each is seen by the first poll after its end.
struct DatadogRecall: Sendable {
    private let source: DatadogSource
    private let recall: Recall
    private var open: [DatadogQuestion] = []
    private var figures: DatadogFigures
    private var warnings: [String]
    /// Set when the budget is used up: no request before that moment.
    private var spentUntil: Moment?

    init(of source: DatadogSource, _ recall: Recall) {
        self.source = source
        self.recall = recall
        figures = DatadogFigures(source: recall.source, app: source.app)
        warnings = DatadogSource.warnings(about: recall.spans)
        // What is seen in the stretch has ended in one that begins and ends with polls.
        let ended = Recall(
            source: recall.source, now: recall.now, from: Recall.floor(recall.from, to: recall.every),
            to: Recall.floor(recall.to, to: recall.every), every: recall.every, spans: recall.spans)
        let stretches = recall.spans.prefix(DatadogSource.spansMax).flatMap { DatadogRecall.stretches(of: $0, ended) }
        for environment in source.watchedEnvironments {
            for (span, interval) in stretches {
                open += source.questions(about: span, interval: interval, environment: environment)
            }
        }
    }

    private static func stretches(of span: Duration, _ recall: Recall) -> [(TimeSpan, Duration?)] {
        guard span <= .days(1) else {
            return recall.multiples(of: .days(1)).map { (TimeSpan(lasting: span, until: $0), nil) }
        }
        let ends = Array(recall.multiples(of: span))
        guard let first = ends.first, let last = ends.last, let all = TimeSpan(from: first - span, to: last) else {
            return []
        }
        return [(all, span)]
    }

    func begin() -> RecallStep { goOn() }

    private func goOn() -> RecallStep {
        guard let question = open.first else { return finish() }
        if let until = spentUntil {
            return .fail(
                PollFailure(
                    .rateLimited, "\(question.subject): Datadog allows no more requests until \(until)", retryAt: until)
            )
        }
        return .fetch(source.server.request(question)) { result in
            var recall = self
            do throws(PollFailure) {
                recall.take(try DatadogAnswer(result, to: question, now: recall.recall.now), to: question)
            } catch {
                return .fail(error)
            }
            return recall.goOn()
        }
    }

    private mutating func take(_ answer: DatadogAnswer, to question: DatadogQuestion) {
        open.removeFirst()
        figures.take(answer, to: question)
        spentUntil = answer.spentUntil
        if question.count == .sessions, answer.isEmpty {
            open.removeAll { $0.span == question.span && $0.environment == question.environment }
        }
        if question.count == .sessions, let warning = answer.warning, !warnings.contains(warning) {
            warnings.append(warning)
        }
    }

    private func finish() -> RecallStep {
        let observations = figures.observations { recall.poll(notBefore: $0.to) }.filter { observation in
            // Where spans are shorter than the time between polls, a poll brings the last of them.
            let length = observation.span.length
            return length >= .days(1) || observation.seen < recall.poll(notBefore: observation.span.to + length)
        }
        return .finish(
            RecallReport(.lines(observations.map(ObservationLine.observed)), limit: spentUntil, warnings: warnings))
    }
}
