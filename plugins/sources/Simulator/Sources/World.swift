internal import PluginKit

/// The simulated apps: what happened in them between two moments.
///
/// Time is cut into ticks, and what happens in a tick depends on nothing but seed, app and tick. So neighbouring spans
/// add up, longer spans hold all that shorter ones do, and asking twice gives the same answer.
struct World {
    let seed: Int
    let apps: [String]
    let usersPerDay: Double
    /// Simulated seconds in each real one.
    let speed: Double
    /// When simulated and real time were the same.
    let start: Moment

    private static let tickMilliseconds: Int64 = 5000
    /// Longer spans are cut to this: the work grows with the span.
    static let spanMax = Duration.days(31)

    /// Sessions of a user who is there on a day.
    private static let sessionsPerUser = 2.03
    /// Users of a month, in users of a day.
    private static let poolDays = 3.0
    /// How likely a session is its user's first in a while; with the pool above it gives the users of a day back.
    private static let freshSession = 0.6
    /// The same for crashed sessions: whoever has crashed comes back more seldom.
    private static let freshCrash = 0.8
    /// Crashed sessions on a good day: 99.73 % of users see none.
    private static let calmCrashes = 0.002
    /// Crashed sessions more when all run the bad release: 91 % of users see none.
    private static let badCrashes = 0.062

    /// One observation for each app and span, the shortest spans first.
    func observations(over spans: [Duration], until now: Moment, as source: String) -> [Observation] {
        let lengths = Set(spans.map { $0.clamped(to: .milliseconds(1)...World.spanMax) }).sorted()
        return apps.indices.flatMap { app in
            var tally = Tally()
            var tick = World.floorDivide(now.milliseconds, World.tickMilliseconds) - 1
            let key = key(of: app)
            return lengths.map { length in
                let span = TimeSpan(lasting: length, until: now)
                // A tick belongs to the span in which it ends.
                while (tick + 1) * World.tickMilliseconds > span.from.milliseconds {
                    add(tick, of: app, key: key, to: &tally)
                    tick -= 1
                }
                return observation(of: app, span, tally, as: source)
            }
        }
    }

    private static func floorDivide(_ left: Int64, _ right: Int64) -> Int64 {
        left / right - (left % right < 0 ? 1 : 0)
    }

    private func key(of app: Int) -> UInt64 {
        var hash = StableHash()
        hash.add(String(seed))
        hash.add(apps[app])
        return hash.value
    }

    /// What has been counted, newest ticks first.
    private struct Tally {
        var sessions = 0.0
        var crashed = 0.0
        var issues: [KnownIssue: (events: Double, lastSeen: Moment)] = [:]
    }

    private func add(_ tick: Int64, of app: Int, key: UInt64, to tally: inout Tally) {
        let middle = Double(tick * World.tickMilliseconds + World.tickMilliseconds / 2) / 1000
        let startSeconds = Double(start.milliseconds) / 1000
        let elapsed = (middle - startSeconds) * speed
        let (chapter, share) = Story.trouble(at: elapsed)
        let trouble = chapter.concerns(app: app, of: apps.count) ? share * World.badCrashes : 0
        let sessions =
            usersPerDay * World.sessionsPerUser * Double(World.tickMilliseconds) / 86_400_000 * speed
            * Rhythm.activity(at: startSeconds + elapsed)

        var draws = Draws(key: key, tick: tick)
        let calm = draws.count(mean: sessions * World.calmCrashes)
        let bad = draws.count(mean: sessions * trouble)
        let fine = draws.count(mean: sessions * (1 - World.calmCrashes - trouble))
        tally.sessions += fine + calm + bad
        tally.crashed += calm + bad
        let end = Moment(milliseconds: (tick + 1) * World.tickMilliseconds)
        for (issue, events) in [(KnownIssue.old(draws.unit()), calm), (.ofRelease(chapter), bad)] where events > 0 {
            tally.issues[issue, default: (0, end)].events += events
        }
    }

    private func observation(of app: Int, _ span: TimeSpan, _ tally: Tally, as source: String) -> Observation {
        let pool = usersPerDay * World.poolDays
        let users = distinct(tally.sessions, fresh: World.freshSession, from: pool)
        let metrics: Metrics = [
            .users: users,
            .crashedUsers: min(users, distinct(tally.crashed, fresh: World.freshCrash, from: pool)),
            .sessions: tally.sessions,
            .crashedSessions: tally.crashed,
            .crashEvents: tally.crashed,
        ]
        let issues = tally.issues.map { known, count in
            Issue(
                id: "\(apps[app].uppercased())-\(known.number)", title: known.title, events: count.events,
                users: distinct(count.events, fresh: World.freshCrash, from: pool), firstSeen: firstSeen(known),
                lastSeen: count.lastSeen, release: known.release, status: "unresolved")
        }.sorted { ($1.events ?? 0, $0.id) < ($0.events ?? 0, $1.id) }
        return Observation(
            subject: Subject(source: source, app: apps[app]), span: span, seen: span.to, metrics: metrics,
            issues: Array(issues.prefix(Issue.countMax)))
    }

    private func firstSeen(_ issue: KnownIssue) -> Moment {
        switch issue {
        case .common(let index): start - .days(40 + Int64(index) * 9)
        case .ofRelease(let chapter): start + .seconds(1).scaled(by: chapter.shipSecond / speed)
        }
    }
}

/// The crashes that the world knows. Their titles are as unfriendly as real ones.
enum KnownIssue: Hashable {
    /// Always there, by place in the list.
    case common(Int)
    /// Brought by a bad release.
    case ofRelease(Story.Chapter)

    static let titles = [
        "java.lang.IllegalStateException: user \"<b>Zoë</b>\" is not logged in",
        "Fatal error: Index out of range in CartView.swift:88 (*items*[3])",
        "SIGSEGV in libimage.so | decode_row() <@everyone>",
        "NSInvalidArgumentException: -[PriceCell setText:]: [price](https://shop.example/?q=1&r=2) is nil",
        "OutOfMemoryError: Failed to allocate a 52428816 byte allocation `bitmap_7f3a`",
    ]

    /// A common one, the first ones more often, by a draw from 0 up to 1.
    static func old(_ draw: Double) -> KnownIssue { .common(Int(draw * draw * Double(titles.count))) }

    var number: Int {
        switch self {
        case .common(let index): 101 + index
        case .ofRelease(let chapter): 201 + chapter.number
        }
    }

    var title: String {
        switch self {
        case .common(let index): KnownIssue.titles[index]
        case .ofRelease: "NullPointerException in CheckoutViewModel.submit() & \"applyCoupon\""
        }
    }

    var release: String? {
        switch self {
        case .common: nil
        case .ofRelease(let chapter): chapter.badRelease
        }
    }
}
