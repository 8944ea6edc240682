internal import AlertCore
internal import ArgumentParser
internal import BotConfig
internal import Commands
internal import PluginKit
internal import Runtime
internal import SystemPorts

struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Shows what the bot sees and tracks, and what is due next.")

    @OptionGroup var common: AnswerOptions

    func run() async throws {
        let file = try common.file()
        let status = try await BotContact(file, on: machine).status()
        try common.print(status, StatusText(status, common.paint, in: file.zone).text)
    }
}

struct HistoryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history", abstract: "Shows what the bot has sent, newest last.")

    @OptionGroup var common: AnswerOptions
    @Option(name: .long, help: "At most this many deliveries.") var limit = 50
    @Flag(name: .long, help: "Only failed deliveries.") var dead = false

    func validate() throws {
        guard (1...State.historyMaxUsual).contains(limit) else {
            throw ValidationError("--limit is \(limit), expected 1 to \(State.historyMaxUsual)")
        }
    }

    func run() async throws {
        // The journal says it all, whether the bot runs or not.
        let file = try common.file()
        let (state, _) = try State.inJournal(file.journalFolder(), file.memories, telling: machine.terminal)
        let words = file.result.config?.plan.words ?? .english
        let history = StatusReport.history(state, limit: limit, deadOnly: dead, words: words)
        try common.print(
            ["history": history], HistoryText(history, isOnlyDead: dead, common.paint, in: file.zone).text)
    }
}
