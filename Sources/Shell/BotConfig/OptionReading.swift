internal import PluginKit
internal import YAMLKit

// Options of plugins, each read by the grammar that its kind names.

extension ConfigReader {
    /// Reads the options that a plugin declares from the entries of its section; `common` keys are read elsewhere.
    ///
    /// What is wrong is reported and left out, so that the plugin can still find what is wrong with the rest.
    mutating func options(
        of manifest: PluginManifest, name: String, at position: Position, _ entries: [Entry], common: [String],
        _ what: String
    ) -> Options {
        reportUnknown(entries, known: common + manifest.options.names, in: "\(what) of plugin \(manifest.name)")
        let values = values(entries, manifest.options, position, what)
        let options = Options(name: name, position: position, values: values)
        if manifest.options.names.contains(Setting.insecure.name) { checkSchemes(manifest, options) }
        return options
    }

    /// Reads those settings out of a section, whatever else stands there.
    mutating func options(
        _ settings: [any SettingDeclaration], in entries: [Entry], at position: Position, _ what: String
    ) -> Options {
        Options(name: what, position: position, values: values(entries, settings.map(\.spec), position, what))
    }

    /// Plain http would carry crash figures, and often a credential, readable by everyone on the way.
    private mutating func checkSchemes(_ manifest: PluginManifest, _ options: Options) {
        if options[.insecure] { return }
        for spec in manifest.options {
            guard case .url = spec.kind, let option = options[named: spec.name], case .text(let text) = option.value,
                let address = WebAddress(text.reveal()), address.scheme == "http", !address.isLoopback
            else { continue }
            report(
                option.position, "'\(spec.name)' is plain http to a host that is not loopback, readable on its way",
                advice: "use https, or add insecure: true")
        }
    }

    mutating func option(_ node: Node, _ name: String, _ kind: OptionKind) -> Option? {
        optionValue(node, name, kind).map { Option($0, at: node.position) }
    }

    private mutating func optionValue(_ node: Node, _ name: String, _ kind: OptionKind) -> Option.Value? {
        switch kind {
        case .orOff(let inner):
            if case .scalar("off", _) = node.kind { return .off }
            return optionValue(node, name, inner)
        case .list(let inner, let mayBeEmpty): return list(node, name, inner, mayBeEmpty)
        case .map(let inner):
            guard case .mapping(let entries) = node.kind else {
                report(node.position, "'\(name)' must be a mapping of names to values, not \(node.kindName)")
                return nil
            }
            return .map(
                entries.compactMap { entry in
                    option(entry.value, "\(name).\(entry.key)", inner).map { (entry.key, $0) }
                })
        case .section(let specs): return section(node, name, specs).map(Option.Value.section)
        case .match: return match(node, name).map(Option.Value.match)
        default: return single(node, name, kind)
        }
    }

    /// A single value, read by the grammar of its kind. What was found is quoted only where it holds no secret.
    private mutating func single(_ node: Node, _ name: String, _ kind: OptionKind) -> Option.Value? {
        guard let text = text(node, name) else { return nil }
        do {
            return try kind.value(text)
        } catch {
            let found = error.found.map { shown(node, $0) } ?? "'\(text.description.clipped(to: 60))'"
            report(
                node.position, "'\(name)' is \(found), expected \(error.expected)",
                text.hasSecret ? nil : error.suggestion)
            return nil
        }
    }

    private mutating func section(_ node: Node, _ name: String, _ specs: [OptionSpec]) -> Options? {
        let example = specs.filter(\.isRequired).map { "\($0.name): …" }.joined(separator: ", ")
        if !example.isEmpty, !node.isMapping {
            report(node.position, "'\(name)' must be a mapping such as {\(example)}, not \(node.kindName)")
            return nil
        }
        let entries = entries(of: node, "'\(name)'")
        reportUnknown(entries, known: specs.names, in: "'\(name)'")
        return Options(name: name, position: node.position, values: values(entries, specs, node.position, "'\(name)'"))
    }

    /// The values of the options that are declared, as far as they could be read.
    private mutating func values(
        _ entries: [Entry], _ specs: [OptionSpec], _ position: Position, _ what: String
    ) -> [String: Option] {
        var values: [String: Option] = [:]
        for spec in specs {
            guard let entry = entries.first(where: { $0.key == spec.name }) else {
                if spec.isRequired { report(position, "\(what) needs '\(spec.name)': \(spec.help.loweredFirst)") }
                continue
            }
            if let option = option(entry.value, spec.name, spec.kind) { values[spec.name] = option }
        }
        return values
    }

    private mutating func list(
        _ node: Node, _ name: String, _ inner: OptionKind, _ mayBeEmpty: Bool
    ) -> Option.Value? {
        guard case .sequence(let nodes) = node.kind else {
            return option(node, name, inner).map { .list([$0]) }
        }
        guard !nodes.isEmpty || mayBeEmpty else {
            report(node.position, "'\(name)' is an empty list", advice: "leave it out")
            return nil
        }
        return .list(nodes.compactMap { option($0, name, inner) })
    }

    /// Reads a `match`: properties with exact values, lists and globs.
    mutating func match(_ node: Node, _ name: String) -> Match? {
        guard case .mapping(let entries) = node.kind else {
            report(
                node.position,
                "'\(name)' must be a mapping such as {app: shop-*, severity: critical}, not \(node.kindName)")
            return nil
        }
        var conditions: [Match.Condition] = []
        for entry in entries {
            var property = entry.key
            if !Match.properties.contains(property), let near = property.nearest(in: Match.properties) {
                report(entry.keyMark.position, "unknown property '\(property.clipped(to: 60))' in '\(name)'", near)
                property = near
            }
            let nodes: [Node]
            if case .sequence(let elements) = entry.value.kind { nodes = elements } else { nodes = [entry.value] }
            // What could not be read has been told, and shall not be told again as fitting nothing.
            let patterns = nodes.map { text($0, "\(name).\(entry.key)")?.reveal() ?? "*" }
            if property == "severity" {
                let words = Severity.allCases.map(\.rawValue)
                for (node, pattern) in zip(nodes, patterns) where !words.contains(where: Glob(pattern).fits) {
                    report(
                        node.position, "'\(shown(node, pattern))' is not a severity; expected \(words.listed)",
                        shown(node, pattern).nearest(in: words))
                }
            }
            if patterns.isEmpty {
                report(entry.value.position, "'\(name).\(entry.key)' is an empty list, so it can never match")
            }
            conditions.append(Match.Condition(property: property, patterns: patterns.map(Glob.init)))
        }
        return Match(conditions)
    }
}

extension String {
    var loweredFirst: String { prefix(1).lowercased() + dropFirst() }
}
