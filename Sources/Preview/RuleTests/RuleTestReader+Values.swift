internal import AlertCore
internal import BotConfig
internal import PluginKit
internal import YAMLKit

// Single values, each with a problem where it is not what it should be.

extension RuleTestReader {
    mutating func report(_ position: Position, _ message: String, suggestion: String? = nil, advice: String? = nil) {
        let problem = Problem(position, message, suggestion: suggestion, advice: advice)
        if !problems.contains(problem) { problems.append(problem) }
    }

    /// The entries of a mapping; anything else is a problem and gives none.
    mutating func entries(of node: Node, _ what: String) -> [Entry] {
        if case .mapping(let entries) = node.kind { return entries }
        report(node.position, "\(what) must be a mapping of names to values, not \(node.kindName)")
        return []
    }

    /// The elements of a list; anything else is a problem and gives none.
    mutating func elements(of node: Node, _ what: String) -> [Node] {
        if case .sequence(let nodes) = node.kind { return nodes }
        report(node.position, "\(what) must be a list, not \(node.kindName)", advice: "write [] for none")
        return []
    }

    mutating func reportUnknown(_ entries: [Entry], known: [String], in what: String, orMetrics: Bool = false) {
        let metrics = orMetrics ? metricNames : []
        for entry in entries where !known.contains(entry.key) && !metrics.contains(entry.key) {
            let near = entry.key.nearest(in: known + metrics)
            let list =
                near == nil ? "; known are \(known.joined(separator: ", "))\(orMetrics ? " and metrics" : "")" : ""
            report(
                entry.keyMark.position, "unknown key '\(entry.key.clipped(to: 60))' in \(what)\(list)", suggestion: near
            )
        }
    }

    mutating func required(_ series: SeriesReading, _ name: String, at position: Position) -> Node? {
        guard let node = series[name], text(node, name) != nil else {
            if series[name] == nil { report(position, "'\(name)' is missing") }
            return nil
        }
        return node
    }

    mutating func text(_ node: Node, _ name: String) -> String? {
        if let text = node.scalar, !text.isEmpty { return text }
        report(node.position, "'\(name)' must be a single value, not \(node.scalar == "" ? "empty" : node.kindName)")
        return nil
    }

    mutating func value<Value>(
        _ node: Node, _ name: String, _ grammar: (String) throws(GrammarError) -> Value
    ) -> Value? {
        guard let text = text(node, name) else { return nil }
        do {
            return try grammar(text)
        } catch {
            report(
                node.position, "'\(name)' is '\(text.clipped(to: 60))', expected \(error.expected)",
                suggestion: error.suggestion, advice: error.advice)
            return nil
        }
    }

    mutating func choice(_ node: Node, _ name: String, _ words: [String]) -> String? {
        guard let word = text(node, name) else { return nil }
        if words.contains(word) { return word }
        report(
            node.position, "'\(name)' is '\(word.clipped(to: 60))', expected \(words.joined(separator: ", "))",
            suggestion: word.nearest(in: words))
        return nil
    }

    mutating func duration(_ node: Node, _ name: String, canBeZero: Bool = false) -> Duration? {
        guard let duration = value(node, name, { text throws(GrammarError) in try Duration(grammar: text) }) else {
            return nil
        }
        guard duration > .zero || canBeZero else {
            report(node.position, "'\(name)' must be longer than 0s", advice: "write 1m, for example")
            return nil
        }
        return duration
    }

    /// An instant: written out, in the bot's zone unless it carries an offset; `+65m` after the start; or the first
    /// `13:05` from the start on.
    mutating func moment(_ node: Node, _ name: String, after start: Moment?) -> Moment? {
        guard let written = text(node, name) else { return nil }
        let zone = config.plan.zone
        if let start {
            if written.hasPrefix("+"), let length = try? Duration(grammar: String(written.dropFirst())) {
                return start + length
            }
            if let second = RuleTestReader.secondOfDay(written) {
                let day = zone.civil(start).day
                let today = zone.moment(beginning: CivilTime(day: day, secondOfDay: second))
                return today >= start ? today : zone.moment(beginning: CivilTime(day: day + 1, secondOfDay: second))
            }
        }
        let hasStart = start != nil
        let instant = value(node, name) { text throws(GrammarError) -> WrittenInstant in
            do throws(GrammarError) {
                return try WrittenInstant(grammar: text)
            } catch {
                throw hasStart ? GrammarError(expected: "a time such as 13:05, +65m or 2026-11-20 13:05") : error
            }
        }
        switch instant {
        case .instant(let moment): return moment
        case .local(let civil): return zone.moment(beginning: civil)
        case .none: return nil
        }
    }

    /// Whether a time is written as one that counts from the start.
    static func countsFromStart(_ node: Node) -> Bool {
        node.scalar.map { $0.hasPrefix("+") || secondOfDay($0) != nil } ?? false
    }

    /// Reads `13:05` and `13:05:30`.
    private static func secondOfDay(_ text: String) -> Int? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { $0.count == 2 ? Int($0) : nil }
        guard (2...3).contains(parts.count), numbers.count == parts.count, (0...23).contains(numbers[0]),
            numbers.dropFirst().allSatisfy({ (0...59).contains($0) })
        else { return nil }
        return numbers[0] * 3600 + numbers[1] * 60 + (numbers.count == 3 ? numbers[2] : 0)
    }

    // MARK: observations written out

    /// The node as the JSON of an observation: percentages become fractions, local times instants.
    func json(_ node: Node, _ name: String = "") -> JSON {
        switch node.kind {
        case .mapping(let entries):
            return .object(JSONObject(entries.map { ($0.key, json($0.value, $0.key)) }))
        case .sequence(let nodes): return .array(nodes.map { json($0, name) })
        case .scalar(let text, let style):
            if node.isNull { return .null }
            if RuleTestReader.instants.contains(name) { return .string(instant(text)) }
            guard style == .plain else { return .string(text) }
            if let fraction = try? Percentage(grammar: text).fraction { return JSON(fraction) }
            if RuleTestReader.words.contains(name) { return .string(text) }
            return (try? JSON(parsing: text)) ?? .string(text)
        }
    }

    private static let instants: Set = ["from", "to", "seen", "first_seen", "last_seen", "returned"]
    /// Members that are words, though they may look like numbers.
    private static let words: Set = [
        "source", "app", "release", "environment", "id", "title", "status", "url", "failed",
    ]

    private func instant(_ text: String) -> String {
        guard case .local(let civil) = try? WrittenInstant(grammar: text) else { return text }
        return config.plan.zone.moment(beginning: civil).description
    }

    /// The place of what a path such as `$.metrics.users` names; of the nearest thing around it where it is missing.
    func place(of path: String, in node: Node) -> Position {
        var (place, current) = (node.position, node)
        for step in path.dropFirst().split(whereSeparator: { ".[]'".contains($0) }) {
            if let entry = current.mapping.first(where: { $0.key == step }) {
                current = entry.value
            } else if case .sequence(let nodes) = current.kind, let index = Int(step), nodes.indices.contains(index) {
                current = nodes[index]
            } else {
                return place
            }
            place = current.position
        }
        return place
    }
}

extension Trouble {
    static var names: [String] { allCases.map(\.rawValue) }
}
