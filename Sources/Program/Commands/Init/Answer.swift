internal import PluginKit
internal import SystemPorts

/// What is wrong with an answer: a phrase that can follow the option's name.
struct AnswerFlaw: Error {
    let sentence: String
    init(_ sentence: String) { self.sentence = sentence }
}

/// What people type for an option, read by the grammar of its kind.
enum Answer {
    /// - Parameter text: not empty; lists with commas, maps with an entry a line.
    static func value(of text: String, _ option: OptionSpec) throws(AnswerFlaw) -> DraftValue {
        switch option.kind {
        case .list(let kind, _):
            var parts: [String] = []
            // Brackets are how a config writes it, and what somebody who copies an example types.
            for part in text.trimming("[", "]").split(separator: ",") {
                let part = String(part).trimmed
                if part.isEmpty { continue }
                try check(part, kind)
                parts.append(part)
            }
            guard !parts.isEmpty else { throw AnswerFlaw("names nothing") }
            return .list(parts)
        case .map(let kind):
            var entries: [DraftValue.DraftEntry] = []
            for line in text.split(separator: "\n") {
                guard let colon = line.firstIndex(where: { ":=".contains($0) }) else {
                    throw AnswerFlaw("has '\(String(line).tamed.clipped(to: 60))', expected 'name: value'")
                }
                let (name, value) = (String(line[..<colon]).trimmed, String(line[line.index(after: colon)...]).trimmed)
                guard !name.isEmpty, !value.isEmpty else { throw AnswerFlaw("has an entry without a name or a value") }
                try check(value, kind)
                guard !entries.contains(where: { $0.name == name }) else {
                    throw AnswerFlaw("has '\(name.tamed)' twice")
                }
                entries.append(DraftValue.DraftEntry(name: name, value: value))
            }
            return .map(entries)
        default:
            try check(text, option.kind)
            return .text(text)
        }
    }

    /// Whether a single value is one of its kind. What it refers to is only known when the config is read.
    static func check(_ text: String, _ kind: OptionKind) throws(AnswerFlaw) {
        if text.contains("${") { return }
        if case .orOff(let inner) = kind {
            if text != "off" { try check(text, inner) }
            return
        }
        do throws(GrammarError) {
            _ = try kind.value(GuardedText(text))
        } catch {
            let found = (error.found ?? text).tamed.clipped(to: 60)
            throw AnswerFlaw("is '\(found)', expected \(error.expected)\(error.hint)")
        }
    }

    /// What is to stand in the config for a secret that is named rather than typed; nil for one that is typed.
    ///
    /// - Parameters:
    ///   - home: the user's home, which `~` stands for.
    ///   - folder: the config's folder, where relative paths start.
    static func secret(_ text: String, home: String?, folder: String) throws(AnswerFlaw) -> String? {
        if text.contains("${") { return text }
        guard ["/", "./", "../", "~/"].contains(where: text.hasPrefix) else { return nil }
        let path = text.hasPrefix("~/") ? (home ?? "~") + text.dropFirst(1) : text
        guard WholeFile.isThere(path.hasPrefix("/") ? path : folder + "/" + path) else {
            throw AnswerFlaw("is not the path of a file; for a secret that looks like a path, write ${env:NAME}")
        }
        return "${file:\(path)}"
    }
}

extension DraftValue {
    /// A reference to a file with the secret.
    static func secret(in file: String) -> DraftValue { .text("${file:\(file)}") }
}

extension String {
    /// Without these two around it.
    fileprivate func trimming(_ first: Character, _ last: Character) -> Substring {
        hasPrefix(String(first)) && hasSuffix(String(last)) ? dropFirst().dropLast() : self[...]
    }
}
