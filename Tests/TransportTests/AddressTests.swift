import AlertModel
import Testing

@testable import Transport

@Suite struct `Addresses and headers` {
    @Test(arguments: [
        "", "example.com/path", "https://", "https://exa mple.com/", "https://example.com/\r\nX: y",
        "https://example.com/\u{0}", "https://example.com/a\tb", "https://example.com:99999/", "https://[::1/", "::::",
    ])
    func `what is no URL is refused`(url: String) async throws {
        let error = try await HTTPTransport.forTests().failure(of: url)
        error.expect(.badAddress, mayHaveArrived: false, says: "write it as https://host/path")
    }

    @Test func `an error about an address quotes nothing of it`() async throws {
        for url in [
            "https://\(hidden) x", "\(hidden)", "https://h:\(hidden)/", "https://h/\(hidden)\n", "https://[\(hidden)",
        ] {
            let error = try await HTTPTransport.forTests().failure(of: url)
            #expect(error.cause == .badAddress)
        }
    }

    @Test(arguments: [
        "ftp://127.0.0.1/x", "file:///etc/passwd", "gopher://127.0.0.1/", "smtp://127.0.0.1", "xyz://host/",
    ])
    func `only http and https are spoken`(url: String) async throws {
        let error = try await HTTPTransport.forTests().failure(of: url)
        error.expect(.refusedScheme, mayHaveArrived: false, says: "is not a supported scheme")
    }

    @Test(arguments: [
        "http://example.invalid/", "HTTP://example.invalid", "http://128.0.0.1/", "http://[::2]/", "http://0.0.0.0/",
        "http://localhost.example.invalid/", "http://127.0.0.1.example.invalid/", "http://127.0.0.1@example.invalid/",
        "http://10.0.0.1:8080/",
    ])
    func `plain http to other machines is refused unless allowed`(url: String) async throws {
        let error = try await HTTPTransport.forTests().failure(of: url)
        error.expect(.refusedScheme, mayHaveArrived: false, says: "`insecure: true`")

        // Not performed: a test asks no other machine.
        let allowed = HTTPRequest(.get, GuardedText(url), allowsPlainHTTP: true)
        #expect(try WireRequest(allowed, userAgent: "x", unixSocketPath: nil).url == url)
    }

    @Test func `origins are remembered for a few addresses, and right for any number`() throws {
        let origins = RecentOrigins()
        for _ in 0..<3 {
            for number in 1...9 {
                let origin = try origins.origin(of: "http://h\(number).example:80\(number)/path")
                #expect(origin.hostAndPort == "h\(number).example:80\(number)")
            }
            #expect(throws: TransportError.self) { try origins.origin(of: "no address") }
        }
    }

    @Test(arguments: ["127.0.0.1", "127.1", "2130706433", "0x7f000001", "localhost", "LOCALHOST", "127.0.0.1."])
    func `plain http to this machine is fine however it is written`(host: String) async throws {
        let server = try LoopbackServer.answering { _ in answer() }
        let transport = HTTPTransport.forTests()
        if host == "127.0.0.1." {
            #expect(try await transport.failure(of: "http://\(host):\(server.port)/").cause == .refusedScheme)
        } else {
            #expect(try await transport.get("http://\(host):\(server.port)/").status == 200)
        }
    }

    @Test(arguments: [
        ("X-A\r\nX-B", "v"), ("X A", "v"), ("X:A", "v"), ("", "v"), ("X-Ä", "v"), ("X-A\u{0}", "v"),
        ("X-A", "v\r\nX-B: w"), ("X-A", "v\nX-B: w"), ("X-A", "v\rw"), ("X-A", "v\u{0}w"), ("X-A", "\r\n"),
        ("Content-Length", "5"), ("transfer-encoding", "chunked"),
    ])
    func `a header cannot become two, nor hide where the body ends`(name: String, value: String) async throws {
        let server = try LoopbackServer.answering { _ in answer() }
        let error = try await HTTPTransport.forTests().failure(
            of: server.url(), headers: [.init(name, "\(Secret(hidden))\(value)")])
        error.expect(.badAddress, mayHaveArrived: false, says: "the header '")
        #expect(!error.description.contains { $0.isNewline })
        #expect(server.connectionsCount == 0)
    }

    @Test func `a line break cannot come in through the content type or the signature`() async throws {
        let server = try LoopbackServer.answering { _ in answer() }
        let transport = HTTPTransport.forTests()
        let contentType = try await transport.failure(
            .post, of: server.url(), body: .text("x", contentType: "text/plain\r\nX: y"))
        contentType.expect(.badAddress, mayHaveArrived: false, says: "'Content-Type'")
        let id = try await transport.failure(
            .post, of: server.url(), body: .json([]),
            signature: .standardWebhooks(id: "a\r\nX: y", timestamp: Moment(milliseconds: 0), secret: "whsec_AAAA"))
        id.expect(.badAddress, mayHaveArrived: false, says: "'webhook-id'")
        #expect(server.connectionsCount == 0)
    }
}
