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
        let meant = reportUnknown(
            entries, known: common + manifest.options.names, in: "\(what) of plugin \(manifest.name)",
            options: manifest.options)
        let values = values(entries, manifest.options, position, what, besides: meant)
        let options = Options(name: name, position: position, values: values)
        if manifest.isConnected { checkAdmitted(manifest, options) }
        return manifest.options.names.contains(Setting.insecure.name) ? checkSchemes(manifest, options) : options
    }

    /// Reads those settings out of a section, whatever else stands there.
    mutating func options(
        _ settings: [any SettingDeclaration], in entries: [Entry], at position: Position, _ what: String
    ) -> Options {
        Options(name: what, position: position, values: values(entries, settings.map(\.spec), position, what))
    }

    /// Addresses of the plugin's service that 'network' denies.
    private mutating func checkAdmitted(_ manifest: PluginManifest, _ options: Options) {
        for spec in manifest.options {
            guard spec.isAddress, let option = options[named: spec.name], case .text(let text) = option.value else {
                continue
            }
            checkAdmitted(text, spec.name, at: option.position)
        }
    }

    /// Plain http would carry a credential readable by everyone on the way. Where there is none to carry, it is as good
    /// as `insecure: true`: many an exporter speaks nothing else.
    private mutating func checkSchemes(_ manifest: PluginManifest, _ options: Options) -> Options {
        if options[.insecure] { return options }
        var options = options
        let hasSecret = manifest.options.contains { spec in
            spec.isSent && options[named: spec.name].map { $0.value.holdsSecret || spec.isSecret } ?? false
        }
        for spec in manifest.options {
            guard case .url = spec.kind, let option = options[named: spec.name], case .text(let text) = option.value,
                let address = WebAddress(text.reveal()), address.scheme == "http", !address.isLoopback
            else { continue }
            guard hasSecret || text.hasUser else {
                options = options.setting(.insecure, to: true, at: option.position)
                continue
            }
            report(
                option.position,
                "'\(spec.name)' is plain http to a host that is not loopback, so anybody on the network path can read it",
                advice: "use https, or add insecure: true")
        }
        return options
    }

    /// - Parameter isSecret: whether it is never quoted, wherever it stands.
    mutating func option(_ node: Node, _ name: String, _ kind: OptionKind, isSecret: Bool = false) -> Option? {
        optionValue(node, name, kind, isSecret).map { Option($0, at: node.position) }
    }

    private mutating func optionValue(
        _ node: Node, _ name: String, _ kind: OptionKind, _ isSecret: Bool, besides word: String? = nil
    ) -> Option.Value? {
        switch kind {
        case .orOff(let inner):
            if case .scalar("off", _) = node.kind { return .off }
            return optionValue(node, name, inner, isSecret, besides: "off")
        case .list(let inner, let mayBeEmpty): return list(node, name, inner, mayBeEmpty, isSecret)
        case .map(let inner):
            guard case .mapping(let entries) = node.kind else {
                hide(node)
                report(node.position, "'\(name)' must be a mapping of names to values, not \(node.kindName)")
                return nil
            }
            return .map(
                entries.compactMap { entry in
                    let key = isSecret ? shown(entry) : entry.key
                    if entry.key.namesCredential { hide(entry.value) }
                    return option(entry.value, "\(name).\(key)", inner, isSecret: isSecret).map { (entry.key, $0) }
                })
        case .section(let specs): return section(node, name, specs).map(Option.Value.section)
        case .match: return match(node, name).map(Option.Value.match)
        case .calendar: return calendar(node, name).map(Option.Value.calendar)
        case .callee where node.namesRotation: return rotation(node).map(Option.Value.rotation)
        case .days:
            // `[sat, sun]` is `sat,sun`.
            guard case .sequence(let nodes) = node.kind else { return single(node, name, kind, isSecret) }
            guard !nodes.isEmpty else {
                reportEmpty(node, name)
                return nil
            }
            let sets = nodes.map { node -> DaySet? in
                if case .days(let days) = single(node, name, kind, isSecret) { days } else { nil }
            }
            return sets.contains(nil) ? nil : .days(DaySet(Set(sets.compactMap { $0?.days }.joined())))
        default: return single(node, name, kind, isSecret, besides: word)
        }
    }

    /// A single value, read by the grammar of its kind. What was found is quoted only where it holds no secret.
    ///
    /// - Parameter word: what may stand in its place, too.
    private mutating func single(
        _ node: Node, _ name: String, _ kind: OptionKind, _ isSecret: Bool, besides word: String? = nil
    ) -> Option.Value? {
        if case .name(of: let what) = kind, node.namesSecret {
            // Masked, it would name nothing, and nobody would check it.
            report(
                node.position, "'\(name)' is the name of a \(what.rawValue), which is no secret",
                advice: "write the name out")
            return nil
        }
        if case .link = kind, node.namesSecret {
            // Masked, it would lead nowhere when somebody needs it.
            reportShown(node, name, kind)
            return nil
        }
        if kind.isShown, node.namesSecret {
            // Masked, it would be taken for what it says. One that is not there at all is told as everywhere.
            guard surroundings.withholdsSecrets || text(node, name) != nil else { return nil }
            reportShown(node, name, kind)
            return nil
        }
        // A plugin without its secret can still say what else is wrong, and which metrics it gives.
        guard var text = text(node, name, standingIn: true) else { return nil }
        guard !isBlank(text, isSecret) else {
            reportBlank(node, name, text)
            return nil
        }
        let isLink = if case .link = kind { true } else { false }
        if !isSecret, let guarded = text.guardingSecrets(isAddress: kind.isAddress, isLink: isLink) {
            hide(node)
            if isLink {
                guard WebAddress(guarded.description) == nil else {
                    reportShown(node, name, kind, advice: "write it without the password")
                    return nil
                }
                // What is no address is told to be none: what looks like a password in it may be anything.
                text = guarded
            } else {
                secretsRead.remember(guarded)
                // Whoever tries things out on the own machine has nothing to hide.
                if WebAddress(text.reveal())?.isLoopback != true { reportWritten(name, at: node.position) }
                // Where secrets are not, what has one counts as not known.
                if !surroundings.withholdsSecrets { text = guarded }
            }
        }
        do {
            return try kind.value(text)
        } catch {
            if isWithheld(text, at: node.position) {
                // Any address does where nothing is asked for; what else is meant cannot be guessed.
                if case .url = kind { return .text(GuardedText(Secret("https://withheld.invalid/"))) }
                leaveUnread(node)
                return nil
            }
            let found =
                isSecret
                ? Secret.mask : error.found.map { shown(node, $0) } ?? "'\(text.description.clipped(to: 60))'"
            let suggestion = isSecret || text.hasSecret ? nil : error.suggestion
            if let suggestion, let value = try? kind.value(GuardedText(suggestion)) {
                noteSuggestion(value, for: name, at: node.position)
            }
            report(
                node.position,
                "'\(name)' is \(found), expected \(error.expected)\(word.map { ", or \($0)" } ?? "")", suggestion,
                advice: isSecret || text.hasSecret ? nil : text.reveal().adviceOnSpace ?? error.advice)
            return nil
        }
    }

    /// Whether a secret that is not there passes for one: an empty file where a token belongs would let everybody in.
    private func isBlank(_ text: GuardedText, _ isSecret: Bool) -> Bool {
        let secrets = text.pieces.compactMap { if case .secret(let secret) = $0 { secret.reveal() } else { nil } }
        if text.reveal().trimmed.isEmpty { return isSecret || !secrets.isEmpty }
        // `Bearer ${env:TOKEN}` without a token.
        return isSecret && !secrets.isEmpty && secrets.allSatisfy(\.trimmed.isEmpty)
    }

    private mutating func reportShown(_ node: Node, _ name: String, _ kind: OptionKind, advice: String? = nil) {
        report(
            node.position,
            "'\(name)' \(kind.isAddress ? "is" : "may be") shown to people, so it cannot hold a secret",
            advice: advice ?? (kind.isAddress ? "write the address out" : "write it out"))
    }

    private mutating func reportBlank(_ node: Node, _ name: String, _ text: GuardedText) {
        report(
            node.position, text.reveal().trimmed.isEmpty ? "'\(name)' is empty" : "the secret in '\(name)' is empty",
            advice: text.hasSecret ? "the variable, file or credential that it names holds nothing" : nil)
    }

    private mutating func section(_ node: Node, _ name: String, _ specs: [OptionSpec]) -> Options? {
        let example = specs.filter(\.isRequired).map { "\($0.name): …" }.joined(separator: ", ")
        if !example.isEmpty, !node.isMapping {
            hide(node)
            report(node.position, "'\(name)' must be a mapping such as {\(example)}, not \(node.kindName)")
            return nil
        }
        let entries = entries(of: node, "'\(name)'")
        let meant = reportUnknown(entries, known: specs.names, in: "'\(name)'", options: specs)
        let values = values(entries, specs, node.position, "'\(name)'", besides: meant)
        return Options(name: name, position: node.position, values: values)
    }

    /// The values of the options that are declared, as far as they could be read.
    ///
    /// - Parameter meant: what is there under a wrong name, and so is not missed.
    private mutating func values(
        _ entries: [Entry], _ specs: [OptionSpec], _ position: Position, _ what: String, besides meant: Set<String> = []
    ) -> [String: Option] {
        var values: [String: Option] = [:]
        for spec in specs {
            guard let entry = entries.first(where: { $0.key == spec.name }) else {
                if spec.isRequired, !meant.contains(spec.name) {
                    report(position, "\(what) needs '\(spec.name)': \(String(spec.help.dropLast()).loweredFirst)")
                }
                continue
            }
            if spec.isRequired, entry.value.kind == .sequence([]), case .list(_, mayBeEmpty: false) = spec.kind {
                report(
                    entry.value.position, "'\(spec.name)' is an empty list",
                    advice: "it is needed: \(String(spec.help.dropLast()).loweredFirst)")
                continue
            }
            if spec.isSecret { hide(entry.value, of: spec.kind) }
            guard let option = option(entry.value, spec.name, spec.kind, isSecret: spec.isSecret) else { continue }
            values[spec.name] = option
            if spec.isSecret { checkWritten(option, option.guarded, spec.name) }
            if spec.isInHeader, case .text(let text) = option.value,
                let flaw = Options.flaw(inHeaderText: text, of: spec.name, at: option.position)
            {
                report(flaw)
            }
        }
        return values
    }

    /// Reports what is a secret by its meaning and stands in the file itself.
    ///
    /// - Parameter guarded: what plugins get of it.
    private mutating func checkWritten(_ option: Option, _ guarded: Option, _ name: String) {
        switch (option.value, guarded.value) {
        case (.text(let text), .text(let secret)):
            guard !text.hasSecret else { return }
            secretsRead.rememberWritten(secret)
            // Whoever tries things out on the own machine has nothing to hide.
            guard WebAddress(text.reveal())?.isLoopback != true else { return }
            reportWritten(name, at: option.position)
        case (.map(let entries), .map(let secrets)):
            for (entry, secret) in zip(entries, secrets) where entry.name.namesCredential {
                checkWritten(entry.option, secret.option, entry.name)
            }
        default: break
        }
    }

    private mutating func list(
        _ node: Node, _ name: String, _ inner: OptionKind, _ mayBeEmpty: Bool, _ isSecret: Bool
    ) -> Option.Value? {
        let isOfNames = if case .plain = inner { true } else { false }
        guard case .sequence(let nodes) = node.kind else {
            let option = option(node, name, inner, isSecret: isSecret)
            if isOfNames, option != nil { warnOfJoined(node, name, isInList: false) }
            return option.map { .list([$0]) }
        }
        guard !nodes.isEmpty || mayBeEmpty else {
            reportEmpty(node, name)
            return nil
        }
        return .list(
            nodes.compactMap { node in
                let option = option(node, name, inner, isSecret: isSecret)
                if isOfNames, option != nil { warnOfJoined(node, name, isInList: true) }
                return option
            })
    }

    private mutating func reportEmpty(_ list: Node, _ name: String) {
        report(list.position, "'\(name)' is an empty list", advice: "list at least one, or leave it out")
    }

    /// Reads a `match`: properties with exact values, lists and globs.
    mutating func match(_ node: Node, _ name: String) -> Match? {
        guard case .mapping(let entries) = node.kind else {
            hide(node)
            report(
                node.position,
                "'\(name)' must be a mapping such as {app: shop-*, severity: critical}, not \(node.kindName)")
            return nil
        }
        var conditions: [Match.Condition] = []
        for entry in entries {
            let property = meant(entry, in: name)
            let nodes: [Node]
            if case .sequence(let elements) = entry.value.kind { nodes = elements } else { nodes = [entry.value] }
            // What could not be read has been told, and shall not be told again as fitting nothing.
            let patterns = nodes.map { node in
                text(node, "\(name).\(entry.key)").flatMap { isWithheld($0, at: node.position) ? nil : $0.reveal() }
                    ?? "*"
            }
            if property == "severity" {
                let words = Severity.allCases.map(\.rawValue)
                for (node, pattern) in zip(nodes, patterns) where !words.contains(where: Glob(pattern).fits) {
                    report(
                        node.position, "'\(shown(node, pattern))' is not a severity; expected \(words.listed)",
                        shown(node, pattern).nearest(in: words))
                }
            }
            for (node, pattern) in zip(nodes, patterns) where pattern.looksLikeClass {
                report(
                    Problem(
                        node.position, "'\(shown(node, pattern))' has brackets, which stand for themselves here",
                        advice: "only * and ? are special; a list matches one of several", level: .warning))
            }
            for (node, pattern) in zip(nodes, patterns) where pattern.looksLikeExpression {
                report(
                    Problem(
                        node.position,
                        "'\(shown(node, pattern))' reads like a regular expression, which patterns are not",
                        advice: "only * and ? are special; a list matches one of several, and nothing negates",
                        level: .warning))
            }
            if patterns.isEmpty {
                report(entry.value.position, "'\(name).\(entry.key)' is an empty list, so it can never match")
            }
            conditions.append(Match.Condition(property: property, patterns: patterns.map(Glob.init)))
        }
        return Match(conditions)
    }

    /// The property or label that a key means. Labels have any names, so one that is nearly a property may be one; but a
    /// long property with a single slip is that property.
    private mutating func meant(_ entry: Entry, in name: String) -> String {
        let property = entry.key
        guard !Match.properties.contains(property), let near = property.nearest(in: Match.properties) else {
            return property
        }
        if near.count >= ConfigReader.unmistakableMin, property.isOneSlip(from: near) {
            report(entry.keyMark.position, "unknown property '\(property.clipped(to: 60))' in '\(name)'", near)
            return near
        }
        report(
            Problem(
                entry.keyMark.position,
                "'\(property.clipped(to: 60))' in '\(name)' is taken for a label: it matches nothing unless a source gives "
                    + "that label",
                suggestion: near, level: .warning))
        return property
    }

    /// Shorter words have neighbours that are words, too: `role` is one slip from `rule`.
    private static let unmistakableMin = 6
}

extension Node {
    /// Whether it is a text with a secret in it, or meant to be.
    fileprivate var namesSecret: Bool {
        if case .scalar(let text, _) = kind { text.replacing("$${", with: "").contains("${") } else { false }
    }
}

extension Option.Value {
    /// Whether any of it came out of a secret.
    fileprivate var holdsSecret: Bool {
        switch self {
        case .text(let text): text.hasSecret
        case .list(let options): options.contains { $0.value.holdsSecret }
        case .map(let entries): entries.contains { $0.option.value.holdsSecret }
        default: false
        }
    }
}

extension GuardedText {
    /// Whether it is an address with a user, and perhaps a password, in front of the host.
    fileprivate var hasUser: Bool { reveal().userOfAddress != nil }

    /// The same with a password in front of the host that nobody sees, and what stands for a credential in the query; nil where
    /// there are none, plainly to be read.
    ///
    /// - Parameters:
    ///   - isAddress: whether it can be nothing else, so that a password with signs that end a host is found, too.
    ///   - isLink: whether people open it, so that of an address only a password counts.
    fileprivate func guardingSecrets(isAddress: Bool, isLink: Bool) -> GuardedText? {
        let text = reveal()
        guard !hasSecret else { return nil }
        let found =
            [text.passwordOfAddress(isAddress)].compactMap(\.self)
            + (isAddress && (!isLink || WebAddress(text) == nil) ? text.credentialsOfQuery : [])
        guard !found.isEmpty else { return nil }
        var pieces: [Piece] = []
        var rest = text.startIndex
        // Where there is no telling what is password and what is query, one may reach into the other.
        for secret in found.sorted(by: { $0.startIndex < $1.startIndex }) where rest < secret.endIndex {
            let begin = max(rest, secret.startIndex)
            if rest < begin { pieces.append(.plain(String(text[rest..<begin]))) }
            pieces.append(.secret(Secret(String(text[begin..<secret.endIndex]))))
            rest = secret.endIndex
        }
        if rest < text.endIndex { pieces.append(.plain(String(text[rest...]))) }
        return GuardedText(pieces: pieces)
    }
}

extension String {
    /// Whether a part of it would be one of several characters in a shell's patterns: `[a-z]`, or any brackets with a `*`.
    fileprivate var looksLikeClass: Bool {
        contains(/\[[^\]\s]+-[^\]\s]+\]/) || contains(/\[[^\]\s]+\]/) && !Glob(self).isExact
    }

    /// Whether somebody means a regular expression, or a negation. A dot before a star is also that of `com.shop.*` and `5.*.*`.
    fileprivate var looksLikeExpression: Bool {
        contains(/(?:^|[^A-Za-z0-9*?])\.[*+]|\S\|\S|^[!^]|^=~|\$$/)
    }

    /// The password in front of the host of an address; nil where there is none.
    fileprivate func passwordOfAddress(_ isAddress: Bool) -> Substring? {
        guard let user = userOfAddress ?? (isAddress ? allBeforeHost : nil), let colon = user.firstIndex(of: ":") else {
            return nil
        }
        let password = user[user.index(after: colon)...]
        return password.isEmpty ? nil : password
    }

    /// The values in the query of an address whose names say that they are credentials, though its scheme may be missing.
    fileprivate var credentialsOfQuery: [Substring] {
        guard let mark = firstIndex(of: "?") else { return [] }
        return self[mark...].dropFirst().prefix { $0 != "#" }.split(separator: "&").compactMap { item in
            guard let sign = item.firstIndex(of: "="), String(item[..<sign]).namesCredentialOfQuery else { return nil }
            let value = item[item.index(after: sign)...]
            return value.isEmpty ? nil : value
        }
    }

    /// What stands before the host of an address; nil where nothing does.
    fileprivate var userOfAddress: Substring? {
        guard let scheme = firstRange(of: "://") else { return nil }
        let authority = self[scheme.upperBound...].prefix { !"/?#".contains($0) }
        return authority.lastIndex(of: "@").map { authority[..<$0] }
    }

    /// What stands between the scheme, if it has one, and the last `@`, whatever it is; nil where there is no such thing, and
    /// for what is an address, of mail too.
    fileprivate var allBeforeHost: Substring? {
        guard WebAddress(self) == nil, !lowercased().hasPrefix("mailto:") else { return nil }
        let rest = self[(firstRange(of: "://")?.upperBound ?? startIndex)...]
        return rest.lastIndex(of: "@").map { rest[..<$0] }
    }

    var loweredFirst: String { prefix(1).lowercased() + dropFirst() }
}

extension OptionKind {
    /// Whether people may be shown it, so that a secret would have to be masked.
    fileprivate var isShown: Bool {
        switch self {
        case .plain, .metric, .callee: true
        default: false
        }
    }

    fileprivate var isAddress: Bool {
        switch self {
        case .url, .link: true
        default: false
        }
    }
}
