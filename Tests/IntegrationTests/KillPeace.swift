import BotHarness
import Foundation
import Glibc

/// What worlds share in which a bot is killed: figures that arrive, a moment of chance, and the peace at the end.
extension Scratch {
    /// Adds a line to the figures that the bot follows.
    func append(figures line: String) throws {
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path("figures.jsonl")))
        defer { try? file.close() }
        try file.seekToEnd()
        try file.write(contentsOf: Data(line.utf8))
    }

    /// Waits until nothing is open of any `app-…` and no message waits, then stops the bot.
    func finish(_ bot: Child, within limit: Duration) async throws {
        _ = try await eventually("nothing was left to say", within: limit) {
            try await Task.sleep(for: .milliseconds(200))
            let status = try await alertbot("status", "--format", "json").json
            let isQuiet = status["channels"].elements.allSatisfy { $0["queued"].number == 0 }
            let open = status["incidents"].elements.compactMap { $0["app"].string }
            return isQuiet && !open.contains { $0.hasPrefix("app-") } ? true : nil
        }
        bot.send(SIGTERM)
        let ending = try await bot.ending()
        guard ending == .exited(0) else { throw TooLate("the last bot ended well: \(ending): \(bot.lastWords)") }
    }
}

extension Child {
    /// The end of what it wrote for people.
    var lastWords: String { String(standardError.suffix(2000)) }

    /// Lets it run for some time, or until there is enough of something if that comes first.
    func run(for time: Duration, until isEnough: () -> Bool) async throws {
        let end = ContinuousClock.now + time
        while ContinuousClock.now < end, !isEnough() {
            guard isRunning else { throw TooLate("the bot ran on: \(lastWords)") }
            try await Task.sleep(for: .milliseconds(1))
        }
    }
}
