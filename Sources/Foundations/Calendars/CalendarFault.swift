internal import AlertModel

/// Something wrong in a calendar, for the person who has to fix it.
public struct CalendarFault: Error, Hashable, Sendable {
    /// Counted from 1; the first of a folded line.
    public let line: Int
    /// What was found and what was expected: one line, and tame.
    public let message: String
    /// What was probably meant.
    public let suggestion: String?
    /// What to do.
    public let advice: String?

    init(_ line: Int, _ message: String, suggestion: String? = nil, advice: String? = nil) {
        self.line = line
        self.message = message
        self.suggestion = suggestion
        self.advice = advice
    }
}

/// All that is wrong with a calendar.
public struct CalendarFaults: Error, Hashable, Sendable {
    /// More of one file help nobody: most often they are one fault, many times.
    public static let toldMax = 10

    /// In the order of the file.
    public let faults: [CalendarFault]

    init(_ faults: [CalendarFault]) { self.faults = faults }
}

extension String {
    /// The text as a fault quotes it.
    var quoted: String { "'\(quotable)'" }
}
