/// A JSON value as it was written: members keep their order, whole numbers stay whole.
///
/// Small on purpose: the bot reads strangers' answers and has to say *where* they are wrong, so it needs a tree with
/// positions and paths rather than a decoder that fails as a whole.
public enum JSON: Sendable, Hashable {
    case null
    case bool(Bool)
    case int(Int64)
    case double(Double)
    case string(String)
    case array([JSON])
    case object(JSONObject)

    /// The member of that name, or nil when this is no object or has none.
    public subscript(_ name: String) -> JSON? {
        if case .object(let object) = self { object[name] } else { nil }
    }

    public var string: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// The number, whole or not.
    public var number: Double? {
        switch self {
        case .int(let value): Double(value)
        case .double(let value): value
        default: nil
        }
    }

    public var array: [JSON]? {
        if case .array(let elements) = self { elements } else { nil }
    }

    public var object: JSONObject? {
        if case .object(let object) = self { object } else { nil }
    }

    /// A name that stands twice in one object, at any depth: nobody knows which of the two is meant.
    public var repeatedName: String? {
        switch self {
        case .object(let object):
            var seen: Set<String> = []
            if let twice = object.members.first(where: { !seen.insert($0.name).inserted }) { return twice.name }
            return object.members.lazy.compactMap(\.value.repeatedName).first
        case .array(let elements): return elements.lazy.compactMap(\.repeatedName).first
        case .null, .bool, .int, .double, .string: return nil
        }
    }

    /// What kind of value this is, for people: `an object`, `a string`…
    public var kindName: String {
        switch self {
        case .null: "null"
        case .bool: "a boolean"
        case .int, .double: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}

/// The members of a JSON object in the order they were written; of a repeated name the last one counts.
public struct JSONObject: Sendable, Hashable {
    public struct Member: Sendable, Hashable {
        public let name: String
        public var value: JSON
    }

    public private(set) var members: [Member]

    public init() { members = [] }

    /// Makes an object of members whose names are known to differ.
    public init(_ members: [(String, JSON)]) {
        self.members = members.map { Member(name: $0.0, value: $0.1) }
    }

    public subscript(_ name: String) -> JSON? {
        get { members.last { $0.name == name }?.value }
        set {
            let index = members.lastIndex { $0.name == name }
            switch (index, newValue) {
            case (let index?, let value?): members[index].value = value
            case (let index?, nil): members.remove(at: index)
            case (nil, let value?): members.append(Member(name: name, value: value))
            case (nil, nil): break
            }
        }
    }

    /// Adds a member without looking whether the name is taken.
    public mutating func append(_ name: String, _ value: JSON) {
        members.append(Member(name: name, value: value))
    }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    public init(stringLiteral value: String) { self = .string(value) }
    public init(integerLiteral value: Int64) { self = .int(value) }
    public init(floatLiteral value: Double) { self = .double(value) }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    public init(arrayLiteral elements: JSON...) { self = .array(elements) }
    public init(dictionaryLiteral elements: (String, JSON)...) { self = .object(JSONObject(elements)) }

    public init(_ value: Int) { self = .int(Int64(value)) }
    public init(_ value: Bool) { self = .bool(value) }
    public init(_ moment: Moment) { self = .string(moment.description) }

    /// A number, written whole when it is whole; a number that JSON cannot say is null.
    public init(_ value: Double) {
        if let whole = Int64(exactly: value), abs(value) < 9e15 {
            self = .int(whole)
        } else {
            self = value.isFinite ? .double(value) : .null
        }
    }

    public init(_ value: String?) { self = value.map(JSON.string) ?? .null }
    public init(_ moment: Moment?) { self = moment.map { JSON($0) } ?? .null }
    public init(_ value: Double?) { self = value.map { JSON($0) } ?? .null }
}
