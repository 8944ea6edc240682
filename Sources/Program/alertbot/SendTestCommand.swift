internal import ArgumentParser
internal import Commands

struct SendTestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "send-test", abstract: "Sends one test message to a channel and reports the outcome.")

    @OptionGroup var common: AnswerOptions
    @Argument(help: "The channel's name in the config.", completion: Names.ofChannels) var channel: String

    func run() async throws {
        let file = try common.file()
        try await TestMessage(to: channel, try file.config(), common.config, common.format, on: machine)
            .send(heeding: file.memories)
    }
}
