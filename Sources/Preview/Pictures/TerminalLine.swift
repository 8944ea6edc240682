// Pictures shows previews to people: messages in a terminal, and pages of HTML with drawings in SVG. It decides nothing
// and prints nothing; whoever calls it has the values of a preview already.

internal import PluginKit

/// One line of a terminal, and how its pieces look. Whoever prints it knows the codes, or leaves them out.
public struct TerminalLine: Hashable, Sendable {
    public struct Piece: Hashable, Sendable {
        /// Free of control characters.
        public let text: String
        public let ink: Ink

        init(_ text: String, _ ink: Ink = Ink()) {
            self.text = text
            self.ink = ink
        }
    }

    /// How a piece looks.
    public struct Ink: Hashable, Sendable {
        public enum Color: Hashable, Sendable, CaseIterable { case red, green, yellow, blue }

        public var color: Color?
        public var isBold = false
        public var isDim = false
        public var isItalic = false
        public var isUnderlined = false
        public var isStruck = false
        /// Where it leads, as whoever wrote it has it.
        public var link: String?

        public init() {}

        static let bold = Ink().with(\.isBold)
        static let dim = Ink().with(\.isDim)
        static func of(_ color: Color) -> Ink {
            var ink = Ink()
            ink.color = color
            return ink
        }

        func with(_ part: WritableKeyPath<Ink, Bool>) -> Ink {
            var ink = self
            ink[keyPath: part] = true
            return ink
        }
    }

    public let pieces: [Piece]

    init(_ pieces: [Piece] = []) { self.pieces = pieces }
    init(_ text: String, _ ink: Ink = Ink()) { pieces = text.isEmpty ? [] : [Piece(text.tamed, ink)] }

    var columns: Int { pieces.reduce(0) { $0 + $1.text.columns } }

    static func + (left: TerminalLine, right: TerminalLine) -> TerminalLine {
        TerminalLine(left.pieces + right.pieces)
    }

    /// The line with spaces at its end up to that many columns.
    func filled(to width: Int) -> TerminalLine {
        let missing = width - columns
        return missing > 0 ? self + TerminalLine([Piece(String(repeating: " ", count: missing))]) : self
    }

    /// The text on as many lines as it needs: broken at its own line ends, between words where it is too wide, and
    /// inside words that are wider than a whole line.
    ///
    /// - Parameter width: in columns; nil for no bound.
    static func wrapped(_ pieces: [Piece], to width: Int?) -> [TerminalLine] {
        var lines: [[Cell]] = [[]]
        for piece in pieces {
            for character in piece.text {
                if character.isNewline {
                    lines.append([])
                } else {
                    lines[lines.count - 1].append(Cell(character, piece.ink))
                }
            }
        }
        return lines.flatMap { line in width.map { broken(line[...], to: max($0, 2)) } ?? [line[...]] }
            .map { TerminalLine(joined($0)) }
    }

    private struct Cell {
        let character: Character
        let ink: Ink
        let columns: Int

        init(_ character: Character, _ ink: Ink) {
            self.character = character
            self.ink = ink
            columns = character.columns
        }
    }

    private static func broken(_ line: ArraySlice<Cell>, to width: Int) -> [ArraySlice<Cell>] {
        var lines: [ArraySlice<Cell>] = []
        var rest = line
        while true {
            var used = 0
            var end = rest.startIndex
            while end < rest.endIndex, used + rest[end].columns <= width {
                used += rest[end].columns
                end += 1
            }
            guard end < rest.endIndex else { return lines + [rest] }
            let space = rest[...end].lastIndex { $0.character == " " }
            let isUseful = space.map { $0 > rest.startIndex + (end - rest.startIndex) / 3 } ?? false
            let cut = isUseful ? space ?? end : end
            let line = rest[..<cut]
            lines.append(isUseful ? line[...(line.lastIndex { $0.character != " " } ?? line.startIndex)] : line)
            rest = rest[cut...].drop { isUseful && $0.character == " " }
        }
    }

    /// Cells that look alike become one piece.
    private static func joined(_ cells: ArraySlice<Cell>) -> [Piece] {
        var pieces: [Piece] = []
        var text = ""
        for (index, cell) in zip(cells.indices, cells) {
            text.append(cell.character)
            let isLast = index == cells.endIndex - 1
            if isLast || cells[index + 1].ink != cell.ink {
                pieces.append(Piece(text, cell.ink))
                text = ""
            }
        }
        return pieces
    }
}
