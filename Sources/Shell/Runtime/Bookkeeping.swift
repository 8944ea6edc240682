internal import AlertCore
internal import Journal
internal import PluginKit

/// What the bot has to tell its journal, when the disk is to make that durable, and what is wrong with the disk.
struct Bookkeeping: ~Copyable {
    private var ledger: Ledger
    private let clock: any Clock
    private var unwritten: [Fact] = []
    /// When the journal was last synced, and when it is to be again, by the machine's clock.
    private var synced = Duration.zero
    private var syncDue: Duration?
    /// What keeps the journal from being written, if anything does.
    private(set) var trouble: JournalError?
    /// Since when, by the machine's clock.
    private var troubleSince = Duration.zero
    /// Whether the core knows.
    private var isTroubleTold = false
    /// Deliveries that do not fit into the journal, by their ids, and why.
    private var unkept: [String: String] = [:]

    init(_ ledger: consuming Ledger, _ clock: any Clock) {
        self.ledger = ledger
        self.clock = clock
    }

    /// What the core hears first.
    var firstInputs: [Input] { ledger.firstInputs }

    /// What the journal takes on the disk.
    var bytes: Int { ledger.bytes }

    /// When it is to be written next, by the machine's clock, whatever else happens. A sync that fails is tried again with
    /// the journal.
    var nextDue: Duration? { trouble == nil ? syncDue : clock.uptime() + Bot.journalRetryInterval }

    /// What is to be written next.
    mutating func take(_ facts: [Fact]) {
        // Nearly always nothing is left from before, and nothing is copied.
        if unwritten.isEmpty { unwritten = facts } else { unwritten += facts }
    }

    /// What came of writing.
    struct Outcome {
        /// Whether the journal could be written.
        var isWritten = true
        var notes: [Note] = []
        /// How long the disk took to make it durable, where it was asked to.
        var synced: Duration?
        /// To be written beside the bot; `finish` takes what comes of it.
        var snapshot: LedgerSnapshot?
    }

    /// Writes what was taken, and makes it durable if that is due.
    ///
    /// - Parameters:
    ///   - state: all that the facts taken so far have led to.
    ///   - isBusy: whether the bot has better to do than a snapshot.
    mutating func write(_ state: State, at now: Moment, safe: Output.Safety?, isBusy: Bool) -> Outcome {
        let uptime = clock.uptime()
        if safe == .soon, syncDue == nil { syncDue = max(uptime, synced + Bot.syncInterval) }
        let maySyncLater = safe != .first && trouble == nil && syncDue.map { uptime < $0 } ?? true
        var outcome = Outcome()
        do throws(JournalError) {
            var taken = 0
            defer { unwritten.removeFirst(taken) }
            repeat {
                let end = unwritten.commitEnd(from: taken)
                for (fact, reason) in ledger.append(unwritten[taken..<end], at: now) {
                    outcome.notes.append(noteRefusal(of: fact, reason, state))
                }
                taken = end
                outcome.notes += Bookkeeping.notes(on: try ledger.commit(state, at: now, maySyncLater: maySyncLater))
            } while taken < unwritten.count
            if ledger.isSynced, safe != nil || syncDue != nil {
                (synced, syncDue) = (uptime, nil)
                outcome.synced = clock.uptime() - uptime
            }
            if trouble != nil {
                outcome.notes.append(Note(.info, "the journal can be written again"))
                trouble = nil
            }
            outcome.snapshot = try ledger.beginIfLarge(state, at: now, isBusy: isBusy)
        } catch {
            outcome.isWritten = false
            if trouble != error {
                outcome.notes.append(Note(.error, "the journal cannot be written: \(error)"))
                if trouble == nil { troubleSince = clock.uptime() }
                trouble = error
            }
        }
        return outcome
    }

    /// What the core is to hear of the journal; nil while there is no news. What the next try fixes by itself is worth no
    /// word.
    mutating func news() -> Input? {
        let isNews =
            trouble == nil
            ? isTroubleTold : !isTroubleTold && clock.uptime() - troubleSince >= Bot.journalRetryInterval
        guard isNews else { return nil }
        isTroubleTold = trouble != nil
        return .journal(trouble: trouble?.description)
    }

    /// Why a delivery must not leave, once: it does not fit into the journal, so nobody would know afterwards that it
    /// did.
    mutating func refusal(of delivery: String) -> String? { unkept.removeValue(forKey: delivery) }

    /// A fact that no journal takes holds until the next start.
    private mutating func noteRefusal(of fact: Fact, _ reason: JournalError, _ state: State) -> Note {
        switch fact {
        case .outbox(.delivery(let delivery)), .outbox(.retried(let delivery)):
            unkept = unkept.filter { state.outbox.deliveries[$0.key] != nil }
            unkept[delivery.id] = "it does not fit into the journal, so it was not sent: \(reason)"
        default: break
        }
        return Note(.error, "a record does not fit into the journal and will be lost at the next start: \(reason)")
    }

    /// Puts a snapshot in its place. One that failed costs nothing: the journal is whole without it.
    mutating func finish(_ result: Result<Compaction.Written, JournalError>) -> [Note] {
        do throws(JournalError) {
            let written = try result.get()
            try ledger.finish(written)
            return Bookkeeping.notes(on: written.leftOut)
                + [Note(.info, "the journal was compacted to \(written.bytes) bytes")]
        } catch {
            ledger.abandon()
            return [Note(.warning, "the journal was not compacted: \(error)")]
        }
    }

    /// Writes what could wait for a sync; what the disk refuses now was never promised to anybody.
    mutating func close(_ state: State, at now: Moment) { _ = try? ledger.commit(state, at: now) }

    private static func notes(on leftOut: [Compaction.LeftOut]) -> [Note] {
        leftOut.map { Note(.error, "the snapshot of the journal lacks something: \($0)".tamed) }
    }
}
