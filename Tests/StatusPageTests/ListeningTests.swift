import Glibc
import Testing

@testable import StatusPage

@Suite(.timeLimit(.minutes(5))) struct ListeningTests {
    /// A folder that is removed with its files at the end.
    func withFolder(_ body: (String) async throws -> Void) async throws {
        var template = Array("/tmp/status-page-XXXXXX".utf8CString)
        let folder = try #require(mkdtemp(&template).map { String(cString: $0) })
        defer { rmdir(folder) }
        let path = folder + "/control.sock"
        defer { unlink(path) }
        try await body(path)
    }

    func mode(_ path: String) -> mode_t? {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_mode : nil
    }

    func server(_ address: StatusServer.Address) -> StatusServer {
        StatusServer(address: address, view: FakeBot(), botName: "shop-alerts")
    }

    func status(_ path: String) async throws -> Int {
        try await exchange(Client(path: path), "GET /api/status HTTP/1.1\r\nHost: anything\r\n\r\n").status
    }

    // MARK: TCP

    @Test(arguments: ["127.0.0.1", "localhost"])
    func `port 0 becomes a free port`(host: String) async throws {
        try await serving(at: .tcp(host: host, port: 0)) { port in #expect(port != 0) }
    }

    @Test func `a second listener is told that the address is in use`() async throws {
        try await serving { port async throws in
            let address = StatusServer.Address.tcp(host: "127.0.0.1", port: port)
            let second = server(address)
            let error = await #expect(throws: StatusServerError.self) { try await second.run() }
            #expect(error == .addressInUse(address))
            #expect(
                error?.description
                    == "127.0.0.1:\(port): another program listens there; stop it or choose another address in "
                    + "'bot.listen'"
            )
            await #expect(throws: StatusServerError.addressInUse(address)) { try await second.waitUntilListening() }
            #expect(try await ask(port, "/metrics").status == 200)
        }
    }

    @Test func `whoever waits for the port hears of the failure`() async throws {
        let failing = server(.tcp(host: "no such host", port: 0))
        let waiting = Task { try await failing.waitUntilListening() }
        let error = await #expect(throws: StatusServerError.self) { try await failing.run() }
        let start = "no such host:0: cannot listen there ('no such host' is not the address of a machine: "
        #expect(error?.description.hasPrefix(start) == true)
        await #expect(throws: StatusServerError.self) { try await waiting.value }
    }

    @Test func `waiting for the port can be given up`() async throws {
        let idle = server(.tcp(host: "127.0.0.1", port: 0))
        let waiting = Task { try await idle.waitUntilListening() }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
    }

    @Test func `a stopped server says so to whoever waits for its port`() async throws {
        let stopped = server(.tcp(host: "127.0.0.1", port: 0))
        let running = Task { try await stopped.run() }
        #expect(try await stopped.waitUntilListening() != 0)
        running.cancel()
        try await running.value
        await #expect(throws: CancellationError.self) { try await stopped.waitUntilListening() }
    }

    @Test(arguments: [
        (EADDRINUSE, StatusServerError.addressInUse(.unix(path: "p"))),
        (EACCES, .permissionDenied(.unix(path: "p"))),
        (EPERM, .permissionDenied(.unix(path: "p"))),
        (ENOENT, .other(.unix(path: "p"), reason: "binding: No such file or directory")),
    ])
    func `every cause has its case`(code: Int32, expected: StatusServerError) {
        #expect(StatusServerError(errno: code, at: .unix(path: "p"), doing: "binding") == expected)
    }

    @Test(arguments: [
        (StatusServerError.addressInUse(.unix(path: "state/control.sock")), "'bot.state'"),
        (.permissionDenied(.unix(path: "state/control.sock")), "'bot.state'"),
        (.other(.unix(path: "state/control.sock"), reason: "x"), "'bot.state'"),
        (.addressInUse(.tcp(host: "::1", port: 80)), "'bot.listen'"),
        (.permissionDenied(.tcp(host: "::1", port: 80)), "'bot.listen'"),
        (.other(.tcp(host: "::1", port: 80), reason: "x"), "'bot.listen'"),
    ])
    func `the sentence says where and what to change`(error: StatusServerError, key: String) {
        #expect(error.description.hasPrefix(key == "'bot.state'" ? "state/control.sock: " : "[::1]:80: "))
        #expect(error.description.contains(key))
    }

    // MARK: Unix sockets

    @Test func `a unix socket serves any name, is ours alone, and goes with the server`() async throws {
        try await withFolder { path in
            try await serving(at: .unix(path: path)) { port async throws in
                #expect(port == 0)
                #expect(mode(path) == S_IFSOCK | 0o600)
                #expect(try await status(path) == 200)
            }
            #expect(mode(path) == nil)
        }
    }

    @Test func `a socket that a killed process has left is replaced`() async throws {
        try await withFolder { path in
            let left = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            let name = try #require(sockaddr_un(path: path))
            #expect(name.bind(left))
            close(left)
            #expect(throws: Client.CannotConnect.self) { try Client(path: path) }

            try await serving(at: .unix(path: path)) { _ async throws in
                #expect(mode(path) == S_IFSOCK | 0o600)
                #expect(try await status(path) == 200)
            }
        }
    }

    @Test func `a socket whose file was removed, with its folder even, is made anew`() async throws {
        var limits = Limits()
        limits.socketInterval = .milliseconds(1)
        try await withFolder { place in
            let folder = place + ".d"
            let path = folder + "/control.sock"
            #expect(mkdir(folder, 0o700) == 0)
            try await serving(at: .unix(path: path), limits: limits) { _ async throws in
                #expect(unlink(path) == 0)
                while (try? await status(path)) != 200 { await Task.yield() }
                #expect(mode(path) == S_IFSOCK | 0o600)
                #expect(unlink(path) == 0)
                #expect(rmdir(folder) == 0)
                for _ in 0..<100 { await Task.yield() }
                #expect(mkdir(folder, 0o700) == 0)
                while (try? await status(path)) != 200 { await Task.yield() }
            }
            #expect(mode(path) == nil)
            #expect(rmdir(folder) == 0)
        }
    }

    @Test func `a socket where another bot answers is left alone`() async throws {
        try await withFolder { path in
            try await serving(at: .unix(path: path)) { _ async throws in
                let second = server(.unix(path: path))
                await #expect(throws: StatusServerError.addressInUse(.unix(path: path))) { try await second.run() }
                #expect(try await status(path) == 200)
            }
        }
    }

    @Test func `a file that is no socket is left alone`() async throws {
        try await withFolder { path in
            let file = open(path, O_CREAT | O_WRONLY, 0o644)
            close(file)
            let error = await #expect(throws: StatusServerError.self) { try await server(.unix(path: path)).run() }
            #expect(error == .other(.unix(path: path), reason: "there is a file that is not a socket"))
            #expect(mode(path) == S_IFREG | 0o644)
        }
    }

    @Test func `a socket that another process has put in its place is left alone`() async throws {
        try await withFolder { path in
            try await serving(at: .unix(path: path)) { _ in
                unlink(path)
                let file = open(path, O_CREAT | O_WRONLY, 0o644)
                close(file)
            }
            #expect(mode(path) == S_IFREG | 0o644)
        }
    }

    @Test(arguments: ["", "/tmp/\(String(repeating: "a", count: 200))", "/tmp/a\0b"])
    func `a path that is none for a socket is refused with a sentence`(path: String) async throws {
        let error = await #expect(throws: StatusServerError.self) { try await server(.unix(path: path)).run() }
        let expected = "the path has \(path.utf8.count) bytes, a socket's has 1 to 107 and no zero"
        #expect(error == .other(.unix(path: path), reason: expected))
    }

    @Test func `a missing folder is named`() async throws {
        let path = "/tmp/status-page-nowhere/control.sock"
        let error = await #expect(throws: StatusServerError.self) { try await server(.unix(path: path)).run() }
        #expect(error == .other(.unix(path: path), reason: "binding: No such file or directory"))
    }
}
