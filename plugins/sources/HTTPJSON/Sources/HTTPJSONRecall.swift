internal import PluginKit

/// The past, asked for span by span, where the request says which time it is about.
///
/// Each span is asked for once, not at every poll that there would have been: one of an hour each hour, longer ones each
/// day. Rows that say themselves what they cover are asked for the whole stretch at once.
struct HTTPJSONRecall: Sendable {
    private let source: HTTPJSONSource
    private let recall: Recall
    /// When what is asked for, in that order.
    private let looks: [(at: Moment, span: Duration)]
    private var lines: [ObservationLine] = []
    private var warnings: [String] = []

    /// Requests of one stretch; whoever asks for it has a bound, too.
    private static let requestsMax = 150
    /// Longer spans are asked for this often.
    private static let rhythmMax = Duration.days(1)

    init(of source: HTTPJSONSource, _ recall: Recall) {
        self.source = source
        self.recall = recall
        guard !source.tellsItself else {
            looks = [(recall.to, max(recall.to - recall.from, source.plan.step))]
            return
        }
        var looks: [(at: Moment, span: Duration)] = []
        for span in source.lengths(recall.spans) {
            let rhythm = max(min(span, HTTPJSONRecall.rhythmMax), recall.every)
            looks += recall.multiples(of: rhythm).map { ($0, span) }
        }
        self.looks = looks.sorted { ($0.at, $0.span) < ($1.at, $1.span) }
    }

    func begin() -> RecallStep {
        let most = looks.count * (source.paging?.pagesMax ?? 1)
        guard most <= HTTPJSONRecall.requestsMax || looks.count <= 1 else {
            return .fail(PollFailure(.tooLarge, "up to \(most) requests are too many for one stretch"))
        }
        return ask(0)
    }

    private func ask(_ number: Int) -> RecallStep {
        guard number < looks.count else {
            return .finish(RecallReport(.lines(lines.sorted { $0.seen < $1.seen }), warnings: warnings))
        }
        let (at, span) = looks[number]
        let poll = Poll(source: recall.source, now: at, cursor: nil, spans: [span])
        return HTTPJSONPoll(of: source, poll, asking: span).begin().then { report in
            var recall = self
            switch report.outcome {
            case .failed(let failure):
                // A wait is counted from today.
                let retryAt = failure.retryAt.map { $0 + (recall.recall.now - at) }
                return .fail(PollFailure(failure.reason, failure.description, retryAt: retryAt))
            case .values(let observations): recall.lines += observations.compactMap(recall.line)
            case .noData, .stale, .unchanged: break
            }
            for warning in report.warnings where !recall.warnings.contains(warning) { recall.warnings.append(warning) }
            return recall.ask(number + 1)
        }
    }

    /// As it would have been seen: nobody could know of a span before its end.
    private func line(_ observation: Observation) -> ObservationLine? {
        guard observation.span.to > recall.from, observation.span.to <= recall.to else { return nil }
        var observation = observation
        observation.seen = observation.span.to
        observation.isComplete = true
        return .observed(observation)
    }
}

extension Conversation {
    /// Goes on with what the conversation ends with.
    fileprivate func then<Other: Sendable>(
        _ next: @escaping @Sendable (Report) -> Conversation<Other>
    ) -> Conversation<Other> {
        switch self {
        case .finish(let report): next(report)
        case .fetch(let request, let rest): .fetch(request) { rest($0).then(next) }
        case .read(let request, let rest): .read(request) { rest($0).then(next) }
        case .authorize(let order, let rest): .authorize(order) { rest($0).then(next) }
        }
    }
}
