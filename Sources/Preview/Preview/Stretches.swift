internal import PluginKit

/// Stretches of time, each with a beginning and an end, of which is asked whether there is one: years of incidents are held
/// against as many that really happened.
struct Stretches {
    /// The beginnings, earliest first.
    private let begins: [Moment]
    /// The latest end of those that begin until then, each.
    private let ends: [Moment]

    init(_ stretches: [(from: Moment, to: Moment)]) {
        let sorted = stretches.sorted { $0.from < $1.from }
        begins = sorted.map(\.from)
        var ends: [Moment] = []
        for stretch in sorted { ends.append(max(ends.last ?? stretch.to, stretch.to)) }
        self.ends = ends
    }

    /// The earliest beginning from a moment on.
    func firstBegin(from moment: Moment) -> Moment? {
        let index = begins.partitioningIndex { $0 >= moment }
        return index < begins.endIndex ? begins[index] : nil
    }

    /// Whether one of those that begin before a moment lasts beyond another one.
    func anyLasts(beyond moment: Moment, begunBefore end: Moment) -> Bool {
        let count = begins.partitioningIndex { $0 >= end }
        return count > 0 && ends[count - 1] > moment
    }
}
