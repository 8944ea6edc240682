public import AlertCore
internal import BotConfig
public import Journal
public import PluginKit
internal import Runtime
public import SystemPorts

/// How a command reaches the bot: through its control socket, or, while none runs, through its journal.
public struct BotContact: Sendable {
    private let file: ConfigFile
    private let machine: Machine

    public init(_ file: ConfigFile, on machine: Machine) {
        self.file = file
        self.machine = machine
    }

    /// What the running bot says of itself, or, while none runs or one does not answer, what its journal says.
    public func status() async throws(Failure) -> JSON {
        if let folder = file.result.stateFolder,
            let live = await ControlClient(stateFolder: folder).get("/api/status")
        {
            file.warn(whileDoing: "asking the running bot")
            return live
        }
        let config = try file.config()
        let folder = config.bot.stateFolder
        let (state, report) = try State.inJournal(folder, file.memories, telling: machine.terminal)
        let status = StatusReport(state, config.plan, at: machine.clock.now())
            .status(isRunning: false, journalTrouble: report.damage)
        // What hangs is not to be taken for what does not run.
        guard try isHeld(folder), case .object(var known) = status else { return status }
        machine.terminal.error("alertbot: warning: \(Failure(deafIn: folder).sentence)")
        known["unanswered"] = true
        return .object(known)
    }

    /// Has the running bot read its config anew.
    ///
    /// - Returns: what it answers, and what is wrong with a config that it refused, for programs.
    /// - Throws: where none runs, or where the config is wrong: then the bot keeps the one it has.
    public func reload() async throws(Failure) -> (answer: CommandAnswer, problems: [JSON]) {
        // The bot judges the file itself; here it only says where the bot is.
        let folder: String
        if let known = file.result.stateFolder { folder = known } else { folder = try file.config().bot.stateFolder }
        guard let answer = try await order(ReloadOrder.json(of: file.path), in: folder) else {
            if try isHeld(folder) { throw Failure(deafIn: folder) }
            throw Failure(.impossible, "no bot is running for \(file.path); it reads its config when it starts")
        }
        guard case .done(let sentence, let details) = answer else {
            for text in file.problemTexts { machine.terminal.error(text) }
            return (answer, file.result.problems.map { $0.json(file: file.path) })
        }
        for warning in details["problems"]?.array ?? [] { warn(warning) }
        let changes = (details["changes"]?.array ?? []).compactMap(\.string)
        let closes = (details["closes"]?.array ?? []).compactMap(\.string).map { "closes incident \($0)" }
        let judged = (details["judged"]?.array ?? []).compactMap(\.string).map { "re-judges incident \($0)" }
        let lines = changes.isEmpty ? ["nothing in it has changed"] : changes
        let mutes = (details["mutes"]?.array ?? []).compactMap(\.string).map { "mute \($0)" }
        let config = details["config"]?.string.map { ": \($0)" } ?? ""
        let text = ([sentence + config] + lines + closes + judged + mutes).map(\.tamed).joined(separator: "\n")
        return (.done(text, details), [])
    }

    /// Says of what the bot has found in its config that it goes on with all the same. It is the bot's own list: its
    /// secrets are not those of whoever asks.
    private func warn(_ problem: JSON) {
        let place = [problem["file"]?.string, problem["line"]?.text, problem["column"]?.text].compactMap(\.self)
        let (level, message) = (problem["severity"]?.string ?? "warning", problem["message"]?.string ?? "")
        machine.terminal.error("\(place.joined(separator: ":")): \(level): \(message)".tamed)
    }

    /// What the running bot answers to a question; nil where none runs.
    func ask(_ question: WhyOrder) async throws(Failure) -> CommandAnswer? {
        guard let folder = file.result.stateFolder,
            let answer = try await ControlClient(stateFolder: folder).ask(question.json)
        else { return nil }
        file.warn(whileDoing: "asking the running bot")
        return answer
    }

    /// Whether a bot has the state folder, also one that does not answer.
    private func isHeld(_ folder: String) throws(Failure) -> Bool {
        do {
            return try FolderDisk(folder).isLocked()
        } catch {
            throw Failure(JournalError(error, in: folder))
        }
    }

    /// What the running bot says to an order; nil where none runs. It may take its time, which whoever waits for it sees.
    private func order(_ command: JSON, in folder: String) async throws(Failure) -> CommandAnswer? {
        let bar = machine.terminal.progress("Waiting for the bot", of: 1)
        defer { bar.end() }
        return try await ControlClient(stateFolder: folder).order(command)
    }

    /// Has the running bot do it, or, while none runs, writes it to the journal for the next one.
    public func order(_ command: Command) async throws(Failure) -> CommandAnswer {
        if let folder = file.result.stateFolder,
            let answer = try await order(command.json, in: folder)
        {
            file.warn(whileDoing: "asking the running bot")
            return answer
        }
        let config = try file.config()
        let folder = config.bot.stateFolder
        do {
            var state = State(memories: file.memories)
            var ledger = try Ledger(opening: FolderDisk(folder), rebuilding: &state)
            for notice in ledger.report.notices { machine.terminal.error("alertbot: \(notice)") }
            return try ledger.obey(command, config.plan, &state, at: machine.clock.now())
        } catch .lockHeld {
            throw Failure(deafIn: folder)
        } catch {
            throw Failure(error)
        }
    }
}

extension State {
    /// The state that a journal tells of, rebuilt without taking it; an absent folder is an empty state.
    public static func inJournal(
        _ folder: String, _ memories: MemoryKinds
    ) throws(Failure) -> (state: State, report: JournalReport) {
        do throws(JournalError) {
            return try State.reading(FolderDisk(folder), memories)
        } catch {
            throw Failure(error)
        }
    }
}

extension State {
    /// The same for somebody who is to know if part of it is lost.
    ///
    /// - Parameter terminal: hears of damage. What a crash has left behind is none, and looks like what a running bot is
    ///   just writing.
    public static func inJournal(
        _ folder: String, _ memories: MemoryKinds, telling terminal: Terminal
    ) throws(Failure) -> (state: State, report: JournalReport) {
        let (state, report) = try inJournal(folder, memories)
        for notice in report.notices where notice.isDamage { terminal.error("alertbot: warning: \(notice)") }
        if report.noticesOmitted > 0 {
            terminal.error("alertbot: warning: and \(report.noticesOmitted) more like these")
        }
        return (state, report)
    }
}

extension JournalReport {
    /// What is lost, for `status`; nil for a sound journal.
    fileprivate var damage: String? {
        isDamaged ? "\(loss ?? "nothing is lost"); 'alertbot journal verify' says more" : nil
    }
}

extension CommandAnswer {
    /// Prints what came of a command; it ends with 1 when the answer is no, and with 3 when it cannot be done now, or cannot be
    /// saved.
    ///
    /// - Parameter problems: what is to be named beside the answer, for programs.
    public func print(as format: TextOrJSON, on terminal: Terminal, problems: [JSON] = []) throws(Failure) {
        switch (format, self) {
        case (.json, _):
            var shown = json
            if !problems.isEmpty, case .object(var object) = shown {
                object["details"] = ["problems": .array(problems)]
                shown = .object(object)
            }
            try terminal.line(shown.prettyText)
        case (.text, .done(let sentence, _)): try terminal.line(sentence)
        case (.text, .refused(let sentence, _)): terminal.error("alertbot: \(sentence)")
        }
        switch self {
        case .done: break
        case .refused(_, .command): throw Failure(.no)
        case .refused(_, .unavailable), .refused(_, .unsaved): throw Failure(.impossible)
        }
    }
}

extension Failure {
    /// That the bot of a folder runs and does not answer.
    fileprivate init(deafIn folder: String) {
        self.init(
            .impossible,
            "a bot is running, but does not answer at \(ControlClient(stateFolder: folder).socketPath); "
                + "it may be starting or stopping: try again in a moment, as the user that it runs as")
    }
}
