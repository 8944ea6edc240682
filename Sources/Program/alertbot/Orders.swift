internal import AlertCore
internal import ArgumentParser
internal import BotConfig
internal import BuiltinPlugins
internal import Journal
internal import PluginKit
internal import Runtime

// What the commands share that tell the bot something.

/// Has the running bot do it, or, while none runs, writes it to the journal for the next one.
func tell(_ command: Command, _ file: ConfigFile) async throws(Failure) -> CommandAnswer {
    if let folder = file.result.stateFolder,
        let answer = try await ControlClient(stateFolder: folder).tell(command)
    {
        file.tellProblems(whileDoing: "asking the running bot")
        return answer
    }
    let config = try file.config()
    do {
        var state = State(memories: PluginCatalog.builtin.memories)
        var ledger = try Ledger(opening: FolderDisk(config.bot.stateFolder), rebuilding: &state)
        for notice in ledger.report.notices { Output.error("alertbot: \(notice)") }
        return try ledger.obey(command, config.plan, &state, at: SystemClock().now())
    } catch .lockHeld {
        throw Failure(
            .impossible,
            "a bot is running, but does not answer at \(ControlClient.socketPath(config.bot.stateFolder)); "
                + "is it starting or stopping? Try again in a moment")
    } catch {
        throw Failure(error)
    }
}

/// Prints what came of a command; ends with 1 when the answer is no.
func show(_ answer: CommandAnswer, _ format: TextOrJSON) throws(Failure) {
    switch (format, answer) {
    case (.json, _): Output.line(answer.json.prettyText)
    case (.text, .done(let sentence, _)): Output.line(sentence)
    case (.text, .refused(let sentence)): Output.error("alertbot: \(sentence)")
    }
    if case .refused = answer { throw Failure(.no) }
}

/// The instant that an option means.
func instant(_ text: String, _ option: String, _ zone: Zone, isEnd: Bool = false) throws(Failure) -> Moment {
    do {
        let written = try WrittenInstant(grammar: text)
        return isEnd ? written.moment(endingIn: zone) : written.moment(beginningIn: zone)
    } catch {
        throw Failure(.wrongUsage, "\(option) is '\(text.tamed.clipped(to: 60))', expected \(error.expected)")
    }
}

/// The length of time that an option means.
func length(_ text: String, _ option: String) throws(Failure) -> Duration {
    do {
        return try Duration(grammar: text)
    } catch {
        let near = error.suggestion.map { "; did you mean \($0)?" } ?? ""
        throw Failure(.wrongUsage, "\(option) is '\(text.tamed.clipped(to: 60))', expected \(error.expected)\(near)")
    }
}
