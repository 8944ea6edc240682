extension Series {
    /// The figures themselves, and how they change.
    struct Kept: Hashable, Sendable {
        var samples: [Sample] = []
        /// What they take as JSON, about.
        var samplesBytes = 0
        var trail: [HourPoint] = []
        var issues: [Issue] = []
        var labels: [String: String] = [:]
        var firstSeen: Moment?
        var lastSeen = Moment.earliest
        /// When figures were last seen; nil before the first.
        var figuresSeen: Moment?
        var polls: [Poll] = []
        var releasesSummed: Int?
        var past: [Sample] = []
        /// What those of the past take as JSON, about.
        var pastBytes = 0
        var reach: Moment?
        var memory: SeriesMemory
    }
}

extension Series.Kept {
    mutating func add(_ observation: Observation, keeping retention: Retention, after elders: Elders) {
        memory.add(observation, after: elders)
        firstSeen = firstSeen ?? observation.seen
        let isHistory = observation.isHistory
        // Behind newer figures it may put right what was said of that time; it never stands where rules read of now.
        let tellsFigures = !observation.metrics.isEmpty && (!isHistory || isBehindFigures(observation))
        if !tellsFigures, hasFigures {
            // What is older than what was heard last is no news, and says nothing of labels.
            if observation.seen >= lastSeen { hear(of: observation, keeping: labels) }
            return
        }
        // From the first figures on looks without any are none.
        if tellsFigures, !hasFigures { letGoOfLooks() }
        let sample = Series.Sample(
            span: observation.span, seen: observation.seen, isComplete: observation.isComplete,
            metrics: tellsFigures ? observation.metrics.kept(bytesMax: Series.metricsBytesMax) : Metrics())
        if !isHistory { keepPolls(sample, before: retention.earlierPolls) }
        reach = retention.reach
        let isOfNow = tellsFigures && !isHistory && !isEcho(observation)
        guard samples.keep(sample, &samplesBytes) else { return }
        if isOfNow { figuresSeen = max(figuresSeen ?? .earliest, observation.seen) }
        dropOvertaken(by: sample, retention.lookback)
        dropOutdated(retention.lookback)
        dropPast()
        extendTrail(sample)
        hear(of: observation)
    }

    /// Whether there are figures: from then on issues alone are no news of them, and must not pass for some.
    var hasFigures: Bool { figuresSeen != nil }

    /// Whether it corrects what is past after a silence: that a straggler of hours ago has come says nothing of now.
    /// What a source names again and again is no echo, however old it is.
    private func isEcho(_ observation: Observation) -> Bool {
        guard let figuresSeen else { return false }
        let silence = observation.seen - figuresSeen
        guard silence > Series.silenceMin, silence > observation.span.length.scaled(by: 2) else { return false }
        return isBehindFigures(observation)
    }

    /// Whether there are figures of a span that ends no earlier.
    private func isBehindFigures(_ observation: Observation) -> Bool {
        guard hasFigures, let newest = samples.last else { return false }
        return observation.span.to <= newest.span.to
    }

    /// Takes in what an observation says besides figures.
    ///
    /// - Parameter known: the labels that stay where it has none.
    private mutating func hear(of observation: Observation, keeping known: [String: String] = [:]) {
        if !observation.issues.isEmpty { issues = observation.issues.worthKeeping }
        labels = observation.labels.isEmpty ? known : observation.labels.kept(bytesMax: Series.labelsBytesMax)
        lastSeen = max(lastSeen, observation.seen)
    }

    private mutating func letGoOfLooks() {
        samples = []
        samplesBytes = 0
        trail = []
    }

    /// Lets go of a stretch that has slid on: there are newer ones of the same length and metrics, and it begins before
    /// all that rules read. They read the newest, and of older ones only such as lie whole behind it, so this one is
    /// never read again. An hour that slides by a minute is kept twice and not sixty times.
    private mutating func dropOvertaken(by newest: Series.Sample, _ retention: Duration) {
        guard samples.count > 2, samples.last == newest,
            let before = samples.last(where: { $0.span.to < newest.span.to })
        else { return }
        // With each newest one of a kind the next of those before has slid out, so it is among the last that could have.
        let outside = newest.span.to - retention + newest.span.length
        let end = samples.partitioningIndex { $0.span.to >= outside || $0.span.to >= before.span.to }
        // While the newest is filling, one before it may be the newest that is over.
        let overtaken = samples[..<end].suffix(Series.kindsMax).lastIndex { sample in
            sample.isAlike(newest) && (newest.isComplete || !sample.isComplete)
        }
        guard let index = overtaken else { return }
        letGo(of: samples[index])
        samples.remove(at: index)
    }

    private mutating func letGo(of sample: Series.Sample) {
        samplesBytes -= sample.bytes
        if let reach, sample.span.to > reach { past.keep(sample, &pastBytes) }
    }

    private mutating func dropOutdated(_ retention: Duration) {
        guard samples.count > 2, let newest = samples.last?.span.to else { return }
        let horizon = horizon(retention)
        var long: [Series.Sample] = []
        // The newest look always stays, and the one before it, so that the time between them is known.
        var gone = 0
        while samples.count - gone > 2,
            (samples[gone].span.to <= horizon && samples[gone + 1].span.to < newest)
                || samples.count - gone > Series.samplesMax || samplesBytes > Series.samplesBytesMax
        {
            if isNewestLong(gone, retention) { long = [samples[gone]] } else { letGo(of: samples[gone]) }
            gone += 1
        }
        if gone > long.count { samples.replaceSubrange(..<gone, with: long) }
    }

    /// What ends by then is read no more. While the newest spans fill, rules read those that are over, and as far back
    /// from there.
    private func horizon(_ retention: Duration) -> Moment {
        guard let newest = samples.last else { return .earliest }
        let over = samples.last(where: \.isComplete)?.span.to ?? newest.span.to
        let late = max(Series.fillingMax, newest.span.length.scaled(by: 4))
        return max(over, newest.span.to - late) - retention
    }

    /// Whether it is the newest stretch about as long as rules look back: of a source that measures a day once a day it is
    /// the newest day until the next one comes, whatever shorter ones have come since.
    private func isNewestLong(_ index: Int, _ retention: Duration) -> Bool {
        func isLong(_ sample: Series.Sample) -> Bool { sample.span.length.scaled(by: 2) >= retention }
        return isLong(samples[index]) && !samples[index].isOutdated(besides: samples[samples.count - 1])
            && !samples[(index + 1)...].reversed().contains(where: isLong)
    }

    /// Lets go of what nobody has been told anything of, and of the oldest beyond the bound.
    private mutating func dropPast() {
        guard !past.isEmpty else { return }
        guard let reach else {
            past = []
            pastBytes = 0
            return
        }
        var gone = 0
        while gone < past.count, past[gone].span.to <= reach || pastBytes > Series.pastBytesMax {
            pastBytes -= past[gone].bytes
            gone += 1
        }
        if gone > 0 { past.removeFirst(gone) }
    }

    private mutating func extendTrail(_ sample: Series.Sample) {
        let hour = (sample.span.to.milliseconds - 1) / 3_600_000
        guard let last = trail.last, last.hour >= hour else {
            trail.append(Series.HourPoint(hour: hour, span: sample.span, metrics: sample.metrics))
            trail.removeAll { $0.hour <= hour - Int64(Series.trailHoursMax) }
            return
        }
        guard last.hour == hour, let index = trail.indices.last else { return }
        if sample.span.from >= last.span.to, let span = TimeSpan(from: last.span.from, to: sample.span.to) {
            trail[index].metrics = last.metrics.pooled(with: sample.metrics)
            trail[index].span = span
        } else if sample.span.length.distance(to: .hours(1)) <= last.span.length.distance(to: .hours(1)) {
            trail[index].metrics = sample.metrics
            trail[index].span = sample.span
        }
    }
}

extension [Series.Sample] {
    /// Takes in a sample in the order of the ends of the spans; one of the same span is replaced. Gives back whether it
    /// is kept: an older sight of a span changes nothing.
    @discardableResult
    fileprivate mutating func keep(_ sample: Series.Sample, _ bytes: inout Int) -> Bool {
        // Only what ends together can be the same span: few samples, however many there are.
        let end = lastIndex { $0.span.to <= sample.span.to }.map { $0 + 1 } ?? 0
        let begin = self[..<end].lastIndex { $0.span.to < sample.span.to }.map { $0 + 1 } ?? 0
        if let known = self[begin..<end].firstIndex(where: { $0.span == sample.span }) {
            guard self[known].seen <= sample.seen else { return false }
            bytes -= self[known].bytes
            self[known] = sample
        } else if end == count {
            append(sample)
        } else {
            insert(sample, at: end)
        }
        bytes += sample.bytes
        return true
    }
}

extension Series.Sample {
    /// Whether it is of the same length and tells of the same metrics.
    fileprivate func isAlike(_ other: Series.Sample) -> Bool {
        span.length == other.span.length && metrics.entries.count == other.metrics.entries.count
            && zip(metrics.entries, other.metrics.entries).allSatisfy { $0.metric == $1.metric }
    }

    /// What it takes as JSON, about.
    var bytes: Int { metrics.bytes + Self.envelopeBytes }

    /// Everything but the metrics: three instants, the names, a truth value.
    private static let envelopeBytes = 130
}

extension Metrics {
    /// What they take as JSON, about.
    var bytes: Int { entries.reduce(0) { $0 + $1.bytes } }

    /// The first of them, as many as take no more than that.
    fileprivate func kept(bytesMax: Int) -> Metrics {
        guard bytes > bytesMax else { return self }
        var left = bytesMax
        let count = entries.firstIndex { entry in
            left -= entry.bytes
            return left < 0
        }
        return prefix(count ?? entries.count)
    }
}

extension Metrics.Entry {
    /// A name and a number with quotes, colon and comma, about; no number takes more than 24.
    fileprivate var bytes: Int { metric.name.utf8.count + 20 }
}

extension [String: String] {
    /// The first by name, as many as take no more than that.
    fileprivate func kept(bytesMax: Int) -> [String: String] {
        func bytes(_ label: Element) -> Int { label.key.utf8.count + label.value.utf8.count }
        guard reduce(0, { $0 + bytes($1) }) > bytesMax else { return self }
        var left = bytesMax
        return sorted { $0.key < $1.key }.reduce(into: [:]) { kept, label in
            left -= bytes(label)
            if left >= 0 { kept[label.key] = label.value }
        }
    }
}

extension Metrics {
    /// The figures of two neighbouring spans together: sums of what adds up, and of the rest the newer span's.
    func pooled(with other: Metrics) -> Metrics {
        var result = other
        for metric in Metric.summed {
            if let before = self[metric] { result[metric] = before + (other[metric] ?? 0) }
        }
        return result
    }
}

extension Metric {
    /// The counts that are summed over neighbouring spans.
    fileprivate static let summed: [Metric] = [.sessions, .crashedSessions, .crashEvents]
}

extension [Issue] {
    /// What messages may name: those that hit most people, and those that appeared last, which may be behind hundreds that
    /// are years old.
    fileprivate var worthKeeping: [Issue] {
        let ranked = indices.dropFirst().contains { self[$0].hitsMore(than: self[$0 - 1]) } ? mostHitting : self
        let newest = ranked.dropFirst(Issue.keptMax).filter { $0.firstSeen != nil }
            .sorted { ($0.firstSeen ?? .earliest, $1.id) > ($1.firstSeen ?? .earliest, $0.id) }
        return Array(ranked.prefix(Issue.keptMax)) + newest.prefix(Issue.keptMax)
    }

    /// What is alike stays as its source has it.
    private var mostHitting: [Issue] {
        enumerated().sorted { left, right in
            left.element.hitsMore(than: right.element)
                || !right.element.hitsMore(than: left.element) && left.offset < right.offset
        }.map(\.element)
    }
}

extension Issue {
    /// Issues kept of each of the two: a message names five.
    fileprivate static let keptMax = 5

    /// Whether it hits more people than another, or had more events where nobody counts people.
    fileprivate func hitsMore(than other: Issue) -> Bool {
        let (mine, theirs) = (events ?? 0, other.events ?? 0)
        return (users ?? mine, mine) > (other.users ?? theirs, theirs)
    }
}
