/// What can be said as one JSON value.
public protocol JSONPuttable {
    /// Puts exactly one value.
    func put(into json: inout JSONWriter)
}

/// What has a JSON form of its own, said once for both: text for the journal, and a tree for whoever looks into it.
public protocol JSONWritable: JSONPuttable {}

extension JSONWritable {
    /// The value as a tree; its text is what `write` writes.
    public var json: JSON { JSONWriter.tree { put(into: &$0) } }

    /// Adds the value to `bytes` as JSON text on one line.
    public func write(to bytes: inout [UInt8]) { JSONWriter.text(to: &bytes) { put(into: &$0) } }

    /// The value as JSON text on one line.
    public var bytes: [UInt8] {
        var bytes: [UInt8] = []
        write(to: &bytes)
        return bytes
    }
}

/// Takes a JSON value part by part, and makes text or a tree of it.
///
/// The journal is written a fact at a time, so its way to the bytes is a short one: no tree, and no text for a moment
/// or a number that is thrown away at once.
public struct JSONWriter {
    /// Where the text goes that is written.
    private var room: TextRoom
    /// Whether a comma has to come before the next part.
    private var isAfterPart = false
    /// Where a tree is wanted and not text: the objects and arrays that are still open, the outermost first.
    private var levels: [Level] = []
    private let makesTree: Bool

    private struct Level {
        /// Of the member whose value comes next; nil in an array.
        var name: String?
        var members = JSONObject()
        var elements: [JSON] = []
    }

    private init(_ room: TextRoom, makesTree: Bool) {
        self.room = room
        self.makesTree = makesTree
    }

    static func text(to bytes: inout [UInt8], _ write: (inout JSONWriter) -> Void) {
        TextRoom.add(to: &bytes) { room in
            var writer = JSONWriter(room, makesTree: false)
            write(&writer)
            return writer.room
        }
    }

    static func tree(_ write: (inout JSONWriter) -> Void) -> JSON {
        var writer = JSONWriter(TextRoom(), makesTree: true)
        writer.levels = [Level()]
        write(&writer)
        return writer.levels[0].elements.first ?? .null
    }

    // MARK: Objects and arrays

    /// Puts an object; `members` puts its members, each name once.
    public mutating func object(_ members: (inout JSONWriter) -> Void) {
        open("{")
        members(&self)
        if let level = close("}") { add(.object(level.members)) }
    }

    /// Puts an array; `elements` puts its values.
    public mutating func array(_ elements: (inout JSONWriter) -> Void) {
        open("[")
        elements(&self)
        if let level = close("]") { add(.array(level.elements)) }
    }

    /// Puts a member of the object that is being put.
    public mutating func member(_ name: StaticString, _ value: some JSONPuttable) {
        self.name(name)
        value.put(into: &self)
    }

    /// Puts a member, or nothing where there is no value.
    public mutating func member(_ name: StaticString, ifAny value: (some JSONPuttable)?) {
        if let value { member(name, value) }
    }

    /// Puts a member whose value is an object.
    public mutating func object(_ name: StaticString, _ members: (inout JSONWriter) -> Void) {
        self.name(name)
        object(members)
    }

    /// Puts a member whose value is an array.
    public mutating func array(_ name: StaticString, _ elements: (inout JSONWriter) -> Void) {
        self.name(name)
        array(elements)
    }

    /// Puts a member whose value is an array, with what `put` puts of each element.
    public mutating func array<Element>(
        _ name: StaticString, _ elements: [Element], _ put: (inout JSONWriter, Element) -> Void
    ) {
        array(name) { json in for element in elements { put(&json, element) } }
    }

    /// Puts a member with a name that is not known beforehand.
    public mutating func member(named name: String, _ value: some JSONPuttable) {
        if makesTree {
            levels[levels.count - 1].name = name
        } else {
            separate()
            room.append(quoted: name)
            room.append(mark: ":")
            isAfterPart = false
        }
        value.put(into: &self)
    }

    /// - Parameter name: Of letters, digits and underscores, so that nothing of it needs an escape.
    private mutating func name(_ name: StaticString) {
        if makesTree {
            levels[levels.count - 1].name = name.description
            return
        }
        separate()
        room.append(mark: "\"")
        room.append(name)
        room.append(mark: "\"")
        room.append(mark: ":")
        isAfterPart = false
    }

    private mutating func open(_ mark: Unicode.Scalar) {
        if makesTree { return levels.append(Level()) }
        separate()
        room.append(mark: mark)
        isAfterPart = false
    }

    /// - Returns: Where a tree is made: what was put since the level was opened.
    private mutating func close(_ mark: Unicode.Scalar) -> Level? {
        if makesTree { return levels.removeLast() }
        room.append(mark: mark)
        isAfterPart = true
        return nil
    }

    private mutating func separate() {
        if isAfterPart { room.append(mark: ",") }
        isAfterPart = true
    }

    /// Adds a value to the innermost level of the tree: as a member where a name was put before it.
    private mutating func add(_ value: JSON) {
        let last = levels.count - 1
        if let name = levels[last].name {
            levels[last].members.append(name, value)
        } else {
            levels[last].elements.append(value)
        }
    }

    // MARK: Plain values

    /// Puts a value that is a tree already.
    public mutating func put(_ value: JSON) {
        if makesTree { return add(value) }
        separate()
        value.put(into: &room)
    }

    public mutating func put(_ text: String) {
        if makesTree { return add(.string(text)) }
        separate()
        room.append(quoted: text)
    }

    public mutating func put(_ number: Int64) {
        if makesTree { return add(.int(number)) }
        separate()
        room.append(number)
    }

    public mutating func put(_ number: Double) { put(JSON(number)) }

    public mutating func put(_ isSo: Bool) {
        if makesTree { return add(.bool(isSo)) }
        separate()
        if isSo { room.append("true") } else { room.append("false") }
    }

    /// Puts null.
    public mutating func putNothing() {
        if makesTree { return add(.null) }
        separate()
        room.append("null")
    }

    public mutating func put(_ moment: Moment) {
        if makesTree { return add(JSON(moment)) }
        separate()
        room.append(mark: "\"")
        room.append(moment)
        room.append(mark: "\"")
    }
}

extension JSON: JSONPuttable {
    public func put(into json: inout JSONWriter) { json.put(self) }
}

extension String: JSONPuttable {
    public func put(into json: inout JSONWriter) { json.put(self) }
}

extension Int64: JSONPuttable {
    public func put(into json: inout JSONWriter) { json.put(self) }
}

extension Int: JSONPuttable {
    public func put(into json: inout JSONWriter) { json.put(Int64(self)) }
}

extension Double: JSONPuttable {
    public func put(into json: inout JSONWriter) { json.put(self) }
}

extension Bool: JSONPuttable {
    public func put(into json: inout JSONWriter) { json.put(self) }
}

extension Moment: JSONPuttable {
    public func put(into json: inout JSONWriter) { json.put(self) }
}

/// What is not there is null.
extension Optional: JSONPuttable where Wrapped: JSONPuttable {
    public func put(into json: inout JSONWriter) {
        if let self { self.put(into: &json) } else { json.putNothing() }
    }
}

extension Array: JSONPuttable where Element: JSONPuttable {
    public func put(into json: inout JSONWriter) {
        json.array { json in for element in self { element.put(into: &json) } }
    }
}

/// An object with the keys in order.
extension Dictionary: JSONPuttable where Key == String, Value: JSONPuttable {
    public func put(into json: inout JSONWriter) {
        json.object { json in
            for (key, value) in sorted(by: { $0.key < $1.key }) { json.member(named: key, value) }
        }
    }
}
