internal import AlertCore
public import PluginKit

/// What one rule could make of what was seen: how much it judged, and what it could not judge and why.
///
/// A rule that fires at nothing says nothing of whether it ever could: this does.
public struct RuleOutlook: Hashable, Sendable {
    /// Something that the rule could not judge.
    public struct Unknown: Hashable, Sendable {
        public let source: String
        /// Nil for the source as a whole.
        public let app: String?
        public let release: String?
        public let environment: String?
        public let reason: String

        /// Which thing that is, for people.
        public var name: String {
            guard let app else { return "source \(source.tamed)" }
            return app.tamed + (release.map { " \($0.tamed)" } ?? "") + (environment.map { " (\($0.tamed))" } ?? "")
                + " from \(source.tamed)"
        }

        var json: JSON {
            [
                "source": .string(source), "app": JSON(app), "release": JSON(release),
                "environment": JSON(environment), "reason": .string(reason),
            ]
        }
    }

    public let rule: String
    /// Apps, releases and environments that it judged.
    public let judged: Int
    /// Those of them at which it fired.
    public let firing: Int
    /// By name.
    public let unknown: [Unknown]

    /// What it says of itself, as members of an object.
    public var members: [(String, JSON)] {
        [("judged", JSON(judged)), ("firing", JSON(firing)), ("unknown", .array(unknown.map(\.json)))]
    }

    public var json: JSON { .object(JSONObject([("rule", .string(rule))] + members)) }
}

/// What rules make of what they see, gathered over one look or many: what was judged once counts as judged.
struct Outlook: Sendable {
    private struct Place: Hashable {
        let source: String
        let subject: Subject?
    }

    private struct OfRule {
        var judged: Set<Subject> = []
        var firing: Set<Subject> = []
        var unknown: [Place: String] = [:]

        mutating func take(_ assessment: Assessment) {
            let place = Place(source: assessment.source, subject: assessment.subject)
            if case .unknown(let reason) = assessment.verdict {
                if assessment.subject.map(judged.contains) != true {
                    unknown[place] = assessment.sentence.isEmpty ? reason : assessment.sentence
                }
            } else if let subject = assessment.subject {
                judged.insert(subject)
                unknown[place] = nil
                if case .firing = assessment.verdict { firing.insert(subject) }
            }
        }
    }

    private var rules: [String: OfRule] = [:]

    /// Asks the rules about all that they have not judged yet.
    ///
    /// - Parameter isLast: whether why something cannot be judged is to be as it is now.
    mutating func take(_ core: Core, _ state: State, at now: Moment, isLast: Bool = false) {
        let rules = rules
        let assessments = core.assessments(state, at: now) { rule, sight in
            // A rule that is shown an app may say something of each of its releases, so it is asked again.
            guard rule.detector.scope == .subject, let known = rules[rule.name] else { return .all }
            if known.judged.contains(sight) { return .none }
            let isKnown = !isLast && known.unknown[Place(source: sight.source, subject: sight)] != nil
            return isKnown ? .whetherJudged : .all
        }
        // In place: what is known of ten thousand apps must not be copied for each of them.
        for assessment in assessments { self.rules[assessment.rule, default: OfRule()].take(assessment) }
    }

    /// In the order of the config.
    ///
    /// - Parameter incidents: what the rules have found between the checks.
    func outlooks(of plan: Plan, _ incidents: [Incident]) -> [RuleOutlook] {
        let found = Dictionary(grouping: incidents, by: \.rule).mapValues { Set($0.map(\.subject)) }
        return plan.detectors.map { detector in
            var rule = rules[detector.name] ?? OfRule()
            let subjects = found[detector.name] ?? []
            rule.judged.formUnion(subjects)
            rule.firing.formUnion(subjects)
            let known = rule.judged.union(rule.unknown.keys.compactMap(\.subject))
            let sources = Set(known.map(\.source))
            // What a rule that watches a source has said of an app is a word about the source.
            let watched = detector.detector.scope == .source ? Set(rule.judged.map(\.source)) : []
            let unknown = rule.unknown.filter { place, _ in
                if watched.contains(place.source) { return false }
                return place.subject.map { !rule.judged.contains($0) } ?? !sources.contains(place.source)
            }
            return RuleOutlook(
                rule: detector.name, judged: rule.judged.count, firing: rule.firing.count,
                unknown: unknown.map { place, reason in
                    // A rule that watches a source is shown one whose app is the source's own name.
                    let subject = detector.detector.scope == .source ? nil : place.subject
                    return RuleOutlook.Unknown(
                        source: place.source, app: subject?.app, release: subject?.release,
                        environment: subject?.environment, reason: reason)
                }.sorted { ($0.name, $0.reason) < ($1.name, $1.reason) })
        }
    }
}
