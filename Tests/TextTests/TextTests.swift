internal import FoundationEssentials
internal import Testing
internal import Text

@Suite struct TextTests {
    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
        ("foobar", "Zm9vYmFy"),
    ])
    func `base64 as RFC 4648 has it`(plain: String, encoded: String) {
        #expect(Base64.encode(Array(plain.utf8)) == encoded)
        #expect(Base64.decode(encoded) == Array(plain.utf8))
    }

    @Test func `base64 there and back gives the same bytes`() {
        let all = (0...255).map(UInt8.init)
        for count in 0...256 {
            let bytes = Array(all.prefix(count))
            #expect(Base64.decode(Base64.encode(bytes)) == bytes)
        }
    }

    @Test(arguments: ["A", "AAA*", "AA=A", "AAAA=", "=", "ä", "A AA"])
    func `what is not base64 is told apart`(text: String) {
        #expect(Base64.decode(text) == nil)
    }

    @Test func `base64 without its padding is the same`() {
        #expect(Base64.decode("Zg") == Base64.decode("Zg=="))
        #expect(Base64.decode("Zm8") == Base64.decode("Zm8="))
    }

    @Test(arguments: [(0, "0 lines"), (1, "1 line"), (2, "2 lines"), (-1, "-1 lines")])
    func `what is counted is one or many`(number: Int, text: String) {
        #expect(number.counted("line") == text)
    }

    @Test(arguments: [
        ("", 0), ("plain", 5), ("naïve", 5), ("e\u{301}", 1), ("購物", 4), ("ｆｕｌｌ", 8), ("한국", 4),
        ("\u{1112}\u{1161}\u{11AB}", 2),
        ("🔴", 2), ("👩‍👩‍👧‍👦", 2), ("🇪🇸", 2), ("❤️", 2), ("1️⃣", 2), ("▁▂█", 3), ("a\u{200B}b", 2), ("…", 1),
    ])
    func `characters take the columns that terminals give them`(text: String, columns: Int) {
        #expect(text.columns == columns)
    }

    @Test func `every character of Python's Unicode database has its width`() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "width_table.txt")
        var wrong: [String] = []
        for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") where line.first != "#" {
            let parts = line.split(separator: " ")
            let first = try #require(UInt32(parts[0], radix: 16))
            let last = try #require(UInt32(parts[1], radix: 16))
            for code in first...last {
                let scalar = try #require(Unicode.Scalar(code))
                if String(scalar).columns != Int(parts[2]) { wrong.append(String(code, radix: 16)) }
            }
        }
        // A sign of Ahom that has become a spacing mark since that version of the database.
        #expect(wrong == ["1171e"], "\(wrong.count) characters")
    }
}
