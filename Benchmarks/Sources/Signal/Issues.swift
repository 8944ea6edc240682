internal import AlertCore
internal import AlertModel
internal import Glibc
internal import Measuring
internal import Preview

/// One issue of an app's life.
private struct Bug {
    let id: String
    /// In hours since the world began; before zero for those that were always there.
    let born: Double
    /// The share of a day's users that it hits once everybody has the release.
    let share: Double
    /// When somebody resolves it, and when it is back, if ever.
    let resolved: Double
    let returned: Double?
    /// When it is gone for good.
    let gone: Double

    /// The share of a day's users that it hits now.
    func reach(at hour: Double) -> Double {
        let isAway = hour >= resolved && hour < (returned ?? .infinity)
        guard hour >= born, !isAway, hour < gone else { return 0 }
        // With a release that 63 % of the users have after ten hours; what was always there, everybody has.
        let since = hour >= (returned ?? .infinity) ? hour - (returned ?? 0) : hour - born
        return share * (born < 0 && returned == nil ? 1 : 1 - exp(-since / 10))
    }
}

/// What `new_issue` and `regression` tell of streams of issues.
///
/// Three issues a day are born that hit one user in a million or more; how many each hits has a heavy tail (Pareto,
/// exponent 0.6: of ten times the reach there are a quarter as many), up to a fifth of the users. Each comes with a
/// release, is resolved after two weeks on average, and one in ten is back a week later. Two hundred were there before
/// the bot. Every quarter of an hour the source names the hundred worst of the last hour.
struct IssueTrial {
    static let usersMin = [1, 10, 25, 100]
    /// An issue that everybody would want to hear of: it hits so many of a day's users.
    static let bigShare = 0.01

    /// What came of one rule.
    struct Tally {
        var messages = 0
        /// Messages about issues that are older than the bot.
        var ofThePast = 0
        /// Hours from the birth, or the return, of what was told until it was.
        var delays: [Double] = []
        /// The big ones told, and hours until they were.
        var bigDelays: [Double] = []
    }

    let usersPerDay: Double
    let appMonths: Double
    /// New issues that hit anybody at all, and those that hit many.
    private(set) var born = 0
    private(set) var big = 0
    private(set) var returned = 0
    private(set) var bigReturned = 0
    /// By the rule's name, the source telling when each was first seen.
    private(set) var tallies: [String: Tally] = [:]
    /// The same where it does not tell.
    private(set) var blindTallies: [String: Tally] = [:]

    init(usersPerDay: Double, apps: Int, days: Int, seed: UInt64) {
        self.usersPerDay = usersPerDay
        appMonths = Double(apps * days) / 30
        for number in 0..<apps {
            for tellsBirth in [true, false] {
                // The same life twice.
                var chance = Chance(seed: seed &* 104_729 &+ UInt64(number))
                play(days: days, tellsBirth: tellsBirth, &chance)
            }
        }
    }

    private static func rules() -> String {
        usersMin.flatMap { users in
            ["new_issue", "regression"].map { "\($0)-\(users): {plugin: \($0), min_users: \(users)}" }
        }.joined(separator: "\n")
    }

    private static func bugs(hours: Double, _ chance: inout Chance) -> [Bug] {
        var bugs: [Bug] = []
        func bug(born: Double) -> Bug {
            let share = min(0.2, 1e-6 * pow(1 - chance.unit(), -1 / 0.6))
            let resolved = max(born, 0) - log(1 - chance.unit()) * 14 * 24
            let returned = chance.unit() < 0.1 ? resolved - log(1 - chance.unit()) * 7 * 24 : nil
            let gone = (returned ?? resolved) - log(1 - chance.unit()) * 7 * 24
            return Bug(
                id: "BUG-\(bugs.count + 1)", born: born, share: share, resolved: resolved, returned: returned,
                gone: returned == nil ? resolved : gone)
        }
        for _ in 0..<200 { bugs.append(bug(born: -1)) }
        var hour = 0.0
        while hour < hours {
            hour -= log(1 - chance.unit()) * 24 / 3
            bugs.append(bug(born: hour))
        }
        return bugs
    }

    private mutating func play(days: Int, tellsBirth: Bool, _ chance: inout Chance) {
        let bugs = IssueTrial.bugs(hours: Double(days) * 24, &chance)
        var preview = playback(rules: IssueTrial.rules())
        var met: Set<String> = []
        var metAgain: Set<String> = []
        for step in 0..<(days * 96) {
            let hour = Double(step) / 4
            let rhythm = 1 - 0.6 * cos(hour / 24 * 2 * .pi)
            var issues: [Issue] = []
            for bug in bugs {
                let mean = bug.reach(at: hour) * usersPerDay / 24 * rhythm
                guard mean > 0 else { continue }
                let users = chance.poisson(mean)
                guard users > 0 else { continue }
                let isBack = hour >= (bug.returned ?? .infinity)
                if bug.born >= 0 { met.insert(bug.id) }
                if isBack { metAgain.insert(bug.id) }
                issues.append(
                    Issue(
                        id: bug.id, title: bug.id, events: users, users: users,
                        // Some were there for long, and it says since when.
                        firstSeen: tellsBirth ? worldBegin + .seconds(Int64(max(bug.born, -24) * 3600)) : nil,
                        status: isBack ? "regressed" : "unresolved"))
            }
            issues.sort { ($0.users ?? 0, $1.id) > ($1.users ?? 0, $0.id) }
            let now = worldBegin + .minutes(Int64(step) * 15)
            let sessions = (usersPerDay * 3 / 24 * rhythm).rounded()
            let observation = Observation(
                subject: Subject(source: "world", app: "app"), span: TimeSpan(lasting: .hours(1), until: now),
                seen: now,
                metrics: [.sessions: max(1, sessions)], issues: Array(issues.prefix(Issue.countMax)))
            preview.feed(ObservationReader.Batch(seen: now, lines: [.observed(observation)]))
        }
        let byID = Dictionary(uniqueKeysWithValues: bugs.map { ($0.id, $0) })
        var told: [String: Tally] = tellsBirth ? tallies : blindTallies
        for decision in preview.finish(now: worldBegin).decisions where decision.kind == .opened {
            guard let summary = decision.message.incidents.first else { continue }
            var tally = told[summary.rule] ?? Tally()
            tally.messages += 1
            if let bug = summary.key.flatMap({ byID[$0] }) {
                let isBack = summary.rule.hasPrefix("regression")
                let began = isBack ? bug.returned ?? 0 : bug.born
                let delay = (decision.at - worldBegin).inSeconds / 3600 - began
                if !isBack, bug.born < 0 { tally.ofThePast += 1 } else { tally.delays.append(delay) }
                if bug.share >= IssueTrial.bigShare, isBack || bug.born >= 0 { tally.bigDelays.append(delay) }
            }
            told[summary.rule] = tally
        }
        if tellsBirth {
            tallies = told
            born += met.count
            returned += metAgain.count
            big += met.count { byID[$0].map { $0.share >= IssueTrial.bigShare } ?? false }
            bigReturned += metAgain.count { byID[$0].map { $0.share >= IssueTrial.bigShare } ?? false }
        } else {
            blindTallies = told
        }
    }
}

/// The table of rules on issues.
enum IssueReport {
    static func write(_ trials: [IssueTrial]) {
        print("\n## New issues, and such as are back")
        for trial in trials {
            print("\n### \(number(trial.usersPerDay)) users a day\n")
            let months = trial.appMonths
            print(
                "\(fixed(months, 0)) app-months; a month \(fixed(Double(trial.born) / months, 1)) new issues hit "
                    + "anybody, \(fixed(Double(trial.big) / months, 2)) of them 1 % of a day's users and more; "
                    + "\(fixed(Double(trial.returned) / months, 2)) are back, "
                    + "\(fixed(Double(trial.bigReturned) / months, 2)) of "
                    + "such.\n")
            let table = Table(
                "issues, \(number(trial.usersPerDay)) users",
                [
                    "rule", "messages an app-month", "hours until reported", "of 1 % and more: reported",
                    "hours until reported",
                    "without first_seen: messages", "of them old ones",
                ])
            for plugin in ["new_issue", "regression"] {
                for users in IssueTrial.usersMin { table.add(line(trial, plugin, users)) }
            }
        }
    }

    private static func line(_ trial: IssueTrial, _ plugin: String, _ users: Int) -> [String] {
        let tally = trial.tallies["\(plugin)-\(users)"] ?? IssueTrial.Tally()
        let blind = trial.blindTallies["\(plugin)-\(users)"] ?? IssueTrial.Tally()
        let months = trial.appMonths
        return [
            "\(plugin), min_users \(users)", fixed(Double(tally.messages) / months, 2), spread(tally.delays),
            "\(tally.bigDelays.count) of \(plugin == "new_issue" ? trial.big : trial.bigReturned)",
            spread(tally.bigDelays),
            fixed(Double(blind.messages) / months, 2), fixed(Double(blind.ofThePast) / months, 2),
        ]
    }
}
