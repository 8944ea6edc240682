internal import Foundation
internal import Measuring
internal import Programs

// How many instructions the core's hot paths take, counted by callgrind: no clock, no other program and no busy machine
// changes that, so a bound may be a close one. The program runs itself under callgrind, once for each path.

@main
enum Instructions {
    private static let usage = "usage: instructions [--bounds FILE [--check|--record]]"

    static func main() {
        do { try measure(Array(CommandLine.arguments.dropFirst())) } catch {
            print("error: \(error)")
            exit(1)
        }
    }

    private static func measure(_ arguments: [String]) throws {
        if arguments.count == 2, arguments[0] == "--path", let path = Path(rawValue: arguments[1]) {
            return print(try path.take(), "items")
        }
        guard arguments.isEmpty || (arguments.count >= 2 && arguments[0] == "--bounds") else { throw Trouble(usage) }
        let bounds = arguments.isEmpty ? nil : Bounds(file: arguments[1])
        let mode = Array(arguments.dropFirst(2))
        guard [[], ["--check"], ["--record"]].contains(mode) else { throw Trouble(usage) }
        let profiles = FileManager.default.currentDirectoryPath + "/callgrind"
        try FileManager.default.createDirectory(atPath: profiles, withIntermediateDirectories: true)
        let recorded = try bounds?.read()
        var found: [String: Int] = [:]
        var rows = [["path", "one of", "instructions"] + (bounds == nil ? [] : ["recorded"])]
        for path in Path.allCases {
            let count = try count(path, in: profiles)
            found[path.rawValue] = count
            let bound = recorded?[path.rawValue].map { grouped(Double($0)) } ?? "–"
            rows.append(
                ["`\(path.rawValue)`", path.item, grouped(Double(count))] + (bounds == nil ? [] : [bound]))
        }
        printTable("paths", rows, names: 2)
        switch mode {
        case ["--record"]: try bounds?.write(found)
        case ["--check"]: try bounds?.check(found, against: recorded, profiles: profiles)
        default: break
        }
    }

    /// How many instructions one item of the path takes.
    private static func count(_ path: Path, in profiles: String) throws -> Int {
        let profile = "\(profiles)/\(path.rawValue).out"
        let log = "\(profiles)/\(path.rawValue).log"
        try? FileManager.default.removeItem(atPath: log)
        // Nothing of the environment, whose length moves the stack. Hashes are seeded by chance otherwise, and the C
        // library chooses other ways of copying on other processors.
        let child = try Child(
            "/usr/bin/env",
            [
                "-i", "PATH=/usr/bin:/bin", "SWIFT_DETERMINISTIC_HASHING=1",
                "GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX512VL,-AVX2,-AVX,-AVX_Fast_Unaligned_Load,-ERMS,-FSRM",
                "valgrind", "--tool=callgrind", "--toggle-collect=*countedByCallgrind*",
                "--callgrind-out-file=" + profile, "--log-file=" + log,
                ProcessInfo.processInfo.arguments[0], "--path", path.rawValue,
            ], in: profiles)
        while child.isRunning { usleep(10_000) }
        let words = child.lastWords.split(separator: " ")
        guard words.count == 2, words[1] == "items", let items = Int(words[0]) else {
            throw Trouble("the path \(path.rawValue) was not taken to its end: \(child.lastWords)")
        }
        // "==12345== Collected : 67890"
        let lines = (try? String(contentsOfFile: log, encoding: .utf8))?.split(separator: "\n") ?? []
        let line = lines.last { $0.contains(" Collected : ") }
        guard let total = line?.split(separator: " ").last.flatMap({ Int($0) }), total > 0 else {
            throw Trouble("callgrind counted nothing in the path \(path.rawValue): see \(log)")
        }
        return Int((Double(total) / Double(items)).rounded())
    }
}
