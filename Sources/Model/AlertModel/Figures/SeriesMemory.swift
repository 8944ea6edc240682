// What a series remembers for detectors, without knowing any of them.

/// All that is remembered of a subject.
struct SeriesMemory: Hashable, Sendable {
    /// The kinds that may be here, whether or not anything of them is.
    private var kinds: [MemoryKind]
    /// First what is always kept, then what was asked for, in the order of the needs.
    private(set) var boxes: [MemoryBox]
    private(set) var needs = MemoryNeeds()
    /// What was read and nobody here understands: its plugin is not in this program. It is carried along as it was
    /// written until an observation passes it by, for from then on it would be wrong.
    private var strange: [JSONObject.Member] = []

    init(_ kinds: [MemoryKind]) {
        self.kinds = kinds
        boxes = kinds.compactMap(\.beginning)
    }

    mutating func add(_ observation: Observation, after elders: Elders) {
        for index in boxes.indices {
            makeOwn(index)
            boxes[index].add(observation, after: elders)
        }
        if !strange.isEmpty { strange = [] }
    }

    /// Takes over what has to outlive another memory of the same app.
    mutating func inherit(_ gone: SeriesMemory) {
        for index in boxes.indices {
            makeOwn(index)
            for box in gone.boxes { boxes[index].inherit(box) }
        }
    }

    private mutating func makeOwn(_ index: Int) {
        if !isKnownUniquelyReferenced(&boxes[index]) { boxes[index] = boxes[index].copy() }
    }

    /// From now on keeps what is needed; of what was kept before and is not needed any more nothing is left.
    ///
    /// - Parameter elders: what is remembered of the app as a whole and of its other releases.
    mutating func keep(_ needs: MemoryNeeds, after elders: [MemoryBox]) {
        let known = boxes
        boxes.removeAll { box in self.needs.list.contains { $0.isMet(by: box) } }
        for need in needs.list {
            let kind = need.kind
            if !kinds.contains(where: { $0.identity == kind.identity }) { kinds.append(kind) }
            boxes.append(known.first { need.isMet(by: $0) } ?? need.beginning(from: known, after: elders))
        }
        self.needs = needs
    }

    // Which kinds may be here makes no difference, only what is.

    static func == (left: SeriesMemory, right: SeriesMemory) -> Bool {
        left.boxes.count == right.boxes.count && zip(left.boxes, right.boxes).allSatisfy { $0.isSame(as: $1) }
            && left.needs == right.needs && left.strange == right.strange
    }

    func hash(into hasher: inout Hasher) { for box in boxes { box.memory.hash(into: &hasher) } }
}

extension SeriesMemory {
    /// Puts a member for each kind that is always kept.
    func putStanding(into json: inout JSONWriter) {
        for kind in kinds where kind.beginning != nil {
            for box in boxes where box.identity == kind.identity { box.memory.putMember(into: &json) }
        }
    }

    /// Puts a member for each kind that is kept when asked for, and for what is strange.
    func putAsked(into json: inout JSONWriter) {
        for kind in kinds where kind.beginning == nil {
            let memories = boxes.filter { $0.identity == kind.identity }.map(\.memory)
            json.member(named: kind.name, ErasedMemories(memories: memories))
        }
        for member in strange { json.member(named: member.name, member.value) }
    }

    /// Reads the members that are memories; of a kind that is missing a new one begins, for journals may be older than
    /// it.
    init(_ reader: JSONReader, _ kinds: MemoryKinds) throws(JSONMismatch) {
        self = kinds.beginning
        var asked: [MemoryBox] = []
        for (name, value) in try reader.members() where !Series.ownMembers.contains(name) {
            guard let kind = kinds[name] else {
                strange.append(JSONObject.Member(name: name, value: value.value))
                continue
            }
            guard value.value != .null else { continue }
            if let index = boxes.firstIndex(where: { $0.identity == kind.identity }) {
                boxes[index] = try kind.read(value)
                continue
            }
            for element in try value.elements() {
                let box = try kind.read(element)
                asked.append(box)
                if let need = kind.need(box) { needs.insert(need) }
            }
        }
        boxes += needs.list.compactMap { need in asked.first { need.isMet(by: $0) } }
    }
}

/// One memory of a series, without its type.
///
/// A class, for a reference is known by its type at a glance, and rules look their memories up at every observation. It
/// is a part of a value all the same: whoever changes it makes sure that nobody else holds it, or changes a copy.
@usableFromInline class MemoryBox: @unchecked Sendable {
    /// Of the type of memory.
    let identity: ObjectIdentifier

    fileprivate init(_ identity: ObjectIdentifier) { self.identity = identity }

    var memory: any DetectorMemory { preconditionFailure("a box is made for a type of memory") }
    func copy() -> MemoryBox { preconditionFailure("a box is made for a type of memory") }
    fileprivate func add(_ observation: Observation, after elders: Elders) {}
    fileprivate func inherit(_ gone: MemoryBox) {}

    fileprivate func isSame(as other: MemoryBox) -> Bool { self === other || memory.isSame(as: other.memory) }
}

/// Changed by `SeriesMemory` alone, which in `makeOwn` first makes sure that it is the only one to hold it
/// (`isKnownUniquelyReferenced`), or takes a copy; all others only read.
@usableFromInline final class TypedMemoryBox<Memory: DetectorMemory>: MemoryBox, @unchecked Sendable {
    @usableFromInline private(set) var kept: Memory

    init(_ memory: Memory) {
        kept = memory
        super.init(ObjectIdentifier(Memory.self))
    }

    override var memory: any DetectorMemory { kept }
    override func copy() -> MemoryBox { TypedMemoryBox(kept) }
    override fileprivate func add(_ observation: Observation, after elders: Elders) {
        kept.add(observation, after: elders)
    }
    override fileprivate func inherit(_ gone: MemoryBox) {
        if let gone = gone as? TypedMemoryBox<Memory> { kept.inherit(gone.kept) }
    }
}

extension DetectorMemory {
    fileprivate func isSame(as other: any DetectorMemory) -> Bool { (other as? Self) == self }

    /// Puts a member of the kind's name.
    fileprivate func putMember(into json: inout JSONWriter) { json.member(named: Self.name, self) }
}

/// An array of memories, for the journal.
private struct ErasedMemories: JSONPuttable {
    let memories: [any DetectorMemory]

    func put(into json: inout JSONWriter) {
        json.array { json in for memory in memories { memory.put(into: &json) } }
    }
}
