internal import Foundation
internal import Programs

// What a bot has grown to after a long time: a month of virtual time in the core, and the whole program for as long as
// one likes to wait, while its page, its figures, its streams and its socket are used.

@main
enum Soak {
    private static let usage = "usage: soak --alertbot PATH [--days N] [--minutes N]"

    static func main() {
        do { try measure() } catch {
            print("error: \(error)")
            exit(1)
        }
    }

    private static func measure() throws {
        var (binary, days, minutes) = ("", 30, 10)
        var arguments = Array(CommandLine.arguments.dropFirst())
        while let word = arguments.first {
            guard arguments.count > 1 else { throw Trouble(usage) }
            switch (word, Int(arguments[1])) {
            case ("--alertbot", _): binary = arguments[1]
            case ("--days", let number?): days = number
            case ("--minutes", let number?): minutes = number
            default: throw Trouble(usage)
            }
            arguments.removeFirst(2)
        }
        guard FileManager.default.isExecutableFile(atPath: binary) else { throw Trouble(usage) }
        if days > 0 { try Month.play(days: days) }
        if minutes > 0 { try withScratch { try Hours.watch(binary, minutes: minutes, in: $0) } }
    }
}
