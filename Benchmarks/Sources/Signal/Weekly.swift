internal import AlertModel
internal import Measuring

/// What `drop` tells of apps that are worse at some hours of every week: how often it rings for that, and how soon it
/// finds a fall on top of it.
///
/// They crash for one visit in a hundred and fifty at other times, rather more than the apps of the other worlds: of a
/// very good app even three times as many crashes are less than half a point.
struct WeeklyTrial {
    let users: Double
    let worse: Worse
    private var alarms = [Int](repeating: 0, count: WeeklyTrial.weeks)
    private var ringing = (there: 0, elsewhere: 0)
    private var steps = (there: 0, elsewhere: 0)
    /// Minutes until a fall of a point was found, infinite where it was not within two days.
    private var delays: (there: [Double], elsewhere: [Double]) = ([], [])
    private let apps: Int

    static let weeks = 10
    /// From here on it is known.
    static let known = 3
    static let crashes = 0.02
    private static let fall = 0.01
    private static let weekSteps = 7 * App.stepsPerDay

    static let kinds = [
        Worse.never, Worse(.weekends, times: 1.5), Worse(.weekends, times: 2), Worse(.weekends, times: 3),
        Worse(.weekdays, times: 2), Worse(.fridayEvenings, times: 2), Worse(.fridayEvenings, times: 3),
    ]

    init(users: Double, worse: Worse, apps: Int, seed: UInt64) throws {
        (self.users, self.worse, self.apps) = (users, worse, apps)
        let rules = try Rules(.users)
        for number in 0..<apps { play(rules, seed: seed &* 1_000_003 &+ UInt64(number)) }
    }

    private mutating func play(_ rules: Rules, seed: UInt64) {
        var chance = Chance(seed: seed &* 7919)
        // Weekends and evenings begin on the hour.
        let zone = Double(Int(24 * chance.unit())) / 24
        var app = App(
            usersPerDay: users, visits: 3, seed: seed, phase: zone, crashes: WeeklyTrial.crashes, worse: worse)
        var line = Line(seed: seed)
        var panel = Panel(rules)
        for week in 0..<WeeklyTrial.weeks {
            // Each week a fall is tried at any moment, and one while it is worse.
            let begin = Double(week * 7) + zone
            var there = begin
            repeat { there = begin + 7 * chance.unit() } while !worse.covers(there)
            let elsewhere = begin + 7 * chance.unit()
            for _ in 0..<WeeklyTrial.weekSteps {
                let was = panel[.drop]
                let (from, isThere) = (app.day, worse.covers(app.day))
                panel.take(
                    line.arrivals(after: app.next(extra: 0, extraInOneIssue: false), step: app.step - 1),
                    at: app.step - 1)
                if panel[.drop], !was { alarms[week] += 1 }
                guard week >= WeeklyTrial.known else { continue }
                if isThere {
                    steps.there += 1
                    if panel[.drop] { ringing.there += 1 }
                } else {
                    steps.elsewhere += 1
                    if panel[.drop] { ringing.elsewhere += 1 }
                }
                guard !panel[.drop] else { continue }
                if from..<app.day ~= there { delays.there.append(WeeklyTrial.delay(app, line, panel)) }
                if from..<app.day ~= elsewhere, !isThere {
                    delays.elsewhere.append(WeeklyTrial.delay(app, line, panel))
                }
            }
        }
    }

    private static func delay(_ app: App, _ line: Line, _ panel: Panel) -> Double {
        var (app, line, panel) = (app, line, panel)
        for passed in 1...(2 * App.stepsPerDay) {
            let tally = app.next(extra: fall, extraInOneIssue: false)
            panel.take(line.arrivals(after: tally, step: app.step - 1), at: app.step - 1)
            if panel[.drop] { return Double(passed) * 5 }
        }
        return .infinity
    }

    static func write(_ sizes: [Double], apps: Int, seed: UInt64) throws {
        print("\n## Hours that are worse every week\n")
        print(
            "\(apps) apps of each kind, \(weeks) weeks; alarms an app-week in the first two weeks and from the fourth on, how much of "
                + "the time it rang from the fourth on, and the median minutes until a fall of a point was found.\n")
        let table = Table(
            "weekly",
            [
                "users a day", "worse", "alarms at first", "alarms later", "rang then, %", "rang else, %",
                "found then", "found else",
            ], names: 2)
        for users in sizes {
            for worse in kinds { try WeeklyTrial(users: users, worse: worse, apps: apps, seed: seed).add(to: table) }
        }
    }

    private func add(to table: Table) {
        let later = alarms.dropFirst(WeeklyTrial.known)
        func median(_ delays: [Double]) -> String {
            quantile(delays, 0.5).map { $0.isFinite ? fixed($0, 0) : "more than 2 days" } ?? "rings always"
        }
        table.add([
            number(users), worse.times == 1 ? "never" : "\(worse.when.rawValue), \(worse.times) times",
            fixed(Double(alarms[0] + alarms[1]) / Double(2 * apps), 2),
            fixed(Double(later.reduce(0, +)) / Double(later.count * apps), 2), percent(ringing.there, of: steps.there),
            percent(ringing.elsewhere, of: steps.elsewhere), median(delays.there), median(delays.elsewhere),
        ])
    }
}
