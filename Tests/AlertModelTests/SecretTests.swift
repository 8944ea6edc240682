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

    @Test(arguments: [
        ("https://us:SEKRITpw5@s.example/a@b", "dXM6U0VLUklUcHc1"), ("https://us:p%40s%3as@s.example", "dXM6cEBzOnM="),
        ("https://SEKRIT@s.example?q", "U0VLUklUOg=="), ("https://us:a:b@c@s.example", "dXM6YTpiQGM="),
        ("https://s.example/a:b@c", nil), ("https://s.example?a:b@c", nil), ("us:pw@s.example", nil), ("", nil),
    ])
    func `a login in an address is known as it goes over the wire`(address: String, login: String?) {
        let encoded = [login].compactMap(\.self).map(Secret.init)
        #expect(HTTPRequest(.get, GuardedText(address)).ownSecrets == encoded)
        var proxied = HTTPRequest(.get, "https://t.example")
        proxied.connection.proxy = .at(GuardedText(Secret(address)))
        #expect(proxied.ownSecrets == encoded)
    }

    @Test func `what was made for a request is among its own secrets`() {
        let (login, signed) = (Secret("dXM6U0VLUklUcHc1"), Secret("eyJ.eyJ"))
        let request = HTTPRequest(
            .post, "https://s.example",
            headers: [.init("Accept", "text/plain"), .init("Authorization", "Basic \(login)")],
            body: .form([.init("grant_type", "jwt"), .init("assertion", "\(signed).\("c2ln")")]))
        #expect(request.ownSecrets == [login, Secret("eyJ.eyJ.c2ln")])
        let keyed = HTTPRequest(
            .post, "https://s.example", body: .json(JSONObject([("title", "x")]), behind: "topic", GuardedText(signed)))
        #expect(keyed.ownSecrets == [signed])
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

@Suite struct `Masks of secrets` {
    private static let token = "kJ8/aZ+qLm9\"Pw2&xR7t=="
    private static let mask = SecretMask(Secret(token))

    @Test(arguments: [
        "kJ8/aZ+qLm9\"Pw2&xR7t==", #"kJ8\/aZ+qLm9\"Pw2&xR7t=="#, #"kJ8\/aZ\u002BqLm9\u0022Pw2\u0026xR7t\u003D\u003d"#,
        "kJ8%2FaZ%2BqLm9%22Pw2%26xR7t%3D%3D", "kJ8%2faZ+qLm9%22Pw2%26xR7t==",
        "kJ8%252FaZ%252BqLm9%2522Pw2%2526xR7t%253D%253D",
        "kJ8&#47;aZ&#43;qLm9&quot;Pw2&amp;xR7t&#61;&#x3D;", "kJ8&#x2F;aZ&plus;qLm9&#034;Pw2&#38;xR7t&equals;=",
        "kJ8&amp;#x2F;aZ+qLm9&amp;quot;Pw2&amp;amp;xR7t==", #"kJ8\\/aZ\\u002BqLm9\\\"Pw2&xR7t=="#,
        #"kJ8/aZ\+qLm9\x22Pw2&xR7t\=\="#, "KJ8/AZ+QLM9\"PW2&XR7T==",
    ])
    func `a secret is masked however it is spelled`(spelling: String) {
        #expect(Self.mask.masked(in: spelling) == "***")
        #expect(
            Self.mask.masked(in: #"{"message": "no \#(spelling), or \#(spelling)"}"#)
                == #"{"message": "no ***, or ***"}"#)
        for text in ["\(spelling.dropLast(6)), no", "no \(spelling.dropFirst())", "100% &amp; \\u002F \\ % &"] {
            #expect(Self.mask.masked(in: text) == text)
        }
    }

    @Test func `letters beyond ASCII and ends of lines have spellings, too`() {
        let mask = SecretMask(Secret("pä🦊ß\n key"))
        for spelling in [
            "pä🦊ß\n key", #"p\u00e4\uD83E\uDD8A\u00DF\n key"#, "p%C3%A4%F0%9F%A6%8A%c3%9f%0A+key",
            "p&#228;&#x1F98A;ß&#10; key",
            "pä🦊ß  key",
        ] {
            #expect(mask.masked(in: "no \(spelling)!") == "no ***!")
        }
    }

    @Test(arguments: ["q/é🦊ß", "q%2F%C3%A9%F0%9F%A6%8A%c3%9f", "q\\/\\u00e9🦊&#223;"])
    func `characters beyond ASCII that are escaped in an address are known decoded`(spelling: String) {
        #expect(SecretMask(Secret("q%2F%C3%A9%F0%9F%A6%8A%C3%9F")).masked(in: "no \(spelling)!") == "no ***!")
    }

    @Test(arguments: ["a%2Fb%20c%25d", "a/b c%d", "a%2fb+c%25d", #"a\/b c%d"#, "a%252Fb%2520c%2525d"])
    func `a secret that stands in an address is known without its escapes`(spelling: String) {
        #expect(SecretMask(Secret("a%2Fb%20c%25d")).masked(in: "no /\(spelling)!") == "no /***!")
        // What is no escape stands for itself.
        #expect(SecretMask(Secret("a%2Gb%4")).masked(in: "no a%2Gb%4, a%252gb%254") == "no ***, ***")
        #expect(SecretMask(Secret("a%+1b%C3%2")).masked(in: "no a%+1b%C3%2") == "no ***")
    }

    private static let hex = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"

    @Test(arguments: [
        hex, token, #"kJ8\/aZ\u002BqLm9\u0022Pw2\u0026xR7t\u003D\u003D"#, "kJ8%2FaZ%2BqLm9&quot;Pw2%26xR7t%3D%3D",
    ])
    func `whatever a cut leaves of a secret is masked`(spelling: String) {
        let secret = spelling == Self.hex ? Self.hex : Self.token
        for before in 0..<90 {
            let text = String(repeating: "a ", count: before) + spelling + String(repeating: " z", count: 60)
            for length in [40, 120] {
                let seen = SecretMask(Secret(secret)).masked(in: text.clipped(to: length))
                #expect(seen.longestPiece(of: spelling) < 6, "\(seen)")
                // And once more, cut again.
                let again = SecretMask(Secret(secret)).masked(in: text.clipped(to: 100).clipped(to: 35))
                #expect(again.longestPiece(of: spelling) < 6, "\(again)")
            }
        }
    }

    @Test(arguments: ["tokensecret123 ", " tokensecret123", "\ttokensecret123\r\n", "tokensecret123"])
    func `a secret is known without the space at its ends, which no header carries`(secret: String) {
        let mask = SecretMask(Secret(secret))
        #expect(mask.masked(in: "bad token: Bearer tokensecret123!") == "bad token: Bearer ***!")
        #expect(mask.masked(in: "[tokensecret123]") == "[***]")
        #expect(SecretMask(Secret("  abc  ")).masked(in: "abc") == "abc", "it is as short as without")
    }

    @Test func `a secret that stands for too few characters is masked as it is written, and only so`() {
        #expect(Secret("%2F%2F").masked(in: "https://other.example/%2f%2F") == "https://other.example/***")
    }

    @Test func `what is next to a cut and no piece of a secret stays`() {
        let mask = SecretMask(Secret(Self.hex))
        for text in [
            "no 9f8…", "9f86 …", "…0a08 and", "f86d081884…", "…a08", "… 0f00a08", "the app shop…ios", "…", "……",
        ] {
            #expect(mask.masked(in: text) == (text == "…0a08 and" ? "…*** and" : text))
        }
        #expect(mask.masked(in: "9f86d…0f00a08; …7d659a2f…") == "***…***; …***…")
    }
}

extension String {
    /// How many characters of the other text stand here in a row.
    fileprivate func longestPiece(of other: String) -> Int {
        let other = Array(other)
        var longest = 0
        for start in other.indices {
            while start + longest < other.count, contains(String(other[start...(start + longest)])) { longest += 1 }
        }
        return longest
    }
}
