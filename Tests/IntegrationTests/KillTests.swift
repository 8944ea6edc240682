import BotHarness
import Foundation
import Testing

extension OrdealSuite {
    /// The promise that is hardest to keep: nothing is lost and nothing is said twice, whatever happens to the process.
    ///
    /// Apps go bad and get well while the bot is killed, stopped, reloaded and started again, and both of its receivers
    /// misbehave. In the end every app's story must have been told to both. `ALERTBOT_KILLS` says how often to kill,
    /// `ALERTBOT_SEED` draws the same chances again; how processes and threads interleave is not in the seed.
    @Suite(.serialized, .timeLimit(.minutes(60))) struct KillTests {
        @Test func `hundreds of kills lose nothing, and repeat nothing without an excuse`() async throws {
            let environment = ProcessInfo.processInfo.environment
            let kills = environment["ALERTBOT_KILLS"].flatMap(Int.init) ?? 200
            let seed = environment["ALERTBOT_SEED"].flatMap(UInt64.init) ?? UInt64(UInt32.random(in: 0 ... .max))
            print("kill harness: ALERTBOT_SEED=\(seed) ALERTBOT_KILLS=\(kills)")
            let world = try KillWorld(seed: seed, kills: kills)
            defer { world.stop() }
            while world.kills < kills { try await world.runAWhile() }
            try await world.settle()
            let ledger = try await world.ledger()
            print(ledger.table)
            #expect(ledger.complaints == [], "ALERTBOT_SEED=\(seed) ALERTBOT_KILLS=\(kills)")
            let verify = try await world.scratch.alertbot("journal", "verify", "--format", "json")
            #expect(verify.status == 0)
            #expect(try verify.json["damaged"].bool == false)
        }
    }
}
