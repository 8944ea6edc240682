internal import Foundation
internal import Measuring
internal import Programs
internal import Synchronization

/// How long the program takes with a long config, from its start on: `run` until its first request has come to a source,
/// and `check` to its exit.
enum Configs {
    static func measure(_ binary: String) throws {
        let table = Table("configs", ["what", "ms", "worst"])
        func add(_ what: String, _ seconds: [Double]) {
            let worst = seconds.max() ?? 0
            table.add([what] + [seconds.median, worst].map { String(format: "%.1f", $0 * 1000) })
        }
        // Folders of their own: the start that is measured is one without a journal.
        add(
            "`run` with 100 sources, until the first poll",
            try (0..<15).map { _ in try withScratch { try timeToFirstPoll(binary, sources: 100, in: $0) } })
        add(
            "`check` of 1,000 rules and 1,000 sources",
            try withScratch { folder in
                let path = folder + "/config.yaml"
                // Nobody listens there: `check` asks no source.
                try config(sources: 1000, rules: 1000, port: 9).write(
                    toFile: path, atomically: true, encoding: .utf8)
                return try (0..<5).map { _ in
                    let begin = LoopbackServer.now()
                    try run(binary, ["check", "--config", path], in: folder)
                    return LoopbackServer.now() - begin
                }
            })
    }

    private static func timeToFirstPoll(_ binary: String, sources: Int, in folder: String) throws -> Double {
        let first = Mutex<Double?>(nil)
        let server = try LoopbackServer { request in
            first.withLock { $0 = $0 ?? request.arrived }
            return LoopbackServer.Reply(#"{"rows":[{"app":"shop","users":9000,"crashed":5}]}"#)
        }
        let path = folder + "/config.yaml"
        try config(sources: sources, rules: 1, port: server.port).write(
            toFile: path, atomically: true, encoding: .utf8)
        let begin = LoopbackServer.now()
        let bot = try Child(binary, ["run", "--config", path], in: folder)
        defer { bot.stop() }
        try wait("a first poll had come") {
            guard bot.isRunning else { throw Trouble("it ended early:\n\(bot.lastWords)") }
            return first.withLock { $0 != nil }
        }
        return (first.withLock { $0 } ?? 0) - begin
    }

    /// Each rule is of the source of its number, as people write them who have many.
    private static func config(sources: Int, rules: Int, port: UInt16) -> String {
        var lines = ["version: 1", #"bot: {name: start, state: ./state, listen: "off"}"#, "sources:"]
        for number in 0..<sources {
            lines.append("  source-\(number):")
            lines.append("    plugin: http_json")
            lines.append("    url: http://127.0.0.1:\(port)/\(number)")
            lines.append("    each: $.rows[*]")
            lines.append("    map: {app: $.app, users: $.users, crashed_users: $.crashed}")
        }
        lines.append("rules:")
        for number in 0..<rules {
            lines.append("  rule-\(number):")
            lines.append("    plugin: threshold")
            lines.append("    match: {source: source-\(number)}")
            lines.append("    metric: crash_free_users")
            lines.append("    critical: \"< 99.\(number % 10)%\"")
        }
        lines += ["channels:", "  team: {plugin: inbox}", ""]
        return lines.joined(separator: "\n")
    }
}
