import AlertModel
import Glibc
import Testing
import Transport

@Suite struct `Failures` {
    // MARK: Before the request is sent

    private static let isWithoutProxy: Bool = ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
        .allSatisfy { (name: String) in getenv(name) == nil }

    @Test(.enabled(if: isWithoutProxy, "a proxy would do the finding"))
    func `a host that cannot be found`() async throws {
        // A label of more than 63 letters is no name, so no resolver is asked.
        let host = String(repeating: "a", count: 64) + ".invalid"
        let error = try await HTTPTransport.forTests().failure(
            .post,
            of: "https://\(host)/\(hidden)?\(hidden)",
            body: .json([])
        )
        error.expect(.resolve, mayHaveArrived: false, says: "cannot find \(host):443")
    }

    @Test func `a port where nobody listens`() async throws {
        let (socket, port) = try Socket.boundToLoopback()
        defer { close(socket) }
        let error = try await HTTPTransport.forTests().failure(
            .post,
            of: "http://\(hidden):\(hidden)@127.0.0.1:\(port)/\(hidden)",
            body: .json([])
        )
        error.expect(.connect, mayHaveArrived: false, says: "cannot connect to 127.0.0.1:\(port) (Connection refused)")
    }

    @Test func `a proxy where nobody listens is named as one`() async throws {
        let (socket, port) = try Socket.boundToLoopback()
        defer { close(socket) }
        let error = try await HTTPTransport.forTests().failure(
            .post, of: "https://example.com/\(hidden)", body: .json([]), proxy: "http://\(hidden)@127.0.0.1:\(port)")
        error.expect(
            .connect, mayHaveArrived: false,
            says: "cannot connect to the proxy on the way to example.com:443 (Connection refused)")
    }

    @Test func `a proxy whose name cannot be found is named as one`() async throws {
        let name = String(repeating: "a", count: 64) + ".invalid"
        let error = try await HTTPTransport.forTests().failure(
            .post, of: "https://example.com/\(hidden)", body: .json([]), proxy: "http://\(name):3128")
        error.expect(
            .resolve, mayHaveArrived: false, says: "cannot find the proxy on the way to example.com:443 (")
    }

    @Test func `a proxy that makes no tunnel is named as one`() async throws {
        let proxy = try LoopbackServer.answering { _ in answer("", status: "407 Proxy Authentication Required") }
        let error = try await HTTPTransport.forTests().failure(
            .post, of: "https://example.com/\(hidden)", body: .json([]), proxy: proxy.url())
        error.expect(
            .connect, mayHaveArrived: false,
            says:
                "the proxy on the way to example.com:443 refused to connect there (CONNECT tunnel failed, response 407); "
                + "check which hosts it allows, and its login")
    }

    /// In a process of its own, for libcurl reads the environment's variables.
    @Test func `a proxy of the environment where nobody listens is named as one`() async {
        await #expect(processExitsWith: .success) {
            let (socket, port) = try Socket.boundToLoopback()
            defer { close(socket) }
            setenv("https_proxy", "http://127.0.0.1:\(port)", 1)
            setenv("no_proxy", "", 1)
            let transport = HTTPTransport.forTests()
            let error = try await transport.failure(.post, of: "https://example.com/", body: .json([]))
            error.expect(
                .connect, mayHaveArrived: false,
                says: "cannot connect to the proxy on the way to example.com:443 (Connection refused)")
            let own = try await transport.failure(.post, of: "https://127.0.0.1:\(port)/", body: .json([]))
            own.expect(
                .connect, mayHaveArrived: false, says: "cannot connect to 127.0.0.1:\(port) (Connection refused)")
        }
    }

    /// In a process of its own, whose limit can be used up.
    @Test func `a bot that cannot open any more files says so`() async {
        await #expect(processExitsWith: .success) {
            let transport = HTTPTransport.forTests()
            // What the transport itself keeps open is there from its first request on.
            _ = try await transport.failure(of: "http://127.0.0.1:9/")
            var limit = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            limit.rlim_cur = 64
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            while open("/dev/null", O_RDONLY) >= 0 {}
            let error = try await transport.failure(.post, of: "http://127.0.0.1:9/", body: .json([]))
            error.expect(
                .connect, mayHaveArrived: false,
                says: "no connection to 127.0.0.1:9: the bot cannot open any more files (Too many open files)")
        }
    }

    @Test func `a server that speaks no TLS`() async throws {
        let server = try LoopbackServer { connection in
            _ = connection.send("HTTP/1.1 200 OK\r\n\r\n")
            connection.waitForClose()
        }
        let error = try await HTTPTransport.forTests().failure(
            .post, of: server.url("/\(hidden)", scheme: "https"), body: .json([]))
        error.expect(
            .tls, mayHaveArrived: false, says: "no trusted connection to 127.0.0.1:\(server.port) (SSL connect error)")
    }

    @Test(.timeLimit(.minutes(5))) func `a TLS handshake that is never answered`() async throws {
        let server = try LoopbackServer { connection in connection.waitForClose() }
        let transport = HTTPTransport.forTests(.init(connectTimeout: .milliseconds(60)))
        let error = try await transport.failure(
            .post, of: server.url("/\(hidden)", scheme: "https"), body: .json([]), timeout: .hours(1))
        error.expect(.timeout, mayHaveArrived: false, says: "no connection to 127.0.0.1:\(server.port) within 60 ms")
    }

    @Test func `no connection is free in time`() async throws {
        let arrived = Signal()
        let server = try LoopbackServer { connection in
            _ = connection.readRequest()
            arrived.give()
            connection.waitForClose()
        }
        let transport = HTTPTransport.forTests(.init(connectionsMax: 1))
        let first = Task { [url = server.url()] in try await transport.failure(of: url) }
        await arrived.wait()
        let error = try await transport.failure(.post, of: server.url(), body: .json([]), timeout: .milliseconds(60))
        error.expect(.timeout, mayHaveArrived: false, says: "could not be sent within 60 ms; 1 requests are under way")
        first.cancel()
        try await first.value.expect(.cancelled, mayHaveArrived: true, says: "under way")
    }

    @Test func `a body that could not all be sent has not arrived`() async throws {
        let server = try LoopbackServer { connection in
            _ = connection.read(1000)
            connection.willReset()
        }
        let body = GuardedText(String(repeating: "x", count: 64 << 20))
        let error = try await HTTPTransport.forTests().failure(
            .post, of: server.url(), body: .text(body, contentType: "text/plain"))
        error.expect(.interrupted, mayHaveArrived: false, says: "broke before the answer was complete")
    }

    // MARK: After it

    @Test(arguments: [HTTPRequest.Method.get, .post, .put])
    func `no answer in time`(method: HTTPRequest.Method) async throws {
        let server = try LoopbackServer { connection in
            _ = connection.readRequest()
            connection.waitForClose()
        }
        let error = try await HTTPTransport.forTests().failure(
            method, of: server.url("/\(hidden)"), body: method == .get ? nil : .json([]), timeout: .milliseconds(500))
        error.expect(
            .timeout, mayHaveArrived: true, says: "no complete answer from 127.0.0.1:\(server.port) within 500 ms")
    }

    @Test(arguments: ["H", "HTTP/1.1 200 OK\r\nX-Slow: 1\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n"])
    func `an answer that drips does not outlast the timeout`(start: String) async throws {
        let server = try LoopbackServer { connection in
            guard connection.readRequest() != nil, connection.send(start) else { return }
            connection.drip(start.hasSuffix("X-Slow: 1\r\n") ? "a: b\r\n" : "x")
        }
        let error = try await HTTPTransport.forTests().failure(of: server.url(), timeout: .milliseconds(500))
        // Where the first bytes cannot become HTTP, libcurl may see that before the time is up.
        if start == "H", error.cause == .other { return }
        error.expect(.timeout, mayHaveArrived: true, says: "within 500 ms")
    }

    @Test(arguments: [
        ("nothing", ""), ("half a status line", "HTTP/1.1 20"), ("half the headers", "HTTP/1.1 200 OK\r\nX: "),
        ("half the body", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"),
        ("half a chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\nhalf"),
    ])
    func `an answer that breaks off`(name: String, start: String) async throws {
        for isReset in [false, true] {
            let server = try LoopbackServer { connection in
                guard connection.readRequest() != nil, connection.send(start) else { return }
                if isReset { connection.willReset() }
            }
            let error = try await HTTPTransport.forTests().failure(.post, of: server.url("/\(hidden)"), body: .json([]))
            error.expect(.interrupted, mayHaveArrived: true, says: "the connection to 127.0.0.1:\(server.port) broke")
        }
    }

    @Test func `a reset before anything was read may still have arrived`() async throws {
        let server = try LoopbackServer { connection in
            var waiting = pollfd(fd: connection.socket, events: Int16(POLLIN), revents: 0)
            poll(&waiting, 1, -1)
            connection.willReset()
        }
        let error = try await HTTPTransport.forTests().failure(.post, of: server.url(), body: .json([]))
        #expect(error.cause == .interrupted)
    }

    @Test(arguments: [
        "SSH-2.0-OpenSSH_9.2\r\n", "\u{0}\u{1}\u{2}\r\n\r\n", "<html>hello</html>", "HTTP/9.9 200 OK\r\n\r\n",
        "HTTP/1.1 abc\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\nhello",
    ])
    func `garbage is an error that names the server`(garbage: String) async throws {
        let server = try LoopbackServer.sending(Array(garbage.utf8))
        let error = try await HTTPTransport.forTests().failure(.post, of: server.url("/\(hidden)"), body: .json([]))
        #expect([.other, .interrupted, .tooLarge].contains(error.cause))
        #expect(error.mayHaveArrived)
        #expect(error.description.contains("127.0.0.1:\(server.port)"))
    }

    // MARK: Too much

    @Test func `an endless body is cut off`() async throws {
        let server = try LoopbackServer { connection in
            guard connection.readRequest() != nil, connection.send("HTTP/1.1 200 OK\r\n\r\n") else { return }
            while connection.send([UInt8](repeating: 0x78, count: 65_536)) {}
        }
        let transport = HTTPTransport.forTests(.init(bodyBytesMax: 1_000_000))
        try await transport.failure(of: server.url("/\(hidden)"))
            .expect(.tooLarge, mayHaveArrived: true, says: "127.0.0.1:\(server.port) sent more than 1000000 bytes")
    }

    @Test(arguments: [
        ("header lines", "X-Line: 0123456789\r\n", "bytes of headers"),
        ("one header line", "x", "a header longer than libcurl takes"),
        ("interim answers", "\r\nHTTP/1.1 100 Continue\r\n", "bytes of headers"),
    ])
    func `endless headers are cut off`(name: String, piece: String, says: String) async throws {
        let server = try LoopbackServer { connection in
            guard connection.readRequest() != nil else { return }
            guard connection.send("HTTP/1.1 \(name == "interim answers" ? 100 : 200) OK\r\n") else { return }
            while connection.send(String(repeating: piece, count: 1000)) {}
        }
        try await HTTPTransport.forTests().failure(of: server.url("/\(hidden)"))
            .expect(.tooLarge, mayHaveArrived: true, says: says)
    }
}
