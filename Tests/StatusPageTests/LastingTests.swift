import Glibc
import Testing

@testable import StatusPage

/// What is left when clients have gone, each measured in a process of its own.
@Suite(.timeLimit(.minutes(5))) struct LastingTests {
    @Test func `a server that has stopped leaves nothing open, whoever was there`() async {
        await #expect(processExitsWith: .success) {
            try await serving { port async throws in #expect(try await ask(port, "/").status == 200) }
            let before = Footprint().descriptors
            for _ in 0..<20 {
                let clients = try await serving { port async throws in
                    var clients = try (0..<4).map { _ in try Client(port: port) }
                    try await clients[1].send("GET / HTTP/1.1\r\n")
                    try await clients[2].send("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nx")
                    try await clients[3].send("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
                    try await clients[3].read(until: "retry")
                    return clients
                }
                for client in clients { client.connection.close() }
            }
            // One that stays open each time would be twenty more; the system's event loop opens a few of its own when it
            // first needs them, which on a busy machine may be late.
            #expect(Footprint().descriptors <= before + 4)
        }
    }

    @Test func `a server survives running out of descriptors`() async {
        await #expect(processExitsWith: .success) {
            var limits = Limits()
            limits.exhaustionPause = .milliseconds(1)
            try await serving(limits: limits) { port async throws in
                var client = try Client(port: port)
                client.connection.close()
                #expect(try await ask(port, "/metrics").status == 200)
                // A socket that is open already can still connect, and nobody can accept it.
                client = try Client(port: port) { descriptor in setDescriptorsMax(descriptor + 1) }
                try await client.send("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n")
                #expect(open("/dev/null", O_RDONLY) == -1)
                try await Task.sleep(for: .milliseconds(50))
                setDescriptorsMax(1024)
                #expect(try Reply(await client.read()).status == 200)
                client.connection.close()
            }
        }
    }

    @Test(arguments: [(1024, 128, 32), (1 << 20, 128, 32), (64, 8, 2), (16, 4, 1), (0, 4, 1)])
    func `connections take an eighth of the descriptors`(descriptors: Int, connections: Int, streams: Int) {
        let limits = Limits(descriptorsMax: descriptors)
        #expect(limits.connectionsMax == connections)
        #expect(limits.streamsMax == streams)
    }

    @Test func `clients that vanish while they are answered end nothing`() async {
        await #expect(processExitsWith: .success) {
            // As programs start, and not as this one may have been told.
            signal(SIGPIPE, SIG_DFL)
            let bot = FakeBot()
            await bot.count(String(repeating: "x", count: 4 << 20))
            try await serving(bot) { port async throws in
                for path in Array(repeating: "/metrics", count: 20) + Array(repeating: "/events", count: 20) {
                    var client = try Client(port: port)
                    try await client.send("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n")
                    try await client.read(until: "HTTP/1.1 200")
                    client.connection.close()
                    await bot.receive(.sample("x"))
                }
                #expect(try await ask(port, "/healthz").status == 200)
            }
        }
    }

    @Test func `a reader of events that never reads is dropped and costs no more than it may`() async {
        await #expect(processExitsWith: .success) {
            var limits = Limits()
            // Long enough that a machine with much else to do answers the others within it.
            limits.exchangeTimeMax = .seconds(8)
            limits.streamsMax = 1
            limits.ringInterval = .zero
            let bot = FakeBot()
            try await serving(bot, limits: limits) { port async throws in
                // The system itself takes a few megabytes for a reader who has little room.
                var client = try Client(port: port) { descriptor in
                    var bytes: Int32 = 4096
                    setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &bytes, socklen_t(MemoryLayout<Int32>.size))
                }
                defer { client.connection.close() }
                try await client.send("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
                try await client.read(until: "retry")
                let before = Footprint()
                for number in 0..<LastingTests.unread {
                    await bot.receive(.sample("m-\(number)", lines: LastingTests.lines))
                    #expect(try await ask(port, "/metrics").status == 200)
                }
                // Its place is another's once it is dropped.
                var status = 503
                while status != 200 {
                    // Without a pause it would take nearly all the ports that there are for connecting to one address.
                    try await Task.sleep(for: .milliseconds(50))
                    var other = try Client(port: port)
                    try await other.send(
                        "GET /events?after=m-\(LastingTests.unread - 1) HTTP/1.1\r\nHost: localhost\r\n\r\n")
                    status = try Reply(await other.read(until: "\n") + "\r\n\r\n").status
                    other.connection.close()
                }
                let grown = Footprint().residentKiB - before.residentKiB
                // The messages come to more than 44 MB, of which a piece at a time is written down.
                #expect(grown < 24 << 10, "\(grown) KiB")
            }
        }
    }

    @Test func `what a reader has missed is written down as it is read, and not at once`() async {
        await #expect(processExitsWith: .success) {
            let bot = FakeBot((0..<200).map { .sample("m-\($0)", lines: LastingTests.lines) })
            try await serving(bot) { port async throws in
                #expect(try await ask(port, "/metrics").status == 200)
                let before = Footprint()
                var client = try Client(port: port)
                defer { client.connection.close() }
                try await client.send("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
                try await client.read(until: "id: m-0\n")
                let grown = Footprint().residentKiB - before.residentKiB
                // The messages come to 15 MB.
                #expect(grown < 8 << 10, "\(grown) KiB")
            }
        }
    }

    /// Messages that a reader of events never reads, 75 kB each.
    private static let unread = 600
    private static let lines = (0..<50).map { "\($0)" + String(repeating: "x", count: 1500) }
}

private func setDescriptorsMax(_ count: Int32) {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    limit.rlim_cur = rlim_t(count)
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
}
