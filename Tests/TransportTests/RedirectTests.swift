import AlertModel
import Glibc
import Synchronization
import Testing
import Transport

@Suite(.timeLimit(.minutes(30))) struct `Redirects` {
    @Test(arguments: [301, 302, 303, 307, 308])
    func `a GET follows within its origin, with its headers`(status: Int) async throws {
        let server = try LoopbackServer.answering { request in
            switch request.line {
            case "GET /a/start HTTP/1.1": answer("", status: "\(status) Go", headers: ["Location: next?x=1#y"])
            case "GET /a/next?x=1 HTTP/1.1": answer("\(request.header("authorization") ?? "-")")
            default: answer("lost", status: "404 Not Found")
            }
        }
        let request = HTTPRequest(
            .get, GuardedText(server.url("/a/start")), headers: [.init("Authorization", "Bearer \(Secret(hidden))")])
        let response = try await HTTPTransport.forTests().perform(request, timeout: .seconds(3600))
        #expect(response.excerpt() == "Bearer \(hidden)")
        #expect(server.connectionsCount == 1)
    }

    @Test(arguments: [HTTPRequest.Method.post, .put, .get], [301, 302, 303, 307, 308])
    func `what has a body is handed the redirect itself`(method: HTTPRequest.Method, status: Int) async throws {
        let requests = Counter()
        let server = try LoopbackServer.answering { _ in
            requests.next()
            return answer("moved", status: "\(status) Go", headers: ["Location: /elsewhere"])
        }
        let response = try await HTTPTransport.forTests().perform(
            HTTPRequest(method, GuardedText(server.url()), body: .json([])), timeout: .seconds(3600))
        #expect(response.status == status)
        #expect(response.header("location") == "/elsewhere")
        #expect(requests.value == 1)
    }

    @Test(arguments: [300, 302, 304]) func `a redirect without a place to go is an answer`(status: Int) async throws {
        let server = try LoopbackServer.answering { _ in "HTTP/1.1 \(status) Go\r\nContent-Length: 0\r\n\r\n" }
        #expect(try await HTTPTransport.forTests().get(server.url()).status == status)
    }

    @Test func `another port is another origin, and nothing goes there`() async throws {
        let other = try LoopbackServer.answering { _ in answer() }
        let server = try LoopbackServer.answering { [port = other.port] _ in
            answer(
                "",
                status: "302 Go",
                headers: ["Location: http://u:\(hidden)@127.0.0.1:\(port)/\(hidden)?k=\(hidden)"]
            )
        }
        let error = try await HTTPTransport.forTests().failure(of: server.url("/\(hidden)"))
        error.expect(
            .redirect,
            mayHaveArrived: true,
            says: "127.0.0.1:\(server.port) redirects to http://127.0.0.1:\(other.port), and nothing was sent there"
        )
        #expect(other.connectionsCount == 0)
    }

    @Test(arguments: [
        ("https://127.0.0.1:PORT/", "https://127.0.0.1:PORT"), ("http://localhost:PORT/", "http://localhost:PORT"),
        ("//example.com/x", "http://example.com:80"), ("http://127.0.0.1:PORT@evil.example/", "http://evil.example:80"),
        ("http://127.0.0.2:PORT", "http://127.0.0.2:PORT"), ("file:///etc/passwd", "file://"),
        ("gopher://127.0.0.1:PORT/", "gopher://127.0.0.1:PORT"), ("http://[::", "something that is not an address"),
        ("http://exa\u{7F}mple/", "something that is not an address"),
    ])
    func `only the same scheme, host and port will do`(location: String, named: String) async throws {
        let port = Mutex<UInt16>(0)
        let server = try LoopbackServer.answering { _ in
            let location = location.replacing("PORT", with: "\(port.withLock { $0 })")
            return answer("", status: "302 Go", headers: ["Location: \(location)"])
        }
        port.withLock { $0 = server.port }
        let error = try await HTTPTransport.forTests().failure(of: server.url())
        error.expect(.redirect, mayHaveArrived: true, says: named.replacing("PORT", with: "\(server.port)"))
    }

    @Test func `a circle ends after the bound`() async throws {
        let requests = Counter()
        let server = try LoopbackServer.answering { _ in
            requests.next()
            return answer("", status: "302 Go", headers: ["Location: /again"])
        }
        let transport = HTTPTransport.forTests(.init(redirectsMax: 3))
        try await transport.failure(of: server.url())
            .expect(.redirect, mayHaveArrived: true, says: "redirected more than 3 times")
        #expect(requests.value == 4)
    }

    @Test func `the timeout is for all steps together`() async throws {
        let server = try LoopbackServer { connection in
            while connection.readRequest() != nil {
                var waiting = pollfd(fd: connection.socket, events: Int16(POLLIN), revents: 0)
                if poll(&waiting, 1, 50) > 0 { return }
                _ = connection.send(answer("", status: "302 Go", headers: ["Location: /again"]))
            }
        }
        let transport = HTTPTransport.forTests(.init(redirectsMax: 1000))
        try await transport.failure(of: server.url(), timeout: .milliseconds(500))
            .expect(.timeout, mayHaveArrived: true, says: "within 500 ms")
    }
}
