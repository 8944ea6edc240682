/// Days of a calendar: `2026-12-24`, or `2026-12-24/2027-01-02` with both ends.
public struct DateRange: Hashable, Sendable {
    /// Days since 1970-01-01 on the wall.
    public let days: ClosedRange<Int>

    public init(_ days: ClosedRange<Int>) { self.days = days }

    public init(grammar text: String) throws(GrammarError) {
        let ends = text.split(separator: "/", omittingEmptySubsequences: false).map { DateRange.day($0.trimmed) }
        guard (1...2).contains(ends.count), let first = ends[0], let last = ends[ends.count - 1] else {
            throw GrammarError(expected: "a date such as 2026-12-24, or two with a slash: 2026-12-24/2027-01-02")
        }
        guard first <= last else { throw GrammarError(expected: "a last day that is not before the first") }
        days = first...last
    }

    /// `YYYY-MM-DD`.
    private static func day(_ text: String) -> Int? {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.map(\.count) == [4, 2, 2], parts.allSatisfy(\.isDigits),
            let year = Int(parts[0]), let month = Int(parts[1]), let day = Int(parts[2])
        else { return nil }
        return CivilTime(year: year, month: month, day: day)?.day
    }
}

extension Substring {
    fileprivate var trimmed: String { String(self).trimmed }
}
