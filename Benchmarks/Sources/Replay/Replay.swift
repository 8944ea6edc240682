internal import AlertModel
internal import Foundation
internal import Journal
internal import Measuring
internal import PluginKit
internal import Programs
internal import Runtime

// What looking back costs: how much a recording takes a day, how long a dry run from it takes from start to exit, and
// how much memory a backtest needs for a file that is far longer than memory.

@main
enum Replay {
    static func main() {
        do { try measure() } catch {
            print("error: \(error)")
            exit(1)
        }
    }

    private static func measure() throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard arguments.first == "--alertbot", arguments.count >= 2,
            FileManager.default.isExecutableFile(atPath: arguments[1])
        else { throw Trouble("usage: replay --alertbot PATH [GIB]") }
        let gibibytes = arguments.dropFirst(2).first.flatMap(Double.init) ?? 2
        try withScratch { folder in
            try World.config.write(toFile: folder + "/config.yaml", atomically: true, encoding: .utf8)
            let bytes = try record(in: folder)
            print("a day of \(World.apps) apps every 5 min, \(World.issues) issues each: \(mebibytes(bytes)) MiB\n")
            let table = Table("starts", ["what", "ms from start to exit"])
            for words in [["dry-run", "--recorded"], ["backtest"]] {
                let times = try (0..<15).map { _ in try seconds { try run(arguments[1], words, in: folder) } }
                table.add(["`alertbot \(words.joined(separator: " "))`", grouped(times.median * 1000)])
            }
            try stream(Int(gibibytes * 1_073_741_824), into: arguments[1], folder)
        }
    }

    /// Records a day as the bot does; gives back its bytes.
    private static func record(in folder: String) throws -> Int {
        let state = FolderDisk(folder + "/state")
        try state.makeFolder()
        let disk = FolderDisk(folder + "/state/observations")
        var recording = Recording(disk)
        for look in 0..<288 {
            let asked = World.start + .minutes(Int64(look) * 5)
            let arrived = asked + .milliseconds(412)
            let report = PollReport(.values((0..<World.apps).map { World.observation($0, look, asked, World.issues) }))
            try recording.write(report.lines(of: "world", asked: asked, arrived: arrived), at: arrived)
        }
        return try Recording.files(in: disk).reduce(0) { try $0 + disk.openToRead($1.description).bytesCount() }
    }

    /// Pours minutes of a hundred apps into a backtest.
    private static func stream(_ bytesMax: Int, into binary: String, _ folder: String) throws {
        let pipe = Pipe()
        let child = try Child(binary, ["backtest", "--observations", "-"], in: folder, input: pipe)
        defer { child.stop() }
        var written = 0
        var lines = 0
        var peak = 0
        let took = try seconds {
            while written < bytesMax {
                let now = World.start + .minutes(Int64(lines / 100))
                var bytes: [UInt8] = []
                for app in 0..<100 {
                    bytes +=
                        ObservationLine.observed(World.observation(app, lines / 100, now, 0, lasting: .minutes(1))).json
                        .bytes
                    bytes.append(UInt8(ascii: "\n"))
                }
                try pipe.fileHandleForWriting.write(contentsOf: Data(bytes))
                written += bytes.count
                lines += 100
                if lines.isMultiple(of: 100_000) { peak = max(peak, child.peakBytes) }
            }
            try pipe.fileHandleForWriting.close()
            while child.isRunning {
                peak = max(peak, child.peakBytes)
                usleep(1000)
            }
        }
        print("")
        let table = Table("poured", ["poured in, MiB", "lines", "s", "lines a second", "peak memory, MiB"])
        table.add([
            mebibytes(written), grouped(Double(lines)), Measuring.ratio(took), grouped(Double(lines) / took),
            mebibytes(peak),
        ])
        print("")
        print(child.lastWords)
    }

    private static func mebibytes(_ bytes: Int) -> String { String(format: "%.1f", Double(bytes) / 1_048_576) }

    private static func seconds(_ work: () throws -> Void) rethrows -> Double {
        let begin = ContinuousClock.now
        try work()
        return (ContinuousClock.now - begin) / .seconds(1)
    }
}

/// Some apps of a team, most of the time well.
private enum World {
    static let apps = 6
    static let issues = 5
    static let start = Moment(milliseconds: 1_700_006_400_000)

    static let config = """
        version: 1
        bot: {name: replay, state: ./state, listen: "off"}
        sources:
          world: {plugin: file, path: none.jsonl}
        rules:
          floor: {plugin: threshold, metric: crash_free_users, warning: "< 99%", for: 10m}
          fall: {plugin: drop, metric: crash_free_users, by: 0.5pp, false_alarms: 1 per 90d}
        channels:
          team: {plugin: console}

        """

    static func observation(
        _ app: Int, _ look: Int, _ now: Moment, _ issueCount: Int, lasting length: Duration = .minutes(5)
    ) -> Observation {
        let users = Double(20_000 + (app * 37 + look * 13) % 5000)
        // Each app falls for half an hour every ten days or so.
        let falls = (look + app * 1409) % 14_400 < 30
        let issues = (0..<issueCount).map { issue in
            Issue(
                id: "SHOP-\(app)\(issue)", title: "java.lang.IllegalStateException: view \(issue) is not attached",
                events: Double(40 + (look + issue) % 30), users: Double(20 + (look + issue) % 17),
                firstSeen: now - .days(3), lastSeen: now - .seconds(40), release: "5.2.0", status: "unresolved",
                url: "https://sentry.example/organizations/shop/issues/410\(app)\(issue)/")
        }
        return Observation(
            subject: Subject(source: "world", app: "app-\(app)", release: "5.2.0", environment: "production"),
            span: TimeSpan(lasting: length, until: now), seen: now,
            metrics: [
                "users": users, "crashed_users": (users * (falls ? 0.03 : 0.003)).rounded(), "sessions": users * 3,
                "crashed_sessions": (users * (falls ? 0.03 : 0.003)).rounded(),
            ],
            issues: issues)
    }
}
