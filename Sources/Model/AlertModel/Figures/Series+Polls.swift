// What earlier polls said, for rules that ask for it.

/// How much of what was seen of a subject is kept for rules.
public struct Retention: Hashable, Sendable {
    /// Figures of spans that end at most so long before the newest.
    public let lookback: Duration
    /// So many polls before the newest, with what they said then.
    public let earlierPolls: Int
    /// Figures of spans that end after this, too, however old: something was said of them that late figures may change.
    public var reach: Moment?

    public init(_ lookback: Duration, earlierPolls: Int = 0, reach: Moment? = nil) {
        self.lookback = lookback
        self.reach = reach
        self.earlierPolls = earlierPolls.clamped(to: 0...Series.earlierPollsMax)
    }

    /// The same with another reach.
    public func reaching(_ reach: Moment?) -> Retention {
        var retention = self
        retention.reach = reach
        return retention
    }
}

extension Series {
    /// The figures that one poll brought of the subject, as they were then.
    public struct Poll: Hashable, Sendable {
        /// When the source was asked.
        public private(set) var seen: Moment
        /// By the end of their spans, oldest first; at least one.
        public private(set) var samples: [Sample]

        init(_ sample: Sample) {
            seen = sample.seen
            samples = [sample]
        }

        /// The figure of a metric over the newest stretch of that length, as this poll alone had it.
        public func measured(_ metric: Metric, over window: Duration) -> Measured? {
            Series.measured(metric, over: window, in: samples)
        }
    }

    /// Most polls before the newest that are kept, whoever asks for more.
    public static let earlierPollsMax = 100
    /// What the samples of all polls together may take as JSON, before the oldest go.
    public static let pollsBytesMax = 1 << 19
}

extension Series.Poll {
    var bytes: Int { samples.reduce(0) { $0 + $1.bytes } }

    /// Takes in another sample of the same poll; the same span told twice counts once.
    mutating func add(_ sample: Series.Sample) {
        samples.removeAll { $0.span == sample.span }
        let place = samples.lastIndex { $0.span.to <= sample.span.to }.map { $0 + 1 } ?? 0
        samples.insert(sample, at: place)
    }

    /// Lets go of the oldest spans until the rest takes no more than that.
    fileprivate mutating func shrink(to bytesMax: Int) {
        while samples.count > 1, bytes > bytesMax { samples.removeFirst() }
    }

    fileprivate mutating func setBack(to now: Moment, by step: Duration) {
        guard seen > now else { return }
        samples = samples.map { $0.setBack(to: now, by: step) }
        seen = seen - step
    }
}

extension Series.Kept {
    /// Takes the sample for what its poll said, and keeps so many polls before the newest.
    mutating func keepPolls(_ sample: Series.Sample, before count: Int) {
        guard count > 0 else {
            if !polls.isEmpty { polls = [] }
            return
        }
        let place = polls.lastIndex { $0.seen <= sample.seen }
        if let place, polls[place].seen == sample.seen {
            polls[place].add(sample)
        } else {
            polls.insert(Series.Poll(sample), at: place.map { $0 + 1 } ?? 0)
        }
        var (bytes, kept) = (0, 0)
        while kept < min(polls.count, count + 1) {
            bytes += polls[polls.count - 1 - kept].bytes
            if kept > 0, bytes > Series.pollsBytesMax { break }
            kept += 1
        }
        if kept < polls.count { polls.removeFirst(polls.count - kept) }
        polls[polls.count - 1].shrink(to: Series.pollsBytesMax)
    }

    mutating func setPollsBack(to now: Moment, by step: Duration) {
        for index in polls.indices { polls[index].setBack(to: now, by: step) }
        polls.sort { $0.seen < $1.seen }
    }
}
