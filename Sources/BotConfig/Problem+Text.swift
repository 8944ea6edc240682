public import PluginKit

extension Problem {
    /// The problem for people: place and sentence, then the line of the file with a caret under the place.
    ///
    /// - Parameters:
    ///   - file: the config's name as the user wrote it.
    ///   - lines: the config, line by line.
    public func text(file: String, lines: [String]) -> String {
        var text = "\(file):\(position.line):\(position.column): \(level.rawValue): \(message)"
        if let suggestion { text += "; did you mean \(suggestion)?" } else if let advice { text += "; \(advice)" }
        guard lines.indices.contains(position.line - 1) else { return text }
        let line = lines[position.line - 1]
        let scalars = Array(line.unicodeScalars)
        // Tabs keep their place, so that the caret stands under what it means.
        let indent = scalars.prefix(position.column - 1).map { $0 == "\t" ? "\t" : " " }.joined()
        return text + "\n    \(String(line.prefix(Problem.lineCharactersMax)).replacingControls)\n    \(indent)^"
    }

    private static let lineCharactersMax = 200

    public func json(file: String) -> JSON {
        [
            "file": .string(file), "line": JSON(position.line), "column": JSON(position.column),
            "severity": .string(level.rawValue), "message": .string(message), "suggestion": JSON(suggestion ?? advice),
        ]
    }
}

extension String {
    fileprivate var replacingControls: String {
        String(String.UnicodeScalarView(unicodeScalars.map { $0.value < 0x20 && $0 != "\t" ? "\u{FFFD}" : $0 }))
    }
}
