internal import AlertCore
internal import AlertTesting
internal import Chance
internal import PluginKit
internal import Preview
internal import Testing

/// What another config would have said belongs together as it does when every message is compared with every other.
@Suite struct `Differences` {
    private let start = Moment.utc("2026-11-20 12:00")

    @Test(arguments: SeededRandom.seeds)
    func `messages are paired as by comparing each with each`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for _ in 0..<6 {
            let story = random.story(120)
            // Some days apart, so that most messages are far from most others.
            let step = Duration.minutes([10, 60, 300][random.below(3)])
            let before = report(story, every: step, .rehearsed(for: .zero, repeat: .hours(2)))
            let other = random.happens(0.5) ? story : random.story(120)
            let after = report(other, every: step, .rehearsed(for: step, repeat: .hours(3)))
            let difference = Difference(before, after)
            let plain = PlainPairing(before, after)
            #expect(difference.sameCount == plain.sameCount, "\(story), \(other), \(step)")
            let (found, expected) = (difference.changes.map(words).sorted(), plain.changes.map(words).sorted())
            #expect(found == expected, "\(story), \(other), \(step)")
        }
    }

    /// Plays a story, each cue so long after the one before, and reports.
    private func report(_ story: String, every step: Duration, _ plan: Plan) -> BacktestReport {
        var playback = Playback(plan)
        var now = start
        for character in story {
            guard let cue = Cue(rawValue: character) else { continue }
            playback.feed(.init(seen: now, lines: [.observed(.cue(cue, at: now))]))
            now = now + step
        }
        return BacktestReport(playback.finish(now: start), channels: [:])
    }

    private func words(_ change: Difference.Change) -> String {
        let (before, after) = change.records
        return "\(change.name) \(before.map { "\($0.at) \($0.kind) \($0.severity)" } ?? "-") "
            + "\(after.map { "\($0.at) \($0.kind) \($0.severity)" } ?? "-")"
    }
}

/// The same without any order or index.
private struct PlainPairing {
    private(set) var changes: [Difference.Change] = []
    private(set) var sameCount = 0
    private var old: [DecisionRecord]
    private var new: [DecisionRecord]

    init(_ before: BacktestReport, _ after: BacktestReport) {
        let incidents = (PlainPairing.byID(before), PlainPairing.byID(after))
        (old, new) = ([], [])
        for topic in Set((before.messages + after.messages).map(PlainPairing.topic)) {
            old = before.messages.filter { PlainPairing.topic($0) == topic }
            new = after.messages.filter { PlainPairing.topic($0) == topic }
            let same = take { $0.at == $1.at && $0.severity == $1.severity }
            let severities = take { $0.at == $1.at }
            var moved = takeNearest { $0.incident != nil && $0.incident == $1.incident }
            moved += takeNearest { left, right in
                guard let left = left.incident.flatMap({ incidents.0[$0] }),
                    let right = right.incident.flatMap({ incidents.1[$0] })
                else { return false }
                return left.since <= (right.until ?? .latest) && right.since <= (left.until ?? .latest)
            }
            moved += takeNearest { left, right in
                let isKnown =
                    left.incident.map { incidents.1[$0] != nil } == true
                    || right.incident.map { incidents.0[$0] != nil } == true
                return !isKnown
            }
            sameCount += same.count
            changes += severities.map { Difference.Change.severity($0, $1) }
            changes += moved.map { Difference.Change.moved($0, $1) }
            changes += old.map { Difference.Change.gone($0) }
            changes += new.map { Difference.Change.new($0) }
        }
    }

    /// Of single incidents: there are no digests.
    private static func topic(_ record: DecisionRecord) -> [String] {
        let incident = record.message.incidents.first
        return [
            record.channel, record.kind.rawValue, incident?.rule ?? "", incident?.subject.app ?? "",
            incident?.key ?? "",
        ]
    }

    private static func byID(_ report: BacktestReport) -> [String: Incident] {
        Dictionary(report.preview.incidents.map { ($0.id, $0) }) { $1 }
    }

    private mutating func take(
        where fits: (DecisionRecord, DecisionRecord) -> Bool
    ) -> [(DecisionRecord, DecisionRecord)] {
        var pairs: [(DecisionRecord, DecisionRecord)] = []
        var left: [DecisionRecord] = []
        for record in old {
            if let index = new.firstIndex(where: { fits(record, $0) }) {
                pairs.append((record, new.remove(at: index)))
            } else {
                left.append(record)
            }
        }
        old = left
        return pairs
    }

    private mutating func takeNearest(
        where fits: (DecisionRecord, DecisionRecord) -> Bool
    ) -> [(DecisionRecord, DecisionRecord)] {
        var candidates: [(distance: Duration, old: Int, new: Int)] = []
        for (oldIndex, left) in old.enumerated() {
            for (newIndex, right) in new.enumerated() {
                let distance = left.at < right.at ? right.at - left.at : left.at - right.at
                guard distance <= .hours(24), fits(left, right) else { continue }
                candidates.append((distance, oldIndex, newIndex))
            }
        }
        candidates.sort { ($0.distance, $0.old, $0.new) < ($1.distance, $1.old, $1.new) }
        var pairs: [(old: Int, new: Int)] = []
        for candidate in candidates
        where !pairs.contains(where: { $0.old == candidate.old || $0.new == candidate.new }) {
            pairs.append((candidate.old, candidate.new))
        }
        let found = pairs.map { (old[$0.old], new[$0.new]) }
        old = old.indices.filter { index in !pairs.contains { $0.old == index } }.map { old[$0] }
        new = new.indices.filter { index in !pairs.contains { $0.new == index } }.map { new[$0] }
        return found
    }
}

extension SeededRandom {
    /// Cues in a row, of which most are as the one before.
    fileprivate mutating func story(_ length: Int) -> String {
        var story = ""
        for _ in 0..<length {
            let isNew = story.isEmpty || happens(0.4)
            story += isNew ? pick([".", ".", "w", "w", "c"]) ?? "." : String(story.suffix(1))
        }
        return story
    }
}
