/// A syntax error in libyaml's words, to be said again in the reader's.
struct SyntaxFault {
    let problem: String
    /// What was being read, such as "while parsing a block mapping"; may be empty.
    let context: String
    /// Where reading stuck, as a mark and as a count of Unicode scalars before it.
    let mark: Mark
    let index: Int
    /// Where the thing being read began; meaningful only with a context.
    let contextMark: Mark
    /// The value or key before it.
    let before: Text

    /// A value or key that was read.
    struct Text {
        let isQuoted: Bool
        let begin: Mark
        /// Behind its last character, as a mark and as a count of Unicode scalars.
        let end: Mark
        let endIndex: Int
    }

    func halt(in source: SourceText) -> Halt {
        if let halt = conflict(in: source) { return halt }
        let found = source.character(at: index)
        if found == "\t" {
            return Halt(mark, "a tab is used for indentation", advice: "use spaces")
        }
        if let halt = strangeIndent(in: source) ?? lateQuote(in: source) { return halt }
        switch problem {
        case "found a tab character that violates indentation",
            "found a tab character where an indentation space is expected":
            return Halt(mark, "a tab is used for indentation", advice: "use spaces")

        case "found character that cannot start any token":
            let name = found.map { quoted(String($0)) } ?? "the end of the text"
            return Halt(mark, "a value cannot start with \(name)", advice: "put the value in quotes")

        case "mapping values are not allowed in this context":
            if let halt = missingSpace(in: source) { return halt }
            let advice = "put the value in quotes if the ':' belongs to it, or check the indentation of this line"
            return Halt(mark, "a ':' is not allowed here", advice: advice)

        case "found unexpected ':'":
            return Halt(mark, "this ':' has no space after it", advice: "put one there, or put the value in quotes")

        case "block sequence entries are not allowed in this context":
            return Halt(mark, "a list cannot start here", advice: "start it on the next line, or use [ and ]")

        // The text ran on to the next line or the end before libyaml gave up; what is wrong is where the key began.
        case "could not find expected ':'":
            return slip(on: contextMark, in: source)

        case "found unexpected end of stream", "found unexpected document indicator":
            return Halt(contextMark, "this quote is never closed")

        case "did not find expected ',' or ']'", "did not find expected ',' or '}'":
            // `{token: ${env:TOKEN}}`, in which the inner braces are YAML's.
            if found == "{", index > 0, source.character(at: index - 1) == "$" {
                return Halt(
                    mark, "a '{' is not allowed here", advice: "put a value with ${…} in quotes between brackets")
            }
            return problem.hasSuffix("']'") ? unclosed("list", with: "]") : unclosed("mapping", with: "}")

        case "did not find expected key", "did not find expected '-' indicator":
            return missingSpace(in: source) ?? misplaced(in: source)

        case "did not find expected node content":
            return Halt(mark, "a value is expected here\(foundPhrase(found))")

        case "did not find expected <document start>":
            return Halt(mark, "the document has ended before this", advice: "check the indentation and brackets")

        case "found unknown escape character", "found invalid Unicode character escape code",
            "did not find expected hexdecimal number":
            let advice = "double the backslash, or use single quotes"
            return Halt(mark, "this escape means nothing in double quotes", advice: advice)

        case "did not find expected alphabetic or numeric character":
            let sort = context.contains("alias") ? "alias" : "anchor"
            let advice = "put the value in quotes if it starts with '*' or '&'"
            let letters = "letters, digits, '-' and '_'"
            return Halt(contextMark, "the name of an \(sort) is made of \(letters)", advice: advice)

        case "did not find expected comment or line break" where context.contains("block scalar"):
            return Halt(
                contextMark, "a text on the lines below starts here, so nothing may follow on this one",
                advice: "put the value in quotes if it starts with '>' or '|'")

        case "found undefined tag handle":
            return Halt(mark, "tags are not used here", advice: "put the value in quotes if it starts with '!'")

        default:
            let reason = context.isEmpty ? problem : "\(problem) \(context)"
            return Halt(mark, "this is not YAML: \(reason)")
        }
    }

    /// The first line up to there which says that two versions of the file could not be merged.
    private func conflict(in source: SourceText) -> Halt? {
        let all = SyntaxFault.lines(of: source)
        func index(of signs: Set<String>, in lines: some Collection<Substring>) -> Int? {
            lines.enumerated().first { _, line in
                let rest = line.dropFirst(7)
                return signs.contains(String(line.prefix(7))) && (rest.isEmpty || rest.hasPrefix(" "))
            }?.offset
        }
        // A line under a title may look like the one between two sides.
        guard index(of: ["<<<<<<<", ">>>>>>>"], in: all) != nil else { return nil }
        let read = all.prefix(max(mark.line, contextMark.line))
        return index(of: ["<<<<<<<", "=======", ">>>>>>>"], in: read).map { index in
            Halt(
                Mark(line: index + 1, column: 1), "a merge conflict is left here",
                advice: "keep one of its sides, and remove the lines that begin with <<<<<<<, ======= and >>>>>>>")
        }
    }

    /// The line on which reading stuck, or the one above it, if it is indented with what only looks like a space: to YAML its
    /// text begins there. In a text of several lines it may.
    private func strangeIndent(in source: SourceText) -> Halt? {
        let lines = SyntaxFault.lines(of: source)
        for number in stride(from: min(mark.line, lines.count), through: 1, by: -1) {
            let line = lines[number - 1]
            let indent = line.prefix { $0.isWhitespace || String($0).adviceOnSpace != nil }
            if let advice = indent.adviceOnSpace, indent.endIndex < line.endIndex,
                number == mark.line || !SyntaxFault.isInText(lines, at: number - 1)
            {
                let plain = indent.prefix { $0 == " " }
                return Halt(
                    Mark(line: number, column: plain.count + 1), "this line begins with what only looks like a space",
                    advice: advice)
            }
            if number < mark.line, !Line(line).saysNothing { return nil }
        }
        return nil
    }

    /// Whether a line is part of the text of several lines of a key above it.
    private static func isInText(_ lines: [Substring], at index: Int) -> Bool {
        ancestors(of: lines, at: index).contains(where: \.awaitsText)
    }

    /// The lines above one that stand less deep, each less than the one below it, from below.
    private static func ancestors(of lines: [Substring], at index: Int) -> [Line] {
        var depth = Line(lines[index]).depth
        var found: [Line] = []
        for line in lines[..<index].reversed().map({ Line($0) }) where !line.saysNothing && line.depth < depth {
            found.append(line)
            depth = line.depth
        }
        return found
    }

    /// A quote that was to be closed where it began, and is closed where the next one opens: what that holds stands bare.
    private func lateQuote(in source: SourceText) -> Halt? {
        guard before.isQuoted, before.begin.line < before.end.line, before.end.line == mark.line,
            index >= before.endIndex
        else { return nil }
        let between = source.text.unicodeScalars.dropFirst(before.endIndex).prefix(index - before.endIndex)
        // A comparison begins like a text on the lines below, which breaks off behind its sign.
        guard between.allSatisfy({ $0 == " " || $0 == ">" || $0 == "|" }) else { return nil }
        return Halt(
            before.begin, "this quote is closed only on line \(mark.line), where more text follows",
            advice: "close it where its value ends")
    }

    private func unclosed(_ sort: String, with bracket: String) -> Halt {
        let opening = "the \(sort) opened at line \(contextMark.line), column \(contextMark.column)"
        return Halt(mark, "',' or '\(bracket)' is expected here", advice: "check \(opening)")
    }

    /// The next thing in a block collection is not one of its items: a wrong indent, or more text after a value.
    private func misplaced(in source: SourceText) -> Halt {
        guard source.opensLine(at: index) else {
            let advice = "put the whole value in one pair of quotes; inside single quotes an apostrophe is written ''"
            return Halt(mark, "there is more text after the value", advice: advice)
        }
        guard problem == "did not find expected key" else {
            return Halt(mark, "'-' is expected here, as in the list that starts on line \(contextMark.line)")
        }
        let advice = "align it with its neighbours; the mapping around it starts on line \(contextMark.line)"
        return Halt(mark, "a key is expected here, at the indentation of the others", advice: advice)
    }

    private func foundPhrase(_ found: Unicode.Scalar?) -> String {
        found.map { ", not \(quoted(String($0)))" } ?? ""
    }

    /// A line before that was to be a key with its value, or a name with what is below it, and is neither. It and the next
    /// would be one value then, in which there is no place for a colon.
    private func missingSpace(in source: SourceText) -> Halt? {
        let lines = SyntaxFault.lines(of: source)
        guard mark.line >= 2, mark.line <= lines.count else { return nil }
        let stuck = Line(lines[mark.line - 1])
        for number in stride(from: mark.line - 2, through: 0, by: -1) {
            let line = Line(lines[number])
            if line.saysNothing { continue }
            // An element of a list may be a plain text, and the next element is no part of it.
            if line.depth < stuck.depth, line.isName, !line.isItem {
                // Below a key in a thing, which has a section around it, it may as well be the value of that.
                let above = SyntaxFault.ancestors(of: lines, at: number)
                let mayBeValue = above.count > 2 && above[0].awaitsValue
                return SyntaxFault.colonMissing(
                    at: number, of: line,
                    advice: mayBeValue ? "if it is a value, check the indentation of the line below" : nil)
            }
            guard line.depth == stuck.depth, !(line.isItem && stuck.isItem) else { return nil }
            return SyntaxFault.slip(of: lines, at: number)
        }
        return nil
    }

    /// It quotes nothing: the name may be a secret below its key.
    private static func colonMissing(at index: Int, of line: Line, advice: String? = nil) -> Halt {
        let mark = Mark(line: index + 1, column: line.depth + 1)
        return Halt(YAMLProblem(mark, KeyFlaw(withoutColon: String(line.word), advice: advice), isNamed: false))
    }

    /// The same for a line of which it is known that a key begins there.
    private func slip(on place: Mark, in source: SourceText) -> Halt {
        let lines = SyntaxFault.lines(of: source)
        guard lines.indices.contains(place.line - 1), case let line = Line(lines[place.line - 1]),
            line.depth == place.column - 1
        else { return Halt(place, "a ':' is missing after this key") }
        return SyntaxFault.slip(of: lines, at: place.line - 1) ?? SyntaxFault.colonMissing(at: place.line - 1, of: line)
    }

    /// What is wrong with one of the lines where it was to be a key with its value. Where it may as well be the value of the
    /// key above it, or a part of that, it may be a secret and is not quoted.
    private static func slip(of lines: [Substring], at index: Int) -> Halt? {
        let line = Line(lines[index])
        let above = lines[..<index].last { Line($0).beginsAnew }.map { Line($0) }
        guard let above else { return line.slip(at: index + 1) }
        if line.depth > above.depth { return line.slip(at: index + 1, isNamed: false) }
        return above.awaitsValue ? nil : line.slip(at: index + 1)
    }

    private static func lines(of source: SourceText) -> [Substring] {
        source.text.split(omittingEmptySubsequences: false) { $0.isNewline }
    }

    /// A line of a block collection.
    private struct Line {
        /// How far in its text begins, behind the dash of an element.
        let depth: Int
        let isItem: Bool
        let text: Substring

        init(_ line: Substring) {
            let text = line.drop { $0 == " " }
            isItem = text.hasPrefix("- ")
            self.text = isItem ? text.dropFirst().drop { $0 == " " } : text
            depth = line.count - self.text.count
        }

        /// Whether there is nothing on it, or a comment.
        var saysNothing: Bool { text.isEmpty || text.hasPrefix("#") }

        /// What stands there without the comment behind it.
        private var code: Substring {
            let code = text.firstRange(of: " #").map { text[..<$0.lowerBound] } ?? text
            return code[..<(code.lastIndex { $0 != " " }.map(code.index(after:)) ?? code.startIndex)]
        }

        /// Whether it is a single word, such as a name without its colon.
        var isName: Bool {
            let code = code
            return code.first?.isLetter == true && code.allSatisfy { $0.isLetter || $0.isNumber || "-_.".contains($0) }
        }

        /// Whether it is a key or an element, and so no part of what stands above it.
        var beginsAnew: Bool {
            let code = code
            return !saysNothing && (isItem || code.hasSuffix(":") || code.contains(": "))
        }

        /// The word at its begin, which may be a key.
        var word: Substring { code.prefix { !$0.isWhitespace && !":=;：".contains($0) } }

        /// Whether it is a key with its value below.
        var awaitsValue: Bool { code.hasSuffix(":") || awaitsText }

        /// Whether it is a key with a text of several lines below.
        var awaitsText: Bool {
            let code = code
            return code.contains(": ") && code.split(separator: " ").last?.first.map { "|>".contains($0) } == true
        }

        /// What is wrong with it where it was to be a key with its value: it has no blank behind its colon, or no colon. Nil
        /// where it is such a line, or nothing like it.
        ///
        /// - Parameter isNamed: whether the key may be quoted.
        func slip(at number: Int, isNamed: Bool = true) -> Halt? {
            let written = code
            guard !written.contains(": "), !written.hasSuffix(":"), written.first?.isLetter == true else { return nil }
            if let slip = MissingSpace(written) {
                let colon = Mark(line: number, column: depth + 1 + slip.key.unicodeScalars.count)
                return Halt(YAMLProblem(colon, KeyFlaw(slip), isNamed: isNamed))
            }
            // What ends in signs of equality is base64, and a colon without a blank is that of an address.
            let rest = written[word.endIndex...]
            guard rest.contains(where: { $0 != "=" }), !rest.hasPrefix(":") else { return nil }
            let halt = SyntaxFault.colonMissing(at: number - 1, of: self)
            return isNamed ? Halt(halt.problem.naming(true)) : halt
        }
    }
}
