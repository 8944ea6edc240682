public import PluginKit

/// A source's recalling played to its end.
public typealias PlayedRecall = PlayedConversation<RecallOutcome>

extension PlayedRecall {
    /// Plays the conversation, at most `stepsMax` requests long.
    public init(
        _ source: any HistoricalSource,
        _ recall: Recall,
        stepsMax: Int = SourceConformance.stepsMax,
        answer: (HTTPRequest) -> FetchResult
    ) {
        self.init(
            source.recall(recall), now: recall.now, stepsMax: stepsMax, file: { _ in .failed("no such file") },
            token: answer, answer: answer)
    }

    /// What was recalled; empty when it failed.
    public var lines: [ObservationLine] {
        if case .lines(let lines) = report?.outcome { lines } else { [] }
    }

    /// Nil when it did not fail.
    public var failure: PollFailure? {
        if case .failed(let failure) = report?.outcome { failure } else { nil }
    }
}

/// What every source that recalls its past must do besides polling.
public struct RecallConformance: Sendable {
    private let source: any HistoricalSource
    private let recall: Recall
    private let secrets: [String]
    private let answer: @Sendable (HTTPRequest) -> FetchResult

    /// - Parameters:
    ///   - source: made with the name that `recall` carries.
    ///   - secrets: the values of the secrets in the source's options, which nobody may see.
    ///   - answer: the answers of a service in good health.
    public init(
        _ source: any HistoricalSource,
        _ recall: Recall,
        secrets: [String] = [],
        answer: @escaping @Sendable (HTTPRequest) -> FetchResult
    ) {
        self.source = source
        self.recall = recall
        self.secrets = secrets
        self.answer = answer
    }

    /// Everything that is wrong; empty when the source conforms.
    public func violations() -> [String] {
        let played = PlayedRecall(source, recall, answer: answer)
        guard let report = played.report else {
            return ["not finished after \(SourceConformance.stepsMax) steps"]
        }
        var found = leaks(source.recallKey, "what it is kept under")
        found += leaks("\(played.requests)", "the description of a request") + leaks("\(report)", "the report")
        if let failure = played.failure { found.append("good answers: failed: \(failure)") }
        if played.lines.isEmpty { found.append("good answers: nothing was recalled") }
        if PlayedRecall(source, recall, answer: answer).report?.outcome != report.outcome {
            found.append("the same answers were recalled otherwise the second time")
        }
        for line in played.lines { found += flaws(of: line) }
        if !zip(played.lines, played.lines.dropFirst()).allSatisfy({ $0.seen <= $1.seen }) {
            found.append("the lines are not in the order of seen")
        }
        for mishap in Mishap.all(at: recall.now) { found += check(mishap) }
        return found
    }

    /// Nobody may know earlier than a poll could have known.
    private func flaws(of line: ObservationLine) -> [String] {
        var found: [String] = []
        if line.source != recall.source { found.append("a line of source '\(line.source)'") }
        if line.seen <= recall.from { found.append("a line seen at \(line.seen), before the stretch") }
        guard case .observed(let observation) = line else { return found }
        let span = observation.span
        if span.to > recall.to { found.append("a span that ends at \(span.to), after the stretch") }
        if observation.seen < span.to { found.append("a span seen at \(observation.seen), before its end \(span.to)") }
        if let flaw = observation.flaw { found.append(flaw) }
        return found
    }

    private func check(_ mishap: Mishap) -> [String] {
        let played = PlayedRecall(source, recall) { _ in mishap.result }
        guard let report = played.report else { return ["\(mishap.name): not finished"] }
        guard let failure = played.failure else { return ["\(mishap.name): did not fail"] }
        var found = leaks("\(report)", "\(mishap.name): the report")
        if !mishap.reasons.contains(failure.reason) {
            found.append("\(mishap.name): the reason is \(failure.reason.rawValue)")
        }
        if let until = mishap.until, failure.retryAt ?? .earliest < until {
            found.append("\(mishap.name): does not wait until \(until) as told")
        }
        return found
    }

    private func leaks(_ text: String, _ place: String) -> [String] {
        secrets.contains { !$0.isEmpty && text.contains($0) } ? ["\(place) shows a secret"] : []
    }
}
