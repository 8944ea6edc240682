internal import PluginKit

/// Figures in the short notation: `99.8% x60, 98.9% x10`.
struct Notation: Hashable {
    enum Step: Hashable {
        /// A rate as a fraction.
        case figure(Double)
        /// Nothing was seen: `_`.
        case nothing
        /// The poll failed, and why: `failed`, `failed(timeout)`.
        case failed(String)
    }

    /// One step a poll.
    let steps: [Step]

    /// Looks of one series: a year of five minutes, and a bound for slips such as x10000000.
    static let stepsMax = 110_000

    /// - Parameter unit: how the metric is counted: rates want percentages, counts want plain numbers.
    init(grammar text: String, unit: Metric.Unit) throws(GrammarError) {
        do throws(GrammarError) {
            try self.init(text, unit)
        } catch {
            // A suggestion stands for the whole text, and not for the word alone that is wrong.
            let meant = error.suggestion == nil ? nil : Notation.meant(by: text, unit)
            throw GrammarError(expected: error.expected, suggestion: meant, advice: error.advice)
        }
    }

    /// The text with every word that is not written well as it was probably meant; nil where that is nothing either.
    private static func meant(by text: String, _ unit: Metric.Unit) -> String? {
        let pieces = text.split(separator: ",", omittingEmptySubsequences: false).map { piece in
            let words = piece.split(separator: " ").map(String.init)
            return words.enumerated().map { index, word in
                do throws(GrammarError) {
                    if index == 0 { _ = try step(word, unit) } else { _ = try count(word) }
                    return word
                } catch {
                    return error.suggestion ?? word
                }
            }.joined(separator: " ")
        }
        let meant = pieces.joined(separator: ", ")
        return (try? Notation(meant, unit)) == nil ? nil : meant
    }

    private init(_ text: String, _ unit: Metric.Unit) throws(GrammarError) {
        var steps: [Step] = []
        for piece in text.split(separator: ",", omittingEmptySubsequences: false) {
            let words = piece.split(separator: " ").map(String.init)
            guard let first = words.first, words.count <= 2 else { throw Notation.error(unit) }
            let step = try Notation.step(first, unit)
            let count = words.count == 2 ? try Notation.count(words[1]) : 1
            guard steps.count + count <= Notation.stepsMax else {
                throw GrammarError(expected: "at most \(Notation.stepsMax) polls")
            }
            steps += Array(repeating: step, count: count)
        }
        self.steps = steps
    }

    private static func step(_ word: String, _ unit: Metric.Unit) throws(GrammarError) -> Step {
        if word == "_" { return .nothing }
        if word == "failed" { return .failed(PollFailure.Reason.unreachable.rawValue) }
        if word.hasPrefix("failed("), word.hasSuffix(")") {
            let reason = String(word.dropFirst(7).dropLast())
            let known = PollFailure.Reason.allCases.map(\.rawValue)
            guard known.contains(reason) else {
                throw GrammarError(
                    expected: "a failure such as failed(timeout)",
                    suggestion: reason.nearest(in: known).map { "failed(\($0))" })
            }
            return .failed(reason)
        }
        if word.hasSuffix("%") {
            guard unit != .count else {
                throw GrammarError(
                    expected: "plain numbers: this metric is a count", suggestion: String(word.dropLast()))
            }
            let fraction = try Percentage(grammar: word).fraction
            guard fraction <= 1 else { throw GrammarError(expected: "percentages up to 100%") }
            return .figure(fraction)
        }
        guard let number = Double(word), number.isFinite, number >= 0 || unit == .unknown else { throw error(unit) }
        guard unit != .rate else {
            throw GrammarError(
                expected: "percentages such as 99.8% x60", suggestion: (number <= 1 ? number * 100 : number).plain + "%"
            )
        }
        return .figure(number)
    }

    private static func count(_ word: String) throws(GrammarError) -> Int {
        guard word.hasPrefix("x"), let count = Int(word.dropFirst()), (1...stepsMax).contains(count) else {
            throw GrammarError(
                expected: "a repetition such as x60", suggestion: Int(word).flatMap { $0 > 0 ? "x\($0)" : nil })
        }
        return count
    }

    private static func error(_ unit: Metric.Unit) -> GrammarError {
        GrammarError(
            expected: unit == .rate
                ? "percentages such as 99.8% x60, 98.9% x10" : "figures such as 5000 x60, 100 x10; _ for none")
    }
}
