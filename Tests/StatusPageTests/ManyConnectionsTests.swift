import AlertModel
import Dispatch
import Glibc
import Testing

@testable import StatusPage

/// A bot that runs for years answers connections of every kind, and must be as large after them as before. Each kind is
/// measured in a process of its own, while the connections come and go and when all have gone.
@Suite(.timeLimit(.minutes(5))) struct ManyConnectionsTests {
    @Test func `ten thousand pages leave nothing behind`() async {
        await #expect(processExitsWith: .success) {
            let bot = FakeBot((0..<20).map { .sample("d-\($0)") })
            try await Visits { port, _ in
                try Caller(port).ask("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", is: 200)
            }.leaveNothing(with: bot)
        }
    }

    @Test func `ten thousand streams that are cut leave nothing behind`() async {
        await #expect(processExitsWith: .success) {
            let bot = FakeBot((0..<20).map { .sample("d-\($0)") })
            try await Visits { port, _ in
                let caller = try Caller(port)
                defer { caller.hangUp() }
                try caller.send("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
                try caller.read(until: "retry")
            }.leaveNothing(with: bot)
        }
    }

    @Test func `ten thousand commands leave nothing behind`() async {
        await #expect(processExitsWith: .success) {
            let body = #"{"command":"mute","match":{"app":"shop-*"},"until":"2h","reason":"hotfix"}"#
            try await Visits { port, _ in
                let head = "POST /api/command HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
                try Caller(port).ask(head + body, is: 200)
            }.leaveNothing(control: Obedient())
        }
    }

    @Test func `ten thousand strangers leave nothing behind`() async {
        await #expect(processExitsWith: .success) {
            try await Visits { port, _ in
                try Caller(port).ask("GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n", is: 421)
            }.leaveNothing()
        }
    }

    @Test func `ten thousand that find no room leave nothing behind`() async {
        await #expect(processExitsWith: .success) {
            var limits = Limits()
            limits.connectionsMax = 4
            limits.streamsMax = 4
            try await Visits(guests: 4) { port, _ in
                try Caller(port).ask("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", is: 503)
            }.leaveNothing(limits: limits)
        }
    }

    @Test func `ten thousand that hang up in the middle of a request leave nothing behind`() async {
        await #expect(processExitsWith: .success) {
            let halves = [
                "GET / HTTP/1.1\r\nHost: local",
                "POST /api/command HTTP/1.1\r\nHost: localhost\r\nContent-Length: 500\r\n\r\n{\"comm", "",
            ]
            try await Visits { port, number in
                let caller = try Caller(port)
                try caller.send(halves[number % halves.count])
                caller.hangUp()
            }.leaveNothing(control: Obedient())
        }
    }
}

@Suite(.timeLimit(.minutes(5))) struct ConnectionSizeTests {
    /// What the documentation says a connection takes.
    private static let connectionKiBMax = 32

    @Test func `as many connections as there may be take little, streams and half requests alike`() async {
        await #expect(processExitsWith: .success) {
            let bot = FakeBot((0..<20).map { .sample("d-\($0)") })
            let limits = Limits()
            try await serving(bot) { port in
                func open(_ count: Int, _ text: String, isStream: Bool) throws -> [Caller] {
                    try (0..<count).map { _ in
                        let caller = try Caller(port)
                        try caller.send(text)
                        if isStream { try caller.read(until: "retry") }
                        return caller
                    }
                }
                let stream = "GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n"
                // What is made once, is made for these. They stay: whoever hangs up keeps its place until the server has
                // noticed, which may take a busy machine a while.
                let early = try open(4, stream, isStream: true)
                let first = Footprint()
                let half = "POST /api/command HTTP/1.1\r\nHost: localhost\r\nContent-Length: 500\r\n\r\n{"
                let callers =
                    try early + open(limits.streamsMax - early.count, stream, isStream: true)
                    + open(limits.connectionsMax - limits.streamsMax - 1, half, isStream: false)
                // Whoever is answered now knows that those before it have been read.
                #expect(try await ask(port, "/healthz").status == 200)
                let grown = Footprint().residentKiB - first.residentKiB
                #expect(grown < limits.connectionsMax * ConnectionSizeTests.connectionKiBMax)
                for caller in callers { caller.hangUp() }
            }
        }
    }
}

/// Does whatever it is told.
private struct Obedient: BotControl {
    func obey(_ command: JSON) -> JSON { ["done": true] }
}

/// Ten thousand times the same, and what that costs.
private struct Visits: Sendable {
    /// Streams that stay open meanwhile.
    var guests = 0
    /// With the port, and how many there were before.
    let visit: @Sendable (UInt16, Int) throws -> Void

    init(guests: Int = 0, _ visit: @escaping @Sendable (UInt16, Int) throws -> Void) {
        self.guests = guests
        self.visit = visit
    }

    private static let rounds = 10
    private static let visitsPerRound = 1000
    /// What is made once, is: pools of threads, buffers of the system.
    private static let visitsBefore = 1000
    /// How much may come and go. Of a closed connection 0.3 KiB kept would be as much.
    private static let residentKiBMax = 3072
    /// Threads that the system's pools may add meanwhile.
    private static let threadsMax = 8

    func leaveNothing(
        with bot: FakeBot = FakeBot(), control: (any BotControl)? = nil, limits: Limits = Limits()
    ) async throws {
        let before = Footprint().descriptors
        try await serving(bot, control: control, limits: limits) { port in
            let staying = try (0..<guests).map { _ in
                let guest = try Caller(port)
                try guest.send("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
                try guest.read(until: "retry")
                return guest
            }
            try await make(Visits.visitsBefore, port)
            let first = Footprint()
            for _ in 0..<Visits.rounds {
                try await make(Visits.visitsPerRound, port)
                let now = Footprint()
                #expect(now.residentKiB - first.residentKiB < Visits.residentKiBMax)
                #expect(now.threads <= first.threads + Visits.threadsMax)
                // What hung up a moment ago the server may not have heard of yet.
                #expect(now.descriptors <= first.descriptors + limits.connectionsMax)
            }
            for guest in staying { guest.hangUp() }
        }
        #expect(Footprint().descriptors <= before + Visits.descriptorsOnce)
    }

    /// What the first server of a process opens for good: the system's own queues for events.
    private static let descriptorsOnce = 6

    /// On a thread of its own, for it waits without giving way.
    private func make(_ count: Int, _ port: UInt16) async throws {
        try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
            DispatchQueue.global().async {
                done.resume(with: Result { for number in 0..<count { try visit(port, number) } })
            }
        }
    }
}

/// A client that waits for its answers: ten times as fast as one that gives way meanwhile.
private struct Caller {
    private let descriptor: Int32

    struct Unexpected: Error {
        let what: String
    }

    init(_ port: UInt16) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = port.bigEndian
        name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else {
            let code = errno
            close(descriptor)
            throw Unexpected(what: "connect: \(code)")
        }
        // Ten thousand ports that wait for stragglers would be most that there are.
        var hasty = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &hasty, socklen_t(MemoryLayout<linger>.size))
        var patience = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    }

    func send(_ text: String) throws {
        let bytes = Array(text.utf8)
        let count = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        guard count == bytes.count else { throw Unexpected(what: "send: \(errno)") }
    }

    @discardableResult
    func read(until text: String? = nil) throws -> String {
        var received = ""
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while text.map({ !received.contains($0) }) ?? true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            // Who is refused before all it sent was read hears the end as a reset.
            if count == 0 || count < 0 && errno == ECONNRESET && !received.isEmpty { break }
            guard count > 0 else { throw Unexpected(what: "recv: \(errno) after \(received)") }
            received += String(decoding: buffer[..<count], as: UTF8.self)
        }
        return received
    }

    /// Sends it all, reads it all, and hangs up.
    func ask(_ text: String, is status: Int) throws {
        defer { hangUp() }
        try send(text)
        let answer = try read()
        guard answer.hasPrefix("HTTP/1.1 \(status) ") else { throw Unexpected(what: String(answer.prefix(100))) }
    }

    func hangUp() { close(descriptor) }
}
