internal import AlertCore
internal import Journal
public import PluginKit
internal import Runtime
public import SystemPorts

/// Looks after the journal of a bot, and says what it finds.
public struct JournalDesk: Sendable {
    private let folder: String
    private let format: TextOrJSON
    private let terminal: Terminal

    public init(_ folder: String, _ format: TextOrJSON, on terminal: Terminal) {
        self.folder = folder
        self.format = format
        self.terminal = terminal
    }

    private var reader: JournalReader { JournalReader(FolderDisk(folder)) }

    /// Reads the whole journal and reports whether it is intact, and whether this program understands it.
    ///
    /// - Parameter memories: the kinds of memory that the program knows.
    public func verify(_ memories: MemoryKinds) throws(Failure) {
        let (report, strange) = try attempt { () throws(JournalError) in try read(memories) }
        let quarantined = try attempt { () throws(JournalError) in try reader.quarantined() }
        switch format {
        case .json:
            let json: JSON = [
                "folder": .string(folder), "records": JSON(report.records), "bytes": JSON(report.bytes),
                "last_seq": JSON(Int(clamping: report.lastSeq)), "damaged": .bool(report.isDamaged),
                "notices": report.noticesJSON, "quarantined": JSON(quarantined),
                "not_understood": strange.map { .string($0.description) } ?? .null,
            ]
            try terminal.line(json.prettyText)
        case .text:
            sayNotices(report)
            if let strange { terminal.error(strange.description) }
            if quarantined > 0 {
                terminal.error("\(quarantined.counted("damaged piece")) kept in \(folder)/quarantine.jsonl")
            }
            let isAbsent = report.bytes == 0 && !report.isDamaged
            try terminal.line(
                isAbsent
                    ? "\(folder): there is no journal yet"
                    : "\(folder): \(report.records.counted("record")), \(report.bytes) bytes, last number \(report.lastSeq): "
                        + (report.isDamaged ? "damaged" : strange == nil ? "sound" : "not understood"))
        }
        if report.isDamaged || strange != nil { throw Failure(.no) }
    }

    /// What a replay finds, and the first record that is intact and that this program does not understand: a bot would not
    /// start with it.
    private func read(_ memories: MemoryKinds) throws(JournalError) -> (JournalReport, strange: JournalError?) {
        do throws(JournalError) {
            return (try reader.replay { _ = try Fact(record: $0.payload, memories) }, nil)
        } catch .refused(let place, let seq, let reason) {
            return (try reader.verify(), .refused(place: place, seq: seq, reason: reason))
        }
    }

    /// Prints every record, oldest first.
    public func show() throws(Failure) {
        var broken: Failure?
        let report = try attempt { () throws(JournalError) in
            try reader.forEach { record in
                guard broken == nil else { return }
                do throws(Failure) { try terminal.line(text(record)) } catch { broken = error }
            }
        }
        if let broken { throw broken }
        sayNotices(report)
        if report.isDamaged { throw Failure(.no) }
    }

    private func text(_ record: JournalRecord) -> String {
        let payload = String(decoding: record.payload, as: UTF8.self)
        switch format {
        case .json: return "{\"seq\":\(record.seq),\"at\":\"\(record.at)\",\"record\":\(payload.wildEscaped)}"
        case .text: return "\(record.seq) \(record.at) \(payload.tamed)"
        }
    }

    /// Replaces the journal of a stopped bot by a snapshot.
    public func compact(at now: Moment, _ memories: MemoryKinds) throws(Failure) {
        let before = try attempt { () throws(JournalError) in try reader.verify() }
        guard before.lastSeq > 0 else { return try sayCompacted(before, before) }
        var state = State(memories: memories)
        do throws(JournalError) {
            var ledger = try Ledger(opening: FolderDisk(folder), rebuilding: &state)
            if before.loss != nil { try ledger.noteLoss(&state, at: now) }
            for record in try ledger.compact(state, at: now) {
                terminal.error("alertbot: warning: a record does not fit into the journal and is left out: \(record)")
            }
        } catch .lockHeld(let folder, let pid) {
            throw Failure(
                .impossible,
                "a bot\(pid.map { " (pid \($0))" } ?? "") is running in \(folder) and compacts its journal by itself; "
                    + "stop it first to compact it now")
        } catch {
            throw Failure(error)
        }
        try sayCompacted(before, try attempt { () throws(JournalError) in try reader.verify() })
    }

    private func sayCompacted(_ before: JournalReport, _ after: JournalReport) throws(Failure) {
        switch format {
        case .json:
            let json: JSON = [
                "folder": .string(folder),
                "before": ["records": JSON(before.records), "bytes": JSON(before.bytes)],
                "after": ["records": JSON(after.records), "bytes": JSON(after.bytes)],
                "notices": before.noticesJSON,
            ]
            try terminal.line(json.prettyText)
        case .text:
            sayNotices(before)
            try terminal.line(
                "\(folder): \(before.records.counted("record")), \(before.bytes) bytes, are now "
                    + "\(after.records.counted("record")), \(after.bytes) bytes")
        }
    }

    /// Copies all that can be read of a damaged journal into a sound one, but for what this program would not start with.
    /// Where there is none, nothing is made: an empty copy would pass for one that was saved.
    ///
    /// - Parameters:
    ///   - target: the folder of the copy; nil for one beside the journal.
    ///   - memories: the kinds of memory that the program knows.
    public func repair(to target: String?, at now: Moment, _ memories: MemoryKinds) throws(Failure) {
        let name = folder.hasSuffix("/") ? String(folder.dropLast()) : folder
        let target = target ?? name + ".repaired"
        let isAbsent = try attempt { () throws(JournalError) in try reader.isAbsent() }
        guard !isAbsent else {
            throw Failure(
                .impossible,
                "there is no journal in \(folder), so there is nothing to repair; the folder is 'bot.state' of the config, "
                    + "and \(ConfigFile.usualOption) FILE names another config")
        }
        let repair: JournalRepair
        do throws(JournalError) {
            repair = try JournalRepair(FolderDisk(folder), to: FolderDisk(target, ownedAs: folder)) { record in
                _ = try Fact(record: record.payload, memories)
            }
        } catch .notWritable(let path, let reason) {
            // A bot often may write to its folder alone, as in a container: the copy has room there, too.
            throw Failure(
                .impossible,
                "cannot write to \(path): \(reason); name a folder that can be written with --to, such as \(name)/repaired"
            )
        } catch {
            throw Failure(error)
        }
        let found = repair.found
        if found.loss != nil || repair.leftOut > 0 { try noteLoss(in: target, at: now, memories) }
        switch format {
        case .json:
            let json: JSON = [
                "folder": .string(folder), "to": .string(target), "saved": JSON(repair.saved),
                "damaged_lines": JSON(found.damagedLines), "missing_records": JSON(Int(clamping: found.missingRecords)),
                "left_out": JSON(repair.leftOut), "not_understood": repair.firstLeftOut.map { .string($0) } ?? .null,
                "notices": found.noticesJSON,
            ]
            try terminal.line(json.prettyText)
        case .text:
            sayNotices(found)
            let leftOut = repair.firstLeftOut.map { first in
                let count = "\(repair.leftOut.counted("record")) that this release does not understand"
                terminal.error("\(count) \(repair.leftOut == 1 ? "is" : "are") left out, first \(first)")
                return count
            }
            let lost = [found.loss, leftOut].compactMap(\.self).joined(separator: ", ")
            try terminal.line(
                "\(target): \(repair.saved.counted("record")) saved; lost: \(lost.isEmpty ? "nothing" : lost)")
            // The folder stays: there is more in it than the journal, such as the recording, and it may be a mount point.
            try terminal.line(
                "To use it: stop the bot, move journal-* and snapshot-* out of \(folder), and the files of \(target) into it."
            )
        }
    }

    /// Has a bot that starts with a copy know that records are missing, for the copy itself is sound.
    private func noteLoss(in target: String, at now: Moment, _ memories: MemoryKinds) throws(Failure) {
        try attempt { () throws(JournalError) in
            var state = State(memories: memories)
            var ledger = try Ledger(opening: FolderDisk(target, ownedAs: folder), rebuilding: &state)
            try ledger.noteLoss(&state, at: now)
        }
    }

    /// Says what was noticed, on standard error.
    private func sayNotices(_ report: JournalReport) {
        for notice in report.notices { terminal.error(notice.description) }
        if report.noticesOmitted > 0 { terminal.error("and \(report.noticesOmitted) more like these") }
    }

    /// Turns what a journal says into how a command ends: what makes an answer impossible is not what makes it no.
    private func attempt<Result>(_ work: () throws(JournalError) -> Result) throws(Failure) -> Result {
        do throws(JournalError) { return try work() } catch { throw Failure(error) }
    }
}

extension JournalReport {
    /// Every notice as a sentence.
    fileprivate var noticesJSON: JSON { .array(notices.map { .string($0.description) }) }
}
