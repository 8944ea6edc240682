public import AlertModel

/// By how much a zone's clocks are ahead of its standard time, in a part of every year: for what goes by people's hours and has
/// to be kept, and read again, without the zone.
public struct Summertime: Sendable, Hashable {
    private let rule: YearlyRule

    /// The zone's clocks as POSIX writes them, such as `CET-1CEST,M3.5.0,M10.5.0/3`.
    public var text: String { rule.text }

    /// - Parameter text: what `text` gave.
    /// - Returns: nil for what is no such text, and for a zone whose clocks never change.
    public init?(_ text: String) {
        guard let rule = try? YearlyRule(tz: Array(text.utf8)[...]) else { return nil }
        self.init(rule)
    }

    init?(_ rule: YearlyRule) {
        guard rule.season != nil else { return nil }
        self.rule = rule
    }

    /// How many whole hours they are ahead at `moment`; negative where a zone's season is behind, as Ireland's is in winter.
    public func hoursAhead(at moment: Moment) -> Int64 {
        let second = Int(moment.clamped(to: .earliest ... .latest).unixSeconds)
        return Int64((Double(rule.stretch(at: second).clock.offset - rule.standard.offset) / 3600).rounded())
    }
}

extension Zone {
    /// By how much its clocks are ahead in a part of every year, from now on; nil where they never change.
    public var summertime: Summertime? { rule.flatMap(Summertime.init) }
}
