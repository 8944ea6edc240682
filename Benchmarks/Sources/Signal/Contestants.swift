internal import AlertModel
internal import DropDetector
internal import PluginKit
internal import ThresholdDetector

/// What a source gives, and the rules look at.
enum Watched: String, CaseIterable {
    case users
    /// Sessions alone: nothing tells one user's loop from many users' trouble.
    case sessions
    /// Sessions are judged, and how many users crashed in the same span is given beside them.
    case sessionsBesideUsers = "sessions beside users"
    /// The same sessions, one release by one and never as a whole; judged by the bot's own core.
    case releases = "sessions by release"

    var knowsUsers: Bool { self == .users || self == .sessionsBesideUsers }
    var metric: Metric { self == .users ? .crashFreeUsers : .crashFreeSessions }

    /// The bad cases and all cases of a span.
    func counts(_ tally: Tally) -> (bad: Double, total: Double) {
        self == .users ? (tally.crashed, tally.users) : (tally.crashedSessions, tally.sessions)
    }

    func metrics(bad: Double, total: Double, users: Double, crashedUsers: Double) -> Metrics {
        switch self {
        case .users: [.users: total, .crashedUsers: bad]
        case .sessions, .releases: [.sessions: total, .crashedSessions: bad]
        case .sessionsBesideUsers:
            [.sessions: total, .crashedSessions: bad, .users: users, .crashedUsers: crashedUsers]
        }
    }
}

/// Who judges the stream.
enum Contestant: Int, CaseIterable {
    /// Crash-free users, or sessions, of the last hour below 99 %, looked at whenever figures come.
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
    /// Both for each release by itself, where the source gives releases alone.
    case each

    var title: String {
        ["bare 99 %", "3 running", "velocity", "threshold", "drop", "example rules", "each release"][rawValue]
    }

    static func all(_ watched: Watched) -> [Contestant] { allCases.filter { $0 != .each || watched == .releases } }
}

/// The two rules of the example config.
struct Rules {
    let watched: Watched
    let threshold: ThresholdDetector
    let drop: DropDetector

    init(_ watched: Watched) throws {
        self.watched = watched
        let place = Position(line: 1, column: 1)
        let context = RuleContext(name: "signal", zone: .utc, checksPerDay: 288)
        threshold = try ThresholdDetector(
            options: Options(
                name: "crash-free-floor", position: place,
                values: [
                    "metric": Option(.text(GuardedText(watched.metric.name)), at: place),
                    "warning": Option(.comparison(try Comparison(grammar: "< 99.5%")), at: place),
                    "critical": Option(.comparison(try Comparison(grammar: "< 99.0%")), at: place),
                ]), context: context)
        drop = try DropDetector(
            options: Options(
                name: "crash-free-drop", position: place,
                values: ["metric": Option(.text(GuardedText(watched.metric.name)), at: place)]), context: context)
    }
}

/// All contestants on one stream. A value: a copy goes its own way.
struct Panel {
    private let rules: Rules
    private var series = Series()
    private var releases: ReleasePanel?
    /// The spans of the last hour that have arrived.
    private var window: [(step: Int, tally: Tally)] = []
    private var runLength = 0
    private(set) var isFiring = [Bool](repeating: false, count: Contestant.allCases.count)

    static let begin = Moment(milliseconds: 1_790_208_000_000)
    private static let subject = Subject(source: "signal", app: "app")

    init(_ rules: Rules) {
        self.rules = rules
        series.remember(rules.drop.needs)
        if rules.watched == .releases { releases = ReleasePanel() }
    }

    static func end(of step: Int) -> Moment { begin + .minutes(Int64(step + 1) * 5) }

    /// Whether `drop` says that it has learned enough to judge. From then on alarms count.
    var isReady: Bool { releases?.isReady ?? series.memories(DropMemory.self).first?.isReady ?? false }

    subscript(_ contestant: Contestant) -> Bool { isFiring[contestant.rawValue] }

    /// Takes in what has arrived after this step, oldest first.
    mutating func take(_ arrivals: [(step: Int, tally: Tally)], at step: Int) {
        window.append(contentsOf: arrivals)
        window.removeAll { $0.step <= step - 12 }
        var hour = Tally()
        var (halfSessions, halfUsers) = (0.0, 0.0)
        for (then, tally) in window {
            hour.users += tally.users
            hour.crashed += tally.crashed
            hour.sessions += tally.sessions
            hour.crashedSessions += tally.crashedSessions
            if then > step - 6 {
                halfSessions += tally.sessions
                halfUsers += tally.worstIssueUsers
            }
        }
        let (bad, total) = rules.watched.counts(hour)
        set(.bare, bad > 0.01 * total)
        runLength = total >= 25 && bad > 0.01 * total ? runLength + 1 : 0
        set(.consecutive, runLength >= 3)
        set(.velocity, halfUsers >= 25 && halfUsers > 0.01 * halfSessions)
        guard !arrivals.isEmpty else { return }
        let seen = Panel.end(of: step) + .seconds(30)
        if releases != nil {
            releases?.take(arrivals, at: seen)
            let firing = releases?.firing ?? []
            set(.threshold, firing.contains("threshold"))
            set(.drop, firing.contains("drop"))
            set(.rules, self[.threshold] || self[.drop])
            set(.each, firing.contains("each-threshold") || firing.contains("each-drop"))
            return
        }
        for (then, tally) in arrivals {
            let span = TimeSpan(lasting: .minutes(5), until: Panel.end(of: then))
            add(span, seen, tally)
        }
        // The distinct users of an hour are given as such; sessions are pooled from the short spans.
        if rules.watched == .users { add(TimeSpan(lasting: .hours(1), until: Panel.end(of: step)), seen, hour) }
        judge(.threshold, rules.threshold.judge(series, at: seen))
        judge(.drop, rules.drop.judge(series, at: seen))
        set(.rules, self[.threshold] || self[.drop])
    }

    private mutating func add(_ span: TimeSpan, _ seen: Moment, _ tally: Tally) {
        let (bad, total) = rules.watched.counts(tally)
        series.add(
            Observation(
                subject: Panel.subject, span: span, seen: seen,
                metrics: rules.watched.metrics(
                    bad: bad, total: total, users: tally.users, crashedUsers: tally.crashed)),
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
