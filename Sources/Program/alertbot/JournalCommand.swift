internal import ArgumentParser
internal import BotConfig
internal import Journal
internal import PluginKit
internal import Runtime

struct JournalCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "journal", abstract: "Looks after the journal.",
        subcommands: [JournalVerify.self, JournalShow.self, JournalCompact.self, JournalRepairCommand.self])
}

struct JournalVerify: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Reads the whole journal and says whether it is sound.")

    @OptionGroup var common: CommonOptions
    @Option(name: .long, help: "text or json.") var format = TextOrJSON.text

    func run() throws {
        let folder = try ConfigFile(common.config).journalFolder()
        let report = try readJournal(folder) { _ in }
        let quarantined = try attemptOnJournal { () throws(JournalError) in
            try JournalReader(FolderDisk(folder)).quarantined()
        }
        switch format {
        case .json:
            let json: JSON = [
                "folder": .string(folder), "records": JSON(report.records), "bytes": JSON(report.bytes),
                "last_seq": JSON(Int(clamping: report.lastSeq)), "damaged": .bool(report.isDamaged),
                "notices": report.noticesJSON, "quarantined": JSON(quarantined),
            ]
            Output.line(json.prettyText)
        case .text:
            report.tell()
            if quarantined > 0 {
                Output.error("\(count(quarantined, "damaged piece")) kept in \(folder)/quarantine.jsonl")
            }
            Output.line(
                "\(folder): \(report.records) records, \(report.bytes) bytes, last number \(report.lastSeq): "
                    + (report.isDamaged ? "damaged" : "sound"))
        }
        if report.isDamaged { throw Failure(.no) }
    }
}

struct JournalShow: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Prints the journal's records, oldest first, one JSON object a line.")

    @OptionGroup var common: CommonOptions
    @Option(name: .long, help: "text (readable) or json (exact).") var format = TextOrJSON.text

    func run() throws {
        let folder = try ConfigFile(common.config).journalFolder()
        let report = try readJournal(folder) { record in
            let payload = String(decoding: record.payload, as: UTF8.self)
            switch format {
            case .json:
                Output.line("{\"seq\":\(record.seq),\"at\":\"\(record.at)\",\"record\":\(payload)}")
            case .text: Output.line("\(record.seq) \(record.at) \(payload.tamed)")
            }
        }
        report.tell()
        if report.isDamaged { throw Failure(.no) }
    }
}

/// Reads a journal without taking it, telling apart what makes an answer impossible from what makes it no.
private func readJournal(_ folder: String, _ each: (JournalRecord) -> Void) throws(Failure) -> JournalReport {
    try attemptOnJournal { () throws(JournalError) in try JournalReader(FolderDisk(folder)).forEach(each) }
}

/// Turns what a journal says into how a command ends.
func attemptOnJournal<Result: ~Copyable>(_ work: () throws(JournalError) -> Result) throws(Failure) -> Result {
    do { return try work() } catch { throw Failure(error) }
}

extension JournalReport {
    /// Every notice as a sentence.
    var noticesJSON: JSON { .array(notices.map { .string($0.description) }) }

    /// Says what was noticed, on standard error.
    func tell() {
        for notice in notices { Output.error(notice.description) }
        if noticesOmitted > 0 { Output.error("and \(noticesOmitted) more like these") }
    }
}

extension Failure {
    /// What a journal's trouble means for a command.
    init(_ error: JournalError) {
        switch error {
        case .newerVersion, .foreignFile, .refused: self.init(.no, error.description)
        default: self.init(.impossible, error.description)
        }
    }
}
