import BotHarness
import Foundation
import Glibc
import Synchronization
import Testing

extension IntegrationSuite {
    /// The promise that is hardest to keep: nothing is lost and nothing is said twice, whatever happens to the process.
    @Suite(.serialized, .timeLimit(.minutes(10))) struct KillTests {
        /// SplitMix64, so that a failure can be played again.
        private struct Chance: RandomNumberGenerator {
            var state: UInt64
            mutating func next() -> UInt64 {
                state &+= 0x9E37_79B9_7F4A_7C15
                var mixed = state
                mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
                mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
                return mixed ^ mixed >> 31
            }
        }

        private static let rounds = 5
        private static let appsPerRound = 6
        private static let killsPerHalf = 2

        /// A receiver that takes every third request badly: slowly, with 500, or without a word.
        private static func moods(_ seed: UInt64) -> LoopbackServer.Handler {
            let chance = Mutex(Chance(state: seed))
            return { _ in
                switch chance.withLock({ Int.random(in: 0..<12, using: &$0) }) {
                case 0: .answer(500, [:], "try later")
                case 1: .hangUp
                case 2: .late(.milliseconds(400), .answer(200))
                case 3: .late(.milliseconds(150), .answer(503))
                default: .late(.milliseconds(10), .answer(200))
                }
            }
        }

        @Test(arguments: [UInt64(20_261_121)])
        func `twenty kills lose nothing, and repeat nothing but with the same id`(seed: UInt64) async throws {
            var chance = Chance(state: seed)
            let scratch = try Scratch()
            let receiver = try LoopbackServer { _ in .answer(200) }
            defer { receiver.stop() }
            try scratch.write("figures.jsonl", "")
            try scratch.write(
                "config.yaml",
                """
                version: 1
                bot: {name: shop-alerts, listen: off}
                polling: {every: 1s, throttle: 1s, slowest: 1s}
                sources:
                  figures: {plugin: file, path: ./figures.jsonl}
                rules:
                  floor: {plugin: threshold, metric: crash_free_users, critical: "< 99%", window: 1m}
                channels:
                  hook: {plugin: webhook, url: "\(receiver.url)", secret: "\(StandardWebhook.test.secret)"}

                """)
            for round in 0..<KillTests.rounds {
                // Other apps in each round: the same ones going up and down would be flapping.
                let apps = (0..<KillTests.appsPerRound).map { "app-\(round)-\($0)" }
                for (type, crashed) in [("incident.opened", 500), ("incident.resolved", 0)] {
                    receiver.change(KillTests.moods(chance.next()))
                    try scratch.write(
                        "figures.jsonl", apps.map { Figures().line($0, crashed: crashed, of: 10_000) }.joined())
                    for _ in 0..<KillTests.killsPerHalf { try await runAndKill(scratch, receiver, &chance) }
                    receiver.change { _ in .answer(200) }
                    try await runUntil(scratch, receiver, type, apps)
                }
            }
            try await settle(scratch)
            try await check(scratch, receiver)
        }

        /// What arrived just before a kill is asked for again, so the last word of the journal may need one more bot.
        private func settle(_ scratch: Scratch) async throws {
            let bot = try await scratch.startBot()
            defer { bot.send(SIGKILL) }
            _ = try await eventually("nothing was left to say", within: .seconds(60)) {
                let status = try await scratch.alertbot("status", "--format", "json").json
                return status["channels"][0]["queued"].number == 0 ? true : nil
            }
            bot.send(SIGTERM)
            #expect(try await bot.ending() == .exited(0), "\(bot.standardError)")
        }

        /// Lets a bot run until some requests have come or some time is over, whichever is first, and kills it.
        private func runAndKill(_ scratch: Scratch, _ receiver: LoopbackServer, _ chance: inout Chance) async throws {
            let bot = try Child(BotBinary.path, ["run"], folder: scratch.folder)
            defer { bot.send(SIGKILL) }
            let enough = receiver.requests.count + Int.random(in: 1...8, using: &chance)
            let end = ContinuousClock.now + .milliseconds(Int.random(in: 20...1500, using: &chance))
            _ = try await eventually("it was time") {
                guard bot.isRunning else { throw TooLate("the bot ended by itself: \(bot.standardError)") }
                return receiver.requests.count >= enough || ContinuousClock.now >= end ? true : nil
            }
            bot.send(SIGKILL)
            #expect(try await bot.ending() == .killed(signal: SIGKILL))
            let verify = try await scratch.alertbot("journal", "verify")
            #expect(verify.status == 0, "after a kill: \(verify.all)")
        }

        private func runUntil(
            _ scratch: Scratch, _ receiver: LoopbackServer, _ type: String, _ apps: [String]
        ) async throws {
            let bot = try await scratch.startBot()
            defer { bot.send(SIGKILL) }
            _ = try await eventually("all of \(apps) were told \(type)", within: .seconds(90)) {
                let told = receiver.taken.filter { $0.json["type"].string == type }
                let names = Set(told.flatMap { $0.json["data"]["incidents"].elements }.compactMap { $0["app"].string })
                return names.isSuperset(of: apps) ? true : nil
            }
            bot.send(SIGTERM)
            #expect(try await bot.ending() == .exited(0), "\(bot.standardError)")
        }

        private func check(_ scratch: Scratch, _ receiver: LoopbackServer) async throws {
            struct Said: Hashable {
                let incident: String
                let type: String
            }
            var ids: [Said: Set<String>] = [:]
            var bodies: [String: Set<String>] = [:]
            for request in receiver.requests {
                let id = try #require(request.header("webhook-id"))
                #expect(StandardWebhook.test.isSigned(request))
                bodies[id, default: []].insert(request.text)
                for incident in request.json["data"]["incidents"].elements {
                    let said = Said(incident: incident["id"].string ?? "?", type: request.json["type"].string ?? "?")
                    ids[said, default: []].insert(id)
                }
            }
            #expect(
                ids.values.allSatisfy { $0.count == 1 },
                "one thing said under two ids: \(ids.filter { $0.value.count > 1 })")
            #expect(bodies.values.allSatisfy { $0.count == 1 }, "two things said under one id")
            let apps = KillTests.rounds * KillTests.appsPerRound
            #expect(ids.keys.count { $0.type == "incident.opened" } == apps)
            #expect(ids.keys.count { $0.type == "incident.resolved" } == apps)
            for said in ids.keys { #expect(["incident.opened", "incident.resolved"].contains(said.type)) }

            let history = try await scratch.alertbot("history", "--limit", "200", "--format", "json").json["history"]
            #expect(history.elements.allSatisfy { $0["outcome"].string == "delivered" }, "\(history)")
            #expect(Set(history.elements.compactMap { $0["id"].string }) == Set(bodies.keys))
            let status = try await scratch.alertbot("status", "--format", "json").json
            #expect(status["channels"][0]["queued"].number == 0)
            #expect(status["incidents"].elements.isEmpty)
            let verify = try await scratch.alertbot("journal", "verify", "--format", "json")
            #expect(verify.status == 0)
            #expect(try verify.json["damaged"].bool == false)
        }
    }
}
