import Markup
import Testing

@testable import Charts
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
        let colors = try Self.colors(of: sheet.style, number)
        let pairs = sheet.words.flatMap { word in ["card", "ground"].map { (word, $0) } } + sheet.others
        for (word, ground) in pairs {
            let contrast = try #require(colors[word]).contrast(with: try #require(colors[ground]))
            #expect(contrast >= 4.5, "\(word) on \(ground): \(contrast)")
        }
    }

    @Test(arguments: [0, 1]) func `fields can be told from what is around them by their edges`(number: Int) throws {
        let colors = try Self.colors(of: Page.style, number)
        let edge = try #require(colors["edge"])
        for ground in ["card", "ground"] {
            let contrast = edge.contrast(with: try #require(colors[ground]))
            #expect(contrast >= 3, "\(ground): \(contrast)")
        }
        #expect(Page.style.matches(of: #/border: 1px solid var\(--edge\)/#).count == 2)
    }

    @Test func `what is read in a picture has it, too`() {
        for color in [
            ChartDrawing.words, ChartDrawing.small, ChartDrawing.figure, ChartDrawing.limit, ChartDrawing.usual,
        ] {
            #expect(color.contrast(with: ChartDrawing.ground) >= 4.5, "\(color)")
        }
    }

    private static func colors(of style: String, _ number: Int) throws -> [String: Drawing.Color] {
        let roots = style.matches(of: #/:root \{([^}]*)\}/#)
        return Dictionary(
            try #require(roots.dropFirst(number).first).output.1
                .matches(of: #/--([a-z]+): #([0-9a-f]{6}|[0-9a-f]{3});/#).compactMap { match in
                    color(match.output.2).map { (String(match.output.1), $0) }
                }, uniquingKeysWith: { $1 })
    }

    private static func color(_ hex: Substring) -> Drawing.Color? {
        UInt32(hex.count == 3 ? hex.map { "\($0)\($0)" }.joined() : String(hex), radix: 16).map(Drawing.Color.init)
    }
}

// By the Web Content Accessibility Guidelines.
extension Drawing.Color {
    /// From 1, the same, to 21, black on white.
    fileprivate func contrast(with other: Drawing.Color) -> Double {
        (max(luminance, other.luminance) + 0.05) / (min(luminance, other.luminance) + 0.05)
    }

    /// How light it is: from 0, black, to 1, white.
    private var luminance: Double {
        func linear(_ part: UInt8) -> Double {
            let share = Double(part) / 255
            // The curve of sRGB, within a hundredth of its pieces.
            return share * (share * (share * 0.305306011 + 0.682171111) + 0.012522878)
        }
        return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
    }
}
