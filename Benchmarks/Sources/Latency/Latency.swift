internal import Foundation
internal import Measuring
internal import Programs

// From the moment at which a source has answered to the arrival of the message at the webhook: the whole program from
// outside, its facts durable before the message leaves. Quiet, and while thousands of other messages leave.

@main
enum Latency {
    /// Every poll of each names another app that is below its limit, so every poll is one message.
    private static let sources = 20
    /// Apps that fall below their limit in one poll, and how often that happens while the probes go on.
    private static let stormApps = 5000

    static func main() {
        do { try measure() } catch {
            print("error: \(error)")
            exit(1)
        }
    }

    private static func measure() throws {
        var seconds = 300.0
        var binary = ""
        var arguments = Array(CommandLine.arguments.dropFirst())
        while let word = arguments.first {
            arguments.removeFirst()
            switch (word, arguments.first) {
            case ("--alertbot", let path?): binary = path
            case ("--seconds", let text?): seconds = Double(text) ?? seconds
            default: throw Trouble("usage: latency --alertbot PATH [--seconds N]")
            }
            arguments.removeFirst()
        }
        guard FileManager.default.isExecutableFile(atPath: binary) else {
            throw Trouble("usage: latency --alertbot PATH [--seconds N]")
        }
        let table = Table("delays", ["", "messages", "median, ms", "99 %", "99.9 %", "worst"])
        for storms in [0, Int(seconds / 30)] {
            let delays = try withScratch { try probe(binary, for: seconds, storms: storms, in: $0) }
            let name = storms == 0 ? "quiet" : "while \(storms) times \(stormApps) others leave"
            table.add(row(name, delays))
        }
        table.add(row("an `fdatasync` of 2 kB by itself", try withScratch(syncs)))
    }

    private static func row(_ name: String, _ delays: [Double]) -> [String] {
        let sorted = delays.sorted()
        func quantile(_ share: Double) -> String {
            let place = min(sorted.count - 1, Int(Double(sorted.count) * share))
            return String(format: "%.2f", sorted[place] * 1000)
        }
        guard !sorted.isEmpty else { return [name, "0", "", "", "", ""] }
        return [name, "\(sorted.count)", quantile(0.5), quantile(0.99), quantile(0.999), quantile(1)]
    }

    private static func probe(
        _ binary: String, for seconds: Double, storms: Int, in folder: String
    ) throws -> [Double] {
        let world = try World(stormApps: stormApps)
        let address = "http://127.0.0.1:\(world.port)"
        func source(_ name: String, _ every: String) -> String {
            """
              \(name):
                plugin: http_json
                url: \(address)/\(name)
                each: $.rows[*]
                span: 1h
                every: \(every)
                map: {app: $.app, users: $.users, crashed_users: $.crashed}

            """
        }
        var text = """
            version: 1
            bot: {name: latency, state: ./state, listen: "off"}
            polling: {every: 1s, throttle: 1s, slowest: 60s, concurrency: 64, per_host: 64}
            rules:
              floor: {plugin: threshold, metric: crash_free_users, critical: "< 99%"}
            channels:
              probe: {plugin: webhook, url: "\(address)/probe"}
              storm: {plugin: webhook, url: "\(address)/storm"}
            routes:
              - {match: {source: storm}, to: [storm]}
              - {to: [probe]}
            sources:

            """
        // Each at a pace of its own, so that they seldom come together.
        for number in 0..<sources { text += source("s\(number)", "\(number + 3)s") }
        if storms > 0 { text += source("storm", "\(Int(seconds) / storms)s") }
        try text.write(toFile: folder + "/config.yaml", atomically: true, encoding: .utf8)
        let bot = try Child(binary, ["run", "--config", folder + "/config.yaml"], in: folder)
        defer { bot.stop() }
        try wait("alertbot was up") {
            guard bot.isRunning else { throw Trouble("it ended early:\n\(bot.lastWords)") }
            return bot.said(": watching ") != nil
        }
        // The first polls find cold caches and no connection.
        Thread.sleep(forTimeInterval: 3)
        world.begin()
        Thread.sleep(forTimeInterval: seconds)
        guard bot.isRunning else { throw Trouble("it ended early:\n\(bot.lastWords)") }
        return world.delays
    }

    /// What this disk takes for one sync, many times over.
    private static func syncs(in folder: String) throws -> [Double] {
        let descriptor = open(folder + "/sync", O_WRONLY | O_CREAT | O_APPEND, 0o600)
        guard descriptor >= 0 else { throw Trouble("\(folder)/sync cannot be written") }
        defer { close(descriptor) }
        let bytes = [UInt8](repeating: 120, count: 2048)
        return try (0..<2000).map { _ in
            let start = LoopbackServer.now()
            guard write(descriptor, bytes, bytes.count) == bytes.count, fdatasync(descriptor) == 0 else {
                throw Trouble("\(folder)/sync cannot be synced")
            }
            return LoopbackServer.now() - start
        }
    }
}
