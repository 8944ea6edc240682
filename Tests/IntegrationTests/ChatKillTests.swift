import BotHarness
import Foundation
import Testing

extension OrdealSuite {
    /// The same promise with channels of three kinds at once: a chat that keeps threads and recognises nothing it has
    /// seen, a pager that keeps alerts by their keys, and a homeserver that recognises transactions.
    ///
    /// `ALERTBOT_CHAT_KILLS` says how often to kill, `ALERTBOT_SEED` draws the same chances again.
    @Suite(.serialized, .timeLimit(.minutes(60))) struct ChatKillTests {
        @Test func `an incident is told from its beginning to its end in three services, whatever is killed`()
            async throws
        {
            let environment = ProcessInfo.processInfo.environment
            let kills = environment["ALERTBOT_CHAT_KILLS"].flatMap(Int.init) ?? 40
            let seed = environment["ALERTBOT_SEED"].flatMap(UInt64.init) ?? UInt64(UInt32.random(in: 0 ... .max))
            print("kill harness of chats: ALERTBOT_SEED=\(seed) ALERTBOT_CHAT_KILLS=\(kills)")
            let world = try ChatKillWorld(seed: seed, kills: kills)
            defer { world.stop() }
            while world.kills < kills { try await world.runAWhile() }
            try await world.settle()
            let ledger = try await world.ledger()
            print(ledger.table)
            #expect(ledger.complaints == [], "ALERTBOT_SEED=\(seed) ALERTBOT_CHAT_KILLS=\(kills)")
            let verify = try await world.scratch.alertbot("journal", "verify", "--format", "json")
            #expect(try verify.json["damaged"].bool == false)
        }
    }
}
