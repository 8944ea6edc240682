// The command line of the simulator: `scripts/simulate` builds and runs it.

internal import AlertModel
internal import Glibc
internal import SimulatedWorld

@main
struct Main {
    private static let usage = """
        usage: simulate [--seed N] [--hours H] [--only ID,ID...] [--trace N]
               simulate --fresh [--for 60s] [--hours H]

          --seed N     plays the world of that seed (default 1)
          --hours H    for so many virtual hours (default 1000; with --fresh, 200 a seed)
          --only IDS   with only these events of its script, as a shrunk failure names them
          --trace N    prints the last happenings, at least N if there are so many
          --fresh      plays new seeds, one after the other, for as long as --for says (default 60s)
        """

    static func main() {
        var arguments = Arguments(CommandLine.arguments.dropFirst())
        do {
            let isFresh = try arguments.flag("--fresh")
            let seed = try arguments.value("--seed") { UInt64($0) }
            let hours = try arguments.value("--hours") { text in
                Int(text).flatMap { (1...10_000_000).contains($0) ? $0 : nil }
            }
            let only = try arguments.value("--only") { text in
                let ids = text.split(separator: ",").map { Int($0) }
                return ids.contains(nil) ? nil : ids.compactMap { $0 }
            }
            let trace = try arguments.value("--trace") { text in Int(text).flatMap { $0 > 0 ? $0 : nil } }
            let length = try arguments.value("--for") { try? Duration(grammar: $0) }
            try arguments.end()
            if isFresh {
                playFresh(hours: hours ?? 200, for: length ?? .seconds(60))
            } else {
                var simulation = Simulation(seed: seed ?? 1, hours: hours ?? 1000)
                if let only { simulation = Simulation(seed: simulation.seed, hours: simulation.hours, only: only) }
                simulation.traceMax = trace ?? 0
                playOne(simulation, shrinks: only == nil)
            }
        } catch {
            print("error: \(error.sentence)\n\(usage)")
            exit(2)
        }
    }

    /// Happenings that are shown of a failure.
    private static let traceMax = 200
    /// Of those of a shrunk one.
    private static let traceShown = 40
    /// How long a failure may be made shorter; a run that takes a good part of it is left as it is.
    private static let shrinkingMax = Duration.seconds(60)

    private static func playOne(_ simulation: Simulation, shrinks: Bool) {
        let began = ContinuousClock.now
        let outcome = simulation.run()
        let took = ContinuousClock.now - began
        for line in outcome.trace { print(line) }
        if outcome.violation != nil { explain(simulation, outcome, shrinks: shrinks && took < shrinkingMax / 4) }
        print("digest of all that happened: \(String(outcome.digest, radix: 16))")
        conclude(outcome.verdict, outcome.counts, took)
        exit(outcome.violation == nil ? 0 : 1)
    }

    private static func playFresh(hours: Int, for length: Duration) {
        let began = ContinuousClock.now
        var random = SystemRandomNumberGenerator()
        var total = Counts()
        var seeds = 0
        repeat {
            // Short enough to be typed.
            let simulation = Simulation(seed: random.next() >> 32, hours: hours)
            let outcome = simulation.run()
            total += outcome.counts
            seeds += 1
            guard outcome.violation == nil else {
                explain(simulation, outcome, shrinks: true)
                conclude(outcome.verdict, total, ContinuousClock.now - began)
                exit(1)
            }
        } while ContinuousClock.now - began < length
        conclude(
            "\(seeds) fresh seeds, \(hours) virtual hours each: every promise was kept", total,
            ContinuousClock.now - began)
    }

    private static func conclude(_ verdict: String, _ counts: Counts, _ took: Duration) {
        print("promises:\n\(Outcome.promises)\ncounts:\n\(counts.table)")
        let seconds = max(took.inSeconds, 0.001)
        let rate = Double(counts.steps) / seconds * 60 / 1_000_000
        print(
            "\(counts.steps) steps (jobs of the bot's tasks) in \(seconds) s: \((rate * 10).rounded() / 10) million "
                + "a minute"
        )
        print(verdict)
    }

    private static func explain(_ simulation: Simulation, _ outcome: Outcome, shrinks: Bool) {
        print("\(outcome.verdict)\nreplay: \(outcome.command())")
        // A pipe would keep it until the end.
        fflush(nil)
        guard shrinks else { return }
        print("looking for a shorter script, for at most \(shrinkingMax.short)")
        let end = ContinuousClock.now + shrinkingMax
        var (short, result) = simulation.shrunk(from: outcome) { ContinuousClock.now >= end }
        short.traceMax = traceMax
        result = short.run()
        for line in result.trace.suffix(traceShown) { print("  \(line)") }
        print("\(result.events.count) events are enough: \(result.command(only: result.events))")
    }
}

/// What was typed, taken apart option by option.
struct Arguments {
    struct Mistake: Error {
        let sentence: String
    }

    private var words: [String]

    init(_ words: some Sequence<String>) { self.words = Array(words) }

    mutating func flag(_ name: String) throws(Mistake) -> Bool {
        guard let place = words.firstIndex(of: name) else { return false }
        words.remove(at: place)
        return true
    }

    mutating func value<Value>(_ name: String, _ read: (String) -> Value?) throws(Mistake) -> Value? {
        guard let place = words.firstIndex(of: name) else { return nil }
        guard place + 1 < words.count, let value = read(words[place + 1]) else {
            throw Mistake(sentence: "\(name) needs a value, and '\(words.dropFirst(place + 1).first ?? "")' is none")
        }
        words.removeSubrange(place...place + 1)
        return value
    }

    func end() throws(Mistake) {
        if let first = words.first { throw Mistake(sentence: "'\(first)' is not known here") }
    }
}
