/// One user who starts a crashing app again and again: many bad sessions, and the trouble of one.
///
/// Where a source gives crashed users beside crashed sessions, they tell a loop from a fall: twice as many sessions as
/// so many users usually have is a loop. What one user can do in several spans is one user's doing, too: the user of a
/// loop is likely among those who crash in the spans that follow, so for half an hour from its begin they count as one
/// fewer. In a fall many users crash in every span, and one fewer is no loss.
///
///     var loop = CrashLoop()
///     for span in spans { judged += loop.counted(span.bad, ofUsers: span.users, each: 1.2, since: span.from) }
public struct CrashLoop: Hashable, Sendable {
    /// When the one that was seen last began.
    private var begin: Moment?

    // Guesses at what people do, for no service tells; tried on the simulated apps of Benchmarks/Sources/Signal.

    /// How long one goes on at most: two or three spans of five minutes are usual, so few last longer.
    public static let longest = Duration.minutes(30)
    /// How long one goes on on average: one in twenty is longer than the longest.
    public static let usual = Duration.minutes(10)
    /// Nobody whose app crashes starts it more often than so for long: seven times in five minutes. With two a minute falls of
    /// three points were found ten minutes later at 20,000 users a day on sessions alone; with this, as soon as before.
    public static let sessionsPerMinute = 1.5
    /// Most bad sessions of one: loops have five on average and go on by four chances in five, as `drop` takes them, so
    /// that one in eighty is longer.
    public static let sessionsMax = 20.0
    /// A user may have so many times the sessions that users usually have, before the rest is taken for a loop.
    private static let timesUsual = 2.0

    public init() {}

    /// The bad sessions of a span that are not one user's loop. Spans are asked about in the order of time.
    ///
    /// - Parameters:
    ///   - users: those who had them; of fractions and of nobody little can be said, so one there is.
    ///   - each: how many sessions such a user usually has in a span.
    public mutating func counted(_ bad: Double, ofUsers users: Double, each: Double, since from: Moment) -> Double {
        let goesOn = isGoingOn(at: from)
        let counted = min(bad, CrashLoop.timesUsual * each * (goesOn ? max(0, users - 1) : max(1, users)))
        if counted < bad { note(from) }
        return counted
    }

    /// Takes in that a loop was seen in a span that began then.
    public mutating func note(_ from: Moment) {
        if !isGoingOn(at: from) { begin = from }
    }

    private func isGoingOn(at moment: Moment) -> Bool {
        begin.map { moment - $0 < CrashLoop.longest } ?? false
    }
}
