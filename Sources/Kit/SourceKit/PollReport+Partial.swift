public import PluginKit

extension PollReport {
    /// What came of a poll that failures may have cut short. Some observations are better than none; what they do not name
    /// may be what failed.
    ///
    /// - Parameters:
    ///   - failures: what went wrong on the way. Where nothing was observed the first is what came of the poll; otherwise
    ///     each is a warning.
    ///   - spentUntil: set when the budget is used up: no request before that moment.
    public init(
        _ observations: [Observation], failures: [PollFailure], spentUntil: Moment? = nil, warnings: [String]
    ) {
        if observations.isEmpty, let failure = failures.first {
            // What the others were told to wait for holds all the same.
            self = PollReport(.failed(failure), warnings: warnings).waiting(after: failures, spentUntil: spentUntil)
        } else {
            self = PollReport(
                observations.isEmpty ? .noData : .values(observations),
                warnings: warnings + failures.map(\.description), unread: failures.isEmpty ? .nothing : .anything
            ).waiting(after: failures, spentUntil: spentUntil)
        }
    }
}
