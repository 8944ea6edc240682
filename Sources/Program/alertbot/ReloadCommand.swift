internal import ArgumentParser
internal import BotConfig
internal import Commands
internal import PluginKit
internal import SystemPorts

struct ReloadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reload", abstract: "Makes the running bot reload its config, and shows what changed.",
        discussion:
            "Like SIGHUP. A config with errors never replaces the one in use; the bot logs what is wrong.")

    @OptionGroup var common: AnswerOptions

    func run() async throws {
        let reloaded = try await BotContact(common.file(), on: machine).reload()
        try reloaded.answer.print(as: common.format, on: machine.terminal, problems: reloaded.problems)
    }
}
