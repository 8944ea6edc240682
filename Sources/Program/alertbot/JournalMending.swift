internal import AlertCore
internal import ArgumentParser
internal import BotConfig
internal import BuiltinPlugins
internal import Journal
internal import PluginKit
internal import Runtime

struct JournalCompact: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compact",
        abstract: "Replaces the journal of a stopped bot by a snapshot; a running bot does so itself.")

    @OptionGroup var common: CommonOptions
    @Option(name: .long, help: "text or json.") var format = TextOrJSON.text

    func run() throws {
        let folder = try ConfigFile(common.config).config().bot.stateFolder
        let disk = FolderDisk(folder)
        let before = try attemptOnJournal { () throws(JournalError) in try JournalReader(disk).verify() }
        guard before.lastSeq > 0 else { return tell(folder, before, before) }
        var state = State(memories: PluginCatalog.builtin.memories)
        try attemptOnJournal { () throws(JournalError) in
            var ledger = try Ledger(opening: disk, rebuilding: &state)
            for record in try ledger.compact(state, at: SystemClock().now()) {
                Output.error("alertbot: warning: a record does not fit into the journal and is left out: \(record)")
            }
        }
        tell(folder, before, try attemptOnJournal { () throws(JournalError) in try JournalReader(disk).verify() })
    }

    private func tell(_ folder: String, _ before: JournalReport, _ after: JournalReport) {
        switch format {
        case .json:
            let json: JSON = [
                "folder": .string(folder),
                "before": ["records": JSON(before.records), "bytes": JSON(before.bytes)],
                "after": ["records": JSON(after.records), "bytes": JSON(after.bytes)],
                "notices": before.noticesJSON,
            ]
            Output.line(json.prettyText)
        case .text:
            before.tell()
            Output.line(
                "\(folder): \(count(before.records, "record")), \(before.bytes) bytes, are now "
                    + "\(count(after.records, "record")), \(after.bytes) bytes")
        }
    }
}

struct JournalRepairCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "repair",
        abstract: "Copies all that can be read of a damaged journal into a sound one, beside it.",
        discussion: "The damaged journal is left as it is. A bot may run meanwhile.")

    @OptionGroup var common: CommonOptions
    @Option(name: .long, help: "The folder of the copy; the state folder's name with .repaired unless said.")
    var to: String?
    @Option(name: .long, help: "text or json.") var format = TextOrJSON.text

    func run() throws {
        let folder = try ConfigFile(common.config).journalFolder()
        let target = to ?? (folder.hasSuffix("/") ? String(folder.dropLast()) : folder) + ".repaired"
        let repair = try attemptOnJournal { () throws(JournalError) in
            try JournalRepair(FolderDisk(folder), to: FolderDisk(target))
        }
        let found = repair.found
        switch format {
        case .json:
            let json: JSON = [
                "folder": .string(folder), "to": .string(target), "saved": JSON(repair.saved),
                "damaged_lines": JSON(found.damagedLines), "missing_records": JSON(Int(clamping: found.missingRecords)),
                "notices": found.noticesJSON,
            ]
            Output.line(json.prettyText)
        case .text:
            found.tell()
            Output.line("\(target): \(count(repair.saved, "record")) saved; lost: \(loss(found))")
            Output.line("To use it: stop the bot, move \(folder) away, and give \(target) its name.")
        }
    }

    private func loss(_ found: JournalReport) -> String {
        var parts: [String] = []
        if found.damagedLines > 0 { parts.append(count(found.damagedLines, "damaged line")) }
        if found.missingRecords > 0 { parts.append(count(Int(clamping: found.missingRecords), "missing record")) }
        return parts.isEmpty ? "nothing" : parts.joined(separator: ", ")
    }
}
