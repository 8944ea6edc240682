/// Reads a template, tag by tag.
///
/// A section, its end or a comment that stands alone on its line takes the whole line with it, line end and all.
struct TemplateReader {
    private(set) var names: [Template.Name] = []

    private var rest: Substring.UnicodeScalarView
    private var line: Int
    private var column = 1
    /// Whether nothing but blanks stands before this place on its line.
    private var isLineBlank = true
    private var open: [(path: [String], place: Template.Place)] = []

    private struct Tag {
        enum Kind { case value, section, inverted, end, comment }

        let kind: Kind
        let path: [String]
        let place: Template.Place
    }

    init(_ text: String, line: Int) {
        rest = text[...].unicodeScalars
        self.line = line
    }

    /// The pieces up to the end of the section that is open, or of the text.
    mutating func pieces() throws(Template.Mistake) -> [Template.Piece] {
        var pieces: [Template.Piece] = []
        while true {
            var text = readText()
            guard !rest.isEmpty else {
                if let section = open.last {
                    throw Template.Mistake(
                        place: section.place,
                        message: "the section '\(section.path.name)' is never closed; write {{/\(section.path.name)}}")
                }
                if !text.isEmpty { pieces.append(.text(text)) }
                return pieces
            }
            let tag = try readTag()
            if tag.kind != .value, isLineBlank, endsLine { takeLine(with: &text) } else { isLineBlank = false }
            if !text.isEmpty { pieces.append(.text(text)) }
            switch tag.kind {
            case .comment: break
            case .value:
                note(tag, .text)
                pieces.append(.value(tag.path))
            case .section: pieces.append(.section(tag.path, try section(tag)))
            case .inverted: pieces.append(.inverted(tag.path, try section(tag)))
            case .end:
                guard let section = open.last else {
                    throw Template.Mistake(
                        place: tag.place, message: "{{/\(tag.path.name)}} closes nothing that is open")
                }
                guard section.path == tag.path else {
                    throw Template.Mistake(
                        place: tag.place,
                        message: "{{/\(tag.path.name)}} cannot close the section '\(section.path.name)' of line "
                            + "\(section.place.line)")
                }
                return pieces
            }
        }
    }

    private mutating func section(_ tag: Tag) throws(Template.Mistake) -> [Template.Piece] {
        guard open.count < Template.depthMax else {
            throw Template.Mistake(
                place: tag.place, message: "sections are more than \(Template.depthMax) deep inside each other")
        }
        note(tag, .section)
        open.append((tag.path, tag.place))
        let pieces = try pieces()
        open.removeLast()
        return pieces
    }

    private mutating func note(_ tag: Tag, _ use: Template.Use) {
        names.append(Template.Name(path: tag.path, place: tag.place, sections: open.map(\.path), use: use))
    }

    // MARK: - Text

    private mutating func readText() -> String {
        var text = String.UnicodeScalarView()
        while let scalar = rest.first {
            if scalar == "{", rest.dropFirst().first == "{" { break }
            text.append(scalar)
            if scalar != " ", scalar != "\t" { isLineBlank = false }
            advance()
        }
        return String(text)
    }

    private mutating func advance() {
        if rest.removeFirst() == "\n" {
            line += 1
            column = 1
            isLineBlank = true
        } else {
            column += 1
        }
    }

    /// Whether nothing but blanks follows on the line.
    private var endsLine: Bool {
        let next = rest.first { $0 != " " && $0 != "\t" && $0 != "\r" }
        return next == nil || next == "\n"
    }

    /// Leaves out the rest of the line, and what stands before it.
    private mutating func takeLine(with text: inout String) {
        while let last = text.last, last == " " || last == "\t" { text.removeLast() }
        while let scalar = rest.first {
            advance()
            if scalar == "\n" { return }
        }
    }

    // MARK: - Tags

    private mutating func readTag() throws(Template.Mistake) -> Tag {
        let place = Template.Place(line: line, column: column)
        let wasBlank = isLineBlank
        // In text, `{{{name}}}` and `{{&name}}` are `{{name}}`: nothing is escaped anyhow.
        let braces = rest.starts(with: "{{{".unicodeScalars) ? 3 : 2
        for _ in 0..<braces { advance() }
        var inner = String.UnicodeScalarView()
        while let scalar = rest.first, scalar != "}" {
            inner.append(scalar)
            advance()
        }
        guard rest.starts(with: String(repeating: "}", count: braces).unicodeScalars) else {
            throw Template.Mistake(
                place: place,
                message: "this tag is never closed; write \(String(repeating: "}", count: braces)) after it")
        }
        for _ in 0..<braces { advance() }
        isLineBlank = wasBlank
        return try tag(String(inner), place, isBraced: braces == 3)
    }

    private func tag(_ inner: String, _ place: Template.Place, isBraced: Bool) throws(Template.Mistake) -> Tag {
        let kind: Tag.Kind =
            switch inner.first {
            case "#": .section
            case "^": .inverted
            case "/": .end
            case "!": .comment
            default: .value
            }
        if kind == .comment, !isBraced { return Tag(kind: .comment, path: [], place: place) }
        if let first = inner.first, let what = TemplateReader.strange[first] {
            throw Template.Mistake(place: place, message: "{{\(first)…}} \(what), which is not supported")
        }
        let isMarked = kind != .value || inner.first == "&"
        let name = inner.dropFirst(isMarked && !isBraced ? 1 : 0).blanksTrimmed
        if kind == .value || !isBraced, name == "." {
            return Tag(kind: isBraced ? .value : kind, path: [], place: place)
        }
        let path = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard path.allSatisfy({ !$0.isEmpty && $0.allSatisfy(\.isNamePart) }) else {
            let found = name.isEmpty ? "an empty tag" : "'\(name.prefix(60))'"
            throw Template.Mistake(
                place: place, message: "\(found) is not a name; names are made of letters, digits, '_', '-' and '.'")
        }
        return Tag(kind: isBraced ? .value : kind, path: path, place: place)
    }

    /// What Mustache has besides.
    private static let strange: [Character: String] = [
        ">": "inserts another template", "<": "inherits from another template", "$": "is a block of another template",
        "=": "changes the delimiters", "%": "is a pragma",
    ]
}

extension [String] {
    /// As a tag has it.
    fileprivate var name: String { isEmpty ? "." : joined(separator: ".") }
}

extension StringProtocol {
    fileprivate var blanksTrimmed: String {
        var text = self[...]
        while let first = text.first, first.isWhitespace { text = text.dropFirst() }
        while let last = text.last, last.isWhitespace { text = text.dropLast() }
        return String(text)
    }
}

extension Character {
    fileprivate var isNamePart: Bool { isASCII && (isLetter || isNumber) || self == "_" || self == "-" }
}
