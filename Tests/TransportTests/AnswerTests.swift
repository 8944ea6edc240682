import AlertModel
import Glibc
import Synchronization
import Testing
import Transport

@Suite(.timeLimit(.minutes(30))) struct `Answers` {
    @Test func `a request goes out as described and its answer comes back whole`() async throws {
        let seen = Mutex<[ReceivedRequest]>([])
        let server = try LoopbackServer.answering { request in
            seen.withLock { $0.append(request) }
            return answer("körper", status: "201 Created", headers: ["X-One:  1 ", "x-one: 2", "Empty:"])
        }
        let request = HTTPRequest(
            .put,
            GuardedText(server.url("/a%2Fb?c=%20d")),
            headers: [.init("Authorization", "Bearer \(Secret(hidden))"), .init("X-Empty", " ")],
            body: .json(["text": "ü"]))
        let response = try await HTTPTransport.forTests().perform(request, timeout: .seconds(3600))

        #expect(response.status == 201)
        #expect(String(decoding: response.body, as: UTF8.self) == "körper")
        #expect(response.headers.map(\.name) == ["Content-Length", "X-One", "x-one", "Empty"])
        #expect(response.headers.map(\.value) == ["7", "1", "2", ""])
        let requests = seen.withLock { $0 }
        let received = try #require(requests.first)
        #expect(received.line == "PUT /a%2Fb?c=%20d HTTP/1.1")
        #expect(String(decoding: received.body, as: UTF8.self) == #"{"text":"ü"}"#)
        #expect(received.header("authorization") == "Bearer \(hidden)")
        #expect(received.header("x-empty") == "")
        #expect(received.header("user-agent") == "alertbot-tests/1")
        #expect(received.header("content-type") == "application/json; charset=utf-8")
        #expect(received.header("content-length") == "13")
        #expect(received.header("expect") == nil)
    }

    @Test func `a small body leaves together with the headers`() async throws {
        let first = Mutex<[UInt8]>([])
        let server = try LoopbackServer { connection in
            let piece = connection.readPiece()
            first.withLock { $0 = piece }
            _ = connection.send(answer())
        }
        let request = HTTPRequest(.post, GuardedText(server.url()), body: .json(["a": 1]))
        _ = try await HTTPTransport.forTests().perform(request, timeout: .seconds(3600))
        let text = String(decoding: first.withLock { $0 }, as: UTF8.self)
        #expect(text.hasPrefix("POST "))
        #expect(text.hasSuffix(#"{"a":1}"#))
    }

    @Test(arguments: [0, 1, 61_440, 61_441, 65_536, 200_000])
    func `a body of any size comes whole`(count: Int) async throws {
        let seen = Mutex<[ReceivedRequest]>([])
        let server = try LoopbackServer.answering { request in
            seen.withLock { $0.append(request) }
            return answer()
        }
        let text = String(repeating: "körper", count: count / 7) + String(repeating: "x", count: count % 7)
        let body = HTTPRequest.Body.text(GuardedText(text), contentType: "text/plain")
        let request = HTTPRequest(.post, GuardedText(server.url()), body: body)
        _ = try await HTTPTransport.forTests().perform(request, timeout: .seconds(3600))
        #expect(seen.withLock { $0.map(\.body) } == [Array(text.utf8)])
    }

    @Test(arguments: [(HTTPRequest.Method.get, "GET"), (.post, "POST"), (.put, "PUT")])
    func `every method works without a body and with one of two megabytes`(
        method: HTTPRequest.Method,
        word: String
    ) async throws {
        let server = try LoopbackServer.answering { request in
            let sum = request.body.reduce(0) { ($0 &* 31 &+ Int($1)) % 1_000_003 }
            return answer("\(request.line) \(request.body.count) \(sum) \(request.header("expect") ?? "-")")
        }
        let transport = HTTPTransport.forTests()
        let empty = try await transport.perform(HTTPRequest(method, GuardedText(server.url())), timeout: .seconds(3600))
        #expect(empty.excerpt() == "\(word) / HTTP/1.1 0 0 -")

        let text = String(repeating: "0123456789abcdef", count: 131_072)
        let sum = text.utf8.reduce(0) { ($0 &* 31 &+ Int($1)) % 1_000_003 }
        let full = try await transport.perform(
            HTTPRequest(method, GuardedText(server.url()), body: .text(GuardedText(text), contentType: "text/plain")),
            timeout: .seconds(3600))
        #expect(full.excerpt() == "\(word) / HTTP/1.1 2097152 \(sum) -")
    }

    @Test func `the request's own headers win over those set for it`() async throws {
        let server = try LoopbackServer.answering { request in
            let (agent, type) = (request.header("user-agent"), request.header("content-type"))
            return answer("\(agent ?? "-") \(type ?? "-") \(request.headers.count)")
        }
        let request = HTTPRequest(
            .post,
            GuardedText(server.url()),
            headers: [.init("user-agent", "mine"), .init("CONTENT-TYPE", "application/cloudevents+json")],
            body: .json([]))
        // Host, Accept, Accept-Encoding, Content-Length, and the two.
        let response = try await HTTPTransport.forTests().perform(request, timeout: .seconds(3600))
        #expect(response.excerpt() == "mine application/cloudevents+json 6")
    }

    @Test(arguments: [
        ("chunked", "Transfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2\r\nlo\r\n0\r\nTrailer: x\r\n\r\n", "hello"),
        ("up to the end", "Connection: close\r\n\r\nhello", "hello"),
        ("empty", "Content-Length: 0\r\n\r\n", ""),
        ("after an interim answer", "Content-Length: 1\r\n\r\n1", "1"),
    ])
    func `bodies end where they say`(name: String, rest: String, body: String) async throws {
        let interim = name == "after an interim answer" ? "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" : ""
        let server = try LoopbackServer.sending(Array("\(interim)HTTP/1.1 200 OK\r\n\(rest)".utf8))
        let response = try await HTTPTransport.forTests().get(server.url())
        #expect(response.status == 200)
        #expect(String(decoding: response.body, as: UTF8.self) == body)
        #expect(response.headers.count == 1)
    }

    @Test(arguments: [204, 304, 400, 404, 429, 500, 503, 599])
    func `a status is an answer, not an error`(status: Int) async throws {
        let hasBody = status >= 400
        let (length, body) = hasBody ? ("Content-Length: 2\r\n", "no") : ("", "")
        let server = try LoopbackServer.sending(
            Array("HTTP/1.1 \(status) X\r\n\(length)ETag: \"7\"\r\n\r\n\(body)".utf8))
        let response = try await HTTPTransport.forTests().get(server.url())
        #expect(response.status == status)
        #expect(response.header("etag") == "\"7\"")
        #expect(response.body.count == (hasBody ? 2 : 0))
    }

    @Test(arguments: [
        ("gzip", "1f8b0800000000000203cb48cdc9c9d75148afca2c00004a9bb15c0b000000"),
        ("deflate", "78dacb48cdc9c9d75148494dcb492c49050026ad0536"),
    ])
    func `compressed bodies are unpacked`(encoding: String, hex: String) async throws {
        let server = try LoopbackServer.sending(packed(hex, encoding))
        let response = try await HTTPTransport.forTests().get(server.url())
        #expect(response.excerpt() == "hello, \(encoding)")
    }

    @Test func `a small body that unpacks to a large one is cut off`() async throws {
        let server = try LoopbackServer.sending(packed(zeroBytes65536, "gzip"))
        let whole = try await HTTPTransport.forTests(.init(bodyBytesMax: 65_536)).get(server.url())
        #expect(whole.body == [UInt8](repeating: 0, count: 65_536))
        let error = await #expect(throws: TransportError.self) {
            try await HTTPTransport.forTests(.init(bodyBytesMax: 65_535)).get(server.url())
        }
        error?.expect(.tooLarge, mayHaveArrived: true, says: "more than 65535 bytes")
    }

    @Test func `a unix socket is reached by its path`() async throws {
        let path = "/tmp/alertbot-transport-\(getpid()).sock"
        unlink(path)
        defer { unlink(path) }
        let server = try LoopbackServer(unixSocketPath: path) { connection in
            while let request = connection.readRequest() {
                _ = connection.send(answer("\(request.line) \(request.header("host") ?? "-")"))
            }
        }
        let transport = HTTPTransport.forTests()
        let response = try await transport.perform(
            HTTPRequest(.get, "http://control/state"),
            timeout: .seconds(3600),
            unixSocketPath: path
        )
        #expect(response.excerpt() == "GET /state HTTP/1.1 control")
        #expect(server.connectionsCount == 1)

        let error = try await transport.failure(of: "http://control/", unixSocketPath: path + ".missing")
        error.expect(.connect, mayHaveArrived: false, says: "cannot connect to the socket \(path).missing")
        let tooLong = try await transport.failure(
            of: "http://control/",
            unixSocketPath: "/" + String(repeating: "x", count: 107)
        )
        tooLong.expect(.badAddress, mayHaveArrived: false, says: "108 bytes")
    }
}

/// An answer with a body given in hexadecimal digits.
private func packed(_ hex: String, _ encoding: String) -> [UInt8] {
    let body = stride(from: 0, to: hex.count, by: 2).compactMap { UInt8(hex.dropFirst($0).prefix(2), radix: 16) }
    return Array("HTTP/1.1 200 OK\r\nContent-Encoding: \(encoding)\r\nContent-Length: \(body.count)\r\n\r\n".utf8)
        + body
}

/// 65536 zero bytes, gzipped.
private let zeroBytes65536 =
    "1f8b0800000000000203edc101010000008090feafee080a0000000000000000000000000000000000000000000000000000"
    + "000000000000000000000000000000000000000000000000000000000000000000000000006aeb8e97d700000100"
