import BotHarness
import Foundation
import Testing

extension OrdealSuite {
    /// The config of a running bot is replaced again and again, by configs that are right and by ones that are not, while
    /// apps go bad and get well and a receiver misbehaves.
    ///
    /// `ALERTBOT_RELOADS` says how often, `ALERTBOT_SEED` draws the same chances again.
    @Suite(.serialized, .timeLimit(.minutes(30))) struct MutatedConfigTests {
        @Test func `hundreds of mutated configs are taken or refused, and nothing is lost`() async throws {
            let environment = ProcessInfo.processInfo.environment
            let reloads = environment["ALERTBOT_RELOADS"].flatMap(Int.init) ?? 200
            let seed = environment["ALERTBOT_SEED"].flatMap(UInt64.init) ?? UInt64(UInt32.random(in: 0 ... .max))
            print("mutated configs: ALERTBOT_SEED=\(seed) ALERTBOT_RELOADS=\(reloads)")
            let world = try await MutatedConfigWorld(seed: seed, reloads: reloads)
            defer { world.stop() }
            while world.count < reloads { try await world.replaceConfig() }
            try await world.settle()
            print(world.table)
            #expect(world.complaints == [], "ALERTBOT_SEED=\(seed) ALERTBOT_RELOADS=\(reloads)")
            let verify = try await world.scratch.alertbot("journal", "verify", "--config", "good.yaml")
            #expect(verify.status == 0, "\(verify.all)")
        }
    }
}
