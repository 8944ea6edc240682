import Chance
import Foundation

/// What may be done to a config.
enum ConfigMutation: String, CaseIterable {
    case cut = "cut somewhere"
    case flip = "a bit flipped"
    case dropLine = "a line dropped"
    case doubleLine = "a line doubled"
    case renameKey = "a key renamed"
    case foreignBytes = "bytes of chance put in"
    case secretGone = "its secret is gone"
    case configGone = "it is gone"
    case folder = "a folder in its place"
    case endless = "a link to /dev/zero in its place"
    case includeBroken = "what it includes is wrong"
    case includeGone = "what it includes is gone"
    case limit = "a limit changed"
    case spareGone = "a channel removed"
    case swap = "a link swapped to one that says the same otherwise"

    /// Whether it changes the text of the config, and may leave one that is right.
    var isOfText: Bool {
        [.cut, .flip, .dropLine, .doubleLine, .renameKey, .foreignBytes].contains(self)
    }

    /// The text mutated, and the first and last of the lines that are concerned; nil for what is none of the text's.
    func mutated(_ text: String, _ chance: inout SeededRandom) -> (bytes: [UInt8], lines: ClosedRange<Int>)? {
        var bytes = Array(text.utf8)
        let place = Int.random(in: bytes.indices, using: &chance)
        let line = bytes[..<place].count { $0 == UInt8(ascii: "\n") }
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        switch self {
        case .cut: return (Array(bytes[..<place]), line...lines.count)
        case .flip:
            bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &chance)
            return (bytes, line...line)
        case .foreignBytes:
            let foreign = (0..<Int.random(in: 1...40, using: &chance)).map { _ in
                UInt8.random(in: .min ... .max, using: &chance)
            }
            bytes.insert(contentsOf: foreign, at: place)
            return (bytes, line...line)
        case .dropLine: lines.remove(at: line)
        case .doubleLine: lines.insert(lines[line], at: line)
        case .renameKey:
            let keys = lines[line].matches(of: /[a-z_]+(?=:)/)
            guard let key = keys.randomElement(using: &chance) else { return nil }
            lines[line].insert("x", at: key.range.lowerBound)
        default: return nil
        }
        return (Array(lines.joined(separator: "\n").utf8), line...line)
    }
}
