import Charts
import Markup
import Testing

@testable import Pictures
@testable import StatusPage

/// Who sees little, or sits in the sun, reads the page and the previews all the same.
@Suite struct `Contrast of pages` {
    struct Sheet: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var style: String
        /// Colours of words on a card and on the page around it.
        var words: [String]
        /// Further words and what they stand on.
        var others: [(word: String, ground: String)]
    }

    static let sheets = [
        Sheet(
            testDescription: "the page", style: Page.style,
            words: ["ink", "muted", "accent", "critical", "warning", "info", "resolved", "digest"],
            // The words of a button.
            others: [("card", "accent")]),
        Sheet(
            testDescription: "previews", style: PageFrame.page(title: "t", lead: "", []).text,
            words: ["ink", "muted", "accent", "critical", "warning", "info", "good"],
            others: [("ink", "code"), ("muted", "code")]),
    ]

    /// - Parameter number: 0 for the first `:root`, 1 for the one in dark surroundings.
    @Test(arguments: sheets, [0, 1])
    func `whatever is read has a contrast of at least 4.5, light and dark`(sheet: Sheet, number: Int) throws {
        let roots = sheet.style.matches(of: #/:root \{([^}]*)\}/#)
        let colors = Dictionary(
            try #require(roots.dropFirst(number).first).output.1
                .matches(of: #/--([a-z]+): #([0-9a-f]{6}|[0-9a-f]{3});/#).compactMap { match in
                    Self.color(match.output.2).map { (String(match.output.1), $0) }
                }, uniquingKeysWith: { $1 })
        let pairs = sheet.words.flatMap { word in ["card", "ground"].map { (word, $0) } } + sheet.others
        for (word, ground) in pairs {
            let (left, right) = (try #require(colors[word]).luminance, try #require(colors[ground]).luminance)
            let contrast = (max(left, right) + 0.05) / (min(left, right) + 0.05)
            #expect(contrast >= 4.5, "\(word) on \(ground): \(contrast)")
        }
    }

    private static func color(_ hex: Substring) -> Drawing.Color? {
        UInt32(hex.count == 3 ? hex.map { "\($0)\($0)" }.joined() : String(hex), radix: 16).map(Drawing.Color.init)
    }
}
