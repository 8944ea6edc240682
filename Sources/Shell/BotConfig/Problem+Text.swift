public import PluginKit

extension Problem {
    /// The same without secrets that some text has taken along, such as one that was meant as a path.
    ///
    /// - Parameter masks: the longest first, for one may be the beginning of another.
    func masking(_ masks: [SecretMask]) -> Problem { changed { text in masks.reduce(text) { $1.masked(in: $0) } } }

    /// The same without what could deceive a reader, whatever file it quotes.
    var tamed: Problem { changed(\.tamed) }

    private func changed(_ change: (String) -> String) -> Problem {
        Problem(
            position, change(message), suggestion: suggestion.map(change), advice: advice.map(change), level: level)
    }

    /// The problem for people: place and sentence, then the line of the file with a caret under the place.
    ///
    /// - Parameters:
    ///   - file: the config's name as the user wrote it.
    ///   - lines: the file that the place is in, line by line, one without secrets.
    public func text(file: String, lines: [String]) -> String { text(file: file, lines: ShownLines(whole: lines)) }

    /// The same with lines of a config, in which secrets and comments are masked.
    public func text(file: String, lines shown: ShownLines) -> String {
        let lines = shown.lines
        var text = "\(position.file ?? file):\(position.line):\(position.column): \(level.rawValue): \(advisedMessage)"
        if let suggestion { text += "; did you mean \(suggestion)?" }
        guard lines.indices.contains(position.line - 1) else { return text }
        let (line, before) = Problem.excerpt(of: lines[position.line - 1], around: shown.column(of: position) - 1)
        return text + "\n    \(line.replacingControls)\n    \(before.replacingControls.blanked)^"
    }

    /// Of a long line, what stands around a place, whole characters with `…` where something is left out; and of that
    /// what stands before the place.
    private static func excerpt(of text: String, around place: Int) -> (shown: String, before: String) {
        let line = Array(text.unicodeScalars)
        let place = min(place, line.count)
        guard line.count > lineCharactersMax else { return (text, String(line[..<place])) }
        // Where characters begin and end, in code points.
        var borders = [0]
        for character in text { borders.append((borders.last ?? 0) + character.unicodeScalars.count) }
        let length = lineCharactersMax - 2
        let from = max(0, min(place - length / 2, line.count - length))
        let first = borders.first { $0 >= from && $0 <= place } ?? borders.last { $0 <= place } ?? 0
        let end = borders.last { $0 <= first + length && $0 >= place } ?? borders.first { $0 >= place } ?? line.count
        let begin = first > 0 ? "…" : ""
        return (
            begin + String(line[first..<end]) + (end < line.count ? "…" : ""), begin + String(line[first..<place])
        )
    }

    private static let lineCharactersMax = 200

    /// What is wrong, and what to do about it.
    private var advisedMessage: String { message + (advice.map { "; \($0)" } ?? "") }

    /// The problem for programs, with the config's name as the user wrote it.
    ///
    /// A suggestion can be put in place of what stands there; advice is part of the message.
    public func json(file: String) -> JSON {
        [
            "file": .string(position.file ?? file), "line": JSON(position.line), "column": JSON(position.column),
            "severity": .string(level.rawValue), "message": .string(advisedMessage), "suggestion": JSON(suggestion),
        ]
    }
}

extension String {
    fileprivate init(_ scalars: some Sequence<Unicode.Scalar>) { self.init(String.UnicodeScalarView(scalars)) }

    /// What acts on a terminal, or turns a text around, is shown as something that does not. A joiner is part of what
    /// people see as one character.
    fileprivate var replacingControls: String {
        String(
            unicodeScalars.map { scalar in
                let category = scalar.properties.generalCategory
                let isWild = (category == .control && scalar != "\t") || (category == .format && scalar != "\u{200D}")
                return isWild ? "\u{FFFD}" : scalar
            })
    }

    /// Blanks as wide as the text on a terminal; tabs stay, so that what follows stands under what it means.
    fileprivate var blanked: String {
        map { $0 == "\t" ? "\t" : String(repeating: " ", count: $0.columns) }.joined()
    }
}
