import Chance
import Testing
import YAMLKit

@Suite struct `Text that cannot be read` {
    @Test(arguments: [
        ([0x61, 0x3A, 0x20, 0xFF], "1:4 byte 0xFF is not valid UTF-8; save the file as UTF-8"),
        ([0x61, 0x0A, 0xC3, 0xA9, 0xE2, 0x82], "2:2 byte 0xE2 is not valid UTF-8; save the file as UTF-8"),
        ([0x0D, 0x0A, 0xC0, 0x80], "2:1 byte 0xC0 is not valid UTF-8; save the file as UTF-8"),
        ([0xED, 0xA0, 0x80], "1:1 byte 0xED is not valid UTF-8; save the file as UTF-8"),
        ([0xEF, 0xBB, 0xBF, 0x61, 0x80], "1:2 byte 0x80 is not valid UTF-8; save the file as UTF-8"),
        ([0xFF, 0xFE, 0x61, 0x00], "1:1 the text is UTF-16; save it as UTF-8"),
        ([0xFE, 0xFF, 0x00, 0x61], "1:1 the text is UTF-16; save it as UTF-8"),
        ([0x61, 0x00, 0x62, 0x00], "1:2 a NUL character is not allowed here; save the file as UTF-8 text"),
    ])
    func `bytes that are no UTF-8 text are found at their place`(bytes: [UInt8], problem: String) {
        #expect(render(YAML.parse(bytes)) == ["nothing", problem])
    }

    @Test(arguments: [
        (
            "é: x\u{7}",
            #"1:5 the control character U+0007 is not allowed here; remove it, or write "\u0007" in double quotes"#
        ),
        (
            "a: 1\nb: x\u{85}y",
            #"2:5 the line separator U+0085 is not allowed here; remove it, or write "\u0085" in double quotes"#
        ),
        (
            "a: x\u{2028}y",
            #"1:5 the line separator U+2028 is not allowed here; remove it, or write "\u2028" in double quotes"#
        ),
        (
            "a: \u{FEFF}x",
            "1:4 a byte order mark (U+FEFF) is not allowed here; remove it; it is invisible in most editors"
        ),
        (
            "a: \u{FFFF}",
            #"1:4 the noncharacter U+FFFF is not allowed here; remove it, or write "\uFFFF" in double quotes"#
        ),
    ])
    func `characters that YAML does not print are found at their place`(yaml: String, problem: String) {
        #expect(render(yaml) == ["nothing", problem])
    }

    @Test func `exactly the characters outside YAML's set and its old line ends are refused`() {
        var refused: [UInt32] = []
        for value in UInt32(0)...0x1_0100 {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let document = YAML.parse(Array("# \(scalar)\na: 1".utf8))
            // A refusal by libyaml itself would have other words, and no place.
            if document.problems.first?.message.hasSuffix("is not allowed here") == true {
                refused.append(value)
            } else {
                #expect(document.problems == [], "U+\(String(value, radix: 16))")
            }
        }
        let controls = [0...8, 0x0B...0x0C, 0x0E...0x1F, 0x7F...0x9F].flatMap { (range: ClosedRange<UInt32>) in range }
        #expect(refused == controls + [0x2028, 0x2029, 0xFEFF, 0xFFFE, 0xFFFF])
    }
}

@Suite struct `Damaged documents` {
    private static let samples = [
        "version: 1\nbot:\n  name: shop é\n  list: [a, 'b', \"c\\n\"]\n  text: |\n    one\n    two\n",
        "base: &b {x: 1, y: [2, 3]}\nuse:\n  <<: [*b, {z: 👩‍👧}]\n  w: *b\n? k\n: !!str v\n",
        "%YAML 1.1\n---\n- - - a\n- {b: {c: ~}}\n- >-\n  folded\n  text # not a note\n...\n",
    ]

    /// Bytes that mean something to YAML or to UTF-8, so that damage goes deep.
    private static let pieces: [[UInt8]] =
        [
            "\t", "\n", "\r", ": ", "- ", "? ", "[", "]", "{", "}", ",", "&b ", "*b ", "!", "!!str ", "|", ">", "'",
            "\"",
            "<<: ", "#", "%", "@", "\\", "---\n", "...\n", "\u{FEFF}", "\u{2028}", "é", "👧", "~",
        ].map { Array($0.utf8) } + [[0x00], [0xFF], [0xC3], [0xE2, 0x82], [0xF0, 0x9F], [0x80]]

    @Test(arguments: samples.indices)
    func `any byte may be replaced, cut or put in anywhere`(index: Int) {
        let sample = Array(Self.samples[index].utf8)
        #expect(YAML.parse(sample).problems == [])
        for position in sample.indices {
            for byte in [0x00, 0x09, 0x0A, 0x3A, 0x80, 0xC3, 0xFF] as [UInt8] {
                var replaced = sample
                replaced[position] = byte
                expectSense(replaced)
                var longer = sample
                longer.insert(byte, at: position)
                expectSense(longer)
            }
            expectSense(Array(sample[..<position]))
        }
    }

    @Test(arguments: 0..<8 as Range<UInt64>)
    func `random damage never traps and always ends`(round: UInt64) {
        let seed = 0x5EED_0000 + round
        print("damaged documents: seed \(seed)")
        var random = SeededRandom(seed: seed)
        for _ in 0..<250 {
            var bytes = Array((Self.samples.randomElement(using: &random) ?? "").utf8)
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                let position = Int.random(in: 0...bytes.count, using: &random)
                let end = min(bytes.count, position + Int.random(in: 0...6, using: &random))
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes.removeSubrange(position..<end)
                case 1: bytes.insert(contentsOf: bytes[position..<end], at: 0)
                default: bytes.insert(contentsOf: Self.pieces.randomElement(using: &random) ?? [], at: position)
                }
            }
            expectSense(bytes, seed: seed)
        }
    }

    /// Whatever comes in: a tree or a problem comes out, and marks lie within the text or just behind it.
    private func expectSense(_ bytes: [UInt8], seed: UInt64 = 0) {
        let document = YAML.parse(bytes)
        let lines = 2 + bytes.count { $0 == 0x0A || $0 == 0x0D }
        #expect(document.root != nil || !document.problems.isEmpty, "seed \(seed): \(bytes)")
        for problem in document.problems {
            #expect((1...lines).contains(problem.mark.line), "seed \(seed): \(bytes)")
            #expect((1...bytes.count + 1).contains(problem.mark.column), "seed \(seed): \(bytes)")
            #expect(!problem.message.isEmpty)
        }
    }
}
