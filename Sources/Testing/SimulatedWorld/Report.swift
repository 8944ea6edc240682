internal import PluginKit

extension Outcome {
    /// The command that plays the run again.
    public func command(only events: [Int]? = nil) -> String {
        "scripts/simulate --seed \(seed) --hours \(hours)"
            + (events.map { " --only \($0.map(String.init).joined(separator: ","))" } ?? "")
    }

    /// What was found, with the promises that were watched.
    public var verdict: String {
        guard let violation else { return "seed \(seed), \(hours) virtual hours: every promise was kept" }
        return """
            seed \(seed): '\(violation.checker)' was broken \(violation.at.clock) after the start \
            (wall clock \(violation.wall)):
              \(violation.sentence)
            """
    }

    /// Every promise, a line each.
    public static var promises: String {
        allCheckers().map { checker in
            let (name, promise) = (type(of: checker).name, type(of: checker).promise)
            return "  \(name.padded(to: 22)) \(promise)"
        }.joined(separator: "\n")
    }
}

extension Counts {
    /// Adds what happened in another run.
    public static func += (left: inout Counts, right: Counts) {
        left.steps += right.steps
        left.lives += right.lives
        left.kills.merge(right.kills, uniquingKeysWith: +)
        left.powerCuts += right.powerCuts
        left.stops += right.stops
        left.webFaults.merge(right.webFaults, uniquingKeysWith: +)
        left.diskFaults.merge(right.diskFaults, uniquingKeysWith: +)
        left.rot += right.rot
        left.clockSteps += right.clockSteps
        left.suspends += right.suspends
        left.reloads += right.reloads
        left.polls += right.polls
        left.commits += right.commits
        left.facts += right.facts
        left.deliveries += right.deliveries
        left.ends.merge(right.ends, uniquingKeysWith: +)
        left.attempts += right.attempts
        left.repeats += right.repeats
        left.unknowns += right.unknowns
        left.errands += right.errands
        left.pictures += right.pictures
        left.pushes += right.pushes
        left.pushRefusals.merge(right.pushRefusals, uniquingKeysWith: +)
        left.calms += right.calms
    }

    /// The counts as a table.
    public var table: String {
        func line(_ name: String, _ value: Int, _ parts: [(String, Int)] = []) -> String {
            let detail = parts.sorted { ($1.1, $0.0) < ($0.1, $1.0) }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
            return "  \(name.padded(to: 22)) \(value)" + (detail.isEmpty ? "" : "  (\(detail))")
        }
        func total(_ counts: some Sequence<Int>) -> Int { counts.reduce(0, +) }
        return [
            line(
                "kills", total(kills.values),
                kills.map { ($0.key.rawValue, $0.value) } + [("of all, with the power", powerCuts)]),
            line("stops", stops), line("lives of the bot", lives), line("reloads", reloads),
            line("network faults", total(webFaults.values), webFaults.map { ($0.key, $0.value) }),
            line("disk faults", total(diskFaults.values), diskFaults.map { ($0.key.rawValue, $0.value) }),
            line("bits turned", rot), line("clock steps", clockSteps), line("suspends", suspends), line("polls", polls),
            line("commits", commits), line("facts", facts),
            line("deliveries", deliveries, ends.map { ($0.key, $0.value) }), line("attempts", attempts),
            line("unknown outcomes", unknowns), line("read twice, marked", repeats),
            line("pictures", pictures, [("requests of pictures and edits", errands)]),
            line("pushes", pushes, pushRefusals.map { ("not taken: " + $0.key, $0.value) }),
            line("calm phases", calms),
        ].joined(separator: "\n")
    }
}

extension String {
    fileprivate func padded(to length: Int) -> String { self + String(repeating: " ", count: max(0, length - count)) }
}
