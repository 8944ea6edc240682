internal import AlertCore
internal import AlertTesting
internal import BotConfig
internal import BuiltinPlugins
internal import CHeap
internal import Chance
internal import Foundation
internal import Measuring
internal import PluginKit
internal import Programs
internal import TimeZones

/// Apps of one source, polled every minute, under ten rules, as the core sees them. Each app goes bad for an hour or
/// two every few days, brings new issues and new releases, and now and then a figure comes late.
struct Month {
    var apps = 200
    var days = 30
    /// How often an app goes bad.
    var daysPerTrouble = 10
    /// Messages that are remembered, as long as no check wants them to be fewer.
    var historyMax = State.historyMaxUsual
    /// After so many days one looks at what it has grown to.
    var daysBetween: Int

    /// What it has grown to.
    struct Look {
        var heap: Double
        var snapshot: Double
    }

    private static let pollsPerDay = 1440

    private static let config = """
        version: 1
        sources: {world: {plugin: file, path: world.jsonl, every: 1m, throttle: 1m}}
        rules:
          users: {plugin: threshold, metric: crash_free_users, warning: "< 99.5%", critical: "< 99%"}
          sessions: {plugin: threshold, metric: crash_free_sessions, critical: "< 99%", window: 1h}
          sessions-long: {plugin: threshold, metric: crash_free_sessions, warning: "< 99.5%", window: 6h}
          traffic: {plugin: threshold, metric: sessions, warning: "< 10"}
          drop-users: {plugin: drop, metric: crash_free_users, by: 0.5pp}
          drop-sessions: {plugin: drop, metric: crash_free_sessions, by: 0.5pp}
          spread: {plugin: velocity}
          new: {plugin: new_issue, min_users: 25}
          back: {plugin: regression, min_users: 25}
          silent: {plugin: stale, after: 1h}
        channels: {team: {plugin: console}}
        """

    /// Plays it, and gives back what was seen at each look.
    func play() throws -> [Look] {
        let surroundings = ConfigSurroundings(
            variable: { _ in nil },
            file: { _ throws(ConfigSurroundings.Missing) in throw ConfigSurroundings.Missing("there are no files") },
            credentialsFolder: nil, zones: ZoneDatabase())
        let result = Config.load(Array(Month.config.utf8), folder: ".", catalog: .builtin, surroundings: surroundings)
        guard let plan = result.config?.plan else { throw Explained("\(result.problems)") }
        say("### \(days) days of virtual time: \(apps) apps, \(plan.detectors.count) rules, a poll a minute\n")
        let table = Table(
            "core",
            ["day", "heap, MiB", "snapshot, MiB", "apps", "open incidents", "messages so far", "CPU, s"])
        let core = Core(plan: plan)
        var state = State(historyMax: historyMax, memories: plan.memories)
        var random = SeededRandom(seed: 1)
        var now = Moment.rehearsalStart
        var messages = 0
        let before = Month.heap()
        var looks: [Look] = []
        func step(_ input: Input) {
            var inputs = [input]
            while !inputs.isEmpty {
                for case .send(let order) in core.step(&state, inputs.removeFirst(), at: now).effects {
                    messages += 1
                    inputs.append(.delivered(id: order.delivery.id, .delivered(receipt: nil)))
                }
            }
        }
        step(.started)
        var badUntil = [Moment](repeating: now, count: apps)
        for poll in 0..<(days * Month.pollsPerDay) {
            if poll % (Month.pollsPerDay * daysBetween) == 0 {
                looks.append(look(in: table, poll / Month.pollsPerDay, state, messages, Month.heap() - before))
            }
            let lines = (0..<apps).map { app -> ObservationLine in
                if Int.random(in: 0..<(daysPerTrouble * Month.pollsPerDay), using: &random) == 0 {
                    badUntil[app] = now + .minutes(Int64.random(in: 60...120, using: &random))
                }
                return .observed(
                    observation(app, isBad: now < badUntil[app], day: poll / Month.pollsPerDay, now, &random))
            }
            step(.observed(lines, asked: now))
            let next = now + .minutes(1)
            while let due = state.nextDue, due < next {
                now = max(now, due)
                step(.tick)
            }
            now = next
        }
        looks.append(look(in: table, days, state, messages, Month.heap() - before))
        say("")
        return looks
    }

    private func observation(
        _ app: Int, isBad: Bool, day: Int, _ now: Moment, _ random: inout SeededRandom
    ) -> Observation {
        let sessions = Double(Int.random(in: 300...500, using: &random))
        let crashed = Double((0..<3).count { _ in Int.random(in: 0..<10, using: &random) == 0 }) + (isBad ? 20 : 0)
        // One in a hundred comes once more, a while later.
        let late: Int64 = Int.random(in: 0..<100, using: &random) == 0 ? 30 : 0
        let end = now - .minutes(late)
        let issues = [day, day / 3, 7].map { number in
            Issue(id: "issue-\(app)-\(number)", title: "Crash \(number) in app \(app)", events: crashed, users: crashed)
        }
        return Observation(
            subject: Subject(source: "world", app: "app-\(app)", environment: "production"),
            span: TimeSpan(lasting: .minutes(1), until: end), seen: now,
            metrics: [
                "users": sessions * 0.8, "crashed_users": crashed, "sessions": sessions, "crashed_sessions": crashed,
            ], issues: issues)
    }

    private func look(in table: Table, _ day: Int, _ state: State, _ messages: Int, _ heap: Double) -> Look {
        let snapshot = state.facts.reduce(0) { $0 + $1.bytes.count }
        table.add([
            "\(day)", String(format: "%.2f", heap / 1_048_576), String(format: "%.2f", Double(snapshot) / 1_048_576),
            "\(state.figures.series.count)", "\(state.incidents.count)", "\(messages)",
            "\(Int(Double(clock()) / Double(CLOCKS_PER_SEC)))",
        ])
        return Look(heap: heap, snapshot: Double(snapshot))
    }

    /// What the heap has given out and not got back, in bytes.
    private static func heap() -> Double {
        let info = mallinfo2()
        return Double(info.uordblks + info.hblkhd)
    }

    private struct Explained: Error, CustomStringConvertible {
        let description: String
        init(_ description: String) { self.description = description }
    }
}
