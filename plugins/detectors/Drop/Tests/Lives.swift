import AlertTesting
import Chance
import Glibc
import PluginKit

@testable import DropDetector

/// An app's life told to a memory, five minutes after five minutes, with a rate of crashed users that a test sets.
struct Life {
    var memory: DropMemory
    private var random: SeededRandom
    /// Spans told so far.
    private(set) var step = 0

    static let begin = Moment(milliseconds: 1_795_176_000_000)  // 2026-11-20T12:00:00Z
    static let stepsPerDay = 288

    init(seed: UInt64, by: Double = 0.005) {
        memory = DropMemory(DropMemory.Need(metric: "crash_free_users", by: by))
        random = SeededRandom(seed: seed)
    }

    /// The span of a step.
    static func span(_ step: Int) -> TimeSpan {
        TimeSpan(lasting: .minutes(5), until: begin + .minutes(Int64(step + 1) * 5))
    }

    static func observation(_ step: Int, users: Double, crashed: Double, seen: Moment? = nil) -> Observation {
        let span = span(step)
        return Observation(
            subject: Subject(source: "ios", app: "shop"), span: span, seen: seen ?? span.to + .seconds(30),
            metrics: ["users": users, "crashed_users": crashed])
    }

    /// The next span: counts by chance.
    mutating func next(users: Double = 200, rate: Double = 0.003) -> Observation {
        defer { step += 1 }
        // By night there is a quarter of the traffic.
        let hour = Double(step) / Double(Life.stepsPerDay) * 2 * .pi
        let here = (users * (1 - 0.6 * cos(hour))).rounded()
        let crashed = (0..<Int(here)).count { _ in random.happens(rate) }
        return Life.observation(step, users: here, crashed: Double(crashed))
    }

    mutating func pass(days: Double, users: Double = 200, rate: Double = 0.003) {
        for _ in 0..<Int(days * Double(Life.stepsPerDay)) { memory.add(next(users: users, rate: rate)) }
    }

    /// Passes until something is so, and says how many spans that took; nil when it was not within some days.
    mutating func pass(
        days: Double, users: Double = 200, rate: Double, until isSo: (DropMemory) -> Bool
    ) -> Int? {
        for count in 1...Int(days * Double(Life.stepsPerDay)) {
            memory.add(next(users: users, rate: rate))
            if isSo(memory) { return count }
        }
        return nil
    }
}
