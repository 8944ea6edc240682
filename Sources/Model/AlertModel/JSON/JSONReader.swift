/// A value that is not what was expected, with its path in JSONPath notation.
public struct JSONMismatch: Error, Hashable, Sendable, CustomStringConvertible {
    /// Where, such as `$.groups[0].totals['sum(session)']`.
    public let path: String
    public let expected: String
    public let found: String

    public init(path: String, expected: String, found: String) {
        self.path = path
        self.expected = expected
        self.found = found
    }

    public var description: String { "\(path): expected \(expected), found \(found)" }
}

/// What can be read back from the JSON it was written as.
public protocol JSONReadable {
    init(_ reader: JSONReader) throws(JSONMismatch)
}

/// A JSON value together with the way to it, so that whoever expects something else can say where.
public struct JSONReader: Sendable {
    public let value: JSON
    private let steps: Steps

    /// The way from the root; a linked list, because most values are never complained about.
    private indirect enum Steps: Sendable {
        case root
        case member(Steps, String)
        case index(Steps, Int)
    }

    public init(_ value: JSON) {
        self.value = value
        steps = .root
    }

    private init(_ value: JSON, _ steps: Steps) {
        self.value = value
        self.steps = steps
    }

    /// The path to this value: plain names after a dot, others in brackets and quotes, escaped as RFC 9535 wants it, on
    /// one line and cut where they are long.
    public var path: String {
        var pieces: [String] = []
        var current = steps
        while true {
            switch current {
            case .root: return "$" + pieces.reversed().joined()
            case .member(let parent, let name):
                pieces.append(JSONReader.isPlain(name) ? ".\(name)" : "['\(JSONReader.quoted(name))']")
                current = parent
            case .index(let parent, let index):
                pieces.append("[\(index)]")
                current = parent
            }
        }
    }

    private static func isPlain(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.count <= 60
            && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
            && !(name.first?.isNumber ?? true)
    }

    private static func quoted(_ name: String) -> String {
        name.quotable.replacing("\\", with: "\\\\").replacing("'", with: "\\'")
    }

    /// The member of that name, or nil when it is missing or null.
    public func optional(_ name: String) throws(JSONMismatch) -> JSONReader? {
        guard case .object(let object) = value else { throw mismatch(expected: "an object") }
        guard let member = object[name], member != .null else { return nil }
        return JSONReader(member, .member(steps, name))
    }

    /// The member of that name; a missing one is a mismatch, null is a value.
    public func member(_ name: String) throws(JSONMismatch) -> JSONReader {
        guard case .object(let object) = value else { throw mismatch(expected: "an object") }
        guard let member = object[name] else {
            throw JSONMismatch(
                path: JSONReader(.null, .member(steps, name)).path, expected: "a value", found: "no such member")
        }
        return JSONReader(member, .member(steps, name))
    }

    /// The member whose name has exactly these characters; nil where there is none. `member` takes names for the same
    /// that only look the same.
    public func member(spelled name: String) -> JSONReader? {
        guard case .object(let object) = value,
            let member = object.members.last(where: { $0.name.utf8.elementsEqual(name.utf8) })
        else { return nil }
        return JSONReader(member.value, .member(steps, member.name))
    }

    /// The element at that index; nil where there is none.
    public func element(_ index: Int) -> JSONReader? {
        guard case .array(let elements) = value, elements.indices.contains(index) else { return nil }
        return JSONReader(elements[index], .index(steps, index))
    }

    /// The elements of an array, in its order; anything else is a mismatch.
    public func elements() throws(JSONMismatch) -> [JSONReader] {
        guard case .array(let elements) = value else { throw mismatch(expected: "an array") }
        return elements.enumerated().map { JSONReader($0.element, .index(steps, $0.offset)) }
    }

    /// The members of an object, in its order, those that are null among them; anything else is a mismatch.
    public func members() throws(JSONMismatch) -> [(name: String, value: JSONReader)] {
        guard case .object(let object) = value else { throw mismatch(expected: "an object") }
        return object.members.map { ($0.name, JSONReader($0.value, .member(steps, $0.name))) }
    }

    /// A string as it is, be it empty; anything else, a number too, is a mismatch.
    public func string() throws(JSONMismatch) -> String {
        guard case .string(let text) = value else { throw mismatch(expected: "a string") }
        return text
    }

    /// `true` or `false`; anything else, 0 and 1 too, is a mismatch.
    public func bool() throws(JSONMismatch) -> Bool {
        guard case .bool(let flag) = value else { throw mismatch(expected: "true or false") }
        return flag
    }

    /// A number, whole or not; anything else, a number in quotes too, is a mismatch.
    public func number() throws(JSONMismatch) -> Double {
        guard let number = value.number else { throw mismatch(expected: "a number") }
        return number
    }

    /// A whole number that an `Int` can hold, however it is written: `3.0` is one; anything else is a mismatch.
    public func int() throws(JSONMismatch) -> Int {
        switch value {
        case .int(let whole): return Int(whole)
        case .double(let number):
            guard let whole = Int(exactly: number) else { throw mismatch(expected: "a whole number") }
            return whole
        default: throw mismatch(expected: "a whole number")
        }
    }

    /// A string with a date, a time and an offset by RFC 3339; anything else is a mismatch.
    public func moment() throws(JSONMismatch) -> Moment {
        guard case .string(let text) = value, let moment = Moment(rfc3339: text) else {
            throw mismatch(expected: "an instant such as \"2026-11-20T22:00:00Z\"")
        }
        return moment
    }

    /// A mismatch at this place; what was found is described in a bounded way.
    public func mismatch(expected: String) -> JSONMismatch {
        let found =
            switch value {
            case .string(let text): "the string \"\(text.quotable)\""
            case .bool, .int, .double: value.text
            default: value.kindName
            }
        return JSONMismatch(path: path, expected: expected, found: found)
    }
}
