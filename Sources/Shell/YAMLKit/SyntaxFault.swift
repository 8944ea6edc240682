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

    func halt(in source: SourceText) -> Halt {
        let found = source.character(at: index)
        if found == "\t" {
            return Halt(mark, "a tab is used for indentation", advice: "use spaces")
        }
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
            return slip(on: contextMark, in: source) ?? Halt(contextMark, "a ':' is missing after this key")

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

    /// A line before that was to be a key with its value, and is neither. It and the next, as deep, would be one value then,
    /// in which there is no place for a colon.
    private func missingSpace(in source: SourceText) -> Halt? {
        let lines = SyntaxFault.lines(of: source)
        guard mark.line >= 2, mark.line <= lines.count else { return nil }
        let stuck = Line(lines[mark.line - 1])
        for number in stride(from: mark.line - 2, through: 0, by: -1) {
            let line = Line(lines[number])
            if line.text.isEmpty || line.text.hasPrefix("#") { continue }
            // An element of a list may be a plain text, and the next element is no part of it.
            guard line.depth == stuck.depth, !(line.isItem && stuck.isItem) else { return nil }
            return line.slip(at: number + 1)
        }
        return nil
    }

    /// The same for a line of which it is known that a key begins there.
    private func slip(on place: Mark, in source: SourceText) -> Halt? {
        let lines = SyntaxFault.lines(of: source)
        guard lines.indices.contains(place.line - 1) else { return nil }
        let line = Line(lines[place.line - 1])
        return line.depth == place.column - 1 ? line.slip(at: place.line) : nil
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

        /// What is wrong with it where it was to be a key with its value: it has no blank behind its colon, or no colon. Nil
        /// where it is such a line, or nothing like it.
        func slip(at number: Int) -> Halt? {
            let code = text.firstRange(of: " #").map { text[..<$0.lowerBound] } ?? text
            let written = code[..<(code.lastIndex { $0 != " " }.map(code.index(after:)) ?? code.startIndex)]
            guard !written.contains(": "), !written.hasSuffix(":"), written.first?.isLetter == true else { return nil }
            if let slip = MissingSpace(written) {
                return Halt(
                    Mark(line: number, column: depth + 1 + slip.key.unicodeScalars.count), slip.message,
                    advice: slip.advice)
            }
            let key = written.prefix { !$0.isWhitespace && $0 != "=" }
            guard key.endIndex < written.endIndex, !key.contains(":") else { return nil }
            return Halt(
                Mark(line: number, column: depth + 1), "\(quoted(key)) has no ':' after it",
                advice: "write \(quoted(key + ": …"))")
        }
    }
}
