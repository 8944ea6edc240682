/// A place in the config, line and column counted from 1; columns count characters.
public struct Position: Hashable, Sendable, Comparable {
    /// The file, where it is another than the config itself: one that the config includes, or a template.
    public let file: String?
    public let line: Int
    public let column: Int

    public init(file: String? = nil, line: Int, column: Int) {
        self.file = file
        self.line = line
        self.column = column
    }

    public static func < (left: Position, right: Position) -> Bool {
        (left.file ?? "", left.line, left.column) < (right.file ?? "", right.line, right.column)
    }
}

/// Something wrong in the config, with its place.
public struct Problem: Hashable, Sendable {
    public enum Level: String, Hashable, Sendable { case error, warning }

    public let position: Position
    public let level: Level
    /// One sentence: what was found, what was expected.
    public let message: String
    /// What was probably meant: something near to what stands there, ready to be written in its place. People read it
    /// as "did you mean …?".
    public let suggestion: String?
    /// What to do, where nothing near is known: a phrase that can follow the message after a semicolon.
    public let advice: String?

    public init(
        _ position: Position, _ message: String, suggestion: String? = nil, advice: String? = nil, level: Level = .error
    ) {
        self.position = position
        self.level = level
        self.message = message
        self.suggestion = suggestion
        self.advice = advice
    }
}

extension CalendarFaults {
    /// What is wrong with a calendar, in its file.
    public func problems(in file: String) -> [Problem] {
        faults.map { fault in
            Problem(
                Position(file: file, line: fault.line, column: 1), fault.message, suggestion: fault.suggestion,
                advice: fault.advice)
        }
    }
}

/// All that a plugin found wrong with its options.
public struct ProblemList: Error, Hashable, Sendable {
    public let problems: [Problem]

    public init(_ problems: [Problem]) { self.problems = problems }
    public init(_ position: Position, _ message: String, suggestion: String? = nil, advice: String? = nil) {
        problems = [Problem(position, message, suggestion: suggestion, advice: advice)]
    }
}
