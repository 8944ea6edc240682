import Chance
import Testing

@testable import AlertModel

@Suite struct `Reading JSON` {
    @Test(
        arguments: [
            ("null", .null), ("true", true), ("false", false), ("0", 0), ("-0", 0), ("7", 7), ("-12", -12),
            ("9223372036854775807", .int(.max)), ("-9223372036854775808", .int(.min)),
            ("9223372036854775808", .double(9_223_372_036_854_775_808)), ("1.0", .double(1)), ("1e2", .double(100)),
            ("-1.5E-1", .double(-0.15)), ("2E+3", .double(2000)), ("0e0", .double(0)), ("1e-400", .double(0)),
            (#""""#, ""), (#""plain é 🦊""#, "plain é 🦊"), (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"),
            (#""\u0041\u00e9\uD83E\udd8a\u0000""#, "Aé🦊\u{0}"),
            (#""a\uD800b""#, "a\u{FFFD}b"), (#""\uDC00""#, "\u{FFFD}"), (#""\uD83E\u0041""#, "\u{FFFD}A"),
            (#""\uD83E\uD83E\udd8a""#, "\u{FFFD}🦊"),
            ("[]", []), ("{}", [:]), ("[ 1 , [ ] , { } ]", [1, [], [:]]), ("\u{FEFF}[1]", [1]),
            (" \t\r\n{\"a\" : 1,\"b\":[null]}\n", ["a": 1, "b": [.null]]), (#"{"":{"":0}}"#, ["": ["": 0]]),
            ("\"\u{7F}\u{2028}\"", "\u{7F}\u{2028}"),
        ] as [(String, JSON)])
    func `what the grammar allows is read`(text: String, value: JSON) throws {
        #expect(try JSON(parsing: text) == value)
    }

    @Test(arguments: [
        ("", "line 1, column 1: the text is empty"),
        (" \n ", "line 2, column 2: the text is empty"),
        ("nul", "line 1, column 1: expected 'null', found 'n'"),
        ("True", "line 1, column 1: expected a value, found 'T'"),
        ("NaN", "line 1, column 1: expected a value, found 'N'"),
        ("+1", "line 1, column 1: expected a value, found '+'"),
        (".5", "line 1, column 1: expected a value, found '.'"),
        ("-", "line 1, column 2: expected a digit, found the end"),
        ("-a", "line 1, column 2: expected a digit, found 'a'"),
        ("012", "line 1, column 2: a number must not begin with 0"),
        ("1.", "line 1, column 3: expected a digit after '.', found the end"),
        ("1e+", "line 1, column 4: expected a digit in the exponent, found the end"),
        ("1e400", "line 1, column 6: the number is beyond the range of a double"),
        ("0x10", "line 1, column 2: expected the end, found 'x'"),
        ("1 2", "line 1, column 3: expected the end, found '2'"),
        ("[1,]", "line 1, column 4: expected a value, found ']'"),
        ("[1 2]", "line 1, column 4: expected ',' or ']', found '2'"),
        ("[", "line 1, column 2: expected a value, found the end"),
        ("[1", "line 1, column 3: expected ',' or ']', found the end"),
        ("{\n \"a\" 1}", "line 2, column 6: expected ':' after the name, found '1'"),
        ("{a:1}", "line 1, column 2: expected a member's name in quotes, found 'a'"),
        (#"{"a":1,}"#, "line 1, column 8: expected a member's name in quotes, found '}'"),
        (#"{"a":1"#, "line 1, column 7: expected ',' or '}', found the end"),
        (#"{"a"}"#, "line 1, column 5: expected ':' after the name, found '}'"),
        ("'a'", "line 1, column 1: expected a value, found '''"),
        ("\"a", "line 1, column 3: the string has no end"),
        ("\"a\\", "line 1, column 4: the string has no end"),
        ("\"a\\n", "line 1, column 5: the string has no end"),
        ("\"a\nb\"", "line 1, column 3: a control character in a string must be escaped"),
        ("\"\\x\"", "line 1, column 4: unknown escape in a string"),
        ("\"\\u12g4\"", "line 1, column 6: expected four hexadecimal digits after \\u"),
        ("\"\\uD83E\\u12\"", "line 1, column 12: expected four hexadecimal digits after \\u"),
        ("// no\n1", "line 1, column 1: expected a value, found '/'"),
        ("\u{A0}1", "line 1, column 1: expected a value, found byte 0xc2"),
    ])
    func `what it does not allow is refused with its place`(text: String, problem: String) {
        do throws(JSONSyntaxError) {
            let value = try JSON(parsing: text)
            Issue.record("read as \(value)")
        } catch {
            #expect(error.description == problem)
        }
    }

    @Test(
        arguments: [
            [0x22, 0xFF, 0x22], [0x22, 0xC0, 0x80, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22],
            [0x22, 0xF4, 0x90, 0x80, 0x80, 0x22],
            [0x22, 0xE2, 0x82, 0x22], [0x22, 0x5C, 0x6E, 0xFF, 0x22],
        ] as [[UInt8]])
    func `a string that is not UTF-8 is refused`(bytes: [UInt8]) {
        do throws(JSONSyntaxError) {
            let value = try JSON(parsing: bytes)
            Issue.record("read as \(value)")
        } catch {
            #expect(error.problem == "the string is not valid UTF-8")
        }
    }

    @Test func `nesting is bounded`() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        #expect(throws: Never.self) { try JSON(parsing: nested(JSON.depthMax)) }
        #expect(throws: JSONSyntaxError(line: 1, column: 129, problem: "nested deeper than 128 levels")) {
            try JSON(parsing: nested(JSON.depthMax + 1))
        }
        #expect(throws: JSONSyntaxError.self) { try JSON(parsing: String(repeating: "{\"a\":", count: 1_000_000)) }
    }

    @Test func `bytes that lie in pieces are read alike`() throws {
        let bytes = Array(#"{"a":[1,"é"]}"#.utf8)
        #expect(try JSON(parsing: AnyCollection(bytes.lazy.map { $0 })) == ["a": [1, "é"]])
        #expect(try JSON(parsing: bytes[5..<13]) == [1, "é"])
    }

    @Test func `of a repeated name the last counts`() throws {
        let value = try JSON(parsing: #"{"a":1,"b":2,"a":3}"#)
        #expect(value["a"] == 3)
        #expect(value.text == #"{"a":1,"b":2,"a":3}"#)
    }

    @Test(arguments: SeededRandom.seeds)
    func `bytes changed at random are read or refused, never worse`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let texts = [Fixtures.observedLine, Fixtures.failedLine, #"[-1.5e3,"\uD83E\udd8a\n",true,null,{"a":[]}]"#]
        var readCount = 0
        for round in 0..<1500 {
            var bytes = Array(random.one(of: texts).utf8)
            for _ in 0..<Int.random(in: 1...4, using: &random) { mutate(&bytes, &random) }
            guard let value = try? JSON(parsing: bytes) else { continue }
            readCount += 1
            // Whatever was read can be written, read again, and looked at.
            guard (try? JSON(parsing: value.bytes)) == value else {
                Issue.record("round \(round) of seed \(seed): \(value.text) is read back as something else")
                return
            }
            if let line = try? ObservationLine(value), (try? ObservationLine(line.json)) != line {
                Issue.record("round \(round) of seed \(seed): \(line) is read back as something else")
                return
            }
        }
        #expect(readCount > 50, "so few mutations survive that nothing is tested; seed \(seed)")
    }

    @Test(
        arguments: [
            ("{}", nil), (#"{"a":1,"b":{"a":2},"c":[{"a":1},{"a":1}]}"#, nil), (#"{"a":1,"b":2,"a":1}"#, "a"),
            (#"{"a":{"b":[1,{"c":null,"c":null}]}}"#, "c"), (#"[{"x":1},{"y":1,"y":2}]"#, "y"), (#""a""#, nil),
        ] as [(String, String?)])
    func `a name that stands twice in one object is found at any depth`(text: String, name: String?) throws {
        #expect(try JSON(parsing: text).repeatedName == name)
    }

    private func mutate(_ bytes: inout [UInt8], _ random: inout SeededRandom) {
        guard let index = bytes.indices.randomElement(using: &random) else { return }
        switch Int.random(in: 0..<5, using: &random) {
        case 0: bytes[index] = UInt8.random(in: 0...255, using: &random)
        case 1: bytes[index] = random.one(of: Array("0123456789-+.eE\"\\[]{},:u".utf8))
        case 2: bytes.remove(at: index)
        case 3: bytes.insert(bytes[Int.random(in: bytes.indices, using: &random)], at: index)
        default: if random.happens(0.1) { bytes.removeSubrange(index...) }
        }
    }
}
