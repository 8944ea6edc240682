import Testing

@testable import StatusPage

@Suite struct RequestTests {
    func read(_ head: String) -> Request? { Request(head: Array(head.utf8)) }

    @Test func `a head is read`() throws {
        let head = "GET /api/history?limit=5&x&limit=6 HTTP/1.1\r\nHost: a\r\nX-One:  two three \t\r\nhost:b\r\n\r\n"
        let request = try #require(read(head))
        #expect(request.method == "GET")
        #expect(request.path == "/api/history")
        #expect(request.parameter("limit") == "5")
        #expect(request.parameter("x") == "")
        #expect(request.parameter("y") == nil)
        #expect(request.headers("host") == ["a", "b"])
        #expect(request.headers("x-one") == ["two three"])
    }

    @Test func `bare line feeds will do`() {
        #expect(read("GET / HTTP/1.0\nHost: a\n\n")?.headers("host") == ["a"])
    }

    @Test(arguments: [
        "", "\r\n\r\n", "GET\r\n\r\n", "GET /\r\n\r\n", "GET / HTTP/2\r\n\r\n", "GET  / HTTP/1.1\r\n\r\n",
        "GET / x HTTP/1.1\r\n\r\n", "GET http://x/ HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nno colon\r\n\r\n",
        "GET / HTTP/1.1\r\n: empty name\r\n\r\n", "GET / HTTP/1.1\r\nHost : a\r\n\r\n",
        "GET / HTTP/1.1\r\n folded: a\r\n\r\n", "\u{16}\u{3}\u{1}\u{0}\r\n\r\n",
    ])
    func `what is no HTTP is refused`(head: String) {
        #expect(read(head) == nil)
    }

    @Test func `no bytes can trap the reader`() {
        let seed = UInt64(20_261_120)
        var state = seed
        let marks = Array("GET / HTTP/1.1\r\n:?&= \t\0\u{FF}".utf8)
        for _ in 0..<5000 {
            let head = (0..<40).map { _ in
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return marks[Int(state >> 33) % marks.count]
            }
            let request = Request(head: head)
            #expect(request?.path.hasPrefix("/") ?? true, "seed \(seed): \(head)")
        }
    }
}
