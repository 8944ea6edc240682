public import AlertCore
public import Journal
internal import PluginKit

/// The journal as the bot uses it: facts in, a state out.
public struct Ledger: ~Copyable {
    private var writer: JournalWriter

    /// Opens a journal for writing and rebuilds the state from it.
    public init(opening disk: any JournalDisk, rebuilding state: inout State) throws(JournalError) {
        var replay = StateReplay()
        let opened = try JournalWriter.open(disk) { record in try replay.take(record.payload) }
        state = try State.finishing(replay, disk)
        writer = opened
    }

    /// What the replay found.
    public var report: JournalReport { writer.report }

    /// Takes facts into memory; gives back why some could not be taken, which only a fact beyond all bounds can cause.
    mutating func append(_ facts: some Sequence<Fact>, at now: Moment) -> [JournalError] {
        let at = now.description
        var refused: [JournalError] = []
        for fact in facts {
            do { try writer.append(fact.json.bytes, at: at) } catch { refused.append(error) }
        }
        return refused
    }

    /// Makes everything taken durable.
    mutating func commit() throws(JournalError) { try writer.commit() }

    /// Replaces the journal by a snapshot once it has grown enough.
    mutating func compactIfLarge(_ state: State, at now: Moment) throws(JournalError) {
        guard writer.needsCompaction else { return }
        try writer.compact(state.facts.lazy.map(\.json.bytes), at: now.description)
    }
}

extension State {
    /// Rebuilds the state from a journal without taking it: for previews, and for questions while the bot runs.
    public static func reading(_ disk: any JournalDisk) throws(JournalError) -> (state: State, report: JournalReport) {
        var replay = StateReplay()
        let report = try JournalReader(disk).forEach { record in try replay.take(record.payload) }
        return (try finishing(replay, disk), report)
    }

    /// What the replay knows at its end. Where a record that still counts cannot be decoded, a replay of every record in
    /// its turn finds the place, and says it.
    fileprivate static func finishing(
        _ replay: StateReplay, _ disk: any JournalDisk
    ) throws(JournalError) -> State {
        if let state = try? replay.finish() { return state }
        var state = State()
        try JournalReader(disk).forEach { record in state.apply(try Fact(JSON(parsing: record.payload))) }
        return state
    }
}
