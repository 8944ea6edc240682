internal import ArgumentParser
internal import BotConfig
internal import BuiltinPlugins
internal import Commands
internal import PluginKit
internal import Runtime
internal import SystemPorts

struct JournalCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "journal", abstract: "Verifies, shows, compacts and repairs the journal.",
        subcommands: [JournalVerify.self, JournalShow.self, JournalCompact.self, JournalRepairCommand.self])
}

struct JournalVerify: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Reads the whole journal and reports whether it is intact.")

    @OptionGroup var common: AnswerOptions

    func run() throws {
        let file = try common.file()
        try JournalDesk(file.journalFolder(), common.format, on: machine.terminal).verify(file.memories)
    }
}

struct JournalShow: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Prints the journal's records, oldest first, one a line.")

    @OptionGroup var common: CommonOptions
    @Option(name: .long, help: "text: number, time and record of each line; json: one object a line.") var format =
        TextOrJSON.text

    func run() throws {
        try JournalDesk(common.file().journalFolder(), format, on: machine.terminal).show()
    }
}

struct JournalCompact: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compact",
        abstract: "Replaces the journal of a stopped bot with a snapshot; a running bot does so by itself.")

    @OptionGroup var common: AnswerOptions

    func run() throws {
        let folder = try common.file().config().bot.stateFolder
        try JournalDesk(folder, common.format, on: machine.terminal).compact(
            at: machine.clock.now(), PluginCatalog.builtin.memories)
    }
}

struct JournalRepairCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "repair",
        abstract: "Copies everything readable in a damaged journal into a sound one beside it.",
        discussion:
            "The damaged journal is left as it is. Records that this release does not understand are left out, and counted. "
            + "A bot may run meanwhile.")

    @OptionGroup var common: AnswerOptions
    @Option(
        name: .long, help: "The folder of the copy; by default the state folder's name with .repaired.",
        completion: .directory)
    var to: String?

    func run() throws {
        let file = try common.file()
        try JournalDesk(file.journalFolder(), common.format, on: machine.terminal).repair(
            to: to, at: machine.clock.now(), file.memories)
    }
}
