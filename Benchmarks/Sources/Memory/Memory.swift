// What things take in memory: an app with its figures, a rule about it, an incident, a message that waits. Each is made
// many times in a core as the bot runs it, and what the heap has grown by is divided by how many there are.

internal import AlertCore
internal import AlertTesting
internal import BotConfig
internal import BuiltinPlugins
internal import CHeap
internal import Measuring
internal import PluginKit
internal import TimeZones

@main struct Memory {
    static func main() {
        let table = Table("sizes", ["what", "takes"])
        func tell(_ what: String, _ bytes: Double) {
            table.add([what, "\(Double((bytes / 1024 * 10).rounded() / 10).plain) KiB"])
        }
        let bare = apps(rules: [])
        tell("an app, one metric with its cases (users, crashed users), no rule", bare)
        let two = apps(rules: [], metrics: ["sessions": 5000, "crashed_sessions": 4])
        tell("each further metric with its cases", two - bare)
        for (name, window) in [("1h", "1h"), ("6h", "6h"), ("1d", "1d")] {
            tell("a threshold with a window of \(name), every 5 minutes", apps(rules: [threshold(window)]) - bare)
        }
        tell("the same of 1h, every minute", apps(rules: [threshold("1h")], every: .minutes(1)) - bare)
        let drop = "drop: {plugin: drop, metric: crash_free_users, by: 0.5pp}"
        tell("a drop", apps(rules: [drop], hours: 72) - bare)
        tell(
            "one rule more of the same metric and window",
            apps(rules: [threshold("1h"), threshold("1h", "b")])
                - apps(rules: [threshold("1h")]))
        let fine = apps(rules: [threshold("1h")])
        let young = apps(rules: [threshold("1h")], badHours: 1)
        // A message that was sent is remembered as it was; one that was not accepted yet is none.
        let shut = measured(rules: [threshold("1h")], badHours: 1, isChannelDead: true)
        let message = (young - shut.bytes) * Double(appCount) / Double(appCount - shut.waiting)
        tell("a message, waiting or in the history", message)
        tell("an incident, open for an hour", young - fine - message)
        tell("an incident, open for a day", apps(rules: [threshold("1h")], badHours: 24) - fine - message)
        let over = apps(rules: [threshold("1h")], badHours: 1, goodHours: 2)
        tell("an incident that ended an hour ago", over - fine - 2 * message)
    }

    /// Fewer than messages are remembered, and than subjects have figures kept for late ones.
    private static let appCount = 500

    private static func threshold(_ window: String, _ name: String = "floor") -> String {
        "\(name): {plugin: threshold, metric: crash_free_users, warning: \"< 99.5%\", critical: \"< 99%\", "
            + "window: \(window), confidence: off, repeat: off}"
    }

    private static func config(_ rules: [String], every: Duration) -> Config {
        let text = """
            version: 1
            sources: {world: {plugin: file, path: world.jsonl, every: \(every.grammar), throttle: \(every.grammar)}}
            \((rules.isEmpty ? [] : ["rules:"] + rules).joined(separator: "\n  "))
            channels: {team: {plugin: console}}
            """
        let surroundings = ConfigSurroundings(
            variable: { _ in nil },
            file: { _ throws(ConfigSurroundings.Missing) in throw ConfigSurroundings.Missing("there are no files") },
            credentialsFolder: nil, zones: ZoneDatabase())
        let result = Config.load(Array(text.utf8), folder: ".", catalog: .builtin, surroundings: surroundings)
        guard let config = result.config else { preconditionFailure("\(result.problems)") }
        return config
    }

    /// What one app takes, all else shared out among them.
    ///
    /// - Parameters:
    ///   - hours: how long they have been seen: a day and more, until nothing grows any more.
    ///   - badHours: how many of these at the end go badly.
    ///   - goodHours: how many go well after that.
    private static func apps(
        rules: [String], metrics: [String: Double] = [:], every: Duration = .minutes(5), hours: Int64 = 30,
        badHours: Int64 = 0, goodHours: Int64 = 0
    ) -> Double {
        measured(rules: rules, metrics: metrics, every: every, hours: hours, badHours: badHours, goodHours: goodHours)
            .bytes
    }

    private static func measured(
        rules: [String], metrics: [String: Double] = [:], every: Duration = .minutes(5),
        hours: Int64 = 30, badHours: Int64 = 0, goodHours: Int64 = 0, isChannelDead: Bool = false
    ) -> (bytes: Double, waiting: Int) {
        let count = appCount
        let plan = config(rules, every: every).plan
        let before = heap()
        var state = State(memories: plan.memories)
        let core = Core(plan: plan)
        var now = Moment.rehearsalStart
        let end = now + .hours(hours)
        func step(_ input: Input) {
            var inputs = [input]
            while !inputs.isEmpty {
                let output = core.step(&state, inputs.removeFirst(), at: now)
                for case .send(let order) in output.effects where !isChannelDead {
                    inputs.append(.delivered(id: order.delivery.id, .delivered(receipt: nil)))
                }
            }
        }
        step(.started)
        while now < end {
            let isBad = now >= end - .hours(badHours + goodHours) && now < end - .hours(goodHours)
            let observations = (0..<count).map { index -> Observation in
                var seen: Metrics = ["users": 2000, "crashed_users": isBad ? 60 : 2]
                for (name, value) in metrics { seen[Metric(name)] = value }
                return Observation(
                    subject: Subject(source: "world", app: "app-\(index)", environment: "production"),
                    span: TimeSpan(lasting: .minutes(60), until: now), seen: now, metrics: seen,
                    labels: ["team": "checkout"])
            }
            step(.observed(observations.map(ObservationLine.observed), asked: now))
            let next = now + every
            while let due = state.nextDue, due < next {
                now = max(now, due)
                step(.tick)
            }
            now = next
        }
        let after = heap()
        precondition(state.figures.series.count == count, "an app is missing")
        precondition(
            badHours == 0 || state.incidents.count == (goodHours == 0 ? count : 0), "\(state.incidents.count) incidents"
        )
        let waiting = state.outbox.deliveries.count
        precondition(!isChannelDead || waiting > 0, "no message waits")
        return ((after - before) / Double(count), waiting)
    }

    /// What the heap has given out and not got back, in bytes.
    private static func heap() -> Double {
        let info = mallinfo2()
        return Double(info.uordblks + info.hblkhd)
    }
}
