internal import AlertModel

/// One line of a calendar, unfolded: `DTSTART;TZID=Europe/Madrid:20261224T180000`.
struct ContentLine {
    /// Of its beginning in the file, counted from 1.
    let number: Int
    /// In capital letters.
    let name: String
    /// By their names in capital letters, without quotes.
    let parameters: [String: String]
    let value: String

    /// Nil for what has no name and no colon.
    init?(_ text: String, number: Int) {
        var pieces: [String] = []
        var piece = ""
        var isQuoted = false
        var value: String?
        var index = text.startIndex
        while index < text.endIndex, value == nil {
            let character = text[index]
            index = text.index(after: index)
            switch character {
            case "\"": isQuoted.toggle()
            case ";" where !isQuoted:
                pieces.append(piece)
                piece = ""
            case ":" where !isQuoted: value = String(text[index...])
            default: piece.append(character)
            }
        }
        guard let value else { return nil }
        pieces.append(piece)
        let name = pieces.removeFirst()
        guard !name.isEmpty, name.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }) else {
            return nil
        }
        var parameters: [String: String] = [:]
        for piece in pieces {
            let parts = piece.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { return nil }
            parameters[parts[0].uppercased()] = String(parts[1])
        }
        self.number = number
        self.name = name.uppercased()
        self.parameters = parameters
        self.value = value
    }

    /// The lines of a file with what was folded put together again, and the number of each. A fold may lie within a
    /// character, so they are put together before they are text.
    static func unfolded(_ bytes: [UInt8]) -> [(number: Int, bytes: [UInt8])] {
        var lines: [(number: Int, bytes: [UInt8])] = []
        var number = 0
        for physical in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            number += 1
            let line = physical.last == UInt8(ascii: "\r") ? physical.dropLast() : physical
            if let first = line.first, first == UInt8(ascii: " ") || first == UInt8(ascii: "\t"), !lines.isEmpty {
                lines[lines.count - 1].bytes += line.dropFirst()
            } else {
                lines.append((number, Array(line)))
            }
        }
        return lines
    }
}
