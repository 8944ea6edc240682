internal import Journal
internal import Synchronization

/// A disk in memory that can be full, and knows which bytes a power cut would leave.
final class ShortDisk: JournalDisk {
    private struct Contents {
        var visible: [UInt8]
        var durable: [UInt8]
    }

    private struct State {
        var contents: [Contents] = []
        var names: [String: Int] = [:]
        var isFull = false
        /// Which of the folders that stood here, one after the other, is locked.
        var lockedRoot: Int?
        var root = 0
    }

    let folder = "state"
    private let state: Mutex<State>

    init() { state = Mutex(State()) }

    /// A disk that holds these files.
    init(_ files: [String: [UInt8]]) {
        var state = State()
        for (name, bytes) in files {
            state.names[name] = state.contents.count
            state.contents.append(Contents(visible: bytes, durable: bytes))
        }
        self.state = Mutex(state)
    }

    func setFull(_ isFull: Bool) { state.withLock { $0.isFull = isFull } }

    /// Takes the folder away with all that is in it.
    func uproot() {
        state.withLock { state in
            state.names = [:]
            state.root += 1
        }
    }

    var names: [String] { state.withLock { $0.names.keys.sorted() } }

    /// What a power cut now would leave.
    var afterPowerCut: ShortDisk {
        ShortDisk(state.withLock { state in state.names.mapValues { state.contents[$0].durable } })
    }

    func makeFolder() {}
    func list() -> [String] { state.withLock { Array($0.names.keys) } }

    func lock(_ name: String) throws(DiskFault) -> any JournalLock {
        let root: Int? = state.withLock { state in
            guard state.lockedRoot != state.root else { return nil }
            state.lockedRoot = state.root
            return state.root
        }
        guard let root else { throw DiskFault(.lock, name, .held(pid: nil)) }
        return Lock(self, root)
    }

    func openToRead(_ name: String) throws(DiskFault) -> any JournalFile {
        guard let contents = state.withLock({ $0.names[name] }) else { throw DiskFault(.openToRead, name, .absent) }
        return File(self, name, contents)
    }

    func openToWrite(_ name: String) throws(DiskFault) -> any JournalFile {
        let contents = state.withLock { state in
            if let contents = state.names[name] { return contents }
            state.contents.append(Contents(visible: [], durable: []))
            state.names[name] = state.contents.count - 1
            return state.contents.count - 1
        }
        return File(self, name, contents)
    }

    func rename(_ name: String, to newName: String) throws(DiskFault) {
        let isThere = state.withLock { state in
            guard let contents = state.names.removeValue(forKey: name) else { return false }
            state.names[newName] = contents
            return true
        }
        if !isThere { throw DiskFault(.rename, name, .absent) }
    }

    func remove(_ name: String) throws(DiskFault) {
        if state.withLock({ $0.names.removeValue(forKey: name) }) == nil {
            throw DiskFault(.remove, name, .absent)
        }
    }

    func syncFolder() {}

    private final class Lock: JournalLock {
        private let disk: ShortDisk
        private let root: Int

        init(_ disk: ShortDisk, _ root: Int) {
            self.disk = disk
            self.root = root
        }

        deinit { disk.state.withLock { if $0.lockedRoot == root { $0.lockedRoot = nil } } }

        func isInPlace() -> Bool { disk.state.withLock { $0.root == root } }
    }

    private final class File: JournalFile {
        private let disk: ShortDisk
        private let name: String
        private let contents: Int

        init(_ disk: ShortDisk, _ name: String, _ contents: Int) {
            self.disk = disk
            self.name = name
            self.contents = contents
        }

        func isInPlace() -> Bool { disk.state.withLock { $0.names[name] == contents } }

        func bytesCount() -> Int { disk.state.withLock { $0.contents[contents].visible.count } }

        func read(at offset: Int, bytesMax: Int) -> [UInt8] {
            disk.state.withLock { Array($0.contents[contents].visible.dropFirst(offset).prefix(bytesMax)) }
        }

        func write(_ bytes: [UInt8], at offset: Int) throws(DiskFault) {
            let isFull = disk.state.withLock { state in
                if !state.isFull {
                    let rest = state.contents[contents].visible.dropFirst(offset + bytes.count)
                    state.contents[contents].visible = state.contents[contents].visible.prefix(offset) + bytes + rest
                }
                return state.isFull
            }
            if isFull { throw DiskFault(.write, "", .full) }
        }

        func truncate(to bytesCount: Int) {
            disk.state.withLock { state in
                state.contents[contents].visible = Array(state.contents[contents].visible.prefix(bytesCount))
            }
        }

        func syncData() {
            disk.state.withLock { $0.contents[contents].durable = $0.contents[contents].visible }
        }
    }
}
