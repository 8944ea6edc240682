/// Any number of days of a calendar, such as all holidays of a century; asking for one costs next to nothing.
public struct DateSet: Hashable, Sendable {
    /// In order, with at least one day between two of them.
    public let ranges: [DateRange]

    public static let none = DateSet([])

    public init(_ ranges: some Sequence<DateRange>) {
        var joined: [ClosedRange<Int>] = []
        for days in ranges.map(\.days).sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = joined.last, days.lowerBound <= last.upperBound + 1 {
                joined[joined.count - 1] = last.lowerBound...max(last.upperBound, days.upperBound)
            } else {
                joined.append(days)
            }
        }
        self.ranges = joined.map(DateRange.init)
    }

    /// - Parameter day: days since 1970-01-01 on the wall.
    public func contains(_ day: Int) -> Bool {
        var low = 0
        var high = ranges.count
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].days.upperBound < day { low = middle + 1 } else { high = middle }
        }
        return low < ranges.count && ranges[low].days.contains(day)
    }
}
