/// What a memory is shown of others when it takes in an observation that names issues: the app as a whole and its other
/// releases, for an issue is one and the same whichever of them it strikes, and since when the source is known.
///
/// What is asked for once, when it begins, is handed on by `AskedMemory.beginning(_:after:)`. A memory that is always
/// kept begins with an observation like any other, and what the others know changes with every poll, so it is shown
/// them each time. It costs as much as the app has releases, however many apps the source has.
public struct Elders: Sendable {
    private let series: [Series]
    /// When the source first answered, also where it named nothing; nil where this is the first that is known of it.
    public let sourceBegan: Moment?

    /// For what has none, or names no issues.
    public static var none: Elders { Elders([], sourceBegan: nil) }

    /// - Parameter series: in any order.
    public init(_ series: [Series], sourceBegan: Moment?) {
        self.series = series
        self.sourceBegan = sourceBegan
    }

    /// What is remembered of each, in an order that a replay does not repeat: whatever is made of it must not follow
    /// from that.
    public func memories<Memory: StandingMemory>(_ kind: Memory.Type) -> [Memory] { series.map { $0.memory(kind) } }
}
