/// What stands in a phrase for something that only a message knows: `{figure}`.
public enum Placeholder: String, Hashable, Sendable, CaseIterable {
    case age, all, basis, bound, carers, cause, channel, comparison, count, counts, day, details, difference, during
    case end, failures, figure, file, from, gate, headline, hit, incident, incidents, issue, limit, metric, moment
    case month, name, names, now, number, other, others, part, parts, period, reason, release, rest, rule, said
    case sentence, severity, share, source, span, stretch, third, time, to, total, until, users, usual, weekday, what
    case when, who
}

/// A phrase as a table has it, with placeholders; with a second form for one, where it is about a number of things.
public struct Wording: Hashable, Sendable, ExpressibleByStringLiteral {
    enum Piece: Hashable, Sendable {
        case text(String)
        case place(Placeholder)
    }

    /// As it was written.
    public let text: String
    /// The form for exactly one.
    public let one: String?
    let pieces: [Piece]
    private let onePieces: [Piece]?

    public init(one: String? = nil, other: String) {
        text = other
        self.one = one
        pieces = Wording.pieces(of: other).pieces
        onePieces = one.map { Wording.pieces(of: $0).pieces }
    }

    public init(stringLiteral text: String) { self.init(other: text) }

    /// The placeholders that it has, of both forms together.
    public var placeholders: Set<Placeholder> { Wording.places(pieces).union(Wording.places(onePieces ?? [])) }
    /// Those of the form for many, and those of the form for one, where there is one.
    var formsPlaceholders: [Set<Placeholder>] { [pieces, onePieces].compactMap(\.self).map(Wording.places) }

    /// What stands between braces in it and is no placeholder.
    public var strangers: [String] { [text, one].compactMap(\.self).flatMap { Wording.pieces(of: $0).strangers } }

    private static func places(_ pieces: [Piece]) -> Set<Placeholder> {
        Set(pieces.compactMap { if case .place(let place) = $0 { place } else { nil } })
    }

    /// What is in braces and no placeholder stays as it is.
    private static func pieces(of text: String) -> (pieces: [Piece], strangers: [String]) {
        var pieces: [Piece] = []
        var strangers: [String] = []
        var literal = ""
        var rest = text[...]
        while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
            let name = String(rest[rest.index(after: open)..<close])
            literal += rest[..<open]
            rest = rest[rest.index(after: close)...]
            guard let place = Placeholder(rawValue: name) else {
                strangers.append(name)
                literal += "{\(name)}"
                continue
            }
            if !literal.isEmpty { pieces.append(.text(literal)) }
            literal = ""
            pieces.append(.place(place))
        }
        literal += rest
        if !literal.isEmpty { pieces.append(.text(literal)) }
        return (pieces, strangers)
    }

    /// The phrase with what stands in its places. What is put in is not looked through once more, whatever it says.
    ///
    /// - Parameter count: how many it is about, where it is about a number of things.
    func filled(_ values: KeyValuePairs<Placeholder, String>, count: String? = nil) -> String {
        func text(of piece: Piece) -> String {
            switch piece {
            case .text(let text): return text
            case .place(let place):
                for (key, value) in values where key == place { return value }
                return place == .count ? count ?? "?" : "?"
            }
        }
        let pieces = count == "1" ? onePieces ?? pieces : pieces
        // Every message has a dozen of these: one text, and nothing on the way.
        var size = 0
        for piece in pieces { size += text(of: piece).utf8.count }
        return String(unsafeUninitializedCapacity: size) { buffer in
            var end = 0
            for piece in pieces {
                var text = text(of: piece)
                end += text.withUTF8 { bytes in
                    UnsafeMutableBufferPointer(rebasing: buffer[end...]).initialize(fromContentsOf: bytes)
                }
            }
            return end
        }
    }

    /// The same for what is found only when it is asked for.
    ///
    /// - Parameter isOne: whether it is about exactly one.
    func filled(isOne: Bool, _ value: (Placeholder) -> String?) -> String {
        let pieces = isOne ? onePieces ?? pieces : pieces
        if pieces.count == 1, case .text(let text)? = pieces.first { return text }
        var filled = ""
        for piece in pieces {
            switch piece {
            case .text(let text): filled += text
            case .place(let place): filled += value(place) ?? "?"
            }
        }
        return filled
    }
}
