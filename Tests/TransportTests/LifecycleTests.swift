import AlertModel
import Chance
import Glibc
import Synchronization
import Testing
import Transport

@Suite struct `Connections, cancelling and stopping` {
    @Test func `one connection serves many requests in a row`() async throws {
        let server = try LoopbackServer.answering { request in answer(request.line) }
        let transport = HTTPTransport.forTests()
        for number in 1...50 {
            #expect(try await transport.get(server.url("/\(number)")).excerpt() == "GET /\(number) HTTP/1.1")
        }
        #expect(server.connectionsCount == 1)
    }

    @Test func `requests whose names do not resolve leave nothing behind for the next answers`() async throws {
        let long = String(repeating: "0123456789abcdef", count: 8192)
        let server = try LoopbackServer.answering { _ in answer(long) }
        let transport = HTTPTransport.forTests()
        // No part of a name is longer than 63 bytes, so nobody is asked for this one.
        let nowhere = "https://\(String(repeating: "x", count: 64)).invalid/"
        for _ in 1...20 {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 1...16 {
                    group.addTask {
                        try await transport.failure(.post, of: nowhere, body: .json([:]))
                            .expect(.resolve, mayHaveArrived: false, says: "resolve")
                    }
                }
                try await group.waitForAll()
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 1...16 {
                    group.addTask {
                        let body = try await transport.get(server.url("/")).body
                        #expect(String(decoding: body, as: UTF8.self) == long)
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test func `a hundred requests are under way at the same time`() async throws {
        // Nobody is answered before all have asked.
        let waiting = Mutex<[(Connection, ReceivedRequest)]>([])
        let server = try LoopbackServer { connection in
            while let request = connection.readRequest() {
                waiting.withLock { waiting in
                    waiting.append((connection, request))
                    guard waiting.count == 100 else { return }
                    for (connection, request) in waiting { _ = connection.send(answer(request.line)) }
                }
            }
        }
        let transport = HTTPTransport.forTests(.init(connectionsMax: 100))
        try await getHundred(from: server, by: transport)
    }

    @Test func `more requests than connections wait their turn`() async throws {
        let server = try LoopbackServer.answering { request in answer(request.line) }
        let transport = HTTPTransport.forTests(.init(connectionsMax: 4))
        try await getHundred(from: server, by: transport)
        #expect(server.connectionsCount <= 4)
    }

    private func getHundred(from server: LoopbackServer, by transport: HTTPTransport) async throws {
        let answers = try await withThrowingTaskGroup(of: (String, String).self) { group in
            for number in 1...100 {
                group.addTask { [url = server.url("/\(number)")] in
                    ("GET /\(number) HTTP/1.1", try await transport.get(url).excerpt())
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.count == 100)
        #expect(answers.allSatisfy { $0.0 == $0.1 })
    }

    /// A server that answers `GET /first`, takes the next request on the same connection and closes without an answer,
    /// and answers on every other connection.
    private func forgetfulServer(_ requests: Notes) throws -> LoopbackServer {
        try LoopbackServer { connection in
            while let request = connection.readRequest() {
                requests.append(request.line)
                if connection.number == 1, request.line != "GET /first HTTP/1.1" { return }
                guard connection.send(answer("from \(connection.number)")) else { return }
            }
        }
    }

    @Test(arguments: [HTTPRequest.Method.post, .put], [HTTPRequest.Body?.none, .json(["a": 1])])
    func `a kept connection that breaks never makes a change happen twice`(
        method: HTTPRequest.Method,
        body: HTTPRequest.Body?
    ) async throws {
        let requests = Notes()
        let server = try forgetfulServer(requests)
        let transport = HTTPTransport.forTests()
        #expect(try await transport.get(server.url("/first")).excerpt() == "from 1")
        let error = try await transport.failure(method, of: server.url("/change"), body: body)
        error.expect(.interrupted, mayHaveArrived: true, says: "the connection to 127.0.0.1:\(server.port) broke")
        #expect(requests.all == ["GET /first HTTP/1.1", "\(method.rawValue) /change HTTP/1.1"])
    }

    @Test func `a kept connection that breaks under a GET is replaced`() async throws {
        let requests = Notes()
        let server = try forgetfulServer(requests)
        let transport = HTTPTransport.forTests()
        #expect(try await transport.get(server.url("/first")).excerpt() == "from 1")
        #expect(try await transport.get(server.url("/second")).excerpt() == "from 2")
    }

    @Test func `tasks that prefer the thread of the transfers share it`() async throws {
        let server = try LoopbackServer.answering { request in answer(request.line) }
        let transport = HTTPTransport.forTests()
        let threads: Set<pthread_t> = try await withThrowingTaskGroup(of: [pthread_t].self) { group in
            for number in 1...20 {
                group.addTask(executorPreference: transport.executor) { [url = server.url("/\(number)")] in
                    let before = thisThread()
                    let excerpt = try await transport.get(url).excerpt()
                    #expect(excerpt == "GET /\(number) HTTP/1.1")
                    return [before, thisThread()]
                }
            }
            return try await group.reduce(into: Set()) { $0.formUnion($1) }
        }
        #expect(threads.count == 1)
    }

    @Test func `tasks on the thread of the transfers go on elsewhere once it ends`() async throws {
        let arrived = Signal()
        let server = try LoopbackServer { connection in
            _ = connection.readRequest()
            arrived.give()
            connection.waitForClose()
        }
        let transport = HTTPTransport.forTests()
        let task = Task(executorPreference: transport.executor) { [url = server.url()] in
            try await transport.failure(of: url)
        }
        await arrived.wait()
        await transport.shutdown()
        try await task.value.expect(.cancelled, mayHaveArrived: true, says: "under way")
        let after: Task<Int, Never> = Task(executorPreference: transport.executor) { 1 }
        #expect(await after.value == 1)
    }

    /// As where a machine stood still: when the thread goes on, the time is over, and the answer has been there for long.
    @Test func `an answer that came while the thread stood still is read, though its time is over`() async throws {
        let arrived = Signal()
        let isStill = Atomic(false)
        let isAnswered = Atomic(false)
        let server = try LoopbackServer { connection in
            _ = connection.readRequest()
            arrived.give()
            keepThread { isStill.load(ordering: .sequentiallyConsistent) }
            _ = connection.send(answer("late"))
            isAnswered.store(true, ordering: .sequentiallyConsistent)
            connection.waitForClose()
        }
        let transport = HTTPTransport.forTests()
        let timeout = Duration.seconds(2)
        let request = Task { [url = server.url()] in
            try await transport.perform(HTTPRequest(.post, GuardedText(url), body: .json([])), timeout: timeout)
        }
        await arrived.wait()
        let over = ContinuousClock.now + timeout + .milliseconds(10)
        let stillness: Task<Void, Never> = Task(executorPreference: transport.executor) {
            isStill.store(true, ordering: .sequentiallyConsistent)
            keepThread { isAnswered.load(ordering: .sequentiallyConsistent) && ContinuousClock.now > over }
        }
        await stillness.value
        #expect(try await request.value.excerpt() == "late")
    }

    @Test func `a task cancelled before it asks sends nothing`() async throws {
        let server = try LoopbackServer.answering { _ in answer() }
        let transport = HTTPTransport.forTests()
        let begin = Signal()
        let task = Task { [url = server.url()] in
            await begin.wait()
            return try await transport.failure(of: url)
        }
        task.cancel()
        begin.give()
        try await task.value.expect(.cancelled, mayHaveArrived: false, says: "before it was sent")
        #expect(server.connectionsCount == 0)
    }

    @Test func `a task cancelled under way closes its connection`() async throws {
        let arrived = Signal()
        let closed = Signal()
        let server = try LoopbackServer { connection in
            _ = connection.readRequest()
            arrived.give()
            connection.waitForClose()
            closed.give()
        }
        let transport = HTTPTransport.forTests()
        let task = Task { [url = server.url("/\(hidden)")] in
            try await transport.failure(.post, of: url, body: .json([]))
        }
        await arrived.wait()
        task.cancel()
        try await task.value.expect(
            .cancelled, mayHaveArrived: true, says: "the request to 127.0.0.1:\(server.port) was cancelled under way")
        await closed.wait()
    }

    @Test(arguments: [1, 2, 3] as [UInt64]) func `cancelling at any moment ends every request once`(seed: UInt64)
        async throws
    {
        let server = try LoopbackServer.answering { _ in answer() }
        let transport = HTTPTransport.forTests(.init(connectionsMax: 16))
        var random = SeededRandom(seed: seed)
        let counts = await withTaskGroup(of: Bool.self) { group in
            for _ in 1...200 {
                let pause = random.next() % 40
                group.addTask { [url = server.url()] in
                    let request = Task { try await transport.get(url) }
                    for _ in 0..<pause { await Task.yield() }
                    request.cancel()
                    switch await request.result {
                    case .success(let response): return response.status == 200
                    case .failure(let error): return (error as? TransportError)?.cause == .cancelled
                    }
                }
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(counts == 200, "seed \(seed)")
    }

    @Test func `stopping fails what is under way and what comes later`() async throws {
        let arrivals = Counter()
        let allArrived = Signal()
        let server = try LoopbackServer { connection in
            _ = connection.readRequest()
            if arrivals.next() == 10 { allArrived.give() }
            connection.waitForClose()
        }
        let transport = HTTPTransport.forTests()
        let requests = (1...10).map { _ in Task { [url = server.url()] in try await transport.failure(of: url) } }
        await allArrived.wait()
        await withTaskGroup(of: Void.self) { group in
            for _ in 1...3 { group.addTask { await transport.shutdown() } }
        }
        for request in requests {
            try await request.value.expect(.cancelled, mayHaveArrived: true, says: "cancelled under way")
        }
        try await transport.failure(of: server.url())
            .expect(.cancelled, mayHaveArrived: false, says: "the transport is shut down")
        await transport.shutdown()
    }

    @Test func `a transport that is dropped closes its connections`() async throws {
        let closed = Signal()
        let server = try LoopbackServer { connection in
            while connection.readRequest() != nil { _ = connection.send(answer()) }
            closed.give()
        }
        var transport: HTTPTransport? = .forTests()
        #expect(try await transport?.get(server.url()).status == 200)
        transport = nil
        await closed.wait()
    }
}

/// What a server noted, in order.
private final class Notes: Sendable {
    private let items = Mutex<[String]>([])
    var all: [String] { items.withLock { $0 } }
    func append(_ item: String) { items.withLock { $0.append(item) } }
}

private func thisThread() -> pthread_t { pthread_self() }

/// Keeps a thread, as nothing may that others wait for.
private func keepThread(until isDone: () -> Bool) { while !isDone() { usleep(1000) } }
