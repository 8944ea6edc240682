import AlertModel
import Testing

@Suite struct `Secrets` {
    static let word = "hunter2hunter2"
    static let secret = Secret(word)
    static let guarded: GuardedText = "Bearer \(secret)!"
    static let request = HTTPRequest(
        .post, "https://example.com/\(secret)", headers: [.init("Authorization", guarded)],
        body: .form([.init("token", GuardedText(secret))]),
        signature: .standardWebhooks(id: "1", timestamp: Fixtures.start, secret: GuardedText(secret)))

    /// Every way the language has of turning a value into text.
    private func printings<Value>(_ value: Value) -> [String] {
        var dumped = ""
        dump(value, to: &dumped)
        var printed = ""
        print(value, to: &printed)
        debugPrint(value, to: &printed)
        let children = Mirror(reflecting: value).children.map { String(reflecting: $0) }
        return [
            "\(value)", String(describing: value), String(reflecting: value), dumped, printed, "\([value])",
            "\(["key": value])", "\(Optional(value) as Any)", String(describing: Result<Value, Never>.success(value)),
        ] + children
    }

    @Test func `no way of printing shows a secret`() {
        let all =
            printings(Self.secret) + printings(Self.guarded) + printings(Self.request) + printings(Self.guarded.pieces)
        for text in all {
            #expect(!text.contains("hunter2"), "\(text)")
        }
        #expect(Self.secret.description == "***")
        #expect(String(reflecting: Self.secret) == "***")
        #expect(Self.guarded.description == "Bearer ***!")
        #expect(String(reflecting: Self.guarded) == "Bearer ***!")
        #expect(JSON(Self.guarded.description).text == #""Bearer ***!""#)
    }

    @Test func `only revealing shows it`() {
        #expect(Self.secret.reveal() == Self.word)
        #expect(Self.guarded.reveal() == "Bearer \(Self.word)!")
        #expect(Self.guarded.hasSecret)
        #expect(!GuardedText("plain").hasSecret)
    }

    @Test func `interpolation keeps the pieces apart`() {
        let path = "a b"
        let text: GuardedText = "\(Self.guarded)/\(path)/\(7)"
        #expect(
            text.pieces == [
                .plain("Bearer "), .secret(Self.secret), .plain("!"), .plain("/"), .plain("a b"), .plain("/"),
                .plain("7"),
            ])
    }

    @Test(arguments: [
        ("https://a.example", "https://a.example"), ("https://a.example//", "https://a.example"),
        ("https://a.example/api/0/", "https://a.example"), ("https://a.example/api/0/api/0", "https://a.example"),
        ("https://a.example/api", "https://a.example/api"), ("/", "/"),
    ])
    func `endings are cut off, however often they follow each other`(text: String, expected: String) {
        #expect(GuardedText(text).droppingLast(anyOf: ["/", "/api/0"]).reveal() == expected)
        // A piece that is an ending all by itself goes, and what is secret stays secret.
        let pieces = GuardedText(pieces: [.plain("https://"), .secret(Secret("a.example/")), .plain("/api/0")])
        let cut = pieces.droppingLast(anyOf: ["/", "/api/0"])
        #expect(cut.reveal() == "https://a.example")
        #expect("\(cut)" == "https://***")
    }

    @Test func `a changed secret stays secret`() {
        let text = (GuardedText(Secret("a/b")).percentEncoded, GuardedText("c/d").percentEncoded)
        #expect(text.0.description == "***")
        #expect(text.0.reveal() == "a%2Fb")
        #expect(text.1.description == "c%2Fd")
    }

    @Test(arguments: [
        ("https://hooks.example.com/services/T0/B0/XyZ", "https://hooks.example.com/***"),
        ("https://hooks.example.com:8443/x", "https://hooks.example.com:8443/***"),
        ("HTTPS://hooks.example.com?key=1", "HTTPS://hooks.example.com***"),
        ("https://hooks.example.com#key", "https://hooks.example.com***"),
        ("https://hooks.example.com", "https://hooks.example.com"),
        ("http://user:pass@host/path", "http://***host/***"),
        ("http://user:p@ss@host", "http://***host"),
        ("http://[::1]:80/x", "http://[::1]:80/***"),
        ("https://host/a://b", "https://host/***"),
        ("https://", "***"), ("no address", "***"), ("", "***"), ("T0KEN://x", "***"), ("tok/en?to=a://b", "***"),
        ("ftp://host/x", "***"),
    ])
    func `of an address that is a credential only the origin is shown`(address: String, shown: String) {
        for text in [GuardedText(address), GuardedText(Secret(address))] {
            #expect(text.showingOnlyOrigin.description == shown)
            #expect(text.showingOnlyOrigin.reveal() == address)
        }
    }

    @Test func `a secret inside the origin stays hidden`() {
        let host = Secret("tenant-7f3a")
        let address: GuardedText = "https://\(host).example.com/path"
        #expect(address.showingOnlyOrigin.description == "https://***.example.com/***")
        #expect(address.showingOnlyOrigin.reveal() == "https://tenant-7f3a.example.com/path")
        let tail: GuardedText = "https://example.com/a\(Secret("b"))?c"
        #expect(tail.showingOnlyOrigin.description == "https://example.com/***")
    }
}
