public import PluginKit

/// Limits and settings for every app of a history, ready to be pasted into a config.
public struct Suggestions: Sendable {
    public let metric: String
    /// By name.
    public let apps: [AppSuggestion]
    /// Whether what really happened was known.
    public let hasTruth: Bool
    /// What people have set at the services themselves.
    public var limits: [ServiceLimit] = []

    private struct Named {
        let app: AppSuggestion
        let floor: String
        let drop: String
    }

    /// A section for config.yaml, with the figures as comments.
    public var fragment: String {
        var lines = [
            "# Suggested by 'alertbot suggest' for \(metric). Each setting was replayed on its own over the history, "
                + "without gates",
            "# and to one channel; a limit is the tightest, and a drop the most sensitive, that fired about once a "
                + "month at most"
                + (hasTruth ? "" : "."),
        ]
        if hasTruth { lines.append("# while nothing was wrong.") }
        for app in apps where app.floor == nil && app.drop == nil {
            lines.append("# \(app.app.forComments): \(app.notes.joined(separator: "; "))")
        }
        let named = self.named.filter { $0.app.floor != nil || $0.app.drop != nil }
        guard !named.isEmpty || !limits.isEmpty else {
            return (lines + ["rules: {}", ""]).joined(separator: "\n")
        }
        lines.append("rules:")
        for entry in named {
            let app = entry.app
            lines.append("  # \(app.app.forComments), \((app.to - app.from).short) from \(app.from) to \(app.to)")
            lines += app.notes.map { "  # Note: \($0)." }
            if let floor = app.floor {
                lines += rule(
                    entry.floor, "threshold", app, floor.figures,
                    [("warning", quoted(floor.warning))]
                        + (floor.critical.map { [("critical", quoted($0))] } ?? []))
            }
            if let drop = app.drop {
                lines += rule(
                    entry.drop, "drop", app, drop.figures, [("by", drop.by), ("false_alarms", drop.falseAlarms)])
            }
        }
        for (limit, name) in namedLimits { lines += rule(name, limit) }
        return (lines + [""]).joined(separator: "\n")
    }

    public var json: JSON {
        [
            "metric": .string(metric),
            "apps": .array(
                named.map { entry in
                    let app = entry.app
                    return [
                        "app": .string(app.app), "from": JSON(app.from), "to": JSON(app.to),
                        "floor": app.floor.map {
                            [
                                "rule": .string(entry.floor), "warning": .string("\($0.warning)"),
                                "critical": JSON($0.critical.map { "\($0)" }), "figures": $0.figures.json,
                            ]
                        } ?? .null,
                        "drop": app.drop.map {
                            [
                                "rule": .string(entry.drop), "by": .string($0.by),
                                "false_alarms": .string($0.falseAlarms), "figures": $0.figures.json,
                            ]
                        } ?? .null,
                        "notes": .array(app.notes.map(JSON.string)),
                    ]
                }),
            "limits": .array(
                namedLimits.map { limit, name in
                    [
                        "rule": .string(name), "app": .string(limit.app), "service": .string(limit.service),
                        "metric": .string(limit.metric.name), "warning": JSON(limit.warning.map(below).map { "\($0)" }),
                        "critical": JSON(limit.critical.map(below).map { "\($0)" }),
                    ]
                }),
            "fragment": .string(fragment),
        ]
    }

    private func rule(
        _ name: String, _ plugin: String, _ app: AppSuggestion, _ figures: AppSuggestion.Figures,
        _ options: [(String, String)]
    ) -> [String] {
        let all = [("plugin", plugin), ("match", "{app: \(app.app.quotedForYAML)}"), ("metric", metric)] + options
        return ["  \(name):", "    # \(figures.text)"] + all.map { "    \($0): \($1)" }
    }

    /// A limit that people have set elsewhere, as it is: it was not tried on the history.
    private func rule(_ name: String, _ limit: ServiceLimit) -> [String] {
        let words = "  # What is set at \(limit.service) for \(limit.app.forComments); it was not replayed"
        let options = [
            ("plugin", "threshold"), ("match", "{app: \(limit.app.quotedForYAML)}"), ("metric", limit.metric.name),
        ]
        let limits = [("warning", limit.warning), ("critical", limit.critical)].compactMap { key, value in
            value.map { (key, quoted(below($0))) }
        }
        return [words, "  \(name):"] + (options + limits).map { "    \($0): \($1)" }
    }

    private func below(_ value: Double) -> Comparison { Comparison(.less, value, isPercentage: true) }

    /// Each with a name for its rule that no two of them share.
    private var namedLimits: [(limit: ServiceLimit, name: String)] {
        var taken: Set<String> = []
        return limits.map { limit in
            (limit, name("\(limit.service.lowercased())-\(limit.app)", &taken))
        }
    }

    private func quoted(_ limit: Comparison) -> String { "\"\(limit)\"" }

    /// Every app with names for its rules that no two of them share.
    private var named: [Named] {
        var taken: Set<String> = []
        return apps.map { app in
            let name = name(app.app, &taken)
            return Named(app: app, floor: "floor-\(name)", drop: "drop-\(name)")
        }
    }

    /// A name that a config takes and that is not taken yet.
    private func name(_ text: String, _ taken: inout Set<String>) -> String {
        let word = String(text.unicodeScalars.map { $0.isNamePart ? Character($0) : "-" })
        let base = String(word.prefix(Suggestions.wordCharactersMax))
        var (name, number) = (base, 2)
        while !taken.insert(name).inserted {
            name = "\(base)-\(number)"
            number += 1
        }
        return name
    }

    /// Names have 64 characters at most; the rest is for what stands before and behind.
    private static let wordCharactersMax = 48
}

extension Unicode.Scalar {
    /// Whether names in a config may have it.
    fileprivate var isNamePart: Bool {
        switch self {
        case "a"..."z", "A"..."Z", "0"..."9", "-", "_", ".": true
        default: false
        }
    }
}

extension String {
    /// The text without what YAML does not take even in a comment.
    fileprivate var forComments: String {
        String(String.UnicodeScalarView(tamed.unicodeScalars.filter { $0.properties.generalCategory != .format }))
            .clipped(to: 100)
    }

    /// The text as a YAML scalar in double quotes that the config reader takes for just this text: what YAML does not
    /// print is escaped, and so is what would begin a secret.
    fileprivate var quotedForYAML: String {
        var text = "\""
        for scalar in replacing("${", with: "$${").unicodeScalars {
            switch scalar {
            case "\"", "\\": text += "\\\(scalar)"
            case " "..."~": text.unicodeScalars.append(scalar)
            default:
                let digits = String(scalar.value, radix: 16, uppercase: true)
                text += "\\U" + String(repeating: "0", count: 8 - digits.count) + digits
            }
        }
        return text + "\""
    }
}
