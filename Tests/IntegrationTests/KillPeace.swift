import BotHarness
import Chance
import Foundation
import Glibc

// What worlds share in which a bot has a bad time: apps that come and go, figures that arrive, a moment of chance, and the
// peace at the end.

/// Apps that go bad and get well, as chance has it.
struct FickleApps {
    /// Those that went bad, in order.
    private(set) var all: [String] = []
    /// Those of them that are well again.
    private var well: Set<String> = []
    private let countMax: Int

    init(countMax: Int) { self.countMax = countMax }

    /// Perhaps one more goes bad, and some of those get well of which somebody has heard.
    mutating func goOn(heardOf: Set<String>, _ chance: inout SeededRandom, in scratch: Scratch) throws {
        if all.count < countMax, chance.oneIn(2) {
            let app = "app-\(String(all.count + 1000).dropFirst())"
            all.append(app)
            try scratch.append(figures: Figures().line(app, crashed: 500, of: 10_000))
        }
        for app in heardOf.subtracting(well).sorted() where chance.oneIn(3) { try heal(app, in: scratch) }
    }

    mutating func healAll(in scratch: Scratch) throws {
        for app in all where !well.contains(app) { try heal(app, in: scratch) }
    }

    private mutating func heal(_ app: String, in scratch: Scratch) throws {
        well.insert(app)
        try scratch.append(figures: Figures().line(app, crashed: 0, of: 10_000))
    }
}

extension Scratch {
    /// Adds a line to the figures that the bot follows.
    func append(figures line: String) throws {
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path("figures.jsonl")))
        defer { try? file.close() }
        try file.seekToEnd()
        try file.write(contentsOf: Data(line.utf8))
    }

    /// Waits until nothing is open that the world has begun and no message waits, then stops the bot.
    ///
    /// - Parameter rule: the one whose incidents must be over; nil for all of any `app-…`.
    func finish(_ bot: Child, of rule: String? = nil, within limit: Duration) async throws {
        _ = try await eventually("nothing was left to say", within: limit) {
            // Each answer is a process of its own, and takes from the bot what it needs to come to peace.
            try await Task.sleep(for: .milliseconds(200))
            let status = try await alertbot("status", "--format", "json").json
            let isQuiet = status["channels"].elements.allSatisfy { $0["queued"].number == 0 }
            let isOpen = status["incidents"].elements.contains { incident in
                rule.map { incident["rule"].string == $0 } ?? (incident["app"].string?.hasPrefix("app-") ?? false)
            }
            return isQuiet && !isOpen && status["config_trouble"] == .null ? true : nil
        }
        try await bot.terminate()
    }
}

extension Child {
    /// The end of what it wrote for people.
    var lastWords: String { String(standardError.suffix(2000)) }

    /// Stops it as a service manager does, and waits until it has ended well.
    func terminate() async throws {
        send(SIGTERM)
        let ending = try await self.ending()
        guard ending == .exited(0) else { throw TooLate("SIGTERM ended with 0 and not \(ending): \(lastWords)") }
    }

    /// Kills it, and waits until it is gone; throws if it had ended before.
    func kill() async throws {
        send(SIGKILL)
        let ending = try await self.ending()
        guard ending == .killed(signal: SIGKILL) else { throw TooLate("the bot ran on: \(ending): \(lastWords)") }
    }

    /// Lets it run for some time, or until there is enough of something if that comes first.
    func run(for time: Duration, until isEnough: () -> Bool) async throws {
        let end = ContinuousClock.now + time
        while ContinuousClock.now < end, !isEnough() {
            guard isRunning else { throw TooLate("the bot ran on: \(lastWords)") }
            try await Task.sleep(for: .milliseconds(1))
        }
    }
}
