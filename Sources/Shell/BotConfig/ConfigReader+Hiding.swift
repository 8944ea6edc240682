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
        case .mapping(let entries):
            for entry in entries {
                // Between braces a text is a key; what is to stand for a secret has been told.
                if entry.value.isNull, !["env", "file", "credential"].contains(entry.key) {
                    noteWritten(entry.key, at: entry.keyMark.position)
                }
                hide(entry.value)
            }
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

    /// What is wrong with the YAML, with the key that it is about where that is one for sure: any other word may be a secret,
    /// and so may be a part of one.
    mutating func naming(_ flaw: YAMLProblem) -> YAMLProblem {
        guard let key = flaw.key, Vocabulary.knows(key, catalog), !isUnderSecret(flaw.mark) else { return flaw }
        return flaw.named
    }

    /// A key that has a secret in it because a colon is missing, and that with what is before it.
    private mutating func parted(key: String) -> (word: String, secret: String)? {
        let word = String(key.prefix { !$0.isWhitespace && !":=;：".contains($0) })
        return word.count < key.count && isSecret(word) ? (word, String(key.dropFirst(word.count))) : nil
    }

    /// Remembers what is written as a secret on lines of which the YAML is wrong, so that what they say is not in the tree:
    /// the whole line if it is the value of such a key above it; else all that stands behind the first key of that kind, even
    /// if its colon is missing; and where there is none, what is behind the begin of an address.
    mutating func hideSecrets(onLinesOf marks: [Mark]) {
        for mark in marks {
            let line = line(of: mark)
            let rest = isUnderSecret(mark) ? line.drop { $0 == " " || $0 == "\t" } : secret(on: line)
            guard let rest, !rest.isEmpty else { continue }
            let column = line[..<rest.startIndex].unicodeScalars.count + 1
            noteWritten(String(rest), at: Position(file: mark.file, line: mark.line, column: column))
        }
    }

    private mutating func secret(on line: Substring) -> Substring? {
        let keys = line.matches(of: /([\w-]+)["']?(?:\s*[:=;：]\s*|\s+)/).filter { isSecret(String($0.output.1)) }
        let values = keys.map { line[$0.range.upperBound...] }
        if let value = values.first(where: { !$0.isEmpty && !$0.isReference }) { return value }
        if let sign = line.firstRange(of: "://") { return line[sign.upperBound...] }
        return line.bareAddress.map { line[$0.startIndex...] }
    }

    /// Whether a line has no key, and the nearest one above that has any is of a secret, which may go on below: it ends with
    /// that key and nothing behind it, or with what begins a text of several lines, a list or a quote; or it begins with
    /// that key and a first part of the secret. A key that stands deeper, and has its value, is passed over.
    private mutating func isUnderSecret(_ mark: Mark) -> Bool {
        let start = line(of: mark).drop { $0 == " " }
        let depth = start.first?.isWhitespace == true ? Int.max : line(of: mark).count - start.count
        // What stands at the very begin of a line may have been pasted there, unless it is a section.
        let mayBeOutside = depth > 0 || Vocabulary.top.contains(String(start.prefix { $0.isLetter }))
        var deepest = 0
        for number in stride(from: mark.line, through: max(1, mark.line - ConfigReader.secretLinesMax), by: -1) {
            let line = line(of: Mark(file: mark.file, line: number, column: 1)).withoutComment
            let code = line.drop(while: \.isWhitespace)
            if code.isEmpty || code.hasPrefix("#") { continue }
            let indent = line.prefix { $0 == " " }.count
            defer { deepest = max(deepest, indent) }
            // Brackets and quotes go on at whatever depth.
            let isOutside = mayBeOutside && depth < indent && !line.contains { "[{\"'".contains($0) }
            if number < mark.line,
                let match = line.suffix(ConfigReader.lineEndMax).firstMatch(
                    of: /([\w-]+)["']?\s*:\s*(?:[|>&!]\S*|[\[{]|"[^"]*|'[^']*)?\s*(?:\s#.*)?$/)
            {
                // What stands there for a value may be one with too small an indent.
                if isOutside, deepest > indent { continue }
                return isSecret(String(match.output.1))
            }
            if let match = line.prefixMatch(of: /[\s-]*["']?([.\w-]+)["']?\s*:(?:\s+|$)/) {
                guard number < mark.line, isSecret(String(match.output.1)) else { return false }
                if isOutside { continue }
                return !line[match.range.upperBound...].isWhole
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
    /// Whether there is an address in it, though its scheme may be missing or have a slip.
    fileprivate var holdsAddress: Bool { contains(":/") || self[...].bareAddress != nil }
}

extension Substring {
    /// The first word with an address in it that has no scheme: no name has a slash. The path of a file that begins with a
    /// dot is none.
    fileprivate var bareAddress: Substring? {
        for word in split(whereSeparator: \.isWhitespace) {
            let word = word.drop { "\"'([{".contains($0) }
            if word.hasPrefix("./") || word.hasPrefix("../") { continue }
            // A slash at the end leads nowhere.
            let parts = word.dropLast(word.hasSuffix("/") ? 1 : 0).split(
                separator: "/", omittingEmptySubsequences: false)
            if parts.dropLast().contains(where: { $0.contains(/\w\.\w/) }) { return word }
        }
        return nil
    }

    /// It without the comment at its end, unless that may be part of a quote.
    fileprivate var withoutComment: Substring {
        guard let sign = firstRange(of: " #"), case let code = self[..<sign.lowerBound],
            !code.contains(where: { "\"'".contains($0) })
        else { return self }
        return code
    }

    /// Whether it is a value of which nothing below is part: one in brackets or quotes, a path, or what only names secrets,
    /// with words beside that.
    fileprivate var isWhole: Bool {
        let text = self[..<(lastIndex { !$0.isWhitespace }.map(index(after:)) ?? startIndex)]
        if text.isReference || text.hasPrefix("./") || text.hasPrefix("../") { return true }
        if let first = text.first, let last = text.last, text.count > 1 {
            switch (first, last) {
            case ("\"", "\""), ("'", "'"), ("[", "]"), ("{", "}"): return true
            default: break
            }
        }
        let words = text.replacing(/\$\{[a-z]+:[^}]*\}/, with: "")
        return words.count < text.count && words.allSatisfy { $0.isLetter || $0.isWhitespace || $0 == "&" }
    }

    /// Whether it begins with what only names a secret, and nothing else of the same value.
    fileprivate var isReference: Bool {
        prefixMatch(of: /["']?\$\{[a-z]+:[^}]*\}["']?\s*(?:$|[,}\]#])/) != nil
    }
}
