internal import Foundation
internal import Measuring
internal import Programs

/// The figures of one run of all benchmarks, by table, row and column.
struct Results: Codable {
    var date = Date().formatted(.iso8601.year().month().day())
    var commit: String
    var cores = ProcessInfo.processInfo.processorCount
    var processor = Results.processorName
    var isQuick: Bool
    var figures: [String: [String: [String: Figure]]] = [:]
    /// The commits of runs that were measured later than the rest, by the run's name.
    var later: [String: String]?

    /// What a cell says: a number where there is one, whatever its unit, which the column or the row has.
    enum Figure: Codable, Equatable {
        case number(Double)
        case text(String)

        init(cell: String) {
            // "1,675 bytes", "-2.1 %", "0.35"; but not "0.75 to 0.94" and not "3 of 4".
            let form = /(-?[0-9][0-9,]*(?:\.[0-9]+)?)(?: [^0-9]+)?/
            if let match = cell.wholeMatch(of: form), let number = Double(match.1.filter { $0 != "," }) {
                self = .number(number)
            } else {
                self = .text(cell)
            }
        }

        init(from decoder: any Decoder) throws {
            let value = try decoder.singleValueContainer()
            if let number = try? value.decode(Double.self) {
                self = .number(number)
            } else {
                self = .text(try value.decode(String.self))
            }
        }

        func encode(to encoder: any Encoder) throws {
            var value = encoder.singleValueContainer()
            switch self {
            case .number(let number): try value.encode(number)
            case .text(let text): try value.encode(text)
            }
        }
    }

    init(commit: String, isQuick: Bool) {
        self.commit = commit
        self.isQuick = isQuick
    }

    /// Nil when there is none yet.
    static func read(_ file: String) throws -> Results? {
        guard FileManager.default.fileExists(atPath: file) else { return nil }
        do { return try JSONDecoder().decode(Results.self, from: Data(contentsOf: URL(fileURLWithPath: file))) } catch {
            throw Trouble("\(file) does not hold the figures of a run: \(error)")
        }
    }

    func write(_ file: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try (encoder.encode(self) + Data("\n".utf8)).write(to: URL(fileURLWithPath: file))
    }

    /// Takes over what another run of all has, but for some that are measured anew.
    mutating func keep(_ before: Results, but runs: [String]) {
        let commit = commit
        self = before
        figures = figures.filter { table, _ in !runs.contains { table.hasPrefix("\($0)/") } }
        later = (later ?? [:]).merging(runs.map { ($0, commit) }) { $1 }
    }

    /// Takes in a table.
    mutating func add(_ rows: [Table.Row], as table: String) {
        for row in rows {
            let name = row.cells.prefix(row.names).joined(separator: ", ")
            var cells: [String: Figure] = [:]
            for (column, cell) in zip(row.columns, row.cells).dropFirst(row.names) where !cell.isEmpty {
                cells[cells[column] == nil ? column : "\(column), again"] = Figure(cell: cell)
            }
            figures[table, default: [:]][name] = cells
        }
    }

    private static var processorName: String {
        let lines = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8))?.split(separator: "\n") ?? []
        let line = lines.first { $0.hasPrefix("model name") }
        return line?.split(separator: ":").last?.trimmingCharacters(in: .whitespaces) ?? "unknown"
    }
}

// MARK: What has changed

extension Results {
    /// What changes by no more than this is taken for chance, in percent.
    private static let threshold = 10.0

    /// What has changed since another run, in words, a line each.
    func changes(since before: Results?) -> [String] {
        guard let before else { return ["there is no run to compare with"] }
        var lines = ["since \(before.date), commit \(before.commit), by more than \(Int(Results.threshold)) %:"]
        if (before.processor, before.cores) != (processor, cores) {
            lines.append(
                "- the machine: \(before.cores) cores of \(before.processor) then, \(cores) of \(processor) now")
        }
        for table in Set(figures.keys).union(before.figures.keys).sorted() {
            guard let mine = figures[table], let old = before.figures[table] else {
                lines.append("- \(table): \(figures[table] == nil ? "there is none now" : "it is new")")
                continue
            }
            for row in Set(mine.keys).union(old.keys).sorted() {
                guard let mine = mine[row], let old = old[row] else {
                    lines.append("- \(table), \(row): \(mine[row] == nil ? "there is none now" : "it is new")")
                    continue
                }
                for column in Set(mine.keys).union(old.keys).sorted() {
                    guard let change = Results.change(old[column], mine[column]) else { continue }
                    lines.append("- \(table), \(row), \(column): \(change)")
                }
            }
        }
        return lines.count == 1 ? lines + ["nothing"] : lines
    }

    private static func change(_ old: Figure?, _ new: Figure?) -> String? {
        guard old != new else { return nil }
        guard case .number(let old)? = old, case .number(let new)? = new else {
            return "\(text(old)) then, \(text(new)) now"
        }
        guard old != 0 else { return "0 then, \(text(.number(new))) now" }
        let percent = (new - old) / abs(old) * 100
        guard abs(percent) > threshold else { return nil }
        let change = String(format: "%+.1f %%", percent)
        return "\(text(.number(old))) then, \(text(.number(new))) now (\(change))"
    }

    private static func text(_ figure: Figure?) -> String {
        switch figure {
        case .number(let number): String(format: "%.12g", number)
        case .text(let text): "'\(text)'"
        case nil: "nothing"
        }
    }
}
