internal import Glibc

/// `signal [--quick] [--seed N] [--users N] [--visits N]`: how fast rules find incidents of known begin and depth, and how often they
/// ring for nothing, beside the best that can be done.
@main struct Signal {
    static func main() throws {
        let arguments = CommandLine.arguments
        func value(_ name: String) -> UInt64? {
            arguments.firstIndex(of: name).flatMap { $0 + 1 < arguments.count ? UInt64(arguments[$0 + 1]) : nil }
        }
        let seed = value("--seed") ?? 1
        let isQuick = arguments.contains("--quick")
        let sizes: [Double] = value("--users").map { [Double($0)] } ?? [500, 20_000, 1_000_000]
        let visits = value("--visits").map { max(1, Double($0)) } ?? 3
        print("Signal: seed \(seed), \(Int(visits)) visits a day\(isQuick ? ", quick" : "")")
        for users in sizes {
            let size = Trial.Size(
                usersPerDay: max(1, users), visits: visits, apps: isQuick ? 8 : 60, days: isQuick ? 60 : 120,
                daysBetweenIncidents: isQuick ? 20 : 15)
            print("")
            Report(try Trial(size, seed: seed)).write()
        }
    }
}
