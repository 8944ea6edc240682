internal import ArgumentParser
internal import Commands

struct SourcesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sources", abstract: "Tries the sources of the config.", subcommands: [SourcesProbeCommand.self])
}

struct SourcesProbeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "probe",
        abstract: "Polls one source once and shows what it understood. Sends nothing, keeps nothing.",
        discussion: """
            The poll is like the bot's first one: it asks for the spans that the config's rules need. With --format \
            json standard output has observations, one JSON object a line, as --observations reads them, and the rest \
            goes to standard error.
            """)

    @OptionGroup var common: AnswerOptions
    @Flag(name: .long, help: "Show the answers themselves too, with secrets masked.") var raw = false
    @Argument(help: "The source's name in the config.", completion: Names.ofSources) var source: String

    func run() async throws {
        let config = try common.file().config()
        try await SourceProbe(of: source, config, common.config, common.format, isRaw: raw, on: machine).run()
    }
}
