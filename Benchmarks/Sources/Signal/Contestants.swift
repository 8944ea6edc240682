internal import AlertModel
internal import DropDetector
internal import PluginKit
internal import ThresholdDetector

/// Who judges the stream.
enum Contestant: Int, CaseIterable {
    /// Crash-free users of the last hour below 99 %, looked at whenever figures come.
    case bare
    /// The same three looks running, of at least 25 users.
    case consecutive
    /// One issue with more than 1 % of the sessions and at least 25 users of the last half hour.
    case velocity
    /// The project's `threshold` by itself: below 99.5 %, with its defaults.
    case threshold
    /// The project's `drop` by itself, with its defaults.
    case drop
    /// Both, as in the example config.
    case rules

    var title: String { ["bare 99 %", "3 running", "velocity", "threshold", "drop", "example rules"][rawValue] }
}

/// The two rules of the example config.
struct Rules {
    let threshold: ThresholdDetector
    let drop: DropDetector

    init() throws {
        let place = Position(line: 1, column: 1)
        let context = RuleContext(name: "signal", zone: .utc, checksPerDay: 288)
        threshold = try ThresholdDetector(
            options: Options(
                name: "crash-free-floor", position: place,
                values: [
                    "metric": Option(.text(GuardedText(Metric.crashFreeUsers.name)), at: place),
                    "warning": Option(.comparison(try Comparison(grammar: "< 99.5%")), at: place),
                    "critical": Option(.comparison(try Comparison(grammar: "< 99.0%")), at: place),
                ]), context: context)
        drop = try DropDetector(
            options: Options(name: "crash-free-drop", position: place, values: [:]), context: context)
    }
}

/// All contestants on one stream. A value: a copy goes its own way.
struct Panel {
    private let rules: Rules
    private var series = Series()
    /// The spans of the last hour that have arrived.
    private var window: [(step: Int, tally: Tally)] = []
    private var runLength = 0
    private(set) var isFiring = [Bool](repeating: false, count: Contestant.allCases.count)

    static let begin = Moment(milliseconds: 1_790_208_000_000)
    private static let subject = Subject(source: "signal", app: "app")

    init(_ rules: Rules) {
        self.rules = rules
        series.remember(rules.drop.needs)
    }

    static func end(of step: Int) -> Moment { begin + .minutes(Int64(step + 1) * 5) }

    subscript(_ contestant: Contestant) -> Bool { isFiring[contestant.rawValue] }

    /// Takes in what has arrived after this step, oldest first.
    mutating func take(_ arrivals: [(step: Int, tally: Tally)], at step: Int) {
        window.append(contentsOf: arrivals)
        window.removeAll { $0.step <= step - 12 }
        var (users, crashed) = (0.0, 0.0)
        var (halfSessions, halfUsers) = (0.0, 0.0)
        for (then, tally) in window {
            users += tally.users
            crashed += tally.crashed
            if then > step - 6 {
                halfSessions += tally.sessions
                halfUsers += tally.worstIssueUsers
            }
        }
        set(.bare, crashed > 0.01 * users)
        runLength = users >= 25 && crashed > 0.01 * users ? runLength + 1 : 0
        set(.consecutive, runLength >= 3)
        set(.velocity, halfUsers >= 25 && halfUsers > 0.01 * halfSessions)
        guard !arrivals.isEmpty else { return }
        let seen = Panel.end(of: step) + .seconds(30)
        for (then, tally) in arrivals {
            let span = TimeSpan(lasting: .minutes(5), until: Panel.end(of: then))
            add(span, seen, users: tally.users, crashed: tally.crashed)
        }
        add(TimeSpan(lasting: .hours(1), until: Panel.end(of: step)), seen, users: users, crashed: crashed)
        judge(.threshold, rules.threshold.judge(series, at: seen))
        judge(.drop, rules.drop.judge(series, at: seen))
        set(.rules, self[.threshold] || self[.drop])
    }

    private mutating func add(_ span: TimeSpan, _ seen: Moment, users: Double, crashed: Double) {
        series.add(
            Observation(
                subject: Panel.subject, span: span, seen: seen,
                metrics: [.users: users, .crashedUsers: crashed]),
            keeping: .hours(1))
    }

    private mutating func set(_ contestant: Contestant, _ fires: Bool) { isFiring[contestant.rawValue] = fires }

    /// An incident opens when the rule fires and is over when the rule says so.
    private mutating func judge(_ contestant: Contestant, _ judgement: Judgement) {
        switch judgement.verdict {
        case .firing: set(contestant, true)
        case .ok(recovered: true): set(contestant, false)
        case .ok, .unknown: break
        }
    }
}
