internal import AlertTesting

extension Simulation {
    /// Looks for a short script that breaks the same promise, by leaving out events as long as it still breaks.
    ///
    /// - Parameter isEnough: asked before every run; whoever has waited long enough says so.
    /// - Returns: the simulation of the shortest script found, and what came of it.
    public func shrunk(from outcome: Outcome, until isEnough: () -> Bool) -> (simulation: Simulation, outcome: Outcome)
    {
        guard let broken = outcome.violation else { return (self, outcome) }
        var best = self
        best.traceMax = 0
        var found = outcome
        func tries(_ ids: [Int], hours: Int) -> Bool {
            var candidate = Simulation(seed: seed, hours: hours)
            candidate.sabotage = sabotage
            candidate.script.only = Set(ids)
            let result = candidate.run()
            guard result.violation?.checker == broken.checker else { return false }
            (best, found) = (candidate, result)
            return true
        }
        // What comes after the failure had no part in it.
        let needed = Int(outcome.uptime / 3_600_000) + 1
        if needed < hours, !isEnough() { _ = tries(outcome.events, hours: needed) }
        var length = (found.events.count + 1) / 2
        while length > 0, !isEnough() {
            var place = 0
            var hasShrunk = false
            while place < found.events.count, !isEnough() {
                let ids = found.events
                let rest = Array(ids[..<place] + ids[min(place + length, ids.count)...])
                if tries(rest, hours: best.hours) { hasShrunk = true } else { place += length }
            }
            if !hasShrunk || length > 1 { length /= 2 }
        }
        return (best, found)
    }
}
