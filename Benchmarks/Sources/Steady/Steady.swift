internal import AlertCore
internal import AlertTesting
internal import Glibc
internal import Measuring
internal import PluginKit
internal import ThresholdDetector

// What a poll costs the core when all is well, and how that grows with the number of sources: an hour of virtual time,
// every source each 15 seconds and answered after a fifth of a second, one app each, judged by a threshold on its
// sessions.

@main struct Steady {
    static func main() throws {
        let counts = CommandLine.arguments.dropFirst().compactMap { Int($0) }
        let table = Table("polls", ["sources", "polls due", "polls made", "µs of a core a poll", "share of a core"])
        for count in counts.isEmpty ? [10, 100, 1000, 10_000] : counts { table.add(try measure(count)) }
    }

    private static let every = Duration.seconds(15)
    private static let latency = Duration.milliseconds(200)
    /// Many make enough polls in a few minutes.
    private static func length(_ count: Int) -> Duration { count < 1000 ? .hours(1) : .minutes(10) }

    private static func measure(_ count: Int) throws -> [String] {
        let place = Position(line: 1, column: 1)
        let options = Options(
            name: "floor", position: place,
            values: [
                "metric": Option(.text(GuardedText("crash_free_sessions")), at: place),
                "warning": Option(.comparison(try Comparison(grammar: "< 99.5%")), at: place),
                "window": Option(.duration(.minutes(5)), at: place),
            ])
        let context = RuleContext(name: "floor", zone: .utc, checksPerDay: 5760)
        let rule = DetectorPlan(name: "floor", detector: try ThresholdDetector(options: options, context: context))
        let sources = (0..<count).map { index in
            // Four polls to a host at once is what is polite; so many hosts have room for all.
            SourcePlan(
                name: "source-\(index)", host: "host-\(index % max(1, count / 50)).example", every: every,
                throttle: every,
                slowest: every, slowsWhen: [])
        }
        let core = Core(
            plan: .rehearsed(
                sources: sources, detectors: [rule], channels: [ChannelPlan(name: "team")],
                concurrency: max(64, count / 10)))
        var state = State()
        var now = Moment.rehearsalStart
        let end = now + length(count)
        /// Answers on their way, by when they come: all take the same time, so they come in their order.
        var answers: [(at: Moment, input: Input)] = []
        var answered = 0
        var polls = 0
        var inputs: [Input] = [.started]
        let begin = nanoseconds()
        while now < end {
            let output = core.step(&state, inputs, at: now)
            for case .poll(let order) in output.effects {
                polls += 1
                let at = now + latency
                let subject = Subject(source: order.source, app: "app")
                let observation = Observation(
                    subject: subject, span: TimeSpan(lasting: every, until: at), seen: at,
                    metrics: ["sessions": 700, "crashed_sessions": 1])
                answers.append(
                    (at, .polled(source: order.source, PollReport(.values([observation])), validators: [:])))
            }
            inputs = []
            now = [answers.indices.contains(answered) ? answers[answered].at : end, state.nextDue ?? end].min() ?? end
            while answers.indices.contains(answered), answers[answered].at <= now {
                inputs.append(answers[answered].input)
                answered += 1
            }
            if inputs.isEmpty { inputs = [.tick] }
            if answered > 100_000 {
                answers.removeFirst(answered)
                answered = 0
            }
        }
        let seconds = Double(nanoseconds() - begin) / 1e9
        let due = Double(count) * (length(count).inSeconds / every.inSeconds)
        return [
            "\(count)", "\(Int(due))", "\(polls)", text(seconds / Double(polls) * 1e6),
            text(seconds / length(count).inSeconds * 100) + " %",
        ]
    }

    private static func text(_ value: Double) -> String {
        let hundredths = Int((value * 100).rounded())
        return "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100)"
    }

    private static func nanoseconds() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }
}
