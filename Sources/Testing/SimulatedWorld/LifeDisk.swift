internal import Journal
internal import JournalTesting

/// The disk as one life of the bot sees it: when the life ends, nothing it does reaches the disk any more.
final class LifeDisk: JournalDisk {
    private let world: World
    private let life: Int

    var folder: String { "state" }

    init(_ world: World, life: Int) {
        self.world = world
        self.life = life
    }

    /// Throws once the life is over, and at a boundary that ends it.
    fileprivate func pass(_ boundary: Boundary?, _ operation: DiskFault.Operation, _ name: String) throws(DiskFault) {
        let isAlive = boundary.map { world.passes($0, life) } ?? world.isAlive(life)
        if !isAlive { throw DiskFault(operation, name, .failed("the process has died")) }
    }

    func makeFolder() throws(DiskFault) {
        try pass(nil, .makeFolder, "")
        try world.disk.makeFolder()
    }

    func list() throws(DiskFault) -> [String] {
        try pass(nil, .list, "")
        return try world.disk.list().sorted()
    }

    /// The system takes a lock back when its process dies, whoever still has the object; so none is kept here.
    func lock(_ name: String) throws(DiskFault) -> any JournalLock {
        try pass(nil, .lock, name)
        return Lock()
    }

    func openToRead(_ name: String) throws(DiskFault) -> any JournalFile {
        try pass(nil, .openToRead, name)
        return File(self, name, try world.disk.openToRead(name))
    }

    func openToWrite(_ name: String) throws(DiskFault) -> any JournalFile {
        try pass(.beforeChange, .openToWrite, name)
        do { return File(self, name, try world.disk.openToWrite(name)) } catch {
            world.forgetUnsynced(name)
            throw error
        }
    }

    func rename(_ name: String, to newName: String) throws(DiskFault) {
        try pass(.beforeChange, .rename, name)
        try world.disk.rename(name, to: newName)
    }

    func remove(_ name: String) throws(DiskFault) {
        try pass(.beforeChange, .remove, name)
        try world.disk.remove(name)
    }

    func syncFolder() throws(DiskFault) {
        try pass(.beforeSync, .sync, "")
        if world.sabotage != .syncLies { try world.disk.syncFolder() }
        try pass(.afterSync, .sync, "")
    }

    private final class Lock: JournalLock {}

    private final class File: JournalFile {
        private let disk: LifeDisk
        private let name: String
        private let file: any JournalFile

        init(_ disk: LifeDisk, _ name: String, _ file: any JournalFile) {
            self.disk = disk
            self.name = name
            self.file = file
        }

        func bytesCount() throws(DiskFault) -> Int {
            try disk.pass(nil, .bytesCount, name)
            return try file.bytesCount()
        }

        func read(at offset: Int, bytesMax: Int) throws(DiskFault) -> [UInt8] {
            try disk.pass(nil, .read, name)
            return try file.read(at: offset, bytesMax: bytesMax)
        }

        func write(_ bytes: [UInt8], at offset: Int) throws(DiskFault) {
            try disk.pass(.beforeAppend, .write, name)
            try file.write(bytes, at: offset)
            disk.world.appended(bytes, to: name, at: offset)
            try disk.pass(.afterAppend, .write, name)
        }

        func truncate(to bytesCount: Int) throws(DiskFault) {
            try disk.pass(nil, .truncate, name)
            disk.world.forgetUnsynced(name, beyond: bytesCount)
            try file.truncate(to: bytesCount)
        }

        func syncData() throws(DiskFault) {
            try disk.pass(.beforeSync, .sync, name)
            do {
                if disk.world.sabotage != .syncLies { try file.syncData() }
            } catch {
                disk.world.forgetUnsynced(name)
                throw error
            }
            disk.world.synced(name)
            try disk.pass(.afterSync, .sync, name)
        }
    }
}
