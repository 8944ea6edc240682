internal import Glibc

/// What an incident of a kind was like for whoever judged it.
struct Found {
    let depth: Int
    let shape: Shape
    /// Steps from its begin until each contestant fired; nil when none did in time, or (see `wasRinging`) it rang
    /// already.
    var after = [Int?](repeating: nil, count: Contestant.allCases.count)
    var wasRinging = [Bool](repeating: false, count: Contestant.allCases.count)
    /// The same for the optimum, at each of its possible limits.
    var optimum = [Int?](repeating: nil, count: Trial.limits.count)
}

/// All the lives of apps of one size, and what came of them.
struct Trial {
    struct Size {
        let usersPerDay: Double
        let visits: Double
        let watched: Watched
        let apps: Int
        /// Days after the first three weeks, in which there are no incidents.
        let days: Int
        let daysBetweenIncidents: Int
        /// How many spans of five minutes a loop of one user lasts on average.
        var loopSpans = 1.0
    }

    static let depths = [0.003, 0.01, 0.03, 0.1]
    /// Limits tried for the optimum's score.
    static let limits = (0..<80).map { Double($0) * 0.25 }
    static let learningDays = 21
    /// An incident that nobody has found by then is not found.
    static let stepsMax = 3 * App.stepsPerDay

    let size: Size
    private(set) var falseAlarms = [Int](repeating: 0, count: Contestant.allCases.count)
    /// For each depth and limit, how often the optimum's score rose to it.
    private(set) var optimumAlarms = Trial.depths.map { _ in [Int](repeating: 0, count: Trial.limits.count) }
    private(set) var found: [Found] = []
    /// The mean of the users of a span and of their true rate.
    private(set) var usersPerSpan = 0.0
    private(set) var rate = 0.0

    /// The days in which the rule said that it was ready, and in which false alarms were counted.
    private(set) var appDays = 0.0

    init(_ size: Size, seed: UInt64) throws {
        self.size = size
        let rules = try Rules(size.watched)
        var chance = Chance(seed: seed &* 7919)
        var (spans, users, crashing) = (0.0, 0.0, 0.0)
        for number in 0..<size.apps {
            let own = seed &* 1_000_003 &+ UInt64(number)
            var app = App(usersPerDay: size.usersPerDay, visits: size.visits, seed: own, loopSpans: size.loopSpans)
            var line = Line(seed: own)
            var shelf = size.watched == .releases ? Shelf(seed: own) : nil
            var panel = Panel(rules)
            var isReady = false
            var oracles = Trial.depths.map { Oracle(depth: $0, app.noise, size.watched) }
            let begin = Trial.learningDays * App.stepsPerDay
            var next = begin + Int(chance.unit() * Double(size.daysBetweenIncidents * App.stepsPerDay))
            for step in 0..<(begin + size.days * App.stepsPerDay) {
                var tally = app.next(extra: 0, extraInOneIssue: false)
                shelf?.shareOut(&tally, of: app, bad: nil)
                let arrivals = line.arrivals(after: tally, step: step)
                let before = panel.isFiring
                panel.take(arrivals, at: step)
                if !isReady {
                    isReady = panel.isReady
                    continue
                }
                spans += 1
                users += tally.users
                crashing += tally.users * tally.truth
                for (index, fires) in panel.isFiring.enumerated() where fires && !before[index] {
                    falseAlarms[index] += 1
                }
                for (_, tally) in arrivals {
                    for depth in oracles.indices { count(oracles[depth].take(tally), depth) }
                }
                if step >= begin, step == next {
                    next += Int((0.5 + chance.unit()) * Double(size.daysBetweenIncidents * App.stepsPerDay))
                    for depth in Trial.depths.indices {
                        for shape in Shape.allCases {
                            found.append(Trial.incident(depth, shape, app, line, shelf, panel, oracles[depth]))
                        }
                    }
                }
            }
        }
        appDays = spans / Double(App.stepsPerDay)
        usersPerSpan = users / spans
        rate = crashing / max(users, 1)
    }

    private mutating func count(_ excursion: Double?, _ depth: Int) {
        guard let excursion else { return }
        for (index, limit) in Trial.limits.enumerated() where excursion >= limit { optimumAlarms[depth][index] += 1 }
    }

    /// What happens if from here on an incident goes on.
    private static func incident(
        _ depth: Int, _ shape: Shape, _ app: App, _ line: Line, _ shelf: Shelf?, _ panel: Panel, _ oracle: Oracle
    ) -> Found {
        var (app, line, shelf, panel, oracle) = (app, line, shelf, panel, oracle)
        let start = app.step
        var found = Found(depth: depth, shape: shape)
        found.wasRinging = panel.isFiring
        var reached = 0
        while reached < limits.count, oracle.score >= limits[reached] {
            found.optimum[reached] = 0
            reached += 1
        }
        for passed in 1...stepsMax {
            let share = shape.share(after: passed)
            var tally = app.next(extra: depths[depth] * share, extraInOneIssue: shape.isInOneIssue)
            shelf?.shareOut(&tally, of: app, bad: shape == .release ? (share, depths[depth]) : nil)
            // The app counts its steps from 1, the stream from 0.
            let arrivals = line.arrivals(after: tally, step: start + passed - 1)
            panel.take(arrivals, at: start + passed - 1)
            for (index, fires) in panel.isFiring.enumerated() where fires && found.after[index] == nil {
                found.after[index] = passed
            }
            for (_, tally) in arrivals { _ = oracle.take(tally) }
            while reached < limits.count, oracle.score >= limits[reached] {
                found.optimum[reached] = passed
                reached += 1
            }
            // Beyond a day only those are waited for that still have a chance.
            if passed >= App.stepsPerDay, found.after[Contestant.rules.rawValue] != nil, reached >= 56 { break }
        }
        return found
    }

    /// The limit at which the optimum's false alarms are as many; where they are too few to count, extended by the law
    /// that one more of the score is e times fewer.
    func optimumLimit(depth: Int, alarms: Double) -> Int {
        let counts = optimumAlarms[depth]
        let sure = counts.lastIndex { $0 >= 20 } ?? 0
        var limit = Trial.limits[sure] + log(Double(max(counts[sure], 1)) / alarms)
        if Double(counts[sure]) < alarms, let index = counts.firstIndex(where: { Double($0) <= alarms }) {
            limit = Trial.limits[index]
        }
        let nearest = Int((limit / 0.25).rounded())
        return min(max(0, nearest), Trial.limits.count - 1)
    }
}
