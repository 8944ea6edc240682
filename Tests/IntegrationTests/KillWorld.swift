import BotHarness
import Chance
import Foundation
import Glibc

/// A bot in a bad world, with two channels: `hook` recognises what it has seen, `team` does not.
final class KillWorld {
    let scratch: Scratch
    private let hook: FickleReceiver
    private let team: FickleReceiver
    private var chance: SeededRandom
    private let began = ContinuousClock.now

    private(set) var kills = 0
    private var stops = 0
    private var reloads = 0
    private var apps: FickleApps
    private var toldOf: Set<String> = []
    private var readOfHook = 0
    private var readOfTeam = 0

    init(seed: UInt64, kills: Int) throws {
        chance = SeededRandom(seed: seed)
        scratch = try Scratch()
        hook = try FickleReceiver(seed: chance.next(), words: KillLedger.words(inHook:))
        team = try FickleReceiver(seed: chance.next(), words: KillLedger.words(inTeam:))
        // Two messages an app and channel; the history remembers a thousand, and is asked for all of them in the end.
        apps = FickleApps(countMax: min(max(kills / 2, 1), 200))
        try scratch.write("figures.jsonl", "")
        try scratch.write(
            "config.yaml",
            """
            version: 1
            bot: {name: shop-alerts, listen: off, shutdown_grace: 5s}
            polling: {every: 1s, throttle: 1s, slowest: 1s}
            sources:
              figures: {plugin: file, path: ./figures.jsonl, follow: true}
            rules:
              floor: {plugin: threshold, metric: crash_free_users, critical: "< 99%", window: 1m}
            channels:
              hook: {plugin: webhook, url: "\(hook.url)", secret: "\(StandardWebhook.test.secret)"}
              team: {plugin: slack, webhook: "\(team.url)"}

            """)
    }

    func stop() {
        hook.stop()
        team.stop()
    }

    // MARK: what happens

    /// Some apps go bad or get well; a bot runs for a moment of chance, and is killed or, now and then, stopped.
    func runAWhile() async throws {
        try apps.goOn(heardOf: told(), &chance, in: scratch)
        let bot = try Child(BotBinary.path, ["run"], folder: scratch.folder, keeping: scratch)
        defer { bot.send(SIGKILL) }
        try await pass(bot, milliseconds: 5...400)
        // Before the bot says that it watches, these signals end it as any program.
        let listens = bot.standardError.contains(": watching ")
        if listens, chance.oneIn(5) {
            bot.send(SIGHUP)
            reloads += 1
            try await pass(bot, milliseconds: 1...100)
        }
        if listens, chance.oneIn(10) {
            stops += 1
            try await bot.terminate()
        } else {
            kills += 1
            try await bot.kill()
        }
        if kills.isMultiple(of: 25) {
            let verify = try await scratch.alertbot("journal", "verify")
            guard verify.status == 0 else { throw TooLate("the journal was whole after a kill: \(verify.all)") }
        }
    }

    /// Waits for some time, or, now and then, for the next request if that comes first.
    private func pass(_ bot: Child, milliseconds: ClosedRange<Int>) async throws {
        let time = Duration.milliseconds(Int.random(in: milliseconds, using: &chance))
        let enough = chance.oneIn(4) ? requestCount + 1 : .max
        try await bot.run(for: time) { requestCount >= enough }
    }

    private var requestCount: Int { hook.requests.count + team.requests.count }

    /// Apps of which anything was ever said to anybody: their opening is accepted, so their end is due.
    private func told() -> Set<String> {
        let (byHook, byTeam) = (hook.requests, team.requests)
        toldOf.formUnion(byHook[readOfHook...].flatMap(KillLedger.words(inHook:)).map(\.app))
        toldOf.formUnion(byTeam[readOfTeam...].flatMap(KillLedger.words(inTeam:)).map(\.app))
        (readOfHook, readOfTeam) = (byHook.count, byTeam.count)
        return toldOf
    }

    /// With the world at peace, every app gets well, and the bot runs until it has nothing more to say.
    func settle() async throws {
        hook.calmDown()
        team.calmDown()
        let bot = try await scratch.startBot()
        defer { bot.send(SIGKILL) }
        _ = try await eventually("all of \(apps.all.count) apps were told of", within: .seconds(300)) {
            told().count == apps.all.count ? true : nil
        }
        try apps.healAll(in: scratch)
        // A message that was tried ten times waits for a quarter of an hour.
        try await scratch.finish(bot, within: .seconds(1800))
    }

    /// What was due and what came of it.
    func ledger() async throws -> KillLedger {
        let history = try await scratch.alertbot("history", "--limit", "1000", "--format", "json").json["history"]
        let seconds = (ContinuousClock.now - began) / .seconds(1)
        return KillLedger(
            heading: "\(kills) kills, \(stops) stops, \(reloads) reloads, \(Int(seconds)) s", kills: kills,
            apps: apps.all,
            hook: hook, team: team, history: history.elements)
    }
}
