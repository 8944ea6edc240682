internal import PluginKit
internal import YAMLKit

// Secrets under keys that nobody reads: mistyped, in the wrong place, or of a plugin that is not known. A line of the file
// that is shown with a mistake is to tell them no more than others.

extension ConfigReader {
    /// Remembers what stands under keys whose values would be secrets, here or anywhere within.
    mutating func hideSecrets(in entries: [Entry]) {
        for entry in entries {
            if hideSecret(inText: entry.key, at: entry.keyMark) {
                hide(entry.value)
            } else if isSecret(entry.key) {
                hide(entry.value)
            } else {
                hideSecrets(in: entry.value)
            }
        }
    }

    /// Remembers what stands behind a secret's key in a text that has it in it: its colon is missing, or the space behind that.
    ///
    /// - Returns: whether there is one.
    @discardableResult
    mutating func hideSecret(inText text: String, at mark: Mark) -> Bool {
        guard let (word, rest) = parted(key: text) else { return false }
        let column = mark.column + word.unicodeScalars.count
        noteWritten(rest, at: Position(file: mark.file, line: mark.line, column: column))
        return true
    }

    private mutating func hideSecrets(in node: Node) {
        switch node.kind {
        case .scalar(let text, _): hideSecret(inText: text, at: node.mark)
        case .mapping(let entries): hideSecrets(in: entries)
        case .sequence(let nodes): for node in nodes { hideSecrets(in: node) }
        }
    }

    /// Remembers what may be secret in a value that nobody reads, because something of another kind belongs there.
    mutating func hideUnread(_ node: Node) {
        hideSecrets(in: node)
        hideAddresses(in: node)
    }

    /// Remembers all that is written there as secret. What only names where a secret lies is shown.
    mutating func hide(_ node: Node) {
        switch node.kind {
        case .scalar(let text, _):
            if !node.isNull, !text.isEmpty, !text.contains("${") { noteWritten(text, at: node.position) }
        case .mapping(let entries): for entry in entries { hide(entry.value) }
        case .sequence(let nodes): for node in nodes { hide(node) }
        }
    }

    /// Remembers addresses there as secret: those of webhooks are, and under a key that nobody knows it may be one.
    mutating func hideAddresses(in node: Node) {
        switch node.kind {
        case .scalar(let text, _): if text.holdsAddress { hide(node) }
        case .mapping(let entries): hideAddresses(in: entries)
        case .sequence(let nodes): for node in nodes { hideAddresses(in: node) }
        }
    }

    /// The same, also of those that stand as keys.
    mutating func hideAddresses(in entries: [Entry]) {
        for entry in entries {
            _ = shown(name: entry.key, at: entry.keyMark.position)
            hideAddresses(in: entry.value)
        }
    }

    /// What stands where a name belongs, for people: an address is no name, and that of a webhook is a secret.
    mutating func shown(name: String, at position: Position) -> String {
        guard name.holdsAddress else { return name }
        noteWritten(name, at: position)
        return Secret.mask
    }

    /// What a key says for people: of one that has a secret in it, the first word.
    mutating func shown(key: String) -> String {
        parted(key: key).map { $0.word + "…" } ?? (key.holdsAddress ? Secret.mask : key.clipped(to: 60))
    }

    /// A key that has a secret in it because a colon is missing, and that with what is before it.
    private mutating func parted(key: String) -> (word: String, secret: String)? {
        let word = String(key.prefix { !$0.isWhitespace && $0 != ":" && $0 != "=" })
        return word.count < key.count && isSecret(word) ? (word, String(key.dropFirst(word.count))) : nil
    }

    /// Remembers what is written as a secret on lines of which the YAML is wrong, so that what they say is not in the tree:
    /// the whole line if it is the value of such a key above it; else all that stands behind the first key of that kind, even
    /// if its colon is missing; and where there is none, what is behind the begin of an address.
    mutating func hideSecrets(onLinesOf marks: [Mark]) {
        for mark in marks {
            let line = line(of: mark)
            let keys = line.matches(of: /([\w-]+)["']?(?:\s*[:=]\s*|\s+)/).filter { isSecret(String($0.output.1)) }
            let rest =
                (isUnderSecret(mark) ? line.drop { $0 == " " || $0 == "\t" } : nil)
                ?? keys.map { line[$0.range.upperBound...] }.first { !$0.isEmpty && !$0.isReference }
                ?? line.firstRange(of: "://").map { line[$0.upperBound...] }
            guard let rest, !rest.isEmpty else { continue }
            let column = line[..<rest.startIndex].unicodeScalars.count + 1
            noteWritten(String(rest), at: Position(file: mark.file, line: mark.line, column: column))
        }
    }

    /// Whether a line has no key, and the nearest one above that has any is of a secret, which may go on below: it ends with
    /// that key and nothing behind it, or with what begins a text of several lines, a list or a quote; or it begins with
    /// that key and a first part of the secret.
    private mutating func isUnderSecret(_ mark: Mark) -> Bool {
        for number in stride(from: mark.line, through: max(1, mark.line - ConfigReader.secretLinesMax), by: -1) {
            let line = line(of: Mark(file: mark.file, line: number, column: 1))
            if line.drop(while: \.isWhitespace).hasPrefix("#") { continue }
            if number < mark.line,
                let match = line.suffix(ConfigReader.lineEndMax).firstMatch(
                    of: /([\w-]+)["']?\s*:\s*(?:[|>&!]\S*|[\[{]|"[^"]*|'[^']*)?\s*(?:\s#.*)?$/)
            {
                return isSecret(String(match.output.1))
            }
            if let match = line.prefixMatch(of: /[\s-]*["']?([.\w-]+)["']?\s*:(?:\s+|$)/) {
                guard number < mark.line, isSecret(String(match.output.1)) else { return false }
                return !line[match.range.upperBound...].isReference
            }
        }
        return false
    }

    /// A private key has some fifty lines.
    private static let secretLinesMax = 100
    /// Of a longer line only so much of its end is looked at: it may be the whole config.
    private static let lineEndMax = 200

    /// What stands on the line behind a value that is empty, because YAML takes it for something else.
    mutating func leftover(behind node: Node) -> Leftover? {
        guard node.isNull else { return nil }
        let mark = node.mark
        let behind = line(of: mark).unicodeScalars.dropFirst(mark.column - 1)
        let rest = behind.drop { $0 == " " || $0 == "\t" }
        guard let sign = rest.first, let meaning = Leftover.meanings[sign] else { return nil }
        let column = mark.column + behind.count - rest.count
        return Leftover(
            text: String(Substring(rest)), position: Position(file: mark.file, line: mark.line, column: column),
            advice: "what begins with '\(sign)' is \(meaning); put it in quotes if it is the value")
    }

    /// Whether a value would be a secret under that key, or under the one that was probably meant.
    private mutating func isSecret(_ key: String) -> Bool {
        let names = secretNames
        return names.contains(key) || key.namesCredential || key.nearest(in: names) != nil
            || names.contains { key.hasSuffix("_" + $0) || key.hasPrefix($0 + "_") }
    }
}

/// What looks like a value and is none.
struct Leftover {
    let text: String
    let position: Position
    let advice: String

    /// What YAML takes a text for, by its first character.
    static let meanings: [Unicode.Scalar: String] = ["#": "a comment", "&": "an anchor"]
}

extension String {
    /// Whether there is an address in it, though its scheme may be missing or have a slip: no name has a slash, and
    /// no host is longer.
    fileprivate var holdsAddress: Bool { contains(":/") || contains(/\w\.\w[^\/\s]{0,260}\/\S/) }
}

extension Substring {
    /// Whether it begins with what only names a secret, and nothing else of the same value.
    fileprivate var isReference: Bool {
        prefixMatch(of: /["']?\$\{[a-z]+:[^}]*\}["']?\s*(?:$|[,}\]#])/) != nil
    }
}
