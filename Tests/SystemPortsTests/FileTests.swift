import BotHarness
import Glibc
import PluginKit
import SystemPorts
import Testing

@Suite struct FileTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func read(_ name: String, from offset: Int64 = 0, atMost bytesMax: Int = 100) async -> FileResult {
        await SystemFiles().read(FileRequest(path: scratch.path(name), offset: offset, bytesMax: bytesMax))
    }

    private func mode(_ name: String) -> mode_t {
        var status = stat()
        return stat(scratch.path(name), &status) == 0 ? status.st_mode & 0o777 : 0
    }

    @Test func `a source reads a piece of a file and learns how long the whole is`() async throws {
        try scratch.write("a", "one two three")
        guard case .contents(let bytes, let size, let identity) = await read("a", from: 4, atMost: 3) else {
            Issue.record("it was not read")
            return
        }
        #expect(String(decoding: bytes, as: UTF8.self) == "two")
        #expect(size == 13)
        guard case .contents(let rest, _, identity) = await read("a", from: 8) else {
            Issue.record("it is another file now")
            return
        }
        #expect(String(decoding: rest, as: UTF8.self) == "three")
        guard case .contents([], 13, _) = await read("a", from: 99) else {
            Issue.record("there is something beyond the end")
            return
        }
    }

    @Test func `a file that takes the place of another has another identity`() async throws {
        try scratch.write("a", "one")
        // Held open, or the system could give the number of the one that is gone to the next.
        let held = open(scratch.path("a"), O_RDONLY)
        defer { close(held) }
        guard case .contents(_, _, let before) = await read("a") else { throw CancellationError() }
        try scratch.write("a", "two")
        guard case .contents(_, _, let after) = await read("a") else { throw CancellationError() }
        #expect(before != after)
    }

    @Test func `what is no file is not read, and a pipe keeps nobody waiting`() async throws {
        try scratch.makeFolder("folder")
        #expect(mkfifo(scratch.path("pipe"), 0o600) == 0)
        for (name, reason) in [
            ("folder", "it is not a file"), ("pipe", "it is not a file"), ("absent", "No such file or directory"),
        ] {
            guard case .failed(let sentence) = await read(name) else {
                Issue.record("\(name) was read")
                continue
            }
            #expect(sentence == reason)
        }
    }

    @Test func `a whole file is read up to its bound and not beyond`() throws {
        try scratch.write("a", "0123456789")
        #expect(try WholeFile.read(scratch.path("a"), bytesMax: 10).count == 10)
        try scratch.write("long", String(repeating: "x", count: 1025))
        let error = #expect(throws: FileError.self) { try WholeFile.read(scratch.path("long"), bytesMax: 1024) }
        #expect(error?.reason == "it is larger than 1 KiB")
        #expect(error?.path == scratch.path("long"))
        #expect(throws: FileError.self) { try WholeFile.read(scratch.folder, bytesMax: 10) }
        let absent = #expect(throws: FileError.self) { try WholeFile.read(scratch.path("none"), bytesMax: 10) }
        #expect(absent?.reason == "No such file or directory")
    }

    @Test func `a pipe is read until its writer has closed it`() async throws {
        #expect(mkfifo(scratch.path("pipe"), 0o600) == 0)
        // Twice, more than a pipe holds.
        let writer = try Child(
            "sh", ["-c", "for i in 1 2; do head -c 100000 /dev/zero | tr '\\0' $i; done >pipe"], folder: scratch.folder)
        let bytes = try WholeFile.read(scratch.path("pipe"), bytesMax: 1 << 20)
        #expect(
            bytes == Array(repeating: UInt8(ascii: "1"), count: 100_000)
                + Array(repeating: UInt8(ascii: "2"), count: 100_000))
        #expect(try await writer.ending() == .exited(0))
    }

    @Test func `a pipe to which nobody writes, or whose writer never ends, keeps nobody waiting`() throws {
        let path = scratch.path("pipe")
        #expect(mkfifo(path, 0o600) == 0)
        let nobody = #expect(throws: FileError.self) { try WholeFile.read(path, bytesMax: 9, patience: .zero) }
        #expect(nobody?.reason == "it is a pipe, and nobody wrote to it and closed it within 0 s")
        let writer = open(path, O_RDWR)
        defer { close(writer) }
        #expect(write(writer, "abc", 3) == 3)
        let endless = #expect(throws: FileError.self) { try WholeFile.read(path, bytesMax: 9, patience: .zero) }
        #expect(endless?.reason == nobody?.reason)
    }

    @Test(arguments: ["/dev/zero", "/dev/urandom"])
    func `a device without an end is read up to the bound and not beyond`(_ path: String) throws {
        let error = #expect(throws: FileError.self) { try WholeFile.read(path, bytesMax: 64 << 10) }
        #expect(error?.reason == "it is larger than 64 KiB")
    }

    @Test func `a gibibyte of nothing takes neither memory nor time`() throws {
        let path = scratch.path("sparse")
        try WholeFile.write([], to: path)
        #expect(truncate(path, 1 << 30) == 0)
        let error = #expect(throws: FileError.self) { try WholeFile.read(path, bytesMax: 64 << 10) }
        #expect(error?.reason == "it is larger than 64 KiB")
    }

    @Test func `a socket is no file`() throws {
        let path = scratch.path("s")
        let socket = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(socket) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        #expect(bound == 0)
        let error = #expect(throws: FileError.self) { try WholeFile.read(path, bytesMax: 9) }
        #expect(error?.reason == "No such device or address")
    }

    @Test func `a file is replaced as a whole, and nothing is left beside it`() throws {
        try WholeFile.replace(scratch.path("a"), with: Array("one".utf8))
        #expect(mode("a") == 0o600)
        try WholeFile.replace(scratch.path("a"), with: Array("2".utf8))
        #expect(scratch.names == ["a"])
        #expect(try WholeFile.read(scratch.path("a"), bytesMax: 9) == Array("2".utf8))
        let error = #expect(throws: FileError.self) {
            try WholeFile.replace(scratch.path("nowhere/a"), with: [])
        }
        #expect(error?.reason == "No such file or directory")
        // A name that is taken by a folder.
        try scratch.makeFolder("folder/inner")
        #expect(throws: FileError.self) { try WholeFile.replace(scratch.path("folder"), with: []) }
        #expect(scratch.names == ["a", "folder", "folder/inner"])
    }

    @Test func `a disk that is full is reported`() throws {
        let error = #expect(throws: FileError.self) { try WholeFile.write([1], to: "/dev/full") }
        #expect(error?.reason == "No space left on device")
        try WholeFile.write([1, 2, 3], to: scratch.path("a"))
        try WholeFile.write([4], to: scratch.path("a"))
        #expect(try WholeFile.read(scratch.path("a"), bytesMax: 9) == [4])
    }

    @Test func `the names of a folder are those that are not hidden`() throws {
        for name in ["a", ".b", "c"] { try WholeFile.write([], to: scratch.path(name)) }
        #expect(FolderNames.visible(in: scratch.folder).sorted() == ["a", "c"])
        #expect(FolderNames.visible(in: scratch.path("none")).isEmpty)
    }
}
