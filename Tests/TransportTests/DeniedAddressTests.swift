import AlertModel
import Testing
import Transport

@Suite(.timeLimit(.minutes(30))) struct `Addresses that the config denies` {
    private func request(_ url: String, _ policy: AddressPolicy) -> HTTPRequest {
        var request = HTTPRequest(
            .get, GuardedText(url), headers: [.init("Authorization", "Bearer \(Secret(hidden))")],
            allowsPlainHTTP: true)
        request.connection.policy = policy
        return request
    }

    private func failure(
        _ url: String, _ policy: AddressPolicy = .publicOnly(), by transport: HTTPTransport = .forTests()
    ) async throws -> TransportError {
        let error = await #expect(throws: TransportError.self) {
            try await transport.perform(request(url, policy), timeout: .seconds(3600))
        }
        return try #require(error)
    }

    @Test(arguments: [
        "127.0.0.1", "localhost", "LOCALHOST", "0.0.0.0", "0", "[::ffff:127.0.0.1]", "[::1]", "[::]", "2130706433",
        "0x7f.1", "0177.0.0.1", "127.1",
    ])
    func `this machine is not connected to, however it is written`(_ host: String) async throws {
        let server = try LoopbackServer.answering { _ in answer("secret") }
        let error = try await failure("http://\(host):\(server.port)/\(hidden)")
        error.expect(.connect, mayHaveArrived: false, says: "which 'network' in the config denies")
        #expect(!error.description.contains(hidden))
        #expect(server.connectionsCount == 0)
    }

    @Test func `the error says where a name leads and what to do`() async throws {
        let error = try await failure("http://127.1:9/")
        #expect(
            error.description
                == "127.0.0.1:9 is at 127.0.0.1, which 'network' in the config denies; add 127.0.0.1 to its 'allow' if that is intended"
        )
    }

    @Test func `what is allowed is connected to`() async throws {
        let server = try LoopbackServer.answering { _ in answer("fine") }
        let allowed = AddressPolicy.publicOnly(besides: [try AddressBlock(grammar: "127.0.0.0/8")])
        for policy in [AddressPolicy.open, allowed] {
            let response = try await HTTPTransport.forTests().perform(
                request(server.url(), policy), timeout: .seconds(3600))
            #expect(response.excerpt() == "fine")
        }
    }

    @Test func `a connection from before is no way around`() async throws {
        let server = try LoopbackServer.answering { request in answer(request.line) }
        let transport = HTTPTransport.forTests()
        _ = try await transport.perform(request(server.url("/1"), .open), timeout: .seconds(3600))
        let error = try await failure(server.url("/2"), by: transport)
        error.expect(.connect, mayHaveArrived: false, says: "denies")
        // And the other way round: what was refused spoils nothing.
        let response = try await transport.perform(request(server.url("/3"), .open), timeout: .seconds(3600))
        #expect(response.excerpt() == "GET /3 HTTP/1.1")
    }

    @Test func `a redirect leads to no address that is denied`() async throws {
        let inner = try LoopbackServer.answering { _ in answer("secret") }
        let server = try LoopbackServer.answering { [port = inner.port] _ in
            answer("", status: "302 Go", headers: ["Location: http://127.0.0.2:\(port)/"])
        }
        let policy = AddressPolicy.publicOnly(besides: [try AddressBlock(grammar: "127.0.0.1")])
        let error = try await failure(server.url(), policy)
        #expect(error.cause == .redirect)
        #expect(inner.connectionsCount == 0)
    }

    @Test func `a proxy is where a connection leads`() async throws {
        let proxy = try LoopbackServer.answering { _ in answer("from the proxy") }
        var request = request("http://example.com/", .publicOnly())
        request.connection.proxy = .at(GuardedText(proxy.url()))
        let error = await #expect(throws: TransportError.self) {
            try await HTTPTransport.forTests().perform(request, timeout: .seconds(3600))
        }
        #expect(error?.description.contains("is at 127.0.0.1, which") == true)
        #expect(proxy.connectionsCount == 0)
        request.connection.policy = .publicOnly(besides: [try AddressBlock(grammar: "127.0.0.1")])
        let response = try await HTTPTransport.forTests().perform(request, timeout: .seconds(3600))
        #expect(response.excerpt() == "from the proxy")
    }

    @Test func `a mail's server is looked at as well`() async throws {
        let server = try LoopbackServer.answering { _ in answer() }
        var mail = Mail(
            by: MailServer(host: "localhost", port: Int(server.port), security: .none),
            from: try #require(MailAddress("bot@example.com")), to: [try #require(MailAddress("ana@example.com"))],
            subject: "x", date: Moment(milliseconds: 0), id: "d-1@example.com", text: "x")
        mail.connection.policy = .publicOnly()
        let error = await #expect(throws: TransportError.self) {
            try await HTTPTransport.forTests().send(mail, timeout: .seconds(3600))
        }
        #expect(error?.cause == .connect)
        #expect(error?.description.contains("which 'network' in the config denies") == true)
        #expect(server.connectionsCount == 0)
    }
}
