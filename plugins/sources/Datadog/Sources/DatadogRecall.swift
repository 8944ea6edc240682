internal import PluginKit

/// The past of an application, as a series of each span that rules ask for: a span of up to a day each time it is over,
/// longer ones once a day, at midnight UTC. Each is seen by the first poll after its end.
struct DatadogRecall: Sendable {
    private let source: DatadogSource
    private let recall: Recall
    private var inquiry: DatadogInquiry

    init(of source: DatadogSource, _ recall: Recall) {
        self.source = source
        self.recall = recall
        // What is seen in the stretch has ended in one that begins and ends with polls.
        let ended = Recall(
            source: recall.source, now: recall.now, from: Recall.floor(recall.from, to: recall.every),
            to: Recall.floor(recall.to, to: recall.every), every: recall.every, spans: recall.spans)
        let stretches = recall.spans.prefix(DatadogSource.spansMax).flatMap { DatadogRecall.stretches(of: $0, ended) }
        let questions: [DatadogQuestion] = source.watchedEnvironments.flatMap { environment in
            stretches.flatMap { source.questions(about: $0, interval: $1, environment: environment) }
        }
        inquiry = DatadogInquiry(
            source: recall.source, app: source.app, questions, warnings: DatadogSource.warnings(about: recall.spans))
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
        guard let question = inquiry.open.first else { return finish() }
        if let refusal = inquiry.refusal { return .fail(refusal) }
        return .fetch(source.server.request(question)) { result in
            var recall = self
            do throws(PollFailure) {
                let answer = try DatadogAnswer(result, to: question, now: recall.recall.now)
                if let partiality = recall.inquiry.take(answer, to: question) {
                    // A shorter stretch may take less time; what Datadog warns of is the same in it.
                    guard partiality.reason == .badAnswer else { return .fail(partiality) }
                    let words = "figures from \(question.span.from) to \(question.span.to) are left out: \(partiality)"
                    recall.inquiry.leave(
                        question, saying: [question.environment, words].compactMap(\.self).joined(separator: ": "))
                }
            } catch {
                return .fail(error)
            }
            return recall.goOn()
        }
    }

    private func finish() -> RecallStep {
        let observations = inquiry.observations { recall.poll(notBefore: $0.to) }.filter { observation in
            // Where spans are shorter than the time between polls, a poll brings the last of them.
            let length = observation.span.length
            return length >= .days(1) || observation.seen < recall.poll(notBefore: observation.span.to + length)
        }
        return .finish(
            RecallReport(
                .lines(observations.map(ObservationLine.observed)), limit: inquiry.spentUntil,
                warnings: inquiry.warnings))
    }
}
