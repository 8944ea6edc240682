import AlertModel
import Testing

@Suite struct `Texts` {
    @Test(arguments: [
        ("short", 10, "short"), ("exactly10!", 10, "exactly10!"), ("eleven char", 10, "eleve…char"), ("abc", 2, "a…"),
        ("abc", 1, "…"), ("abc", 0, ""), ("abcdef", 5, "ab…ef"), ("🦊🦊🦊🦊", 3, "🦊…🦊"), ("éééé", 4, "éééé"),
        ("👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦", 3, "👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦"),
    ])
    func `long text loses its middle`(text: String, length: Int, clipped: String) {
        #expect(text.clipped(to: length) == clipped)
    }

    @Test(arguments: ["👨‍👩‍👧‍👦", "🏳️‍🌈", "🇪🇸", "e\u{301}"])
    func `of many pictures whole ones stay`(character: String) {
        let name = String(repeating: character, count: 400)
        let side = String(repeating: character, count: 19)
        #expect(name.clipped(to: 40) == side + character + "…" + side)
    }

    @Test func `one character of endless marks is long text too`() {
        let stacked = "Z" + String(repeating: "\u{301}", count: 1_000_000)
        #expect(stacked.count == 1)
        #expect(stacked.clipped(to: 100).utf8.count < 10_000)
    }

    @Test(arguments: [
        ("plain é 🦊", "plain é 🦊"), ("a\nb\r\nc\td", "a b  c d"), ("a\u{2028}b\u{2029}c", "a b c"),
        ("a\u{0}\u{7}\u{1B}[31mb\u{7F}\u{9B}", "a[31mb"), ("user\u{202E}gpj.exe", "usergpj.exe"),
        ("\u{200E}\u{200F}\u{61C}\u{202A}\u{202D}\u{2066}\u{2069}x", "x"), ("👨‍👩‍👧", "👨‍👩‍👧"), ("", ""),
    ])
    func `what could deceive a reader is taken out`(text: String, tamed: String) {
        #expect(text.tamed == tamed)
    }

    @Test func `of all characters, those that could deceive are taken out and no others`() {
        let ends: Set<UInt32> = [0x09, 0x0A, 0x0D, 0x2028, 0x2029]
        let ranges: [Range<UInt32>] = [0..<0x20, 0x7F..<0xA0, 0x202A..<0x202F, 0x2066..<0x206A]
        let wild = Set(ranges.joined()).union([0x61C, 0x200E, 0x200F])
        var wrong: [String] = []
        for scalar in (0...0x1FFFF as ClosedRange<UInt32>).lazy.compactMap(Unicode.Scalar.init) {
            let text = "a\(scalar)b"
            let expected = ends.contains(scalar.value) ? "a b" : wild.contains(scalar.value) ? "ab" : text
            if !text.tamed.utf8.elementsEqual(expected.utf8) { wrong.append("U+" + String(scalar.value, radix: 16)) }
        }
        #expect(wrong == [])
    }

    @Test(arguments: [
        ("AZaz09-._~", "AZaz09-._~"), ("a b/c?d&e=f%", "a%20b%2Fc%3Fd%26e%3Df%25"), ("é\u{0}", "%C3%A9%00"), ("", ""),
    ])
    func `everything but unreserved characters is percent-encoded`(text: String, encoded: String) {
        #expect(text.percentEncoded == encoded)
        #expect(encoded.percentDecoded == Array(text.utf8))
    }

    @Test func `of all bytes, letters and digits of ASCII are told`() {
        let bytes = (0...255).map(UInt8.init)
        let (digits, letters) = ("0123456789", "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
        #expect(String(decoding: bytes.filter(\.isASCIIDigit), as: UTF8.self) == digits)
        #expect(String(decoding: bytes.filter(\.isASCIILetter), as: UTF8.self) == letters)
        #expect(String(decoding: bytes.filter(\.isASCIILetterOrDigit), as: UTF8.self) == digits + letters)
    }

    @Test(arguments: [
        ("0", true), ("0123456789", true), ("", false), ("1a", false), ("-1", false), ("1\u{301}", false), ("١", false),
        ("½", false),
    ])
    func `digits of ASCII and nothing else are digits`(text: String, areDigits: Bool) {
        #expect(text.isDigits == areDigits)
    }

    @Test(arguments: [("%zz%4", "%zz%4"), ("%+5%20+", "%+5 +"), ("%", "%"), ("%e9%C3%a9", "\u{FFFD}é")])
    func `what only looks percent-encoded stays as it is`(text: String, decoded: String) {
        #expect(String(decoding: text.percentDecoded, as: UTF8.self) == decoded)
    }

    @Test(arguments: [
        ("treshold", "threshold"), ("threshold", "threshold"), ("THRESHOLD", "threshold"), ("thresohld", "threshold"),
        ("mut", "mute"), ("umte", "mute"), ("mate", "mute"), ("xyz", nil), ("", nil), ("quiethours", "quiet_hours"),
        ("budgets", "budget"), ("threshhhhold", "threshold"), ("threshhhhhhold", nil),
    ])
    func `a slip of the hand finds what was meant`(text: String, meant: String?) {
        #expect(text.nearest(in: ["threshold", "mute", "quiet_hours", "budget"]) == meant)
    }

    @Test func `of two equally near the first is meant, and endless words are near nothing`() {
        #expect("bat".nearest(in: ["cat", "bar"]) == "cat")
        #expect(String(repeating: "a", count: 65).nearest(in: [String(repeating: "a", count: 65)]) == nil)
    }

    @Test(arguments: [("  a b \n", "a b"), ("", ""), (" \t", ""), ("x", "x")])
    func `white space at the ends goes`(text: String, trimmed: String) {
        #expect(text.trimmed == trimmed)
    }
}

@Suite struct `Stable hashes` {
    /// The values were computed by a separate program from the definitions of FNV-1a and of the finishing mix.
    @Test(
        arguments: [
            ([], 0xEFD01F60BA992926, "evk0vc2t9ia96"),
            ([""], 0x1BBD5C813C69A8D7, "1nfasg4u6ja6n"),
            (["ios"], 0xCC6291A1CE375B53, "cookhk773emqj"),
            (["shop-ios", "é🦊"], 0x00F221A2FEDCC9E0, "01sh1kbvdpif0"),
        ] as [([String], UInt64, String)])
    func `a hash is the same everywhere and always`(texts: [String], value: UInt64, text: String) {
        var hash = StableHash()
        for text in texts { hash.add(text) }
        #expect(hash.value == value)
        #expect(hash.text == text)
    }

    @Test func `the ends of texts count`() {
        #expect(StableHash.unit("ab", "c") != StableHash.unit("a", "bc"))
        #expect(StableHash.unit("a", "") != StableHash.unit("a"))
    }

    @Test func `units spread from 0 to 1`() {
        let units = (0..<4000).map { StableHash.unit("source", String($0)) }
        #expect(units.allSatisfy { (0..<1).contains($0) })
        var counts = [Int](repeating: 0, count: 10)
        for unit in units { counts[Int(unit * 10)] += 1 }
        // Five standard deviations around 400 a tenth; the values never change, so neither does the outcome.
        #expect(counts.allSatisfy { (305...495).contains($0) }, "\(counts)")
    }
}
