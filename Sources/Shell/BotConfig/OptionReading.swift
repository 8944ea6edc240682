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
        reportUnknown(entries, known: common + manifest.options.map(\.name), in: "\(what) of plugin \(manifest.name)")
        let values = values(entries, manifest.options, position, what)
        if manifest.options.contains(where: { $0.name == "insecure" }) { checkSchemes(manifest, values) }
        return Options(name: name, position: position, values: values)
    }

    /// Plain http would carry crash figures, and often a credential, readable by everyone on the way.
    private mutating func checkSchemes(_ manifest: PluginManifest, _ values: [String: Option]) {
        if case .flag(true) = values["insecure"]?.value { return }
        for spec in manifest.options where spec.kind == .url {
            guard let option = values[spec.name], let text = option.text, let address = WebAddress(text.reveal()),
                address.scheme == "http", !address.isLoopback
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
        case .text, .path, .name: return text(node, name).map(Option.Value.text)
        case .url: return url(node, name).map(Option.Value.text)
        case .metric: return metric(node, name).map(Option.Value.text)
        case .integer(let range): return integer(node, name, range).map(Option.Value.integer)
        case .flag: return flag(node, name).map(Option.Value.flag)
        case .duration(let range): return duration(node, name, range).map(Option.Value.duration)
        case .rate:
            return value(node, name) { text throws(GrammarError) in
                let rate = try Rate(grammar: text)
                return .rate(count: rate.count, per: rate.per)
            }
        case .percentage:
            return value(node, name) { text throws(GrammarError) in .fraction(try Percentage(grammar: text).fraction) }
        case .points:
            return value(node, name) { text throws(GrammarError) in
                .fraction(try PercentagePoints(grammar: text).fraction)
            }
        case .comparison:
            return value(node, name) { text throws(GrammarError) in .comparison(try Comparison(grammar: text)) }
        case .days: return value(node, name) { text throws(GrammarError) in .days(try DaySet(grammar: text)) }
        case .hours: return value(node, name) { text throws(GrammarError) in .hours(try DailyHours(grammar: text)) }
        case .instant:
            return value(node, name) { text throws(GrammarError) in .instant(try WrittenInstant(grammar: text)) }
        case .choice(let words): return choice(node, name, words).map { .text(GuardedText($0)) }
        case .orOff(let inner):
            if case .scalar("off", _) = node.kind { return .off }
            return optionValue(node, name, inner)
        case .list(let inner): return list(node, name, inner)
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
        }
    }

    private mutating func section(_ node: Node, _ name: String, _ specs: [OptionSpec]) -> Options? {
        guard case .mapping = node.kind else {
            let example = specs.filter(\.isRequired).map { "\($0.name): …" }.joined(separator: ", ")
            report(node.position, "'\(name)' must be a mapping such as {\(example)}, not \(node.kindName)")
            return nil
        }
        let entries = entries(of: node, "'\(name)'")
        reportUnknown(entries, known: specs.map(\.name), in: "'\(name)'")
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

    private mutating func list(_ node: Node, _ name: String, _ inner: OptionKind) -> Option.Value? {
        guard case .sequence(let nodes) = node.kind else {
            return option(node, name, inner).map { .list([$0]) }
        }
        guard !nodes.isEmpty else {
            report(node.position, "'\(name)' is an empty list", advice: "leave it out")
            return nil
        }
        return .list(nodes.compactMap { option($0, name, inner) })
    }

    private mutating func metric(_ node: Node, _ name: String) -> GuardedText? {
        guard let text = text(node, name) else { return nil }
        let word = text.reveal()
        guard word.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "_:.-".contains($0)) }), word.count <= 100
        else {
            report(
                node.position,
                "'\(name)' is '\(text.description.clipped(to: 60))', expected a name such as crash_free_users")
            return nil
        }
        return text
    }

    private mutating func url(_ node: Node, _ name: String) -> GuardedText? {
        guard let text = text(node, name) else { return nil }
        guard WebAddress(text.reveal()) != nil else {
            report(
                node.position,
                "'\(name)' is '\(text.description.clipped(to: 60))', expected an address such as https://example.com")
            return nil
        }
        return text
    }

    mutating func integer(_ node: Node, _ name: String, _ range: ClosedRange<Int>) -> Int? {
        guard let text = text(node, name) else { return nil }
        let word = text.reveal()
        guard let number = Int(word), word.first != "+", range.contains(number) else {
            report(
                node.position,
                "'\(name)' is '\(text.description.clipped(to: 60))', expected a whole number from "
                    + "\(range.lowerBound) to \(range.upperBound)")
            return nil
        }
        return number
    }

    mutating func flag(_ node: Node, _ name: String) -> Bool? {
        guard let text = text(node, name) else { return nil }
        switch text.reveal() {
        case "true": return true
        case "false": return false
        case let word:
            let meant: String? =
                ["yes", "on", "y", "1"].contains(word.lowercased())
                ? "true"
                : ["no", "off", "n", "0"].contains(word.lowercased()) ? "false" : word.nearest(in: ["true", "false"])
            report(node.position, "'\(name)' is '\(text.description.clipped(to: 60))', expected true or false", meant)
            return nil
        }
    }

    mutating func duration(_ node: Node, _ name: String, _ range: ClosedRange<Duration>) -> Duration? {
        let read = value(node, name) { text throws(GrammarError) in try Duration(grammar: text) }
        guard let duration = read else { return nil }
        guard range.contains(duration) else {
            report(
                node.position,
                "'\(name)' is \(shown(node, duration.grammar)), expected from \(range.lowerBound.grammar) to "
                    + "\(range.upperBound.grammar)")
            return nil
        }
        return duration
    }

    mutating func choice(_ node: Node, _ name: String, _ words: [String]) -> String? {
        guard let text = text(node, name) else { return nil }
        let word = text.reveal()
        guard words.contains(word) else {
            report(
                node.position, "'\(name)' is '\(text.description.clipped(to: 60))', expected \(words.listed)",
                text.hasSecret ? nil : word.nearest(in: words))
            return nil
        }
        return word
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
                        node.position, "'\(shown(node, pattern))' is no severity; expected \(words.listed)",
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

extension [String] {
    /// `a, b or c`.
    var listed: String {
        guard count > 1, let last else { return first ?? "" }
        return dropLast().joined(separator: ", ") + " or " + last
    }
}
