public import AlertCore
internal import Chance
internal import PluginKit

/// What sources get wrong, one thing each. A detector must not ring for it, and must still see what is truly wrong
/// afterwards.
public enum BadInput: String, CaseIterable, Sendable {
    case littleHistory = "a history of three hours"
    case metricStops = "a metric that comes no more for three hours"
    case emptyRelease = "a release without a name"
    case endlessRelease = "a release whose name has four kilobytes"
    case shrinkingCounts = "counts that shrink"
    case overlappingSpans = "spans that overlap"
    case spansOutOfOrder = "spans that arrive out of order"
    case clockSetForward = "a clock that is set forward"
    case clockSetBack = "a clock that is set back"

    /// What came of it.
    public struct Outcome: Sendable {
        /// What the rule said while nothing was wrong.
        public fileprivate(set) var falseAlarms: [String] = []
        /// Whether it told of what was truly wrong in the end.
        public fileprivate(set) var isTroubleTold = false
        /// What the core did that it must never do.
        public fileprivate(set) var objections: [String] = []
    }

    /// Plays five days of a healthy app, three hours with the bad input, half a day without, and then three hours in
    /// which all goes wrong at once: everybody crashes, one issue is new, one is back, the newest release is the worst,
    /// and at last the figures get no younger.
    public func played(_ plan: DetectorPlan, seed: UInt64 = 1) -> Outcome {
        var world = World(plan, seed: seed)
        if self != .littleHistory { world.live(for: .days(5)) }
        switch self {
        case .clockSetForward: world.bot.setClock(by: .hours(3))
        case .clockSetBack: world.bot.setClock(by: .hours(-3))
        default: break
        }
        world.live(for: .hours(3), self)
        world.live(for: self == .littleHistory ? .zero : .hours(12))
        var outcome = Outcome()
        outcome.falseAlarms = world.said
        world.suffer()
        outcome.isTroubleTold = world.said.count > outcome.falseAlarms.count
        outcome.objections = world.bot.objections
        return outcome
    }
}

extension BadInput {
    /// An app with two releases, seen every ten minutes.
    private struct World {
        var bot: Rehearsal
        private var random: SeededRandom
        private static let step = Duration.minutes(10)

        init(_ plan: DetectorPlan, seed: UInt64) {
            random = SeededRandom(seed: seed)
            bot = Rehearsal(.rehearsed(detectors: [plan]))
            bot.pollAnswer = { _, _ in nil }
            bot.start()
        }

        /// What the rule has said; the bot's own troubles do not count.
        var said: [String] {
            bot.decisions.filter { $0.kind == .opened && $0.message.incidents.first?.subject.app != Subject.botApp }
                .map(\.message.headline)
        }

        private static let old = Issue(id: "OLD", title: "", events: 2, users: 2, firstSeen: .earliest)

        /// Healthy figures: two in a thousand crash, now and then one more or less.
        private mutating func figures(_ size: Double = 2000) -> Metrics {
            let crashed = Double(Int.random(in: 1...3, using: &random))
            return [
                "users": size, "crashed_users": crashed, "sessions": size * 1.5, "crashed_sessions": crashed,
                "crash_events": crashed,
            ]
        }

        private func observation(
            _ metrics: Metrics, _ release: String?, at end: Moment, lasting length: Duration = World.step,
            issues: [Issue] = [World.old]
        ) -> Observation {
            var observation = Observation.figures(
                metrics, of: Subject(source: "ios", app: "shop", release: release), at: end, lasting: length,
                issues: release == nil ? issues : [])
            observation.seen = bot.now
            return observation
        }

        mutating func live(for length: Duration, _ bad: BadInput? = nil) {
            let end = bot.now + length
            var late: [Observation] = []
            while bot.now < end {
                var seen = [
                    observation(figures(), nil, at: bot.now), observation(figures(1500), "5.1", at: bot.now),
                    observation(figures(500), "5.2", at: bot.now),
                ]
                spoil(&seen, &late, bad)
                bot.see(seen)
                bot.advance(by: World.step)
            }
        }

        private mutating func spoil(_ seen: inout [Observation], _ late: inout [Observation], _ bad: BadInput?) {
            switch bad {
            case .metricStops:
                for index in seen.indices {
                    seen[index].metrics["crashed_users"] = nil
                    seen[index].metrics["crashed_sessions"] = nil
                    if Bool.random(using: &random) { seen[index].metrics["users"] = nil }
                }
            case .emptyRelease: seen.append(observation(figures(), "", at: bot.now))
            case .endlessRelease:
                seen.append(observation(figures(), String(repeating: "9.", count: 2048), at: bot.now))
            case .shrinkingCounts:
                // Seen again, the same span has lost most of its users, but not those that crashed.
                for index in seen.indices {
                    var less = seen[index]
                    less.metrics["users"] = 60
                    less.metrics["sessions"] = 90
                    seen.append(less)
                }
            case .overlappingSpans:
                for minutes in [15, 35, 60, 90] {
                    let begun = bot.now - .minutes(Int64.random(in: 0..<10, using: &random))
                    seen.append(observation(figures(), nil, at: begun, lasting: .minutes(Int64(minutes))))
                }
            case .spansOutOfOrder:
                // Up to two hours late, the newest first.
                late += seen
                late.shuffle(using: &random)
                seen = Array(late.suffix(3))
                late.removeLast(min(3, late.count))
            case nil, .littleHistory, .clockSetForward, .clockSetBack: break
            }
        }

        mutating func suffer() {
            let born = bot.now
            func crashing(_ size: Double) -> Metrics {
                [
                    "users": size, "crashed_users": size * 0.4, "sessions": size * 1.5, "crashed_sessions": size * 0.4,
                    "crash_events": size * 0.5,
                ]
            }
            let issues = [
                Issue(id: "NEW", title: "", events: 900, users: 600, firstSeen: born),
                Issue(id: "OLD", title: "", events: 90, users: 60, firstSeen: .earliest, status: "regressed"),
            ]
            let end = bot.now + .hours(3)
            while bot.now < end {
                bot.see([
                    observation(crashing(2000), nil, at: bot.now, issues: issues),
                    observation(figures(1500), "5.1", at: bot.now), observation(crashing(500), "5.2", at: bot.now),
                ])
                bot.advance(by: World.step)
            }
            let last = bot.now
            while bot.now < last + .hours(3) {
                bot.see([observation(crashing(2000), nil, at: last - World.step, issues: issues)])
                bot.advance(by: World.step)
            }
        }
    }
}
