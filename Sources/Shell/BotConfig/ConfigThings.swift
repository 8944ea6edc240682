internal import PluginKit
internal import YAMLKit

/// What stands in a config, to tell what another one changes.
public struct ConfigThings: Hashable, Sendable {
    /// Of each section, its names and a mark of what each says: a config may have ten thousand.
    private let sections: [String: [String: String]]
    /// The names of the rules in the order of the file, in which gates are asked.
    private let rules: [String]
    /// The files beside it, and what they say.
    private let files: [String: [UInt8]]
    /// The references to secrets, with a mark of what stands behind each.
    private let secrets: [String: String]

    init(_ entries: [Entry], files: [String: [UInt8]], secrets: [String: String]) {
        var sections: [String: [String: String]] = [:]
        for section in entries {
            if case .mapping(let things) = section.value.kind {
                sections[section.key] = Dictionary(things.map { ($0.key, $0.value.fingerprint) }) { first, _ in first }
            } else {
                sections[section.key] = ["": section.value.fingerprint]
            }
        }
        self.sections = sections
        rules = entries.first { $0.key == "rules" }?.value.mapping.map(\.key) ?? []
        self.files = files
        self.secrets = secrets
    }

    /// What has become other, a phrase for each section: `sources: added web, changed ios`.
    public func changes(since old: ConfigThings) -> [String] {
        let names = Set(sections.keys).union(old.sections.keys).sorted()
        var changes = names.compactMap { section in
            let (now, then) = (sections[section] ?? [:], old.sections[section] ?? [:])
            if now[""] != nil || then[""] != nil { return now == then ? nil : "\(section) changed" }
            let parts = [
                ConfigThings.change(from: then, to: now),
                section == "rules" && isReordered(since: old) ? "order changed" : nil,
            ].compactMap(\.self)
            return parts.isEmpty ? nil : "\(section): \(parts.joined(separator: "; "))"
        }
        if let change = ConfigThings.change(from: old.files, to: files) { changes.append("files: \(change)") }
        // Of those that come and go the sections tell.
        let changed = secrets.keys.filter { name in old.secrets[name].map { $0 != secrets[name] } ?? false }.sorted()
        if !changed.isEmpty { changes.append("secrets: changed \(changed.joined(separator: ", "))") }
        return changes
    }

    /// Whether the rules that both have are in another order. A list, such as the routes, has changed then as a whole.
    private func isReordered(since old: ConfigThings) -> Bool {
        guard rules != old.rules else { return false }
        let (now, then) = (Set(rules), Set(old.rules))
        return rules.filter(then.contains) != old.rules.filter(now.contains)
    }

    private static func change<Content: Equatable>(from then: [String: Content], to now: [String: Content]) -> String? {
        let parts = [
            ("added", now.keys.filter { then[$0] == nil }),
            ("changed", now.keys.filter { name in then[name].map { $0 != now[name] } ?? false }),
            ("removed", then.keys.filter { now[$0] == nil }),
        ].filter { !$0.1.isEmpty }
        return parts.isEmpty
            ? nil : parts.map { "\($0.0) \($0.1.sorted().joined(separator: ", "))" }.joined(separator: "; ")
    }
}

extension Node {
    /// Another one where it says something else.
    fileprivate var fingerprint: String {
        var hash = StableHash()
        hash.add(content)
        return hash.text
    }

    /// What it says, wherever it stands.
    fileprivate var content: String {
        switch kind {
        case .scalar(let text, let style): style == .quoted ? "\"\(text)\"" : text
        case .sequence(let nodes): "[" + nodes.map(\.content).joined(separator: "\u{0}") + "]"
        case .mapping(let entries):
            "{" + entries.map { "\($0.key)\u{1}\($0.value.content)" }.joined(separator: "\u{0}") + "}"
        }
    }
}
