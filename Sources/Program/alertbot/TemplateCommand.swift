internal import AlertCore
internal import ArgumentParser
internal import BotConfig
internal import Commands
internal import PluginKit
internal import SystemPorts

struct TemplateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "template", abstract: "Shows the message template, as a start for your own.",
        subcommands: [TemplateShow.self])
}

struct TemplateShow: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Prints the built-in template of a channel's messages.",
        discussion: """
            Save it beside the config, name it as 'template:' of a channel or a rule, and change it: 'alertbot check' finds \
            mistakes in it, 'alertbot dry-run' shows what becomes of messages.
            """)

    @OptionGroup var common: AnswerOptions
    @Argument(help: "The channel's name in the config.", completion: Names.ofChannels) var channel: String

    func run() throws {
        // A config that names a template which is still to be written has an error, and this is where it comes from.
        let result = try common.file().result
        if let names = result.channelNames, !names.contains(channel) {
            throw Failure(noSuch: "channel", channel, known: names)
        }
        let text = MessageTemplate.builtIn(in: result.words)
        try common.print(
            ["channel": .string(channel), "template": .string(text)],
            text.hasSuffix("\n") ? String(text.dropLast()) : text)
    }
}
