internal import PluginKit

/// The newest times in which a source gave no usable answer, or none of a part: whatever no answer named then, nobody knows
/// that it was missing.
struct Breaks: Hashable, Sendable {
    /// Oldest first; none overlaps another.
    private(set) var spans: [TimeSpan] = []
    /// Since when each usable answer has left open what it may lack.
    private var openSince: Moment?
    /// The same of those that lacked certain apps, or more.
    private var partSince: Moment?
    /// When the usable answer before the last came, where that was longer before than one poll is from another.
    private var answeredBefore: Moment?

    /// Most breaks kept, of a source that hardly answers between them: each is written down with every poll.
    static let countMax = 8

    /// Takes in a usable answer.
    ///
    /// - Parameter last: when the one before came.
    mutating func noteAnswer(after last: Moment?, of source: SourcePlan, at now: Moment) {
        let apart = last.map { now - $0 } ?? .zero
        let before = last.flatMap { last in answeredBefore.map { last - $0 } } ?? .zero
        // Of some sources every answer comes after hours, as in a file of few lines: that is no break.
        if let last, apart > max(source.oldestNews, before.scaled(by: 2)) { note(from: last, to: now) }
        forget(after: source.oldestNews, at: now)
        answeredBefore = apart > source.oldestNews ? last : nil
    }

    /// What an answer leaves open that nobody could read for longer than figures are believed is not known afterwards either,
    /// from the answer before on. One that says 'as before' leaves open what the one before did.
    mutating func noteOpen(_ unread: Unread, since before: Moment, of source: SourcePlan, at now: Moment) {
        for (path, isOpen) in [(\Breaks.openSince, unread == .anything), (\.partSince, unread != .nothing)] {
            let since = self[keyPath: path]
            self[keyPath: path] = isOpen ? since ?? before : nil
            if !isOpen, let since, now - since > source.oldestNews { note(from: since, to: now) }
        }
    }

    /// Takes in that nobody knows what was missing from then until now.
    mutating func note(from begin: Moment, to now: Moment) {
        // What went wrong in two ways at the same time is one break.
        let begin = min(begin, spans.first { $0.to > begin }?.from ?? begin)
        guard let span = TimeSpan(from: begin, to: now) else { return }
        spans = spans.filter { $0.to <= begin }.suffix(Breaks.countMax - 1) + [span]
    }

    /// Lets go of breaks after which it has answered for so long: what all those answers lacked is gone, whatever was before.
    mutating func forget(after length: Duration, at now: Moment) {
        while let first = spans.first, now - first.to - lasted(since: first.to) > length { spans.removeFirst() }
    }

    /// How much of the time since then was a break.
    func lasted(since begin: Moment) -> Duration {
        spans.reduce(.zero) { $0 + max(.zero, $1.to - max($1.from, begin)) }
    }

    /// Moves along with a wall clock that was set.
    mutating func move(by step: Duration) {
        spans = spans.map { TimeSpan(lasting: $0.length, until: $0.to + step) }
        openSince = openSince.map { $0 + step }
        partSince = partSince.map { $0 + step }
        answeredBefore = answeredBefore.map { $0 + step }
    }
}

// MARK: - JSON

extension Breaks {
    /// Writes it as members of its source's record.
    func putMembers(into json: inout JSONWriter) {
        json.member("open_since", ifAny: openSince)
        json.member("part_since", ifAny: partSince)
        if !spans.isEmpty { json.member("breaks", spans) }
        json.member("answered_before", ifAny: answeredBefore)
    }

    /// - Parameter reader: of its source's record.
    init(_ reader: JSONReader) throws(JSONMismatch) {
        openSince = try reader.optional("open_since")?.moment()
        partSince = try reader.optional("part_since")?.moment()
        for written in try reader.optional("breaks")?.elements() ?? [] {
            let span = try TimeSpan(written)
            note(from: span.from, to: span.to)
        }
        answeredBefore = try reader.optional("answered_before")?.moment()
    }
}
