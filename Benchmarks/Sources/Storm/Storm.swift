internal import Foundation
internal import Measuring
internal import Programs

// A storm: very many incidents open at once, each its own message to one webhook on the loopback. Beside alertbot the
// same storm goes through Debian's Alertmanager, in turns, so that both meet the same machine.

@main
enum Storm {
    static func main() {
        let arguments = CommandLine.arguments
        if arguments.count == 4, arguments[1] == BareLoop.option {
            exit(BareLoop.run(arguments[2], Int(arguments[3]) ?? 0))
        }
        do { try measure() } catch {
            print("error: \(error)")
            exit(1)
        }
    }

    private static func measure() throws {
        var arguments = Array(CommandLine.arguments.dropFirst())
        var rounds = 3
        var contestants: [any Contestant] = []
        func value(of name: String) -> String? {
            guard let place = arguments.firstIndex(of: name), place + 1 < arguments.count else { return nil }
            let value = arguments[place + 1]
            arguments.removeSubrange(place...place + 1)
            return value
        }
        if let text = value(of: "--rounds"), let number = Int(text), number > 0 { rounds = number }
        let binary = value(of: "--alertbot") ?? ""
        let only = value(of: "--only")
        guard FileManager.default.isExecutableFile(atPath: binary) else {
            throw Trouble("usage: storm --alertbot PATH [--rounds N] [--only NAME] [COUNT...]")
        }
        contestants = [Alertbot(binary: binary), Alertmanager(), BareLoop()].filter { only == nil || $0.name == only }
        let counts = arguments.isEmpty ? [1000, 10_000] : arguments.compactMap { Int($0) }

        raiseFileLimit()
        let table = Table(
            "messages", ["incidents", "program", "messages a second", "from first to last arrival", "peak memory"],
            names: 2)
        for count in counts {
            var medians: [Row] = []
            var outcomes: [[Outcome]] = contestants.map { _ in [] }
            for _ in 0..<rounds {
                for (index, contestant) in contestants.enumerated() {
                    outcomes[index].append(try withScratch { try contestant.storm(of: count, in: $0) })
                }
            }
            for (contestant, outcomes) in zip(contestants, outcomes) {
                let row = Row(name: contestant.name, outcomes)
                table.add([
                    "\(count)", row.name, "\(Int(row.rate))", "\(Int(row.rateOfArrivals))",
                    String(format: "%.1f MiB", row.peak),
                ])
                medians.append(row)
            }
            for peer in medians.dropFirst() where medians[0].name == contestants[0].name {
                let ratios = [
                    medians[0].rate / peer.rate, medians[0].rateOfArrivals / peer.rateOfArrivals,
                    medians[0].peak / peer.peak,
                ]
                table.add(["\(count)", "alertbot to \(peer.name)"] + ratios.map { String(format: "%.2f", $0) })
            }
        }
    }

    /// Alertmanager opens a connection for each message under way.
    private static func raiseFileLimit() {
        var limit = rlimit()
        let which = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        guard getrlimit(which, &limit) == 0 else { return }
        limit.rlim_cur = min(limit.rlim_max, 40_000)
        _ = setrlimit(which, &limit)
    }
}

/// The medians of some rounds.
struct Row {
    let name: String
    /// Messages a second, from the beginning of the trouble.
    let rate: Double
    /// Messages a second, from the first to the last.
    let rateOfArrivals: Double
    /// In MiB.
    let peak: Double

    init(name: String, _ outcomes: [Outcome]) {
        self.name = name
        rate = outcomes.map { Double($0.messages) / $0.seconds }.median
        rateOfArrivals = outcomes.map { Double($0.messages - 1) / $0.secondsOfArrivals }.median
        peak = outcomes.map { Double($0.peakBytes) / 1_048_576 }.median
    }
}
