internal import Foundation
internal import Programs

/// What should have stopped growing: how much of it there was early, in the second sixth of the looks, and late, in their
/// last third. In the first sixth it may still grow. Late is more than twice as late as early, so that what is kept in an
/// array that doubles has to show; of both the middle look counts, so that one that is out of line does not.
struct Growth: CustomStringConvertible {
    enum Unit { case mebibytes, pieces }

    private let what: String
    private let unit: Unit
    private let early: Double
    private let late: Double
    private let bound: Double

    /// - Parameters:
    ///   - share: How much of itself it may still grow by.
    ///   - atMost: How much it may still grow by besides.
    init(_ what: String, _ looks: [Double], unit: Unit, share: Double = 0, atMost: Double = 0) {
        self.what = what
        self.unit = unit
        early = Array(looks.prefix(looks.count / 3 + 1).dropFirst(looks.count / 6)).median
        late = Array(looks.suffix(looks.count / 3)).median
        bound = early * (1 + share) + atMost
    }

    var isTooMuch: Bool { late > bound }

    var description: String {
        "\(what): \(text(early)) early, \(text(late)) late, at most \(text(bound)) allowed"
            + (isTooMuch ? "; something is kept that should be let go of" : "")
    }

    private func text(_ value: Double) -> String {
        switch unit {
        case .mebibytes: String(format: "%.2f MiB", value / 1_048_576)
        case .pieces: String(format: "%.0f", value)
        }
    }
}
