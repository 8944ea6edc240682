// Where text that is too long is cut: between characters as people see them (grapheme clusters), so that no family loses
// its children and no letter its accent, with `…` for what is gone. In which unit a limit counts is the caller's.

extension String {
    /// The text with its middle cut out where it costs more than the limit, mark included.
    ///
    /// What nobody sees as one character, because it alone costs more than there is room for, goes whole.
    ///
    /// - Parameters:
    ///   - markCost: What the mark of the cut, `…`, costs.
    ///   - bytesMax: The most bytes that anything has that costs 1.
    ///   - cost: What one character costs, from 1.
    public func cutInTheMiddle(
        to limit: Int, markCost: Int = 1, bytesMax: Int, cost: (Character) -> Int
    ) -> String {
        guard !fits(limit, cost) else { return self }
        guard limit >= markCost else { return "" }
        let headMax = min(limit / 2, limit - markCost)
        let tail = tail(within: limit - markCost - headMax, bytesMax: bytesMax, cost)
        return head(within: headMax, cost) + Self.cutMark + tail
    }

    /// The text with its end cut off where it costs more than the limit, mark included.
    ///
    /// - Parameters:
    ///   - markCost: What the mark of the cut, `…`, costs.
    ///   - cost: What one character costs, from 1.
    public func cutAtTheEnd(to limit: Int, markCost: Int = 1, cost: (Character) -> Int) -> String {
        guard !fits(limit, cost) else { return self }
        guard limit >= markCost else { return "" }
        return head(within: limit - markCost, cost) + Self.cutMark
    }

    /// The same in the middle, for units that are known of each code point.
    ///
    /// - Parameter cost: What one code point costs, from 1.
    public func cutInTheMiddle(to limit: Int, markCost: Int, cost: (Unicode.Scalar) -> Int) -> String {
        // No code point has more than four bytes.
        cutInTheMiddle(to: limit, markCost: markCost, bytesMax: 4) { (character: Character) in
            character.unicodeScalars.reduce(0) { $0 + cost($1) }
        }
    }

    /// The text without what lies so far from both its ends that no cut to the limit keeps it: for texts of megabytes,
    /// before anything is done to each of their characters.
    public func roughlyCut(to limit: Int) -> String {
        // Four bytes a code point, at both ends.
        let bytesKept = 4 * limit
        guard utf8.count > 2 * bytesKept else { return self }
        let (end, start) = (
            characterStart(before: utf8.index(startIndex, offsetBy: bytesKept)),
            characterStart(after: utf8.index(endIndex, offsetBy: -bytesKept))
        )
        return self[..<end].withoutJoining + Self.cutMark + self[start...].withoutJoined
    }

    /// What stands for what is cut out.
    fileprivate static let cutMark = "…"

    private func fits(_ limit: Int, _ cost: (Character) -> Int) -> Bool {
        var left = limit
        for character in self {
            left -= cost(character)
            if left < 0 { return false }
        }
        return true
    }

    /// As much of the begin as there is room for.
    private func head(within limit: Int, _ cost: (Character) -> Int) -> String {
        var left = limit
        let head = prefix { character in
            left -= cost(character)
            return left >= 0
        }
        return head.withoutJoining
    }

    /// As much of the end as there is room for.
    private func tail(within limit: Int, bytesMax: Int, _ cost: (Character) -> Int) -> String {
        guard limit > 0 else { return "" }
        // Going backwards from the end would look at a long row of flags again for each of them, to know where one
        // begins. So the begin of the last bytes is found once, and the way from there is forwards.
        let bytesKept = limit.multipliedReportingOverflow(by: bytesMax)
        let start =
            bytesKept.overflow || bytesKept.partialValue >= utf8.count
            ? startIndex : characterStart(after: utf8.index(endIndex, offsetBy: -bytesKept.partialValue - 1))
        let last = Array(self[start...])
        var left = limit
        let count = last.reversed().prefix { character in
            left -= cost(character)
            return left >= 0
        }.count
        return String(last.suffix(count))[...].withoutJoined
    }

    /// Where the character begins in which the place lies.
    private func characterStart(before place: Index) -> Index {
        place < endIndex ? index(before: index(after: place)) : endIndex
    }

    /// Where the character ends in which the place lies.
    private func characterStart(after place: Index) -> Index { place < endIndex ? index(after: place) : endIndex }
}

extension Substring {
    /// The text without what at its end would become one character with the mark of the cut.
    fileprivate var withoutJoining: String {
        var text = self
        while let last = text.last, (String(last) + String.cutMark).count == 1 { text.removeLast() }
        return String(text)
    }

    /// The text without what at its begin would become one character with the mark of the cut: an accent that stood
    /// alone.
    fileprivate var withoutJoined: String {
        var text = self
        while let first = text.first, (String.cutMark + String(first)).count == 1 { text.removeFirst() }
        return String(text)
    }
}
