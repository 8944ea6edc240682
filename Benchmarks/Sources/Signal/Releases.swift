internal import AlertCore
internal import AlertModel
internal import DropDetector
internal import Glibc
internal import PluginKit

/// A source that names a release on every line and never gives the app as a whole: its sessions, one release by one.
///
/// A release is taken up by 63 % within two to twenty days, with each app differently, and fades as those after it are.
/// Which release a session has is chance. A release without sessions has no line, and one line in two hundred is missing from an answer.
struct Shelf {
    private var chance: Chance
    private let daysTakenUp: Double

    /// What has less is not counted any more.
    private static let shareMin = 1e-4
    private static let missing = 0.005
    /// The release of an incident.
    private static let badRelease = 1_000_000

    init(seed: UInt64) {
        chance = Chance(seed: seed &* 0xD1B5_4A32_D192_ED03)
        daysTakenUp = 2 + 18 * chance.unit()
    }

    /// Shares the sessions of a span out.
    ///
    /// - Parameters:
    ///   - bad: how many have the release that an incident came with, and by how much more of it crashes.
    mutating func shareOut(_ tally: inout Tally, of app: App, bad: (share: Double, depth: Double)?) {
        var shares: [(release: Int, share: Double)] = []
        var left = 1 - (bad?.share ?? 0)
        for (number, begin) in app.releases.enumerated().reversed() where left > Shelf.shareMin {
            let days = Double(app.step - begin) / Double(App.stepsPerDay)
            let share = left * (1 - exp(-days / daysTakenUp))
            left -= share
            if share > Shelf.shareMin { shares.append((number, share)) }
        }
        if let bad { shares.append((Shelf.badRelease, bad.share)) }
        // Of the bad cases a bad release has more.
        let truth = max(tally.truth, 1e-9)
        let weights = shares.map { release, share in
            release == Shelf.badRelease ? share * (1 + (bad?.depth ?? 0) / truth) : share
        }
        let good = split(tally.sessions - tally.crashedSessions, shares.map(\.share))
        let crashed = split(tally.crashedSessions, weights)
        tally.parts = shares.indices.compactMap { index in
            let sessions = good[index] + crashed[index]
            guard chance.unit() >= Shelf.missing, sessions > 0 else { return nil }
            return Tally.Part(release: shares[index].release, sessions: sessions, crashedSessions: crashed[index])
        }
    }

    private mutating func split(_ count: Double, _ weights: [Double]) -> [Double] {
        var (left, sum) = (count, weights.reduce(0, +))
        return weights.enumerated().map { index, weight in
            let part = index == weights.count - 1 || sum <= 0 ? left : chance.binomial(left, min(1, weight / sum))
            left -= part
            sum -= weight
            return part
        }
    }
}

/// The bot's own core on such a source: the example rules, and the same rules for each release by itself.
struct ReleasePanel {
    private let core: Core
    private var state: State

    private static let source = "world"
    static let whole = Subject(source: source, app: "app")
    private static let rules = """
        threshold: {plugin: threshold, metric: crash_free_sessions, warning: "< 99.5%", critical: "< 99.0%"}
        drop: {plugin: drop, metric: crash_free_sessions}
        each-threshold:
          plugin: threshold
          metric: crash_free_sessions
          warning: "< 99.5%"
          critical: "< 99.0%"
          match: {release: "r*"}
        each-drop: {plugin: drop, metric: crash_free_sessions, match: {release: "r*"}}
        """

    init() {
        var plan = plan(rules: ReleasePanel.rules)
        // Nobody is told: what is open is asked for.
        plan.channels = []
        plan.routes = []
        core = Core(plan: plan)
        state = State(memories: plan.memories)
    }

    /// Whether `drop` says that it has learned enough of the sum.
    var isReady: Bool {
        state.figures.series[ReleasePanel.whole]?.memories(DropMemory.self).first?.isReady ?? false
    }

    mutating func take(_ arrivals: [(step: Int, tally: Tally)], at seen: Moment) {
        while let due = state.nextDue, due <= seen { _ = core.step(&state, .tick, at: due) }
        let lines = arrivals.flatMap { step, tally in
            tally.parts.map { part in
                ObservationLine.observed(
                    Observation(
                        subject: Subject(
                            source: ReleasePanel.source, app: ReleasePanel.whole.app, release: "r\(part.release)"),
                        span: TimeSpan(lasting: .minutes(5), until: Panel.end(of: step)), seen: seen,
                        metrics: [.sessions: part.sessions, .crashedSessions: part.crashedSessions]))
            }
        }
        _ = core.step(&state, .observed(lines, asked: seen), at: seen)
    }

    /// The rules by which something fires now.
    var firing: Set<String> { Set(state.incidents.all.filter(\.isOpen).map(\.rule)) }
}
