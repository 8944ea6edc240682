/// A source whose service keeps the past, and can say now what it would have answered then.
///
/// Backtests ask for one stretch after another. As in a poll, the plugin names the requests and the host performs them,
/// one at a time.
public protocol HistoricalSource: Source {
    /// Whether this one can, as it is configured.
    var keepsHistory: Bool { get }
    /// Whatever of the source decides what it recalls, such as its address and its queries: what was recalled is kept
    /// for the next time under this text. Secrets are masked in it.
    var recallKey: String { get }

    func recall(_ recall: Recall) -> RecallStep
}

extension HistoricalSource {
    public var keepsHistory: Bool { true }
}

/// A stretch of the past to recall.
public struct Recall: Sendable {
    /// The source's name.
    public let source: String
    public let now: Moment
    /// The stretch begins after this moment and ends with the other: figures that were known then, and no earlier ones.
    public let from: Moment
    /// Not after `now`.
    public let to: Moment
    /// How far apart the polls were, at least a second.
    public let every: Duration
    /// Spans that rules want measured, shortest first; never empty.
    public let spans: [Duration]
    /// What the stretch before left to remember.
    public let cursor: JSON?

    public init(
        source: String, now: Moment, from: Moment, to: Moment, every: Duration, spans: [Duration], cursor: JSON? = nil
    ) {
        self.source = source
        self.now = now
        self.from = from
        self.to = min(to, now)
        self.every = max(every, .seconds(1))
        self.spans = spans
        self.cursor = cursor
    }

    /// The whole multiples of a length since 1970 that lie in the stretch, so that neighbouring stretches share none.
    public func multiples(of length: Duration) -> some Sequence<Moment> & Sendable {
        let length = max(length.wholeMilliseconds, 1)
        let first = Recall.floor(from, length) / length + 1
        let last = Recall.floor(to, length) / length
        return (first..<max(first, last + 1)).lazy.map { Moment(milliseconds: $0 * length) }
    }

    /// The first poll that is not before a moment.
    public func poll(notBefore moment: Moment) -> Moment {
        let last = Recall.floor(moment, to: every)
        return last == moment ? moment : last + every
    }

    /// The last whole multiple of a length that is not after the moment.
    public static func floor(_ moment: Moment, to length: Duration) -> Moment {
        Moment(milliseconds: floor(moment, max(length.wholeMilliseconds, 1)))
    }

    private static func floor(_ moment: Moment, _ length: Int64) -> Int64 {
        let rest = moment.milliseconds % length
        return moment.milliseconds - (rest < 0 ? rest + length : rest)
    }
}

/// What a source recalls of a stretch. A failure that is `.tooLarge` asks for a shorter one.
public enum RecallOutcome: SourceOutcome {
    /// What polls would have brought, in the order in which it would have been seen. A poll that would have failed
    /// is a line too; one that would have found nothing is none.
    case lines([ObservationLine])
    case failed(PollFailure)
}

public typealias RecallReport = SourceReport<RecallOutcome>

/// The next step of recalling.
public typealias RecallStep = Conversation<RecallReport>
