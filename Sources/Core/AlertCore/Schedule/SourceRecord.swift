public import PluginKit

/// What is remembered of a source.
public struct SourceRecord: Hashable, Sendable {
    public enum Outcome: String, Hashable, Sendable, CaseIterable {
        case values
        case noData = "no_data"
        case stale, unchanged, failed
    }

    public struct Failure: Hashable, Sendable {
        public var reason: PollFailure.Reason
        public var sentence: String
        /// When the first of the failures in a row happened.
        public var since: Moment
        public var count: Int
    }

    /// What a conditional request needs to know of the answer before.
    public struct Validator: Hashable, Sendable {
        public var etag: String?
        public var lastModified: String?
        public init(etag: String?, lastModified: String?) {
            self.etag = etag
            self.lastModified = lastModified
        }
    }

    public var cursor: JSON?
    /// By a hash of the request's address: addresses can be secrets.
    public var validators: [String: Validator] = [:]
    /// Whether figures of its answers may be lost, with records of the journal: until one was taken in whole, none says 'as
    /// before'.
    public internal(set) var isAnew = false
    public var lastPolled: Moment?
    /// When its first poll ended; nil once it has given a usable answer.
    public var firstPolled: Moment?
    /// When the source last gave a usable answer.
    public var lastGood: Moment?
    var breaks = Breaks()
    /// When the poll began that last brought figures: answers that say 'as before' mean these.
    public var lastChanged: Moment?
    /// Times over which answers said 'as before', each from such a `lastChanged` on: whatever was seen last in one of them is
    /// known to have held until its end.
    public internal(set) var confirmed: [TimeSpan] = []
    /// What answers that said 'as before' could not tell of since the newest that was whole; nil where that is the newest.
    var doubt: Doubt?
    public var lastOutcome: Outcome?
    public var failure: Failure?
    /// What the newest usable answers lacked, though the rest was there.
    public var lack: Failure?
    /// What the newest answer was not whole in, in sentences; an answer that says 'as before' means that too.
    public private(set) var warnings: [String] = []
    /// Answers in a row that were the same as the one before.
    public var unchangedCount = 0
    /// Polls in a row in which every figure was far from every limit.
    public var calmCount = 0
    /// The closeness of the last figures to a limit.
    public var isNear = false
    /// Why the source is not polled any more, until the config is loaded anew.
    public var stopped: String?
    public var due: Moment?
    /// Until when the budget of its account is used up, as far as this source was told: others of the account wait, too.
    public var limit: Moment?
    /// Until when the service asked not to be polled, whatever for.
    public var told: Moment?
    public var reasons: [PollReason] = []

    /// Most warnings kept: more than a source gives of one answer. The log has all.
    static let warningsMax = 10
    /// A warning is a sentence; what is quoted in it may be of any length.
    static let warningCharactersMax = 300

    /// Most confirmations kept, of a source that tells of its apps one by one: each is written down with every poll.
    private static let confirmedMax = 8

    public init() {}

    /// Keeps how long answers have said 'as before', when the next one does not.
    mutating func endConfirmation() {
        guard lastOutcome == .unchanged, let lastChanged, let lastGood,
            let span = TimeSpan(from: lastChanged, to: lastGood)
        else { return }
        confirmed = confirmed.filter { $0.from != span.from }.suffix(SourceRecord.confirmedMax - 1) + [span]
    }

    /// Until when something that was seen last at that moment is known to have held: an answer that says 'as before' says it of
    /// all that came before it.
    func knownUntil(_ seen: Moment) -> Moment {
        if lastOutcome == .unchanged, let lastGood, let lastChanged, seen >= lastChanged { return max(seen, lastGood) }
        return confirmed.first { $0.from <= seen && seen < $0.to }?.to ?? seen
    }

    /// The same of issues: an answer that could not tell of an app does not say that nobody met them.
    func issuesKnownUntil(_ seen: Moment, of app: String) -> Moment {
        guard let doubt, doubt.unread.contains(app) else { return knownUntil(seen) }
        return max(seen, min(knownUntil(seen), doubt.since))
    }

    /// Of which apps nothing was told, and when the answer before came.
    struct Doubt: Hashable, Sendable {
        var unread: Unread
        var since: Moment
    }

    /// Until when the service asked not to be polled; nil where it did not. Journals of before have only the reason.
    var silentUntil: Moment? { told ?? (reasons.contains(.told) ? due : nil) }

    /// When the source last gave a usable answer, as people are told: that nothing has been pushed yet is none.
    public func lastAnswer(of source: SourcePlan) -> Moment? { isUntouched(source) ? nil : lastGood }

    /// Whether nothing has been pushed to it yet.
    public func isUntouched(_ source: SourcePlan) -> Bool { source.isPushed && lastChanged == nil }

    /// Since when the source has given no usable answer: since its last one, or since it is polled; nil while its newest
    /// answer is one, and before the first poll has ended.
    public var silentSince: Moment? {
        switch lastOutcome {
        case .failed, .stale: lastGood ?? firstPolled ?? failure?.since
        case .values, .noData, .unchanged, nil: nil
        }
    }

    /// Has the next answer taken in whole.
    mutating func forgetAnswer() {
        isAnew = true
        validators = [:]
    }

    /// Takes in what an answer was: one that says 'as before', as of a file that has not grown, brings back nothing of what is lost.
    /// Nor does one that could not tell all.
    mutating func noteTaken(_ report: PollReport) {
        guard report.unread == .nothing else { return }
        switch report.outcome {
        case .values, .noData, .stale: isAnew = false
        case .unchanged, .failed: break
        }
    }

    /// Takes in what the newest answer was not whole in.
    mutating func note(warnings new: [String]) {
        warnings = new.prefix(SourceRecord.warningsMax).map { $0.clipped(to: SourceRecord.warningCharactersMax) }
    }
}
