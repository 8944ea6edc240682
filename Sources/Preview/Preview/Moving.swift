public import AlertCore
public import PluginKit

// A look at another time takes what sources say now for what they would say then.

extension Input {
    /// The same of a poll that was made so much later; what asks to wait is moved along.
    public func moved(by time: Duration) -> Input {
        guard case .polled(let source, var report, let validators) = self else { return self }
        switch report.outcome {
        case .values(let observations): report.outcome = .values(observations.map { $0.moved(by: time) })
        case .stale(let measured): report.outcome = .stale(measured: measured + time)
        case .failed(var failure):
            failure.retryAt = failure.retryAt.map { $0 + time }
            report.outcome = .failed(failure)
        case .noData, .unchanged: break
        }
        report.notBefore = report.notBefore.map { $0 + time }
        report.limit = report.limit.map { $0 + time }
        return .polled(source: source, report, validators: validators)
    }
}

extension ObservationLine {
    /// The same, seen so much later.
    public func moved(by time: Duration) -> ObservationLine {
        switch self {
        case .observed(let observation): return .observed(observation.moved(by: time))
        case .empty(var poll):
            poll.seen = poll.seen + time
            switch poll.outcome {
            case .stale(let measured): poll.outcome = .stale(measured: measured + time)
            case .failed(var failure):
                failure.retryAt = failure.retryAt.map { $0 + time }
                poll.outcome = .failed(failure)
            case .noData, .unchanged: break
            }
            return .empty(poll)
        case .partial(var poll):
            poll.seen = poll.seen + time
            return .partial(poll)
        }
    }
}

extension Observation {
    fileprivate func moved(by time: Duration) -> Observation {
        var moved = self
        moved.span = TimeSpan(lasting: span.length, until: span.to + time)
        moved.seen = seen + time
        for index in moved.issues.indices {
            moved.issues[index].firstSeen = issues[index].firstSeen.map { $0 + time }
            moved.issues[index].lastSeen = issues[index].lastSeen.map { $0 + time }
            moved.issues[index].returned = issues[index].returned.map { $0 + time }
        }
        return moved
    }
}
