/// What rules remember of one subject beyond its figures.
///
/// A rule is a value without memory: it may be made anew at any moment. What it learns lies with the subject's
/// `Series`, is fed with every observation of the subject in the order in which they come, goes into snapshots, and
/// ends when the subject is forgotten. A replay of the journal feeds it again, so it must follow from what it was fed
/// with and from nothing else: it reads no clock, and where the wall clock was set back, `seen` goes back too. It must
/// be bounded: all that is kept of a subject is one record of the journal, of at most 4 MiB.
///
/// A memory is either an `AskedMemory` or a `StandingMemory`. Its kind is named once, in `Detector.memories` of the
/// plugins that read it; neither the core nor the journal knows any.
public protocol DetectorMemory: Hashable, JSONWritable, JSONReadable, Sendable {
    /// What it is called in the journal, of letters, digits and underscores. It stays what it was once released.
    static var name: String { get }

    /// Takes in an observation, whichever rules there are: it may be unfinished, a span seen before, or an older sight.
    mutating func add(_ observation: Observation)

    /// The same, with what is known of others where the observation names issues; unless said otherwise, it is passed
    /// over.
    mutating func add(_ observation: Observation, after elders: Elders)

    /// Takes over what has to outlive an app as a whole, or a release, that is forgotten while others of the same app
    /// are not; unless said otherwise, nothing. What was kept for another need comes, too.
    mutating func inherit(_ gone: Self)
}

extension DetectorMemory {
    public mutating func add(_ observation: Observation, after elders: Elders) { add(observation) }
    public mutating func inherit(_ gone: Self) {}
}

/// A memory that is kept while a rule asks for it, from the observation on with which one first does.
///
/// Rules with the same need share one; what no rule asks for any more is forgotten with the next observation.
public protocol AskedMemory: DetectorMemory {
    /// What a rule may want remembered; what it is written as is read in the journal.
    associatedtype Need: Hashable, JSONWritable, JSONReadable, Sendable

    var need: Need { get }

    /// One that knows nothing yet.
    init(_ need: Need)

    /// What a new release of an app begins with; unless said otherwise, nothing is handed on.
    ///
    /// - Parameter elders: what is remembered for the same need of the app as a whole, and of its other releases.
    static func beginning(_ need: Need, after elders: [Self]) -> Self

    /// What goes on from what was kept of the very subject for another need: a rule has been changed, and what was learned
    /// for it is as true as before. Nil where that says nothing, which it does unless said otherwise.
    static func beginning(_ need: Need, from other: Self) -> Self?
}

extension AskedMemory {
    public static func beginning(_ need: Need, after elders: [Self]) -> Self { Self(need) }
    public static func beginning(_ need: Need, from other: Self) -> Self? { nil }
}

/// A memory that is kept of every subject from its first observation on, whatever rules there are: for what a rule that
/// is added later could not find out any more, such as whether something was there before.
///
/// It costs every bot its room, so it is for little; an empty one is cheap.
public protocol StandingMemory: DetectorMemory {
    /// One that knows nothing yet.
    init()
}

/// A kind of memory, as the registry of a program holds it.
public struct MemoryKind: Sendable {
    public let name: String
    let identity: ObjectIdentifier
    /// What every series begins with; nil for a kind that is kept when asked for.
    let beginning: MemoryBox?
    let read: @Sendable (JSONReader) throws(JSONMismatch) -> MemoryBox
    /// What a memory of this kind is kept for; nil for one that is always kept.
    let need: @Sendable (MemoryBox) -> MemoryNeed?
    /// Reads what a rule may need of this kind; nil where none asks for it.
    let readNeed: @Sendable (JSONReader) throws(JSONMismatch) -> MemoryNeed?

    public init<Memory: StandingMemory>(_ type: Memory.Type) {
        name = Memory.name
        identity = ObjectIdentifier(type)
        beginning = TypedMemoryBox(Memory())
        read = { reader throws(JSONMismatch) in TypedMemoryBox(try Memory(reader)) }
        need = { _ in nil }
        readNeed = { _ in nil }
    }

    public init<Memory: AskedMemory>(_ type: Memory.Type) {
        name = Memory.name
        identity = ObjectIdentifier(type)
        beginning = nil
        read = { reader throws(JSONMismatch) in TypedMemoryBox(try Memory(reader)) }
        need = { box in (box as? TypedMemoryBox<Memory>).map { MemoryNeed(Memory.self, $0.kept.need) } }
        readNeed = { reader throws(JSONMismatch) in MemoryNeed(Memory.self, try Memory.Need(reader)) }
    }
}

/// The kinds of memory that a program knows: what it reads in a journal, and what it keeps of every subject.
public struct MemoryKinds: Sendable {
    let kinds: [MemoryKind]
    /// What a series begins with.
    let beginning: SeriesMemory

    /// For programs and tests without any.
    public static let none = MemoryKinds([])

    /// - Parameter kinds: the same one may come many times, as the plugins that share it name it.
    public init(_ kinds: some Sequence<MemoryKind>) {
        var known: [MemoryKind] = []
        for kind in kinds where !known.contains(where: { $0.identity == kind.identity }) {
            precondition(
                !known.contains { $0.name == kind.name } && !Series.ownMembers.contains(kind.name),
                "two kinds of memory are called '\(kind.name)', and the journal could not tell them apart")
            known.append(kind)
        }
        self.kinds = known
        beginning = SeriesMemory(known)
    }

    public subscript(_ name: String) -> MemoryKind? { kinds.first { $0.name == name } }
}

/// What a rule wants remembered: of which kind, and what of it.
public struct MemoryNeed: Hashable, Sendable {
    /// Shared by all copies, so that what a rule asks for is known again at a glance: it is compared at every
    /// observation.
    private let need: any ErasedNeed

    public init<Memory: AskedMemory>(_ kind: Memory.Type, _ need: Memory.Need) {
        self.need = TypedNeed<Memory>(need)
    }

    var kind: MemoryKind { need.kind }
    /// The name of the kind.
    public var name: String { need.name }

    /// A memory that begins now.
    ///
    /// - Parameters:
    ///   - known: what was kept of the subject so far.
    ///   - elders: what is kept of the app as a whole and of its other releases.
    func beginning(from known: [MemoryBox], after elders: [MemoryBox]) -> MemoryBox {
        need.beginning(from: known, after: elders)
    }

    func isMet(by box: MemoryBox) -> Bool { need.isMet(by: box) }

    public static func == (left: MemoryNeed, right: MemoryNeed) -> Bool {
        left.need === right.need || left.need.isSame(as: right.need)
    }

    public func hash(into hasher: inout Hasher) { need.hash(into: &hasher) }
}

extension MemoryNeed: JSONPuttable {
    /// Needs of this kind are written without their kind's name: journals of the first releases know no other.
    private static let unnamed = "learned"

    public func put(into json: inout JSONWriter) {
        guard name != MemoryNeed.unnamed else { return need.put(into: &json) }
        json.object { json in
            json.member("memory", name)
            need.putMember(into: &json)
        }
    }

    /// Reads a need; nil where this program knows no such kind.
    fileprivate static func read(
        _ reader: JSONReader, _ kinds: MemoryKinds
    ) throws(JSONMismatch) -> MemoryNeed? {
        guard reader.value["memory"] != nil else { return try kinds[MemoryNeed.unnamed]?.readNeed(reader) }
        return try kinds[try reader.member("memory").string()]?.readNeed(reader.member("need"))
    }
}

/// What the rules that concern a subject want remembered of it: every need once, those of a kind together.
public struct MemoryNeeds: Hashable, Sendable, ExpressibleByArrayLiteral {
    public private(set) var list: [MemoryNeed] = []

    public init() {}
    public init(arrayLiteral needs: MemoryNeed...) { for need in needs { insert(need) } }

    public var isEmpty: Bool { list.isEmpty }

    public mutating func insert(_ need: MemoryNeed) {
        guard !list.contains(need) else { return }
        let place = list.lastIndex { $0.name <= need.name }.map { $0 + 1 } ?? 0
        list.insert(need, at: place)
    }

    public mutating func formUnion(_ other: MemoryNeeds) { for need in other.list { insert(need) } }
}

extension MemoryNeeds: JSONWritable {
    public func put(into json: inout JSONWriter) { list.put(into: &json) }

    /// Reads what was needed; a need of a kind that this program does not know is passed over.
    public init(_ reader: JSONReader, _ kinds: MemoryKinds) throws(JSONMismatch) {
        for element in try reader.elements() {
            if let need = try MemoryNeed.read(element, kinds) { insert(need) }
        }
    }
}

/// A need without its type.
private protocol ErasedNeed: AnyObject, JSONPuttable, Sendable {
    var name: String { get }
    var kind: MemoryKind { get }
    func beginning(from known: [MemoryBox], after elders: [MemoryBox]) -> MemoryBox
    func isMet(by box: MemoryBox) -> Bool
    func isSame(as other: any ErasedNeed) -> Bool
    /// Puts a member `need`.
    func putMember(into json: inout JSONWriter)
    func hash(into hasher: inout Hasher)
}

private final class TypedNeed<Memory: AskedMemory>: ErasedNeed {
    let need: Memory.Need

    init(_ need: Memory.Need) { self.need = need }

    var name: String { Memory.name }
    var kind: MemoryKind { MemoryKind(Memory.self) }
    func beginning(from known: [MemoryBox], after elders: [MemoryBox]) -> MemoryBox {
        for case let other as TypedMemoryBox<Memory> in known {
            if let memory = Memory.beginning(need, from: other.kept) { return TypedMemoryBox(memory) }
        }
        let elders = elders.compactMap { ($0 as? TypedMemoryBox<Memory>)?.kept }.filter { $0.need == need }
        return TypedMemoryBox(Memory.beginning(need, after: elders))
    }
    func isMet(by box: MemoryBox) -> Bool { (box as? TypedMemoryBox<Memory>)?.kept.need == need }
    func isSame(as other: any ErasedNeed) -> Bool { (other as? TypedNeed<Memory>)?.need == need }
    func put(into json: inout JSONWriter) { need.put(into: &json) }
    func putMember(into json: inout JSONWriter) { json.member("need", need) }

    func hash(into hasher: inout Hasher) {
        hasher.combine(Memory.name)
        hasher.combine(need)
    }
}
