internal import PluginKit

// A push or a line of a file may bring one app at a time. To look at all that its source has each time would cost the square
// of its apps, so it is known how long a source that is well stays so, whatever else comes of it.

/// Sources of which the rules that watch sources have found all well, with nothing open, and until when they would find the
/// same again, however often they are asked: until the figures of an app come to be too old. Of this run only.
struct WellSources: Sendable {
    private struct Look: Sendable {
        var until: Moment
        /// How many judgements the rules gave.
        let judged: Int
    }

    private var looks: [String: Look] = [:]

    /// Until when a source stays well; nil where the rules have to be asked.
    subscript(_ source: String) -> Moment? { looks[source]?.until }

    /// How many judgements the rules would give of a source, where these would be the same as they were; nil where they have
    /// to be asked.
    func judged(_ source: String, at now: Moment) -> Int? {
        guard let look = looks[source], now < look.until else { return nil }
        return look.judged
    }

    /// Takes in what the rules have said of a source.
    mutating func note(_ rulings: Rulings, of source: String) {
        looks[source] = rulings.wellUntil.map { Look(until: $0, judged: rulings.given) }
    }

    /// Newer figures have come of some of what a source has, which by themselves stay well until then; nil where nobody can say.
    mutating func note(news until: Moment?, of source: String) {
        guard let until, let look = looks[source] else { return forget(source) }
        looks[source]?.until = min(look.until, until)
    }

    mutating func forget(_ source: String) { looks[source] = nil }

    /// The rules are others now, or the clock is.
    mutating func forgetAll() { looks = [:] }

    /// Where more subjects have news, the source is looked at as a whole: that costs no more.
    static let newsMax = 16
}

extension State {
    /// Until when what has news stays well by the rules that watch its source; nil where one of them cannot say.
    func wellUntil(_ subjects: [Subject], of source: String, _ plan: Plan) -> Moment? {
        let rules = plan.rules(of: source).filter { $0.scope == .source && $0.canConcern(source: source) }
        guard !rules.isEmpty else { return .latest }
        var until = Moment.latest
        for app in Set(subjects.map(\.whole)) {
            let parts = [figures.series[app].map { Sight.Entry(app, $0) }].compactMap(\.self) + parts(of: app)
            for rule in rules {
                guard let end = rule.detector.wellUntil(parts) else { return nil }
                until = min(until, end)
            }
        }
        return until
    }
}

extension DetectorPlan {
    /// Until when the rule finds a source as well as it has, and nothing else; nil where it has to be asked.
    func wellUntil(_ sight: Sight, _ findings: [Finding]) -> Moment? {
        // Of a rule that is shown a part of the source, what it is shown may change with any figures.
        guard watchesWholeSources, sight.tracked.isEmpty, findings.allSatisfy(\.judgement.isOk) else { return nil }
        return detector.wellUntil(sight.parts)
    }
}

extension Judgement {
    fileprivate var isOk: Bool { if case .ok = verdict { true } else { false } }
}
