internal import PluginKit
internal import YAMLKit

// Secrets under keys that nobody reads: mistyped, in the wrong place, or of a plugin that is not known. A line of the file
// that is shown with a mistake is to tell them no more than others.

extension ConfigReader {
    /// Remembers what stands under keys whose values would be secrets, here or anywhere within.
    mutating func hideSecrets(in entries: [Entry]) {
        for entry in entries {
            if isSecret(entry.key) {
                hide(entry.value)
            } else {
                hideSecrets(in: entry.value)
            }
        }
    }

    private mutating func hideSecrets(in node: Node) {
        switch node.kind {
        case .scalar: return
        case .mapping(let entries): hideSecrets(in: entries)
        case .sequence(let nodes): for node in nodes { hideSecrets(in: node) }
        }
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

    /// Remembers what is written as a secret on lines of which the YAML is wrong, so that what they say is not in the tree:
    /// all that stands behind the first key of that kind.
    mutating func hideSecrets(inLinesOf bytes: [UInt8], at marks: [Mark]) {
        guard !marks.isEmpty else { return }
        let text = String(decoding: bytes, as: UTF8.self)
        let lines = text.split(omittingEmptySubsequences: false) { $0.isNewline }
        for mark in marks where lines.indices.contains(mark.line - 1) {
            let line = lines[mark.line - 1].drop { $0 == "\u{FEFF}" }
            let found = line.matches(of: /([\w-]+)["']?[ ]*:[ ]*/).first { match in
                isSecret(String(match.output.1)) && !line[match.range.upperBound...].isEmpty
            }
            guard let rest = found.map({ line[$0.range.upperBound...] }), !rest.contains("${") else { continue }
            let column = line[..<rest.startIndex].unicodeScalars.count + 1
            noteWritten(String(rest), at: Position(file: mark.file, line: mark.line, column: column))
        }
    }

    /// Whether a value would be a secret under that key, or under the one that was probably meant.
    private mutating func isSecret(_ key: String) -> Bool {
        let names = secretNames
        return names.contains(key) || key.namesCredential || key.nearest(in: names) != nil
            || names.contains { key.hasSuffix("_" + $0) || key.hasPrefix($0 + "_") }
    }
}
