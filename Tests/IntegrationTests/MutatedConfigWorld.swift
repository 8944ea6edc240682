import BotHarness
import Chance
import Foundation
import Glibc

/// A bot whose config is never left alone.
///
/// The config's first lines say what the ledger is about: the source, the rule `floor` and the channel `hook`. A mutation of
/// them is taken only where it makes the config wrong; what else is in it may come and go.
final class MutatedConfigWorld {
    let scratch: Scratch
    private let hook: FickleReceiver
    private let spare: LoopbackServer
    private let bot: Child
    private var chance: SeededRandom
    private let began = ContinuousClock.now

    /// How many configs were put in place of the one before.
    var count: Int { taken + refused }
    private var taken = 0
    private var refused = 0
    private var mutations: [ConfigMutation: (taken: Int, refused: Int)] = [:]
    private var apps: FickleApps
    private var told: Set<String> = []
    private var readOfHook = 0
    private var versions = 0
    /// Every broken promise, as a sentence.
    private(set) var complaints: [String] = []

    /// What was refused must be in the log as that, and what was taken as this.
    private static let (takenWords, refusedWords) = ("the config was reloaded", "the bot keeps the")

    init(seed: UInt64, reloads: Int) async throws {
        chance = SeededRandom(seed: seed)
        scratch = try Scratch()
        hook = try FickleReceiver(seed: chance.next(), words: MutatedConfigWorld.words)
        spare = try LoopbackServer { _ in .answer(200) }
        apps = FickleApps(countMax: min(max(reloads / 4, 1), 200))
        try scratch.write("figures.jsonl", "")
        let text = MutatedConfigWorld.config(hook.url, spare.url)
        try scratch.write("good.yaml", text)
        try scratch.write("config.yaml", text)
        try scratch.write("secret", StandardWebhook.test.secret)
        try scratch.write("teams/one.yaml", MutatedConfigWorld.included())
        bot = try await scratch.startBot()
    }

    private static func config(_ hook: String, _ spare: String) -> String {
        """
        version: 1
        bot: {name: shop-alerts, listen: off, shutdown_grace: 5s}
        polling: {every: 1s, throttle: 1s, slowest: 1s}
        sources:
          figures: {plugin: file, path: ./figures.jsonl, follow: true}
        rules:
          floor: {plugin: threshold, metric: crash_free_users, critical: "< 99%", window: 1m}
        channels:
          hook: {plugin: webhook, url: "\(hook)", secret: "${file:./secret}"}
          spare: {plugin: webhook, url: "\(spare)"}
        include: [teams/*.yaml]
        # Whatever stands here means nothing, and may be changed by chance like the rest.

        """
    }

    /// The lines, from the first to the one with `hook`, that are never changed to something else that is right.
    private static let kept = 0...8

    /// The rule of another team.
    private static func included(limit: Int = 5000) -> String {
        """
        rules:
          second: {plugin: threshold, metric: users, warning: "> \(limit)", window: 1m, match: {app: "app-00*"}}

        """
    }

    func stop() {
        bot.send(SIGKILL)
        hook.stop()
        spare.stop()
    }

    // MARK: what happens

    /// Mutates what the config says, has the bot read it, and sees to it that it is taken or refused as `check` would.
    func replaceConfig() async throws {
        try apps.goOn(heardOf: toldOf(), &chance, in: scratch)
        guard let mutation = ConfigMutation.allCases.randomElement(using: &chance) else { return }
        try putRight()
        guard try await put(mutation) else { return }
        let isRight = try await scratch.alertbot("check").status == 0
        await countEnding(mutation, isRight: isRight)
        guard bot.isRunning else { throw TooLate("the bot ran on after \(mutation.rawValue): \(said)") }
    }

    /// Everything as it was written first.
    private func putRight() throws {
        let path = scratch.path("config.yaml")
        if rmdir(path) != 0 { unlink(path) }
        try scratch.write("config.yaml", String(contentsOfFile: scratch.path("good.yaml"), encoding: .utf8))
        try scratch.write("secret", StandardWebhook.test.secret)
        try scratch.write("teams/one.yaml", MutatedConfigWorld.included())
    }

    /// False when nothing came of it.
    private func put(_ mutation: ConfigMutation) async throws -> Bool {
        let good = try String(contentsOfFile: scratch.path("good.yaml"), encoding: .utf8)
        let path = scratch.path("config.yaml")
        switch mutation {
        case .secretGone: unlink(scratch.path("secret"))
        case .configGone: unlink(path)
        case .folder:
            unlink(path)
            mkdir(path, 0o700)
        case .endless:
            unlink(path)
            symlink("/dev/zero", path)
        case .includeBroken:
            try scratch.write("teams/one.yaml", MutatedConfigWorld.included().replacing("metric", with: "mertic"))
        case .includeGone: unlink(scratch.path("teams/one.yaml"))
        case .limit:
            let limit = Int.random(in: 1...20_000, using: &chance)
            try scratch.write("teams/one.yaml", MutatedConfigWorld.included(limit: limit))
        case .spareGone:
            let lines = good.split(separator: "\n").filter { !$0.hasPrefix("  spare") }
            try scratch.write("config.yaml", lines.joined(separator: "\n"))
        case .swap:
            versions += 1
            try scratch.write("versions/\(versions).yaml", good + "# \(versions)\n")
            symlink("versions/\(versions).yaml", scratch.path("next"))
            guard rename(scratch.path("next"), path) == 0 else { throw TooLate("the link could be swapped") }
        default:
            guard let (bytes, lines) = mutation.mutated(good, &chance), bytes != Array(good.utf8) else { return false }
            try Data(bytes).write(to: URL(fileURLWithPath: path))
            guard lines.overlaps(MutatedConfigWorld.kept) else { return true }
            return try await scratch.alertbot("check").status != 0
        }
        return true
    }

    private func countEnding(_ mutation: ConfigMutation, isRight: Bool) async {
        if isRight { taken += 1 } else { refused += 1 }
        do {
            let before = noted
            // The command asks for the file that the bot reads, which must be there to say where the bot is.
            let isReadable = ![.configGone, .folder, .endless].contains(mutation)
            if chance.oneIn(2) || !isReadable {
                bot.send(SIGHUP)
            } else {
                let answer = try await scratch.alertbot("reload")
                if answer.status == 3 { bot.send(SIGHUP) }
                if (answer.status == 0) != isRight {
                    complaints.append("\(mutation.rawValue): check and reload do not agree: \(answer.all)")
                }
            }
            // The watch may come first with either.
            let now = try await eventually("the bot had read \(mutation.rawValue); it said: \(said)") {
                let now = noted
                return (isRight ? now.taken > before.taken : now.refused > before.refused) ? now : nil
            }
            if isRight, now.refused > before.refused || !isRight, now.taken > before.taken {
                complaints.append("\(mutation.rawValue): check and the bot do not agree: \(said)")
            }
            _ = try await eventually("status knew of \(mutation.rawValue)") {
                let status = try await scratch.alertbot("status", "--config", "good.yaml", "--format", "json")
                return try (status.json["config_trouble"] == .null) == isRight ? true : nil
            }
            let counted = mutations[mutation, default: (0, 0)]
            mutations[mutation] = isRight ? (counted.taken + 1, counted.refused) : (counted.taken, counted.refused + 1)
        } catch {
            complaints.append("\(mutation.rawValue): \(error)")
        }
    }

    /// How often the log has said that a config was taken, and that one was refused.
    private var noted: (taken: Int, refused: Int) {
        let lines = bot.standardError.split(separator: "\n")
        return (
            lines.count { $0.contains(MutatedConfigWorld.takenWords) },
            lines.count { $0.contains(MutatedConfigWorld.refusedWords) }
        )
    }

    private var said: String { bot.lastWords }

    /// Apps of whose crashes the hook was told.
    private func toldOf() -> Set<String> {
        let requests = hook.requests
        told.formUnion(requests[readOfHook...].flatMap(MutatedConfigWorld.words).map(\.app))
        readOfHook = requests.count
        return told
    }

    /// With the config as it was, found without being told, and the world at peace, all is told to its end.
    func settle() async throws {
        try putRight()
        let before = noted.taken
        try scratch.write("config.yaml", MutatedConfigWorld.config(hook.url, spare.url) + "\n# At rest.\n")
        _ = try await eventually("the bot had found its config by itself", within: .seconds(60)) {
            noted.taken > before ? true : nil
        }
        hook.calmDown()
        _ = try await eventually("all of \(apps.all.count) apps were told of", within: .seconds(120)) {
            toldOf().count == apps.all.count ? true : nil
        }
        try apps.healAll(in: scratch)
        try await scratch.finish(bot, of: "floor", within: .seconds(300))
        try await settleAccounts()
    }

    // MARK: what came of it

    /// What the hook was told by the rule that no config was without.
    @Sendable private static func words(_ request: LoopbackServer.Request) -> [KillLedger.Word] {
        let data = request.json["data"]
        return data["incidents"].elements.filter { $0["rule"].string == "floor" }
            .compactMap { $0["app"].string }.map { KillLedger.Word(app: $0, kind: data["kind"].string ?? "?") }
    }

    private var due = 0
    private var arrived = 0
    private var repeated = 0

    private func settleAccounts() async throws {
        // Who has heard something under one id twice can tell.
        var seen: Set<String> = []
        let first = hook.taken.filter { seen.insert($0.header("webhook-id") ?? "none").inserted }
        repeated = hook.taken.count - first.count
        let kinds = ["opened", "resolved"]
        let times = Dictionary(grouping: first.flatMap(MutatedConfigWorld.words), by: \.self).mapValues(\.count)
        for app in apps.all {
            let story = times[KillLedger.Word(app: app, kind: "digest")] ?? 0
            for kind in kinds {
                due += 1
                let count = (times[KillLedger.Word(app: app, kind: kind)] ?? 0) + story
                arrived += min(count, 1)
                if count != 1 { complaints.append("hook heard \(count) times that \(app) was \(kind)") }
            }
        }
        for (word, _) in times where !(kinds + ["digest"]).contains(word.kind) {
            complaints.append("hook heard that \(word.app) was \(word.kind): its incident did not survive")
        }
        // An incident keeps its id to its end.
        let pairs = first.flatMap { $0.json["data"]["incidents"].elements }.filter { $0["rule"].string == "floor" }
            .map { ($0["app"].string ?? "?", $0["id"].string ?? "?") }
        for (app, ids) in Dictionary(grouping: pairs, by: \.0).mapValues({ Set($0.map(\.1)) }) where ids.count > 1 {
            complaints.append("\(app) had \(ids.count) incidents")
        }
        let unsigned = hook.requests.count { !StandardWebhook.test.isSigned($0) }
        if unsigned > 0 { complaints.append("\(unsigned) requests were not signed") }
        let history = try await scratch.alertbot("history", "--limit", "1000", "--format", "json").json["history"]
        let dead = history.elements.filter { $0["channel"].string == "hook" && $0["outcome"].string == "dead" }
        complaints += dead.map { "the hook has a failed delivery: \($0["why"].string ?? "")" }
    }

    /// What was done, and what came of it.
    var table: String {
        let seconds = Int((ContinuousClock.now - began) / .seconds(1))
        let rows = ConfigMutation.allCases.map { mutation in
            let count = mutations[mutation, default: (0, 0)]
            return "\(mutation.rawValue): \(count.taken) taken, \(count.refused) refused"
        }
        return
            ([
                "\(count) configs in \(seconds) s: \(taken) taken, \(refused) refused",
                "\(apps.all.count) incidents, \(due) messages due, \(arrived) arrived, \(repeated) repeated under their id, "
                    + "\(hook.faults.values.reduce(0, +)) faults",
            ] + rows).joined(separator: "\n")
    }
}
