internal import ArgumentParser
internal import BotConfig
internal import Commands
internal import PluginKit
internal import SystemPorts

struct ReloadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reload", abstract: "Has the running bot read its config anew, and says what changed.",
        discussion:
            "As SIGHUP does. A config with a mistake never replaces the one that runs; the bot logs what is wrong.")

    @OptionGroup var common: CommonOptions
    @Option(name: .long, help: "text or json.") var format = TextOrJSON.text

    func run() async throws {
        try await BotContact(common.file(), on: machine).reload().print(as: format, on: machine.terminal)
    }
}
