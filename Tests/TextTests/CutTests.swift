internal import Chance
internal import Testing
internal import Text

@Suite struct `Cuts` {
    /// What titles of strangers are made of: characters of many code points, marks and joiners that stand alone, both
    /// directions of writing.
    static let pieces = [
        "a", "Crash in ", "e\u{301}", "Z\u{351}\u{36B}\u{343}\u{36A}\u{302}\u{36B}", "👨‍👩‍👧‍👦", "🏳️‍🌈", "🇪🇸", "🇩🇪", "🇪", "1️⃣", "👍🏽",
        "🧑🏿‍🚀", "שׁ", "שגיאה", "خَطَأ", "क्षि", "\u{1112}\u{1161}\u{11AB}", "\u{301}", "\u{200D}", "\u{202E}", "\n", "\r\n",
        "\u{600}", "\u{FE0F}", "<&\">",
    ]

    struct Unit: Sendable, CustomTestStringConvertible {
        let name: String
        let bytesMax: Int
        let cost: @Sendable (Character) -> Int
        var testDescription: String { name }
        var markCost: Int { cost("…") }
    }

    static let units = [
        Unit(name: "characters", bytesMax: 200) { _ in 1 },
        Unit(name: "code points", bytesMax: 4) { $0.unicodeScalars.count },
        Unit(name: "UTF-16 units", bytesMax: 3) { $0.utf16.count },
        Unit(name: "bytes", bytesMax: 1) { $0.utf8.count },
    ]

    @Test(arguments: units)
    func `hostile titles are cut between characters, within the limit, with a mark`(_ unit: Unit) {
        var dice = SeededRandom(seed: 12)
        for _ in 0..<3000 {
            let text = (0..<Int.random(in: 0...60, using: &dice)).map { _ in
                Cuts.pieces.randomElement(using: &dice) ?? ""
            }.joined()
            let limit = Int.random(in: 0...80, using: &dice)
            let (whole, total) = (Array(text), text.reduce(0) { $0 + unit.cost($1) })
            let middle = text.cutInTheMiddle(
                to: limit, markCost: unit.markCost, bytesMax: unit.bytesMax, cost: unit.cost)
            let end = text.cutAtTheEnd(to: limit, markCost: unit.markCost, cost: unit.cost)
            guard total > limit else {
                #expect(middle == text && end == text)
                continue
            }
            for cut in [middle, end] {
                let size = cut.reduce(0) { $0 + unit.cost($1) }
                #expect(size <= limit, "\(text.debugDescription) cut to \(limit): \(cut.debugDescription)")
                let marks = cut.indices.filter { cut[$0] == "…" }
                guard limit >= unit.markCost else {
                    #expect(cut.isEmpty)
                    continue
                }
                #expect(marks.count == 1, "\(cut.debugDescription)")
                guard let mark = marks.first else { continue }
                let (head, tail) = (Array(cut[..<mark]), Array(cut[cut.index(after: mark)...]))
                // As scalars: two ways to write a letter are equal, and not the same.
                #expect(
                    whole.starts(with: head) && whole.reversed().starts(with: tail.reversed()),
                    "\(text.debugDescription) cut to \(limit): \(cut.debugDescription)")
                #expect(head.count + tail.count < whole.count)
            }
            #expect(end.isEmpty || end.last == "…")
        }
    }

    @Test func `both ends stay as long as there is room`() {
        let text = "0123456789"
        #expect(
            (0...10).map { text.cutInTheMiddle(to: $0, bytesMax: 1) { _ in 1 } }
                == ["", "…", "0…", "0…9", "01…9", "01…89", "012…89", "012…789", "0123…789", "0123…6789", text])
        #expect(text.cutAtTheEnd(to: 4) { _ in 1 } == "012…")
    }

    @Test func `what alone is too much for one character goes whole`() {
        let stacked = "Z" + String(repeating: "\u{301}", count: 100_000)
        #expect("a\(stacked)b".cutInTheMiddle(to: 10, markCost: 1) { (_: Unicode.Scalar) in 1 } == "a…b")
        #expect("a\(stacked)b".roughlyCut(to: 100) == "a…b")
    }

    @Test func `a rough cut is between characters too, also in the longest row of flags`() {
        for offset in 0..<8 {
            let flags = String(repeating: "x", count: offset) + String(repeating: "🇪🇸", count: 50_000)
            let cut = flags.roughlyCut(to: 1000)
            #expect(cut.utf8.count < 8100)
            #expect(Set(cut) == (offset > 0 ? ["x", "🇪🇸", "…"] : ["🇪🇸", "…"]))
            let families = String(repeating: "x", count: offset) + String(repeating: "👨‍👩‍👧‍👦", count: 5000)
            #expect(Set(families.roughlyCut(to: 1000)).isSubset(of: ["x", "👨‍👩‍👧‍👦", "…"]))
        }
    }
}
