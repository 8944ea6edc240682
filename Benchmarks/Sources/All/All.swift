internal import Foundation
internal import Measuring
internal import Programs

// Every benchmark in one go, one after the other: what they print, the tables of docs/benchmarks.md written anew, every
// figure in one JSON file, and what has changed since that file was written last.

@main
enum All {
    private static let usage =
        "usage: all --programs FOLDER --alertbot PATH --page FILE --results FILE --commit NAME [--quick] [--only NAME,NAME]"

    static func main() {
        do { try measure() } catch {
            print("error: \(error)")
            exit(1)
        }
    }

    private static func measure() throws {
        var words = Array(CommandLine.arguments.dropFirst())
        let isQuick = words.contains("--quick")
        words.removeAll { $0 == "--quick" }
        var values: [String: String] = [:]
        while words.count >= 2 {
            values[words[0]] = words[1]
            words.removeFirst(2)
        }
        let only = values.removeValue(forKey: "--only")?.split(separator: ",").map(String.init)
        let runs = Run.all.filter { only?.contains($0.name) ?? true }
        guard runs.count == only?.count ?? runs.count else {
            throw Trouble("--only: known are \(Run.all.map(\.name).joined(separator: ", "))")
        }
        guard words.isEmpty, values.count == 5, let programs = values["--programs"], let bot = values["--alertbot"],
            let page = values["--page"], let file = values["--results"], let commit = values["--commit"]
        else { throw Trouble(usage) }

        let before = try Results.read(file)
        var results = Results(commit: commit, isQuick: isQuick)
        // What is not measured anew stays as it was, with the commit of which it is.
        if only != nil, let before { results.keep(before, but: runs.map(\.name)) }
        var tables: [String: [Table.Row]] = [:]
        var failures: [String] = []
        let start = LoopbackServer.now()
        for run in runs {
            let begin = LoopbackServer.now()
            say("\n# \(run.name) (\(Int(begin - start)) s)\n")
            do {
                for row in try run.rows(programs, bot, isQuick: isQuick) {
                    tables["\(run.name)/\(row.table)", default: []].append(row)
                }
            } catch {
                say("error: \(error)")
                failures.append(run.name)
            }
        }
        for (name, rows) in tables { results.add(rows, as: name) }
        say("\n# What has changed\n")
        say(results.changes(since: before).joined(separator: "\n"))
        try results.write(file)
        say("\n\(results.figures.count) tables in \(Int(LoopbackServer.now() - start)) s, all figures in \(file)")
        // What was measured in a hurry is no figure to quote.
        if !isQuick { try Page(file: page).write(tables) }
        guard failures.isEmpty else { throw Trouble("not all could be run: \(failures.joined(separator: ", "))") }
    }
}
