internal import PluginKit
internal import YAMLKit

/// Places of the files of which something is not as it is to be.
struct Blemishes {
    enum Kind {
        /// The YAML itself is wrong there.
        case broken
        /// Something could not be read at all, in which a name may stand that seems to be missing.
        case gap
        /// A key stands there that nobody knows, which has been reported.
        case unknown
        /// A secret that nobody may read: what it says cannot be judged.
        case withheld
        /// One of which not even a value of its kind is known.
        case unread
    }

    private var places: [Kind: Set<Position>] = [:]

    subscript(kind: Kind) -> Set<Position> { places[kind] ?? [] }

    /// Whether it is a new one.
    @discardableResult
    mutating func note(_ kind: Kind, at position: Position) -> Bool {
        places[kind, default: []].insert(position).inserted
    }
}

extension ConfigReader {
    /// Remembers that a part of the files is not read.
    mutating func leaveGap(at position: Position) { blemishes.note(.gap, at: position) }

    /// Remembers that what stands there is not known.
    mutating func leaveUnread(_ node: Node) { blemishes.note(.unread, at: node.position) }

    /// Remembers that what stands there is nobody's to judge, though there is a value for it.
    mutating func withhold(_ node: Node) { blemishes.note(.withheld, at: node.position) }

    /// Whether everything was read that may hold names: only then is one missing that is not there.
    var isWhole: Bool { blemishes[.gap].isEmpty }

    /// Whether everything in it could be read.
    func isCertain(_ node: Node) -> Bool {
        let places = node.places
        return blemishes[.withheld].isDisjoint(with: places) && blemishes[.unread].isDisjoint(with: places)
            && errorPlaces.isDisjoint(with: places)
    }

    /// Whether a value in it is not known because its secret is not.
    func hasUnread(_ node: Node) -> Bool {
        !blemishes[.unread].isEmpty && !blemishes[.unread].isDisjoint(with: node.places)
    }

    /// Whether something else stands for a secret in the text.
    func isWithheld(_ text: GuardedText, at position: Position) -> Bool {
        text.hasSecret && blemishes[.withheld].contains(position)
    }

    /// Where the YAML is wrong because nothing can be merged in: an alias that names nothing, or what is no mapping.
    var brokenMerges: [Position] {
        mutating get {
            var merges: [Position] = []
            for place in blemishes[.broken] {
                let line = line(of: Mark(file: place.file, line: place.line, column: place.column))
                if line.prefix(place.column - 1).contains("<<") { merges.append(place) }
            }
            return merges
        }
    }

    /// Whether the YAML itself is wrong there.
    func isBroken(_ node: Node) -> Bool { blemishes[.broken].contains(node.position) }

    /// Whether it is wrong anywhere between two places, or behind one.
    func isBroken(from start: Position, to end: Position?) -> Bool {
        blemishes[.broken].contains { place in place >= start && (end.map { place < $0 } ?? true) }
    }
}
