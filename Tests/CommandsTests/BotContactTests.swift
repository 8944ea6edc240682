import AlertCore
import BotConfig
import BotHarness
import Glibc
import Journal
import MachineTesting
import Pictures
import PluginKit
import Runtime
import StatusPage
import SystemPorts
import Testing

@testable import Commands

/// Commands that reach the bot, on one that runs and on the journal of one that does not.
@Suite struct BotContactTests {
    private let stage: StagedMachine
    private let scratch: Scratch

    init() throws {
        scratch = try Scratch()
        stage = StagedMachine(at: "2026-11-20T12:00:00Z")
    }

    private let mute = Command.mute(
        Match([Match.Condition(property: "app", patterns: [Glob("shop-*")])]), until: .after(.hours(2)),
        reason: "hotfix", by: "ada")

    /// A bot that runs, and its face on the control socket, while the work is done.
    ///
    /// - Parameters:
    ///   - more: what else is in its file of figures.
    ///   - control: who takes commands in the face's place.
    private func running(
        seeing more: String = "", besides sources: String = "", under rules: String = "",
        control: (BotFace) -> any BotControl = { $0 }, _ work: (ConfigFile, BotFace) async throws -> Void
    ) async throws {
        let file = try scratch.shop(stage.machine, replacing: "rules:", with: "\(sources)rules:\(rules)")
        let config = try file.config()
        try scratch.write("figures.jsonl", Shop.line(crashed: 500, at: "2026-11-20T11:59:00Z").text + more)
        var state = State()
        let ledger = try Ledger(opening: FolderDisk(config.bot.stateFolder), rebuilding: &state)
        let bot = Bot(
            config.setup, ports: stage.machine.ports(stateFolder: config.bot.stateFolder), ledger: ledger, state: state)
        let face = BotFace(bot, clock: stage.clock)
        let server = StatusServer(
            address: .unix(path: ControlClient(stateFolder: config.bot.stateFolder).socketPath), view: face,
            control: control(face), botName: config.bot.name)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await server.run() }
            _ = try await server.waitUntilListening()
            let bell = await bot.bell()
            group.addTask { await bot.run(grace: .zero) }
            // The first poll has come in, and what it led to has been said.
            func hasSpoken() async -> Bool { await face.history(limit: 1, failedOnly: false) != .array([]) }
            if await !hasSpoken() { for await _ in bell where await hasSpoken() { break } }
            do {
                try await work(file, face)
            } catch {
                bot.stop()
                group.cancelAll()
                throw error
            }
            bot.stop()
            group.cancelAll()
            while let result = await group.nextResult() { _ = result }
        }
    }

    @Test func `what a source's answer left out is seen in the status and in a check`() async throws {
        try await running(seeing: "{\"source\":\"figures\"}\n") { file, _ in
            let status = try await BotContact(file, on: stage.machine).status()
            let warning = try #require(status["sources"]?.array?.first?["warnings"]?.array?.first?.string)
            #expect(StatusText(status, .none, in: .utc).text.contains("\n    \(warning)\n"))
            let problems = CheckReport(file, on: stage.machine).problemTexts
            #expect(problems.count == 1)
            #expect(
                problems.first?.hasPrefix(
                    "\(scratch.path("config.yaml")):4:3: warning: source 'figures', at the bot's last poll: "
                        + "\(warning)\n") == true, "\(problems)")
        }
    }

    @Test func `the running bot is asked and reported through its socket`() async throws {
        try await running { file, face in
            let contact = BotContact(file, on: stage.machine)
            let status = try await contact.status()
            #expect(status["running"] == .bool(true))
            #expect(status["incidents"]?.array?.first?["app"]?.string == "shop-ios")
            guard case .done(let sentence, let details) = try await contact.order(mute) else {
                Issue.record("it was refused")
                return
            }
            #expect(sentence.hasPrefix("muted app shop-* until "), "\(sentence)")
            let id = try #require(details["id"]?.string)
            let mutes = try await contact.status()["mutes"]?.array?.compactMap { $0["id"]?.string }
            #expect(mutes?.first == id)
            #expect(try await contact.order(.retry("none")).isRefusal)
            #expect(stage.complained.contains("shop-ios"), "it was logged")

            // The same bot as its page sees it.
            #expect(await face.incidents().array?.count == 1)
            #expect(await face.channels().map(\.name) == ["ops"])
            // The alert, and that somebody has muted it.
            #expect(await face.history(limit: 10, failedOnly: false).array?.count == 2)
            #expect(await face.metrics().contains("alertbot_incidents{state=\"firing\",severity=\"critical\"} 1"))
            #expect(await face.inboxMessages(limit: 10).isEmpty)
            let health = await face.health()
            #expect(health.isAlive && health.isReady)
            #expect(health.sentence.hasPrefix("Watching 1 source; the next poll is at 1"))
            #expect(health.doubt == nil)
            await #expect(throws: JSONMismatch.self) { try await face.obey(["command": "dance"]) }
        }
        // What was told survives the bot, in its journal.
        let after = try await BotContact(scratch.shop(stage.machine), on: stage.machine).status()
        #expect(after["running"] == .bool(false))
        #expect(after["mutes"]?.array?.contains { $0["by"]?.string == "ada" } == true)
    }

    @Test func `of very many sources the page shows some, whoever has trouble first`() async throws {
        // The last of the config has no file.
        let many = (1...Bot.Look.Most.sources).map {
            "  s\($0): {plugin: file, path: \(scratch.path("figures.jsonl"))}\n"
        }
        let ill = "  broken: {plugin: file, path: \(scratch.path("gone.jsonl"))}\n"
        try await running(besides: many.joined() + ill) { _, face in
            var overview = await face.overview(apps: nil)
            while overview.illSourceCount == 0 {
                await Task.yield()
                overview = await face.overview(apps: nil)
            }
            #expect(await face.health().doubt == "1 of \(Bot.Look.Most.sources + 2) sources is failing")
            #expect(await face.health().sentence.contains("; 1 of "))
            #expect(
                overview.sources.count == Bot.Look.Most.sources && overview.sourceCount == Bot.Look.Most.sources + 2)
            #expect(overview.sources.first?.name == "broken" && overview.sources.first?.isWell == false)
            #expect(overview.sources.dropFirst().first?.name == "figures", "the others stay in the order of the config")
        }
    }

    @Test func `a source whose figures are too old is not fine, and a delivery that failed is called so`() async throws
    {
        let old = "  old: {plugin: file, path: \(scratch.path("gone.jsonl"))}\n"
        let config = try scratch.shop(stage.machine, replacing: "rules:", with: "\(old)rules:").config()
        var state = State()
        let ledger = try Ledger(opening: FolderDisk(config.bot.stateFolder), rebuilding: &state)
        var record = SourceRecord()
        record.lastOutcome = .stale
        record.lastGood = stage.clock.now() - .hours(3)
        record.reasons = [.idle]
        state.apply(.schedule(.source(name: "old", record)))
        let message = Message(kind: .opened, severity: .critical, at: stage.clock.now(), headline: "shop-ios")
        let delivery = Delivery(
            id: "d-1", channel: "ops", number: 1, kind: .opened, incident: nil, message: message,
            queued: stage.clock.now())
        state.apply(
            .outbox(.ended(EndedDelivery(delivery: delivery, end: .dead("answered 410"), at: stage.clock.now()))))
        let bot = Bot(
            config.setup, ports: stage.machine.ports(stateFolder: config.bot.stateFolder), ledger: ledger, state: state)
        let face = BotFace(bot, clock: stage.clock)

        #expect(await face.health().doubt == "1 of 2 sources gives old figures")
        let overview = await face.overview(apps: nil)
        #expect(overview.illSourceCount == 1)
        let source = try #require(overview.sources.first)
        #expect(source.name == "old" && !source.isWell && source.state == "answers with old figures")
        #expect(source.trouble?.hasPrefix("no usable answer since ") == true)
        #expect(source.pace.contains("(idle: nobody would be notified)"), "\(source.pace)")
        #expect(await face.deliveries(matching: nil, limit: 5).map(\.outcome) == ["failed"])
    }

    /// The face of a bot that does not run, which knows this.
    private func face(_ file: ConfigFile, _ facts: Fact...) throws -> BotFace {
        let config = try file.config()
        var state = State()
        let ledger = try Ledger(opening: FolderDisk(config.bot.stateFolder), rebuilding: &state)
        for fact in facts { state.apply(fact) }
        let bot = Bot(
            config.setup, ports: stage.machine.ports(stateFolder: config.bot.stateFolder), ledger: ledger, state: state)
        return BotFace(bot, clock: stage.clock)
    }

    @Test func `whoever pushes reads in one sentence what is wrong`() async throws {
        let rest = "state: \(scratch.path("state"))}\nsources:\n"
        let job = "  job: {plugin: push, token: s3cret-token-of-the-job}\n"
        let face = try face(
            scratch.shop(
                stage.machine, replacing: "listen: off, \(rest)",
                with: "listen: \"127.0.0.1:8480\", \(rest)\(job)"))
        func answer(for source: String?) async -> PushAnswer {
            await face.take(
                PushedRequest(source: source, headers: [("Authorization", "Bearer s3cret-token-of-the-job")]),
                Array(#"{"App":"shop"}"#.utf8))
        }
        #expect(
            await answer(for: nil)
                == .refused(.mistaken, "Nothing was accepted: line 1: 'App' is not known; did you mean app?"))
        #expect(
            await answer(for: "jop")
                == .refused(
                    .mistaken, "This token is that of source job, and there is no source 'jop' that it opens."))
        let status = await face.status()["sources"]?.array?.first { $0["name"] == "job" }
        #expect(status?["refused_push"]?["why"] == "line 1: 'App' is not known; did you mean app?")
    }

    @Test func `an app whose figures have stopped is not fine, and not all is well`() async throws {
        let end = stage.clock.now() - .minutes(50)
        let figures = Observation(
            subject: Subject(source: "figures", app: "shop-ios"), span: TimeSpan(lasting: .minutes(5), until: end),
            seen: end, metrics: ["users": 10_000, "crashed_users": 1])
        var record = SourceRecord()
        record.lastOutcome = .noData
        record.lastGood = stage.clock.now()
        let face = try face(
            scratch.shop(stage.machine), .figures(.observed(figures, keeping: Retention(.hours(1)))),
            .schedule(.source(name: "figures", record)))
        #expect(await face.health().doubt == "1 app no longer gives figures")
        let verdict = try #require(await face.overview(apps: nil).apps.first?.verdicts.first)
        #expect(verdict.tone == .unknown && verdict.figure != nil)
        #expect(verdict.noNews == "no news since Fri 20 Nov 12:10 CET")
    }

    @Test func `one look at all apps counts for a second, whoever asks for the bot's health`() {
        let silence = SilenceCount()
        var looks = 0
        func count(at uptime: Duration) -> Int {
            silence.count(at: uptime) {
                looks += 1
                return looks
            }
        }
        #expect(count(at: .seconds(7)) == 1)
        #expect(count(at: .milliseconds(7_999)) == 1)
        #expect(count(at: .seconds(8)) == 2)
        #expect(count(at: .seconds(8)) == 2)
    }

    @Test func `the history is searched in the words that were sent`() async throws {
        let file = try scratch.shop(stage.machine, replacing: "timezone:", with: "language: es, timezone:")
        let now = stage.clock.now()
        let message = Message(kind: .opened, severity: .critical, at: now, headline: "shop-ios", reason: "98%")
        let delivery = Delivery(
            id: "d-1", channel: "ops", number: 1, kind: .opened, incident: nil, message: message, queued: now)
        let face = try face(
            file, .outbox(.ended(EndedDelivery(delivery: delivery, end: .dead("answered 410"), at: now))))
        let words = try file.config().plan.words
        #expect(words[.captionWhy] != Words.english[.captionWhy])
        #expect(await face.deliveries(matching: "\(words[.captionWhy]): 98%", limit: 5).count == 1)
        #expect(await face.deliveries(matching: "\(Words.english[.captionWhy]): 98%", limit: 5).isEmpty)
    }

    @Test func `what is wrong with the last app stands on the page however many others are fine`() async throws {
        let rules = (1...5).map {
            "\n  r\($0): {plugin: threshold, metric: crash_free_users, warning: \"< 99.5%\", window: 1h}"
        }
        let apps = (1...100).map { number in
            Shop.line("z\(number)", crashed: number == 99 ? 500 : 0, at: "2026-11-20T11:59:00Z").text
        }
        try await running(seeing: apps.joined(), under: rules.joined()) { _, face in
            let apps = await face.overview(apps: "z").apps
            #expect(apps.count == 100)
            #expect(apps.allSatisfy { $0.verdicts.count + $0.unlisted == 6 })
            #expect(apps.map(\.unlisted).reduce(0, +) == 600 - Bot.Look.Most.verdicts)
            #expect(apps.map(\.unlistedWell).reduce(0, +) == 600 - Bot.Look.Most.verdicts)
            let ill = try #require(apps.first { $0.name == "z99" })
            #expect(ill.verdicts.count == 6)
        }
    }

    @Test func `the pages show what the bot knows of an incident, its app and its channel`() async throws {
        try await running { file, face in
            let id = try #require(await face.incidents().array?.first?["id"]?.string)
            let overview = await face.overview(apps: nil)
            #expect(overview.incidents.map(\.id) == [id])
            #expect(overview.open == [.critical: 1])
            #expect(await face.health().open == overview.open)
            let app = try #require(overview.apps.first { $0.name == "shop-ios" })
            #expect(!app.age.isEmpty)
            let verdict = try #require(app.verdicts.first)
            #expect(verdict.tone == .firing(.critical) && verdict.figure != nil)
            #expect(overview.sources.first?.isWell == true)
            let channel = try #require(overview.channels.first)
            #expect(channel.lastDelivered != nil && channel.queued == 0 && channel.trouble == nil)
            #expect(await face.overview(apps: "SHOP").apps.map(\.name).contains("shop-ios"))
            #expect(await face.overview(apps: "no such").appCount == 0)

            let story = try #require(await face.incident(id))
            #expect(story.incident != nil && story.deliveries.map(\.outcome) == ["delivered"])
            #expect(story.why.count == 1 && story.why[0].contains(id), "\(story.why)")
            let isKnown = await face.incident("none") != nil
            #expect(!isKnown)

            let shop = try #require(await face.app("shop-ios"))
            #expect(shop.incidents.map(\.id) == [id] && shop.deliveries.count == 1 && !shop.why.isEmpty)
            let isNamed = await face.app("shop-*") != nil
            #expect(!isNamed)
            #expect(await face.deliveries(matching: "SHOP-ios", limit: 5).count == 1)
            #expect(await face.deliveries(matching: "no such words", limit: 5).isEmpty)

            _ = try await BotContact(file, on: stage.machine).order(mute)
            let mutes = await face.overview(apps: nil).mutes
            let set = try #require(mutes.first { $0.id != nil })
            #expect(set.isInForce && set.by == "ada")
            #expect(mutes.first { $0.id == nil }?.covers == "everything; critical passes")
            #expect(await face.coverage(ofMute: set.id ?? "") == "app shop-*")
            let isForgotten = await face.coverage(ofMute: "none") == nil
            #expect(isForgotten)
            let isDead = await face.headline(ofFailed: story.deliveries[0].id) != nil
            #expect(!isDead)
            #expect(await face.retry(story.deliveries[0].id).sentence.contains("has not failed"))
        }
    }

    @Test func `a link in a message mutes and acknowledges what is open, once somebody confirms it`() async throws {
        try await running { file, face in
            let incident = try #require(await face.incidents().array?.first?["id"]?.string)
            let view = try #require(await face.view(ofIncident: incident))
            #expect(view.coverage.contains("shop-ios"))
            #expect(view.message.headline.contains("shop-ios"))
            let muted = await face.mute(incident: incident, for: .hours(2), by: nil)
            #expect(muted.sentence.hasPrefix("muted "))
            #expect(await face.unmute(try #require(muted.mute)).sentence.hasPrefix("the mute of "))
            #expect(await face.acknowledge(incident: incident, by: "ana").sentence.hasPrefix("acknowledged "))
            #expect(await face.incidents().array?.first?["acknowledged"]?["by"]?.string == "ana")

            let isGone = await face.view(ofIncident: "none") == nil
            #expect(isGone)
            #expect(await face.knows(incident: incident))
            let isKnown = await face.knows(incident: "none")
            #expect(!isKnown)
            let late = "This incident is no longer open: "
            #expect(await face.mute(incident: "none", for: .hours(2), by: nil).sentence == late + "nothing was muted.")
            // A command may shorten an id; a link has it in full.
            let short = String(incident.prefix(4))
            #expect(
                await face.acknowledge(incident: short, by: nil).sentence == late + "there is nothing to acknowledge.")
        }
    }

    @Test(arguments: [("", "nobody notified yet, held"), (", then: drop", "nobody notified, dropped")])
    func `what nobody was notified of says so, and what holds or dropped it`(then: String, words: String) async throws {
        let dark = "\n  dark: {plugin: quiet_hours, match: {app: shop-web}, between: 00:00-24:00\(then)}"
        let web = Shop.line(crashed: 500, at: "2026-11-20T11:59:00Z").text.replacing("shop-ios", with: "shop-web")
        try await running(seeing: web, under: dark) { _, face in
            let cards = await face.overview(apps: nil).incidents
            #expect(cards.count == 2)
            #expect(Set(cards.map(\.muted)) == [nil, "\(words) (quiet_hours:dark)"])
        }
    }

    @Test func `whoever corrects a mute has the last one, and is told what else stays in force`() async throws {
        try await running { file, face in
            let incident = try #require(await face.incidents().array?.first?["id"]?.string)
            let slip = await face.mute(incident: incident, for: .days(7), by: "ana")
            #expect(await face.view(ofIncident: incident)?.muted?.hasSuffix("replaces it.") == true)
            let meant = await face.mute(incident: incident, for: .hours(2), by: "ana")
            #expect(meant.sentence.contains("; it replaces the one until "), "\(meant.sentence)")
            let isSlipThere = await face.coverage(ofMute: slip.mute ?? "") != nil
            #expect(!isSlipThere)
            let card = await face.overview(apps: nil).incidents.first
            #expect(card?.muted?.hasPrefix("muted until ") == true && card?.muted?.hasSuffix(" by ana") == true)
            _ = await face.unmute(try #require(meant.mute))
            #expect(await face.overview(apps: nil).incidents.first?.muted == nil)

            // A mute of more than this incident is somebody else's decision.
            _ = try await BotContact(file, on: stage.machine).order(mute)
            #expect(await face.view(ofIncident: incident)?.muted?.hasSuffix("that mute stays in force.") == true)
            let short = await face.mute(incident: incident, for: .minutes(5), by: nil)
            #expect(short.sentence.contains("the mute of app shop-* until "))
            #expect(short.sentence.hasSuffix(" stays in force"))
        }
    }

    @Test func `while no bot runs its journal is reported, and what it noticed is said`() async throws {
        let file = try scratch.shop(stage.machine)
        let contact = BotContact(file, on: stage.machine)
        #expect(try await contact.status()["incidents"]?.array?.isEmpty == true)
        guard case .done = try await contact.order(mute) else {
            Issue.record("it was refused")
            return
        }
        #expect(try await contact.status()["mutes"]?.array?.contains { $0["by"]?.string == "ada" } == true)
        #expect(try await contact.order(.unmute(.id("none"))).isRefusal)
    }

    @Test func `a bot that holds the journal and does not answer is no bot to write for`() async throws {
        let file = try scratch.shop(stage.machine)
        var state = State()
        let ledger = try Ledger(opening: FolderDisk(scratch.path("state")), rebuilding: &state)
        let failure = await #expect(throws: Failure.self) { try await BotContact(file, on: stage.machine).order(mute) }
        #expect(failure?.status == .impossible)
        #expect(
            failure?.sentence.hasPrefix(
                "a bot is running, but does not answer at \(scratch.path("state/control.sock")); ") == true)
        _ = consume ledger
    }

    @Test func `a bot that did what it was told and could not say so passes for no bot that does not run`() async throws
    {
        try await running(control: Silenced.init) { file, face in
            let failure = await #expect(throws: Failure.self) {
                try await BotContact(file, on: stage.machine).order(mute)
            }
            #expect(failure?.status == .impossible)
            let sentence = failure?.sentence ?? ""
            #expect(sentence.hasPrefix("the bot got the command, but "), "\(sentence)")
            #expect(
                sentence.contains("; it may have done it, or may still do it: look at 'alertbot mutes' and "),
                "\(sentence)")
            #expect(await face.mutes().array?.contains { $0["by"]?.string == "ada" } == true)
            // What is only asked is asked of the journal then.
            let answer = try await BotContact(file, on: stage.machine).ask(WhyOrder(app: nil, rule: nil))
            #expect(answer == nil)
        }
    }

    @Test func `a broken config keeps nobody from the bot that runs`() async throws {
        try await running { _, _ in
            let broken = try scratch.shop(stage.machine, replacing: "window: 1h", with: "windw: 1h")
            let contact = BotContact(broken, on: stage.machine)
            #expect(try await contact.status()["running"] == .bool(true))
            #expect(try await !contact.order(mute).isRefusal)
            let warning = "; asking the running bot anyway: run 'alertbot check'\n"
            #expect(stage.complained.split(separator: warning, omittingEmptySubsequences: false).count == 3)
        }
        let alone = BotContact(
            try scratch.shop(stage.machine, replacing: "window: 1h", with: "windw: 1h"), on: stage.machine)
        await #expect(throws: Failure.self) { try await alone.status() }
    }

    @Test func `whoever cannot see whether a bot runs is told so, and not that none does`() async throws {
        let file = try scratch.shop(stage.machine)
        let folder = try file.config().bot.stateFolder
        try FolderDisk(folder).makeFolder()
        // A link that leads to itself can be opened by nobody, root included.
        #expect(symlink("lock", folder + "/lock") == 0)
        let failure = await #expect(throws: Failure.self) {
            try await BotContact(file, on: stage.machine).reload()
        }
        #expect(failure?.sentence.contains("could not open \(folder)/lock") == true, "\(failure as Any)")
    }

    @Test func `what came of a command is printed, and a no is told apart`() throws {
        try CommandAnswer.done("muted it", ["id": "a"]).print(as: .text, on: stage.terminal)
        #expect(stage.said == "muted it\n")
        try CommandAnswer.done("x", .null).print(as: .json, on: stage.terminal)
        #expect(stage.said.hasPrefix("muted it\n{\n"))
        let refusal = CommandAnswer.refused("there is none")
        let failure = #expect(throws: Failure.self) { try refusal.print(as: .text, on: stage.terminal) }
        #expect(failure == Failure(.no))
        #expect(stage.complained == "alertbot: there is none\n")
        #expect(throws: Failure.self) { try refusal.print(as: .json, on: stage.terminal) }
    }

    @Test func `what cannot be done now ends with another status than a no, on its way from the bot, too`() throws {
        let answer = try CommandAnswer(CommandAnswer.refused("the bot is stopping", .unavailable).json)
        #expect(answer == .refused("the bot is stopping", .unavailable))
        let unsaved = CommandAnswer.refused("no room", .unsaved)
        #expect(try CommandAnswer(unsaved.json) == unsaved)
        let failure = #expect(throws: Failure.self) { try answer.print(as: .text, on: stage.terminal) }
        #expect(failure == Failure(.impossible))
        #expect(stage.complained == "alertbot: the bot is stopping\n")
    }
}

extension CommandAnswer {
    fileprivate var isRefusal: Bool { if case .refused = self { true } else { false } }
}

/// Does what it is told, and answers with more than anybody reads of a bot's.
private struct Silenced: BotControl {
    let face: BotFace

    func obey(_ command: JSON) async throws -> JSON {
        _ = try? await face.obey(command)
        return .string(String(repeating: "x", count: 9 << 20))
    }
}
