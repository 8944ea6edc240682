/// A plugin that knows a source's API.
///
/// A poll is a conversation: the plugin names the next request, the shell performs it and hands the answer back, until
/// the plugin finishes with what it saw. `poll` is called anew each time; what must be remembered goes into the cursor.
public protocol Source: Plugin {
    init(options: Options, context: SourceContext) throws(ProblemList)

    /// The host polled, for the cap on polls per host; nil when none is.
    var host: String? { get }
    /// Whose budget its requests are counted on: the same for all sources that ask the same service as the same account,
    /// and nothing that tells the credential. Nil when nobody counts.
    var account: String? { get }
    /// The metrics it can give, or nil when only its answers tell.
    var metrics: Set<Metric>? { get }
    /// How long all spans of its figures are, where its options alone say that; nil where rules may ask for others, and where
    /// only its answers tell.
    var onlySpan: Duration? { get }
    /// Whether it names issues, or nil when only its answers tell.
    var givesIssues: Bool? { get }
    /// What in its options works and is not wise, for `check`.
    var cautions: [Problem] { get }
    /// What it gives for a property of `match` (`app`, `release`, `environment`), where the config alone tells: `[""]`
    /// for a property that nothing of it has. Nil when only its answers tell.
    func configured(_ property: String) -> Set<String>?
    /// Whether its figures may have labels: of a source that gives none, `check` knows which `match` can never fit.
    var givesLabels: Bool { get }
    /// The address of the page on which people see an app's figures at this source, with the placeholders of
    /// `SourceSettings`; nil where none is known, or where it would tell what is nobody's business. Messages carry it
    /// where the config names no `dashboard`.
    var dashboard: String? { get }
    /// The failures that may mean that the credential has been replaced: it is read anew then, and where it is another the
    /// poll is made again. 401 nearly everywhere; some services say 403 of a key that they do not know.
    var credentialRefusals: Set<PollFailure.Reason> { get }
    /// How late its service has figures, usually and at most, with these options; nil where that is minutes. `check` counts it
    /// in, also where the secrets are not there without which no source can be made.
    static func lateness(_ options: Options) -> ClosedRange<Duration>?

    /// The first step of a poll; each step says itself what follows its answer.
    func poll(_ poll: Poll) -> PollStep
}

extension Source {
    public var account: String? { nil }
    public var onlySpan: Duration? { nil }
    public var givesIssues: Bool? { nil }
    public var cautions: [Problem] { [] }
    public func configured(_ property: String) -> Set<String>? { nil }
    public var givesLabels: Bool { true }
    public var dashboard: String? { nil }
    public var credentialRefusals: Set<PollFailure.Reason> { [.unauthorized] }
    public static func lateness(_ options: Options) -> ClosedRange<Duration>? { nil }
}

/// What a source plugin is told besides its options.
public struct SourceContext: Sendable {
    /// The source's name in the config.
    public let name: String
    /// The config file's folder: relative paths start here.
    public let folder: String
    /// How often the source is polled when nothing special happens.
    public let every: Duration
    /// How long it may go without an answer.
    public let slowest: Duration
    /// How long one request may take.
    public let timeout: Duration
    /// For services that count in days of a zone of their own.
    public let zones: ZoneDatabase

    public init(
        name: String, folder: String, every: Duration, slowest: Duration = PollingSettings.slowest.default,
        timeout: Duration = PollingSettings.timeout.default, zones: ZoneDatabase = ZoneDatabase()
    ) {
        self.name = name
        self.folder = folder
        self.every = every
        self.slowest = slowest
        self.timeout = timeout
        self.zones = zones
    }

    /// The path as the shell must open it.
    public func absolute(_ path: String) -> String {
        path.hasPrefix("/") ? path : folder + "/" + path
    }
}

/// What one poll is to find out.
public struct Poll: Sendable {
    /// The source's name.
    public let source: String
    public let now: Moment
    /// What the last finished poll left to remember.
    public let cursor: JSON?
    /// Spans that rules want measured, shortest first; never empty.
    public let spans: [Duration]
    /// Whether figures of earlier answers may be lost: one that is as before is to be taken in as if it were new.
    public let isAnew: Bool

    public init(source: String, now: Moment, cursor: JSON?, spans: [Duration], isAnew: Bool = false) {
        self.source = source
        self.now = now
        self.cursor = cursor
        self.spans = spans
        self.isAnew = isAnew
    }
}

/// The next step of a conversation that ends with a report.
public indirect enum Conversation<Report: Sendable>: Sendable {
    case fetch(HTTPRequest, then: @Sendable (FetchResult) -> Conversation)
    case read(FileRequest, then: @Sendable (FileResult) -> Conversation)
    /// Needs an access token: one that is kept from before, or a new one.
    case authorize(TokenOrder, then: @Sendable (Result<AccessToken, PollFailure>) -> Conversation)
    case finish(Report)
}

extension Conversation {
    /// Ends the conversation with a failure.
    public static func fail<Outcome>(_ failure: PollFailure) -> Conversation where Report == SourceReport<Outcome> {
        .finish(SourceReport(.failed(failure)))
    }
}

/// What came of a request. A 304 arrives as an ordinary answer.
public enum FetchResult: Sendable {
    case answered(HTTPResponse)
    case failed(TransportError)

    /// The answer, whatever its status.
    public func response() throws(PollFailure) -> HTTPResponse {
        switch self {
        case .answered(let response): return response
        case .failed(let error): throw PollFailure(error)
        }
    }
}

/// A stretch of a file to read.
public struct FileRequest: Hashable, Sendable {
    /// Absolute.
    public let path: String
    public let offset: Int64
    public let bytesMax: Int

    public init(path: String, offset: Int64 = 0, bytesMax: Int) {
        self.path = path
        self.offset = offset
        self.bytesMax = bytesMax
    }
}

/// What came of reading a stretch of a file.
public enum FileResult: Sendable {
    /// `identity` changes when another file takes the name; `size` is the whole file's.
    case contents(bytes: [UInt8], size: Int64, identity: String)
    /// Why, as it stands after "cannot be read:".
    case failed(String)
}

/// What a conversation has brought, and what the source wants remembered.
public struct SourceReport<Found: SourceOutcome>: Sendable {
    public typealias Outcome = Found

    public var outcome: Outcome
    /// Kept for the next poll, in the journal, or for the next stretch that is recalled; nil keeps the old one.
    public var cursor: JSON?
    /// The service asked not to be asked before this, for whatever reason.
    public var notBefore: Moment?
    /// Until when the budget of the source's account is used up; nil where the service asks to wait because of trouble of its
    /// own, which is nobody else's.
    public var limit: Moment?
    /// Sentences about answers that are usable but not whole. What was recalled with any is not kept for the next time.
    public var warnings: [String]
    /// Sentences for whoever looks at this poll by hand, such as what it cost.
    public var notes: [String]
    /// Apps that are not said to have vanished where the answer does not name them.
    public var unread: Unread
    /// Whether an answer without figures is that of the poll before once more, which had none either. It is not `unchanged`, which
    /// says of the last figures that they hold.
    public var isAsBefore = false
    /// Why a part of what was asked for could not be had. A budget that is used up is no reason: what it leaves out is asked
    /// for later.
    public private(set) var missing: PollFailure?
    /// Whether a part was not asked for, or not answered, because a budget is used up: nothing is known of it.
    public private(set) var isPartWaiting = false

    public init(
        _ outcome: Outcome, cursor: JSON? = nil, limit: Moment? = nil, warnings: [String] = [],
        notes: [String] = [], unread: Unread = .nothing
    ) {
        self.outcome = outcome
        self.unread = unread
        self.cursor = cursor
        self.limit = limit
        notBefore = limit
        // Names of projects and apps stand in them as their service writes them, and they go to terminals and logs.
        self.warnings = warnings.map(\.tamed)
        self.notes = notes.map(\.tamed)
    }

    /// The same, with what the failures of its parts, which are not its outcome, ask to wait for.
    ///
    /// - Parameter spentUntil: when a budget is used up: no request before that moment.
    public func waiting(after failures: [PollFailure], spentUntil: Moment? = nil) -> SourceReport {
        var report = self
        report.limit = ([limit, spentUntil] + failures.map(\.limit)).compactMap(\.self).max()
        report.notBefore = ([notBefore, report.limit] + failures.map(\.retryAt)).compactMap(\.self).max()
        report.missing = missing ?? failures.first { $0.reason != .rateLimited }
        report.isPartWaiting = isPartWaiting || failures.contains { $0.reason == .rateLimited }
        return report
    }

    /// The same, with what is said of its parts put in other words.
    public func saying(_ words: (String) -> String) -> SourceReport {
        var report = self
        report.warnings = warnings.map(words)
        report.notes = notes.map(words)
        report.missing = missing.map { $0.saying(words($0.description)) }
        return report
    }
}

/// What a conversation can bring; any can fail.
public protocol SourceOutcome: Hashable, Sendable {
    static func failed(_ failure: PollFailure) -> Self
}

/// What a poll found out.
public enum PollOutcome: SourceOutcome {
    case values([Observation])
    /// The source answered that nothing happened in the span.
    case noData
    /// Older than allowed.
    case stale(measured: Moment)
    /// The same answer as before: 304, or the same bytes again.
    case unchanged
    case failed(PollFailure)
}

public typealias PollReport = SourceReport<PollOutcome>

/// The next step of a poll.
public typealias PollStep = Conversation<PollReport>

/// Why a poll failed.
public struct PollFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The closed set of reasons, for logic and metrics.
    public enum Reason: String, Hashable, Sendable, CaseIterable {
        case timeout
        case unreachable
        /// The credential was refused (401).
        case unauthorized
        /// The credential may not see this (403).
        case forbidden
        case notFound = "not_found"
        case rateLimited = "rate_limited"
        /// The service says it is in trouble (5xx).
        case unavailable
        /// An answer that is not what the API promises.
        case badAnswer = "bad_answer"
        case tooLarge = "too_large"
        /// Any other refusal.
        case refused
        /// A file that cannot be read.
        case unreadable
    }

    public let reason: Reason
    /// A sentence for whoever has to fix it, without secrets.
    public private(set) var description: String
    /// The service asked to wait until then.
    public var retryAt: Moment?
    /// Whether a budget that is used up (`rateLimited`) is that of another account than the source names: it waits, and
    /// nobody with it.
    public private(set) var isOfAnotherAccount = false

    public init(_ reason: Reason, _ description: String, retryAt: Moment? = nil) {
        self.reason = reason
        self.description = description.tamed
        self.retryAt = retryAt
    }

    /// The same failure in other words.
    public func saying(_ description: String) -> PollFailure {
        var failure = self
        failure.description = description.tamed
        return failure
    }

    /// The same failure, of a request that is counted on another account than the source names.
    public var ofAnotherAccount: PollFailure {
        var failure = self
        failure.isOfAnotherAccount = true
        return failure
    }

    /// Until when the budget of the source's account is used up.
    public var limit: Moment? { reason == .rateLimited && !isOfAnotherAccount ? retryAt : nil }

    public init(_ error: TransportError) {
        let reason: Reason =
            switch error.cause {
            case .timeout: .timeout
            case .tooLarge: .tooLarge
            case .badAddress, .refusedScheme, .redirect: .refused
            default: .unreachable
            }
        self.init(reason, error.description)
    }

    /// A value that is not what the API promises, with its path.
    public init(_ mismatch: JSONMismatch) {
        self.init(.badAnswer, "the answer is not what was expected: \(mismatch)")
    }

    /// What an answer without success means, by its status; nil for success and for 304.
    ///
    /// - Parameter detail: what the service says about it, if it says so in a known place.
    public init?(_ response: HTTPResponse, detail: String? = nil, now: Moment) {
        let reason: Reason
        switch response.status {
        case 200...299, 304: return nil
        case 401: reason = .unauthorized
        case 403: reason = .forbidden
        case 404: reason = .notFound
        case 429: reason = .rateLimited
        case 500...599: reason = .unavailable
        default: reason = .refused
        }
        let said = (detail ?? response.redirection ?? response.inWords).tamed.clipped(to: 200)
        // The headers of a limit come with any answer; who says "retry after" means this one.
        let wait =
            [429, 503].contains(response.status) ? response.toldWait(now: now) : response.retryAfter(now: now)
        self.init(
            reason, "the source answered \(response.status)" + (said.isEmpty ? "" : ": \(said)"),
            retryAt: wait.map { now + $0 })
    }
}

extension PollFailure {
    /// The same failure with what to do about it behind it.
    public func advised(by advice: String?) -> PollFailure {
        advice.map { saying("\(description) (\($0))") } ?? self
    }

    /// The same failure with what was asked for in front.
    public func about(_ subject: String) -> PollFailure { saying("\(subject): \(description)") }

    /// The same failure of one of the spans that were asked for, which it names: a rule about another goes on.
    public func about(spanOf length: Duration) -> PollFailure {
        saying("the span of \(length.grammar): \(description)")
    }
}

extension SourceReport where Found == PollOutcome {
    /// Until when the service wants to be left alone, if it said so.
    public var wait: Moment? {
        guard case .failed(let failure) = outcome else { return notBefore }
        return [failure.retryAt, notBefore].compactMap(\.self).max()
    }
}

extension HTTPResponse {
    /// Where an answer leads that was not followed: the transport leaves those to requests with a body alone. Only the server
    /// is named, as the rest may hold secrets.
    fileprivate var redirection: String? {
        guard (300...399).contains(status), let target = header("Location") else { return nil }
        let server = WebAddress(target).map { "\($0.scheme)://\($0.host)" + ($0.port.map { ":\($0)" } ?? "") }
        let place = server ?? (target.hasPrefix("//") ? "another server" : "another page of its own")
        return "it redirects to \(place), and nothing was sent there; if that is right, use its address instead"
    }
}

extension PollOutcome {
    /// The outcome of a poll of which a line tells.
    public init(_ empty: EmptyPoll.Outcome) {
        switch empty {
        case .noData: self = .noData
        case .stale(let measured): self = .stale(measured: measured)
        case .unchanged: self = .unchanged
        case .failed(let failure): self = .failed(PollFailure(failure))
        }
    }
}

extension PollFailure {
    /// The failure of which a line tells.
    public init(_ failure: EmptyPoll.Failure) {
        self.init(
            Reason(rawValue: failure.reason) ?? .refused, failure.sentence ?? failure.reason.tamed,
            retryAt: failure.retryAt)
    }
}
