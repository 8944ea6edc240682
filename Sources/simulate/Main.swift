internal import Simulator

@main
struct Main {
    static func main() {
        let a = CommandLine.arguments
        for seed in (UInt64(a[1]) ?? 1)...(UInt64(a.count > 4 ? a[4] : a[1]) ?? 1) {
        var simulation = Simulation(seed: seed, hours: Int(a[2]) ?? 1)
        simulation.traceMax = a.count > 3 ? Int(a[3])! : 0
        let outcome = simulation.run()
        for line in outcome.trace { print(line) }
        print(seed, outcome.violation.map { "VIOLATION \($0.checker): \($0.sentence)" } ?? "fine", outcome.uptime / 3_600_000, outcome.counts.steps, outcome.digest)
        }
    }
}
