extension String {
    /// How many columns of a terminal the text takes: most characters one, those of East Asia and emoji two.
    public var columns: Int { reduce(0) { $0 + $1.columns } }
}

extension Character {
    /// How many columns of a terminal it takes. The widest of its code points counts: marks lie on what they follow.
    public var columns: Int {
        var widest = 0
        for scalar in unicodeScalars {
            // U+FE0F asks for the picture of what could also be a sign: `1️⃣`, `❤️`.
            if scalar == "\u{FE0F}", widest == 1 { return 2 }
            // Two letters of a country are a flag.
            if scalar.isRegionalIndicator, widest == 1 { return 2 }
            widest = max(widest, scalar.columns)
        }
        return widest
    }
}

extension Unicode.Scalar {
    fileprivate var columns: Int {
        if (0x20..<0x300).contains(value) { return value == 0xAD ? 0 : 1 }
        if isWide { return 2 }
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format, .control: return 0
        default:
            // The vowels and last consonants of Hangul, which join the consonant before them.
            return (0x1160...0x11FF).contains(value) || (0xD7B0...0xD7FF).contains(value) ? 0 : 1
        }
    }

    /// Unicode Standard Annex #11: `W` and `F`, by the blocks that hold them.
    private var isWide: Bool {
        guard value >= 0x1100, !isRegionalIndicator else { return false }
        if properties.isEmojiPresentation { return true }
        return Unicode.Scalar.wide.contains { $0.contains(value) }
    }

    fileprivate var isRegionalIndicator: Bool { (0x1F1E6...0x1F1FF).contains(value) }

    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x2E99, 0x2E9B...0x2EF3, 0x2F00...0x2FD5, 0x2FF0...0x303E,
        0x3041...0x3096, 0x3099...0x30FF, 0x3105...0x312F, 0x3131...0x318E, 0x3190...0x31E3, 0x31EF...0x321E,
        0x3220...0x3247, 0x3250...0x4DBF, 0x4E00...0xA48C, 0xA490...0xA4C6, 0xA960...0xA97C, 0xAC00...0xD7A3,
        0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE52, 0xFE54...0xFE66, 0xFE68...0xFE6B, 0xFF01...0xFF60,
        0xFFE0...0xFFE6, 0x16FE0...0x16FE4, 0x16FF0...0x16FF1, 0x17000...0x187F7, 0x18800...0x18CD5,
        0x18D00...0x18D08, 0x1AFF0...0x1AFFE, 0x1B000...0x1B2FB, 0x1F200...0x1F202, 0x1F210...0x1F23B,
        0x1F240...0x1F248, 0x1F250...0x1F251, 0x1F260...0x1F265, 0x20000...0x2FFFD, 0x30000...0x3FFFD,
    ]
}
