public import AlertCore
public import PluginKit

/// What another config would have said differently.
public struct Difference: Sendable {
    public enum Change: Sendable {
        /// Only the other config says it.
        case new(DecisionRecord)
        /// The other config does not say it.
        case gone(DecisionRecord)
        /// The other config says it at another time, perhaps with another severity, too.
        case moved(DecisionRecord, DecisionRecord)
        case severity(DecisionRecord, DecisionRecord)

        public var name: String {
            switch self {
            case .new: "new"
            case .gone: "gone"
            case .moved: "moved"
            case .severity: "severity"
            }
        }

        /// What the first config says, and what the other one does.
        public var records: (before: DecisionRecord?, after: DecisionRecord?) {
            switch self {
            case .new(let after): (nil, after)
            case .gone(let before): (before, nil)
            case .moved(let before, let after), .severity(let before, let after): (before, after)
            }
        }

        /// Where it has its place in time: what moved, where it was.
        var at: Moment { (records.before ?? records.after)?.at ?? .earliest }
    }

    /// How many messages one channel hears, and how many of them at night, from either config.
    public struct ChannelCount: Hashable, Sendable {
        public let channel: String
        public let before: (messages: Int, atNight: Int)
        public let after: (messages: Int, atNight: Int)

        public static func == (left: ChannelCount, right: ChannelCount) -> Bool {
            left.channel == right.channel && left.before == right.before && left.after == right.after
        }

        public func hash(into hasher: inout Hasher) { hasher.combine(channel) }
    }

    /// In the order of time, what moved by the time that the first config has.
    public let changes: [Change]
    public let channels: [ChannelCount]
    /// Messages that both say at the same time with the same severity.
    public let sameCount: Int
    /// Whether one of them has several rules, so that a message alone does not tell which it is of.
    public let namesRules: Bool

    /// A message that is said again within this time is the same one, moved: more than a night of quiet hours.
    static let moveMax = Duration.hours(24)

    public init(_ before: BacktestReport, _ after: BacktestReport) {
        var changes: [Change] = []
        var sameCount = 0
        let (old, new) = (before.messages.grouped, after.messages.grouped)
        let incidents = (before.preview.incidents.byID, after.preview.incidents.byID)
        for topic in Set(old.keys).union(new.keys) {
            var pairing = Pairing(old[topic] ?? [], new[topic] ?? [])
            sameCount += pairing.takeSame()
            changes += pairing.takeChanged { left, right in
                guard let left = left.incident.flatMap({ incidents.0[$0] }),
                    let right = right.incident.flatMap({ incidents.1[$0] })
                else { return false }
                return left.overlaps(right)
            } known: { left, right in
                left.incident.map { incidents.1[$0] != nil } == true
                    || right.incident.map { incidents.0[$0] != nil } == true
            }
            changes += pairing.rest
        }
        self.sameCount = sameCount
        namesRules = before.namesRules || after.namesRules
        self.changes = changes.sorted { left, right in
            let (a, b) = (left.records.before ?? left.records.after, right.records.before ?? right.records.after)
            return (left.at, left.name, a?.channel ?? "", a?.message.headline ?? "")
                < (right.at, right.name, b?.channel ?? "", b?.message.headline ?? "")
        }
        let (oldChannels, newChannels) = (before.channels.byName, after.channels.byName)
        let names = before.channels.map(\.name) + after.channels.map(\.name).filter { oldChannels[$0] == nil }
        channels = names.map { name in
            let (old, new) = (oldChannels[name], newChannels[name])
            return ChannelCount(
                channel: name, before: (old?.messages ?? 0, old?.atNight ?? 0),
                after: (new?.messages ?? 0, new?.atNight ?? 0))
        }
    }

    public var isEmpty: Bool { changes.isEmpty }

    /// Messages of which both configs say the same, but for the severity: at the same time or moved.
    public var severityCount: Int {
        changes.count { change in
            let (before, after) = change.records
            return before.map { $0.severity != after?.severity } ?? false && after != nil
        }
    }

    public func count(_ name: String) -> Int { changes.count { $0.name == name } }

    public var json: JSON {
        [
            "summary": [
                "same": JSON(sameCount), "new": JSON(count("new")), "gone": JSON(count("gone")),
                "moved": JSON(count("moved")), "severity": JSON(severityCount),
            ],
            "channels": .array(
                channels.map { count in
                    [
                        "channel": .string(count.channel),
                        "before": ["messages": JSON(count.before.messages), "at_night": JSON(count.before.atNight)],
                        "after": ["messages": JSON(count.after.messages), "at_night": JSON(count.after.atNight)],
                    ]
                }),
            "changes": .array(
                changes.map { change in
                    let (before, after) = change.records
                    return [
                        "change": .string(change.name), "before": before.map(\.brief) ?? .null,
                        "after": after.map(\.brief) ?? .null,
                    ]
                }),
        ]
    }
}

/// The messages of two configs about one thing, and which belong together.
private struct Pairing {
    private var old: [DecisionRecord]
    private var new: [DecisionRecord]

    init(_ old: [DecisionRecord], _ new: [DecisionRecord]) {
        self.old = old
        self.new = new
    }

    /// Takes out what both say alike; gives back how often.
    mutating func takeSame() -> Int { take { Stamp(at: $0.at, severity: $0.severity) }.count }

    /// Takes out what both say of one incident, each in its own way, and then what is left with the nearest: where one
    /// config tells of one alarm in four, that is not the first of them.
    ///
    /// - Parameters:
    ///   - overlap: whether the incidents of an old and a new message were there at the same time.
    ///   - isKnown: whether the incident of one of them was there under the other config, too: that it was not told of there
    ///     makes it no other one.
    mutating func takeChanged(
        where overlap: (DecisionRecord, DecisionRecord) -> Bool,
        known isKnown: (DecisionRecord, DecisionRecord) -> Bool
    ) -> [Difference.Change] {
        let severities = take { Stamp(at: $0.at) }.map { Difference.Change.severity($0, $1) }
        var moved = takeNearest { $0.incident != nil && $0.incident == $1.incident }
        moved += takeNearest(where: overlap)
        moved += takeNearest { !isKnown($0, $1) }
        return severities + moved.map { .moved($0, $1) }
    }

    var rest: [Difference.Change] { old.map { .gone($0) } + new.map { .new($0) } }

    /// What two messages have in common that are the same.
    private struct Stamp: Hashable {
        let at: Moment
        var severity: Severity?
    }

    /// Pairs each old message with the first new one of the same stamp that is left, and takes both out.
    private mutating func take(
        alike stamp: (DecisionRecord) -> Stamp
    ) -> [(DecisionRecord, DecisionRecord)] {
        // The first of them last, where it is taken from.
        let news = new
        var waiting = Dictionary(grouping: news.indices.reversed()) { stamp(news[$0]) }
        var pairs: [(DecisionRecord, DecisionRecord)] = []
        var left: [DecisionRecord] = []
        var taken: Set<Int> = []
        for record in old {
            if let index = waiting[stamp(record)]?.popLast() {
                taken.insert(index)
                pairs.append((record, news[index]))
            } else {
                left.append(record)
            }
        }
        old = left
        new = news.indices.filter { !taken.contains($0) }.map { news[$0] }
        return pairs
    }

    /// Pairs messages that fit and are not too far from each other in time, the nearest first, and takes both out.
    private mutating func takeNearest(
        where fits: (DecisionRecord, DecisionRecord) -> Bool
    ) -> [(DecisionRecord, DecisionRecord)] {
        var candidates: [(distance: Duration, old: Int, new: Int)] = []
        // Years of messages are compared with those of the day before and of the day after.
        let order = new.indices.sorted { (new[$0].at, $0) < (new[$1].at, $1) }
        for (oldIndex, left) in old.enumerated() {
            let begin = order.partitioningIndex { new[$0].at >= left.at || left.at - new[$0].at <= Difference.moveMax }
            for newIndex in order[begin...] {
                let right = new[newIndex]
                if right.at > left.at, right.at - left.at > Difference.moveMax { break }
                let distance = left.at < right.at ? right.at - left.at : left.at - right.at
                guard distance <= Difference.moveMax, fits(left, right) else { continue }
                candidates.append((distance, oldIndex, newIndex))
            }
        }
        candidates.sort { ($0.distance, $0.old, $0.new) < ($1.distance, $1.old, $1.new) }
        var pairs: [(old: Int, new: Int)] = []
        var (oldTaken, newTaken): (Set<Int>, Set<Int>) = ([], [])
        for candidate in candidates where !oldTaken.contains(candidate.old) && !newTaken.contains(candidate.new) {
            oldTaken.insert(candidate.old)
            newTaken.insert(candidate.new)
            pairs.append((candidate.old, candidate.new))
        }
        let found = pairs.sorted { $0.old < $1.old }.map { (old[$0.old], new[$0.new]) }
        old = old.indices.filter { !oldTaken.contains($0) }.map { old[$0] }
        new = new.indices.filter { !newTaken.contains($0) }.map { new[$0] }
        return found
    }
}

/// What a message is about and for whom.
private struct Topic: Hashable {
    let channel: String
    let kind: Notification.Kind
    /// Nil for summaries, which are of several.
    let rule: String?
    let subject: Subject?
    /// Which of the subject's issues.
    let key: String?
}

extension [DecisionRecord] {
    fileprivate var grouped: [Topic: [DecisionRecord]] {
        Dictionary(grouping: self) { record in
            let single = record.kind == .digest ? nil : record.message.incidents.first
            return Topic(
                channel: record.channel, kind: record.kind, rule: single?.rule, subject: single?.subject,
                key: single?.key)
        }
    }
}

extension [BacktestReport.ChannelFigures] {
    /// Of two of one name the first counts.
    fileprivate var byName: [String: BacktestReport.ChannelFigures] {
        Dictionary(map { ($0.name, $0) }) { first, _ in first }
    }
}

extension [Incident] {
    fileprivate var byID: [String: Incident] { Dictionary(map { ($0.id, $0) }) { $1 } }
}

extension Incident {
    fileprivate func overlaps(_ other: Incident) -> Bool {
        since <= (other.until ?? .latest) && other.since <= (until ?? .latest)
    }
}

extension DecisionRecord {
    /// The message in the few words that tell it from others.
    fileprivate var brief: JSON {
        [
            "at": JSON(at), "channel": .string(channel), "kind": .string(kind.rawValue),
            "severity": .string(severity.rawValue), "headline": .string(message.headline.tamed),
        ]
    }
}
