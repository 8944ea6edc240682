public import PluginKit

/// What kind of thing a plugin is.
public enum PluginKind: String, Hashable, Sendable, CaseIterable {
    case source, detector, gate, channel

    /// The section of the config in which it stands.
    public var section: String {
        switch self {
        case .source: "sources"
        case .detector, .gate: "rules"
        case .channel: "channels"
        }
    }
}

/// A plugin as people look it up: made of its manifest and of what every plugin of its kind takes.
public struct PluginDescription: Sendable {
    public let kind: PluginKind
    public let manifest: PluginManifest
    /// Options of every plugin of its kind.
    public let common: [OptionSpec]

    /// An example that can be pasted into a config.
    public var example: String {
        let name = "my-" + manifest.name.replacing("_", with: "-")
        let lines = ["plugin: \(manifest.name)"] + manifest.example.split(separator: "\n").map(String.init)
        return ([kind.section + ":", "  \(name):"] + lines.map { "    " + $0 }).joined(separator: "\n")
    }

    /// The line that `plugins list` prints.
    public var summaryJSON: JSON {
        ["kind": .string(kind.rawValue), "name": .string(manifest.name), "summary": .string(manifest.summary)]
    }

    public var json: JSON {
        guard case .object(var object) = summaryJSON else { return summaryJSON }
        object["options"] = .array(manifest.options.map(\.json))
        object["common_options"] = .array(common.map(\.json))
        object["access"] = .string(manifest.access)
        object["example"] = .string(example + "\n")
        return .object(object)
    }
}

extension PluginCatalog {
    /// Every plugin, by kind and in the order of the catalog.
    public var descriptions: [PluginDescription] {
        func described(_ kind: PluginKind, _ plugins: [any Plugin.Type], _ common: (PluginManifest) -> [OptionSpec])
            -> [PluginDescription]
        {
            plugins.map { plugin in
                PluginDescription(
                    kind: kind, manifest: plugin.manifest,
                    common: common(plugin.manifest).filter { option in
                        option.name != "plugin" && !plugin.manifest.options.contains { $0.name == option.name }
                    })
            }
        }
        return described(.source, sources, Vocabulary.source)
            + described(.detector, detectors) { _ in Vocabulary.detector }
            + described(.gate, gates) { _ in Vocabulary.gate } + described(.channel, channels, Vocabulary.channel)
    }
}

extension OptionSpec {
    var json: JSON {
        [
            "name": .string(name), "type": .string(kind.words), "required": .bool(isRequired),
            "default": JSON(defaultText), "help": .string(help),
        ]
    }
}

extension OptionKind {
    /// What one writes for it, in a few words.
    public var words: String {
        switch self {
        case .text, .plain: "text"
        case .url, .link: "address"
        case .path: "path"
        case .calendar: "iCalendar file"
        case .integer: "whole number from \(rangeText ?? "")"
        case .number: "number from \(rangeText ?? "")"
        case .flag: "true or false"
        case .duration: "duration from \(rangeText ?? "")"
        case .rate: "rate such as 10 per 1h"
        case .percentage: "percentage " + (rangeText.map { "from \($0)" } ?? "such as 99.5%")
        case .points: "percentage points " + (rangeText.map { "from \($0)" } ?? "such as 0.5pp")
        case .margin: "percentage points such as 0.5pp, or a plain number"
        case .comparison: "comparison such as \"< 99.5%\""
        case .days: "days such as mon-fri, or a list"
        case .hours: "hours such as 22:00-07:00"
        case .instant: "instant such as 2026-12-24 09:00"
        case .choice(let words): words.listed
        case .name(of: let reference): "name of a \(reference.rawValue)"
        case .callee: "mention, or oncall:ROTATION"
        case .metric: "name of a metric"
        case .orOff(let inner): inner.words + ", or off"
        case .list(let inner, _): "list: \(inner.words)"
        case .map(let inner): "names with values: \(inner.words)"
        case .section(let options): "mapping of \(options.names.joined(separator: ", "))"
        case .match: "match such as {app: shop-*}"
        }
    }
}
