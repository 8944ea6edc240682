internal import PluginKit
internal import YAMLKit

// What the reader has read as plain is shown; from the first thing on a line that it has not, nothing of the line is.
//
// Not plain are the value of a secret option, unless all of it is `${…}`; what stands under a key that nobody reads, whatever
// that is called, or is not in the tree at all; an address in the place of a name; comments, which `ShownLines` cuts off; the
// lines below the first of any text; and where the YAML is wrong, so that nobody knows what stands where, all behind the known
// keys that the line begins with and their harmless values.

extension ConfigReader {
    /// Hides what is written there. What only names where a secret lies is shown, and so are the keys of a config; others are
    /// not, for they may be lines of a secret.
    ///
    /// - Parameter lines: of which nothing is hidden.
    mutating func hide(_ node: Node, besides lines: Set<Int> = []) {
        switch node.kind {
        case .scalar(let text, _): if !text.isReference { hide(from: node.mark, to: node.lastLine, besides: lines) }
        case .mapping(let entries):
            for entry in entries {
                if !knows(entry.key) || !isPlain(entry) {
                    hide(from: entry.keyMark, to: entry.value.mark.line, besides: lines)
                }
                hide(entry.value, besides: lines)
            }
        case .sequence(let nodes): for node in nodes { hide(node, besides: lines) }
        }
    }

    private mutating func hide(from mark: Mark, to lastLine: Int, besides lines: Set<Int>) {
        if !lines.contains(mark.line) {
            secretsRead.hide(mark.position, to: lastLine)
        } else if lastLine > mark.line {
            hide(from: Mark(file: mark.file, line: mark.line + 1, column: 1), to: lastLine, besides: lines)
        }
    }

    /// Hides what stands under a key, and the key unless it is plainly one.
    mutating func hide(_ entry: Entry) {
        // Where there is no value, it is taken to begin where the key ends.
        if !isPlain(entry) { secretsRead.hide(entry.keyMark.position, to: entry.value.mark.line) }
        hide(entry.value)
    }

    /// The same for a key that nobody knows, unless it is nearly that of an option which is no secret, and its value cannot be
    /// one.
    mutating func hide(_ entry: Entry, meaning near: String?) {
        let value = entry.value
        if let near, !isSecret(near), isPlain(entry), case .scalar = value.kind, value.lastLine == value.mark.line {
            let line = line(of: value.mark).unicodeScalars.dropFirst(value.mark.column - 1)
            if endOfHarmless(Substring(line)) != nil { return }
        }
        hide(entry)
    }

    /// Hides the value of a secret option. In a mapping of names to secrets the names are none.
    mutating func hide(_ node: Node, of kind: OptionKind) {
        if case .map = kind, case .mapping(let entries) = node.kind {
            for entry in entries { hide(entry) }
        } else {
            hide(node)
        }
    }

    /// Hides what a text says on the lines below its first, where a key may have lost its colon or a quote its end. Nor does a
    /// problem with it quote that.
    mutating func hideLines(below node: Node, _ text: String) {
        var mark = node.mark
        guard node.lastLine > mark.line else { return }
        var first = line(of: mark).unicodeScalars.dropFirst(mark.column - 1)
        // Of a block the first line is the one below its sign.
        if first.first == "|" || first.first == ">" {
            mark = Mark(file: mark.file, line: mark.line + 1, column: 1)
            guard node.lastLine > mark.line else { return }
            first = line(of: mark).unicodeScalars.drop { $0 == " " }
        } else {
            first = first.drop { $0 == "\"" || $0 == "'" }
        }
        let shown = zip(text.unicodeScalars, first).prefix { $0 == $1 }.count
        let rest = Substring(text.unicodeScalars.dropFirst(shown))
        for part in rest.split(separator: /\$\{[^}]*\}/) { secretsRead.setAside(String(part), at: node.position) }
        secretsRead.hide(Position(file: mark.file, line: mark.line + 1, column: 1), to: node.lastLine)
    }

    /// Hides the end of each line of which the YAML is wrong, from what is no known key or has no harmless value; a key that the
    /// problem names is seen.
    mutating func hide(linesOf flaws: [YAMLProblem]) {
        for flaw in flaws {
            let mark = flaw.mark
            let line = line(of: mark)
            var end = line.prefixMatch(of: /[<=>]{7} ?|[ \t]*(?:- )*/)?.range.upperBound ?? line.startIndex
            while let key = line[end...].prefixMatch(of: /(?:[ \t]|- |[\[{,])*["']?([\w.-]+)["']?:(?=\s|$)[ \t]*/),
                case let name = String(key.output.1), knows(name)
            {
                end = key.range.upperBound
                guard !isSecret(name) else { break }
                if let behind = endOfHarmless(line[end...]) {
                    end = behind
                } else if line[end...].first != "{", line[end...].first != "[" {
                    break
                }
            }
            let rest = line[end...].drop { " \t-[{,\"'".contains($0) }
            if let key = flaw.key?.key, mayName(flaw), rest.hasPrefix(key),
                let sign = rest.dropFirst(key.count).prefixMatch(of: /(?![\w.-])["']?[ \t]*[:=]?[ \t]*/)
            {
                end = sign.range.upperBound
            }
            guard !line[end...].allSatisfy({ " \t]}".contains($0) }) else { continue }
            let column = line[..<end].unicodeScalars.count + 1
            secretsRead.hide(Position(file: mark.file, line: mark.line, column: column))
        }
    }

    /// Where the value ends that the text begins with, if it can be no secret: what names one, a number with its unit, or a word
    /// out of a few.
    private func endOfHarmless(_ text: Substring) -> String.Index? {
        let reference = text.prefixMatch(of: /["']?\$\{[a-z]+:[^}\s]*\}["']?(?=\s*(?:[,}\]]|$))/)
        if let reference { return reference.range.upperBound }
        let found = text.prefixMatch(
            of: /(?:["']?[<>]?=? ?[0-9][0-9.]{0,8}(?:%|pp|[smhd])?["']?|([a-z_]+))(?=\s*(?:[,}\]]|$))/)
        guard let found else { return nil }
        guard let word = found.output.1.map(String.init) else { return found.range.upperBound }
        let isKnown =
            catalog.section(ofPlugin: word) != nil || Severity(rawValue: word) != nil
            || ["true", "false", "off"].contains(word)
        return isKnown ? found.range.upperBound : nil
    }

    /// What stands where a name belongs, for people: an address may be that of a webhook, a secret.
    mutating func shown(name: String, at position: Position) -> String {
        guard name.contains("/"), name.wholeMatch(of: /[\w-]+\/[\w-]+/) == nil else { return name }
        secretsRead.hide(position)
        return Secret.mask
    }

    /// What a key says for people: where its colon is missing, the first word, if that is one of the config.
    ///
    /// - Parameter before: what stands before it and is not read as plain: with a comma in that, it is a part of it.
    mutating func shown(_ entry: Entry, behind before: Entry? = nil) -> String {
        let word = String(entry.key.prefix { !$0.isWhitespace && !":=;：".contains($0) })
        if word.count < entry.key.count, knows(word) { return word + "…" }
        guard isPlain(entry) else { return Secret.mask }
        guard let before, before.value.lastLine == entry.keyMark.line, case .scalar(_, .plain) = before.value.kind
        else { return entry.key }
        return Secret.mask
    }

    /// Whether it is plainly a key: a word with a colon behind it. Between braces any text is one.
    private mutating func isPlain(_ entry: Entry) -> Bool {
        guard entry.key.wholeMatch(of: /[\w.-]{1,40}/) != nil else { return false }
        guard entry.value.isNull else { return true }
        let line = line(of: entry.keyMark).unicodeScalars.dropFirst(entry.keyMark.column - 1)
        let start = Substring(line.prefix(entry.key.unicodeScalars.count + 4))
        return start.prefixMatch(of: /["']?[\w.-]+["']?[ \t]*:/) != nil
    }

    /// Whether what is wrong with the YAML names the key that it is about, which has to be one for sure: any other word may be a
    /// part of a secret, and so may be one below the key of one.
    mutating func mayName(_ flaw: YAMLProblem) -> Bool {
        guard let key = flaw.key?.key, knows(key) else { return false }
        if flaw.mark.column == 1, Vocabulary.top.contains(key) { return true }
        for number in stride(from: flaw.mark.line - 1, to: 0, by: -1) {
            let line = line(of: Mark(file: flaw.mark.file, line: number, column: 1))
            guard let above = line.prefixMatch(of: /[ \t\[{,-]*["']?([\w.-]+)["']?\s*:(?=\s|$)[ \t]*/) else { continue }
            let value = line[above.range.upperBound...]
            return !isSecret(String(above.output.1)) || endOfHarmless(value) != nil
        }
        return true
    }

    /// What to do about what stands on the line behind a value that is empty, because YAML takes it for something else.
    mutating func adviceOnRest(behind node: Node) -> String? {
        guard node.isNull else { return nil }
        let rest = line(of: node.mark).unicodeScalars.dropFirst(node.mark.column - 1).drop { $0 == " " || $0 == "\t" }
        guard let sign = rest.first, let meaning = ConfigReader.meanings[sign] else { return nil }
        return "what begins with '\(sign)' is \(meaning); put it in quotes if it is the value"
    }

    /// What YAML takes a text for, by its first character.
    private static let meanings: [Unicode.Scalar: String] = ["#": "a comment", "&": "an anchor"]

    /// Whether it is a word of the config, or the name of a thing in it.
    mutating func knows(_ word: String) -> Bool {
        if names.contains(word) { return true }
        if let known = known[word] { return known }
        let isKnown = Vocabulary.knows(word, catalog) || ["env", "file", "credential"].contains(word)
        known[word] = isKnown
        return isKnown
    }

    /// Whether the value under that key is a secret.
    private mutating func isSecret(_ key: String) -> Bool { secretNames.contains(key) || key.namesCredential }
}

extension String {
    /// Whether all of it only names where a secret lies.
    var isReference: Bool { wholeMatch(of: /\$\{(?:env|file|credential):[^}\s]+\}/) != nil }
}
