internal import PluginKit

/// Bad cases of a short time that stand out from the rest of the window, as those of one user do who starts a crashing
/// app again and again.
///
/// A fall goes on: after a while the others are bad as well, and nothing stands out any more. One loop is over by then.
/// So for the question whether the figures can carry an alarm what stands out of a stretch, or of several in a row, is
/// left out, up to as many cases as one loop is likely to have; more than that is no loop, and counts at once.
///
/// Where crashed users are known beside crashed sessions, they say what is a loop that lasts (`CrashLoop`): all of it is
/// left out, of however many cases, and nothing of a fall that hits many. A single stretch may stand out even so.
///
/// Measured with `scripts/bench signal`: at 500 users a day on sessions every false alarm of this rule had been one such
/// stretch.
struct Clump {
    /// How many bad cases stand out.
    let excess: Double
    /// All bad cases of the stretches that do.
    let bad: Double
    let span: TimeSpan

    /// Of fewer stretches none can be said to stand out: it may be where a fall began.
    private static let stretchesMin = 4
    /// So many times as many others must be left to compare with: of an hour of five minutes, up to 20 stand out.
    private static let othersTimes = 2
    /// What is usual beside the mean of the others, which are few and often have none at all.
    private static let usual = (cases: 2.0, timesMean: 3.0)
    /// Sessions of a user in a span, where the source does not say: as `drop` takes it before it has learned it.
    private static let sessionsEach = 1.5

    /// What stands out of the stretches that make up a span.
    ///
    /// - Parameter bad: the cases of a share that are bad.
    init?(of metric: Metric, in span: TimeSpan, of series: Series, bad: (Share) -> Double) {
        let stretches = series.pieces(of: metric, in: span).map { piece in
            Stretch(
                span: piece.span, bad: bad(piece.share), total: piece.share.total,
                metrics: metric == .crashFreeSessions ? series.sample(of: piece.span)?.metrics : nil)
        }
        guard let users = Clump.crashedUsers(stretches) else {
            self.init(in: stretches, most: stretches.count / (Clump.othersTimes + 1))
            return
        }
        let others = Clump.leavingOutLoops(stretches, ofUsers: users)
        let loops = zip(stretches, others).filter { $0.bad > $1.bad }.map(\.0)
        let rest = Clump(in: others, most: 1)
        guard let newest = loops.first, let oldest = loops.last,
            let whole = TimeSpan(from: oldest.span.from, to: newest.span.to)
        else {
            guard let rest else { return nil }
            self = rest
            return
        }
        self.init(
            excess: zip(stretches, others).reduce(rest?.excess ?? 0) { $0 + $1.0.bad - $1.1.bad },
            bad: loops.reduce(0) { $0 + $1.bad }, span: whole)
    }

    private init(excess: Double, bad: Double, span: TimeSpan) {
        (self.excess, self.bad, self.span) = (excess, bad, span)
    }

    /// Newest first, as they are looked at.
    private struct Stretch {
        let span: TimeSpan
        var bad: Double
        let total: Double
        /// What else is known of it, where that may tell of users.
        let metrics: Metrics?
    }

    /// The crashed users of each stretch; nil where they do not account for the cases: a source that knows few of them, or
    /// none, says nothing of loops.
    private static func crashedUsers(_ stretches: [Stretch]) -> [Double]? {
        guard let users = known(.crashedUsers, of: stretches) else { return nil }
        let bad = stretches.reduce(0) { $0 + $1.bad }
        return bad <= users.reduce(0, +) * CrashLoop.sessionsMax ? users : nil
    }

    private static func known(_ metric: Metric, of stretches: [Stretch]) -> [Double]? {
        let known = stretches.compactMap { $0.metrics?[metric] }
        return known.count == stretches.count && known.allSatisfy { $0 >= 0 } ? known : nil
    }

    private static func leavingOutLoops(_ stretches: [Stretch], ofUsers users: [Double]) -> [Stretch] {
        var each = Clump.sessionsEach
        if let all = Clump.known(.users, of: stretches)?.reduce(0, +), all > 0 {
            each = max(1, stretches.reduce(0) { $0 + $1.total } / all)
        }
        var (result, loop) = (stretches, CrashLoop())
        for index in stretches.indices.reversed() {
            let (bad, from) = (stretches[index].bad, stretches[index].span.from)
            result[index].bad = loop.counted(bad, ofUsers: users[index], each: each, since: from)
        }
        return result
    }

    /// - Parameter most: how many stretches in a row may stand out.
    private init?(in stretches: [Stretch], most: Int) {
        guard stretches.count >= Clump.stretchesMin else { return nil }
        let sum = stretches.reduce(0) { $0 + $1.bad }
        var best: (excess: Double, bad: Double, span: TimeSpan)?
        for newest in stretches.indices {
            let end = stretches[newest].span.to
            var here = 0.0
            for oldest in newest..<min(newest + max(1, most), stretches.count) {
                let begin = stretches[oldest].span.from
                let count = Double(oldest - newest + 1)
                guard count == 1 || end - begin <= CrashLoop.longest else { break }
                here += stretches[oldest].bad
                let mean = (sum - here) / (Double(stretches.count) - count)
                let excess = here - Clump.usual.cases - Clump.usual.timesMean * mean * count
                guard excess > best?.excess ?? 0, let span = TimeSpan(from: begin, to: end) else { continue }
                best = (excess, here, span)
            }
        }
        guard let best else { return nil }
        self.init(excess: min(best.excess, CrashLoop.sessionsMax), bad: best.bad, span: best.span)
    }
}
