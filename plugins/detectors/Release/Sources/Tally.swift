/// So many cases, and how many of them were bad: sessions that crashed, users whose app did not respond.
public struct Tally: Hashable, Sendable {
    public private(set) var bad = 0.0
    public private(set) var total = 0.0

    public init() {}

    public init(bad: Double, of total: Double) {
        self.bad = bad
        self.total = total
    }

    var rate: Double { total > 0 ? bad / total : 0 }

    static func += (sum: inout Tally, more: Tally) {
        sum.bad += more.bad
        sum.total += more.total
    }

    static func + (one: Tally, other: Tally) -> Tally { Tally(bad: one.bad + other.bad, of: one.total + other.total) }
}
