import AlertModel
import Testing

@Suite struct `HTTP values` {
    @Test func `a body goes over the wire in its form`() throws {
        func wire(_ body: HTTPRequest.Body?) -> [String]? {
            HTTPRequest(.post, "https://example.com", body: body).wireBody()
                .map { [String(decoding: $0.bytes, as: UTF8.self), $0.contentType] }
        }
        #expect(wire(nil) == nil)
        #expect(wire(.json(["a": 1])) == [#"{"a":1}"#, "application/json; charset=utf-8"])
        let text: GuardedText = "key=\(Secret("s3cret"))"
        #expect(wire(.text(text, contentType: "text/plain")) == ["key=s3cret", "text/plain"])
        let fields = [HTTPRequest.FormField("a b", "c&d"), HTTPRequest.FormField("token", GuardedText(Secret("=é")))]
        #expect(wire(.form(fields)) == ["a%20b=c%26d&token=%3D%C3%A9", "application/x-www-form-urlencoded"])
    }

    @Test(
        arguments: [
            ("Bearer s3cret", "s3cret"), ("bearer  s3cret ", "s3cret"), ("BEARER a b", "a b"), ("Bearer", nil),
            ("Bearer ", nil), ("Bearers3cret", nil), ("Basic s3cret", nil), ("", nil),
        ] as [(String, String?)])
    func `a bearer's token is read whatever the case and the spaces`(header: String, token: String?) {
        #expect(header.bearerToken == token)
    }

    @Test func `a header is found whatever its case, the first of them, without space`() {
        let response = HTTPResponse(status: 200, headers: [("X-Rate", " 1 "), ("x-rate", "2")])
        #expect(response.header("x-RATE") == "1")
        #expect(response.header("rate") == nil)
    }

    @Test(arguments: [
        ("", []), ("A: b\r\nC:d\r\n", ["A=b", "C=d"]), ("a:  1 \na:2", ["a=1", "a=2"]), ("Empty:\r\n", ["Empty="]),
        ("Name : x:y\r\n", ["Name=x:y"]), ("A: b\r\n  c\r\n\td \r\nE: f\r\n", ["A=b c d", "E=f"]),
        (" begins with space\r\nA: b\r\n", ["A=b"]), ("no colon\r\nA: b\r\n", ["A=b"]),
        ("X: ü\u{301}\r\n", ["X=ü\u{301}"]),
        ("X:\u{301}y\r\n", ["X=\u{301}y"]),
    ])
    func `header lines are read when somebody wants to know them`(lines: String, headers: [String]) {
        let response = HTTPResponse(status: 200, head: Array(lines.utf8), body: [])
        #expect(response.headers.map { "\($0.name)=\($0.value)" } == headers)
        let same = response.headers.map { (name: $0.name, value: $0.value) }
        #expect(response == HTTPResponse(status: 200, headers: same))
    }

    @Test(arguments: [(199, false), (200, true), (204, true), (299, true), (300, false), (304, false)])
    func `success is 2xx`(status: Int, isSuccess: Bool) {
        #expect(HTTPResponse(status: status).isSuccess == isSuccess)
    }

    @Test func `an excerpt is bounded, tame and never fails`() {
        func excerpt(_ bytes: [UInt8], _ length: Int = 10) -> String {
            HTTPResponse(status: 500, body: bytes).excerpt(length)
        }
        #expect(excerpt(Array("  oops\nagain ".utf8), 20) == "oops again")
        #expect(excerpt([0xFF, 0x41]) == "\u{FFFD}A")
        #expect(excerpt([]) == "")
        #expect(excerpt(Array(repeating: 0x41, count: 1 << 20)) == "AAAAA…AAAA")
    }
}
