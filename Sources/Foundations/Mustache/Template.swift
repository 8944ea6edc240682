// Mustache is text with places for values, as https://mustache.github.io/mustache.5.html describes it: `{{name}}`,
// `{{#section}}…{{/section}}`, `{{^section}}…{{/section}}`, `{{! comment }}`. It leaves out what belongs to HTML pages:
// nothing is escaped, there are no partials, no lambdas and no other delimiters. Start here: a `Template` is read once,
// with every mistake in it, and rendered with a `Value` as often as one likes.

/// A text with places for values.
public struct Template: Hashable, Sendable {
    let pieces: [Piece]
    /// Every name in it that a value is asked for by, and where.
    public let names: [Name]

    /// A name as it stands in a template.
    public struct Name: Hashable, Sendable {
        /// Its parts: `incident.app` has two; `.` has none.
        public let path: [String]
        public let place: Place
        /// The sections around it, from the outermost.
        public let sections: [[String]]
        /// What is done with its value.
        public let use: Use
    }

    /// What a template does with a value.
    public enum Use: Hashable, Sendable {
        /// It is written.
        case text
        /// It decides whether, or how often, something else is written.
        case section
    }

    /// A place in the text, line and column counted from 1; columns count Unicode scalars.
    public struct Place: Hashable, Sendable {
        public let line: Int
        public let column: Int

        public init(line: Int, column: Int) {
            self.line = line
            self.column = column
        }
    }

    /// Why a text is no template.
    public struct Mistake: Error, Hashable, Sendable {
        public let place: Place
        /// One phrase, without a full stop.
        public let message: String
    }

    enum Piece: Hashable, Sendable {
        case text(String)
        case value([String])
        /// What is written for each element, or once where the value is there.
        case section([String], [Piece])
        /// What is written where the value is not there.
        case inverted([String], [Piece])
    }

    /// Sections inside each other; people rarely write three.
    static let depthMax = 32

    /// - Parameter line: the number of its first line, for a text that is a part of a larger one.
    public init(_ text: String, line: Int = 1) throws(Mistake) {
        var reader = TemplateReader(text, line: line)
        pieces = try reader.pieces()
        names = reader.names
    }

    /// The text with the values in their places.
    ///
    /// - Parameters:
    ///   - limit: how many bytes it may have, since a section in a section multiplies.
    /// - Returns: nil where it would be longer.
    public func rendered(with value: Value, bytesMax limit: Int) -> String? {
        var writer = TemplateWriter(bytesMax: limit)
        return writer.write(pieces, [value]) ? writer.text : nil
    }

    /// The same, but of what would be longer its beginning.
    public func beginning(with value: Value, bytesMax limit: Int) -> String {
        var writer = TemplateWriter(bytesMax: limit)
        _ = writer.write(pieces, [value])
        return writer.text
    }
}

/// What a template is rendered with.
public enum Value: Hashable, Sendable, ExpressibleByStringLiteral, ExpressibleByBooleanLiteral {
    case text(String)
    case flag(Bool)
    case list([Value])
    case members([String: Value])

    public init(stringLiteral text: String) { self = .text(text) }
    public init(booleanLiteral flag: Bool) { self = .flag(flag) }

    /// Nothing where there is no text, so that a section of it is left out.
    public init(_ text: String?) { self = text.map(Value.text) ?? .flag(false) }

    /// The same with every text in it changed.
    public func mapped(_ change: (String) -> String) -> Value {
        switch self {
        case .text(let text): .text(change(text))
        case .flag: self
        case .list(let values): .list(values.map { $0.mapped(change) })
        case .members(let members): .members(members.mapValues { $0.mapped(change) })
        }
    }

    /// Whether a section of it is written: what is false, empty or not there is not.
    var isThere: Bool {
        switch self {
        case .text(let text): !text.isEmpty
        case .flag(let flag): flag
        case .list(let values): !values.isEmpty
        case .members: true
        }
    }
}

/// Writes a template.
private struct TemplateWriter {
    let bytesMax: Int
    private(set) var text = ""

    init(bytesMax: Int) { self.bytesMax = bytesMax }

    /// - Parameter stack: what names are looked up in, the innermost last.
    /// - Returns: whether there was room for it.
    mutating func write(_ pieces: [Template.Piece], _ stack: [Value]) -> Bool {
        for piece in pieces {
            switch piece {
            case .text(let words): text += words
            case .value(let path): text += words(of: path.found(in: stack))
            case .section(let path, let inner):
                guard let value = path.found(in: stack), value.isThere else { continue }
                let elements = if case .list(let elements) = value { elements } else { [value] }
                for element in elements where !write(inner, stack + [element]) { return false }
            case .inverted(let path, let inner):
                if path.found(in: stack)?.isThere ?? false { continue }
                guard write(inner, stack) else { return false }
            }
            guard text.utf8.count <= bytesMax else { return false }
        }
        return true
    }

    private func words(of value: Value?) -> String {
        switch value {
        case .text(let text): text
        case .flag(true): "true"
        case .list(let values): values.map { words(of: $0) }.joined(separator: ", ")
        case .flag(false), .members, nil: ""
        }
    }
}

extension [String] {
    /// The value of the first part of the name is that of the innermost that has one; the rest is looked up in it alone.
    func found(in stack: [Value]) -> Value? {
        guard let first else { return stack.last }
        for case .members(let members) in stack.reversed() {
            guard var value = members[first] else { continue }
            for part in dropFirst() {
                guard case .members(let members) = value, let next = members[part] else { return nil }
                value = next
            }
            return value
        }
        return nil
    }
}
