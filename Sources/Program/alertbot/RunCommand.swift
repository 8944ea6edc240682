internal import AlertCore
internal import Archive
internal import ArgumentParser
internal import BotConfig
internal import BuiltinPlugins
internal import Commands
internal import Glibc
internal import Journal
internal import PluginKit
internal import Runtime
internal import StatusPage
internal import SystemPorts

struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Runs the bot: SIGHUP reloads the config, SIGTERM and SIGINT stop it.")

    /// How long a stop waits for what is left when the bot itself has ended: a reload that reads from a mount that is gone cannot
    /// be cancelled, and all that counts is safe by then.
    private static let lastPatience = Duration.seconds(5)

    @OptionGroup var common: CommonOptions
    @OptionGroup var faults: FaultOptions
    @Option(name: [.long, .customLong("format")], help: "The log: text, or json for one object a line.")
    var logFormat = LogFormat.text

    func run() async throws {
        var logging = machine
        logging.terminal = machine.terminal.logging(logFormat)
        do {
            try await run(on: logging)
        } catch let failure as Failure {
            // Said here, in the form that was asked for; what is left is the status.
            if !failure.sentence.isEmpty { logging.terminal.error("alertbot: \(failure.sentence)") }
            throw Failure(failure.status, "")
        }
    }

    private func run(on machine: Machine) async throws {
        // Whoever reloads while the bot starts, which a long journal makes seconds, must not end it.
        signal(SIGHUP, SIG_IGN)
        ProcessMemory.giveBackWhatIsFreed()
        let read = { @Sendable [common] () throws(Failure) in
            try ConfigFile(common.config, .builtin, on: machine, namedBy: nil)
        }
        let file = try ConfigFile(common.config, .builtin, on: machine)
        let config = try file.config()
        let host = machine.host(stateFolder: config.bot.stateFolder)
        let ports = machine.ports(
            stateFolder: config.bot.stateFolder, recording: RecordedFolder(config.bot.stateFolder).disk,
            faults: faults.faults)
        let bot = try openBot(config, ports, host)
        // Signals are caught before anything else is told that the bot is up.
        guard let signals = Signals([SIGTERM, SIGINT, SIGHUP]) else {
            throw Failure(.impossible, "the system has no pipe left for signals; raise the limit of open files")
        }
        let face = BotFace(bot, clock: machine.clock, process: ProcessFile.figures)
        let keys = KeyRing(config.keys)
        let reloading = Reloading(bot, began: file, config, keys: keys, on: machine, read)
        let servers = servers(config, face, BotDesk(face, reloading) { host.log($0) }, keys)
        let supervisor = Supervisor(machine.variables)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for server in servers {
                group.addTask {
                    do { try await server.run() } catch let error as StatusServerError {
                        throw Failure(.impossible, error.description)
                    }
                }
            }
            var port: UInt16?
            do {
                for server in servers { port = try await server.waitUntilListening() }
            } catch let error as StatusServerError {
                throw Failure(.impossible, error.description)
            }
            let openFilesMax = ProcessFile.figures()?.openFilesMax
            for note in RunNotes.greeting(config, port: port, openFilesMax: openFilesMax) { host.log(note) }
            supervisor.ready()
            group.addTask { await handle(signals, bot, host, supervisor, reloading) }
            group.addTask { await reloading.keepLooking { host.log($0) } }
            group.addTask { await ProcessMemory.keepGivingCodeBack() }
            await bot.run(grace: config.bot.shutdownGrace)
            supervisor.stopping()
            group.cancelAll()
            let giveUp = Task.detached {
                try await machine.clock.sleep(until: machine.clock.uptime() + RunCommand.lastPatience)
                host.log(Note(.warning, "stopped, though something still waits for a file to be read"))
                Glibc.exit(0)
            }
            do { try await group.waitForAll() } catch is CancellationError {}
            giveUp.cancel()
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

    private func servers(_ config: Config, _ face: BotFace, _ desk: BotDesk, _ keys: KeyRing) -> [StatusServer] {
        var servers = [
            StatusServer(
                address: .unix(path: ControlClient(stateFolder: config.bot.stateFolder).socketPath), view: face,
                control: desk,
                botName: config.bot.name)
        ]
        if case .on(let host, let port) = config.bot.listen {
            servers.append(
                StatusServer(
                    address: .tcp(host: host, port: port), view: face, care: face, intake: face, api: desk,
                    keys: keys, botName: config.bot.name))
        }
        return servers
    }

    private func handle(
        _ signals: Signals, _ bot: Bot, _ host: SystemHost, _ supervisor: Supervisor,
        _ reloading: Reloading
    ) async {
        for await number in signals.stream {
            guard number == SIGHUP else {
                host.log(Note(.info, "stopping; another signal stops at once"))
                supervisor.stopping()
                bot.stop()
                // Whoever asks twice means now; what is unsent is safe in the journal.
                _ = signal(SIGTERM, SIG_DFL)
                _ = signal(SIGINT, SIG_DFL)
                continue
            }
            // Nobody waits for it here: what it reads may take its time, and a stop must not.
            Task {
                supervisor.reloading()
                for note in await reloading.reload().notes { host.log(note) }
                supervisor.ready()
            }
        }
    }
}
