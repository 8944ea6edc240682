import Testing

@testable import StatusPage

/// Who sees little, or sits in the sun, reads the page all the same.
@Suite struct `Contrast of the page` {
    @Test(arguments: [0, 1]) func `whatever is read has a contrast of at least 4.5, light and dark`(number: Int) throws
    {
        let palette = try Palette(Page.style, number)
        for name in ["ink", "muted", "accent", "critical", "warning", "info", "resolved", "digest"] {
            for ground in ["card", "ground"] {
                let contrast = try palette.contrast(name, ground)
                #expect(contrast >= 4.5, "\(name) on \(ground): \(contrast)")
            }
        }
        // The words of a button.
        #expect(try palette.contrast("card", "accent") >= 4.5)
    }
}

/// The colours that a style sheet gives names to, for light and for dark surroundings.
private struct Palette {
    let colors: [String: Double]

    /// - Parameter number: 0 for the first `:root`, 1 for the one in dark surroundings.
    init(_ style: String, _ number: Int) throws {
        let roots = style.matches(of: #/:root \{([^}]*)\}/#)
        let block = try #require(roots.dropFirst(number).first?.output.1)
        colors = Dictionary(
            block.matches(of: #/--([a-z]+): #([0-9a-f]{6}|[0-9a-f]{3});/#).map { match in
                (String(match.output.1), Palette.luminance(String(match.output.2)))
            }, uniquingKeysWith: { $1 })
    }

    /// By the Web Content Accessibility Guidelines.
    private static func luminance(_ hex: String) -> Double {
        let digits = hex.count == 3 ? hex.map { "\($0)\($0)" }.joined() : hex
        let number = Int(digits, radix: 16) ?? 0
        let parts = [number >> 16, number >> 8 & 255, number & 255].map { part -> Double in
            let share = Double(part) / 255
            return share * (share * (share * 0.305306011 + 0.682171111) + 0.012522878)
        }
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
    }

    func contrast(_ one: String, _ other: String) throws -> Double {
        let (left, right) = (try #require(colors[one]), try #require(colors[other]))
        return (max(left, right) + 0.05) / (min(left, right) + 0.05)
    }
}
