import BotHarness
import Glibc
import SystemPorts
import Testing

@Suite struct `Files that are written together` {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    private func text(_ name: String) throws -> String {
        String(decoding: try WholeFile.read(scratch.path(name), bytesMax: 1 << 10), as: UTF8.self)
    }

    /// A secret in a folder of its own, and what makes use of it.
    private func pair(config: String = "config", mayReplace: Bool = true) -> FileSet {
        var files = FileSet()
        files.add(folder: scratch.path("secrets"))
        files.add(scratch.path("secrets/a"), bytes("new secret"), mayReplace: mayReplace)
        files.add(scratch.path(config), bytes("new config"), mode: 0o644, mayReplace: mayReplace)
        return files
    }

    @Test func `are all there, and nothing is left beside them`() throws {
        try pair().write()
        #expect(scratch.names == ["config", "secrets", "secrets/a"])
        var status = stat()
        #expect(stat(scratch.path("secrets/a"), &status) == 0 && status.st_mode & 0o777 == 0o600)
        #expect(stat(scratch.path("secrets"), &status) == 0 && status.st_mode & 0o777 == 0o700)
        try scratch.write("config", "old config")
        try pair().write()
        #expect(try text("config") == "new config")
        #expect(scratch.names == ["config", "secrets", "secrets/a"])
    }

    @Test func `keep the rights of what they replace, where that is wanted`() throws {
        for name in ["kept", "other"] {
            try scratch.write(name, "old")
            // More than the process allows of its own.
            scratch.chmod(name, 0o666)
        }
        var files = FileSet()
        for name in ["kept", "fresh"] {
            files.add(scratch.path(name), bytes("new"), keepsRights: true, mayReplace: true)
        }
        files.add(scratch.path("other"), bytes("new"), mayReplace: true)
        try files.write()
        func mode(_ name: String) -> mode_t {
            var status = stat()
            return stat(scratch.path(name), &status) == 0 ? status.st_mode & 0o777 : 0
        }
        #expect(["kept", "fresh", "other"].map(mode) == [0o666, 0o600, 0o600])
        #expect(try text("kept") == "new")
    }

    @Test func `are none of them there where one cannot be written`() throws {
        let error = #expect(throws: FileError.self) { try pair(config: "nowhere/config").write() }
        #expect(error?.path == scratch.path("nowhere/config"))
        #expect(error?.reason == "No such file or directory")
        #expect(scratch.names == [])
    }

    @Test func `leave what was there where one cannot take its place`() throws {
        try scratch.write("secrets/a", "old secret")
        try scratch.makeFolder("config/x")
        let error = #expect(throws: FileError.self) { try pair().write() }
        #expect(error?.path == scratch.path("config"))
        #expect(error?.reason == "it is a folder")
        #expect(try text("secrets/a") == "old secret")
        #expect(scratch.names == ["config", "config/x", "secrets", "secrets/a"])
    }

    @Test func `replace nothing that nobody said they may`() throws {
        try scratch.write("config", "old config")
        let error = #expect(throws: FileError.self) { try pair(mayReplace: false).write() }
        #expect(error?.reason == "somebody else has created it in the meantime")
        #expect(try text("config") == "old config")
        #expect(scratch.names == ["config"])
    }

    @Test func `are none of them there where whoever wanted them has left`() async throws {
        try scratch.write("config", "old config")
        let files = pair()
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try files.write()
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try text("config") == "old config")
        #expect(scratch.names == ["config"])
    }
}
