/// How a poll ended that brought no figures.
public struct EmptyPoll: Hashable, Sendable {
    public enum Outcome: Hashable, Sendable {
        case failed(Failure)
        /// The source answered that nothing happened in the span.
        case noData
        /// Older than allowed.
        case stale(measured: Moment)
        /// The same answer as before.
        case unchanged
    }

    public struct Failure: Hashable, Sendable {
        public var reason: String
        /// What people are told of it; nil where only the reason is known.
        public var sentence: String?
        /// The service asked to wait until then.
        public var retryAt: Moment?

        public init(reason: String, sentence: String? = nil, retryAt: Moment? = nil) {
            self.reason = reason
            self.sentence = sentence
            self.retryAt = retryAt
        }
    }

    public var source: String
    public var outcome: Outcome
    public var seen: Moment

    public init(source: String, _ outcome: Outcome, seen: Moment) {
        self.source = source
        self.outcome = outcome
        self.seen = seen
    }

    func putMembers(into json: inout JSONWriter) {
        json.member("source", source)
        switch outcome {
        case .failed(let failure): failure.putMembers(into: &json)
        case .noData: json.member("outcome", "no_data")
        case .unchanged: json.member("outcome", "unchanged")
        case .stale(let measured):
            json.member("outcome", "stale")
            json.member("measured", measured)
        }
        json.member("seen", seen)
    }
}

extension EmptyPoll.Failure {
    /// Nil where the line tells of none.
    init?(_ line: JSONReader) throws(JSONMismatch) {
        guard let failed = try line.optional("failed") else { return nil }
        self.init(
            reason: try failed.nonEmptyString(), sentence: try line.optional("sentence")?.string(),
            retryAt: try line.optional("retry_at")?.moment())
    }

    func putMembers(into json: inout JSONWriter) {
        json.member("failed", reason)
        json.member("sentence", ifAny: sentence)
        json.member("retry_at", ifAny: retryAt)
    }
}

extension EmptyPoll.Outcome {
    /// The outcome that a line tells; nil where it tells figures.
    init?(_ line: JSONReader) throws(JSONMismatch) {
        if let failure = try EmptyPoll.Failure(line) {
            self = .failed(failure)
            return
        }
        guard let outcome = try line.optional("outcome") else { return nil }
        switch try outcome.string() {
        case "no_data": self = .noData
        case "unchanged": self = .unchanged
        case "stale": self = .stale(measured: try line.member("measured").moment())
        default: throw outcome.mismatch(expected: "no_data, stale, unchanged or partial")
        }
    }
}
