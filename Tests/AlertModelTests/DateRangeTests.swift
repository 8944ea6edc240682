import AlertModel
import Testing

@Suite struct `Dates of a calendar` {
    @Test(arguments: [
        ("1970-01-01", 0, 0), ("2024-02-29", 19_782, 19_782), ("2026-12-24/2027-01-02", 20_811, 20_820),
        (" 2026-12-24 / 2026-12-24 ", 20_811, 20_811),
    ])
    func `a date, or two with both ends`(_ text: String, _ first: Int, _ last: Int) throws {
        #expect(try DateRange(grammar: text).days == first...last)
    }

    @Test(arguments: [
        "", "today", "2026-02-29", "2026-13-01", "26-12-24", "2026-12-24/", "2026-12-24/2026-12-25/2026-12-26",
        "2027-01-02/2026-12-24", "2026-12-24 09:00", "٢٠٢٦-12-24", "-026-12-24",
    ])
    func `anything else is refused`(_ text: String) {
        #expect(throws: GrammarError.self) { try DateRange(grammar: text) }
    }
}
