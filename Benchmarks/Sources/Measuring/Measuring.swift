// What every benchmark needs: a median, a table, a folder on the disk that is measured.

internal import Foundation

/// How often something happens in a second, measured for a while.
///
/// - Parameters:
///   - duration: How long to measure; the last round is finished.
///   - each: How many happenings one call of `work` is.
public func rate(over duration: Duration, each: Int, _ work: () throws -> Void) rethrows -> Double {
    let clock = ContinuousClock()
    let begin = clock.now
    var count = 0
    while clock.now - begin < duration {
        try work()
        count += each
    }
    return Double(count) / ((clock.now - begin) / .seconds(1))
}

/// The middle one; of an even number the upper of the two in the middle.
public func median(_ values: [Double]) -> Double {
    values.sorted()[values.count / 2]
}

/// A whole number with its thousands apart.
public func grouped(_ value: Double) -> String {
    let digits = String(Int(value.rounded()))
    var text = ""
    for (index, digit) in digits.enumerated() {
        if index > 0, (digits.count - index).isMultiple(of: 3) { text += "," }
        text.append(digit)
    }
    return text
}

/// Two digits behind the point.
public func ratio(_ value: Double) -> String {
    let hundredths = Int((value * 100).rounded())
    return "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100)"
}

/// Prints a `Table` that is complete, the first row its head, with its columns below each other.
public func printTable(_ name: String, _ rows: [[String]], names: Int = 1) {
    guard let head = rows.first else { return }
    let table = Table(silently: name, head, names: names)
    rows.dropFirst().forEach(table.note)
    let widths = head.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    func line(_ cells: [String]) -> String {
        let padded = cells.enumerated().map { column, cell in
            let space = String(repeating: " ", count: widths[column] - cell.count)
            return column < names ? cell + space : space + cell
        }
        return "| " + padded.joined(separator: " | ") + " |"
    }
    print(line(head))
    print(
        "| "
            + widths.enumerated().map {
                String(repeating: "-", count: $1 - ($0 < names ? 0 : 1)) + ($0 < names ? "" : ":")
            }
            .joined(separator: " | ") + " |")
    for row in rows.dropFirst() { print(line(row)) }
}

/// Makes an empty folder inside `parent` and removes it, with all in it, when `work` is done.
public func withScratchFolder(in parent: String, _ work: (String) throws -> Void) throws {
    let folder = "\(parent)/bench-\(ProcessInfo.processInfo.processIdentifier)"
    try? FileManager.default.removeItem(atPath: folder)
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try work(folder)
}

/// Why a benchmark could not be run.
public struct BenchmarkFailure: Error, CustomStringConvertible {
    public let description: String
    public init(_ description: String) { self.description = description }
}
