import AlertTesting
import Chance
import Glibc
import PluginKit
import Testing

@testable import DropDetector

/// A calm app that gives crashed sessions, with or without crashed users beside them: as many sessions as counts of an app
/// with 6,000 an hour by day have, and as many crashes as chance gives.
private struct CalmApp {
    let givesUsers: Bool
    var memory = DropMemory(DropMemory.Need(metric: "crash_free_sessions", by: 0.005))
    private var random: SeededRandom
    private var step = 0

    private static let rate = 0.003

    init(seed: UInt64, givesUsers: Bool) {
        (random, self.givesUsers) = (SeededRandom(seed: seed), givesUsers)
    }

    /// A span in which one user's app crashes so often besides, or so many users more are hit.
    mutating func pass(loop: Double = 0, hit: Double = 0) {
        // By night an eighth of the traffic.
        let sessions = (500 * (0.56 - 0.44 * cos(Double(step % 288) / 288 * 2 * .pi))).rounded()
        let crashed = Double((0..<Int(sessions)).count { _ in random.happens(Self.rate) }) + hit
        let span = Life.span(step)
        var metrics: Metrics = ["sessions": sessions + loop, "crashed_sessions": crashed + loop]
        if givesUsers { metrics["crashed_users"] = crashed + (loop > 0 ? 1 : 0) }
        memory.add(
            Observation(subject: Subject(source: "ios", app: "shop"), span: span, seen: span.to, metrics: metrics))
        step += 1
    }

    mutating func pass(days: Double) { for _ in 0..<Int(days * 288) { pass() } }

    /// Three weeks, to the small hours of a night.
    static func asleep(seed: UInt64, givesUsers: Bool) -> CalmApp {
        var app = CalmApp(seed: seed, givesUsers: givesUsers)
        app.pass(days: 21)
        return app
    }
}

@Suite struct `One user's loop that goes on` {
    /// Crashes in spans of five minutes: such nights woke people as "not chance", two spans after the loop began.
    private static let nights: [[Double]] = [[5, 6, 4], [4, 4, 4, 4], [5, 6, 5, 6, 5]]

    /// The most evidence there was in the night of a loop, in days.
    private func rarest(_ loop: [Double], seed: UInt64, givesUsers: Bool) -> Double {
        var app = CalmApp.asleep(seed: seed, givesUsers: givesUsers)
        var rarest = 0.0
        for crashes in loop + [Double](repeating: 0, count: 12) {
            app.pass(loop: crashes)
            rarest = max(rarest, app.memory.rarity)
        }
        return rarest
    }

    @Test(arguments: nights, SeededRandom.seeds)
    func `is no fall where its user is known`(loop: [Double], seed: UInt64) {
        let rarity = rarest(loop, seed: seed, givesUsers: true)
        #expect(rarity < 90, "\(rarity) days, seed \(seed)")
    }

    @Test(arguments: SeededRandom.seeds)
    func `is no fall on sessions alone while it lasts as long as most do`(seed: UInt64) {
        let rarity = rarest([5, 6], seed: seed, givesUsers: false)
        #expect(rarity < 90, "\(rarity) days, seed \(seed)")
    }

    @Test(arguments: SeededRandom.seeds, [true, false])
    func `hides no fall that hits many, by night either`(seed: UInt64, givesUsers: Bool) throws {
        var app = CalmApp.asleep(seed: seed, givesUsers: givesUsers)
        app.pass(loop: 5)
        let spans = (1...6).first { _ in
            app.pass(hit: 8)
            return app.memory.rarity >= 90
        }
        #expect(try #require(spans, "seed \(seed)") <= 2)
    }

    @Test func `is known again after a restart`() throws {
        var app = CalmApp.asleep(seed: 1, givesUsers: false)
        app.pass(loop: 5)
        #expect(app.memory.score.loop > 0)
        let read = try DropMemory(JSONReader(JSON(parsing: app.memory.json.text)))
        let isSame = read == app.memory
        #expect(isSame)
    }
}
