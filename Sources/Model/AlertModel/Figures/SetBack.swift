// What was seen by a clock that has been set back since lies in the future, and would pass for the newest until that
// time comes again. It is what was seen last all the same, so it is moved to where the clock stands now.

extension Observation {
    /// Moves what was seen after `now` to `now`.
    public mutating func setBack(to now: Moment) {
        guard seen > now else { return }
        span = span.setBack(to: now, by: seen - now)
        seen = now
    }
}

extension Series.Kept {
    mutating func setBack(to now: Moment) {
        let step = lastSeen - now
        samples = samples.map { $0.setBack(to: now, by: step) }
        samples.sort { ($0.span.to, $0.seen) < ($1.span.to, $1.seen) }
        past = past.map { $0.setBack(to: now, by: step) }
        past.sort { ($0.span.to, $0.seen) < ($1.span.to, $1.seen) }
        setPollsBack(to: now, by: step)
        trail.removeAll { $0.span.to > now }
        lastSeen = now
        if let seen = figuresSeen, seen > now { figuresSeen = seen - step }
    }
}

extension Series.Sample {
    func setBack(to now: Moment, by step: Duration) -> Series.Sample {
        guard seen > now else { return self }
        return Series.Sample(
            span: span.setBack(to: now, by: step), seen: seen - step, isComplete: isComplete, metrics: metrics)
    }
}

extension TimeSpan {
    /// A span that ends by `now` was told by a clock that went right, and stays.
    fileprivate func setBack(to now: Moment, by step: Duration) -> TimeSpan {
        to > now ? TimeSpan(lasting: length, until: to - step) : self
    }
}
