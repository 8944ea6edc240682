internal import Foundation
internal import Programs

// What a bot has grown to after a long time: a month of virtual time in the core, and the whole program for as long as
// one likes to wait, while its page, its figures, its streams and its socket are used.

@main
enum Soak {
    private static let usage = "usage: soak --alertbot PATH [--check | [--days N] [--minutes N]]"

    static func main() {
        do { try measure() } catch {
            print("error: \(error)")
            exit(1)
        }
    }

    private static func measure() throws {
        var (binary, days, minutes, checks) = ("", 30, 10, false)
        var arguments = Array(CommandLine.arguments.dropFirst())
        while let word = arguments.first {
            arguments.removeFirst()
            if word == "--check" {
                checks = true
                continue
            }
            guard let value = arguments.first else { throw Trouble(usage) }
            switch (word, Int(value)) {
            case ("--alertbot", _): binary = value
            case ("--days", let number?): days = number
            case ("--minutes", let number?): minutes = number
            default: throw Trouble(usage)
            }
            arguments.removeFirst()
        }
        guard FileManager.default.isExecutableFile(atPath: binary) else { throw Trouble(usage) }
        guard !checks else { return try check(binary) }
        if days > 0 { _ = try Month(days: days, daysBetween: max(1, days / 10)).play() }
        if minutes > 0 { _ = try withScratch { try Hours(seconds: 60 * minutes).watch(binary, in: $0) } }
    }

    /// A short piece of both with more trouble than usual, that fails if something goes on growing. Nothing is timed.
    private static func check(_ binary: String) throws {
        // With few apps and few remembered messages what they take has its full size after a third of the time.
        let days = try Month(apps: 20, days: 12, daysPerTrouble: 1, historyMax: 100, daysBetween: 1).play()
        let seconds = try withScratch {
            try Hours(apps: 50, seconds: 60, pollsPerTrouble: 3, appsPerTrouble: 50, secondsBetween: 3, pause: 10)
                .watch(binary, in: $0)
        }
        let growths = [
            Growth("the heap of the core", days.map(\.heap), unit: .mebibytes, share: 0.15),
            Growth("the snapshot of the core", days.map(\.snapshot), unit: .mebibytes, share: 0.15),
            Growth("the program's own memory", seconds.map(\.ownBytes), unit: .mebibytes, share: 0.2),
            Growth("the number of its threads", seconds.map(\.threads), unit: .pieces, atMost: 2),
            Growth("the number of its descriptors", seconds.map(\.descriptors), unit: .pieces, atMost: 16),
        ]
        for growth in growths { say("\(growth.isTooMuch ? "error: " : "")\(growth)") }
        if growths.contains(where: \.isTooMuch) { exit(1) }
    }
}
