internal import AlertCore
public import BotConfig
internal import Pictures
internal import PluginKit
internal import Preview
internal import Runtime
public import SystemPorts

/// Writes a first config with whoever wants one: asks for a source and a channel, tries them, writes the file and previews what
/// it would send. Nothing is written before everything is answered.
public struct Init: Sendable {
    private let wish: InitWish
    private let catalog: PluginCatalog
    private let dialogue: any Dialogue
    /// The machine, speaking where questions are asked.
    private let machine: Machine
    /// Where an answer for programs goes.
    private let output: Terminal

    public init(
        _ wish: InitWish, _ catalog: PluginCatalog, asking dialogue: any Dialogue, on machine: Machine
    ) {
        self.wish = wish
        self.catalog = catalog
        self.dialogue = dialogue
        self.machine = {
            var machine = machine
            if wish.format == .json { machine.terminal = machine.terminal.onlyErrors }
            return machine
        }()
        output = machine.terminal
    }

    private var terminal: Terminal { machine.terminal }

    private static let stopped = Failure(.impossible, "stopped; nothing was written")

    private static func notWritten(_ error: FileError) -> Failure {
        Failure(.impossible, "\(error.path) cannot be written: \(error.reason); nothing was written")
    }

    public func run() async throws(Failure) {
        var draft = DraftConfig(path: wish.path, timezone: machine.timezone, written: machine.clock.now())
        let questioner = Questioner(dialogue: dialogue, terminal: terminal, machine: machine, folder: draft.folder)
        let (namedSource, namedChannel) = (try named(.source), try named(.channel))
        if let namedSource, let namedChannel { try wish.checkSettings([namedSource, namedChannel]) }
        if let obstacle = WholeFile.obstacle(at: wish.path) { throw Init.notWritten(obstacle) }
        var replaced: Set<String> = []
        if try clearWay(for: wish.path, questioner) { replaced.insert(wish.path) }
        let source = try choice(of: .source, namedSource, "Which service has the crash figures?", questioner)
        let polled = try await setUp(source: source, in: &draft, questioner)
        if namedChannel == nil { try terminal.line("") }
        let channel = try choice(of: .channel, namedChannel, "Which chat should be notified?", questioner)
        try wish.checkSettings([source, channel])
        let config = try await setUp(channel: channel, in: &draft, questioner)
        let files = draft.secrets
        for path in files.keys.sorted() where try clearWay(for: path, questioner) { replaced.insert(path) }
        try await write(draft, files, replacing: replaced)
        if let polled, let config { try preview(config, polled) }
        // Without the option the commands read the usual file.
        let option = wish.path == "config.yaml" ? "" : " --config \(wish.path)"
        try terminal.line(
            "\nNext: 'alertbot check\(option)' validates it, 'alertbot dry-run\(option)' previews it again, "
                + "'alertbot run\(option)' starts the bot.")
        if wish.format == .json { try output.line(json(draft, files).prettyText) }
    }

    private func plugins(_ kind: PluginKind) -> [PluginDescription] { catalog.descriptions.filter { $0.kind == kind } }

    private func choice(
        of kind: PluginKind, _ named: PluginDescription?, _ question: String, _ questioner: Questioner
    ) throws(Failure) -> PluginDescription {
        if let named { return named }
        return try questioner.choice(of: kind, question, among: plugins(kind))
    }

    /// The plugin that the command line names.
    private func named(_ kind: PluginKind) throws(Failure) -> PluginDescription? {
        guard let name = kind == .source ? wish.source : wish.channel else { return nil }
        guard let plugin = plugins(kind).first(where: { $0.manifest.name == name }) else {
            throw Failure(
                noSuch: "\(kind.rawValue) plugin", name.quotable, known: plugins(kind).map(\.manifest.name)
            )
        }
        return plugin
    }

    /// Makes sure that nothing is written over that somebody wants to keep.
    ///
    /// - Returns: whether something is there, which may be replaced.
    private func clearWay(for path: String, _ questioner: Questioner) throws(Failure) -> Bool {
        if wish.isForced { return true }
        // A link that leads nowhere for now is somebody's, too.
        guard WholeFile.isThere(path) || WholeFile.target(ofLink: path) != nil else { return false }
        if !wish.isComplete, try questioner.isWanted("\(path) already exists. Replace it?") { return true }
        throw Failure(.no, "\(path) already exists; use --force to replace it, or --config FILE to write another one")
    }

    // MARK: - The source

    /// Asks for a source until it answers, or is to be kept as it is.
    ///
    /// - Returns: what a poll has brought; nil where there was none that could be used.
    private func setUp(
        source plugin: PluginDescription, in draft: inout DraftConfig, _ questioner: Questioner
    ) async throws(Failure) -> Input? {
        while true {
            draft.source = try questioner.thing(
                plugin, before: draft.source, set: wish.values(for: plugin), onlyNeeded: wish.isComplete)
            guard let name = draft.source?.name else { return nil }
            draft.rules = []
            guard let config = try read(draft), let source = config.sources[name] else {
                _ = try isAskedAgain(questioner, else: Failure(.wrongUsage, "nothing was written"))
                continue
            }
            draft.rules = FirstRules.lines(for: source, seen: [])
            // Rules say which spans are asked for.
            guard let ruled = try read(draft) else { return nil }
            if wish.isUntried { return nil }
            if source is any PushedSource {
                try terminal.line(
                    "\n\(plugin.manifest.name) receives pushes, so there is nothing to poll before the bot runs.")
                return nil
            }
            if let (input, seen) = try await poll(name, ruled, draft.path) {
                draft.rules = FirstRules.lines(for: source, seen: seen)
                return input
            }
            let untried = Failure(.impossible, "nothing was written; use --untried to write it anyway")
            guard try isAskedAgain(questioner, mayKeep: true, else: untried) else { return nil }
        }
    }

    /// Polls a source once and says what came of it; nil where the poll failed.
    private func poll(_ name: String, _ config: Config, _ path: String) async throws(Failure) -> (Input, [Observation])?
    {
        try terminal.line("\nPolling \(name) once …")
        let probe = try SourceProbe(of: name, config, path, .text, isRaw: false, on: machine)
        guard let (input, finding, _) = await probe.poll() else { return nil }
        for line in finding.lines(in: config.plan.zone) { try terminal.line(line) }
        if let failure = finding.failure {
            terminal.error("source \(name): \(failure)\(probe.advice(on: failure))")
            return nil
        }
        if case .values(let observations) = finding.report.outcome { return (input, observations) }
        return (input, [])
    }

    // MARK: - The channel

    /// Asks for a channel until its options are right and, where somebody wants to see one, a test message arrives.
    private func setUp(
        channel plugin: PluginDescription, in draft: inout DraftConfig, _ questioner: Questioner
    ) async throws(Failure) -> Config? {
        while true {
            draft.channel = try questioner.thing(
                plugin, before: draft.channel, set: wish.values(for: plugin), onlyNeeded: wish.isComplete)
            guard let name = draft.channel?.name else { return nil }
            guard let config = try read(draft) else {
                _ = try isAskedAgain(questioner, else: Failure(.wrongUsage, "nothing was written"))
                continue
            }
            if wish.isUntried { return config }
            if !wish.sendsTest {
                // An inbox keeps its messages, so a test would show nothing.
                if wish.isComplete || config.channels.inboxes(at: machine.clock.now()).contains(name) { return config }
                try terminal.line("")
                if try !questioner.isWanted("Send a test message to \(name) now?") { return config }
            }
            do throws(Failure) {
                try await TestMessage(to: name, config, draft.path, .text, on: machine).send()
                return config
            } catch {
                if !error.sentence.isEmpty { terminal.error(error.sentence) }
                if !plugin.manifest.access.isEmpty { terminal.error(plugin.manifest.access) }
            }
            let untested = Failure(.impossible, "nothing was written; leave out --send-test to write it anyway")
            guard try isAskedAgain(questioner, mayKeep: true, else: untested) else { return config }
        }
    }

    /// Whether to ask again after something did not work; otherwise the answers are kept, if they may be.
    ///
    /// - Parameter failure: what ends it where nobody is asked.
    private func isAskedAgain(
        _ questioner: Questioner, mayKeep: Bool = false, else failure: Failure
    ) throws(Failure) -> Bool {
        if wish.isComplete { throw failure }
        switch try questioner.next(mayKeep: mayKeep) {
        case .again: return true
        case .keep: return false
        case .stop: throw Init.stopped
        }
    }

    // MARK: - The file

    /// The config as the bot would read it; nil where something is wrong with it, which is told.
    private func read(_ draft: DraftConfig) throws(Failure) -> Config? {
        let file = try draft.file(catalog, withholdsSecrets: wish.isUntried, on: machine)
        if let config = file.result.config { return config }
        for problem in file.result.problems where problem.level == .error {
            // There is no file yet that a place could point into.
            terminal.error(
                problem.message + (problem.suggestion.map { "; did you mean \($0)?" } ?? "")
                    + (problem.advice.map { "; \($0)" } ?? ""))
        }
        return nil
    }

    /// All of them, or none. The config comes last: with it everything is there.
    private func write(
        _ draft: DraftConfig, _ files: [String: [UInt8]], replacing replaced: Set<String>
    ) async throws(Failure) {
        var written = FileSet()
        if !files.isEmpty { written.add(folder: "\(draft.folder)/\(DraftConfig.secretsFolder)") }
        for (path, bytes) in files.sorted(by: { $0.key < $1.key }) {
            written.add(path, bytes, mayReplace: replaced.contains(path))
        }
        written.add(
            draft.path, Array(draft.text.utf8), mode: Init.configMode, keepsRights: true,
            mayReplace: replaced.contains(draft.path))
        do {
            try await machine.interruption.cancelling { [written] in try written.write() }
        } catch let error as FileError {
            throw Init.notWritten(error)
        } catch {
            throw Init.stopped
        }
        let secrets = files.keys.sorted().map { $0.hasPrefix("./") ? String($0.dropFirst(2)) : $0 }.joined(
            separator: " and ")
        try terminal.line(
            "\nWrote \(draft.path)" + (secrets.isEmpty ? "." : ", and \(secrets), which only you can read."))
    }

    /// There is no secret in it, and the bot may be another user. One that is there already keeps its own.
    private static let configMode: UInt32 = 0o644

    private func preview(_ config: Config, _ input: Input) throws(Failure) {
        let now = machine.clock.now()
        var preview = Preview(plan: config.plan, state: State(memories: catalog.memories), start: now)
        preview.take(input)
        preview.advance(to: now)
        try terminal.line("\nWhat would be sent now:\n")
        let paint = Paint(isOn: terminal.isColored(wish.color))
        let lines = DryRunText(PreviewReport(preview, channels: config.channels), width: terminal.width).lines
        try terminal.line(lines.map(paint.line).joined(separator: "\n"))
    }

    private func json(_ draft: DraftConfig, _ files: [String: [UInt8]]) -> JSON {
        [
            "config": .string(draft.path), "secrets": .array(files.keys.sorted().map(JSON.string)),
            "source": JSON(draft.source?.name), "channel": JSON(draft.channel?.name),
        ]
    }
}

extension Machine {
    /// The IANA name of the zone that this machine goes by; UTC where it does not say.
    fileprivate var timezone: String {
        let zones = ZoneDatabase()
        let marker = "zoneinfo/"
        let linked = WholeFile.target(ofLink: "/etc/localtime").flatMap { path in
            path.firstRange(of: marker).map { String(path[$0.upperBound...]) }
        }
        let name = [variables["TZ"], linked].compactMap(\.self).first { !$0.isEmpty && (try? zones.zone($0)) != nil }
        return name ?? Zone.utc.name
    }
}
