public import AlertModel
public import TimeZones

/// The time of a picture: where a moment stands, and which moments have names.
public struct TimeAxis: Sendable {
    public let from: Moment
    public let to: Moment
    /// In the units of the drawing.
    public let left: Double
    public let width: Double
    private let zone: Zone
    private let words: Words

    /// - Parameter words: those of days and months; pages are in English.
    public init(from: Moment, to: Moment, zone: Zone, words: Words = .english, left: Double, width: Double) {
        self.from = from
        // A span without length still has a place.
        self.to = max(to, from + .minutes(1))
        self.zone = zone
        self.words = words
        self.left = left
        self.width = width
    }

    /// The place of the moment, never outside of the picture.
    public func x(_ moment: Moment) -> Double {
        let share = (moment - from).inSeconds / (to - from).inSeconds
        return left + width * min(max(share, 0), 1)
    }

    /// A moment that has a name.
    public struct Tick: Sendable {
        public let x: Double
        public let label: String
        /// Where a day begins.
        public let isMain: Bool
    }

    /// Room for one label.
    private static let labelWidth = 54.0

    /// As many as there is room for.
    public var ticks: [Tick] {
        let perHour = width / ((to - from).inSeconds / 3600)
        if let hours = [1, 3, 6, 12].first(where: { Double($0) * perHour >= TimeAxis.labelWidth }) {
            return hourly(hours)
        }
        let steps = [1, 2, 7, 14, 28, 91, 182, 364, 1820]
        let days = steps.first { Double($0) * perHour * 24 >= TimeAxis.labelWidth } ?? steps[steps.count - 1]
        return daily(days)
    }

    private var days: ClosedRange<Int> { zone.civil(from).day...max(zone.civil(from).day, zone.civil(to).day) }

    private func hourly(_ step: Int) -> [Tick] {
        days.flatMap { day in
            stride(from: 0, to: 24, by: step).compactMap { hour in
                tick(CivilTime(day: day, secondOfDay: hour * 3600), hour == 0 ? nil : "\(hour.padded(2)):00")
            }
        }
    }

    /// On Mondays where a step is whole weeks.
    private func daily(_ step: Int) -> [Tick] {
        days.compactMap { day in
            let civil = CivilTime(day: day, secondOfDay: 0)
            // Whole weeks are counted from a Monday: 1970-01-05 was one.
            guard (day - 4) % step == 0 else { return nil }
            return tick(civil, nil)
        }
    }

    private func tick(_ civil: CivilTime, _ label: String?) -> Tick? {
        let moment = zone.moment(beginning: civil)
        guard moment >= from, moment <= to else { return nil }
        return Tick(x: x(moment), label: label ?? name(of: civil), isMain: label == nil)
    }

    private func name(of civil: CivilTime) -> String {
        let date = civil.date
        let month = words.months.indices.contains(date.month - 1) ? words.months[date.month - 1] : ""
        let isLong = to - from > .hours(24 * 300)
        return isLong ? "\(month) \(date.year)" : words(.chartDay, [.day: String(date.day), .month: month])
    }
}

/// The figures of a panel: where a figure stands, and which have names.
public struct FigureAxis: Sendable {
    public let low: Double
    public let high: Double
    public let top: Double
    public let height: Double
    private let isRate: Bool
    private let words: Words

    /// The span of figures is what the limits, the figures of trouble and nearly all others need: one odd figure at
    /// night must not flatten the rest.
    ///
    /// - Parameters:
    ///   - needed: what must not lie outside.
    ///   - words: how numbers are written; pages are in English.
    public init(
        _ figures: [Double], needing needed: [Double], isRate: Bool, words: Words = .english, top: Double,
        height: Double
    ) {
        var needed = needed
        let figures = figures.sorted()
        if let first = figures.first, let last = figures.last {
            let cut = figures.count / FigureAxis.oddOnesIn
            needed +=
                figures.count < FigureAxis.oddOnesIn
                ? [first, last] : [figures[cut], figures[figures.count - 1 - cut]]
        }
        let low = needed.min() ?? 0
        let high = needed.max() ?? 1
        let room = max((high - low) * 0.08, abs(high) * 1e-4, 1e-9)
        self.low = isRate && low >= 0 ? max(0, low - room) : low - room
        self.high = isRate && high <= 1 ? min(1, high + room) : high + room
        self.isRate = isRate
        self.words = words
        self.top = top
        self.height = height
    }

    /// One figure in so many may lie outside, at either end.
    private static let oddOnesIn = 200

    /// The place of the figure, at the edge where it lies outside.
    public func y(_ figure: Double) -> Double {
        let share = (figure - low) / (high - low)
        // Figures of a source's own may be beyond all reckoning.
        guard share.isFinite else { return figure > low ? top : top + height }
        return top + height * (1 - min(max(share, 0), 1))
    }

    /// Up to five round figures.
    public var ticks: [(y: Double, label: String)] {
        var step = 1e-9
        let span = high - low
        let steps: [Double] = [2, 2.5, 2]
        var index = 0
        while step * 4 < span, step < 1e300 {
            step *= steps[index % 3]
            index += 1
        }
        guard span.isFinite, step > 0 else { return [] }
        let first = (low / step).rounded(.up)
        return (0..<6).map { (first + Double($0)) * step }.filter { $0 <= high }.map { (y($0), label($0)) }
    }

    /// As it is written beside its place.
    public func label(_ figure: Double) -> String { isRate ? words.percentTrimmed(figure) : words.plain(figure) }
}
