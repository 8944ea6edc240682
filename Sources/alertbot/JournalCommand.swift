internal import ArgumentParser
internal import BotConfig
internal import Journal
internal import PluginKit
internal import Runtime

struct JournalCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "journal", abstract: "Looks after the journal.",
        subcommands: [JournalVerify.self, JournalShow.self])
}

struct JournalVerify: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Reads the whole journal and says whether it is sound.")

    @OptionGroup var common: CommonOptions
    @Option(name: .long, help: "text or json.") var format = TextOrJSON.text

    func run() throws {
        let folder = try ConfigFile(common.config).config().bot.stateFolder
        let report = try readJournal(folder) { _ in }
        switch format {
        case .json:
            let notices = report.notices.map { JSON.string($0.description) }
            let json: JSON = [
                "folder": .string(folder), "records": JSON(report.records), "bytes": JSON(report.bytes),
                "last_seq": JSON(Int(clamping: report.lastSeq)), "damaged": .bool(report.isDamaged),
                "notices": .array(notices),
            ]
            Output.line(json.prettyText)
        case .text:
            for notice in report.notices { Output.error(notice.description) }
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
        let folder = try ConfigFile(common.config).config().bot.stateFolder
        let report = try readJournal(folder) { record in
            let payload = String(decoding: record.payload, as: UTF8.self)
            switch format {
            case .json:
                Output.line("{\"seq\":\(record.seq),\"at\":\"\(record.at)\",\"record\":\(payload)}")
            case .text: Output.line("\(record.seq) \(record.at) \(payload.tamed)")
            }
        }
        for notice in report.notices { Output.error(notice.description) }
        if report.isDamaged { throw Failure(.no) }
    }
}

/// Reads a journal without taking it, telling apart what makes an answer impossible from what makes it no.
private func readJournal(_ folder: String, _ each: (JournalRecord) -> Void) throws(Failure) -> JournalReport {
    do {
        return try JournalReader(FolderDisk(folder)).forEach(each)
    } catch {
        throw Failure(error)
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
