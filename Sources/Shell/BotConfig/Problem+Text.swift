public import PluginKit

extension Problem {
    /// The problem for people: place and sentence, then the line of the file with a caret under the place.
    ///
    /// - Parameters:
    ///   - file: the config's name as the user wrote it.
    ///   - lines: the config, line by line.
    public func text(file: String, lines: [String]) -> String {
        var text = "\(file):\(position.line):\(position.column): \(level.rawValue): \(advisedMessage)"
        if let suggestion { text += "; did you mean \(suggestion)?" }
        guard lines.indices.contains(position.line - 1) else { return text }
        let line = Array(lines[position.line - 1].unicodeScalars)
        let place = min(position.column - 1, line.count)
        // Of a long line, what stands around the place.
        let first = max(0, min(place - Problem.lineCharactersMax / 2, line.count - Problem.lineCharactersMax))
        let shown = String(line[first...].prefix(Problem.lineCharactersMax))
        return text + "\n    \(shown.replacingControls)\n    \(String(line[first..<place]).replacingControls.blanked)^"
    }

    private static let lineCharactersMax = 200

    /// What is wrong, and what to do about it.
    private var advisedMessage: String { message + (advice.map { "; \($0)" } ?? "") }

    /// The problem for programs. A suggestion can be put in place of what stands there; advice is part of the message.
    public func json(file: String) -> JSON {
        [
            "file": .string(file), "line": JSON(position.line), "column": JSON(position.column),
            "severity": .string(level.rawValue), "message": .string(advisedMessage), "suggestion": JSON(suggestion),
        ]
    }
}

extension String {
    fileprivate init(_ scalars: some Sequence<Unicode.Scalar>) { self.init(String.UnicodeScalarView(scalars)) }

    fileprivate var replacingControls: String {
        String(unicodeScalars.map { $0.properties.generalCategory == .control && $0 != "\t" ? "\u{FFFD}" : $0 })
    }

    /// Blanks as wide as the text on a terminal; tabs stay, so that what follows stands under what it means.
    fileprivate var blanked: String {
        map { $0 == "\t" ? "\t" : String(repeating: " ", count: $0.columns) }.joined()
    }
}
