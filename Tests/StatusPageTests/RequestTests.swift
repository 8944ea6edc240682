import Testing

@testable import StatusPage

@Suite struct RequestTests {
    func read(_ target: String, method: String = "GET", _ fields: [(String, String)] = []) -> Request? {
        Request(
            method: method, target: target, fields: fields.map { Request.Field(name: $0.0, value: $0.1) })
    }

    @Test func `a head is read`() throws {
        let fields = [("Host", "a"), ("X-One", "two three \t"), ("host", "b")]
        let request = try #require(read("/api/history?limit=5&x&limit=6", fields))
        #expect(request.method == "GET")
        #expect(request.path == "/api/history")
        #expect(request.parameter("limit") == "5")
        #expect(request.parameter("x") == "")
        #expect(request.parameter("y") == nil)
        #expect(request.headers("host") == ["a", "b"])
        #expect(request.headers("x-one") == ["two three"])
    }

    @Test(arguments: [
        ([], 0), ([("Content-Length", "12")], 12), ([("Content-Length", "99999999999999999999")], Int.max),
        ([("Transfer-Encoding", "Chunked")], nil),
    ])
    func `a head says how long the body will be`(fields: [(String, String)], expected: Int?) throws {
        #expect(try #require(read("/", method: "POST", fields)).declaredBytes == expected)
    }

    @Test(arguments: ["", "*", "http://localhost/", "localhost:80", " /", "?x"])
    func `what is no path is refused`(target: String) {
        #expect(read(target) == nil)
    }

    @Test(arguments: [
        [("Host ", "a")], [(" folded", "a")], [("", "a")], [("X\tY", "a")],
        [("Content-Length", "3"), ("Content-Length", "3")],
        [("Content-Length", "3"), ("Transfer-Encoding", "chunked")],
        [("Transfer-Encoding", "chunked"), ("transfer-encoding", "chunked")],
        [("Transfer-Encoding", "gzip, chunked")], [("Transfer-Encoding", "identity")],
    ])
    func `what two readers could read differently is refused`(fields: [(String, String)]) {
        #expect(read("/", method: "POST", fields) == nil)
    }
}
