internal import AlertCore
internal import AlertTesting
internal import PluginKit
internal import ThresholdDetector

/// Whatever is done in here is counted, and nothing else: callgrind is told this function's name. What follows the work
/// keeps the compiler from jumping to it for good, which would end the counting early.
@inline(never) func countedByCallgrind<Result>(_ times: inout Int, _ work: () throws -> Result) rethrows -> Result {
    let result = try work()
    times += 1
    return result
}

/// The core of a bot with one source of many apps, a threshold and a channel, stepped as the bot steps it: all that has
/// happened in one turn, and every attempt is reported as delivered in the next.
struct World {
    private let core: Core
    private let apps: [Subject]
    private(set) var state: State
    private(set) var messages = 0
    /// What a journal would have, oldest first, while `keepsFacts`.
    private(set) var facts: [Fact] = []
    private var now = Moment.rehearsalStart
    private var polls = 0
    /// Whether the core has asked for a poll that has not ended.
    private var isPolling = false
    /// Whether what the core does from now on is counted; what only leads there is not.
    var counts = false
    var keepsFacts = false
    private var countedSteps = 0

    private static let every = Duration.minutes(1)

    init(apps count: Int) throws {
        let place = Position(line: 1, column: 1)
        let options = Options(
            name: "floor", position: place,
            values: [
                "metric": Option(.text(GuardedText("crash_free_users")), at: place),
                "warning": Option(.comparison(try Comparison(grammar: "< 99.5%")), at: place),
                "critical": Option(.comparison(try Comparison(grammar: "< 99%")), at: place),
            ])
        let context = RuleContext(name: "floor", zone: .utc, checksPerDay: 1440)
        let rule = DetectorPlan(name: "floor", detector: try ThresholdDetector(options: options, context: context))
        let source = SourcePlan(
            name: "world", every: World.every, throttle: World.every, slowest: World.every, jitter: 0, slowsWhen: [])
        let channel = ChannelPlan(
            name: "team", pace: Pace(perSecond: 100_000, burst: 100_000, atOnce: 64), isIdempotent: true)
        core = Core(plan: .rehearsed(sources: [source], detectors: [rule], channels: [channel]))
        state = State(memories: core.plan.memories)
        apps = (0..<count).map { Subject(source: "world", app: "app-\($0)", environment: "production") }
        step([.started])
    }

    /// Lets a poll end, and whatever comes of it. Every figure is another than at the last poll.
    mutating func poll(isBad: Bool) {
        while !isPolling, let due = state.nextDue {
            now = max(now, due)
            step([.tick])
        }
        isPolling = false
        now = now + .milliseconds(200)
        polls += 1
        let observations = apps.enumerated().map { index, subject in
            let change = Double((polls * 7 + index * 13) % 10)
            return Observation(
                subject: subject, span: TimeSpan(lasting: .hours(1), until: now), seen: now,
                metrics: [
                    "users": 2000 + change, "crashed_users": (isBad ? 60 : 1) + change / 10,
                    "sessions": 5000 + change, "crashed_sessions": (isBad ? 150 : 2) + change / 10,
                ])
        }
        step([.polled(source: "world", PollReport(.values(observations)), validators: [:])])
        // A turn accepts some messages only; the others are due at once.
        while let due = state.nextDue, due <= now { step([.tick]) }
    }

    /// Takes a turn, and those in which its attempts come back.
    private mutating func step(_ inputs: [Input]) {
        var inputs = inputs
        while !inputs.isEmpty {
            let output =
                counts
                ? countedByCallgrind(&countedSteps) { core.step(&state, inputs, at: now) }
                : core.step(&state, inputs, at: now)
            if keepsFacts { facts += output.facts }
            inputs = []
            for effect in output.effects {
                switch effect {
                case .poll: isPolling = true
                case .send(let order):
                    messages += 1
                    inputs.append(.delivered(id: order.delivery.id, .delivered(receipt: nil)))
                case .note, .answered, .decided: break
                }
            }
        }
    }
}
