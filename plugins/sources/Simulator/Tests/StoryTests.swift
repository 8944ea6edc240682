import PluginKit
import Testing

@testable import SimulatorSource

@Suite struct `The story` {
    /// The share of trouble at simulated minutes of each cycle.
    @Test(arguments: [
        (0.0, 0.0), (8, 0), (9.5, 0.5), (11, 1), (60, 1), (160, 1), (164, 0.5), (168, 0), (1559, 0),
    ])
    func `a release goes wrong and is fixed`(_ minute: Double, _ share: Double) {
        for cycle in 0..<3 {
            let trouble = Story.trouble(at: Double(cycle) * Story.cycleSeconds + minute * 60)
            #expect(abs(trouble.share - share) < 1e-9, "cycle \(cycle)")
            #expect(trouble.chapter.number == cycle)
        }
        #expect(Story.trouble(at: -minute * 60 - 1).share == 0)
    }

    @Test func `the apps take turns`() {
        let turns = (0..<5).map { number in
            (0..<2).filter { Story.Chapter(number: number).concerns(app: $0, of: 2) }
        }
        #expect(turns == [[0], [1], [0], [1], [0]])
    }

    /// What a floor of 99 % over two minutes sees with `speed: 120`, polled every five seconds, by seed and hour of
    /// start.
    @Test(arguments: 1...8, [0, 6, 12, 20])
    func `the first alert comes within forty seconds and ends two to three minutes later`(
        _ seed: Int, _ hour: Int64
    ) throws {
        let start = Moment(milliseconds: 1_795_003_200_000) + .hours(hour)
        let world = World(
            seed: seed, apps: ["shop-ios", "shop-android"], usersPerDay: 20_000, speed: 120, start: start)
        var broken: [String: [Int64]] = [:]
        var surelyBroken: [String: [Int64]] = [:]
        // To the end of the second cycle.
        for second in stride(from: Int64(0), through: 2 * 780, by: 5) {
            for seen in world.observations(over: [.minutes(2)], until: start + .seconds(second), as: "demo") {
                let users = try #require(seen.metrics[.users])
                let crashed = try #require(seen.metrics[.crashedUsers])
                let allowed = users * 0.01
                if crashed > allowed { broken[seen.subject.app, default: []].append(second) }
                // Far beyond what chance does at the limit.
                if crashed > allowed + 5.5 * allowed.squareRoot() {
                    surelyBroken[seen.subject.app, default: []].append(second)
                }
            }
        }
        // The second app has the same trouble a cycle later, the first is left in peace meanwhile.
        for (app, cycle) in [("shop-ios", Int64(0)), ("shop-android", 780)] {
            let seconds = try #require(broken[app]).map { $0 - cycle }
            let first = try #require(seconds.first)
            let last = try #require(seconds.last)
            let sure = try #require(surelyBroken[app]?.first) - cycle
            #expect((10...25).contains(first))
            #expect((20...40).contains(sure))
            #expect((180...205).contains(last))
        }
    }

    @Test func `the bad release brings an issue of its own`() {
        let start = Moment(milliseconds: 1_795_003_200_000)
        let world = World(seed: 1, apps: ["shop-ios"], usersPerDay: 20_000, speed: 120, start: start)
        func issues(_ second: Int64) -> [PluginKit.Issue] {
            world.observations(over: [.minutes(2)], until: start + .seconds(second), as: "demo").flatMap(\.issues)
        }
        #expect(issues(0).allSatisfy { $0.release == nil && $0.id.hasPrefix("SHOP-IOS-10") })
        let worst = issues(80).first
        #expect(worst?.id == "SHOP-IOS-201")
        #expect(worst?.release == "5.1.0")
        #expect(worst?.firstSeen == start + .seconds(4))
        #expect(worst?.lastSeen.map { $0 > start + .seconds(60) && $0 <= start + .seconds(80) } == true)
        #expect((worst?.events ?? 0) > 100)
        #expect(issues(400).allSatisfy { $0.release == nil })
        for issue in issues(80) { #expect((issue.users ?? 1) <= (issue.events ?? 0)) }
    }
}
