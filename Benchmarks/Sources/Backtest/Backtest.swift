// How fast a span is played through the core, how fast observations are read from a file and judged, and how fast
// `promtool test rules` (Debian package prometheus) does the like, all in one run on one core.

internal import AlertCore
internal import BotConfig
internal import BuiltinPlugins
internal import Glibc
internal import Measuring
internal import PluginKit
internal import Preview
internal import TimeZones

@main
struct Backtest {
    static func main() {
        let numbers = CommandLine.arguments.dropFirst().compactMap(Int64.init)
        if CommandLine.arguments.contains("--outlook") { return compareOutlooks(Int(numbers.first ?? 10_000)) }
        let days = numbers.first ?? 30
        let config = World.config
        print("\(World.apps) apps, \(days) days of minutes, two rules, one core\n")
        let table = Table("rates", ["what", "how many", "CPU, s", "a second", "played to its looks"])
        let played = measured { play(days, config) }
        tell(table, "observations played", played)
        let bytes = World.file(days: max(1, days / 10))
        let read = measured { self.read(bytes, config) }
        tell(table, "lines read and judged", read)
        let peak = peakMemory() >> 10
        for input in [Promtool.Input.rates, .counts] {
            guard let promtool = Promtool(days: days, input) else {
                print("promtool is not there; it comes with the Debian package prometheus")
                return
            }
            let peer = measured { promtool.run() }
            let ratio = Double(played.work) / played.seconds / (Double(peer.work) / peer.seconds)
            tell(table, "looks of promtool, \(input.rawValue) of \(Promtool.apps) apps", peer, Measuring.ratio(ratio))
        }
        print("\nthe lines are \(bytes.count >> 20) MiB; most memory before promtool: \(peak) MiB")
    }

    /// A day of many apps with three rules, with and without asking every hour what each rule can judge.
    private static func compareOutlooks(_ apps: Int) {
        let table = Table("outlooks", ["rules", "played", "with what each rule could judge", "more"])
        for (name, rules) in Crowd.rules {
            let config = World.config(rules, source: "world: {plugin: file, path: world.jsonl, every: 5m}")
            func play(_ gathers: Bool) -> Double {
                measured {
                    var playback = Playback(config.plan, gathersOutlook: gathers)
                    for step in 0..<Int64(288) { playback.feed(Crowd.batch(step, apps)) }
                    let lines = playback.lineCount
                    _ = playback.finish(now: World.start).outlooks
                    return lines
                }.seconds
            }
            // By turns, the better of each: what else the machine does only adds.
            let rounds = (0..<2).map { _ in (without: play(false), with: play(true)) }
            let without = rounds.map(\.without).min() ?? 0
            let with = rounds.map(\.with).min() ?? 0
            let more = ((with / without - 1) * 1000).rounded() / 10
            table.add([name, "\(without.plain) s", "\(with.plain) s", "\(more.plain) %"])
        }
    }

    /// Plays a span; gives back the number of observations.
    private static func play(_ days: Int64, _ config: Config) -> Int {
        var playback = Playback(config.plan)
        for minute in 0..<days * 1440 { playback.feed(World.batch(minute)) }
        let lines = playback.lineCount
        let preview = playback.finish(now: World.start)
        precondition(!preview.decisions.isEmpty, "the falls of the world were not told")
        return lines
    }

    private static func read(_ bytes: [UInt8], _ config: Config) -> Int {
        var reader = ObservationReader(name: "world.jsonl", sources: ["world"])
        var playback = Playback(config.plan)
        var rest = bytes[...]
        while !rest.isEmpty {
            reader.take(rest.prefix(1 << 18))
            rest = rest.dropFirst(1 << 18)
            while let batch = reader.nextBatch() { playback.feed(batch) }
        }
        reader.finish()
        while let batch = reader.nextBatch() { playback.feed(batch) }
        precondition(reader.brokenCount == 0, "a line of the world could not be read")
        let lines = playback.lineCount
        _ = playback.finish(now: World.start)
        return lines
    }

    /// The time that the processor spent, that of children included: other programs on the machine do not count.
    private static func measured(_ work: () -> Int) -> (work: Int, seconds: Double) {
        let began = seconds()
        let done = work()
        return (done, seconds() - began)
    }

    private static func seconds() -> Double {
        [usage(RUSAGE_SELF), usage(RUSAGE_CHILDREN)].flatMap { [$0.ru_utime, $0.ru_stime] }
            .reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6 }
    }

    private static func usage(_ who: __rusage_who) -> rusage {
        var usage = rusage()
        getrusage(__rusage_who_t(who.rawValue), &usage)
        return usage
    }

    private static func tell(_ table: Table, _ what: String, _ done: (work: Int, seconds: Double), _ ratio: String = "")
    {
        let rate = Double(done.work) / max(done.seconds, 0.001)
        table.add([what, grouped(Double(done.work)), Measuring.ratio(done.seconds), grouped(rate), ratio])
    }

    /// In KiB.
    private static func peakMemory() -> Int { usage(RUSAGE_SELF).ru_maxrss }
}

/// A hundred apps, a look a minute each, most of the time well.
enum World {
    static let apps = 100
    static let start = Moment(milliseconds: 1_790_000_000_000 / 60_000 * 60_000)

    /// A floor with `for`, and a second rule in the place of a fall against the day before.
    static let config = config(
        [
            "floor: {plugin: threshold, metric: crash_free_users, warning: \"< 99%\", window: 1m, for: 10m}",
            "fall: {plugin: threshold, metric: crash_free_users, critical: \"< 98.5%\", window: 1m, recover: 0.2pp}",
        ], source: "world: {plugin: file, path: world.jsonl, throttle: 1m}")

    static func config(_ rules: [String], source: String) -> Config {
        let text = """
            version: 1
            sources:
              \(source)
            rules:
              \(rules.joined(separator: "\n  "))
            channels:
              team: {plugin: console}
            """
        let surroundings = ConfigSurroundings(
            variable: { _ in nil },
            file: { _ throws(ConfigSurroundings.Missing) in throw ConfigSurroundings.Missing("there are no files") },
            credentialsFolder: nil, zones: ZoneDatabase())
        let result = Config.load(Array(text.utf8), folder: ".", catalog: .builtin, surroundings: surroundings)
        guard let config = result.config else { preconditionFailure("\(result.problems)") }
        return config
    }

    private static let names = (0..<apps).map { "app-\($0)" }

    static func batch(_ minute: Int64) -> ObservationReader.Batch {
        let now = start + .minutes(minute)
        let lines = (0..<apps).map { ObservationLine.observed(observation($0, minute, now)) }
        return ObservationReader.Batch(seen: now, lines: lines)
    }

    private static func observation(_ app: Int, _ minute: Int64, _ now: Moment) -> Observation {
        let users = Double(20_000 + (app * 37 + Int(minute) * 13) % 5000)
        // Each app falls for half an hour every ten days or so.
        let falls = (Int(minute) + app * 1409) % 14_400 < 30
        let crashed = (users * (falls ? 0.03 : 0.003)).rounded()
        return Observation(
            subject: Subject(source: "world", app: names[app]), span: TimeSpan(lasting: .minutes(1), until: now),
            seen: now, metrics: ["users": users, "crashed_users": crashed])
    }

    /// The same as a file.
    static func file(days: Int64) -> [UInt8] {
        var bytes: [UInt8] = []
        for minute in 0..<days * 1440 {
            for line in batch(minute).lines { bytes += line.json.bytes + [UInt8(ascii: "\n")] }
        }
        return bytes
    }
}

/// Ten thousand apps, a look every five minutes, all of them well.
enum Crowd {
    private static let names = (0..<10_000).map { "app-\($0)" }

    static let rules: [(String, [String])] = [
        (
            "threshold, drop, new_issue",
            [
                "floor: {plugin: threshold, metric: crash_free_users, warning: \"< 99%\", window: 1h}",
                "fall: {plugin: drop, metric: crash_free_users, by: 0.5pp}", "news: {plugin: new_issue}",
            ]
        ),
        (
            "three of threshold that never have enough users",
            (1...3).map {
                "floor-\($0): {plugin: threshold, metric: crash_free_users, warning: \"< 99%\", window: 1h, "
                    + "min_volume: 1000000}"
            }
        ),
        (
            "threshold, release, stale",
            [
                "floor: {plugin: threshold, metric: crash_free_users, warning: \"< 99%\", window: 1h}",
                "young: {plugin: release, metric: crash_free_users}", "old: {plugin: stale, after: 2h}",
            ]
        ),
    ]

    static func batch(_ step: Int64, _ apps: Int) -> ObservationReader.Batch {
        let now = World.start + .minutes(5 * step)
        let lines = names.indices.prefix(apps).map { index -> ObservationLine in
            .observed(
                Observation(
                    subject: Subject(source: "world", app: names[index]),
                    span: TimeSpan(lasting: .hours(1), until: now), seen: now,
                    metrics: ["users": 2000, "crashed_users": Double((Int(step) + index) % 5)]))
        }
        return ObservationReader.Batch(seen: now, lines: lines)
    }
}
