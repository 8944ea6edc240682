internal import Foundation
internal import Measuring
internal import Programs

/// The page with the tables. Each that a run writes anew stands between two marks, `<!-- table NAME -->` and
/// `<!-- end -->`; what stands elsewhere is prose, and stays.
struct Page {
    let file: String

    private static let end = "<!-- end -->"

    /// Puts the tables in their places, and says which have none.
    func write(_ tables: [String: [Table.Row]]) throws {
        var written: Set<String> = []
        var lines: [Substring] = []
        var open: String?
        let page = try String(contentsOfFile: file, encoding: .utf8)
        for line in page.split(separator: "\n", omittingEmptySubsequences: false) {
            if let name = line.wholeMatch(of: /<!-- table (.+) -->/)?.1 {
                guard open == nil else { throw Trouble("\(file): table \(open ?? "") has no end before \(name)") }
                open = String(name)
                lines.append(line)
                if let rows = tables[String(name)], let head = rows.first {
                    guard written.insert(String(name)).inserted else {
                        throw Trouble("\(file): \(name) is there twice")
                    }
                    lines.append("")
                    lines.append(Substring(Table.line(head.columns)))
                    lines.append(Substring(Table.rule(head.columns.count, names: head.names)))
                    lines += rows.map { Substring(Table.line($0.cells)) }
                    lines.append("")
                }
            } else if line == Page.end {
                guard open != nil else { throw Trouble("\(file): an end without a table") }
                open = nil
                lines.append(line)
            } else if open.map({ tables[$0] == nil }) ?? true {
                lines.append(line)
            }
        }
        guard open == nil else { throw Trouble("\(file): table \(open ?? "") has no end") }
        try lines.joined(separator: "\n").write(toFile: file, atomically: true, encoding: .utf8)
        say("\(written.count) tables written to \(file); look at them, and at their dates, before you commit them")
        let homeless = Set(tables.keys).subtracting(written).sorted()
        if !homeless.isEmpty { say("without a place there: \(homeless.joined(separator: "; "))") }
    }
}
