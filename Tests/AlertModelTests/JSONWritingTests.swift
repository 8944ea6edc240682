import AlertModel
import Chance
import Testing

@Suite struct `Writing JSON` {
    @Test(
        arguments: [
            (.null, "null"), (true, "true"), (.int(.min), "-9223372036854775808"), (.double(0.1), "0.1"),
            (.double(3), "3.0"),
            (.double(-0.0), "-0.0"), (.double(1e300), "1e+300"), (.double(.leastNonzeroMagnitude), "5e-324"),
            (.double(.nan), "null"),
            (.double(.infinity), "null"), ("a\"b\\c/d", #""a\"b\\c/d""#),
            ("\n\r\t\u{0}\u{1F}\u{8}", #""\n\r\t\u0000\u001f\u0008""#),
            ("é🦊\u{7F}", "\"é🦊\u{7F}\""), ("\u{2028}x\u{2029}", #""\u2028x\u2029""#),
            ("\u{2027}\u{202A}", "\"\u{2027}\u{202A}\""),
            ([], "[]"), ([:], "{}"), ([1, [.null], ["a": 2]], #"[1,[null],{"a":2}]"#),
            (["b": 1, "a": 2], #"{"b":1,"a":2}"#),
        ] as [(JSON, String)])
    func `a value is one line`(value: JSON, text: String) {
        #expect(value.text == text)
        #expect(value.bytes == Array(text.utf8))
    }

    @Test func `pretty text has a level for every bracket`() {
        let value: JSON = ["a": [1, ["b": .null]], "c": [:], "d": []]
        #expect(
            value.prettyText == """
                {
                  "a": [
                    1,
                    {
                      "b": null
                    }
                  ],
                  "c": {},
                  "d": []
                }
                """)
    }

    @Test(
        arguments: [
            (1, .int(1)), (-0.0, .int(0)), (0.5, .double(0.5)), (9e15, .double(9e15)),
            (8_999_999_999_999_999, .int(8_999_999_999_999_999)),
            (1e300, .double(1e300)), (.nan, .null), (-.infinity, .null),
        ] as [(Double, JSON)])
    func `a number is written whole when it is whole, and null when it is none`(number: Double, value: JSON) {
        #expect(JSON(number) == value)
    }

    /// Eight bytes are looked at together, so what needs care may begin anywhere among them.
    @Test(arguments: [
        ("\"", #"\""#), ("\\", #"\\"#), ("\n", #"\n"#), ("\u{1}", #"\u0001"#), ("\u{1F}", #"\u001f"#),
        ("\u{2028}", #"\u2028"#), ("\u{2029}", #"\u2029"#), (" ", " "), ("\u{7F}", "\u{7F}"), ("¨", "¨"), ("🔴", "🔴"),
    ])
    func `a character is escaped wherever it stands`(character: String, escaped: String) {
        for before in 0..<18 {
            for after in [0, 1, 7, 8, 17] {
                let (head, tail) = (String(repeating: "x", count: before), String(repeating: "é", count: after))
                #expect(JSON.string(head + character + tail).text == "\"\(head)\(escaped)\(tail)\"")
            }
        }
    }

    @Test(arguments: SeededRandom.seeds)
    func `what is written is read back`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        for round in 0..<600 {
            let value = random.json(depth: 5)
            for text in [value.text, value.prettyText] where (try? JSON(parsing: text)) != value {
                Issue.record("round \(round) of seed \(seed): \(text)")
                return
            }
        }
    }

    @Test func `members are set, replaced and removed in place`() {
        var object = JSONObject([("a", 1), ("b", 2)])
        object["a"] = 3
        object["c"] = 4
        object["b"] = nil
        object["d"] = nil
        #expect(JSON.object(object).text == #"{"a":3,"c":4}"#)
    }

    @Test func `pretty text cannot steer a terminal, and means the same`() throws {
        let value: JSON = ["title\u{9B}31m": "right\u{202E}tfel\u{7F}\u{1B}[0m é 購 🔴"]
        let text = value.prettyText
        #expect(text.contains(#""title\u009b31m": "right\u202etfel\u007f\u001b[0m é 購 🔴""#), "\(text)")
        #expect(try JSON(parsing: text) == value)
    }
}

extension SeededRandom {
    mutating func json(depth: Int) -> JSON {
        switch Int.random(in: 0..<(depth > 0 ? 9 : 6), using: &self) {
        case 0: return one(of: [.null, true, false] as [JSON])
        case 1:
            return .int(
                happens(0.5) ? Int64.random(in: .min ... .max, using: &self) : .random(in: -9...9, using: &self))
        case 2: return .double(double())
        case 3, 4, 5: return .string(text())
        case 6: return .array(list(upTo: 5) { $0.json(depth: depth - 1) })
        default: return .object(JSONObject(list(upTo: 5) { ($0.text(), $0.json(depth: depth - 1)) }))
        }
    }

    /// Any finite number there is, great and small.
    mutating func double() -> Double {
        let number = Double(bitPattern: UInt64.random(in: 0...UInt64.max, using: &self))
        return number.isFinite ? number : 0.5
    }

    /// Text with everything that could go wrong: quotes, controls, separators, long scalars, marks of direction.
    mutating func text() -> String {
        var text = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 0...12, using: &self) {
            switch Int.random(in: 0..<4, using: &self) {
            case 0: text.append(one(of: Array("\"\\/\n\r\t\u{0}\u{7F}\u{2028}\u{2029}\u{202E}:*?'[]{}".unicodeScalars)))
            case 1: text.append(one(of: Array("aZ09 -_.".unicodeScalars)))
            default:
                if let scalar = Unicode.Scalar(UInt32.random(in: 0...0x10FFFF, using: &self)) { text.append(scalar) }
            }
        }
        return String(text)
    }
}
