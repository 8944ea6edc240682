internal import AlertCore
internal import ArgumentParser
internal import BotConfig
internal import BuiltinPlugins
internal import Glibc
internal import Journal
internal import PluginKit
internal import Runtime
internal import StatusPage

struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Runs the bot: SIGHUP reloads the config, SIGTERM and SIGINT stop it.")

    @OptionGroup var common: CommonOptions
    @OptionGroup var faults: FaultOptions

    func run() async throws {
        giveMemoryBack()
        let config = try ConfigFile(common.config).config()
        let host = SystemHost(stateFolder: config.bot.stateFolder)
        let web = CurlWeb()
        let ports = Ports(
            clock: SystemClock(), web: web, files: SystemFiles(), host: host,
            recording: RecordedFolder(config.bot.stateFolder).disk, faults: faults.faults)
        let bot = try openBot(config, ports, host)
        // Signals are caught before anything else is told that the bot is up.
        guard let signals = Signals([SIGTERM, SIGINT, SIGHUP]) else {
            throw Failure(.impossible, "the system has no pipe to give for signals; raise the limit of open files")
        }
        let face = BotFace(bot: bot, clock: ports.clock)
        let servers = servers(config, face)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for server in servers {
                group.addTask {
                    do { try await server.run() } catch let error as StatusServerError {
                        throw Failure(.impossible, error.description)
                    }
                }
            }
            do {
                for server in servers { _ = try await server.waitUntilListening() }
            } catch let error as StatusServerError {
                throw Failure(.impossible, error.description)
            }
            greet(config, host)
            group.addTask { await handle(signals, bot, host, began: config.bot) }
            await bot.run(grace: config.bot.shutdownGrace)
            notifySystemd("STOPPING=1")
            group.cancelAll()
            do { try await group.waitForAll() } catch is CancellationError {}
        }
        await web.close()
        host.log(Note(.info, "stopped"))
    }

    private func openBot(_ config: Config, _ ports: Ports, _ host: SystemHost) throws(Failure) -> Bot {
        var state = State(memories: PluginCatalog.builtin.memories)
        do {
            let ledger = try Ledger(opening: FolderDisk(config.bot.stateFolder), rebuilding: &state)
            for notice in ledger.report.notices { host.log(Note(.warning, notice.description)) }
            return Bot(config.setup, ports: ports, ledger: ledger, state: state)
        } catch {
            throw Failure(error)
        }
    }

    private func servers(_ config: Config, _ face: BotFace) -> [StatusServer] {
        let publicHost = config.bot.publicURL.flatMap { WebAddress($0)?.host }
        var servers = [
            StatusServer(
                address: .unix(path: ControlClient.socketPath(config.bot.stateFolder)), view: face, control: face,
                botName: config.bot.name)
        ]
        if case .on(let host, let port) = config.bot.listen {
            servers.append(
                StatusServer(
                    address: .tcp(host: host, port: port), view: face, muting: face, botName: config.bot.name,
                    publicHost: publicHost)
            )
        }
        return servers
    }

    private func greet(_ config: Config, _ host: SystemHost) {
        host.log(
            Note(
                .info,
                "\(config.bot.name): watching \(count(config.plan.sources.count, "source")) with "
                    + "\(count(config.plan.detectors.count, "rule")), telling \(count(config.plan.channels.count, "channel"))"
            ))
        if case .on(let name, let port) = config.bot.listen {
            let shown = name.contains(":") ? "[\(name)]" : name
            host.log(Note(.info, "the page is at http://\(shown):\(port)/"))
        }
        notifySystemd("READY=1")
    }

    private func handle(_ signals: Signals, _ bot: Bot, _ host: SystemHost, began: BotSettings) async {
        for await number in signals.stream {
            guard number == SIGHUP else {
                host.log(Note(.info, "stopping; another signal ends at once"))
                notifySystemd("STOPPING=1")
                bot.stop()
                // Whoever asks twice means now; what is unsent is safe in the journal.
                _ = signal(SIGTERM, SIG_DFL)
                _ = signal(SIGINT, SIG_DFL)
                continue
            }
            notifySystemd("RELOADING=1\nMONOTONIC_USEC=\(SystemClock.read(CLOCK_MONOTONIC) / 1000)")
            reload(bot, host, began)
            notifySystemd("READY=1")
        }
    }

    /// Loads the config anew; one that is wrong never replaces the one that runs.
    private func reload(_ bot: Bot, _ host: SystemHost, _ began: BotSettings) {
        do {
            let file = try ConfigFile(common.config)
            for problem in file.problemTexts { Output.error(problem) }
            guard let config = file.result.config else {
                host.log(Note(.error, "the config has errors; the bot goes on with the one it has"))
                return
            }
            bot.reload(config.setup)
            host.log(Note(.info, "the config is loaded anew"))
            let late = config.bot.changesForRestart(since: began)
            guard !late.isEmpty else { return }
            host.log(Note(.warning, "what changed in \(late.joined(separator: ", ")) takes a restart of the bot"))
        } catch {
            host.log(Note(.error, "\(error.sentence); the bot goes on with the config it has"))
        }
    }
}

extension BotSettings {
    /// The keys of which the bot goes on with what they said when it was started.
    fileprivate func changesForRestart(since began: BotSettings) -> [String] {
        var keys: [String] = []
        if stateFolder != began.stateFolder { keys.append("bot.state") }
        if listen != began.listen { keys.append("bot.listen") }
        if shutdownGrace != began.shutdownGrace { keys.append("bot.shutdown_grace") }
        guard case .on = began.listen else { return keys }
        // Messages follow at once; the page keeps its heading, and answers to the names it had.
        if name != began.name { keys.append("bot.name (on the page)") }
        if publicURL != began.publicURL { keys.append("bot.public_url (on the page)") }
        return keys
    }
}

/// The running bot as its page sees it.
struct BotFace: BotView, BotControl, BotMuting {
    let bot: Bot
    let clock: any Clock

    private func report() async -> StatusReport {
        await StatusReport(bot.state, bot.plan, at: clock.now())
    }

    func status() async -> JSON { await report().status(isRunning: true, recordingTrouble: bot.recordingTrouble) }
    func incidents() async -> JSON { await report().incidents }
    func history(limit: Int) async -> JSON { await StatusReport.history(bot.state, limit: limit) }
    func metrics() async -> String { await report().prometheus }

    func channels() async -> [PageChannel] {
        let inboxes = await bot.inboxes
        return await bot.plan.channels.map { PageChannel(name: $0.name, isInbox: inboxes.contains($0.name)) }
    }

    func inboxMessages(limit: Int) async -> [InboxMessage] {
        let inboxes = await bot.inboxes
        let state = await bot.state
        let delivered = state.outbox.history.filter { entry in
            guard case .delivered = entry.end else { return false }
            return inboxes.contains(entry.delivery.channel)
        }
        return delivered.suffix(limit).map { entry in
            InboxMessage(
                id: entry.delivery.id, channel: entry.delivery.channel, message: entry.delivery.message, at: entry.at,
                isOver: entry.delivery.incident.map { state.incidents[$0]?.isOpen != true } ?? false)
        }
    }

    func obey(_ command: JSON) async throws -> JSON {
        switch await bot.obey(try Command(command)) {
        case .answered(let answer): return answer.json
        case .unsafe(let why):
            return CommandAnswer.refused("it holds until the bot ends, but it can not be kept: \(why)").json
        case .stopping: return CommandAnswer.refused("the bot is about to stop; try again in a moment").json
        }
    }

    func coverage(ofIncident id: String) async -> String? { await muted(by: id)?.sentence }

    func mute(incident id: String, for length: Duration) async -> String {
        guard let match = await muted(by: id) else { return "This incident is over: nothing is muted." }
        let command = Command.mute(match, until: .after(length), reason: nil, by: "a link in a message")
        switch await bot.obey(command) {
        case .answered(.done(let sentence, _)), .answered(.refused(let sentence)): return sentence
        case .unsafe(let why): return "It is muted until the bot ends, but the mute can not be kept: \(why)"
        case .stopping: return "The bot is about to stop; try again in a moment."
        }
    }

    /// What a mute of an open incident covers; nil when there is no such incident.
    private func muted(by id: String) async -> Match? {
        await bot.state.incidents[id].flatMap { $0.isOpen ? $0.likeness : nil }
    }

    func inboxBell() async -> AsyncStream<Void> { await bot.bell() }

    func health() async -> BotHealth {
        let plan = await bot.plan
        let state = await bot.state
        if let trouble = await bot.trouble {
            return BotHealth(isAlive: true, isReady: false, sentence: "The journal can not be written: \(trouble)")
        }
        let next = plan.sources.compactMap { state.schedule.sources[$0.name]?.due }.min()
        let when = next.map { "; the next poll is due in \(max(.zero, $0 - clock.now()).short)" } ?? ""
        return BotHealth(
            isAlive: true, isReady: true, sentence: "Watching \(count(plan.sources.count, "source"))\(when).")
    }
}
