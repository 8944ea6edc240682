internal import AlertModel
internal import Glibc

/// What happened in five minutes of an app's life.
struct Tally {
    var users = 0.0
    var crashed = 0.0
    var sessions = 0.0
    var crashedSessions = 0.0
    /// Users of the issue that crashes most.
    var worstIssueUsers = 0.0
    /// The true share of users that crash, before the chance of the single span.
    var truth = 0.0
    /// The sessions of each release, where the source names one on every line.
    var parts: [Part] = []

    struct Part {
        let release: Int
        var sessions = 0.0
        var crashedSessions = 0.0
    }
}

/// By how much the counts of an app's spans vary beyond what chance would have it. Every app has its own.
struct Noise {
    /// Common causes move the rate of single spans, which is drawn from a beta distribution: the correlation of two
    /// users of one span (the rho of the beta-binomial distribution).
    var spread: Double
    /// Of the users who crash, those who start the app again and crash again in the same span, whatever the traffic.
    var loopShare = 0.0
    /// How often they do on average: geometric.
    var loopLength = 1.0
    /// How likely such a user still does so in the next span, and is seen crashing once more there.
    var loopGoesOn = 0.0

    /// Hardly any: for what is about something else.
    static let slight = Noise(spread: 0.0001)

    /// Common causes and loops, each for itself anything between none and so much that counts vary twice as Poisson
    /// ones. Common causes do so at the mean traffic of the app, whatever it is: they show more at busy hours. Loops
    /// are of two to eight more crashes on average.
    ///
    /// - Parameter loopSpans: how many spans a loop lasts on average. There are so many times fewer of those that last
    ///   longer.
    init(drawnBy chance: inout Chance, usersPerSpan: Double, loopSpans: Double = 1) {
        spread = max(1e-6, chance.unit() / max(2, usersPerSpan))
        let clumps = chance.unit()
        loopLength = 2 + 6 * chance.unit()
        loopGoesOn = 1 - 1 / loopSpans
        loopShare = clumps / (2 * loopLength * loopLength - clumps * loopLength) / loopSpans
    }

    init(spread: Double) { self.spread = spread }
}

/// Hours of the week in which an app crashes more often than in others, every week.
struct Worse {
    enum When: String, CaseIterable {
        case weekends, weekdays
        case fridayEvenings = "Friday evenings"
    }

    static let never = Worse(.weekends, times: 1)

    let when: When
    let times: Double

    init(_ when: When, times: Double) { (self.when, self.times) = (when, times) }

    /// - Parameter day: the days since a Monday began.
    func covers(_ day: Double) -> Bool {
        let (weekday, hour) = (Int(day) % 7, day.truncatingRemainder(dividingBy: 1) * 24)
        return switch when {
        case .weekends: weekday >= 5
        case .weekdays: weekday < 5
        case .fridayEvenings: weekday == 4 && hour >= 19 && hour < 23
        }
    }

    func times(at day: Double) -> Double { covers(day) ? times : 1 }
}

/// An app without incidents: its traffic and its crashes, five minutes after five minutes.
///
/// Traffic has the rhythm of days and weeks and wanders by a few percent from day to day. The rate of crashed users has
/// a rhythm too, wanders slowly (a mean-reverting walk: a tenth up or down within about a week), changes a little with
/// each of the app's own releases, and has noise: counts are beta-binomial, and of sessions they come in clumps, too.
struct App {
    let usersPerDay: Double
    /// How often a user comes in a day; each visit is seen in one span.
    let visits: Double
    /// The long-run share of users that crash in five minutes of use.
    let rate: Double
    let noise: Noise
    private var chance: Chance
    private let worse: Worse
    private let phase: Double
    private var walk = 0.0
    private var release = 0.0
    private var releaseTarget = 0.0
    private var dayFactor = 1.0
    /// Users whose app has crashed again and again and still does in the next span.
    private var looping = 0.0
    private(set) var step = 0
    /// When its own releases came, oldest first; one was there before.
    private(set) var releases = [-365 * App.stepsPerDay]

    /// 99.7 % of a day's visitors are crash-free if each comes once; of three visits each 99.9 %.
    static let crashesPerUser = 0.003
    static let stepsPerDay = 288
    static let walkDeviation = 0.10
    static let walkDays = 7.0

    /// - Parameters:
    ///   - phase: where in the week it begins, in days; nil for anywhere in a day.
    ///   - noise: nil for some of its own, with loops that last so many spans on average.
    ///   - crashes: the share of users that crash in a day, if each comes once.
    ///   - worse: when in the week the rate is higher.
    init(
        usersPerDay: Double, visits: Double, seed: UInt64, phase fixedPhase: Double? = nil,
        noise fixedNoise: Noise? = nil, loopSpans: Double = 1, crashes: Double = App.crashesPerUser,
        worse: Worse = .never
    ) {
        self.usersPerDay = usersPerDay
        self.visits = visits
        self.worse = worse
        chance = Chance(seed: seed)
        rate = crashes / visits * exp(0.15 * chance.normal()).clamped(to: 0.7...1.4)
        let anywhere = chance.unit()
        phase = fixedPhase ?? anywhere
        walk = App.walkDeviation * chance.normal()
        noise =
            fixedNoise
            ?? Noise(
                drawnBy: &chance, usersPerSpan: usersPerDay * visits / Double(App.stepsPerDay), loopSpans: loopSpans)
    }

    /// Days since a Monday began, for what is worse at some hours of the week.
    var day: Double { Double(step) / Double(App.stepsPerDay) + phase }

    /// The next five minutes, with this much more of a rate.
    mutating func next(extra: Double, extraInOneIssue: Bool) -> Tally {
        advance()
        return draw(extra: extra, extraInOneIssue: extraInOneIssue)
    }

    private mutating func advance() {
        step += 1
        let pace = 1 / Double(App.stepsPerDay) / App.walkDays
        walk += -walk * pace + App.walkDeviation * (2 * pace).squareRoot() * chance.normal()
        if step % App.stepsPerDay == 0 { dayFactor = exp(0.05 * chance.normal()) }
        // A release of its own every two weeks or so, which two days later everybody has.
        if chance.unit() < 1 / Double(14 * App.stepsPerDay) {
            releaseTarget = 0.06 * chance.normal()
            releases.append(step)
        }
        release += (releaseTarget - release) / Double(2 * App.stepsPerDay)
    }

    private mutating func draw(extra: Double, extraInOneIssue: Bool) -> Tally {
        let day = day
        let hour = day * 2 * .pi
        let isWeekend = Int(day) % 7 >= 5
        let rhythm = (1 - 0.6 * cos(hour) - 0.1 * cos(2 * hour)) * (isWeekend ? 1.25 : 0.9)
        var tally = Tally()
        tally.users = chance.poisson(
            usersPerDay * visits / Double(App.stepsPerDay) * max(0.05, rhythm) * dayFactor)
        let quiet =
            rate * exp(walk + release + 0.12 * sin(hour + 1) + (isWeekend ? 0.06 : -0.02)) * worse.times(at: day)
        tally.truth = quiet
        let mean = min(0.95, quiet + extra)
        let drawn = tally.users > 0 ? chance.beta(mean: mean, spread: noise.spread) : mean
        tally.crashed = chance.binomial(tally.users, drawn)
        let still = looping
        let again = crashesAgain(of: tally.crashed)
        tally.users += still
        tally.crashed += still
        tally.sessions = tally.users + chance.poisson(0.6 * tally.users) + again
        tally.crashedSessions = tally.crashed + again
        let ofExtra = chance.binomial(tally.crashed, extra / mean)
        tally.worstIssueUsers =
            chance.binomial(tally.crashed - ofExtra, 0.4) + (extraInOneIssue ? ofExtra : chance.binomial(ofExtra, 0.4))
        return tally
    }

    /// The sessions of users who crash again and again: those who begin, and those who have not stopped.
    private mutating func crashesAgain(of crashed: Double) -> Double {
        guard noise.loopShare > 0 else { return 0 }
        var again = 0.0
        let loops = chance.binomial(crashed, noise.loopShare) + looping
        for _ in 0..<Int(loops) {
            again += 1
            while chance.unit() > 1 / noise.loopLength { again += 1 }
        }
        looping = noise.loopGoesOn > 0 ? chance.binomial(loops, noise.loopGoesOn) : 0
        return again
    }
}

/// How a trouble comes.
enum Shape: String, CaseIterable {
    /// All at once, spread over all issues: a service that the app needs fails.
    case step
    /// Evenly over six hours.
    case ramp
    /// All at once, in one issue.
    case issue
    /// With a release that is rolled out to everybody in the course of a day.
    case release

    /// How much of the depth is there, that many steps after the beginning.
    func share(after steps: Int) -> Double {
        let hours = Double(steps) / 12
        switch self {
        case .step, .issue: return 1
        case .ramp: return min(1, hours / 6)
        case .release: return 1 - exp(-hours / 10)
        }
    }

    var isInOneIssue: Bool { self == .issue }
}

/// What arrives at the bot: most spans in time, some late, some never.
struct Line {
    private var chance: Chance
    /// Spans on their way: when they arrive, and what they say.
    private var waiting: [(arrives: Int, step: Int, tally: Tally)] = []
    private var outageUntil = 0

    init(seed: UInt64) { chance = Chance(seed: seed &* 0x9E37_79B9) }

    /// What arrives now, when the span of this step is over: oldest first.
    mutating func arrivals(after tally: Tally, step: Int) -> [(step: Int, tally: Tally)] {
        if step >= outageUntil, chance.unit() < 1 / Double(20 * App.stepsPerDay) {
            outageUntil = step + 6 + Int(30 * chance.unit())
        }
        let fate = chance.unit()
        if step < outageUntil || fate < 0.01 {
            // Never seen.
        } else if fate < 0.04 {
            waiting.append((step + 1 + Int(6 * chance.unit()), step, tally))
        } else {
            waiting.append((step, step, tally))
        }
        let here = waiting.filter { $0.arrives <= step }.sorted { $0.step < $1.step }
        waiting.removeAll { $0.arrives <= step }
        return here.map { ($0.step, $0.tally) }
    }
}
