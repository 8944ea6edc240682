import Foundation
import Glibc
import Journal
import Testing

@Suite struct `A real folder` {
    /// A folder of its own for each test, removed at the end.
    private final class Scratch {
        let path: String

        init() throws {
            var template = Array("/tmp/journal-XXXXXX".utf8CString)
            path = String(cString: try #require(mkdtemp(&template)))
        }

        deinit { Self.remove(path) }

        private static func remove(_ path: String) {
            for name in (try? FolderDisk(path).list()) ?? [] { remove(path + "/" + name) }
            _ = Glibc.remove(path)
        }
    }

    private func mode(_ path: String) -> mode_t {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode & 0o777 : 0
    }

    @Test(.enabled(if: geteuid() == 0, "only root gives files to others"))
    func `what root makes belongs to whom the folder belongs, so that the bot's own user can open it`() throws {
        let scratch = try Scratch()
        let folder = scratch.path + "/state"
        #expect(mkdir(folder, 0o700) == 0 && chown(folder, 12_345, 12_346) == 0)
        do {
            var writer = try JournalWriter.open(FolderDisk(folder)) { _ in }
            try writer.append(payload(1), at: noon)
            try writer.commit()
            try FolderDisk(folder + "/observations").makeFolder()
            try FolderDisk(scratch.path + "/state.repaired", ownedAs: folder).makeFolder()
        }
        for path in ["state/lock", "state/\(firstSegment)", "state/observations", "state.repaired"] {
            var status = stat()
            #expect(stat("\(scratch.path)/\(path)", &status) == 0)
            #expect((status.st_uid, status.st_gid) == (12_345, 12_346), "\(path)")
        }
    }

    @Test func `a journal is created, written, compacted and read again`() throws {
        let scratch = try Scratch()
        let folder = scratch.path + "/state"
        let disk = FolderDisk(folder + "/")
        do {
            var writer = try JournalWriter.open(disk) { _ in }
            for number in 1...3 { try writer.append(payload(number), at: noon) }
            try writer.commit()
            #expect(mode(folder) == 0o700)
            #expect(mode("\(folder)/\(firstSegment)") == 0o600)
            #expect(mode("\(folder)/lock") == 0o600)
            #expect(try read(disk).records == lines(1...3))
            try writer.compact((1...3).map(payload), at: noon)
            try writer.append(payload(4), at: noon)
            try writer.commit()
        }
        #expect(try reopen(disk).records == 4)
        #expect(
            try disk.list().sorted()
                == ["journal-00000000000000000004.jsonl", "lock", "snapshot-00000000000000000003.jsonl"]
        )
    }

    @Test func `a torn tail is cut and fixed on a real disk`() throws {
        let scratch = try Scratch()
        let disk = FolderDisk(scratch.path)
        do {
            var writer = try JournalWriter.open(disk) { _ in }
            for number in 1...2 { try writer.append(payload(number), at: noon) }
            try writer.commit()
        }
        let file = try disk.openToWrite(firstSegment)
        let count = try file.bytesCount()
        try file.write(Array("{\"v\":1,\"se".utf8), at: count)
        guard case .tornTail(_, bytes: 10) = try reopen(disk).notices.first else {
            Issue.record("the tail was not noticed")
            return
        }
        #expect(try file.bytesCount() == count)
    }

    @Test func `a folder that is moved away is noticed, and begun anew in its place`() throws {
        let scratch = try Scratch()
        let folder = scratch.path + "/state"
        var writer = try JournalWriter.open(FolderDisk(folder)) { _ in }
        try writer.append(payload(1), at: noon)
        try writer.commit()
        try #require(rename(folder, scratch.path + "/elsewhere") == 0)
        try writer.append(payload(2), at: noon)
        #expect(throws: JournalError.uprooted(path: folder)) { try writer.commit() }
        try writer.restore((1...2).map(payload), at: noon)
        try writer.append(payload(3), at: noon)
        try writer.commit()
        #expect(try read(FolderDisk(folder)).records == ["2 {\"n\":1}", "2 {\"n\":2}", "3 {\"n\":3}"])
        #expect(throws: JournalError.lockHeld(folder: folder, pid: getpid())) { try reopen(FolderDisk(folder)) }
        // Where it went, nobody writes any more.
        try reopen(FolderDisk(scratch.path + "/elsewhere"))
    }

    @Test func `the lock keeps a second writer out until the first is gone`() throws {
        let scratch = try Scratch()
        let disk = FolderDisk(scratch.path)
        do {
            let writer = try JournalWriter.open(disk) { _ in }
            #expect(throws: JournalError.lockHeld(folder: scratch.path, pid: getpid())) { try reopen(disk) }
            #expect(writer.lastSeq == 0)
        }
        try reopen(disk)
    }

    /// A shell that has run `script`, which prints a line at its end, and then lives for as long as this object.
    private final class Shell {
        private var pid: pid_t = 0
        private let hold: Int32

        init(_ script: String) throws {
            var ready: [Int32] = [0, 0]
            var held: [Int32] = [0, 0]
            try #require(pipe(&ready) == 0 && pipe(&held) == 0)
            for descriptor in ready + held { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
            hold = held[1]
            defer { for descriptor in [ready[0], ready[1], held[0]] { close(descriptor) } }
            var actions = posix_spawn_file_actions_t()
            posix_spawn_file_actions_init(&actions)
            defer { posix_spawn_file_actions_destroy(&actions) }
            posix_spawn_file_actions_adddup2(&actions, ready[1], 1)
            posix_spawn_file_actions_adddup2(&actions, held[0], 0)
            let words: [String] = ["sh", "-c", script + "; read forever"]
            let arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
            defer { for argument in arguments { free(argument) } }
            try #require(posix_spawn(&pid, "/bin/sh", &actions, nil, arguments, nil) == 0)
            var byte: UInt8 = 0
            try #require(Glibc.read(ready[0], &byte, 1) == 1)
        }

        deinit {
            close(hold)
            var status: Int32 = 0
            waitpid(pid, &status, 0)
        }
    }

    @Test func `the lock of another process is seen, and goes with it`() throws {
        let scratch = try Scratch()
        let disk = FolderDisk(scratch.path)
        do {
            let shell = try Shell("exec 9>'\(scratch.path)/lock'; flock -n 9 && printf 4242 >&9; echo")
            #expect(throws: JournalError.lockHeld(folder: scratch.path, pid: 4242)) { try reopen(disk) }
            withExtendedLifetime(shell) {}
        }
        try reopen(disk)
    }

    @Test func `a child process does not inherit the lock`() throws {
        let scratch = try Scratch()
        let disk = FolderDisk(scratch.path)
        let shell: Shell
        do {
            let writer = try JournalWriter.open(disk) { _ in }
            shell = try Shell("echo")
            #expect(writer.lastSeq == 0)
        }
        try reopen(disk)
        withExtendedLifetime(shell) {}
    }

    @Test func `a copy of its descriptor, as a program that is being started has it, does not keep the lock`() throws {
        let scratch = try Scratch()
        let disk = FolderDisk(scratch.path)
        let writer = try JournalWriter.open(disk) { _ in }
        let path = try #require(realpath("\(scratch.path)/lock", nil).map { String(cString: $0) })
        let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap(Int32.init)
        let held = descriptors.filter {
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == path
        }
        let copy = dup(try #require(held.first))
        defer { close(copy) }
        #expect(writer.lastSeq == 0)
        _ = consume writer
        try reopen(disk)
    }

    @Test func `what is in the way is named`() throws {
        let scratch = try Scratch()
        let file = scratch.path + "/file"
        close(creat(file, 0o600))
        #expect(throws: JournalError.notAFolder(folder: file)) { try reopen(FolderDisk(file)) }
        #expect(throws: JournalError.notAFolder(folder: file + "/state")) { try reopen(FolderDisk(file + "/state")) }
        #expect(
            throws: JournalError.diskFailed(
                path: scratch.path + "/none/state", operation: .makeFolder, reason: "there is no such file or folder")
        ) { try reopen(FolderDisk(scratch.path + "/none/state")) }
        #expect(try JournalReader(FolderDisk(scratch.path + "/none")).verify() == JournalReport())

        mkfifo("\(scratch.path)/\(firstSegment)", 0o600)
        let error = #expect(throws: JournalError.self) { try reopen(FolderDisk(scratch.path)) }
        #expect(error.map { "\($0)".contains("not a regular file") } == true)
    }

    @Test(.enabled(if: geteuid() != 0, "root may write everywhere"))
    func `a folder that cannot be written to or read is told apart`() throws {
        let scratch = try Scratch()
        let disk = FolderDisk(scratch.path)
        chmod(scratch.path, 0o500)
        defer { chmod(scratch.path, 0o700) }
        guard case .notWritable = #expect(throws: JournalError.self, performing: { try reopen(disk) }) else {
            Issue.record("not told that the folder is not writable")
            return
        }
        chmod(scratch.path, 0o300)
        guard case .notReadable = #expect(throws: JournalError.self, performing: { try JournalReader(disk).verify() })
        else {
            Issue.record("not told that the folder is not readable")
            return
        }
    }
}
