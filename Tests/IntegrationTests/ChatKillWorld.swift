import BotHarness
import Chance
import Foundation
import Glibc

/// A bot in a bad world that posts to a chat with threads, a pager and a homeserver: apps fall, fall further, are taken care
/// of and get well, while the bot is killed.
final class ChatKillWorld {
    /// How far an app has come.
    private enum Stage: Int, Comparable {
        case bad, worse, acknowledged, well
        static func < (left: Stage, right: Stage) -> Bool { left.rawValue < right.rawValue }
    }

    let scratch: Scratch
    let services: [ChatService]
    private var chance: SeededRandom
    private let began = ContinuousClock.now
    private var stages: [(app: String, stage: Stage)] = []
    private let appsMax: Int
    /// Apps of which `alertbot ack` has said that it is safe, by what each service had heard by then and had been
    /// seen to be recorded.
    private(set) var acknowledged: Set<String> = []
    private(set) var kills = 0
    private var stops = 0

    private var slack: ChatService { services[0] }
    private var pager: ChatService { services[1] }

    init(seed: UInt64, kills: Int) throws {
        chance = SeededRandom(seed: seed)
        scratch = try Scratch()
        var seeds = chance
        services = try ChatService.Kind.allCases.map { try ChatService($0, seed: seeds.next()) }
        chance = seeds
        // Matrix takes a message in five seconds after the first ten, and the test waits for each.
        appsMax = min(max(kills / 8, 3), 40)
        try scratch.write("figures.jsonl", "")
        try scratch.write(
            "config.yaml",
            """
            version: 1
            bot: {name: shop-alerts, listen: off, shutdown_grace: 5s, report_to: page}
            polling: {every: 1s, throttle: 1s, slowest: 1s}
            sources:
              figures: {plugin: file, path: ./figures.jsonl, follow: true}
            rules:
              floor: {plugin: threshold, metric: crash_free_users, warning: "< 99.5%", critical: "< 97%", window: 1m}
            channels:
              slack: {plugin: slack, url: "\(services[0].receiver.url)", token: xoxb-1, channel: "#crashes"}
              pagerduty:
                plugin: pagerduty
                url: "\(services[1].receiver.url)/v2/enqueue"
                routing_key: \(ChatService.routingKey)
              matrix: {plugin: matrix, homeserver: "\(services[2].receiver.url)", room: "!room:test", token: syt_1}
              page: {plugin: inbox}
            routes:
              - to: [slack, pagerduty, matrix]

            """)
    }

    func stop() { for service in services { service.receiver.stop() } }

    // MARK: what happens

    /// Apps come and go on; a bot runs for a moment of chance, somebody may acknowledge, and it is killed or, now and
    /// then, stopped.
    func runAWhile() async throws {
        if stages.count < appsMax, chance.oneIn(3) {
            let app = "app-\(String(stages.count + 1000).dropFirst())"
            stages.append((app, .bad))
            try append(app, crashed: 100)
        }
        for index in stages.indices { try advance(index) }
        let bot = try Child(BotBinary.path, ["run"], folder: scratch.folder, keeping: scratch)
        defer { bot.send(SIGKILL) }
        let carer = try await acknowledgeSomething(bot)
        try await pass(bot, milliseconds: 5...700)
        if bot.standardError.contains(": watching "), chance.oneIn(12) {
            stops += 1
            try await bot.terminate()
        } else {
            kills += 1
            try await bot.kill()
        }
        if let (app, command) = carer, try await command.ending() == .exited(0) { note(app) }
        if kills.isMultiple(of: 50) {
            let verify = try await scratch.alertbot("journal", "verify")
            guard verify.status == 0 else { throw TooLate("the journal was whole after a kill: \(verify.all)") }
        }
    }

    /// The next thing happens to an app once anybody has heard of the last.
    private func advance(_ index: Int) throws {
        let (app, stage) = stages[index]
        let heard = services.flatMap(\.taken).filter { $0.word.app == app }
        switch stage {
        case .bad where !heard.isEmpty && chance.oneIn(3):
            stages[index].stage = .worse
            try append(app, crashed: 900)
        case .worse where heard.contains(where: \.isCritical) && chance.oneIn(12),
            .acknowledged where chance.oneIn(4):
            stages[index].stage = .well
            try append(app, crashed: 0)
        default: break
        }
    }

    /// Somebody acknowledges an app that is at its worst, by the id that the pager knows.
    private func acknowledgeSomething(_ bot: Child) async throws -> (app: String, command: Child)? {
        let waiting = stages.filter { $0.stage == .worse }.map(\.app)
        guard let app = waiting.randomElement(using: &chance), chance.oneIn(2),
            let event = pager.taken.last(where: { $0.word.app == app && $0.isCritical })
        else { return nil }
        // A bot that does not run yet has no socket to ask.
        _ = try? await bot.says(": watching ", within: .seconds(10))
        return (
            app,
            try Child(
                BotBinary.path, ["ack", event.name, "--by", "ana"], folder: scratch.folder, keeping: scratch)
        )
    }

    private func note(_ app: String) {
        acknowledged.insert(app)
        if let index = stages.firstIndex(where: { $0.app == app && $0.stage == .worse }) {
            stages[index].stage = .acknowledged
        }
    }

    /// Waits for some time, or, now and then, for the next request if that comes first.
    private func pass(_ bot: Child, milliseconds: ClosedRange<Int>) async throws {
        let time = Duration.milliseconds(Int.random(in: milliseconds, using: &chance))
        let enough = chance.oneIn(2) ? requestCount + 1 : .max
        try await bot.run(for: time) { requestCount >= enough }
    }

    private var requestCount: Int { services.map(\.receiver.requests.count).reduce(0, +) }

    private func append(_ app: String, crashed: Int) throws {
        try scratch.append(figures: Figures().line(app, crashed: crashed, of: 10_000))
    }

    /// With the world at peace, everything goes its way to the end, and the bot runs until it has nothing more to say.
    func settle() async throws {
        for service in services { service.receiver.calmDown() }
        let bot = try await scratch.startBot()
        defer { bot.send(SIGKILL) }
        _ = try await eventually("all of \(stages.count) apps are well", within: .seconds(300)) {
            for index in stages.indices where stages[index].stage != .well {
                let heard = services.flatMap(\.taken).filter { $0.word.app == stages[index].app }
                // What nobody has heard of by the time it is over was in one poll with its end, and need not be said.
                if stages[index].stage == .bad, heard.isEmpty { continue }
                if stages[index].stage == .worse, !heard.contains(where: \.isCritical) { continue }
                stages[index].stage = .well
                try append(stages[index].app, crashed: 0)
            }
            return stages.allSatisfy { $0.stage == .well } ? true : nil
        }
        try await scratch.finish(bot, within: .seconds(900))
    }

    /// What was due and what came of it.
    func ledger() async throws -> ChatKillLedger {
        let history = try await scratch.alertbot("history", "--limit", "1000", "--format", "json").json["history"]
        let seconds = Int((ContinuousClock.now - began) / .seconds(1))
        return ChatKillLedger(
            heading:
                "\(kills) kills, \(stops) stops, \(stages.count) apps, \(acknowledged.count) acknowledged, \(seconds) s",
            kills: kills, apps: stages.map(\.app), acknowledged: acknowledged, services: services,
            history: history.elements)
    }
}
