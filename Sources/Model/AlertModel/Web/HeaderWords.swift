// What a header of HTTP may hold: anything else would break out of its line.

extension String {
    /// Whether it can be a header's name (RFC 9110, section 5.6.2).
    package var isHeaderName: Bool {
        !isEmpty && allBytes { $0.isASCIILetterOrDigit || "!#$%&'*+-.^_`|~".utf8.contains($0) }
    }

    /// Whether it can be a header's value (the same, section 5.5).
    package var isHeaderValue: Bool { allBytes { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 } }

    /// Every request has some ten texts to look through, which costs less where their bytes lie side by side.
    @inline(__always)
    private func allBytes(_ isMeant: (UInt8) -> Bool) -> Bool {
        var text = self
        return text.withUTF8 { $0.allSatisfy(isMeant) }
    }
}
