public import AlertCore
public import PluginKit
public import Runtime

/// Observations on their way through a preview, which begins with the first of them.
public struct Playback: Sendable {
    private let plan: Plan
    private let state: State
    private let end: Moment?
    private let faults: Faults?
    private let isTraced: Bool
    private let gathersOutlook: Bool
    private var preview: Preview?

    /// When the first line was seen that is played.
    public private(set) var firstSeen: Moment?
    public private(set) var lineCount = 0
    /// Lines that were seen after the end, and so not played.
    public private(set) var lateCount = 0

    /// - Parameters:
    ///   - state: what the bot knows when it begins; nil for one that knows nothing yet.
    ///   - end: where virtual time ends; nil for the moment of the last line.
    ///   - isTraced: whether to keep what rules thought over time, for drawings.
    ///   - gathersOutlook: whether what a rule could judge at any time counts, or what it can judge in the end.
    public init(
        _ plan: Plan, from state: State? = nil, until end: Moment? = nil, faults: Faults? = nil,
        isTraced: Bool = false, gathersOutlook: Bool = false
    ) {
        self.plan = plan
        self.state = state ?? State(memories: plan.memories)
        self.end = end
        self.faults = faults
        self.isTraced = isTraced
        self.gathersOutlook = gathersOutlook
    }

    /// Takes in what one source saw at one moment.
    public mutating func feed(_ batch: ObservationReader.Batch) {
        if let end, batch.seen > end {
            lateCount += batch.lines.count
            preview?.forgetUnusable(batch.source)
            return
        }
        lineCount += batch.lines.count
        if preview == nil {
            preview = begun(at: batch.seen)
            firstSeen = batch.seen
        }
        preview?.feed(batch.lines, asked: batch.asked, at: batch.seen)
    }

    /// Why figures were left out so far.
    public var leftOut: Unplayed { preview?.leftOut ?? Unplayed() }

    /// Where virtual time has come to; nil before the first line.
    public var now: Moment? { preview?.now }

    /// Lets happen what is due by the end.
    ///
    /// - Parameters:
    ///   - last: the end, unless somebody said another: the last line of what is compared with this; nil for the last line.
    ///   - pollsOn: whether sources whose last line says that they gave nothing usable go on like that.
    ///   - now: what to take for the end where neither a line nor anybody said.
    public consuming func finish(
        noEarlierThan last: Moment? = nil, pollsOn: Bool = false, now: @autoclosure () -> Moment
    ) -> Preview {
        var preview = self.preview ?? begun(at: end ?? last ?? now())
        let end = max(end ?? last ?? preview.now, preview.now)
        if pollsOn { preview.pollOn(until: end) }
        preview.advance(to: end)
        preview.expectNoMoreAnswers()
        return preview
    }

    private func begun(at moment: Moment) -> Preview {
        Preview(
            plan: plan, state: state, start: moment, faults: faults, isTraced: isTraced,
            gathersOutlook: gathersOutlook)
    }
}
