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
    /// Whether anything came that can be read.
    private var isAnyRead = false
    /// When a poll had figures, and when one failed.
    private var goodAt: Moment?
    private var failedAt: Moment?
    /// Why the first answer is left out that may be another the next time, or that costs a poll no more than a part.
    private var leftOut: PollFailure?

    /// Requests of one stretch; whoever asks for it has a bound, too.
    private static let requestsMax = 150
    /// Longer spans are asked for this often.
    private static let rhythmMax = Duration.days(1)
    /// A stretch that is too large is halved no further than to this, or to the time between two polls.
    private static let stretchMin = Duration.minutes(15)

    init(of source: HTTPJSONSource, _ recall: Recall) {
        self.source = source
        self.recall = recall
        guard !source.tellsItself else {
            // Spans are asked for in whole steps, so that the newest stretch, which ends at any moment, begins where it should.
            let end = Recall.floor(recall.to, to: source.plan.step)
            looks = [(recall.to, max(end - recall.from, source.plan.step))]
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
        guard number < looks.count else { return finish() }
        let (at, span) = looks[number]
        let poll = Poll(source: recall.source, now: at, cursor: nil, spans: [span])
        return HTTPJSONPoll(of: source, poll, asking: span).begin().then { end in
            var recall = self
            recall.isAnyRead = isAnyRead || end.isRead
            switch end.report.outcome {
            case .failed(let failure) where failure.reason == .badAnswer:
                recall.leaveOut(failure, at, isRead: end.isRead)
                return recall.ask(number + 1)
            case .failed(let failure):
                // A wait is counted from today.
                let retryAt = failure.retryAt.map { $0 + (self.recall.now - at) }
                return .fail(PollFailure(failure.reason, failure.description, retryAt: retryAt))
            case .values(let observations):
                if end.isCut, canBeShorter(observations) {
                    return .fail(PollFailure(.tooLarge, "there are more pages than are read ('paging.pages')"))
                }
                recall.lines += observations.compactMap(recall.line)
            case .noData, .stale, .unchanged: break
            }
            recall.goodAt = at
            recall.note(end.report.unread, at)
            for warning in end.report.warnings where !recall.warnings.contains(warning) {
                recall.warnings.append(warning)
            }
            return recall.ask(number + 1)
        }
    }

    /// A poll would have failed then, and no other; where its shorter spans were good, it was judged by those.
    private mutating func leaveOut(_ failure: PollFailure, _ at: Moment, isRead: Bool) {
        if goodAt == at {
            note(.anything, at)
        } else if failedAt != at {
            lines.append(.failed(source: recall.source, reason: failure.description, seen: at))
            failedAt = at
        }
        if source.tellsItself {
            leftOut = failure.about("from \(recall.from) to \(recall.to)")
        } else if goodAt == at || !isRead {
            leftOut = leftOut ?? failure
        }
    }

    /// Nobody has vanished who may be in what was not read.
    private mutating func note(_ unread: Unread, _ at: Moment) {
        guard unread != .nothing, !source.tellsItself else { return }
        lines.append(.partial(PartialPoll(source: recall.source, unread, seen: at)))
    }

    private func finish() -> RecallStep {
        var warnings = warnings
        if let leftOut {
            guard isAnyRead else { return .fail(leftOut) }
            warnings.append("an answer is left out: \(leftOut)")
        }
        return .finish(RecallReport(.lines(lines.sorted { $0.seen < $1.seen }), warnings: warnings))
    }

    /// Whether half the stretch would have fewer pages. Spans that are asked for are as long in every stretch, and where
    /// rows say what they cover, halves that cut one in two would lose it.
    private func canBeShorter(_ rows: [Observation]) -> Bool {
        let half = (recall.to - recall.from).scaled(by: 0.5)
        guard source.tellsItself, half >= max(HTTPJSONRecall.stretchMin, recall.every) else { return false }
        let longest = max(rows.map(\.span.length).max() ?? .zero, source.plan.step)
        return half.wholeMilliseconds % longest.wholeMilliseconds == 0
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
