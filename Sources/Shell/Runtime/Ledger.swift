public import AlertCore
public import Journal
public import PluginKit

/// The journal as the bot uses it: facts in, a state out.
public struct Ledger: ~Copyable {
    private var writer: JournalWriter
    /// Whether facts were let go that only a snapshot can make up for.
    private var isBehind = false

    /// Opens a journal for writing and rebuilds the state from it.
    ///
    /// - Parameter state: One in which nothing has happened yet; what the journal tells is added to it.
    public init(
        opening disk: any JournalDisk, limits: JournalLimits = .standard, rebuilding state: inout State
    ) throws(JournalError) {
        var rebuilt = state
        writer = try JournalWriter.open(disk, limits: limits) { try rebuilt.apply(record: $0.payload) }
        state = rebuilt
    }

    /// What the replay found.
    public var report: JournalReport { writer.report }

    /// What the core hears first of a bot that opened it.
    var firstInputs: [Input] { [.started] + (report.loss.map { [.journalDamaged($0)] } ?? []) }

    /// Takes facts into memory; gives back which could not be taken, and why, which only a fact beyond all bounds can
    /// cause.
    mutating func append(_ facts: some Sequence<Fact>, at now: Moment) -> [(fact: Fact, reason: JournalError)] {
        let at = now.description
        var refused: [(fact: Fact, reason: JournalError)] = []
        for fact in facts {
            do {
                try writer.append(at: at, about: fact.topic) { fact.write(to: &$0) }
            } catch {
                refused.append((fact, error))
            }
        }
        return refused
    }

    /// What the journal takes on the disk, its snapshot included.
    var bytes: Int { writer.bytes }

    /// Whether everything taken is durable.
    var isSynced: Bool { writer.pendingBytes == 0 }

    /// Makes everything taken durable, or only safe from the end of this process. A journal whose folder was taken away
    /// is begun anew at the commit after the one that notices.
    ///
    /// - Parameters:
    ///   - state: All that the facts taken so far have led to.
    ///   - maySyncLater: Whether it may wait for a later commit until it is safe from a power cut.
    /// - Returns: What no journal takes, where the state itself had to be written.
    @discardableResult
    mutating func commit(
        _ state: State, at now: Moment, maySyncLater: Bool = false
    ) throws(JournalError) -> [Compaction.LeftOut] {
        var leftOut: [Compaction.LeftOut] = []
        if writer.isUprooted { leftOut = try writer.restore(state.payloads, at: now.description) }
        if writer.pendingBytes > Ledger.pendingBytesMax {
            writer.discardPending()
            isBehind = true
        }
        if isBehind {
            leftOut = try writer.compact(state.payloads, at: now.description)
            isBehind = false
        } else if maySyncLater, writer.pendingBytes < Ledger.unsyncedBytesMax {
            try writer.flush()
        } else {
            try writer.commit()
        }
        return leftOut
    }

    /// What is kept in memory for a disk that takes nothing: beyond it the state itself, of which the facts are the
    /// history, is written when there is room. 16 MiB: days of polling for most, a sixtieth of a small machine.
    private static let pendingBytesMax = 16 << 20

    /// What may wait for a sync: a turn with thousands of figures needs no second copy of them in memory. 1 MiB is
    /// written in some milliseconds.
    private static let unsyncedBytesMax = 1 << 20

    /// Once the journal has grown enough: a snapshot for the caller to write beside the bot. `finish` or `abandon` ends
    /// it.
    ///
    /// - Parameter isBusy: whether the bot has better to do; then it may wait for a while.
    mutating func beginIfLarge(
        _ state: State, at now: Moment, isBusy: Bool
    ) throws(JournalError) -> LedgerSnapshot? {
        guard isBusy ? writer.isCompactionOverdue : writer.needsCompaction, !isBehind else { return nil }
        return LedgerSnapshot(compaction: try writer.begin(at: now.description), state: state)
    }

    mutating func finish(_ written: Compaction.Written) throws(JournalError) { try writer.finish(written) }

    mutating func abandon() { writer.abandon() }

    /// Replaces the journal by a snapshot, for a bot that does not run.
    ///
    /// - Returns: What no journal takes.
    @discardableResult
    public mutating func compact(_ state: State, at now: Moment) throws(JournalError) -> [Compaction.LeftOut] {
        try writer.compact(state.payloads, at: now.description)
    }
}

extension [Fact] {
    /// Where the commit ends that begins with the fact at `start`.
    func commitEnd(from start: Int) -> Int {
        var (end, size) = (start, 0)
        while end < count, size < Ledger.changesPerCommitMax {
            size += self[end].size
            end += 1
        }
        return end
    }
}

extension Ledger {
    /// What the facts of one commit say: some 4 MiB, so that a storm of ten thousand is not in memory twice. A commit
    /// counts as a whole; only of a turn with more than this can a crash leave the first facts.
    fileprivate static let changesPerCommitMax = 4096
}

/// A state on its way into a snapshot.
struct LedgerSnapshot: Sendable {
    let compaction: Compaction
    let state: State

    /// Takes as long as the state is large; safe beside the running bot.
    func write() -> Result<Compaction.Written, JournalError> {
        do { return .success(try compaction.write(state.payloads)) } catch { return .failure(error) }
    }
}

extension State {
    /// The facts of a snapshot as a journal takes them, made one after the other.
    fileprivate var payloads: some Sequence<[UInt8]> { facts.lazy.map(\.bytes) }
}

extension State {
    /// Rebuilds the state from a journal without taking it: for previews, and for questions while the bot runs.
    ///
    /// - Parameter memories: the kinds of memory that the program knows.
    public static func reading(
        _ disk: any JournalDisk, _ memories: MemoryKinds
    ) throws(JournalError) -> (state: State, report: JournalReport) {
        var state = State(memories: memories)
        let report = try JournalReader(disk).replay { try state.apply(record: $0.payload) }
        if report.loss != nil { _ = state.forgetAnswers() }
        return (state, report)
    }

    fileprivate mutating func apply(record: ArraySlice<UInt8>) throws { apply(try Fact(record: record, memories)) }
}
