// How fast a span is played through the core, how fast observations are read from a file and judged, and how fast
// `promtool test rules` (Debian package prometheus) does the like, all in one run on one core.

internal import AlertCore
internal import BotConfig
internal import BuiltinPlugins
internal import Glibc
internal import PluginKit
internal import Preview
internal import TimeZones

@main
struct Backtest {
    static func main() {
        let days = CommandLine.arguments.dropFirst().compactMap(Int64.init).first ?? 30
        let config = World.config
        print("\(World.apps) apps, \(days) days of minutes, two rules, one core")
        let played = measured { play(days, config) }
        tell("played", played.work, "observations", played.seconds)
        let bytes = World.file(days: max(1, days / 10))
        let read = measured { self.read(bytes, config) }
        tell("read and judged", read.work, "lines", read.seconds)
        print("  (\(bytes.count >> 20) MiB)")
        print("most memory: \(peakMemory() >> 10) MiB")
        for input in [Promtool.Input.rates, .counts] {
            guard let promtool = Promtool(days: days, input) else {
                print("promtool is not there; it comes with the Debian package prometheus")
                return
            }
            let peer = measured { promtool.run() }
            tell("promtool test rules, \(input.rawValue) of \(Promtool.apps) apps", peer.work, "looks", peer.seconds)
            let ratio = Double(played.work) / played.seconds / (Double(peer.work) / peer.seconds)
            print("  observations played to its looks: \(ratio.plain)")
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

    private static func tell(_ what: String, _ work: Int, _ unit: String, _ seconds: Double) {
        let rate = Double(work) / max(seconds, 0.001)
        print("\(what): \(Double(work).plain) \(unit) in \(seconds.plain) s, \(rate.rounded().plain) a second")
    }

    /// In KiB.
    private static func peakMemory() -> Int { usage(RUSAGE_SELF).ru_maxrss }
}

/// A hundred apps, a look a minute each, most of the time well.
enum World {
    static let apps = 100
    static let start = Moment(milliseconds: 1_790_000_000_000 / 60_000 * 60_000)

    /// A floor with `for`, and a second rule in the place of a fall against the day before.
    static let config: Config = {
        let text = """
            version: 1
            sources:
              world: {plugin: file, path: world.jsonl, throttle: 1m}
            rules:
              floor: {plugin: threshold, metric: crash_free_users, warning: "< 99%", window: 1m, for: 10m}
              fall: {plugin: threshold, metric: crash_free_users, critical: "< 98.5%", window: 1m, recover: 0.2pp}
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
    }()

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
