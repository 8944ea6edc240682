internal import BareLoop
internal import Foundation
internal import Programs

/// What one storm came to.
struct Outcome {
    var messages: Int
    /// From the moment at which the program was told of the trouble to the last message's arrival.
    var seconds: Double
    /// From the first message's arrival to the last one's.
    var secondsOfArrivals: Double
    var peakBytes: Int

    init(_ arrivals: Sink.Arrivals, since start: Double, peakBytes: Int) {
        messages = arrivals.count
        seconds = arrivals.last - start
        secondsOfArrivals = arrivals.last - arrivals.first
        self.peakBytes = peakBytes
    }
}

/// A program that is told of many troubles at once, and tells the sink of each.
protocol Contestant {
    var name: String { get }
    func storm(of count: Int, in folder: String) throws -> Outcome
}

/// alertbot reads the figures of so many apps from a file at its first poll, which begins when it is up. Every message
/// is durable before it leaves and its outcome is recorded, which the journal must show afterwards.
struct Alertbot: Contestant {
    let name = "alertbot"
    let binary: String

    func storm(of count: Int, in folder: String) throws -> Outcome {
        let sink = try Sink(in: folder)
        defer { sink.stop() }
        let config = """
            version: 1
            bot: {name: storm, state: ./state, listen: "off"}
            sources:
              apps: {plugin: file, path: apps.jsonl}
            rules:
              floor: {plugin: threshold, metric: crash_free_users, warning: "< 99.5%", critical: "< 99%"}
            channels:
              sink: {plugin: webhook, url: "http://127.0.0.1:\(sink.port)/"}
            """
        try config.write(toFile: folder + "/config.yaml", atomically: true, encoding: .utf8)
        let now = Date()
        let (from, to) = (now.addingTimeInterval(-1800).ISO8601Format(), now.ISO8601Format())
        let lines = (0..<count).map { app in
            #"{"source":"apps","app":"app-\#(app)","environment":"production","from":"\#(from)","to":"\#(to)","#
                + #""seen":"\#(to)","metrics":{"users":2000,"crashed_users":90}}"#
        }
        try lines.joined(separator: "\n").write(toFile: folder + "/apps.jsonl", atomically: true, encoding: .utf8)

        let bot = try Child(binary, ["run", "--config", folder + "/config.yaml"], in: folder)
        defer { bot.stop() }
        try wait("alertbot was up") { bot.said(": watching ") != nil }
        let start = bot.said(": watching ")?.timeIntervalSince1970 ?? 0
        try sink.awaitArrivals(count, whileRuns: bot)
        try wait("every outcome was recorded") { try recordedEnds(folder) >= count }
        let arrivals = try sink.arrivals()
        guard arrivals.distinct == count, arrivals.count == count else {
            throw Trouble("\(arrivals.count) messages came, \(arrivals.distinct) different ones, instead of \(count)")
        }
        return Outcome(arrivals, since: start, peakBytes: bot.peakBytes)
    }

    /// How many deliveries the journal knows to have ended.
    private func recordedEnds(_ folder: String) throws -> Int {
        let state = folder + "/state"
        return try FileManager.default.contentsOfDirectory(atPath: state).filter { $0.hasSuffix(".jsonl") }.reduce(0) {
            let text = try Data(contentsOf: URL(fileURLWithPath: state + "/" + $1))
            return $0 + text.split(separator: UInt8(ascii: "\n")).count { $0.range(of: ended) != nil }
        }
    }

    private let ended = Data(#""kind":"delivery_done""#.utf8)
}

/// Alertmanager is given so many alerts by one request, each a group of its own. It keeps nothing durably on the way.
struct Alertmanager: Contestant {
    let name = "alertmanager"

    func storm(of count: Int, in folder: String) throws -> Outcome {
        let sink = try Sink(in: folder)
        defer { sink.stop() }
        let config = """
            route:
              receiver: sink
              group_by: ["..."]
              group_wait: 0s
              group_interval: 5m
              repeat_interval: 4h
            receivers:
              - name: sink
                webhook_configs: [{url: "http://127.0.0.1:\(sink.port)/", send_resolved: true}]
            """
        try config.write(toFile: folder + "/alertmanager.yml", atomically: true, encoding: .utf8)
        let alerts = (0..<count).map { app in
            #"{"labels":{"alertname":"floor","app":"app-\#(app)","environment":"production","severity":"critical"},"#
                + #""annotations":{"summary":"Crash-free users of app-\#(app) are 95.5%","description":"90 of 2000 users crashed"}}"#
        }
        try "[\(alerts.joined(separator: ","))]".write(
            toFile: folder + "/alerts.json", atomically: true, encoding: .utf8)

        let port = try freePort()
        let program = try Child(
            "/usr/bin/prometheus-alertmanager",
            [
                "--config.file=\(folder)/alertmanager.yml", "--storage.path=\(folder)/alertmanager",
                "--web.listen-address=127.0.0.1:\(port)", "--cluster.listen-address=", "--log.level=error",
            ], in: folder)
        defer { program.stop() }
        let address = "http://127.0.0.1:\(port)"
        try wait("Alertmanager was up") {
            guard program.isRunning else { throw Trouble("it ended early:\n\(program.lastWords)") }
            try run("/usr/bin/curl", ["-sf", "-o", "ready", address + "/-/ready"], in: folder)
            return FileManager.default.fileExists(atPath: folder + "/ready")
        }
        let start = Date().timeIntervalSince1970
        try run(
            "/usr/bin/curl",
            [
                "-sS", "-H", "Content-Type: application/json", "--data-binary", "@alerts.json",
                address + "/api/v2/alerts",
            ], in: folder)
        try sink.awaitArrivals(count, whileRuns: program)
        return Outcome(try sink.arrivals(), since: start, peakBytes: program.peakBytes)
    }
}

/// libcurl and nothing else: as many bodies of the bot's size over as many connections, known before they are asked for,
/// from one thread that keeps nothing. What a machine can carry at all.
struct BareLoop: Contestant {
    let name = "bare libcurl loop"
    /// What a message of the bot has in this storm, and how many it has under way at once.
    static let (bodyBytes, atOnce) = (1250, 64)
    static let option = "--bare-loop"

    func storm(of count: Int, in folder: String) throws -> Outcome {
        let sink = try Sink(in: folder)
        defer { sink.stop() }
        // A process of its own, as the others are.
        let hold = Pipe()
        let start = Date().timeIntervalSince1970
        let program = try Child(
            "/proc/self/exe", [BareLoop.option, "http://127.0.0.1:\(sink.port)/", String(count)], in: folder,
            input: hold)
        defer { program.stop() }
        try sink.awaitArrivals(count, whileRuns: program)
        let peak = program.peakBytes
        try hold.fileHandleForWriting.close()
        let arrivals = try sink.arrivals()
        guard arrivals.distinct == count else { throw Trouble("\(arrivals.distinct) of \(count) messages came") }
        return Outcome(arrivals, since: start, peakBytes: peak)
    }

    /// The process itself; it stays until nobody holds its input any more, so that its memory can be read.
    static func run(_ url: String, _ count: Int) -> Int32 {
        let taken = bare_loop_post(url, Int32(count), Int32(bodyBytes), Int32(atOnce))
        _ = readLine()
        return taken == Int32(count) ? 0 : 1
    }
}
