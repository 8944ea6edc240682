public import PluginKit

/// What every memory of a detector must do: follow from what it was fed with, come back from a snapshot as it was, and
/// stay small.
public struct MemoryConformance<Memory: DetectorMemory>: Sendable {
    private let fresh: Memory
    private let observations: [Observation]
    private let bytesMax: Int
    /// What is wrong with what the memory says it is for; nil where it says nothing of the kind.
    private let flaw: @Sendable (Memory) -> String?

    /// - Parameters:
    ///   - observations: of one subject, as many as it takes to fill the memory.
    ///   - bytesMax: what it may take as JSON. All that is kept of a subject must fit into 4 MiB, and figures take
    ///     most.
    public init(
        _ kind: Memory.Type, _ need: Memory.Need, fedWith observations: [Observation], bytesMax: Int = 256 << 10
    ) where Memory: AskedMemory {
        fresh = Memory(need)
        self.observations = observations
        self.bytesMax = bytesMax
        flaw = { memory in
            guard memory.need == need else { return "it says that it is for \(memory.need), not for \(need)" }
            let kinds = MemoryKinds([MemoryKind(Memory.self)])
            let needs: MemoryNeeds = [MemoryNeed(Memory.self, need)]
            let written = JSONReader(needs.json)
            guard (try? MemoryNeeds(written, kinds)) == needs else { return "its need is not read as it was written" }
            return nil
        }
    }

    public init(
        _ kind: Memory.Type, fedWith observations: [Observation], bytesMax: Int = 256 << 10
    ) where Memory: StandingMemory {
        fresh = Memory()
        self.observations = observations
        self.bytesMax = bytesMax
        flaw = { _ in nil }
    }

    /// What is wrong, one sentence each; none when all is well.
    public func violations() -> [String] {
        var found: [String] = []
        let isName = { (scalar: Unicode.Scalar) in
            scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) || scalar == "_")
        }
        if Memory.name.isEmpty || !Memory.name.unicodeScalars.allSatisfy(isName) {
            found.append("its name '\(Memory.name)' is not of letters, digits and underscores")
        }
        for json in [.null, [], [:], "x", -1, [["x"]], ["x": ["x"]]] as [JSON] { _ = try? Memory(JSONReader(json)) }
        found += check(observations, "")
        found += check(observations.flatMap(MemoryConformance.odd), " among odd observations")
        found += check(observations.map(MemoryConformance.fractional), " with counts that are no whole numbers")
        found += check(MemoryConformance.crowded(observations), " with short spans, half of which come late")
        return found
    }

    private func check(_ observations: [Observation], _ circumstance: String) -> [String] {
        // One is read anew from time to time, one is fed alone.
        var (memory, again, twin) = (fresh, fresh, fresh)
        var bytes = 0
        let stride = max(1, observations.count / 40)
        for (index, observation) in ([nil] + observations).enumerated() {
            if let observation {
                memory.add(observation)
                again.add(observation)
                twin.add(observation)
            }
            guard index < 4 || index % stride == 0 || index == observations.count else { continue }
            let place = "after \(index) observations\(circumstance)"
            let text = memory.bytes
            bytes = max(bytes, text.count)
            do {
                again = try Memory(JSONReader(JSON(parsing: again.bytes)))
            } catch {
                return ["\(place) it does not read what it wrote: \(error)"]
            }
            guard again == memory else { return ["\(place) a snapshot gives it back as another"] }
            guard twin == memory, twin.bytes == text else {
                return ["\(place) it is not what another is that was fed with the same"]
            }
            if let flaw = flaw(again) { return ["\(place) \(flaw)"] }
        }
        return bytes > bytesMax ? ["it takes \(bytes) bytes\(circumstance), more than \(bytesMax)"] : []
    }

    /// The same from a source that extrapolates counters, as Prometheus does, and gives rates beside them.
    private static func fractional(_ observation: Observation) -> Observation {
        var observation = observation
        let (metrics, all) = (observation.metrics, Metric.wellKnown)
        for rate in all where rate.failures != nil {
            guard let failures = rate.failures, let figure = metrics.figure(rate) else { continue }
            observation.metrics[rate] = figure.value
            observation.metrics[failures] = nil
        }
        for count in all where count.unit == .count && observation.metrics[count] != nil {
            observation.metrics[count] = observation.metrics[count].map { $0 + 0.6 }
        }
        return observation
    }

    /// Spans of ten seconds; of each ten minutes the first half comes after the second.
    private static func crowded(_ observations: [Observation]) -> [Observation] {
        guard let begin = observations.first?.span.from else { return [] }
        let length = Duration.seconds(10)
        let short = observations.enumerated().map { index, observation in
            var short = observation
            short.span = TimeSpan(lasting: length, until: begin + length * (index + 1))
            return short
        }
        return stride(from: 0, to: short.count, by: 60).flatMap { first in
            let stretch = short[first..<min(first + 60, short.count)]
            return (stretch.dropFirst(30) + stretch.prefix(30)).map { observation in
                var late = observation
                late.seen = max(late.span.to, stretch.last?.span.to ?? late.span.to)
                return late
            }
        }
    }

    /// An observation, and what may come besides it.
    private static func odd(_ observation: Observation) -> [Observation] {
        var (unfinished, empty, older, newer) = (observation, observation, observation, observation)
        unfinished.isComplete = false
        empty.metrics = [:]
        empty.issues = []
        older.seen = observation.seen - .hours(7)
        newer.seen = observation.seen + .seconds(1)
        var early = observation
        early.span = TimeSpan(lasting: observation.span.length, until: observation.span.to - .days(2))
        return [unfinished, observation, empty, older, newer, early]
    }
}
