internal import Foundation

/// A table as Markdown, whose first columns name a row and whose others are figures.
///
/// Each row is printed as soon as it is there: who waits for an hour wants to see how it goes. Whoever runs benchmarks to
/// do more with what they find names a file in the environment, and the rows come into it, too.
public struct Table {
    /// The variable that names a file; every row is added to it as one line of JSON, a `Table.Row`.
    public static let fileVariable = "ALERTBOT_BENCH_TABLES"

    /// One row of a table, as others than people get it.
    public struct Row: Codable, Sendable {
        /// The name of the table, by which a benchmark tells its tables apart.
        public var table: String
        public var columns: [String]
        /// How many columns name a row.
        public var names: Int
        public var cells: [String]
    }

    private let name: String
    private let columns: [String]
    private let names: Int

    /// Prints the head.
    public init(_ name: String, _ columns: [String], names: Int = 1) {
        self.init(silently: name, columns, names: names)
        print(Table.line(columns))
        print(Table.rule(columns.count, names: names))
    }

    /// - Parameter name: As with the other; nothing is printed.
    init(silently name: String, _ columns: [String], names: Int) {
        self.name = name
        self.columns = columns
        self.names = names
    }

    /// Prints a row.
    public func add(_ cells: [String]) {
        print(Table.line(cells))
        fflush(nil)
        note(cells)
    }

    func note(_ cells: [String]) {
        guard let path = ProcessInfo.processInfo.environment[Table.fileVariable] else { return }
        let row = Row(table: name, columns: columns, names: names, cells: cells)
        guard let line = try? JSONEncoder().encode(row), let file = FileHandle(forWritingAtPath: path) else {
            preconditionFailure("\(path), which \(Table.fileVariable) names, cannot be written")
        }
        file.seekToEndOfFile()
        file.write(line + Data("\n".utf8))
    }

    /// What stands below the head.
    public static func rule(_ count: Int, names: Int) -> String {
        line((0..<count).map { $0 < names ? "---" : "---:" })
    }

    /// Cells as a line of Markdown.
    public static func line(_ cells: [String]) -> String { "| " + cells.joined(separator: " | ") + " |" }
}
