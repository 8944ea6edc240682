internal import AlertCore
internal import AlertTesting
internal import BudgetGate
internal import Chance
internal import DependsOnGate
internal import PluginKit
internal import PluginTesting
internal import Preview

/// What makes up a world of chance in which a bot lives; a new gate needs one more line in `gates`.
struct World {
    let plan: Plan
    let length: Duration
    /// When the bot is killed and started anew.
    let restarts: [Moment]
    let seed: UInt64
    private let sourcesMeet: Bool

    /// - Parameter sourcesMeet: whether there are two sources whose answers come at the same instants, one of which
    ///   explains the other.
    init(seed: UInt64, sourcesMeet: Bool = false) throws {
        var random = SeededRandom(seed: seed)
        self.seed = seed
        self.sourcesMeet = sourcesMeet
        let sources = ["ios", "web"].prefix(sourcesMeet ? 2 : Int.random(in: 1...2, using: &random)).map {
            SourcePlan(
                name: $0, jitter: !sourcesMeet && random.happens(0.5) ? 0.1 : 0,
                slowsWhen: sourcesMeet ? [] : Set(PollReason.slowing))
        }
        let detectors = (0..<Int.random(in: 1...3, using: &random)).map { index in
            let hold = Duration.minutes(random.pick([0, 0, 5, 12]) ?? 0)
            return DetectorPlan(
                name: "look-\(index)", detector: ScriptedDetector(for: hold, lookback: .minutes(30)),
                repeat: random.happens(0.3) ? nil : .hours(Int64.random(in: 1...4, using: &random)))
        }
        let channels = ["team", "ops", "boss"].prefix(Int.random(in: 1...3, using: &random)).map {
            ChannelPlan(name: $0)
        }
        plan = Plan.rehearsed(
            sources: Array(sources), detectors: detectors,
            gates: try World.gates(&random) + (sourcesMeet ? [World.explained()] : []), channels: Array(channels),
            routes: random.happens(0.3)
                ? [Route(match: .on(["severity": "critical"]), to: channels.map(\.name)), Route(to: ["team"])] : [])
        length = .hours(Int64.random(in: 4...9, using: &random))
        restarts = (0..<Int.random(in: 0...3, using: &random)).map { _ in
            .rehearsalStart + .seconds(Int64.random(in: 600...(4 * 3600), using: &random))
        }.sorted()
    }

    private static func explained() throws -> GatePlan {
        let gate = try DependsOnGate.written(["when": "source=web"], name: "explained")
        return GatePlan(name: "explained", gate: gate, match: .on(["source": "ios"]))
    }

    private static func gates(_ random: inout SeededRandom) throws -> [GatePlan] {
        func span() -> (String, String) {
            let begin = Int.random(in: 12...16, using: &random)
            return ("2026-11-20 \(begin):20", "2026-11-20 \(begin + Int.random(in: 1...4, using: &random)):05")
        }
        func except() -> Severity? { random.happens(0.5) ? .critical : nil }
        var gates: [GatePlan] = []
        if random.happens(0.6) {
            let (from, until) = span()
            gates.append(.mute("vacation", from: from, until: until, except: except(), match: .on(["app": "shop"])))
        }
        let hasBudget = random.happens(0.5)
        if random.happens(0.6) {
            let (from, until) = span()
            gates.append(.quiet("nights", from: from, until: until, except: except(), drops: random.happens(0.5)))
        }
        if hasBudget {
            let budget = try BudgetGate.written(
                random.happens(0.5) ? ["at_most": "3 per 1h"] : ["at_most": "2 per 40m", "except": "critical"],
                name: "calm-down")
            gates.append(GatePlan(name: "calm-down", gate: budget))
        }
        return gates
    }

    /// What a source would see now: looks that last, late and incomplete figures, failures.
    func report(of source: String, at now: Moment) -> PollReport {
        var random = SeededRandom(seed: seed ^ UInt64(truncatingIfNeeded: now.milliseconds) ^ UInt64(source.count))
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<6: return PollReport(.failed(PollFailure(.timeout, "no answer within 20 s")))
        case 6..<8:
            let wait = now + .minutes(Int64.random(in: 5...90, using: &random))
            return PollReport(.failed(PollFailure(.rateLimited, "it answered 429: slow\ndown", retryAt: wait)))
        case 8..<11: return PollReport(.unchanged)
        case 11..<13: return PollReport(.noData)
        case 13..<15: return PollReport(.stale(measured: now - .hours(3)))
        default: break
        }
        let observations = ["shop", "bank", "game"].flatMap { app -> [Observation] in
            guard random.happens(0.9) else { return [] }
            let subject = Subject(source: source, app: app)
            var observation = Observation.cue(cue(app, now, &random), of: subject, at: now)
            guard random.happens(0.15) else { return [observation] }
            // Late: of a span that ended before, perhaps in the same answer as the newest.
            let newest = observation
            observation.span = TimeSpan(
                lasting: .minutes(5), until: now - .minutes(Int64.random(in: 1...20, using: &random)))
            observation.isComplete = random.happens(0.5)
            return random.happens(0.5) ? [observation] : [observation, newest]
        }
        let report = PollReport(observations.isEmpty ? .noData : .values(observations))
        // For an hour at a time, a part is missing.
        let hour = UInt64(truncatingIfNeeded: now.milliseconds / 3_600_000)
        var part = SeededRandom(seed: seed &* 17 &+ hour &+ UInt64(source.count))
        return part.happens(0.2) ? report.waiting(after: [PollFailure(.badAnswer, "a row of\nbank is odd")]) : report
    }

    /// How long the poll takes that begins now.
    func latency(of source: String, at now: Moment) -> Duration {
        let whose = sourcesMeet ? "all" : source
        return .milliseconds(Int64(StableHash.unit(String(seed), whose, now.description) * 8000))
    }

    private static let lasting: [Cue] = [
        .fine, .fine, .fine, .near, .warning, .critical, .recovering, .unknown,
    ]

    /// Looks change every half hour or so, and flicker a little.
    private func cue(_ app: String, _ now: Moment, _ random: inout SeededRandom) -> Cue {
        let part = UInt64(truncatingIfNeeded: now.milliseconds / 1_700_000)
        var slow = SeededRandom(seed: seed &* 31 &+ part &+ UInt64(app.utf8.first ?? 0))
        let lasting = slow.pick(World.lasting) ?? .fine
        return random.happens(0.1) ? random.pick(Cue.allCases) ?? .fine : lasting
    }
}

/// What was decided, to the byte.
func told(_ decisions: [DecisionRecord]) -> [String] {
    decisions.map { record in
        "\(record.at) \(record.channel) \(record.kind.rawValue) \(record.severity) \(record.decision) "
            + "\(record.reason) \(record.incident ?? "-") \(record.delivery ?? "-") \(record.message.json.text)"
    }
}

/// Two long lists side by side would hide where they part.
func firstDifference(_ live: [String], _ previewed: [String]) -> String? {
    for index in 0..<max(live.count, previewed.count) {
        let (left, right) = (index < live.count ? live[index] : "-", index < previewed.count ? previewed[index] : "-")
        if left != right { return "decision \(index):\nlive    \(left)\npreview \(right)" }
    }
    return nil
}
