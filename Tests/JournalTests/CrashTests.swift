import Chance
import Journal
import JournalTesting
import Testing

/// Whatever happens to the disk or the process, committed records come back once and in order.
@Suite struct `Crashes` {
    /// A compaction happens at once or, as in a running bot, in three steps with others in between.
    private enum Step { case append, flush, commit, compact, begin, write, finish }

    /// What the journal was told and what it confirmed.
    private struct Told {
        var appended: [[UInt8]] = []
        var confirmed = 0
        /// How many the end of the process spares, whatever a power cut does to them.
        var flushed = 0
        /// How many there were at each commit, confirmed or not.
        var ends: Set<Int> = [0]
        var compaction: Compaction?
        var records: [[UInt8]] = []
        var written: Compaction.Written?

        init() {}

        /// After a start.
        init(found: [[UInt8]]) {
            appended = found
            (confirmed, flushed) = (found.count, found.count)
            ends = [found.count]
        }

        /// What came back must be what was appended, down to at least the last confirmed one, and commits as a whole.
        func check(_ found: [[UInt8]], _ comment: Comment, at location: SourceLocation = #_sourceLocation) {
            #expect(found.count >= confirmed, comment, sourceLocation: location)
            #expect(found == Array(appended.prefix(found.count)), comment, sourceLocation: location)
            #expect(ends.contains(found.count), comment, sourceLocation: location)
        }
    }

    private static var limits: JournalLimits {
        var limits = JournalLimits()
        limits.segmentBytesMax = 400
        limits.chunkBytes = 128
        return limits
    }

    private static func steps(_ random: inout SeededRandom) -> [Step] {
        (0..<24).map { _ in
            [.append, .append, .append, .append, .flush, .flush, .commit, .commit, .compact, .begin, .write, .finish]
                .randomElement(using: &random) ?? .commit
        }
    }

    private static func perform(_ step: Step, _ writer: inout JournalWriter, _ told: inout Told) throws(JournalError) {
        if [.flush, .commit, .compact, .begin].contains(step) { told.ends.insert(told.appended.count) }
        // Should it fail, what was flushed may be taken back, to be written with the next commit.
        if ![.append, .write, .finish].contains(step) { told.flushed = told.confirmed }
        switch step {
        case .append:
            let payload = payload(told.appended.count + 1)
            told.appended.append(payload)
            try writer.append(payload, at: noon)
        case .flush:
            try writer.flush()
            told.flushed = told.appended.count
            return
        case .commit: try writer.commit()
        case .compact: try writer.compact(told.appended, at: noon)
        case .begin:
            told.written = nil
            told.compaction = try writer.begin(at: noon)
            told.records = told.appended
        case .write:
            guard let compaction = told.compaction else { return }
            told.written = try compaction.write(told.records)
            return
        case .finish:
            guard let written = told.written else { return }
            told.compaction = nil
            told.written = nil
            return try writer.finish(written)
        }
        if step != .append { (told.confirmed, told.flushed) = (told.appended.count, told.appended.count) }
    }

    private static func open(_ disk: MemoryDisk, _ found: inout [[UInt8]]) throws(JournalError) -> JournalWriter {
        found = []
        return try JournalWriter.open(disk, limits: limits) { found.append(Array($0.payload)) }
    }

    private static func runUntilFault(_ steps: [Step], _ disk: MemoryDisk, _ told: inout Told) {
        var found: [[UInt8]] = []
        do {
            var writer = try open(disk, &found)
            for step in steps { try perform(step, &writer, &told) }
        } catch {}
    }

    @Test(arguments: 0..<12)
    func `a power cut at any operation of the disk loses nothing committed`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let steps = Self.steps(&random)
        let calm = MemoryDisk()
        var toldInCalm = Told()
        Self.runUntilFault(steps, calm, &toldInCalm)
        let operations = calm.takeOperations().count
        for cut in 1...operations {
            let comment: Comment = "seed \(seed), cut at operation \(cut)"
            let disk = MemoryDisk()
            var told = Told()
            disk.cutPower(at: cut)
            Self.runUntilFault(steps, disk, &told)
            disk.restart(&random)

            var found: [[UInt8]] = []
            var writer = try Self.open(disk, &found)
            told.check(found, comment)
            #expect(!writer.report.isDamaged, comment)

            told = Told(found: found)
            for step in [
                Step.append, .flush, .append, .commit, .append, .begin, .append, .flush, .commit, .write, .append,
                .commit,
                .finish,
            ] {
                try Self.perform(step, &writer, &told)
            }
            disk.restart(&random)
            let (records, report) = try read(disk, limits: Self.limits)
            #expect(records.map { $0.drop { $0 != "{" } } == told.appended.map { text($0)[...] }, comment)
            #expect(!report.isDamaged, comment)
        }
    }

    @Test(arguments: 0..<150)
    func `a disk that fails now and then loses nothing committed`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let disk = MemoryDisk()
        var told = Told()
        for life in 0..<4 {
            let comment: Comment = "seed \(seed), life \(life)"
            var found: [[UInt8]] = []
            var writer = try Self.open(disk, &found)
            told.check(found, comment)
            #expect(found.count >= told.flushed, comment)
            #expect(!writer.report.isDamaged, comment)
            told = Told(found: found)

            let steps = Self.steps(&random)
            for (number, step) in steps.enumerated() {
                var chance = SeededRandom(seed: random.next())
                let failing = Int.random(in: 0..<12, using: &chance)
                let kept = Int.random(in: 0...200, using: &chance)
                let counter = Counter(failing)
                disk.setFaults { operation, _ in
                    guard operation != .truncate, counter.next() == 0 else { return nil }
                    return operation == .write
                        ? .init(reason: .full, bytesKept: kept) : .init(reason: .failed("I/O error"))
                }
                // A step that fails is simply followed by the next one, as in a bot that goes on.
                do { try Self.perform(step, &writer, &told) } catch {
                    #expect(writer.lastSeq >= writer.committedSeq, "\(comment), step \(number)")
                }
            }
            disk.setFaults { _, _ in nil }
            if Bool.random(using: &random) {
                try Self.perform(.commit, &writer, &told)
            }
            if Bool.random(using: &random) {
                disk.restart(&random)
                told.flushed = 0
            }
        }
    }

    /// The worst of disks: a sync fails, cutting off what it failed to write fails too, and then the process or the
    /// power ends at any later operation.
    @Test(arguments: 0..<60)
    func `a sync and the truncation after it that both fail bring back nothing that was not appended`(
        seed: UInt64
    ) throws {
        var random = SeededRandom(seed: seed)
        for cut in 1...16 {
            let comment: Comment = "seed \(seed), cut at operation \(cut)"
            let disk = try diskWith(2, limits: Self.limits)
            var told = Told(found: [payload(1), payload(2)])
            do {
                var found: [[UInt8]] = []
                var writer = try Self.open(disk, &found)
                for step in [Step.append, .flush, .append] { try Self.perform(step, &writer, &told) }
                disk.setFaults { operation, name in
                    (operation == .sync && !name.isEmpty) || operation == .truncate
                        ? .init(reason: .failed("I/O error")) : nil
                }
                #expect(throws: JournalError.self) { try Self.perform(.commit, &writer, &told) }
                disk.setFaults { _, _ in nil }
                disk.cutPower(at: cut)
                for step in [Step.append, .flush, .append, .commit, .append, .commit, .compact] {
                    try Self.perform(step, &writer, &told)
                }
            } catch {}
            if Bool.random(using: &random) { disk.restart(&random) } else { disk.restartProcess() }

            var found: [[UInt8]] = []
            var writer = try Self.open(disk, &found)
            told.check(found, comment)
            #expect(!writer.report.isDamaged, comment)
            told = Told(found: found)
            for step in [Step.append, .commit] { try Self.perform(step, &writer, &told) }
            disk.restart(&random)
            let (records, report) = try read(disk, limits: Self.limits)
            #expect(records.map { $0.drop { $0 != "{" } } == told.appended.map { text($0)[...] }, comment)
            #expect(!report.isDamaged, comment)
        }
    }
}
