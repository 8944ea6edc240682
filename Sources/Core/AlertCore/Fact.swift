public import PluginKit
public import Records

/// A durable change of the state: what the journal keeps. Each is the fact of one room.
///
/// Facts say how things are now, not what somebody wanted, so replaying them needs no rules, and replaying one twice
/// does no harm.
public enum Fact: Hashable, Sendable {
    case schedule(Schedule.Fact)
    case figures(Figures.Fact)
    case incidents(Incidents.Fact)
    case mutes(Mutes.Fact)
    case outbox(Outbox.Fact)
}

/// The facts of one room as records of the journal.
protocol RoomFact: Hashable, Sendable {
    /// What the record's `kind` says; no two facts of any room share one.
    var kind: String { get }
    /// What it is about. Facts about different things may be taken in in another order; `Topic.end` takes away all that
    /// those before it have said.
    var topic: Topic { get }
    func putMembers(into json: inout JSONWriter)
}

extension Fact: JSONWritable {
    /// How much it says: as many changes as would make a record each, were they not written together.
    public var size: Int {
        if case .figures(.sheet(let sheet, _)) = self { sheet.rows.count } else { 1 }
    }

    /// What it is about, so that a journal knows which records it overtakes.
    public var topic: Topic {
        switch self {
        case .schedule(let fact): fact.topic
        case .figures(let fact): fact.topic
        case .incidents(let fact): fact.topic
        case .mutes(let fact): fact.topic
        case .outbox(let fact): fact.topic
        }
    }

    /// An object whose `kind` says what it is.
    public func put(into json: inout JSONWriter) {
        // One by one and not as `any RoomFact`, which would copy each fact into a box of its own.
        switch self {
        case .schedule(let fact): Fact.put(fact, into: &json)
        case .figures(let fact): Fact.put(fact, into: &json)
        case .incidents(let fact): Fact.put(fact, into: &json)
        case .mutes(let fact): Fact.put(fact, into: &json)
        case .outbox(let fact): Fact.put(fact, into: &json)
        }
    }

    private static func put(_ fact: some RoomFact, into json: inout JSONWriter) {
        json.object { json in
            json.member("kind", fact.kind)
            fact.putMembers(into: &json)
        }
    }

    /// Reads a record of the journal from its bytes.
    ///
    /// - Parameter memories: The kinds of memory that this program knows.
    /// - Throws: `JSONSyntaxError` or `JSONMismatch`.
    public init(record: ArraySlice<UInt8>, _ memories: MemoryKinds) throws {
        // Most records of a quiet bot are observations, and need no tree.
        if let observed = record.withUnsafeBufferPointer({ Figures.Fact(plain: $0) }) {
            self = .figures(observed)
        } else {
            self = try Fact(JSON(parsing: record), memories)
        }
    }

    /// Reads a record of the journal; a kind that this version does not know is a mismatch.
    ///
    /// - Parameter memories: The kinds of memory that this program knows.
    public init(_ json: JSON, _ memories: MemoryKinds) throws(JSONMismatch) {
        let reader = JSONReader(json)
        let written = try reader.member("kind")
        let kind = try written.string()
        if let fact = try Schedule.Fact(kind: kind, reader) {
            self = .schedule(fact)
        } else if let fact = try Figures.Fact(kind: kind, reader, memories) {
            self = .figures(fact)
        } else if let fact = try Incidents.Fact(kind: kind, reader) {
            self = .incidents(fact)
        } else if let fact = try Mutes.Fact(kind: kind, reader) {
            self = .mutes(fact)
        } else if let fact = try Outbox.Fact(kind: kind, reader) {
            self = .outbox(fact)
        } else {
            throw written.mismatch(expected: "a kind of record that this version knows")
        }
    }
}
