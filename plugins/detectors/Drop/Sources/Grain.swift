/// How long the spans are that a source gives.
///
/// Sources give spans of several lengths side by side, and the distinct users of an hour are not those of five minutes: their
/// rates cannot be compared. The shortest counts; but a single odd one changes nothing.
struct Grain: Hashable, Sendable {
    /// In milliseconds; 0 before the first.
    private(set) var length: Int64 = 0
    /// How many much shorter ones came since a moment, in milliseconds since 1970.
    private(set) var shorter = 0
    private(set) var shorterSince: Int64 = 0

    /// What a span is beside those before it.
    enum Fit: Hashable {
        case alike
        /// It cannot be compared with them.
        case odd
        /// The source gives spans of its length now.
        case anew
    }

    /// So many shorter spans within six hours show that they come all the time.
    static let shorterEnough = 6
    private static let shorterWithin: Int64 = 6 * 3_600_000
    /// With spans of another length after a longer pause, the source has changed.
    private static let pauseMax: Int64 = 24 * 3_600_000
    /// Longest span that says something of its hour.
    static let lengthMax: Int64 = 3_600_000

    /// Takes in a span.
    ///
    /// - Parameter newest: when the newest of those that were taken ended.
    mutating func note(_ bucket: DropMemory.Bucket, after newest: Int64) -> Fit {
        let length = bucket.to - bucket.from
        guard length <= Grain.lengthMax else { return .odd }
        if self.length == 0 { self.length = length }
        if length > self.length * 2 {
            guard bucket.from - newest > Grain.pauseMax else { return .odd }
        } else if length * 2 < self.length {
            if bucket.to - shorterSince > Grain.shorterWithin || bucket.to < shorterSince {
                (shorter, shorterSince) = (0, bucket.to)
            }
            shorter += 1
            guard shorter >= Grain.shorterEnough else { return .odd }
        } else {
            return .alike
        }
        self.length = length
        shorter = 0
        return .anew
    }
}
