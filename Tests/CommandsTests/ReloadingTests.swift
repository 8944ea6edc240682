import AlertCore
import BotConfig
import BotHarness
import BuiltinPlugins
import Glibc
import Journal
import MachineTesting
import PluginKit
import Runtime
import Synchronization
import SystemPorts
import Testing

@testable import Commands
@testable import StatusPage

/// A running bot whose config changes on the disk.
@Suite(.timeLimit(.minutes(5))) struct ReloadingTests {
    private let stage = StagedMachine(at: "2026-11-20T12:00:00Z")
    private let scratch: Scratch

    init() throws {
        scratch = try Scratch()
        try scratch.write("figures.jsonl", "")
    }

    /// Runs a bot with that config while the test plays.
    private func running(
        _ text: String, from name: String = "config.yaml", keys: KeyRing = KeyRing(),
        _ play: (Bot, Reloading) async throws -> Void
    ) async throws {
        if name == "config.yaml" { try scratch.write(name, text) }
        let path = scratch.path(name)
        let file = try ConfigFile(path, .builtin, on: stage.machine)
        let config = try file.config()
        var state = State()
        let ledger = try Ledger(opening: FolderDisk(config.bot.stateFolder), rebuilding: &state)
        let bot = Bot(
            config.setup, ports: stage.machine.ports(stateFolder: config.bot.stateFolder), ledger: ledger, state: state)
        keys.replace(with: config.keys)
        let reloading = Reloading(bot, began: file, config, keys: keys, on: stage.machine) {
            [stage] () throws(Failure) in
            try ConfigFile(path, .builtin, on: stage.machine, namedBy: nil)
        }
        let running = Task { await bot.run(grace: .zero) }
        defer { bot.stop() }
        try await play(bot, reloading)
        bot.stop()
        await running.value
    }

    /// What two looks in a row log: the second finds that whoever writes has finished.
    private func looks(_ reloading: Reloading) async -> [String] {
        let first = await reloading.look()
        return (first + (await reloading.look())).map(\.text)
    }

    private var config: String { Shop.config(scratch) }

    @Test func `a file that is written in its place is loaded once`() async throws {
        try await running(config) { bot, reloading in
            #expect(await looks(reloading).isEmpty)
            try scratch.write("config.yaml", config.replacing("window: 1h", with: "window: 2h"))
            #expect(
                await looks(reloading) == ["the config was reloaded", "changed: rules: changed floor"])
            #expect(await looks(reloading).isEmpty)
        }
    }

    @Test func `names from outside forge no line of what a reload closes, and the log names the first ten`()
        async throws
    {
        let lines = (10..<22).map { number in
            Shop.line("a\(number)\u{1B}[2K\ncloses incident x", crashed: 500, at: "2026-11-20T11:59:00Z").text
        }
        try scratch.write("figures.jsonl", lines.joined())
        try await running(config) { bot, reloading in
            let bell = await bot.bell()
            func areOpen() async -> Bool { await bot.state.incidents.all.count(where: \.isOpen) == 12 }
            if await !areOpen() { for await _ in bell where await areOpen() { break } }
            try scratch.write("config.yaml", config.replacing("floor:", with: "flour:"))
            let (notes, answer) = await reloading.reload()
            let closes = answer["details"]?["closes"]?.array?.compactMap(\.string) ?? []
            #expect(closes.count == 12)
            #expect(closes.allSatisfy { $0.contains(": floor of a") && $0.tamed == $0 }, "\(closes)")
            let note = try #require(notes.map(\.text).first { $0.hasPrefix("closes incident ") })
            #expect(note.tamed == note && note.hasSuffix(" and 2 more"), "\(note)")
        }
    }

    @Test func `a mute that covers nothing by the new config is named once`() async throws {
        try await running(config) { bot, reloading in
            let match = Match([Match.Condition(property: "rule", patterns: [Glob("floor")])])
            _ = await bot.obey(.mute(match, until: .after(.hours(2)), reason: nil, by: nil))
            let id = try #require(await bot.state.mutes.inOrder.first?.id)
            try scratch.write("config.yaml", config.replacing("floor:", with: "flour:"))
            let (notes, answer) = await reloading.reload()
            let sentence = "\(id) covers nothing any more: there is no rule 'floor'"
            #expect(answer["details"]?["mutes"]?.array?.compactMap(\.string) == [sentence])
            #expect(notes.map(\.text).contains("mute \(sentence)"))
            func isInUse() async -> Bool { await bot.look.plan.detectors.contains { $0.name == "flour" } }
            let bell = await bot.bell()
            if await !isInUse() { for await _ in bell where await isInUse() { break } }
            let again = await reloading.reload()
            #expect(again.answer["details"]?["mutes"]?.array?.isEmpty == true)
        }
    }

    @Test func `what changes from look to look is not finished yet`() async throws {
        try await running(config) { bot, reloading in
            for hours in 2...4 {
                try scratch.write("config.yaml", config.replacing("window: 1h", with: "window: \(hours)h"))
                #expect(await reloading.look().isEmpty)
            }
            #expect(await reloading.look().map(\.text).first == "the config was reloaded")
        }
    }

    @Test func `the same words once more are no news`() async throws {
        try await running(config) { bot, reloading in
            try scratch.write("config.yaml", config)
            #expect(await looks(reloading).isEmpty)
            #expect(await looks(reloading).isEmpty)
        }
    }

    @Test func `a volume of Kubernetes swaps a link`() async throws {
        let other = config.replacing("window: 1h", with: "window: 2h")
        for (folder, text) in [("one", config), ("two", other)] {
            try scratch.makeFolder(folder)
            try scratch.write("\(folder)/config.yaml", text)
        }
        try #require(symlink("one", scratch.path("..data")) == 0)
        try await running(config) { bot, reloading in
            unlink(scratch.path("config.yaml"))
            try #require(symlink("..data/config.yaml", scratch.path("config.yaml")) == 0)
            #expect(await looks(reloading).isEmpty, "it says the same by another way")
            try #require(symlink("two", scratch.path("..new")) == 0)
            try #require(rename(scratch.path("..new"), scratch.path("..data")) == 0)
            #expect(await looks(reloading).first == "the config was reloaded")
        }
    }

    @Test func `included files and secrets count, too`() async throws {
        try scratch.write("token", "one")
        let config = """
            include: ["\(scratch.path("teams"))/*.yaml"]

            """ + config.replacing("state:", with: "token: \"${file:\(scratch.path("token"))}\", state:")
        try scratch.makeFolder("teams")
        try scratch.write("teams/a.yaml", "rules: {}\n")
        try await running(config) { bot, reloading in
            #expect(await looks(reloading).isEmpty)
            try scratch.write(
                "teams/b.yaml",
                "rules: {second: {plugin: threshold, metric: crash_free_users, warning: \"< 99%\", window: 1h}}\n")
            let notes = await looks(reloading)
            let place = scratch.path("teams/b.yaml")
            #expect(
                notes == ["the config was reloaded", "changed: rules: added second; files: added \(place)"],
                "\(stage.complained)")
            try scratch.write("token", "two")
            #expect(await looks(reloading).first == "the config was reloaded")
            #expect(await looks(reloading).isEmpty)
        }
    }

    @Test func `another token opens the page at once, and so does another name of the proxy's header`() async throws {
        try scratch.write("token", "one")
        let page = "public_url: https://alerts.example.com, user_header: X-User, state:"
        let config = config.replacing("state:", with: "token: \"${file:\(scratch.path("token"))}\", \(page)")
        let keys = KeyRing()
        try await running(config, keys: keys) { bot, reloading in
            let before = keys.keys
            #expect(before.token?.reveal() == "one" && before.userHeader == "x-user")
            var message = Message(kind: .opened, severity: .critical, at: stage.clock.now(), headline: "x")
            message.links = [Message.Link("Ack", "https://alerts.example.com/ack?incident=3f9a")]
            let link = try #require(before.seal?.sealing(message).links.first?.url)
            let written = try #require(
                LinkSeal.Written { name in
                    link.split(separator: "&").first { $0.hasPrefix("\(name)=") }.map {
                        String($0.drop { $0 != "=" }.dropFirst())
                    }
                })
            func holds() -> Bool? {
                keys.keys.seal?.holds(written, for: .acknowledge, "3f9a", at: stage.clock.now())
            }
            #expect(holds() == true)

            try scratch.write("token", "two")
            #expect(await looks(reloading).first == "the config was reloaded")
            #expect(keys.keys.token?.reveal() == "two")
            #expect(holds() == false)
            try scratch.write("config.yaml", config.replacing("X-User", with: "X-Login"))
            #expect(await looks(reloading).first == "the config was reloaded")
            #expect(keys.keys.userHeader == "x-login")

            // Messages have the new address from now on, so the page answers to it.
            #expect(keys.keys.publicHost == "alerts.example.com")
            let moved = config.replacing("X-User", with: "X-Login").replacing("alerts.example", with: "new.example")
            try scratch.write("config.yaml", moved)
            #expect(await looks(reloading).first == "the config was reloaded")
            #expect(keys.keys.publicHost == "new.example.com")

            // One that is refused changes nothing.
            try scratch.write("config.yaml", config.replacing("X-User", with: "X Login"))
            #expect(await looks(reloading) == ["the config has errors; the bot keeps the one it has"])
            #expect(keys.keys.userHeader == "x-login")
        }
    }

    @Test func `a bot that is stopping reloads nothing, and says so`() async throws {
        try await running(config) { bot, reloading in
            let bell = await bot.bell()
            bot.stop()
            for await _ in bell {}
            let (notes, answer) = await reloading.reload()
            #expect(notes.map(\.text) == ["the bot is stopping; nothing was reloaded"])
            #expect(
                try CommandAnswer(answer) == .refused("the bot is stopping; try again in a moment", .unavailable))
            try scratch.write("config.yaml", config.replacing("window: 1h", with: "window: 2h"))
            #expect(await looks(reloading).isEmpty)
        }
    }

    @Test func `a wrong file is refused once, told after a while, and the end of it too`() async throws {
        try await running(config) { bot, reloading in
            try scratch.write("config.yaml", config.replacing("window: 1h", with: "windw: 1h"))
            #expect(await looks(reloading) == ["the config has errors; the bot keeps the one it has"])
            #expect(await looks(reloading).isEmpty)
            #expect(stage.complained.contains("did you mean window?"))
            let why = try #require(await bot.configTrouble)
            #expect(why.hasPrefix("\(scratch.path("config.yaml")):6: "), "\(why)")
            #expect(why.contains("windw"))

            func refused() async -> Incident? {
                await bot.state.incidents.inOrder.first { $0.rule == "config-refused" && $0.isOpen }
            }
            let bell = await bot.bell()
            stage.clock.advance(by: .minutes(4))
            #expect(await reloading.look().isEmpty)
            #expect(await refused() == nil, "somebody may be at work on it")
            stage.clock.advance(by: .minutes(1))
            #expect(await reloading.look().isEmpty)
            if await refused() == nil { for await _ in bell where await refused() != nil { break } }
            let incident = try #require(await refused())
            #expect(incident.severity == .warning)
            #expect(incident.evidence.sentence.contains("windw"))

            try scratch.write("config.yaml", config)
            #expect(await looks(reloading).first == "the config was reloaded")
            if await refused() != nil { for await _ in bell where await refused() == nil { break } }
            #expect(await bot.configTrouble == nil)
        }
    }

    @Test func `a file that is gone is refused, and taken when it is back`() async throws {
        try await running(config) { bot, reloading in
            unlink(scratch.path("config.yaml"))
            let notes = await looks(reloading)
            #expect(notes.count == 1)
            #expect(notes.first?.hasSuffix("the bot keeps the config it has") == true, "\(notes)")
            #expect(await bot.configTrouble?.contains("--config") == false, "nobody can name another one")
            #expect(await looks(reloading).isEmpty)
            try scratch.write("config.yaml", config)
            let bell = await bot.bell()
            #expect(await looks(reloading).first == "the config was reloaded")
            if await bot.configTrouble != nil { for await _ in bell where await bot.configTrouble == nil { break } }
        }
    }

    /// Somebody who writes to a pipe once, as soon as it is read.
    private func writer(of text: String, to name: String) throws -> Child {
        let path = scratch.path(name)
        if mkfifo(path, 0o600) != 0 { throw TooLate("a pipe could be made") }
        return try Child("sh", ["-c", "cat >\(name)"], folder: scratch.folder, input: .text(text))
    }

    @Test func `a secret that came out of a pipe is not missed afterwards`() async throws {
        let writer = try writer(of: "one", to: "token")
        let place = "${file:\(scratch.path("token"))}"
        // Named twice, and there once.
        let config = config.replacing(
            "state:", with: "token: \"\(place)\", heartbeat: \"http://127.0.0.1/\(place)\", state:")
        try await running(config) { bot, reloading in
            let ending = try await writer.ending()
            #expect(ending == .exited(0))
            for _ in 1...2 { #expect(await looks(reloading).isEmpty) }
            stage.clock.advance(by: Reloading.patience)
            for _ in 1...2 { #expect(await looks(reloading).isEmpty) }
            #expect(await bot.configTrouble == nil)
        }
    }

    @Test func `a config that came out of a pipe is not watched, which is said once`() async throws {
        let text = config
        let writer = try writer(of: text, to: "pipe")
        try await running(text, from: "pipe") { bot, reloading in
            let ending = try await writer.ending()
            #expect(ending == .exited(0))
            // Whatever is done to it from outside.
            unlink(scratch.path("pipe"))
            for _ in 1...2 { #expect(await looks(reloading).isEmpty) }
            stage.clock.advance(by: Reloading.patience)
            for _ in 1...2 { #expect(await looks(reloading).isEmpty) }
            #expect(await bot.configTrouble == nil)

            let notes = Mutex<[String]>([])
            let looking = Task { await reloading.keepLooking { note in notes.withLock { $0.append(note.text) } } }
            looking.cancel()
            await looking.value
            #expect(
                notes.withLock(\.self) == [
                    "the config \(scratch.path("pipe")) is not a file, so it is not watched; a change needs a restart"
                ])
        }
    }

    @Test func `a pipe that is asked again for what it gave has a sentence of its own`() throws {
        // As a shell's <(…) is after its end: there, open to be read, and with nothing in it.
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        close(ends[1])
        defer { close(ends[0]) }
        let path = "/dev/fd/\(ends[0])"
        let failure = #expect(throws: Failure.self) { try ConfigFile(path, .builtin, on: stage.machine) }
        #expect(
            failure?.sentence
                == "the config \(path) is a pipe with nothing in it; what is written to a pipe can be read once, so put it into "
                + "a file to read it again")
    }
}
