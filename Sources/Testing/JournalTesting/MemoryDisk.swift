// JournalTesting is a disk for tests and simulations of whatever keeps a journal.

public import Journal
internal import Synchronization

/// A disk in memory that fails as real ones do: short and torn writes, no room, lost syncs, power cuts.
///
/// What is not synced survives a power cut only by chance, bytes and names alike. After a failed sync the bytes stay
/// readable, but no later sync will ever write them.
public final class MemoryDisk: JournalDisk {
    /// What an operation does instead of succeeding. A refused write leaves `bytesKept` of its bytes behind.
    public struct Fault: Sendable {
        public var reason: DiskFault.Reason
        public var bytesKept: Int

        public init(reason: DiskFault.Reason, bytesKept: Int = 0) {
            self.reason = reason
            self.bytesKept = bytesKept
        }
    }

    public typealias Faults = @Sendable (DiskFault.Operation, String) -> Fault?

    private enum Change {
        case write(offset: Int, [UInt8])
        case truncate(Int)
    }

    private struct Contents {
        var visible: [UInt8] = []
        var durable: [UInt8] = []
        var unsynced: [Change] = []
    }

    private struct NameChange {
        var removed: String?
        var added: (name: String, contents: Int)?
    }

    private struct State {
        /// By numbers of their own: a file keeps its bytes when its name goes, for as long as it is open.
        var contents: [Int: Contents] = [:]
        var contentsCount = 0
        var openCounts: [Int: Int] = [:]
        var names: [String: Int] = [:]
        var durableNames: [String: Int] = [:]
        var unsyncedNames: [NameChange] = []
        /// Which of the folders that stood here, one after the other, is locked.
        var lockedRoot: Int?
        var root = 0
        var operations: [DiskFault.Operation] = []
        var cutAt: Int?
        var isOff = false
        var faults: Faults = { _, _ in nil }
        var keepsUnsynced = false
    }

    public let folder = "state"
    private let state = Mutex(State())

    public init() {}

    // MARK: What tests do to it

    /// The operations since the last call, in order.
    public func takeOperations() -> [DiskFault.Operation] {
        state.withLock { state in
            defer { state.operations = [] }
            return state.operations
        }
    }

    /// Whether bytes that a sync could not write stay there for the next one, as some systems have it. Otherwise they
    /// are readable and lost, as Linux has it.
    public func setKeepsUnsynced(_ keeps: Bool) { state.withLock { $0.keepsUnsynced = keeps } }

    public func setFaults(_ faults: @escaping Faults) { state.withLock { $0.faults = faults } }

    /// Cuts the power during the given operation, counted from 1 from now on.
    public func cutPower(at operation: Int) {
        state.withLock {
            $0.operations = []
            $0.cutAt = operation
        }
    }

    /// Brings the disk back with what a power cut left of it.
    public func restart(_ random: inout some RandomNumberGenerator) {
        state.withLock { state in
            for change in state.unsyncedNames where Bool.random(using: &random) {
                Self.apply(change, to: &state.durableNames)
            }
            state.names = state.durableNames
            state.unsyncedNames = []
            Self.forgetUnreachable(&state)
            for number in state.contents.keys.sorted() {
                Self.loseUnsynced(&state.contents[number, default: Contents()], &random)
            }
            state.cutAt = nil
            state.isOff = false
            state.faults = { _, _ in nil }
        }
    }

    /// Brings the disk back with all that it was told: the process ended, the machine did not.
    public func restartProcess() {
        state.withLock {
            $0.cutAt = nil
            $0.isOff = false
            $0.faults = { _, _ in nil }
        }
    }

    private static func loseUnsynced(_ contents: inout Contents, _ random: inout some RandomNumberGenerator) {
        let kept = Int.random(in: 0...contents.unsynced.count, using: &random)
        for change in contents.unsynced.prefix(kept) { apply(change, to: &contents.durable) }
        let lengthBefore = contents.durable.count
        for (index, change) in contents.unsynced.dropFirst(kept).enumerated() {
            guard case .write(let offset, let bytes) = change else { continue }
            // Where the file had bytes before, its blocks are written in any order, of all that was to be written.
            for start in stride(from: offset, to: min(offset + bytes.count, lengthBefore), by: blockBytes)
            where Bool.random(using: &random) {
                let block = bytes[(start - offset)...].prefix(min(blockBytes, lengthBefore - start))
                apply(.write(offset: start, Array(block)), to: &contents.durable)
            }
            // Where it grows, it grows from its end on, and what it grew by last may still be zeros.
            let grown = bytes.dropFirst(max(0, lengthBefore - offset))
            guard index == 0, !grown.isEmpty else { continue }
            var torn = Array(grown.prefix(Int.random(in: 0...grown.count, using: &random)))
            let zeros = Int.random(in: 0...min(blockBytes, torn.count), using: &random)
            for index in torn.count - zeros..<torn.count { torn[index] = 0 }
            apply(.write(offset: max(offset, lengthBefore), torn), to: &contents.durable)
        }
        contents.visible = contents.durable
        contents.unsynced = []
    }

    /// What is written at once or not at all: small, so that the short files of tests have many.
    private static let blockBytes = 64

    /// Another disk with the files that a reader sees here.
    public func copied() -> MemoryDisk {
        let copy = MemoryDisk()
        for name in fileNames { copy[name] = self[name] }
        return copy
    }

    /// Takes the folder away with all that is in it; open files stay open.
    public func uproot() {
        state.withLock { state in
            state.names = [:]
            state.durableNames = [:]
            state.unsyncedNames = []
            state.root += 1
        }
    }

    /// The names in the folder but for the lock.
    public var fileNames: [String] { state.withLock { $0.names.keys.filter { $0 != "lock" }.sorted() } }

    /// What a reader sees in a file; setting it is durable at once.
    public subscript(name: String) -> [UInt8] {
        get { state.withLock { state in state.names[name].flatMap { state.contents[$0]?.visible } ?? [] } }
        set {
            state.withLock { state in
                let number = Self.make(&state, Contents(visible: newValue, durable: newValue))
                state.names[name] = number
                state.durableNames[name] = number
            }
        }
    }

    // MARK: JournalDisk

    public func makeFolder() throws(DiskFault) { try step(.makeFolder, "") }

    public func list() throws(DiskFault) -> [String] {
        try step(.list, "")
        return state.withLock { Array($0.names.keys) }
    }

    public func lock(_ name: String) throws(DiskFault) -> any JournalLock {
        try step(.lock, name)
        let root: Int? = state.withLock { state in
            guard state.lockedRoot != state.root else { return nil }
            state.lockedRoot = state.root
            return state.root
        }
        guard let root else { throw DiskFault(.lock, name, .held(pid: 123)) }
        return Lock(self, root: root)
    }

    public func openToRead(_ name: String) throws(DiskFault) -> any JournalFile {
        try step(.openToRead, name)
        guard let contents = state.withLock({ $0.names[name] }) else { throw DiskFault(.openToRead, name, .absent) }
        return File(disk: self, name: name, contents: contents)
    }

    public func openToWrite(_ name: String) throws(DiskFault) -> any JournalFile {
        try step(.openToWrite, name)
        let contents = state.withLock { state in
            if let contents = state.names[name] { return contents }
            let number = Self.make(&state, Contents())
            Self.change(&state, NameChange(removed: nil, added: (name, number)))
            return number
        }
        return File(disk: self, name: name, contents: contents)
    }

    public func rename(_ name: String, to newName: String) throws(DiskFault) {
        try step(.rename, name)
        let isThere = state.withLock { state in
            guard let contents = state.names[name] else { return false }
            Self.change(&state, NameChange(removed: name, added: (newName, contents)))
            return true
        }
        if !isThere { throw DiskFault(.rename, name, .absent) }
    }

    public func remove(_ name: String) throws(DiskFault) {
        try step(.remove, name)
        let isThere = state.withLock { state in
            guard state.names[name] != nil else { return false }
            Self.change(&state, NameChange(removed: name, added: nil))
            return true
        }
        if !isThere { throw DiskFault(.remove, name, .absent) }
    }

    public func syncFolder() throws(DiskFault) {
        try step(.sync, "")
        state.withLock { state in
            state.durableNames = state.names
            state.unsyncedNames = []
            Self.forgetUnreachable(&state)
        }
    }

    private static func make(_ state: inout State, _ contents: Contents) -> Int {
        state.contentsCount += 1
        state.contents[state.contentsCount] = contents
        return state.contentsCount
    }

    /// Lets go of bytes that have no name any more and that nobody has open.
    private static func forgetUnreachable(_ state: inout State) {
        let named = Set(state.names.values).union(state.durableNames.values)
        let added = state.unsyncedNames.compactMap { $0.added?.contents }
        for number in state.contents.keys
        where !named.contains(number) && !added.contains(number) && state.openCounts[number] == nil {
            state.contents[number] = nil
        }
    }

    private static func change(_ state: inout State, _ change: NameChange) {
        apply(change, to: &state.names)
        state.unsyncedNames.append(change)
    }

    private static func apply(_ change: NameChange, to names: inout [String: Int]) {
        if let removed = change.removed { names[removed] = nil }
        if let added = change.added { names[added.name] = added.contents }
    }

    private static func apply(_ change: Change, to bytes: inout [UInt8]) {
        switch change {
        case .write(let offset, let new):
            if bytes.count < offset { bytes += Array(repeating: 0, count: offset - bytes.count) }
            bytes.replaceSubrange(offset..<min(bytes.count, offset + new.count), with: new)
        case .truncate(let count): bytes.removeLast(max(0, bytes.count - count))
        }
    }

    /// Counts an operation and throws if it is to fail.
    private func step(_ operation: DiskFault.Operation, _ name: String) throws(DiskFault) {
        if let fault = plan(operation, name) { throw DiskFault(operation, name, fault.reason) }
    }

    private func plan(_ operation: DiskFault.Operation, _ name: String) -> Fault? {
        state.withLock { state in
            state.operations.append(operation)
            if state.isOff { return Fault(reason: .failed("the power is off")) }
            if state.operations.count == state.cutAt {
                state.isOff = true
                return Fault(reason: .failed("the power went off"), bytesKept: .max)
            }
            return state.faults(operation, name)
        }
    }

    private final class Lock: JournalLock {
        private let disk: MemoryDisk
        private let root: Int

        init(_ disk: MemoryDisk, root: Int) {
            self.disk = disk
            self.root = root
        }

        deinit { disk.state.withLock { if $0.lockedRoot == root { $0.lockedRoot = nil } } }

        func isInPlace() -> Bool { disk.state.withLock { $0.root == root } }
    }

    private final class File: JournalFile {
        private let disk: MemoryDisk
        private let name: String
        private let contents: Int

        init(disk: MemoryDisk, name: String, contents: Int) {
            self.disk = disk
            self.name = name
            self.contents = contents
            disk.state.withLock { $0.openCounts[contents, default: 0] += 1 }
        }

        deinit {
            disk.state.withLock { state in
                let left = state.openCounts[contents, default: 1] - 1
                state.openCounts[contents] = left == 0 ? nil : left
            }
        }

        func isInPlace() -> Bool { disk.state.withLock { $0.names[name] == contents } }

        func bytesCount() throws(DiskFault) -> Int {
            try disk.step(.bytesCount, name)
            return disk.state.withLock { $0.contents[contents]?.visible.count ?? 0 }
        }

        func read(at offset: Int, bytesMax: Int) throws(DiskFault) -> [UInt8] {
            try disk.step(.read, name)
            return disk.state.withLock {
                Array($0.contents[contents]?.visible.dropFirst(offset).prefix(bytesMax) ?? [])
            }
        }

        func write(_ bytes: [UInt8], at offset: Int) throws(DiskFault) {
            let fault = disk.plan(.write, name)
            let kept = Array(bytes.prefix(fault?.bytesKept ?? bytes.count))
            disk.state.withLock { state in
                let change = Change.write(offset: offset, kept)
                MemoryDisk.apply(change, to: &state.contents[contents, default: Contents()].visible)
                state.contents[contents]?.unsynced.append(change)
            }
            if let fault { throw DiskFault(.write, name, fault.reason) }
        }

        func truncate(to bytesCount: Int) throws(DiskFault) {
            try disk.step(.truncate, name)
            disk.state.withLock { state in
                MemoryDisk.apply(.truncate(bytesCount), to: &state.contents[contents, default: Contents()].visible)
                state.contents[contents]?.unsynced.append(.truncate(bytesCount))
            }
        }

        func syncData() throws(DiskFault) {
            let fault = disk.plan(.sync, name)
            disk.state.withLock { state in
                if fault == nil {
                    for change in state.contents[contents]?.unsynced ?? [] {
                        MemoryDisk.apply(change, to: &state.contents[contents, default: Contents()].durable)
                    }
                }
                if !state.isOff, fault == nil || !state.keepsUnsynced { state.contents[contents]?.unsynced = [] }
            }
            if let fault { throw DiskFault(.sync, name, fault.reason) }
        }
    }
}
