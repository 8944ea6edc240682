public import PluginKit

/// A chat's Markdown: written from rows, and read back from JSON for previews.
public struct ChatMarkdown: Sendable {
    public let dialect: ChatDialect
    private let escapes: Set<Unicode.Scalar>

    /// What stands on both sides of bold words.
    private static let bold = "**"

    /// - Parameters:
    ///   - escapes: what a backslash before it makes stand for itself; none in a chat that knows no such backslash.
    ///   - defuse: see `ChatDialect`.
    public init(
        unit: ChatDialect.Unit, lineMarks: String, escapes: String, defuse: @escaping @Sendable (String) -> String
    ) {
        let escapes = Set(escapes.unicodeScalars)
        dialect = ChatDialect(
            unit: unit, lineMarks: lineMarks, escape: { escapes.contains($0) ? "\\" + String($0) : nil }, defuse: defuse
        )
        self.escapes = escapes
    }

    /// The message as a card in this Markdown.
    public func card(_ posting: Posting, in room: ChatCard.Room) -> ChatCard {
        ChatCard(posting, in: room, dialect: dialect) { dialect.length(written($0)) }
    }

    /// The card without markup, see `ChatCard.plainText`.
    public func plainText(_ card: ChatCard, to limit: Int) -> String {
        card.plainText(to: limit, dialect: dialect) { row in
            row.map { run in dialect.escaped(run.text) + (run.link.map { " <\($0)>" } ?? "") }.joined()
        }
    }

    /// A text of one look.
    public func written(_ text: String, _ style: ChatPicture.Style = []) -> String { written([.init(text, style)]) }

    public func written(_ rows: [ChatCard.Row]) -> String { rows.map(written).joined(separator: "\n") }

    public func written(_ row: ChatCard.Row) -> String {
        row.map { run in
            var text = run.style.contains(.code) ? "`\(run.text)`" : dialect.escaped(run.text)
            if run.style.contains(.bold) { text = Self.bold + text + Self.bold }
            return run.link.map { "[\(text)](\($0.withoutParentheses))" } ?? text
        }.joined()
    }

    // MARK: Reading

    public func read(_ text: String?) -> ChatCard.Row {
        var reading = Reading()
        var rest = (text ?? "")[...]
        while let first = rest.first {
            if first == "\\", let next = rest.dropFirst().first, let scalar = next.unicodeScalars.first,
                escapes.contains(scalar)
            {
                reading.words.append(next)
                rest = rest.dropFirst(2)
            } else if rest.hasPrefix(Self.bold) {
                reading.toggle(.bold)
                rest = rest.dropFirst(Self.bold.count)
            } else if first == "`", let end = rest.dropFirst().firstIndex(of: "`") {
                reading.take(String(rest[rest.index(after: rest.startIndex)..<end]), .code)
                rest = rest[rest.index(after: end)...]
            } else if first == "<", let end = rest.firstIndex(of: ">"), rest.dropFirst().hasPrefix("http") {
                let address = String(rest[rest.index(after: rest.startIndex)..<end])
                reading.take(address, link: address)
                rest = rest[rest.index(after: end)...]
            } else if first == "[", let (label, address, after) = link(rest) {
                for run in read(label) { reading.take(run.text, run.style, link: address) }
                rest = after
            } else {
                reading.words.append(first)
                rest = rest.dropFirst()
            }
        }
        return reading.row
    }

    /// `[words](https://…)` at the begin of the text.
    private func link(_ text: Substring) -> (label: String, address: String, after: Substring)? {
        var end = text.startIndex
        while let found = text[end...].firstIndex(of: "]") {
            end = text.index(after: found)
            guard text[text.index(before: found)] != "\\" else { continue }
            let behind = text[end...]
            guard behind.first == "(", let close = behind.firstIndex(of: ")") else { return nil }
            return (
                String(text[text.index(after: text.startIndex)..<found]),
                String(behind[behind.index(after: behind.startIndex)..<close]), behind[behind.index(after: close)...]
            )
        }
        return nil
    }

    private struct Reading {
        private var runs: ChatCard.Row = []
        private var style: ChatPicture.Style = []
        var words = ""

        var row: ChatCard.Row { words.isEmpty ? runs : runs + [ChatPicture.Run(words, style)] }

        mutating func toggle(_ added: ChatPicture.Style) {
            take()
            style.formSymmetricDifference(added)
        }

        /// Ends the words before, and adds what came behind them.
        mutating func take(_ text: String = "", _ added: ChatPicture.Style = [], link: String? = nil) {
            runs = row
            words = ""
            if !text.isEmpty { runs.append(ChatPicture.Run(text, style.union(added), link: link)) }
        }
    }
}

extension String {
    /// The address with what would end it early in `[words](address)`.
    fileprivate var withoutParentheses: String {
        replacing("(", with: "%28").replacing(")", with: "%29")
    }
}
