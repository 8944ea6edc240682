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
    private var inRoom: any RoomFact {
        switch self {
        case .schedule(let fact): fact
        case .figures(let fact): fact
        case .incidents(let fact): fact
        case .mutes(let fact): fact
        case .outbox(let fact): fact
        }
    }

    /// What it is about, so that a journal knows which records it overtakes.
    public var topic: Topic { inRoom.topic }

    /// An object whose `kind` says what it is.
    public func put(into json: inout JSONWriter) {
        let fact = inRoom
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
