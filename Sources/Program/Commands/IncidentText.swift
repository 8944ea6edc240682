public import Pictures
public import PluginKit

/// An incident in a few lines, indented by two.
public struct IncidentText {
    private let incident: JSON
    private let paint: Paint
    private let clock: Clockface

    public init(_ incident: JSON, _ paint: Paint, _ clock: Clockface) {
        self.incident = incident
        self.paint = paint
        self.clock = clock
    }

    /// Incidents in the order in which people want them: open ones before those that are over, the worst first, and of those
    /// the newest.
    public static func all(_ incidents: [JSON], _ paint: Paint, _ clock: Clockface) -> [String] {
        func rank(_ incident: JSON) -> (Int, Int) {
            let severity = incident["severity"]?.string.flatMap(Severity.init)
            return (
                incident["until"]?.string == nil ? 0 : 1,
                severity.flatMap { Severity.allCases.reversed().firstIndex(of: $0) } ?? 0
            )
        }
        return incidents.sorted { left, right in
            let (mine, other) = (rank(left), rank(right))
            return mine == other ? left.word("since") > right.word("since") : mine < other
        }.map { IncidentText($0, paint, clock).text }
    }

    public var text: String {
        let release = incident["release"]?.string.map { " \($0.tamed)" } ?? ""
        let since = incident.word("since")
        let state =
            incident["until"]?.string.map { until in
                let length = clock.length(from: since, to: until).map { " after \($0)" }
                return "\(incident.word("state")) at \(clock.at(until))" + (length ?? ", began at \(clock.at(since))")
            } ?? "\(incident.word("state")) \(clock.lasting(since: since))"
        // Its name leads to its own page.
        let page = links.first { $0.url.hasSuffix(pageEnd) }?.url
        let name = paint.link(incident.word("id"), to: page)
        var lines = [
            "  \(name) \(severity) \(incident.word("app"))\(release): \(state) (\(incident.word("rule")))"
        ]
        if let sentence = incident["evidence"]?["sentence"]?.string { lines.append(paint.dim("    \(sentence.tamed)")) }
        if let acknowledged = incident["acknowledged"], acknowledged != .null {
            let all = ([acknowledged] + (acknowledged["also"]?.array ?? [])).map { one in
                let person = one["by"]?.string?.tamed ?? "somebody"
                return "by \(person) at \(clock.at(one.word("at")))"
            }
            lines.append(paint.dim("    acknowledged \(all.joined(separator: ", "))"))
        }
        for (name, standing) in incident["channels"]?.object?.members.map({ ($0.name, $0.value) }) ?? [] {
            if let held = standing["held"], held != .null {
                let until = held["until"]?.string.map { " until \(clock.at($0))" } ?? ""
                lines.append(paint.dim("    \(name.tamed): held\(until) (\(held.word("reason")))"))
            } else if let dropped = standing["dropped"], dropped != .null {
                let at = dropped["at"]?.string.map { " at \(clock.at($0))" } ?? ""
                let reason = dropped["reason"]?.string?.tamed ?? "by a gate"
                lines.append(paint.dim("    \(name.tamed): dropped\(at) (\(reason))"))
            }
        }
        let others = links.filter { $0.url != page }
        if paint.hasLinks, !others.isEmpty {
            lines.append("    " + others.map { paint.link($0.title.tamed, to: $0.url) }.joined(separator: ", "))
        }
        return lines.joined(separator: "\n")
    }

    private var severity: String {
        let word = incident.word("severity")
        return switch Severity(rawValue: word) {
        case .critical: paint.red(word)
        case .warning: paint.yellow(word)
        case .info, nil: word
        }
    }

    private var links: [(title: String, url: String)] {
        (incident["links"]?.array ?? []).compactMap { link in
            link["url"]?.string.map { (link["title"]?.string ?? $0, $0) }
        }
    }

    /// What the address of its own page ends with.
    private var pageEnd: String { "/incidents/\(incident.word("id"))" }
}
