// What a series remembers for detectors, by kind and without knowing any of them.

/// All that is remembered of a subject.
struct SeriesMemory: Hashable, Sendable {
    /// The memories of one kind.
    private struct Shelf: Hashable, Sendable {
        let identity: ObjectIdentifier
        var memories: any Memories

        static func == (left: Shelf, right: Shelf) -> Bool { left.memories.isSame(as: right.memories) }
        func hash(into hasher: inout Hasher) { memories.hash(into: &hasher) }
    }

    private var shelves: [Shelf] = []
    private(set) var needs = MemoryNeeds()
    /// What was read and nobody here understands: its plugin is not in this program. It is carried along as it was written
    /// until an observation passes it by, for from then on it would be wrong.
    private var strange: [JSONObject.Member] = []

    init(_ kinds: [MemoryKind]) { for kind in kinds { add(kind) } }

    private mutating func add(_ kind: MemoryKind) {
        shelves.append(Shelf(identity: kind.identity, memories: kind.type.init()))
    }

    mutating func add(_ observation: Observation) {
        // By index, so that nothing is copied out to be changed.
        for index in shelves.indices { shelves[index].memories.add(observation) }
        if !strange.isEmpty { strange = [] }
    }

    /// From now on keeps what is needed; of what was kept before and is not needed any more nothing is left.
    mutating func keep(_ needs: MemoryNeeds) {
        for need in needs.list where !shelves.contains(where: { $0.identity == need.kind.identity }) { add(need.kind) }
        for index in shelves.indices { shelves[index].memories.keep(needs) }
        self.needs = needs
    }

    /// The one memory of a kind that is always kept; nil where this program does not know it.
    func standing<Memory: StandingMemory>(_ kind: Memory.Type) -> Memory? {
        for shelf in shelves where shelf.identity == ObjectIdentifier(kind) {
            return (shelf.memories as? StandingMemories<Memory>)?.memory.first
        }
        return nil
    }

    /// The memories of a kind that is kept when asked for.
    func asked<Memory: AskedMemory>(_ kind: Memory.Type) -> [Memory] {
        for shelf in shelves where shelf.identity == ObjectIdentifier(kind) {
            return (shelf.memories as? AskedMemories<Memory>)?.memories ?? []
        }
        return []
    }
}

extension SeriesMemory {
    /// Puts a member for each kind that is always kept, or for each other one.
    func putMembers(into json: inout JSONWriter, standing isStanding: Bool) {
        for shelf in shelves where type(of: shelf.memories).isStanding == isStanding {
            shelf.memories.putMember(into: &json)
        }
        guard !isStanding else { return }
        for member in strange { json.member(named: member.name, member.value) }
    }

    /// Reads the members that are memories; of a kind that is missing a new one begins, for journals may be older than it.
    init(_ reader: JSONReader, _ kinds: MemoryKinds) throws(JSONMismatch) {
        self = kinds.beginning
        for (name, value) in try reader.members() where !Series.ownMembers.contains(name) {
            guard let kind = kinds[name] else {
                strange.append(JSONObject.Member(name: name, value: value.value))
                continue
            }
            guard value.value != .null else { continue }
            guard let index = shelves.firstIndex(where: { $0.identity == kind.identity }) else { continue }
            shelves[index].memories = try kind.type.init(value)
            for need in shelves[index].memories.needs { needs.insert(need) }
        }
    }
}

/// The memories of one kind that a series holds. Whatever conforms is one word, so that a list holds it in place.
protocol Memories: Sendable {
    static var name: String { get }
    /// Of the type of memory.
    static var identity: ObjectIdentifier { get }
    static var isStanding: Bool { get }

    /// What a series has before it is fed.
    init()
    init(_ reader: JSONReader) throws(JSONMismatch)
    /// Reads what a rule may need of this kind; nil where none asks for it.
    static func need(_ reader: JSONReader) throws(JSONMismatch) -> MemoryNeed?

    var needs: [MemoryNeed] { get }
    mutating func add(_ observation: Observation)
    mutating func keep(_ needs: MemoryNeeds)
    func isSame(as other: any Memories) -> Bool
    func hash(into hasher: inout Hasher)
    /// Puts a member of the kind's name.
    func putMember(into json: inout JSONWriter)
}

/// The one memory of a kind that is always kept.
struct StandingMemories<Memory: StandingMemory>: Memories, Hashable {
    /// In an array of one, which copies share.
    private(set) var memory: [Memory]

    init() { memory = [Memory()] }
    init(_ reader: JSONReader) throws(JSONMismatch) { memory = [try Memory(reader)] }
    static func need(_ reader: JSONReader) throws(JSONMismatch) -> MemoryNeed? { nil }

    static var name: String { Memory.name }
    static var identity: ObjectIdentifier { ObjectIdentifier(Memory.self) }
    static var isStanding: Bool { true }
    var needs: [MemoryNeed] { [] }

    mutating func add(_ observation: Observation) { memory[0].add(observation) }
    mutating func keep(_ needs: MemoryNeeds) {}
    func isSame(as other: any Memories) -> Bool { (other as? Self) == self }
    func putMember(into json: inout JSONWriter) { json.member(named: Memory.name, memory[0]) }
}

/// The memories of a kind that is kept when asked for, in the order of the needs.
struct AskedMemories<Memory: AskedMemory>: Memories, Hashable {
    private(set) var memories: [Memory] = []

    init() {}

    init(_ reader: JSONReader) throws(JSONMismatch) {
        for element in try reader.elements() { memories.append(try Memory(element)) }
    }

    static func need(_ reader: JSONReader) throws(JSONMismatch) -> MemoryNeed? {
        MemoryNeed(Memory.self, try Memory.Need(reader))
    }

    static var name: String { Memory.name }
    static var identity: ObjectIdentifier { ObjectIdentifier(Memory.self) }
    static var isStanding: Bool { false }
    var needs: [MemoryNeed] { memories.map { MemoryNeed(Memory.self, $0.need) } }

    mutating func add(_ observation: Observation) {
        for index in memories.indices { memories[index].add(observation) }
    }

    mutating func keep(_ needs: MemoryNeeds) {
        let needs = needs.list.compactMap { $0.need(of: Memory.self) }
        memories = needs.map { need in memories.first { $0.need == need } ?? Memory(need) }
    }

    func isSame(as other: any Memories) -> Bool { (other as? Self) == self }
    func putMember(into json: inout JSONWriter) { json.member(named: Memory.name, memories) }
}
